/* SPDX-License-Identifier: Apache-2.0
 * Whoever made a job wait, and however we came to know it: it has our hold, the gate's
 * is gone, and what it asks for is what its user asked for. One step after the other:
 * killed between two of them, the next look shows what is left to do.
 *
 *     qw, the gate's           held by us
 *     held by us, the gate's   its start time or hold and its mark are taken away
 *     held by us, overwritten  its user's queues are put back
 *     maui_4711, no job 4711   the queue is deleted */
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "rm/adapter/clock.h"
#include "rm/gridengine/gridengine.h"

#include <stdio.h>

#define AT_ONCE    300   /* jobs in a command */
#define RANGES     200   /* of tasks in a command, so that others have a turn as well */
#define SHARE      100   /* of those: of one array */
#define REFUSED_MS 60000 /* until what was refused is tried again */

enum opening {
    OPEN_HOLD, /* the gate's hold */
    OPEN_TIME, /* ... its start time, in the place of which no other has come */
    OPEN_MARK, /* ... its mark alone: the hold is a user's */
    OPENINGS
};

/* A command, and the jobs that it is about. */
struct task {
    struct ge_adapter *g;
    const char *const *words;    /* constant; NULL ends */
    struct VEC(char *) jobs;     /* owned */
    struct strbuf names;         /* "12,14.3" */
    size_t ranges;               /* of tasks */
    struct task *then[OPENINGS]; /* owned: once all of these are held; or NULL */
    bool restores;               /* what its user had asked for, or says that he had */
};

bool ge_is_held(const struct ge_job *j)
{
    return (j->held & GE_HELD_SYSTEM) && !j->kept.gate;
}

static void task_free(struct task *k)
{
    for (size_t i = 0; i < OPENINGS; i++)
        if (k->then[i] != NULL)
            task_free(k->then[i]);
    for (size_t i = 0; i < k->jobs.n; i++)
        free(k->jobs.v[i]);
    vec_fini(&k->jobs);
    free(k->names.text);
    free(k);
}

static void run_task(struct task *k);

/* The gate's are opened where it is known that we hold them all; else the next look
 * shows which we do. */
static void open_gate(struct task *hold)
{
    for (size_t i = 0; i < OPENINGS; i++) {
        if (hold->then[i] != NULL)
            run_task(hold->then[i]);
        hold->then[i] = NULL;
    }
}

static void mark_jobs(const struct task *k, bool tidying)
{
    for (size_t i = 0; i < k->jobs.n; i++) {
        struct ge_told *t = listing_find(k->g->jobs, k->jobs.v[i]);

        if (t == NULL)
            continue;
        t->tidying = tidying;
        t->changed_ms = tidying ? t->changed_ms : clock_ms();
    }
}

/* That is the job's own trouble: a queue that is no more, or a context that its user
 * has written. It waits, and all others go on. */
static void note_refusal(struct task *k, const char *text)
{
    for (size_t i = 0; i < k->jobs.n; i++) {
        struct ge_told *t = listing_find(k->g->jobs, k->jobs.v[i]);

        if (t != NULL)
            t->refused_ms = clock_ms();
    }
    agent_remark(k->g->agent, "jobmodify", text, &k->g->remarked);
}

static void on_tidied(void *ctx, const struct run_end *end)
{
    struct task *k = ctx;
    struct ge_adapter *g = k->g;
    bool bad = end->status != 0 && !ge_is_away(end) && !ge_is_gone(end);

    g->tidying--;
    mark_jobs(k, false);
    if (end->status == 0)
        open_gate(k);
    if (bad && k->restores) {
        note_refusal(k, end->text);
        bad = false;
    }
    if (bad != g->complained)
        agent_health(g->agent, "jobmodify", bad ? end->text : NULL);
    g->complained = bad;
    if (g->tidying == 0)
        agent_look(g->agent);
    task_free(k);
}

static void add_name(struct task *k, const char *name)
{
    strbuf_printf(&k->names, "%s%s", k->names.len > 0 ? "," : "", name);
}

static void add_job(struct task *k, const char *id)
{
    vec_push(&k->jobs, xstrdup(id));
}

static struct task *task_new(struct ge_adapter *g, const char *const *words)
{
    struct task *k = xcalloc(1, sizeof *k);

    k->g = g;
    k->words = words;
    return k;
}

/* Runs it if there is something to be done: the words, then its jobs. Takes it. */
static void run_task(struct task *k)
{
    const char *argv[12];
    size_t n = 0;

    if (k->jobs.n == 0) {
        open_gate(k);
        task_free(k);
        return;
    }
    mark_jobs(k, true);
    for (; k->words[n] != NULL && n < 10; n++)
        argv[n] = k->words[n];
    argv[n++] = k->names.text;
    argv[n] = NULL;
    k->g->tidying++;
    ge_run(k->g, true, argv, on_tidied, k);
}

