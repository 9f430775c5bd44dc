/* SPDX-License-Identifier: Apache-2.0
 * Shares of associations (RawShares) as fairshare targets: whose part of the machine is
 * how many percent. As Slurm's tree has it: of what its account has, divided among all
 * of that account, users and accounts, by their shares.
 *
 *     root        chem 3, phys 1     chem 75 %, phys 25 %
 *     chem        ann 1, bob 2       ann 25 %, bob 50 %, and 12.5 % more of phys
 *     phys        bob 1, eve 1       eve 12.5 %
 *
 * An account with Fairshare=parent is no level of its own: who is in it shares with
 * those beside it. It and users with that word have no target of their own. */
#include "base/hash.h"
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "rm/slurm/limits.h"

#include <string.h>

#define DEPTH_MAX 64 /* accounts below each other */

struct share_account {
    const struct slurm_limits *is; /* its own association; NULL = only seen as parent */
    const char *name;              /* key */
    double below;                  /* shares of all in it together */
    UT_hash_handle hh;
};

struct share_owner {
    char *key; /* "u" or "a" and the name; owned */
    struct quota_target target;
    UT_hash_handle hh;
};

static struct share_account *find_or_add(struct share_account **all, const char *name)
{
    struct share_account *x;

    HASH_FIND_STR(*all, name, x);
    if (x == NULL) {
        x = xcalloc(1, sizeof *x);
        x->name = name;
        HASH_ADD_KEYPTR(hh, *all, x->name, strlen(x->name), x);
    }
    return x;
}

/* The account that it is in: of a user's association its own; NULL = the root. */
static const char *name_parent(const struct slurm_limits *l)
{
    return l->user != NULL ? l->account : l->parent;
}

/* Those that it shares with are in this one; NULL = it is the root. */
static struct share_account *find_parent(
    struct share_account **all, const struct slurm_limits *l)
{
    struct share_account *in = NULL;

    for (int depth = 0; name_parent(l) != NULL && depth < DEPTH_MAX; depth++) {
        in = find_or_add(all, name_parent(l));
        if (in->is == NULL || !in->is->shares_of_parent || in->is->parent == NULL)
            break;
        l = in->is;
    }
    return in;
}

/* One of a partition shares what its user has without. */
static bool is_in_tree(const struct slurm_limits *l)
{
    return l->account != NULL && l->qos == NULL && l->partition == NULL;
}

/* What part of the machine it has, 0 to 1. */
static double part_of(struct share_account **all, const struct slurm_limits *l)
{
    double part = 1;

    for (int depth = 0; l != NULL && name_parent(l) != NULL && depth < DEPTH_MAX;
         depth++) {
        const struct share_account *in = find_parent(all, l);

        if (in->below <= 0)
            return 0;
        part *= l->shares / in->below;
        l = in->is;
    }
    return part;
}

static void add_target(
    struct share_owner **all, enum cred_kind kind, const char *name, double percent)
{
    struct strbuf key = {0};
    struct share_owner *o;

    strbuf_printf(&key, "%c%s", kind == CRED_USER ? 'u' : 'a', name);
    HASH_FIND_STR(*all, key.text, o);
    if (o == NULL) {
        o = xcalloc(1, sizeof *o);
        o->key = strbuf_take(&key);
        o->target = (struct quota_target){.kind = kind, .name = name};
        HASH_ADD_KEYPTR(hh, *all, o->key, strlen(o->key), o);
    }
    free(key.text);
    o->target.percent += percent;
}

void shares_find(const struct slurm_limits_list *all, struct share_targets *ret)
{
    struct share_account *accounts = NULL, *x, *next_x;
    struct share_owner *owners = NULL, *o, *next_o;

    for (size_t i = 0; i < all->n; i++) {
        const struct slurm_limits *l = &all->v[i];
        if (is_in_tree(l) && l->user == NULL)
            find_or_add(&accounts, l->account)->is = l;
    }
    for (size_t i = 0; i < all->n; i++) {
        const struct slurm_limits *l = &all->v[i];
        if (is_in_tree(l) && l->shares > 0 && name_parent(l) != NULL)
            find_parent(&accounts, l)->below += l->shares;
    }
    for (size_t i = 0; i < all->n; i++) {
        const struct slurm_limits *l = &all->v[i];
        if (is_in_tree(l) && l->shares > 0 && name_parent(l) != NULL)
            add_target(&owners, l->user != NULL ? CRED_USER : CRED_ACCOUNT,
                l->user != NULL ? l->user : l->account, 100 * part_of(&accounts, l));
    }
    HASH_ITER(hh, owners, o, next_o)
    {
        if (o->target.percent > 0)
            vec_push(ret, o->target);
        HASH_DEL(owners, o);
        free(o->key);
        free(o);
    }
    HASH_ITER(hh, accounts, x, next_x)
    {
        HASH_DEL(accounts, x);
        free(x);
    }
}
