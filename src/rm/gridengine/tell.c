/* SPDX-License-Identifier: Apache-2.0
 * What was read, told. What has vanished from qstat has ended: how, the accounting file
 * says, some seconds later. */
#include "base/xalloc.h"
#include "rm/adapter/clock.h"
#include "rm/gridengine/gridengine.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TAIL_MOST   (4 << 20) /* of the accounting file that is read */
#define PAST_S      600       /* ends that are told when nothing had been told before */
#define ACCOUNT_MS  40000     /* in which the end of a run has to be accounted for */
#define DELETION_MS 3000
#define NEWS_MOST   (256 << 10) /* of the accounting file at once */
#define STALE_MS    10000 /* so long Grid Engine may list a job that it accounted for */
#define UNTIDY_S    10    /* so long a job that is not held by us yet is not told */

/* ---- hosts ---- */

void ge_tell_nodes(struct ge_adapter *g)
{
    struct rm_report r = {.kind = RM_NODE, .at = time(NULL)};

    listing_begin(g->nodes);
    for (size_t i = 0; i < g->hosts_answer.list.n; i++) {
        const struct ge_host *h = &g->hosts_answer.list.v[i];

        r.u.node = h->desc;
        if (h->desc.state != NODE_IDLE && h->desc.state != NODE_RUNNING)
            r.u.node.said = ge_explain_host(h, &g->queues, &g->hosts_answer.arena);
        if (r.u.node.cfg.v[RES_PROCS] > 0)
            listing_tell(g->nodes, r.u.node.name, &r, agent_sink(g->agent));
    }
    listing_end(g->nodes, true, agent_sink(g->agent));
}

/* ---- reservations ---- */

static const struct ge_host *find_host(const struct ge_adapter *g, const char *name)
{
    for (size_t i = 0; i < g->hosts_answer.list.n; i++)
        if (strcmp(g->hosts_answer.list.v[i].desc.name, name) == 0)
            return &g->hosts_answer.list.v[i];
    return NULL;
}

static void add_user(const char **users, size_t *io_n, const char *user)
{
    for (size_t i = 0; i < *io_n; i++)
        if (strcmp(users[i], user) == 0)
            return;
    if (user != NULL && *user != '\0')
        users[(*io_n)++] = user;
}

/* Its owner, those of its list, and whose jobs the master has let in. */
static const char *const *list_users(
    struct ge_adapter *g, const struct ge_reservation *r, struct arena *arena)
{
    const struct ge_jobs *a = &g->jobs_answer;
    const char **users = arena_take(arena, a->list.n + r->users.n + 2, sizeof *users);
    size_t n = 0;

    if (r->owner != NULL)
        add_user(users, &n, r->owner);
    for (size_t i = 0; i < r->users.n; i++)
        add_user(users, &n, r->users.v[i]);
    for (size_t i = 0; i < a->list.n; i++) {
        const struct ge_job *j = &a->list.v[i];

        if (j->reservation != NULL && j->owner != NULL
            && strcmp(j->reservation, r->id) == 0)
            add_user(users, &n, j->owner);
    }
    return users;
}

/* Of a host that it has in part others may have the rest: that Grid Engine judges, and
 * its jobs may go there as well. */
static void tell_reservation(
    struct ge_adapter *g, const struct ge_reservation *r, struct arena *arena)
{
    const char **nodes = arena_take(arena, r->grants.n + 1, sizeof *nodes);
    struct rm_reservation told = {
        .name = arena_printf(arena, GE_RESERVATION "%s", r->id),
        .start_at = r->start_at,
        .end_at = r->end_at,
        .nodes = nodes};
    struct rm_report report = {
        .kind = RM_RESERVATION, .at = time(NULL), .u.reservation = &told};
    size_t n = 0;

    for (size_t i = 0; i < r->grants.n; i++) {
        const struct ge_host *h = find_host(g, r->grants.v[i].host);

        if (h != NULL && r->grants.v[i].slots >= h->desc.cfg.v[RES_PROCS])
            nodes[n++] = h->desc.name;
    }
    if (n == 0)
        return;
    told.flex = n < r->grants.n;
    told.users = list_users(g, r, arena);
    listing_tell(g->reservations, told.name, &report, agent_sink(g->agent));
}