/* ---- the jobs of one number: one, or the tasks of an array ---- */

struct group {
    struct ge_adapter *g;
    size_t from, to;
    size_t waiting, free, unheld; /* of them: with our hands off; without our hold */
};

static bool is_free(struct ge_adapter *g, const struct ge_job *j)
{
    const struct ge_told *t = listing_find(g->jobs, j->rm.desc.id);

    return t == NULL
           || (t->step == STEP_NONE && !t->tidying
               && t->changed_ms < ge_look_began_ms(g));
}

static bool is_unheld(const struct ge_job *j)
{
    return ge_is_waiting(j) && !(j->held & GE_HELD_SYSTEM);
}

static struct group group_at(struct ge_adapter *g, size_t from)
{
    const struct ge_jobs *a = &g->jobs_answer;
    struct group all = {.g = g, .from = from, .to = from};

    for (; all.to < a->list.n
           && strcmp(a->list.v[all.to].number, a->list.v[from].number) == 0;
         all.to++) {
        const struct ge_job *j = &a->list.v[all.to];
        bool waits = ge_is_waiting(j);

        all.waiting += waits;
        all.free += waits && is_free(g, j);
        all.unheld += is_unheld(j) && is_free(g, j);
    }
    return all;
}

/* Tasks of an array as far from each other as the first two of them are. */
struct range {
    long long first, last, step;
    bool many;
};

static void add_range(struct task *k, const char *number, const struct range *r)
{
    const char *comma = k->names.len > 0 ? "," : "";

    if (!r->many)
        strbuf_printf(&k->names, "%s%s.%lld", comma, number, r->first);
    else
        strbuf_printf(&k->names, "%s%s.%lld-%lld:%lld", comma, number, r->first,
            r->last, r->step);
    k->ranges++;
}

/* False: it is no part of that, and has to begin another. */
static bool extend_range(struct range *r, long long task)
{
    if (r->many && task - r->last != r->step)
        return false;
    r->step = task - r->last;
    r->last = task;
    r->many = true;
    return true;
}

/* Those that need it, by ranges: Grid Engine holds a thousand tasks in 20 ms then, and
 * takes no longer to read one range than one task. False: there are more of them. */
static bool hold_tasks(const struct group *all, struct task *k)
{
    const struct ge_job *v = all->g->jobs_answer.list.v;
    size_t most = k->ranges + SHARE < RANGES ? k->ranges + SHARE : RANGES, i;
    struct range r = {0};

    for (i = all->from; i < all->to; i++) {
        long long task = v[i].task != NULL ? strtoll(v[i].task, NULL, 10) : 0;

        if (!is_unheld(&v[i]) || !is_free(all->g, &v[i]))
            continue;
        if (r.first == 0 || !extend_range(&r, task)) {
            if (r.first != 0)
                add_range(k, v[i].number, &r);
            r = (struct range){.first = 0};
            if (k->ranges >= most)
                break; /* the next look shows the others */
            r = (struct range){.first = task, .last = task};
        }
        add_job(k, v[i].rm.desc.id);
    }
    if (r.first != 0)
        add_range(k, v[all->from].number, &r);
    return i == all->to;
}

/* All tasks by the number alone, where all need it. False: there are more of them.
 * Tasks that wait for those of another array (-hold_jid_ad) Grid Engine passes over
 * then, and says that all is well: they are named. */
static bool hold_group(const struct group *all, struct task *k)
{
    const struct ge_job *v = all->g->jobs_answer.list.v;

    if (all->unheld < all->to - all->from || v[all->from].after_task != NULL)
        return hold_tasks(all, k);
    add_name(k, v[all->from].number);
    for (size_t i = all->from; i < all->to; i++)
        add_job(k, v[i].rm.desc.id);
    return true;
}

static void add_group(const struct group *all, struct task *k)
{
    const struct ge_job *v = all->g->jobs_answer.list.v;

    add_name(k, v[all->from].number);
    for (size_t i = all->from; i < all->to; i++)
        if (ge_is_waiting(&v[i]))
            add_job(k, v[i].rm.desc.id);
}

static void restore_group(const struct group *all)
{
    const struct ge_job *j = &all->g->jobs_answer.list.v[all->from];
    const char *queues = j->kept.queues != NULL ? j->kept.queues : "*";
    const char *const plain[] = {
        "qalter", "-q", queues, "-dc", "maui_q,maui_pe,maui_class", NULL};
    const char *const ranged[] = {"qalter", "-q", queues, "-dc",
        "maui_q,maui_pe,maui_class", "-pe", j->pe, j->kept.range, NULL};

    struct task *k =
        task_new(all->g, j->kept.range != NULL && j->pe != NULL ? ranged : plain);
    k->restores = true;
    add_group(all, k);
    run_task(k);
}

