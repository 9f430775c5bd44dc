/* SPDX-License-Identifier: Apache-2.0
 * Jobs that others wait for. Grid Engine does not let those start before, and does not
 * say so while we hold them. It has made numbers of the names that users gave when the
 * job came: what is called otherwise since is meant all the same. Tasks of an array
 * wait for the same, so that each number is looked at once: an array has up to 75,000.
 *
 * Of very many the last are told, which others take the place of as they end: a job
 * never waits for fewer than it has to, and the others cost nothing. */
#include "base/xalloc.h"
#include "rm/gridengine/shape.h"

#define DEPS_MOST 64 /* jobs that one waits for which are told */

/* The jobs of one number: one, or the tasks of an array. */
struct group {
    size_t from, to; /* in the list */
    const struct ge_job *first;
};

struct groups {
    struct ge_jobs *jobs;
    struct VEC(struct group) all; /* by number */
};

/* What a group waits for. */
struct wait {
    struct dep *deps; /* in the arena: the last of them, in any order */
    size_t n;         /* all of them */
};

static void list_groups(struct groups *g)
{
    struct ge_job *v = g->jobs->list.v;

    for (size_t i = 0, to; i < g->jobs->list.n; i = to) {
        for (to = i + 1;
             to < g->jobs->list.n && strcmp(v[to].number, v[i].number) == 0;)
            to++;
        vec_push(&g->all, ((struct group){i, to, &v[i]}));
    }
}

/* Room for so many, and the end. */
static void make_room(const struct groups *g, struct wait *w, size_t n)
{
    n = n < DEPS_MOST ? n : DEPS_MOST;
    w->deps = arena_take(&g->jobs->arena, n + 1, sizeof *w->deps);
}

static void add_dep(struct wait *w, const char *id)
{
    w->deps[w->n++ % DEPS_MOST] = (struct dep){DEP_COMPLETED, (char *)id};
}

static void add_tasks(const struct groups *g, struct wait *w, size_t from, size_t to)
{
    if (w->deps == NULL && from < to)
        make_room(g, w, DEPS_MOST);
    if (to - from > DEPS_MOST) {
        w->n += to - from - DEPS_MOST;
        from = to - DEPS_MOST;
    }
    for (; from < to; from++)
        add_dep(w, g->jobs->list.v[from].rm.desc.id);
}

/* Those of that number; NULL: there are none. */
static const struct group *find_group(const struct groups *g, const char *number)
{
    size_t at = ge_first_of(g->jobs, number), low = 0, high = g->all.n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (g->all.v[middle].from < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < g->all.n && strcmp(g->all.v[low].first->number, number) == 0
               ? &g->all.v[low]
               : NULL;
}

static void add_numbered(
    const struct groups *g, struct wait *w, const struct group *of, const char *number)
{
    const struct group *on = find_group(g, number);

    if (on != NULL && on->from != of->from)
        add_tasks(g, w, on->from, on->to);
}

static int64_t task_of(const struct ge_job *j)
{
    return j->task != NULL ? strtoll(j->task, NULL, 10) : 1;
}

/* The first of its tasks, by number, that ends behind that one. */
static size_t first_behind(const struct groups *g, const struct group *on, int64_t task)
{
    size_t low = on->from, high = on->to;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct ge_job *j = &g->jobs->list.v[middle];

        if (task_of(j) + j->step <= task)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A part of the list. */
struct part {
    size_t from, to;
};

/* -hold_jid_ad: the task that covers that one, or of which it covers some. */
static struct part find_alike(
    const struct groups *g, const struct ge_job *j, const char *number)
{
    const struct group *on = find_group(g, number);
    struct part p = {0};

    if (on == NULL)
        return p;
    p.from = p.to = first_behind(g, on, task_of(j));
    while (p.to < on->to && task_of(&g->jobs->list.v[p.to]) < task_of(j) + j->step)
        p.to++;
    return p;
}

/* A task waits for its own, and for what the whole array waits for. */
static struct wait wait_of(
    const struct groups *g, const struct ge_job *j, const struct wait *all)
{
    struct wait w = {0};
    size_t n = all->n;

    if (j->task == NULL || j->after_task == NULL)
        return *all;
    for (const char *const *on = j->after_task; *on != NULL; on++) {
        struct part p = find_alike(g, j, *on);

        n += p.to - p.from;
    }
    if (n == all->n)
        return *all;
    make_room(g, &w, n);
    for (size_t i = 0; i < all->n && i < DEPS_MOST; i++)
        add_dep(&w, all->deps[i].job_id);
    w.n = all->n;
    for (const char *const *on = j->after_task; *on != NULL; on++) {
        struct part p = find_alike(g, j, *on);

        add_tasks(g, &w, p.from, p.to);
    }
    return w;
}

static void note_wait(const struct groups *g, struct ge_job *j, const struct wait *w)
{
    if (w->n > 0)
        j->rm.desc.deps = w->deps;
    if (w->n > DEPS_MOST && j->rm.notes == NULL)
        j->rm.notes =
            arena_printf(&g->jobs->arena, "it waits for %zu jobs to end", w->n);
}

static void check_group(const struct groups *g, const struct group *of)
{
    struct ge_job *v = g->jobs->list.v;
    struct wait all = {0};

    for (const char *const *number = of->first->after; number && *number; number++)
        add_numbered(g, &all, of, *number);
    for (size_t i = of->from; i < of->to; i++)
        if (ge_is_waiting(&v[i])) {
            struct wait w = wait_of(g, &v[i], &all);

            note_wait(g, &v[i], &w);
        }
}

void ge_check_dependencies(struct ge_jobs *jobs)
{
    struct groups g = {.jobs = jobs};

    list_groups(&g);
    for (size_t i = 0; i < g.all.n; i++)
        if (g.all.v[i].first->after != NULL || g.all.v[i].first->after_task != NULL)
            check_group(&g, &g.all.v[i]);
    for (size_t i = 0; i < jobs->list.n; i++)
        if ((jobs->list.v[i].held & GE_HELD_DEPENDENCY)
            && jobs->list.v[i].rm.desc.deps == NULL)
            ge_let_wait(&jobs->list.v[i],
                "Grid Engine waits for its dependency on another job");
    vec_fini(&g.all);
}
