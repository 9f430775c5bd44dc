/* SPDX-License-Identifier: Apache-2.0
 * Fairshare: delivered usage in windows, decayed shares, targets, caps.
 *
 * With R the rate at which a credential's active jobs consume and T the start of
 * the window, its use in the current window at the instant fs_at is
 *
 *     window[0] + R * (fs_at - T)
 *
 * A job of rate r that starts at s adds r to R and takes r * (s - T) from window[0];
 * when it stops at e, r * (e - T) comes back. With whole processors every number
 * is an integer, so this is exactly the sum over jobs, not an approximation. */
#include "policy/fairshare.h"

#include "base/near.h"
#include "config/settings.h"
#include "policy/fsmemory.h"
#include "policy/rsvrights.h"

#include <assert.h>
#include <string.h>

static bool is_on(const struct cluster *c)
{
    return c->cfg->fs.policy != FS_OFF && c->cfg->fs.interval_s > 0;
}

static uint32_t depth(const struct cluster *c)
{
    int64_t n = c->cfg->fs.depth;

    return n < 1 ? 1 : n > FS_DEPTH_MAX ? FS_DEPTH_MAX : (uint32_t)n;
}

/* Start of the window that `at` falls in, also before the epoch. */
static int64_t window_start(const struct cluster *c, int64_t at)
{
    int64_t length = c->cfg->fs.interval_s, past = at % length;

    return at - (past < 0 ? past + length : past);
}

/* Do something to the usage of every credential and of the total. */
static void for_each_usage(struct cluster *c,
    void (*fn)(const struct cluster *c, struct fs_usage *u, int64_t arg), int64_t arg)
{
    for (int kind = 0; kind < CRED_KINDS; kind++)
        for (size_t i = 1; i < c->creds[kind].n; i++)
            fn(c, &c->creds[kind].v[i]->fs, arg);
    fn(c, &c->fs_total, arg);
}

/* ---- rates ------------------------------------------------------------------ */

/* Mean relative speed of the job's nodes; 1 unless USEMACHINESPEEDFORFS. */
static double mean_speed(const struct cluster *c, const struct job *j)
{
    double sum = 0;
    uint64_t nodes = 0;

    if (!c->cfg->fs.use_machine_speed)
        return 1;
    for (size_t i = 0; i < j->alloc.n; i++) {
        const struct alloc *a = &j->alloc.v[i];

        for (uint32_t n = 0; n < a->count; n++)
            sum += node_at(c, a->first + n)->speed;
        nodes += a->count;
    }
    return nodes ? sum / (double)nodes : 1;
}

/* What the job is charged per second; processors nobody measures count as used. */
static double rate_of(const struct cluster *c, const struct job *j)
{
    double rate = (double)j->procs;

    if (c->cfg->fs.policy == FS_DEDICATEDPES)
        rate = job_pe(c, j);
    else if (c->cfg->fs.policy == FS_UTILIZEDPS && j->util_known)
        rate = j->util_procs;
    return rate > 0 ? rate * mean_speed(c, j) : 0;
}

static void add_rate(struct fs_usage *u, double rate, double owed)
{
    u->rate += rate;
    u->window[0] -= owed;
}

/* Let everything the job has grow by `rate` from `now` on. */
static void add_job_rate(struct cluster *c, struct job *j, double rate, int64_t now)
{
    double owed = rate * (double)(now - c->fs_window_at);

    for (int kind = 0; kind < CRED_KINDS; kind++)
        if (j->cred[kind])
            add_rate(&job_cred(c, j, (enum cred_kind)kind)->fs, rate, owed);
    add_rate(&c->fs_total, rate, owed);
    j->fs_rate += rate;
}

/* What was used is told by no rate any more. */
static void note_changed(struct cluster *c, const uint32_t cred[CRED_KINDS])
{
    for (int kind = 0; kind < CRED_KINDS; kind++)
        if (cred[kind])
            fsmemory_touch(c, (enum cred_kind)kind, cred[kind]);
    fsmemory_touch(c, CRED_KINDS, 0);
}

void fs_job_stop(struct cluster *c, struct job *j, int64_t now)
{
    if (j->fs_rate == 0)
        return;
    add_job_rate(c, j, -j->fs_rate, now);
    j->fs_rate = 0;
    note_changed(c, j->cred);
}

static void add_rsv_rate(
    struct cluster *c, struct reservation *r, double rate, int64_t now)
{
    double owed = rate * (double)(now - c->fs_window_at);

    for (int kind = 0; kind < CRED_KINDS; kind++)
        if (r->fs_cred[kind])
            add_rate(&c->creds[kind].v[r->fs_cred[kind]]->fs, rate, owed);
    add_rate(&c->fs_total, rate, owed);
    r->fs_rate += rate;
}

