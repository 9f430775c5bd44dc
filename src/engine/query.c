/* SPDX-License-Identifier: Apache-2.0
 * When could it start, and what is free. */
#include "config/settings.h"
#include "engine/asker.h"
#include "engine/charging/charging.h"
#include "engine/engine_private.h"
#include "engine/planning/planning.h"
#include "policy/access.h"
#include "policy/bank.h"

#include <string.h>

/* ---- a job for the time of a question ---- */

static const char *known_cred(
    const struct cluster *c, enum cred_kind k, const char *name)
{
    return name && *name && cred_find(c, k, name) ? name : NULL;
}

int asker_check(const struct engine *e, const struct query_ask *ask, struct err *err)
{
    if (!e->stats.cycles)
        return err_set(
            err, ERR_IO, "nothing was scheduled yet: there is no plan to ask");
    for (size_t i = 0; ask->features && ask->features[i]; i++)
        if (names_find(e->c->features, ask->features[i]) == NAME_NONE)
            return err_set(
                err, ERR_NOT_FOUND, "no node has feature '%.60s'", ask->features[i]);
    if (ask->os && names_find(e->c->oses, ask->os) == NAME_NONE)
        return err_set(
            err, ERR_NOT_FOUND, "no node has operating system '%.60s'", ask->os);
    if (ask->arch && names_find(e->c->arches, ask->arch) == NAME_NONE)
        return err_set(
            err, ERR_NOT_FOUND, "no node has architecture '%.60s'", ask->arch);
    if (ask->partition && partition_find(e->c, ask->partition) == INDEX_NONE)
        return partition_missing(e->c, ask->partition, err);
    return 0;
}

/* Is it the credential of somebody else, of which nothing is told? */
static bool is_untold(const struct query_ask *ask, enum cred_kind k)
{
    return ask->right == QUERY_OTHERS
           && (k == CRED_USER || k == CRED_GROUP || k == CRED_ACCOUNT);
}

/* A job of `tasks` tasks of `unit` processors, with the credentials of the question as
 * far as they are known and told. */
static int draft_asked(struct engine *e, const struct query_ask *ask, int64_t unit,
    int64_t tasks, struct job **ret, struct err *err)
{
    const char *const partitions[] = {ask->partition, NULL};
    struct req_desc req = {.tasks = (uint32_t)tasks,
        .features = ask->features,
        .os = ask->os,
        .arch = ask->arch,
        .mem = ask->mem};
    struct job_desc d = {.id = "",
        .reqs = &req,
        .nreqs = 1,
        .submit_at = e->now,
        .wclimit_s = ask->duration_s > 0 ? ask->duration_s : 1,
        .partitions = ask->partition ? partitions : NULL};
    struct access_fault fault;

    req.per_task.v[RES_PROCS] = unit;
    req.per_task.v[RES_MEM] = ask->mem_per_proc_mb * unit;
    for (int k = 0; k < CRED_KINDS; k++)
        if (!is_untold(ask, (enum cred_kind)k))
            d.cred[k] = known_cred(e->c, (enum cred_kind)k, ask->cred[k]);
    if (job_draft(e->c, &d, ret, err) < 0)
        return -1;
    access_resolve(e->c, *ret, &fault);
    if (ask->right != QUERY_OWN || access_account_allowed(e->c, *ret))
        return 0;
    struct query_ask other = *ask;
    other.cred[CRED_ACCOUNT] = NULL;
    other.right = QUERY_ALL;
    job_draft_destroy(*ret);
    return draft_asked(e, &other, unit, tasks, ret, err);
}

int asker_begin(struct engine *e, const struct query_ask *ask, int64_t unit,
    int64_t tasks, struct asker *ret, struct err *err)
{
    if (draft_asked(e, ask, unit, tasks, &ret->j, err) < 0)
        return -1;
    ret->plan = ask->procs_per_task > 0 ? plan_fork_with(e->plan, ret->j)
                                        : plan_fork_for(e->plan, ret->j);
    return 0;
}

void asker_end(struct asker *a)
{
    plan_destroy(a->plan);
    job_draft_destroy(a->j);
}

/* ---- showstart ---- */

static bool earliest(
    struct plan *plan, const struct job *j, int64_t now, struct query_start *ret)
{
    struct slot slot;

    if (!plan_first_fit(plan, j, now, &slot))
        return false;
    *ret = (struct query_start){.method = QUERY_EARLIEST,
        .start_at = slot.at,
        .end_at = time_add(slot.at, j->wclimit_s > 0 ? j->wclimit_s : 1),
        .partition = slot.partition};
    return true;
}

