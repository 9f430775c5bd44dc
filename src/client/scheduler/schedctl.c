/* SPDX-License-Identifier: Apache-2.0
 * schedctl and changeparam: the scheduler itself. */
#include "client/scheduler/schedctl.h"

#include "base/duration.h"
#include "base/home.h"
#include "base/strbuf.h"
#include "client/client.h"
#include "client/kit/layout.h"
#include "client/kit/request.h"
#include "client/kit/site.h"
#include "client/scheduler/schedctl_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SHUTDOWN_PATIENCE_S 30
#define ASKED_BEFORE_NOTE   10

static const struct option_row options[] = {
    {'k', NULL, NULL, "shut down, and wait until it has ended; jobs go on"},
    {'s', NULL, NULL, "stop scheduling: at iteration N, or now"},
    {'S', NULL, NULL, "run N more iterations (1), then stop"},
    {'r', NULL, NULL, "resume scheduling: after TIME, or now"},
    {'R', NULL, NULL, "read the configuration again"},
    {'f', NULL, "TIME", "as if the resource manager failed for TIME; 0 ends it"},
    {'j', NULL, "TRACE", "submit jobs of a workload trace: a file, or one record"},
    {'l', NULL, NULL, "list parameters: those that begin with NAME, or all"},
    {'m', NULL, "NAME VALUE", "change a parameter"},
    {'n', NULL, NULL, "print the nodes as a resource trace"},
    {0, "flags", "persistent", "with -m: keep the change when the file is read again"},
    {0, NULL, NULL, NULL},
};

static const struct command_spec schedctl_spec = {
    .name = "schedctl",
    .usage = "-k | -s [N] | -S [N] | -r [TIME] | -R | -l [NAME] | -m NAME VALUE | -n | "
             "-f TIME | -j TRACE",
    .summary = "Stop, resume, step, reconfigure or shut down the scheduler.",
    .options = options,
    .more =
        "N is a number of iterations, or a time with colons. To a later iteration or\n"
        "time a scheduler that is stopped runs on. Behind it, I means that nobody "
        "else\n"
        "is answered until then (commands wait for a simulation, and are refused by a\n"
        "scheduler of real nodes), S that this command waits until then.\n"
        "\n"
        "For administrators of level 1.\n",
    .examples = "  schedctl -s            no more starts\n"
                "  schedctl -r            go on\n"
                "  schedctl -r 10:00      go on in ten minutes\n"
                "  schedctl -S 5S         five iterations, and wait for them\n"
                "  schedctl -s 1:00:00    stop in an hour\n"
                "  schedctl -m RMPOLLINTERVAL 10\n"
                "  schedctl -n >nodes     for maui sim\n",
};

const char *schedctl_argument(const struct command_line *l)
{
    return l->nargs ? l->args[0] : NULL;
}

/* Of a configuration that was read again: what is worth mending. */
static void print_findings(const json_t *findings)
{
    size_t i, notes = 0;
    json_t *f;

    json_array_foreach(findings, i, f)
    {
        const char *level = get_text(f, "level", "");

        if (strcmp(level, "note") == 0)
            notes++;
        else
            printf("%s:%lld: %s: %s\n", get_text(f, "file", ""),
                (long long)get_int(f, "line", 0), level, get_text(f, "text", ""));
    }
    if (notes > 0)
        printf("%zu note%s; `maui check` prints them\n", notes, notes == 1 ? "" : "s");
}

static void print_warnings(const json_t *warnings)
{
    size_t i;
    json_t *text;

    json_array_foreach(warnings, i, text) printf("%s\n", json_string_value(text));
}

/* "at" an instant, where the answer has one. */
static int say(const struct command_line *l, json_t *done)
{
    json_int_t at = get_int(done, "at", 0);
    char date[LAYOUT_DATE_MAX];

    if (!done)
        return 1;
    if (l->format == FORMAT_JSON)
        return print_json(done);
    printf("%s%s%s\n", get_text(done, "message", ""), at ? " on " : "",
        at ? layout_date(at, date) : "");
    print_findings(json_object_get(done, "findings"));
    print_warnings(json_object_get(done, "warnings"));
    json_decref(done);
    return 0;
}

int schedctl_send(const struct command_line *l, const char *path, json_t *order)
{
    struct query *q = query_new(path);
    int status = say(l, tell(l, "POST", q, order));

    query_free(q);
    return status;
}

