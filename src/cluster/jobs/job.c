/* SPDX-License-Identifier: Apache-2.0
 * Jobs: added from a description, found by id, removed. */
#include "cluster/attribute.h"
#include "cluster/jobs/private.h"
#include "cluster/rmset.h"
#include "cluster/shape.h"
#include "config/texts.h"

/* Jobs live in chunks, so that neighbours in time are neighbours in memory. */
#define JOB_CHUNK 1024

struct job_slot {
    struct job job; /* first: a job's address is its slot's */
    UT_hash_handle hh;
    char id[8]; /* job.id if that is short enough: there is room up to the next line */
};

struct job_store {
    struct job_slot *by_id;
    struct VEC(struct job_slot *) chunks;
    struct VEC(uint32_t) free; /* indexes to use again, last one first */
};

void jobs_create(struct cluster *c)
{
    c->job_store = xcalloc(1, sizeof *c->job_store);
    waiting_create(c);
}

/* ---- checks ------------------------------------------------------------------ */

static int times_check(const struct job_desc *d, struct err *err)
{
    return amount_check("submit time", d->submit_at, 0, TIME_NEVER, err)
                   || amount_check("eligible time", d->eligible_at, 0, TIME_NEVER, err)
                   || amount_check("release time", d->release_at, 0, TIME_NEVER, err)
                   || amount_check("deadline", d->deadline_at, 0, TIME_NEVER, err)
                   || amount_check(
                       "wallclock limit", d->wclimit_s, 0, DURATION_UNLIMITED, err)
                   || amount_check("least wallclock limit", d->min_wclimit_s, 0,
                       DURATION_UNLIMITED, err)
                   || amount_check(
                       "overtime", d->overtime_s, 0, DURATION_UNLIMITED, err)
               ? -1
               : 0;
}

/* What a resource manager gives it. */
static int ranks_check(const struct job_desc *d, struct err *err)
{
    return amount_check("tier", d->tier, 0, JOB_TIER_MAX, err)
                   || amount_check(
                       "fixed priority", d->fixed_priority, 0, UINT32_MAX, err)
               ? -1
               : 0;
}

/* Names that are not known yet have to be usable; *ret_cred = the others' indexes. */
static int creds_check(const struct cluster *c, const struct job_desc *d,
    uint32_t *ret_cred, struct err *err)
{
    for (int k = 0; k < CRED_KINDS; k++) {
        const struct cred *known = cred_find(c, (enum cred_kind)k, d->cred[k]);
        ret_cred[k] = known ? known->index : INDEX_NONE;
        if (!known && name_check(cred_kind_name((enum cred_kind)k), d->cred[k], err))
            return -1;
    }
    for (const char *const *k = d->classes; k && *k; k++)
        if (!cred_find(c, CRED_CLASS, *k) && name_check("class", *k, err))
            return -1;
    return 0;
}

static int reqs_check(const struct cluster *c, const struct job_desc *d,
    uint32_t *ret_tasks, struct err *err)
{
    int64_t tasks = 0, procs = 0;

    if (amount_check("number of requests", d->nreqs, 1, UINT8_MAX, err))
        return -1;
    for (uint32_t i = 0; i < d->nreqs; i++) {
        int64_t each = d->reqs[i].per_task.v[RES_PROCS];
        if (req_check(c, &d->reqs[i], &ret_tasks[i], err))
            return -1;
        tasks += ret_tasks[i];
        procs += (each > 0 ? each : 1) * ret_tasks[i];
    }
    return amount_check("total of tasks", tasks, 1, INT32_MAX, err)
                   || amount_check("total of processors", procs, 1, INT32_MAX, err)
               ? -1
               : 0;
}

/* What the checks of a description found out. */
struct checked {
    uint32_t cred[CRED_KINDS]; /* INDEX_NONE: a new one */
    uint32_t tasks[UINT8_MAX]; /* by request */
};

