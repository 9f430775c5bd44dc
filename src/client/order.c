/* SPDX-License-Identifier: Apache-2.0
 * Commands that do something to jobs, all of one shape: job expressions on the line, an
 * order to the scheduler, a sentence a job. sethold, releasehold, setspri, setqos,
 * canceljob. */
#include "client/client.h"
#include "client/request.h"

#include <stdio.h>

/* Print the outcome: refusals on stderr. 0, or 1 when one was refused. */
static int print_outcome(const struct command_line *l, json_t *outcome)
{
    json_t *results = json_object_get(outcome, "results"), *r;
    const char *last = "";
    int status = 0;
    size_t i;

    if (!outcome)
        return 1;
    json_array_foreach(results, i, r)
    {
        const char *text = get_text(r, "message", "");
        if (!get_bool(r, "ok")) {
            status = 1;
            if (l->format == FORMAT_TEXT)
                fprintf(stderr, "ERROR:    %s\n", text);
        } else if (l->format == FORMAT_TEXT && strcmp(text, last) != 0) {
            puts(text); /* "job holds adjusted" once for many */
            last = text;
        }
    }
    if (l->format == FORMAT_JSON)
        print_json(json_incref(outcome));
    json_decref(outcome);
    return status;
}

static json_t *jobs_from(const struct command_line *l, int first)
{
    json_t *list = json_array();

    for (int i = first; i < l->nargs; i++)
        json_array_append_new(list, json_string(l->args[i]));
    return list;
}

static int send(const struct command_line *l, const char *verb, json_t *order)
{
    struct query *q = query_new("/v1/orders");

    query_part(q, verb);
    int status = print_outcome(l, tell(l, "POST", q, order));
    query_free(q);
    return status;
}

/* ---- holds ---- */

static const struct option_row hold_options[] = {
    {'a', NULL, NULL, "all holds (the default)"},
    {'b', NULL, NULL, "batch holds"},
    {'s', NULL, NULL, "system holds"},
    {'u', NULL, NULL, "user holds"},
    {0, NULL, NULL, NULL},
};

static const struct command_spec sethold_spec = {
    .name = "sethold",
    .usage = "[-a | -b | -s | -u] JOB...",
    .summary = "Hold jobs: they do not start until the hold is released.",
    .options = hold_options,
    .more = "JOB is a job's id or a regular expression. Owners may set user holds,\n"
            "administrators of level 1 and 2 all.\n",
    .examples = "  sethold -b 120         batch hold on job 120\n"
                "  sethold -u '12[0-9]'   user holds on jobs 120 to 129\n",
};

static const struct command_spec releasehold_spec = {
    .name = "releasehold",
    .usage = "[-a | -b | -s | -u] JOB...",
    .summary = "Release holds of jobs, and deferrals with batch holds.",
    .options = hold_options,
    .examples = "  releasehold 120        whatever holds the scheduler has on job 120\n"
                "  releasehold -b ALL     all batch holds\n",
};

static int holds(
    const struct command_spec *spec, const char *verb, int argc, char **argv)
{
    static const struct {
        char letter;
        const char *kind;
    } kinds[] = {{'a', "all"}, {'b', "batch"}, {'s', "system"}, {'u', "user"}};
    struct command_line l;
    json_t *chosen = json_array();
    int status;

    if (command_parse(spec, argc, argv, &l, &status) < 0) {
        json_decref(chosen);
        return status;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (command_has(&l, kinds[i].letter))
            json_array_append_new(chosen, json_string(kinds[i].kind));
    if (l.nargs)
        status = send(&l, verb,
            json_pack("{s:o, s:O}", "jobs", jobs_from(&l, 0), "kinds", chosen));
    else
        status = command_wrong(&l, "a job is needed");
    json_decref(chosen);
    command_fini(&l);
    return status;
}

int sethold_main(int argc, char **argv)
{
    return holds(&sethold_spec, "hold", argc, argv);
}

int releasehold_main(int argc, char **argv)
{
    return holds(&releasehold_spec, "release", argc, argv);
}

/* ---- priority, QOS, cancel ---- */

static const struct option_row setspri_options[] = {
    {'r', NULL, NULL, "add PRIORITY to the computed priority"},
    {0, NULL, NULL, NULL},
};

static const struct command_spec setspri_spec = {
    .name = "setspri",
    .usage = "[-r] PRIORITY JOB...",
    .summary = "Set the system priority of jobs.",
    .options = setspri_options,
    .more = "1 to 1000 goes before every computed priority; 0 clears it.\n",
    .examples = "  setspri 10 120         job 120 goes first\n"
                "  setspri -r -- -500 120 job 120 loses 500 points\n"
                "  setspri 0 120          back to the computed priority\n",
};

int setspri_main(int argc, char **argv)
{
    struct command_line l;
    char *end = NULL;
    int status;

    if (command_parse(&setspri_spec, argc, argv, &l, &status) < 0)
        return status;
    long long n = l.nargs ? strtoll(l.args[0], &end, 10) : 0;
    if (l.nargs < 2)
        status = command_wrong(&l, "a priority and a job are needed");
    else if (*end || end == l.args[0])
        status = command_wrong(&l, "priority '%s' is not a whole number", l.args[0]);
    else
        status = send(&l, "priority",
            json_pack("{s:o, s:I, s:b}", "jobs", jobs_from(&l, 1), "priority",
                (json_int_t)n, "relative", command_has(&l, 'r')));
    command_fini(&l);
    return status;
}

static const struct command_spec setqos_spec = {
    .name = "setqos",
    .usage = "QOS JOB...",
    .summary = "Give jobs another quality of service.",
    .examples = "  setqos high 120        job 120 asks for QOS high\n",
};

int setqos_main(int argc, char **argv)
{
    struct command_line l;
    int status;

    if (command_parse(&setqos_spec, argc, argv, &l, &status) < 0)
        return status;
    if (l.nargs < 2)
        status = command_wrong(&l, "a QOS and a job are needed");
    else
        status = send(&l, "qos",
            json_pack("{s:o, s:s}", "jobs", jobs_from(&l, 1), "qos", l.args[0]));
    command_fini(&l);
    return status;
}

static const struct command_spec canceljob_spec = {
    .name = "canceljob",
    .usage = "JOB...",
    .summary = "Cancel jobs, waiting or running.",
    .examples = "  canceljob 120          job 120\n"
                "  canceljob '12[0-9]'    jobs 120 to 129\n",
};

int canceljob_main(int argc, char **argv)
{
    struct command_line l;
    int status;

    if (command_parse(&canceljob_spec, argc, argv, &l, &status) < 0)
        return status;
    if (l.nargs)
        status = send(&l, "cancel", json_pack("{s:o}", "jobs", jobs_from(&l, 0)));
    else
        status = command_wrong(&l, "a job is needed");
    command_fini(&l);
    return status;
}
