/* SPDX-License-Identifier: Apache-2.0
 * See depends.h. */
#include "server/drafts/depends.h"

#include "server/drafts/jobattr.h"
#include "server/drafts/rmname.h"
#include "server/durable/record.h"
#include "server/managers/manager.h"
#include "server/server_private.h"
#include "server/whatif/whatif.h"
#include "store/account.h"

/* How a job ended. */
struct ending {
    char state[24];
    int64_t exit_status;
};

static int take_row(void *arg, const struct store_account *row)
{
    struct ending *e = arg;

    snprintf(e->state, sizeof e->state, "%s", row->state);
    e->exit_status = row->exit_status;
    return 1;
}

/* The last job of that name that ended. */
static bool find_ending(struct server *s, const char *id, struct ending *ret)
{
    struct store_account_filter f = {.job = id, .newest_first = true, .limit = 1};
    struct err err;

    unsaved_tell(s->unsaved);
    return store_account_each(s->store, &f, take_row, ret, &err) > 0;
}

struct search_ended {
    int64_t there; /* submission of the job that is there; 0: none is */
    struct ending *found;
};

/* What was told to have ended and is there again has not: a cancel that was refused, a
 * job that could not be found for a while. */
static int take_ended(void *arg, const struct store_account *row)
{
    struct search_ended *a = arg;

    return a->there == row->submit_at ? 0 : take_row(a->found, row);
}

/* When was the job submitted that is there, or of which its manager has yet to tell? */
static int64_t find_submission(struct server *s, const char *id)
{
    const struct job *j = job_find(engine_cluster(s->engine), id);

    if (!j)
        return record_submit_at(s, id);
    return j->state < JOB_COMPLETED ? j->submit_at : 0;
}

/* The first one that ended after that, of others than the one that is there. */
static bool find_ending_since(
    struct server *s, const char *id, int64_t since, int64_t there, struct ending *ret)
{
    struct store_account_filter f = {
        .job = id, .from_at = since + 1, .submitted = true};
    struct search_ended a = {there, ret};
    struct err err;

    if (since <= 0)
        return false;
    unsaved_tell(s->unsaved);
    return store_account_each(s->store, &f, take_ended, &a, &err) > 0;
}

static bool can_hold(enum dep_type type, const struct ending *e)
{
    bool success =
        strcmp(e->state, job_state_name(JOB_COMPLETED)) == 0 && e->exit_status == 0;

    return type == DEP_SUCCESS ? success : type == DEP_FAILED ? !success : true;
}

static const struct job *find_in_array(const struct cluster *c, const char *id)
{
    size_t len = strlen(id);

    for (size_t i = 0; i < c->jobs.n; i++)
        if (c->jobs.v[i] && strncmp(c->jobs.v[i]->id, id, len) == 0
            && c->jobs.v[i]->id[len] == '[')
            return c->jobs.v[i];
    return NULL;
}

static int check_one(struct server *s, const struct dep *d, struct err *err)
{
    const struct cluster *c = engine_cluster(s->engine);
    const char *word = jobattr_dep_word(d->type);
    struct ending e;

    if (job_find(c, d->job_id))
        return 0;
    if (!s->tries && find_ending(s, d->job_id, &e)) {
        if (can_hold(d->type, &e))
            return 0;
        return err_set(err, ERR_CONFLICT,
            "%s:%.60s can never be satisfied: that job ended (%s, exit status %lld)",
            word, d->job_id, e.state, (long long)e.exit_status);
    }
    const struct job *known = rmname_job(c, d->job_id, NULL);
    if (known)
        return err_set(err, ERR_INVALID,
            "%s:%.60s: expected %s:%.80s, as the job is called here", word, d->job_id,
            word, known->id);
    const struct job *one = find_in_array(c, d->job_id);
    if (one)
        return err_set(err, ERR_INVALID,
            "%s:%.60s names an array; expected its jobs, as %s:%.60s", word, d->job_id,
            word, one->id);
    if (s->tries) /* depends_settle() tells of it */
        return 0;
    return err_set(
        err, ERR_NOT_FOUND, "%s:%.60s: there is no such job", word, d->job_id);
}

int depends_check(
    struct server *s, const struct manager *m, const struct dep *deps, struct err *err)
{
    for (; deps && deps->job_id; deps++)
        if (manager_is_checked(s, m, deps->job_id) && check_one(s, deps, err) < 0)
            return -1;
    return 0;
}

