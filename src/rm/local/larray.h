/* SPDX-License-Identifier: Apache-2.0
 * Job arrays. An array is one folder, made whole or not at all; a job of it has a
 * folder of its own from the moment it is to start. Until then the array's request is
 * its own, and what becomes of it is a line of the array's log. */
#ifndef MAUI_RM_LOCAL_LARRAY_H
#define MAUI_RM_LOCAL_LARRAY_H

#include "base/hash.h"
#include "rm/local/request.h"
#include "rm/local/writer.h"

struct local;
struct local_job;

struct local_array {
    char *number;
    struct local *local;
    struct request *request; /* of all its jobs */
    size_t jobs;             /* that have no folder of their own yet */
    uint64_t token;          /* of the submission, while they are told */
    size_t told;             /* so many of its indexes */
    bool given_up;           /* nobody wants the others */
    bool damaged;            /* its folder is kept for somebody to look at */
    UT_hash_handle hh;
};

struct local_array *larray_find(struct local *l, const char *number);
/* Write it down: then its jobs are there, and are told bit by bit. Takes both. */
void larray_make(struct local *l, const struct rm_submission *s, char *text,
    struct request *request);
/* Those found in the spool, and their jobs that have no folder. `found` gets each name
 * there is. */
int larrays_load(struct local *l, void (*found)(struct local *l, const char *number),
    struct err *err);
/* Whose submitters still wait, as their jobs are being told. */
void larrays_unanswered(const struct local *l, struct write_tokens *io);
void larrays_free(struct local *l);
void local_give_up(struct rm *rm, uint64_t token);
/* Is none being told? */
bool larrays_rest(const struct local *l);

/* Of a job that has no folder yet: a task that writes one; and afterwards, when it has
 * been written: from then on it is as any other. */
struct write_task *larray_folder_task(const struct local_job *j);
int larray_part(struct local_job *j, const struct write_task *done, struct err *err);
/* A line about it in the log. */
struct write_task *larray_line_task(const struct local_job *j);
/* It goes, or has parted: the last takes the array's folder with it. */
void larray_forget(struct local_job *j);

#endif