void fs_reservation(
    struct cluster *c, struct reservation *r, double idle_procs, int64_t now)
{
    bool anybody = false;

    if (!is_on(c) || !c->fs_open) {
        r->fs_rate = 0;
        return;
    }
    if (now < c->fs_window_at)
        now = c->fs_window_at;
    if (r->fs_rate > 0) {
        add_rsv_rate(c, r, -r->fs_rate, now);
        note_changed(c, r->fs_cred);
    }
    r->fs_rate = 0;
    for (int kind = 0; kind < CRED_KINDS; kind++) {
        r->fs_cred[kind] = rsvrights_accountable(r, (enum cred_kind)kind);
        anybody |= r->fs_cred[kind] != 0;
    }
    if (anybody && idle_procs > 0)
        add_rsv_rate(c, r, idle_procs, now);
}

/* Forget the rate; what was used until now stays. */
static void drop_rate(const struct cluster *c, struct fs_usage *u, int64_t at)
{
    u->window[0] += u->rate * (double)(at - c->fs_window_at);
    u->rate = 0;
}

/* Add up the rates again from the jobs that are active. Rounding errors and
 * forgotten jobs thus live no longer than a window. */
static void sum_rates(struct cluster *c)
{
    for_each_usage(c, drop_rate, c->fs_at);
    for (size_t i = 0; i < c->jobs.n; i++) {
        struct job *j = c->jobs.v[i];

        if (!j)
            continue;
        j->fs_rate = 0;
        if (job_is_active(j) && is_on(c))
            add_job_rate(c, j, rate_of(c, j), c->fs_at);
    }
    for (size_t i = 0; i < c->reservations.n; i++) {
        struct reservation *r = c->reservations.v[i];

        if (!r)
            continue;
        r->fs_rate = 0;
        if (r->use_open)
            fs_reservation(c, r, (double)(r->held_procs - r->active_procs), c->fs_at);
    }
}

static void grow_from(const struct cluster *c, struct fs_usage *u, int64_t at)
{
    u->window[0] -= u->rate * (double)(at - c->fs_window_at);
}

/* The very first window: nothing was recorded before `now`. */
static bool open_first(struct cluster *c, int64_t now)
{
    if (c->fs_open)
        return false;
    c->fs_open = true;
    c->fs_window_at = window_start(c, now);
    c->fs_at = now;
    for_each_usage(c, grow_from, now);
    return true;
}

void fs_job_start(struct cluster *c, struct job *j, int64_t now)
{
    if (!is_on(c))
        return;
    open_first(c, now);
    fs_job_stop(c, j, now);
    add_job_rate(c, j, rate_of(c, j), now);
    if (j->suspended_s > 0) /* else the rate is taken to tell of it since its start */
        note_changed(c, j->cred);
}

/* ---- windows ---------------------------------------------------------------- */

static void sum_old(const struct cluster *c, struct fs_usage *u, int64_t unused)
{
    double weight = 1;

    (void)unused;
    u->old = 0;
    for (uint32_t i = 1; i < depth(c); i++) {
        weight *= c->cfg->fs.decay;
        u->old += u->window[i] * weight;
    }
}

/* Close `opened` windows, each of which grew as the rate says to its end. */
static void shift(const struct cluster *c, struct fs_usage *u, int64_t opened)
{
    double full = u->rate * (double)c->cfg->fs.interval_s;

    u->window[0] += full;
    for (int64_t i = 0; i < opened && i < FS_DEPTH_MAX; i++) {
        memmove(&u->window[1], &u->window[0], sizeof u->window - sizeof u->window[0]);
        u->window[0] = full;
    }
    u->window[0] = 0;
}

static uint32_t open_windows(struct cluster *c, int64_t now)
{
    int64_t start = window_start(c, now);
    int64_t opened = (start - c->fs_window_at) / c->cfg->fs.interval_s;

    if (opened > 0)
        for_each_usage(c, shift, opened);
    if (opened > 0)
        c->fs_window_at = start;
    return opened <= 0 ? 0 : opened > UINT32_MAX ? UINT32_MAX : (uint32_t)opened;
}

/* Nothing is charged for (fs_at, since]: as if no job had been active then. */
static void leave_out(struct cluster *c, int64_t since)
{
    for_each_usage(c, drop_rate, c->fs_at);
    open_windows(c, since);
    c->fs_at = since;
    sum_rates(c);
    for_each_usage(c, sum_old, 0);
}

void fs_charge(struct cluster *c, int64_t since, int64_t now)
{
    if (!is_on(c))
        return;
    open_first(c, since);
    if (since > c->fs_at)
        leave_out(c, since);
    if (now > c->fs_at)
        c->fs_at = now;
}

