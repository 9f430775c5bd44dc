/* SPDX-License-Identifier: Apache-2.0
 * mschedctl: the scheduler, in the words of Moab. */
#include "base/strbuf.h"
#include "client/client.h"
#include "client/scheduler/schedctl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option_row options[] = {
    {'A', NULL, "TEXT", "leave a message for the other administrators"},
    {'c', NULL, "message", "the same, its text in the next word; triggers: setres -T"},
    {'d', NULL, "message:N", "take message N away"},
    {'f', NULL, "all|usage|fairshare", "count anew: statistics, fairshare or both"},
    {'k', NULL, NULL, "shut down; jobs go on"},
    {'l', NULL, NULL, "list: config [NAME], message or trigger"},
    {'L', NULL, "LEVEL", "how much is logged, 0 to 9; a file may follow"},
    {'m', NULL, "config", "change a parameter: \"NAME VALUE\" in the next word"},
    {'p', NULL, NULL, "pause: no more starts"},
    {'r', NULL, NULL, "resume scheduling: after TIME, or now"},
    {'R', NULL, NULL, "read the configuration again"},
    {'s', NULL, NULL, "stop scheduling: at iteration N, or now"},
    {'S', NULL, NULL, "run N more iterations (1), then stop"},
    {0, "flags", "persistent", "with -m: keep the change when the file is read again"},
    {0, NULL, NULL, NULL},
};

static const struct command_spec spec = {
    .name = "mschedctl",
    .usage = "-A TEXT | -c message TEXT | -d message:N | -f WHAT | -k | -l [WHAT] | "
             "-L LEVEL [FILE] | -m config CHANGE | -p | -r [TIME] | -R | -s [N] | "
             "-S [N]",
    .summary = "Stop, resume, step, annotate, reconfigure or shut down the scheduler.",
    .options = options,
    .more =
        "N is a number of iterations, or a time with colons. Behind it, I means that\n"
        "nobody else is answered until then, S that this command waits until then.\n"
        "Messages are shown by diagnose -S. Estimates are made anew for each question\n"
        "and need no flush. For administrators of level 1.\n",
    .examples = "  mschedctl -p           no more starts\n"
                "  mschedctl -r           go on\n"
                "  mschedctl -A 'disks are swapped at noon'\n"
                "  mschedctl -m config 'RMPOLLINTERVAL 10'\n"
                "  mschedctl -f fairshare what was used so far is forgotten\n",
};

/* ---- messages ---- */

static int annotate(const struct command_line *l, const char *text)
{
    return schedctl_send(l, "/v1/scheduler",
        json_pack("{s:s, s:s}", "action", "annotate", "text", text));
}

static int create(const struct command_line *l)
{
    const char *what = command_value(l, 'c'), *text = schedctl_argument(l);

    if (strcmp(what, "trigger") == 0)
        return command_wrong(
            l, "-c trigger: triggers belong to reservations; see setres -T");
    if (strcmp(what, "message") != 0 || !text)
        return command_wrong(l, "-c: expected message TEXT");
    return annotate(l, text);
}

static int destroy(const struct command_line *l)
{
    const char *what = command_value(l, 'd'), *digits = strchr(what, ':');
    char *end;

    if (strncmp(what, "trigger", 7) == 0)
        return command_wrong(l, "-d trigger: triggers go with their reservation; see "
                                "mrsvctl -m trigger=");
    if (strncmp(what, "message", 7) != 0)
        return command_wrong(l, "-d: '%s' is not message:N", what);
    digits = digits ? digits + 1 : schedctl_argument(l);
    long n = digits ? strtol(digits, &end, 10) : 0;
    if (!digits || end == digits || *end || n < 1)
        return command_wrong(l, "-d: expected message:N; -l message lists the numbers");
    return schedctl_send(l, "/v1/scheduler",
        json_pack("{s:s, s:I}", "action", "forget", "message", (json_int_t)n));
}

/* ---- lists ---- */

