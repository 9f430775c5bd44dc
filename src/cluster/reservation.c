/* SPDX-License-Identifier: Apache-2.0
 * Reservations of administrators, users and standing ones: made, placed, ended. */
#include "cluster/reservation.h"

#include "base/hostexpr.h"
#include "cluster/private.h"

#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

struct rsv_name {
    const char *name; /* borrowed from the reservation */
    struct reservation *r;
    UT_hash_handle hh;
};

struct rsv_index {
    struct rsv_name *names;
    /* nothing of them begins or ends in (since, due_at), and what was due at `since` is
     * done if `done`; as long as rsv_epoch is `epoch` */
    uint64_t epoch;
    int64_t since, due_at;
    bool done;
};

void reservations_create(struct cluster *c)
{
    c->rsv_index = xcalloc(1, sizeof *c->rsv_index);
}

/* ---- drafts ------------------------------------------------------------------ */

struct reservation reservation_draft(enum rsv_kind kind)
{
    return (struct reservation){.index = INDEX_NONE,
        .kind = kind,
        .end_at = TIME_NEVER,
        .def = {.index = INDEX_NONE,
            .per_task = {{[RES_PROCS] = -1}},
            .cls = INDEX_NONE,
            .os = NAME_NONE,
            .arch = NAME_NONE,
            .network = NAME_NONE,
            .access = ACCESS_SHARED,
            .nodealloc = NODEALLOC_UNSET},
        .partition = RSV_PARTITION_ONE,
        .owner_kind = CRED_KINDS,
        .standing = INDEX_NONE};
}

void reservation_fini(struct reservation *draft)
{
    free(draft->name);
    free(draft->base);
    free(draft->host_expr);
    taskdef_fini(&draft->def);
    vec_fini(&draft->hosts);
    acltext_fini(&draft->acl);
    vec_fini(&draft->alloc);
    triggertext_fini(&draft->triggers);
}

/* Room for what reservation_next_name() puts behind a name. */
#define NUMBER_BYTES 24

/* ---- names ------------------------------------------------------------------- */

/* The number behind `<stem>.`, -1 when the name is no such one. */
static int64_t number_of(const char *name, const char *stem)
{
    size_t len, digits;

    if (*name != *stem) /* most often, where there are thousands */
        return -1;
    len = strlen(stem);
    if (strncmp(name, stem, len) != 0 || name[len] != '.')
        return -1;
    name += len + 1;
    digits = strspn(name, "0123456789");
    return digits > 0 && digits < 18 && name[digits] == '\0' ? strtoll(name, NULL, 10)
                                                             : -1;
}

char *reservation_next_name(
    struct cluster *c, enum rsv_kind kind, const char *base, uint32_t slot)
{
    size_t size = strlen(base) + 48, len;
    char *name = xmalloc(size);
    int64_t highest = -1;

    if (kind == RSV_STANDING)
        len = (size_t)snprintf(name, size, "%s.%u", base, (unsigned)slot);
    else
        len = (size_t)snprintf(name, size, "%s", base);
    for (size_t i = 0; i < c->reservations.n; i++) {
        const struct reservation *r = c->reservations.v[i];
        int64_t n = r ? number_of(r->name, name) : -1;

        highest = n > highest ? n : highest;
    }
    snprintf(name + len, size - len, ".%" PRId64, highest + 1);
    return name;
}

bool reservation_is_named(const struct reservation *r, const char *asked)
{
    return (r->name && strcmp(r->name, asked) == 0)
           || (r->base && strcmp(r->base, asked) == 0);
}

static struct reservation *find(const struct cluster *c, const char *name)
{
    struct rsv_name *e;

    HASH_FIND_STR(c->rsv_index->names, name, e);
    return e ? e->r : NULL;
}

struct reservation *reservation_find(const struct cluster *c, const char *name)
{
    struct reservation *r = find(c, name);
    char upper[32];

