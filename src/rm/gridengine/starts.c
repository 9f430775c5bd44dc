/* SPDX-License-Identifier: Apache-2.0
 * Starts: a job gets one place to go to and is let go, in one command.
 *
 *     one host            -q batch@cn02
 *     as many on each     -q batch@cn02,batch@cn03   of an environment with a number
 *     uneven              -q maui_4711               a queue of its own, made for it
 *
 * The queue list is that of a whole array: its tasks go to one place after the other.
 * What does not run in time would run whenever it can, so its hold is put back. */
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "rm/adapter/clock.h"
#include "rm/gridengine/gridengine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define BATCH_MOST 100 /* jobs in a command */

struct start {
    struct ge_adapter *g;
    char *job, *name; /* owned; name: as Grid Engine calls it */
    char *queues;     /* owned: where it goes to */
    char *pe, *slots; /* owned: of a range, the number that was planned; or NULL */
    char *context;    /* owned: what its user had asked for */
    char *file;       /* owned: definition of a queue of its own; or NULL */
    bool changing;    /* the queue is there already, and is changed */
};

static void start_free(struct start *s)
{
    free(s->job);
    free(s->name);
    free(s->queues);
    free(s->pe);
    free(s->slots);
    free(s->context);
    if (s->file != NULL)
        unlink(s->file);
    free(s->file);
    free(s);
}

void ge_end_start(struct ge_told *t)
{
    if (t->queued != NULL)
        start_free(t->queued);
    t->queued = NULL;
    t->step = STEP_NONE;
    free(t->instance);
    t->instance = NULL;
}

static void land_start(
    struct ge_adapter *g, const char *job, enum rm_outcome outcome, const char *text)
{
    struct pending *all = agent_orders(g->agent);
    struct ge_told *t = listing_find(g->jobs, job);

    if (t != NULL)
        ge_end_start(t);
    pending_land(all, pending_find(all, job, RM_START), outcome, text);
}

/* ---- the release ---- */

static void note_release(struct start *s, const struct run_end *end)
{
    struct ge_adapter *g = s->g;
    struct pending *all = agent_orders(g->agent);
    struct ge_told *t = listing_find(g->jobs, s->job);
    size_t i = pending_find(all, s->job, RM_START);

    if (t != NULL) {
        t->changed_ms = clock_ms();
        /* what was refused, as the job had gone, did not run; of others that is not
         * known before a look */
        t->begun = t->begun || end->status == 0 || ge_is_away(end);
    }
    if (t == NULL || i == pending_count(all)) {
        land_start(g, s->job, RM_LOST, NULL); /* tidied up where it does not run */
    } else if (end->status != 0 && !ge_is_away(end)) {
        land_start(g, s->job, RM_RETRY, end->text);
    } else {
        t->step = STEP_RELEASED;
        pending_renew(all, i, clock_ms()); /* a glance shows what comes of it */
        start_free(s);
        return;
    }
    agent_look(g->agent);
    start_free(s);
}

/* Starts that differ in nothing but the job: one command. */
struct batch {
    struct VEC(struct start *) starts; /* owned */
};

static void run_batch(struct batch *b);

static struct batch *batch_of(struct start *s)
{
    struct batch *b = xcalloc(1, sizeof *b);

    vec_push(&b->starts, s);
    return b;
}

/* Which of several was refused is not told in a form that can be relied upon: each is
 * ordered again by itself, which does no harm to one that was let go. */
static void on_released(void *ctx, const struct run_end *end)
{
    struct batch *b = ctx;
    struct ge_adapter *g = b->starts.v[0]->g;
    bool again = b->starts.n > 1 && end->status != 0 && !ge_is_away(end);

    g->let_go--;
    ge_hurry(g, g->let_go > 0);
    for (size_t i = 0; i < b->starts.n; i++)
        if (again)
            run_batch(batch_of(b->starts.v[i]));
        else
            note_release(b->starts.v[i], end);
    vec_fini(&b->starts);
    free(b);
}

static void run_batch(struct batch *b)
{
    const struct start *s = b->starts.v[0];
    const char *argv[14] = {"qalter", "-h", "S", "-q", s->queues, "-ac", s->context};
    struct strbuf names = {0};
    size_t n = 7;

    for (size_t i = 0; i < b->starts.n; i++)
        strbuf_printf(&names, "%s%s", i > 0 ? "," : "", b->starts.v[i]->name);
    if (s->pe != NULL) {
        argv[n++] = "-pe";
        argv[n++] = s->pe;
        argv[n++] = s->slots;
    }
    argv[n++] = names.text;
    s->g->let_go++;
    s->g->let_go_ms = clock_ms();
    ge_run(s->g, false, argv, on_released, b);
    free(names.text);
}

