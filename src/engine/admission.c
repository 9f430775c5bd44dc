/* SPDX-License-Identifier: Apache-2.0
 * See admission.h. The order of the rows: reference concepts, section 9.4; throttling,
 * section 7. */
#include "engine/admission.h"

#include "cluster/rmset.h"
#include "config/settings.h"
#include "engine/arrays.h"
#include "engine/dependency.h"
#include "engine/engine_private.h"
#include "policy/bank.h"
#include "policy/fairshare.h"
#include "policy/priority.h"

/* ---- in the queue? ---- */

static bool refuse_deferred(
    const struct engine *e, const struct job *j, struct reason *ret)
{
    (void)e;
    if (!(j->holds & HOLD_DEFER))
        return false;
    ret->until = j->defer_until;
    return true;
}

static bool refuse_held(const struct engine *e, const struct job *j, struct reason *ret)
{
    (void)e;
    (void)ret;
    return j->holds != 0;
}

/* For others of its array, say: nobody holds it, and it is no less queued for that. */
static bool is_let_wait(const struct job *j)
{
    return j->state == JOB_HOLD && j->rm_hold == 0;
}

static bool refuse_let_wait(
    const struct engine *e, const struct job *j, struct reason *ret)
{
    (void)e;
    (void)ret;
    return is_let_wait(j);
}

static bool refuse_state(
    const struct engine *e, const struct job *j, struct reason *ret)
{
    (void)e;
    (void)ret;
    return j->state != JOB_IDLE && !is_let_wait(j);
}

static bool any_away(const struct engine *e)
{
    return e->c->rms_away;
}

static bool refuse_away(const struct engine *e, const struct job *j, struct reason *ret)
{
    if (!rmset_is_away(e->c, job_rm(j)))
        return false;
    ret->object = job_rm(j);
    return true;
}

static bool refuse_class(
    const struct engine *e, const struct job *j, struct reason *ret)
{
    if (job_cred(e->c, j, CRED_CLASS)->enabled)
        return false;
    ret->kind = CRED_CLASS;
    ret->object = j->cred[CRED_CLASS];
    return true;
}

static bool rejects_negative(const struct engine *e)
{
    return e->cfg->prio.reject_negative;
}

static bool refuse_priority(
    const struct engine *e, const struct job *j, struct reason *ret)
{
    (void)ret;
    /* what its user gave it only says which goes first */
    return job_priority(e->c, j) - prio_of_user(&e->cfg->prio, j) < 0;
}

static bool refuse_early(
    const struct engine *e, const struct job *j, struct reason *ret)
{
    if (j->release_at <= e->now)
        return false;
    ret->until = j->release_at;
    return true;
}

static bool any_refusal(const struct engine *e)
{
    return refusals_any(e->troubles.refusals);
}

static bool refuse_refused(
    const struct engine *e, const struct job *j, struct reason *ret)
{
    return refusals_keep(e, j, ret);
}

static bool any_dependency(const struct engine *e)
{
    return e->uses.deps;
}

static bool refuse_dependent(
    const struct engine *e, const struct job *j, struct reason *ret)
{
    uint32_t on;
    const struct dep *d = dependency_unmet(e->c, j, &on);

    if (!d)
        return false;
    ret->object = dep_never(d->type) ? j->index : on;
    ret->limit = dep_never(d->type);
    return true;
}

static bool any_array(const struct engine *e)
{
    return e->uses.arrays;
}

static bool any_cap(const struct engine *e)
{
    return e->uses.cap;
}

static bool refuse_capped(
    const struct engine *e, const struct job *j, struct reason *ret)
{
    return fs_blocks(e->c, j, ret);
}

/* ---- ever? ---- */

static bool any_system_limit(const struct engine *e)
{
    return limits_any(e->limits, CHECK_SYSTEM);
}

static uint64_t every_partition(const struct engine *e)
{
    return (UINT64_C(1) << e->c->partitions.n) - 1;
}

