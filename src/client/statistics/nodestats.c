/* SPDX-License-Identifier: Apache-2.0
 * Nodes by memory: what work needs them, how long they were up and in use. */
#include "client/statistics/nodestats.h"

#include "base/vec.h"
#include "client/kit/layout.h"

#include <stdio.h>
#include <string.h>

struct node_row {
    json_t *record; /* holds the name and the state */
    json_int_t mem_mb, procs;
    double up, busy; /* percent of the time it was known */
    bool is_up, is_busy;
};

/* Nodes of one memory size. */
struct mem_class {
    json_int_t mem_mb, procs;
    size_t first, n; /* of the sorted nodes */
    double asked;    /* processor hours of jobs that need so much at least */
    double load;     /* when work with less need moves up until it is even */
};

struct machine {
    struct VEC(struct node_row) nodes;
    struct VEC(struct mem_class) classes; /* by memory */
    json_int_t procs;
    double asked;
};

static void on_node(void *ctx, json_t *o)
{
    struct machine *m = ctx;
    const json_t *amounts = json_object_get(o, "configured");
    const char *state = get_text(o, "state", "");
    double total = (double)get_int(o, "total_s", 0);
    static const char *const up[] = {"Idle", "Running", "Busy", "Draining"};
    struct node_row n = {.record = json_incref(o),
        .mem_mb = get_int(amounts, "mem_mb", 0),
        .procs = get_int(amounts, "procs", 0),
        .up = layout_percent((double)get_int(o, "up_s", 0), total),
        .busy = layout_percent((double)get_int(o, "active_s", 0), total)};

    for (size_t i = 0; i < sizeof up / sizeof up[0]; i++)
        n.is_up |= strcmp(state, up[i]) == 0;
    n.is_busy = json_array_size(json_object_get(o, "jobs")) > 0;
    vec_push(&m->nodes, n);
}

static int by_memory(const void *a, const void *b)
{
    const struct node_row *x = a, *y = b;

    if (x->mem_mb != y->mem_mb)
        return x->mem_mb < y->mem_mb ? -1 : 1;
    return strcmp(get_text(x->record, "name", ""), get_text(y->record, "name", ""));
}

static void make_classes(struct machine *m)
{
    if (m->nodes.n)
        qsort(m->nodes.v, m->nodes.n, sizeof *m->nodes.v, by_memory);
    for (size_t i = 0; i < m->nodes.n; i++) {
        const struct node_row *n = &m->nodes.v[i];
        if (!m->classes.n || m->classes.v[m->classes.n - 1].mem_mb != n->mem_mb)
            vec_push(
                &m->classes, ((struct mem_class){.mem_mb = n->mem_mb, .first = i}));
        struct mem_class *c = &m->classes.v[m->classes.n - 1];
        c->n++;
        c->procs += n->procs;
        m->procs += n->procs;
    }
}

/* Its work is asked of the smallest memory that is enough for a task; what no node has
 * enough for is nobody's. */
static void on_job(void *ctx, json_t *o)
{
    struct machine *m = ctx;
    json_int_t tasks = get_int(o, "tasks", 1), limit = get_int(o, "wclimit_s", 0);
    json_int_t mem = get_int(o, "mem_mb", 0) / (tasks > 0 ? tasks : 1);
    double hours = (double)get_int(o, "procs", 0) * (double)limit / 3600;

    for (size_t i = 0; json_object_get(o, "procs") && i < m->classes.n; i++)
        if (m->classes.v[i].mem_mb >= mem) {
            m->classes.v[i].asked += hours;
            m->asked += hours;
            return;
        }
}

/* Work may run on nodes with more memory than it needs: from the smallest on, classes
 * that have more of it for their processors than the next ones share with them. */
static void balance(struct machine *m)
{
    struct group {
        double work, procs;
        size_t first;
    } *groups = xcalloc(m->classes.n + 1, sizeof *groups);
    size_t n = 0;

    for (size_t i = 0; i < m->classes.n; i++) {
        const struct mem_class *c = &m->classes.v[i];
        groups[n++] = (struct group){c->asked, (double)c->procs, i};
        while (n > 1
               && groups[n - 2].work * groups[n - 1].procs
                      > groups[n - 1].work * groups[n - 2].procs) {
            groups[n - 2].work += groups[n - 1].work;
            groups[n - 2].procs += groups[n - 1].procs;
            n--;
        }
    }
    for (size_t g = 0, i = 0; g < n; g++)
        for (; i < (g + 1 < n ? groups[g + 1].first : m->classes.n); i++)
            m->classes.v[i].load =
                groups[g].procs > 0
                    ? groups[g].work / groups[g].procs * (double)m->classes.v[i].procs
                    : 0;
    free(groups);
}

