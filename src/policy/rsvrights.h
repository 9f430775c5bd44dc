/* SPDX-License-Identifier: Apache-2.0
 * Who may reserve and release, and who answers for what is reserved. Source: reference
 * reservations 1, 9, 11. */
#ifndef MAUI_POLICY_RSVRIGHTS_H
#define MAUI_POLICY_RSVRIGHTS_H

#include "cluster/reservation.h"
#include "policy/holds.h"

/* The scheduler itself, and administrators of level 1 and 2. */
bool rsvrights_rules(const struct actor *who);

/* May they make reservations at all (RESCTLPOLICY)? */
bool rsvrights_makes(const struct cluster *c, const struct actor *who);

/* Reservations of a user without MAXRSV. */
#define RSVRIGHTS_USER_MAX 20

/* May the actor make this reservation? Administrators may; others only under
 * RESCTLPOLICY ANY, as many as MAXRSV says. Programs run by triggers are for
 * administrators of level 1. For those of level 1 and 2 alone are: flags that take what
 * others have, another owner, who is charged, and what only a profile can bring. On
 * success a draft of an ordinary user is RSV_USER and accountable to the user, to
 * `group` (NULL = not known) and to the user's default account; nothing has changed on
 * failure. */
int rsvrights_reserve(struct cluster *c, struct reservation *draft,
    const struct actor *who, const char *group, struct err *err);

/* May the actor release it? Administrators any, others those they are accountable
 * for as users. */
int rsvrights_release(const struct cluster *c, const struct reservation *r,
    const struct actor *who, struct err *err);

/* May the actor make of `r` what the draft has under `what` (enum rsv_change)? The
 * draft is that of the whole reservation as it would be. Administrators may, others as
 * for releasing; what may be in it is decided as for a new one. */
int rsvrights_change(const struct cluster *c, const struct reservation *r,
    const struct reservation *draft, unsigned what, const struct actor *who,
    struct err *err);

/* May the actor release that of a job: administrators and the job's owner. */
int rsvrights_release_job(const struct cluster *c, const struct job *j,
    const struct actor *who, struct err *err);

/* The accountable credential of that kind, 0 = none. Where nobody was named, that is
 * the owner. */
uint32_t rsvrights_accountable(const struct reservation *r, enum cred_kind kind);

#endif
