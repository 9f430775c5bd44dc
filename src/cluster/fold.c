/* SPDX-License-Identifier: Apache-2.0
 * Folded nodes: runs of equal nodes that one piece of an allocation took when nothing
 * was on them. Sets of bits tell which they are; a run's first node leads to the job.
 * A run falls apart where somebody wants a node's record (node_unfold()). */
#include "cluster/private.h"

void folds_destroy(struct cluster *c)
{
    struct cluster_private *p = c->priv;

    rangeset_fini(&p->vacant);
    rangeset_fini(&p->partly);
    vec_fini(&p->kinds);
    bitset_fini(&p->fold_first);
    vec_fini(&p->folds);
}

void folds_reserve(struct cluster *c)
{
    struct cluster_private *p = c->priv;

    vec_reserve(&p->folds, c->nodes.n - p->folds.n);
    p->folds.n = c->nodes.n; /* what is in them is written at the first nodes of runs */
    rangeset_reserve(&p->vacant, (uint32_t)c->nodes.n);
    rangeset_reserve(&p->partly, (uint32_t)c->nodes.n);
}

/* ---- which nodes ------------------------------------------------------------- */

/* The first run of nodes of one kind that begins at `node` or later; kinds.n = none. */
static size_t kind_from(const struct cluster *c, uint32_t node)
{
    const uint32_t *v = c->priv->kinds.v;
    size_t lo = 0, hi = c->priv->kinds.n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (v[mid] < node)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void compare_with_previous(struct cluster *c, uint32_t i)
{
    struct cluster_private *p = c->priv;
    size_t at = kind_from(c, i);
    bool begins = at < p->kinds.n && p->kinds.v[at] == i;

    if (i >= c->nodes.n)
        return;
    if (i > 0 && node_same_kind(node_at(c, i - 1), node_at(c, i))) {
        if (begins)
            vec_remove(&p->kinds, at);
        return;
    }
    if (begins)
        return;
    vec_push(&p->kinds, i);
    memmove(p->kinds.v + at + 1, p->kinds.v + at, (p->kinds.n - 1 - at) * sizeof i);
    p->kinds.v[at] = i;
}

void fold_compare(struct cluster *c, const struct node *n)
{
    compare_with_previous(c, n->index);
    compare_with_previous(c, n->index + 1);
}

void fold_repeat(struct cluster *c, const struct node *n, uint32_t count)
{
    struct cluster_private *p = c->priv;
    uint32_t end = (uint32_t)c->nodes.n;

    folds_reserve(c);
    if (n->vacant)
        rangeset_set_range(&p->vacant, end - count, end);
    else if (n->partly)
        rangeset_set_range(&p->partly, end - count, end);
}

uint32_t node_kind_end(const struct cluster *c, uint32_t node)
{
    size_t next = kind_from(c, node + 1);

    return next < c->priv->kinds.n ? c->priv->kinds.v[next] : (uint32_t)c->nodes.n;
}

const struct rangeset *nodes_vacant(const struct cluster *c)
{
    return &c->priv->vacant;
}

const struct rangeset *nodes_partly(const struct cluster *c)
{
    return &c->priv->partly;
}

uint32_t fold_room(const struct cluster *c, uint32_t first, uint32_t end)
{
    if (!rangeset_test(&c->priv->vacant, first))
        return 0;
    if (c->suspended) /* may keep memory on some of them */
        return 1;
    uint32_t kind_end = node_kind_end(c, first);
    end = kind_end < end ? kind_end : end;
    return rangeset_gap_within(&c->priv->vacant, first + 1, end) - first;
}

/* ---- folding ----------------------------------------------------------------- */

void fold_take(struct cluster *c, const struct job *j, const struct alloc *piece,
    uint32_t first, uint32_t count, bool partly)
{
    struct cluster_private *p = c->priv;

    rangeset_clear_range(&p->vacant, first, first + count);
    if (partly)
        rangeset_set_range(&p->partly, first, first + count);
    bitset_set(&p->fold_first, first);
    p->folds.v[first] = (struct fold){j->index, (uint32_t)(piece - j->alloc.v), count};
}

void fold_give(struct cluster *c, const struct job *j, uint32_t first, uint32_t count)
{
    struct cluster_private *p = c->priv;

    assert(bitset_test(&p->fold_first, first) && p->folds.v[first].job == j->index
           && p->folds.v[first].count == count);
    bitset_clear(&p->fold_first, first);
    if (rangeset_test(&p->partly, first))
        rangeset_clear_range(&p->partly, first, first + count);
    rangeset_set_range(&p->vacant, first, first + count);
}

uint32_t node_folded(const struct cluster *c, uint32_t first, uint32_t end)
{
    const struct cluster_private *p = c->priv;

    if (!node_is_folded(c, first))
        return 0;
    uint32_t head = bitset_prev(&p->fold_first, first);
    uint32_t run_end = head + p->folds.v[head].count;
    return (run_end < end ? run_end : end) - first;
}

const struct alloc *fold_piece(
    const struct cluster *c, uint32_t node, const struct job **ret_job)
{
    const struct cluster_private *p = c->priv;

    if (!node_is_folded(c, node))
        return NULL;
    const struct fold *f = &p->folds.v[bitset_prev(&p->fold_first, node)];
    *ret_job = c->jobs.v[f->job];
    return &(*ret_job)->alloc.v[f->piece];
}

void node_unfold_run(const struct cluster *c, const struct node *n)
{
    struct cluster_private *p = c->priv;
    uint32_t i = n->index;

    if (!node_is_folded(c, i))
        return;
    uint32_t head = bitset_prev(&p->fold_first, i);
    struct fold run = p->folds.v[head];
    uint32_t after = head + run.count - i - 1;
    if (after > 0) {
        bitset_set(&p->fold_first, i + 1);
        p->folds.v[i + 1] = (struct fold){run.job, run.piece, after};
    }
    p->folds.v[head].count = i - head;
    bitset_clear(&p->fold_first, i);
    const struct job *j = c->jobs.v[run.job];
    struct node *record = node_at(c, i);
    record->vacant = false;
    record->partly = rangeset_test(&p->partly, i);
    node_use(c, record, j, &j->alloc.v[run.piece], +1);
}
