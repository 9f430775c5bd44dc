/* SPDX-License-Identifier: Apache-2.0
 * What was read, told. Beyond what an answer says of each job by itself: limits of
 * arrays, dependencies on jobs that are not there, queues that are stopped, vnodes that
 * only jobs suspended by us keep in maintenance. */
#include "base/hash.h"
#include "base/xalloc.h"
#include "rm/adapter/clock.h"
#include "rm/pbs/pbs.h"

#include <stdio.h>
#include <strings.h>
#include <time.h>

#define LEAVING_MS 5000 /* longer than that its node does not answer */
#define CHAIN_MOST 100  /* of jobs, each of which waits for one that came after it */

/* ---- nodes ---- */

/* Only for them it is in maintenance: others may have what they have left. */
static bool is_kept_by_suspended(struct pbs_adapter *p, const struct pbs_node *n)
{
    struct pbs_answer *a = &p->jobs_answer;

    if (n->maintenance == NULL || n->state == NULL
        || strcasecmp(n->state, "maintenance") != 0)
        return false;
    for (const char *at = n->maintenance; *at; at += strcspn(at, ", ")) {
        at += strspn(at, ", ");
        const char *name = arena_text(&a->arena, at, strcspn(at, ", "));
        const struct pbs_job *j =
            pbs_find_job(a, pbs_job_id(&a->arena, name, a->server));
        if (*at && (j == NULL || j->rm.desc.state != JOB_SUSPENDED))
            return false;
    }
    return true;
}

void pbs_tell_nodes(struct pbs_adapter *p)
{
    struct rm_report r = {.kind = RM_NODE, .at = time(NULL)};

    listing_begin(p->nodes);
    for (size_t i = 0; i < p->nodes_answer.nodes.n; i++) {
        const struct pbs_node *n = &p->nodes_answer.nodes.v[i];

        r.u.node = n->desc;
        if (is_kept_by_suspended(p, n))
            r.u.node.state = n->desc.state == NODE_DRAINING ? NODE_RUNNING : NODE_IDLE;
        listing_tell(p->nodes, n->desc.name, &r, agent_sink(p->agent));
    }
    listing_end(p->nodes, true, agent_sink(p->agent));
}

/* ---- what keeps a job back ---- */

bool pbs_is_waiting(const struct pbs_job *j)
{
    return j->rm.desc.state == JOB_IDLE || j->rm.desc.state == JOB_HOLD;
}

/* It waits for others of its own: nobody holds it. */
static void let_wait(struct pbs_job *j, const char *why)
{
    j->rm.desc.state = JOB_HOLD;
    if (j->rm.notes == NULL)
        j->rm.notes = why;
}

static void keep_back(struct pbs_job *j, const char *why)
{
    j->rm.desc.state = JOB_HOLD;
    if (j->rm.desc.rm_hold == 0)
        j->rm.desc.rm_hold = HOLD_SYSTEM;
    if (j->rm.notes == NULL)
        j->rm.notes = why;
}

/* Counts by name, of one look. */
struct tally {
    const char *name; /* key; borrowed */
    unsigned n;
    UT_hash_handle hh;
};

static struct tally *find_tally(struct tally *all, const char *name, size_t len)
{
    struct tally *t;

    HASH_FIND(hh, all, name, len, t);
    return t;
}

static void count_name(struct tally **io, const char *name, size_t len)
{
    struct tally *t = find_tally(*io, name, len);

    if (t == NULL) {
        t = xcalloc(1, sizeof *t);
        t->name = name;
        HASH_ADD_KEYPTR(hh, *io, t->name, len, t);
    }
    t->n++;
}

static void free_tallies(struct tally **io)
{
    struct tally *t, *next;

    HASH_ITER(hh, *io, t, next)
    {
        HASH_DEL(*io, t);
        free(t);
    }
}

/* Those stopped: "Queue: long", "    started = False" of qstat -Q -f. */
static struct tally *list_stopped(const char *queues)
{
    struct tally *stopped = NULL;
    const char *name = NULL;
    size_t len = 0;

    for (const char *line = queues; line != NULL && *line;
         line += strcspn(line, "\n"), line += *line == '\n') {
        size_t n = strcspn(line, "\n"), word;

        if (strncmp(line, "Queue:", 6) == 0) {
            word = 6 + strspn(line + 6, " ");
            name = line + word;
            len = n - word;
            continue;
        }
        word = strspn(line, " \t");
        if (name == NULL || strncmp(line + word, "started", 7) != 0)
            continue;
        if (memmem(line, n, "False", 5) != NULL)
            count_name(&stopped, name, len);
        name = NULL; /* the first word counts */
    }
    return stopped;
}

static void check_queue(struct tally *stopped, struct pbs_job *j)
{
    const char *queue = j->rm.desc.cred[CRED_CLASS];

    if (queue != NULL && find_tally(stopped, queue, strlen(queue)) != NULL)
        keep_back(j, "its queue is stopped");
}