void ge_tell_reservations(struct ge_adapter *g)
{
    struct arena arena = {0};

    listing_begin(g->reservations);
    for (size_t i = 0; i < g->reserved.list.n; i++)
        tell_reservation(g, &g->reserved.list.v[i], &arena);
    listing_end(g->reservations, true, agent_sink(g->agent));
    arena_free(&arena);
}

/* ---- what keeps a job back, beside what it says itself ---- */

/* -tc of an array: as many may start as there is room for, the first of those that
 * wait. */
static void check_array(struct ge_adapter *g, size_t from, size_t to)
{
    struct ge_job *v = g->jobs_answer.list.v;
    int64_t left = v[from].at_once;

    for (size_t i = from; i < to; i++)
        left -= job_has_begun(v[i].rm.desc.state);
    for (size_t i = from; i < to; i++)
        if (v[i].rm.desc.state == JOB_IDLE && left-- <= 0)
            ge_let_wait(&v[i], "as many tasks of its array run as its limit allows");
}

static void check_arrays(struct ge_adapter *g)
{
    const struct ge_jobs *a = &g->jobs_answer;

    for (size_t i = 0, to; i < a->list.n; i = to) {
        for (to = i + 1;
             to < a->list.n && strcmp(a->list.v[to].number, a->list.v[i].number) == 0;)
            to++;
        if (a->list.v[i].at_once > 0 && a->list.v[i].task != NULL)
            check_array(g, i, to);
    }
}

/* ---- ends ---- */

/* The last part of the file; owned, NULL where there is none. */
static char *read_tail(const char *path, size_t *ret_n)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    char *text = NULL;
    ssize_t n = 0;

    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        off_t from = st.st_size > TAIL_MOST ? st.st_size - TAIL_MOST : 0;

        text = xmalloc((size_t)TAIL_MOST + 1);
        *ret_n = 0;
        while (
            *ret_n < TAIL_MOST
            && (n = pread(fd, text + *ret_n, TAIL_MOST - *ret_n, from + (off_t)*ret_n))
                   > 0)
            *ret_n += (size_t)n;
    }
    if (fd >= 0)
        close(fd);
    return text;
}

static void read_ends(struct ge_adapter *g, struct ge_jobs *ret, int64_t since)
{
    size_t n = 0;
    char *text = read_tail(g->accounting, &n);

    ge_read_ends(ret, text != NULL ? text : "", n, since);
    free(text);
}

static void tell_end(struct ge_adapter *g, const char *id, struct rm_job *end)
{
    struct rm_report r = {.kind = RM_JOB, .at = time(NULL), .u.job = end};
    struct ge_told *t = listing_find(g->jobs, id);

    if (t != NULL && t->deleted && end->end.reason == ENDED_SIGNAL)
        end->end = (struct job_end){.reason = ENDED_CANCELLED};
    listing_tell(g->jobs, id, &r, agent_sink(g->agent));
    t = listing_find(g->jobs, id);
    if (t == NULL)
        return;
    t->waiting = false;
    t->begun = t->over = true;
    t->over_ms = clock_ms();
}

/* ---- jobs ---- */

const struct ge_job *ge_answer_of(const struct ge_adapter *g, const struct ge_told *t)
{
    return t->listed && t->index < g->jobs_answer.list.n
               ? &g->jobs_answer.list.v[t->index]
               : NULL;
}

static void note_told(struct ge_told *t, const struct ge_job *j, size_t index)
{
    t->index = index;
    t->listed = true;
    t->gone_ms = 0;
    t->deleted = t->deleted || j->deleted;
    t->submit_at = j->rm.desc.submit_at;
}

/* What changed since the look began the next one shows. */
static bool is_stale(
    const struct ge_adapter *g, const struct ge_told *t, const struct ge_job *j)
{
    return t->changed_ms >= ge_look_began_ms(g) && !(t->waiting && ge_is_waiting(j));
}

/* Its end was told, and the list is older, or as old as makes no difference. */
static bool is_over(const struct ge_adapter *g, const struct ge_told *t)
{
    return t->over && ge_look_began_ms(g) < t->over_ms + STALE_MS;
}

/* It cannot be let go yet. */
static bool is_new_untidy(const struct ge_job *j)
{
    return ge_is_waiting(j) && !ge_is_held(j)
           && time(NULL) - j->rm.desc.submit_at < UNTIDY_S;
}

