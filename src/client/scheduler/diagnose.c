/* SPDX-License-Identifier: Apache-2.0
 * diagnose (mdiag): tables of everything the scheduler knows, for administrators. */
#include "client/scheduler/diagnose.h"

#include "client/client.h"
#include "client/kit/layout.h"
#include "client/kit/lists.h"

#include <stdio.h>
#include <string.h>

static const struct option_row options[] = {
    {'a', NULL, NULL, "accounts"},
    {'b', NULL, NULL, "the same as -q"},
    {'c', NULL, NULL, "classes"},
    {'f', NULL, NULL,
        "fairshare, of all kinds or of one: user, group, acct, qos, class"},
    {'g', NULL, NULL, "groups"},
    {'j', NULL, NULL, "jobs"},
    {'m', NULL, NULL, "frames"},
    {'n', NULL, NULL, "nodes"},
    {'p', NULL, NULL,
        "priorities of eligible jobs, or of JOB, and what they are made of"},
    {'q', NULL, NULL, "blocked jobs and what blocks them"},
    {'Q', NULL, NULL, "QOSs"},
    {'r', NULL, NULL, "reservations"},
    {'R', NULL, NULL, "resource managers"},
    {'s', NULL, NULL, "instances of standing reservations"},
    {'S', NULL, NULL, "the scheduler"},
    {'t', NULL, "PARTITION", "partitions; with another letter: only that one"},
    {'u', NULL, NULL, "users"},
    {'l', NULL, "LEVEL", "with -q: SOFT, HARD or OFF"},
    {'v', NULL, NULL,
        "also rows that are usually left out; with -q the reason in more words"},
    {0, NULL, NULL, NULL},
};

static const struct command_spec spec = {
    .name = "diagnose",
    .usage = "-a|-b|-c|-f|-g|-j|-m|-n|-p|-q|-Q|-r|-R|-s|-S|-t ALL|-u [NAME|JOB] [-v]",
    .summary = "Show tables of what the scheduler knows, with what is odd about it.",
    .options = options,
    .more =
        "For administrators of level 1 to 3; -p JOB for its owner, too. mdiag is the "
        "same.\n",
    .examples = "  diagnose -q            why jobs are blocked\n"
                "  diagnose -p            what priorities are made of\n"
                "  diagnose -p 63         that of one job\n"
                "  diagnose -f user       fairshare of users\n"
                "  diagnose -t ALL        partitions\n"
                "  diagnose -n n007       one node\n",
};

static void keep(void *list, json_t *o)
{
    json_array_append(list, o);
}

json_t *diagnose_list(
    const struct command_line *l, const struct query *q, bool single, int *status)
{
    json_t *list = json_array(), *o = NULL;
    size_t i;

    *status = single ? (o = ask(l, q)) == NULL : ask_list(l, q, keep, list) < 0;
    if (o)
        json_array_append_new(list, o);
    if (*status == 0 && l->format == FORMAT_TEXT)
        return list;
    json_array_foreach(list, i, o)
    {
        json_dumpf(o, stdout, JSON_COMPACT);
        putchar('\n');
    }
    json_decref(list);
    return NULL;
}

/* ---- the scheduler, resource managers ---- */

static json_t *get(const struct command_line *l, const char *path, int *status)
{
    struct query *q = query_new(path);
    json_t *o = ask(l, q);

    query_free(q);
    *status = o ? 0 : 1;
    if (o && l->format == FORMAT_JSON) {
        print_json(o);
        return NULL;
    }
    return o;
}

json_t *diagnose_system(const struct command_line *l)
{
    struct query *q = query_new("/v1/scheduler");
    json_t *all = ask(l, q), *o = json_incref(json_object_get(all, "system"));

    query_free(q);
    json_decref(all);
    return o;
}

static int scheduler(const struct command_line *l)
{
    char rel[LAYOUT_REL_MAX], date[LAYOUT_DATE_MAX];
    int status;
    json_t *o = get(l, "/v1/scheduler", &status), *text;
    size_t i;

    if (!o)
        return status;
    printf("Scheduler: maui %s (PID: %lld)  Mode: %s  State: %s\n",
        get_text(o, "version", ""), (long long)get_int(o, "pid", 0),
        get_text(o, "mode", ""), get_text(o, "state", ""));
    printf("Active for %s, since %s\n",
        layout_rel(get_int(o, "at", 0) - get_int(o, "started_at", 0), rel),
        layout_date(get_int(o, "started_at", 0), date));
    printf("Iteration: %lld  Last cycle: %.3f s\n",
        (long long)get_int(o, "iteration", 0), get_real(o, "last_cycle_s", 0));
    printf("Configuration: %s\n", get_text(o, "config_file", ""));
    if (strcmp(get_text(o, "state", ""), "paused") == 0)
        puts("NOTE:  scheduler is currently stopped");
    json_array_foreach(json_object_get(o, "warnings"), i, text)
        printf("WARNING:  %s\n", json_string_value(text));
    json_array_foreach(json_object_get(o, "messages"), i, text)
        printf("Message:  %s\n", json_string_value(text));
    json_decref(o);
    return 0;
}

