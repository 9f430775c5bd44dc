/* SPDX-License-Identifier: Apache-2.0
 * Changes of what a job asks for. */
#include "cluster/change.h"

#include "base/bitset.h"
#include "cluster/attribute.h"
#include "cluster/jobs/private.h"

#define USER_PRIORITY_MAX 1024 /* what a resource manager may use */

/* ---- checks ------------------------------------------------------------------ */

/* The request as it would be. Lists that stay are left out: they are usable. */
static struct req_desc request_after(const struct job *j, const struct job_change *ch)
{
    const struct req *r = &j->reqs[ch->req];
    struct req_desc d = {.per_task = r->asked->per_task,
        .mem_per_node_mb = r->asked->mem_per_node_mb,
        .tasks = r->tasks,
        .nodes = r->nodes,
        .tpn = r->asked->tpn};

    req_attributes_apply(ch, &d);
    return d;
}

static int check_request(const struct cluster *c, const struct job *j,
    const struct job_change *ch, struct err *err)
{
    uint32_t tasks;

    if (ch->req >= j->nreqs)
        return err_set(err, ERR_INVALID, "there is no request %u, the job has %u",
            ch->req, j->nreqs);
    struct req_desc d = request_after(j, ch);
    if (req_check(c, &d, &tasks, err) < 0)
        return -1;
    int64_t each = d.per_task.v[RES_PROCS] > 0 ? d.per_task.v[RES_PROCS] : 1;
    int64_t procs = each * tasks;
    for (uint32_t i = 0; i < j->nreqs; i++)
        if (i != ch->req)
            procs += (int64_t)j->reqs[i].tasks
                     * (j->reqs[i].asked->per_task.v[RES_PROCS] > 0
                             ? j->reqs[i].asked->per_task.v[RES_PROCS]
                             : 1);
    return amount_check("total of processors", procs, 1, INT32_MAX, err);
}

/* Does the first job wait, through whatever others, for the second to get on? Whom
 * `io_seen` holds is known not to; those that are asked come in. */
static bool waits_for(const struct cluster *c, const struct job *first,
    const struct job *j, struct bitset *io_seen)
{
    struct VEC(const struct job *) ask = {0};
    bool found = first == j;

    vec_push(&ask, first);
    while (!found && ask.n > 0) {
        const struct job *at = ask.v[--ask.n];
        if (!at || bitset_test(io_seen, at->index) || at->state >= JOB_COMPLETED
            || job_is_active(at) || at->state == JOB_SUSPENDED)
            continue;
        bitset_set(io_seen, at->index);
        for (size_t i = 0; at->extra && i < at->extra->deps.n && !found; i++) {
            vec_push(&ask, job_find(c, at->extra->deps.v[i].job_id));
            found = ask.v[ask.n - 1] == j;
        }
    }
    vec_fini(&ask);
    return found;
}

static int check_dep(const struct cluster *c, const struct job *j, const char *on,
    struct bitset *io_seen, struct err *err)
{
    if (name_check("job", on, err))
        return -1;
    if (strcmp(on, j->id) == 0)
        return err_set(err, ERR_INVALID, "a job cannot depend on itself");
    if (waits_for(c, job_find(c, on), j, io_seen))
        return err_set(err, ERR_CONFLICT,
            "it cannot depend on job %.60s, which waits for it already", on);
    return 0;
}

static int check_deps(
    const struct cluster *c, const struct job *j, const struct dep *d, struct err *err)
{
    struct bitset seen = {0};
    int result = 0;

    for (; d && d->job_id && result == 0; d++)
        result = check_dep(c, j, d->job_id, &seen, err);
    bitset_fini(&seen);
    return result;
}

static int check_creds(const struct job_change *ch, struct err *err)
{
    const struct attribute *a;

    for (size_t i = 0; (a = attribute_at(i)) != NULL; i++) {
        if (a->type != ATTRIBUTE_CRED || !(a->change & ch->what))
            continue;
        const char *name = *attribute_text(&ch->job, a->desc_at);
        if (name && *name && name_check(cred_kind_name(attribute_cred(a)), name, err))
            return -1;
    }
    return 0;
}

static int check(const struct cluster *c, const struct job *j,
    const struct job_change *ch, struct err *err)
{
    const struct job_desc *d = &ch->job;

    if (ch->what & CHANGE_WHOLE)
        return job_check(c, d, err);
    if ((ch->what & CHANGE_WCLIMIT)
        && amount_check("wallclock limit", d->wclimit_s, 0, DURATION_UNLIMITED, err))
        return -1;
    if ((ch->what & CHANGE_USER_PRIORITY) && j->admitted)
        return err_set(err, ERR_INVALID, JOB_PRIORITY_ELSEWHERE);
    if ((ch->what & CHANGE_USER_PRIORITY)
        && amount_check("user priority", d->user_priority, -USER_PRIORITY_MAX,
            USER_PRIORITY_MAX, err))
        return -1;
    if ((ch->what & CHANGE_RELEASE)
        && amount_check("release time", d->release_at, 0, TIME_NEVER, err))
        return -1;
    if ((ch->what & CHANGE_DEADLINE)
        && amount_check("deadline", d->deadline_at, 0, TIME_NEVER, err))
        return -1;
    if ((ch->what & CHANGE_ARRAY_LIMIT) && !strchr(j->id, '['))
        return err_set(err, ERR_INVALID, "it is no job of an array that was made here");
    if (check_creds(ch, err) < 0 || attributes_check(d, ch->what, err) < 0)
        return -1;
    if ((ch->what & CHANGE_ADVRES) && d->advres && *d->advres
        && name_check("reservation", d->advres, err))
        return -1;
    if ((ch->what & CHANGE_DEPS) && check_deps(c, j, d->deps, err) < 0)
        return -1;
    return ch->what & CHANGES_OF_REQUEST ? check_request(c, j, ch, err) : 0;
}

