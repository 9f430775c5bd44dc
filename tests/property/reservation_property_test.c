/* SPDX-License-Identifier: Apache-2.0
 * Promises of reservations in random worlds of some days: access is kept whatever
 * starts when, host lists get their hosts, far periods are there in time, and what is
 * released is free again. MAUI_PROPERTY_FACTOR and MAUI_PROPERTY_SEED as in the other
 * properties. */
#include "base/strbuf.h"
#include "cmocka_all.h"
#include "plan/rsvnodes.h"
#include "policy/acl.h"
#include "rng.h"
#include "scenario.h"
#include "seeds.h"

#include <stdio.h>
#include <string.h>

#define MONDAY (INT64_C(19723) * 86400)
#define HOUR   INT64_C(3600)
#define DAYS   5
#define JOBS   40
#define SEEN   400 /* reservations of one world */
#define NODES  8

/* ---- random worlds ---- */

struct job_text {
    char id[12], user[4], group[4], advres[8];
};

struct world {
    struct rng rng;
    uint64_t seed;
    uint32_t nodes;
    int64_t procs[NODES], all;
    char lines[2000];
    struct job_text text[JOBS];
    uint32_t held[SEEN][NODES]; /* tasks, by serial and node, after the last cycle */
};

static const char *pick_users(struct rng *r)
{
    static const char *const lists[] = {
        "u0", "u1,u2", "u0,u1-", "!u3", "u2=", "u1,!u0", "u0,u1,u2,u3"};

    return RNG_PICK(r, lists);
}

static void add_nodes_wanted(struct world *w, struct strbuf *b)
{
    struct rng *r = &w->rng;

    if (rng_percent(r, 60)) {
        strbuf_printf(b, " HOSTLIST=");
        for (uint32_t i = 0, first = 1; i < w->nodes; i++)
            if (rng_percent(r, 50) || (first && i + 1 == w->nodes)) {
                strbuf_printf(b, "%sn%u", first ? "" : ",", i + 1);
                first = 0;
            }
        if (rng_percent(r, 70))
            return;
    }
    strbuf_printf(b, " TASKCOUNT=%u", 1 + rng_below(r, 5));
}

static void add_standing(struct world *w, struct strbuf *b, int index)
{
    static const char *const days[] = {"ALL", "MON,WED,FRI", "TUE,THU", "ALL"};
    static const char *const resources[] = {
        "", "", " RESOURCES=PROCS:1", " RESOURCES=PROCS:2"};
    static const char *const extra[] = {"", "", "", " FLAGS=BYNAME", " FLAGS=SPACEFLEX",
        " FLAGS=SINGLEUSE", " PRIORITY=1000000", " ACCESS=SHARED",
        " TIMELIMIT=2:00:00*", " TIMELIMIT=1:00:00"};
    struct rng *r = &w->rng;
    uint32_t start = rng_below(r, 23);

    strbuf_printf(b, "SRCFG[s%d] USERLIST=%s", index, pick_users(r));
    if (rng_percent(r, 20))
        strbuf_printf(b, " PERIOD=INFINITY");
    else
        strbuf_printf(b, " STARTTIME=%u:00:00 ENDTIME=%u:00:00 DAYS=%s DEPTH=%u", start,
            start + 1 + rng_below(r, 24 - start), RNG_PICK(r, days),
            1 + rng_below(r, 4));
    add_nodes_wanted(w, b);
    strbuf_printf(b, "%s%s\n", RNG_PICK(r, resources), RNG_PICK(r, extra));
}

static void make_lines(struct world *w)
{
    static const char *const policies[] = {"CURRENTHIGHEST", "HIGHEST", "NEVER"};
    struct strbuf b = {0};

    strbuf_printf(&b, "RESERVATIONPOLICY %s\n", RNG_PICK(&w->rng, policies));
    for (int i = (int)rng_below(&w->rng, 4); i > 0; i--)
        add_standing(w, &b, i);
    assert_true(b.len < sizeof w->lines);
    snprintf(w->lines, sizeof w->lines, "%s", b.text);
    free(strbuf_take(&b));
}