static int desc_check(const struct cluster *c, const struct job_desc *d,
    struct checked *ret, struct err *err)
{
    if (d->state >= JOB_STATES || !job_state_waits(d->state))
        return err_set(err, ERR_INVALID,
            "state cannot be %s, expected a waiting one; a running job is added Idle "
            "and then started",
            d->state < JOB_STATES ? job_state_name(d->state) : "out of range");
    return times_check(d, err) || ranks_check(d, err)
                   || creds_check(c, d, ret->cred, err) || attributes_check(d, ~0u, err)
                   || reqs_check(c, d, ret->tasks, err)
               ? -1
               : 0;
}

static struct job_slot *slot_find(
    const struct cluster *c, const char *id, size_t len, unsigned hash)
{
    struct job_slot *s;

    HASH_FIND_BYHASHVALUE(hh, c->job_store->by_id, id, len, hash, s);
    return s;
}

/* *ret_hash: of the id, when nothing is wrong with it. */
static int id_check(
    const struct cluster *c, const char *id, unsigned *ret_hash, struct err *err)
{
    if (name_check("job", id, err))
        return -1;
    size_t len = strlen(id);
    HASH_VALUE(id, len, *ret_hash);
    if (slot_find(c, id, len, *ret_hash))
        return err_set(err, ERR_CONFLICT, "job '%s' exists already", id);
    return 0;
}

/* ---- slots ------------------------------------------------------------------- */

static struct job *slot_take(struct cluster *c)
{
    struct job_store *p = c->job_store;
    uint32_t index;

    if (p->free.n) {
        index = p->free.v[--p->free.n];
    } else {
        index = (uint32_t)c->jobs.n;
        assert(index != INDEX_NONE);
        vec_push(&c->jobs, NULL);
        vec_push(&c->priorities, 0);
        vec_push(&c->bypasses, 0);
        if (index % JOB_CHUNK == 0)
            vec_push(&p->chunks, xmalloc_aligned(_Alignof(struct job_slot),
                                     JOB_CHUNK * sizeof **p->chunks.v));
    }
    struct job_slot *s = &p->chunks.v[index / JOB_CHUNK][index % JOB_CHUNK];
    memset(s, 0, sizeof *s);
    s->job.index = index;
    c->jobs.v[index] = &s->job;
    c->priorities.v[index] = 0;
    c->bypasses.v[index] = 0;
    return &s->job;
}

struct job *job_find(const struct cluster *c, const char *id)
{
    struct job_slot *s = NULL;

    if (id)
        HASH_FIND_STR(c->job_store->by_id, id, s);
    return s ? &s->job : NULL;
}

/* ---- filling ----------------------------------------------------------------- */

struct job_extra *job_extra(struct job *j)
{
    if (!j->extra)
        j->extra = xcalloc(1, sizeof *j->extra);
    return j->extra;
}

static void keep_text(struct job *j, size_t at, const char *text)
{
    bool named = text && *text;

    if (!named && !j->extra)
        return;
    const char **to = attribute_text(job_extra(j), at);
    free((char *)*to);
    *to = named ? xstrdup(text) : NULL;
}

void job_keep_member(struct job *j, const struct attribute *a, const struct job_desc *d)
{
    if (a->type == ATTRIBUTE_TEXT && a->extra_at)
        keep_text(j, a->extra_at, *attribute_text(d, a->desc_at));
    if (a->type != ATTRIBUTE_NUMBER)
        return;
    int64_t n = *attribute_number(d, a->desc_at);
    if (a->job_at)
        *attribute_number(j, a->job_at) = n;
    else if (a->extra_at && (n || j->extra))
        *attribute_number(job_extra(j), a->extra_at) = n;
}

static void fill_extra(struct cluster *c, struct job *j, const struct job_desc *d)
{
    const struct attribute *a;

    for (size_t i = 0; (a = attribute_at(i)) != NULL; i++)
        job_keep_member(j, a, d);
    for (const char *const *p = d->partitions; p && *p; p++)
        vec_push(&job_extra(j)->partitions_asked, xstrdup(*p));
    for (const char *const *k = d->classes; k && *k && d->classes[1]; k++)
        vec_push(&job_extra(j)->classes, cred_get(c, CRED_CLASS, *k)->index);
    for (const struct dep *p = d->deps; p && p->job_id; p++)
        vec_push(&job_extra(j)->deps, ((struct dep){p->type, xstrdup(p->job_id)}));
}