void fs_windows_at(const struct cluster *c, const struct fs_usage *u, int64_t now,
    double ret[FS_DEPTH_MAX])
{
    struct fs_usage then = *u;
    int64_t start = now > c->fs_window_at ? window_start(c, now) : c->fs_window_at;

    if (start > c->fs_window_at)
        shift(c, &then, (start - c->fs_window_at) / c->cfg->fs.interval_s);
    then.window[0] += then.rate * (double)(now - start);
    memcpy(ret, then.window, sizeof then.window);
}

void fs_load(struct cluster *c, struct fs_usage *u, int64_t at, const double *windows,
    uint32_t n, int64_t now)
{
    if (!is_on(c))
        return;
    open_first(c, now);
    int64_t past = (c->fs_window_at - window_start(c, at)) / c->cfg->fs.interval_s;

    for (uint32_t i = 0; past >= 0 && i < n && i + past < FS_DEPTH_MAX; i++)
        if (windows[i] > 0)
            u->window[i + past] += windows[i];
    u->loaded_at = at;
    sum_old(c, u, 0);
}

uint32_t fs_roll(struct cluster *c, int64_t now)
{
    uint32_t opened;

    if (!is_on(c) || open_first(c, now))
        return 0;
    opened = open_windows(c, now);
    if (opened == 0)
        return 0;
    if (now > c->fs_at)
        c->fs_at = now;
    sum_rates(c);
    for_each_usage(c, sum_old, 0);
    return opened;
}

/* Nothing was used up to fs_at. */
static void forget(const struct cluster *c, struct fs_usage *u, int64_t arg)
{
    (void)arg;
    for (uint32_t i = 0; i < FS_DEPTH_MAX; i++)
        fs_set_window(c, u, i, 0);
    u->old = 0;
}

void fs_reset(struct cluster *c, int64_t now)
{
    if (!is_on(c))
        return;
    fs_charge(c, c->fs_at, now);
    fs_roll(c, now);
    for_each_usage(c, forget, 0);
    for (int kind = 0; kind < CRED_KINDS; kind++)
        for (uint32_t i = 1; i < c->creds[kind].n; i++)
            fsmemory_touch(c, (enum cred_kind)kind, i);
    fsmemory_touch(c, CRED_KINDS, 0);
}

void fs_refresh(struct cluster *c)
{
    for_each_usage(c, drop_rate, c->fs_at);
    if (is_on(c)) {
        open_windows(c, c->fs_at);
        c->fs_window_at = window_start(c, c->fs_at);
        for_each_usage(c, sum_old, 0);
    }
    sum_rates(c);
}

double fs_window(const struct cluster *c, const struct fs_usage *u, uint32_t i)
{
    if (i == 0)
        return u->window[0] + u->rate * (double)(c->fs_at - c->fs_window_at);
    return i < FS_DEPTH_MAX ? u->window[i] : 0;
}

void fs_set_window(
    const struct cluster *c, struct fs_usage *u, uint32_t i, double value)
{
    if (i == 0)
        u->window[0] = value - u->rate * (double)(c->fs_at - c->fs_window_at);
    else if (i < FS_DEPTH_MAX)
        u->window[i] = value;
}

/* ---- shares and targets ----------------------------------------------------- */

double fs_use(const struct cluster *c, const struct fs_usage *u)
{
    return fs_window(c, u, 0) + u->old;
}

double fs_share(const struct cluster *c, const struct cred *k)
{
    double total = fs_use(c, &c->fs_total);

    return total > 0 ? 100 * fs_use(c, &k->fs) / total : 0;
}

struct fs_target fs_target_of(const struct cred *k)
{
    static const struct fs_target none = {FS_TARGET_NONE, 0};
    const struct fs_target *own = &k->cfg->fstarget, *def = &k->def->fstarget;

    if (own->type != FS_TARGET_NONE && own->value > 0)
        return *own;
    if (def->type != FS_TARGET_NONE && def->value > 0)
        return *def;
    return k->rm_fstarget > 0 ? (struct fs_target){FS_TARGET_PLAIN, k->rm_fstarget}
                              : none;
}

double fs_factor(const struct cluster *c, const struct cred *k)
{
    struct fs_target t = fs_target_of(k);
    double v, share;

    if (!is_on(c) || k->index == 0 || !(fs_use(c, &c->fs_total) > 0))
        return 0;
    share = fs_share(c, k);
    v = c->cfg->fs.percent && t.value > 0 ? 1 - share / t.value : t.value - share;
    switch (t.type) {
    case FS_TARGET_PLAIN:
        return v;
    case FS_TARGET_FLOOR:
        return v > 0 ? v : 0;
    case FS_TARGET_CEILING:
        return v < 0 ? v : 0;
    case FS_TARGET_NONE:
    case FS_TARGET_ABS_CAP:
    case FS_TARGET_REL_CAP:
        break;
    }
    return 0;
}

/* ---- caps ------------------------------------------------------------------- */

