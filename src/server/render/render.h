/* SPDX-License-Identifier: Apache-2.0
 * Records of the API, made from the cluster: what openapi.json calls JobBrief, Job,
 * Node, Reservation ... Members without a value are left out. */
#ifndef MAUI_SERVER_RENDER_H
#define MAUI_SERVER_RENDER_H

#include "base/strbuf.h"
#include "cluster/reservation.h"

#include <jansson.h>

struct server;
struct identity;

/* ---- members ---- */

/* A text from outside, perhaps cut in the middle of a character: what is no UTF-8
 * becomes "?". A new reference. */
json_t *render_utf8(const char *text);

void render_text(json_t *o, const char *key, const char *text); /* not NULL, not "" */
void render_int(json_t *o, const char *key, int64_t n);
void render_real(json_t *o, const char *key, double n);
void render_bool(json_t *o, const char *key, bool b);
/* 0 and TIME_NEVER are null: no such instant. */
void render_instant(json_t *o, const char *key, int64_t at);
/* "paused", and "resume_at" where that is known, while scheduling is stopped: what is
 * told of the queue is of the last iteration then. */
void render_paused(const struct server *s, json_t *o);
/* DURATION_UNLIMITED is null: without end. */
void render_duration(json_t *o, const char *key, int64_t seconds);
/* An array of names; left out when empty. */
void render_names(json_t *o, const char *key, const struct names *names,
    const uint32_t *ids, size_t n);
/* "user", "qos" ...: as members and query parameters are called. */
const char *render_cred_key(enum cred_kind kind);
json_t *render_amounts(const struct res *r);

/* ---- what things cost, and accounts have (render/funds.c) ---- */

struct query_price;

/* 1/1000 credit, shown in credits. */
void render_credits(json_t *o, const char *key, int64_t amount);
/* A new reference. `shown`: may the caller see what the account has? Else the price
 * alone. */
json_t *render_price(const struct server *s, const struct query_price *p, bool shown);
/* "funds" of a job, as far as the caller may see them, of an account; nothing where
 * there is no bank, or it does not know the account. */
void render_job_funds(
    struct server *s, const struct job *j, const struct identity *who, json_t *o);
void render_account_funds(struct server *s, const char *account, json_t *o);

/* ---- records: new references ---- */

enum section { SECTION_ACTIVE, SECTION_ELIGIBLE, SECTION_BLOCKED, SECTION_COMPLETED };

/* Where showq puts the job, by what the last cycle said. */
enum section render_section(const struct job *j);
const char *render_section_name(enum section s);

/* Seconds that a suspended job has been so; it uses nothing of its limit meanwhile. */
int64_t render_pause(const struct job *j, int64_t now);

/* With the members wanted: bits from render_job_members(), which reads a comma list. */
#define RENDER_ALL UINT64_MAX
int render_job_members(const char *list, uint64_t *ret, struct err *err);
json_t *render_job_brief(
    struct server *s, const struct job *j, uint64_t wanted, const struct identity *who);
/* The latest start that it is promised, and that before, if there are such. */
void render_promise(const struct server *s, const struct job *j, json_t *o);
/* When it is expected to start, if that is known, and within which interval. */
void render_expected(const struct server *s, const struct job *j, json_t *o);
/* The same as cells between tabs, in the order of the table, and their names: a long
 * list is made and read ten times as fast. No line has another line in it. */
void render_job_row(struct server *s, const struct job *j, uint64_t wanted,
    const struct identity *who, struct strbuf *out);
void render_job_heading(uint64_t wanted, struct strbuf *out);
/* Is one of these not for everybody's eyes? */
bool render_job_hides(uint64_t wanted);
/* Is the member, of jobs that are not the caller's? Are this job's to be hidden? The
 * caller may know that it is there. */
bool render_hidden(const char *member);
bool render_hides(
    const struct cluster *c, const struct job *j, const struct identity *who);
/* What `who`, who is neither its owner nor an administrator, may not see of it goes. */
void render_job_hide(const struct cluster *c, const struct job *j,
    const struct identity *who, json_t *o);
json_t *render_job(struct server *s, const struct job *j, const struct identity *who);
/* Of a limit that others have used up: not who, nor how much, where `who` may not know.
 */
json_t *render_reason(
    struct server *s, const struct job *j, const struct identity *who);
/* The same of another of its reasons. */
struct reason;
json_t *render_reason_of(struct server *s, const struct job *j,
    const struct reason *why, const struct identity *who);
/* ["user", "batch"]: of HOLD_* bits. */
json_t *render_holds(unsigned kinds);
json_t *render_places(const struct cluster *c, const struct allocs *alloc);
json_t *render_node(struct server *s, const struct node *n);
/* As it is reported; of a simulated node, of which nobody tells, as its jobs make it.
 */
enum node_state render_node_state(const struct server *s, const struct node *n);
json_t *render_reservation(struct server *s, const struct reservation *r);
/* The standing reservation of that index in the settings: which instances are wanted
 * now, and which of them are there. O(reservations + DEPTH log). */
json_t *render_standing(struct server *s, uint32_t standing);
/* The reservation of a job: active, or waiting with one, whose places are then those of
 * query_reserved_places(). NULL when it has none. */
struct query_places;
json_t *render_job_reservation(
    struct server *s, const struct job *j, const struct query_places *places);

#endif
