/* SPDX-License-Identifier: Apache-2.0
 * A look at everything that Grid Engine knows. Who holds a job is asked for where one
 * is held: at once where the look before showed such a job, else when this one does.
 * Queues and parallel environments change seldom: they are asked for every half minute,
 * and where a look shows a queue that is not known. */
#include "base/xalloc.h"
#include "rm/adapter/clock.h"
#include "rm/gridengine/gridengine.h"

#include <stdio.h>

#define OUTPUT_MAX     (256u << 20)
#define DEFINITIONS_MS 30000
#define LEAST_MS       200   /* from look to look */
#define MOST_MS        10000 /* ... of one that takes long */
#define PART           2     /* of the time looks take one in so many */

static const char *const commands[ASKS][7] = {
    [ASK_DETAIL] = {"qstat", "-xml", "-j", "*", NULL},
    [ASK_STATES] = {"qstat", "-xml", "-u", "*", NULL},
    [ASK_USER] = {"qstat", "-xml", "-u", "*", "-s", "hu", NULL},
    [ASK_OPERATOR] = {"qstat", "-xml", "-u", "*", "-s", "ho", NULL},
    [ASK_SYSTEM] = {"qstat", "-xml", "-u", "*", "-s", "hs", NULL},
    [ASK_DEPENDENT] = {"qstat", "-xml", "-u", "*", "-s", "hd", NULL},
    [ASK_HOSTS] = {"qhost", "-q", "-j", "-F", "-xml", NULL},
};

#define ALWAYS (1u << ASK_DETAIL | 1u << ASK_STATES | 1u << ASK_HOSTS)

struct ge_look {
    char *texts[ASKS]; /* owned: answers; NULL = not asked for */
    size_t lens[ASKS];
    int asked;
    unsigned needed;    /* bits of questions: for all that the last answer showed */
    int64_t asked_ms;   /* when the look began that is under way, or was the last */
    int64_t began_ms;   /* ... whose answers are there */
    int64_t defined_ms; /* 0 = never */
    char why[400];
    bool away;
    uint64_t remarked;            /* what was said of jobs that are too long */
    struct VEC(struct ge_pe) pes; /* while they are asked for; names owned */
    struct VEC(struct ge_group) groups;
};

struct question {
    struct ge_adapter *g;
    int kind;
};

struct ge_look *ge_look_new(void)
{
    return xcalloc(1, sizeof(struct ge_look));
}

static void free_texts(struct ge_look *l)
{
    for (int i = 0; i < ASKS; i++) {
        free(l->texts[i]);
        l->texts[i] = NULL;
    }
}

static void free_pes(struct ge_pe *pes)
{
    for (struct ge_pe *p = pes; p != NULL && p->name != NULL; p++)
        free((char *)p->name);
    free(pes);
}

static void free_groups(struct ge_group *groups)
{
    for (struct ge_group *p = groups; p != NULL && p->name != NULL; p++) {
        free((char *)p->name);
        free((char *)p->hosts);
    }
    free(groups);
}

void ge_look_destroy(struct ge_adapter *g)
{
    free_texts(g->look);
    vec_push(&g->look->pes, ((struct ge_pe){0}));
    free_pes(g->look->pes.v);
    free_pes(g->pes);
    vec_push(&g->look->groups, ((struct ge_group){0}));
    free_groups(g->look->groups.v);
    free_groups(g->groups);
    ge_jobs_free(&g->jobs_answer);
    ge_hosts_free(&g->hosts_answer);
    ge_queues_free(&g->queues);
    ge_reservations_free(&g->reserved);
    free(g->look);
}

int64_t ge_look_began_ms(const struct ge_adapter *g)
{
    return g->look->began_ms;
}

/* Of the spec what differs. */
static void run_command(struct ge_adapter *g, const struct run_spec *differs,
    void (*ended)(void *ctx, const struct run_end *end), void *ctx)
{
    static const char *const extra[] = {
        "TZ=UTC", "LC_ALL=C", "SGE_SINGLE_LINE=1", NULL};
    struct run_spec spec = *differs;

    spec.extra = extra;
    spec.timeout_ms = g->timeout_ms;
    spec.most = OUTPUT_MAX;
    runs_start(g->runs, &spec, ended, ctx);
}

