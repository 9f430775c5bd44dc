/* SPDX-License-Identifier: Apache-2.0
 * One table of options: the parser and --help. */
#include "client/kit/command.h"

#include "base/home.h"
#include "base/nearest.h"
#include "client/kit/manual.h"
#include "client/kit/site.h"
#include "client/kit/terminal.h"
#include "config/value.h"

#include <ctype.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>

/* Long options that are not a letter's get numbers from here on. */
#define LONG_BASE 1000
#define ARGUMENT  1 /* getopt's code for what is no option */

static const struct option_row global[] = {
    {'C', "configfile", "FILE", "configuration file of the server to talk to"},
    {0, "home", "DIR", "its home; default $MAUIHOMEDIR, ~/.maui, /var/lib/maui"},
    {0, "host", "HOST",
        "talk to HOST by TCP and MUNGE; default SERVERHOST, the socket, DNS"},
    {'P', "port", "N", "its port; default SERVERPORT"},
    {0, "format", "text|json", "how to print the answer"},
    {'D', "loglevel", "N", "print on stderr each request to the server"},
    {'F', "logfacility", "MASK", "is refused: what a command logs is not divided"},
    {0, "keyfile", "FILE", "is refused: MUNGE has the key"},
    {0, "about", NULL, "what this program talks to"},
    /* From here on also of commands that ask nobody. */
    {'h', "help", NULL, "this text"},
    {'V', "version", NULL, "its version"},
    {0, NULL, NULL, NULL},
};

static const struct option_row *global_row(const char *name)
{
    const struct option_row *row = global;

    while (strcmp(row->name, name) != 0)
        row++;
    return row;
}

static bool has_letter(const struct command_rows *r, char letter)
{
    for (int i = 0; i < r->n; i++)
        if (letter && r->letters[i] == letter)
            return true;
    return false;
}

static bool has_name(const struct command_rows *r, const char *name)
{
    for (int i = 0; i < r->n; i++)
        if (name && r->v[i]->name && strcmp(r->v[i]->name, name) == 0)
            return true;
    return false;
}

static void add_rows(struct command_rows *r, const struct option_row *rows)
{
    for (; rows && (rows->letter || rows->name) && r->n < COMMAND_ROWS_MAX; rows++) {
        if (has_name(r, rows->name))
            continue;
        r->letters[r->n] = has_letter(r, rows->letter) ? 0 : rows->letter;
        r->v[r->n++] = rows;
    }
}

struct command_rows command_rows(const struct command_spec *spec)
{
    struct command_rows r = {.n = 0};

    add_rows(&r, spec->options);
    r.own = r.n;
    add_rows(&r, spec->asks == ASKS_NOBODY ? global_row("help") : global);
    return r;
}

/* ---- help ---- */

static void print_rows(const struct command_rows *all, int from, int to)
{
    for (int i = from; i < to; i++) {
        const struct option_row *rows = all->v[i];
        char text[80], letter = all->letters[i];
        snprintf(text, sizeof text, "%s%.*s%s%s%s%s%s", letter ? "-" : "   ",
            letter ? 1 : 0, &letter,
            letter && rows->name ? ", "
            : letter             ? ""
                                 : " ",
            rows->name ? "--" : "", rows->name ? rows->name : "",
            rows->value ? " " : "", rows->value ? rows->value : "");
        printf("  %-26s %s\n", text, rows->help);
    }
}

void command_help(const struct command_spec *spec)
{
    struct command_rows all = command_rows(spec);

    printf("usage: %s%s%s\n\n%s\n\n", spec->name, *spec->usage ? " " : "", spec->usage,
        spec->summary);
    print_rows(&all, 0, all.own);
    if (all.own)
        puts("");
    print_rows(&all, all.own, all.n);
    if (spec->more)
        printf("\n%s", spec->more);
    if (spec->examples)
        printf("\nexamples:\n%s", spec->examples);
}

static bool complained;

bool command_complained(void)
{
    return complained;
}

int command_wrong(const struct command_line *l, const char *fmt, ...)
{
    va_list ap;

    complained = true;
    fprintf(stderr, "%s: ", l->spec->name);
    va_start(ap, fmt);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it is, one line above */
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fprintf(stderr, "\n`%s --help` shows its usage.\n", l->spec->name);
    return 1;
}

/* ---- the line ---- */

/* getopt has stopped at a letter it does not know, or that lacks its value. */
static void complain_of_letter(
    const struct command_line *l, const struct command_rows *all, char letter)
{
    for (int i = 0; i < all->n; i++)
        if (all->letters[i] == letter) {
            command_wrong(l, "-%c: expected %s behind it", letter, all->v[i]->value);
            return;
        }
    command_wrong(l, "option -%c is not known", letter);
}

