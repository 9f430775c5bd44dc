/* SPDX-License-Identifier: Apache-2.0
 * Submission: a JobRequest becomes what the resource manager is told. */
#include "base/hash.h"
#include "cluster/attribute.h"
#include "config/arraytext.h"
#include "config/settings.h"
#include "rm/filename.h"
#include "server/api/api.h"
#include "server/drafts/depends.h"
#include "server/drafts/elsewhere.h"
#include "server/drafts/jobrights.h"
#include "server/drafts/rmname.h"
#include "server/drafts/submission.h"
#include "server/managers/manager.h"
#include "server/server_private.h"

#include <sys/queue.h>

/* ---- handing on ---- */

/* What is submitted, as long as it is being handed on. */
struct submitting {
    TAILQ_ENTRY(submitting) others; /* in the server's list */
    struct server *s;
    struct manager_batch *batch;
    char user[64];
    struct submit_draft *draft;
    struct array_spec array;
    struct request *request;
    struct manager *m;           /* whose jobs they will be */
    struct elsewhere *elsewhere; /* dependencies that m does not take, or NULL */
    char number[40];             /* as that one gives it, ... */
    char here[60];               /* ... and as it is called here */
    bool named;                  /* one job, of that number */
    UT_hash_handle hh;           /* of arrays that are being made, by `here` */
};

struct submissions {
    TAILQ_HEAD(, submitting) all;
    struct submitting *arrays;
};

void submit_open(struct server *s)
{
    s->api.submitting = xcalloc(1, sizeof *s->api.submitting);
    TAILQ_INIT(&s->api.submitting->all);
}

void submit_close(struct server *s)
{
    free(s->api.submitting);
}

static void free_submitting(void *ctx)
{
    struct submitting *u = ctx;

    TAILQ_REMOVE(&u->s->api.submitting->all, u, others);
    if (u->hh.tbl)
        HASH_DEL(u->s->api.submitting->arrays, u);
    submitdraft_free(u->draft);
    elsewhere_free(u->elsewhere);
    array_fini(&u->array);
    free(u);
}

static void note_batch(struct manager_batch *b, void *ctx)
{
    struct submitting *u = ctx;

    u->batch = b;
}

static void hand_on(struct server *s, struct manager_batch *b,
    const struct submitting *u, const char *id)
{
    struct rm_submission sub = *submitdraft_submission(u->draft);
    char *output = NULL, *error = NULL;

    sub.job.desc.id = id;
    if (id && sub.job.output)
        sub.job.output = output = filename_expand(sub.job.output, id, sub.job.name);
    if (id && sub.job.error)
        sub.job.error = error = filename_expand(sub.job.error, id, sub.job.name);
    if (u->elsewhere && !s->tries) /* there they are kept with the others */
        elsewhere_leave_out(u->elsewhere, &sub);
    manager_submit(s, b, &sub);
    free(output);
    free(error);
}

static void hand_on_one(struct server *s, struct manager_batch *b, void *ctx)
{
    struct submitting *u = ctx;

    hand_on(s, b, u, u->named ? u->number : NULL);
}

static int note_made(struct server *s, const char *job, void *ctx, struct err *err)
{
    const struct submitting *u = ctx;

    return u->elsewhere ? elsewhere_check(s, job, err) : 0;
}

/* Names of files are made of patterns where the jobs are. */
static void hand_on_array(struct server *s, struct manager_batch *b, void *ctx)
{
    struct submitting *u = ctx;
    struct rm_submission sub = *submitdraft_submission(u->draft);

    sub.job.desc.id = u->number;
    sub.indexes = u->array.indexes.v;
    sub.nindexes = u->array.indexes.n;
    if (u->elsewhere && !s->tries)
        elsewhere_leave_out(u->elsewhere, &sub);
    manager_submit(s, b, &sub);
}

/* ---- how many ---- */

/* Of an array of which the others come, too, and which is counted whole. */
static bool is_being_made(const struct server *s, const struct job *j)
{
    const char *bracket = strchr(j->id, '[');
    struct submitting *u = NULL;

    if (bracket)
        HASH_FIND(hh, s->api.submitting->arrays, j->id, (size_t)(bracket - j->id), u);
    return u != NULL;
}

/* Of one user, or of all: that are in the queue, or will be. */
static size_t count_jobs(struct server *s, const char *user)
{
    const struct cluster *c = engine_cluster(s->engine);
    size_t n = 0;
    const struct submitting *u;

    TAILQ_FOREACH(u, &s->api.submitting->all, others)
    if (!user || strcmp(u->user, user) == 0)
        n += u->array.indexes.n ? u->array.indexes.n : 1;
    for (size_t i = 0; i < c->jobs.n; i++) {
        const struct job *j = c->jobs.v[i];
        n += j && j->state < JOB_COMPLETED
             && (!user || strcmp(job_cred(c, j, CRED_USER)->name, user) == 0)
             && !is_being_made(s, j);
    }
    return n;
}

/* Jobs that the user may have at a time, and which setting says so; 0 = any number. */
static size_t most_jobs(struct server *s, const char *user, const char **ret_setting)
{
    const struct cred *u = cred_get(engine_cluster(s->engine), CRED_USER, user);
    int64_t own = u->cfg->max_submit ? u->cfg->max_submit : u->def->max_submit;

    *ret_setting = own ? "USERCFG[] MAXSUBMITJOBS" : "MAXSUBMITJOBSPERUSER";
    if (own == 0)
        own = s->config->settings->daemon.max_submit_user;
    return own > 0 ? (size_t)own : 0;
}

