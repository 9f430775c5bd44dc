/* SPDX-License-Identifier: Apache-2.0
 * Throttling: counting usage and comparing it with the limits in force. Values are
 * resolved into flat rows beforehand, because a comparison runs for every queued
 * job in every cycle. */
#include "policy/limits.h"

#include "policy/limits_pairs.h"
#include "policy/limits_rules.h"
#include "policy/limits_use.h"

/* One-dimensional limits of one dimension. */
struct table {
    uint32_t mask[CRED_KINDS]; /* resources limited for some object of the kind */
    struct VEC(struct limit_row) rows[CRED_KINDS]; /* by object, where mask != 0 */
    uint32_t sys_mask;
    struct limit_row sys;
};

struct touched {
    uint32_t kind, object;
};

/* What is left of each limited resource for one object, at the walk's level. */
struct room {
    int64_t active[LIMIT_RES_COUNT], idle[LIMIT_RES_COUNT];
};

/* State of a walk over the queue. Kind CRED_KINDS is the whole system. */
struct walk {
    bool plain; /* rooms answer; else every ask is compared in full */
    enum limit_level level;
    uint32_t kinds; /* bit mask of kinds with limits */
    uint32_t active[CRED_KINDS + 1], idle[CRED_KINDS + 1]; /* masks of resources */
    struct VEC(struct room) rooms[CRED_KINDS + 1];
};

struct limits {
    unsigned in_force; /* CHECK_* bits */
    bool soft_differs;
    bool left_matters; /* MAXPS or MAXWC: active usage shrinks with time */
    bool any_override;
    bool marked; /* some active job carries JOB_SPVIOLATION */
    struct table dims[LIMIT_DIMS];
    struct VEC(struct limit_override) over; /* by QOS, when any_override */
    struct limits_pairs *pairs;
    struct limits_ledger ledger;
    struct VEC(struct touched) touched; /* credentials with idle usage */
    struct walk walk;
};

struct limits *limits_create(void)
{
    struct limits *l = xcalloc(1, sizeof *l);

    l->pairs = limits_pairs_create();
    return l;
}

void limits_destroy(struct limits *l)
{
    if (!l)
        return;
    for (int d = 0; d < LIMIT_DIMS; d++)
        for (int k = 0; k < CRED_KINDS; k++)
            vec_fini(&l->dims[d].rows[k]);
    for (int k = 0; k <= CRED_KINDS; k++)
        vec_fini(&l->walk.rooms[k]);
    vec_fini(&l->over);
    vec_fini(&l->touched);
    limits_ledger_fini(&l->ledger);
    limits_pairs_destroy(l->pairs);
    free(l);
}

/* ---- which limits are in force ----------------------------------------------- */

static void note_value(struct limits *l, uint32_t *mask, enum limit_dim dim,
    enum limit_res r, const struct limit *v)
{
    struct limit_row row;

    if (!limits_rules_set(v))
        return;
    *mask |= LIMIT_BIT(r);
    limits_rules_put(&row, r, v, dim);
    if (row.at[LEVEL_SOFT][r] != row.at[LEVEL_HARD][r])
        l->soft_differs = true;
}

static void note_section(
    struct limits *l, uint32_t *active, uint32_t *idle, const struct cred_cfg *cfg)
{
    for (int r = 0; r < LIMIT_RES_COUNT; r++) {
        note_value(l, active, DIM_ACTIVE, r, &cfg->active[r]);
        note_value(l, idle, DIM_IDLE, r, &cfg->idle[r]);
    }
}

/* OMAXJOB and OMAXIJOB limit the QOS; the other overrides only replace, but may
 * bring a soft value of their own. */
