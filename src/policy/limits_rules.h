/* SPDX-License-Identifier: Apache-2.0
 * Which value of a limit applies: own, DEFAULT's, the QOS's override or none, with
 * soft and hard put in order. Source: reference throttling, sections 2, 4 and 6. */
#ifndef MAUI_POLICY_LIMITS_RULES_H
#define MAUI_POLICY_LIMITS_RULES_H

#include "cluster/cred.h"
#include "cluster/reason.h"

struct par_settings;
struct settings;

#define LIMIT_OFF    INT64_MAX /* no limit */
#define LIMIT_DIMS   2         /* DIM_ACTIVE and DIM_IDLE have usage to compare with */
#define LIMIT_BIT(r) (1u << (r))

/* The values in force for one object, by level; LIMIT_OFF where there is none. */
struct limit_row {
    int64_t at[LEVEL_HARD + 1][LIMIT_RES_COUNT];
};

/* What a QOS changes for its jobs. Sets of resources are bit masks. */
struct limit_override {
    bool any;                                /* does it change anything? */
    uint32_t ignore[LIMIT_DIMS][CRED_KINDS]; /* IGN* flags, by kind limited */
    uint32_t set[LIMIT_DIMS];                /* OMAX<R>, OMAXI<R>; never MAXJOB */
    struct limit_row row[LIMIT_DIMS];
    uint32_t sys_ignore, sys_set; /* IGNSYS*, OMAXJ<R> */
    int64_t sys[LIMIT_RES_COUNT];
};

/* Written on a line at all? */
static inline bool limits_rules_set(const struct limit *v)
{
    return v->soft != 0 || v->hard != 0;
}

/* Put a written value into `row`: soft missing or looser than hard becomes hard,
 * negative becomes LIMIT_OFF, idle limits know hard only. In parts of limits_use.h, as
 * all values in rows. */
void limits_rules_put(
    struct limit_row *row, enum limit_res r, const struct limit *v, enum limit_dim dim);
void limits_rules_clear(struct limit_row *row);

/* The row of a credential object: own value, else that of DEFAULT. A QOS's OMAXJOB
 * and OMAXIJOB limit the QOS itself (section 4.1, first reading). */
void limits_rules_row(
    const struct cred *k, enum limit_dim dim, struct limit_row *ret_row);

/* The row of SYSCFG. */
void limits_rules_system_row(
    const struct settings *cfg, enum limit_dim dim, struct limit_row *ret_row);

/* What the QOS changes; O* values fall back to those of QOSCFG[DEFAULT], flags are
 * the QOS's own. */
void limits_rules_override(const struct cred *qos, struct limit_override *ret);

/* The value for a job under override `o` (may be NULL), given the object's own: an
 * override replaces limits that exist and makes no new ones. */
static inline int64_t limits_rules_apply(const struct limit_override *o,
    enum limit_dim dim, enum limit_res r, enum limit_level level, int64_t own)
{
    if (!o || own == LIMIT_OFF || !(o->set[dim] & LIMIT_BIT(r)))
        return own;
    return o->row[dim].at[level][r];
}

/* The limit on one job by itself for (partition's settings, resource): LIMIT_OFF =
 * none. *ret_qos: it is the QOS's OMAXJ<R>. */
int64_t limits_rules_system(const struct limit_override *o,
    const struct par_settings *par, enum limit_res r, bool *ret_qos);

#endif
