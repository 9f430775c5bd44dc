/* SPDX-License-Identifier: Apache-2.0
 * Who asks, and what that person may do. */
#include "server/api/identity.h"

#include "base/xalloc.h"
#include "cluster/rmset.h"

#include <grp.h>
#include <munge.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The system's users and groups are looked up in room that the system finds: a group
 * comes with its members, of which there may be thousands. The daemon has one thread.
 */

void identity_of_uid(uid_t uid, gid_t gid, struct identity *ret)
{
    const struct passwd *pw = getpwuid(uid);
    const struct group *gr = getgrgid(gid);

    *ret = (struct identity){.uid = uid, .gid = gid};
    if (pw)
        snprintf(ret->user, sizeof ret->user, "%s", pw->pw_name);
    else
        snprintf(ret->user, sizeof ret->user, "#%u", (unsigned)uid);
    if (gr)
        snprintf(ret->group, sizeof ret->group, "%s", gr->gr_name);
    else
        snprintf(ret->group, sizeof ret->group, "#%u", (unsigned)gid);
}

int identity_by_munge(const char *credential, char **ret_payload, size_t *ret_len,
    struct identity *ret, struct err *err)
{
    void *told = NULL;
    int len = 0;
    uid_t uid;
    gid_t gid;

    munge_err_t e = munge_decode(credential, NULL, &told, &len, &uid, &gid);
    if (e != EMUNGE_SUCCESS) {
        free(told);
        return err_set(
            err, ERR_DENIED, "the MUNGE credential is refused: %s", munge_strerror(e));
    }
    *ret_len = len > 0 ? (size_t)len : 0;
    *ret_payload = told ? told : xstrdup("");
    identity_of_uid(uid, gid, ret);
    return 0;
}

char *identity_seal(uid_t reader, const char *text, struct err *err)
{
    munge_ctx_t how = munge_ctx_create();
    char *sealed = NULL;
    munge_err_t e = EMUNGE_NO_MEMORY;

    if (how && (e = munge_ctx_set(how, MUNGE_OPT_UID_RESTRICTION, reader)) == 0)
        e = munge_encode(&sealed, how, text, (int)strlen(text));
    munge_ctx_destroy(how);
    if (e == EMUNGE_SUCCESS)
        return sealed;
    free(sealed);
    err_set(err, ERR_IO, "there is no MUNGE credential: %s", munge_strerror(e));
    return NULL;
}

/* Is `word` in a list separated by blanks, commas or colons? ALL stands for any. */
static bool listed(const char *list, const char *word)
{
    static const char separators[] = " \t,:";
    size_t n = strlen(word);

    for (const char *p = list; p && *p;) {
        p += strspn(p, separators);
        size_t len = strcspn(p, separators);
        if ((len == n && strncmp(p, word, n) == 0)
            || (len == 3 && strncmp(p, "ALL", 3) == 0))
            return true;
        p += len;
    }
    return false;
}

void identity_set_level(
    struct identity *who, const struct config *config, const struct rights *rights)
{
    static const char *const lists[] = {"ADMIN1", "ADMIN2", "ADMIN3"};
    const char *hosts = cfg_get(config, "ADMINHOSTS", NULL);
    bool local = who->host[0] == 0;

    who->level = 0;
    if (local && (who->uid == 0 || who->uid == geteuid()))
        who->level = 1;
    for (int i = 0; i < 3 && !who->level; i++) {
        bool far = i == 0 && !local && hosts && *hosts && !listed(hosts, who->host);
        if (!far && listed(cfg_get(config, lists[i], NULL), who->user))
            who->level = i + 1;
    }
    who->rights = rights;
    if (rights_is_operator(rights, who->user) && (!who->level || who->level > 2))
        who->level = 2;
    if (who->session[0] && who->level_most >= 0 && who->level < who->level_most)
        who->level = who->level ? who->level_most : 0;
    if (who->session[0] && who->level_most == 0)
        who->level = 0;
    who->hidden = who->level ? 0 : rights_hidden(rights);
}

bool identity_is_kept_from(const struct identity *who, enum rm_hidden what)
{
    return (who->hidden & what) != 0;
}

bool identity_is(const struct identity *who, enum who level)
{
    switch (level) {
    case WHO_ANY:
        return true;
    case WHO_ADMIN3:
        return who->level >= 1;
    case WHO_ADMIN2:
        return who->level == 1 || who->level == 2;
    case WHO_ADMIN1:
        return who->level == 1;
    }
    return false;
}

bool identity_owns(const struct identity *who, const char *user)
{
    return strcmp(who->user, user) == 0;
}

