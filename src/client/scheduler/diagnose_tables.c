/* SPDX-License-Identifier: Apache-2.0
 * diagnose of jobs, nodes, reservations and of what blocks jobs. */
#include "base/duration.h"
#include "client/kit/layout.h"
#include "client/kit/lists.h"
#include "client/scheduler/diagnose.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static void print_warnings(const json_t *o, const char *what)
{
    json_t *text;
    size_t i;

    json_array_foreach(json_object_get(o, "warnings"), i, text)
        printf("WARNING:  %s '%s': %s\n", what,
            get_text(o, "id", get_text(o, "name", "")), json_string_value(text));
}

/* ---- -j ---- */

struct jobs {
    uint64_t total, active;
};

static void job_row(struct jobs *t, const json_t *o)
{
    const json_t *r = json_array_get(json_object_get(o, "requests"), 0);
    char limit[LAYOUT_REL_MAX], queued[LAYOUT_REL_MAX], class[80] = "[NONE]";
    bool active = strcmp(get_text(o, "section", ""), "active") == 0;
    struct strbuf features = {0};

    if (!json_object_get(o, "id"))
        return; /* the summary */
    t->total++;
    t->active += active;
    if (*get_text(o, "class", ""))
        snprintf(class, sizeof class, "[%.60s:1]", get_text(o, "class", ""));
    list_brackets(&features, json_object_get(r, "features"), "[NONE]");
    printf("%-18s %8s %3.3s %4lld %3.3s %11s %d %4lld %8s %8s %8s %11s %8s %6s %6s %6s "
           "%6s %6s %11s %s\n",
        get_text(o, "id", ""), get_text(o, "shown_state", get_text(o, "state", "")),
        get_text(o, "partition", "ALL"), (long long)get_int(o, "procs", 0),
        get_text(o, "qos", "-"),
        layout_rel(get_int(o, "wclimit_s", DURATION_UNLIMITED), limit),
        active || json_object_get(o, "reservation_at"),
        (long long)get_int(o, "procs", 0), get_text(o, "user", "-"),
        get_text(o, "group", "-"), get_text(o, "account", "-"),
        layout_rel(get_int(o, "eligible_s", 0), queued),
        get_text(r, "network", "[NONE]"), get_text(r, "os", "[NONE]"),
        get_text(r, "arch", "[NONE]"), get_text(r, "mem_needed", ">=0"),
        get_text(r, "disk_needed", ">=0"), get_text(r, "procs_needed", ">=0"), class,
        features.text);
    free(strbuf_take(&features));
    print_warnings(o, "job");
}

int diagnose_jobs(const struct command_line *l, const char *only)
{
    struct query *q = query_new("/v1/jobs");
    struct jobs t = {0};
    int status;
    json_t *o;
    size_t i;

    if (only)
        query_part(q, only);
    else
        query_add(q, "full", "1");
    query_add(q, "partition", command_value(l, 't'));
    json_t *list = diagnose_list(l, q, only != NULL, &status);
    query_free(q);
    if (!list)
        return status;
    printf("%-18s %8s %3s %4s %-3s %11s %s %4s %8s %8s %8s %11s %8s %6s %6s %6s %6s "
           "%6s %11s %s\n\n",
        "Name", "State", "Par", "Proc", "QOS", "WCLimit", "R", "Min", "User", "Group",
        "Account", "QueuedTime", "Network", "Opsys", "Arch", "Mem", "Disk", "Procs",
        "Class", "Features");
    json_array_foreach(list, i, o) job_row(&t, o);
    printf("\nTotal Jobs: %llu  Active Jobs: %llu\n", (unsigned long long)t.total,
        (unsigned long long)t.active);
    json_decref(list);
    return 0;
}

/* ---- -n ---- */

struct nodes {
    uint64_t total, active, idle, down;
    json_int_t configured[4], available[4];
};

static const char *const amounts[] = {"procs", "mem_mb", "disk_mb", "swap_mb"};

static void count_node(struct nodes *t, const json_t *o, json_int_t *available)
{
    const json_t *cfg = json_object_get(o, "configured");
    const json_t *used = json_object_get(o, "dedicated");
    const char *state = get_text(o, "state", "");

    t->total++;
    if (strcmp(state, "Down") == 0 || strcmp(state, "Drained") == 0
        || strcmp(state, "Unknown") == 0)
        t->down++;
    else if (json_array_size(json_object_get(o, "jobs")))
        t->active++;
    else
        t->idle++;
    for (size_t i = 0; i < 4; i++) {
        json_int_t all = get_int(cfg, amounts[i], 0);
        available[i] = all - get_int(used, amounts[i], 0);
        t->configured[i] += all;
        t->available[i] += available[i];
    }
}

static void class_text(const json_t *o, struct strbuf *out)
{
    json_t *c;
    size_t i;

    json_array_foreach(json_object_get(o, "classes"), i, c)
        strbuf_printf(out, "[%s %lld:%lld]", get_text(c, "name", ""),
            (long long)get_int(c, "free", 0), (long long)get_int(c, "configured", 0));
    if (!out->len)
        strbuf_add(out, "[ALL]");
}