static void note_qos(struct limits *l, const struct cred_cfg *cfg)
{
    uint32_t ignored = 0;

    note_value(l, &l->dims[DIM_ACTIVE].mask[CRED_QOS], DIM_ACTIVE, LIMIT_JOB,
        &cfg->over_active[LIMIT_JOB]);
    note_value(l, &l->dims[DIM_IDLE].mask[CRED_QOS], DIM_IDLE, LIMIT_JOB,
        &cfg->over_idle[LIMIT_JOB]);
    for (int r = LIMIT_JOB + 1; r < LIMIT_RES_COUNT; r++)
        note_value(l, &ignored, DIM_ACTIVE, r, &cfg->over_active[r]);
    for (int r = 0; r < LIMIT_RES_COUNT; r++)
        if (cfg->over_job[r])
            l->in_force |= CHECK_SYSTEM;
}

static void note_all(struct limits *l, const struct settings *cfg)
{
    struct table *act = &l->dims[DIM_ACTIVE], *idle = &l->dims[DIM_IDLE];

    for (int k = 0; k < CRED_KINDS; k++)
        for (size_t i = 0; i < cfg->creds[k].n; i++)
            note_section(l, &act->mask[k], &idle->mask[k], &cfg->creds[k].v[i]);
    note_section(l, &act->sys_mask, &idle->sys_mask, &cfg->sys);
    for (size_t i = 0; i < cfg->creds[CRED_QOS].n; i++)
        note_qos(l, &cfg->creds[CRED_QOS].v[i]);
    for (size_t i = 0; i < cfg->par.n; i++) {
        const struct par_settings *p = &cfg->par.v[i];
        if (p->max_proc_per_job > 0 || p->max_ps_per_job > 0 || p->max_wclimit_s > 0)
            l->in_force |= CHECK_SYSTEM;
    }
    limits_rules_system_row(cfg, DIM_ACTIVE, &act->sys);
    limits_rules_system_row(cfg, DIM_IDLE, &idle->sys);
    l->soft_differs |= limits_pairs_soft_differs(l->pairs);
}

static uint32_t all_masks(const struct limits *l, enum limit_dim dim)
{
    uint32_t mask = l->dims[dim].sys_mask;

    for (int k = 0; k < CRED_KINDS; k++)
        mask |= l->dims[dim].mask[k];
    for (size_t i = 0; i < limits_pairs_count(l->pairs); i++)
        if (limits_pairs_combo(l->pairs, i)->dim == dim)
            mask |= limits_pairs_combo(l->pairs, i)->mask;
    return mask;
}

/* Does any section contain something that changes other limits? */
static bool overrides_exist(const struct cluster *c)
{
    for (size_t i = 0; i < c->cfg->creds[CRED_QOS].n; i++) {
        const struct cred_cfg *cfg = &c->cfg->creds[CRED_QOS].v[i];
        const struct cred k = {.kind = CRED_QOS, .cfg = cfg, .def = cfg};
        struct limit_override o;
        limits_rules_override(&k, &o);
        if (o.any)
            return true;
    }
    return false;
}

/* Resolve the rows of credentials that appeared since the last time. */
static void grow(struct limits *l, const struct cluster *c)
{
    for (int d = 0; d < LIMIT_DIMS; d++)
        for (int k = 0; k < CRED_KINDS; k++) {
            struct table *t = &l->dims[d];
            struct limit_row row;
            while (t->mask[k] && t->rows[k].n < c->creds[k].n) {
                limits_rules_row(c->creds[k].v[t->rows[k].n], d, &row);
                vec_push(&t->rows[k], row);
            }
        }
    while (l->any_override && l->over.n < c->creds[CRED_QOS].n) {
        struct limit_override o;
        limits_rules_override(c->creds[CRED_QOS].v[l->over.n], &o);
        vec_push(&l->over, o);
    }
}

/* ---- usage ------------------------------------------------------------------- */

static void add_active(
    struct limits *l, struct cluster *c, const struct limits_counted *x, int sign)
{
    for (int k = 0; k < CRED_KINDS; k++)
        limits_use_add(c->creds[k].v[x->cred[k]]->active.v, x->v, sign);
    limits_use_add(c->sys_active.v, x->v, sign);
    if (limits_pairs_any(l->pairs, DIM_ACTIVE))
        limits_pairs_add(l->pairs, c, DIM_ACTIVE, x->cred, x->v, sign);
}

