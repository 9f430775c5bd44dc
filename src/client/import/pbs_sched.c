/* SPDX-License-Identifier: Apache-2.0
 * maui import pbs: sched_config and resource_group of the scheduler that PBS has.
 *
 * "NAME: VALUE [all|prime|non_prime]". What is said of prime time and of the rest of
 * the week alike counts, the rest of it is told. */
#include "base/xalloc.h"
#include "client/import/pbs.h"
#include "config/value.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define FIRST_KEY 1000000 /* weight of a unit: above all minutes of waiting */

struct row {
    struct pbs_attr attr;
    bool part; /* of the week */
};
struct rows VEC(struct row);

static void put(struct pbs *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void put(struct pbs *p, const char *fmt, ...)
{
    char text[300];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    strbuf_add(&p->head, text);
}

static void leave_attribute(struct pbs *p, const struct pbs_attr *a, const char *why)
{
    import_left(p->im, a->at, "%s: %s%s%s", a->name, a->value, *why ? ": " : "", why);
}

static bool is_on(const struct pbs_attr *a)
{
    bool on;

    return value_bool(a->value, &on, NULL) == 0 && on;
}

/* ---- each of its own ---- */

static void take_by_queue(struct pbs *p, const struct pbs_attr *a)
{
    p->policy.by_queue = is_on(a);
}

/* Then jobs behind the first ones are started whatever they delay. */
static void take_order(struct pbs *p, const struct pbs_attr *a)
{
    (void)a;
    if (!is_on(a) && (p->head.len == 0 || strstr(p->head.text, "THRESHOLD") == NULL))
        put(p, "RESERVATIONPOLICY NEVER\n");
}

static void take_starving(struct pbs *p, const struct pbs_attr *a)
{
    int64_t s;

    if (value_time(a->value, false, &s, NULL) == 0)
        put(p,
            "RESERVATIONTHRESHOLDTYPE QUEUETIME\n"
            "RESERVATIONTHRESHOLDVALUE %" PRId64 "\n",
            s);
    else
        leave_attribute(p, a, "expected a time");
}

static void take_preempts(struct pbs *p, const struct pbs_attr *a)
{
    p->policy.preempts = is_on(a);
}

static void take_express(struct pbs *p, const struct pbs_attr *a)
{
    if (value_int(a->value, -1024, 1023, &p->policy.express_from, NULL) < 0)
        leave_attribute(p, a, "expected a priority");
}

static void take_preempt_order(struct pbs *p, const struct pbs_attr *a)
{
    const char *at = strpbrk(a->value, "SRsr");

    p->policy.order = at != NULL ? (char)toupper((unsigned char)*at) : 'R';
    if (strpbrk(a->value, "CDcd0123456789") != NULL)
        leave_attribute(p, a, "one way for all: PREEMPTPOLICY");
}

static void take_preempt_prio(struct pbs *p, const struct pbs_attr *a)
{
    char plain[80];
    size_t n = 0;

    for (const char *c = a->value; *c && n + 1 < sizeof plain; c++)
        if (!isspace((unsigned char)*c))
            plain[n++] = *c;
    plain[n] = '\0';
    if (strcmp(plain, "express_queue,normal_jobs") != 0)
        leave_attribute(
            p, a, "QOSCFG QFLAGS=PREEMPTOR, PREEMPTEE and PREEMPTSPV are like it");
}

/* "ncpus HIGH": the word in front and whether the most comes first. */
static bool cut_key(const struct pbs_attr *a, char *ret_name, bool *ret_high)
{
    char order[20] = "";

    if (sscanf(a->value, " %59s %19s", ret_name, order) != 2)
        return false;
    *ret_high = strcasecmp(order, "HIGH") == 0;
    return *ret_high || strcasecmp(order, "LOW") == 0;
}

static void take_job_key(struct pbs *p, const struct pbs_attr *a)
{
    static const char *const weights[][2] = {{"ncpus", "PROCWEIGHT"},
        {"mem", "MEMWEIGHT"}, {"walltime", "WALLTIMEWEIGHT"}, {"nodect", "NODEWEIGHT"}};
    char name[60];
    bool high, taken = p->policy.job_key;

    for (size_t i = 0;
         !taken && cut_key(a, name, &high) && i < sizeof weights / sizeof weights[0];
         i++)
        if (strcasecmp(weights[i][0], name) == 0) {
            put(p, "%s %d\n", weights[i][1], high ? FIRST_KEY : -FIRST_KEY);
            p->policy.job_key = true;
            return;
        }
    leave_attribute(
        p, a, "the weights of priority (QUEUETIMEWEIGHT, PROCWEIGHT ...) are like it");
}

static void take_node_key(struct pbs *p, const struct pbs_attr *a)
{
    bool high, unused = strstr(a->value, "unused") != NULL;
    const char *term = NULL;
    char name[60] = "";

    if (p->head.len > 0 && strstr(p->head.text, "NODEALLOCATIONPOLICY") != NULL) {
        leave_attribute(p, a, "one key is taken");
        return;
    }
    if (cut_key(a, name, &high)) {
        p->policy.node_priority = strcasecmp(name, "sort_priority") == 0;
        term = p->policy.node_priority          ? "PRIORITY"
               : strcasecmp(name, "ncpus") == 0 ? unused ? "APROCS" : "CPROCS"
               : strcasecmp(name, "mem") == 0   ? unused ? "AMEM" : "CMEM"
                                                : NULL;
    }
    if (term == NULL || strstr(a->value, "assigned") != NULL) {
        leave_attribute(p, a, "NODECFG PRIORITYF is like it");
        return;
    }
    put(p, "NODEALLOCATIONPOLICY PRIORITY\n");
    strbuf_printf(pbs_section(p, "NODECFG[DEFAULT]"), " PRIORITYF='%s%s'",
        high ? "" : "-1*", term);
}

static void take_fairshare(struct pbs *p, const struct pbs_attr *a)
{
    if (is_on(a) && (p->head.len == 0 || strstr(p->head.text, "FSPOLICY") == NULL))
        put(p, "FSPOLICY DEDICATEDPS\n");
}

static void take_usage(struct pbs *p, const struct pbs_attr *a)
{
    if (strcmp(a->value, "cput") == 0)
        put(p, "FSPOLICY UTILIZEDPS\n");
    else if (strcmp(a->value, "ncpus*walltime") != 0)
        leave_attribute(p, a, "processor seconds are counted");
}

static void take_decay_time(struct pbs *p, const struct pbs_attr *a)
{
    if (value_time(a->value, false, &(int64_t){0}, NULL) == 0)
        put(p, "FSDEPTH 8\nFSINTERVAL %s\n", a->value);
    else
        leave_attribute(p, a, "expected a time");
}

static void take_decay_factor(struct pbs *p, const struct pbs_attr *a)
{
    double n;

    if (value_number(a->value, 0, 1, &n, NULL) == 0)
        put(p, "FSDECAY %.6g\n", n);
    else
        leave_attribute(p, a, "expected a factor up to 1");
}

static void take_entity(struct pbs *p, const struct pbs_attr *a)
{
    static const char *const names[][2] = {{"euser", "USER"}, {"egroup", "GROUP"},
        {"Account_Name", "ACCOUNT"}, {"queue", "CLASS"}};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcasecmp(names[i][0], a->value) == 0) {
            p->policy.entity = names[i][1];
            return;
        }
    leave_attribute(p, a, "fairshare is by user, group, account or queue");
}