static void print_manager(const json_t *m)
{
    char date[LAYOUT_DATE_MAX];
    json_t *f;
    size_t i;

    printf("RM[%s]  type: '%s'  state: '%s'\n", get_text(m, "name", ""),
        get_text(m, "type", ""), get_text(m, "state", ""));
    if (*get_text(m, "version", ""))
        printf("  Version: '%s'\n", get_text(m, "version", ""));
    printf("  Event Management:  %s\n",
        get_text(m, "events", "events are published as they happen"));
    if (json_object_get(m, "average_s"))
        printf("  RM Performance:  Avg Time: %.2fs  Max Time:  %.2fs  (%lld samples)\n",
            get_real(m, "average_s", 0), get_real(m, "max_s", 0),
            (long long)get_int(m, "calls", 0));
    else
        printf("  RM Performance:  %lld calls\n", (long long)get_int(m, "calls", 0));
    json_array_foreach(json_object_get(m, "warnings"), i, f)
        printf("WARNING:  %s\n", json_string_value(f));
    if (json_array_size(json_object_get(m, "failures")))
        printf("\nRM[%s] Failures:\n", get_text(m, "name", ""));
    json_array_foreach(json_object_get(m, "failures"), i, f)
        printf("  %s  %-15s  '%s'\n", layout_date(get_int(f, "at", 0), date),
            get_text(f, "function", ""), get_text(f, "message", ""));
}

static int managers(const struct command_line *l)
{
    int status;
    json_t *list = get(l, "/v1/managers", &status), *m;
    size_t i;

    json_array_foreach(list, i, m) print_manager(m);
    json_decref(list);
    return status;
}

/* ---- partitions ---- */

static double percent(json_int_t part, json_int_t all)
{
    return all > 0 ? 100.0 * (double)part / (double)all : 0;
}

static void print_use(const json_t *p, json_int_t all, json_int_t up, json_int_t used)
{
    printf("%-12s %10lld %10lld %6.2f%% %10lld %6.2f%% %10lld %6.2f%%\n",
        get_text(p, "name", ""), (long long)all, (long long)up, percent(up, all),
        (long long)used, percent(used, up), (long long)used, percent(used, up));
}

static bool is_wanted(const json_t *p, const char *only)
{
    return strcasecmp(only, "ALL") == 0 || strcmp(only, get_text(p, "name", "")) == 0;
}

/* SYSCFG; what it says nothing of is every partition, and first the first. */
static void print_system_partitions(const struct command_line *l, const json_t *list)
{
    json_t *o = diagnose_system(l), *p;
    const json_t *names = json_object_get(o, "partition_list");
    struct strbuf text = {0};
    size_t i;

    list_joined(&text, names, ":", "");
    if (!names)
        json_array_foreach(list, i, p)
            strbuf_printf(&text, "%s%s", i ? ":" : "", get_text(p, "name", ""));
    printf("System Partition Settings:  PList: %s PDef: %s\n\n", text.text,
        get_text(o, "partition_default",
            get_text(json_array_get(list, 0), "name", "[NONE]")));
    free(strbuf_take(&text));
    json_decref(o);
}

static void print_partitions(
    const struct command_line *l, const json_t *list, const char *only)
{
    static const struct {
        const char *label, *key;
    } kinds[] = {{"NODE", NULL}, {"PROC", "procs"}, {"MEM", "mem_mb"},
        {"SWAP", "swap_mb"}, {"DISK", "disk_mb"}};
    json_t *p;
    size_t i;

    puts("Displaying Partition Status\n");
    print_system_partitions(l, list);
    printf("%-20s %8s\n\n", "Name", "Procs");
    json_array_foreach(list, i, p) if (is_wanted(p, only)) printf(
        "%-20s %8lld\n", get_text(p, "name", ""), (long long)get_int(p, "procs", 0));
    printf("\n%-12s %10s %10s %7s %10s %7s %10s %7s\n\n", "Partition", "Configured",
        "Up", "U/C", "Dedicated", "D/U", "Active", "A/U");
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        const char *key = kinds[k].key;
        printf(
            "%s----------------------------------------------------------------------"
            "------\n",
            kinds[k].label);
        json_array_foreach(list, i, p) if (is_wanted(p, only) && !key)
            print_use(p, get_int(p, "nodes", 0), get_int(p, "up_nodes", 0),
                get_int(p, "active_nodes", 0));
        else if (is_wanted(p, only))
            print_use(p, get_int(json_object_get(p, "configured"), key, 0),
                get_int(json_object_get(p, "up"), key, 0),
                get_int(json_object_get(p, "dedicated"), key, 0));
    }
}