void limits_count_active(
    struct limits *l, struct cluster *c, struct job *j, int sign, int64_t now)
{
    struct limits_counted *x = limits_ledger_find(&l->ledger, j->index);

    if (x)
        add_active(l, c, x, -1);
    if (sign < 0) {
        j->flags &= ~(uint32_t)JOB_SPVIOLATION;
        if (x)
            limits_ledger_remove(&l->ledger, j->index);
        return;
    }
    if (!x)
        x = limits_ledger_add(&l->ledger, j->index);
    limits_use_left(c, j, now, x->v);
    memcpy(x->cred, j->cred, sizeof x->cred);
    add_active(l, c, x, 1);
}

void limits_ask_of(const struct cluster *c, const struct job *j, struct limits_ask *ret)
{
    limits_use_of(c, j, ret->v);
    memcpy(ret->cred, j->cred, sizeof ret->cred);
    ret->job = j->index;
}

void limits_ask_count_idle(
    struct limits *l, struct cluster *c, const struct limits_ask *ask)
{
    if (!(l->in_force & CHECK_IDLE))
        return;
    for (uint32_t k = 0; k < CRED_KINDS; k++) {
        if (!l->dims[DIM_IDLE].mask[k])
            continue;
        struct usage *u = &c->creds[k].v[ask->cred[k]]->idle;
        if (u->v[LIMIT_JOB] == 0)
            vec_push(&l->touched, ((struct touched){k, ask->cred[k]}));
        limits_use_add(u->v, ask->v, 1);
    }
    limits_use_add(c->sys_idle.v, ask->v, 1);
    if (limits_pairs_any(l->pairs, DIM_IDLE))
        limits_pairs_add(l->pairs, c, DIM_IDLE, ask->cred, ask->v, 1);
}

void limits_count_idle(struct limits *l, struct cluster *c, const struct job *j)
{
    struct limits_ask ask;

    limits_ask_of(c, j, &ask);
    limits_ask_count_idle(l, c, &ask);
}

void limits_begin_idle(struct limits *l, struct cluster *c)
{
    grow(l, c);
    for (size_t i = 0; i < l->touched.n; i++) {
        struct touched t = l->touched.v[i];
        memset(&c->creds[t.kind].v[t.object]->idle, 0, sizeof(struct usage));
    }
    l->touched.n = 0;
    memset(&c->sys_idle, 0, sizeof c->sys_idle);
    limits_pairs_begin_idle(l->pairs);
}

/* Count the active jobs again from nothing: pairs were forgotten, and settings may
 * change what a job consumes. The ledger knows which jobs are counted. */
static void recount(struct limits *l, struct cluster *c)
{
    for (int k = 0; k < CRED_KINDS; k++)
        for (size_t i = 0; i < c->creds[k].n; i++)
            memset(&c->creds[k].v[i]->active, 0, sizeof(struct usage));
    memset(&c->sys_active, 0, sizeof c->sys_active);
    for (size_t i = 0; i < l->ledger.slot.n; i++) {
        const struct limits_counted *x = limits_ledger_find(&l->ledger, i);
        if (x)
            add_active(l, c, x, 1);
    }
}

void limits_configure(struct limits *l, struct cluster *c)
{
    limits_begin_idle(l, c);
    for (int d = 0; d < LIMIT_DIMS; d++) {
        memset(l->dims[d].mask, 0, sizeof l->dims[d].mask);
        l->dims[d].sys_mask = 0;
        for (int k = 0; k < CRED_KINDS; k++)
            l->dims[d].rows[k].n = 0;
    }
    l->over.n = 0;
    l->in_force = 0;
    l->soft_differs = false;
    limits_pairs_configure(l->pairs, c->cfg);
    note_all(l, c->cfg);
    if (all_masks(l, DIM_ACTIVE))
        l->in_force |= CHECK_ACTIVE;
    if (all_masks(l, DIM_IDLE))
        l->in_force |= CHECK_IDLE;
    l->left_matters =
        all_masks(l, DIM_ACTIVE) & (LIMIT_BIT(LIMIT_PS) | LIMIT_BIT(LIMIT_WC));
    l->any_override = overrides_exist(c);
    grow(l, c);
    recount(l, c);
}

