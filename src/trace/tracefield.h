/* SPDX-License-Identifier: Apache-2.0
 * Fields of Maui trace records, as tables: what a field is called, what it may hold
 * and where in the record it goes. The workload and the resource trace differ in
 * their tables only. Source: reference traces-and-simulation, sections 1 to 3. */
#ifndef MAUI_TRACE_TRACEFIELD_H
#define MAUI_TRACE_TRACEFIELD_H

#include "base/arena.h"
#include "base/err.h"
#include "trace/lines.h"

#include <stdint.h>
#include <stdio.h>

/* A missing value, exactly. */
#define TRACE_NONE "[NONE]"

/* One of several possible values; `text` is the list as written, NULL when there was
 * one value only. */
struct tf_choice {
    int64_t first;
    const char *text;
};

struct tf_pair {
    const char *first, *second; /* NULL = none */
};

/* Bits are places in the list of flag names of the format; see tracewords.h. */
struct tf_flags {
    uint32_t mask;
    const char *const *attributes; /* of JATTR:x, NULL-terminated; or NULL */
};

/* What the field holds; in brackets the C type in the record. */
enum tf_kind {
    TF_TEXT,      /* required (const char *) */
    TF_OPTIONAL,  /* (const char *), NULL = none */
    TF_OPTIONAL0, /* the same; "0" is none too */
    TF_NUMBER,    /* whole, within [min, max]; none = def (int64_t) */
    TF_MB,        /* the same with an optional suffix K, M, G or T */
    TF_REAL,      /* >= 0; none = 0 (double) */
    TF_WORD,      /* one of `words`; none = def (int): its place */
    TF_COMPARE,   /* > >= = == <= < (enum cmp_op); none = >= */
    TF_BRACKETS,  /* [a][b] (const char *const *), NULL = none */
    TF_COLONS,    /* a:b (const char *const *), NULL = none */
    TF_CLASSES,   /* [a:n][b:n] (const struct gres_cfg *), NULL = none */
    TF_LIMIT,     /* seconds, -1 = DURATION_UNLIMITED, or a list (struct tf_choice) */
    TF_TASKS,     /* count, list of counts or PBS=... (struct tf_choice) */
    TF_PAIR,      /* a:b (struct tf_pair) */
    TF_FLAGS,     /* [A][B] or a bit mask (struct tf_flags) */
    TF_NODESET    /* ONEOF:FEATURE:a:b (const struct nodeset_spec *), NULL = none */
};

struct tf_row {
    const char *name;
    enum tf_kind kind;
    uint16_t offset;
    int64_t def, min, max;
    const char *const *words; /* NULL-terminated */
};

/* Read field `number` (from 1) with `text`, terminated, into the record; what it needs
 * is taken from the arena. The sentence begins with "field N (name): ". */
int tf_parse(const struct tf_row *row, unsigned number, const char *text, void *record,
    struct arena *a, struct err *err);

/* Write the field so that tf_parse() reads the same back. */
void tf_format(const struct tf_row *row, const void *record, FILE *out);

/* The fields of a line: comment cut off, pointers into the line, which gets
 * terminators. Returns how many there are; beyond `max` they are only counted. */
size_t tf_split(char *line, const char *fields[], size_t max);

/* "VERSION n": 1 if the line is one, 0 if it is something else, -1 if it is one of a
 * version that is not known (the sentence begins with FILE:LINE). */
int tf_version(const struct lines *in, const char *line, struct err *err);

/* Total tasks and nodes of "PBS=4:ppn=2+1", features and names not counted. */
int tf_pbs_nodes(const char *text, int64_t *ret_tasks, int64_t *ret_nodes);

#endif
