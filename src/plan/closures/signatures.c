/* SPDX-License-Identifier: Apache-2.0
 * A hash table of what was found out, by what the lists in force look at. */
#include "plan/closures/signatures.h"

#include "base/hash.h"
#include "base/xalloc.h"
#include "policy/acl.h"

#include <stdlib.h>
#include <string.h>

/* So many survive a change of the reservations. */
#define KEPT 10000

struct signatures {
    struct cluster *c;
    struct signature *v; /* hash table, `cap` slots */
    uint32_t n, cap;
    uint32_t types; /* of entries in use at types_epoch */
    uint64_t types_epoch;
};

struct signatures *signatures_create(struct cluster *c)
{
    struct signatures *s = xcalloc(1, sizeof *s);

    s->c = c;
    return s;
}

void signatures_destroy(struct signatures *s)
{
    if (s)
        free(s->v);
    free(s);
}

uint32_t signatures_types(struct signatures *s)
{
    if (s->types_epoch == s->c->rsv_epoch + 1)
        return s->types;
    s->types_epoch = s->c->rsv_epoch + 1;
    s->types = 0;
    if (s->n > KEPT) { /* of jobs long gone, most of them */
        memset(s->v, 0, s->cap * sizeof *s->v);
        s->n = 0;
    }
    for (size_t i = 0; i < s->c->reservations.n; i++) {
        const struct reservation *r = s->c->reservations.v[i];
        for (size_t k = 0; r && reservation_is_live(r) && k < r->acl.entries.n; k++)
            s->types |= 1u << r->acl.entries.v[k].type;
    }
    return s->types;
}

/* How the asker is confined, and to what. By name: a job's index is somebody else's
 * when the job has gone, and these numbers live longer. */
static uint64_t confined_to(const struct acl_asker *who)
{
    uint64_t h = hash_mix(2, who->confined);

    if (who->advres)
        h = hash_mix(h, hash_bytes(who->advres, strlen(who->advres)));
    for (size_t i = 0; who->use && i < who->use->n; i++)
        h = hash_mix(h, hash_bytes(who->use->v[i], strlen(who->use->v[i])));
    return h;
}

/* All that the lists in force may look at. */
static uint64_t who_asks(struct signatures *s, const struct job *j)
{
    static const struct {
        enum acl_type type;
        enum cred_kind kind;
    } creds[] = {{ACL_USER, CRED_USER}, {ACL_GROUP, CRED_GROUP},
        {ACL_ACCOUNT, CRED_ACCOUNT}, {ACL_CLASS, CRED_CLASS}, {ACL_QOS, CRED_QOS}};
    uint32_t types = signatures_types(s);
    uint64_t h = hash_mix(1, job_cred(s->c, j, CRED_QOS)->index + 1);

    for (size_t i = 0; i < sizeof creds / sizeof creds[0]; i++)
        if (types >> creds[i].type & 1)
            h = hash_mix(h, j->cred[creds[i].kind]);
    if (types >> ACL_JOBATTR & 1)
        h = hash_mix(h, j->flags);
    if (types >> ACL_PROCS & 1 || types >> ACL_TASKS & 1)
        h = hash_mix(h, (uint64_t)j->procs << 32 | j->tasks);
    if (job_is_confined(j)) {
        struct acl_asker who = acl_asker_of(s->c, j);
        h = hash_mix(h, confined_to(&who));
    }
    return h ? h : 1;
}

static uint64_t hash_verdicts(struct cluster *c, const struct job *j)
{
    struct acl_asker who = acl_asker_of(c, j);
    uint64_t h = confined_to(&who);

    for (size_t i = 0; i < c->reservations.n; i++) {
        struct reservation *r = c->reservations.v[i];
        if (!r || !reservation_is_live(r))
            continue;
        bool brief = acl_decide(c, r, &who, 0).granted;
        bool ever = acl_decide(c, r, &who, DURATION_UNLIMITED).granted;
        h = hash_mix(h, (uint64_t)i << 2 | (uint64_t)brief << 1 | ever);
    }
    return h;
}

static struct signature *find_slot(struct signatures *s, uint64_t who)
{
    uint32_t i = (uint32_t)(who >> 32) & (s->cap - 1);

    while (s->v[i].who && s->v[i].who != who)
        i = (i + 1) & (s->cap - 1);
    return &s->v[i];
}

static void grow_table(struct signatures *s)
{
    const struct signatures old = *s;

    s->cap = old.cap ? old.cap * 2 : 256;
    s->v = xcalloc(s->cap, sizeof *s->v);
    for (uint32_t i = 0; i < old.cap; i++)
        if (old.v[i].who)
            *find_slot(s, old.v[i].who) = old.v[i];
    free(old.v);
}

struct signature *signatures_of(struct signatures *all, const struct job *j)
{
    uint64_t who = who_asks(all, j);

    if (all->n * 2 >= all->cap)
        grow_table(all);
    struct signature *s = find_slot(all, who);
    if (s->who != who) {
        *s = (struct signature){.who = who};
        all->n++;
    }
    return s;
}

uint64_t signatures_sum(struct signatures *all, const struct job *j)
{
    struct signature *s = signatures_of(all, j);

    if (s->sum_epoch != all->c->rsv_epoch + 1) {
        s->sum_epoch = all->c->rsv_epoch + 1;
        s->sum = hash_verdicts(all->c, j);
    }
    return s->sum;
}