/* ---- comparison --------------------------------------------------------------- */

/* One question: do these credentials, asking for `want`, break a limit? */
struct check {
    const struct limits *l;
    const struct cluster *c;
    const uint32_t *cred; /* by kind */
    const int64_t *want;  /* by resource */
    enum limit_level level;
    bool alone;                        /* as if nothing else were in use */
    const struct limit_override *over; /* NULL = the QOS changes nothing */
    struct limit_override over_new;    /* of a QOS newer than the rows */
    struct reason *why;                /* or NULL */
};

static void check_init(struct check *k, const struct limits *l, const struct cluster *c,
    const uint32_t *cred, const int64_t *want)
{
    uint32_t qos = cred[CRED_QOS];

    k->l = l;
    k->c = c;
    k->cred = cred;
    k->want = want;
    k->alone = false;
    k->over = NULL;
    if (!l->any_override)
        return;
    if (qos < l->over.n) {
        k->over = &l->over.v[qos];
    } else {
        limits_rules_override(c->creds[CRED_QOS].v[qos], &k->over_new);
        k->over = &k->over_new;
    }
    if (!k->over->any)
        k->over = NULL;
}

static const struct reason no_reason = {
    .code = WAIT_LIMIT, .kind = CRED_KINDS, .kind2 = CRED_KINDS};

/* Compare with one row; on a violation the numbers are written to k->why. */
static bool breaks_row(const struct check *k, enum limit_dim dim, uint32_t mask,
    const struct limit_row *row, const int64_t *used)
{
    for (; mask; mask &= mask - 1) {
        enum limit_res r = __builtin_ctz(mask);
        int64_t limit = row->at[k->level][r];
        int64_t in_use = k->alone ? 0 : used[r];
        limit = limits_rules_apply(k->over, dim, r, k->level, limit);
        if (limit == LIMIT_OFF || k->want[r] <= limit - in_use)
            continue;
        if (k->why) {
            *k->why = no_reason;
            k->why->level = k->level;
            k->why->dim = dim;
            k->why->res = r;
            k->why->limit = limit;
            k->why->used = in_use;
            k->why->asked = k->want[r];
        }
        return true;
    }
    return false;
}

static bool breaks_cred(
    const struct check *k, enum limit_dim dim, uint32_t kind, uint32_t mask)
{
    const struct table *t = &k->l->dims[dim];
    uint32_t object = k->cred[kind];
    const struct cred *cred = k->c->creds[kind].v[object];
    const struct limit_row *row;
    struct limit_row row_new;

    if (object == 0 && kind != CRED_QOS)
        return false; /* none named: only QOS DEFAULT is an object jobs have */
    if (object < t->rows[kind].n) {
        row = &t->rows[kind].v[object];
    } else {
        limits_rules_row(cred, dim, &row_new);
        row = &row_new;
    }
    if (!breaks_row(k, dim, mask, row, dim == DIM_IDLE ? cred->idle.v : cred->active.v))
        return false;
    if (k->why) {
        k->why->kind = kind;
        k->why->object = object;
    }
    return true;
}

