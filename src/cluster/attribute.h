/* SPDX-License-Identifier: Apache-2.0
 * The attributes of a job and of one of its requests, each described once: what it is
 * called where, its type, where it lives, whether it may change. Who reads or writes
 * them walks these two tables:
 *
 *     JobRequest --submission--> job_desc <--rm/describe--> records of resource
 *                                |   ^                      managers and the journal
 *                     job_add()  |   | a change that is remembered
 *                                v   |
 *     the API <--render/job--  job <--job_change_apply-- job_change <-- mjobctl
 *
 * How to add one: CONTRIBUTING.md, "Add an attribute of a job". One flag is a row of
 * config/flags.c (its name, its bit); here they are one set. Dependencies are a row as
 * well, with a type and code of their own in each reader: "afterok:12" names another
 * job, so it is looked up, checked for circles and made one that can never hold. What a
 * job does at a moment (state, places, holds of the resource manager) is not here: it
 * is reported, not asked for. */
#ifndef MAUI_CLUSTER_ATTRIBUTE_H
#define MAUI_CLUSTER_ATTRIBUTE_H

#include "cluster/change.h"

struct cfg_keyword;

enum attribute_type {
    ATTRIBUTE_NUMBER, /* int64_t */
    ATTRIBUTE_TEXT,   /* const char *; NULL or "" = none */
    ATTRIBUTE_CRED,  /* the same: name of the credential whose member of `cred` it is */
    ATTRIBUTE_NAMES, /* const char *const *, NULL-terminated; NULL = none */
    ATTRIBUTE_FLAGS, /* uint32_t, enum job_flag */
    ATTRIBUTE_DEPS,  /* const struct dep *, job_id NULL ends; NULL = none */
    /* of requests alone */
    ATTRIBUTE_COUNT,      /* uint32_t */
    ATTRIBUTE_BOOL,       /* bool */
    ATTRIBUTE_NODES,      /* as ATTRIBUTE_NAMES: of nodes, in their order */
    ATTRIBUTE_AMOUNTS,    /* const struct gres_cfg *, name NULL ends; NULL = none */
    ATTRIBUTE_COMPARISON, /* struct cmp */
    ATTRIBUTE_WORD,       /* an enumeration: one of `words`; 0 = unset */
    ATTRIBUTE_NODESET     /* const struct nodeset_spec *; NULL = none */
};

/* Members are offsets; 0 in `job_at` or `extra_at`: it is not there. */
struct attribute {
    const char *wire;    /* in records of resource managers and of the journal */
    const char *request; /* in a submission; NULL = nobody asks for it */
    const char *shown;   /* in the record of a job, if it is shown just as it is */
    const char *label;   /* what checkjob prints before it; NULL = nothing */
    const char *said;    /* in refusals, if users have other words for `request` */
    enum attribute_type type;
    bool hidden;      /* from users whose job it is not */
    int64_t min, max; /* of a number in a submission */
    unsigned change;  /* enum change_bit; 0 = it does not change */
    size_t desc_at;   /* in struct job_desc */
    size_t job_at;    /* in struct job: a number */
    size_t extra_at;  /* in struct job_extra: a number or an owned text */
    /* Is this text one of its values? NULL = every text is. -1 with a sentence. */
    int (*check)(const char *text, struct err *err);
};

/* As each who may have asked for it wrote it. */
#define ARRAY_LIMIT_SAID "array_limit (%N of msub -t, arraylimit of mjobctl)"

/* The i-th, NULL after the last. */
const struct attribute *attribute_at(size_t i);
/* That of one change bit, or NULL. */
const struct attribute *attribute_changed(unsigned bit);
/* Of type ATTRIBUTE_CRED: of which kind. */
enum cred_kind attribute_cred(const struct attribute *a);
/* Are the texts among the members that count usable? 0 or -1 with a sentence. */
int attributes_check(const struct job_desc *d, unsigned what, struct err *err);

/* A member of a request. */
struct req_attribute {
    const char *wire;
    const char *request; /* in a Request of the API, asked for and shown; NULL = not */
    bool of_task;        /* there: in its member `per_task` */
    enum attribute_type type;
    int64_t usual;    /* of a number or count, where a submission says nothing */
    int64_t min, max; /* of a count in a submission; 0, 0 = that of its type */
    const struct cfg_keyword *words; /* of ATTRIBUTE_WORD */
    unsigned change;
    size_t desc_at;  /* in struct req_desc */
    size_t def_at;   /* in struct taskdef: names as ids; 0 = it is not there */
    size_t names_at; /* in struct cluster: the table of those ids */
};

const struct req_attribute *req_attribute_at(size_t i);
const struct req_attribute *req_attribute_changed(unsigned bit);

/* Of a value of the type in a description. */
size_t attribute_size(enum attribute_type type);

/* One member of a record, by its row. */
static inline void *attribute_in(const void *record, size_t at)
{
    return (char *)record + at;
}
static inline int64_t *attribute_number(const void *record, size_t at)
{
    return attribute_in(record, at);
}
static inline const char **attribute_text(const void *record, size_t at)
{
    return attribute_in(record, at);
}
static inline const char *const **attribute_names(const void *record, size_t at)
{
    return attribute_in(record, at);
}

/* What the change changes (`what`), put into a description; nothing is copied but the
 * pointers. And the same of one request. */
void attributes_apply(const struct job_change *ch, struct job_desc *d);
void req_attributes_apply(const struct job_change *ch, struct req_desc *r);

#endif