static void fill_creds(
    struct cluster *c, struct job *j, const struct job_desc *d, const uint32_t *known)
{
    for (int k = 0; k < CRED_KINDS; k++)
        j->cred[k] = known[k] != INDEX_NONE
                         ? known[k]
                         : cred_get(c, (enum cred_kind)k, d->cred[k])->index;
    j->qos_asked = j->cred[CRED_QOS];
    j->account_asked = j->cred[CRED_ACCOUNT];
}

static void fill_reqs(
    struct cluster *c, struct job *j, const struct job_desc *d, const uint32_t *tasks)
{
    j->nreqs = (uint8_t)d->nreqs;
    j->reqs = d->nreqs > 1 ? xcalloc(d->nreqs, sizeof *j->reqs) : &j->req;
    for (uint32_t i = 0; i < d->nreqs; i++) {
        j->reqs[i] = req_make(c, &d->reqs[i], tasks[i], j->cred[CRED_CLASS]);
        if (j->reqs[i].def->hosts.n)
            j->flags_asked |= JOB_HOSTLIST;
    }
    j->req = j->reqs[0];
    job_refresh_totals(c, j);
}

/* Short ids lie beside their job. */
static const char *keep_id(struct job *j, const char *id)
{
    struct job_slot *s = (struct job_slot *)j;
    size_t size = strlen(id) + 1;

    return size > sizeof s->id ? xstrdup(id) : memcpy(s->id, id, size);
}

static void drop_id(struct job *j)
{
    if (j->id != ((struct job_slot *)j)->id)
        free((char *)j->id);
}

/* What it asks for. */
static void fill_asked(struct cluster *c, struct job *j, const struct job_desc *d,
    const struct checked *known)
{
    j->submit_at = d->submit_at;
    j->wclimit_s = j->wclimit_asked_s = d->wclimit_s;
    j->admitted = d->admitted;
    j->cancelled = d->cancelled;
    j->flags_asked = d->flags | (d->advres ? JOB_ADVRES : 0u);
    fill_creds(c, j, d, known->cred);
    fill_reqs(c, j, d, known->tasks);
    fill_extra(c, j, d);
    c->any_deadline |= d->deadline_at != 0;
}

static void fill_job(struct cluster *c, struct job *j, const struct job_desc *d,
    const struct checked *known)
{
    j->id = keep_id(j, d->id);
    j->state = (uint8_t)d->state;
    j->rm_hold = d->rm_hold;
    j->queue_at = d->eligible_at ? d->eligible_at : d->submit_at;
    j->accruing = d->state == JOB_IDLE;
    j->partitions = UINT64_MAX;
    j->pdef = INDEX_NONE;
    j->active_slot = j->idle_slot = INDEX_NONE;
    fill_asked(c, j, d, known);
    j->cred[CRED_RM] = rmset_get(c, d->rm);
    j->flags = j->flags_asked;
    job_note_priority(c, j);
}

static bool depends_so(const struct job_extra *x, const struct dep *deps)
{
    size_t n = 0;

    for (; deps && deps[n].job_id; n++)
        if (n >= x->deps.n || deps[n].type != x->deps.v[n].type
            || strcmp(deps[n].job_id, x->deps.v[n].job_id) != 0)
            return false;
    return n == x->deps.n;
}

/* Lists of what it asked for before, and what was done about them. */
static void empty_lists(struct job_extra *x, const struct job_desc *d)
{
    if (!x)
        return;
    if (!depends_so(x, d->deps))
        x->given_up = false;
    for (size_t i = 0; i < x->deps.n; i++)
        free(x->deps.v[i].job_id);
    for (size_t i = 0; i < x->partitions_asked.n; i++)
        free(x->partitions_asked.v[i]);
    x->deps.n = x->partitions_asked.n = x->classes.n = 0;
    x->full_wclimit_s = 0;
}

