/* SPDX-License-Identifier: Apache-2.0
 * maui import: the configuration of another scheduler as a maui.cfg. What cannot be
 * carried over is told with its place, there and on the standard error. */
#ifndef MAUI_CLIENT_IMPORT_H
#define MAUI_CLIENT_IMPORT_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

/* The maui.cfg as it grows. */
struct import {
    struct strbuf sections; /* a line for each object */
    struct strbuf left;     /* comments: what was not carried over */
    double weight_qos;      /* of a QOS's priority relative to the largest */
    double qos_most;        /* the largest priority of a QOS; 0 = none known */
    bool enforced;          /* Slurm enforces limits: they are not carried over */
    bool preempts;          /* by the Preempt lists of QOS */
};

/* Where a text comes from, for what is told of it. */
struct import_place {
    const char *file;
    unsigned line;
};

/* "x cannot be carried over": to `left` and to stderr. */
void import_left(struct import *im, struct import_place at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Dumps of `sacctmgr show qos -P` and `sacctmgr show assoc -P`, in any order of
 * columns; NULL: sacctmgr is asked. -1 after a complaint on stderr when the file cannot
 * be read, or sacctmgr cannot tell. */
int import_qos(struct import *im, const char *file);
int import_assoc(struct import *im, const char *file);

struct command_line;
/* maui import pbs. The exit status. */
int import_pbs(const struct command_line *l);

/* maui import maui [HOME]. The exit status. */
int import_maui(const struct command_line *l);

/* The whole file, appended. -1 after a complaint on stderr. */
int import_read_file(const char *file, struct strbuf *ret);
/* What the command prints, appended. -1 after a complaint on stderr. */
int import_ask(const char *command, struct strbuf *ret);
/* slurm.conf as the running Slurm has it: weights, preemption, partitions. The same. */
int import_ask_conf(struct strbuf *ret);

/* Values as Slurm writes them; NULL, "", UNLIMITED, INFINITE and NONE are none. So is
 * what cannot be read: that is told as not carried over, by the attribute's `name`. */

/* A time limit (see jobspec_slurm_time); -1 = none. */
int64_t import_slurm_time(
    struct import *im, struct import_place at, const char *name, const char *text);
/* A number that is not negative; 0 = none. */
double import_number(
    struct import *im, struct import_place at, const char *name, const char *text);
/* The same, whole. */
int64_t import_count(
    struct import *im, struct import_place at, const char *name, const char *text);
/* An attribute with a time. */
void import_time(struct strbuf *b, const char *name, int64_t seconds);

#endif