static void complain_of_word(
    const struct command_line *l, const struct command_rows *all, const char *word)
{
    size_t len = strcspn(word, "=");
    char name[64];
    struct nearest near;

    snprintf(name, sizeof name, "%.*s", (int)len, word);
    nearest_init(&near, name);
    for (int i = 0; i < all->n; i++) {
        const struct option_row *row = all->v[i];
        if (row->name && strcmp(row->name, name) == 0) {
            command_wrong(l,
                row->value ? "--%s: expected %s behind it" : "--%s takes nothing", name,
                row->value);
            return;
        }
        if (row->name)
            nearest_offer(&near, row->name);
    }
    if (nearest_best(&near))
        command_wrong(l, "option --%s is not known; did you mean --%s?", name,
            nearest_best(&near));
    else
        command_wrong(l, "option --%s is not known", name);
}

static void complain(
    const struct command_line *l, const struct command_rows *all, char **argv)
{
    const char *word = argv[optind - 1];

    if (strncmp(word, "--", 2) == 0)
        complain_of_word(l, all, word + 2);
    else
        complain_of_letter(l, all, (char)optopt);
}

static bool is_global(const struct option_row *row)
{
    return row >= global && row < global + sizeof global / sizeof global[0];
}

static bool is(const struct option_row *row, const char *name)
{
    return is_global(row) && row->name && strcmp(row->name, name) == 0;
}

static int take_format(
    struct command_line *l, const struct option_row *row, const char *value)
{
    static const char *const names[] = {
        [FORMAT_TEXT] = "text", [FORMAT_JSON] = "json", [FORMAT_XML] = "xml"};
    int n = strstr(row->value, "xml") ? 3 : 2;

    for (int i = 0; i < n; i++)
        if (strcasecmp(value, names[i]) == 0) {
            l->format = (enum output_format)i;
            return 0;
        }
    return command_wrong(
        l, "--format: '%s' is not one of text, json%s", value, n == 3 ? ", xml" : "");
}

/* A global option. 0 = go on, else the command ends. */
static int take_global(struct command_line *l, const struct option_row *row,
    const char *value, int *status)
{
    int64_t port;
    struct err err;

    *status = 0;
    if (is(row, "configfile"))
        l->config_file = value;
    else if (is(row, "home"))
        l->home = value;
    else if (is(row, "host"))
        l->host = value;
    else if (is(row, "loglevel"))
        l->verbose = true;
    else if (is(row, "help")) {
        command_help(l->spec);
        return -1;
    } else if (is(row, "version")) {
        printf("maui client version %s\n", MAUI_VERSION);
        return -1;
    } else if (is(row, "keyfile") || is(row, "logfacility")) {
        *status =
            command_wrong(l, "--%s: %s", row->name, row->help + strlen("is refused: "));
        return -1;
    } else if (is(row, "port")) {
        if (value_int(value, 1, UINT16_MAX, &port, &err) < 0) {
            *status = command_wrong(l, "--port: %s", err.text);
            return -1;
        }
        l->port = (int)port;
    } else if (row->name && strcmp(row->name, "format") == 0) {
        *status = take_format(l, row, value);
        return *status ? -1 : 0;
    }
    return 0;
}

/* "-500" is a number where no digit is an option. */
static bool is_number(const struct command_rows *all, const char *word)
{
    return word && word[0] == '-' && word[1] >= '0' && word[1] <= '9'
           && !has_letter(all, word[1]);
}

static int next_option(struct command_line *l, const struct command_rows *all, int argc,
    char **argv, const char *shorts, const struct option *longs)
{
    while (optind > 0 && optind < argc && is_number(all, argv[optind]))
        vec_push(&l->words, argv[optind++]);
    if (optind == 0 && argc > 1 && is_number(all, argv[1])) {
        vec_push(&l->words, argv[1]);
        optind = 2;
    }
    return getopt_long(argc, argv, shorts, longs, NULL);
}

