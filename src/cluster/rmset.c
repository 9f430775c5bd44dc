/* SPDX-License-Identifier: Apache-2.0
 * See rmset.h. */
#include "cluster/rmset.h"

#include "cluster/job.h"
#include "cluster/private.h"

static void add_manager(struct cluster *c, const char *name)
{
    vec_push(&c->rms, ((struct rm_known){.name = xstrdup(name)}));
}

void rmset_create(struct cluster *c)
{
    add_manager(c, "");
}

void rmset_destroy(struct cluster *c)
{
    for (size_t i = 0; i < c->rms.n; i++) {
        free(c->rms.v[i].name);
        free(c->rms.v[i].called);
    }
    vec_fini(&c->rms);
}

uint32_t rmset_get(struct cluster *c, const char *name)
{
    uint32_t i = 0;

    if (!name)
        return 0;
    while (i < c->rms.n && strcmp(c->rms.v[i].name, name) != 0)
        i++;
    if (i == c->rms.n)
        add_manager(c, name);
    return i;
}

const char *rmset_name(const struct cluster *c, uint32_t rm)
{
    return rm < c->rms.n ? c->rms.v[rm].name : "";
}

uint32_t rmset_of_id(const struct cluster *c, const char *job_id)
{
    size_t len = strcspn(job_id, ".");

    for (uint32_t i = 1; job_id[len] && i < c->rms.n; i++)
        if (strncmp(c->rms.v[i].name, job_id, len) == 0 && !c->rms.v[i].name[len])
            return i;
    return 0;
}

void rmset_call_first(struct cluster *c, const char *name)
{
    free(c->rms.v[0].called);
    c->rms.v[0].called = xstrdup(name);
}

void rmset_ask_of_past(
    struct cluster *c, bool (*was_there)(void *ctx, const char *job_id), void *ctx)
{
    c->rms.v[0].was_there = was_there;
    c->rms.v[0].ctx = ctx;
}

bool rmset_was_there(const struct cluster *c, const char *job_id)
{
    const struct rm_known *first = &c->rms.v[0];

    return first->was_there != NULL && first->was_there(first->ctx, job_id);
}

uint64_t rmset_foreign(const struct cluster *c, uint32_t rm)
{
    uint64_t mask = 0;

    if (c->rms.n == 1 || rm == INDEX_NONE)
        return 0;
    for (uint32_t i = 0; i < c->rms.n; i++)
        if (i != rm)
            mask |= c->rms.v[i].partitions;
    return mask;
}

uint32_t rmset_of_partition(const struct cluster *c, uint32_t partition)
{
    for (uint32_t i = 0; i < c->rms.n; i++)
        if (c->rms.v[i].partitions >> partition & 1)
            return i;
    return INDEX_NONE;
}

/* A job's partitions that do not exist yet are all that may come: one that is somebody
 * else's does not. */
static void keep_out(struct cluster *c, uint32_t rm, uint32_t partition)
{
    for (size_t i = 0; i < c->jobs.n; i++) {
        struct job *j = c->jobs.v[i];
        if (!j || job_rm(j) == rm)
            continue;
        j->partitions &= ~(UINT64_C(1) << partition);
        if (j->pdef == partition)
            j->pdef = INDEX_NONE;
    }
}

void rmset_bind(struct cluster *c, uint32_t rm, uint32_t partition)
{
    uint64_t bit = UINT64_C(1) << partition;

    if (c->rms.v[rm].partitions & bit)
        return;
    c->rms.v[rm].partitions |= bit;
    if (c->rms.n > 1)
        keep_out(c, rm, partition);
}

void rmset_set_away(struct cluster *c, uint32_t rm, bool away)
{
    if (c->rms.v[rm].away == away)
        return;
    c->rms.v[rm].away = away;
    c->rms_away = false;
    for (size_t i = 0; i < c->rms.n; i++)
        c->rms_away |= c->rms.v[i].away;
    c->config_epoch++;
}
