/* SPDX-License-Identifier: Apache-2.0
 * The daemon as it was, for who asks its parent. */
#include "server/travel/guide.h"

#include "base/home.h"
#include "records/jsontext.h"
#include "server/api/api.h"
#include "server/events/feed.h"
#include "server/events/metrics.h"
#include "server/http/made.h"
#include "server/http/stream.h"
#include "server/render/render.h"
#include "server/server_private.h"
#include "server/timeline/timeline.h"
#include "server/travel/journey.h"
#include "server/whole.h"
#include "store/account.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAMED_MAX 20000 /* so many that were over first have their names */

struct guide {
    struct server s;
    struct journey journey;
    int fd;
    bool open;              /* all parts are */
    struct identity caller; /* whose view it is */
    struct strbuf line;
    char **argv;
};

/* ---- the wire ---- */

static void write_all(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t done = write(fd, bytes, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            _exit(0); /* nobody hears it any more */
        bytes += done;
        n -= (size_t)done;
    }
}

static void write_answer(
    struct guide *g, int status, const json_t *headers, const char *bytes, size_t n)
{
    json_t *head = json_pack("{s:i, s:O, s:I}", "status", status, "headers", headers,
        "length", (json_int_t)n);
    char *text = jsontext(head);

    write_all(g->fd, text, strlen(text));
    write_all(g->fd, "\n", 1);
    write_all(g->fd, bytes, n);
    free(text);
    json_decref(head);
}

static void answer_request(struct guide *g, struct request *r)
{
    const json_t *headers;
    const char *bytes;
    size_t n;
    int status = request_reply_whole(r, &bytes, &n, &headers);

    write_answer(g, status, headers, bytes, n);
    request_unmake(r);
}

/* The next line, without its end; NULL: there is none any more. */
static const char *read_line(struct guide *g)
{
    char c;

    g->line.len = 0;
    for (;;) {
        ssize_t n = read(g->fd, &c, 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0 || g->line.len > GUIDE_LINE)
            return NULL;
        if (c == '\n')
            return g->line.text ? g->line.text : "";
        strbuf_add_n(&g->line, &c, 1);
    }
}

/* ---- jobs that end on the way ---- */

/* While they have their nodes: pictures of then show what was before. */
static void look_before(void *ctx, const struct event *ev)
{
    struct guide *g = ctx;
    struct engine *engine = replay_engine(g->journey.replay);

    if ((ev->kind != EVENT_END && ev->kind != EVENT_CANCEL) || ev->u.end.unbegun)
        return;
    const struct cluster *c = engine_cluster(engine);
    const struct job *j = ev->u.end.id                ? job_find(c, ev->u.end.id)
                          : ev->u.end.job < c->jobs.n ? c->jobs.v[ev->u.end.job]
                                                      : NULL;
    if (j)
        timeline_note_end(&g->s, j, ev->u.end.left_at ? ev->u.end.left_at : ev->at,
            ev->kind == EVENT_CANCEL || ev->u.end.failed
                || ev->u.end.how != EV_COMPLETE);
}

static void look_after(void *ctx, int64_t now, const struct actions *all)
{
    struct guide *g = ctx;
    const struct cluster *c = engine_cluster(replay_engine(g->journey.replay));

    for (size_t i = 0; i < all->n; i++)
        if (all->v[i].kind == ACTION_CANCEL && c->jobs.v[all->v[i].job])
            timeline_note_end(&g->s, c->jobs.v[all->v[i].job], now, true);
}

/* ---- the parts ---- */

/* What the daemon of then had in force; another line may have changed it. */
static void take_life(struct guide *g)
{
    g->s.engine = replay_engine(g->journey.replay);
    g->s.config = replay_config(g->journey.replay);
}

static int open_parts(struct guide *g, struct err *err)
{
    struct server *s = &g->s;

    g->open = true;
    metrics_open(s);
    s->unsaved = unsaved_open(s->store);
    if (whole_open(s, err) < 0 || stream_open(s, err) < 0)
        return -1;
    s->api.rights = rights_new();
    whole_again(s);
    return 0;
}

static int open_guide(struct guide *g, struct err *err)
{
    struct server *s = &g->s;
    struct store_options opt = {.read_only = true};
    struct replay_look look = {.before = look_before, .decided = look_after, .ctx = g};

    if (sd_event_default(&s->loop) < 0)
        return err_set(err, ERR_IO, "there is no event loop");
    sd_event_now(s->loop, CLOCK_MONOTONIC, &(uint64_t){0});
    s->log = log_open(&(struct log_options){.path = NULL}, err);
    log_mute(s->log);
    s->clock = clock_create(s->loop);
    s->paths.state_path = home_file(s->paths.home, "state.db");
    if (store_open(s->paths.state_path, &opt, &s->store, err) < 0)
        return -1;
    journey_open(&g->journey, s->store, &look);
    feed_open(s);
    world_open(s);
    return 0;
}

