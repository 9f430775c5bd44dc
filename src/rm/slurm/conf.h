/* SPDX-License-Identifier: Apache-2.0
 * slurm.conf and the files it includes, to be changed where they stand: every byte that
 * is not changed stays, comments, order and line breaks too.
 *
 *   file 0, slurm.conf         settings
 *   3 Include part.conf        JobCompType  file 1, line 1, "jobcomp/none"
 *   4 schedulerparameters=a,\  SchedulerParameters  file 0, line 4, "a,b"
 *   5 b                        (its bytes are those from "a" to "b")
 *
 * Read as Slurm reads it: keys in any case, the last of several counts, a backslash at
 * the end of a line joins the next, # begins a comment. Lines of nodes and partitions
 * hold no settings. */
#ifndef MAUI_RM_SLURM_CONF_H
#define MAUI_RM_SLURM_CONF_H

#include "base/err.h"
#include "base/strbuf.h"
#include "base/vec.h"

struct conf_setting {
    char *key, *value;     /* owned; the value without its quotes */
    char *instead;         /* owned; NULL = it stays */
    size_t file, from, to; /* bytes of the value in that file */
    unsigned line;         /* of its key, from 1 */
};

struct conf_file {
    char *path; /* owned; as it was named, from the folder of slurm.conf */
    char *text; /* owned */
    size_t n;   /* bytes */
};

struct conf {
    struct VEC(struct conf_file) files; /* slurm.conf is the first */
    struct VEC(struct conf_setting) settings;
    struct VEC(struct conf_setting) fresh; /* those of `added` */
    struct strbuf added;                   /* lines for the end of slurm.conf */
};

/* NULL with an error: a file that cannot be read. */
struct conf *conf_load(const char *path, struct err *err);
void conf_free(struct conf *c);

/* The one that counts; NULL when it is not set. Borrowed until the next change. */
const struct conf_setting *conf_find(const struct conf *c, const char *key);
/* Its value, with changes. */
const char *conf_value(const struct conf *c, const char *key);

/* Change it where it stands, or add it at the end of slurm.conf. */
void conf_set(struct conf *c, const char *key, const char *value);
/* A line for the end of slurm.conf, before what is added after it. */
void conf_comment(struct conf *c, const char *text);

/* A file as it is to be. Owned by the caller. */
char *conf_text(const struct conf *c, size_t file);

#endif