int job_change_check(const struct cluster *c, const struct job *j,
    const struct job_change *ch, struct err *err)
{
    if (check(c, j, ch, err) == 0)
        return 0;
    err_prefix(err, "job '%s': ", j->id);
    return -1;
}

/* ---- making ------------------------------------------------------------------ */

static void change_request(
    struct cluster *c, struct job *j, const struct job_change *ch)
{
    struct req *r = &j->reqs[ch->req];
    struct taskdef draft = taskdef_copy(r->asked);
    struct req_desc d = request_after(j, ch);

    req_check(c, &d, &r->tasks, NULL);
    r->nodes = d.nodes;
    req_draft(c, &d, ch->what & CHANGES_OF_REQUEST, &draft);
    r->asked = r->def = taskdef_intern(c, &draft);
    taskdef_fini(&draft);
    if (j->reqs != &j->req)
        j->req = j->reqs[0];
    j->flags_asked &= ~(uint32_t)JOB_HOSTLIST;
    for (uint32_t i = 0; i < j->nreqs; i++)
        if (j->reqs[i].asked->hosts.n)
            j->flags_asked |= JOB_HOSTLIST;
}

static void change_deps(struct job *j, const struct dep *d)
{
    struct job_extra *extra = job_extra(j);

    for (size_t i = 0; i < extra->deps.n; i++)
        free(extra->deps.v[i].job_id);
    extra->deps.n = 0;
    extra->given_up = false;
    for (; d && d->job_id; d++)
        vec_push(&extra->deps, ((struct dep){d->type, xstrdup(d->job_id)}));
}

static void change_partitions(struct job *j, const char *const *p)
{
    struct job_extra *extra = job_extra(j);

    for (size_t i = 0; i < extra->partitions_asked.n; i++)
        free(extra->partitions_asked.v[i]);
    extra->partitions_asked.n = 0;
    for (; p && *p; p++)
        vec_push(&extra->partitions_asked, xstrdup(*p));
}

static void change_cred(
    struct cluster *c, struct job *j, enum cred_kind kind, const char *name)
{
    uint32_t index = cred_get(c, kind, name)->index;

    j->cred[kind] = index;
    if (kind == CRED_CLASS && j->extra)
        j->extra->classes.n = 0; /* this one and no other */
    if (kind == CRED_ACCOUNT)
        j->account_asked = index;
    if (kind == CRED_QOS) {
        j->qos_asked = index;
        j->qos_forced = false;
    }
}

static void change_flags(struct job *j, const struct job_change *ch)
{
    const uint32_t other = JOB_ADVRES | JOB_HOSTLIST;

    if (ch->what & CHANGE_FLAGS)
        j->flags_asked = (j->flags_asked & other) | (ch->job.flags & ~other);
    if (!(ch->what & CHANGE_ADVRES))
        return;
    bool named = ch->job.advres && *ch->job.advres;
    j->flags_asked =
        (j->flags_asked & ~(uint32_t)JOB_ADVRES) | (named ? JOB_ADVRES : 0u);
}

/* What stands in the job as it stands in its description. */
static void change_member(struct cluster *c, struct job *j, const struct attribute *a,
    const struct job_desc *to)
{
    if (a->type == ATTRIBUTE_CRED)
        change_cred(c, j, attribute_cred(a), *attribute_text(to, a->desc_at));
    else
        job_keep_member(j, a, to);
}

/* Whatever its limit came from. */
static void change_limit(struct job *j, int64_t wclimit_s)
{
    if (j->extra)
        j->extra->full_wclimit_s = j->extra->learned_wclimit_s = 0;
    j->wclimit_learned = false;
    j->wclimit_asked_s = j->wclimit_s = wclimit_s;
}

void job_change_apply(struct cluster *c, struct job *j, const struct job_change *ch)
{
    const struct attribute *a;

    j->prio_epoch = 0;
    if (ch->what & CHANGE_WHOLE) {
        job_ask_anew(c, j, &ch->job);
        return;
    }
    for (size_t i = 0; (a = attribute_at(i)) != NULL; i++)
        if (a->change & ch->what)
            change_member(c, j, a, &ch->job);
    if (ch->what & CHANGE_WCLIMIT)
        change_limit(j, ch->job.wclimit_s);
    if (ch->what & CHANGE_DEADLINE)
        c->any_deadline |= ch->job.deadline_at != 0;
    job_note_priority(c, j);
    change_flags(j, ch);
    if (ch->what & CHANGE_DEPS)
        change_deps(j, ch->job.deps);
    if (ch->what & CHANGE_PARTITIONS)
        change_partitions(j, ch->job.partitions);
    if (ch->what & CHANGES_OF_REQUEST) {
        change_request(c, j, ch);
        job_refresh_totals(c, j);
    }
}