/* ---- where to ---- */

/* {"what":"start","job":"12","text":"..."}: as the journal tells it. */
static json_t *describe_decision(const char *text)
{
    const char *blank = strchr(text, ' ');
    size_t n = blank ? strcspn(blank + 1, " :") : 0;
    json_t *o = json_object();

    json_object_set_new(
        o, "what", json_stringn(text, blank ? (size_t)(blank - text) : strlen(text)));
    if (n && strncmp(blank + 1, "-", n) != 0)
        json_object_set_new(o, "job", json_stringn(blank + 1, n));
    json_object_set_new(o, "text", json_string(text));
    return o;
}

static const struct job *find_job(const struct guide *g, const char *id)
{
    return id ? job_find(engine_cluster(replay_engine(g->journey.replay)), id) : NULL;
}

/* Is that a job of the caller's there? */
static bool is_own(const struct guide *g, const char *id)
{
    const struct cluster *c = engine_cluster(replay_engine(g->journey.replay));
    const struct job *j = find_job(g, id);

    return j && identity_has_job(&g->caller, c, j);
}

/* What was decided about others' jobs is for administrators: lists never told it. */
static json_t *describe_decisions(struct guide *g)
{
    json_t *list = json_array(), *one;
    size_t i;

    json_array_foreach(g->journey.decided, i, one)
    {
        json_t *o = describe_decision(json_string_value(one));
        if (identity_is(&g->caller, WHO_ADMIN3)
            || is_own(g, json_string_value(json_object_get(o, "job"))))
            json_array_append(list, o);
        json_decref(o);
    }
    return list;
}

static json_t *describe_stop(struct guide *g)
{
    const struct replay_count *count = replay_count(g->journey.replay);
    json_t *o = json_pack("{s:I, s:I, s:I, s:I, s:o, s:I, s:I, s:I}", "at",
        (json_int_t)g->journey.place.at, "line", (json_int_t)g->journey.place.line,
        "life", (json_int_t)g->journey.place.life, "oldest_at",
        (json_int_t)journey_oldest(g->s.store), "decided", describe_decisions(g),
        "lines", (json_int_t)count->lines, "cycles", (json_int_t)count->cycles,
        "differences", (json_int_t)count->differences);
    if (identity_is(&g->caller, WHO_ADMIN3))
        render_text(o, "difference", g->journey.difference);
    return o;
}

static void refuse_question(struct guide *g, const struct err *err)
{
    struct identity nobody = {.uid = (uid_t)-1};
    struct request *r = request_make("GET", "", NULL, &nobody);

    request_refuse(r, err);
    answer_request(g, r);
}

/* Back, or into another life: a process that knows nothing yet. */
static int begin_anew(struct guide *g, const struct place *to, struct err *err)
{
    char line[24];

    snprintf(line, sizeof line, "%" PRId64, to->line);
    char *argv[] = {
        g->argv[0], g->argv[1], g->argv[2], g->argv[3], "line", line, g->argv[6], NULL};
    execv("/proc/self/exe", argv);
    return err_set(err, ERR_IO, "the helper cannot begin anew: %s", strerror(errno));
}

/* The journal knows no names of jobs; of those that are over by now accounting does. */
static int name_job(void *ctx, const struct store_account *row)
{
    struct server *s = ctx;
    const struct job *j = job_find(engine_cluster(s->engine), row->job);
    struct job_notes *n =
        j && j->submit_at == row->submit_at ? world_notes(s, j) : NULL;

    if (n && !n->name && row->name && *row->name)
        n->name = xstrdup(row->name);
    return 0;
}

static void name_jobs(struct server *s)
{
    struct store_account_filter since = {
        .from_at = world_now(s), .submitted = true, .limit = NAMED_MAX};
    struct err err;

    (void)store_account_each(s->store, &since, name_job, s, &err);
}

/* Lists and pictures of before are none of now. */
static void settle_wish(struct guide *g)
{
    struct server *s = &g->s;

    take_life(g);
    clock_stand_at(s->clock, g->journey.place.at);
    world_moved(s);
    name_jobs(s);
}

static int go_there(struct guide *g, const struct wish *w, struct err *err)
{
    struct place from = g->journey.place, to;

    if (w->kind == WISH_LINE || (w->kind == WISH_AT && w->n < from.at))
        from = (struct place){0};
    if (journey_find(g->s.store, w, &from, &to, err) < 0)
        return -1;
    if (!journey_reaches(&g->journey, &to))
        return begin_anew(g, &to, err);
    if (journey_go(&g->journey, &to, err) < 0)
        return -1;
    take_life(g);
    if (!g->open && open_parts(g, err) < 0)
        return -1;
    settle_wish(g);
    return 0;
}

