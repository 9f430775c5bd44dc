/* SPDX-License-Identifier: Apache-2.0
 * mbal: the node with the least to do. */
#include "client/client.h"
#include "client/kit/request.h"

#include <stdio.h>
#include <string.h>

static const struct option_row options[] = {
    {'q', NULL, NULL, "its name, its load and what is free on it"},
    {'r', NULL, NULL, "its name alone, for scripts"},
    {'p', "partition", "PARTITION", "only nodes of PARTITION"},
    {0, NULL, NULL, NULL},
};

static const struct command_spec spec = {
    .name = "mbal",
    .usage = "-q | -r [-p PARTITION]",
    .summary = "Show the node with the least load among those with a free processor.",
    .options = options,
    .more = "Load is counted for each processor. What is reserved for others is not "
            "free. Nothing\nis started there: that is what jobs are for (msub).\n",
    .examples = "  mbal -q\n"
                "  ssh $(mbal -r)         to the node with the least to do\n",
};

static double load_of(const json_t *n)
{
    json_int_t procs = get_int(n, "configured_procs", 1);

    return get_real(n, "load", 0) / (double)(procs > 0 ? procs : 1);
}

/* Less load, then more processors free, then the first. */
static bool is_better(const json_t *n, const json_t *best)
{
    if (!best || load_of(n) != load_of(best))
        return !best || load_of(n) < load_of(best);
    return get_int(n, "procs", 0) > get_int(best, "procs", 0);
}

static const json_t *least_of(const json_t *o)
{
    const json_t *best = NULL, *n;
    size_t i;

    json_array_foreach(json_object_get(o, "nodes"), i, n) if (is_better(n, best)) best =
        n;
    return best;
}

static int show(const struct command_line *l)
{
    struct query *q = query_new("/v1/windows");

    query_add(q, "per_node", "1");
    query_add(q, "partition",
        command_has(l, 'p') ? command_value(l, 'p') : getenv("MAUIPARTITION"));
    json_t *o = ask(l, q);
    const json_t *n = least_of(o);
    query_free(q);
    if (o && !n)
        fputs("ERROR:    no node has a free processor\n", stderr);
    else if (n && l->format == FORMAT_JSON)
        print_json(json_pack("{s:s, s:f, s:I, s:I}", "name", get_text(n, "name", ""),
            "load", get_real(n, "load", 0), "procs", get_int(n, "procs", 0),
            "configured_procs", get_int(n, "configured_procs", 0)));
    else if (n && command_has(l, 'r'))
        puts(get_text(n, "name", ""));
    else if (n)
        printf("%s  load: %.2f  procs: %lld of %lld free\n", get_text(n, "name", ""),
            get_real(n, "load", 0), (long long)get_int(n, "procs", 0),
            (long long)get_int(n, "configured_procs", 0));
    json_decref(o);
    return n == NULL;
}

static int run(const struct command_line *l)
{
    if (l->nargs)
        return command_wrong(l, "'%s' is not expected here", l->args[0]);
    if (command_has(l, 'q') == command_has(l, 'r'))
        return command_wrong(l, "one of -q and -r is needed");
    return show(l);
}

int mbal_main(int argc, char **argv)
{
    return command_run(&spec, argc, argv, run);
}