    /* People write system.1 for what is displayed as SYSTEM.1. */
    if (r || strncasecmp(name, "system.", 7) != 0 || strlen(name) >= sizeof upper)
        return r;
    snprintf(upper, sizeof upper, "SYSTEM%s", name + 6);
    return find(c, upper);
}

/* ---- making and forgetting ----------------------------------------------------- */

static int check_draft(
    const struct cluster *c, const struct reservation *draft, struct err *err)
{
    const char *name = draft->name ? draft->name : draft->base;

    if (name_check("reservation", name, err) < 0)
        return -1;
    if (!draft->name && strlen(name) > NAME_MAX_BYTES - NUMBER_BYTES)
        return err_set(err, ERR_INVALID,
            "reservation name '%.40s...' is longer than %d bytes, which its number is "
            "put behind",
            name, NAME_MAX_BYTES - NUMBER_BYTES);
    if (draft->name && find(c, draft->name))
        return err_set(err, ERR_CONFLICT, "a reservation '%.80s' exists", draft->name);
    if (!draft->name && draft->kind != RSV_STANDING && find(c, name))
        return err_set(err, ERR_CONFLICT,
            "a reservation '%.80s' exists: `mrsvctl -m` changes it, another one needs "
            "another name",
            name);
    return 0;
}

static int check_window(const struct reservation *draft, int64_t now, struct err *err)
{
    int64_t start = draft->start_at < now ? now : draft->start_at;

    if (draft->end_at <= draft->start_at)
        return err_set(err, ERR_INVALID,
            "reservation '%.80s' would end before it starts",
            draft->name ? draft->name : draft->base);
    if (draft->end_at <= start)
        return err_set(err, ERR_INVALID, "reservation '%.80s' would be over already",
            draft->name ? draft->name : draft->base);
    return 0;
}

static uint32_t free_slot(struct cluster *c)
{
    for (size_t i = 0; i < c->reservations.n; i++)
        if (!c->reservations.v[i])
            return (uint32_t)i;
    vec_push(&c->reservations, (struct reservation *)NULL);
    return (uint32_t)c->reservations.n - 1;
}

/* Whom a list names is known from then on, though no job of theirs has been seen: who
 * asks what is free for them gets their own answer. */
static void know_named(struct cluster *c, const struct acl *acl)
{
    for (size_t i = 0; i < acl->entries.n; i++)
        if (acl->entries.v[i].type < CRED_KINDS && !acl->entries.v[i].any)
            cred_get(c, (enum cred_kind)acl->entries.v[i].type, acl->entries.v[i].name);
}

static void changed(struct cluster *c, struct reservation *r)
{
    know_named(c, &r->acl);
    r->changed = ++c->rsv_epoch;
    c->rsv_moves++;
}

static void number(struct cluster *c, struct reservation *r)
{
    struct rsv_name *e = xcalloc(1, sizeof *e);

    r->index = free_slot(c);
    r->serial = ++c->rsv_serial;
    c->reservations.v[r->index] = r;
    e->name = r->name;
    e->r = r;
    HASH_ADD_KEYPTR(hh, c->rsv_index->names, e->name, strlen(e->name), e);
    changed(c, r);
}

int reservation_check(const struct cluster *c, const struct reservation *draft,
    int64_t now, struct err *err)
{
    if (check_draft(c, draft, err) < 0)
        return -1;
    return check_window(draft, now, err);
}

int reservation_add(struct cluster *c, struct reservation *draft, int64_t now,
    struct reservation **ret, struct err *err)
{
    if (reservation_check(c, draft, now, err) < 0)
        return -1;
    struct reservation *r = xmalloc(sizeof *r);

    *r = *draft;
    *draft = (struct reservation){0};
    if (!r->name)
        r->name = reservation_next_name(c, r->kind, r->base, r->slot);
    if (r->start_at < now)
        r->start_at = now;
    r->created_at = r->modified_at = now;
    r->state = r->start_at <= now ? RSV_ACTIVE : RSV_PLANNED;
    vec_fini(&r->alloc);
    r->held_tasks = r->held_nodes = 0;
    number(c, r);
    *ret = r;
    return 0;
}

