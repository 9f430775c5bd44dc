/* SPDX-License-Identifier: Apache-2.0
 * The lines of checkjob; each only when it has a value. */
#include "client/jobs/checkjob_lines.h"

#include "base/duration.h"
#include "client/kit/layout.h"
#include "client/kit/request.h"
#include "cluster/attribute.h"

#include <stdio.h>
#include <string.h>

#define NODES_A_LINE   4
#define REASONS_A_LINE 5
#define TASKS_SHOWN    40 /* of the task distribution */

static bool is_active(const json_t *o)
{
    return strcmp(get_text(o, "section", ""), "active") == 0;
}

/* ---- who, how long, since when ---- */

static void print_creds(const json_t *o)
{
    static const char *const kinds[] = {"user", "group", "account", "class", "qos"};

    printf("Creds:");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (*get_text(o, kinds[i], ""))
            printf("  %s:%s", kinds[i], get_text(o, kinds[i], ""));
    puts("");
}

static bool is_suspended(const json_t *o)
{
    return strcmp(get_text(o, "state", ""), "Suspended") == 0;
}

/* The limit it was started with less than, and how much less it would take. */
static void print_limits(const json_t *o)
{
    char full[LAYOUT_REL_MAX], least[LAYOUT_REL_MAX];

    if (json_is_true(json_object_get(o, "wclimit_learned")))
        puts("WallTime Learned: no limit was asked; of jobs like it (it may run on to "
             "the "
             "site's default)");
    if (!get_int(o, "min_wclimit_s", 0))
        return;
    printf("Least WallTime: %s", layout_rel(get_int(o, "min_wclimit_s", 0), least));
    if (json_object_get(o, "full_wclimit_s"))
        printf("  (shortened from %s)",
            layout_rel(get_int(o, "full_wclimit_s", DURATION_UNLIMITED), full));
    puts("");
}

/* By how long jobs have run so far: not a bound. */
static void print_expected(const json_t *o, json_int_t now)
{
    char rel[LAYOUT_REL_MAX], from[LAYOUT_DATE_MAX], until[LAYOUT_DATE_MAX];
    json_int_t expected = get_int(o, "expected_at", 0);

    if (!expected)
        return;
    printf("ExpectedAt: %s  %s", layout_rel(expected - now, rel),
        layout_date(expected, from));
    if (get_int(o, "expected_until", 0))
        printf("  (between %s and %s)",
            layout_date(get_int(o, "expected_from", 0), from),
            layout_date(get_int(o, "expected_until", 0), until));
    puts("");
}

static void print_times(const json_t *o)
{
    json_int_t now = get_int(o, "at", 0), start = get_int(o, "start_at", 0);
    json_int_t suspended = get_int(o, "suspended_s", 0);
    json_int_t used = is_active(o) && start ? now - start - suspended : 0;
    char rel[LAYOUT_REL_MAX], limit[LAYOUT_REL_MAX], date[LAYOUT_DATE_MAX];

    printf("WallTime: %s of %s\n", layout_rel(used > 0 ? used : 0, rel),
        layout_rel(get_int(o, "wclimit_s", DURATION_UNLIMITED), limit));
    print_limits(o);
    if (suspended)
        printf("Suspended Wall Time: %s\n", layout_rel(suspended, rel));
    printf("SubmitTime: %s\n", layout_date(get_int(o, "submit_at", 0), date));
    printf("  (Time Queued  Total: %s  Eligible: %s)\n\n",
        layout_rel(
            (is_active(o) && start ? start : now) - get_int(o, "submit_at", 0), rel),
        layout_rel(get_int(o, "eligible_s", 0), limit));
    if (is_active(o) && start)
        printf("StartTime: %s\n", layout_date(start, date));
    else if (get_int(o, "release_at", 0))
        printf("StartDate: %s  %s\n",
            layout_rel(get_int(o, "release_at", 0) - now, rel),
            layout_date(get_int(o, "release_at", 0), date));
    print_expected(o, now);
    if (get_int(o, "promised_by", 0))
        printf("PromisedBy: %s  %s\n",
            layout_rel(get_int(o, "promised_by", 0) - now, rel),
            layout_date(get_int(o, "promised_by", 0), date));
    if (get_int(o, "was_promised_by", 0))
        printf("PutOff: it was promised to start by %s, but %s\n",
            layout_date(get_int(o, "was_promised_by", 0), date),
            get_text(o, "put_off_by", ""));
    if (get_int(o, "deadline_at", 0))
        printf("Deadline: %s  %s\n",
            layout_rel(get_int(o, "deadline_at", 0) - now, rel),
            layout_date(get_int(o, "deadline_at", 0), date));
}

