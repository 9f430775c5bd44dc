/* SPDX-License-Identifier: Apache-2.0
 * What is in a window of nodes and time. */
#include "server/timeline/collect.h"

#include "base/timeval.h"
#include "base/xalloc.h"
#include "cluster/job.h"
#include "server/events/feed.h"
#include "server/render/render.h"
#include "server/server_private.h"
#include "server/timeline/cells.h"
#include "server/timeline/private.h"

#include <stdlib.h>
#include <string.h>

#define NONE      UINT32_MAX
#define ADDS_TURN 50000 /* to cells: less than a millisecond */

static const char *const layers[LAYERS] = {
    "use", "promised", "forecast", "reserved", "down", "ended"};

const char *layer_name(size_t layer)
{
    return layer < LAYERS ? layers[layer] : NULL;
}

/* ---- objects ---- */

static uint32_t number_of(
    struct collected *v, enum cred_kind kind, const struct cluster *c, uint32_t cred)
{
    struct named_creds *n = &v->named[kind];

    if (!cred)
        return NONE;
    if (cred >= n->number.n)
        vec_push_zeros(&n->number, cred + 1 - n->number.n);
    if (!n->number.v[cred]) {
        vec_push(&n->names, c->creds[kind].v[cred]->name);
        n->number.v[cred] = (uint32_t)n->names.n;
    }
    return n->number.v[cred] - 1;
}

/* Indexes are used again: after a change what was known by it may be another. */
static uint32_t *find_object(
    struct collected *v, bool is_job, uint32_t index, const char *id)
{
    static const struct piece_object none = {.id = NULL};
    uint32_t *at;

    if (is_job) {
        if (index >= v->of_job.n)
            vec_push_zeros(&v->of_job, index + 1 - v->of_job.n);
        at = &v->of_job.v[index];
    } else {
        if (index >= v->of_rsv.n)
            vec_push_zeros(&v->of_rsv, index + 1 - v->of_rsv.n);
        at = &v->of_rsv.v[index];
    }
    if (v->world == world_revision(v->s))
        return at;
    const struct piece_object *o = *at ? &v->objects.v[*at - 1] : &none;
    if (o->id && strcmp(o->id, id) != 0)
        *at = 0;
    return at;
}

/* As lists tell it, and whom. */
static double efficiency_of(const struct collected *v, const struct job *j)
{
    const struct cluster *c = engine_cluster(v->s->engine);
    const struct job_notes *n = world_notes(v->s, j);
    double dedicated = (double)(world_now(v->s) - j->start_at) * (double)j->procs;

    if (!job_is_active(j) || !n || !(n->cpu_s >= 0) || !(dedicated > 0)
        || render_hides(c, j, &v->who))
        return -1;
    return 100 * n->cpu_s / dedicated;
}

/* None where there are cells: they tell of nobody. */
static uint32_t job_object(
    struct collected *v, const struct job *j, int64_t start_at, int64_t end_at)
{
    const struct cluster *c = engine_cluster(v->s->engine);
    uint32_t *at = v->cells ? NULL : find_object(v, true, j->index, j->id);

    if (!at || *at)
        return at ? *at - 1 : NONE;
    struct piece_object o = {.id = xstrdup(j->id),
        .is_job = true,
        .start_at = start_at,
        .end_at = end_at,
        .submit_at = j->submit_at,
        .priority = job_priority(c, j),
        .efficiency = efficiency_of(v, j),
        .procs = j->procs};
    for (int k = 0; k < CRED_KINDS; k++)
        o.cred[k] = number_of(v, (enum cred_kind)k, c, j->cred[k]);
    vec_push(&v->objects, o);
    *at = (uint32_t)v->objects.n;
    return *at - 1;
}

static uint32_t past_object(struct collected *v, const struct past_job *j)
{
    const struct cluster *c = engine_cluster(v->s->engine);
    struct piece_object o = {.id = xstrdup(j->id),
        .is_job = true,
        .start_at = j->start_at,
        .end_at = j->end_at,
        .submit_at = j->submit_at,
        .priority = PRIORITY_UNKNOWN,
        .efficiency = -1,
        .procs = j->procs};

    for (int k = 0; k < CRED_KINDS; k++)
        o.cred[k] = number_of(v, (enum cred_kind)k, c, j->cred[k]);
    vec_push(&v->objects, o);
    return (uint32_t)v->objects.n - 1;
}