static bool breaks_pairs(const struct check *k, enum limit_dim dim)
{
    struct limits_pairs *p = k->l->pairs;

    for (size_t i = 0; i < limits_pairs_count(p); i++) {
        const struct limits_combo *m = limits_pairs_combo(p, i);
        const struct limit_row *row;
        const int64_t *used;
        uint32_t mask = m->mask;
        if (k->over && m->kind < CRED_KINDS)
            mask &= ~k->over->ignore[dim][m->kind];
        if (k->over)
            mask &= ~k->over->ignore[dim][m->kind2];
        if (m->dim != dim || !mask
            || !limits_pairs_get(p, k->c, i, k->cred, &row, &used)
            || !breaks_row(k, dim, mask, row, used))
            continue;
        if (k->why) {
            k->why->kind = m->kind;
            k->why->object = m->kind < CRED_KINDS ? k->cred[m->kind] : 0;
            k->why->kind2 = m->kind2;
            k->why->object2 = k->cred[m->kind2];
        }
        return true;
    }
    return false;
}

/* The whole system is not a credential: a QOS's overrides leave it alone. */
static bool breaks_whole(struct check *k, enum limit_dim dim)
{
    const struct limit_override *over = k->over;
    const struct usage *u = dim == DIM_IDLE ? &k->c->sys_idle : &k->c->sys_active;
    bool broken;

    k->over = NULL;
    broken = breaks_row(k, dim, k->l->dims[dim].sys_mask, &k->l->dims[dim].sys, u->v);
    k->over = over;
    return broken;
}

static bool breaks_dim(struct check *k, enum limit_dim dim)
{
    const struct table *t = &k->l->dims[dim];

    for (uint32_t kind = 0; kind < CRED_KINDS; kind++) {
        uint32_t mask = t->mask[kind];
        if (k->over)
            mask &= ~k->over->ignore[dim][kind];
        if (mask && breaks_cred(k, dim, kind, mask))
            return true;
    }
    if (t->sys_mask && breaks_whole(k, dim))
        return true;
    return limits_pairs_any(k->l->pairs, dim) && breaks_pairs(k, dim);
}

static bool breaks_system(const struct check *k, uint32_t partition)
{
    const struct par_settings *par = &k->c->cfg->par.v[0];
    bool by_qos;

    if (partition < k->c->partitions.n)
        par = k->c->partitions.v[partition]->par;
    for (int r = 0; r < LIMIT_RES_COUNT; r++) {
        int64_t limit = limits_rules_system(k->over, par, r, &by_qos);
        if (limit == LIMIT_OFF || k->want[r] <= limit)
            continue;
        if (k->why) {
            *k->why = no_reason;
            k->why->level = k->level;
            k->why->dim = DIM_SYSTEM;
            k->why->res = r;
            k->why->limit = limit;
            k->why->asked = k->want[r];
            k->why->object = partition;
            if (by_qos) {
                k->why->kind = CRED_QOS;
                k->why->object = k->cred[CRED_QOS];
            }
        }
        return true;
    }
    return false;
}

static bool breaks_any(struct check *k, unsigned what, uint32_t partition)
{
    if ((what & CHECK_ACTIVE) && breaks_dim(k, DIM_ACTIVE))
        return true;
    if ((what & CHECK_IDLE) && breaks_dim(k, DIM_IDLE))
        return true;
    return (what & CHECK_SYSTEM) && breaks_system(k, partition);
}

bool limits_ask_violated(const struct limits *l, const struct cluster *c,
    const struct limits_ask *ask, unsigned what, enum limit_level level,
    struct reason *ret_why)
{
    struct check k;

    check_init(&k, l, c, ask->cred, ask->v);
    k.level = level;
    k.why = ret_why;
    return breaks_any(&k, what & l->in_force, INDEX_NONE);
}

bool limits_violated(const struct limits *l, const struct cluster *c,
    const struct job *j, unsigned what, enum limit_level level, uint32_t partition,
    struct reason *ret_why)
{
    int64_t want[LIMIT_RES_COUNT];
    struct check k;

    what &= l->in_force;
    if (!what)
        return false;
    limits_use_of(c, j, want);
    check_init(&k, l, c, j->cred, want);
    k.level = level;
    k.why = ret_why;
    return breaks_any(&k, what, partition);
}

