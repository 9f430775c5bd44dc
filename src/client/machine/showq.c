/* SPDX-License-Identifier: Apache-2.0
 * showq: the queue. */
#include "base/timeval.h"
#include "client/client.h"
#include "client/kit/layout.h"
#include "client/kit/request.h"
#include "client/kit/stopped.h"
#include "client/machine/queuexml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CELL_MAX 256 /* letters of a cell that are shown */

static const struct option_row options[] = {
    {'r', NULL, NULL, "active jobs, extended"},
    {'i', NULL, NULL, "idle (eligible) jobs, extended"},
    {'b', NULL, NULL, "blocked jobs with the reason; with -v in more words"},
    {'c', NULL, NULL, "jobs that ended in the last 24 hours, with their exit status"},
    {'a', NULL, NULL, "all partitions, whatever MAUIPARTITION says"},
    {'g', NULL, NULL, "ids of the grid: there is none, so the jobs' own"},
    {'l', NULL, NULL, "local jobs: all are, as there is no grid"},
    {'u', "user", "USER", "only the jobs of USER"},
    {0, "group", "GROUP", "only those of GROUP"},
    {'p', "partition", "PARTITION", "only those that run in PARTITION, or may"},
    {'R', NULL, "RSV", "only those that ask for reservation RSV"},
    {'w', NULL, "CRED=NAME", "only those of user, group, account, class or qos NAME"},
    {'v', NULL, NULL, "full names; with -r the priority"},
    {0, "format", "text|json|xml", "how to print the answer"},
    {0, NULL, NULL, NULL},
};

static const struct command_spec spec = {
    .name = "showq",
    .usage = "[-r | -i | -b | -c] [-u USER] [-a | -p PARTITION] [-v]",
    .summary = "Show active, eligible and blocked jobs.",
    .options = options,
    .examples = "  showq                  everything that is in the queue\n"
                "  showq -i               eligible jobs by priority\n"
                "  showq -b -u ann        why ann's jobs do not run\n"
                "  showq --format json    for scripts: a record a line\n",
};

enum view { VIEW_ALL, VIEW_ACTIVE, VIEW_IDLE, VIEW_BLOCKED, VIEW_COMPLETED };

struct show {
    enum view view;
    bool verbose, smp;
    json_t *summary;
    enum { NO_SECTION, ACTIVE, IDLE, BLOCKED } section; /* printed last */
    uint64_t rows;
    json_int_t now;
    struct layout_near near;
};

/* ---- the plain view ---- */

static const char heading[] =
    "JOBNAME            USERNAME      STATE  PROC   %s            %s\n\n";

/* What nodes do is perhaps kept from the caller. */
static bool knows_nodes(const struct show *s)
{
    return json_object_get(s->summary, "procs_up") != NULL;
}

static void active_footer(const struct show *s)
{
    json_int_t procs = get_int(s->summary, "procs_up", 0);
    json_int_t used = get_int(s->summary, "procs_active", 0);
    json_int_t nodes = get_int(s->summary, "nodes_up", 0);
    json_int_t busy = get_int(s->summary, "nodes_active", 0);
    char jobs[40];

    snprintf(jobs, sizeof jobs, "%6lld Active Job%s  ",
        (long long)get_int(s->summary, "active", 0),
        get_int(s->summary, "active", 0) == 1 ? " " : "s");
    if (!knows_nodes(s)) {
        printf("\n%s\n", jobs);
        return;
    }
    printf("\n%21s %4lld of %4lld Processors Active (%.2f%%)\n", jobs, (long long)used,
        (long long)procs, procs ? 100.0 * (double)used / (double)procs : 0.0);
    if (nodes != procs)
        printf("%21s %4lld of %4lld Nodes Active      (%.2f%%)\n", "", (long long)busy,
            (long long)nodes, nodes ? 100.0 * (double)busy / (double)nodes : 0.0);
}

