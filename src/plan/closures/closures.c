/* SPDX-License-Identifier: Apache-2.0
 * Sets of reservations, access lists that several of them share, and by access class
 * the closures of each set. A class keeps closures of its own only for sets in which
 * some reservation lets it in: the others look as they do to whom nothing lets in. */
#include "plan/closures/closures.h"

#include "base/hash.h"
#include "base/xalloc.h"
#include "cluster/reservation.h"
#include "policy/acl.h"

#include <stdlib.h>
#include <string.h>

/* All reservations on a node: nodes with the same ones are interchangeable. */
struct rsvset {
    struct VEC(struct set_member) members;
    uint64_t hash;
    uint32_t next; /* in the same slot */
};
#define SET_SLOTS 1024

/* An access list that one or several reservations have. */
struct access_list {
    uint64_t hash;
    struct VEC(uint32_t) rsvs; /* they: may be gone by now, as foreseen */
    struct VEC(uint32_t) sets; /* that have such a reservation; may repeat */
};

/* Closures of several sets: sorted, those of one set apart from each other. */
struct closure_lists {
    struct VEC(struct closure) all;
    struct VEC(uint32_t) first; /* by list, into `all`; and their number */
};

/* How the sets look to one access class. */
struct access_class {
    bool confined;                /* to reservations: all sets look different */
    struct VEC(uint32_t) granted; /* lists that let it in, unless confined */
    struct VEC(uint32_t) own;     /* by set: 1 + its list of `lists`; 0 = none */
    struct VEC(struct grant) grants;
    struct VEC(bool) entered; /* by set: has it a grant? */
    struct closure_lists lists;
    /* if confined, by list: who begins in one of these windows may stay, and sees the
     * second as its closures */
    struct closure_lists begins, outlasting;
};

/* From `at` on the next closure of a set is that. A cycle asks again and again from the
 * same instant on. */
struct answer {
    int64_t at, next;
};

struct closures {
    struct cluster *c;
    uint32_t owners;
    struct signatures *signatures;
    uint64_t epoch;
    struct VEC(struct rsvset) sets;
    uint32_t slots[SET_SLOTS];
    struct VEC(struct access_list) lists;
    struct VEC(uint32_t) list_of; /* by reservation index: 1 + its list; 0 = unknown */
    struct VEC(struct access_class) classes;
    struct closure_lists nobody; /* by set, as ACCESS_NOWHERE */
    bool nobody_known;
    struct VEC(struct answer) next; /* of it, by set: the last answers */
};

/* ---- reservation sets ---- */

/* Does it take all processors, and of everything else all or nothing? Access that
 * depends on how long a job stays is decided node by node. */
static bool takes_all(const struct reservation *r, const struct node *n, uint32_t tasks)
{
    struct res amount = reservation_amount(r, n, tasks);

    if (amount.v[RES_PROCS] < n->cfg.v[RES_PROCS] || acl_depends_on_overlap(r))
        return false;
    for (int i = RES_PROCS + 1; i < RES_DIMS; i++)
        if (amount.v[i] > 0 && amount.v[i] < n->cfg.v[i])
            return false;
    return true;
}

static uint64_t hash_members(const struct rsvset *s)
{
    uint64_t h = 1;

    for (size_t i = 0; i < s->members.n; i++)
        h = hash_mix(h, s->members.v[i].rsv + 1);
    return h;
}

static bool same_set(const struct rsvset *a, const struct rsvset *b)
{
    if (a->hash != b->hash || a->members.n != b->members.n)
        return false;
    for (size_t i = 0; i < a->members.n; i++)
        if (a->members.v[i].rsv != b->members.v[i].rsv)
            return false;
    return true;
}