void job_ask_anew(struct cluster *c, struct job *j, const struct job_desc *d)
{
    uint32_t qos = j->qos_asked;
    struct checked known;

    if (desc_check(c, d, &known, NULL))
        assert(!"it was checked");
    bool moves = j->submit_at != d->submit_at; /* in the list of those that wait */
    if (moves)
        job_unlist(c, j);
    empty_lists(j->extra, d);
    if (j->reqs != &j->req)
        free(j->reqs);
    fill_asked(c, j, d, &known);
    j->qos_forced = j->qos_forced && j->qos_asked == qos;
    job_note_priority(c, j);
    if (moves)
        job_list(c, j);
}

void job_note_priority(struct cluster *c, struct job *j)
{
    c->any_user_priority |= j->user_priority != 0;
    c->any_tier |= j->tier != 0;
    if (j->user_priority != 0 || j->fixed_priority != 0)
        j->flags |= JOB_OWNPRIO;
    else
        j->flags &= ~(uint32_t)JOB_OWNPRIO;
}

int job_check(const struct cluster *c, const struct job_desc *d, struct err *err)
{
    struct checked known;

    return desc_check(c, d, &known, err);
}

int job_add(struct cluster *c, const struct job_desc *d, int64_t now,
    struct job **ret_job, struct err *err)
{
    struct checked known;
    unsigned hash;

    (void)now;
    if (id_check(c, d->id, &hash, err))
        return -1;
    if (desc_check(c, d, &known, err)) {
        err_prefix(err, "job '%s': ", d->id);
        return -1;
    }
    struct job *j = slot_take(c);
    fill_job(c, j, d, &known);
    struct job_slot *s = (struct job_slot *)j;
    HASH_ADD_KEYPTR_BYHASHVALUE(hh, c->job_store->by_id, j->id, strlen(j->id), hash, s);
    c->suspended += j->state == JOB_SUSPENDED;
    job_list(c, j);
    if (ret_job)
        *ret_job = j;
    return 0;
}

int job_draft(
    struct cluster *c, const struct job_desc *d, struct job **ret_job, struct err *err)
{
    struct checked known;

    if (desc_check(c, d, &known, err))
        return -1;
    struct job_slot *s = xmalloc_aligned(_Alignof(struct job_slot), sizeof *s);
    memset(s, 0, sizeof *s);
    s->job.index = INDEX_NONE;
    fill_job(c, &s->job, d, &known);
    if (!d->rm)
        s->job.cred[CRED_RM] = INDEX_NONE;
    *ret_job = &s->job;
    return 0;
}

/* ---- the end ----------------------------------------------------------------- */

static void extra_destroy(struct job_extra *x)
{
    const struct attribute *a;

    if (!x)
        return;
    for (size_t i = 0; i < x->deps.n; i++)
        free(x->deps.v[i].job_id);
    for (size_t i = 0; i < x->partitions_asked.n; i++)
        free(x->partitions_asked.v[i]);
    vec_fini(&x->deps);
    vec_fini(&x->partitions_asked);
    vec_fini(&x->classes);
    for (size_t i = 0; (a = attribute_at(i)) != NULL; i++)
        if (a->extra_at && a->type == ATTRIBUTE_TEXT)
            free((char *)*attribute_text(x, a->extra_at));
    free(x->hold_text);
    free(x->refused);
    free(x->let_pass);
    free(x);
}

static void job_fini(struct job *j)
{
    if (j->reqs != &j->req)
        free(j->reqs);
    vec_fini(&j->alloc);
    extra_destroy(j->extra);
    drop_id(j);
}

void job_draft_destroy(struct job *j)
{
    if (!j)
        return;
    job_fini(j);
    free((struct job_slot *)j);
}

