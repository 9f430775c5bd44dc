/* SPDX-License-Identifier: Apache-2.0
 * The rules for slurm.conf. A site's own values stay wherever they do no harm; lists
 * are merged item by item. */
#include "rm/slurm/settings.h"

#include "base/strbuf.h"

#include <stdio.h>
#include <strings.h>

struct judging {
    settings_get *get;
    void *ctx;
    struct setting_advices *advices;
};

bool settings_list_has(const char *list, const char *word)
{
    size_t n = strlen(word);

    for (const char *p = list; p != NULL && *p != '\0';) {
        size_t item = strcspn(p, ",");

        if (item >= n && strncasecmp(p, word, n) == 0 && (item == n || p[n] == '='))
            return true;
        p += item + (p[item] == ',');
    }
    return false;
}

/* Takes `instead`. */
static void advise(const struct judging *j, const char *key, enum setting_weight weight,
    char *instead, const char *why)
{
    vec_push(j->advices, ((struct setting_advice){key, weight, instead, xstrdup(why)}));
}

static const char *value_of(const struct judging *j, const char *key)
{
    const char *value = j->get(j->ctx, key);

    return value != NULL && *value != '\0' ? value : NULL;
}

static char *with_item(const char *list, const char *item)
{
    struct strbuf b = {0};

    strbuf_printf(&b, list != NULL ? "%s,%s" : "%s%s", list != NULL ? list : "", item);
    return strbuf_take(&b);
}

/* ---- plugins ---- */

static void judge_submit(const struct judging *j, const char *key)
{
    const char *value = value_of(j, key);

    if (!settings_list_has(value, "lua"))
        advise(j, key, SETTING_ERROR, with_item(value, "lua"),
            "without the gate Slurm starts jobs itself");
    else if (!settings_list_has(value, "maui"))
        advise(j, key, SETTING_NOTE, NULL,
            "squeue's column of reasons says JobHeldUser of each kept job; the plugin "
            "job_submit_maui, behind lua, has it say why the job waits");
    else if (strcasestr(value, "maui") < strcasestr(value, "lua"))
        advise(j, key, SETTING_WARNING, NULL,
            "job_submit_maui comes before the gate, and does not see what that writes: "
            "put lua first");
}

static void judge_completion(const struct judging *j, const char *key)
{
    const char *value = value_of(j, key);

    if (value == NULL || strcasecmp(value, "jobcomp/none") == 0)
        advise(j, key, SETTING_WARNING, xstrdup("jobcomp/lua"),
            "wakes the scheduler when a job ends; else it looks once a second");
    else if (strcasecmp(value, "jobcomp/lua") != 0)
        advise(j, key, SETTING_NOTE, NULL,
            "the scheduler finds the end of a job by looking, once a "
            "second "
            "(POLLINTERVAL= of RMCFG); nothing else is slower");
}

static void judge_priority(const struct judging *j, const char *key)
{
    const char *value = value_of(j, key);

    if (value == NULL || strcasecmp(value, "priority/multifactor") != 0)
        advise(j, key, SETTING_ERROR, xstrdup("priority/multifactor"),
            "with priority/basic an owner's change of the nice value starts a kept "
            "job; "
            "without weights it orders by submission, as before");
}

static void judge_scheduler(const struct judging *j, const char *key)
{
    const char *value = value_of(j, key);

    if (value != NULL && strcasecmp(value, "sched/backfill") != 0)
        advise(j, key, SETTING_WARNING, xstrdup("sched/backfill"),
            "nothing else starts heterogeneous jobs");
}

static void judge_preemption(const struct judging *j, const char *key)
{
    const char *value = value_of(j, key);

    if (value != NULL && strcasecmp(value, "preempt/none") != 0)
        advise(j, key, SETTING_WARNING, xstrdup("preempt/none"),
            "Slurm would stop jobs on its own (PREEMPTPOLICY of maui.cfg does it)");
}

/* With preempt/none slurmctld does not start unless it is off, but for GANG. */
static void judge_preempt_mode(const struct judging *j, const char *key)
{
    const char *value = value_of(j, key);

    if (value != NULL && strcasecmp(value, "OFF") != 0
        && strcasecmp(value, "GANG") != 0)
        advise(j, key, SETTING_WARNING,
            xstrdup(settings_list_has(value, "GANG") ? "GANG" : "OFF"),
            "slurmctld refuses any other with preempt/none");
}

