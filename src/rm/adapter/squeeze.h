/* SPDX-License-Identifier: Apache-2.0
 * What a resource manager prints of its jobs, without what nobody here reads, while it
 * is read: a job's environment can have megabytes.
 *
 *     <job><id>7</id><env>...</env></job>   ->  <job><id>7</id></job>
 *     "7.h": {"env": {...}, "a": 1}         ->  "7.h": {"env": 0, "a": 1}
 *
 * A record that has more than its share all the same is cut to its key and a mark, and
 * so are all that come when the whole has become too long: a listing never fails for
 * its length. Whoever the records belong to has half of what the others leave of it, so
 * that one user's jobs do not hide those of others.
 *
 *     <job><id>7</id><maui_cut/></job>          "7.h": {"maui_cut": true}
 *
 * What is no sound text of its grammar comes out as no sound text. */
#ifndef MAUI_RM_ADAPTER_SQUEEZE_H
#define MAUI_RM_ADAPTER_SQUEEZE_H

#include "base/strbuf.h"

#include <stdbool.h>

#define SQUEEZE_CUT "maui_cut"

enum squeeze_grammar { SQUEEZE_XML, SQUEEZE_JSON };

/* Constant: it is not copied. */
struct squeeze_kind {
    enum squeeze_grammar grammar;
    /* Of XML elements open at a record, itself too; of JSON objects. */
    int depth;
    /* Members of a record that are kept (NULL ends; NULL: all) or dropped. */
    const char *const *keep, *const *drop;
    const char *key;  /* XML: the member that a record is called by */
    const char *free; /* XML: a member that does not count as its share; or NULL */
    const char
        *payer;   /* the member that says whose the record is, up to a @; or NULL */
    size_t share; /* bytes of a record, after that */
    size_t most;  /* bytes of the whole from which on records are cut */
};

struct squeeze;

struct squeeze *squeeze_new(const struct squeeze_kind *kind);
void squeeze_free(struct squeeze *s);
/* The next piece of what is printed; what is left of it goes to the end of `out`, which
 * nobody else writes to between two pieces. Costs a look at each byte. */
void squeeze_feed(struct squeeze *s, const char *text, size_t n, struct strbuf *out);

#endif