static bool is_same(const char *x, const char *y)
{
    return x == NULL || y == NULL ? x == y : strcmp(x, y) == 0;
}

static bool is_alike(const struct start *x, const struct start *y)
{
    return strcmp(x->queues, y->queues) == 0 && strcmp(x->context, y->context) == 0
           && is_same(x->pe, y->pe) && is_same(x->slots, y->slots);
}

/* Of all that were ordered in this turn of the loop. */
static int release_jobs(sd_event_source *source, void *ctx)
{
    struct ge_adapter *g = ctx;
    struct VEC(struct batch *) batches = {0};

    (void)source;
    for (size_t i = 0; i < g->releases.n; i++) {
        struct start *s = g->releases.v[i];
        size_t k = 0;

        while (k < batches.n
               && (batches.v[k]->starts.n >= BATCH_MOST
                   || !is_alike(batches.v[k]->starts.v[0], s)))
            k++;
        if (k < batches.n)
            vec_push(&batches.v[k]->starts, s);
        else
            vec_push(&batches, batch_of(s));
    }
    g->releases.n = 0;
    for (size_t i = 0; i < batches.n; i++)
        run_batch(batches.v[i]);
    vec_fini(&batches);
    return 0;
}

static void release_job(struct start *s)
{
    struct ge_adapter *g = s->g;

    vec_push(&g->releases, s);
    if (g->releasing == NULL)
        sd_event_add_defer(agent_loop(g->agent), &g->releasing, release_jobs, g);
    sd_event_source_set_enabled(g->releasing, SD_EVENT_ONESHOT);
}

void ge_drop_releases(struct ge_adapter *g)
{
    for (size_t i = 0; i < g->releases.n; i++)
        start_free(g->releases.v[i]);
    vec_fini(&g->releases);
    sd_event_source_disable_unref(g->releasing);
}

/* ---- a queue of its own ---- */

static void on_queue_made(void *ctx, const struct run_end *end)
{
    struct start *s = ctx;
    const char *const change[] = {"qconf", "-Mq", s->file, NULL};

    if (end->status != 0 && !s->changing && !ge_is_away(end)) {
        s->changing = true; /* it is there already */
        ge_run(s->g, false, change, on_queue_made, s);
        return;
    }
    if (end->status != 0) {
        land_start(s->g, s->job, RM_RETRY, end->text);
        start_free(s);
        return;
    }
    release_job(s);
}

static void begin_start(struct start *s)
{
    const char *const make[] = {"qconf", "-Aq", s->file, NULL};

    if (s->file != NULL)
        ge_run(s->g, false, make, on_queue_made, s);
    else
        release_job(s);
}

static int write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    size_t n = strlen(text);
    bool written = fd >= 0 && write(fd, text, n) == (ssize_t)n;

    if (fd >= 0 && close(fd) < 0)
        written = false;
    return written ? 0 : -1;
}

/* ---- where it goes to ---- */

static int64_t even_share(const struct ge_site *site, const struct ge_job *j)
{
    for (const struct ge_pe *p = site->pes; p != NULL && p->name != NULL; p++)
        if (j->pe != NULL && strcmp(p->name, j->pe) == 0)
            return p->per_host;
    return GE_PE_FREE;
}

static bool is_even(
    const struct ge_site *site, const struct ge_job *j, const struct rm_command *c)
{
    int64_t each = even_share(site, j);

    for (size_t i = 0; i < c->nplaces; i++)
        if (c->places[i].tasks != each)
            return c->nplaces == 1;
    return true;
}

/* "batch@cn02,batch@cn03"; owned, NULL where one of them is not open for it. */
static char *list_instances(
    const struct ge_site *site, const struct ge_job *j, const struct rm_command *c)
{
    struct arena arena = {0};
    struct strbuf list = {0};
    bool all = true;

    for (size_t i = 0; i < c->nplaces; i++) {
        const char *at = ge_instance_for(j, site, c->places[i].node, c->cls, &arena);

        all = all && at != NULL;
        if (at != NULL)
            strbuf_printf(&list, "%s%s", list.len > 0 ? "," : "", at);
    }
    arena_free(&arena);
    if (all)
        return strbuf_take(&list);
    free(list.text);
    return NULL;
}

/* Made of the queue that it would be in there. */
static int plan_queue(struct start *s, const struct ge_site *site,
    const struct ge_job *j, const struct rm_command *c, char **ret_class)
{
    struct arena arena = {0};
    const char *like = ge_instance_for(j, site, c->places[0].node, c->cls, &arena);
    char *cls = like != NULL ? xstrndup(like, strcspn(like, "@")) : NULL;
    const struct ge_queue *q = cls != NULL ? ge_find_queue(site->queues, cls) : NULL;
    struct strbuf name = {0}, file = {0};
    int status = -1;

    arena_free(&arena);
    strbuf_printf(&name, GE_OWN_QUEUE "%s", j->number);
    if (j->task != NULL)
        strbuf_printf(&name, "_%s", j->task);
    strbuf_printf(&file, "%s%s.queue", s->g->files, name.text);
    s->queues = strbuf_take(&name);
    s->file = strbuf_take(&file);
    if (q != NULL) {
        char *text = ge_own_queue(q, s->queues, c->places, c->nplaces);

        status = write_file(s->file, text);
        free(text);
    }
    *ret_class = cls;
    return status;
}

