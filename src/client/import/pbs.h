/* SPDX-License-Identifier: Apache-2.0
 * maui import pbs: what OpenPBS and TORQUE print of themselves, as a maui.cfg.
 *
 *     pbs_read_*()      print server, qstat -Qf, pbsnodes -a: objects with attributes
 *     pbs_server()      of each attribute one of these: a line of maui.cfg, "PBS goes
 *                       on seeing to it", or "not carried over"
 *     pbs_sched()       the same of sched_config
 *     pbs_shares()      resource_group: fairshare targets
 *     pbs_print()       the sections, and what PBS goes on seeing to
 */
#ifndef MAUI_CLIENT_IMPORT_PBS_H
#define MAUI_CLIENT_IMPORT_PBS_H

#include "base/vec.h"
#include "client/import/import.h"

enum pbs_kind { PBS_SERVER, PBS_QUEUE, PBS_NODE, PBS_RESOURCE, PBS_SCHED, PBS_KINDS };

struct pbs_attr {
    char *name, *value; /* owned; values of several lines joined by commas */
    struct import_place at;
};

struct pbs_object {
    enum pbs_kind kind;
    char *name; /* owned; "" of the server */
    struct VEC(struct pbs_attr) attrs;
};

/* A limit as far as it is known: -1 = none. */
struct pbs_limit {
    char *section, *attr; /* owned: "CLASSCFG[long]", "MAXJOB[USER:ann]" */
    int64_t soft, hard;
};

/* A line of maui.cfg that grows. */
struct pbs_section {
    char *name; /* owned */
    struct strbuf text;
};

/* What sched_config says of queues, for what is made of them. */
struct pbs_policy {
    bool by_queue;        /* the queue's priority comes first */
    bool preempts;        /* express queues preempt the others */
    int64_t express_from; /* priority of an express queue */
    char order;           /* how: of "SCR" the first that can be had */
    bool node_priority;   /* nodes are taken by their own priority */
    bool job_key;         /* the first key of jobs has been taken */
    const char *entity;   /* whose fairshare: "USER", "GROUP", "ACCOUNT", "CLASS" */
};

struct pbs {
    struct import *im;
    struct VEC(struct pbs_object) objects;
    struct VEC(struct pbs_limit) limits;
    struct VEC(struct pbs_section) sections;
    struct pbs_policy policy;
    struct strbuf head, kept;  /* parameters; comments: what PBS goes on seeing to */
    bool prioritized, express; /* a queue has a priority; one preempts */
};

void pbs_init(struct pbs *p, struct import *im);
void pbs_fini(struct pbs *p);

/* ---- pbs_read.c ---- */

/* The text is changed. A line that cannot be read is told as not carried over. */
void pbs_read_server(struct pbs *p, const char *file, char *text);
/* "Queue: long" (qstat -Qf) or "cn01" (pbsnodes -a), then indented attributes. */
void pbs_read_listing(struct pbs *p, enum pbs_kind kind, const char *file, char *text);
/* The next line of a text, ended, and the rest; NULL at the end. */
char *pbs_next_line(char **rest);
/* Without blanks and quotes around it. */
char *pbs_trim(char *text);
const struct pbs_object *pbs_find(
    const struct pbs *p, enum pbs_kind kind, const char *name);
/* NULL when it is not there. */
const struct pbs_attr *pbs_attr(const struct pbs_object *o, const char *name);

/* ---- pbs_server.c ---- */

void pbs_server(struct pbs *p);
/* "SECTION[x]": its line so far. */
struct strbuf *pbs_section(struct pbs *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void pbs_print(struct pbs *p);

/* ---- pbs_sched.c ---- */

void pbs_sched(struct pbs *p, const char *file, char *text);
/* Attributes of the scheduler that qmgr has, by the names of sched_config. */
void pbs_sched_attr(struct pbs *p, const struct pbs_attr *a);
void pbs_shares(struct pbs *p, const char *file, char *text);

#endif
