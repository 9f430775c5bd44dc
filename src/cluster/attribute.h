/* SPDX-License-Identifier: Apache-2.0
 * The attributes of a job that are one value or one list of names, each described once:
 * what it is called where, where it lives, whether it may change. Who reads or writes
 * them walks this table:
 *
 *     JobRequest --submitdraft--> job_desc <--rm/describe--> records of resource
 *                                  |   ^                     managers and the journal
 *                       job_add()  |   |  a change that is remembered
 *                                  v   |
 *     the API <--render_job--  job_extra <--job_change_apply-- job_change <-- mjobctl
 *
 * How to add one: CONTRIBUTING.md, "Add an attribute of a job". What has a shape of its
 * own (requests, dependencies, flags, states) is not here. */
#ifndef MAUI_CLUSTER_ATTRIBUTE_H
#define MAUI_CLUSTER_ATTRIBUTE_H

#include "cluster/change.h"

struct job_desc;

enum attribute_type {
    ATTRIBUTE_NUMBER, /* int64_t */
    ATTRIBUTE_TEXT,   /* const char *; NULL or "" = none */
    ATTRIBUTE_NAMES   /* const char *const *, NULL-terminated; NULL = none */
};

/* Members are offsets; 0 in `change_at` or `extra_at`: it is not there. */
struct attribute {
    const char *wire;    /* in records of resource managers and of the journal */
    const char *request; /* in a submission; NULL = nobody asks for it */
    const char *shown;   /* in the record of a job, if it is shown just as it is */
    enum attribute_type type;
    int64_t min, max; /* of a number in a submission */
    unsigned change;  /* enum change_bit; 0 = it does not change */
    size_t desc_at;   /* in struct job_desc */
    size_t change_at; /* in struct job_change */
    size_t extra_at;  /* in struct job_extra: an owned text */
};

/* The i-th, NULL after the last. */
const struct attribute *attribute_at(size_t i);
/* That of one change bit, or NULL. */
const struct attribute *attribute_changed(unsigned bit);

static inline int64_t *attribute_number(void *record, size_t at)
{
    return (int64_t *)((char *)record + at);
}
static inline const char **attribute_text(void *record, size_t at)
{
    return (const char **)((char *)record + at);
}
static inline const char *const **attribute_names(void *record, size_t at)
{
    return (const char *const **)((char *)record + at);
}

/* What a change says of all attributes of the table, as a description, and back.
 * Nothing is copied but the pointers. */
void attributes_of_change(const struct job_change *ch, struct job_desc *ret);
void attributes_to_change(const struct job_desc *d, struct job_change *ret);
/* What it changes (`what`), put into the description. */
void attributes_apply(const struct job_change *ch, struct job_desc *d);

#endif
