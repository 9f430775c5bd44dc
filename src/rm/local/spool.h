/* SPDX-License-Identifier: Apache-2.0
 * The spool as a whole: its folders, what is found in it at the beginning, news, and
 * the removal of old jobs.
 *
 *     jobs/ID/      a job       new/   being made, or to be removed bit by bit
 *     arrays/ID/    an array    news/ID    a job ended    counter, lock, control */
#ifndef MAUI_RM_LOCAL_SPOOL_H
#define MAUI_RM_LOCAL_SPOOL_H

#include "rm/rm.h"

struct local;
struct spool;
struct write_task;

struct spool *spool_create(void);
void spool_destroy(struct spool *s);

int spool_open(struct local *l, struct err *err);
void spool_close(struct local *l);
/* What is known of nodes and jobs is told as after spool_open(), without a look. */
void spool_tell_again(struct local *l);
/* Descriptors: of the whole, and of its folder `jobs`. */
int spool_folder(const struct local *l);
int spool_jobs_folder(const struct local *l);
/* The job is accounted for: its folder may go, unless folders are to be kept. */
void local_settled(struct rm *rm, const char *job);
/* A task of the kind that removes. */
void spool_remove(struct local *l, struct write_task *t);
/* Has it gone? Said once. */
void spool_check(struct local *l);
/* One that had gone may be there again: then all over. Frees all jobs. */
void spool_return(struct local *l);

#endif