static bool was_refused(struct ge_adapter *g, const struct ge_job *j)
{
    const struct ge_told *t = listing_find(g->jobs, j->rm.desc.id);

    return t != NULL && t->refused_ms != 0 && clock_ms() - t->refused_ms < REFUSED_MS;
}

static enum opening opening_of(const struct ge_kept *k)
{
    return k->gate_time ? OPEN_TIME : k->gate_user ? OPEN_MARK : OPEN_HOLD;
}

/* What we hold already does not wait for the command that holds others: a single job
 * that is gone makes that fail. */
static void tidy_group(const struct group *all, struct task *hold, struct task *opens)
{
    const struct ge_job *j = &all->g->jobs_answer.list.v[all->from];
    bool held = all->unheld == 0;

    if (!held && !hold_group(all, hold))
        return;
    if (all->waiting == 0 || all->free < all->waiting)
        return; /* something is under way for one of them */
    if (j->kept.gate)
        add_group(all, (held ? opens : hold)->then[opening_of(&j->kept)]);
    else if (held && j->kept.overwritten && all->waiting == all->to - all->from
             && !was_refused(all->g, j))
        restore_group(all);
}

/* ---- queues of our own ---- */

static void on_deleted(void *ctx, const struct run_end *end)
{
    struct ge_adapter *g = ctx;

    (void)end; /* where a job is in it yet it stays until the next look */
    g->deleting = false;
}

static bool is_wanted(const struct ge_adapter *g, const char *queue)
{
    const struct ge_jobs *a = &g->jobs_answer;
    const char *number = queue + strlen(GE_OWN_QUEUE), *task = strchr(number, '_');

    for (size_t i = ge_first_of(a, number); i < a->list.n; i++) {
        const struct ge_job *j = &a->list.v[i];
        const struct ge_told *t = listing_find(g->jobs, j->rm.desc.id);

        if (strtoll(j->number, NULL, 10) != strtoll(number, NULL, 10))
            return false;
        if (task != NULL && (j->task == NULL || strcmp(j->task, task + 1) != 0))
            continue;
        if (!ge_is_waiting(j) || t == NULL || t->step != STEP_NONE || t->tidying)
            return true;
    }
    return false;
}

/* One at a time: those that are left over are few. */
static void delete_queues(struct ge_adapter *g)
{
    for (size_t i = 0; i < g->hosts_answer.own.n && !g->deleting; i++) {
        const char *const argv[] = {"qconf", "-dq", g->hosts_answer.own.v[i], NULL};

        if (is_wanted(g, g->hosts_answer.own.v[i]))
            continue;
        g->deleting = true;
        ge_run(g, false, argv, on_deleted, g);
    }
}

/* What is to be held, and what is to be done for the same jobs then; nothing to be
 * held: at once. */
static struct task *plan_hold(struct ge_adapter *g)
{
    static const char *const hold[] = {"qalter", "-h", "s", NULL},
                             *const gate[] = {"qalter", "-h", "U", "-dc", "maui_gate",
                                 NULL},
                             *const start[] = {"qalter", "-a", GE_NO_TIME, "-dc",
                                 "maui_gate", NULL},
                             *const mark[] = {"qalter", "-dc", "maui_gate", NULL};
    struct task *k = task_new(g, hold);

    k->then[OPEN_HOLD] = task_new(g, gate);
    k->then[OPEN_TIME] = task_new(g, start);
    k->then[OPEN_MARK] = task_new(g, mark);
    return k;
}

static bool is_full(const struct task *hold)
{
    size_t n = hold->jobs.n;

    for (size_t i = 0; i < OPENINGS; i++)
        n = hold->then[i]->jobs.n > n ? hold->then[i]->jobs.n : n;
    return n >= AT_ONCE;
}

void ge_tidy(struct ge_adapter *g)
{
    struct task *hold, *opens;
    struct group all;

    if (!agent_is_led(g->agent) || g->tidying > 0)
        return; /* what is under way, the next look shows */
    hold = plan_hold(g);
    opens = plan_hold(g);
    for (size_t i = 0; i < g->jobs_answer.list.n; i = all.to) {
        all = group_at(g, i);
        if (!is_full(hold) && !is_full(opens))
            tidy_group(&all, hold, opens);
    }
    run_task(opens);
    run_task(hold);
    delete_queues(g);
}