/* ---- what it asks for ---- */

/* ">=16384" as ">= 16G"; nothing asked is ">= 0". */
static const char *needed(
    const json_t *request, const char *key, char *buf, size_t size)
{
    const char *text = get_text(request, key, ">=0");
    size_t op = strspn(text, "<>=");
    char amount[LAYOUT_MB_MAX];

    snprintf(buf, size, "%.*s %s", (int)op, text,
        layout_mb(strtoll(text + op, NULL, 10), amount));
    return buf;
}

static void print_needs(const json_t *r)
{
    char mem[48], disk[48], swap[48];
    struct strbuf text = {0};

    printf("Network: %s  ", get_text(r, "network", "[NONE]"));
    if (*get_text(r, "procs_needed", ""))
        printf("Procs %s  ", get_text(r, "procs_needed", ""));
    printf("Memory %s  Disk %s  Swap %s\n", needed(r, "mem_needed", mem, sizeof mem),
        needed(r, "disk_needed", disk, sizeof disk),
        needed(r, "swap_needed", swap, sizeof swap));
    strbuf_printf(&text, "Opsys: %s  Arch: %s  Features: ", get_text(r, "os", "[NONE]"),
        get_text(r, "arch", "[NONE]"));
    list_brackets(&text, json_object_get(r, "features"), "[NONE]");
    list_print(&text);
    if (json_array_size(json_object_get(r, "preferences"))) {
        strbuf_add(&text, "Preferences: ");
        list_brackets(&text, json_object_get(r, "preferences"), "");
        list_print(&text);
    }
}

static void print_per_task(const json_t *r, bool placed, bool verbose)
{
    char amount[LAYOUT_MB_MAX];
    const json_t *task = json_object_get(r, "per_task");
    struct strbuf text = {0};
    bool usual = get_real(task, "procs", 0) == 1 && get_real(task, "mem_mb", 0) == 0
                 && get_real(task, "swap_mb", 0) == 0
                 && get_real(task, "disk_mb", 0) == 0 && !json_object_get(task, "gres");

    if (!usual || verbose) {
        strbuf_add(&text, "Dedicated Resources Per Task: ");
        list_amounts(&text, task);
        list_print(&text);
    }
    if (get_int(r, "mem_per_node_mb", 0))
        printf("Dedicated Memory Per Node: %s\n",
            layout_mb(get_int(r, "mem_per_node_mb", 0), amount));
    if (verbose && *get_text(r, "access", ""))
        printf("NodeAccess: %s\n", get_text(r, "access", ""));
    if (get_int(r, "tasks_per_node", 0))
        printf("TasksPerNode: %lld\n", (long long)get_int(r, "tasks_per_node", 0));
    if (get_int(r, "nodes", 0) && !placed)
        printf("NodeCount: %lld\n", (long long)get_int(r, "nodes", 0));
}

static void print_usage(const json_t *o)
{
    json_int_t held = get_int(o, "at", 0) - get_int(o, "start_at", 0);
    double cpu = get_real(o, "cpu_s", -1);

    if (!is_active(o))
        return;
    if (json_object_get(o, "mem_used_mb"))
        printf(
            "Max Utilized Memory: %lld MB\n", (long long)get_int(o, "mem_used_mb", 0));
    if (cpu >= 0 && held > 0)
        printf("Average Utilized Procs: %.2f\n", cpu / (double)held);
}

static void print_requests(const json_t *o, bool verbose)
{
    size_t i;
    json_t *r;

    json_array_foreach(json_object_get(o, "requests"), i, r)
    {
        printf("Req[%zu]  TaskCount: %lld  Partition: %s\n", i,
            (long long)get_int(r, "tasks", 0), get_text(o, "partition", "ALL"));
        print_needs(r);
        print_per_task(r, is_active(o), verbose);
    }
    if (verbose)
        print_usage(o);
}

