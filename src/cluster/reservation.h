/* SPDX-License-Identifier: Apache-2.0
 * Reservations that are not of a job: administrative ones, those of users, and the
 * instances of standing ones. The cluster owns them; each has an index that never
 * changes while it lives and may be used again later. (Reservations of jobs live with
 * their jobs, in plan/.) Source: reference reservations 1, 2, 11. */
#ifndef MAUI_CLUSTER_RESERVATION_H
#define MAUI_CLUSTER_RESERVATION_H

#include "cluster/cluster.h"
#include "cluster/node.h"
#include "config/srcfg.h"

/* ---- the record -------------------------------------------------------------- */

enum rsv_kind { RSV_ADMIN, RSV_STANDING, RSV_USER };

enum rsv_state {
    RSV_PLANNED,  /* before its start */
    RSV_ACTIVE,   /* start_at <= now < end_at */
    RSV_ENDED,    /* past its end: holds no nodes any more */
    RSV_RELEASED, /* ended by somebody: holds no nodes any more */
    RSV_STATES
};

/* Which partitions its nodes may be in, besides one by index. */
#define RSV_PARTITION_ALL (UINT32_MAX - 1) /* several at once */
#define RSV_PARTITION_ONE (UINT32_MAX - 2) /* any one: the one offering most tasks */

/* What of a reservation changes. */
enum rsv_change {
    RSV_CHANGE_WINDOW = 1,
    RSV_CHANGE_TASKS = 2,  /* how many */
    RSV_CHANGE_PLACES = 4, /* hosts, features, partition, resources: chosen anew */
    RSV_CHANGE_ACL = 8,
    RSV_CHANGE_FLAGS = 16,
    RSV_CHANGE_OWNER = 32,
    RSV_CHANGE_CHARGE = 64, /* who is charged */
    RSV_CHANGE_TRIGGERS = 128,
    RSV_CHANGE_ALL = 255
};

struct reservation {
    uint32_t index;
    enum rsv_kind kind;
    enum rsv_state state;
    uint64_t serial; /* order of creation; of all reservations there ever were */
    char *name;      /* owned, unique: "fast.0.3" */
    char *base;      /* owned: "fast"; what a job may name it by as well */
    int64_t created_at, modified_at;
    int64_t start_at, end_at; /* [start, end); end may be TIME_NEVER */
    int64_t ended_at;         /* of an ended or released one; else 0 */

    /* what it wants */
    struct taskdef def;   /* per_task (-1 = all), gres, tpn, features, nodeset; index
                             INDEX_NONE: not one of cluster.taskdefs. Other fields mean
                             "any" */
    bool any_feature;     /* one of def.features is enough */
    uint32_t tasks;       /* wanted; 0 = all that the hosts give */
    uint32_t least_tasks; /* so many will do to begin with; 0 = all that are wanted */
    uint32_t partition;   /* index, RSV_PARTITION_ALL or _ONE */
    bool listed;          /* has a host list (perhaps of no known node) */
    struct VEC(uint32_t) hosts; /* node indexes in list order, each once */
    char *host_expr;            /* owned: what `hosts` follows from, or NULL */
    bool all_hosts; /* its tasks are all that the list can hold: rsvnodes_asks_for_all()
                     */
    bool one_per_host; /* setres: one task a listed host, not as many as fit */
    bool shared;       /* ACCESS=SHARED: may lie on other reservations */
    bool exclusive;    /* setres -E: refuse any overlap */
    uint32_t flags;    /* enum rsv_flag */

    /* who */
    unsigned owner_kind;         /* enum cred_kind, CRED_KINDS = none */
    uint32_t owner;              /* credential index */
    uint32_t charge[CRED_KINDS]; /* accountable credentials, 0 = none */
    struct acl acl;
    int64_t priority;

    /* what it holds: changed by reservation_set_nodes() only */
    struct allocs alloc;
    uint32_t held_tasks, held_nodes;

    struct trigger_list triggers; /* with their fired state */

    /* kept by policy/rsvuse (read by rsvuse_of()) and policy/fairshare */
    double idle_ps, active_ps; /* processor seconds unused and used until use_at */
    int64_t held_procs, active_procs; /* processors held, and used by jobs inside */
    int64_t use_at;
    bool use_open;                 /* time is being counted */
    uint64_t changed, use_changed; /* epoch of the last change, and of that noticed */
    double fs_rate;                /* what is charged a second now, and to whom */
    uint32_t fs_cred[CRED_KINDS];

    /* of an instance of a standing reservation */
    uint32_t standing; /* index into settings.standing, else INDEX_NONE */
    uint32_t slot;     /* 0 = present period, at the last roll */
    int64_t period_at; /* start of its calendar period; 0 for PERIOD=INFINITY */
};