void ge_run(struct ge_adapter *g, bool first, const char *const *argv,
    void (*ended)(void *ctx, const struct run_end *end), void *ctx)
{
    run_command(g, &(struct run_spec){.argv = argv, .first = first}, ended, ctx);
}

void ge_order(struct ge_adapter *g, bool first, const char *const *argv,
    void (*ended)(void *ctx, const struct run_end *end), void *ctx)
{
    run_command(
        g, &(struct run_spec){.argv = argv, .first = first, .owed = true}, ended, ctx);
}

/* What it says is English and nothing else: of several exit statuses all are 1. */
static bool says_one_of(const struct run_end *end, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strcasestr(end->text, *words) != NULL)
            return true;
    return false;
}

bool ge_is_away(const struct run_end *end)
{
    static const char *const words[] = {"commlib", "unable to contact", "can't connect",
        "unable to send", "Connection refused", "is qmaster", "qmaster is not", NULL};

    return end->hung || (end->status != 0 && says_one_of(end, words));
}

bool ge_is_gone(const struct run_end *end)
{
    static const char *const words[] = {"does not exist", NULL};

    return says_one_of(end, words);
}

struct ge_site ge_site_of(const struct ge_adapter *g)
{
    return (struct ge_site){&g->hosts_answer, &g->queues, g->pes, g->groups};
}

static void note_failure(
    struct ge_look *l, const char *command, const struct run_end *end)
{
    l->away = l->away || ge_is_away(end);
    if (l->why[0] == '\0')
        snprintf(l->why, sizeof l->why, "%s: %s", command,
            *end->text ? end->text : "no answer");
}

static bool end_failed(struct ge_adapter *g)
{
    struct ge_look *l = g->look;

    if (l->why[0] == '\0')
        return false;
    agent_looked(g->agent, l->away ? "connection" : "workloadquery", l->why);
    return true;
}

/* ---- jobs and hosts ---- */

static int read_held(struct ge_adapter *g, struct ge_jobs *jobs, struct err *err)
{
    static const struct {
        int ask;
        unsigned held;
    } kinds[] = {{ASK_USER, GE_HELD_USER}, {ASK_OPERATOR, GE_HELD_OPERATOR},
        {ASK_SYSTEM, GE_HELD_SYSTEM}, {ASK_DEPENDENT, GE_HELD_DEPENDENCY}};
    struct ge_look *l = g->look;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const char *text = l->texts[kinds[i].ask];

        if (text != NULL
            && ge_read_held(jobs, kinds[i].held, text, l->lens[kinds[i].ask], err) < 0)
            return -1;
    }
    return 0;
}

/* Only whole answers take the place of those before. */
static int read_answers(
    struct ge_adapter *g, const char **ret_function, struct err *err)
{
    struct ge_look *l = g->look;
    struct ge_jobs jobs;
    struct ge_hosts hosts = {0};

    *ret_function = "workloadquery";
    if (ge_read_jobs(&jobs, l->texts[ASK_DETAIL], l->lens[ASK_DETAIL],
            l->texts[ASK_STATES], l->lens[ASK_STATES], err)
            < 0
        || read_held(g, &jobs, err) < 0) {
        ge_jobs_free(&jobs);
        return -1;
    }
    *ret_function = "clusterquery";
    if (ge_read_hosts(&hosts, l->texts[ASK_HOSTS], l->lens[ASK_HOSTS], err) < 0) {
        ge_jobs_free(&jobs);
        ge_hosts_free(&hosts);
        return -1;
    }
    ge_jobs_free(&g->jobs_answer);
    g->jobs_answer = jobs;
    ge_hosts_free(&g->hosts_answer);
    g->hosts_answer = hosts;
    return 0;
}