/* End the sections up to and including `last`, and begin those after as headings. */
static void advance(struct show *s, int to)
{
    while ((int)s->section < to) {
        if (s->section == ACTIVE)
            active_footer(s);
        else if (s->section == IDLE)
            printf("\n%lld Idle Job%s\n", (long long)get_int(s->summary, "eligible", 0),
                get_int(s->summary, "eligible", 0) == 1 ? "" : "s");
        s->section++;
        if (s->section == ACTIVE) {
            puts("ACTIVE JOBS--------------------");
            printf(heading, "REMAINING", "STARTTIME");
        } else if (s->section == IDLE) {
            puts("\nIDLE JOBS----------------------");
            printf(heading, "  WCLIMIT", "QUEUETIME");
        } else if (s->section == BLOCKED) {
            puts("\nBLOCKED JOBS----------------");
            printf(heading, "  WCLIMIT", "QUEUETIME");
        }
    }
}

/* In the order in which they come. */
enum cell {
    CELL_ID,
    CELL_SECTION,
    CELL_SHOWN_STATE,
    CELL_USER,
    CELL_PROCS,
    CELL_WCLIMIT,
    CELL_QUEUE_AT,
    CELL_START_AT,
    CELL_REMAINING,
    CELLS
};
#define CELL_NAMES                                                                     \
    "id,section,shown_state,user,procs,wclimit_s,queue_at,start_at,remaining_s"

static int64_t number_of(const char *cell, int64_t otherwise)
{
    return *cell ? strtoll(cell, NULL, 10) : otherwise;
}

static char *put_padded(char *to, const char *text, size_t width, bool right)
{
    size_t n = strnlen(text, CELL_MAX), gap = n < width ? width - n : 0;

    memcpy(to + (right ? gap : 0), text, n);
    memset(to + (right ? 0 : n), ' ', gap);
    to[n + gap] = ' ';
    return to + n + gap + 1;
}

/* A queue may have a hundred thousand rows: printf would take most of the time. */
static void plain_row(void *ctx, const char *const *cells, size_t n)
{
    struct show *s = ctx;
    char rel[LAYOUT_REL_MAX], line[CELLS * (CELL_MAX + 20)], *p = line;

    if (n < CELLS)
        return;
    bool active = cells[CELL_SECTION][0] == 'a';
    advance(s, active ? ACTIVE : cells[CELL_SECTION][0] == 'e' ? IDLE : BLOCKED);
    s->rows++;
    p = put_padded(p, cells[CELL_ID], 18, false);
    p = put_padded(p, cells[CELL_USER], 8, true);
    p = put_padded(p, cells[CELL_SHOWN_STATE], 10, true);
    p = put_padded(p, cells[CELL_PROCS], 5, true);
    p = put_padded(p,
        layout_rel(number_of(cells[active ? CELL_REMAINING : CELL_WCLIMIT],
                       DURATION_UNLIMITED),
            rel),
        11, true);
    *p++ = ' ';
    p = put_padded(p,
        layout_date_near(
            number_of(cells[active ? CELL_START_AT : CELL_QUEUE_AT], 0), &s->near),
        19, true);
    p[-1] = '\n';
    fwrite(line, 1, (size_t)(p - line), stdout);
}

static void plain_end(struct show *s)
{
    json_int_t active = get_int(s->summary, "active", 0);
    json_int_t idle = get_int(s->summary, "eligible", 0);
    json_int_t blocked = get_int(s->summary, "blocked", 0);

    advance(s, BLOCKED);
    printf("\nTotal Jobs: %lld   Active Jobs: %lld   Idle Jobs: %lld   Blocked Jobs: "
           "%lld\n",
        (long long)(active + idle + blocked), (long long)active, (long long)idle,
        (long long)blocked);
}

/* ---- active jobs, extended ---- */

static char mark_of(json_t *j)
{
    bool backfilled = get_bool(j, "backfilled"),
         preemptible = get_bool(j, "preemptible");

    if (get_bool(j, "soft_violation"))
        return '_';
    return backfilled ? preemptible ? '*' : '+' : preemptible ? '-' : ' ';
}