static int list_messages(const struct command_line *l)
{
    struct query *q = query_new("/v1/scheduler");
    json_t *o = ask(l, q), *messages = json_object_get(o, "messages"), *text;
    size_t i;

    query_free(q);
    if (!o)
        return 1;
    if (l->format == FORMAT_JSON)
        print_json(messages ? json_incref(messages) : json_array());
    else
        json_array_foreach(messages, i, text) puts(json_string_value(text));
    json_decref(o);
    return 0;
}

static void print_triggers(void *ctx, json_t *rsv)
{
    const struct command_line *l = ctx;
    json_t *t;
    size_t i;

    json_array_foreach(json_object_get(rsv, "triggers"), i, t)
    {
        char *text = json_is_string(t) ? NULL : json_dumps(t, JSON_COMPACT);
        if (l->format == FORMAT_JSON)
            json_dumpf(t, stdout, JSON_COMPACT | JSON_ENCODE_ANY);
        else
            printf("%-20s %s", get_text(rsv, "name", ""),
                text ? text : json_string_value(t));
        puts("");
        free(text);
    }
}

static int list(const struct command_line *l)
{
    const char *what = schedctl_argument(l);
    struct query *q;
    int status;

    if (!what || strcmp(what, "config") == 0)
        return schedctl_list(l, l->nargs == 2 ? l->args[1] : NULL);
    if (l->nargs > 1)
        return command_wrong(l, "'%s' is too much", l->args[1]);
    if (strcmp(what, "message") == 0)
        return list_messages(l);
    if (strcmp(what, "trigger") != 0)
        return schedctl_list(l, what);
    q = query_new("/v1/reservations");
    status = ask_list(l, q, print_triggers, (void *)l) < 0;
    query_free(q);
    return status;
}

/* ---- the rest ---- */

static int flush_what(const struct command_line *l)
{
    const char *what = command_value(l, 'f');

    if (strcmp(what, "estimates") == 0)
        return command_wrong(
            l, "-f estimates: they are made anew for each question, none are kept");
    return schedctl_send(
        l, "/v1/scheduler", json_pack("{s:s, s:s}", "action", "flush", "what", what));
}

/* LOGFILE after the level, so that what the change itself logs is in the new one. */
static int log_level(const struct command_line *l)
{
    struct strbuf text = {0};

    strbuf_printf(&text, "LOGLEVEL %s", command_value(l, 'L'));
    int status = schedctl_change(l, text.text);
    free(strbuf_take(&text));
    if (status || !l->nargs)
        return status;
    strbuf_printf(&text, "LOGFILE %s", l->args[0]);
    status = schedctl_change(l, text.text);
    free(strbuf_take(&text));
    return status;
}

static int change(const struct command_line *l)
{
    const char *what = command_value(l, 'm');

    if (strcmp(what, "config") == 0 && l->nargs == 1)
        return schedctl_change(l, l->args[0]);
    if (l->nargs)
        return command_wrong(l, "-m: expected config 'NAME VALUE'");
    return schedctl_change(l, what);
}

static int act(const struct command_line *l, char letter)
{
    switch (letter) {
    case 'A':
        return annotate(l, command_value(l, 'A'));
    case 'c':
        return create(l);
    case 'd':
        return destroy(l);
    case 'f':
        return flush_what(l);
    case 'l':
        return list(l);
    case 'L':
        return log_level(l);
    case 'm':
        return change(l);
    case 'p':
        return schedctl_control(l, 's');
    default:
        return schedctl_control(l, letter);
    }
}

static int run(const struct command_line *l)
{
    char chosen;

    if (command_one_of(l, "AcdfklLmprRsS", &chosen))
        return 1;
    if (!chosen)
        return command_wrong(l, "one of -A -c -d -f -k -l -L -m -p -r -R -s -S is "
                                "needed");
    if (l->nargs > (chosen == 'l' ? 2 : 1) || (l->nargs && strchr("AfkpR", chosen)))
        return command_wrong(l, "'%s' is too much", l->args[l->nargs - 1]);
    return act(l, chosen);
}

int mschedctl_main(int argc, char **argv)
{
    return command_run(&spec, argc, argv, run);
}