/* ---- what the scheduler has no part in ---- */

static void judge_site_factor(const struct judging *j, const char *key)
{
    const char *value = value_of(j, key);

    if (value != NULL && strcasecmp(value, "site_factor/none") != 0)
        advise(j, key, SETTING_ERROR, NULL,
            "the scheduler's marks stand in the site factor of jobs, which this plugin "
            "writes to as well: take it away");
}

static void judge_labels(const struct judging *j, const char *key)
{
    const char *value = value_of(j, key);

    if (value != NULL && strcasecmp(value, "mcs/none") != 0)
        advise(j, key, SETTING_NOTE, NULL,
            "labels choose nodes here with mcs/user and --exclusive=mcs alone: what "
            "Slurm refuses for another is tried again, later than it would start it "
            "itself");
}

static void judge_requeue(const struct judging *j, const char *key)
{
    const char *value = value_of(j, key);

    if (value != NULL && strcmp(value, "0") == 0)
        advise(j, key, SETTING_NOTE, NULL,
            "a job that is preempted is ended, unless it was submitted with --requeue");
}

static void judge_overtime(const struct judging *j, const char *key)
{
    const char *value = value_of(j, key);

    if (value != NULL && strcasecmp(value, "UNLIMITED") == 0)
        advise(j, key, SETTING_NOTE, NULL,
            "no job ends at its limit, so of one that has used it up no end is known");
}

/* ---- numbers ---- */

static void judge_age(const struct judging *j, const char *key)
{
    const char *value = value_of(j, key);
    unsigned long age = value != NULL ? strtoul(value, NULL, 10) : 300;

    if (age > 0 && age < 60)
        advise(j, key, SETTING_WARNING, xstrdup("300"),
            "a job that Slurm forgets sooner may end unseen");
}

static void judge_epilog(const struct judging *j, const char *key)
{
    if (value_of(j, key) == NULL)
        advise(j, key, SETTING_WARNING, xstrdup("/bin/true"),
            "after an epilog, whatever it does, Slurm looks at once for what to start "
            "on "
            "the node, else up to a second later");
}

/* ---- SchedulerParameters ---- */

enum bound { EXACTLY, AT_LEAST, AT_MOST, ABSENT };

static const struct parameter {
    const char *name;
    enum bound bound;
    long wanted, limit; /* what is written; what does as well */
    const char *why;
} parameters[] = {
    {"batch_sched_delay", EXACTLY, 0, 0, "else a start waits for 3 s"},
    {"sched_min_interval", EXACTLY, 0, 0, "else starts wait for each other"},
    {"default_queue_depth", AT_LEAST, 10000, 1000,
        "else only the first 100 starts are looked at in a pass"},
    {"bf_interval", AT_MOST, 1, 5, "else a heterogeneous job's start takes 30 s"},
    {"assoc_limit_stop", ABSENT, 0, 0,
        "a start that a limit of Slurm's puts off would stop those behind it, and "
        "slurmctld of 22.05 crashes by it where there is no slurmdbd"},
};
#define NPARAMETERS (sizeof parameters / sizeof parameters[0])

static bool does(const struct parameter *p, const char *value)
{
    long n = strtol(value, NULL, 10);

    switch (p->bound) {
    case AT_LEAST:
        return n >= p->limit;
    case AT_MOST:
        return n > 0 && n <= p->limit;
    case ABSENT:
        return false;
    case EXACTLY:
        break;
    }
    return n == p->wanted && *value != '\0';
}

static const struct parameter *find_parameter(const char *item, size_t n)
{
    for (size_t i = 0; i < NPARAMETERS; i++) {
        size_t k = strlen(parameters[i].name);

        if (n >= k && strncasecmp(item, parameters[i].name, k) == 0
            && (n > k ? item[k] == '=' : parameters[i].bound == ABSENT))
            return &parameters[i];
    }
    return NULL;
}