/* Instants of submission are rounded to seconds. */
static bool is_same_date(const struct ge_told *t, const struct job_desc *d)
{
    return llabs(d->submit_at - t->submit_at) <= 1;
}

/* A master that is killed gives numbers again. The former job is over, as it was
 * accounted for perhaps. */
static void part_from_former(struct ge_adapter *g, const char *id, struct ge_told *t)
{
    struct ge_jobs ends;
    const struct ge_job *end;

    read_ends(g, &ends, 0);
    end = ge_find_job(&ends, id);
    if (!t->over && end != NULL && is_same_date(t, &end->rm.desc)) {
        struct rm_job copy = end->rm;

        tell_end(g, id, &copy);
    }
    ge_jobs_free(&ends);
    listing_part(g->jobs, id, agent_sink(g->agent));
}

static void tell_job(struct ge_adapter *g, struct ge_job *j, bool whole, size_t index)
{
    struct rm_report r = {.kind = RM_JOB, .at = time(NULL), .u.job = &j->rm};
    const char *id = j->rm.desc.id;
    struct ge_told *t = listing_find(g->jobs, id);

    if (t != NULL && whole && !is_same_date(t, &j->rm.desc)) {
        part_from_former(g, id, t);
        t = NULL;
    }
    if (t != NULL && (!whole || is_stale(g, t, j) || is_over(g, t))) {
        agent_keep_job(g->agent, g->jobs, id);
        note_told(t, j, index);
        return;
    }
    if (!whole || (t == NULL && is_new_untidy(j)))
        return;
    j->rm.changed = t != NULL && t->waiting && ge_is_waiting(j);
    listing_tell(g->jobs, id, &r, agent_sink(g->agent));
    t = listing_find(g->jobs, id);
    if (t == NULL)
        return;
    note_told(t, j, index);
    t->waiting = ge_is_waiting(j);
    t->begun = t->begun || !t->waiting;
    t->over = false;
}

/* ---- jobs that are missed ---- */

/* It was deleted before it ran: that is accounted for nowhere. */
static void tell_deletion(struct ge_adapter *g, const char *id)
{
    static const struct req_desc req = {
        .tasks = 1, .access = ACCESS_UNSET, .nodealloc = NODEALLOC_UNSET};
    struct rm_job end = {
        .desc = {.id = id, .state = JOB_REMOVED, .reqs = &req, .nreqs = 1},
        .end_at = time(NULL),
        .cpu_s = -1,
        .mem_mb = -1,
        .swap_mb = -1,
        .disk_mb = -1,
        .end = {.reason = ENDED_CANCELLED}};

    tell_end(g, id, &end);
}

/* What became of a job that is listed no more. */
static void judge_missing(
    struct ge_adapter *g, const char *id, struct ge_told *t, const struct ge_jobs *ends)
{
    const struct ge_job *end = ge_find_job(ends, id);
    int64_t now = clock_ms();

    if (t->gone_ms == 0)
        t->gone_ms = now;
    if (end != NULL && is_same_date(t, &end->rm.desc)) {
        struct rm_job copy = end->rm;

        tell_end(g, id, &copy);
    } else if (!t->begun && (t->deleted || now - t->gone_ms > DELETION_MS)) {
        tell_deletion(g, id);
    } else if (now - t->gone_ms <= ACCOUNT_MS) {
        agent_keep_job(g->agent, g->jobs, id);
        agent_look(g->agent);
    } /* else it is gone, and nobody knows how */
}

static void tell_missing(struct ge_adapter *g)
{
    struct ge_jobs ends = {0};
    const char *id;
    void *at = NULL, *data;
    bool read = false;

    while ((id = listing_next(g->jobs, &at, &data)) != NULL) {
        struct ge_told *t = data;

        if (t->listed || t->over)
            continue;
        if (ge_is_cut(&g->jobs_answer, id)) {
            agent_keep_job(g->agent, g->jobs, id);
            t->gone_ms = 0;
            continue;
        }
        if (!read)
            read_ends(g, &ends, 0);
        read = true;
        judge_missing(g, id, t, &ends);
    }
    ge_jobs_free(&ends);
}

/* ---- ends, at once ---- */

/* One that could not be begun, and one that has put itself into an error state, are
 * there still. */