/* False: it cannot go there, and has said why. */
static bool go_and_tell(struct guide *g, const struct wish *w)
{
    struct err err = {0};

    if (go_there(g, w, &err) < 0) {
        refuse_question(g, &err);
        return false;
    }
    json_t *o = describe_stop(g), *headers = json_object();
    char *text = jsontext(o);

    write_answer(g, 200, headers, text, strlen(text));
    free(text);
    json_decref(headers);
    json_decref(o);
    return true;
}

/* When something is decided about others' jobs is theirs to know. `own`: when one of
 * that id was the caller's, by the daemon, which knows; null: any may be asked about.
 * The one that is there counts. */
static bool refuses_about(struct guide *g, const char *about, const json_t *own)
{
    struct err err;

    if (!about || json_is_null(own)
        || (find_job(g, about) ? is_own(g, about) : json_array_size(own) > 0))
        return false;
    err_set(&err, ERR_NOT_FOUND, "there is no job '%.60s' of yours", about);
    refuse_question(g, &err);
    return true;
}

static void move_on(struct guide *g, const json_t *how, const json_t *own)
{
    const json_t *at = json_object_get(how, "at");
    const json_t *seconds = json_object_get(how, "seconds");
    const json_t *about = json_object_get(how, "about");
    struct wish w = {.kind = WISH_CYCLES, .n = 1};

    if (at)
        w = (struct wish){.kind = WISH_AT, .n = json_integer_value(at)};
    else if (seconds)
        w = (struct wish){
            .kind = WISH_AT, .n = g->journey.place.at + json_integer_value(seconds)};
    else if (about)
        w = (struct wish){
            .kind = WISH_ABOUT, .about = json_string_value(about), .spans = own};
    else if (json_object_get(how, "cycles"))
        w.n = json_integer_value(json_object_get(how, "cycles"));
    if (!refuses_about(g, json_string_value(about), own))
        go_and_tell(g, &w);
}

/* ---- questions ---- */

static void read_name(const json_t *o, const char *key, char *ret, size_t size)
{
    const char *text = json_string_value(json_object_get(o, key));

    snprintf(ret, size, "%s", text ? text : "");
}

/* As the daemon has made out; the configuration of then gives nobody a level. */
static void read_identity(struct guide *g, const json_t *o, struct identity *ret)
{
    *ret =
        (struct identity){.uid = (uid_t)json_integer_value(json_object_get(o, "uid")),
            .gid = (gid_t)json_integer_value(json_object_get(o, "gid")),
            .level = (int)json_integer_value(json_object_get(o, "level")),
            .hidden = (unsigned)json_integer_value(json_object_get(o, "hidden")),
            .rights = g->s.api.rights,
            .level_most = -1};
    read_name(o, "user", ret->user, sizeof ret->user);
    read_name(o, "group", ret->group, sizeof ret->group);
    read_name(o, "host", ret->host, sizeof ret->host);
}

static void ask_handler(struct guide *g, const json_t *o)
{
    struct identity who;

    read_identity(g, json_object_get(o, "who"), &who);
    struct request *r = request_make_get(json_string_value(json_object_get(o, "get")),
        json_string_value(json_object_get(o, "target")),
        json_incref(json_object_get(o, "query")),
        json_incref(json_object_get(o, "headers")), &who);
    json_t *record;

    api_handle(&g->s, r);
    while (request_reply_of(r, &record) == 0)
        if (sd_event_run(g->s.loop, UINT64_MAX) < 0)
            _exit(1);
    answer_request(g, r);
}

/* ---- the process ---- */

/* What is opened next is none of these. */
static void fill_standard(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd < 2);
    if (fd > 2)
        close(fd);
}

static void hear_line(struct guide *g)
{
    const char *line;

    while ((line = read_line(g)) != NULL) {
        json_t *o = json_loads(line, 0, NULL), *how = json_object_get(o, "go");
        if (how)
            move_on(g, how, json_object_get(o, "own"));
        else
            ask_handler(g, o);
        json_decref(o);
    }
}

int guide_main(int argc, char **argv)
{
    struct guide *g;
    struct err err = {0};

    if (argc != 7)
        return 2;
    fill_standard();
    g = xcalloc(1, sizeof *g);
    g->argv = argv;
    g->fd = (int)strtol(argv[3], NULL, 10);
    g->s.mode = MODE_PAST;
    g->s.lock_fd = -1;
    g->s.control.stop_at_iteration = -1;
    g->s.paths.home = home_absolute(argv[1]);
    g->s.paths.config_path = home_absolute(argv[2]);
    struct wish first = {.kind = strcmp(argv[4], "line") == 0 ? WISH_LINE : WISH_AT,
        .n = strtoll(argv[5], NULL, 10)};
    json_t *caller = json_loads(argv[6], 0, NULL);
    read_identity(g, caller, &g->caller);
    json_decref(caller);
    if (open_guide(g, &err) < 0)
        refuse_question(g, &err);
    else if (go_and_tell(g, &first))
        hear_line(g);
    _exit(0); /* memory goes with it */
}