/* As if it had another QOS. */
static bool earliest_with(struct engine *e, const struct job *j, uint32_t qos,
    int64_t now, struct query_start *ret)
{
    struct job other = *j;

    other.cred[CRED_QOS] = qos;
    struct plan *fork = plan_fork_for(e->plan, &other);
    bool found = earliest(fork, &other, now, ret);
    plan_destroy(fork);
    return found;
}

bool query_job_start(struct engine *e, const struct job *j, uint32_t qos, int64_t now,
    struct query_start *ret)
{
    if (job_is_active(j) || j->state == JOB_SUSPENDED) {
        *ret = (struct query_start){.method = QUERY_RUNNING,
            .start_at = j->start_at,
            .end_at = plan_reservation_of(e->plan, j) ? engine_reserved_until(e, j)
                                                      : j->end_at,
            .partition =
                j->alloc.n ? node_at(e->c, j->alloc.v[0].first)->partition : 0};
        return true;
    }
    if (j->state >= JOB_COMPLETED || !e->stats.cycles)
        return false;
    const struct planned *planned = plan_reservation_of(e->plan, j);
    if (planned && (!qos || qos == j->cred[CRED_QOS])) {
        int64_t start = planned->start_at > now ? planned->start_at : now;

        *ret = (struct query_start){.method = QUERY_RESERVATION,
            .start_at = start,
            .end_at = time_add(start, j->wclimit_s > 0 ? j->wclimit_s : 1),
            .partition = planned->partition};
        return true;
    }
    struct reason ever;
    if (!qos && admission_refusal(e, j, ADMIT_EVER, &ever))
        return false; /* as it is it can start never, whatever its deferral says */
    return qos && qos != j->cred[CRED_QOS] ? earliest_with(e, j, qos, now, ret)
                                           : earliest(e->plan, j, now, ret);
}

static bool price_of_job(const struct engine *e, const struct job *j,
    const struct am_use *use, int64_t now, struct query_price *ret)
{
    if (!bank_in_force(e->c))
        return false;
    *ret = (struct query_price){
        .most = charging_most(e, j, now), .kept = charging_kept(e, j)};
    if (j->cred[CRED_ACCOUNT])
        ret->account = job_cred(e->c, j, CRED_ACCOUNT)->name;
    ret->lacks = job_waits(j) && bank_refuses_to(e->c, j, use, now, &ret->why);
    return true;
}

void query_rents(const struct engine *e, int64_t now, rent_fn *each, void *arg)
{
    rents_each(e, now, each, arg);
}

bool query_job_price(
    const struct engine *e, const struct job *j, int64_t now, struct query_price *ret)
{
    const struct am_use use = bank_use(e->c, j);

    return price_of_job(e, j, &use, now, ret);
}

/* The user may never have had a job here. */
static struct am_use use_asked(
    const struct engine *e, const struct job *j, const struct query_ask *ask)
{
    struct am_use use = bank_use(e->c, j);

    use.user = ask->cred[CRED_USER];
    use.group = ask->cred[CRED_GROUP];
    return use;
}

/* A job that may not have its QOS would get another one, with another price. */
static int draft_priced(
    struct engine *e, const struct query_ask *ask, struct job **ret, struct err *err)
{
    const char *qos = ask->cred[CRED_QOS];
    const struct cred *asked = qos && *qos ? cred_find(e->c, CRED_QOS, qos) : NULL;

    if (qos && *qos && !asked) {
        cred_missing(e->c, CRED_QOS, qos, err);
        return -1;
    }
    if (draft_asked(e, ask, 1, ask->procs > 0 ? ask->procs : 1, ret, err) < 0)
        return -1;
    if (!asked || (*ret)->cred[CRED_QOS] == asked->index)
        return 0;
    err_set(err, ERR_DENIED, "QOS %.60s is not accessible to such a job of user %.60s",
        qos, ask->cred[CRED_USER] ? ask->cred[CRED_USER] : "(unknown)");
    job_draft_destroy(*ret);
    return -1;
}

int query_price(struct engine *e, const struct query_ask *ask, int64_t now,
    bool *ret_known, struct query_price *ret, struct err *err)
{
    struct job *j;

    if (draft_priced(e, ask, &j, err) < 0)
        return -1;
    const struct am_use use = use_asked(e, j, ask);
    *ret_known = price_of_job(e, j, &use, now, ret);
    job_draft_destroy(j);
    return 0;
}