static void add_jobs(struct world *w, struct scenario *s)
{
    struct rng *r = &w->rng;

    for (int i = 0; i < JOBS; i++) {
        struct job_text *t = &w->text[i];
        int64_t limit = rng_range(r, 1, 40) * (rng_percent(r, 70) ? 600 : HOUR);

        snprintf(t->id, sizeof t->id, "job.%d", i);
        snprintf(t->user, sizeof t->user, "u%u", rng_below(r, 4));
        snprintf(t->advres, sizeof t->advres, "s%u", 1 + rng_below(r, 3));
        struct sc_job j = {.id = t->id,
            .user = t->user,
            .procs = (uint32_t)rng_range(r, 1, rng_percent(r, 60) ? 2 : w->all),
            .limit_s = limit,
            .run_s = rng_percent(r, 50) ? limit : rng_range(r, 1, limit),
            .submit_at = MONDAY + rng_range(r, 0, (DAYS - 2) * 24 * HOUR)};
        if (rng_percent(r, 10))
            j.flags = JOB_ADVRES;
        else if (rng_percent(r, 10))
            j.advres = t->advres;
        sc_job(s, j);
    }
}

/* ---- what must hold after every cycle ---- */

static int64_t amount(const struct reservation *r, const struct node *n, uint32_t tasks)
{
    int64_t each = r->def.per_task.v[RES_PROCS];

    return each < 0 ? n->cfg.v[RES_PROCS] : each * tasks;
}

/* What others reserve of the node at `at` and keep from the job, and what they offer
 * to a job that is confined to reservations. */
static void weigh(struct cluster *c, const struct job *j, const struct node *n,
    int64_t at, int64_t *ret_denied, int64_t *ret_offered)
{
    struct acl_asker who = acl_asker_of(c, j);
    int64_t end = j->start_at + j->wclimit_s;

    *ret_denied = *ret_offered = 0;
    for (size_t i = 0; i < c->reservations.n; i++) {
        struct reservation *r = c->reservations.v[i];
        if (!r || !reservation_is_live(r) || at < r->start_at || at >= r->end_at)
            continue;
        int64_t procs = amount(r, n, reservation_tasks_on(c, r, n->index));
        if (reservation_tasks_on(c, r, n->index) == 0)
            continue;
        if (!acl_decide(c, r, &who, acl_overlap(r, j->start_at, end)).granted)
            *ret_denied += procs;
        else if (acl_confinement_allows(&who, r))
            *ret_offered += procs;
    }
}

static void check_place(struct world *w, struct cluster *c, const struct job *j,
    const struct node *n, int64_t procs, int64_t at)
{
    struct acl_asker who = acl_asker_of(c, j);
    int64_t denied, offered;

    weigh(c, j, n, at, &denied, &offered);
    if (procs > n->cfg.v[RES_PROCS] - denied)
        fail_msg("seed %llu: %s of %s starts at %lld with %lld of %s, where %lld are "
                 "kept from it at %lld\n%s",
            (unsigned long long)w->seed, j->id, job_cred(c, j, CRED_USER)->name,
            (long long)j->start_at, (long long)procs, n->name, (long long)denied,
            (long long)at, w->lines);
    if (who.confined != ACL_FREE && procs > offered)
        fail_msg("seed %llu: %s is confined and starts at %lld with %lld of %s, where "
                 "%lld are offered at %lld\n%s",
            (unsigned long long)w->seed, j->id, (long long)j->start_at,
            (long long)procs, n->name, (long long)offered, (long long)at, w->lines);
}

/* Every instant of the job at which a reservation begins or ends. */
static void check_start(struct world *w, struct cluster *c, const struct job *j)
{
    int64_t end = j->start_at + j->wclimit_s;

    for (size_t k = 0; k < j->alloc.n; k++)
        for (uint32_t m = 0; m < j->alloc.v[k].count; m++) {
            const struct node *n = node_at(c, j->alloc.v[k].first + m);
            int64_t procs = j->alloc.v[k].tasks;

            check_place(w, c, j, n, procs, j->start_at);
            for (size_t i = 0; i < c->reservations.n; i++) {
                const struct reservation *r = c->reservations.v[i];
                if (r && r->start_at > j->start_at && r->start_at < end)
                    check_place(w, c, j, n, procs, r->start_at);
                if (r && r->end_at > j->start_at && r->end_at < end)
                    check_place(w, c, j, n, procs, r->end_at);
            }
        }
}

