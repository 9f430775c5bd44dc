/* SPDX-License-Identifier: Apache-2.0
 * What qstat and pbsnodes answer, in both dialects, as jobs and nodes. Pure.
 *
 *     OpenPBS   qstat -t -f -F json, pbsnodes -av -F json; times as text, in UTC
 *     TORQUE    qstat -t -x, pbsnodes -x; times as seconds
 *
 * Known of OpenPBS's JSON: without jobs there is no member "Jobs"; asked for several
 * ids it prints one, so that all are asked for; variables that look like numbers become
 * numbers, which is why none is read here. TORQUE's XML is made the same JSON first, of
 * texts. */
#ifndef MAUI_RM_PBS_ANSWERS_H
#define MAUI_RM_PBS_ANSWERS_H

#include "base/hash.h"
#include "rm/adapter/squeeze.h"
#include "rm/pbs/shape.h"

#include <jansson.h>

enum pbs_dialect { PBS_OPENPBS, PBS_TORQUE };

struct pbs_job {
    struct rm_job rm;  /* as it is told; rm.notes: why it cannot start, if PBS or its
                          shape is the reason */
    const char *name;  /* as the server has it: "15[4].head1" */
    const char *array; /* of a member: "15[]"; else NULL */
    bool parent;       /* stands for its members: not told */
    bool leaving;      /* it has ended, and its nodes are being left */
    bool unseen;       /* under way to another server, or routed: not told */
    bool told;         /* by tell.c */
    int64_t at_once;   /* parent: members that may run at once, 0 = any number */
    int64_t runs;      /* starts that were tried */
    int substate;      /* 0 = not said */
    struct pbs_shape shape;
    const char *comment; /* what stands there now, or NULL */
    UT_hash_handle hh;   /* of by_id */
};

struct pbs_node {
    struct node_desc desc;
    const char *host;        /* it is on */
    const char *state;       /* as PBS has it: "down,offline" */
    const char *comment;     /* or NULL */
    const char *maintenance; /* "7.head1": suspended jobs that keep it in maintenance */
};

/* An answer. Texts live in it. */
struct pbs_answer {
    json_t *doc;
    struct arena arena;
    const char *server; /* that has its jobs: "head1"; NULL = none says so */
    struct VEC(struct pbs_job) jobs;
    struct pbs_job *by_id; /* the same, by what they are called here */
    struct VEC(struct pbs_node) nodes;
    struct VEC(const char *) cut; /* jobs that are there, and too long to be read */
    size_t fresh;                 /* jobs that it says something of */
    size_t unknown; /* jobs that are as before, and were not told before */
    int64_t newest; /* the server's second of the last change; 0 = none is said */
};

/* What of qstat is read at all, while it is printed. */
const struct squeeze_kind *pbs_squeeze(enum pbs_dialect dialect);

/* -1 with an error: it is not what that program prints. What of a job cannot be
 * understood keeps it from starting, and is said beside it. */
int pbs_read_jobs(struct pbs_answer *a, enum pbs_dialect dialect, const char *text,
    size_t len, struct err *err);
/* One of OpenPBS in which jobs may be null, as they are as `before`, whose texts it
 * then shares; NULL: none was. */
int pbs_read_changes(struct pbs_answer *a, const struct pbs_answer *before,
    const char *text, size_t len, struct err *err);
int pbs_read_nodes(struct pbs_answer *a, enum pbs_dialect dialect, const char *text,
    size_t len, struct err *err);
void pbs_answer_fini(struct pbs_answer *a);

/* How jobs are called here, in the arena: "4711.head1" and "15[4].head1@head1" without
 * the server, where it is the one that has them; "7.other" of one that was moved there.
 */
const char *pbs_job_id(struct arena *arena, const char *id, const char *server);
/* The job that is called so, as it was read; NULL: it is not there. */
struct pbs_job *pbs_find_job(const struct pbs_answer *a, const char *id);
/* "Fri Nov 20 16:26:42 2026", in UTC, or seconds; 0 = neither. */
int64_t pbs_time(const char *text);
/* "down,offline": what of it counts most. */
enum node_state pbs_node_state(const char *text, bool has_jobs);

/* ---- document.c ---- */

/* What an answer is made of: elements of XML, the key among theirs, and the member of
 * JSON that has them all. */
struct pbs_record {
    const char *kind, *key, *member;
};

/* The answer as JSON. Bytes that are no text, which any user can have printed, are '?'.
 * NULL with an error: it is not of that form. */
json_t *pbs_document(enum pbs_dialect dialect, const char *text, size_t len,
    const struct pbs_record *record, struct err *err);

/* ---- xml.c ---- */

/* <Data><Job><Job_Id>1.h</Job_Id>..</Job></Data> as {"Jobs": {"1.h": {..}}}, of
 * elements `kind` by their element `key`; several documents in a row are one. NULL with
 * an error. */
json_t *pbs_xml(const char *text, size_t len, const char *kind, const char *key,
    const char *member, struct err *err);

#endif