/* A draft with nothing set: no list, PROCS -1, any one partition. */
struct reservation reservation_draft(enum rsv_kind kind);
/* Free what a draft owns. */
void reservation_fini(struct reservation *draft);

/* ---- the cluster's ------------------------------------------------------------- */

/* Tasks of a reservation on one node; and of the processors that it holds there those
 * with jobs inside it, as policy/rsvuse counted them. */
struct rsv_on_node {
    uint32_t rsv, tasks;
    uint32_t held, active;
};
struct rsv_list VEC(struct rsv_on_node);

/* Take over a draft (moved on success; still the caller's on failure). draft->name
 * NULL: named after draft->base, by reservation_next_name(). State follows from the
 * window: a start before `now` becomes `now`. -1 when the window is empty or over, or
 * the name is unusable or taken. Raises rsv_epoch. Holds no nodes yet.
 * O(reservations). */
int reservation_add(struct cluster *c, struct reservation *draft, int64_t now,
    struct reservation **ret, struct err *err);

/* Would reservation_add() take the draft? 0, or -1 with its sentence. */
int reservation_check(const struct cluster *c, const struct reservation *draft,
    int64_t now, struct err *err);

/* By full name; "system.3" finds SYSTEM.3. NULL if unknown. O(1). */
struct reservation *reservation_find(const struct cluster *c, const char *name);

/* Forget one that is ended or released, and free it. */
void reservation_remove(struct cluster *c, struct reservation *r);

/* Hold these nodes instead of those held so far. Moves *alloc (tasks of request 0;
 * no node twice). O(nodes x reservations there). Raises rsv_epoch and rsv_moves, by
 * which the plan sees that pools are to be made anew, unless both are the same. */
void reservation_set_nodes(
    struct cluster *c, struct reservation *r, struct allocs *alloc);

/* Tasks it holds on the node. O(reservations there). */
uint32_t reservation_tasks_on(
    const struct cluster *c, const struct reservation *r, uint32_t node);

/* The reservations on a node, in order of creation. Borrowed until the next change. */
static inline const struct rsv_list *reservations_on(
    const struct cluster *c, uint32_t node)
{
    static const struct rsv_list none;

    return node < c->rsv_nodes.n ? &c->rsv_nodes.v[node] : &none;
}

/* What `tasks` of its tasks take of the node: -1 is all that is configured. With
 * DEDICATEDNODE any task takes the whole node. */
struct res reservation_amount(
    const struct reservation *r, const struct node *n, uint32_t tasks);

/* Attributes of a live one were changed in place, among them perhaps its window. */
void reservation_changed(struct cluster *c, struct reservation *r, int64_t now);
/* The same, and the state follows from the window: one that begins later than now is
 * (again) only planned. */
void reservation_reschedule(struct cluster *c, struct reservation *r, int64_t now);

/* ---- life ------------------------------------------------------------------------ */

/* Moves by the table in reservation.c; an unlisted pair is an error and changes
 * nothing. Ending and releasing free the nodes and set ended_at: the end of the
 * window, and now. */
enum rsv_event { RSV_EV_BEGIN, RSV_EV_END, RSV_EV_RELEASE, RSV_EVENTS };
int reservation_move(struct cluster *c, struct reservation *r, enum rsv_event e,
    int64_t now, struct err *err);

/* Begin and end what is due at `now`. Returns how many moved. O(reservations), or O(1)
 * when that is known to be nothing. */
uint32_t reservations_advance(struct cluster *c, int64_t now);

/* The next instant after `now` at which one begins or ends; TIME_NEVER = none. O(1)
 * until then, as long as none changes. */
int64_t reservations_next(const struct cluster *c, int64_t now);

static inline bool reservation_is_live(const struct reservation *r)
{
    return r->state == RSV_PLANNED || r->state == RSV_ACTIVE;
}

/* ---- names ---- */

/* `<base>.<n>`, for a standing one `<base>.<slot>.<n>`: n one above the highest in use,
 * from 0. A reservation keeps its name, also an instance that has come nearer since it
 * was made in its slot. Owned by caller. */
char *reservation_next_name(
    struct cluster *c, enum rsv_kind kind, const char *base, uint32_t slot);

/* Is `asked` its name (a draft may have none), or the name it is one instance of? */
bool reservation_is_named(const struct reservation *r, const char *asked);

/* The nodes of a host expression, added to *ret in list order, each once. -1 with a
 * sentence when an element is malformed or matches no node; the others are there all
 * the same. O(elements x nodes). */
struct node_list VEC(uint32_t);
int reservation_match_hosts(
    const struct cluster *c, const char *expr, struct node_list *ret, struct err *err);

const char *reservation_state_name(enum rsv_state s);
const char *reservation_kind_name(enum rsv_kind k);

#endif