/* ---- where it runs ---- */

static void print_distribution(const json_t *places)
{
    size_t i, shown = 0;
    json_t *p;

    printf("Task Distribution: ");
    json_array_foreach(places, i,
        p) for (json_int_t t = 0; t < get_int(p, "tasks", 0) && shown <= TASKS_SHOWN;
                t++) if (shown++ < TASKS_SHOWN)
        printf("%s%s", shown > 1 ? "," : "", get_text(p, "node", ""));
    puts(shown > TASKS_SHOWN ? ",..." : "");
}

/* Tasks of several requests on a node are told one behind the other. */
static size_t count_nodes(const json_t *places)
{
    const char *last = "";
    size_t i, n = 0;
    json_t *p;

    json_array_foreach(places, i, p)
    {
        n += strcmp(get_text(p, "node", ""), last) != 0;
        last = get_text(p, "node", "");
    }
    return n;
}

static void print_places(const json_t *o, bool verbose)
{
    const json_t *places = json_object_get(o, "allocation");
    size_t i, n = json_array_size(places);
    json_t *p;

    if (!is_active(o) || n == 0)
        return;
    printf("NodeCount: %zu\nAllocated Nodes:\n", count_nodes(places));
    json_array_foreach(places, i, p) printf("[%.20s:%lld]%s", get_text(p, "node", ""),
        (long long)get_int(p, "tasks", 0),
        i % NODES_A_LINE == NODES_A_LINE - 1 || i + 1 == n ? "\n" : "");
    if (verbose)
        print_distribution(places);
}

/* ---- what is known besides ---- */

static void print_names(const char *label, const json_t *list)
{
    struct strbuf text = {0};

    if (json_array_size(list) == 0)
        return;
    strbuf_add(&text, label);
    list_joined(&text, list, " ", "");
    list_print(&text);
}

/* Of each request; of several by number, as they are shown above. */
static void print_hosts(const json_t *requests)
{
    char label[60], number[16] = "";
    size_t i;
    json_t *r;

    json_array_foreach(requests, i, r)
    {
        if (json_array_size(requests) > 1)
            snprintf(number, sizeof number, "[%zu]", i);
        snprintf(label, sizeof label, "HostList%s:    ", number);
        print_names(label, json_object_get(r, "hosts"));
        snprintf(label, sizeof label, "Exclude HostList%s: ", number);
        print_names(label, json_object_get(r, "exclude_hosts"));
    }
}

static void print_misc(const json_t *o, bool verbose)
{
    const struct attribute *a;
    struct strbuf text = {0};
    char date[LAYOUT_DATE_MAX];

    printf("\nIWD: %s  Executable:  %s\n", get_text(o, "directory", "[NONE]"),
        get_text(o, "command", "[NONE]"));
    printf("Bypass: %lld  StartCount: %lld\n", (long long)get_int(o, "bypass", 0),
        (long long)get_int(o, "start_count", 0));
    if (*get_text(o, "rm", ""))
        printf("ResourceManager: %s\n", get_text(o, "rm", ""));
    strbuf_add(&text, "PartitionMask: ");
    list_brackets(&text, json_object_get(o, "partitions"),
        json_object_get(o, "partitions") ? "[NONE]" : "[ALL]");
    list_print(&text);
    if (verbose)
        printf("SystemQueueTime: %s\n", layout_date(get_int(o, "queue_at", 0), date));
    print_names("Flags:       ", json_object_get(o, "flags"));
    print_hosts(json_object_get(o, "requests"));
    print_names("Depends on:  ", json_object_get(o, "dependencies"));
    for (size_t i = 0; (a = attribute_at(i)) != NULL; i++)
        if (a->label && *get_text(o, a->shown, ""))
            printf("%s: %s\n", a->label, get_text(o, a->shown, ""));
}

