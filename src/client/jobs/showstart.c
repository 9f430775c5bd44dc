/* SPDX-License-Identifier: Apache-2.0
 * showstart: when a job, or so many processors, could start. */
#include "base/duration.h"
#include "client/client.h"
#include "client/jobs/estimate.h"
#include "client/kit/layout.h"
#include "client/kit/request.h"
#include "client/kit/stopped.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct option_row options[] = {
    {'e', NULL, "all|rsv|prio|hist",
        "by reservations (as without -e), the queue in front, or how long others "
        "waited"},
    {'l', NULL, "qos=QOS", "as if the job had this QOS"},
    {'p', NULL, "PARTITION", "with processors: in this partition"},
    {'v', NULL, NULL, "also what the answer rests on"},
    {0, NULL, NULL, NULL},
};

static const struct command_spec spec = {
    .name = "showstart",
    .usage = "[-v] [-e METHOD] [-l qos=QOS] JOB | PROCS[@DURATION]",
    .summary = "Show when a job, or so many processors, can start at the earliest.",
    .options = options,
    .more = "A running job: its start. One with a reservation: when that begins. Any "
            "other:\n"
            "when it could start if it were the job of highest priority and all "
            "reservations\n"
            "were kept. PROCS is asked for DURATION (1 second if left out), as "
            "[DD:]HH:MM:SS\n"
            "or seconds; a number that is a job's name means the job.\n\n"
            "-e prio takes all processors to work off what runs and what waits in\n"
            "front of it, by the limits; -e hist is the average wait of ended jobs of\n"
            "that size and length (showgrid AVGQTIME; for administrators of level 1\n"
            "to 3).\n",
    .examples = "  showstart 4711         job 4711\n"
                "  showstart 64@2:00:00   64 processors for two hours\n"
                "  showstart -e all 4711  by every method\n",
};

/* Asked for, not yet submitted: "PROCS" or "PROCS@DURATION". */
struct wish {
    char procs[24], duration_s[24];
};

/* False: it is no such thing. -1 in *ret_wrong: it is, and it is wrong. */
static bool read_wish(
    const struct command_line *l, const char *text, struct wish *ret, int *ret_wrong)
{
    size_t digits = strspn(text, "0123456789");
    int64_t seconds = 1;
    struct err err;

    *ret_wrong = 0;
    if (digits == 0 || digits > 9 || (text[digits] && text[digits] != '@'))
        return false;
    if (text[digits] && duration_parse(text + digits + 1, &seconds, &err) < 0)
        *ret_wrong = command_wrong(l, "%s", err.text);
    else if (seconds < 1 || seconds > INT32_MAX)
        *ret_wrong =
            command_wrong(l, "'%s': the duration is to be 1 second to 68 years", text);
    snprintf(ret->procs, sizeof ret->procs, "%.*s", (int)digits, text);
    snprintf(ret->duration_s, sizeof ret->duration_s, "%lld", (long long)seconds);
    return true;
}

static json_t *ask_wish(const struct command_line *l, const struct wish *w)
{
    struct query *q = query_new("/v1/start");

    query_add(q, "procs", w->procs);
    query_add(q, "duration_s", w->duration_s);
    query_add(q, "partition",
        command_has(l, 'p') ? command_value(l, 'p') : getenv("MAUIPARTITION"));
    if (command_has(l, 'l'))
        query_add(q, "qos", strchr(command_value(l, 'l'), '=') + 1);
    json_t *o = ask(l, q);
    query_free(q);
    return o;
}

/* NULL with *ret_gone: there is no such job; nothing was said of it. */
static json_t *ask_job(const struct command_line *l, const char *id, bool *ret_gone)
{
    struct query *q = query_new("/v1/jobs");

    query_part(q, id);
    query_part(q, "start");
    if (command_has(l, 'l'))
        query_add(q, "qos", strchr(command_value(l, 'l'), '=') + 1);
    json_t *o = ask_if_there(l, q, ret_gone);
    query_free(q);
    return o;
}

static void print_line(const char *label, json_int_t at, json_int_t now)
{
    char rel[LAYOUT_REL_MAX], date[LAYOUT_DATE_MAX];

    printf(
        "%-22s %11s on %s\n", label, layout_rel(at - now, rel), layout_date(at, date));
}

/* By how long jobs have run so far: not a bound. */
static void print_expected(const json_t *o, json_int_t now)
{
    char from[LAYOUT_DATE_MAX], until[LAYOUT_DATE_MAX];

    if (!get_int(o, "expected_at", 0))
        return;
    print_line("Expected to start in", get_int(o, "expected_at", 0), now);
    if (get_int(o, "expected_until", 0))
        printf("Four of five start between %s and %s\n",
            layout_date(get_int(o, "expected_from", 0), from),
            layout_date(get_int(o, "expected_until", 0), until));
}

static void note_put_off(const json_t *o, FILE *to)
{
    char date[LAYOUT_DATE_MAX];

    if (get_int(o, "was_promised_by", 0))
        fprintf(to, "NOTE:     it was promised to start by %s, but %s\n",
            layout_date(get_int(o, "was_promised_by", 0), date),
            get_text(o, "put_off_by", ""));
}

static void print_promise(const json_t *o, json_int_t now)
{
    json_int_t ahead = get_int(o, "unpromised_ahead", 0);

    if (get_int(o, "promised_by", 0))
        print_line("Promised to start by", get_int(o, "promised_by", 0), now);
    else if (json_object_get(o, "unpromised_ahead"))
        printf("No promise yet (%lld waiting job%s ahead)\n", (long long)ahead,
            ahead == 1 ? " is" : "s are");
    note_put_off(o, stdout);
}

