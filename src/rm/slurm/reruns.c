/* SPDX-License-Identifier: Apache-2.0
 * A slurmctld that was killed has forgotten its last starts: jobs wait that run, or
 * have run since. A node ends such a copy once slurmctld has asked it what runs there,
 * and until then refuses a second one: Slurm holds the job and drains the node. Of a
 * copy that ended by itself before that the node goes on refusing the number, until it
 * has refused it once. So such a job rests until the nodes were asked, and stays away
 * for a while from those that it was sent to. What is refused nevertheless is not held
 * for that: a slurmctld that had saved an order starts the job by itself as it comes
 * up. */
#include "base/xalloc.h"
#include "rm/slurm/adapter.h"

#define REST_S    10 /* since slurmctld came up: its nodes are asked after three */
#define AVOID_S   30 /* a node that goes on refusing does so until it was tried once */
#define FORGIVE_S 300
#define NOT_KNOWN ((time_t)-1)

/* Slurm's words for a job whose node has refused it, and scontrol's. */
static const char *const refused[] = {
    "launch failed requeued held", "launch_failed_requeued_held"};

static bool is_refused(const slurm_job_info_t *j)
{
    return j->state_desc != NULL
           && (strcmp(j->state_desc, refused[0]) == 0
               || strcmp(j->state_desc, refused[1]) == 0);
}

void reruns_sent(struct told_job *t, const char *nodes)
{
    char *copy = nodes != NULL ? xstrdup(nodes) : NULL;

    free(t->ran_on);
    t->ran_on = copy;
    t->ran_restarts = t->restarts;
    t->rest_until = t->avoid_until = 0;
}

/* When slurmctld came up, by its clock; NOT_KNOWN: it did not answer. Asked once for
 * all jobs of a look, as it may let us wait for long each time. */
static time_t booted_at(struct adapter *a)
{
    slurm_conf_t *c = NULL;

    if (a->boot_asked)
        return a->booted_at;
    a->boot_asked = true;
    a->booted_at = NOT_KNOWN;
    if (slurm_load_ctl_conf(0, &c) != SLURM_SUCCESS) {
        a->jobs_at = 0; /* else nothing changes, and it is not asked again */
        return NOT_KNOWN;
    }
    a->booted_at = c->boot_time;
    slurm_free_ctl_conf(c);
    return a->booted_at;
}

/* That look after which it may go anywhere. */
static void note_end(struct adapter *a, const struct told_job *t)
{
    if (a->avoid_at == 0 || t->avoid_until < a->avoid_at)
        a->avoid_at = t->avoid_until;
}

/* As long as slurmctld has not been up for that long; false: it has. */
static bool begin_rest(struct adapter *a, struct told_job *t, time_t boot)
{
    if (boot + AVOID_S <= times_theirs(a)) {
        reruns_sent(t, NULL);
        return false;
    }
    t->rest_until = boot + REST_S;
    t->avoid_until = boot + AVOID_S;
    note_end(a, t);
    return true;
}

enum forgiveness reruns_forgive(
    struct adapter *a, struct told_job *t, const slurm_job_info_t *j)
{
    time_t boot;

    boot = is_refused(j) ? booted_at(a) : 0;
    if (boot == NOT_KNOWN)
        return FORGIVEN_LATER;
    if (boot + FORGIVE_S <= times_theirs(a))
        return FORGIVEN_NOT;
    if (t->forgiven_boot == boot)
        return t->forgiven_restarts == j->restart_cnt ? FORGIVEN : FORGIVEN_NOT;
    t->forgiven_boot = boot;
    t->forgiven_restarts = j->restart_cnt;
    if (t->ran_on == NULL)
        reruns_sent(t, "");
    begin_rest(a, t, boot);
    return FORGIVEN;
}

/* It waits: one that was not put back was forgotten, perhaps, or that is not known. */
static bool rest_forgotten(struct adapter *a, struct told_job *t)
{
    time_t boot;

    if (outcomes_has_start(a, t->id))
        return false;
    boot = t->ran_restarts == t->restarts ? booted_at(a) : 0;
    return boot != NOT_KNOWN && begin_rest(a, t, boot);
}

bool reruns_see(struct adapter *a, struct told_job *t, const slurm_job_info_t *j,
    enum job_state state)
{
    if (job_has_begun(state)) {
        if (t->ran_on == NULL || j->nodes == NULL || strcmp(t->ran_on, j->nodes) != 0
            || t->avoid_until != 0)
            reruns_sent(t, j->nodes != NULL ? j->nodes : "");
        return false;
    }
    if (t->ran_on == NULL || t->forgiven == FORGIVEN_LATER)
        return false;
    if (state != JOB_IDLE && state != JOB_HOLD) {
        reruns_sent(t, NULL);
        return false;
    }
    if (t->avoid_until == 0)
        return rest_forgotten(a, t);
    if (times_theirs(a) >= t->avoid_until) {
        reruns_sent(t, NULL);
        return true;
    }
    note_end(a, t);
    return t->forgiven == FORGIVEN
           && t->held; /* told as held while that was not known */
}

/* Behind those that its owner left out. */
static void leave_out(
    struct request_room *room, struct req_desc *q, const char *const *hosts)
{
    const char **out;
    size_t n = 0, m = 0;

    while (q->exclude != NULL && q->exclude[n] != NULL)
        n++;
    while (hosts[m] != NULL)
        m++;
    out = request_take(room, n + m + 1, sizeof *out);
    for (size_t i = 0; i < n; i++)
        out[i] = q->exclude[i];
    for (size_t i = 0; i < m; i++)
        out[n + i] = hosts[i];
    q->exclude = out;
}

void reruns_tell(const struct adapter *a, const struct told_job *t,
    struct request_room *room, struct rm_job *ret)
{
    const char *const *hosts;
    time_t rest = times_here(a, t->rest_until);

    if (t->avoid_until == 0)
        return;
    if (rest > time(NULL)) {
        ret->notes =
            "slurmctld has forgotten that it was started: its nodes are to end "
            "what runs of it first";
        if (rest > ret->desc.release_at)
            ret->desc.release_at = rest;
    }
    hosts = request_hosts(room, t->ran_on);
    for (uint32_t i = 0; i < room->nreqs && hosts != NULL; i++)
        if (room->req[i].hosts == NULL) /* else its owner wants no others */
            leave_out(room, &room->req[i], hosts);
}
