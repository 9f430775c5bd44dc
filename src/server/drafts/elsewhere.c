/* SPDX-License-Identifier: Apache-2.0
 * See elsewhere.h. */
#include "server/drafts/elsewhere.h"

#include "server/api/order.h"
#include "server/drafts/jobattr.h"
#include "server/drafts/modify.h"
#include "server/managers/manager.h"
#include "server/server_private.h"

#define DEPEND "depend" /* the attribute that is changed */
#define HELD   "held,"  /* before the dependencies: its owner asked for a hold */

struct elsewhere {
    struct VEC(struct dep) own; /* ids borrowed from the submission; ends with none */
    char *all;                  /* "afterok:5,afterany:pool.12"; owned */
};

static bool has_others(
    struct server *s, const struct manager *m, const struct dep *deps)
{
    for (; deps && deps->job_id; deps++)
        if (!manager_keeps_dep(s, m, deps->job_id))
            return true;
    return false;
}

struct elsewhere *elsewhere_new(
    struct server *s, const struct manager *m, const struct rm_submission *sub)
{
    struct strbuf all = {0};

    if (!has_others(s, m, sub->job.desc.deps))
        return NULL;
    struct elsewhere *e = xcalloc(1, sizeof *e);
    if (sub->job.desc.rm_hold)
        strbuf_add(&all, HELD);
    for (const struct dep *d = sub->job.desc.deps; d->job_id; d++) {
        strbuf_printf(&all, "%s%s:%s", d > sub->job.desc.deps ? "," : "",
            jobattr_dep_word(d->type), d->job_id);
        if (manager_keeps_dep(s, m, d->job_id))
            vec_push(&e->own, *d);
    }
    vec_push(&e->own, (struct dep){0});
    e->all = strbuf_take(&all);
    return e;
}

void elsewhere_free(struct elsewhere *e)
{
    if (!e)
        return;
    vec_fini(&e->own);
    free(e->all);
    free(e);
}

void elsewhere_leave_out(const struct elsewhere *e, struct rm_submission *io)
{
    io->job.desc.deps = e->own.v;
    io->job.others = e->all;
    io->job.desc.rm_hold = HOLD_USER;
    io->job.desc.state = JOB_HOLD;
}

/* The hold that it was submitted with is its owner's to the resource manager. One of an
 * administrator stays; a hold of ours is there because of a policy, or of somebody. */
void elsewhere_let_go(struct server *s, const struct job *j)
{
    struct err err;
    struct event ev = {.kind = EVENT_RELEASE_HOLD,
        .u.hold = {.kinds = j->rm_hold & HOLD_USER & ~(unsigned)j->holds,
            .who = {"the scheduler", 1}}};

    if (ev.u.hold.kinds && order_holds(s, j, &ev, &err) < 0)
        log_line(s->log, LOG_ALERT, "job '%s' stays held: %s", j->id, err.text);
}

enum elsewhere_found elsewhere_find(
    struct server *s, const char *job, bool known, const char *others)
{
    size_t n = strlen(HELD);

    if (!others)
        return ELSEWHERE_NONE;
    bool held = strncmp(others, HELD, n) == 0;
    if (!modify_keep(s, job, known, DEPEND, held ? others + n : others))
        return ELSEWHERE_NONE;
    return held ? ELSEWHERE_HELD : ELSEWHERE_PUT;
}

int elsewhere_check(struct server *s, const char *job, struct err *err)
{
    if (job_find(engine_cluster(s->engine), job) && modify_has(s, job, DEPEND))
        return 0;
    return err_set(err, ERR_IO,
        "job '%s' was made, but its resource manager did not keep what it depends on "
        "elsewhere",
        job);
}
