/* SPDX-License-Identifier: Apache-2.0
 * A submission of msub as a batch job of Slurm. */
#include "base/xalloc.h"
#include "config/mailtext.h"
#include "config/texts.h"
#include "rm/slurm/looks.h"

#include <pwd.h>
#include <stdio.h>

/* What a description is made of; freed after the call. */
struct submit_room {
    struct VEC(char *) texts;
    struct VEC(char *) environment, argv;
};

static char *keep(struct submit_room *room, struct strbuf *b)
{
    char *text;

    if (b->len == 0)
        return NULL;
    text = strbuf_take(b);
    vec_push(&room->texts, text);
    return text;
}

static char *joined(struct submit_room *room, const char *const *words, char by)
{
    struct strbuf b = {0};

    for (; words != NULL && *words != NULL; words++)
        strbuf_printf(&b, "%s%.*s", *words, words[1] ? 1 : 0, &by);
    return keep(room, &b);
}

/* ---- resources ---- */

static void add_count(struct strbuf *b, const char *before, const char *name, int64_t n)
{
    strbuf_printf(
        b, "%s%s%s:%lld", b->len ? "," : "", before, name, (long long)(n ? n : 1));
}

static void put_gres(struct adapter *a, const struct req_desc *q, job_desc_msg_t *m,
    struct submit_room *room)
{
    struct strbuf task = {0}, licences = {0};

    for (const struct gres_cfg *g = q->gres; g != NULL && g->name != NULL; g++)
        if (licence_known(a, g->name))
            add_count(&licences, "", g->name, (g->count ? g->count : 1) * m->num_tasks);
        else
            add_count(&task, "gres:", g->name, g->count);
    for (const struct gres_cfg *g = q->job_gres; g != NULL && g->name != NULL; g++)
        add_count(&licences, "", g->name, g->count);
    m->tres_per_task = keep(room, &task);
    m->licenses = keep(room, &licences);
}

static void put_amounts(const struct req_desc *q, job_desc_msg_t *m)
{
    int64_t procs = q->per_task.v[RES_PROCS], mb = q->per_task.v[RES_MEM];

    m->num_tasks = q->tasks ? q->tasks : 1;
    if (procs < 0)
        m->shared = 0;
    m->cpus_per_task = (uint16_t)(procs > 0 ? procs : 1);
    m->min_cpus = m->num_tasks * m->cpus_per_task;
    if (mb > 0)
        m->pn_min_memory =
            (uint64_t)((mb + m->cpus_per_task - 1) / m->cpus_per_task) | MEM_PER_CPU;
    else if (q->mem_per_node_mb > 0)
        m->pn_min_memory = (uint64_t)q->mem_per_node_mb;
    if (q->per_task.v[RES_DISK] > 0)
        m->pn_min_tmp_disk = (uint32_t)q->per_task.v[RES_DISK];
    if (q->nodes > 0)
        m->min_nodes = m->max_nodes = q->nodes;
    if (q->tpn > 0)
        m->ntasks_per_node = (uint16_t)q->tpn;
    if (q->access == ACCESS_SINGLEJOB || q->access == ACCESS_SINGLETASK)
        m->shared = 0;
    else if (q->access == ACCESS_SINGLEUSER)
        m->shared = 2;
}

static void put_dependencies(
    const struct dep *deps, job_desc_msg_t *m, struct submit_room *room)
{
    static const char *const words[] = {[DEP_STARTED] = "after",
        [DEP_COMPLETED] = "afterany",
        [DEP_SUCCESS] = "afterok",
        [DEP_FAILED] = "afternotok"};
    struct strbuf b = {0};

    for (; deps != NULL && deps->job_id != NULL; deps++)
        if (deps->type < sizeof words / sizeof words[0])
            strbuf_printf(
                &b, "%s%s:%s", b.len ? "," : "", words[deps->type], deps->job_id);
    m->dependency = keep(room, &b);
}

static void put_others(const char *others, job_desc_msg_t *m, struct submit_room *room)
{
    struct strbuf b = {0};

    if (others != NULL)
        strbuf_printf(&b, "%s%s", COMMENT_OTHERS, others);
    m->comment = keep(room, &b);
}

/* ---- what runs ---- */

static void put_environment(
    const struct rm_submission *s, job_desc_msg_t *m, struct submit_room *room)
{
    const struct passwd *pw = getpwuid(s->uid);
    struct strbuf b = {0};

    for (const char *const *e = s->environment; e != NULL && *e != NULL; e++)
        vec_push(&room->environment, xstrdup(*e));
    if (room->environment.n == 0) {
        vec_push(&room->environment, xstrdup("PATH=/usr/local/bin:/usr/bin:/bin"));
        strbuf_printf(&b, "HOME=%s", pw != NULL ? pw->pw_dir : "/");
        vec_push(&room->environment, strbuf_take(&b));
        strbuf_printf(&b, "USER=%s", pw != NULL ? pw->pw_name : "");
        vec_push(&room->environment, strbuf_take(&b));
    }
    strbuf_printf(&b, "SLURM_UMASK=%04o", s->umask);
    vec_push(&room->environment, strbuf_take(&b));
    m->env_size = (uint32_t)room->environment.n;
    vec_push(&room->environment, NULL);
    m->environment = room->environment.v;
}

