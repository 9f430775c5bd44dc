/* SPDX-License-Identifier: Apache-2.0
 * Fairshare: delivered usage in windows, decayed shares, targets, caps.
 * Source: reference fairshare. All functions do nothing when FSPOLICY is unset. */
#ifndef MAUI_POLICY_FAIRSHARE_H
#define MAUI_POLICY_FAIRSHARE_H

#include "cluster/cluster.h"

/* Open the windows up to the one `now` falls in (multiples of FSINTERVAL),
 * shifting and decaying. Returns how many windows were opened; 0 usually. */
uint32_t fs_roll(struct cluster *c, int64_t now);

/* Charge all active jobs for (since, now], not before a job's own start. O(active). */
void fs_charge(struct cluster *c, int64_t since, int64_t now);

/* Recompute the decayed sums (after loading windows or changed settings). */
void fs_refresh(struct cluster *c);

/* Decayed usage, decayed total, and share in percent (0 when the total is 0). */
double fs_use(const struct cluster *c, const struct fs_usage *u);
double fs_share(const struct cluster *c, const struct cred *k);

/* The target that applies to a credential: its own, else DEFAULT's, else none. */
struct fs_target fs_target_of(const struct cred *k);

/* v of the priority formula for this credential: difference or ratio form, floor
 * and ceiling applied, not yet capped or weighted. */
double fs_factor(const struct cluster *c, const struct cred *k);

/* Would a cap target (^ or %) of any of the job's credentials block it? True =
 * blocked, and *ret_why says by which. O(1). */
bool fs_blocks(const struct cluster *c, const struct job *j, struct reason *ret_why);

#endif
