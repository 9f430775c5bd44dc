/* SPDX-License-Identifier: Apache-2.0
 * What slurm.conf must say for the scheduler to be the one that starts jobs. Each
 * setting that is wrong or missing is named, with what to write. */
#include "rm/remote.h"
#include "rm/slurm/adapter.h"

#include <stdio.h>
#include <unistd.h>

struct finding {
    bool fatal; /* jobs would start past the scheduler, or not at all */
    char text[300];
};

struct findings VEC(struct finding);

static void add(struct findings *f, bool fatal, const char *fmt, const char *value)
{
    struct finding *one;

    vec_push(f, ((struct finding){.fatal = fatal}));
    one = &f->v[f->n - 1];
    /* the formats are those below */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(one->text, sizeof one->text, fmt, value ? value : "(null)");
#pragma GCC diagnostic pop
}

/* Is the word in a list as "a,b=1"? */
static bool lists(const char *list, const char *word)
{
    size_t n = strlen(word);

    for (const char *p = list; p != NULL && (p = strstr(p, word)) != NULL; p += n)
        if ((p == list || p[-1] == ',') && (p[n] == '\0' || p[n] == ',' || p[n] == '='))
            return true;
    return false;
}

static void look(const slurm_conf_t *c, struct findings *f)
{
    if (!lists(c->job_submit_plugins, "lua"))
        add(f, true,
            "slurm.conf: JobSubmitPlugins=%s lacks lua: Slurm starts jobs itself; "
            "write JobSubmitPlugins=lua and install what `maui slurm gate` prints",
            c->job_submit_plugins);
    if (strcmp(c->priority_type, "priority/multifactor") != 0)
        add(f, true,
            "slurm.conf: PriorityType=%s lets a change of a job's nice value start it; "
            "write PriorityType=priority/multifactor",
            c->priority_type);
    if (geteuid() != 0 && geteuid() != c->slurm_user_id)
        add(f, true,
            "the scheduler runs as another user than SlurmUser=%s and root, and may "
            "not order anything; run it as one of them",
            c->slurm_user_name);
    if (!lists(c->sched_params, "batch_sched_delay=0")
        && (c->sched_params == NULL
            || strstr(c->sched_params, "batch_sched_delay=0") == NULL))
        add(f, false,
            "slurm.conf: SchedulerParameters=%s lacks batch_sched_delay=0: starts take "
            "seconds; write it",
            c->sched_params);
    if (c->sched_params == NULL
        || strstr(c->sched_params, "sched_min_interval=") == NULL)
        add(f, false,
            "slurm.conf: SchedulerParameters=%s lacks sched_min_interval=0: starts "
            "wait "
            "for each other; write it",
            c->sched_params);
    if (c->sched_params == NULL
        || strstr(c->sched_params, "default_queue_depth=") == NULL)
        add(f, false,
            "slurm.conf: SchedulerParameters=%s lacks default_queue_depth=10000: at "
            "most 100 starts are looked at in a pass; write it",
            c->sched_params);
    if (c->epilog == NULL)
        add(f, false,
            "slurm.conf: without Epilog%.0s Slurm looks for the next start up to a "
            "second after a job's end; write Epilog=/bin/true",
            "");
    if (c->min_job_age < 60)
        add(f, false,
            "slurm.conf: MinJobAge below 60%.0s: ends of jobs may be missed; write "
            "MinJobAge=300",
            "");
    if (c->preempt_type != NULL && strcmp(c->preempt_type, "preempt/none") != 0)
        add(f, false,
            "slurm.conf: PreemptType=%s: Slurm preempts jobs on its own; write "
            "PreemptType=preempt/none",
            c->preempt_type);
}

static void take_facts(struct slurm_facts *facts, const slurm_conf_t *c)
{
    facts->memory = c->select_type_param & CR_MEMORY;
    facts->whole_node = strcmp(c->select_type, "select/linear") == 0;
    facts->message_timeout_s = c->msg_timeout;
    facts->max_array = c->max_array_sz;
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
    take_facts(&a->facts, c);
    adapter_find_munge(a, c->authinfo);
    adapter_prepare(a->home, c->slurm_user_id);
    look(c, &f);
    for (size_t i = 0; i < f.n; i++)
        adapter_health(a, "settings", f.v[i].text);
    vec_fini(&f);
    slurm_free_ctl_conf(c);
    a->checked = true;
    return 0;
}

int check_main(void)
{
    slurm_conf_t *c = NULL;
    struct findings f = {0};
    bool fatal = false;

    slurm_init(NULL);
    if (slurm_load_ctl_conf(0, &c) != SLURM_SUCCESS) {
        fprintf(stderr, "maui slurm check: Slurm's controller does not answer: %s\n",
            slurm_strerror(errno));
        return 1;
    }
    look(c, &f);
    for (size_t i = 0; i < f.n; i++) {
        printf("%s: %s\n", f.v[i].fatal ? "error" : "warning", f.v[i].text);
        fatal |= f.v[i].fatal;
    }
    if (f.n == 0)
        printf("Slurm %s is ready: nothing to change\n", c->version);
    vec_fini(&f);
    slurm_free_ctl_conf(c);
    return fatal ? 1 : 0;
}