/* Of its partitions, those whose system limits the job is over. */
static uint64_t partitions_exceeded(
    const struct engine *e, const struct job *j, struct reason *ret)
{
    uint64_t m = j->partitions & every_partition(e), out = 0;

    for (; m; m &= m - 1) {
        uint32_t p = (uint32_t)__builtin_ctzll(m);
        if (limits_size_violated(e->limits, e->c, j, p, ret))
            out |= UINT64_C(1) << p;
    }
    return out;
}

static bool refuse_oversized(
    const struct engine *e, const struct job *j, struct reason *ret)
{
    struct reason why = *ret;
    uint64_t out = partitions_exceeded(e, j, &why);

    if (!out || out != (j->partitions & every_partition(e)))
        return false;
    *ret = why;
    return true;
}

void admission_narrow(const struct engine *e, struct job *j)
{
    struct reason why;

    if (!any_system_limit(e))
        return;
    uint64_t out = partitions_exceeded(e, j, &why);
    if (out != (j->partitions & every_partition(e)))
        j->partitions &= ~out;
}

static bool refuse_unplaceable(
    const struct engine *e, const struct job *j, struct reason *ret)
{
    return !plan_possible(e->plan, j, ret);
}

static bool any_limit(const struct engine *e)
{
    return limits_any(e->limits, CHECK_ACTIVE | CHECK_IDLE);
}

static bool refuse_alone(
    const struct engine *e, const struct job *j, struct reason *ret)
{
    return limits_never(e->limits, e->c, j, ret);
}

/* ---- now? (in order of priority, and with idle limits: queue_select()) ---- */

static bool refuse_by_soft(
    const struct engine *e, const struct job *j, struct reason *ret)
{
    return limits_violated(e->limits, e->c, j, CHECK_ACTIVE, LEVEL_SOFT, ret);
}

static bool refuse_by_hard(
    const struct engine *e, const struct job *j, struct reason *ret)
{
    return limits_violated(e->limits, e->c, j, CHECK_ACTIVE, LEVEL_HARD, ret);
}

static bool costs_anything(const struct engine *e)
{
    return bank_in_force(e->c);
}

/* What is kept for jobs that started in this cycle counts: asked at each one's turn. */
static bool refuse_unfunded(
    const struct engine *e, const struct job *j, struct reason *ret)
{
    return bank_refuses(e->c, j, e->now, ret);
}

/* ---- the table ---- */

#define CODE(x) (UINT64_C(1) << (x))