static void take_starve_switch(struct pbs *p, const struct pbs_attr *a)
{
    (void)p;
    (void)a; /* max_starve is read with it */
}

/* What says nothing where it has this value. */
static void leave_unless(struct pbs *p, const struct pbs_attr *a, const char *usual)
{
    if (strcasecmp(a->value, usual) != 0)
        leave_attribute(p, a, "");
}

static void leave_if_on(struct pbs *p, const struct pbs_attr *a)
{
    if (is_on(a))
        leave_attribute(p, a, "");
}

static void take_spread(struct pbs *p, const struct pbs_attr *a)
{
    leave_unless(p, a, "pack");
}

static void leave_load(struct pbs *p, const struct pbs_attr *a)
{
    if (is_on(a))
        leave_attribute(
            p, a, "NODEALLOCATIONPOLICY CPULOAD and NODEMAXLOAD are like it");
}

static void leave_round(struct pbs *p, const struct pbs_attr *a)
{
    if (is_on(a))
        leave_attribute(
            p, a, "queues in turn: limits and fairshare of classes are like it");
}

static void leave_always(struct pbs *p, const struct pbs_attr *a)
{
    leave_attribute(p, a, "");
}

/* In the order in which they are looked at; `later`: only together with others. */
static const struct keyword {
    const char *name;
    void (*take)(struct pbs *p, const struct pbs_attr *a); /* NULL: says nothing */
    const char *with;                                      /* where that is on */
} keywords[] = {
    {"by_queue", take_by_queue, NULL},
    {"max_starve", take_starving, "help_starving_jobs"},
    {"help_starving_jobs", take_starve_switch, NULL},
    {"strict_ordering", take_order, NULL},
    {"strict_fifo", take_order, NULL},
    {"preemptive_sched", take_preempts, NULL},
    {"preempt_queue_prio", take_express, "preemptive_sched"},
    {"preempt_order", take_preempt_order, "preemptive_sched"},
    {"preempt_prio", take_preempt_prio, "preemptive_sched"},
    {"preempt_sort", NULL, NULL},
    {"job_sort_key", take_job_key, NULL},
    {"sort_by", leave_always, NULL},
    {"node_sort_key", take_node_key, NULL},
    {"fairshare_usage_res", take_usage, "fair_share"},
    {"fair_share", take_fairshare, NULL},
    {"fairshare_decay_time", take_decay_time, "fair_share"},
    {"half_life", take_decay_time, "fair_share"},
    {"fairshare_decay_factor", take_decay_factor, "fair_share"},
    {"fairshare_entity", take_entity, "fair_share"},
    {"unknown_shares", leave_always, "fair_share"},
    {"round_robin", leave_round, NULL},
    {"load_balancing", leave_load, NULL},
    {"load_balancing_rr", leave_load, NULL},
    {"smp_cluster_dist", take_spread, NULL},
    {"backfill", NULL, NULL},
    {"backfill_prime", leave_if_on, NULL},
    {"resources", NULL, NULL},
    {"primetime_prefix", NULL, NULL},
    {"nonprimetime_prefix", NULL, NULL},
    {"dedicated_prefix", NULL, NULL},
    {"sort_queues", NULL, NULL},
    {"log_filter", NULL, NULL},
    {"sync_time", NULL, NULL},
    {"cpus_per_ssinode", NULL, NULL},
    {"mem_per_ssinode", NULL, NULL},
    {"provision_policy", NULL, NULL},
    {"allow_aoe_calendar", NULL, NULL},
    {"sched_host", NULL, NULL},
    {"sched_port", NULL, NULL},
    {"sched_priv", NULL, NULL},
    {"sched_log", NULL, NULL},
    {"pbs_version", NULL, NULL},
    {"scheduling", NULL, NULL},
    {"scheduler_iteration", NULL, NULL},
    {"state", NULL, NULL},
    {"log_events", NULL, NULL},
    {"throughput_mode", NULL, NULL},
    {"sched_cycle_length", NULL, NULL},
    {"sched_preempt_enforce_resumption", NULL, NULL},
    {"do_not_span_psets", leave_if_on, NULL},
    {"only_explicit_psets", leave_if_on, NULL},
    {"job_sort_formula_threshold", leave_always, NULL},
};
#define KEYWORDS (sizeof keywords / sizeof keywords[0])