static bool is_sure(const struct rm_job *end)
{
    return end->end.reason != ENDED_START && end->exit_status != 100;
}

/* False: what it means a look shows. */
static bool tell_news_of(struct ge_adapter *g, struct rm_job *end)
{
    struct ge_told *t = listing_find(g->jobs, end->desc.id);

    if (t == NULL || !t->begun || !is_same_date(t, &end->desc) || !is_sure(end))
        return false;
    if (t->over)
        return true;
    pending_land_job(agent_orders(g->agent), end->desc.id, RM_START);
    if (t->step == STEP_RELEASED)
        ge_end_start(t);
    tell_end(g, end->desc.id, end);
    return true;
}

/* Does one of the jobs wait for others to end? Grid Engine says when it does no more.
 */
static bool has_followers(const struct ge_adapter *g)
{
    for (size_t i = 0; i < g->jobs_answer.list.n; i++)
        if (g->jobs_answer.list.v[i].rm.desc.deps != NULL)
            return true;
    return false;
}

/* Whole lines from there on; owned, NULL where there are none. Of a file that is
 * another one, or has grown by very much, the next look tells. */
static char *read_news(struct ge_adapter *g, size_t *ret_n)
{
    int fd = open(g->accounting, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char *text = NULL, *end = NULL;
    struct stat st;
    ssize_t n = 0;

    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        if (st.st_size < g->accounted || st.st_size - g->accounted > NEWS_MOST)
            g->accounted = st.st_size;
        text = xmalloc(NEWS_MOST);
        n = pread(fd, text, NEWS_MOST, g->accounted);
        end = n > 0 ? memrchr(text, '\n', (size_t)n) : NULL;
    }
    if (fd >= 0)
        close(fd);
    if (end == NULL) {
        free(text);
        return NULL;
    }
    *ret_n = (size_t)(end - text) + 1;
    g->accounted += (int64_t)*ret_n;
    return text;
}

bool ge_tell_news(struct ge_adapter *g)
{
    struct ge_jobs ends;
    size_t n = 0;
    char *text = read_news(g, &n);
    bool whole = !has_followers(g);

    if (text == NULL || !agent_is_synced(g->agent)) {
        free(text);
        return false;
    }
    ge_read_ends(&ends, text, n, 0);
    for (size_t i = 0; i < ends.list.n; i++)
        whole = tell_news_of(g, &ends.list.v[i].rm) && whole;
    ge_jobs_free(&ends);
    free(text);
    ge_go_on(g);
    return whole;
}

/* Ends of the last minutes, which the daemon may not know. */
static void tell_past(struct ge_adapter *g)
{
    struct ge_jobs ends;

    read_ends(g, &ends, time(NULL) - PAST_S);
    for (size_t i = 0; i < ends.list.n; i++) {
        const char *id = ends.list.v[i].rm.desc.id;

        if (ge_find_job(&g->jobs_answer, id) == NULL && !ge_is_cut(&g->jobs_answer, id)
            && listing_find(g->jobs, id) == NULL)
            tell_end(g, id, &ends.list.v[i].rm);
    }
    ge_jobs_free(&ends);
    g->told_past = true;
}

static bool is_any_starting(const struct ge_adapter *g)
{
    for (size_t i = 0; i < g->jobs_answer.list.n; i++)
        if (g->jobs_answer.list.v[i].rm.desc.state == JOB_STARTING)
            return true;
    return false;
}

void ge_tell_jobs(struct ge_adapter *g)
{
    struct ge_site site = ge_site_of(g);
    struct ge_jobs *a = &g->jobs_answer;
    bool *whole = xcalloc(a->list.n + 1, sizeof *whole);
    void *at = NULL, *data;

    ge_shape_jobs(a, &site, whole);
    check_arrays(g);
    ge_check_dependencies(a);
    listing_begin(g->jobs);
    while (listing_next(g->jobs, &at, &data) != NULL)
        ((struct ge_told *)data)->listed = false;
    for (size_t i = 0; i < a->list.n; i++)
        tell_job(g, &a->list.v[i], whole[i], i);
    free(whole);
    g->starting = is_any_starting(g);
    tell_missing(g);
    if (!g->told_past)
        tell_past(g);
    listing_end(g->jobs, true, agent_sink(g->agent));
}