/* "available:configured", the colon always in the same column. */
static void amount_cells(const json_int_t *available, const json_int_t *configured)
{
    printf(" %3lld:%-3lld", (long long)available[0], (long long)configured[0]);
    for (size_t i = 1; i < 4; i++)
        printf(" %6lld:%-6lld", (long long)available[i], (long long)configured[i]);
}

static void node_row(struct nodes *t, const json_t *o)
{
    json_int_t available[4], configured[4];
    struct strbuf classes = {0}, networks = {0}, features = {0};

    count_node(t, o, available);
    for (size_t i = 0; i < 4; i++)
        configured[i] = get_int(json_object_get(o, "configured"), amounts[i], 0);
    class_text(o, &classes);
    list_brackets(&networks, json_object_get(o, "networks"), "[NONE]");
    list_brackets(&features, json_object_get(o, "features"), "[NONE]");
    printf("%-20s %8s", get_text(o, "name", ""), get_text(o, "state", ""));
    amount_cells(available, configured);
    printf(" %5.2f %6s %6s %3.3s %6.2f %03zu %-30s %-30s %-22s\n",
        get_real(o, "speed", 0), get_text(o, "os", "[NONE]"),
        get_text(o, "arch", "[NONE]"), get_text(o, "partition", ""),
        get_real(o, "load", 0), json_array_size(json_object_get(o, "reservations")),
        classes.text, networks.text, features.text);
    free(strbuf_take(&classes));
    free(strbuf_take(&networks));
    free(strbuf_take(&features));
    print_warnings(o, "node");
}

int diagnose_nodes(const struct command_line *l, const char *only)
{
    struct query *q = query_new("/v1/nodes");
    struct nodes t = {0};
    int status;
    json_t *o;
    size_t i;

    query_add(q, "partition", only ? NULL : command_value(l, 't'));
    if (only)
        query_part(q, only);
    json_t *list = diagnose_list(l, q, only != NULL, &status);
    query_free(q);
    if (!list)
        return status;
    puts("diagnosing node table");
    printf("%-20s %8s %7s %13s %13s %13s %5s %6s %6s %3s %6s %3s %-30s %-30s %-22s\n\n",
        "Name", "State", "Procs ", "Memory    ", "Disk     ", "Swap     ", "Speed",
        "Opsys", "Arch", "Par", "Load", "Res", "Classes", "Network", "Features");
    json_array_foreach(list, i, o) node_row(&t, o);
    printf("%-20s %8s", "-----", "---");
    amount_cells(t.available, t.configured);
    printf("\n\nTotal Nodes: %llu  (Active: %llu  Idle: %llu  Down: %llu)\n",
        (unsigned long long)t.total, (unsigned long long)t.active,
        (unsigned long long)t.idle, (unsigned long long)t.down);
    json_decref(list);
    return 0;
}

/* ---- -r ---- */

struct rsvs {
    json_int_t active_procs;
};

static void indented(const char *label, const json_t *list)
{
    struct strbuf text = {0};

    if (json_array_size(list) == 0)
        return;
    strbuf_printf(&text, "    %s: ", label);
    list_joined(&text, list, " ", "");
    list_print(&text);
}

static void rsv_standing(const json_t *o)
{
    const json_t *times = json_object_get(o, "standing_times");
    const json_t *days = json_object_get(times, "days");
    char from[LAYOUT_REL_MAX], to[LAYOUT_REL_MAX];
    struct strbuf text = {0};

    if (json_array_size(days) == 7)
        strbuf_add(&text, "ALL");
    else
        list_joined(&text, days, ",", "[NONE]");
    printf("    SRAttributes (TaskCount: %lld  StartTime: %s  EndTime: %s  Days: %s)\n",
        (long long)get_int(o, "max_tasks", 0),
        layout_rel(get_int(times, "start_s", 0), from),
        layout_rel(get_int(times, "end_s", DURATION_UNLIMITED), to), text.text);
    free(strbuf_take(&text));
}

static void rsv_details(const json_t *o)
{
    double used = get_real(o, "active_ps", 0), idle = get_real(o, "idle_ps", 0);
    struct strbuf text = {0};

    indented("Flags", json_object_get(o, "flags"));
    if (strcmp(get_text(o, "type", ""), "Job") == 0) {
        printf("    ACL: JOB==%s=\n    CL:  JOB==%s USER==%s\n",
            get_text(o, "name", ""), get_text(o, "name", ""), get_text(o, "user", ""));
        return;
    }
    indented("ACL", json_object_get(o, "acl"));
    if (*get_text(o, "owner", ""))
        printf("    Owner: %s\n", get_text(o, "owner", ""));
    if (*get_text(o, "account", ""))
        printf("    Accounting Creds:  account:%s\n", get_text(o, "account", ""));
    strbuf_add(&text, "    Task Resources: ");
    list_amounts(&text, json_object_get(o, "per_task"));
    list_print(&text);
    printf("    Attributes (HostList='%s'", get_text(o, "hosts", ""));
    if (get_int(o, "priority", 0))
        printf("   Priority=%lld", (long long)get_int(o, "priority", 0));
    if (get_int(o, "max_tasks", 0))
        printf("   MaxTasks=%lld", (long long)get_int(o, "max_tasks", 0));
    puts(")");
    if (used + idle > 0)
        printf("    Active PH: %.2f/%.2f (%.2f%%)\n", used / 3600, (used + idle) / 3600,
            100 * used / (used + idle));
    if (*get_text(o, "standing", ""))
        rsv_standing(o);
}

