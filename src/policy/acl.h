/* SPDX-License-Identifier: Apache-2.0
 * May this job use that reservation, and how gladly? Source: reference reservations
 * 4.2 to 4.4. */
#ifndef MAUI_POLICY_ACL_H
#define MAUI_POLICY_ACL_H

#include "cluster/reservation.h"

/* ---- who asks ---- */

#define ACL_WILDCARD UINT32_MAX /* any credential of that kind */

enum acl_confined {
    ACL_FREE,        /* may use any resources */
    ACL_TO_ANY,      /* only inside reservations it has access to */
    ACL_TO_NAMED,    /* only inside the reservations it names */
    ACL_BESIDE_NAMED /* any resources, but of reservations only those it names (FLEX) */
};

/* What an access list asks of a job. Made once a job and pass; borrows from it. */
struct acl_asker {
    uint32_t cred[CRED_KINDS]; /* indexes, or ACL_WILDCARD */
    const char
        *name[CRED_KINDS]; /* of one that may be unknown: in place of cred; NULL */
    uint32_t flags;        /* enum job_flag */
    bool any_flags;        /* wildcard: any job attribute */
    bool ignores_time;     /* QOS flag IGNSRMAXTIME */
    int64_t procs, tasks;  /* -1 = any number */
    enum acl_confined confined;
    const char *advres;          /* the reservation it names, or NULL */
    const struct text_list *use; /* or those its QOS or credentials name, or NULL */
    uint32_t passes;             /* RSV_PASSES_... of those it names and is let into */
};

struct acl_asker acl_asker_of(const struct cluster *c, const struct job *j);

/* Anybody: for showbf and window searches. Set what is known (cred, procs ...) in the
 * result. */
struct acl_asker acl_anybody(void);

/* ---- the decision ---- */

enum acl_code {
    ACL_GRANTED,     /* by the list */
    ACL_PASSED,      /* granted: the reservation that the job names lies over it */
    ACL_NOT_NAMED,   /* BYNAME, and the job does not name it */
    ACL_OTHER_NAMED, /* the job names another reservation */
    ACL_EMPTY,       /* no list: nobody (SYSTEM) */
    ACL_EXCLUDED,    /* by the ! entry */
    ACL_REQUIREMENT, /* no required entry of the type of `entry` matches */
    ACL_NO_MATCH,    /* nothing in the list matches */
    ACL_CODES
};

struct acl_verdict {
    bool granted;
    uint8_t code;      /* enum acl_code */
    uint8_t affinity;  /* enum acl_affinity, if granted */
    uint32_t entry;    /* that decided; INDEX_NONE = none in particular */
    int64_t overlap_s; /* as asked */
};

/* Decide for an overlap of so many seconds between job and reservation. Takes note of
 * credentials that became known in r->acl. O(entries). */
struct acl_verdict acl_decide(const struct cluster *c, struct reservation *r,
    const struct acl_asker *who, int64_t overlap_s);

/* Do both treat every asker alike that names no reservation? And a number that is the
 * same then. O(entries). */
bool acl_same(const struct reservation *a, const struct reservation *b);
uint64_t acl_hash(const struct reservation *r);

/* The same for a job. */
struct acl_verdict acl_decide_job(const struct cluster *c, struct reservation *r,
    const struct job *j, int64_t overlap_s);

/* Seconds that [start, end) and the reservation have in common. */
int64_t acl_overlap(const struct reservation *r, int64_t start, int64_t end);

/* Can the verdict differ for another overlap? If not, one holds for all times. */
bool acl_depends_on_overlap(const struct reservation *r);

/* The verdict for `overlap_s` holds up to this overlap: DURATION_UNLIMITED when no time
 * limit is met any more. */
int64_t acl_same_until(const struct reservation *r, int64_t overlap_s);

/* Does the asker name this reservation, by ADVRES or USERESERVED? */
bool acl_names(const struct acl_asker *who, const struct reservation *r);

/* May the asker, once granted access, use resources of `r` (NULL: resources in no
 * reservation)? False when it is confined to others. */
bool acl_confinement_allows(const struct acl_asker *who, const struct reservation *r);

/* May the job use no other resources than those of reservations? */
bool acl_is_confined(const struct cluster *c, const struct job *j);

/* The worse of two affinities: negative, then neutral, then positive. */
static inline enum acl_affinity acl_worse(enum acl_affinity a, enum acl_affinity b)
{
    return a > b ? a : b;
}

/* One sentence (no capital, no final period) on a refusal or a grant. Returns its
 * full length as snprintf does. */
int acl_format_reason(const struct cluster *c, const struct reservation *r,
    const struct acl_verdict *v, char *ret_text, size_t size);

#endif
