/* SPDX-License-Identifier: Apache-2.0
 * checkjob: one job, and why it does not run. */
#include "base/duration.h"
#include "client/checkjob_lines.h"
#include "client/client.h"
#include "client/jobxml.h"
#include "client/request.h"
#include "client/xml.h"

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
    .more = "For the job's owner and administrators of level 1 to 3.\n",
    .examples = "  checkjob 120           all about job 120\n"
                "  checkjob -v 120        and what every node says to it\n"
                "  checkjob -l OFF 120    could it start if there were no limits?\n"
                "  checkjob -n n007 120   could it start on node n007?\n",
};

/* ---- one line for scripts ---- */

static void pair(const char *name, const char *value)
{
    if (value && *value)
        printf("%s=%s;", name, value);
}

static void pair_int(const char *name, const json_t *o, const char *key)
{
    if (json_is_integer(json_object_get(o, key)))
        printf("%s=%lld;", name, (long long)get_int(o, key, 0));
}

static void print_pairs(json_t *o)
{
    json_t *request = json_array_get(json_object_get(o, "requests"), 0);
    struct strbuf text = {0};

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
    if (get_int(o, "nodes", 0))
        pair_int("NODES", o, "nodes");
    list_brackets(&text, json_object_get(request, "features"), "");
    pair("RFEATURES", text.text);
    free(strbuf_take(&text));
    list_brackets(&text, json_object_get(o, "flags"), "");
    pair("FLAGS", text.text);
    free(strbuf_take(&text));
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

static int show(const struct command_line *l)
{
    struct query *q = query_of(l);
    json_t *o = ask(l, q);

    query_free(q);
    if (l->format == FORMAT_JSON)
        return print_json(o);
    if (!o)
        return 1;
    if (l->format == FORMAT_XML)
        print_xml(o);
    else if (command_has(l, 'A'))
        print_pairs(o);
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
