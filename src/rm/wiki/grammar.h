/* SPDX-License-Identifier: Apache-2.0
 * Records of jobs and nodes as texts, in two forms:
 *
 *     n1:STATE=Idle;CPROC=4;FEATURE=fast:big;#n2:...     between two # of a reply
 *     n1 STATE=Idle CPROC=4 FEATURE=fast:big             a line; # begins a comment
 *
 * A backslash takes the next character as it is, double quotes all up to the next. In a
 * record that has one quote too many, a user's own, quotes shield nothing; nor, in a
 * reply that is WIKI_BARE (reply.h), a # between records. */
#ifndef MAUI_RM_WIKI_GRAMMAR_H
#define MAUI_RM_WIKI_GRAMMAR_H

#include "base/err.h"
#include "base/vec.h"

#include <stdbool.h>

enum wiki_form { WIKI_REPLY, WIKI_BARE, WIKI_LINES };

struct wiki_field {
    const char *name, *value; /* value: as written, backslashes and quotes included */
};

/* Zeroed: empty. */
struct wiki_record {
    const char *id; /* NULL: it has none */
    struct VEC(struct wiki_field) fields;
    char *text; /* owned; all of the above lie in it */
};

#define WIKI_ID_MAX      63      /* bytes */
#define WIKI_FIELDS_MOST 1000    /* of a record */
#define WIKI_PARTS_MOST  1000000 /* of a value: tasks, hosts */

/* A value that is a list, as it is walked. */
struct wiki_list {
    const char *at, *end;
    bool quotes; /* they shield */
};

/* The next record of the text up to `end`, `*io` behind it; blank ones and comments are
 * left out. False at the end. */
bool wiki_next(const char **io, const char *end, enum wiki_form form, const char **ret,
    size_t *ret_n);
/* Its parts. -1 with an error when it is none; the id is then there if it could be
 * read. What was in `ret` is freed first. */
int wiki_split(struct wiki_record *ret, const char *text, size_t n, enum wiki_form form,
    struct err *err);
void wiki_record_fini(struct wiki_record *r);

/* The value of a field without what shields it, into `to`, which is as long at least.
 * Returns its length. */
size_t wiki_plain(char *to, const char *value, size_t n);
/* The parts of a value between colons that nothing shields, one after the other; empty
 * ones are left out. False at the end. O(length) for all of them. */
struct wiki_list wiki_list_of(const char *value);
bool wiki_list_next(struct wiki_list *io, const char **ret, size_t *ret_n);

#endif