static void check_fixed(struct world *w, struct cluster *c, const struct reservation *r)
{
    for (size_t i = 0; i < r->hosts.n; i++) {
        const struct node *n = node_at(c, r->hosts.v[i]);
        int64_t each = r->def.per_task.v[RES_PROCS];
        int64_t fits = each < 0 ? 1 : n->cfg.v[RES_PROCS] / each;
        int64_t want = r->one_per_host && fits > 1 ? 1 : fits;

        if (reservation_tasks_on(c, r, n->index) != want)
            fail_msg("seed %llu: %s holds %u tasks of %s, not %lld\n%s",
                (unsigned long long)w->seed, r->name,
                reservation_tasks_on(c, r, n->index), n->name, (long long)want,
                w->lines);
    }
}

/* Tasks that another reservation had on the node before this cycle and still has. */
static uint32_t kept(
    struct world *w, struct cluster *c, const struct reservation *o, uint32_t node)
{
    uint32_t now = reservation_tasks_on(c, o, node);
    uint32_t before = o->serial < SEEN ? w->held[o->serial][node] : 0;

    return now < before ? now : before;
}

/* Processors of the node at `at` that jobs without access and other reservations had
 * before this cycle. */
static int64_t taken(struct world *w, struct scenario *s, struct reservation *r,
    const struct node *n, int64_t at)
{
    struct cluster *c = engine_cluster(sc_engine(s));
    int64_t sum = 0;

    for (size_t i = 0; i < c->active.n; i++) {
        const struct job *j = c->jobs.v[c->active.v[i]];
        int64_t overlap = acl_overlap(r, j->start_at, j->end_at);
        if (j->start_at == sc_now(s) || j->end_at <= at
            || acl_decide_job(c, r, j, overlap).granted)
            continue;
        for (size_t k = 0; k < j->alloc.n; k++)
            if (n->index - j->alloc.v[k].first < j->alloc.v[k].count)
                sum += j->alloc.v[k].tasks;
    }
    for (size_t i = 0; !r->shared && i < c->reservations.n; i++) {
        const struct reservation *o = c->reservations.v[i];
        if (o && o != r && reservation_is_live(o) && o->start_at <= at && at < o->end_at
            && kept(w, c, o, n->index))
            sum += amount(o, n, kept(w, c, o, n->index));
    }
    return sum;
}

static void check_floating(struct world *w, struct scenario *s, struct reservation *r)
{
    struct cluster *c = engine_cluster(sc_engine(s));

    for (uint32_t i = 0; i < w->nodes && r->serial < SEEN; i++) {
        const struct node *n = node_at(c, i);
        uint32_t tasks = reservation_tasks_on(c, r, i);

        if (tasks > w->held[r->serial][i]
            && amount(r, n, tasks) + taken(w, s, r, n, r->start_at)
                   > n->cfg.v[RES_PROCS])
            fail_msg(
                "seed %llu: %s takes %u tasks of %s at %lld, which has too little\n%s",
                (unsigned long long)w->seed, r->name, tasks, n->name,
                (long long)sc_now(s), w->lines);
    }
}

static void remember(struct world *w, struct cluster *c, const struct reservation *r)
{
    for (uint32_t i = 0; i < w->nodes && r->serial < SEEN; i++)
        w->held[r->serial][i] = reservation_tasks_on(c, r, i);
}

static void check_periods(struct world *w, struct cluster *c, struct reservation *r)
{
    for (size_t i = 0; i < c->reservations.n; i++) {
        const struct reservation *o = c->reservations.v[i];
        if (o && o != r && reservation_is_live(o) && o->standing == r->standing
            && o->period_at == r->period_at)
            fail_msg("seed %llu: %s and %s are of one period",
                (unsigned long long)w->seed, r->name, o->name);
    }
}