int query_quote(struct engine *e, const struct query_ask *ask, int64_t now,
    bool *ret_known, struct query_quote *ret, struct err *err)
{
    struct job *j;

    *ret = (struct query_quote){.tariff = NULL};
    if (draft_priced(e, ask, &j, err) < 0)
        return -1;
    ret->use = use_asked(e, j, ask);
    *ret_known = price_of_job(e, j, &ret->use, now, &ret->price);
    if (*ret_known) {
        ret->tariff = bank_quote_tariff(e->c, j, ret->use.user ? ret->use.user : "");
    }
    job_draft_destroy(j);
    return 0;
}

struct job_memory engine_memory_of(const struct engine *e, const struct job *j)
{
    struct job_memory m = job_memory_of(e->c, j);

    promises_write(e->promises, e->c, j, &m);
    promise_write(e, j, &m);
    predictions_write(e, j, &m);
    return m;
}

const struct planned *engine_reservation_of(const struct engine *e, const struct job *j)
{
    return plan_reservation_of(e->plan, j);
}

int64_t engine_reserved_until(const struct engine *e, const struct job *j)
{
    int64_t lasts = j->state == JOB_SUSPENDED ? job_left_s(j)
                    : j->wclimit_s > 0        ? j->wclimit_s
                                              : 1;

    return time_add(plan_reservation_of(e->plan, j)->start_at, lasts);
}

int64_t engine_promised_by(const struct engine *e, const struct job *j)
{
    return promises_has_start(e->promises, j)
               ? promises_row(e->promises, j, PROMISE_START)->latest_start
               : 0;
}

bool engine_unpromised(const struct engine *e, const struct job *j, uint32_t *ret_ahead)
{
    size_t n;
    const uint32_t *queue = queue_admitted(e->queue, &n);

    *ret_ahead = 0;
    if (!settings_plan_together(e->cfg) || !job_waits(j)
        || promises_has_start(e->promises, j))
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct job *other = e->c->jobs.v[queue[i]];
        if (other == j)
            return true;
        *ret_ahead += other && job_waits(other);
    }
    return false;
}

struct expected_start engine_expected(struct engine *e, const struct job *j)
{
    return planning_expected(e, j);
}

struct misses *engine_misses(struct engine *e)
{
    return predictions_misses(e->learned.predictions);
}

int64_t engine_promised_before(const struct engine *e, const struct job *j,
    const char **ret_why, const char **ret_cause)
{
    struct promise row = {.was = 0};

    promises_of(e->promises, j, PROMISE_START, &row);
    *ret_why = promise_cause_text(row.cause);
    *ret_cause = promise_cause_name(row.cause);
    return row.was;
}

int64_t asker_unit(const struct engine *e, const struct query_ask *ask)
{
    int64_t unit = 1;

    if (ask->procs_per_task > 0)
        return ask->procs_per_task;
    for (uint32_t p = 0; p < e->c->partitions.n; p++) {
        int64_t u = plan_unit(e->plan, p);
        if (!ask->partition || partition_find(e->c, ask->partition) == p)
            unit = u > unit ? u : unit;
    }
    return unit;
}

static void hand_place(void *ctx, uint32_t job, uint32_t node, uint32_t tasks)
{
    const struct query_look *look = ctx;

    (void)job;
    look->place(look->ctx, node, tasks);
}

static void look_at(struct asker *a, int64_t now, int64_t from, struct query_look *io)
{
    int64_t end = time_add(from, a->j->wclimit_s);

    if (io->found) {
        /* of the plan it is now until the next cycle */
        int64_t at = io->start.start_at > now ? io->start.start_at : 0;
        io->placed = plan_suppose(
            a->plan, a->j, &(struct slot){at, io->start.partition}, io, hand_place);
        end = io->start.start_at > from ? io->start.end_at : from;
    }
    io->job(io->ctx, a->j, from, end);
}

int query_start(struct engine *e, const struct query_ask *ask, int64_t now,
    bool *ret_found, struct query_start *ret, struct err *err)
{
    struct query_look look = {.job = NULL};
    int result = query_start_look(e, ask, now, &look, err);

    *ret_found = look.found;
    *ret = look.start;
    return result;
}

int query_start_look(struct engine *e, const struct query_ask *ask, int64_t now,
    struct query_look *io, struct err *err)
{
    int64_t from = ask->from_at > now ? ask->from_at : now;
    struct query_start *found = &io->start;
    struct asker a;