/* Keep the draft or find its equal; moves it. */
static uint32_t intern_set(struct closures *cl, struct rsvset *draft)
{
    uint32_t slot, index = (uint32_t)cl->sets.n;

    draft->hash = hash_members(draft);
    slot = (uint32_t)(draft->hash >> 32) % SET_SLOTS;
    for (uint32_t i = cl->slots[slot]; i != INDEX_NONE; i = cl->sets.v[i].next)
        if (same_set(&cl->sets.v[i], draft)) {
            vec_fini(&draft->members);
            return i;
        }
    draft->next = cl->slots[slot];
    cl->slots[slot] = index;
    for (size_t i = 0; i < draft->members.n; i++)
        vec_push(&cl->lists.v[draft->members.v[i].list].sets, index);
    vec_push(&cl->sets, *draft);
    return index;
}

/* ---- access lists ---- */

static uint32_t find_list(struct closures *cl, const struct reservation *r)
{
    struct access_list fresh = {.hash = acl_hash(r)};
    uint32_t i = 0;

    while (i < cl->lists.n
           && (cl->lists.v[i].hash != fresh.hash
               || !acl_same(cl->c->reservations.v[cl->lists.v[i].rsvs.v[0]], r)))
        i++;
    if (i == cl->lists.n)
        vec_push(&cl->lists, fresh);
    vec_push(&cl->lists.v[i].rsvs, r->index);
    return i;
}

static uint32_t list_of(struct closures *cl, const struct reservation *r)
{
    while (cl->list_of.n <= r->index)
        vec_push(&cl->list_of, 0);
    if (cl->list_of.v[r->index] == 0)
        cl->list_of.v[r->index] = find_list(cl, r) + 1;
    return cl->list_of.v[r->index] - 1;
}

/* ---- their life ---- */

static void fini_lists(struct closure_lists *l)
{
    vec_fini(&l->all);
    vec_fini(&l->first);
}

static void fini_class(struct access_class *v)
{
    vec_fini(&v->granted);
    vec_fini(&v->own);
    vec_fini(&v->entered);
    vec_fini(&v->grants);
    fini_lists(&v->lists);
    fini_lists(&v->begins);
    fini_lists(&v->outlasting);
}

static void forget_all(struct closures *cl)
{
    for (size_t i = 0; i < cl->classes.n; i++)
        fini_class(&cl->classes.v[i]);
    for (size_t i = 0; i < cl->sets.n; i++)
        vec_fini(&cl->sets.v[i].members);
    for (size_t i = 0; i < cl->lists.n; i++) {
        vec_fini(&cl->lists.v[i].rsvs);
        vec_fini(&cl->lists.v[i].sets);
    }
    cl->classes.n = cl->sets.n = cl->lists.n = cl->list_of.n = 0;
    cl->nobody.all.n = cl->nobody.first.n = cl->next.n = 0;
    cl->nobody_known = false;
}

struct closures *closures_create(struct cluster *c)
{
    struct closures *cl = xcalloc(1, sizeof *cl);

    cl->c = c;
    cl->owners = 1;
    cl->signatures = signatures_create(c);
    return cl;
}

struct closures *closures_share(struct closures *cl)
{
    cl->owners++;
    return cl;
}

struct signatures *closures_signatures(const struct closures *cl)
{
    return cl->signatures;
}

void closures_destroy(struct closures *cl)
{
    if (!cl || --cl->owners > 0)
        return;
    forget_all(cl);
    signatures_destroy(cl->signatures);
    vec_fini(&cl->sets);
    vec_fini(&cl->classes);
    vec_fini(&cl->lists);
    vec_fini(&cl->list_of);
    fini_lists(&cl->nobody);
    vec_fini(&cl->next);
    free(cl);
}

void closures_forget(struct closures *cl)
{
    struct rsvset none = {0};

    forget_all(cl);
    for (size_t i = 0; i < SET_SLOTS; i++)
        cl->slots[i] = INDEX_NONE;
    intern_set(cl, &none);
    cl->epoch++;
}

