/* SPDX-License-Identifier: Apache-2.0
 * What slurm.conf must say for the scheduler to be the one that starts jobs. Each
 * setting that is wrong or missing is named, with what to write. */
#include "rm/slurm/check.h"

#include "rm/remote.h"
#include "rm/slurm/adapter.h"
#include "rm/slurm/marking.h"

#include <stdarg.h>
#include <stdio.h>
#include <strings.h>
#include <unistd.h>

void findings_add(struct findings *f, enum setting_weight weight, const char *fmt, ...)
{
    char text[1000];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    vec_push(f, ((struct finding){weight, xstrdup(text)}));
}

void findings_free(struct findings *f)
{
    for (size_t i = 0; i < f->n; i++)
        free(f->v[i].text);
    vec_fini(f);
}

/* The mode of preemption is asked for where there is preemption: any but OFF would
 * then have to go with it. */
const char *check_setting(void *ctx, const char *key)
{
    const slurm_conf_t *c = ctx;
    const bool preempts =
        c->preempt_type != NULL && strcmp(c->preempt_type, "preempt/none") != 0;
    static _Thread_local char age[20];
    const struct {
        const char *key, *value;
    } values[] = {{"JobSubmitPlugins", c->job_submit_plugins},
        {"JobCompType", c->job_comp_type}, {"PriorityType", c->priority_type},
        {"SchedulerType", c->schedtype}, {"SchedulerParameters", c->sched_params},
        {"PreemptType", c->preempt_type}, {"PreemptMode", preempts ? "unknown" : NULL},
        {"MinJobAge", age}, {"Epilog", slurm_conf_epilog(c)},
        {"PrioritySiteFactorPlugin", c->site_factor_plugin},
        {"MCSPlugin", c->mcs_plugin}, {"JobRequeue", c->job_requeue ? NULL : "0"},
        {"OverTimeLimit", c->over_time_limit == INFINITE16 ? "UNLIMITED" : NULL}};

    snprintf(age, sizeof age, "%u", c->min_job_age);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (strcmp(values[i].key, key) == 0)
            return values[i].value;
    return NULL;
}

void check_add(
    const slurm_conf_t *c, const struct setting_advice *a, struct findings *f)
{
    const char *value = check_setting((void *)c, a->key);
    bool is_known = value != NULL && strcmp(value, "unknown") != 0;

    findings_add(f, a->weight, "slurm.conf: %s=%s: %s%s%s%s%s", a->key,
        is_known ? value : "", a->why, a->instead ? "; write " : "",
        a->instead ? a->key : "", a->instead ? "=" : "", a->instead ? a->instead : "");
}

/* By the settings that slurmctld runs with. */
static void check_slurm_conf(slurm_conf_t *c, struct findings *f)
{
    struct setting_advices advices = {0};

    settings_judge(check_setting, c, &advices);
    for (size_t i = 0; i < advices.n; i++)
        check_add(c, &advices.v[i], f);
    settings_free(&advices);
}

bool check_is_privileged(const slurm_conf_t *c)
{
    return geteuid() == 0 || geteuid() == c->slurm_user_id;
}

/* Of the scheduler itself. */
static void check_user(const slurm_conf_t *c, struct findings *f)
{
    if (!check_is_privileged(c))
        findings_add(f, SETTING_ERROR,
            "the scheduler runs as another user than SlurmUser=%s and root, and may "
            "not "
            "order anything; run it as one of them",
            c->slurm_user_name);
}

static void take_facts(struct slurm_facts *facts, const slurm_conf_t *c)
{
    facts->memory = c->select_type_param & CR_MEMORY;
    facts->whole_node = strcmp(c->select_type, "select/linear") == 0;
    facts->user_labels =
        c->mcs_plugin != NULL && strcasecmp(c->mcs_plugin, "mcs/user") == 0;
    facts->message_timeout_s = c->msg_timeout;
    facts->max_array = c->max_array_sz;
    facts->over_s =
        c->over_time_limit == NO_VAL16 ? 0 : overtime_of(c->over_time_limit);
}

int check_settings(struct adapter *a)
{
    slurm_conf_t *c = NULL;
    struct findings f = {0};

    if (slurm_load_ctl_conf(0, &c) != SLURM_SUCCESS) {
        if (errno == SLURM_PROTOCOL_VERSION_ERROR) {
            fprintf(stderr, "Slurm's controller is of another release than the library "
                            "this was built with\n");
            exit(REMOTE_CANNOT);
        }
        a->connected = true; /* so that it is told */
        adapter_lost(a, "settings");
        return -1;
    }
    if (a->doubt != NULL)
        adapter_health(a, "release", a->doubt = NULL);
    take_facts(&a->facts, c);
    adapter_find_munge(a, c->authinfo);
    if (a->gate_home != NULL)
        adapter_prepare(a->gate_home, c->slurm_user_id);
    adapter_open_events(a, c->slurm_user_id);
    if (a->marking != NULL && marking_make(a->marking, c->slurm_user_id) < 0)
        adapter_health(a, "marks", strerror(errno));
    check_slurm_conf(c, &f);
    check_user(c, &f);
    adapter_health(a, "settings", NULL);
    for (size_t i = 0; i < f.n; i++)
        if (f.v[i].weight != SETTING_NOTE)
            adapter_health(a, "settings", f.v[i].text);
    findings_free(&f);
    slurm_free_ctl_conf(c);
    a->checked = true;
    return 0;
}
