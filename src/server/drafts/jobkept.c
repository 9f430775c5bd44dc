/* SPDX-License-Identifier: Apache-2.0
 * See jobkept.h. */
#include "server/drafts/jobkept.h"

#include "server/drafts/jobattr.h"
#include "server/drafts/rmname.h"
#include "server/managers/manager.h"
#include "server/server_private.h"

/* As people call the first of these changes. */
static const char *name_change(unsigned what)
{
    for (size_t i = 0; jobattr_at(i); i++)
        if (jobattr_at(i)->bit & what)
            return jobattr_at(i)->name;
    return "that";
}

static int refuse_change(struct server *s, const struct job *j,
    const struct rm_keeping *keeps, unsigned what, struct err *err)
{
    return err_set(err, ERR_CONFLICT,
        "%s: %s runs job '%s' as it has it there: change it there "
        "(%s%s)",
        name_change(what), manager_label_of(s, j->id), j->id, keeps->command,
        rmname_own_id(j));
}

static int check_limit(struct server *s, const struct job *j,
    const struct rm_keeping *keeps, int64_t limit_s, bool admin, struct err *err)
{
    bool waits = !job_has_begun((enum job_state)j->state);

    if (keeps && keeps->raise && waits && !admin && limit_s > j->wclimit_s)
        return err_set(err, ERR_DENIED,
            "only administrators may raise the limit of job '%s' here: %s", j->id,
            keeps->raise);
    return manager_check_limit(s, j, limit_s, err);
}

int jobkept_check(struct server *s, const struct job *j, const struct job_change *ch,
    bool admin, struct err *err)
{
    const struct rm_keeping *keeps = manager_keeping(s, j);
    unsigned there = keeps ? ch->what & keeps->what : 0;

    if (there)
        return refuse_change(s, j, keeps, there, err);
    return ch->what & CHANGE_WCLIMIT
               ? check_limit(s, j, keeps, ch->job.wclimit_s, admin, err)
               : 0;
}