/* The server lifts the hold when what it depends on has ended; what is not known here
 * only the server can tell. */
static void check_dependencies(struct pbs_adapter *p, struct pbs_job *j)
{
    for (const struct dep *d = j->rm.desc.deps; d != NULL && d->job_id != NULL; d++) {
        const struct pbs_job *on = pbs_find_job(&p->jobs_answer, d->job_id);

        if (on != NULL && !on->parent && on->rm.desc.state != JOB_COMPLETED)
            continue;
        keep_back(j, arena_printf(&p->jobs_answer.arena,
                         "PBS waits for its dependency on %s", d->job_id));
        j->rm.desc.deps = NULL;
        return;
    }
}

/* %n of an array is kept by PBS's own scheduler, which is off, and not by qrun: as many
 * may start as there is room for, the first of those that wait. */
static void check_arrays(struct pbs_adapter *p)
{
    struct pbs_answer *a = &p->jobs_answer;
    struct tally *begun = NULL; /* members, and those that may */

    for (size_t i = 0; i < a->jobs.n; i++)
        if (a->jobs.v[i].array != NULL && job_has_begun(a->jobs.v[i].rm.desc.state))
            count_name(&begun, a->jobs.v[i].array, strlen(a->jobs.v[i].array));
    for (size_t i = 0; i < a->jobs.n; i++) {
        struct pbs_job *j = &a->jobs.v[i];
        const struct pbs_job *parent = j->array != NULL && j->rm.desc.state == JOB_IDLE
                                           ? pbs_find_job(a, j->array)
                                           : NULL;
        if (parent == NULL || parent->at_once <= 0)
            continue;
        const struct tally *t = find_tally(begun, j->array, strlen(j->array));
        if (t == NULL || t->n < parent->at_once)
            count_name(&begun, j->array, strlen(j->array));
        else
            let_wait(j, "as many tasks of its array run as its limit allows");
    }
    free_tallies(&begun);
}

static void check_jobs(struct pbs_adapter *p)
{
    struct tally *stopped = list_stopped(p->queues);

    check_arrays(p);
    for (size_t i = 0; i < p->jobs_answer.jobs.n; i++) {
        struct pbs_job *j = &p->jobs_answer.jobs.v[i];

        if (j->parent || !pbs_is_waiting(j))
            continue;
        check_queue(stopped, j);
        check_dependencies(p, j);
    }
    free_tallies(&stopped);
}

/* ---- hosts of several vnodes ---- */

/* The vnodes that have a brother: all of them, or all but the first of each host. */
static const char *const *list_brothers(struct pbs_adapter *p, bool but_first)
{
    const struct pbs_answer *a = &p->nodes_answer;
    const char **list = arena_take(&p->jobs_answer.arena, a->nodes.n + 1, sizeof *list);
    struct tally *all = NULL, *seen = NULL;
    size_t n = 0;

    for (size_t i = 0; i < a->nodes.n; i++)
        count_name(&all, a->nodes.v[i].host, strlen(a->nodes.v[i].host));
    for (size_t i = 0; i < a->nodes.n; i++) {
        const char *host = a->nodes.v[i].host;
        size_t len = strlen(host);

        if (find_tally(all, host, len)->n > 1
            && (!but_first || find_tally(seen, host, len) != NULL))
            list[n++] = a->nodes.v[i].desc.name;
        count_name(&seen, host, len);
    }
    free_tallies(&all);
    free_tallies(&seen);
    return n > 0 ? list : NULL;
}

/* A node is a vnode here. place=scatter is by host, so of each it takes one vnode;
 * place=exclhost would take more than a vnode, so it keeps to hosts that are one. */
static void keep_to_hosts(struct pbs_adapter *p)
{
    const char *const *others = list_brothers(p, true), *const *all = NULL;

    if (others == NULL)
        return;
    all = list_brothers(p, false);
    for (size_t i = 0; i < p->jobs_answer.jobs.n; i++) {
        struct pbs_job *j = &p->jobs_answer.jobs.v[i];
        bool scattered = j->shape.arrangement == PBS_SCATTER;

        if (!pbs_is_waiting(j) || (!scattered && !j->shape.whole_host))
            continue;
        for (uint32_t k = 0; k < j->rm.desc.nreqs; k++)
            ((struct req_desc *)&j->rm.desc.reqs[k])->exclude =
                j->shape.whole_host ? all : others;
    }
}

/* ---- jobs ---- */

/* OpenPBS's history has jobs that were told to have ended long ago, and those of others
 * that decided: who has missed nothing takes none of these for a new one. */
static bool is_old_end(
    const struct pbs_adapter *p, const struct pbs_job *j, const struct pbs_told *t)
{
    return p->dialect == PBS_OPENPBS && t == NULL && j->array == NULL
           && j->rm.desc.state == JOB_COMPLETED && agent_is_synced(p->agent);
}