/* "Funds: 7200 credits of chem, 7200 of them kept" */
static void print_funds(const json_t *o)
{
    const json_t *f = json_object_get(o, "funds");

    if (get_int(o, "quote", 0))
        printf("Quote: %" JSON_INTEGER_FORMAT "\n", get_int(o, "quote", 0));
    if (get_int(o, "array_limit", 0))
        printf("ArrayLimit: %" JSON_INTEGER_FORMAT "\n", get_int(o, "array_limit", 0));
    char credits[LAYOUT_CREDITS_MAX];

    if (!f)
        return;
    printf("Funds: %s credits of %s", layout_credits(get_real(f, "price", 0), credits),
        get_text(f, "account", "no account"));
    if (get_real(f, "kept", 0) > 0)
        printf(", %s of them kept\n", layout_credits(get_real(f, "kept", 0), credits));
    else
        puts(!json_object_get(f, "enough") || get_bool(f, "enough")
                 ? ""
                 : ", which it lacks");
}

static void print_reservation(const json_t *o)
{
    json_int_t now = get_int(o, "at", 0), end = 0, start;
    char from[LAYOUT_REL_MAX], to[LAYOUT_REL_MAX], length[LAYOUT_REL_MAX];
    bool active = is_active(o);

    if (is_suspended(o)) /* it has left its processors */
        return;
    start = get_int(o, active ? "start_at" : "reservation_at", 0);
    end = get_int(o, active ? "end_at" : "reservation_end_at", 0);
    if (!start)
        return;
    printf("Reservation '%s' (%s -> %s  Duration: %s)\n", get_text(o, "id", ""),
        layout_rel(start - now, from),
        end ? layout_rel(end - now, to) : layout_rel(DURATION_UNLIMITED, to),
        layout_rel(end ? end - start : DURATION_UNLIMITED, length));
}

static bool has_word(const json_t *list, const char *word)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (strcmp(json_string_value(json_array_get(list, i)), word) == 0)
            return true;
    return false;
}

/* Each kind once: the scheduler and the resource manager may have one of the same. */
static void add_holds(struct strbuf *text, const json_t *list, const json_t *shown)
{
    size_t i;
    json_t *hold;

    json_array_foreach(list, i, hold)
    {
        const char *name = json_string_value(hold);
        if (!has_word(shown, name))
            strbuf_printf(text, " %c%s", name[0] - 'a' + 'A', name + 1);
    }
}

static void print_holds(const json_t *o)
{
    const char *reason = get_text(o, "hold_reason", "");
    char date[LAYOUT_DATE_MAX];
    const json_t *holds = json_object_get(o, "holds");
    struct strbuf text = {0};

    add_holds(&text, holds, NULL);
    add_holds(&text, json_object_get(o, "rm_holds"), holds);
    if (get_int(o, "defer_until", 0))
        printf("job is deferred until %s.  Reason:  %s  (%s)\n",
            layout_date(get_int(o, "defer_until", 0), date), *reason ? reason : "NONE",
            get_text(o, "hold_text", ""));
    if (get_int(o, "start_again_at", 0))
        printf("start is tried again at %s.  Reason:  %s  (%s)\n",
            layout_date(get_int(o, "start_again_at", 0), date),
            *reason ? reason : "NONE", get_text(o, "hold_text", ""));
    if (text.len) {
        printf("Holds:   %s", text.text);
        if (*reason)
            printf("  (hold reason:  %s)", reason);
        puts("");
    }
    if (*get_text(o, "hold_text", "") && !get_int(o, "defer_until", 0)
        && !get_int(o, "start_again_at", 0))
        printf("Messages:  %s\n", get_text(o, "hold_text", ""));
    free(strbuf_take(&text));
    print_names("Messages:  ", json_object_get(o, "messages"));
}

static void print_priority(const json_t *o)
{
    printf("PE:  %.2f  StartPriority:  %lld", get_real(o, "pe", 0),
        (long long)get_int(o, "priority", 0));
    if (get_int(o, "system_priority", 0))
        printf("  SystemPriority:  %lld", (long long)get_int(o, "system_priority", 0));
    if (get_int(o, "user_priority", 0))
        printf("  UserPriority:  %lld", (long long)get_int(o, "user_priority", 0));
    if (get_int(o, "fixed_priority", 0))
        printf("  FixedPriority:  %lld", (long long)get_int(o, "fixed_priority", 0));
    if (get_int(o, "tier", 0))
        printf("  Tier:  %lld", (long long)get_int(o, "tier", 0));
    puts("");
}