/* clang-format off */
static const struct admission_check checks[] = {
    {.name = "DEFERRAL", .codes = CODE(WAIT_HOLD), .stage = ADMIT_QUEUED,
        .on = ON_JOB | ON_CLOCK | ON_SETTINGS | ON_NODES | ON_RESERVATIONS,
        .stops = ACCRUAL_HOLD, .spares_plain = true, .refuses = refuse_deferred,
        .then = THEN_DEFERRAL},
    {.name = "HOLD", .codes = CODE(WAIT_HOLD), .stage = ADMIT_QUEUED,
        .on = ON_JOB,
        .stops = ACCRUAL_HOLD, .spares_plain = true, .refuses = refuse_held},
    {.name = "STATE", .codes = CODE(WAIT_STATE), .stage = ADMIT_QUEUED,
        .on = ON_JOB,
        .stops = ACCRUAL_ACTIVE_LIMIT, .spares_plain = true,
        .refuses = refuse_let_wait},
    {.name = "STATE", .codes = CODE(WAIT_STATE), .stage = ADMIT_QUEUED,
        .on = ON_JOB,
        .stops = ACCRUAL_HOLD, .spares_plain = true, .refuses = refuse_state},
    {.name = "MANAGER", .codes = CODE(WAIT_MANAGER), .stage = ADMIT_QUEUED,
        .on = ON_JOB | ON_SETTINGS, .stops = ACCRUAL_ACTIVE_LIMIT,
        .is_used = any_away, .refuses = refuse_away},
    {.name = "CLASS", .codes = CODE(WAIT_CLASS_DISABLED), .stage = ADMIT_QUEUED,
        .on = ON_CLASS | ON_SETTINGS, .skip = RUN_ANY_POLICY,
        .stops = ACCRUAL_NOT_QUEUED, .refuses = refuse_class},
    {.name = "PRIORITY", .codes = CODE(WAIT_NEGATIVE_PRIORITY), .stage = ADMIT_QUEUED,
        .on = ON_PRIORITY | ON_SETTINGS, .skip = ADMISSION_UNASKED,
        .stops = ACCRUAL_NOT_QUEUED, .is_used = rejects_negative,
        .refuses = refuse_priority},
    {.name = "STARTDATE", .codes = CODE(WAIT_RELEASE_TIME), .stage = ADMIT_QUEUED,
        .on = ON_JOB | ON_CLOCK, .skip = RUN_ANY_POLICY,
        .stops = ACCRUAL_DEPENDENCY, .spares_plain = true, .refuses = refuse_early,
        .then = THEN_WAKE},
    {.name = "DEPENDENCY", .codes = CODE(WAIT_DEPENDENCY), .stage = ADMIT_QUEUED,
        .on = ON_JOB | ON_JOBS | ON_SETTINGS, .skip = RUN_ANY_POLICY,
        .stops = ACCRUAL_DEPENDENCY, .spares_plain = true, .is_used = any_dependency,
        .concerns = dependency_has, .refuses = refuse_dependent,
        .then = THEN_DEPENDENCY},
    {.name = "ARRAY", .codes = CODE(WAIT_ARRAY), .stage = ADMIT_QUEUED,
        .on = ON_JOB | ON_CLASS | ON_JOBS | ON_SETTINGS,
        .skip = RUN_ANY_LIMIT | RUN_ANY_POLICY, .stops = ACCRUAL_ACTIVE_LIMIT,
        .is_used = any_array, .concerns = arrays_limits, .refuses = arrays_refuse},
    {.name = "RMLIMIT", .codes = CODE(WAIT_RM_LIMIT), .stage = ADMIT_QUEUED,
        .on = ON_JOB | ON_CLASS | ON_CLOCK | ON_JOBS | ON_SETTINGS,
        .skip = RUN_ANY_LIMIT | RUN_ANY_POLICY, .stops = ACCRUAL_ACTIVE_LIMIT,
        .is_used = any_refusal, .refuses = refuse_refused, .then = THEN_WAKE},
    {.name = "FSCAP", .codes = CODE(WAIT_FS_CAP), .stage = ADMIT_QUEUED,
        .on = ON_JOB | ON_CLASS | ON_SETTINGS | ON_USAGE, .skip = RUN_ANY_POLICY,
        .stops = ACCRUAL_DEPENDENCY, .is_used = any_cap, .refuses = refuse_capped,
        .then = THEN_WAKE_OR_CANCEL},
    {.codes = CODE(WAIT_LIMIT), .stage = ADMIT_EVER,
        .on = ON_JOB | ON_CLASS | ON_SETTINGS, .skip = RUN_ANY_LIMIT | RUN_ANY_POLICY,
        .defers = REASON_SYSTEMLIMITS, .text = "the job is over a system limit",
        .is_used = any_system_limit, .refuses = refuse_oversized},
    {.name = "CLUSTER", .stage = ADMIT_EVER,
        .codes = CODE(WAIT_PARTITION) | CODE(WAIT_TOO_LARGE) | CODE(WAIT_FEASIBLE)
                 | CODE(WAIT_GRES),
        .on = ON_JOB | ON_CLASS | ON_NODES, .skip = ADMISSION_UNASKED,
        .defers = REASON_NORESOURCES,
        .text = "the job asks for more than the cluster has",
        .refuses = refuse_unplaceable},
    {.codes = CODE(WAIT_LIMIT), .stage = ADMIT_EVER,
        .on = ON_JOB | ON_CLASS | ON_SETTINGS, .skip = ADMISSION_UNASKED,
        .defers = REASON_POLICY, .text = "the job by itself is over a hard limit",
        .is_used = any_limit, .refuses = refuse_alone},
    {.codes = CODE(WAIT_LIMIT), .stage = ADMIT_SOFT,
        .on = ON_JOB | ON_CLASS | ON_CLOCK | ON_SETTINGS | ON_JOBS,
        .skip = ADMISSION_UNASKED,
        .is_used = any_limit, .refuses = refuse_by_soft},
    {.codes = CODE(WAIT_LIMIT), .stage = ADMIT_HARD,
        .on = ON_JOB | ON_CLASS | ON_CLOCK | ON_SETTINGS | ON_JOBS,
        .skip = RUN_ANY_LIMIT | RUN_ANY_POLICY,
        .is_used = any_limit, .refuses = refuse_by_hard},
    {.name = "FUNDS", .codes = CODE(WAIT_FUNDS), .stage = ADMIT_SOFT,
        .on = ON_JOB | ON_CLASS | ON_CLOCK | ON_SETTINGS | ON_JOBS | ON_USAGE,
        .skip = ADMISSION_UNASKED, .is_used = costs_anything,
        .refuses = refuse_unfunded},
    {.name = "FUNDS", .codes = CODE(WAIT_FUNDS), .stage = ADMIT_HARD,
        .on = ON_JOB | ON_CLASS | ON_CLOCK | ON_SETTINGS | ON_JOBS | ON_USAGE,
        .skip = RUN_ANY_POLICY, .is_used = costs_anything, .refuses = refuse_unfunded},
};
/* clang-format on */