/* A queue that somebody has just made is defined anew at the next look. */
static void check_queues(struct ge_adapter *g)
{
    const struct ge_hosts *all = &g->hosts_answer;

    for (size_t i = 0; i < all->list.n; i++)
        for (size_t k = 0; k < all->list.v[i].instances.n; k++)
            if (ge_find_queue(&g->queues, all->list.v[i].instances.v[k].queue) == NULL)
                g->look->defined_ms = 0;
}

/* They stay as they were told, and nothing is known of them. */
static void remark_cut(struct ge_adapter *g)
{
    const struct ge_jobs *a = &g->jobs_answer;
    char text[200];

    if (a->cut.n > 0)
        snprintf(text, sizeof text,
            "%zu jobs are not seen, job %lld first: what they ask for is too long, or "
            "all of it is (qalter -ac, -hold_jid; qdel)",
            a->cut.n, (long long)a->cut.v[0]);
    agent_remark(
        g->agent, "workloadquery", a->cut.n > 0 ? text : NULL, &g->look->remarked);
}

/* A cell with many jobs has other things to do than to be looked at. */
static void pace_looks(struct ge_adapter *g)
{
    int64_t least_ms = PART * (clock_ms() - g->look->asked_ms);

    agent_pace(g->agent, least_ms < LEAST_MS  ? LEAST_MS
                         : least_ms > MOST_MS ? MOST_MS
                                              : least_ms);
}

static void finish_answers(struct ge_adapter *g)
{
    const char *function;
    struct err err;

    pace_looks(g);
    if (end_failed(g))
        return;
    if (read_answers(g, &function, &err) < 0) {
        agent_looked(g->agent, function, err.text);
        return;
    }
    free_texts(g->look);
    g->look->began_ms = g->look->asked_ms;
    check_queues(g);
    remark_cut(g);
    ge_tell_nodes(g);
    ge_tell_reservations(g);
    ge_tell_jobs(g);
    ge_review_starts(g);
    ge_tidy(g);
    ge_write_notes(g);
    agent_looked(g->agent, NULL, NULL);
}

/* Without jobs qstat -j ends with an error, and still prints what is to be read. */
static bool is_answer(int kind, const struct run_end *end)
{
    return end->status == 0
           || (kind == ASK_DETAIL && !ge_is_away(end)
               && strstr(end->out, "<unknown_jobs") != NULL);
}

static bool ask_further(struct ge_adapter *g);

static void on_answer(void *ctx, const struct run_end *end)
{
    struct question *q = ctx;
    struct ge_adapter *g = q->g;
    struct ge_look *l = g->look;

    if (!is_answer(q->kind, end))
        note_failure(l, commands[q->kind][0], end);
    free(l->texts[q->kind]);
    l->texts[q->kind] = xstrndup(end->out, end->out_len);
    l->lens[q->kind] = strlen(l->texts[q->kind]);
    free(q);
    if (--l->asked == 0 && !ask_further(g))
        finish_answers(g);
}

static struct question *question_new(struct ge_adapter *g, int kind)
{
    struct question *q = xcalloc(1, sizeof *q);

    *q = (struct question){g, kind};
    return q;
}

static const struct squeeze_kind *squeeze_of(int kind)
{
    return kind == ASK_HOSTS    ? NULL
           : kind == ASK_DETAIL ? &ge_squeeze_detail
                                : &ge_squeeze_states;
}

static void ask_kinds(struct ge_adapter *g, unsigned kinds)
{
    for (int i = ASKS; i-- > 0;) /* the last that is put first runs first */
        if (kinds & 1u << i) {
            g->look->asked++;
            run_command(g,
                &(struct run_spec){
                    .argv = commands[i], .first = true, .squeeze = squeeze_of(i)},
                on_answer, question_new(g, i));
        }
}

static void ask_all(struct ge_adapter *g)
{
    struct ge_look *l = g->look;

    l->asked = 0;
    l->asked_ms = clock_ms();
    free_texts(l);
    ask_kinds(g, ALWAYS | l->needed);
}

/* Does one of the states, "hqw", say that somebody holds it? */
static bool lists_held(const char *states)
{
    static const char tag[] = "<state>";

    for (const char *at = strstr(states, tag); at != NULL; at = strstr(at, tag)) {
        at += strlen(tag);
        if (memchr(at, 'h', strcspn(at, "<")) != NULL)
            return true;
    }
    return false;
}

