/* SPDX-License-Identifier: Apache-2.0
 * See rmname.h. */
#include "server/drafts/rmname.h"

#include "cluster/job.h"
#include "cluster/node.h"
#include "cluster/rmset.h"

#include <stdio.h>
#include <string.h>

#define ID_MAX 300

static const struct job *find_queued(const struct cluster *c, const char *id)
{
    const struct job *j = job_find(c, id);

    return j && j->state < JOB_COMPLETED ? j : NULL;
}

static const struct job *find_of(
    const struct cluster *c, uint32_t rm, const char *own_id)
{
    char id[ID_MAX];

    snprintf(id, sizeof id, "%s.%s", rmset_name(c, rm), own_id);
    return find_queued(c, id);
}

/* Does it begin with the name that people have for the first, which is not named in
 * ids? *ret_rest is what follows. */
static bool names_first(
    const struct cluster *c, const char *text, const char **ret_rest)
{
    const char *name = c->rms.v[0].called;
    size_t len = name ? strlen(name) : 0;

    if (!len || strncmp(text, name, len) != 0 || text[len] != '.')
        return false;
    *ret_rest = text + len + 1;
    return true;
}

bool rmname_split(
    const struct cluster *c, const char *text, uint32_t *ret_rm, const char **ret_rest)
{
    *ret_rm = c->rms.n > 1 ? rmset_of_id(c, text) : 0;
    if (*ret_rm) {
        *ret_rest = strchr(text, '.') + 1;
        return true;
    }
    return names_first(c, text, ret_rest);
}

const char *rmname_called(const struct cluster *c, uint32_t rm)
{
    const char *first = c->rms.v[0].called;

    return rm ? rmset_name(c, rm) : first ? first : "the first's";
}

/* Was a job called so lately, but one of the manager of `found`? */
static bool was_another(
    const struct cluster *c, const char *own_id, const struct job *found)
{
    bool was = false;

    for (uint32_t i = 0; i < c->rms.n && !was; i++) {
        char id[ID_MAX];

        snprintf(
            id, sizeof id, "%s%s%s", i ? rmset_name(c, i) : "", i ? "." : "", own_id);
        was = i != job_rm(found) && rmset_was_there(c, id);
    }
    return was;
}

const struct job *rmname_job(const struct cluster *c, const char *text, struct err *err)
{
    const struct job *found = NULL;
    const char *rest;

    for (uint32_t i = 1; i < c->rms.n; i++) {
        const struct job *j = find_of(c, i, text);
        if (j && found) {
            if (err)
                err_set(err, ERR_CONFLICT,
                    "job '%.60s' is of several resource managers: expected %.80s or "
                    "%.80s",
                    text, found->id, j->id);
            return NULL;
        }
        found = j ? j : found;
    }
    if (found && was_another(c, text, found)) {
        if (err)
            err_set(err, ERR_NOT_FOUND, "job '%.60s' is over; %.80s is another one",
                text, found->id);
        return NULL;
    }
    if (found || !names_first(c, text, &rest))
        return found;
    found = find_queued(c, rest);
    return found && job_rm(found) == 0 ? found : NULL;
}

const struct job *rmname_any(
    const struct cluster *c, const char *own_id, struct err *err)
{
    const struct job *first = find_queued(c, own_id);

    if (c->rms.n < 2)
        return first;
    err->code = ERR_NONE;
    const struct job *other = rmname_job(c, own_id, err);
    if (first && other)
        err_set(err, ERR_CONFLICT,
            "job '%.60s' is of several resource managers: expected %.60s.%.80s or "
            "%.80s",
            own_id, rmname_called(c, 0), own_id, other->id);
    if (err->code == ERR_CONFLICT)
        return NULL;
    return first ? first : other;
}

int rmname_missing(const struct cluster *c, const char *id, struct err *err)
{
    uint32_t rm = rmset_of_id(c, id);

    if (rmset_is_away(c, rm))
        return err_set(err, ERR_NOT_FOUND,
            "cannot locate job '%.60s': %.60s does not answer, and has told of no such "
            "job",
            id, rmname_called(c, rm));
    return err_set(err, ERR_NOT_FOUND, "cannot locate job '%.60s'", id);
}

const struct node *rmname_node(const struct cluster *c, const char *text)
{
    const char *rest;
    const struct node *n;

    for (uint32_t i = 1; i < c->rms.n; i++) {
        size_t len = strlen(rmset_name(c, i));
        if (strncmp(text, rmset_name(c, i), len) != 0 || text[len] != '.')
            continue;
        n = node_find(c, text + len + 1);
        return n && n->rm == i ? n : NULL;
    }
    n = names_first(c, text, &rest) ? node_find(c, rest) : NULL;
    return n && n->rm == 0 ? n : NULL;
}

const char *rmname_own_id(const struct job *j)
{
    const char *dot = job_rm(j) ? strchr(j->id, '.') : NULL;

    return dot ? dot + 1 : j->id;
}