static int64_t whole(double v)
{
    return v < (double)DURATION_UNLIMITED ? (int64_t)v : DURATION_UNLIMITED;
}

/* The use at which the target blocks; negative if it is no cap in force. */
static double cap_of(const struct cluster *c, const struct cred *k)
{
    struct fs_target t = fs_target_of(k);

    if (t.type == FS_TARGET_ABS_CAP)
        return t.value;
    return t.type == FS_TARGET_REL_CAP ? fs_use(c, &c->fs_total) * t.value / 100 : -1;
}

/* Strictly above the cap, the job's whole request included; compared in the form
 * of the reference, so that a share just at its target is not blocked. */
static bool over_cap(const struct cluster *c, const struct cred *k, double req)
{
    struct fs_target t = fs_target_of(k);
    double use = fs_use(c, &k->fs) + req, total = fs_use(c, &c->fs_total);

    if (t.type == FS_TARGET_ABS_CAP)
        return use > t.value;
    return t.type == FS_TARGET_REL_CAP && total > 0 && 100 * use / total > t.value;
}

/* When old use decays; 0 when that would not help. */
static int64_t until(const struct cluster *c, const struct cred *k, double req)
{
    struct fs_target t = fs_target_of(k);

    if (t.type == FS_TARGET_ABS_CAP && req > t.value)
        return 0;
    return time_add(c->fs_window_at, c->cfg->fs.interval_s);
}

bool fs_blocks(const struct cluster *c, const struct job *j, struct reason *ret_why)
{
    double req;

    if (!is_on(c))
        return false;
    req = c->cfg->fs.policy == FS_DEDICATEDPES ? job_pe(c, j) : (double)j->procs;
    req *= (double)j->wclimit_s;
    for (int kind = 0; kind < CRED_KINDS; kind++) {
        const struct cred *k = job_cred(c, j, (enum cred_kind)kind);

        if (k->index == 0 || !over_cap(c, k, req))
            continue;
        *ret_why = (struct reason){
            .code = WAIT_FS_CAP,
            .kind = (uint8_t)kind,
            .kind2 = CRED_KINDS,
            .object = k->index,
            .object2 = INDEX_NONE,
            .limit = whole(cap_of(c, k)),
            .used = whole(fs_use(c, &k->fs)),
            .asked = whole(req),
            .until = until(c, k, req),
        };
        return true;
    }
    return false;
}

bool fs_any_cap(const struct cluster *c)
{
    for (int kind = 0; is_on(c) && kind < CRED_KINDS; kind++)
        for (size_t i = 0; i < c->cfg->creds[kind].n; i++) {
            enum fs_target_type type = c->cfg->creds[kind].v[i].fstarget.type;
            if (type == FS_TARGET_ABS_CAP || type == FS_TARGET_REL_CAP)
                return true;
        }
    return false;
}

/* ---- counted again ------------------------------------------------------------ */

/* Of a credential, or (kind CRED_KINDS) of all together. */
static double rate_counted(const struct cluster *c, int kind, uint32_t index)
{
    double sum = 0;

    for (size_t i = 0; i < c->jobs.n; i++) {
        const struct job *j = c->jobs.v[i];
        if (j && job_is_active(j) && (kind == CRED_KINDS || j->cred[kind] == index))
            sum += rate_of(c, j);
    }
    for (size_t i = 0; i < c->reservations.n; i++) {
        const struct reservation *r = c->reservations.v[i];
        if (r && (kind == CRED_KINDS || r->fs_cred[kind] == index))
            sum += r->fs_rate;
    }
    return sum;
}

static void check_rates(const struct cluster *c)
{
    for (int kind = 0; kind < CRED_KINDS; kind++)
        for (uint32_t i = 1; i < c->creds[kind].n; i++)
            assert(is_near(c->creds[kind].v[i]->fs.rate, rate_counted(c, kind, i)));
    assert(is_near(c->fs_total.rate, rate_counted(c, CRED_KINDS, 0)));
}

static bool answers(const struct reservation *r)
{
    for (int kind = 0; kind < CRED_KINDS; kind++)
        if (rsvrights_accountable(r, (enum cred_kind)kind))
            return true;
    return false;
}

void fs_check(const struct cluster *c)
{
    bool on = is_on(c);

    for (size_t i = 0; i < c->jobs.n; i++) {
        const struct job *j = c->jobs.v[i];
        if (j)
            assert(is_near(j->fs_rate, on && job_is_active(j) ? rate_of(c, j) : 0));
    }
    for (size_t i = 0; on && i < c->reservations.n; i++) {
        const struct reservation *r = c->reservations.v[i];
        if (r && r->changed == r->use_changed && r->use_open)
            assert(is_near(r->fs_rate,
                answers(r) ? (double)(r->held_procs - r->active_procs) : 0));
    }
    if (on)
        check_rates(c);
}
