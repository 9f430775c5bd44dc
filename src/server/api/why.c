/* SPDX-License-Identifier: Apache-2.0
 * Why a job waits, as objects: what keeps it now, who is ahead of it, and what will
 * come free. O(jobs + nodes * what is on them). */
#include "base/vec.h"
#include "cluster/partition.h"
#include "plan/feasible.h"
#include "server/api/api.h"
#include "server/drafts/jobname.h"
#include "server/drafts/rmname.h"
#include "server/render/obstacles.h"
#include "server/render/render.h"
#include "server/server_private.h"

#define REASONS_MAX 16
#define FEW         10

/* ---- who is ahead ---- */

/* The first jobs of the queue, in its order. */
struct first_jobs {
    const struct job *v[FEW];
    size_t n;
};

static bool goes_before(
    const struct cluster *c, const struct job *a, const struct job *b)
{
    int64_t x = job_priority(c, a), y = job_priority(c, b);

    return x != y ? x > y : job_compare(a, b) < 0;
}

static void insert_first(
    struct first_jobs *f, const struct cluster *c, const struct job *j)
{
    size_t at = f->n;

    while (at > 0 && goes_before(c, j, f->v[at - 1]))
        at--;
    if (at == FEW)
        return;
    if (f->n < FEW)
        f->n++;
    for (size_t i = f->n - 1; i > at; i--)
        f->v[i] = f->v[i - 1];
    f->v[at] = j;
}

/* Its place among those that may start, and the first ten before it. */
static void add_place(
    struct server *s, const struct job *j, const struct identity *who, json_t *o)
{
    const struct cluster *c = engine_cluster(s->engine);
    struct first_jobs first = {0};
    int64_t place = 1, of = 0;
    json_t *ahead = json_array();
    uint64_t members;

    engine_set_priorities(s->engine);
    for (size_t i = 0; i < c->jobs.n; i++) {
        const struct job *other = c->jobs.v[i];
        if (!other || render_section(other) != SECTION_ELIGIBLE
            || !identity_sees_job(who, c, other))
            continue;
        of++;
        if (other == j || !goes_before(c, other, j))
            continue;
        place++;
        insert_first(&first, c, other);
    }
    render_job_members(
        "id,user,class,procs,nodes,wclimit_s,priority,reservation_at", &members, NULL);
    for (size_t i = 0; i < first.n; i++) {
        json_t *brief = render_job_brief(s, first.v[i], members, who);
        render_job_hide(c, first.v[i], who, brief);
        json_array_append_new(ahead, brief);
    }
    if (render_section(j) == SECTION_ELIGIBLE) {
        render_int(o, "place", place);
        render_int(o, "of", of);
    }
    json_object_set_new(o, "ahead", ahead);
}

/* ---- what will come free ---- */

struct freed {
    const struct job *job;
    int64_t procs;
};

static int compare_ends(const void *a, const void *b)
{
    const struct freed *x = a, *y = b;

    if (x->job->end_at != y->job->end_at)
        return x->job->end_at < y->job->end_at ? -1 : 1;
    return job_compare(x->job, y->job);
}

/* Could one of its requests ever use the node? */
static bool could_use(
    const struct cluster *c, const struct job *j, const struct node *n)
{
    if (!(j->partitions >> n->partition & 1))
        return false;
    for (uint32_t i = 0; i < j->nreqs; i++)
        if (feasible_node(c, j->reqs[i].def, n, NULL))
            return true;
    return false;
}

/* Processors that the running job has on nodes that the other could use. */
static int64_t procs_for(
    const struct cluster *c, const uint8_t *usable, const struct job *running)
{
    int64_t sum = 0;

    for (size_t i = 0; i < running->alloc.n; i++) {
        const struct alloc *a = &running->alloc.v[i];
        const struct taskdef *d = running->reqs[a->req].def;
        for (uint32_t k = 0; k < a->count; k++) {
            const struct node *n = node_at(c, a->first + k);
            int64_t each = d->per_task.v[RES_PROCS];
            if (usable[n->index])
                sum += each < 0 ? n->cfg.v[RES_PROCS] : each * a->tasks;
        }
    }
    return sum;
}

