/* SPDX-License-Identifier: Apache-2.0
 * What must be on the disk before it is acknowledged, written by a thread: a flush
 * takes milliseconds, which the event loop has better uses for. All that is waiting
 * when the thread is free goes to the disk together. The thread gets a batch and gives
 * it back; nothing else is shared with it. What goes from the disk goes by a writer of
 * its own: removing takes as long, and nobody waits for it. */
#ifndef MAUI_RM_LOCAL_WRITER_H
#define MAUI_RM_LOCAL_WRITER_H

#include "base/err.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#define WRITE_FILES_MAX 3

struct write_file {
    const char *name; /* borrowed for good */
    char *text;       /* owned */
    size_t len;
};

struct write_task {
    enum write_kind {
        WRITE_JOB,    /* a new job's folder with these files */
        WRITE_ARRAY,  /* the same of an array */
        WRITE_MEMBER, /* a folder of its own for one of an array, with what is in the
                         array's; then as WRITE_LINE */
        WRITE_LINE,   /* what becomes of one of an array, in the array's log: the first
                         file, as a line */
        WRITE_FILE,   /* one file in the folder of a job */
        WRITE_TOP,    /* one file in the spool itself */
        WRITE_GONE,   /* a remover's: the folder goes, unless a keeper is tidying up in
                         it, which is ERR_CONFLICT */
        WRITE_ARRAY_GONE
    } kind;
    char *job;      /* owned: its id, the array's number; NULL for WRITE_TOP */
    char *array;    /* owned: of WRITE_MEMBER and WRITE_LINE its number */
    uint32_t index; /* in that */
    struct write_file files[WRITE_FILES_MAX];
    size_t nfiles;
    /* When it is done or has failed (err.code); then the task is freed. */
    void (*done)(struct write_task *task);
    void *ctx;
    uint64_t token;
    int64_t number;
    bool published; /* the new folder has its place, the old one left it, the line is
                       there */
    bool listed;    /* the writer's: in a line of its log */
    struct err err;
};

struct write_folders {
    int spool, jobs, arrays, fresh; /* descriptors, borrowed */
};

struct writer;

int writer_open(sd_event *loop, const struct write_folders *folders,
    struct writer **ret, struct err *err);
/* The same for tasks of kind WRITE_GONE alone: nothing is flushed. */
int remover_open(sd_event *loop, const struct write_folders *folders,
    struct writer **ret, struct err *err);
struct write_tokens VEC(uint64_t);
/* Waits for the batch under way, of which a remover leaves the rest; what has not begun
 * is dropped. Nothing is `done` any more: who waits for that is put into *io_dropped
 * (may be NULL). */
void writer_close(struct writer *w, struct write_tokens *io_dropped);

struct write_task *write_task_new(enum write_kind kind, const char *job);
/* Of one of an array. */
struct write_task *write_task_member(
    enum write_kind kind, const char *job, const char *array, uint32_t index);
void write_task_add(struct write_task *t, const char *name, char *text, size_t len);

/* Hand the task over. */
void writer_add(struct writer *w, struct write_task *task);

#endif