static void after_cycle(void *ctx, struct scenario *s)
{
    struct world *w = ctx;
    struct cluster *c = engine_cluster(sc_engine(s));

    for (size_t i = 0; i < c->active.n; i++) {
        const struct job *j = c->jobs.v[c->active.v[i]];
        if (j->start_at == sc_now(s))
            check_start(w, c, j);
    }
    for (size_t i = 0; i < c->reservations.n; i++) {
        struct reservation *r = c->reservations.v[i];
        if (!r || !reservation_is_live(r))
            continue;
        if (rsvnodes_is_fixed(r))
            check_fixed(w, c, r);
        else if (!(r->flags & RSV_FORCE))
            check_floating(w, s, r);
        if (r->standing != INDEX_NONE)
            check_periods(w, c, r);
    }
    for (size_t i = 0; i < c->reservations.n; i++)
        if (c->reservations.v[i])
            remember(w, c, c->reservations.v[i]);
}

/* ---- running them ---- */

static struct scenario *open_world(struct world *w, uint64_t seed)
{
    memset(w, 0, sizeof *w);
    w->seed = w->rng.state = seed;
    w->nodes = 2 + rng_below(&w->rng, NODES - 2);
    make_lines(w);
    struct scenario *s = sc_create_with(w->lines);
    sc_begin_at(s, MONDAY);
    for (uint32_t i = 0; i < w->nodes; i++) {
        w->procs[i] = rng_range(&w->rng, 1, 4);
        w->all += w->procs[i];
        sc_nodes(s, 1, w->procs[i]);
    }
    sc_watch(s, after_cycle, w);
    return s;
}

static void random_setres(struct world *w, struct scenario *s)
{
    struct rng *r = &w->rng;
    char hosts[16];
    int64_t start = sc_now(s) + rng_range(r, 0, 20) * HOUR / 2;
    struct sc_rsv x = {.base = "s9",
        .start_at = start,
        .end_at = start + rng_range(r, 1, 20) * HOUR / 2,
        .lists = {[ACL_USER] = rng_percent(r, 30) ? NULL : pick_users(r)},
        .resources = rng_percent(r, 50) ? NULL : "PROCS=1"};

    snprintf(hosts, sizeof hosts, "n%u,n%u", 1 + rng_below(r, w->nodes),
        1 + rng_below(r, w->nodes));
    if (rng_percent(r, 50))
        x.hosts = hosts;
    else
        x.tasks = 1 + rng_below(r, 3);
    sc_setres(s, &x, &(struct err){0});
}

static void random_release(struct world *w, struct scenario *s)
{
    const struct cluster *c = engine_cluster(sc_engine(s));
    const struct reservation *r =
        c->reservations.n
            ? c->reservations.v[rng_below(&w->rng, (uint32_t)c->reservations.n)]
            : NULL;

    if (r && reservation_is_live(r))
        assert_int_equal(sc_releaseres(s, r->name, &(struct err){0}), 0);
}

static void run_world(uint64_t seed)
{
    static const enum node_state states[] = {NODE_IDLE, NODE_IDLE, NODE_DOWN};
    struct world w;
    struct scenario *s = open_world(&w, seed);

    if (rng_percent(&w.rng, 40))
        sc_force_by_node(s);
    add_jobs(&w, s);
    for (int64_t at = MONDAY; at < MONDAY + DAYS * 24 * HOUR;
         at += rng_range(&w.rng, 1, 8 * HOUR)) {
        sc_run_until(s, at);
        sc_at(s, at);
        if (rng_percent(&w.rng, 40))
            random_setres(&w, s);
        if (rng_percent(&w.rng, 25))
            random_release(&w, s);
        if (rng_percent(&w.rng, 10)) {
            char name[8];
            snprintf(name, sizeof name, "n%u", 1 + rng_below(&w.rng, w.nodes));
            const struct node *n = node_find(engine_cluster(sc_engine(s)), name);
            if (n->state == NODE_IDLE || n->state == NODE_DOWN)
                sc_node_state(s, name, RNG_PICK(&w.rng, states));
        }
    }
    sc_destroy(s);
}