static bool coordinates_account(
    const struct identity *who, const struct cluster *c, const struct job *j)
{
    if (!rights_cover(who->rights, rmset_name(c, job_rm(j))))
        return false;
    return (!rights_is_operator(who->rights, who->user)
               && rights_operate(who->rights, who->user))
           || (rights_coordinates(who->rights, who->user, NULL)
               && rights_coordinates(
                   who->rights, who->user, job_cred(c, j, CRED_ACCOUNT)->name));
}

bool identity_has_job(
    const struct identity *who, const struct cluster *c, const struct job *j)
{
    return identity_owns(who, job_cred(c, j, CRED_USER)->name)
           || coordinates_account(who, c, j);
}

bool identity_sees_job(
    const struct identity *who, const struct cluster *c, const struct job *j)
{
    return !identity_is_kept_from(who, RM_HIDES_JOBS) || identity_has_job(who, c, j);
}

bool identity_sees_ended(const struct identity *who, const char *user)
{
    return identity_is(who, WHO_ADMIN3) || (user && identity_owns(who, user));
}

struct actor identity_actor(
    const struct identity *who, const struct cluster *c, const struct job *j)
{
    return (struct actor){
        .name = who->user, .level = who->level, .owns = coordinates_account(who, c, j)};
}

bool identity_sees(
    const struct identity *who, const struct cluster *c, const struct reservation *r)
{
    if (identity_is(who, WHO_ADMIN3))
        return true;
    if (r->charge[CRED_USER]
        && identity_owns(who, c->creds[CRED_USER].v[r->charge[CRED_USER]]->name))
        return true;
    for (size_t i = 0; i < r->acl.entries.n; i++) {
        const struct acl_entry *e = &r->acl.entries.v[i];
        if (e->type == ACL_USER && !e->negated
            && (e->any || (e->name && identity_owns(who, e->name))))
            return true;
    }
    return false;
}

/* Does the system have a user or group of that name? Of other kinds it knows none. */
static bool is_of_system(enum cred_kind kind, const char *name)
{
    if (kind == CRED_USER)
        return getpwnam(name) != NULL;
    return kind == CRED_GROUP && getgrnam(name) != NULL;
}

/* Who may not know which users and accounts there are does not learn it by guessing. */
static bool is_kept(const struct identity *who, enum cred_kind kind)
{
    return (kind == CRED_USER && identity_is_kept_from(who, RM_HIDES_USERS))
           || (kind == CRED_ACCOUNT && identity_is_kept_from(who, RM_HIDES_ACCOUNTS));
}

int identity_known(const struct identity *who, const struct cluster *c,
    enum cred_kind kind, const char *name, struct err *err)
{
    return is_kept(who, kind) || cred_find(c, kind, name) || is_of_system(kind, name)
               ? 0
               : cred_missing(c, kind, name, err);
}

void identity_group_of(const char *user, char *ret)
{
    struct identity who = {.group = ""};
    const struct passwd *pw = getpwnam(user);

    if (pw)
        identity_of_uid(pw->pw_uid, pw->pw_gid, &who);
    snprintf(ret, sizeof who.group, "%s", who.group);
}

#define GROUPS_MAX 1024

/* Numbers of the groups of a user; how many. */
static int groups_of(const char *user, gid_t ret[GROUPS_MAX])
{
    const struct passwd *pw = getpwnam(user);
    int n = GROUPS_MAX;

    if (!pw)
        return 0;
    return getgrouplist(user, pw->pw_gid, ret, &n) < 0 ? GROUPS_MAX : n;
}

/* "" when the system has no such group; until the next look-up. */
static const char *group_name(gid_t gid)
{
    const struct group *gr = getgrgid(gid);

    return gr ? gr->gr_name : "";
}

bool identity_is_member(const char *user, const char *group, gid_t *ret_gid)
{
    gid_t gids[GROUPS_MAX];
    int n = groups_of(user, gids);

    for (int i = 0; i < n; i++)
        if (strcmp(group_name(gids[i]), group) == 0) {
            if (ret_gid)
                *ret_gid = gids[i];
            return true;
        }
    return false;
}

void identity_groups(const char *user, char *ret, size_t size)
{
    gid_t gids[GROUPS_MAX];
    int n = groups_of(user, gids);
    size_t len = 0;

    snprintf(ret, size, "none");
    for (int i = 0; i < n && len < size; i++) {
        const char *name = group_name(gids[i]);
        if (*name)
            len +=
                (size_t)snprintf(ret + len, size - len, "%s%s", len ? ", " : "", name);
    }
}

int identity_deny_nodes(struct err *err)
{
    return err_set(err, ERR_DENIED,
        "the state of nodes is shown to administrators and operators only, as the "
        "resource manager is configured (PrivateData)");
}

int identity_deny(const struct identity *who, const char *command, struct err *err)
{
    return err_set(err, ERR_DENIED, "user '%s' is not authorized to run command '%s'",
        who->user, command);
}
