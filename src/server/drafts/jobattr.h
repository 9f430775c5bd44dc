/* SPDX-License-Identifier: Apache-2.0
 * Attributes of jobs that people change by name (mjobctl -m): which there are, what
 * their values look like. Private to src/server. Source: reference commands, section 3.
 */
#ifndef MAUI_SERVER_JOBATTR_H
#define MAUI_SERVER_JOBATTR_H

#include "base/vec.h"
#include "cluster/change.h"
#include "cluster/job.h"
#include "config/texts.h"

enum jobattr_type {
    VALUE_NUMBER,
    VALUE_DURATION,
    VALUE_INSTANT,
    VALUE_NAME,
    VALUE_LIST,
    VALUE_DEPS,
    VALUE_FLAGS,
    VALUE_GRES,
    VALUE_HOLD,
    VALUE_NONE /* not to be changed: see `why` */
};

/* Besides enum change_bit: what is no change of the job in the engine. */
#define JOBATTR_SYSPRIO (1u << 28)
#define JOBATTR_QOS     (1u << 29)
#define JOBATTR_NAME    (1u << 30)
#define JOBATTR_MESSAGE (1u << 31)
#define JOBATTR_NOTES   (JOBATTR_NAME | JOBATTR_MESSAGE)
#define JOBATTR_OTHERS  (JOBATTR_SYSPRIO | JOBATTR_QOS | JOBATTR_NOTES)

/* Characters of a comment or message, as the API's description has it (openapi.json).
 */
#define JOBATTR_TEXT_MOST 1024

struct jobattr {
    const char *name;
    unsigned bit; /* enum change_bit, or one of JOBATTR_OTHERS */
    enum jobattr_type type;
    bool kept;       /* not in the memory of a job, so written down as it was asked */
    const char *why; /* VALUE_NONE: it cannot be changed */
};

/* By name, in any case; NULL with the nearest name in `err`. */
const struct jobattr *jobattr_find(const char *name, struct err *err);
/* The i-th, NULL after the last. */
const struct jobattr *jobattr_at(size_t i);
/* The numbers of a description that are changed here and kept in the memory of the job,
 * not as a change: JOBATTR_OWN of them. Once more described by its manager the job is
 * given them again. */
#define JOBATTR_OWN 3
const struct attribute *jobattr_own(size_t i);

struct jobattr_words VEC(char *);
struct jobattr_deps VEC(struct dep);

/* VALUE_NUMBER, VALUE_DURATION, VALUE_INSTANT; `relative`: a difference, which of an
 * instant is a duration. */
int jobattr_number(const struct jobattr *a, const char *text, bool relative,
    int64_t *ret, struct err *err);
/* Append words, owned, and a NULL. */
void jobattr_list(struct jobattr_words *ret, const char *text);
#define JOBATTR_DEP_FORMS "after:JOB, afterany:JOB, afterok:JOB, afternotok:JOB"

/* What stands behind "afterok:", in any case, and the type; NULL: it is not one of the
 * forms. */
const char *jobattr_dep(const char *text, enum dep_type *ret);
/* "afterok"; "never" for one that cannot be fulfilled any more. */
const char *jobattr_dep_word(enum dep_type type);
/* "afterok:12:13,after:14": appended, ids owned; job_id NULL ends. */
int jobattr_deps(struct jobattr_deps *ret, const char *text, struct err *err);
/* "matlab:2,scratch": appended, names owned; name NULL ends. */
int jobattr_gres(struct gres_list *ret, const char *text, struct err *err);
/* "user,batch" as HOLD_* bits, at least one. */
int jobattr_holds(const char *text, unsigned *ret, struct err *err);

#endif
