/* SPDX-License-Identifier: Apache-2.0
 * maui replay: what the journal tells, done again. */
#include "base/home.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "base/zone.h"
#include "journal/replay.h"
#include "store/store.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char help[] =
    "usage: maui replay [--home DIR | FILE] [options]\n"
    "\n"
    "Do again what the scheduler was told, and show what it decides. FILE is a state\n"
    "file (state.db, or a copy of it), or lines written by --format json.\n"
    "\n"
    "      --home DIR          the journal of this home; default $MAUIHOMEDIR, else\n"
    "                          /var/lib/maui as root and ~/.maui for others\n"
    "      --until TIME        stop there: HH[:MM[:SS]][_MO[/DD[/YY]]] or +DURATION\n"
    "      --verify            compare each decision with the recorded one; exit 1 if\n"
    "                          one differs\n"
    "      --format FORMAT     text or json: the journal's lines with their numbers\n"
    "  -h, --help              this text\n"
    "\n"
    "examples:\n"
    "  maui replay --verify                    would it decide the same again?\n"
    "  maui replay --until 14:00_11/21         what was decided until then\n"
    "  maui replay --format json >report.json  for a report of a bug\n"
    "  maui replay --verify report.json        and what becomes of it\n";

enum { OPT_HOME = 256, OPT_UNTIL, OPT_VERIFY, OPT_FORMAT };

static const struct option options[] = {
    {"home", required_argument, NULL, OPT_HOME},
    {"until", required_argument, NULL, OPT_UNTIL},
    {"verify", no_argument, NULL, OPT_VERIFY},
    {"format", required_argument, NULL, OPT_FORMAT},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

struct asked {
    const char *home, *file;
    int64_t until;
    bool verify, json;
    struct replay *replay;
};

/* ---- what is told ---- */

static void tell_time(int64_t at)
{
    time_t t = (time_t)at;
    struct tm tm;
    char text[40];

    if (localtime_r(&t, &tm) && strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm))
        printf("%s", text);
}

static void tell_line(const struct asked *a, int64_t seq, int64_t at, json_t *line)
{
    if (!a->json || a->verify)
        return;
    json_object_set_new(line, "seq", json_integer(seq));
    if (!json_object_get(line, "at"))
        json_object_set_new(line, "at", json_integer(at));
    json_dumpf(line, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER);
    putchar('\n');
}

static void tell_decided(const struct asked *a, int64_t seq, int64_t at, json_t *list)
{
    json_t *text;
    size_t i;

    if (a->json || a->verify)
        return;
    json_array_foreach(list, i, text)
    {
        tell_time(at);
        printf(" %8" PRId64 "  %s\n", seq, json_string_value(text));
    }
}

static void tell_difference(
    const struct asked *a, int64_t seq, int64_t at, const struct err *why)
{
    if (!a->verify)
        return;
    if (a->json) {
        json_t *o = json_pack("{s:I, s:I, s:s}", "seq", (json_int_t)seq, "at",
            (json_int_t)at, "difference", why->text);
        json_dumpf(o, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER);
        putchar('\n');
        json_decref(o);
        return;
    }
    printf("%" PRId64 " ", seq);
    tell_time(at);
    printf(": %s\n", why->text);
}

static void tell_all(const struct asked *a)
{
    const struct replay_count *n = replay_count(a->replay);

    if (!a->verify)
        return;
    if (a->json) {
        json_t *o = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "lines",
            (json_int_t)n->lines, "lives", (json_int_t)n->lives, "events",
            (json_int_t)n->events, "cycles", (json_int_t)n->cycles, "decisions",
            (json_int_t)n->decisions, "differences", (json_int_t)n->differences);
        json_dumpf(o, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER);
        putchar('\n');
        json_decref(o);
        return;
    }
    printf("%" PRIu64 " lives, %" PRIu64 " events, %" PRIu64 " cycles, %" PRIu64
           " decisions: ",
        n->lives, n->events, n->cycles, n->decisions);
    if (n->differences)
        printf("%" PRIu64 " lines differ\n", n->differences);
    else
        puts("all the same");
    if (n->skipped)
        printf("%" PRIu64 " lines before the first begin of a life were left out\n",
            n->skipped);
}

/* ---- where lines come from ---- */