/* What the answers that are there ask for beside themselves. */
static unsigned list_needs(const struct ge_look *l)
{
    const char *detail = l->texts[ASK_DETAIL];

    if (!lists_held(l->texts[ASK_STATES]))
        return 0;
    return 1u << ASK_USER | 1u << ASK_OPERATOR | 1u << ASK_SYSTEM
           | (strstr(detail, "<JB_jid_predecessor_list") != NULL
                       || strstr(detail, "<JB_ja_ad_predecessor_list") != NULL
                   ? 1u << ASK_DEPENDENT
                   : 0);
}

/* False: all that is needed is there. */
static bool ask_further(struct ge_adapter *g)
{
    struct ge_look *l = g->look;
    unsigned lacking;

    if (l->why[0] != '\0')
        return false;
    lacking = l->needed = list_needs(l);
    for (int i = 0; i < ASKS; i++)
        if (l->texts[i] != NULL)
            lacking &= ~(1u << i);
    ask_kinds(g, lacking);
    return lacking != 0;
}

/* ---- definitions ---- */

static void end_definitions(struct ge_adapter *g)
{
    struct ge_look *l = g->look;

    if (--l->asked > 0 || end_failed(g))
        return;
    vec_push(&l->pes, ((struct ge_pe){0}));
    free_pes(g->pes);
    g->pes = l->pes.v;
    l->pes.v = NULL;
    l->pes.n = l->pes.cap = 0;
    vec_push(&l->groups, ((struct ge_group){0}));
    free_groups(g->groups);
    g->groups = l->groups.v;
    l->groups.v = NULL;
    l->groups.n = l->groups.cap = 0;
    l->defined_ms = clock_ms();
    ask_all(g);
}

static void on_queues(void *ctx, const struct run_end *end)
{
    struct ge_adapter *g = ctx;

    if (end->status == 0) {
        ge_queues_free(&g->queues);
        ge_read_queues(&g->queues, end->out, end->out_len);
    } else if (ge_is_away(end)) {
        note_failure(g->look, "qconf -sq", end);
    } /* else there is no queue at all */
    end_definitions(g);
}

static void on_reservations(void *ctx, const struct run_end *end)
{
    struct ge_adapter *g = ctx;
    struct ge_reservations all;
    struct err err;

    if (end->status == 0
        && ge_read_reservations(&all, end->out, end->out_len, &err) == 0) {
        ge_reservations_free(&g->reserved);
        g->reserved = all;
    } else if (end->status == 0) {
        ge_reservations_free(&all);
    } else if (ge_is_away(end)) {
        note_failure(g->look, "qrstat -ar", end);
    } /* else one of them has just ended: the others stay as they are */
    end_definitions(g);
}

static void on_reservation_list(void *ctx, const struct run_end *end)
{
    struct ge_adapter *g = ctx;
    struct err err;
    char *ids =
        end->status == 0 ? ge_list_reservations(end->out, end->out_len, &err) : NULL;
    const char *const argv[] = {"qrstat", "-xml", "-ar", ids, NULL};

    if (ids != NULL && *ids != '\0') {
        g->look->asked++;
        ge_run(g, true, argv, on_reservations, g);
    } else if (ids != NULL) {
        ge_reservations_free(&g->reserved);
        g->reserved = (struct ge_reservations){0};
    } else if (ge_is_away(end)) {
        note_failure(g->look, "qrstat", end);
    }
    free(ids);
    end_definitions(g);
}

static void on_scheduler(void *ctx, const struct run_end *end)
{
    struct ge_adapter *g = ctx;

    if (end->status == 0)
        ge_read_interval(g->hurry, end->out);
    else if (ge_is_away(end))
        note_failure(g->look, "qconf -ssconf", end);
    end_definitions(g);
}

