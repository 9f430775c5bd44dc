/* SPDX-License-Identifier: Apache-2.0
 * Commands that do something to waiting jobs: sethold, releasehold, setspri, setupri,
 * setqos, canceljob. */
#include "client/client.h"
#include "client/kit/orders.h"

/* ---- holds ---- */

static const struct option_row hold_options[] = {
    {'a', NULL, NULL, "all that you may (the default)"},
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
    .summary = "Release holds of jobs, and deferrals with them.",
    .options = hold_options,
    .more =
        "Owners may release user holds and deferrals, administrators of level 1 and\n"
        "2 all. What remains, and who may release it, is told; where nothing was\n"
        "released the exit status is 1.\n",
    .examples = "  releasehold 120        whatever holds the scheduler has on job 120\n"
                "  releasehold -b ALL     all batch holds\n",
};

static int change_holds(const struct command_line *l, const char *verb)
{
    static const struct {
        char letter;
        const char *kind;
    } kinds[] = {{'b', "batch"}, {'s', "system"}, {'u', "user"}};

    if (!l->nargs)
        return command_wrong(l, "a job is needed");
    json_t *chosen = json_array();
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (command_has(l, kinds[i].letter) && !command_has(l, 'a'))
            json_array_append_new(chosen, json_string(kinds[i].kind));
    return orders_send(
        l, verb, json_pack("{s:o, s:o}", "jobs", orders_jobs(l, 0), "kinds", chosen));
}

static int hold(const struct command_line *l)
{
    return change_holds(l, "hold");
}

static int release(const struct command_line *l)
{
    return change_holds(l, "release");
}

int sethold_main(int argc, char **argv)
{
    return command_run(&sethold_spec, argc, argv, hold);
}

int releasehold_main(int argc, char **argv)
{
    return command_run(&releasehold_spec, argc, argv, release);
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
                "  setspri -r -500 120    job 120 loses 500 points\n"
                "  setspri 0 120          back to the computed priority\n",
};

static const struct command_spec setupri_spec = {
    .name = "setupri",
    .usage = "PRIORITY JOB...",
    .summary = "Set the user priority of jobs: a mark of their owner.",
    .more = "0 to 100. It is kept with the job and shown by checkjob; no\n"
            "priority is computed from it. For the owners of the jobs and\n"
            "administrators of level 1 and 2.\n",
    .examples = "  setupri 20 120         job 120 matters more to me\n"
                "  setupri 0 120          as usual\n",
};

static int set_priority(const struct command_line *l, const char *verb)
{
    char *end;

    if (l->nargs < 2)
        return command_wrong(l, "a priority and a job are needed");
    long long n = strtoll(l->args[0], &end, 10);
    if (*end || end == l->args[0])
        return command_wrong(l, "priority '%s' is not a whole number", l->args[0]);
    return orders_send(l, verb,
        json_pack("{s:o, s:I, s:b}", "jobs", orders_jobs(l, 1), "priority",
            (json_int_t)n, "relative", command_has(l, 'r')));
}

static int system_priority(const struct command_line *l)
{
    return set_priority(l, "priority");
}

static int user_priority(const struct command_line *l)
{
    return set_priority(l, "user-priority");
}

int setspri_main(int argc, char **argv)
{
    return command_run(&setspri_spec, argc, argv, system_priority);
}

int setupri_main(int argc, char **argv)
{
    return command_run(&setupri_spec, argc, argv, user_priority);
}

static const struct command_spec setqos_spec = {
    .name = "setqos",
    .usage = "QOS JOB...",
    .summary = "Give jobs another quality of service.",
    .examples = "  setqos high 120        job 120 asks for QOS high\n",
};

static int set_qos(const struct command_line *l)
{
    if (l->nargs < 2)
        return command_wrong(l, "a QOS and a job are needed");
    return orders_send(l, "qos",
        json_pack("{s:o, s:s}", "jobs", orders_jobs(l, 1), "qos", l->args[0]));
}

int setqos_main(int argc, char **argv)
{
    return command_run(&setqos_spec, argc, argv, set_qos);
}

static const struct command_spec canceljob_spec = {
    .name = "canceljob",
    .usage = "JOB...",
    .summary = "Cancel jobs, waiting or running.",
    .examples = "  canceljob 120          job 120\n"
                "  canceljob '12[0-9]'    jobs 120 to 129\n",
};

static int cancel(const struct command_line *l)
{
    if (!l->nargs)
        return command_wrong(l, "a job is needed");
    return orders_send(l, "cancel", json_pack("{s:o}", "jobs", orders_jobs(l, 0)));
}

int canceljob_main(int argc, char **argv)
{
    return command_run(&canceljob_spec, argc, argv, cancel);
}