static int on_json(struct asked *a, int64_t seq, int64_t at, json_t *line)
{
    json_t *decided;
    struct err why = {0};

    if (at > a->until)
        return 1;
    int result = replay_line(a->replay, seq, line, &decided, &why);
    if (result < 0)
        fprintf(stderr, "maui replay: %s\n", why.text);
    else if (result == 0)
        tell_difference(a, seq, at, &why);
    tell_decided(a, seq, at, decided);
    tell_line(a, seq, at, line);
    json_decref(decided);
    return result < 0 ? 2 : 0;
}

static int on_event(void *ctx, int64_t seq, int64_t at, const char *text)
{
    json_error_t where;
    json_t *line = json_loads(text, 0, &where);

    if (!line) {
        fprintf(stderr, "maui replay: line %" PRId64 ": %s\n", seq, where.text);
        return 2;
    }
    int result = on_json(ctx, seq, at, line);
    json_decref(line);
    return result;
}

static int replay_store(struct asked *a, const char *path, struct err *err)
{
    struct store_options opt = {.read_only = true};
    struct store *store;

    if (store_open(path, &opt, &store, err) < 0)
        return -1;
    int result = store_journal_each(store, 1, INT64_MAX, on_event, a, err);
    store_close(store);
    return result;
}

static int replay_lines(struct asked *a, FILE *f)
{
    char *text = NULL;
    size_t size = 0;
    int64_t number = 0;
    int result = 0;

    while (result == 0 && getline(&text, &size, f) > 0) {
        json_t *line = json_loads(text, 0, NULL);
        const json_t *seq = json_object_get(line, "seq");

        number = seq ? json_integer_value(seq) : number + 1;
        if (line)
            result = on_json(
                a, number, json_integer_value(json_object_get(line, "at")), line);
        else
            fprintf(stderr, "maui replay: line %" PRId64 " is not JSON\n", number);
        json_decref(line);
    }
    free(text);
    return result;
}

static int replay_file(struct asked *a, const char *path, struct err *err)
{
    static const char magic[] = "SQLite format 3";
    char begin[sizeof magic] = "";
    FILE *f = fopen(path, "re");

    if (!f)
        return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    bool is_store = fread(begin, 1, sizeof begin, f) == sizeof begin
                    && memcmp(begin, magic, sizeof magic) == 0;
    rewind(f);
    int result = is_store ? 0 : replay_lines(a, f);
    fclose(f);
    return is_store ? replay_store(a, path, err) : result;
}

/* ---- the command ---- */

static int usage_error(const char *what, const char *word)
{
    fprintf(stderr, "maui replay: %s '%s'; `maui replay --help` lists the options\n",
        what, word);
    return 2;
}

/* 0 = go on; else the exit status + 1. */
static int parse(int argc, char **argv, struct asked *a)
{
    struct calendar cal = zone_system_calendar((int64_t)time(NULL));
    struct err err;
    int c;

    optind = 1;
    while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (c == OPT_HOME)
            a->home = optarg;
        else if (c == OPT_VERIFY)
            a->verify = true;
        else if (c == OPT_UNTIL && clock_parse(optarg, &cal, &a->until, &err) < 0)
            return usage_error("--until:", optarg);
        else if (c == OPT_FORMAT && strcmp(optarg, "json") == 0)
            a->json = true;
        else if (c == OPT_FORMAT && strcmp(optarg, "text") != 0)
            return usage_error("--format: expected text or json, not", optarg);
        else if (c == 'h') {
            fputs(help, stdout);
            return 1;
        } else if (c == '?') {
            fputs("`maui replay --help` lists the options.\n", stderr);
            return 2;
        }
    }
    a->file = optind < argc ? argv[optind] : NULL;
    if (optind + 1 < argc)
        return usage_error("not expected here:", argv[optind + 1]);
    return 0;
}

int replay_main(int argc, char **argv)
{
    struct asked a = {.until = INT64_MAX};
    struct err err = {0};
    int stop = parse(argc, argv, &a);

    if (stop)
        return stop - 1;
    char *home = home_find(a.home), *path = home_file(home, "state.db");
    a.replay = replay_create();
    int result = replay_file(&a, a.file ? a.file : path, &err);
    if (result < 0)
        fprintf(stderr, "maui replay: %s\n", err.text);
    else
        tell_all(&a);
    bool differ = a.verify && replay_count(a.replay)->differences;
    replay_destroy(a.replay);
    free(path);
    free(home);
    return result < 0 || result == 2 || differ ? 1 : 0;
}