void job_copy(const struct job *j, struct job *ret)
{
    *ret = *j;
    memset(&ret->alloc, 0, sizeof ret->alloc);
    ret->reqs = &ret->req;
    if (j->nreqs > 1) {
        ret->reqs = xmalloc(j->nreqs * sizeof *ret->reqs);
        memcpy(ret->reqs, j->reqs, j->nreqs * sizeof *ret->reqs);
    }
}

void job_copy_fini(struct job *copy)
{
    vec_fini(&copy->alloc);
    if (copy->reqs != &copy->req)
        free(copy->reqs);
}

void job_remove(struct cluster *c, struct job *j)
{
    struct job_slot *s = (struct job_slot *)j;

    assert(j->active_slot == INDEX_NONE);
    job_unlist(c, j);
    HASH_DEL(c->job_store->by_id, s);
    c->jobs.v[j->index] = NULL;
    vec_push(&c->job_store->free, j->index);
    job_fini(j);
}

void jobs_destroy(struct cluster *c)
{
    HASH_CLEAR(hh, c->job_store->by_id);
    for (size_t i = 0; i < c->jobs.n; i++)
        if (c->jobs.v[i])
            job_fini(c->jobs.v[i]);
    for (size_t i = 0; i < c->job_store->chunks.n; i++)
        free(c->job_store->chunks.v[i]);
    vec_fini(&c->job_store->chunks);
    vec_fini(&c->job_store->free);
    vec_fini(&c->jobs);
    vec_fini(&c->priorities);
    vec_fini(&c->bypasses);
    vec_fini(&c->active);
    waiting_destroy(c);
    free(c->job_store);
}

void jobs_check_index(const struct cluster *c, size_t found)
{
    assert(found == HASH_COUNT(c->job_store->by_id));
    assert(found + c->job_store->free.n == c->jobs.n);
}

/* ---- totals ------------------------------------------------------------------ */

/* Of the nodes it names, or of one, as it will have. */
static int64_t all_by_node(const struct req *r, enum res_dim dim)
{
    return taskdef_by_node(r->def, dim) * (int64_t)(r->nodes > 0 ? r->nodes : 1);
}

/* Total of one dimension over the requests; -1 counts as the largest node has. */
static int64_t total(const struct cluster *c, const struct job *j, enum res_dim dim)
{
    int64_t sum = 0, largest = c->cfg_largest.v[dim];

    for (uint32_t i = 0; i < j->nreqs; i++) {
        int64_t each = j->reqs[i].def->per_task.v[dim];
        sum += (each < 0 ? largest : each) * (int64_t)j->reqs[i].tasks
               + all_by_node(&j->reqs[i], dim);
    }
    return sum;
}

static double req_pe(const struct cluster *c, const struct req *r)
{
    double most = 0, procs = (double)c->cfg_total.v[RES_PROCS];

    for (int i = 0; i < RES_DIMS; i++) {
        int64_t each = r->def->per_task.v[i], all = c->cfg_total.v[i];
        if (each < 0)
            each = c->cfg_largest.v[i];
        if (all <= 0)
            continue;
        /* divided last: a whole number of equivalents comes out whole */
        double pe =
            ((double)each * r->tasks + (double)all_by_node(r, i)) * procs / (double)all;
        most = pe > most ? pe : most;
    }
    return most;
}

double job_pe(const struct cluster *c, const struct job *j)
{
    double sum = 0;

    /* without processors to compare with, only the processors asked for count */
    if (c->cfg_total.v[RES_PROCS] <= 0)
        return j->procs;
    for (uint32_t i = 0; i < j->nreqs; i++)
        sum += req_pe(c, &j->reqs[i]);
    return sum;
}

void job_refresh_totals(const struct cluster *c, struct job *j)
{
    int64_t procs = total(c, j, RES_PROCS);

    j->tasks = j->nodes = 0;
    for (uint32_t i = 0; i < j->nreqs; i++) {
        j->tasks += j->reqs[i].tasks;
        j->nodes += j->reqs[i].nodes;
    }
    j->procs = procs < j->tasks     ? j->tasks
               : procs > UINT32_MAX ? UINT32_MAX
                                    : (uint32_t)procs;
    j->mem_mb = total(c, j, RES_MEM);
    j->pe = job_pe(c, j);
}