static void print_classes(const json_t *list, const char *only)
{
    json_t *p, *c;
    size_t i, k;

    puts("\nClass/Queue State\n\n             [<CLASS> <AVAIL>:<UP>]...\n");
    json_array_foreach(list, i, p)
    {
        if (!is_wanted(p, only))
            continue;
        printf("%12s ", get_text(p, "name", ""));
        json_array_foreach(json_object_get(p, "classes"), k, c)
            printf("[%s %lld:%lld]", get_text(c, "name", ""),
                (long long)get_int(c, "free", 0), (long long)get_int(c, "up", 0));
        puts(json_array_size(json_object_get(p, "classes")) ? "" : "[NONE]");
    }
}

static int partitions(const struct command_line *l, const char *only)
{
    int status;
    json_t *list = get(l, "/v1/partitions", &status);

    if (list)
        print_partitions(l, list, only);
    if (list)
        print_classes(list, only);
    json_decref(list);
    return status;
}

/* ---- frames ---- */

struct frame {
    json_int_t number, nodes, mem, disk;
    char partition[64];
};

struct frames {
    struct VEC(struct frame) v;
};

static void add_to_frame(struct frames *f, const json_t *o)
{
    json_int_t number = get_int(o, "frame", -1);
    const json_t *cfg = json_object_get(o, "configured");
    size_t i = 0;

    while (i < f->v.n && f->v.v[i].number != number)
        i++;
    if (i == f->v.n) {
        vec_push(&f->v, ((struct frame){.number = number}));
        snprintf(f->v.v[i].partition, sizeof f->v.v[i].partition, "%s",
            get_text(o, "partition", ""));
    }
    f->v.v[i].nodes++;
    f->v.v[i].mem += get_int(cfg, "mem_mb", 0);
    f->v.v[i].disk += get_int(cfg, "disk_mb", 0);
}

static int frames(const struct command_line *l)
{
    struct query *q = query_new("/v1/nodes");
    struct frames f = {0};
    int status;
    json_t *list = diagnose_list(l, q, false, &status), *o;
    size_t i;

    query_free(q);
    if (!list)
        return status;
    json_array_foreach(list, i, o) add_to_frame(&f, o);
    puts("diagnosing frame table\n");
    printf("%-9s %4s %10s %10s %10s\n\n", "Frame", "NC", "Mem(MB)", "Disk(MB)",
        "Partition");
    for (i = 0; i < f.v.n; i++) {
        const struct frame *x = &f.v.v[i];
        char name[24] = "none";
        if (x->number >= 0)
            snprintf(name, sizeof name, "Frame[%02lld]", (long long)x->number);
        printf("%-9s %4lld %10lld %10lld %10s\n", name, (long long)x->nodes,
            (long long)x->mem, (long long)x->disk, x->partition);
    }
    vec_fini(&f.v);
    json_decref(list);
    return 0;
}

/* ---- the command ---- */

static int run(const struct command_line *l)
{
    static const struct {
        char letter;
        const char *kind;
    } credentials[] = {
        {'a', "account"}, {'c', "class"}, {'g', "group"}, {'u', "user"}, {'Q', "qos"}};
    const char *only = l->nargs ? l->args[0] : NULL;

    for (size_t i = 0; i < sizeof credentials / sizeof credentials[0]; i++)
        if (command_has(l, credentials[i].letter))
            return diagnose_credentials(l, credentials[i].kind, only);
    if (command_has(l, 'f'))
        return diagnose_fairshare(
            l, only && strcmp(only, "acct") == 0 ? "account" : only);
    if (command_has(l, 'j'))
        return diagnose_jobs(l, only);
    if (command_has(l, 'n'))
        return diagnose_nodes(l, only);
    if (command_has(l, 'r') || command_has(l, 's'))
        return diagnose_reservations(l, only, command_has(l, 's') ? "Standing" : NULL);
    if (command_has(l, 'p'))
        return diagnose_priorities(l, only);
    if (command_has(l, 'q') || command_has(l, 'b'))
        return diagnose_blocked(l);
    if (command_has(l, 'm'))
        return frames(l);
    if (command_has(l, 'R'))
        return managers(l);
    if (command_has(l, 'S'))
        return scheduler(l);
    if (command_has(l, 't'))
        return partitions(l, command_value(l, 't'));
    return command_wrong(l, "one of its letters is needed");
}

int diagnose_main(int argc, char **argv)
{
    static char all[] = "ALL"; /* what `-t` alone means, as scripts call it */
    char **words = xcalloc((size_t)argc + 2, sizeof *words);
    struct command_line l;
    int status, n = argc;

    memcpy(words, argv, (size_t)argc * sizeof *argv);
    if (argc > 1 && strcmp(argv[argc - 1], "-t") == 0)
        words[n++] = all;
    if (command_parse(&spec, n, words, &l, &status) == 0) {
        if (l.nargs > 1)
            status = command_wrong(&l, "'%s' is not expected here", l.args[1]);
        else
            status = run(&l);
        command_fini(&l);
    }
    free(words);
    return status;
}
