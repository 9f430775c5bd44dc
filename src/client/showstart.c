/* SPDX-License-Identifier: Apache-2.0
 * showstart: when a job, or so many processors, could start. */
#include "base/duration.h"
#include "client/client.h"
#include "client/layout.h"
#include "client/request.h"

#include <stdio.h>
#include <string.h>

static const struct option_row options[] = {
    {'l', NULL, "qos=QOS", "as if the job had this QOS"},
    {'p', NULL, "PARTITION", "with processors: in this partition"},
    {'v', NULL, NULL, "also what the answer rests on"},
    {0, NULL, NULL, NULL},
};

static const struct command_spec spec = {
    .name = "showstart",
    .usage = "[-v] [-l qos=QOS] JOB | PROCS[@DURATION]",
    .summary = "Show when a job, or so many processors, can start at the earliest.",
    .options = options,
    .more = "A running job: its start. One with a reservation: when that begins. Any "
            "other:\n"
            "when it could start if it were the job of highest priority and all "
            "reservations\n"
            "were kept. PROCS is asked for DURATION (1 second if left out), as "
            "[DD:]HH:MM:SS\n"
            "or seconds; a number that is a job's name means the job.\n",
    .examples = "  showstart 4711         job 4711\n"
                "  showstart 64@2:00:00   64 processors for two hours\n",
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

/* Takes the reference. */
static int print_start(const struct command_line *l, const char *name, json_t *o)
{
    json_int_t procs = get_int(o, "procs", 0), start = get_int(o, "start_at", 0);
    json_int_t end = get_int(o, "end_at", 0), now = get_int(o, "at", 0);
    char rel[LAYOUT_REL_MAX];

    if (l->format == FORMAT_JSON)
        return print_json(o);
    if (!start) {
        fprintf(stderr, "ERROR:    cannot determine earliest start time for job '%s'\n",
            name);
        json_decref(o);
        return 1;
    }
    printf("job %s requires %lld proc%s for %s\n", name, (long long)procs,
        procs == 1 ? "" : "s",
        layout_rel(get_int(o, "duration_s", DURATION_UNLIMITED), rel));
    print_line("Earliest start in", start, now);
    if (end)
        print_line("Earliest completion in", end, now);
    printf("Best Partition: %s\n", get_text(o, "partition", ""));
    if (command_has(l, 'v'))
        print_method(o);
    json_decref(o);
    return 0;
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
        fprintf(stderr, "ERROR:    cannot locate job '%s'\n", name);
    return o ? print_start(l, name, o) : 1;
}

int showstart_main(int argc, char **argv)
{
    struct command_line l;
    int status;

    if (command_parse(&spec, argc, argv, &l, &status) < 0)
        return status;
    const char *qos = command_value(&l, 'l');
    if (l.nargs != 1)
        status = command_wrong(&l, "%s",
            l.nargs ? "one job at a time" : "a job, or PROCS@DURATION, is needed");
    else if (qos && strncmp(qos, "qos=", 4) != 0)
        status = command_wrong(&l, "-l: '%s' is not qos=QOS", qos);
    else
        status = show(&l);
    command_fini(&l);
    return status;
}
