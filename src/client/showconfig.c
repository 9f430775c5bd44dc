/* SPDX-License-Identifier: Apache-2.0
 * showconfig: the parameters in force. */
#include "client/client.h"
#include "client/request.h"

#include <stdio.h>

static const struct option_row options[] = {
    {'v', NULL, NULL, "also what is at its default, and where the rest was set"},
    {0, NULL, NULL, NULL},
};

static const struct command_spec spec = {
    .name = "showconfig",
    .usage = "[-v] [PARAMETER]",
    .summary = "Show the parameters in force.",
    .options = options,
    .more = "PARAMETER may be the beginning of several names.\n\nFor administrators of "
            "level 1 to 3. Secrets are not shown.\n",
    .examples = "  showconfig             what maui.cfg sets\n"
                "  showconfig -v          and all defaults\n"
                "  showconfig BACKFILLPOLICY\n"
                "  showconfig 'CLASSCFG[batch]'\n"
                "  showconfig RESERVATION all that begin with it\n",
};

static void keep(void *list, json_t *o)
{
    json_array_append(list, o);
}

static void print_parameter(const json_t *o, bool verbose)
{
    const char *source = get_text(o, "source", "");

    printf("%-30s  %s", get_text(o, "name", ""), get_text(o, "value", ""));
    if (verbose && *source)
        printf("  # %s", source);
    puts("");
}

/* The heading, and what there is to show. */
static int print_all(const struct command_line *l, const json_t *list)
{
    struct query *q = query_new("/v1/scheduler");
    json_t *o = ask(l, q), *parameter;
    size_t i;

    query_free(q);
    if (!o)
        return 1;
    printf("# maui version %s (PID: %lld)\n", get_text(o, "version", ""),
        (long long)get_int(o, "pid", 0));
    printf("# %s\n\n", get_text(o, "config_file", ""));
    json_decref(o);
    json_array_foreach(list, i, parameter)
        print_parameter(parameter, command_has(l, 'v'));
    return 0;
}

static int show(const struct command_line *l, const struct query *q)
{
    json_t *list = json_array();
    int status = ask_list(l, q, keep, list) < 0;

    if (status == 0)
        status = print_all(l, list);
    json_decref(list);
    return status;
}

static int run(const struct command_line *l)
{
    if (l->nargs > 1)
        return command_wrong(l, "one parameter at a time");
    struct query *q = query_new("/v1/parameters");
    query_add(q, "name", l->nargs ? l->args[0] : NULL);
    query_add(q, "defaults", command_has(l, 'v') ? "1" : NULL);
    int status = l->format == FORMAT_JSON ? print_json_list(l, q) : show(l, q);
    query_free(q);
    return status;
}

int showconfig_main(int argc, char **argv)
{
    return command_run(&spec, argc, argv, run);
}