static void active_heading(const struct show *s)
{
    printf("%18s  S %sPar  Effic  XFactor  Q %9s %8s %8s %5s %s%11s  %19s\n\n",
        "JobName", s->verbose ? "  Prio " : "", "User", "Group", "MHost", "Procs",
        s->smp ? " Memory " : "", "Remaining", "StartTime");
}

static void active_row(struct show *s, json_t *j)
{
    char rel[LAYOUT_REL_MAX], date[LAYOUT_DATE_MAX], effic[16] = "------",
                                                     prio[16] = "";
    char mem[24] = "";

    if (json_object_get(j, "efficiency"))
        snprintf(effic, sizeof effic, "%6.2f", get_real(j, "efficiency", 0));
    if (s->verbose)
        snprintf(prio, sizeof prio, "%6lld ", (long long)get_int(j, "priority", 0));
    if (s->smp)
        snprintf(mem, sizeof mem, "%7lld ", (long long)get_int(j, "mem_mb", 0));
    printf("%18s%c %1.1s %s%.3s %6s %8.1f %2.2s %9s %8s %8s %5lld %s%11s  %19s\n",
        get_text(j, "id", ""), mark_of(j), get_text(j, "state", ""), prio,
        get_text(j, "partition", "-  "), effic, get_real(j, "xfactor", 0),
        get_text(j, "qos", "- "), get_text(j, "user", ""), get_text(j, "group", "-"),
        get_text(j, "master_host", "-"), (long long)get_int(j, "procs", 0), mem,
        layout_rel(get_int(j, "remaining_s", DURATION_UNLIMITED), rel),
        layout_date(get_int(j, "start_at", 0), date));
}

static void active_end(const struct show *s)
{
    json_int_t procs = get_int(s->summary, "procs_up", 0);
    json_int_t used = get_int(s->summary, "procs_active", 0);

    if (!knows_nodes(s)) {
        printf("\n%3lld Job%s\n", (long long)s->rows, s->rows == 1 ? "" : "s");
        return;
    }
    printf("\n%3lld Job%s   %5lld of %5lld Processors Active (%.2f%%)\n",
        (long long)s->rows, s->rows == 1 ? " " : "s", (long long)used, (long long)procs,
        procs ? 100.0 * (double)used / (double)procs : 0.0);
}

/* ---- eligible jobs, extended ---- */

static void idle_heading(const struct show *s)
{
    printf("%18s %11s %8s %2s %9s %8s %6s %s%11s %9s %20s\n\n", "JobName", "Priority",
        "XFactor", "Q", "User", "Group", "Procs", s->smp ? " Memory " : "", "WCLimit",
        "Class", "SystemQueueTime");
}

static void idle_row(struct show *s, json_t *j)
{
    char rel[LAYOUT_REL_MAX], date[LAYOUT_DATE_MAX], mem[24] = "";

    if (s->smp)
        snprintf(mem, sizeof mem, "%7lld ", (long long)get_int(j, "mem_mb", 0));
    printf("%18s%c%11lld %8.1f %2.2s %9s %8s %6lld %s%11s %9s %21s\n",
        get_text(j, "id", ""), json_object_get(j, "reservation_at") ? '*' : ' ',
        (long long)get_int(j, "priority", 0), get_real(j, "xfactor", 0),
        get_text(j, "qos", "- "), get_text(j, "user", ""), get_text(j, "group", "-"),
        (long long)get_int(j, "procs", 0), mem,
        layout_rel(get_int(j, "wclimit_s", DURATION_UNLIMITED), rel),
        get_text(j, "class", "-"), layout_date(get_int(j, "queue_at", 0), date));
}

static void idle_end(const struct show *s)
{
    double hours = (double)get_int(s->summary, "backlog_ps", 0) / 3600;
    json_int_t procs = get_int(s->summary, "procs_up", 0);

    printf("\nJobs: %lld  Total Backlog:  %.2f ProcHours  (%.2f Hours)\n",
        (long long)s->rows, hours, procs ? hours / (double)procs : 0.0);
}

/* ---- ended jobs ---- */

/* C completed, V removed by a limit or a cancel. */
static char ending(json_t *j)
{
    return strcmp(get_text(j, "state", ""), "Completed") == 0 ? 'C' : 'V';
}