    io->found = false;
    if (asker_check(e, ask, err) < 0)
        return -1;
    if (ask->procs < 1 || ask->procs > INT32_MAX)
        return err_set(err, ERR_INVALID, "expected 1 processor or more");
    int64_t unit = asker_unit(e, ask), tasks = (ask->procs + unit - 1) / unit;
    if (asker_begin(e, ask, unit, tasks, &a, err) < 0)
        return -1;
    io->found = earliest(a.plan, a.j, from, found);
    if (!io->found && plan_possible(a.plan, a.j, &found->why))
        found->why = (struct reason){.code = WAIT_FEASIBLE};
    if (!io->found) {
        found->why.limit *= unit;
        found->why.asked = ask->procs;
    }
    if (io->job)
        look_at(&a, now, from, io);
    asker_end(&a);
    return 0;
}

/* ---- showbf, node by node ---- */

struct node_walk {
    struct engine *e;
    const struct query_ask *ask;
    int64_t now;
    struct query_nodes *ret;
};

static int64_t seconds_until(const struct node_walk *w, int64_t until)
{
    return until < TIME_NEVER ? until - w->now : DURATION_UNLIMITED;
}

static void add_node(void *ctx, const struct plan_free *f)
{
    struct node_walk *w = ctx;
    struct query_node found = {.node = f->node->index,
        .procs = f->tasks,
        .duration_s = seconds_until(w, f->until),
        .some_s = seconds_until(w, f->some_until)};

    if (found.duration_s > 0 && found.duration_s >= w->ask->duration_s)
        vec_push(w->ret, found);
}

int query_nodes(struct engine *e, const struct query_ask *ask, int64_t now,
    struct query_nodes *ret, struct err *err)
{
    struct node_walk w = {e, ask, now, ret};
    struct asker a;

    if (asker_check(e, ask, err) < 0 || asker_begin(e, ask, 1, 1, &a, err) < 0)
        return -1;
    for (uint32_t p = 0; p < e->c->partitions.n; p++)
        if (a.j->partitions >> p & 1)
            plan_free_nodes(a.plan, a.j, p, &w, add_node);
    asker_end(&a);
    return 0;
}

int query_misfits(struct engine *e, const struct query_ask *ask, enum misfit *ret_why,
    struct err *err)
{
    struct asker a;

    if (asker_check(e, ask, err) < 0 || asker_begin(e, ask, 1, 1, &a, err) < 0)
        return -1;
    for (size_t i = 0; i < e->c->nodes.n; i++) {
        const struct node *n = node_at(e->c, i);
        if (!(a.j->partitions >> n->partition & 1))
            ret_why[i] = MISFIT_PARTITION;
        else
            feasible_node(e->c, a.j->reqs[0].def, n, &ret_why[i]);
    }
    asker_end(&a);
    return 0;
}

/* ---- showres ---- */

static void add_place(void *ctx, uint32_t job, uint32_t node, uint32_t tasks)
{
    struct query_places *list = ctx;
    struct query_place *last = list->n ? &list->v[list->n - 1] : NULL;

    if (last && last->job == job && last->node == node)
        last->tasks += tasks;
    else
        vec_push(list, ((struct query_place){job, node, tasks}));
}

static int by_job(const void *a, const void *b)
{
    const struct query_place *x = a, *y = b;

    if (x->job != y->job)
        return x->job < y->job ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

void query_places_of(const struct plan *p, struct query_places *ret)
{
    plan_foresee(p, ret, add_place);
    if (ret->n)
        qsort(ret->v, ret->n, sizeof *ret->v, by_job);
}

void query_reserved_places(struct engine *e, struct query_places *ret)
{
    if (e->stats.cycles)
        query_places_of(e->plan, ret);
}

struct placing {
    struct foresee *f;
    struct query_places found;
};

struct placing *placing_begin_of(const struct plan *p)
{
    struct placing *g = xcalloc(1, sizeof *g);

    g->f = plan_foresee_begin(p, &g->found, add_place);
    return g;
}

struct placing *placing_begin(struct engine *e)
{
    return e->stats.cycles ? placing_begin_of(e->plan) : NULL;
}

bool placing_more(struct placing *g, size_t looks)
{
    return plan_foresee_more(g->f, looks);
}

const struct query_places *placing_found(const struct placing *g)
{
    return &g->found;
}

void placing_end(struct placing *g)
{
    if (!g)
        return;
    plan_foresee_end(g->f);
    vec_fini(&g->found);
    free(g);
}

uint32_t query_tasks_on(
    struct engine *e, const struct job *j, uint32_t request, uint32_t node)
{
    return plan_tasks_on(e->plan, j, request, node_at(e->c, node));
}

bool query_limited(const struct engine *e)
{
    return limits_configured(e->limits);
}