/* ---- can it start? ---- */

static void print_rejections(const json_t *p)
{
    const char *word;
    json_t *n;
    int shown = 0;

    printf("idle procs: %3lld  feasible procs: %3lld\n\nRejection Reasons: ",
        (long long)get_int(p, "idle_procs", 0),
        (long long)get_int(p, "feasible_procs", 0));
    json_object_foreach(json_object_get(p, "rejections"), word, n)
        printf("%s[%-13s: %4lld]", shown && shown % REASONS_A_LINE == 0 ? "\n" : "",
            word, (long long)json_integer_value(n)),
        shown++;
    puts(shown ? "\n" : "none\n");
}

static void print_obstacle(const json_t *b, json_int_t now)
{
    const char *kind = get_text(b, "kind", ""), *name = get_text(b, "name", "");
    json_int_t nodes = get_int(b, "nodes", 0), until = get_int(b, "until", 0);
    json_int_t start = get_int(b, "start_at", 0);
    char date[LAYOUT_DATE_MAX], from[LAYOUT_DATE_MAX];

    if (strcmp(kind, "feature") == 0)
        printf("no node has feature '%s'\n", name);
    else if (strcmp(kind, "no_reservation") == 0)
        printf("it asks for reservation '%s', which is not there\n", name);
    else if (strcmp(kind, "state") == 0)
        printf("%lld node%s %s %s%s%s\n", (long long)nodes, nodes == 1 ? "" : "s",
            nodes == 1 ? "is" : "are", name, *get_text(b, "text", "") ? ": " : "",
            get_text(b, "text", ""));
    else if (strcmp(kind, "resource") == 0 && json_object_get(b, "free"))
        printf("resource '%s': %lld asked for, %lld free\n", name,
            (long long)get_int(b, "asked", 0), (long long)get_int(b, "free", 0));
    else if (strcmp(kind, "resource") == 0)
        printf("no node has %lld of resource '%s'\n", (long long)get_int(b, "asked", 0),
            name);
    else
        printf("%s%s%s keeps %lld node%s%s%s%s%s\n",
            *name ? "reservation '" : "a reservation", name, *name ? "'" : "",
            (long long)nodes, nodes == 1 ? "" : "s", start > now ? " from " : "",
            start > now ? layout_date(start, from) : "",
            until                                 ? " until "
            : json_object_get(b, "until") != NULL ? ", without an end"
                                                  : "",
            until ? layout_date(until, date) : "");
}

/* Does what is told of the partition tell the job's reason? */
static bool tells_reason(const char *code)
{
    return strcmp(code, "blocked") == 0 || strcmp(code, "waits") == 0;
}

static void print_partition(const json_t *p, const json_t *reason, json_int_t now)
{
    const char *code = get_text(p, "code", "");
    bool asked = tells_reason(code) && json_object_get(reason, "reservation");
    size_t i;
    json_t *b;

    puts(get_text(p, "text", ""));
    if (strcmp(code, "requirements") == 0)
        print_rejections(p);
    json_array_foreach(json_object_get(p, "obstacles"), i,
        b) if (!asked || strcmp(get_text(b, "kind", ""), "no_reservation") != 0)
        print_obstacle(b, now);
}

static void print_reason(const json_t *o)
{
    printf("NOTE:  %s\n", get_text(json_object_get(o, "reason"), "text", ""));
}

static void print_eligibility(const json_t *o)
{
    const json_t *reason = json_object_get(o, "reason");
    bool told = strcmp(get_text(reason, "code", "none"), "none") == 0;
    size_t i;
    json_t *p;

    json_array_foreach(json_object_get(o, "eligibility"), i, p)
    {
        print_partition(p, reason, get_int(o, "at", 0));
        told |= tells_reason(get_text(p, "code", ""));
    }
    if (!told)
        print_reason(o);
}