static void add_ends(
    struct server *s, const struct job *j, const struct identity *who, json_t *o)
{
    const struct cluster *c = engine_cluster(s->engine);
    uint8_t *usable = xcalloc(c->nodes.n + 1, 1);
    struct VEC(struct freed) all = {0};
    json_t *frees = json_array();

    for (size_t i = 0; i < c->nodes.n; i++)
        usable[i] = !node_at(c, i)->global && could_use(c, j, node_at(c, i));
    for (size_t i = 0; i < c->active.n; i++) {
        const struct job *running = c->jobs.v[c->active.v[i]];
        bool told = job_is_active(running) && identity_sees_job(who, c, running);
        int64_t procs = told ? procs_for(c, usable, running) : 0;
        if (procs > 0)
            vec_push(&all, ((struct freed){running, procs}));
    }
    if (all.n)
        qsort(all.v, all.n, sizeof *all.v, compare_ends);
    for (size_t i = 0; i < all.n && i < FEW; i++) {
        const struct job *running = all.v[i].job;
        json_t *end = json_object();
        render_instant(end, "at", running->end_at);
        render_int(end, "procs", all.v[i].procs);
        render_text(end, "job", running->id);
        render_text(end, "user", job_cred(c, running, CRED_USER)->name);
        json_array_append_new(frees, end);
    }
    json_object_set_new(o, "frees", frees);
    vec_fini(&all);
    free(usable);
}

/* ---- all of it ---- */

static void add_obstacles(struct server *s, const struct job *j,
    const struct obstacle_time *when, const struct identity *who, json_t *o)
{
    const struct cluster *c = engine_cluster(s->engine);
    json_t *all = json_array();

    for (size_t p = 0; p < c->partitions.n; p++)
        if (j->partitions >> p & 1) {
            json_t *some = obstacles_list(s, j, (uint32_t)p, when, who);
            json_array_extend(all, some);
            json_decref(some);
        }
    json_object_set_new(o, "obstacles", all);
}

void why_put_room(struct server *s, const struct job *j,
    const struct obstacle_time *when, const struct identity *who, json_t *o)
{
    if (identity_is_kept_from(who, RM_HIDES_NODES))
        return;
    add_ends(s, j, who, o);
    add_obstacles(s, j, when, who, o);
}

static json_t *render_why(
    struct server *s, const struct job *j, const struct identity *who)
{
    json_t *o = json_pack("{s:s, s:I, s:s}", "id", j->id, "at",
        (json_int_t)world_now(s), "section", render_section_name(render_section(j)));
    json_t *reasons = json_array();
    struct reason v[REASONS_MAX];
    size_t n = engine_reasons(s->engine, j, v, REASONS_MAX);
    bool waits = !job_has_begun((enum job_state)j->state) && j->state < JOB_COMPLETED;
    const struct planned *planned = waits ? engine_reservation_of(s->engine, j) : NULL;

    for (size_t i = 0; i < n; i++)
        json_array_append_new(reasons, render_reason_of(s, j, &v[i], who));
    json_object_set_new(o, "reasons", reasons);
    if (planned)
        render_instant(o, "reservation_at", planned->start_at);
    if (waits) {
        add_place(s, j, who, o);
        int64_t now = world_now(s);
        why_put_room(
            s, j, &(struct obstacle_time){now, time_add(now, j->wclimit_s)}, who, o);
    }
    return o;
}

void api_why(struct server *s, struct request *r)
{
    const struct cluster *c = engine_cluster(s->engine);
    const struct identity *who = request_who(r);
    const char *id = request_param(r, "id");
    struct err err;
    const struct job *j = jobname_find(c, id, &err);

    if (j && !identity_sees_job(who, c, j))
        rmname_missing(c, id, &err);
    else if (j && render_hides(c, j, who))
        err_set(&err, ERR_DENIED,
            "user %s is not authorized to check status of job '%s'", who->user, j->id);
    else if (j) {
        request_reply_json(r, render_why(s, j, who));
        return;
    }
    request_refuse(r, &err);
}