static void destroy(struct cluster *c, struct reservation *r)
{
    struct rsv_name *e;

    HASH_FIND_STR(c->rsv_index->names, r->name, e);
    assert(e && e->r == r);
    HASH_DEL(c->rsv_index->names, e);
    free(e);
    reservation_fini(r);
    free(r);
}

void reservation_remove(struct cluster *c, struct reservation *r)
{
    assert(!reservation_is_live(r) && r->alloc.n == 0);
    c->reservations.v[r->index] = NULL;
    c->rsv_epoch++;
    destroy(c, r);
}

void reservations_destroy(struct cluster *c)
{
    for (size_t i = 0; i < c->reservations.n; i++)
        if (c->reservations.v[i])
            destroy(c, c->reservations.v[i]);
    vec_fini(&c->reservations);
    for (size_t i = 0; i < c->rsv_nodes.n; i++)
        vec_fini(&c->rsv_nodes.v[i]);
    vec_fini(&c->rsv_nodes);
    vec_fini(&c->rsv_left);
    free(c->rsv_index);
}

/* ---- nodes --------------------------------------------------------------------- */

static struct rsv_list *list_of(struct cluster *c, uint32_t node)
{
    while (c->rsv_nodes.n <= node)
        vec_push(&c->rsv_nodes, (struct rsv_list){0});
    return &c->rsv_nodes.v[node];
}

/* Behind those created earlier. */
static void node_add(
    struct cluster *c, const struct reservation *r, uint32_t node, uint32_t tasks)
{
    struct rsv_list *l = list_of(c, node);
    struct rsv_on_node on = {.rsv = r->index, .tasks = tasks};
    size_t i;

    vec_push(l, on);
    for (i = l->n - 1; i > 0; i--) {
        assert(l->v[i - 1].rsv != r->index);
        if (c->reservations.v[l->v[i - 1].rsv]->serial < r->serial)
            break;
        l->v[i] = l->v[i - 1];
    }
    l->v[i] = on;
}

static void node_remove(struct cluster *c, const struct reservation *r, uint32_t node)
{
    struct rsv_list *l = list_of(c, node);

    for (size_t i = 0; i < l->n; i++) {
        if (l->v[i].rsv == r->index) {
            vec_remove(l, i);
            return;
        }
    }
    assert(!"a node lacks its reservation");
}

static void leave_nodes(struct cluster *c, struct reservation *r)
{
    for (size_t i = 0; i < r->alloc.n; i++) {
        for (uint32_t k = 0; k < r->alloc.v[i].count; k++)
            node_remove(c, r, r->alloc.v[i].first + k);
        vec_push(&c->rsv_left, r->alloc.v[i]);
    }
    vec_fini(&r->alloc);
    r->held_tasks = r->held_nodes = 0;
}

static bool same_allocs(const struct allocs *a, const struct allocs *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (a->v[i].first != b->v[i].first || a->v[i].count != b->v[i].count
            || a->v[i].tasks != b->v[i].tasks)
            return false;
    return true;
}

void reservation_set_nodes(
    struct cluster *c, struct reservation *r, struct allocs *alloc)
{
    if (same_allocs(&r->alloc, alloc)) {
        vec_fini(alloc);
        return;
    }
    leave_nodes(c, r);
    r->alloc = *alloc;
    *alloc = (struct allocs){0};
    for (size_t i = 0; i < r->alloc.n; i++) {
        const struct alloc *a = &r->alloc.v[i];

        assert(a->tasks > 0 && (size_t)a->first + a->count <= c->nodes.n);
        for (uint32_t k = 0; k < a->count; k++)
            node_add(c, r, a->first + k, a->tasks);
        r->held_nodes += a->count;
        r->held_tasks += a->count * a->tasks;
    }
    changed(c, r);
}

uint32_t reservation_tasks_on(
    const struct cluster *c, const struct reservation *r, uint32_t node)
{
    const struct rsv_list *l = reservations_on(c, node);

    for (size_t i = 0; i < l->n; i++)
        if (l->v[i].rsv == r->index)
            return l->v[i].tasks;
    return 0;
}