/* "5", "5I", "10:00S": how far, and what the letter behind it asks for. */
static int get_extent(
    const struct command_line *l, const char *key, json_t *order, bool *wait)
{
    const char *text = schedctl_argument(l);
    struct err err;
    int64_t seconds;
    char *copy, *end;
    int status = 0;

    if (!text)
        return 0;
    copy = xstrdup(text);
    size_t len = strlen(copy);
    char letter = len ? copy[len - 1] : '\0';
    if (letter == 'I' || letter == 'S')
        copy[--len] = '\0';
    *wait = letter == 'S';
    if (letter == 'I')
        json_object_set_new(order, "alone", json_true());
    long long n = strtoll(copy, &end, 10);
    if (strchr(copy, ':')) {
        if (duration_parse(copy, &seconds, &err) < 0)
            status = command_wrong(l, "%s", err.text);
        else
            json_object_set_new(order, "seconds", json_integer(seconds));
    } else if (end == copy || *end || n < 0)
        status = command_wrong(
            l, "'%s' is not a number of iterations or a time; I or S may follow", text);
    else
        json_object_set_new(order, key, json_integer(n));
    free(copy);
    return status;
}

/* To a late iteration it may be hours, where the clock is not simulated. */
static void tell_waiting(const json_t *o)
{
    fprintf(stderr,
        "NOTE:     iteration %lld is over; this waits for the stop, which an interrupt "
        "does not take back\n",
        (long long)get_int(o, "iteration", 0));
}