/* ---- the file ---- */

static void add_row(struct rows *rows, struct row new)
{
    for (size_t i = 0; i < rows->n; i++)
        if (rows->v[i].part && new.part
            && strcasecmp(rows->v[i].attr.name, new.attr.name) == 0
            && strcmp(rows->v[i].attr.value, new.attr.value) == 0) {
            rows->v[i].part = false; /* of the whole week then */
            return;
        }
    vec_push(rows, new);
}

/* Without the word of the week behind it. */
static bool cut_week(char *value)
{
    static const char *const words[] = {"all", "prime", "non_prime"};
    char *last = strpbrk(value, "\"") ? strrchr(value, '"') : value;

    last += strcspn(last, " \t");
    char *word = last + strspn(last, " \t");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasecmp(word, words[i]) == 0) {
            *last = '\0';
            return i > 0;
        }
    return false;
}

static void read_rows(struct pbs *p, struct rows *rows, const char *file, char *text)
{
    struct import_place at = {.file = file};
    char *line;

    while ((line = pbs_next_line(&text)) != NULL) {
        at.line++;
        char *name = pbs_trim(line), *colon = strchr(name, ':');

        if (*name == '\0' || *name == '#' || *name == '*')
            continue;
        if (colon == NULL) {
            import_left(p->im, at, "'%.80s': expected NAME: VALUE", name);
            continue;
        }
        *colon = '\0';
        char *value = pbs_trim(colon + 1);
        bool part = cut_week(value);
        add_row(rows, (struct row){{pbs_trim(name), pbs_trim(value), at}, part});
    }
}

