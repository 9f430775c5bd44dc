/* SPDX-License-Identifier: Apache-2.0
 * Jobs and nodes as resource managers tell them, in JSON, out and in. Words, not
 * numbers, stand for enumerations: a record stays what it is when they change. */
#ifndef MAUI_RECORDS_DESCRIBE_H
#define MAUI_RECORDS_DESCRIBE_H

#include "cluster/jobend.h"
#include "records/reader.h"

#define DESCRIBE_REQS_MAX 64 /* requests of a job; one with more cannot be read */

struct job_desc;
struct job_place;
struct req_desc;
struct node_desc;

/* Into the object; what is 0, NULL or usual is left out. Of a job all but `memory`. */
void describe_job(json_t *o, const struct job_desc *d);
void describe_node(json_t *o, const struct node_desc *d);

/* Out of it: texts and lists borrow from the reader. Errors are in the
 * reader. A job's id may be missing. */
void describe_read_job(struct reader *r, const json_t *o, struct job_desc *ret);
void describe_read_node(struct reader *r, const json_t *o, struct node_desc *ret);

/* A set of nodes that are alike, as member `nodeset`; NULL = none. */
void describe_nodeset(json_t *o, const struct nodeset_spec *set);
const struct nodeset_spec *describe_read_nodeset(struct reader *r, const json_t *o);

/* Places of a job on nodes, under a key. */
void describe_places(
    json_t *o, const char *key, const struct job_place *places, size_t n);
const struct job_place *describe_read_places(
    struct reader *r, const json_t *o, const char *key, size_t *ret_n);

/* Its requests, as member `requests`; read: 1 to DESCRIBE_REQS_MAX of them. */
void describe_requests(json_t *o, const struct req_desc *reqs, uint32_t n);
const struct req_desc *describe_read_requests(
    struct reader *r, const json_t *o, uint32_t *ret_n);

/* Why a job ended: a new object, and out of one; NULL, or a reason that a later version
 * knows, is ENDED_UNKNOWN. Texts borrow from the object. */
json_t *describe_end(const struct job_end *end);
void describe_read_end(const json_t *o, struct job_end *ret);

#endif