/* "maui_q=batch;debug,maui_pe=2-4,maui_class=batch": as its user asked. Owned. */
static char *list_context(const struct ge_job *j, const char *cls)
{
    struct strbuf text = {0};

    strbuf_add(&text, "maui_q=");
    for (const char *c = j->kept.queues != NULL ? j->kept.queues : "-"; *c; c++)
        strbuf_add_n(&text, *c == ',' ? ";" : c, 1);
    if (j->slots_most > j->slots)
        strbuf_printf(
            &text, ",maui_pe=%lld-%lld", (long long)j->slots, (long long)j->slots_most);
    if (cls != NULL)
        strbuf_printf(&text, ",maui_class=%s", cls);
    strbuf_add(&text, ",maui_why=let go");
    return strbuf_take(&text);
}

static struct start *plan_start(
    struct ge_adapter *g, const struct ge_job *j, const struct rm_command *c)
{
    struct ge_site site = ge_site_of(g);
    struct start *s = xcalloc(1, sizeof *s);
    char *cls = NULL;

    *s = (struct start){.g = g, .job = xstrdup(c->job), .name = ge_name(c->job)};
    if (is_even(&site, j, c))
        s->queues = list_instances(&site, j, c);
    else if (plan_queue(s, &site, j, c, &cls) < 0) {
        free(s->queues);
        s->queues = NULL;
    }
    s->context = list_context(j, cls);
    free(cls);
    if (j->pe
        != NULL) { /* what starts is what was planned, whatever was changed since */
        struct strbuf slots = {0};

        strbuf_printf(&slots, "%lld", (long long)j->slots);
        s->pe = xstrdup(j->pe);
        s->slots = strbuf_take(&slots);
    }
    if (s->queues != NULL)
        return s;
    start_free(s);
    return NULL;
}

/* ---- one place after the other ---- */

/* Does another task of its array go elsewhere just now? */
static bool has_to_queue(
    struct ge_adapter *g, const struct ge_job *j, const char *queues)
{
    const struct ge_jobs *a = &g->jobs_answer;

    for (size_t i = ge_first_of(a, j->number);
         j->task != NULL && i < a->list.n
         && strcmp(a->list.v[i].number, j->number) == 0;
         i++) {
        const struct ge_told *t = listing_find(g->jobs, a->list.v[i].rm.desc.id);

        if (t != NULL
            && (t->tidying
                || (t->step > STEP_QUEUED && t->instance != NULL
                    && strcmp(t->instance, queues) != 0)))
            return true;
    }
    return false;
}

/* Is it as a job has to be that is let go, as far as the last look shows? */
static bool is_ready(
    const struct ge_adapter *g, const struct ge_told *t, const struct ge_job *j)
{
    return !t->tidying && t->changed_ms < ge_look_began_ms(g) && ge_is_held(j);
}

/* False: it is not its turn yet. */
static bool go_on(struct ge_adapter *g, struct ge_told *t, const struct ge_job *j)
{
    struct start *s = t->queued;

    if (has_to_queue(g, j, s->queues) || !is_ready(g, t, j))
        return false;
    t->queued = NULL;
    t->step = STEP_ORDERED;
    free(t->instance);
    t->instance = xstrdup(s->queues);
    begin_start(s);
    return true;
}

void ge_start(struct ge_adapter *g, const struct rm_command *c)
{
    struct ge_told *t = listing_find(g->jobs, c->job);
    const struct ge_job *j = t != NULL ? ge_answer_of(g, t) : NULL;

    if (j == NULL || !t->waiting || t->step != STEP_NONE || c->nplaces == 0) {
        agent_done(g->agent, c->token, RM_RETRY, c->job,
            "Grid Engine does not have it waiting");
        return;
    }
    if (j->rm.desc.deps != NULL) {
        agent_done(g->agent, c->token, RM_WAITS, c->job, "it waits for others to end");
        return;
    }
    t->queued = plan_start(g, j, c);
    if (t->queued == NULL) {
        agent_done(g->agent, c->token, RM_RETRY, c->job,
            "no queue that it may use is open there");
        return;
    }
    t->step = STEP_QUEUED;
    agent_pending(g->agent, c, ge_start_patience_ms(g->hurry, g->start_wait_ms));
    if (!go_on(g, t, j))
        agent_look(g->agent);
}

