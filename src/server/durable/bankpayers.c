/* SPDX-License-Identifier: Apache-2.0
 * See bankpayers.h. */
#include "server/durable/bankpayers.h"

#include "base/hash.h"
#include "base/xalloc.h"

#include <stdio.h>
#include <string.h>

#define KNOWN_MAX 1000 /* payers that ask nothing, and jobs that got no answer */

TAILQ_HEAD(entry_list, payer_entry);

struct payer {
    UT_hash_handle hh;
    TAILQ_ENTRY(payer) next; /* of those that wait, or of those that do not */
    bool waits;
    char *name;
    struct entry_list waiting;
    unsigned out, apart; /* under way; of them in places of their own */
    struct bankhealth health;
};

TAILQ_HEAD(payer_list, payer);

/* A job that got no answer. */
struct late_job {
    UT_hash_handle hh;
    TAILQ_ENTRY(late_job) next; /* by when that was */
    char *name;
};

struct bankpayers {
    struct payer *all;
    struct payer_list waiting, idle;
    struct late_job *late;
    TAILQ_HEAD(, late_job) late_order;
    unsigned silent, apart;
    unsigned late_waiting;
};

struct bankpayers *bankpayers_new(void)
{
    struct bankpayers *b = xcalloc(1, sizeof *b);

    TAILQ_INIT(&b->waiting);
    TAILQ_INIT(&b->idle);
    TAILQ_INIT(&b->late_order);
    return b;
}

static void free_payer(struct bankpayers *b, struct payer *p)
{
    b->silent -= p->health.failing;
    TAILQ_REMOVE(p->waits ? &b->waiting : &b->idle, p, next);
    HASH_DEL(b->all, p);
    free(p->name);
    free(p);
}

static void free_late(struct bankpayers *b, struct late_job *j)
{
    TAILQ_REMOVE(&b->late_order, j, next);
    HASH_DEL(b->late, j);
    free(j->name);
    free(j);
}

void bankpayers_free(struct bankpayers *b)
{
    if (!b)
        return;
    while (b->all)
        free_payer(b, b->all);
    while (b->late)
        free_late(b, b->late);
    free(b);
}

void bankpayers_forget_health(struct bankpayers *b)
{
    for (struct payer *p = b->all; p; p = p->hh.next)
        p->health = (struct bankhealth){0};
    b->silent = 0;
    while (b->late)
        free_late(b, b->late);
}

void bankpayers_hurry(struct bankpayers *b)
{
    for (struct payer *p = b->all; p; p = p->hh.next)
        bankhealth_hurry(&p->health);
}

/* ---- who waits ------------------------------------------------------------------- */

static void prune_payers(struct bankpayers *b)
{
    struct payer *p = TAILQ_FIRST(&b->idle);

    if (HASH_COUNT(b->all) > KNOWN_MAX && p && p->out == 0)
        free_payer(b, p);
}

static void place_payer(struct bankpayers *b, struct payer *p)
{
    TAILQ_REMOVE(p->waits ? &b->waiting : &b->idle, p, next);
    p->waits = !TAILQ_EMPTY(&p->waiting);
    TAILQ_INSERT_TAIL(p->waits ? &b->waiting : &b->idle, p, next);
}

static struct payer *get_payer(struct bankpayers *b, const json_t *body)
{
    const char *account = json_string_value(json_object_get(body, "account"));
    const char *user = json_string_value(json_object_get(body, "user"));
    char name[300];
    struct payer *p;

    snprintf(name, sizeof name, "%c%s", account ? 'a' : 'u',
        account ? account
        : user  ? user
                : "");
    HASH_FIND_STR(b->all, name, p);
    if (p)
        return p;
    prune_payers(b);
    p = xcalloc(1, sizeof *p);
    p->name = xstrdup(name);
    TAILQ_INIT(&p->waiting);
    TAILQ_INSERT_TAIL(&b->idle, p, next);
    HASH_ADD_KEYPTR(hh, b->all, p->name, strlen(p->name), p);
    return p;
}

static struct late_job *find_late(const struct bankpayers *b, const char *job)
{
    struct late_job *j;

    HASH_FIND_STR(b->late, job, j);
    return j;
}

/* Late ones come last. */
static void insert_entry(struct payer *p, struct payer_entry *e)
{
    struct payer_entry *before = TAILQ_LAST(&p->waiting, entry_list);

    while (!e->late && before && before->late)
        before = TAILQ_PREV(before, entry_list, next);
    if (before)
        TAILQ_INSERT_AFTER(&p->waiting, before, e, next);
    else
        TAILQ_INSERT_HEAD(&p->waiting, e, next);
}