static uint32_t rsv_object(struct collected *v, const struct reservation *r)
{
    uint32_t *at = v->cells ? NULL : find_object(v, false, r->index, r->name);

    if (!at || *at)
        return at ? *at - 1 : NONE;
    struct piece_object o = {.id = xstrdup(r->name),
        .start_at = r->start_at,
        .end_at = r->end_at,
        .submit_at = TIME_NEVER,
        .priority = PRIORITY_UNKNOWN,
        .efficiency = -1};
    for (int k = 0; k < CRED_KINDS; k++)
        o.cred[k] = NONE;
    vec_push(&v->objects, o);
    *at = (uint32_t)v->objects.n;
    return *at - 1;
}

/* ---- pieces ---- */

static enum layer layer_of(enum piece_kind k)
{
    static const enum layer of[] = {[PIECE_RUNNING] = LAYER_USE,
        [PIECE_SUSPENDED] = LAYER_USE,
        [PIECE_OVERRUN] = LAYER_USE,
        [PIECE_PROMISED] = LAYER_PROMISED,
        [PIECE_FORECAST] = LAYER_FORECAST,
        [PIECE_RESERVED] = LAYER_RESERVED,
        [PIECE_STANDING] = LAYER_RESERVED,
        [PIECE_DOWN] = LAYER_DOWN,
        [PIECE_DRAINED] = LAYER_DOWN,
        [PIECE_UNKNOWN] = LAYER_DOWN,
        [PIECE_ENDED] = LAYER_ENDED,
        [PIECE_FAILED] = LAYER_ENDED};

    return of[k];
}

static void add_to_cells(struct collected *v, const struct piece *p)
{
    if (p->kind != PIECE_SUSPENDED)
        cells_add(v->cells, &v->asked, layer_of(p->kind), p);
}

/* From now on nothing is gathered or goes on. */
static void make_cells(struct collected *v)
{
    v->cells = cells_new(v->s, &v->asked, v->rows);
    v->celled = 0;
}

/* Those that were pieces before there were cells; false: all are in them. */
static bool fill_cells(struct collected *v, uint64_t most)
{
    if (!v->cells || !v->pieces.n)
        return false;
    while (v->celled < v->pieces.n && v->cells->adds < most)
        add_to_cells(v, &v->pieces.v[v->celled++]);
    if (v->celled == v->pieces.n)
        v->pieces.n = 0;
    return true;
}

/* It goes on from the row before where all is the same. Most come in the order of that
 * row: the search begins behind the last that went on. */
static bool is_continued(struct collected *v, const struct piece *p)
{
    for (size_t k = 0; k < v->open.n; k++) {
        size_t i = v->next_open + k;
        i -= i < v->open.n ? 0 : v->open.n;
        struct piece *o = &v->pieces.v[v->open.v[i]];
        if (o->object == p->object && o->kind == p->kind && o->procs == p->procs
            && o->start_at == p->start_at && o->end_at == p->end_at
            && o->row + o->rows == p->row) {
            o->rows++;
            vec_push(&v->opening, v->open.v[i]);
            v->next_open = i + 1;
            return true;
        }
    }
    return false;
}

static bool is_wanted(
    const struct collected *v, enum layer layer, int64_t start, int64_t end)
{
    return v->asked.layers >> layer & 1 && start < v->asked.to_at
           && end > v->asked.from_at && start < end;
}

/* What is alike on several nodes of a row is one piece. */
static bool is_gathered(struct collected *v, const struct piece *p)
{
    size_t at = (size_t)p->object * PIECE_KINDS + p->kind;
    uint32_t *last = &v->gathered_state[p->kind];

    if (p->object != NONE) {
        if (at >= v->gathered.n)
            vec_push_zeros(&v->gathered, at + 1 - v->gathered.n);
        last = &v->gathered.v[at];
    }
    struct piece *o = *last ? &v->pieces.v[*last - 1] : NULL;
    if (o && o->row == p->row && o->kind == p->kind && o->object == p->object
        && o->start_at == p->start_at && o->end_at == p->end_at) {
        o->procs += p->procs;
        return true;
    }
    *last = (uint32_t)v->pieces.n + 1;
    return false;
}

static void add_piece(struct collected *v, const struct piece *p)
{
    bool folded = v->rows->folded[p->row];

    if (!is_wanted(v, layer_of(p->kind), p->start_at, p->end_at))
        return;
    if (v->cells) {
        add_to_cells(v, p);
        return;
    }
    if (folded ? is_gathered(v, p) : is_continued(v, p))
        return;
    vec_push(&v->pieces, *p);
    if (!folded)
        vec_push(&v->opening, (uint32_t)v->pieces.n - 1);
    if (v->pieces.n > PIECES_MAX && !v->asked.pieces)
        make_cells(v);
}