void ge_forget_start(struct ge_told *t)
{
    if (t->step == STEP_ORDERED || t->step == STEP_TAKING)
        return; /* its command comes to an end */
    ge_end_start(t);
}

/* ---- what became of them ---- */

struct back {
    struct ge_adapter *g;
    char *job; /* owned */
};

static void on_taken(void *ctx, const struct run_end *end)
{
    struct back *b = ctx;
    struct ge_told *t = listing_find(b->g->jobs, b->job);

    (void)end; /* the next look shows */
    if (t != NULL && t->step == STEP_TAKING) {
        t->changed_ms = clock_ms();
        t->step = STEP_TAKEN;
        if (!pending_has(agent_orders(b->g->agent), b->job, RM_START))
            ge_end_start(t);
    }
    agent_look(b->g->agent);
    free(b->job);
    free(b);
}

static void take_back(struct ge_adapter *g, const char *job, struct ge_told *t)
{
    struct back *b = xcalloc(1, sizeof *b);
    char *name = ge_name(job);
    const char *const argv[] = {"qalter", "-h", "s", name, NULL};

    *b = (struct back){g, xstrdup(job)};
    t->step = STEP_TAKING;
    ge_run(g, true, argv, on_taken, b);
    free(name);
}

/* Its time begins when it is let go; that another task of its array goes first is no
 * fault of anybody. */
static void review_queued(struct ge_adapter *g, size_t i, const char *job,
    struct ge_told *t, const struct ge_job *j)
{
    struct pending *all = agent_orders(g->agent);
    const struct pending_order *o = pending_at(all, i);

    if (go_on(g, t, j) || has_to_queue(g, j, t->queued->queues))
        pending_renew(all, i, clock_ms());
    else if (clock_ms() - o->since_ms > o->patience_ms)
        land_start(g, job, RM_RETRY, "Grid Engine does not let us hold it");
    else
        pending_looked(all, i, clock_ms());
}

/* Of a job that still waits. */
static void review_waiting(
    struct ge_adapter *g, size_t i, const char *job, struct ge_told *t)
{
    struct pending *all = agent_orders(g->agent);
    const struct pending_order *o = pending_at(all, i);
    const struct ge_job *j = ge_answer_of(g, t);
    bool shown = ge_look_began_ms(g) > t->changed_ms;

    if (t->step == STEP_QUEUED && j != NULL) {
        review_queued(g, i, job, t, j);
    } else if (shown && t->step == STEP_RELEASED && j != NULL && j->error != NULL) {
        land_start(g, job, RM_FAILED, j->error);
    } else if (shown && t->step == STEP_RELEASED && agent_is_led(g->agent)
               && clock_ms() - o->since_ms > o->patience_ms) {
        take_back(g, job, t);
    } else if (shown && t->step == STEP_TAKEN) {
        land_start(g, job, RM_WAITS,
            "Grid Engine has not started it there: a queue that is closed, or "
            "something "
            "that it lacks there");
    } else {
        pending_looked(all, i, clock_ms());
    }
}

/* What was ordered after it is not seen yet. */
void ge_note_begun(struct ge_adapter *g, const char *job, int64_t seen_ms)
{
    struct ge_told *t = listing_find(g->jobs, job);

    if (t == NULL || t->step != STEP_RELEASED || t->changed_ms >= seen_ms)
        return;
    t->waiting = false;
    t->begun = true;
    t->changed_ms = clock_ms(); /* a look that is under way is older */
    g->starting = true;
    land_start(g, job, RM_OK, NULL);
}

void ge_go_on(struct ge_adapter *g)
{
    struct pending *all = agent_orders(g->agent);

    for (size_t i = 0; i < pending_count(all); i++) {
        struct ge_told *t = listing_find(g->jobs, pending_at(all, i)->job);
        const struct ge_job *j = t != NULL ? ge_answer_of(g, t) : NULL;

        if (j != NULL && t->step == STEP_QUEUED && go_on(g, t, j))
            pending_renew(all, i, clock_ms());
    }
}

void ge_review_starts(struct ge_adapter *g)
{
    struct pending *all = agent_orders(g->agent);

    for (size_t i = pending_count(all); i-- > 0;) {
        struct ge_told *t = listing_find(g->jobs, pending_at(all, i)->job);
        char *job = xstrdup(pending_at(all, i)->job);

        if (t == NULL)
            land_start(g, job, RM_RETRY, "Grid Engine does not have it any more");
        else if (!t->waiting && t->step != STEP_ORDERED && t->step != STEP_TAKING)
            land_start(g, job, RM_OK, NULL);
        else
            review_waiting(g, i, job, t);
        free(job);
    }
}