#define CHECKS (sizeof checks / sizeof checks[0])

const struct admission_check *admission_checks(size_t *ret_n)
{
    *ret_n = CHECKS;
    return checks;
}

/* ---- which rows are in use ---- */

/* What nobody tells the queue of. */
#define UNSEEN (ON_JOBS | ON_USAGE)

void admission_configure(struct engine *e)
{
    struct admission_use *use = &e->admission.use;

    *use = (struct admission_use){0};
    for (size_t i = 0; i < CHECKS; i++) {
        uint32_t row = UINT32_C(1) << i;
        if (checks[i].is_used && !checks[i].is_used(e))
            continue;
        use->on |= checks[i].on;
        use->stages |= checks[i].stage;
        use->queued |= checks[i].stage == ADMIT_QUEUED ? row : 0;
        use->ever |= checks[i].stage == ADMIT_EVER ? row : 0;
        use->soft |= checks[i].stage == ADMIT_SOFT ? row : 0;
        use->hard |= checks[i].stage == ADMIT_HARD ? row : 0;
        use->by_class |= checks[i].on & ON_CLASS ? row : 0;
        use->spares_plain |= checks[i].spares_plain ? row : 0;
        use->unseen |= checks[i].on & UNSEEN ? row : 0;
    }
}

void admission_notice(struct engine *e, const struct job *j)
{
    bool deps = e->uses.deps || dependency_has(j),
         arrays = e->uses.arrays || arrays_limits(j);

    if (deps == e->uses.deps && arrays == e->uses.arrays)
        return;
    e->uses.deps = deps;
    e->uses.arrays = arrays;
    admission_configure(e);
}

static uint32_t rows_of(const struct admission_use *use, unsigned stages)
{
    return (stages & ADMIT_QUEUED ? use->queued : 0)
           | (stages & ADMIT_EVER ? use->ever : 0)
           | (stages & ADMIT_SOFT ? use->soft : 0)
           | (stages & ADMIT_HARD ? use->hard : 0);
}

/* ---- asking it ---- */

static bool is_plain(const struct engine *e, const struct job *j)
{
    return j->state == JOB_IDLE && j->holds == 0 && j->release_at <= e->now
           && !dependency_has(j);
}

