/* SPDX-License-Identifier: Apache-2.0
 * What the files behind api.h share. */
#ifndef MAUI_RM_SLURM_TEXT_TEXT_H
#define MAUI_RM_SLURM_TEXT_TEXT_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "rm/slurm/text/api.h"

/* ---- pipe.c: the scontrol that lives on ---- */

/* A word that nobody else knows: scontrol and squeue write it before each instant, and
 * it is in the name of the end of an answer. */
const char *pipe_secret(void);

/* Asked behind each command, with the secret and a number: the answer, that name alone
 * on a line, says that all was said. */
#define PIPE_QUESTION "show hostnames maui-"

/* Its answer to a command, all lines; owned. NULL with errno when it is out of reach,
 * or the answer is an error: an empty list means that there is nothing. What it says to
 * an order that went well is "". */
char *pipe_ask(const char *command);
/* 0, or -1 with errno where it said something. */
int pipe_order(const char *command);
/* Run another program, as `scancel 12`. The same. */
int pipe_run(const char *const *argv);
/* All that a program prints; owned, or NULL with errno. */
char *pipe_output(const char *const *argv);
#define PIPE_SILENT "squeue does not answer" /* for answer_error() */

/* ---- answer.c: what it says ---- */

/* Its answer without what it repeats of the commands; owned. */
char *answer_read(const char *text, size_t n, const char *command);
bool answer_is_error(const char *answer);
/* The error that such a text means, and the text for slurm_strerror(). */
int answer_error(const char *text);

/* ---- fields.c: "Key=value Key=value" ---- */

struct text_room {
    struct VEC(void *) blocks; /* owned */
};

struct field {
    const char *key;
    char *value;
};

struct fields {
    struct VEC(struct field) v;
    /* A name that stands once stands there twice, or before one that it follows: some
     * text imitates it. */
    bool twice, astray;
};

void *text_room_take(struct text_room *room, size_t count, size_t size);
void room_free(struct text_room *room);
/* The line is cut into pieces and has to live on. A value goes on to the next of the
 * `keys` (NULL ends), blanks and all. */
void fields_of(char *line, const char *const *keys, struct fields *ret);
/* The same, behind those that are there. */
void fields_add(char *line, const char *const *keys, struct fields *io);
/* NULL: not there, or as scontrol prints nothing: "", (null), N/A. */
char *field_text(const struct fields *f, const char *key);
int64_t field_number(const struct fields *f, const char *key, int64_t none);
/* "1-02:03:04", UNLIMITED: in minutes, rounded up; INFINITE; NO_VAL = none. */
uint32_t field_minutes(const struct fields *f, const char *key);
time_t field_time(const struct fields *f, const char *key);
/* "1764081000" behind the secret; 0 = none. */
time_t instant_of(const char *text);
/* "100M", "2.50G": in megabytes. */
uint64_t field_mb(const struct fields *f, const char *key);
/* Each line of the answer; NULL ends. */
char *next_line(char **io_text);

/* ---- records.c: which lines of `show job` are a record's first ---- */

struct records VEC(char *); /* each a line, in the text */
/* The text is cut up and has to live on. -1 with errno where squeue, which has to be
 * asked for some, does not answer: that a job is not among them says nothing then. */
int records_of(char *text, struct records *ret);

/* ---- folders.c: working folders that imitate comments ---- */

/* Once, as there are jobs; -1 with errno: squeue does not answer. */
int folders_ask(void);
/* Does the name of its working folder pass for a comment? */
bool folders_imitate(uint32_t job);

/* ---- marks.c: holds, in files of the gate ---- */

/* The folder where the gate leaves them; made for SlurmUser. */
void marks_open(const char *home, uint32_t slurm_user);
/* What the gate said last of the job, as in a site factor; 0 = nothing, or something of
 * an earlier job of that number; MARKS_DOUBT: somebody asked for a change who is
 * perhaps not entitled to it. By the job's number, user, submission and restarts. */
#define MARKS_DOUBT UINT32_MAX
uint32_t marks_of(const slurm_job_info_t *j);
/* Forget the marks of jobs that are not in the list any more. */
void marks_tidy(const job_info_msg_t *all);

/* ---- memory.c ---- */
/* Of a list of all jobs: whose memory is by processor, where scontrol has forgotten
 * that. */
void memory_restore(job_info_msg_t *all);
void memory_forget(void);

#endif