/* ---- layout ---- */

static void print_memory(const struct machine *m)
{
    printf("\n\nMemory Requirement Breakdown:\n\n%8s %5s %7s %9s %7s %10s %7s\n",
        "Memory", "Proc", "Percent", "InitialNH", "Percent", "ProcHours", "Percent");
    for (size_t i = 0; i < m->classes.n; i++) {
        const struct mem_class *c = &m->classes.v[i];
        double share = layout_percent((double)c->procs, (double)m->procs);
        double fair = m->asked * share / 100;
        printf("%8lld %5lld %7.2f %9.0f %7.2f %10.0f %7.2f\n", (long long)c->mem_mb,
            (long long)c->procs, share, c->asked, layout_percent(c->asked, fair),
            c->load, layout_percent(c->load, fair));
    }
    printf("%8s %5lld %7.2f %9.0f %7.2f %10.0f %7.2f\n\n\n", "TOTAL",
        (long long)m->procs, 100.0, m->asked, 100.0, m->asked, 100.0);
}

/* Means of nodes from `first` on. */
static void print_summary(const struct machine *m, size_t first, size_t n)
{
    double up = 0, busy = 0, up_now = 0, busy_now = 0;

    for (size_t i = first; i < first + n; i++) {
        up += m->nodes.v[i].up;
        busy += m->nodes.v[i].busy;
        up_now += m->nodes.v[i].is_up;
        busy_now += m->nodes.v[i].is_busy;
    }
    double nodes = n ? (double)n : 1;
    printf(" Nodes  %6.2f%% Avail  %6.2f%% Busy  (Current: %6.2f%% Avail  %6.2f%% "
           "Busy)\n\n",
        up / nodes, busy / nodes, 100 * up_now / nodes, 100 * busy_now / nodes);
}

static void print_class(
    const struct machine *m, const struct mem_class *c, bool summary)
{
    printf("%4lldMB Nodes\n", (long long)c->mem_mb);
    if (!summary)
        printf("%20s %9s %9s %9s\n", "NodeName", "Available", "Busy", "NodeState");
    for (size_t i = c->first; !summary && i < c->first + c->n; i++) {
        const struct node_row *n = &m->nodes.v[i];
        printf("%20s %8.2f%% %8.2f%% %9s\n", get_text(n->record, "name", ""), n->up,
            n->busy, get_text(n->record, "state", ""));
    }
    printf("Summary: %4zu %lldMB", c->n, (long long)c->mem_mb);
    print_summary(m, c->first, c->n);
}

static void print_machine(const struct machine *m, bool summary)
{
    print_memory(m);
    puts("Node Statistics\n");
    for (size_t i = 0; i < m->classes.n; i++)
        print_class(m, &m->classes.v[i], summary);
    printf("System Summary: %4zu", m->nodes.n);
    print_summary(m, 0, m->nodes.n);
}

int nodestats_show(const struct command_line *l, const char *partition, bool summary)
{
    struct query *nodes = query_new("/v1/nodes"), *jobs = query_new("/v1/jobs");
    struct machine m = {.asked = 0};
    int status;

    query_add(nodes, "partition", partition);
    query_add(jobs, "partition", partition);
    query_add(jobs, "fields", "procs,tasks,mem_mb,wclimit_s");
    if (l->format == FORMAT_JSON) {
        status = print_json_list(l, nodes);
    } else {
        status = ask_list(l, nodes, on_node, &m) < 0;
        make_classes(&m);
        if (status == 0)
            status = ask_list(l, jobs, on_job, &m) < 0;
        balance(&m);
        if (status == 0)
            print_machine(&m, summary);
    }
    for (size_t i = 0; i < m.nodes.n; i++)
        json_decref(m.nodes.v[i].record);
    vec_fini(&m.nodes);
    vec_fini(&m.classes);
    query_free(nodes);
    query_free(jobs);
    return status;
}