static int check_count(
    struct server *s, const struct identity *who, size_t more, struct err *err)
{
    const struct daemon_settings *d = &s->config->settings->daemon;
    const char *setting;
    size_t n, most = most_jobs(s, who->user, &setting);

    if (most && (n = count_jobs(s, who->user)) + more > most)
        return err_set(err, ERR_CONFLICT,
            "user %s has %zu jobs and may have %zu at a time (%s): %zu more are too "
            "many",
            who->user, n, most, setting, more);
    if (d->max_submit && (n = count_jobs(s, NULL)) + more > (size_t)d->max_submit)
        return err_set(err, ERR_CONFLICT,
            "the scheduler has %zu jobs and takes %lld at a time (MAXSUBMITJOBS): %zu "
            "more are too many",
            n, (long long)d->max_submit, more);
    return 0;
}

/* Of several resource managers' jobs: as it is called here. */
static const char *name_of_dep(void *ctx, const char *job)
{
    const struct cluster *c = ctx;
    const struct job *j = job_find(c, job) ? NULL : rmname_job(c, job, NULL);

    return j ? j->id : NULL;
}

static int check_array_limit(
    const struct job_desc *d, const char *array, struct err *err)
{
    if (array || !d->array_limit)
        return 0;
    return err_set(err, ERR_INVALID, "%s: this job is no array", ARRAY_LIMIT_SAID);
}

/* Takes the draft. */
static int submit(struct server *s, struct request *r, struct submit_draft *d,
    const char *array, struct err *err)
{
    const struct rm_submission *sub = submitdraft_submission(d);
    struct submitting *u = xcalloc(1, sizeof *u);

    u->s = s;
    u->draft = d;
    u->request = r;
    snprintf(u->user, sizeof u->user, "%s", request_who(r)->user);
    u->named =
        filename_is_pattern(sub->job.output) || filename_is_pattern(sub->job.error);
    submitdraft_name_deps(d, name_of_dep, engine_cluster(s->engine));
    bool good =
        (u->m = manager_pick(s, &sub->job.desc, err)) != NULL
        && depends_check(s, u->m, sub->job.desc.deps, err) == 0
        && (!array || array_parse(array, &u->array, err) == 0)
        && check_array_limit(&sub->job.desc, array, err) == 0
        && check_count(s, request_who(r), array ? u->array.indexes.n : 1, err) == 0
        && ((!array && !u->named)
            || manager_take_id(u->m, u->number, sizeof u->number, err) == 0);
    if (good) {
        manager_id_here(u->m, u->number, u->here, sizeof u->here);
        u->elsewhere = elsewhere_new(s, u->m, submitdraft_submission(d));
    }
    if (u->array.at_once)
        submitdraft_edit(d)->job.desc.array_limit = u->array.at_once;
    TAILQ_INSERT_TAIL(&s->api.submitting->all, u, others);
    if (!good) {
        free_submitting(u);
        return -1;
    }
    if (array)
        HASH_ADD_KEYPTR(hh, s->api.submitting->arrays, u->here, strlen(u->here), u);
    manager_submit_all(u->m, r,
        &(struct manager_feed){.hand_on = array ? hand_on_array : hand_on_one,
            .array = array != NULL,
            .begins = note_batch,
            .made = note_made,
            .done = free_submitting,
            .ctx = u});
    return 0;
}

/* ---- arrays that are cancelled while they are being made ---- */

/* Does the job expression mean the array as a whole? */
static bool means_array(const char *expr, const char *number)
{
    size_t len, n = strlen(number);

    for (const char *p = expr; *p; p += len + (p[len] == ',')) {
        len = strcspn(p, ",");
        if ((len == 3 && strncasecmp(p, "ALL", 3) == 0)
            || (strncmp(p, number, n) == 0
                && (len == n || (len == n + 2 && strncmp(p + n, "[]", 2) == 0))))
            return true;
    }
    return false;
}

static bool is_meant(json_t *jobs, const struct submitting *u)
{
    json_t *expr;
    size_t i;

    json_array_foreach(jobs, i,
        expr) if (json_is_string(expr)
                  && means_array(json_string_value(expr), u->here)) return true;
    return false;
}

void submit_break_off(struct server *s, const struct identity *who, json_t *jobs)
{
    struct submitting *u = TAILQ_FIRST(&s->api.submitting->all), *next;
    struct err err;

    for (; u; u = next) {
        next = TAILQ_NEXT(u, others);
        if (!u->array.indexes.n || !is_meant(jobs, u)
            || !(identity_is(who, WHO_ADMIN2) || identity_owns(who, u->user)))
            continue;
        err_set(&err, ERR_CONFLICT,
            "array %s[] was cancelled by %s while it was being submitted", u->here,
            who->user);
        manager_break_off(s, u->batch, &err);
    }
}

/* What is taken here must be taken when the resource manager tells of the job. */
static int check_submission(struct server *s, struct submit_draft *d,
    const struct identity *who, struct err *err)
{
    struct rm_submission *sub = submitdraft_edit(d);

    if (jobrights_submission(sub, who, err) < 0)
        return -1;
    return job_check(engine_cluster(s->engine), &sub->job.desc, err);
}

void api_submit(struct server *s, struct request *r)
{
    struct err err = {0};
    json_t *o = commit_possible(s, &err) < 0 ? NULL : request_json(r, &err);
    struct submit_draft *d = o ? submitdraft_read(o, request_who(r), &err) : NULL;

    if (!d || check_submission(s, d, request_who(r), &err) < 0
        || submit(s, r, d, submitdraft_text(o, "array"), &err) < 0)
        request_refuse(r, &err);
}
