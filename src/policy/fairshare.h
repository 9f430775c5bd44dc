/* SPDX-License-Identifier: Apache-2.0
 * Fairshare: delivered usage in windows, decayed shares, targets, caps.
 * Source: reference fairshare. All functions do nothing when FSPOLICY is unset.
 *
 * Usage is recorded by rates: between two events every credential's use grows
 * linearly, so a job is looked at when it starts and when it stops, and time
 * passing costs nothing however many jobs are active. */
#ifndef MAUI_POLICY_FAIRSHARE_H
#define MAUI_POLICY_FAIRSHARE_H

#include "config/credcfg.h"

struct cluster;
struct cred;
struct fs_target;
struct fs_usage;
struct job;
struct reason;

/* Open the windows up to the one `now` falls in (multiples of FSINTERVAL),
 * shifting and decaying. Usage is split exactly at the boundary. Returns how many
 * windows were opened; 0 usually, and when called for the first time. O(1), or
 * O(credentials + jobs) when a window opens. Call after fs_charge(). */
uint32_t fs_roll(struct cluster *c, int64_t now);

/* The job begins to consume at `now` (started, resumed), or its measured use
 * changed. Its credentials must not change until fs_job_stop(). O(1) plus, with
 * USEMACHINESPEEDFORFS, the width of its allocation. */
void fs_job_start(struct cluster *c, struct job *j, int64_t now);

/* The job consumes no longer (ended, requeued, suspended), or its credentials are
 * about to change. Nothing happens for a job that was not started. O(1). */
void fs_job_stop(struct cluster *c, struct job *j, int64_t now);

/* From `now` on (perhaps a while ago, within the present window) so many processors lie
 * idle in the reservation: charged like the processors of a job to those who answer
 * for it, if anybody does. O(1). */
struct reservation;
void fs_reservation(
    struct cluster *c, struct reservation *r, double idle_procs, int64_t now);

/* Charge all started jobs for (since, now], each from its own start on. Time
 * before `since` that was never charged stays uncharged (the scheduler was down).
 * O(1) when nothing was left out. */
void fs_charge(struct cluster *c, int64_t since, int64_t now);

/* Assert that rates equal the sums over active jobs and idle reservations, counted from
 * nothing. For tests. O(all). */
void fs_check(const struct cluster *c);

/* Forget all that was used until `now`; what runs is charged from there on.
 * O(credentials + jobs). */
void fs_reset(struct cluster *c, int64_t now);

/* Recompute the decayed sums and the rates: after loading windows, changed settings
 * (also FSPOLICY switched on or off). O(credentials + jobs). */
void fs_refresh(struct cluster *c);

/* Usage in window `i` (0 = the current one, up to now), and how to load it. */
double fs_window(const struct cluster *c, const struct fs_usage *u, uint32_t i);
void fs_set_window(
    const struct cluster *c, struct fs_usage *u, uint32_t i, double value);

/* All windows as of `now`, with what the rate brings until then; `now` may be in a
 * window not opened yet. Changes nothing. O(FSDEPTH). */
void fs_windows_at(const struct cluster *c, const struct fs_usage *u, int64_t now,
    double ret[FS_DEPTH_MAX]);

/* Add what is remembered of before a restart: `n` windows as of `at`, which have grown
 * older by `now`. Values that are no amounts are left out. */
void fs_load(struct cluster *c, struct fs_usage *u, int64_t at, const double *windows,
    uint32_t n, int64_t now);

/* Decayed usage, and share in percent of the decayed total (0 when that is 0). */
double fs_use(const struct cluster *c, const struct fs_usage *u);
double fs_share(const struct cluster *c, const struct cred *k);

/* The target that applies to a credential: its own, else DEFAULT's, else none. */
struct fs_target fs_target_of(const struct cred *k);

/* v of the priority formula for this credential: difference or ratio form, floor
 * and ceiling applied, not yet capped or weighted. 0 for DEFAULT, which stands for
 * a credential the job does not have. */
double fs_factor(const struct cluster *c, const struct cred *k);

/* Would a cap target (^ or %) of any of the job's credentials block it? True =
 * blocked, and *ret_why says by which; its amounts are usage units, and `until` is
 * when use decays next, unless the job alone is over the cap. O(1). */
bool fs_blocks(const struct cluster *c, const struct job *j, struct reason *ret_why);

/* Is there any cap target at all? O(sections). */
bool fs_any_cap(const struct cluster *c);

#endif