/* ---- another shape ----------------------------------------------------------- */

static bool takes_as_much(const struct req *r, const struct req_desc *d)
{
    const struct res *is = &r->asked->per_task, *told = &d->per_task;
    int64_t procs = told->v[RES_PROCS] != 0 ? told->v[RES_PROCS] : 1;

    for (int i = 0; i < RES_DIMS; i++)
        if (is->v[i] != (i == RES_PROCS ? procs : told->v[i]))
            return false;
    return r->tasks == (d->tasks ? d->tasks : 1)
           && r->asked->mem_per_node_mb == d->mem_per_node_mb;
}

bool job_has_shape(const struct job *j, const struct req_desc *reqs, uint32_t n)
{
    bool same = n == j->nreqs;

    for (uint32_t i = 0; same && i < n; i++)
        same = takes_as_much(&j->reqs[i], &reqs[i]);
    return same;
}

static int64_t sum_told(const struct gres_cfg *told, const char *name)
{
    int64_t sum = 0;

    for (; told->name != NULL; told++)
        if (strcmp(told->name, name) == 0)
            sum += told->count ? told->count : 1;
    return sum;
}

/* Generic resources that it takes, and those that it is told to take. */
static bool takes_these(
    const struct cluster *c, const struct gres_amounts *is, const struct gres_cfg *told)
{
    static const struct gres_cfg none = {0};
    int64_t left = 0;

    told = told != NULL ? told : &none;
    for (size_t i = 0; i < is->n; i++) {
        if (sum_told(told, names_text(c->gres, is->v[i].id)) != is->v[i].count)
            return false;
        left -= is->v[i].count;
    }
    for (; told->name != NULL; told++)
        left += told->count ? told->count : 1;
    return left == 0;
}

bool shape_is_known(const struct cluster *c, const struct job *j,
    const struct req_desc *reqs, uint32_t n)
{
    bool same = job_has_shape(j, reqs, n);

    for (uint32_t i = 0; same && i < n; i++)
        same = takes_these(c, &j->reqs[i].asked->gres, reqs[i].gres);
    return same;
}

int job_shape_make(struct cluster *c, const struct job *j, const struct req_desc *reqs,
    uint32_t n, struct job_shape *ret, struct err *err)
{
    const struct job_desc d = {.reqs = reqs, .nreqs = n};
    uint32_t tasks[UINT8_MAX];

    if (reqs_check(c, &d, tasks, err) < 0)
        return -1;
    *ret = (struct job_shape){xcalloc(n, sizeof *ret->reqs), (uint8_t)n};
    for (uint32_t i = 0; i < n; i++)
        ret->reqs[i] = req_make(c, &reqs[i], tasks[i], j->cred[CRED_CLASS]);
    return 0;
}

void job_shape_shrink(const struct job *j, uint32_t tasks, struct job_shape *ret)
{
    *ret = (struct job_shape){xcalloc(j->nreqs, sizeof *ret->reqs), j->nreqs};
    memcpy(ret->reqs, j->reqs, j->nreqs * sizeof *ret->reqs);
    ret->reqs[0].tasks = tasks;
    if (ret->reqs[0].nodes > tasks)
        ret->reqs[0].nodes = tasks;
}

void job_shape_swap(const struct cluster *c, struct job *j, struct job_shape *io)
{
    struct job_shape had;

    if (io->nreqs == 0)
        return;
    job_shape_shrink(j, j->reqs[0].tasks, &had); /* a copy */
    if (j->reqs != &j->req)
        free(j->reqs);
    j->req = io->reqs[0];
    j->nreqs = io->nreqs;
    j->reqs = &j->req;
    if (io->nreqs > 1)
        j->reqs = io->reqs;
    else
        free(io->reqs);
    *io = had;
    job_refresh_totals(c, j);
}

void job_shape_fini(struct job_shape *s)
{
    free(s->reqs);
    *s = (struct job_shape){0};
}