static void completed_heading(void)
{
    printf("%18s %s %5s %3s %6s %8s %2s %9s %8s %8s %5s %11s  %19s\n\n", "JobID", "S",
        "CCode", "Par", "Effic", "XFactor", "Q", "UserName", "Group", "MHost", "Procs",
        "WallTime", "StartTime");
}

static void completed_row(struct show *s, json_t *j)
{
    char rel[LAYOUT_REL_MAX], date[LAYOUT_DATE_MAX] = "-", effic[16] = "------";
    json_int_t start = get_int(j, "start_at", 0), end = get_int(j, "end_at", 0);

    (void)s;
    if (json_object_get(j, "efficiency"))
        snprintf(effic, sizeof effic, "%6.2f", get_real(j, "efficiency", 0));
    if (start)
        layout_date(start, date);
    printf("%18s %c %5lld %3.3s %6s %8.1f %2.2s %9s %8s %8s %5lld %11s  %19s\n",
        get_text(j, "id", ""), ending(j), (long long)get_int(j, "exit_status", 0),
        get_text(j, "partition", "-"), effic, get_real(j, "xfactor", 0),
        get_text(j, "qos", "-"), get_text(j, "user", ""), get_text(j, "group", "-"),
        get_text(j, "master_host", "-"), (long long)get_int(j, "procs", 0),
        layout_rel(start ? end - start : 0, rel), date);
}

/* ---- the others ---- */

static void blocked_row(struct show *s, json_t *j)
{
    json_t *reason = json_object_get(j, "reason");
    const char *text = get_text(reason, "text", get_text(j, "shown_state", ""));
    const char *classic = get_text(reason, "classic", text);

    printf("%18s %9s %s", get_text(j, "id", ""), get_text(j, "user", ""), classic);
    if (s->verbose && strcmp(classic, text) != 0)
        printf("  (%s)", text);
    puts("");
}

/* Of the views with one section. */
static void heading_of(const struct show *s)
{
    if (s->view == VIEW_ACTIVE)
        active_heading(s);
    else if (s->view == VIEW_IDLE)
        idle_heading(s);
    else if (s->view == VIEW_COMPLETED)
        completed_heading();
    else if (s->view == VIEW_BLOCKED)
        printf("%18s %9s %s\n\n", "JobName", "User", "Reason");
}

static void on_record(void *ctx, json_t *o)
{
    static void (*const rows[])(struct show *, json_t *) = {[VIEW_ACTIVE] = active_row,
        [VIEW_IDLE] = idle_row,
        [VIEW_BLOCKED] = blocked_row,
        [VIEW_COMPLETED] = completed_row};
    struct show *s = ctx;
    json_t *summary = json_object_get(o, "summary");

    if (summary) {
        s->summary = json_incref(summary);
        s->now = get_int(summary, "at", 0);
        return;
    }
    if (!s->rows++)
        heading_of(s);
    rows[s->view](s, o);
}

static void end(struct show *s)
{
    if (!s->rows)
        heading_of(s);
    switch (s->view) {
    case VIEW_ALL:
        plain_end(s);
        break;
    case VIEW_ACTIVE:
        active_end(s);
        break;
    case VIEW_IDLE:
        idle_end(s);
        break;
    case VIEW_BLOCKED:
    case VIEW_COMPLETED:
        printf("\n%lld Job%s\n", (long long)s->rows, s->rows == 1 ? "" : "s");
        break;
    }
}

/* ---- the command ---- */

static enum view view_of(const struct command_line *l)
{
    static const struct {
        char letter;
        enum view view;
    } views[] = {{'r', VIEW_ACTIVE}, {'i', VIEW_IDLE}, {'b', VIEW_BLOCKED},
        {'c', VIEW_COMPLETED}};

    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
        if (command_has(l, views[i].letter))
            return views[i].view;
    return VIEW_ALL;
}

/* Those that ended are not in the queue: the accounting has them. */
static struct query *query_ended(const struct command_line *l)
{
    struct query *q = query_new("/v1/accounting");
    char from[24];