static void rsv_row(struct rsvs *t, const json_t *o)
{
    json_int_t now = get_int(o, "at", time(NULL)), start = get_int(o, "start_at", 0);
    json_int_t end = get_int(o, "end_at", 0);
    bool job = strcmp(get_text(o, "type", ""), "Job") == 0;
    char from[LAYOUT_REL_MAX], to[LAYOUT_REL_MAX], length[LAYOUT_REL_MAX];

    if (start <= now)
        t->active_procs += get_int(o, "procs", 0);
    printf("%-20s %10s %3.3s %11s %11s  %11s %4lld %4lld %4lld\n",
        get_text(o, "name", ""), job ? "Job" : "User", get_text(o, "partition", "ALL"),
        layout_rel(start - now, from),
        layout_rel(end ? end - now : DURATION_UNLIMITED, to),
        layout_rel(end ? end - start : DURATION_UNLIMITED, length),
        (long long)get_int(o, "nodes", 0), (long long)get_int(o, "tasks", 0),
        (long long)get_int(o, "procs", 0));
    rsv_details(o);
    print_warnings(o, "reservation");
}

int diagnose_reservations(
    const struct command_line *l, const char *only, const char *type)
{
    struct query *q = query_new("/v1/reservations");
    struct rsvs t = {0};
    int status;
    json_t *o;
    size_t i;

    if (only)
        query_part(q, only);
    query_add(q, "type", type);
    json_t *list = diagnose_list(l, q, only != NULL, &status);
    query_free(q);
    if (!list)
        return status;
    puts("Diagnosing Reservations");
    printf("%-20s %10s %3s %11s %11s  %11s %4s %4s %4s\n", "ResID", "Type", "Par",
        "StartTime", "EndTime", "Duration", "Node", "Task", "Proc");
    printf("%-20s %10s %3s %11s %11s  %11s %4s %4s %4s\n", "-----", "----", "---",
        "---------", "-------", "--------", "----", "----", "----");
    list_sort_reservations(list);
    json_array_foreach(list, i, o) rsv_row(&t, o);
    printf("\nActive Reserved Processors: %lld\n", (long long)t.active_procs);
    json_decref(list);
    return 0;
}

/* ---- -q ---- */

static bool counts_at(const json_t *reason, const char *level)
{
    if (strcmp(get_text(reason, "code", ""), "limit") != 0)
        return true;
    return strcasecmp(level, "OFF") != 0
           && (strcasecmp(level, "HARD") != 0
               || strcmp(get_text(reason, "level", ""), "soft") != 0);
}

/* In the words of the original, and with -v in ours behind them. 1 when a row was
 * printed. */
static int blocked_row(const json_t *o, const char *level, bool verbose)
{
    const json_t *reason = json_object_get(o, "reason");
    const char *text = get_text(reason, "text", get_text(o, "shown_state", ""));
    const char *said = get_text(reason, "classic", text);

    if (!json_object_get(o, "id"))
        return 0; /* the summary */
    if (strcasecmp(level, "SOFT") == 0)
        said = get_text(reason, "classic_soft", said);
    if (!counts_at(reason, level))
        said = "is not blocked at this policy level";
    bool limit = strcmp(get_text(reason, "code", ""), "limit") == 0;
    printf(limit && counts_at(reason, level) ? "job %s %s" : "job %-20s %s",
        get_text(o, "id", ""), said);
    if (verbose && strcmp(said, text) != 0)
        printf("  (%s)", text);
    puts("");
    return 1;
}

int diagnose_blocked(const struct command_line *l)
{
    struct query *q = query_new("/v1/jobs");
    const char *level = command_has(l, 'l') ? command_value(l, 'l') : "SOFT";
    const char *partition = command_has(l, 't') ? command_value(l, 't') : "ALL";
    int status, rows = 0;
    json_t *o;
    size_t i;

    query_add(q, "section", "blocked");
    query_add(q, "partition", partition);
    json_t *list = diagnose_list(l, q, false, &status);
    query_free(q);
    if (!list)
        return status;
    printf(
        "Diagnosing blocked jobs (policylevel %s  partition %s)\n\n", level, partition);
    json_array_foreach(list, i, o) rows += blocked_row(o, level, command_has(l, 'v'));
    if (!rows)
        puts("no blocked jobs found");
    json_decref(list);
    return 0;
}
