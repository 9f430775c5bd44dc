/* SPDX-License-Identifier: Apache-2.0
 * What was worked out for a combination of credentials. */
#include "policy/access_cache.h"

#include "base/hash.h"
#include "policy/access.h"
#include "policy/access_lists.h"

#include <assert.h>

/* Keyed by the credentials that the answer depends on; the QOS is 0 in `qos` sets. */
struct entry {
    uint32_t cred[CRED_KINDS];
    struct bitset set;
    uint32_t def; /* default QOS or partition */
    UT_hash_handle hh;
};

struct merged {
    struct access_merge key;
    const struct taskdef *def;
    UT_hash_handle hh;
};

struct access_cache {
    uint64_t config_epoch;
    size_t qos_count, partition_count;
    bool filled;
    struct entry *by_cred[ACCESS_PARTITIONS + 1];
    struct merged *merged;
};

/* HASH_CLEAR frees the table and leaves the entries chained. */
static void empty_entries(struct access_cache *a, enum access_what what)
{
    struct entry *e = a->by_cred[what], *next;

    HASH_CLEAR(hh, a->by_cred[what]);
    for (; e; e = next) {
        next = e->hh.next;
        bitset_fini(&e->set);
        free(e);
    }
}

static void empty(struct access_cache *a)
{
    struct merged *m = a->merged, *next;

    empty_entries(a, ACCESS_QOS);
    empty_entries(a, ACCESS_PARTITIONS);
    HASH_CLEAR(hh, a->merged);
    for (; m; m = next) {
        next = m->hh.next;
        free(m);
    }
}

void access_cache_destroy(struct cluster *c)
{
    if (!c->access)
        return;
    empty(c->access);
    free(c->access);
    c->access = NULL;
}

struct access_cache *access_cache_of(struct cluster *c)
{
    struct access_cache *a = c->access;

    if (!a)
        a = c->access = xcalloc(1, sizeof *a);
    if (!a->filled || a->config_epoch != c->config_epoch)
        access_lists_mention(c);
    else if (a->qos_count == c->creds[CRED_QOS].n
             && a->partition_count == c->partitions.n)
        return a;
    empty(a);
    a->filled = true;
    a->config_epoch = c->config_epoch;
    a->qos_count = c->creds[CRED_QOS].n;
    a->partition_count = c->partitions.n;
    return a;
}

static const struct entry *entry_of(struct access_cache *a, const struct cluster *c,
    enum access_what what, const struct job *j)
{
    struct entry *e;
    uint32_t cred[CRED_KINDS];

    memcpy(cred, j->cred, sizeof cred);
    if (what == ACCESS_QOS)
        cred[CRED_QOS] = 0; /* the answer does not depend on it */
    HASH_FIND(hh, a->by_cred[what], cred, sizeof cred, e);
    if (e)
        return e;
    e = xcalloc(1, sizeof *e);
    memcpy(e->cred, cred, sizeof cred);
    access_lists_set(c, what, cred, &e->set);
    e->def = access_lists_default(c, what, cred, &e->set);
    HASH_ADD(hh, a->by_cred[what], cred, sizeof e->cred, e);
    return e;
}

const struct bitset *access_cache_qos(struct access_cache *a, const struct cluster *c,
    const struct job *j, uint32_t *ret_default)
{
    const struct entry *e = entry_of(a, c, ACCESS_QOS, j);

    *ret_default = e->def;
    if (e->def == INDEX_NONE) { /* DEFAULT if it may be used, else the lowest number */
        uint32_t lowest = bitset_next(&e->set, 0);
        *ret_default = lowest == BITSET_NONE ? 0 : lowest;
    }
    return &e->set;
}

uint64_t access_cache_partitions(struct access_cache *a, const struct cluster *c,
    const struct job *j, uint32_t *ret_default)
{
    const struct entry *e = entry_of(a, c, ACCESS_PARTITIONS, j);

    *ret_default = e->def;
    return bitset_word(&e->set, 0);
}

const struct taskdef *access_cache_merged(
    const struct access_cache *a, const struct access_merge *m)
{
    struct merged *x;

    HASH_FIND(hh, a->merged, m, sizeof *m, x);
    return x ? x->def : NULL;
}

void access_cache_add_merged(
    struct access_cache *a, const struct access_merge *m, const struct taskdef *def)
{
    struct merged *x = xcalloc(1, sizeof *x);

    x->key = *m;
    x->def = def;
    HASH_ADD(hh, a->merged, key, sizeof x->key, x);
}
