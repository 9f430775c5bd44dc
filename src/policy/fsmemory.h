/* SPDX-License-Identifier: Apache-2.0
 * What of fairshare outlives a restart: windows, credential by credential, each with
 * the instant up to which it tells. A job that still runs after a restart is charged
 * from there on, or from its start, so a restart costs nobody's usage, nobody is
 * charged twice, and nothing has to be written while jobs merely run. */
#ifndef MAUI_POLICY_FSMEMORY_H
#define MAUI_POLICY_FSMEMORY_H

#include "config/kinds.h"

#include <stdbool.h>

struct cluster;
struct job;
struct reservation;

/* Usage of one credential, or of all together. */
struct fs_memory {
    enum cred_kind kind; /* CRED_KINDS: all */
    const char *name;    /* NULL: all */
    int64_t at;
    uint32_t n;                  /* windows that count: those after them are empty */
    double window[FS_DEPTH_MAX]; /* [0] = the one that `at` is in */
};

/* ---- out ---- */

/* Its usage is to be written down: for policy/fairshare. O(1). */
void fsmemory_touch(struct cluster *c, enum cred_kind kind, uint32_t index);

/* The same for everybody who uses something now. O(credentials). */
void fsmemory_touch_active(struct cluster *c);

/* Those touched since fsmemory_saved(), or all that ever used something, as of `now`.
 */
void fsmemory_each(const struct cluster *c, bool all, int64_t now, void *ctx,
    void (*each)(void *ctx, const struct fs_memory *m));
void fsmemory_saved(struct cluster *c);

/* ---- in: before jobs are told ---- */

/* Creates the credential if it is new. Windows for which there is no room, and values
 * that are no amounts, are left out; without fairshare everything is. */
void fsmemory_load(struct cluster *c, const struct fs_memory *m, int64_t now);

/* The job is being charged from now on (fs_job_start()), but ran since `start_at`
 * already, until `until`: what nobody has charged is charged to the windows it falls
 * in. O(FSDEPTH). */
void fsmemory_adopt(
    struct cluster *c, const struct job *j, int64_t start_at, int64_t until);

/* The same of a reservation that is being charged for what lies idle in it. */
void fsmemory_adopt_reservation(
    struct cluster *c, const struct reservation *r, int64_t until);

#endif
