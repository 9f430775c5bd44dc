/* SPDX-License-Identifier: Apache-2.0
 * Folded nodes: runs of equal nodes that one piece of an allocation took when nothing
 * was on them. A run's first node leads to the job. Where nothing but processors
 * counts, further jobs may join on single nodes. A run falls apart where they do, and
 * where somebody wants a node's record (node_unfold()). */
#include "cluster/nodes/private.h"

void folds_create(struct cluster *c)
{
    c->folds = xcalloc(1, sizeof *c->folds);
}

void folds_destroy(struct cluster *c)
{
    struct folds *p = c->folds;

    rangeset_fini(&p->vacant);
    bitset_fini(&p->partly);
    vec_fini(&p->kinds);
    bitset_fini(&p->first);
    vec_fini(&p->of);
    free(p);
}

void folds_reserve(struct cluster *c)
{
    struct folds *p = c->folds;

    vec_reserve(&p->of, c->nodes.n - p->of.n);
    p->of.n = c->nodes.n; /* what is in them is written at the first nodes of runs */
    rangeset_reserve(&p->vacant, (uint32_t)c->nodes.n);
}

/* ---- which nodes ------------------------------------------------------------- */

/* The first run of nodes of one kind that begins at `node` or later; kinds.n = none. */
static size_t kind_from(const struct cluster *c, uint32_t node)
{
    const uint32_t *v = c->folds->kinds.v;
    size_t lo = 0, hi = c->folds->kinds.n;

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
    struct folds *p = c->folds;
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
    struct folds *p = c->folds;
    uint32_t end = (uint32_t)c->nodes.n;

    folds_reserve(c);
    if (n->vacant)
        rangeset_set_range(&p->vacant, end - count, end);
    else if (bitset_test(&p->partly, n->index))
        bitset_set_range(&p->partly, end - count, end);
}

uint32_t node_kind_end(const struct cluster *c, uint32_t node)
{
    size_t next = kind_from(c, node + 1);

    return next < c->folds->kinds.n ? c->folds->kinds.v[next] : (uint32_t)c->nodes.n;
}

const struct rangeset *nodes_vacant(const struct cluster *c)
{
    return &c->folds->vacant;
}

const struct bitset *nodes_partly(const struct cluster *c)
{
    return &c->folds->partly;
}

uint32_t fold_room(const struct cluster *c, uint32_t first, uint32_t end)
{
    if (!rangeset_test(&c->folds->vacant, first))
        return 0;
    if (c->suspended) /* may keep memory on some of them */
        return 1;
    uint32_t kind_end = node_kind_end(c, first);
    end = kind_end < end ? kind_end : end;
    return rangeset_gap_within(&c->folds->vacant, first + 1, end) - first;
}

/* ---- folding ----------------------------------------------------------------- */

/* What a piece takes of each node where nothing but processors counts. */
static int64_t procs_of(const struct job *j, const struct alloc *piece)
{
    return req_def(&j->reqs[piece->req])->per_task.v[RES_PROCS] * piece->tasks;
}

void fold_take(struct cluster *c, const struct job *j, const struct alloc *piece,
    uint32_t first, uint32_t count)
{
    struct folds *p = c->folds;
    const struct node *n = node_at(c, first);
    int64_t left = n->cfg.v[RES_PROCS] - node_procs_needed(n, j, piece);

    rangeset_clear_range(&p->vacant, first, first + count);
    if (left > 0)
        bitset_set_range(&p->partly, first, first + count);
    bitset_set(&p->first, first);
    p->of.v[first] = (struct fold){.count = count,
        .n = 1,
        .left = node_counts_procs_only(n, j, piece) ? (int32_t)left : -1,
        .of = {{j->index, (uint32_t)(piece - j->alloc.v)}}};
}

/* The first node of the run that a folded node is in. */
static uint32_t head_of(const struct cluster *c, uint32_t node)
{
    return fold_begins(c, node) ? node : bitset_prev(&c->folds->first, node);
}