static void print_method(const json_t *o)
{
    static const struct {
        const char *method, *text;
    } methods[] = {{"running", "it runs"},
        {"reservation", "the job has a reservation that begins then"},
        {"earliest", "an estimate: if it were the job of highest priority"}};

    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        if (strcmp(get_text(o, "method", ""), methods[i].method) == 0)
            printf("Based on: %s\n", methods[i].text);
}

/* ---- -e ---- */

static bool is_method(const char *e)
{
    return strcasecmp(e, "all") == 0 || strcasecmp(e, "rsv") == 0
           || strcasecmp(e, "prio") == 0 || strcasecmp(e, "hist") == 0;
}

static bool by_method(const struct command_line *l, const char *method)
{
    const char *e = command_value(l, 'e');

    return strcasecmp(e, method) == 0 || strcasecmp(e, "all") == 0;
}

static void print_pair(const char *method, json_int_t start, const json_t *o)
{
    json_int_t now = get_int(o, "at", 0);
    char rel[LAYOUT_REL_MAX], date[LAYOUT_DATE_MAX], label[60];
    json_int_t ends[2] = {start, start + get_int(o, "duration_s", 0)};

    for (int i = 0; i < 2 && start > 0; i++) {
        snprintf(label, sizeof label, "Estimated %s based %s in", method,
            i ? "completion" : "start");
        printf("%-40s %11s on %s\n", label, layout_rel(ends[i] - now, rel),
            layout_date(ends[i], date));
    }
    if (!start)
        printf("Estimated %s based start is not known\n", method);
    puts("");
}

static int print_methods(const struct command_line *l, const json_t *o)
{
    struct estimate_ask want = {.job = get_text(o, "job", NULL),
        .procs = get_int(o, "procs", 0),
        .duration_s = get_int(o, "duration_s", 1),
        .now = get_int(o, "at", 0)};
    bool runs = strcmp(get_text(o, "method", ""), "running") == 0;
    json_int_t start = get_int(o, "start_at", 0), prio = start, hist = start;

    if (by_method(l, "prio") && !runs && (prio = estimate_by_priority(l, &want)) < 0)
        return 1;
    if (by_method(l, "hist") && !runs && (hist = estimate_by_history(l, &want)) < 0)
        return 1;
    if (by_method(l, "rsv"))
        print_pair("Rsv", start, o);
    if (by_method(l, "prio"))
        print_pair("Priority", prio, o);
    if (by_method(l, "hist"))
        print_pair("Historical", hist, o);
    return 0;
}

/* Takes the reference. */
static int print_start(const struct command_line *l, const char *name, json_t *o)
{
    json_int_t procs = get_int(o, "procs", 0), start = get_int(o, "start_at", 0);
    json_int_t end = get_int(o, "end_at", 0), now = get_int(o, "at", 0);
    char rel[LAYOUT_REL_MAX];

    if (l->format == FORMAT_JSON)
        return print_json(o);
    const char *why = get_text(json_object_get(o, "reason"), "text", "");
    if (strcmp(get_text(o, "method", ""), "running") != 0)
        stopped_note(o);

    if (!start && !command_has(l, 'e')) {
        fprintf(stderr,
            "ERROR:    cannot determine earliest start time for job '%s'%s%s\n", name,
            *why ? ": " : "", why);
        note_put_off(o, stderr);
        json_decref(o);
        return 1;
    }
    if (*why) /* the plan knows of room alone */
        fprintf(stderr, "NOTE:     this does not count what keeps it: %s\n", why);
    printf("job %s requires %lld proc%s for %s\n", name, (long long)procs,
        procs == 1 ? "" : "s",
        layout_rel(get_int(o, "duration_s", DURATION_UNLIMITED), rel));
    int status = 0;
    if (command_has(l, 'e')) {
        status = print_methods(l, o);
    } else {
        print_line("Earliest start in", start, now);
        if (end)
            print_line("Earliest completion in", end, now);
        print_expected(o, now);
        print_promise(o, now);
    }
    if (start)
        printf("Best Partition: %s\n", get_text(o, "partition", ""));
    if (command_has(l, 'v'))
        print_method(o);
    json_decref(o);
    return status;
}

static int show(const struct command_line *l)
{
    const char *name = l->args[0];
    struct wish wish;
    bool gone = false;
    int wrong;
    bool wished = read_wish(l, name, &wish, &wrong);

    if (wrong)
        return wrong;
    if (wished && strchr(name, '@')) {
        json_t *o = ask_wish(l, &wish);
        return o ? print_start(l, name, o) : 1;
    }
    json_t *o = ask_job(l, name, &gone);
    if (gone && wished) {
        o = ask_wish(l, &wish);
        if (o && get_int(o, "start_at", 0)) {
            fprintf(stderr,
                "NOTE:     there is no job '%s': this is for %s processors\n", name,
                wish.procs);
            return print_start(l, name, o);
        }
        if (!o)
            return 1;
        json_decref(o);
        o = NULL;
    }
    if (gone)
        complain_of_gone();
    return o ? print_start(l, name, o) : 1;
}

static int run(const struct command_line *l)
{
    const char *qos = command_value(l, 'l');

    if (l->nargs != 1)
        return command_wrong(l, "%s",
            l->nargs ? "one job at a time" : "a job, or PROCS@DURATION, is needed");
    if (command_has(l, 'e') && !is_method(command_value(l, 'e')))
        return command_wrong(
            l, "-e: '%s' is not one of all, rsv, prio, hist", command_value(l, 'e'));
    if (qos && strncmp(qos, "qos=", 4) != 0)
        return command_wrong(l, "-l: '%s' is not qos=QOS", qos);
    return show(l);
}

int showstart_main(int argc, char **argv)
{
    return command_run(&spec, argc, argv, run);
}