/* ---- what is on a node ---- */

static bool shows_job(const struct collected *v, const struct job *j)
{
    return identity_sees_job(&v->who, engine_cluster(v->s->engine), j);
}

/* As accounting does. */
static bool shows_past(const struct collected *v, const struct past_job *j)
{
    const struct cluster *c = engine_cluster(v->s->engine);
    uint32_t user = j->cred[CRED_USER];

    return identity_sees_ended(
        &v->who, user ? c->creds[CRED_USER].v[user]->name : NULL);
}

static void add_running(
    struct collected *v, const struct job *j, uint32_t row, uint32_t procs)
{
    const struct cluster *c = engine_cluster(v->s->engine);
    int64_t now = world_now(v->s),
            end = j->end_at > j->start_at ? j->end_at : TIME_NEVER;
    struct piece p = {.row = row,
        .rows = 1,
        .start_at = j->start_at,
        .end_at = end,
        .procs = procs,
        .kind = PIECE_RUNNING};

    if (!is_wanted(v, LAYER_USE, j->start_at, end > now ? end : now))
        return;
    p.object = job_object(v, j, j->start_at, end);
    p.colour = number_of(v, v->asked.colour, c, j->cred[v->asked.colour]);
    add_piece(v, &p);
    if (end >= now)
        return;
    p.kind = PIECE_OVERRUN;
    p.start_at = end;
    p.end_at = now;
    add_piece(v, &p);
}

static void add_jobs(struct collected *v, const struct node *n, uint32_t row)
{
    const struct cluster *c = engine_cluster(v->s->engine);
    struct node_job on;

    if (!(v->asked.layers >> LAYER_USE & 1))
        return;
    for (uint32_t i = 0; node_job_at(c, n, i, &on); i++) {
        const struct job *j = c->jobs.v[on.job];
        struct res share = node_job_share(c, n, &on);
        if (j && shows_job(v, j) && share.v[RES_PROCS] > 0)
            add_running(v, j, row, (uint32_t)share.v[RES_PROCS]);
    }
}

/* Those that keep its memory have no processors there. */
static void add_suspended(struct collected *v, const struct node *n, uint32_t row)
{
    const struct cluster *c = engine_cluster(v->s->engine);

    for (size_t i = 0; i < v->suspended.n; i++) {
        const struct job *j = c->jobs.v[v->suspended.v[i]];
        size_t next = 0;
        if (!j || j->state != JOB_SUSPENDED || !job_piece_on(j, n->index, &next)
            || !shows_job(v, j))
            continue;
        add_piece(v, &(struct piece){.row = row,
                         .rows = 1,
                         .start_at = j->start_at,
                         .end_at = time_add(world_now(v->s), job_left_s(j)),
                         .object = job_object(v, j, j->start_at, j->end_at),
                         .kind = PIECE_SUSPENDED});
    }
}

static int64_t procs_of_tasks(const struct node *n, const struct job *j, uint32_t tasks)
{
    int64_t each = req_def(&j->reqs[0])->per_task.v[RES_PROCS];
    int64_t procs = each < 0 ? n->cfg.v[RES_PROCS] : each * tasks;

    return procs < n->cfg.v[RES_PROCS] ? procs : n->cfg.v[RES_PROCS];
}

static void add_foreseen(struct collected *v, const struct node *n, uint32_t row)
{
    const struct cluster *c = engine_cluster(v->s->engine);
    const struct foresight *f = foresight_get(v->s);

    for (uint32_t i = n->index < f->nodes ? f->first[n->index] : 0;
         n->index < f->nodes && i < f->first[n->index + 1]; i++) {
        const struct foreseen *w = &f->who.v[f->on.v[i].who];
        const struct job *j = w->job < c->jobs.n ? c->jobs.v[w->job] : NULL;
        enum layer layer = w->promised ? LAYER_PROMISED : LAYER_FORECAST;
        if (!j || strcmp(j->id, w->id) != 0 || job_has_begun((enum job_state)j->state)
            || j->state >= JOB_COMPLETED || !shows_job(v, j)
            || !is_wanted(v, layer, w->start_at, w->end_at))
            continue;
        add_piece(v, &(struct piece){.row = row,
                         .rows = 1,
                         .start_at = w->start_at,
                         .end_at = w->end_at,
                         .object = job_object(v, j, w->start_at, w->end_at),
                         .procs = (uint32_t)procs_of_tasks(n, j, f->on.v[i].tasks),
                         .kind = w->promised ? PIECE_PROMISED : PIECE_FORECAST});
    }
}

