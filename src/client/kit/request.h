/* SPDX-License-Identifier: Apache-2.0
 * Asking the scheduler: HTTP with JSON over its socket (libcurl), or over TCP with a
 * MUNGE credential for the very request. */
#ifndef MAUI_CLIENT_REQUEST_H
#define MAUI_CLIENT_REQUEST_H

#include "client/kit/command.h"

#include <jansson.h>

/* A path with query, made piece by piece. */
struct query;

/* "/v1/jobs" and so on; parts of the path are encoded. Free with query_free(). */
struct query *query_new(const char *path);
void query_part(struct query *q, const char *part);                   /* "/PART" */
void query_add(struct query *q, const char *name, const char *value); /* NULL: not */
void query_free(struct query *q);

/* GET one record. NULL after complaining on stderr in the classic words; then the
 * command ends with status 1. The caller owns the result. */
json_t *ask(const struct command_line *l, const struct query *q);

/* The same, but of what is not there nothing is said: NULL and *ret_gone. */
json_t *ask_if_there(
    const struct command_line *l, const struct query *q, bool *ret_gone);
/* What the last ask_if_there() has not said of what is not there. */
void complain_of_gone(void);

/* GET a list: `each` is called for every record as it arrives (borrowed), also for a
 * summary. 0, or -1 after complaining. */
int ask_list(const struct command_line *l, const struct query *q,
    void (*each)(void *ctx, json_t *record), void *ctx);

/* GET a list in pages: the last record of one may be {"next": N} alone, and the query
 * is asked again with N as `key`; `from` is that of the first (NULL = none). The
 * records are one list for `each`. 0, or -1 after complaining. */
int ask_pages(const struct command_line *l, struct query *q, const char *key,
    const char *from, void (*each)(void *ctx, json_t *record), void *ctx);

/* The same as ask_list() as a table, which is read ten times as fast: records but for
 * the jobs, whose members are cells in the order of openapi.json's JobBrief; "" = none.
 */
typedef void request_row_fn(void *ctx, const char *const *cells, size_t n);
int ask_table(const struct command_line *l, struct query *q,
    void (*each)(void *ctx, json_t *record), request_row_fn *row, void *ctx);

/* POST, PATCH or DELETE; takes the reference to `body`, which may be NULL. As ask(). */
json_t *tell(const struct command_line *l, const char *method, const struct query *q,
    json_t *body);

/* POST a question that takes a while: `each` is told how far it got (borrowed), what is
 * returned is the answer. As ask(). */
json_t *tell_slowly(const struct command_line *l, const struct query *q, json_t *body,
    void (*each)(void *ctx, json_t *progress), void *ctx);

/* From now on tell() sends nothing: `take` gets what it would send, the path decoded
 * and without a query, and it returns NULL. For whatif, which asks about it instead. */
typedef void tell_fn(const struct command_line *l, const char *method, const char *path,
    const json_t *body);
void tell_instead(tell_fn *take);

/* Has it been told of a request that failed? */
bool request_complained(void);

/* With --format json: print the list, or the record, as it is. */
int print_json_list(const struct command_line *l, const struct query *q);
void print_json_record(void *ctx, json_t *record); /* a line of such a list */
int print_json(json_t *o); /* takes the reference; 0, or 1 when it is NULL */

/* Now, by the clock of the scheduler, which in a simulation is not ours; ours when it
 * does not answer (whatever else is asked of it will tell). One question a run. */
int64_t request_now(const struct command_line *l);

/* ---- members of records ---- */

/* For a terminal: a resource manager may tell names with anything in them, so what
 * steers one is "?". `otherwise`: it is not there. */
const char *get_text(const json_t *o, const char *key, const char *otherwise);
json_int_t get_int(const json_t *o, const char *key, json_int_t otherwise);
double get_real(const json_t *o, const char *key, double otherwise);
bool get_bool(const json_t *o, const char *key);

#endif
