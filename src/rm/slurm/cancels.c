/* SPDX-License-Identifier: Apache-2.0
 * Jobs are cancelled. Tasks of one array that wait, and whose cancels come together, by
 * one request: each costs slurmctld as much as that of all of them. */
#include "base/xalloc.h"
#include "rm/slurm/looks.h"

#include <signal.h>

/* Behind the answer, as its nodes pass for free until it is told again: another job
 * would be started on them. */
static void tell_at_once(struct adapter *a, const char *id)
{
    answers_again(a, id);
    if (a->connected)
        (void)looks_job(a, id); /* else the look at all tells it */
}

/* That some are over is the end that was wanted: Slurm goes on with the others. */
static int kill_jobs(const char *ids, uint16_t sig)
{
    int result = slurm_kill_job2(ids, sig, 0, NULL);

    return errno == ESLURM_ALREADY_DONE || errno == ESLURM_INVALID_JOB_ID
               ? SLURM_SUCCESS
               : result;
}

bool cancels_signal(struct adapter *a, const struct rm_command *c, uint16_t sig)
{
    int result = kill_jobs(c->job, sig);

    answers_tell(a, c, result == SLURM_SUCCESS ? 0 : -1);
    if (result != SLURM_SUCCESS && c->action == RM_CANCEL)
        tell_at_once(a, c->job);
    return result == SLURM_SUCCESS;
}

/* The array of "12_5", up to behind the '_'; 0 = it is no task that can be named by
 * that. */
static size_t array_of(const struct adapter *a, const char *id)
{
    const struct told_job *t = jobs_find((struct adapter *)a, id);
    const char *bar = strchr(id, '_');

    return t != NULL && t->waiting && t->nparts == 1 && bar != NULL
                   && bar[1 + strspn(bar + 1, "0123456789")] == '\0'
               ? (size_t)(bar + 1 - id)
               : 0;
}

static void answer_from(
    struct adapter *a, size_t i, enum rm_outcome outcome, const char *text)
{
    for (; i < a->cancels.n; i++)
        adapter_done(a, a->cancels.v[i].token, outcome, a->cancels.v[i].id, text);
}

/* Who does not answer the one would cost the others as long. */
static void cancel_each(struct adapter *a)
{
    size_t i = 0;

    for (; i < a->cancels.n && (i == 0 || a->connected); i++)
        cancels_signal(a,
            &(struct rm_command){.action = RM_CANCEL,
                .token = a->cancels.v[i].token,
                .job = a->cancels.v[i].id},
            SIGKILL);
    answer_from(a, i, RM_LOST, "Slurm's controller does not answer");
}

/* "12_[1-5,8]", of tasks in whatever order they were ordered; owned. */
static char *name_tasks(const struct adapter *a)
{
    size_t n = strcspn(a->cancels.v[0].id, "_") + 1, last;
    struct strbuf ids = {0};

    strbuf_add_n(&ids, a->cancels.v[0].id, n);
    for (size_t i = 0; i < a->cancels.n; i = last + 1) {
        unsigned long first = strtoul(a->cancels.v[i].id + n, NULL, 10);

        for (last = i; last + 1 < a->cancels.n
                       && strtoul(a->cancels.v[last + 1].id + n, NULL, 10)
                              == first + (last + 1 - i);
             last++)
            ;
        strbuf_printf(&ids, "%s%lu", i == 0 ? "[" : ",", first);
        if (last > i)
            strbuf_printf(&ids, "-%lu", first + (last - i));
    }
    strbuf_add(&ids, "]");
    return strbuf_take(&ids);
}

/* Where that is refused each is tried. */
static void cancel_together(struct adapter *a)
{
    char *ids = name_tasks(a);

    if (kill_jobs(ids, SIGKILL) == SLURM_SUCCESS) {
        answer_from(a, 0, RM_OK, NULL);
        adapter_look(a);
    } else if (adapter_lost(a, "order")) {
        answer_from(a, 0, RM_LOST, "Slurm's controller does not answer");
    } else {
        cancel_each(a);
    }
    free(ids);
}

void cancels_send(struct adapter *a)
{
    if (a->cancels.n > 0 && adapter_munge_gone(a))
        answer_from(a, 0, RM_LOST, "munged does not answer");
    else if (a->cancels.n > 1 && a->connected)
        cancel_together(a);
    else
        cancel_each(a);
    for (size_t i = 0; i < a->cancels.n; i++)
        free(a->cancels.v[i].id);
    a->cancels.n = 0;
}

void cancels_order(struct adapter *a, const struct rm_command *c)
{
    size_t n = array_of(a, c->job);

    if (a->cancels.n > 0 && (n == 0 || strncmp(a->cancels.v[0].id, c->job, n) != 0))
        cancels_send(a);
    if (n == 0) {
        cancels_signal(a, c, SIGKILL);
        return;
    }
    vec_push(&a->cancels, ((struct cancelled){c->token, xstrdup(c->job)}));
}
