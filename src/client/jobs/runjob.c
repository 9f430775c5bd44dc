/* SPDX-License-Identifier: Apache-2.0
 * runjob: start a job now, or say why it cannot. Source: reference commands, section 3.
 */
#include "client/client.h"
#include "client/kit/orders.h"

static const struct option_row options[] = {
    {'c', NULL, NULL, "forget stale node lists first; nothing here leaves any"},
    {'f', NULL, NULL, "whatever throttling policies say"},
    {'n', NULL, "NODE[,NODE]", "on these nodes and no others; also NODE:NODE"},
    {'p', NULL, "PARTITION", "in this partition"},
    {'s', NULL, NULL, "suspend the job instead"},
    {'x', NULL, NULL, "whatever policies, reservations and QOS limits say"},
    {0, NULL, NULL, NULL},
};

static const struct command_spec spec = {
    .name = "runjob",
    .usage = "[-c] [-f | -x] [-n NODE[,NODE]] [-p PARTITION] [-s] JOB...",
    .summary = "Start a waiting job now, out of its turn, or say why it cannot.",
    .options = options,
    .more = "Its turn, soft limits and the reservations of other jobs' turns do not\n"
            "count. Hard limits do unless -f is given; dependencies, start dates,\n"
            "closed classes, reservations of people and of jobs unless -x is. Holds\n"
            "have to be released first. For administrators of level 1 and 2.\n",
    .examples = "  runjob 120             job 120, if it can run at this moment\n"
                "  runjob -f -n n007 120  on node n007, over any limit\n"
                "  runjob -s 120          suspend job 120, which runs\n",
};

static json_t *names(const char *text)
{
    json_t *list = json_array();

    while (*text) {
        size_t len = strcspn(text, ",:");
        if (len)
            json_array_append_new(list, json_stringn(text, len));
        text += len + (text[len] != 0);
    }
    return list;
}

static int run(const struct command_line *l)
{
    const char *nodes = command_value(l, 'n'), *partition = command_value(l, 'p');
    json_t *order = json_pack("{s:o}", "jobs", orders_jobs(l, 0));

    if (command_has(l, 'f') || command_has(l, 'x'))
        json_object_set_new(order, "force", json_true());
    if (command_has(l, 'x'))
        json_object_set_new(
            order, "ignore", json_pack("[s, s]", "policies", "reservations"));
    if (command_has(l, 'c'))
        json_object_set_new(order, "clear", json_true());
    if (nodes)
        json_object_set_new(order, "nodes", names(nodes));
    if (partition)
        json_object_set_new(order, "partition", json_string(partition));
    return orders_send(l, "run", order);
}

static int suspend(const struct command_line *l)
{
    static const char others[] = "cfnpx";

    for (const char *p = others; *p; p++)
        if (command_has(l, *p))
            return command_wrong(l, "-s and -%c do not go together", *p);
    return orders_send(l, "suspend", json_pack("{s:o}", "jobs", orders_jobs(l, 0)));
}

static int run_or_suspend(const struct command_line *l)
{
    if (l->nargs == 0)
        return command_wrong(l, "a job is needed");
    return command_has(l, 's') ? suspend(l) : run(l);
}

int runjob_main(int argc, char **argv)
{
    return command_run(&spec, argc, argv, run_or_suspend);
}
