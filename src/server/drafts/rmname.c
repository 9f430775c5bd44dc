/* SPDX-License-Identifier: Apache-2.0
 * See rmname.h. */
#include "server/drafts/rmname.h"

#include "cluster/job.h"
#include "cluster/node.h"
#include "cluster/rmset.h"
#include "config/config.h"

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

/* Is that the plain manager, which is not named here? *ret_rest is what follows. */
static bool names_plain(
    const struct cluster *c, const char *text, const char **ret_rest)
{
    size_t len = strcspn(text, ".");

    for (size_t i = 0; text[len] && i < c->cfg->raw.n; i++) {
        const struct raw_object *o = &c->cfg->raw.v[i];
        if (strcmp(o->kind, "RMCFG") == 0 && strncmp(o->name, text, len) == 0
            && !o->name[len]) {
            *ret_rest = text + len + 1;
            return true;
        }
    }
    return false;
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
    if (found || c->rms.n == 1 || !names_plain(c, text, &rest))
        return found;
    found = find_queued(c, rest);
    return found && job_rm(found) == 0 ? found : NULL;
}

const struct node *rmname_node(const struct cluster *c, const char *text)
{
    const char *rest;
    const struct node *n;

    if (c->rms.n == 1 || !names_plain(c, text, &rest))
        return NULL;
    n = node_find(c, rest);
    if (!n)
        return NULL;
    const char *whose = rmset_name(c, n->rm);
    size_t len = (size_t)(rest - text) - 1;
    return !*whose || (strncmp(whose, text, len) == 0 && !whose[len]) ? n : NULL;
}

const char *rmname_own_id(const struct job *j)
{
    const char *dot = job_rm(j) ? strchr(j->id, '.') : NULL;

    return dot ? dot + 1 : j->id;
}
