/* SPDX-License-Identifier: Apache-2.0
 * Folded nodes: runs of equal nodes that one piece of an allocation took when nothing
 * was on them. Sets of bits tell which they are; a run's first node leads to the job.
 * A run falls apart where somebody wants a node's record (node_unfold()). */
#include "cluster/private.h"

void folds_destroy(struct cluster *c)
{
    struct cluster_private *p = c->priv;

    bitset_fini(&p->vacant);
    bitset_fini(&p->alike);
    bitset_fini(&p->folded);
    bitset_fini(&p->fold_first);
    vec_fini(&p->folds);
}

/* ---- which nodes ------------------------------------------------------------- */

/* Has one room for just what has room on the other, when both are empty? */
static bool equal(const struct node *a, const struct node *b)
{
    return !a->global && !b->global && a->par == b->par
           && memcmp(&a->cfg, &b->cfg, sizeof a->cfg) == 0 && node_same_gres(a, b)
           && node_same_classes(a, b);
}

static void compare_with_previous(struct cluster *c, uint32_t i)
{
    if (i > 0 && i < c->nodes.n && equal(c->nodes.v[i - 1], c->nodes.v[i]))
        bitset_set(&c->priv->alike, i);
    else
        bitset_clear(&c->priv->alike, i);
}

void fold_compare(struct cluster *c, const struct node *n)
{
    while (c->priv->folds.n < c->nodes.n)
        vec_push(&c->priv->folds, ((struct fold){0}));
    compare_with_previous(c, n->index);
    compare_with_previous(c, n->index + 1);
}

void fold_note_vacant(const struct cluster *c, const struct node *n, bool vacant)
{
    if (vacant)
        bitset_set(&c->priv->vacant, n->index);
    else
        bitset_clear(&c->priv->vacant, n->index);
}

const struct bitset *nodes_vacant(const struct cluster *c)
{
    return &c->priv->vacant;
}

uint32_t fold_room(const struct cluster *c, uint32_t first, uint32_t end)
{
    if (!bitset_test(&c->priv->vacant, first))
        return 0;
    if (c->suspended) /* may keep memory on some of them */
        return 1;
    end = bitset_gap_within(&c->priv->vacant, first + 1, end);
    return bitset_gap_within(&c->priv->alike, first + 1, end) - first;
}

/* ---- folding ----------------------------------------------------------------- */

void fold_take(struct cluster *c, const struct job *j, const struct alloc *piece,
    uint32_t first, uint32_t count)
{
    struct cluster_private *p = c->priv;

    bitset_clear_range(&p->vacant, first, first + count);
    bitset_set_range(&p->folded, first, first + count);
    bitset_set(&p->fold_first, first);
    p->folds.v[first] = (struct fold){j->index, (uint32_t)(piece - j->alloc.v)};
}

void fold_give(struct cluster *c, const struct job *j, uint32_t first, uint32_t count)
{
    struct cluster_private *p = c->priv;

    assert(bitset_test(&p->fold_first, first) && p->folds.v[first].job == j->index);
    bitset_clear(&p->fold_first, first);
    bitset_clear_range(&p->folded, first, first + count);
    bitset_set_range(&p->vacant, first, first + count);
}

uint32_t node_folded(const struct cluster *c, uint32_t first, uint32_t end)
{
    if (!bitset_test(&c->priv->folded, first))
        return 0;
    end = bitset_gap_within(&c->priv->folded, first + 1, end);
    return bitset_next_within(&c->priv->fold_first, first + 1, end) - first;
}

const struct alloc *fold_piece(
    const struct cluster *c, uint32_t node, const struct job **ret_job)
{
    const struct cluster_private *p = c->priv;

    if (!bitset_test(&p->folded, node))
        return NULL;
    const struct fold *f = &p->folds.v[bitset_prev(&p->fold_first, node)];
    *ret_job = c->jobs.v[f->job];
    return &(*ret_job)->alloc.v[f->piece];
}

void node_unfold(const struct cluster *c, const struct node *n)
{
    struct cluster_private *p = c->priv;
    const struct job *j;
    const struct alloc *a = fold_piece(c, n->index, &j);
    uint32_t next = n->index + 1;

    if (!a)
        return;
    if (bitset_test(&p->folded, next) && !bitset_test(&p->fold_first, next)) {
        bitset_set(&p->fold_first, next);
        p->folds.v[next] = (struct fold){j->index, (uint32_t)(a - j->alloc.v)};
    }
    bitset_clear(&p->folded, n->index);
    bitset_clear(&p->fold_first, n->index);
    node_use(c, c->nodes.v[n->index], j, &j->reqs[a->req], a->tasks, +1);
}
