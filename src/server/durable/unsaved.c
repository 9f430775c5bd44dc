/* SPDX-License-Identifier: Apache-2.0
 * Changes of the durable state on their way to the disk. */
#include "server/durable/unsaved.h"

#include "base/vec.h"
#include "base/xalloc.h"

#include <stdlib.h>

enum change_kind {
    CHANGE_PUT,
    CHANGE_DELETE,
    CHANGE_JOURNAL,
    CHANGE_TRIM,
    CHANGE_ACCOUNT,
    CHANGE_STEP
};

struct change {
    enum change_kind what;
    const char *kind;          /* constant */
    char *key, *text;          /* owned */
    int64_t at;                /* JOURNAL */
    struct store_account *row; /* ACCOUNT; owned, and its texts */
    struct unsaved_step step;  /* STEP */
};

struct unsaved {
    struct store *store;
    struct VEC(struct change) changes;
    size_t told; /* so many are in the store's open batch */
};

struct unsaved *unsaved_open(struct store *store)
{
    struct unsaved *u = xcalloc(1, sizeof *u);

    u->store = store;
    return u;
}

#define ROW_TEXTS 11

/* The texts of a row, to be copied and freed alike. */
static void row_texts(struct store_account *row, const char **ret[ROW_TEXTS])
{
    const char **texts[ROW_TEXTS] = {&row->job, &row->name, &row->user, &row->group,
        &row->account, &row->class, &row->qos, &row->partition, &row->state,
        &row->hosts, &row->extra};

    for (size_t i = 0; i < ROW_TEXTS; i++)
        ret[i] = texts[i];
}

static void change_fini(struct change *c)
{
    const char **texts[ROW_TEXTS];

    free(c->key);
    free(c->text);
    if (c->what == CHANGE_STEP)
        c->step.forget(c->step.payload);
    if (!c->row)
        return;
    row_texts(c->row, texts);
    for (size_t i = 0; i < ROW_TEXTS; i++)
        free((char *)*texts[i]);
    free(c->row);
}

static void forget(struct unsaved *u)
{
    for (size_t i = 0; i < u->changes.n; i++)
        change_fini(&u->changes.v[i]);
    u->changes.n = u->told = 0;
}

void unsaved_close(struct unsaved *u)
{
    if (!u)
        return;
    forget(u);
    vec_fini(&u->changes);
    free(u);
}

void unsaved_put(
    struct unsaved *u, const char *kind, const char *key, const char *value)
{
    vec_push(&u->changes, ((struct change){.what = CHANGE_PUT,
                              .kind = kind,
                              .key = xstrdup(key),
                              .text = xstrdup(value ? value : "")}));
}

void unsaved_delete(struct unsaved *u, const char *kind, const char *key)
{
    vec_push(&u->changes,
        ((struct change){.what = CHANGE_DELETE, .kind = kind, .key = xstrdup(key)}));
}

void unsaved_journal(struct unsaved *u, int64_t at, const char *text)
{
    vec_push(&u->changes,
        ((struct change){.what = CHANGE_JOURNAL, .at = at, .text = xstrdup(text)}));
}

void unsaved_trim(struct unsaved *u, int64_t seq)
{
    vec_push(&u->changes, ((struct change){.what = CHANGE_TRIM, .at = seq}));
}

void unsaved_account(struct unsaved *u, const struct store_account *row)
{
    struct store_account *copy = xcalloc(1, sizeof *copy);
    const char **texts[ROW_TEXTS];

    *copy = *row;
    if (!(copy->cpu_s >= 0))
        copy->cpu_s = -1; /* the store takes no NaN */
    row_texts(copy, texts);
    for (size_t i = 0; i < ROW_TEXTS; i++)
        *texts[i] = *texts[i] ? xstrdup(*texts[i]) : NULL;
    vec_push(&u->changes, ((struct change){.what = CHANGE_ACCOUNT, .row = copy}));
}

void unsaved_later(struct unsaved *u, struct unsaved_step step)
{
    vec_push(&u->changes, ((struct change){.what = CHANGE_STEP, .step = step}));
}

/* A change that fails spoils the store's batch, and the commit tells. */
static void tell(struct unsaved *u, const struct change *c)
{
    switch (c->what) {
    case CHANGE_PUT:
        (void)store_put(u->store, c->kind, c->key, c->text, NULL);
        break;
    case CHANGE_DELETE:
        (void)store_delete(u->store, c->kind, c->key, NULL);
        break;
    case CHANGE_JOURNAL:
        (void)store_journal_add(u->store, c->at, c->text, NULL, NULL);
        break;
    case CHANGE_TRIM:
        (void)store_journal_trim(u->store, c->at, NULL);
        break;
    case CHANGE_ACCOUNT:
        (void)store_account_add(u->store, c->row, NULL);
        break;
    case CHANGE_STEP:
        (void)c->step.make(c->step.payload, NULL);
        break;
    }
}

void unsaved_tell(struct unsaved *u)
{
    for (; u->told < u->changes.n; u->told++)
        tell(u, &u->changes.v[u->told]);
}

int unsaved_now(struct unsaved *u, struct unsaved_step step, struct err *err)
{
    unsaved_tell(u);
    int result = step.make(step.payload, err);
    if (result != 0) {
        step.forget(step.payload);
        return result;
    }
    unsaved_later(u, step);
    u->told++;
    return 0;
}

size_t unsaved_count(const struct unsaved *u)
{
    return u->changes.n;
}

int unsaved_commit(struct unsaved *u, struct err *err)
{
    unsaved_tell(u);
    if (store_commit(u->store, err) < 0) {
        u->told = 0;
        return -1;
    }
    forget(u);
    return 0;
}