/* A copy of the process has no store: what cannot be looked up passes, and is told. */
static void pass_unknown(struct server *s, const struct dep *d)
{
    char text[240];

    snprintf(text, sizeof text,
        "%s:%.60s: jobs that are over are not looked up here: this is as if that one "
        "had ended so",
        jobattr_dep_word(d->type), d->job_id);
    whatif_note(s, text);
}

/* How did the job end that was meant? False: it has not. */
static bool find_meant(
    struct server *s, const char *id, int64_t since, struct ending *ret)
{
    int64_t there = find_submission(s, id);

    return find_ending_since(s, id, since, there, ret)
           || (!there && !job_find(engine_cluster(s->engine), id)
               && find_ending(s, id, ret));
}

struct dep *depends_settle(struct server *s, const struct dep *deps, int64_t since)
{
    struct VEC(struct dep) left = {0};
    struct ending e;

    if (!deps)
        return NULL;
    for (; deps->job_id; deps++) {
        struct dep d = *deps;
        if (s->tries && !job_find(engine_cluster(s->engine), d.job_id)) {
            pass_unknown(s, &d);
            continue;
        }
        bool over =
            !s->tries && !dep_never(d.type) && find_meant(s, d.job_id, since, &e);
        if (over && can_hold(d.type, &e))
            continue;
        if (over)
            d.type = d.type == DEP_FAILED ? DEP_NEVER_FAILED : DEP_NEVER_SUCCESS;
        vec_push(&left, d);
    }
    vec_push(&left, (struct dep){0});
    return left.v;
}

/* As depends_settle() wants them; the job's own go when they are changed. */
struct deps VEC(struct dep);

/* What can never hold by the end of a job that is there can: that was none. Not by that
 * of a later one, which has its id. */
static enum dep_type reopen_type(struct server *s, const struct dep *d, int64_t since)
{
    int64_t there = dep_never(d->type) ? find_submission(s, d->job_id) : 0;

    if (!there || there > since)
        return d->type;
    return d->type == DEP_NEVER_FAILED ? DEP_FAILED : DEP_SUCCESS;
}

static struct deps copy_deps(struct server *s, const struct job_extra *x, int64_t since)
{
    struct deps copy = {0};

    for (size_t i = 0; i < x->deps.n; i++)
        vec_push(&copy, ((struct dep){reopen_type(s, &x->deps.v[i], since),
                            xstrdup(x->deps.v[i].job_id)}));
    vec_push(&copy, (struct dep){0});
    return copy;
}

static void free_deps(struct deps *deps)
{
    for (size_t i = 0; i < deps->n; i++)
        free(deps->v[i].job_id);
    vec_fini(deps);
}

static bool is_same(const struct job_extra *x, const struct dep *b)
{
    size_t i = 0;

    while (i < x->deps.n && b[i].job_id && x->deps.v[i].type == b[i].type
           && strcmp(x->deps.v[i].job_id, b[i].job_id) == 0)
        i++;
    return i == x->deps.n && !b[i].job_id;
}

static void settle_job(struct server *s, const struct job *j)
{
    struct deps again = copy_deps(s, j->extra, j->submit_at);
    struct dep *left = depends_settle(s, again.v, j->submit_at);
    struct event ev = {.kind = EVENT_MODIFY,
        .u.modify = {
            .id = j->id, .change = {.what = CHANGE_DEPS, .job = {.deps = left}}}};
    struct err err;

    if (!is_same(j->extra, left) && world_apply(s, &ev, NULL, &err) < 0)
        log_line(s->log, LOG_WARNING, "job '%s': %s", j->id, err.text);
    free(left);
    free_deps(&again);
}

static int find_same(void *arg, const struct store_account *row)
{
    return row->submit_at == *(const int64_t *)arg;
}

bool depends_is_back(struct server *s, const char *id, int64_t submit_at)
{
    struct store_account_filter f = {
        .job = id, .from_at = submit_at, .submitted = true};
    struct err err;

    unsaved_tell(s->unsaved);
    return store_account_each(s->store, &f, find_same, &submit_at, &err) > 0;
}

void depends_settle_waiting(struct server *s)
{
    const struct cluster *c = engine_cluster(s->engine);

    for (size_t i = 0; i < c->jobs.n; i++)
        if (c->jobs.v[i] && job_waits(c->jobs.v[i]) && c->jobs.v[i]->extra
            && c->jobs.v[i]->extra->deps.n > 0)
            settle_job(s, c->jobs.v[i]);
}
