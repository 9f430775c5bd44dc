/* SPDX-License-Identifier: Apache-2.0
 * See quota.h. */
#include "cluster/quota.h"

#include "cluster/private.h"
#include "cluster/rmset.h"

/* A copy, in memory of its own. */
struct quota_store {
    struct quota_list list;
    struct VEC(void *) blocks; /* owned */
};

static void *take_block(struct quota_store *s, size_t count, size_t size)
{
    void *block = xcalloc(count, size);

    vec_push(&s->blocks, block);
    return block;
}

static const char *copy_text(struct quota_store *s, const char *text)
{
    char *copy = text ? xstrdup(text) : NULL;

    if (copy)
        vec_push(&s->blocks, copy);
    return copy;
}

static const char *const *copy_texts(struct quota_store *s, const char *const *texts)
{
    size_t n = 0;

    if (!texts)
        return NULL;
    while (texts[n])
        n++;
    const char **copy = take_block(s, n + 1, sizeof *copy);
    for (size_t i = 0; i < n; i++)
        copy[i] = copy_text(s, texts[i]);
    return copy;
}

static const struct quota_limit *copy_limits(
    struct quota_store *s, const struct quota *q)
{
    struct quota_limit *copy = take_block(s, q->n + 1, sizeof *copy);

    for (size_t i = 0; i < q->n; i++) {
        copy[i] = q->limits[i];
        copy[i].word = copy_text(s, q->limits[i].word);
        copy[i].gres = copy_text(s, q->limits[i].gres);
    }
    return copy;
}

static struct quota copy_quota(struct quota_store *s, const struct quota *q)
{
    struct quota copy = *q;

    copy.name = copy_text(s, q->name);
    copy.user = copy_text(s, q->user);
    copy.qos = copy_text(s, q->qos);
    copy.accounts = copy_texts(s, q->accounts);
    copy.classes = copy_texts(s, q->classes);
    copy.except = copy_texts(s, q->except);
    copy.limits = copy_limits(s, q);
    return copy;
}

void quotas_destroy(struct cluster *c)
{
    struct quota_store *s = c->quota_store;

    if (!s)
        return;
    for (size_t i = 0; i < s->blocks.n; i++)
        free(s->blocks.v[i]);
    vec_fini(&s->blocks);
    free(s);
    c->quota_store = NULL;
    c->quotas = NULL;
}

/* Who and what is named is there, also before the first job comes. */
static void make_named(struct cluster *c, const struct quota *q)
{
    const char *const *account = q->accounts, *const *cls = q->classes;

    if (q->user)
        cred_get(c, CRED_USER, q->user);
    if (q->qos)
        cred_get(c, CRED_QOS, q->qos);
    for (; account && *account; account++)
        cred_get(c, CRED_ACCOUNT, *account);
    for (; cls && *cls; cls++)
        cred_get(c, CRED_CLASS, *cls);
    for (size_t i = 0; i < q->n; i++)
        if (q->limits[i].gres)
            names_intern(c->gres, q->limits[i].gres);
}

static const struct quota_rank *copy_ranks(
    struct quota_store *s, const struct quota_list *l)
{
    struct quota_rank *copy = take_block(s, l->nranks + 1, sizeof *copy);

    for (size_t i = 0; i < l->nranks; i++)
        copy[i] =
            (struct quota_rank){copy_text(s, l->ranks[i].qos), l->ranks[i].priority};
    return copy;
}

static const struct quota_target *copy_targets(
    struct quota_store *s, const struct quota_list *l)
{
    struct quota_target *copy = take_block(s, l->ntargets + 1, sizeof *copy);

    for (size_t i = 0; i < l->ntargets; i++) {
        copy[i] = l->targets[i];
        copy[i].name = copy_text(s, l->targets[i].name);
    }
    return copy;
}

static void set_targets(struct cluster *c, const struct quota_list *l)
{
    for (int kind = 0; kind < CRED_KINDS; kind++)
        for (size_t i = 0; i < c->creds[kind].n; i++)
            c->creds[kind].v[i]->rm_fstarget = 0;
    for (size_t i = 0; i < l->ntargets; i++)
        cred_get(c, l->targets[i].kind, l->targets[i].name)->rm_fstarget =
            l->targets[i].percent;
}

/* One that is not told any more has none. */
static void set_ranks(struct cluster *c, const struct quota_list *l)
{
    for (size_t i = 0; i < c->creds[CRED_QOS].n; i++)
        c->creds[CRED_QOS].v[i]->rm_priority = 0;
    for (size_t i = 0; i < l->nranks; i++)
        cred_get(c, CRED_QOS, l->ranks[i].qos)->rm_priority = l->ranks[i].priority;
}

void quotas_set(struct cluster *c, const struct quota_list *l)
{
    struct quota_store *s = xcalloc(1, sizeof *s);
    struct quota *copy = take_block(s, l->n + 1, sizeof *copy);

    s->list = (struct quota_list){.source = copy_text(s, l->source),
        .rm = copy_text(s, l->rm),
        .v = copy,
        .n = l->n,
        .ranks = copy_ranks(s, l),
        .nranks = l->nranks,
        .targets = copy_targets(s, l),
        .ntargets = l->ntargets};
    for (size_t i = 0; i < l->n; i++) {
        copy[i] = copy_quota(s, &l->v[i]);
        copy[i].rm = rmset_get(c, l->rm);
    }
    for (size_t i = 0; i < l->n; i++)
        make_named(c, &copy[i]);
    set_ranks(c, &s->list);
    set_targets(c, &s->list);
    quotas_destroy(c);
    c->quota_store = s;
    c->quotas = &s->list;
    c->config_epoch++;
}

static bool is_named(const char *const *names, const char *name)
{
    for (; names && *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

/* By its class 2, by its QOS 1 or 3, by neither 4. */
static unsigned nearness_of(const struct quota *q, const char *qos, const char *cls)
{
    if (!q->qos && !q->classes)
        return 4;
    if (q->qos && strcmp(q->qos, qos) == 0)
        return q->first ? 1 : is_named(q->classes, cls) ? 2 : 3;
    return is_named(q->classes, cls) ? 2 : 0;
}

unsigned quota_nearness(
    const struct cluster *c, const struct quota *q, const uint32_t *cred)
{
    const char *name[CRED_KINDS];

    for (int kind = 0; kind < CRED_KINDS; kind++)
        name[kind] = c->creds[kind].v[cred[kind]]->name;
    if (q->rm != cred[CRED_RM] && cred[CRED_RM] != INDEX_NONE)
        return 0;
    if ((q->user && strcmp(q->user, name[CRED_USER]) != 0)
        || (q->accounts && !is_named(q->accounts, name[CRED_ACCOUNT]))
        || is_named(q->except, name[CRED_CLASS]))
        return 0;
    return nearness_of(q, name[CRED_QOS], name[CRED_CLASS]);
}

uint32_t quota_object(const struct quota *q, const uint32_t *cred)
{
    return q->per == QUOTA_PER_USER      ? cred[CRED_USER]
           : q->per == QUOTA_PER_ACCOUNT ? cred[CRED_ACCOUNT]
                                         : 0;
}
