/* SPDX-License-Identifier: Apache-2.0
 * maui am: looks after the ledger, beside a running scheduler too. */
#include "am/am.h"
#include "base/home.h"

#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: maui am check [--home DIR | FILE] [options]\n"
    "       mam-check [--home DIR | FILE] [options]\n"
    "       maui am VERB ...\n"
    "\n"
    "Check that the ledger of the allocation manager holds together: every "
    "transaction\n"
    "comes to 0, balances and liens are the sums of their rows, no charge is lost or\n"
    "doubled. It only reads, also beside a running scheduler. FILE is a state file\n"
    "(state.db, or a backup of it).\n"
    "\n"
    "  check                   the ledger\n"
    "  VERB                    balance, deposit, statement and so on: as mam-balance,\n"
    "                          mam-deposit, mam-statement\n"
    "\n"
    "options:\n"
    "      --home DIR          the ledger of this home; default $MAUIHOMEDIR, else\n"
    "                          /var/lib/maui as root and ~/.maui for others\n"
    "      --format text|json  json: counts, and problems as sentences\n"
    "  -h, --help              this text\n"
    "\n"
    "exit status: 0; 1 if a problem was found or the ledger cannot be read; 2 if "
    "called\n"
    "wrongly.\n"
    "\n"
    "examples:\n"
    "  maui am check                           is every credit where it belongs?\n"
    "  maui am check --format json state.db    of a copy, for a program\n";

enum { OPT_HOME = 256, OPT_FORMAT };

static const struct option options[] = {
    {"home", required_argument, NULL, OPT_HOME},
    {"format", required_argument, NULL, OPT_FORMAT},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

struct asked {
    const char *home, *file;
    bool json;
    json_t *problems; /* of the JSON text; owned */
};

static void tell_problem(void *arg, const char *problem)
{
    struct asked *a = arg;

    if (a->json)
        json_array_append_new(a->problems, json_string(problem));
    else
        printf("%s\n", problem);
}

static void tell_json(const struct asked *a, const struct ledger_size *n)
{
    json_t *o = json_pack("{s:I, s:I, s:I, s:I, s:O}", "accounts",
        (json_int_t)n->accounts, "deposits", (json_int_t)n->deposits, "transactions",
        (json_int_t)n->transactions, "open_runs", (json_int_t)n->open_runs, "problems",
        a->problems);

    json_dumpf(o, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    putchar('\n');
    json_decref(o);
}

static void tell_number(int64_t n, const char *what, const char *then)
{
    printf("%" PRId64 " %s%s%s", n, what, n == 1 ? "" : "s", then);
}

static void tell_size(const struct ledger_size *n, int problems)
{
    tell_number(n->accounts, "account", ", ");
    tell_number(n->deposits, "deposit", ", ");
    tell_number(n->transactions, "transaction", ", ");
    tell_number(n->open_runs, "open run", ": ");
    if (problems)
        tell_number(problems, "problem", "\n");
    else
        puts("no problem");
}

/* The number of problems, or -1. */
static int check(struct asked *a, const char *path, struct err *err)
{
    struct store_options opt = {.read_only = true};
    struct ledger_size size;
    struct store *store;
    int problems;

    if (store_open(path, &opt, &store, err) < 0)
        return -1;
    problems = ledger_check(store, tell_problem, a, err);
    if (problems >= 0 && ledger_size(store, &size, err) != 0)
        problems = -1;
    store_close(store);
    if (problems >= 0 && a->json)
        tell_json(a, &size);
    else if (problems >= 0)
        tell_size(&size, problems);
    return problems;
}

static int usage_error(const char *what, const char *word)
{
    fprintf(stderr, "maui am: %s '%s'; `maui am --help` shows how it is used\n", what,
        word);
    return 2;
}

/* By that name the verb is known. */
static bool is_mam_check(const char *called)
{
    const char *slash = strrchr(called, '/');

    return strcmp(slash ? slash + 1 : called, "mam-check") == 0;
}

/* 0 = go on; else the exit status + 1. */
static int parse(int argc, char **argv, struct asked *a)
{
    int c;

    optind = 1;
    while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (c == OPT_HOME)
            a->home = optarg;
        else if (c == OPT_FORMAT && strcmp(optarg, "json") == 0)
            a->json = true;
        else if (c == OPT_FORMAT && strcmp(optarg, "text") != 0)
            return usage_error("--format: expected text or json, not", optarg);
        else if (c == 'h') {
            fputs(help, stdout);
            return 1;
        } else if (c == '?') {
            fputs("`maui am --help` lists the options.\n", stderr);
            return 2;
        }
    }
    if (!is_mam_check(argv[0])) {
        if (optind == argc) {
            fputs("maui am: expected 'check'; `maui am --help` shows how it is used\n",
                stderr);
            return 2;
        }
        if (strcmp(argv[optind], "check") != 0)
            return usage_error("expected 'check', not", argv[optind]);
        optind++;
    }
    a->file = optind < argc ? argv[optind] : NULL;
    if (optind + 1 < argc)
        return usage_error("not expected here:", argv[optind + 1]);
    return 0;
}

int am_main(int argc, char **argv)
{
    struct asked a = {0};
    struct err err = {0};
    int stop = parse(argc, argv, &a), problems;
    char *home, *path;

    if (stop)
        return stop - 1;
    home = home_find(a.home);
    path = home_file(home, "state.db");
    a.problems = json_array();
    problems = check(&a, a.file ? a.file : path, &err);
    if (problems < 0)
        fprintf(stderr, "maui am: %s\n", err.text);
    json_decref(a.problems);
    free(path);
    free(home);
    return problems ? 1 : 0;
}