bool limits_never(const struct limits *l, const struct cluster *c, const struct job *j,
    struct reason *ret_why)
{
    int64_t want[LIMIT_RES_COUNT];
    struct check k;

    if (!(l->in_force & (CHECK_ACTIVE | CHECK_IDLE)))
        return false;
    limits_use_of(c, j, want);
    check_init(&k, l, c, j->cred, want);
    k.level = LEVEL_HARD;
    k.alone = true;
    k.why = ret_why;
    return breaks_dim(&k, DIM_ACTIVE) || breaks_dim(&k, DIM_IDLE);
}

bool limits_soft_differs(const struct limits *l)
{
    return l->soft_differs;
}

bool limits_any(const struct limits *l, unsigned what)
{
    return l->in_force & what;
}

/* ---- a walk over the queue ------------------------------------------------------ */

static void fill_room(int64_t *room, const struct limit_row *row,
    enum limit_level level, const int64_t *used)
{
    for (int r = 0; r < LIMIT_RES_COUNT; r++)
        room[r] =
            row->at[level][r] == LIMIT_OFF ? INT64_MAX : row->at[level][r] - used[r];
}

static void add_room(struct walk *w, uint32_t kind, const struct limit_row *active,
    const struct limit_row *idle, const int64_t *used)
{
    static const int64_t nothing[LIMIT_RES_COUNT];
    struct room room;

    if (w->active[kind])
        fill_room(room.active, active, w->level, used);
    if (w->idle[kind])
        fill_room(room.idle, idle, w->level, nothing);
    vec_push(&w->rooms[kind], room);
}

static void open_rooms(struct limits *l, const struct cluster *c)
{
    const struct table *act = &l->dims[DIM_ACTIVE], *idle = &l->dims[DIM_IDLE];
    struct walk *w = &l->walk;

    w->kinds = 0;
    for (uint32_t k = 0; k <= CRED_KINDS; k++) {
        w->active[k] = k < CRED_KINDS ? act->mask[k] : act->sys_mask;
        w->idle[k] = k < CRED_KINDS ? idle->mask[k] : idle->sys_mask;
        w->rooms[k].n = 0;
        if (!(w->active[k] | w->idle[k]))
            continue;
        w->kinds |= 1u << k;
        if (k == CRED_KINDS)
            add_room(w, k, &act->sys, &idle->sys, c->sys_active.v);
        for (size_t i = 0; k < CRED_KINDS && i < c->creds[k].n; i++)
            add_room(w, k, w->active[k] ? &act->rows[k].v[i] : NULL,
                w->idle[k] ? &idle->rows[k].v[i] : NULL, c->creds[k].v[i]->active.v);
    }
}

void limits_walk_begin(struct limits *l, struct cluster *c, enum limit_level level)
{
    limits_begin_idle(l, c);
    l->walk.level = level;
    l->walk.plain = !l->any_override && limits_pairs_count(l->pairs) == 0;
    if (l->walk.plain)
        open_rooms(l, c);
}

static bool exceeds(const int64_t *want, const int64_t *room, uint32_t mask)
{
    for (; mask; mask &= mask - 1) {
        int r = __builtin_ctz(mask);
        if (want[r] > room[r])
            return true;
    }
    return false;
}

/* The object of a kind that the ask counts against; INDEX_NONE = none named. */
static uint32_t object_of(const struct limits_ask *ask, uint32_t kind)
{
    if (kind == CRED_KINDS)
        return 0;
    if (ask->cred[kind] == 0 && kind != CRED_QOS)
        return INDEX_NONE;
    return ask->cred[kind];
}

bool limits_walk_violated(
    struct limits *l, const struct cluster *c, const struct limits_ask *ask)
{
    const struct walk *w = &l->walk;