    snprintf(from, sizeof from, "%lld", (long long)request_now(l) - 86400);
    query_add(q, "from", from);
    query_add(q, "user", command_value(l, 'u'));
    return q;
}

static struct query *query_of(const struct command_line *l, enum view view)
{
    static const char *const sections[] = {NULL, "active", "eligible", "blocked"};
    /* What the rows need: a long queue is here sooner. */
    static const char *const fields[] = {CELL_NAMES,
        "id,state,user,group,qos,procs,mem_mb,xfactor,start_at,remaining_s,efficiency,"
        "priority,master_host,partition,backfilled,preemptible,soft_violation",
        "id,user,group,class,qos,procs,mem_mb,wclimit_s,queue_at,xfactor,priority,"
        "reservation_at",
        "id,shown_state,user,reason"};

    if (view == VIEW_COMPLETED)
        return query_ended(l);
    struct query *q = query_new("/v1/jobs");
    query_add(q, "section", sections[view]);
    if (l->format == FORMAT_TEXT)
        query_add(q, "fields", fields[view]);
    query_add(q, "user", command_value(l, 'u'));
    query_add(q, "group", command_long(l, "group"));
    query_add(q, "reservation", command_value(l, 'R'));
    query_add(q, "partition",
        command_has(l, 'p')   ? command_value(l, 'p')
        : command_has(l, 'a') ? NULL
                              : getenv("MAUIPARTITION"));
    return q;
}

/* -w: of whom. 0, or the status of a wrong line. */
static int add_cred(const struct command_line *l, struct query *q)
{
    static const char *const kinds[] = {"user", "group", "account", "class", "qos"};
    const char *where = command_value(l, 'w');
    size_t len = where ? strcspn(where, "=") : 0;

    if (!where)
        return 0;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && where[len]; i++)
        if (strlen(kinds[i]) == len && strncasecmp(where, kinds[i], len) == 0) {
            query_add(q, kinds[i], where + len + 1);
            return 0;
        }
    return command_wrong(l,
        "-w: '%s' is not CRED=NAME; expected CRED to be one of user, group, account, "
        "class, qos",
        where);
}

/* Filters that the accounting has not: without them more would be shown than asked. */
static int check_ended(const struct command_line *l, enum view view)
{
    static const char letters[] = "pRw";

    for (const char *p = letters; view == VIEW_COMPLETED && *p; p++)
        if (command_has(l, *p))
            return command_wrong(l, "-c and -%c do not go together", *p);
    if (view == VIEW_COMPLETED && command_long(l, "group"))
        return command_wrong(l, "-c and --group do not go together");
    return 0;
}

static int print(const struct command_line *l, struct query *q, struct show *s)
{
    int status;

    if (l->format == FORMAT_JSON)
        return print_json_list(l, q);
    if (l->format == FORMAT_XML)
        return queuexml_print(l, q);
    status = (s->view == VIEW_ALL ? ask_table(l, q, on_record, plain_row, s)
                                  : ask_list(l, q, on_record, s))
             < 0;
    if (status == 0)
        end(s);
    return status;
}

static int run(const struct command_line *l)
{
    struct show s = {.view = view_of(l),
        .verbose = command_has(l, 'v'),
        .smp = getenv("MAUISMP") != NULL};
    int status = check_ended(l, s.view);

    if (status != 0)
        return status;
    if (l->nargs)
        return command_wrong(l, "'%s' is not expected here", l->args[0]);
    if (command_has(l, 'a') && command_has(l, 'p'))
        return command_wrong(l, "-a and -p do not go together");
    struct query *q = query_of(l, s.view);
    status = add_cred(l, q);
    if (status == 0)
        status = print(l, q, &s);
    if (status == 0 && s.view != VIEW_ACTIVE && s.view != VIEW_COMPLETED)
        stopped_note_queue(s.summary);
    json_decref(s.summary);
    query_free(q);
    return status;
}

int showq_main(int argc, char **argv)
{
    return command_run(&spec, argc, argv, run);
}
