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
    .more = "For administrators of level 1 to 3. Secrets are not shown.\n",
    .examples = "  showconfig             what maui.cfg sets\n"
                "  showconfig -v          and all defaults\n"
                "  showconfig BACKFILLPOLICY\n",
};

static void on_record(void *ctx, json_t *o)
{
    const bool *verbose = ctx;
    const char *source = get_text(o, "source", "");

    printf("%-30s  %s", get_text(o, "name", ""), get_text(o, "value", ""));
    if (*verbose && *source)
        printf("  # %s", source);
    puts("");
}

/* The heading. 0, or 1 when the scheduler does not answer. */
static int print_heading(const struct command_line *l)
{
    struct query *q = query_new("/v1/scheduler");
    json_t *o = ask(l, q);

    query_free(q);
    if (!o)
        return 1;
    printf("# maui version %s (PID: %lld)\n", get_text(o, "version", ""),
        (long long)get_int(o, "pid", 0));
    printf("# %s\n\n", get_text(o, "config_file", ""));
    json_decref(o);
    return 0;
}

int showconfig_main(int argc, char **argv)
{
    struct command_line l;
    int status;

    if (command_parse(&spec, argc, argv, &l, &status) < 0)
        return status;
    struct query *q = query_new("/v1/parameters");
    bool verbose = command_has(&l, 'v');
    query_add(q, "name", l.nargs ? l.args[0] : NULL);
    query_add(q, "defaults", verbose ? "1" : NULL);
    if (l.nargs > 1)
        status = command_wrong(&l, "one parameter at a time");
    else if (l.format == FORMAT_JSON)
        status = print_json_list(&l, q);
    else if ((status = print_heading(&l)) == 0)
        status = ask_list(&l, q, on_record, &verbose) < 0;
    query_free(q);
    command_fini(&l);
    return status;
}
