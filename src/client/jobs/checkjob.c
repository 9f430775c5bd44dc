/* SPDX-License-Identifier: Apache-2.0
 * checkjob: one job, and why it does not run. */
#include "base/duration.h"
#include "client/client.h"
#include "client/jobs/checkjob_lines.h"
#include "client/jobs/jobxml.h"
#include "client/kit/request.h"
#include "client/kit/xml.h"

#include <stdio.h>

static const struct option_row options[] = {
    {'A', NULL, NULL, "one line of NAME=VALUE; pairs, for scripts"},
    {'l', NULL, "HARD|SOFT|OFF", "which limits count for what it says about starting"},
    {'n', NULL, "NODE", "what NODE says to the job"},
    {'r', NULL, "RSV[,RSV]", "whether the job may use these reservations"},
    {'v', NULL, NULL, "everything, with the verdict of every node"},
    {0, "format", "text|json|xml", "how to print the answer"},
    {0, NULL, NULL, NULL},
};

static const struct command_spec spec = {
    .name = "checkjob",
    .usage = "[-A] [-v] [-l HARD|SOFT|OFF] [-n NODE] [-r RSV[,RSV]] JOB",
    .summary = "Show a job: what it asks for, where it runs or why it waits.",
    .options = options,
    .more =
        "For the job's owner and administrators of level 1 to 3. Of a job that has\n"
        "ended what accounting knows is shown, and why it ended: a limit with its\n"
        "numbers, who cancelled it, a signal, a node that went down ...\n",
    .examples = "  checkjob 120           all about job 120\n"
                "  checkjob -v 120        and what every node says to it\n"
                "  checkjob -l OFF 120    could it start if there were no limits?\n"
                "  checkjob -n n007 120   could it start on node n007?\n",
};

/* ---- one line for scripts ---- */

/* The keys are always there, in this order: who reads them need not ask for each. What
 * is not known is nothing, of numbers 0. */
static void pair(const char *name, const char *value)
{
    printf("%s=%s;", name, value ? value : "");
}

static void pair_int(const char *name, const json_t *o, const char *key)
{
    printf("%s=%lld;", name, (long long)get_int(o, key, 0));
}

static void pair_list(const char *name, const json_t *list)
{
    struct strbuf text = {0};

    list_brackets(&text, list, "");
    pair(name, text.text);
    free(strbuf_take(&text));
}

static void print_pairs(json_t *o)
{
    json_t *request = json_array_get(json_object_get(o, "requests"), 0);

    pair("NAME", get_text(o, "id", ""));
    pair("STATE", get_text(o, "state", ""));
    pair("UNAME", get_text(o, "user", ""));
    pair("GNAME", get_text(o, "group", ""));
    pair("ACCOUNT", get_text(o, "account", ""));
    pair("RCLASS", get_text(o, "class", ""));
    pair_int("WCLIMIT", o, "wclimit_s");
    pair_int("QUEUETIME", o, "queue_at");
    pair_int("STARTTIME", o, "start_at");
    pair_int("TASKS", o, "tasks");
    pair_int("NODES", o, "nodes");
    pair_list("RFEATURES", json_object_get(request, "features"));
    pair_list("FLAGS", json_object_get(o, "flags"));
    puts("");
}

static void print_xml(const json_t *o)
{
    xml_begin("Data");
    jobxml_print(o);
    xml_end("Data");
}

/* ---- the command ---- */

static struct query *query_of(const struct command_line *l)
{
    struct query *q = query_new("/v1/jobs");

    query_part(q, l->args[0]);
    query_add(q, "level", command_value(l, 'l'));
    query_add(q, "node", command_value(l, 'n'));
    query_add(q, "reservation", command_value(l, 'r'));
    query_add(q, "verbose", command_has(l, 'v') ? "1" : NULL);
    return q;
}

static void keep_last(void *ctx, json_t *o)
{
    json_t **last = ctx;

    json_decref(*last);
    *last = json_incref(o);
}

/* It may have ended a moment ago, and accounting knows it. NULL after complaining of
 * what is not there either. */
static json_t *ask_ended(const struct command_line *l)
{
    struct query *q = query_new("/v1/accounting");
    json_t *o = NULL;

    query_add(q, "job", l->args[0]);
    query_add(q, "limit", "1");
    int status = ask_list(l, q, keep_last, &o);
    query_free(q);
    if (status == 0 && !o)
        complain_of_gone();
    return o;
}

static int show(const struct command_line *l)
{
    struct query *q = query_of(l);
    bool gone = false;
    /* of a node that is not there ask() tells */
    json_t *o = command_has(l, 'n') ? ask(l, q) : ask_if_there(l, q, &gone);

    query_free(q);
    if (gone)
        o = ask_ended(l);
    if (l->format == FORMAT_JSON)
        return print_json(o);
    if (!o)
        return 1;
    if (l->format == FORMAT_XML)
        print_xml(o);
    else if (command_has(l, 'A'))
        print_pairs(o);
    else if (gone)
        checkjob_print_ended(o);
    else
        checkjob_print(o, command_has(l, 'v'));
    json_decref(o);
    return 0;
}

static int run(const struct command_line *l)
{
    if (l->nargs != 1)
        return command_wrong(
            l, "%s", l->nargs ? "one job at a time" : "a job is needed");
    return show(l);
}

int checkjob_main(int argc, char **argv)
{
    return command_run(&spec, argc, argv, run);
}
