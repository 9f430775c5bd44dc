/* SPDX-License-Identifier: Apache-2.0
 * The lines of maui.cfg:
 *
 *     NAME[INDEX] VALUE      NAME[INDEX]=VALUE      # comment to the end of the line
 *
 * A backslash at the end of a line joins the next. Control characters count as
 * blanks. `#INCLUDE <file>` asks for another file after the end of this one. Any
 * bytes are taken; what makes no sense is reported.
 *
 * Behind a line GRAMMAR_CHANGE, a comment to everybody else, begins a change made at
 * run time: what adds up over the lines of a file replaces what was said before. */
#ifndef MAUI_CONFIG_GRAMMAR_H
#define MAUI_CONFIG_GRAMMAR_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GRAMMAR_CHANGE "#CHANGED AT RUN TIME"

enum grammar_kind {
    GRAMMAR_SETTING,
    GRAMMAR_INCLUDE, /* the file is in `value` */
    GRAMMAR_ERROR    /* what is wrong is in `err` */
};

/* One line that says something. The texts are owned by the caller; a joined line
 * keeps its line ends in `value`, so that the line of each word can be told. */
struct grammar_line {
    enum grammar_kind kind;
    uint32_t line;       /* the first is 1 */
    uint32_t value_line; /* the line `value` begins on */
    char *name;
    char *index;        /* NULL without brackets; blanks around it removed */
    char *value;        /* blanks around it removed; may be empty */
    bool special_space; /* of Unicode, no-break and others; read as a blank */
    struct err err;
};

struct grammar {
    const char *text, *end; /* borrowed */
    uint32_t line;
    uint32_t change;    /* GRAMMAR_CHANGE lines so far */
    char *include;      /* found on the line before, given out next */
    bool special_space; /* in the line that is read */
};

/* The text need not end in a NUL. A byte order mark is skipped. */
void grammar_init(struct grammar *g, const char *text, size_t len);

/* The next line, freed with grammar_line_fini; false at the end. */
bool grammar_next(struct grammar *g, struct grammar_line *ret);

void grammar_line_fini(struct grammar_line *line);

/* One ATTR=VALUE of a section. `line` counts from 0 within the value. */
struct grammar_pair {
    char *name;    /* without brackets */
    char *bracket; /* USER:steve of MAXJOB[USER:steve], or NULL */
    char *value;   /* quotes around it removed; NULL when there is no = */
    bool unclosed; /* a quote was opened and not closed */
    uint32_t line;
};

struct grammar_pairs {
    const char *p; /* borrowed */
    uint32_t line;
};

void grammar_pairs_init(struct grammar_pairs *g, const char *value);
bool grammar_pairs_next(struct grammar_pairs *g, struct grammar_pair *ret);
void grammar_pair_fini(struct grammar_pair *pair);

#endif
