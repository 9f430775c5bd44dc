/* SPDX-License-Identifier: Apache-2.0
 * Several requests on a few nodes, exactly: candidate by candidate, the most tasks of
 * one request that go with each number of tasks of the others. For the tight cases in
 * which requests have to give way to each other. */
#include "cluster/job.h"
#include "config/settings.h"
#include "plan/nodes/nodealloc_private.h"

#define WORK_MAX 65536 /* candidates x states */

/* How a state was reached: the state before, and tasks of the last request taken. */
struct step {
    int32_t from;
    uint32_t last;
};

struct search {
    struct joint *g;
    uint32_t nreqs, last; /* the request that is maximised */
    uint32_t states;      /* numbers of tasks of all others, mixed radix */
    int64_t *most;        /* of the last request, by state; -1 = not reached */
    int64_t *next;        /* the same with one candidate more */
    struct step *steps;   /* by candidate and state */
    size_t at;            /* the candidate */
};

static uint32_t need_of(const struct search *s, uint32_t r)
{
    return s->g->m->reqs[r].req->tasks;
}

/* May the request have tasks on any nodes, in any number? */
static bool is_free(const struct nodealloc *a)
{
    enum nodealloc_policy p = nodealloc_policy_of(a);

    return !(a->req->def->exactnode && a->req->nodes) && !nodealloc_hosts(a)
           && !nodeset_of(a) && a->c->cfg->enable_multinode_jobs
           && p < NODEALLOC_MAXBALANCE && !(a->j->flags & JOB_ADVRES);
}

static bool is_small(struct search *s)
{
    const struct nodealloc_multi *m = s->g->m;
    uint64_t states = 1;

    for (uint32_t r = 0; r < m->nreqs; r++)
        if (!is_free(&m->reqs[r]))
            return false;
    for (uint32_t r = 1; r < m->nreqs; r++)
        if (need_of(s, r) > need_of(s, s->last))
            s->last = r;
    for (uint32_t r = 0; r < m->nreqs && states <= WORK_MAX; r++)
        if (r != s->last)
            states *= (uint64_t)need_of(s, r) + 1;
    s->states = (uint32_t)states;
    return states <= WORK_MAX && m->n * states <= WORK_MAX;
}

/* Tasks of request r in a state. */
static uint32_t digit(const struct search *s, uint32_t state, uint32_t r)
{
    for (uint32_t k = 0; k < r; k++)
        if (k != s->last)
            state /= need_of(s, k) + 1;
    return state % (need_of(s, r) + 1);
}

static uint32_t weight(const struct search *s, uint32_t r)
{
    uint32_t w = 1;

    for (uint32_t k = 0; k < r; k++)
        if (k != s->last)
            w *= need_of(s, k) + 1;
    return w;
}

/* The candidate carries `add` (as a difference of states) and `last` tasks. */
static void extend(struct search *s, const uint32_t *tasks, uint32_t last)
{
    uint32_t add = 0;

    for (uint32_t r = 0; r < s->nreqs; r++)
        if (r != s->last)
            add += tasks[r] * weight(s, r);
    for (uint32_t state = 0; state + add < s->states; state++) {
        bool fits = s->most[state] >= 0;
        for (uint32_t r = 0; fits && r < s->nreqs; r++)
            fits = r == s->last || digit(s, state, r) + tasks[r] <= need_of(s, r);
        if (!fits || s->most[state] + last <= s->next[state + add])
            continue;
        s->next[state + add] = s->most[state] + last;
        s->steps[s->at * s->states + state + add] = (struct step){(int32_t)state, last};
    }
}

/* All numbers of tasks of requests r and up that the candidate can carry on top of
 * what is promised of it. */
static void combine(struct search *s, uint32_t r, uint32_t *tasks)
{
    struct joint *g = s->g;
    size_t i = s->at;

    if (r == s->nreqs) {
        extend(s, tasks, joint_left(g, s->last, i));
        return;
    }
    if (r == s->last) {
        combine(s, r + 1, tasks);
        return;
    }
    uint32_t tpn = g->m->reqs[r].req->def->tpn, step = tpn > 1 ? tpn : 1;
    uint32_t most = joint_left(g, r, i);
    for (uint32_t k = 0; k <= most && k <= need_of(s, r); k += step) {
        double share = g->share[i];
        struct node_room room = {0};
        if (g->room)
            room_copy(&room, &g->room[i]);
        if (k)
            joint_promise(g, r, i, k);
        tasks[r] = k;
        combine(s, r + 1, tasks);
        g->share[i] = share;
        if (g->room)
            room_copy(&g->room[i], &room);
        room_fini(&room);
    }
    tasks[r] = 0;
}

static bool of_use(const struct search *s)
{
    const struct nodealloc *a = &s->g->m->reqs[0];
    const struct node *n = node_at(a->c, s->g->m->cands[s->at].node);

    return nodealloc_policy_of(a) != NODEALLOC_CPULOAD
           || nodealloc_idle_procs(a->c, n) > 0;
}

/* Walk back from the wanted state and hand out what led there. */
static void emit(struct search *s)
{
    const struct nodealloc_multi *m = s->g->m;
    uint32_t state = s->states - 1, left = need_of(s, s->last);

    for (size_t i = m->n; i-- > 0;) {
        struct step step = s->steps[i * s->states + state];
        uint32_t before = (uint32_t)step.from;
        for (uint32_t r = 0; r < s->nreqs; r++) {
            uint32_t k = r == s->last ? (step.last < left ? step.last : left)
                                      : digit(s, state, r) - digit(s, before, r);
            if (k)
                nodealloc_emit(
                    &s->g->pieces, m->cands[i].node, k, m->reqs[r].req_index);
            left -= r == s->last ? k : 0;
        }
        state = before;
    }
}

static bool run(struct search *s)
{
    uint32_t *tasks = xcalloc(s->nreqs, sizeof *tasks);

    for (uint32_t k = 0; k < s->states; k++)
        s->most[k] = k ? -1 : 0;
    for (s->at = 0; s->at < s->g->m->n; s->at++) {
        struct step *steps = s->steps + s->at * s->states;
        for (uint32_t k = 0; k < s->states; k++) {
            s->next[k] = s->most[k]; /* nothing on this one */
            steps[k] = (struct step){(int32_t)k, 0};
        }
        if (of_use(s))
            combine(s, 0, tasks);
        memcpy(s->most, s->next, s->states * sizeof *s->most);
    }
    free(tasks);
    return s->most[s->states - 1] >= need_of(s, s->last);
}

bool joint_search(struct joint *g)
{
    struct search s = {.g = g, .nreqs = g->m->nreqs};

    joint_reset(g);
    if (!is_small(&s))
        return false;
    s.most = xmalloc(s.states * sizeof *s.most);
    s.next = xmalloc(s.states * sizeof *s.next);
    s.steps = xmalloc(g->m->n * s.states * sizeof *s.steps);
    bool found = run(&s);
    if (found)
        emit(&s);
    free(s.most);
    free(s.next);
    free(s.steps);
    return found;
}