struct res reservation_amount(
    const struct reservation *r, const struct node *n, uint32_t tasks)
{
    struct res amount;

    for (int i = 0; i < RES_DIMS; i++) {
        int64_t each = r->def.per_task.v[i];

        bool all = each < 0 || (r->flags & RSV_DEDICATEDNODE);

        amount.v[i] = tasks == 0 ? 0 : all ? n->cfg.v[i] : each * tasks;
    }
    return amount;
}

void reservation_changed(struct cluster *c, struct reservation *r, int64_t now)
{
    assert(reservation_is_live(r) && r->start_at < r->end_at);
    r->modified_at = now;
    changed(c, r);
}

void reservation_reschedule(struct cluster *c, struct reservation *r, int64_t now)
{
    r->state = r->start_at <= now ? RSV_ACTIVE : RSV_PLANNED;
    reservation_changed(c, r, now);
}

/* ---- life ---------------------------------------------------------------------- */

static const struct transition {
    enum rsv_state from;
    enum rsv_event on;
    enum rsv_state to;
} transitions[] = {
    {RSV_PLANNED, RSV_EV_BEGIN, RSV_ACTIVE},
    {RSV_PLANNED, RSV_EV_END, RSV_ENDED}, /* nobody looked while it lasted */
    {RSV_PLANNED, RSV_EV_RELEASE, RSV_RELEASED},
    {RSV_ACTIVE, RSV_EV_END, RSV_ENDED},
    {RSV_ACTIVE, RSV_EV_RELEASE, RSV_RELEASED},
};

static const struct transition *transition(enum rsv_state from, enum rsv_event on)
{
    for (size_t i = 0; i < sizeof transitions / sizeof *transitions; i++)
        if (transitions[i].from == from && transitions[i].on == on)
            return &transitions[i];
    return NULL;
}

static const char *event_name(enum rsv_event e)
{
    static const char *const names[RSV_EVENTS] = {"begin", "end", "be released"};

    return names[e];
}

int reservation_move(struct cluster *c, struct reservation *r, enum rsv_event e,
    int64_t now, struct err *err)
{
    const struct transition *t = transition(r->state, e);

    if (!t)
        return err_set(err, ERR_CONFLICT, "reservation %.80s is %s and cannot %s",
            r->name, reservation_state_name(r->state), event_name(e));
    r->state = t->to;
    r->modified_at = now;
    if (!reservation_is_live(r)) {
        r->ended_at = t->to == RSV_ENDED ? r->end_at : now;
        leave_nodes(c, r);
    }
    if (e == RSV_EV_BEGIN || (e == RSV_EV_END && r->end_at <= now))
        r->changed = ++c->rsv_epoch; /* as foreseen */
    else
        changed(c, r);
    return 0;
}

/* Is known when the next one begins or ends, and is that still ahead? */
static bool due_known(const struct cluster *c, int64_t now)
{
    const struct rsv_index *v = c->rsv_index;

    return v->epoch == c->rsv_epoch && v->since <= now && v->due_at > now;
}

uint32_t reservations_advance(struct cluster *c, int64_t now)
{
    uint32_t moved = 0;

    if (due_known(c, now) && c->rsv_index->done)
        return 0;
    for (size_t i = 0; i < c->reservations.n; i++) {
        struct reservation *r = c->reservations.v[i];
        bool ends = r && reservation_is_live(r) && r->end_at <= now;
        bool begins = r && r->state == RSV_PLANNED && r->start_at <= now;

        if (ends || begins) {
            reservation_move(c, r, ends ? RSV_EV_END : RSV_EV_BEGIN, now, NULL);
            moved++;
        }
    }
    reservations_next(c, now);
    c->rsv_index->done = true;
    return moved;
}