static void each_seed(void (*run)(uint64_t seed), uint32_t count)
{
    uint64_t first = seed_first(), n = seed_count(count);

    for (uint64_t i = 0; i < n; i++)
        run(first + i);
}

static void no_job_holds_what_is_reserved_for_others(void **state)
{
    (void)state;
    each_seed(run_world, 150);
}

/* All nodes by day for one user, more work than the nights can hold: the days within
 * reach are there in full, all but the one that came last. */
static void backlog(uint64_t seed)
{
    struct rng rng = {.state = seed};
    char lines[200];

    snprintf(lines, sizeof lines,
        "SRCFG[x] TASKCOUNT=%u STARTTIME=9:00:00 ENDTIME=17:00:00 DEPTH=4 "
        "RESOURCES=PROCS:1 USERLIST=john",
        8u);
    struct scenario *s = sc_create_with(lines);
    sc_begin_at(s, MONDAY);
    sc_nodes(s, 4, 2);
    sc_at(s, MONDAY);
    static char ids[60][12];
    for (int i = 0; i < 60; i++) {
        snprintf(ids[i], sizeof ids[i], "eve.%d", i);
        sc_job(s, (struct sc_job){.id = ids[i],
                      .user = "eve",
                      .procs = 1 + rng_below(&rng, 8),
                      .limit_s = rng_range(&rng, 1, 16) * HOUR,
                      .submit_at = MONDAY + rng_range(&rng, 0, 30) * HOUR});
    }
    for (int day = 0; day < 10; day++) {
        sc_at(s, MONDAY + day * 24 * HOUR + rng_range(&rng, 0, 16 * HOUR));
        for (uint32_t slot = 0; slot < 3; slot++) {
            const struct reservation *r = sc_standing(s, "x", slot);
            if (!r || r->held_tasks != 8)
                fail_msg("seed %llu: day %d slot %u holds %u of 8",
                    (unsigned long long)seed, day, slot, r ? r->held_tasks : 0);
        }
    }
    sc_destroy(s);
}

static void a_depth_keeps_the_next_periods_whole_under_a_backlog(void **state)
{
    (void)state;
    each_seed(backlog, 20);
}

/* Walls on random nodes: a job as wide as the machine starts when the last is gone. */
static void released_again(uint64_t seed)
{
    struct world w;
    struct scenario *s = open_world(&w, seed);
    char names[8][20];
    uint32_t n = 0;

    sc_configure(s, "");
    sc_watch(s, NULL, NULL);
    sc_at(s, MONDAY);
    for (uint32_t i = 0; i < 8; i++) {
        char host[12];
        snprintf(host, sizeof host, "n%u", 1 + rng_below(&w.rng, w.nodes));
        struct sc_rsv x = {.base = "wall",
            .hosts = i % 2 ? host : NULL,
            .tasks = i % 2 ? 0 : 1,
            .resources = rng_percent(&w.rng, 50) ? "PROCS=1" : NULL};
        if (sc_setres(s, &x, &(struct err){0}) == 0) {
            snprintf(names[n], sizeof names[n], "wall.%u", n);
            n++;
        }
    }
    sc_job(s, (struct sc_job){.id = "wide", .procs = (uint32_t)w.all, .limit_s = 600});
    for (uint32_t left = n; left > 0; left--) {
        uint32_t k = rng_below(&w.rng, left);
        sc_at(s, sc_now(s) + 4000);
        assert_int_equal(sc_start(s, "wide"), -1);
        assert_int_equal(sc_releaseres(s, names[k], &(struct err){0}), 0);
        memmove(names[k], names[left - 1], sizeof names[0]);
    }
    sc_at(s, sc_now(s) + 4000);
    assert_int_equal(sc_starts(s, "wide"), 1);
    sc_destroy(s);
}

static void what_is_released_is_free_again(void **state)
{
    (void)state;
    each_seed(released_again, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_job_holds_what_is_reserved_for_others),
        cmocka_unit_test(a_depth_keeps_the_next_periods_whole_under_a_backlog),
        cmocka_unit_test(what_is_released_is_free_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