void bankpayers_add(struct bankpayers *b, struct payer_entry *e, struct line_item *item,
    const char *job, const json_t *body)
{
    struct payer *p = get_payer(b, body);

    *e = (struct payer_entry){
        .payer = p, .item = item, .waits = true, .late = find_late(b, job) != NULL};
    b->late_waiting += e->late;
    insert_entry(p, e);
    if (!p->waits)
        place_payer(b, p);
}

static void leave_waiting(struct bankpayers *b, struct payer_entry *e)
{
    TAILQ_REMOVE(&e->payer->waiting, e, next);
    e->waits = false;
    b->late_waiting -= e->late;
}

void bankpayers_remove(struct bankpayers *b, struct payer_entry *e)
{
    struct payer *p = e->payer;

    if (e->waits) {
        leave_waiting(b, e);
        if (TAILQ_EMPTY(&p->waiting))
            place_payer(b, p);
    } else {
        p->out--;
        p->health.probing = false;
        b->apart -= e->apart;
        p->apart -= e->apart;
    }
    e->payer = NULL;
}

/* ---- who is next ----------------------------------------------------------------- */

struct payer_entry *bankpayers_next(
    struct bankpayers *b, unsigned most, bool (*may)(const struct line_item *item))
{
    struct payer *p;

    TAILQ_FOREACH(p, &b->waiting, next)
    {
        struct payer_entry *e = TAILQ_FIRST(&p->waiting);
        if (!p->health.failing && p->out - p->apart < most && !e->late && may(e->item))
            return e;
    }
    return NULL;
}

struct payer_entry *bankpayers_next_apart(
    struct bankpayers *b, uint64_t now, bool (*may)(const struct line_item *item))
{
    struct payer *p;

    if (b->apart >= BANKPAYERS_APART)
        return NULL;
    TAILQ_FOREACH(p, &b->waiting, next)
    {
        struct payer_entry *e = TAILQ_FIRST(&p->waiting);
        bool odd = p->health.failing ? !p->health.probing : e->late;
        if (odd && !bankhealth_is_paused(&p->health, now) && may(e->item))
            return e;
    }
    return NULL;
}

void bankpayers_send(struct bankpayers *b, struct payer_entry *e, bool apart)
{
    struct payer *p = e->payer;

    leave_waiting(b, e);
    e->apart = apart;
    e->answers = p->health.answers;
    b->apart += apart;
    p->apart += apart;
    p->health.probing = p->health.failing;
    p->out++;
    place_payer(b, p); /* behind the others */
}

/* ---- what came of it ------------------------------------------------------------- */

static void add_late(struct bankpayers *b, const char *job)
{
    struct late_job *j = find_late(b, job);

    if (j || !*job)
        return;
    if (HASH_COUNT(b->late) >= KNOWN_MAX)
        free_late(b, TAILQ_FIRST(&b->late_order));
    j = xcalloc(1, sizeof *j);
    j->name = xstrdup(job);
    TAILQ_INSERT_TAIL(&b->late_order, j, next);
    HASH_ADD_KEYPTR(hh, b->late, j->name, strlen(j->name), j);
}

void bankpayers_miss(
    struct bankpayers *b, struct payer_entry *e, const char *job, uint64_t now)
{
    struct bankhealth *h = &e->payer->health;
    bool failed = h->failing;

    bankhealth_miss(h, e->answers, now);
    b->silent += h->failing && !failed;
    add_late(b, job);
}

void bankpayers_answer(struct bankpayers *b, struct payer_entry *e, const char *job)
{
    struct bankhealth *h = &e->payer->health;
    struct late_job *j = find_late(b, job);

    b->silent -= h->failing;
    bankhealth_answer(h);
    h->answers++;
    if (j)
        free_late(b, j);
}

unsigned bankpayers_silent(const struct bankpayers *b)
{
    return b->silent;
}

bool bankpayers_any_odd(const struct bankpayers *b)
{
    return b->silent > 0 || b->late_waiting > 0;
}

bool bankpayers_is_silent(const struct payer_entry *e)
{
    return e->payer->health.failing;
}

bool bankpayers_is_paused(const struct payer_entry *e, uint64_t now)
{
    return bankhealth_is_paused(&e->payer->health, now);
}

bool bankpayers_has_no_place(const struct bankpayers *b, const struct payer_entry *e)
{
    return e->late && b->apart >= BANKPAYERS_APART;
}