int64_t reservations_next(const struct cluster *c, int64_t now)
{
    struct rsv_index *v = c->rsv_index;
    int64_t next = TIME_NEVER;

    if (due_known(c, now))
        return v->due_at;
    for (size_t i = 0; i < c->reservations.n; i++) {
        const struct reservation *r = c->reservations.v[i];

        if (!r || !reservation_is_live(r))
            continue;
        if (r->start_at > now && r->start_at < next)
            next = r->start_at;
        if (r->end_at > now && r->end_at < next)
            next = r->end_at;
    }
    v->epoch = c->rsv_epoch;
    v->since = now;
    v->due_at = next;
    v->done = false;
    return next;
}

const char *reservation_state_name(enum rsv_state s)
{
    static const char *const names[RSV_STATES] = {
        "planned", "active", "ended", "released"};

    return names[s];
}

const char *reservation_kind_name(enum rsv_kind k)
{
    static const char *const names[] = {"administrative", "standing", "user"};

    return names[k];
}

/* ---- hosts --------------------------------------------------------------------- */

static const char *host_name_at(void *ctx, uint32_t index)
{
    const struct cluster *c = ctx;

    return node_at(c, index)->name;
}

static uint32_t host_find(void *ctx, const char *name)
{
    const struct node *n = node_find(ctx, name);

    return n ? n->index : BITSET_NONE;
}

static int hosts_in_class(void *ctx, const char *name, struct bitset *into)
{
    const struct cluster *c = ctx;
    const struct cred *cls = cred_find(c, CRED_CLASS, name);

    for (size_t i = 0; cls && i < c->nodes.n; i++) {
        const struct node *n = node_at(c, i);
        bool serves = n->classes.n == 0 && !n->global;

        for (size_t k = 0; k < n->classes.n; k++)
            serves |= n->classes.v[k].cls == cls->index;
        if (serves)
            bitset_set(into, (uint32_t)i);
    }
    return cls ? 0 : -1;
}

int reservation_match_hosts(
    const struct cluster *c, const char *expr, struct node_list *ret, struct err *err)
{
    struct hostexpr_nodes nodes = {.count = (uint32_t)c->nodes.n,
        .name_at = host_name_at,
        .find = host_find,
        .in_class = hosts_in_class,
        .ctx = (void *)c};
    struct hostexpr_hosts hosts = {0};
    int status = hostexpr_match(expr, &nodes, &hosts, err);

    for (size_t i = 0; i < hosts.order.n; i++)
        if (!node_at(c, hosts.order.v[i])->global)
            vec_push(ret, hosts.order.v[i]);
    hostexpr_hosts_fini(&hosts);
    return status;
}

/* ---- promises ------------------------------------------------------------------- */

static void check_nodes(const struct cluster *c, const struct reservation *r)
{
    uint32_t tasks = 0, nodes = 0;

    for (size_t i = 0; i < r->alloc.n; i++)
        for (uint32_t k = 0; k < r->alloc.v[i].count; k++) {
            uint32_t on = reservation_tasks_on(c, r, r->alloc.v[i].first + k);

            assert(on == r->alloc.v[i].tasks);
            tasks += on;
            nodes++;
        }
    assert(tasks == r->held_tasks && nodes == r->held_nodes);
}

void reservations_check(const struct cluster *c)
{
    size_t found = 0, held = 0, listed = 0;

    for (size_t i = 0; i < c->reservations.n; i++) {
        const struct reservation *r = c->reservations.v[i];

        if (!r)
            continue;
        found++;
        assert(r->index == i && r->start_at < r->end_at);
        assert(reservation_find(c, r->name) == r);
        assert(reservation_is_live(r) || r->alloc.n == 0);
        check_nodes(c, r);
        held += r->held_nodes;
    }
    assert(found == HASH_COUNT(c->rsv_index->names));
    for (size_t i = 0; i < c->rsv_nodes.n; i++) {
        const struct rsv_list *l = &c->rsv_nodes.v[i];

        listed += l->n;
        for (size_t k = 1; k < l->n; k++)
            assert(c->reservations.v[l->v[k - 1].rsv]->serial
                   < c->reservations.v[l->v[k].rsv]->serial);
    }
    assert(listed == held);
}