static void on_pe(void *ctx, const struct run_end *end)
{
    struct ge_adapter *g = ctx;
    struct arena arena = {0};
    const char *name, *rule;

    if (end->status == 0) {
        name = ge_setting(&arena, end->out, "pe_name");
        rule = ge_setting(&arena, end->out, "allocation_rule");
        if (name != NULL && rule != NULL)
            vec_push(&g->look->pes,
                ((struct ge_pe){xstrdup(name), ge_allocation_rule(rule)}));
        arena_free(&arena);
    } else if (ge_is_away(end)) {
        note_failure(g->look, "qconf -sp", end);
    }
    end_definitions(g);
}

/* A definition that is asked for by its name. */
struct named {
    struct ge_adapter *g;
    char *name; /* owned */
};

static void on_group(void *ctx, const struct run_end *end)
{
    struct named *n = ctx;
    struct ge_adapter *g = n->g;

    if (end->status == 0) {
        vec_push(&g->look->groups,
            ((struct ge_group){n->name, xstrndup(end->out, end->out_len)}));
        n->name = NULL;
    } else if (ge_is_away(end)) {
        note_failure(g->look, "qconf -shgrp_resolved", end);
    }
    free(n->name);
    free(n);
    end_definitions(g);
}

/* Asks for each of a list, a line each. */
static void ask_each(
    struct ge_adapter *g, const struct run_end *list, const char *option)
{
    bool groups = strcmp(option, "-sp") != 0;

    for (const char *p = list->status == 0 ? list->out : ""; *p;
         p += strcspn(p, "\n"), p += *p == '\n') {
        char name[256];
        const char *const argv[] = {"qconf", option, name, NULL};
        int n = (int)strcspn(p, " \t\n");
        struct named *named;

        if (n == 0 || (size_t)n >= sizeof name || (groups && *p != '@'))
            continue;
        snprintf(name, sizeof name, "%.*s", n, p);
        g->look->asked++;
        if (!groups) {
            ge_run(g, true, argv, on_pe, g);
            continue;
        }
        named = xcalloc(1, sizeof *named);
        *named = (struct named){g, xstrdup(name)};
        ge_run(g, true, argv, on_group, named);
    }
}

static void on_pe_list(void *ctx, const struct run_end *end)
{
    struct ge_adapter *g = ctx;

    if (ge_is_away(end))
        note_failure(g->look, "qconf -spl", end);
    ask_each(g, end, "-sp");
    end_definitions(g);
}

static void on_group_list(void *ctx, const struct run_end *end)
{
    struct ge_adapter *g = ctx;

    if (ge_is_away(end))
        note_failure(g->look, "qconf -shgrpl", end);
    ask_each(g, end, "-shgrp_resolved");
    end_definitions(g);
}

static void ask_definitions(struct ge_adapter *g)
{
    static const char *const queues[] = {"qconf", "-sq", "*", NULL},
                             *const pes[] = {"qconf", "-spl", NULL},
                             *const groups[] = {"qconf", "-shgrpl", NULL},
                             *const scheduler[] = {"qconf", "-ssconf", NULL},
                             *const reserved[] = {"qrstat", "-xml", "-u", "*", NULL};
    struct ge_look *l = g->look;

    for (size_t i = 0; i < l->pes.n; i++)
        free((char *)l->pes.v[i].name);
    l->pes.n = 0;
    for (size_t i = 0; i < l->groups.n; i++) {
        free((char *)l->groups.v[i].name);
        free((char *)l->groups.v[i].hosts);
    }
    l->groups.n = 0;
    l->asked = 5;
    ge_run(g, true, queues, on_queues, g);
    ge_run(g, true, pes, on_pe_list, g);
    ge_run(g, true, groups, on_group_list, g);
    ge_run(g, true, scheduler, on_scheduler, g);
    ge_run(g, true, reserved, on_reservation_list, g);
}

void ge_look(struct ge_adapter *g)
{
    struct ge_look *l = g->look;

    if (!runs_settled(g->runs)) {
        agent_looked(g->agent, "workloadquery",
            "a command of the adapter before this one is still under way");
        return;
    }
    l->why[0] = '\0';
    l->away = false;
    if (l->defined_ms == 0 || clock_ms() - l->defined_ms > DEFINITIONS_MS)
        ask_definitions(g);
    else
        ask_all(g);
}