static void print_verdicts(const json_t *o)
{
    size_t i;
    json_t *v;

    json_array_foreach(json_object_get(o, "reservation_verdicts"), i, v)
        printf("reservation '%s': %s\n", get_text(v, "reservation", ""),
            get_text(v, "text", ""));
    if (json_array_size(json_object_get(o, "node_verdicts")))
        puts("Detailed Node Availability Information:\n");
    json_array_foreach(json_object_get(o, "node_verdicts"), i, v)
    {
        if (get_bool(v, "accepted"))
            printf("%-24s accepted : %lld task%s supported\n", get_text(v, "node", ""),
                (long long)get_int(v, "tasks", 0),
                get_int(v, "tasks", 0) == 1 ? "" : "s");
        else
            printf("%-24s rejected : %s\n", get_text(v, "node", ""),
                get_text(v, "reason", ""));
    }
}

/* Behind how it ended, why: what an exit status says by itself is not said again. */
static void print_end(const json_t *why)
{
    bool told = strcmp(get_text(why, "reason", "by_itself"), "by_itself") == 0;

    printf("%s%s\n", told ? "" : ": ", told ? "" : get_text(why, "text", ""));
}

/* Who was put aside for another job has run, though not to its end. */
static bool was_preempted(const json_t *o)
{
    const json_t *end = json_object_get(o, "end");

    return strcmp(get_text(end, "reason", ""), "preempted") == 0;
}

void checkjob_print_ended(const json_t *o)
{
    json_int_t start = get_int(o, "start_at", 0), end = get_int(o, "end_at", 0);
    char used[LAYOUT_REL_MAX], limit[LAYOUT_REL_MAX], date[LAYOUT_DATE_MAX];

    printf("checking job %s\n\n", get_text(o, "id", ""));
    if (*get_text(o, "name", ""))
        printf("AName: %s\n", get_text(o, "name", ""));
    printf("State: %s\n", get_text(o, "state", "Completed"));
    print_creds(o);
    printf("WallTime: %s of %s\n", layout_rel(start ? end - start : 0, used),
        layout_rel(get_int(o, "wclimit_s", DURATION_UNLIMITED), limit));
    printf("SubmitTime: %s\n", layout_date(get_int(o, "submit_at", 0), date));
    if (start)
        printf("StartTime: %s\n", layout_date(start, date));
    printf("CompletionTime: %s\n", layout_date(end, date));
    printf("Total Tasks: %lld\n\n", (long long)get_int(o, "tasks", 0));
    if (start)
        printf("NodeCount: %lld\nMaster Host: %s\n\n",
            (long long)get_int(o, "nodes", 0), get_text(o, "master_host", "-"));
    if (start && strcmp(get_text(o, "state", ""), "Removed") == 0)
        printf("job %s was removed on %s, while it ran", get_text(o, "id", ""),
            layout_date(end, date));
    else if (start)
        printf("job %s ended on %s with exit status %lld", get_text(o, "id", ""),
            layout_date(end, date), (long long)get_int(o, "exit_status", 0));
    else
        printf("job %s ended on %s%s", get_text(o, "id", ""), layout_date(end, date),
            was_preempted(o) ? "" : " and never ran");
    print_end(json_object_get(o, "end"));
}

void checkjob_print(const json_t *o, bool verbose)
{
    printf("checking job %s\n\n", get_text(o, "id", ""));
    if (*get_text(o, "name", ""))
        printf("AName: %s\n", get_text(o, "name", ""));
    printf("State: %s", get_text(o, "shown_state", get_text(o, "state", "")));
    if (strcmp(get_text(o, "expected_state", get_text(o, "state", "")),
            get_text(o, "state", ""))
        != 0)
        printf("  EState: %s", get_text(o, "expected_state", ""));
    puts("");
    print_creds(o);
    print_times(o);
    printf("Total Tasks: %lld\n\n", (long long)get_int(o, "tasks", 0));
    print_requests(o, verbose);
    print_places(o, verbose);
    puts("");
    print_misc(o, verbose);
    print_funds(o);
    print_reservation(o);
    print_holds(o);
    print_priority(o);
    if (!is_active(o))
        print_eligibility(o);
    else if (is_suspended(o))
        print_reason(o);
    print_verdicts(o);
}
