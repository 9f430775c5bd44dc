/* SPDX-License-Identifier: Apache-2.0
 * What was told of things of one kind (nodes, jobs, reservations), and so what of the
 * next listing is new.
 *
 *     listing_begin      a look at all of them
 *     listing_see        one of them: to be told, or as before?
 *     listing_end        those that were not seen: gone
 *
 * A thing is gone when as many looks in a row as it was made with did not see it: a
 * list that somebody was just writing loses nothing. A driver may keep something of its
 * own beside each. */
#ifndef MAUI_RM_ADAPTER_LISTING_H
#define MAUI_RM_ADAPTER_LISTING_H

#include "rm/rm.h"

struct listing;

struct listing_kind {
    enum rm_report_kind gone; /* RM_NODE_GONE, RM_JOB_GONE, RM_RESERVATION_GONE */
    unsigned misses;          /* looks that have to miss it; 0 = 1 */
    /* Of jobs: whoever is told sees by itself that a limit is another, and knows of
     * those that it has ordered (struct rm_keeping). */
    bool limit_apart;
    size_t size;              /* of what the driver keeps beside each; all zero first */
    void (*fini)(void *data); /* frees what that owns; or NULL */
};

struct listing *listing_new(const struct listing_kind *kind);
void listing_destroy(struct listing *l);

void listing_begin(struct listing *l);
/* Seen. True: it is new, or other than what was told last, and is to be told now. */
bool listing_see(struct listing *l, const char *name, uint64_t digest);
/* The same for a report of it, which is told here if it is to be: whatever the report
 * says counts, but for its time and that it was `changed`. That is told of a job where
 * the driver says so (it waited and waits) and what it asks for is other than was told
 * last, be it its limit alone but for `limit_apart`. Costs the writing of a line. True
 * when it was told. */
bool listing_tell(struct listing *l, const char *name, const struct rm_report *r,
    const struct rm_sink *sink);
/* It is there, though nothing can be said of it just now: as before. */
void listing_keep(struct listing *l, const char *name);
/* Those that are gone are told and dropped. `whole` false: something in the listing
 * could not be read, so that nobody is missed. Returns how many were missed and are not
 * gone yet. */
size_t listing_end(struct listing *l, bool whole, const struct rm_sink *sink);

/* All is to be told anew; what is kept beside stays. */
void listing_forget(struct listing *l);
/* One is to be told anew. */
void listing_forget_one(struct listing *l, const char *name);

/* The name is another thing's by now: the former is told as gone. */
void listing_part(struct listing *l, const char *name, const struct rm_sink *sink);

/* What the driver keeps beside it; NULL: never seen, or gone. */
void *listing_find(const struct listing *l, const char *name);
/* One after the other, `*io` NULL at first: the name, NULL at the end. None may be
 * added meanwhile. */
const char *listing_next(const struct listing *l, void **io, void **ret_data);
size_t listing_count(const struct listing *l);

#endif
