/* SPDX-License-Identifier: Apache-2.0
 * What people may ask for a job. */
#include "server/drafts/jobrights.h"

#include <stdio.h>
#include <string.h>

static int refuse_group(const char *user, const char *group, struct err *err)
{
    char groups[200];

    identity_groups(user, groups, sizeof groups);
    return err_set(err, ERR_DENIED,
        "user %s is not a member of group %.80s; member of: %s", user, group, groups);
}

static int check_deadline(int64_t at, const struct identity *who, struct err *err)
{
    if (!at || identity_is(who, WHO_ADMIN1))
        return 0;
    return err_set(err, ERR_DENIED,
        "only administrators of level 1 may set a deadline: its job is planned before "
        "others");
}

static int check_flags(
    uint32_t flags, uint32_t before, const struct identity *who, struct err *err)
{
    if (!(flags & ~before & JOB_PREEMPTOR) || identity_is(who, WHO_ADMIN2))
        return 0;
    return err_set(err, ERR_DENIED,
        "only administrators of level 1 or 2 may set flag PREEMPTOR; a QOS with "
        "QFLAGS=PREEMPTOR gives it to its jobs");
}

int jobrights_submission(
    struct rm_submission *io_sub, const struct identity *who, struct err *err)
{
    const struct job_desc *d = &io_sub->job.desc;
    const char *group = d->cred[CRED_GROUP];

    if (strcmp(group, who->group) != 0
        && !identity_is_member(who->user, group, &io_sub->gid)
        && !identity_is(who, WHO_ADMIN2))
        return refuse_group(who->user, group, err);
    if (check_deadline(d->deadline_at, who, err) < 0)
        return -1;
    return check_flags(d->flags, 0, who, err);
}

int jobrights_change(const struct job *j, const struct job_change *ch, bool sysprio,
    const struct identity *who, struct err *err)
{
    bool active = job_is_active(j) || j->state == JOB_SUSPENDED;

    if ((ch->what & CHANGE_DEADLINE) && !identity_is(who, WHO_ADMIN1))
        return check_deadline(1, who, err);
    if (identity_is(who, WHO_ADMIN2))
        return 0;
    if (sysprio)
        return err_set(
            err, ERR_DENIED, "only administrators may set a system priority");
    if ((ch->what & CHANGE_GROUP)
        && !identity_is_member(who->user, ch->job.cred[CRED_GROUP], NULL))
        return refuse_group(who->user, ch->job.cred[CRED_GROUP], err);
    if ((ch->what & CHANGE_WCLIMIT) && active && ch->job.wclimit_s > j->wclimit_s)
        return err_set(err, ERR_DENIED,
            "only administrators may raise the limit of a running job");
    return ch->what & CHANGE_FLAGS
               ? check_flags(ch->job.flags, j->flags_asked, who, err)
               : 0;
}

void jobrights_remark(const char *group, const char *owner, char *text, size_t size)
{
    size_t len = strlen(text);
    char groups[200];

    if (identity_is_member(owner, group, NULL))
        return;
    identity_groups(owner, groups, sizeof groups);
    snprintf(text + len, size - len,
        "; user %s is not a member of group %.60s; member of: %s", owner, group,
        groups);
}
