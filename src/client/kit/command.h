/* SPDX-License-Identifier: Apache-2.0
 * What all commands share: one table of options a command, which parses the line,
 * prints --help and feeds the manual pages and shell completion.
 *
 * Global options, everywhere: -C/--configfile, --home, --host, -P/--port, --format,
 * -D/--loglevel, -F, --keyfile, --about, -h/-?/--help, -V/--version; of a command that
 * asks no server the last two. A letter that the command's own table has is the
 * command's; a command that can print XML has a row for --format with "text|json|xml".
 * Options may stand anywhere on the line. */
#ifndef MAUI_CLIENT_COMMAND_H
#define MAUI_CLIENT_COMMAND_H

#include "base/vec.h"

#include <stdbool.h>

struct option_row {
    char letter;       /* 0 = only the long form */
    const char *name;  /* long form, or NULL */
    const char *value; /* what it takes, as help shows it; NULL = nothing */
    const char *help;
};

struct command_spec {
    const char *name;
    const char *usage;                /* behind the name: "[-r | -i | -b] [-u USER]" */
    const char *summary;              /* one line */
    const struct option_row *options; /* all zero ends */
    const char *more;                 /* paragraphs under the options, or NULL */
    const char *examples;             /* lines "  command   what it does\n" */
    enum { ASKS_SERVER, ASKS_NOBODY } asks; /* ASKS_NOBODY: no options that find it */
};

enum output_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_XML };

struct given {
    const struct option_row *row;
    const char *value; /* borrowed from argv; NULL */
};

/* A parsed line. Everything is borrowed from argv. */
struct command_line {
    const struct command_spec *spec;
    struct VEC(struct given) given;
    struct VEC(const char *) words;
    const char *const *args; /* `words`: what is no option, numbers as -500 among it */
    int nargs;
    enum output_format format;
    const char *home, *host, *config_file;
    int port;     /* 0 = as configured */
    bool verbose; /* loglevel given: say what is asked of the server */
};

/* 0 = go on; else the command ends with the status *ret_status: help was shown, or the
 * line was wrong and has been complained about. */
int command_parse(const struct command_spec *spec, int argc, char **argv,
    struct command_line *ret, int *ret_status);
void command_fini(struct command_line *l);
/* Parse, run, and the exit status: all that a command needs that has one way to go. */
int command_run(const struct command_spec *spec, int argc, char **argv,
    int (*run)(const struct command_line *l));

/* Was the option given? Its value: of the last one, NULL when it was not given. */
bool command_has(const struct command_line *l, char letter);
const char *command_value(const struct command_line *l, char letter);
/* The one of these letters that was given, 0 = none. Two are complained about: 1. */
int command_one_of(const struct command_line *l, const char *letters, char *ret_letter);
/* By long name, for options without a letter. */
const char *command_long(const struct command_line *l, const char *name);

/* Complain about the line on stderr, pointing to --help. Returns 1, the classic
 * status. */
int command_wrong(const struct command_line *l, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Has it complained? */
bool command_complained(void);

void command_help(const struct command_spec *spec);

/* All options that apply: the command's own, then the global ones. */
#define COMMAND_ROWS_MAX 64
struct command_rows {
    const struct option_row *v[COMMAND_ROWS_MAX];
    char letters[COMMAND_ROWS_MAX]; /* as far as the command's own leave them; 0 */
    int n, own;                     /* all, and those of the command */
};
struct command_rows command_rows(const struct command_spec *spec);

#endif