/* The first of these rows that refuses the job. */
static const struct admission_check *find_refusal(
    const struct engine *e, const struct job *j, uint32_t rows, struct reason *ret)
{
    if (is_plain(e, j))
        rows &= ~e->admission.use.spares_plain;
    *ret = (struct reason){.kind = CRED_KINDS, .kind2 = CRED_KINDS, .asked = j->tasks};
    for (; rows; rows &= rows - 1) {
        const struct admission_check *row = &checks[__builtin_ctz(rows)];
        if ((row->concerns && !row->concerns(j)) || !row->refuses(e, j, ret))
            continue;
        if (ret->code == WAIT_NONE)
            ret->code = (uint8_t)__builtin_ctzll(row->codes);
        return row;
    }
    return NULL;
}

const struct admission_check *admission_refusal(
    const struct engine *e, const struct job *j, unsigned stages, struct reason *ret)
{
    return find_refusal(e, j, rows_of(&e->admission.use, stages), ret);
}

size_t admission_refusals(
    const struct engine *e, const struct job *j, struct reason *ret, size_t max)
{
    uint32_t rows = rows_of(&e->admission.use, ~0U);
    size_t n = 0;

    while (rows && n < max) {
        const struct admission_check *row = find_refusal(e, j, rows, &ret[n]);
        if (!row)
            break;
        n++;
        rows &= ~((UINT32_C(2) << (row - checks)) - 1); /* those behind it */
    }
    return n;
}

const struct admission_check *admission_class_refusal(
    const struct engine *e, const struct job *j, unsigned stages, struct reason *ret)
{
    const struct admission_use *use = &e->admission.use;

    return find_refusal(e, j, rows_of(use, stages) & use->by_class, ret);
}

const struct admission_check *admission_run_refusal(
    const struct engine *e, const struct job *j, unsigned flags, struct reason *ret)
{
    uint32_t rows = rows_of(&e->admission.use, ~0U), asked = 0;

    for (; rows; rows &= rows - 1)
        if (!(checks[__builtin_ctz(rows)].skip & (flags | ADMISSION_UNASKED)))
            asked |= rows & -rows;
    return find_refusal(e, j, asked, ret);
}

bool admission_gives(enum wait_code code)
{
    for (size_t i = 0; i < CHECKS; i++)
        if (checks[i].codes >> code & 1)
            return true;
    return false;
}

/* ---- how long answers stand ---- */

unsigned admission_depends(const struct engine *e)
{
    return e->admission.use.on;
}

bool admission_asks(const struct engine *e, enum admission_stage stage)
{
    return e->admission.use.stages & stage;
}

bool admission_stands(const struct engine *e, const struct job *j)
{
    const struct admission_use *use = &e->admission.use;

    for (uint32_t m = use->unseen & (use->queued | use->ever); m; m &= m - 1) {
        const struct admission_check *row = &checks[__builtin_ctz(m)];
        if (!row->concerns || row->concerns(j))
            return false;
    }
    return true;
}

struct admission_stop admission_stop_of(const struct engine *e, const struct job *j)
{
    struct admission_stop stop = {0};
    struct reason why;

    stop.check = admission_refusal(e, j, ADMIT_QUEUED, &why);
    if (stop.check) {
        stop.on = stop.check->on;
        stop.until = why.until;
        return stop;
    }
    for (size_t i = 0; i < CHECKS; i++)
        if (checks[i].stage == ADMIT_EVER)
            stop.on |= checks[i].on;
    return stop;
}

struct admission_world admission_world_of(const struct engine *e)
{
    return (struct admission_world){.settings = e->c->config_epoch,
        .nodes = e->c->node_epoch + plan_layout(e->plan),
        .reservations = e->c->rsv_epoch};
}

unsigned admission_changed(
    const struct admission_world *before, const struct admission_world *now)
{
    return ON_PRIORITY | UNSEEN | (before->settings != now->settings ? ON_SETTINGS : 0)
           | (before->nodes != now->nodes ? ON_NODES : 0)
           | (before->reservations != now->reservations ? ON_RESERVATIONS : 0);
}