static void add_reservations(struct collected *v, const struct node *n, uint32_t row)
{
    const struct cluster *c = engine_cluster(v->s->engine);
    const struct rsv_list *on = reservations_on(c, n->index);

    for (size_t i = 0; i < on->n; i++) {
        const struct reservation *r = c->reservations.v[on->v[i].rsv];
        if (!r || !reservation_is_live(r) || !identity_sees(&v->who, c, r)
            || !is_wanted(v, LAYER_RESERVED, r->start_at, r->end_at))
            continue;
        struct res amount = reservation_amount(r, n, on->v[i].tasks);
        add_piece(
            v, &(struct piece){.row = row,
                   .rows = 1,
                   .start_at = r->start_at,
                   .end_at = r->end_at,
                   .object = rsv_object(v, r),
                   .procs = (uint32_t)amount.v[RES_PROCS],
                   .kind = r->kind == RSV_STANDING ? PIECE_STANDING : PIECE_RESERVED});
    }
}

static void add_state(struct collected *v, const struct node *n, uint32_t row)
{
    enum piece_kind kind = n->state == NODE_DRAINED || n->state == NODE_DRAINING
                               ? PIECE_DRAINED
                           : n->state == NODE_DOWN ? PIECE_DOWN
                                                   : PIECE_UNKNOWN;

    if (rows_node_serves(n))
        return;
    /* since when is for administrators, as in the list of nodes */
    bool whole = identity_is(&v->who, WHO_ADMIN3);
    add_piece(v, &(struct piece){.row = row,
                     .rows = 1,
                     .start_at = whole ? n->state_at : v->at,
                     .end_at = TIME_NEVER,
                     .object = NONE,
                     .procs = (uint32_t)n->cfg.v[RES_PROCS],
                     .kind = kind});
}

static void add_ended(struct collected *v, uint32_t row)
{
    for (; v->next_ended < v->ended.n && v->ended.v[v->next_ended].row == row;
         v->next_ended++)
        add_piece(v, &v->ended.v[v->next_ended]);
}

static void look_at_node(struct collected *v, uint32_t index, uint32_t row)
{
    const struct cluster *c = engine_cluster(v->s->engine);

    v->s->api.timeline->looks++;
    if (index >= c->nodes.n)
        return;
    const struct node *n = node_at(c, index);
    add_state(v, n, row);
    add_reservations(v, n, row);
    add_jobs(v, n, row);
    add_suspended(v, n, row);
    add_foreseen(v, n, row);
}

static void begin_row(struct collected *v)
{
    v->opening.n = 0;
    v->next_open = 0;
}

static void end_row(struct collected *v)
{
    add_ended(v, v->next++);
    v->open.n = 0;
    for (size_t i = 0; i < v->opening.n; i++)
        vec_push(&v->open, v->opening.v[i]);
}

/* ---- the whole ---- */

/* Once: rows are many. */
static void find_suspended(struct collected *v)
{
    const struct cluster *c = engine_cluster(v->s->engine);
    bool wanted = c->suspended && v->asked.layers >> LAYER_USE & 1;

    for (size_t i = 0; wanted && i < c->active.n; i++)
        if (c->jobs.v[c->active.v[i]]->state == JOB_SUSPENDED)
            vec_push(&v->suspended, c->active.v[i]);
}

/* Of a node: its row, NONE when that was not asked for; and the last piece of `ended`
 * on it, NONE when there is none yet. */
struct place {
    uint32_t row, last;
};

static struct place *find_places(const struct collected *v, uint32_t nodes)
{
    struct place *places = xmalloc((nodes + 1) * sizeof *places);

    for (uint32_t i = 0; i < nodes; i++)
        places[i] = (struct place){NONE, NONE};
    for (uint32_t row = v->asked.first; row < v->asked.first + v->asked.rows; row++)
        for (uint32_t i = v->rows->first[row]; i < v->rows->first[row + 1]; i++)
            if (v->rows->node[i] < nodes)
                places[v->rows->node[i]].row = row;
    return places;
}

/* What several requests of a job have of a node is one piece. */
static void add_ended_on(struct collected *v, const struct past_job *o, uint32_t object,
    struct place *at, int64_t procs, int64_t whole)
{
    struct piece *last = at->last == NONE ? NULL : &v->ended.v[at->last];
    int64_t all = procs + (last && last->object == object ? last->procs : 0);

