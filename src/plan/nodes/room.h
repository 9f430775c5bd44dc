/* SPDX-License-Identifier: Apache-2.0
 * What a node can still take, for tasks of one definition: filled from what is
 * configured, from what is not dedicated, from this moment (nodes/avail.h) or from an
 * interval (bynode/bynode.h), and turned into tasks in one place.
 *
 *     node     8 processors, 6 GB, 4 initiators of class batch, MAXPROC 7
 *     on it    john's job of 2 processors
 *     room     res: 6 processors, 6 GB    initiators: 4    procs: 5 = 7 - 2
 *     tasks    of 1 processor, 2 GB, class batch: 3, by memory */
#ifndef MAUI_PLAN_NODES_ROOM_H
#define MAUI_PLAN_NODES_ROOM_H

#include "cluster/cluster.h"
#include "cluster/job.h"
#include "cluster/node.h"
#include "cluster/taskdef.h"
#include "plan/nodes/nodelimit.h"

struct node_room {
    const struct taskdef *def; /* whose class and generic resources are meant */
    struct res res;
    int64_t initiators; /* of its class, INT32_MAX = any number */
    int64_t procs;      /* that limits of the node allow, INT64_MAX = any */
    double pe;          /* that MAXPEPERJOB allows a job; read if the node has it */
    bool closed;        /* an access policy, or a limit on jobs, keeps the asker out */
    struct VEC(int64_t) gres; /* in the definition's order, INT64_MAX = floats */
};

/* Its memory. One that is all zero may be filled, and filled again. */
void room_fini(struct node_room *r);
void room_copy(struct node_room *to, const struct node_room *from);

/* All that is configured, whoever is there. */
void room_of_empty(struct node_room *io, const struct cluster *c,
    const struct taskdef *def, const struct node *n);
/* What is not dedicated, whatever the node's state is and who is there. */
void room_left(struct node_room *io, const struct cluster *c, const struct taskdef *def,
    const struct node *n);

/* The others on a node, as a newcomer meets them. */
struct company {
    uint32_t jobs, of_user; /* of the newcomer's user */
    struct nodelimit_procs procs;
    bool unlimited; /* nothing limits processors: they need not be counted */
    bool closed;    /* an access policy, theirs or the newcomer's, keeps it out */
};
/* One more job, and processors of one. */
void company_add(struct company *io, const struct job *newcomer, const struct job *j);
void company_add_procs(
    struct company *io, const struct job *newcomer, const struct job *j, int64_t procs);
/* A job that is to begin there: as company_add(), and the newcomer may be there first,
 * so that it has to let that job in as well. */
void company_add_pinned(
    struct company *io, const struct job *newcomer, const struct job *j);
/* They are there: access policies, limits on jobs and on processors. */
void room_meet(struct node_room *io, const struct cluster *c, const struct node *n,
    const struct company *others);

/* Tasks of a definition, which may be another than the room's, take amounts, generic
 * resources and initiators. */
void room_take(struct node_room *io, const struct taskdef *def, const struct node *n,
    uint32_t tasks);
/* The same of the newcomer's own: limits of the node on processors, and on what one job
 * has, count as well. */
void room_take_own(struct node_room *io, const struct taskdef *def,
    const struct node *n, uint32_t tasks);

/* The least of both, part by part. Of the same definition. */
void room_limit(struct node_room *io, const struct node_room *other);

/* Tasks of the definition that fit, whose generic resources are all of the room's:
 * amounts, initiators, limits of the node, SINGLETASK; a multiple of TPN. */
uint32_t room_tasks(
    const struct node_room *r, const struct taskdef *def, const struct node *n);

#endif