uint32_t closures_set(struct closures *cl, const struct node *n)
{
    const struct rsv_list *list = reservations_on(cl->c, n->index);
    struct rsvset draft = {0};

    if (list->n == 0)
        return 0;
    for (size_t i = 0; i < list->n; i++) {
        const struct reservation *r = cl->c->reservations.v[list->v[i].rsv];
        if (!takes_all(r, n, list->v[i].tasks)) {
            vec_fini(&draft.members);
            return INDEX_NONE;
        }
        vec_push(&draft.members,
            ((struct set_member){r->index, list_of(cl, r), r->start_at, r->end_at}));
    }
    return intern_set(cl, &draft);
}

uint32_t closures_set_after(struct closures *cl, uint32_t rsvset, int64_t after)
{
    struct rsvset draft = {0};

    for (size_t i = 0; i < cl->sets.v[rsvset].members.n; i++) {
        struct set_member member = cl->sets.v[rsvset].members.v[i];
        if (member.end_at > after)
            vec_push(&draft.members, member);
    }
    return intern_set(cl, &draft);
}

/* ---- how they look to one access class ---- */

static int compare_closures(const void *a, const void *b)
{
    const struct closure *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

struct closure_vec VEC(struct closure);

/* Sort and join what touches, from `first` on. */
static size_t join_touching(struct closure *v, size_t n, size_t first)
{
    size_t kept = first;

    if (n - first < 2)
        return n;
    qsort(v + first, n - first, sizeof *v, compare_closures);
    for (size_t i = first + 1; i < n; i++) {
        if (v[i].start > v[kept].end)
            v[++kept] = v[i];
        else if (v[i].end > v[kept].end)
            v[kept].end = v[i].end;
    }
    return kept + 1;
}

/* Close what lies between: whoever is confined to reservations is kept out there. */
static void close_between(struct closure_vec *open, struct closure_lists *io)
{
    int64_t from = INT64_MIN;

    if (open->n > 0)
        open->n = join_touching(open->v, open->n, 0);
    for (size_t i = 0; i < open->n; i++) {
        if (open->v[i].start > from)
            vec_push(&io->all, ((struct closure){from, open->v[i].start}));
        from = open->v[i].end;
    }
    if (from < TIME_NEVER)
        vec_push(&io->all, ((struct closure){from, TIME_NEVER}));
}

static void begin_list(struct closure_lists *l)
{
    if (l->first.n == 0)
        vec_push(&l->first, 0);
}

/* The closures that were appended are one list. */
static void end_list(struct closure_lists *l)
{
    l->all.n = join_touching(l->all.v, l->all.n, l->first.v[l->first.n - 1]);
    vec_push(&l->first, (uint32_t)l->all.n);
}

static bool still_lasts(
    const struct closures *cl, const struct set_member *member, int64_t now)
{
    const struct reservation *r = cl->c->reservations.v[member->rsv];

    return member->end_at > now && r && reservation_is_live(r);
}

/* The closures of all sets for whom no reservation lets in. */
static void build_for_nobody(struct closures *cl, int64_t now)
{
    if (cl->nobody_known)
        return;
    cl->nobody_known = true;
    begin_list(&cl->nobody);
    for (size_t i = 0; i < cl->sets.n; i++) {
        const struct rsvset *set = &cl->sets.v[i];
        for (size_t k = 0; k < set->members.n; k++) {
            const struct set_member *member = &set->members.v[k];
            if (still_lasts(cl, member, now))
                vec_push(&cl->nobody.all,
                    ((struct closure){member->start_at, member->end_at}));
        }
        end_list(&cl->nobody);
        vec_push(&cl->next, ((struct answer){INT64_MIN, INT64_MIN}));
    }
}

/* An access class that is being made. */
struct making {
    struct closures *cl;
    int64_t now;
    struct acl_asker who;
    const bool *granted; /* by access list; NULL = decide for each reservation */
    struct access_class *v;
};

static bool lets_in(const struct making *m, const struct set_member *member)
{
    if (m->granted)
        return m->granted[member->list];
    return acl_decide(m->cl->c, m->cl->c->reservations.v[member->rsv], &m->who, 1)
        .granted;
}

/* Append the closures of one set; and its grant, when some reservation of it lets the
 * asker in. Whoever begins in one that is outlasted is confined to nothing from then
 * on: only those are in its way that do not let it in. */
static void build_set(struct making *m, uint32_t index)
{
    const struct rsvset *set = &m->cl->sets.v[index];
    struct grant grant = {index, TIME_NEVER, INT64_MIN};
    bool confined = !acl_confinement_allows(&m->who, NULL);
    struct closure_vec open = {0};

    for (size_t i = 0; i < set->members.n; i++) {
        const struct set_member *member = &set->members.v[i];
        struct closure closure = {member->start_at, member->end_at};
        if (!still_lasts(m->cl, member, m->now))
            continue;
        if (!lets_in(m, member)) {
            vec_push(&m->v->lists.all, closure);
            if (confined)
                vec_push(&m->v->outlasting.all, closure);
            continue;
        }
        grant.from = closure.start < grant.from ? closure.start : grant.from;
        grant.to = closure.end > grant.to ? closure.end : grant.to;
        const struct reservation *r = m->cl->c->reservations.v[member->rsv];
        if (!acl_confinement_allows(&m->who, r))
            continue;
        if (confined && (r->flags & RSV_OUTLASTED))
            vec_push(&m->v->begins.all, closure);
        vec_push(&open, closure);
    }
    if (confined)
        close_between(&open, &m->v->lists);
    end_list(&m->v->lists);
    if (m->v->confined) {
        end_list(&m->v->begins);
        end_list(&m->v->outlasting);
    }
    m->v->entered.v[index] = grant.from < grant.to;
    if (grant.from < grant.to)
        vec_push(&m->v->grants, grant);
    vec_fini(&open);
}

static uint32_t add_confined_class(
    struct closures *cl, const struct acl_asker *who, int64_t now)
{
    struct access_class v = {.confined = true};
    struct making m = {.cl = cl, .now = now, .who = *who, .v = &v};

    for (uint32_t i = 0; i < cl->sets.n; i++) {
        vec_push(&v.own, i + 1);
        vec_push(&v.entered, false);
    }
    begin_list(&v.lists);
    begin_list(&v.begins);
    begin_list(&v.outlasting);
    for (uint32_t i = 0; i < cl->sets.n; i++)
        build_set(&m, i);
    vec_push(&cl->classes, v);
    return (uint32_t)cl->classes.n - 1;
}

static bool same_granted(const struct access_class *a, const struct access_class *b)
{
    return !a->confined && a->granted.n == b->granted.n
           && (a->granted.n == 0
               || memcmp(
                      a->granted.v, b->granted.v, a->granted.n * sizeof *a->granted.v)
                      == 0);
}

static int compare_sets(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Build the sets that have a reservation with a list that lets the asker in. */
static void build_granted(struct making *m)
{
    struct closures *cl = m->cl;
    struct VEC(uint32_t) sets = {0};

    vec_reserve(&m->v->own, cl->sets.n);
    memset(m->v->own.v, 0, cl->sets.n * sizeof *m->v->own.v);
    m->v->own.n = cl->sets.n;
    for (size_t i = 0; i < cl->sets.n; i++)
        vec_push(&m->v->entered, false);
    for (size_t i = 0; i < m->v->granted.n; i++) {
        const struct access_list *l = &cl->lists.v[m->v->granted.v[i]];
        for (size_t k = 0; k < l->sets.n; k++) {
            if (m->v->own.v[l->sets.v[k]] == 0)
                vec_push(&sets, l->sets.v[k]);
            m->v->own.v[l->sets.v[k]] = 1;
        }
    }
    if (sets.n)
        qsort(sets.v, sets.n, sizeof *sets.v, compare_sets);
    begin_list(&m->v->lists);
    for (uint32_t i = 0; i < sets.n; i++) {
        m->v->own.v[sets.v[i]] = i + 1;
        build_set(m, sets.v[i]);
    }
    vec_fini(&sets);
}

/* Any reservation with the list decides for all of them. */
static bool list_grants(
    struct closures *cl, const struct access_list *l, const struct acl_asker *who)
{
    for (size_t i = 0; i < l->rsvs.n; i++) {
        struct reservation *r = cl->c->reservations.v[l->rsvs.v[i]];
        if (r)
            return acl_decide(cl->c, r, who, 1).granted;
    }
    return false;
}

/* The class of an asker that is free to run anywhere: decided once for each list. */
static uint32_t find_free_class(
    struct closures *cl, const struct acl_asker *who, int64_t now)
{
    bool *granted = xcalloc(cl->lists.n + 1, sizeof *granted);
    struct access_class v = {0};
    struct making m = {.cl = cl, .now = now, .who = *who, .granted = granted, .v = &v};
    uint32_t i = 0;

    for (uint32_t k = 0; k < cl->lists.n; k++) {
        granted[k] = list_grants(cl, &cl->lists.v[k], who);
        if (granted[k])
            vec_push(&v.granted, k);
    }
    while (i < cl->classes.n && !same_granted(&cl->classes.v[i], &v))
        i++;
    if (i < cl->classes.n) {
        fini_class(&v);
    } else {
        build_for_nobody(cl, now);
        build_granted(&m);
        vec_push(&cl->classes, v);
    }
    free(granted);
    return i;
}

uint32_t closures_access(struct closures *cl, const struct job *j, int64_t now)
{
    if (cl->sets.n <= 1 && !job_is_confined(j))
        return ACCESS_OPEN;
    struct signature *s = signatures_of(cl->signatures, j);
    if (s->access_epoch != cl->epoch) {
        struct acl_asker who = acl_asker_of(cl->c, j);
        s->access = who.confined == ACL_FREE ? find_free_class(cl, &who, now)
                                             : add_confined_class(cl, &who, now);
        s->access_epoch = cl->epoch;
    }
    return s->access;
}

uint64_t closures_epoch(const struct closures *cl)
{
    return cl->epoch;
}

uint32_t closures_sets(const struct closures *cl)
{
    return (uint32_t)cl->sets.n;
}

const struct set_member *closures_members(
    const struct closures *cl, uint32_t rsvset, size_t *ret_n)
{
    *ret_n = cl->sets.v[rsvset].members.n;
    return cl->sets.v[rsvset].members.v;
}

uint32_t closures_classes(const struct closures *cl)
{
    return (uint32_t)cl->classes.n;
}

/* NULL: one that looks at no reservation. */
static const struct access_class *class_at(const struct closures *cl, uint32_t access)
{
    return access < ACCESS_NOWHERE ? &cl->classes.v[access] : NULL;
}

bool closures_is_confined(const struct closures *cl, uint32_t access)
{
    const struct access_class *v = class_at(cl, access);

    return v && v->confined;
}

/* ---- grants ---- */

const struct grant *closures_grants(
    const struct closures *cl, uint32_t access, size_t *ret_n)
{
    const struct access_class *v = class_at(cl, access);

    *ret_n = v ? v->grants.n : 0;
    return v ? v->grants.v : NULL;
}

bool closures_has_grant(const struct closures *cl, uint32_t access, uint32_t rsvset)
{
    const struct access_class *v = class_at(cl, access);

    return v && v->entered.v[rsvset];
}

bool closures_any_grant(const struct closures *cl, uint32_t access)
{
    const struct access_class *v = class_at(cl, access);

    return v && v->grants.n > 0;
}

bool closures_grant_during(
    const struct closures *cl, uint32_t access, int64_t start, int64_t end)
{
    const struct access_class *v = class_at(cl, access);

    for (size_t i = 0; v && i < v->grants.n; i++)
        if (v->grants.v[i].from < end && v->grants.v[i].to > start)
            return true;
    return false;
}

/* ---- closures ---- */

/* First closure that ends after `at`; *ret_end is one past the last of the list. */
static uint32_t find_closure(
    const struct closure_lists *l, uint32_t list, int64_t at, uint32_t *ret_end)
{
    uint32_t lo = l->first.v[list], hi = l->first.v[list + 1];

    *ret_end = hi;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (l->all.v[mid].end <= at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* The first window of the set that is not over by `at`, in which jobs begin that may
 * stay beyond its end; NULL = there is none. */
static const struct closure *next_window(
    const struct access_class *v, uint32_t list, int64_t at)
{
    uint32_t n, i = find_closure(&v->begins, list, at, &n);

    return i < n ? &v->begins.all.v[i] : NULL;
}

/* The lists in which the closures of a set stand, as the class sees them if a job
 * begins at `start`; *ret_i is the one. */
static const struct closure_lists *lists_of(const struct closures *cl, uint32_t access,
    uint32_t rsvset, int64_t start, uint32_t *ret_i)
{
    const struct access_class *v = class_at(cl, access);
    const struct closure *window;

    *ret_i = rsvset;
    if (!v || v->own.v[rsvset] == 0)
        return &cl->nobody;
    *ret_i = v->own.v[rsvset] - 1;
    window = v->confined ? next_window(v, *ret_i, start) : NULL;
    return window && window->start <= start ? &v->outlasting : &v->lists;
}

/* The same of jobs that begin later: they may begin in a window and stay. */
static int64_t or_window(const struct closures *cl, uint32_t access,
    const struct closure_lists *l, uint32_t list, int64_t start, int64_t until)
{
    const struct access_class *v = class_at(cl, access);
    const struct closure *window =
        v && v->confined && l == &v->lists ? next_window(v, list, start) : NULL;

    return window && window->start < until ? window->start : until;
}

bool closures_closed(const struct closures *cl, uint32_t access, uint32_t rsvset,
    int64_t start, int64_t end, int64_t *ret_until)
{
    uint32_t n, list;

    if (access == ACCESS_OPEN)
        return false;
    const struct closure_lists *l = lists_of(cl, access, rsvset, start, &list);
    uint32_t i = find_closure(l, list, start, &n);
    if (i == n || l->all.v[i].start >= end)
        return false;
    while (i + 1 < n && l->all.v[i + 1].start < end)
        i++;
    if (ret_until)
        *ret_until = or_window(cl, access, l, list, start, l->all.v[i].end);
    return true;
}

static int64_t next_in_list(const struct closure_lists *l, uint32_t list, int64_t at)
{
    uint32_t n, i = find_closure(l, list, at, &n);

    if (i == n)
        return TIME_NEVER;
    return l->all.v[i].start > at ? l->all.v[i].start : at;
}

int64_t closures_next(
    const struct closures *cl, uint32_t access, uint32_t rsvset, int64_t at)
{
    uint32_t list;

    if (access == ACCESS_OPEN)
        return TIME_NEVER;
    const struct closure_lists *l = lists_of(cl, access, rsvset, at, &list);
    if (l != &cl->nobody)
        return next_in_list(l, list, at);
    struct answer *last = &cl->next.v[rsvset];
    if (last->at != at)
        *last = (struct answer){at, next_in_list(l, list, at)};
    return last->next;
}

const struct closure *closures_for_nobody(
    struct closures *cl, uint32_t rsvset, int64_t now, size_t *ret_n)
{
    build_for_nobody(cl, now);
    *ret_n = cl->nobody.first.v[rsvset + 1] - cl->nobody.first.v[rsvset];
    return cl->nobody.all.v + cl->nobody.first.v[rsvset];
}