/* A command without a script is run by one. */
static void put_script(
    const struct rm_submission *s, job_desc_msg_t *m, struct submit_room *room)
{
    vec_push(&room->argv, xstrdup(s->job.name != NULL ? s->job.name : "STDIN"));
    for (const char *const *w = s->argv; w != NULL && *w != NULL; w++)
        vec_push(&room->argv, xstrdup(*w));
    m->argc = (uint32_t)room->argv.n;
    vec_push(&room->argv, NULL);
    m->argv = room->argv.v;
    m->script = (char *)(s->script != NULL ? s->script : "#!/bin/sh\nexec \"$@\"\n");
}

/* Slurm sends it. Its FAIL is an end of either kind that is no success. */
static void put_mail(const struct job_desc *d, job_desc_msg_t *m)
{
    m->mail_user = (char *)d->mail;
    m->mail_type = 0;
    if (mailtext_wants(d->mail_when, "b"))
        m->mail_type |= MAIL_JOB_BEGIN;
    if (mailtext_wants(d->mail_when, "e"))
        m->mail_type |= MAIL_JOB_END | MAIL_JOB_FAIL;
    if (mailtext_wants(d->mail_when, "af"))
        m->mail_type |= MAIL_JOB_FAIL;
}

static void describe(struct adapter *a, const struct rm_submission *s,
    job_desc_msg_t *m, struct submit_room *room)
{
    const struct job_desc *d = &s->job.desc;
    const struct req_desc *q = &d->reqs[0];

    slurm_init_job_desc_msg(m);
    m->name = (char *)s->job.name;
    m->account = (char *)d->cred[CRED_ACCOUNT];
    m->partition = (char *)d->cred[CRED_CLASS];
    m->qos = (char *)d->cred[CRED_QOS];
    m->reservation = (char *)d->advres;
    m->work_dir = (char *)(s->job.directory != NULL ? s->job.directory : "/");
    m->std_out = (char *)s->job.output;
    m->std_err = (char *)(s->join ? NULL : s->job.error);
    m->user_id = s->uid;
    m->group_id = s->gid;
    m->begin_time = d->release_at;
    m->deadline = d->deadline_at;
    m->requeue = s->rerunnable;
    if (d->user_priority < 0)
        m->nice = (uint32_t)(NICE_OFFSET - d->user_priority);
    if (d->wclimit_s >= DURATION_UNLIMITED)
        m->time_limit = INFINITE;
    else if (d->wclimit_s > 0)
        m->time_limit = (uint32_t)((d->wclimit_s + 59) / 60);
    if (d->rm_hold)
        m->priority = 0;
    put_amounts(q, m);
    put_gres(a, q, m, room);
    m->features = joined(room, q->features, '&');
    m->req_nodes = joined(room, q->hosts, ',');
    m->exc_nodes = joined(room, q->exclude, ',');
    put_mail(d, m);
    put_dependencies(d->deps, m, room);
    put_others(s->job.others, m, room);
    put_environment(s, m, room);
    put_script(s, m, room);
}

/* The library tells all by itself. */
void adapter_prepare(const char *gate_home, uint32_t user)
{
    (void)gate_home;
    (void)user;
}

static void room_fini(struct submit_room *room)
{
    for (size_t i = 0; i < room->texts.n; i++)
        free(room->texts.v[i]);
    for (size_t i = 0; i < room->environment.n; i++)
        free(room->environment.v[i]);
    for (size_t i = 0; i < room->argv.n; i++)
        free(room->argv.v[i]);
    vec_fini(&room->texts);
    vec_fini(&room->environment);
    vec_fini(&room->argv);
}

/* What Slurm cannot be asked for would be left out silently; NULL: nothing. */
static const char *why_not_slurms(const struct job_desc *d)
{
    const struct req_desc *q = &d->reqs[0];

    if (d->nreqs != 1)
        return "a job of several requests is submitted to Slurm by sbatch, as a "
               "heterogeneous job";
    if (q->per_task.v[RES_MEM] > 0 && q->mem_per_node_mb > 0)
        return "memory of each task and of each node at once: Slurm takes one of them";
    if (q->per_task.v[RES_SWAP] > 0 || q->swap.op != CMP_NONE)
        return "swap: Slurm cannot be asked for it";
    if (q->os != NULL || q->arch != NULL || q->network != NULL)
        return "system, architecture or network: Slurm is asked for features instead";
    if (q->procs.op != CMP_NONE || q->mem.op != CMP_NONE || q->disk.op != CMP_NONE)
        return "what a node has to have: Slurm is asked for features instead";
    return q->prefs != NULL || q->nodeset != NULL
               ? "preferred features, node sets: Slurm cannot be asked for them"
               : NULL;
}

void adapter_submit_job(struct adapter *a, const struct rm_submission *s)
{
    submit_response_msg_t *answered = NULL;
    struct submit_room room = {0};
    const char *why_not;
    job_desc_msg_t m;
    char id[30];

    if ((why_not = why_not_slurms(&s->job.desc)) != NULL) {
        adapter_done(a, s->token, RM_REFUSED, NULL, why_not);
        return;
    }
    if (adapter_munge_gone(a)) {
        adapter_done(a, s->token, RM_RETRY, NULL, "munged does not answer");
        return;
    }
    describe(a, s, &m, &room);
    if (slurm_submit_batch_job(&m, &answered) != SLURM_SUCCESS) {
        int error = errno;

        adapter_done(a, s->token, adapter_lost(a, "submit") ? RM_RETRY : RM_REFUSED,
            NULL, slurm_strerror(error));
    } else {
        snprintf(id, sizeof id, "%u", slurm_submitted_job(answered));
        looks_job(a, id); /* the job is told before its number is */
        adapter_done(a, s->token, RM_OK, id, NULL);
        slurm_free_submit_response_response_msg(answered);
    }
    room_fini(&room);
}