    if (!w->plain)
        return limits_ask_violated(
            l, c, ask, CHECK_ACTIVE | CHECK_IDLE, w->level, NULL);
    for (uint32_t kinds = w->kinds; kinds; kinds &= kinds - 1) {
        uint32_t k = (uint32_t)__builtin_ctz(kinds), i = object_of(ask, k);
        if (i == INDEX_NONE)
            continue;
        const struct room *room = &w->rooms[k].v[i];
        if (exceeds(ask->v, room->active, w->active[k])
            || exceeds(ask->v, room->idle, w->idle[k]))
            return true;
    }
    return false;
}

void limits_walk_count(
    struct limits *l, struct cluster *c, const struct limits_ask *ask)
{
    struct walk *w = &l->walk;

    if (!w->plain) {
        limits_ask_count_idle(l, c, ask);
        return;
    }
    for (uint32_t kinds = w->kinds; kinds; kinds &= kinds - 1) {
        uint32_t k = (uint32_t)__builtin_ctz(kinds);
        uint32_t i = k == CRED_KINDS ? 0 : ask->cred[k];
        int64_t *room = w->rooms[k].v[i].idle;
        for (uint32_t m = w->idle[k]; m; m &= m - 1) {
            int r = __builtin_ctz(m);
            room[r] -= room[r] == INT64_MAX ? 0 : ask->v[r];
        }
    }
}

/* Usage is what was there to begin with less what is left. */
static void write_usage(const struct room *room, const struct limit_row *row,
    uint32_t mask, int level, struct usage *ret)
{
    for (; mask; mask &= mask - 1) {
        int r = __builtin_ctz(mask);
        if (row->at[level][r] != LIMIT_OFF)
            ret->v[r] = row->at[level][r] - room->idle[r];
    }
}

void limits_walk_end(struct limits *l, struct cluster *c)
{
    const struct table *idle = &l->dims[DIM_IDLE];
    const struct walk *w = &l->walk;

    for (uint32_t k = 0; w->plain && k < CRED_KINDS; k++)
        for (uint32_t i = 0; w->idle[k] && i < w->rooms[k].n; i++) {
            struct usage *u = &c->creds[k].v[i]->idle;
            write_usage(
                &w->rooms[k].v[i], &idle->rows[k].v[i], w->idle[k], (int)w->level, u);
            vec_push(&l->touched, ((struct touched){k, i}));
        }
    if (w->plain && w->idle[CRED_KINDS])
        write_usage(&w->rooms[CRED_KINDS].v[0], &idle->sys, w->idle[CRED_KINDS],
            (int)w->level, &c->sys_idle);
}

/* ---- the start of a cycle ------------------------------------------------------ */

/* Is what is counted for this active job more than a soft limit allows? Usage
 * includes the job already, so it asks for nothing more. */
static bool over_soft(
    const struct limits *l, const struct cluster *c, const struct job *j)
{
    static const int64_t nothing[LIMIT_RES_COUNT];
    struct check k;

    check_init(&k, l, c, j->cred, nothing);
    k.level = LEVEL_SOFT;
    k.why = NULL;
    return breaks_dim(&k, DIM_ACTIVE);
}

static void mark_soft_violations(struct limits *l, struct cluster *c)
{
    bool check = l->in_force & CHECK_ACTIVE;

    if (!check && !l->marked)
        return;
    l->marked = false;
    for (size_t i = 0; i < c->active.n; i++) {
        struct job *j = c->jobs.v[c->active.v[i]];
        j->flags &= ~(uint32_t)JOB_SPVIOLATION;
        if (!check || !job_is_active(j) || !over_soft(l, c, j))
            continue;
        j->flags |= JOB_SPVIOLATION;
        l->marked = true;
    }
}

void limits_begin_cycle(struct limits *l, struct cluster *c, int64_t now)
{
    grow(l, c);
    for (size_t i = 0; l->left_matters && i < c->active.n; i++) {
        struct job *j = c->jobs.v[c->active.v[i]];
        if (limits_ledger_find(&l->ledger, j->index))
            limits_count_active(l, c, j, 1, now);
    }
    mark_soft_violations(l, c);
}