    all = all < whole ? all : whole;
    if (last && last->object == object) {
        last->procs = (uint32_t)all;
        return;
    }
    at->last = (uint32_t)v->ended.n;
    vec_push(&v->ended, ((struct piece){.row = at->row,
                            .rows = 1,
                            .start_at = o->start_at,
                            .end_at = o->end_at,
                            .object = object,
                            .procs = (uint32_t)all,
                            .kind = o->failed ? PIECE_FAILED : PIECE_ENDED}));
}

static void add_past(
    struct collected *v, const struct past_job *o, struct place *places, uint32_t nodes)
{
    const struct cluster *c = engine_cluster(v->s->engine);
    uint32_t object = NONE;

    for (size_t i = 0; i < o->on.n; i++) {
        const struct past_piece *p = &o->on.v[i];
        for (uint32_t n = p->first; n < nodes && n - p->first < p->count; n++) {
            int64_t whole = node_at(c, n)->cfg.v[RES_PROCS];
            if (places[n].row == NONE)
                continue;
            if (object == NONE)
                object = past_object(v, o);
            add_ended_on(v, o, object, &places[n],
                p->procs == PAST_WHOLE ? whole : p->procs, whole);
        }
    }
}

static int compare_rows(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;

    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return x->object < y->object ? -1 : x->object > y->object;
}

/* Once: they are known by job, and told by row. */
static void find_ended(struct collected *v)
{
    const struct cluster *c = engine_cluster(v->s->engine);
    const struct past *past = v->s->api.timeline->past;
    uint32_t nodes = (uint32_t)c->nodes.n;

    if (!(v->asked.layers >> LAYER_ENDED & 1) || !past_count(past))
        return;
    struct place *places = find_places(v, nodes);
    for (size_t i = 0; i < past_count(past); i++) {
        const struct past_job *o = past_at(past, i);
        if (is_wanted(v, LAYER_ENDED, o->start_at, o->end_at) && shows_past(v, o))
            add_past(v, o, places, nodes);
    }
    if (v->ended.n)
        qsort(v->ended.v, v->ended.n, sizeof *v->ended.v, compare_rows);
    free(places);
}

struct collected *collect_begin(struct server *s, const struct identity *who,
    const struct window_asked *asked, struct rows *rows)
{
    struct collected *v = xcalloc(1, sizeof *v);

    *v = (struct collected){.s = s,
        .who = *who,
        .asked = *asked,
        .rows = rows,
        .next = asked->first,
        .next_node = rows->first[asked->first],
        .at = world_now(s),
        .revision = feed_revision(s),
        .plan = feed_plan(s),
        .world = world_revision(s)};
    find_suspended(v);
    find_ended(v);
    if (asked->cells || (!asked->pieces && (uint64_t)asked->rows * 3 > asked->height))
        make_cells(v);
    return v;
}

bool collect_more(struct collected *v, uint32_t nodes)
{
    const uint32_t *first = v->rows->first;
    uint32_t last = v->asked.first + v->asked.rows;
    uint64_t most = (v->cells ? v->cells->adds : 0) + ADDS_TURN;

    if (fill_cells(v, most))
        return true;
    while (v->next < last && nodes-- && (!v->cells || v->cells->adds < most)) {
        if (v->next_node == first[v->next])
            begin_row(v);
        look_at_node(v, v->rows->node[v->next_node++], v->next);
        if (v->next_node == first[v->next + 1])
            end_row(v);
    }
    bool more = v->next < last || (v->cells && v->pieces.n);
    if (!more && v->cells)
        cells_sum(v->cells);
    return more;
}

bool collect_is_whole(const struct collected *v)
{
    return v->world == world_revision(v->s) && v->plan == feed_plan(v->s);
}

void collect_end(struct collected *v)
{
    for (size_t i = 0; i < v->objects.n; i++)
        free(v->objects.v[i].id);
    for (int k = 0; k < CRED_KINDS; k++) {
        vec_fini(&v->named[k].names);
        vec_fini(&v->named[k].number);
    }
    vec_fini(&v->objects);
    vec_fini(&v->pieces);
    vec_fini(&v->of_job);
    vec_fini(&v->of_rsv);
    vec_fini(&v->gathered);
    vec_fini(&v->suspended);
    vec_fini(&v->ended);
    vec_fini(&v->open);
    vec_fini(&v->opening);
    cells_free(v->cells);
    rows_release(v->rows);
    free(v);
}