static int scan(struct command_line *l, const struct command_rows *all, int argc,
    char **argv, int *status)
{
    struct option longs[COMMAND_ROWS_MAX + 1] = {{0}};
    char shorts[2 * COMMAND_ROWS_MAX + 3];
    int nshort = 1, nlong = 0, c;

    shorts[0] = '-'; /* arguments come one by one, between the options */
    for (int i = 0; i < all->n; i++) {
        if (all->letters[i]) {
            shorts[nshort++] = all->letters[i];
            if (all->v[i]->value)
                shorts[nshort++] = ':';
        }
        if (all->v[i]->name)
            longs[nlong++] = (struct option){all->v[i]->name,
                all->v[i]->value ? required_argument : no_argument, NULL,
                LONG_BASE + i};
    }
    shorts[nshort] = 0;
    optind = 0; /* from the beginning, also for a second command in one process */
    opterr = 0;
    while ((c = next_option(l, all, argc, argv, shorts, longs)) != -1) {
        const struct option_row *row = NULL;
        if (c == ARGUMENT) {
            vec_push(&l->words, optarg);
            continue;
        }
        for (int i = 0; i < all->n; i++)
            if (c == LONG_BASE + i
                || (c < LONG_BASE && c != '?' && all->letters[i] == c))
                row = all->v[i];
        if (!row && optopt == '?' && strcmp(argv[optind - 1], "-?") == 0)
            row = global_row("help");
        if (!row) {
            complain(l, all, argv);
            *status = 1;
            return -1;
        }
        vec_push(&l->given, ((struct given){row, optarg}));
        if (take_global(l, row, optarg, status) < 0)
            return -1;
    }
    return 0;
}

/* Version, server, home. */
static void print_about(const struct command_line *l)
{
    struct site site;

    site_find(l, &site);
    printf("maui client version %s\n", MAUI_VERSION);
    if (site.host)
        printf("server: '%s' port %d\n", site.host, site.port);
    else
        printf("server: '%s'\n", site.socket);
    printf("home:   '%s'\n", site.home);
    printf("named:  %s\n", site.by);
    site_fini(&site);
}

int command_parse(const struct command_spec *spec, int argc, char **argv,
    struct command_line *ret, int *ret_status)
{
    struct command_rows all = command_rows(spec);

    *ret = (struct command_line){.spec = spec};
    if (argc == 2 && strcmp(argv[1], "--manual") == 0) {
        manual_print(spec); /* for the build, not in --help */
        *ret_status = 0;
        return -1;
    }
    if (scan(ret, &all, argc, argv, ret_status) < 0) {
        command_fini(ret);
        return -1;
    }
    if (command_long(ret, "about")) {
        print_about(ret);
        command_fini(ret);
        *ret_status = 0;
        return -1;
    }
    while (optind < argc) /* behind "--" */
        vec_push(&ret->words, argv[optind++]);
    ret->args = ret->words.v;
    ret->nargs = (int)ret->words.n;
    if (spec->asks == ASKS_SERVER && ret->format == FORMAT_TEXT)
        terminal_begin();
    return 0;
}

void command_fini(struct command_line *l)
{
    vec_fini(&l->given);
    vec_fini(&l->words);
}

int command_run(const struct command_spec *spec, int argc, char **argv,
    int (*run)(const struct command_line *l))
{
    struct command_line l;
    int status;

    if (command_parse(spec, argc, argv, &l, &status) < 0)
        return status;
    status = run(&l);
    command_fini(&l);
    return status;
}

/* Under that letter: a letter of the command's own takes it from a global option,
 * which then goes by its long name alone. */
static bool goes_by(
    const struct command_line *l, const struct option_row *row, char letter)
{
    const struct option_row *own = l->spec->options;

    if (row->letter != letter || !is_global(row))
        return row->letter == letter;
    while (own && (own->letter || own->name) && own->letter != letter)
        own++;
    return !own || own->letter != letter;
}

bool command_has(const struct command_line *l, char letter)
{
    for (size_t i = 0; i < l->given.n; i++)
        if (goes_by(l, l->given.v[i].row, letter))
            return true;
    return false;
}

int command_one_of(const struct command_line *l, const char *letters, char *ret_letter)
{
    *ret_letter = 0;
    for (const char *p = letters; *p; p++) {
        if (!command_has(l, *p))
            continue;
        if (*ret_letter)
            return command_wrong(l, "-%c and -%c do not go together", *ret_letter, *p);
        *ret_letter = *p;
    }
    return 0;
}

const char *command_value(const struct command_line *l, char letter)
{
    const char *value = NULL;

    for (size_t i = 0; i < l->given.n; i++)
        if (goes_by(l, l->given.v[i].row, letter))
            value = l->given.v[i].value;
    return value;
}

const char *command_long(const struct command_line *l, const char *name)
{
    const char *value = NULL;

    for (size_t i = 0; i < l->given.n; i++)
        if (l->given.v[i].row->name && strcmp(l->given.v[i].row->name, name) == 0)
            value = l->given.v[i].value ? l->given.v[i].value : "";
    return value;
}