/* Until scheduling has stopped. */
static int wait_for_stop(const struct command_line *l)
{
    for (int asked = 0;; asked++) {
        struct query *q = query_new("/v1/scheduler");
        json_t *o = ask(l, q);
        query_free(q);
        if (!o)
            return 1;
        bool paused = strcmp(get_text(o, "state", ""), "paused") == 0;
        if (!paused && asked == ASKED_BEFORE_NOTE)
            tell_waiting(o);
        json_decref(o);
        if (paused)
            return 0;
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
}

static int get_wait(const struct command_line *l, json_t *order)
{
    struct err err;
    int64_t seconds;

    if (!schedctl_argument(l))
        return 0;
    if (duration_parse(schedctl_argument(l), &seconds, &err) < 0)
        return command_wrong(l, "-r: %s", err.text);
    json_object_set_new(order, "seconds", json_integer(seconds));
    return 0;
}

static int get_failure(const struct command_line *l, json_t *order)
{
    struct err err;
    int64_t seconds;

    if (duration_parse(command_value(l, 'f'), &seconds, &err) < 0)
        return command_wrong(l, "-f: %s", err.text);
    json_object_set_new(order, "seconds", json_integer(seconds));
    return 0;
}

int schedctl_change(const struct command_line *l, const char *text)
{
    const char *flags = command_long(l, "flags");

    if (flags && strcmp(flags, "persistent") != 0)
        return command_wrong(l, "--flags: '%s' is not persistent", flags);
    return schedctl_send(l, "/v1/parameters",
        json_pack("{s:s, s:b}", "text", text, "persistent", flags != NULL));
}

/* Of the first word, or NULL, and the arguments: quotes around all may be left out.
 * Owned by the caller. */
static char *join_words(const struct command_line *l, const char *first)
{
    struct strbuf text = {0};

    strbuf_add(&text, first ? first : "");
    for (int i = 0; i < l->nargs; i++)
        strbuf_printf(&text, "%s%s", text.len ? " " : "", l->args[i]);
    return strbuf_take(&text);
}

static int change_words(const struct command_line *l, const char *first)
{
    char *text = join_words(l, first);
    int status = schedctl_change(l, text);

    free(text);
    return status;
}

static void print_parameter(void *ctx, json_t *o)
{
    (void)ctx;
    printf("%-30s  %s\n", get_text(o, "name", ""), get_text(o, "value", ""));
}

int schedctl_list(const struct command_line *l, const char *name)
{
    struct query *q = query_new("/v1/parameters");
    int status;

    query_add(q, "name", name);
    status = l->format == FORMAT_JSON
                 ? print_json_list(l, q)
                 : (ask_list(l, q, print_parameter, NULL) < 0 ? 1 : 0);
    query_free(q);
    return status;
}

/* So that whoever starts the scheduler next is not told that one runs already. */
static int wait_for_shutdown(const struct command_line *l)
{
    struct site site;
    int status = 0;

    site_find(l, &site);
    if (!site.host && !home_wait_free(site.home, SHUTDOWN_PATIENCE_S)) {
        fprintf(stderr, "NOTE:     after %d seconds it has not ended yet\n",
            SHUTDOWN_PATIENCE_S);
        status = 1;
    }
    site_fini(&site);
    return status;
}

int schedctl_control(const struct command_line *l, char letter)
{
    static const struct {
        char letter;
        const char *action;
    } actions[] = {{'k', "shutdown"}, {'s', "stop"}, {'S', "step"}, {'r', "resume"},
        {'R', "reload"}, {'f', "fail"}};
    json_t *order = json_object();
    bool wait = false;
    int wrong = 0;

    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
        if (actions[i].letter == letter)
            json_object_set_new(order, "action", json_string(actions[i].action));
    if (letter == 's')
        wrong = get_extent(l, "iteration", order, &wait);
    else if (letter == 'S')
        wrong = get_extent(l, "count", order, &wait);
    else if (letter == 'r')
        wrong = get_wait(l, order);
    else if (letter == 'f')
        wrong = get_failure(l, order);
    if (wrong) {
        json_decref(order);
        return wrong;
    }
    int status = schedctl_send(l, "/v1/scheduler", order);
    if (status == 0 && letter == 'k')
        return wait_for_shutdown(l);
    return status == 0 && wait ? wait_for_stop(l) : status;
}

static int run(const struct command_line *l)
{
    char chosen;

    if (command_one_of(l, "ksSrRlmnfj", &chosen))
        return 1;
    if (!chosen)
        return command_wrong(l, "one of -k -s -S -r -R -l -m -n -f -j is needed");
    if ((l->nargs > 1 && chosen != 'm') || (l->nargs && strchr("kRnfj", chosen)))
        return command_wrong(l, "'%s' is too much", l->args[l->nargs - 1]);
    if (chosen == 'l')
        return schedctl_list(l, schedctl_argument(l));
    if (chosen == 'n')
        return schedctl_nodes(l);
    if (chosen == 'j')
        return schedctl_submit(l, command_value(l, 'j'));
    return chosen == 'm' ? change_words(l, command_value(l, 'm'))
                         : schedctl_control(l, chosen);
}

int schedctl_main(int argc, char **argv)
{
    return command_run(&schedctl_spec, argc, argv, run);
}

/* ---- changeparam ---- */

static const struct option_row changeparam_options[] = {
    {'d', "drop", NULL, "take the change back: the file counts again"},
    {0, "flags", "persistent", "keep the change when the file is read again"},
    {0, NULL, NULL, NULL},
};

static const struct command_spec changeparam_spec = {
    .name = "changeparam",
    .usage = "[--flags persistent] PARAMETER VALUE... | -d PARAMETER",
    .summary = "Change a parameter of the running scheduler.",
    .options = changeparam_options,
    .more =
        "The file is not written. The change outlives a restart of the scheduler; it "
        "is\n"
        "gone when the configuration is read again by order (schedctl -R, SIGHUP),\n"
        "unless it is persistent, or when it is dropped. A list (USERLIST, TRIGGER)\n"
        "takes the place of what the file says. For administrators of level 1.\n",
    .examples = "  changeparam LOGLEVEL 4\n"
                "  changeparam 'USERCFG[mira]' MAXJOB=4\n"
                "  changeparam --drop LOGLEVEL\n"
                "  changeparam --drop 'USERCFG[mira].MAXJOB'\n",
};

/* PARAMETER or SECTION[NAME].ATTRIBUTE, as showconfig lists them; a value may follow.
 */
static int drop_change(const struct command_line *l)
{
    char *text = join_words(l, NULL), *dot = strstr(text, "].");

    if (dot)
        dot[1] = ' ';
    int status = schedctl_send(l, "/v1/parameters",
        json_pack("{s:s, s:b, s:b}", "text", text, "persistent", 1, "drop", 1));
    free(text);
    return status;
}

static int change_parameter(const struct command_line *l)
{
    bool drop = command_has(l, 'd');

    if (l->nargs < (drop ? 1 : 2))
        return command_wrong(
            l, drop ? "a parameter is needed" : "a parameter and its value are needed");
    return drop ? drop_change(l) : change_words(l, NULL);
}

int changeparam_main(int argc, char **argv)
{
    return command_run(&changeparam_spec, argc, argv, change_parameter);
}

/* ---- resetstats ---- */

static const struct command_spec resetstats_spec = {
    .name = "resetstats",
    .usage = "",
    .summary = "Begin the statistics anew; fairshare is kept.",
    .examples = "  resetstats\n",
};

static int reset_statistics(const struct command_line *l)
{
    return l->nargs ? command_wrong(l, "'%s' is too much", l->args[0])
                    : schedctl_send(l, "/v1/orders/reset-statistics", json_object());
}

int resetstats_main(int argc, char **argv)
{
    return command_run(&resetstats_spec, argc, argv, reset_statistics);
}
