/* SPDX-License-Identifier: Apache-2.0
 * See elsewhere.h. */
#include "server/api/elsewhere.h"

#include "server/api/order.h"
#include "server/drafts/jobattr.h"
#include "server/drafts/modify.h"
#include "server/managers/manager.h"
#include "server/server_private.h"

struct elsewhere {
    struct VEC(struct dep) own; /* ids borrowed from the submission; ends with none */
    char *all;                  /* "afterok:5,afterany:pool.12"; owned */
    bool held;                  /* the owner asked for a hold: it stays */
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
    for (const struct dep *d = sub->job.desc.deps; d->job_id; d++) {
        strbuf_printf(
            &all, "%s%s:%s", all.len ? "," : "", jobattr_dep_word(d->type), d->job_id);
        if (manager_keeps_dep(s, m, d->job_id))
            vec_push(&e->own, *d);
    }
    vec_push(&e->own, (struct dep){0});
    e->all = strbuf_take(&all);
    e->held = sub->job.desc.rm_hold != 0;
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
    io->job.desc.rm_hold = HOLD_USER;
    io->job.desc.state = JOB_HOLD;
}

/* Whatever the resource manager made of the hold that it was submitted with; a hold of
 * ours is there because of a policy, or of somebody, and stays. */
static int let_go(struct server *s, const struct job *j, struct err *err)
{
    struct event ev = {.kind = EVENT_RELEASE_HOLD,
        .u.hold = {
            .kinds = j->rm_hold & ~(unsigned)j->holds, .who = {"the scheduler", 1}}};

    return ev.u.hold.kinds ? order_holds(s, j, &ev, err) : 0;
}

int elsewhere_put(const struct elsewhere *e, struct server *s, const char *job,
    const struct identity *who, struct err *err)
{
    const struct job *j = job_find(engine_cluster(s->engine), job);
    json_t *changes = json_pack("[{s:s, s:s}]", "attribute", "depend", "value", e->all);
    int result = j ? modify_apply(s, j, changes, who, err)
                   : err_set(err, ERR_IO,
                       "job '%s' was made, and is not seen: its dependencies cannot be "
                       "put on it, so it stays held",
                       job);

    json_decref(changes);
    return result == 0 && !e->held ? let_go(s, j, err) : result;
}