/* Make a node of the run that begins at `head` a run of its own. */
static struct fold *isolate(const struct cluster *c, uint32_t head, uint32_t node)
{
    struct folds *p = c->folds;
    struct fold *own = &p->of.v[node];
    uint32_t before = node - head, after = p->of.v[head].count - before - 1;

    *own = p->of.v[head];
    if (after > 0) {
        bitset_set(&p->first, node + 1);
        own[1] = *own;
        own[1].count = after;
    }
    if (before > 0) {
        bitset_set(&p->first, node);
        p->of.v[head].count = before;
    }
    own->count = 1;
    return own;
}

bool fold_join(
    struct cluster *c, uint32_t node, const struct job *j, const struct alloc *piece)
{
    uint32_t head = head_of(c, node);
    struct fold *run = &c->folds->of.v[head];
    if (run->left <= 0 || j->nreqs > 1 || !req_def(&j->reqs[0])->procs_only)
        return false;
    int64_t need = procs_of(j, piece);
    if (run->left < need || run->n == NODE_FOLDED_JOBS)
        return false;
    for (uint32_t k = 0; k < run->n; k++)
        if (run->of[k].job == j->index)
            return false;
    struct fold *own = run->count > 1 ? isolate(c, head, node) : run;
    own->of[own->n++] = (struct fold_piece){j->index, (uint32_t)(piece - j->alloc.v)};
    own->left -= (int32_t)need;
    if (own->left == 0)
        bitset_clear(&c->folds->partly, node);
    return true;
}

/* One of several pieces on a node is given back. */
static void fold_leave(
    struct cluster *c, const struct job *j, const struct alloc *piece, uint32_t node)
{
    struct fold *f = &c->folds->of.v[node];
    uint32_t k = 0;

    while (k < f->n && f->of[k].job != j->index)
        k++;
    assert(k < f->n);
    for (f->n--; k < f->n; k++)
        f->of[k] = f->of[k + 1];
    bitset_set(&c->folds->partly, node);
    f->left += (int32_t)procs_of(j, piece);
}

uint32_t fold_give(
    struct cluster *c, const struct job *j, const struct alloc *piece, uint32_t first)
{
    struct folds *p = c->folds;
    const struct fold *run = &p->of.v[first];
    uint32_t end = first + run->count;

    assert(bitset_test(&p->first, first));
    if (run->n > 1) {
        fold_leave(c, j, piece, first);
        return 1;
    }
    assert(run->of[0].job == j->index);
    bitset_clear(&p->first, first);
    if (bitset_test(&p->partly, first))
        bitset_clear_range(&p->partly, first, end);
    rangeset_set_range(&p->vacant, first, end);
    return run->count;
}

uint32_t node_folded(const struct cluster *c, uint32_t first, uint32_t end)
{
    if (!node_is_folded(c, first))
        return 0;
    uint32_t head = head_of(c, first);
    uint32_t run_end = head + c->folds->of.v[head].count;
    return (run_end < end ? run_end : end) - first;
}

const struct fold *fold_of(const struct cluster *c, uint32_t node)
{
    return node_is_folded(c, node) ? &c->folds->of.v[head_of(c, node)] : NULL;
}

int64_t node_folded_left(const struct cluster *c, uint32_t node)
{
    const struct fold *f = fold_of(c, node);

    return f ? f->left : -1;
}

void node_unfold_run(const struct cluster *c, const struct node *n)
{
    struct folds *p = c->folds;
    uint32_t i = n->index;

    if (!node_is_folded(c, i))
        return;
    const struct fold *run = isolate(c, head_of(c, i), i);
    struct node *record = node_at(c, i);
    bitset_clear(&p->first, i);
    record->vacant = false;
    for (uint32_t k = 0; k < run->n; k++)
        node_use(c, record, fold_job(c, run, k), fold_alloc(c, run, k), +1);
}