static void tell_job(struct pbs_adapter *p, const struct pbs_job *j)
{
    struct rm_job copy = j->rm;
    struct rm_report r = {.kind = RM_JOB, .at = time(NULL), .u.job = &copy};
    struct pbs_told *t = listing_find(p->jobs, j->rm.desc.id);
    bool waits = pbs_is_waiting(j);

    copy.changed = t != NULL && t->waiting && waits;
    if (is_old_end(p, j, t))
        return;
    if (t != NULL && t->over && j->rm.desc.state == JOB_COMPLETED) {
        agent_keep_job(p->agent, p->jobs, j->rm.desc.id);
        return;
    }
    if (t != NULL && !(t->waiting && waits)
        && (t->changed_ms >= p->began_ms
            || (t->changing > 0 && j->rm.desc.state != JOB_COMPLETED))) {
        agent_keep_job(p->agent, p->jobs, j->rm.desc.id);
        return; /* the next look shows what became of it */
    }
    listing_tell(p->jobs, j->rm.desc.id, &r, agent_sink(p->agent));
    t = listing_find(p->jobs, j->rm.desc.id);
    if (t == NULL)
        return;
    if (t->name == NULL || strcmp(t->name, j->name) != 0) {
        free(t->name);
        t->name = xstrdup(j->name);
    }
    t->waiting = waits;
    t->over = j->rm.desc.state == JOB_COMPLETED;
    t->state = j->rm.desc.state;
    t->runs = j->runs;
    if (!j->leaving)
        t->leaving_ms = 0;
    else if (t->leaving_ms == 0)
        t->leaving_ms = clock_ms();
}

/* After those that it waits for: a job on one that nobody knows is not kept back. */
static void tell_in_turn(struct pbs_adapter *p, struct pbs_job *j, int chain)
{
    if (j->parent || j->told)
        return;
    j->told = true;
    for (const struct dep *d = j->rm.desc.deps; d != NULL && d->job_id != NULL; d++) {
        struct pbs_job *on = pbs_find_job(&p->jobs_answer, d->job_id);

        if (on != NULL && chain < CHAIN_MOST)
            tell_in_turn(p, on, chain + 1);
    }
    tell_job(p, j);
}

bool pbs_is_leaving(const struct pbs_adapter *p)
{
    int64_t since_ms = clock_ms() - LEAVING_MS;
    void *at = NULL, *data;

    while (listing_next(p->jobs, &at, &data) != NULL)
        if (((const struct pbs_told *)data)->leaving_ms > since_ms)
            return true;
    return false;
}

static bool is_cut(const struct pbs_answer *a, const char *id)
{
    for (size_t i = 0; i < a->cut.n; i++)
        if (strcmp(a->cut.v[i], id) == 0)
            return true;
    return false;
}

size_t pbs_list_missing(struct pbs_adapter *p, const char **ret, size_t most)
{
    const struct pbs_answer *a = &p->jobs_answer;
    const char *id;
    void *at = NULL, *data;
    size_t n = 0;

    while ((id = listing_next(p->jobs, &at, &data)) != NULL) {
        const struct pbs_told *t = data;

        if (t->over || pbs_find_job(a, id) != NULL || is_cut(a, id))
            continue;
        if (n < most)
            ret[n] = t->name;
        n++;
    }
    return n;
}

/* They stay as they were told, and nothing is known of them. */
static void keep_cut(struct pbs_adapter *p)
{
    const struct pbs_answer *a = &p->jobs_answer;
    char text[250];

    for (size_t i = 0; i < a->cut.n; i++)
        agent_keep_job(p->agent, p->jobs, a->cut.v[i]);
    if (a->cut.n > 0)
        snprintf(text, sizeof text,
            "%zu jobs are not seen, %.80s first: what they ask for is too long, or all "
            "of it is (qalter, qdel)",
            a->cut.n, a->cut.v[0]);
    agent_remark(p->agent, "workloadquery", a->cut.n > 0 ? text : NULL, &p->remarked);
}

void pbs_tell_jobs(struct pbs_adapter *p)
{
    check_jobs(p);
    keep_to_hosts(p);
    listing_begin(p->jobs);
    keep_cut(p);
    for (size_t i = 0; i < p->jobs_answer.jobs.n; i++)
        tell_in_turn(p, &p->jobs_answer.jobs.v[i], 0);
    for (size_t i = 0; i < p->past_answer.jobs.n; i++) {
        const struct pbs_job *j = &p->past_answer.jobs.v[i];
        const struct pbs_told *t = listing_find(p->jobs, j->rm.desc.id);

        bool unseen = t == NULL && !agent_is_synced(p->agent)
                      && j->rm.end_at > time(NULL) - PBS_PAST_S;
        if ((unseen || (t != NULL && !t->over)) && !j->parent
            && j->rm.desc.state == JOB_COMPLETED
            && pbs_find_job(&p->jobs_answer, j->rm.desc.id) == NULL)
            tell_job(p, j);
    }
    listing_end(p->jobs, true, agent_sink(p->agent));
}
