/* SPDX-License-Identifier: Apache-2.0
 * Access lists of reservations as text: USERLIST=ann+,!bob,carl-* and the like.
 *
 *     <entry>[<separator><entry>...]     separators , | : and blanks; of times , |
 *     entry = [!][*]value[+ or - or =][*][!]
 *
 * Marks: + positive affinity (default), - negative, = neutral, * required, ! not.
 * Numbers (times, processors, tasks) take < <= > >= == in front; <= is meant when
 * there is none. The name ALL means everybody. What an entry decides is in
 * policy/acl. Source: reference reservations 4.1. */
#ifndef MAUI_CONFIG_ACLTEXT_H
#define MAUI_CONFIG_ACLTEXT_H

#include "base/err.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* The first five are the kinds of credentials, in the order of enum cred_kind. */
enum acl_type {
    ACL_USER,
    ACL_GROUP,
    ACL_ACCOUNT,
    ACL_CLASS,
    ACL_QOS,
    ACL_JOBATTR,
    ACL_DURATION, /* of the overlap, seconds (TIMELIMIT) */
    ACL_PROCS,    /* of the job (PROCLIMIT) */
    ACL_TASKS,    /* of the job (TASKLIMIT) */
    ACL_TYPES
};

/* In the order in which matched resources are used. */
enum acl_affinity { ACL_POSITIVE, ACL_NEUTRAL, ACL_NEGATIVE };

enum acl_cmp { ACL_LE, ACL_LT, ACL_EQ, ACL_GE, ACL_GT };

struct acl_entry {
    uint8_t type;     /* enum acl_type */
    uint8_t affinity; /* enum acl_affinity */
    uint8_t cmp;      /* enum acl_cmp, of numeric types */
    bool required;    /* * */
    bool negated;     /* ! */
    bool any;         /* ALL: matches whatever the job is */
    uint32_t flags;   /* job attribute: enum job_flag bits, one of them suffices */
    int64_t value;    /* numeric types */
    char *name;       /* owned; NULL for numeric types */
    /* kept by policy/acl: the credential of that name, as far as it was known when
     * there were `known` of its kind */
    uint32_t cred, known;
};

struct acl {
    struct VEC(
        struct acl_entry) entries; /* in the order given: the last match counts */
};

/* Add the entries of one list to the end of *acl. -1 with a sentence, and nothing
 * added: an empty name, ^ (which is not supported), a number or an attribute that is
 * none. A time of -1 is no entry at all. */
int acltext_parse(
    enum acl_type type, const char *text, struct acl *acl, struct err *err);

/* Remove all entries of one type. */
void acltext_drop(struct acl *acl, enum acl_type type);

/* As the displays show it: `CLASS==batch+:==long+ QOS==low-`; != for !, * behind a
 * required one. Owned by the caller; "" for an empty list. */
char *acltext_format(const struct acl *acl);

/* One entry without its type: `==batch+`. Returns its length as snprintf does. */
int acltext_format_entry(const struct acl_entry *e, char *buf, size_t size);

/* A copy, owned by the caller; and the end of one. */
struct acl acltext_copy(const struct acl *acl);
void acltext_fini(struct acl *acl);

/* "USER", "DURATION" ... as displayed. */
const char *acltext_type_name(enum acl_type type);

#endif