static void add_reason(struct strbuf *why, const struct parameter *p)
{
    strbuf_add(why, why->len > 0 ? "; " : "");
    if (p->bound == ABSENT)
        strbuf_printf(why, "without %s: %s", p->name, p->why);
    else
        strbuf_printf(why, "%s=%ld: %s", p->name, p->wanted, p->why);
}

/* An item as it is to be. */
static void add_item(struct strbuf *to, const char *item, size_t n, struct strbuf *why)
{
    const struct parameter *p = find_parameter(item, n);
    size_t name = strcspn(item, "=,");
    char *value = name < n ? xstrndup(item + name + 1, n - name - 1) : NULL;

    if (p == NULL || does(p, value != NULL ? value : "")) {
        strbuf_add(to, to->len > 0 ? "," : "");
        strbuf_add_n(to, item, n);
    } else {
        if (p->bound != ABSENT)
            strbuf_printf(to, "%s%s=%ld", to->len > 0 ? "," : "", p->name, p->wanted);
        add_reason(why, p);
    }
    free(value);
}

static void judge_parameters(const struct judging *j, const char *key)
{
    const char *value = value_of(j, key);
    struct strbuf merged = {0}, why = {0};

    for (const char *p = value; p != NULL && *p != '\0';) {
        size_t n = strcspn(p, ",");

        if (n > 0)
            add_item(&merged, p, n, &why);
        p += n + (p[n] == ',');
    }
    for (size_t i = 0; i < NPARAMETERS; i++) {
        if (parameters[i].bound == ABSENT
            || settings_list_has(value, parameters[i].name))
            continue;
        strbuf_printf(&merged, "%s%s=%ld", merged.len > 0 ? "," : "",
            parameters[i].name, parameters[i].wanted);
        add_reason(&why, &parameters[i]);
    }
    if (why.len > 0)
        advise(j, key, SETTING_WARNING, strbuf_take(&merged), why.text);
    free(merged.text);
    free(why.text);
}

/* Items that stop Slurm's own loop, without which no start is carried out. */
static void judge_loop(const struct judging *j, const char *key)
{
    const char *value = value_of(j, key);

    if (value != NULL && strstr(value, "sched_interval=-1") != NULL)
        advise(j, key, SETTING_ERROR, NULL,
            "sched_interval=-1 turns off the loop that carries starts out: take it "
            "away");
    if (settings_list_has(value, "max_rpc_cnt"))
        advise(j, key, SETTING_NOTE, NULL,
            "max_rpc_cnt: while that many requests are open Slurm puts starts off");
}

/* ---- all ---- */

static const struct {
    const char *key;
    void (*judge)(const struct judging *j, const char *key);
    bool restart; /* of slurmctld, for a change of it */
} rules[] = {
    {"JobSubmitPlugins", judge_submit, true},
    {"JobCompType", judge_completion, true},
    {"PriorityType", judge_priority, true},
    {"SchedulerType", judge_scheduler, true},
    {"SchedulerParameters", judge_parameters, false},
    {"SchedulerParameters", judge_loop, false},
    {"PreemptType", judge_preemption, true},
    {"PreemptMode", judge_preempt_mode, true},
    {"MinJobAge", judge_age, false},
    {"Epilog", judge_epilog, false},
    {"PrioritySiteFactorPlugin", judge_site_factor, true},
    {"MCSPlugin", judge_labels, true},
    {"JobRequeue", judge_requeue, false},
    {"OverTimeLimit", judge_overtime, false},
};
#define NRULES (sizeof rules / sizeof rules[0])

void settings_judge(settings_get *get, void *ctx, struct setting_advices *ret)
{
    struct judging j = {get, ctx, ret};

    for (size_t i = 0; i < NRULES; i++)
        rules[i].judge(&j, rules[i].key);
}

void settings_free(struct setting_advices *a)
{
    for (size_t i = 0; i < a->n; i++) {
        free(a->v[i].instead);
        free(a->v[i].why);
    }
    vec_fini(a);
}

bool settings_has_rule(const char *key)
{
    for (size_t i = 0; i < NRULES; i++)
        if (strcasecmp(rules[i].key, key) == 0)
            return true;
    return false;
}

bool settings_need_restart(const char *key)
{
    for (size_t i = 0; i < NRULES; i++)
        if (strcmp(rules[i].key, key) == 0)
            return rules[i].restart;
    return false;
}