static bool is_on_in(const struct rows *rows, const char *name)
{
    for (size_t i = 0; i < rows->n; i++)
        if (strcasecmp(rows->v[i].attr.name, name) == 0)
            return is_on(&rows->v[i].attr);
    return false;
}

static bool is_keyword(const char *name)
{
    for (size_t k = 0; k < KEYWORDS; k++)
        if (strcasecmp(keywords[k].name, name) == 0)
            return true;
    return false;
}

void pbs_sched(struct pbs *p, const char *file, char *text)
{
    struct rows rows = {0};

    read_rows(p, &rows, file, text);
    for (size_t k = 0; k < KEYWORDS; k++)
        for (size_t i = 0; i < rows.n; i++) {
            const struct row *r = &rows.v[i];

            if (strcasecmp(keywords[k].name, r->attr.name) != 0
                || (keywords[k].with != NULL && !is_on_in(&rows, keywords[k].with))
                || keywords[k].take == NULL)
                continue;
            if (r->part)
                leave_attribute(p, &r->attr, "of a part of the week");
            else
                keywords[k].take(p, &r->attr);
        }
    for (size_t i = 0; i < rows.n; i++)
        if (!is_keyword(rows.v[i].attr.name))
            leave_attribute(p, &rows.v[i].attr, "");
    if (is_on_in(&rows, "fair_share"))
        put(p, "FS%sWEIGHT 100000\n", p->policy.entity);
    vec_fini(&rows);
}

void pbs_sched_attr(struct pbs *p, const struct pbs_attr *a)
{
    for (size_t k = 0; k < KEYWORDS; k++)
        if (strcasecmp(keywords[k].name, a->name) == 0) {
            if (keywords[k].take != NULL)
                keywords[k].take(p, a);
            return;
        }
    leave_attribute(p, a, "");
}

/* ---- shares ---- */

struct share {
    const char *name, *parent;
    double shares;
};
struct shares VEC(struct share);

static const struct share *find_share(const struct shares *all, const char *name)
{
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->v[i].name, name) == 0)
            return &all->v[i];
    return NULL;
}

static bool is_leaf(const struct shares *all, const struct share *s)
{
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->v[i].parent, s->name) == 0)
            return false;
    return true;
}

/* Of the whole, down the tree: a circle ends after as many steps as there are lines. */
static double part_of(const struct shares *all, const struct share *s)
{
    double part = 1;

    for (size_t steps = 0; s != NULL && steps < all->n; steps++) {
        double sum = 0;

        for (size_t i = 0; i < all->n; i++)
            if (strcmp(all->v[i].parent, s->parent) == 0)
                sum += all->v[i].shares;
        part *= sum > 0 ? s->shares / sum : 0;
        s = find_share(all, s->parent);
    }
    return part;
}

void pbs_shares(struct pbs *p, const char *file, char *text)
{
    struct import_place at = {.file = file};
    struct shares all = {0};
    char *line, *rest;

    while ((line = pbs_next_line(&text)) != NULL) {
        at.line++;
        line[strcspn(line, "#")] = '\0';
        const char *name = strtok_r(line, " \t", &rest);
        const char *number = name ? strtok_r(NULL, " \t", &rest) : NULL;
        const char *parent = number ? strtok_r(NULL, " \t", &rest) : NULL;
        const char *shares = parent ? strtok_r(NULL, " \t", &rest) : NULL;
        double n;

        if (name == NULL)
            continue;
        if (shares == NULL || value_number(shares, 0, UINT32_MAX, &n, NULL) < 0)
            import_left(p->im, at, "%s: expected NAME NUMBER PARENT SHARES", name);
        else
            vec_push(&all, ((struct share){name, parent, n}));
    }
    for (size_t i = 0; i < all.n; i++)
        if (is_leaf(&all, &all.v[i]))
            strbuf_printf(pbs_section(p, "%sCFG[%s]", p->policy.entity, all.v[i].name),
                " FSTARGET=%.2f", part_of(&all, &all.v[i]) * 100);
    vec_fini(&all);
}
