/* SPDX-License-Identifier: Apache-2.0
 * What the parts of this room share with each other and with nobody else: the nouns
 * begin and end with the cluster, and what comes from outside is checked. */
#ifndef MAUI_CLUSTER_PRIVATE_H
#define MAUI_CLUSTER_PRIVATE_H

#include "base/hash.h"
#include "base/xalloc.h"
#include "cluster/cluster.h"
#include "cluster/job.h"
#include "cluster/node.h"
#include "cluster/partition.h"
#include "cluster/valid.h"

#include <assert.h>

/* Largest amount accepted from outside. */
#define AMOUNT_MAX INT64_C(1099511627776)

/* Make `a` a copy of the elements of `b`. */
#define vec_assign(a, b)                                                               \
    do {                                                                               \
        (a)->n = 0;                                                                    \
        vec_reserve((a), (b)->n);                                                      \
        if ((b)->n)                                                                    \
            memcpy((a)->v, (b)->v, (b)->n * sizeof *(a)->v);                           \
        (a)->n = (b)->n;                                                               \
    } while (0)

void ids_sort(uint32_t *ids, size_t *n); /* and drop repetitions */

/* ---- what begins, follows settings and ends with the cluster ------------------ */

void creds_create(struct cluster *c);
void creds_destroy(struct cluster *c);
void creds_configure(struct cluster *c);
void partitions_create(struct cluster *c);
void partitions_destroy(struct cluster *c);
void partitions_configure(struct cluster *c);
void nodes_create(struct cluster *c);
void nodes_destroy(struct cluster *c);
void nodes_configure(struct cluster *c);
void jobs_create(struct cluster *c);
void jobs_destroy(struct cluster *c);
void taskdefs_create(struct cluster *c);
void taskdefs_destroy(struct cluster *c);
void reservations_create(struct cluster *c);
void reservations_destroy(struct cluster *c);
/* For cluster_check(): assert what these promise. */
void jobs_check_index(const struct cluster *c, size_t jobs); /* so many there are */
void waiting_check(const struct cluster *c);
void reservations_check(const struct cluster *c);

/* Does a job in this state have its allocation dedicated? */
bool job_state_holds(enum job_state s);

/* ---- valid.c ----------------------------------------------------------------- */

int amount_check(
    const char *what, int64_t amount, int64_t min, int64_t max, struct err *err);
/* The known name closest to an unknown one, or NULL. */
const char *names_nearest(const struct names *n, const char *name);

/* "there is no WHAT 'name'", with the nearest of the names. Returns -1. */
int name_missing(
    const char *what, const struct names *n, const char *name, struct err *err);

#endif
