/* SPDX-License-Identifier: Apache-2.0
 * See lostruns.h. */
#include "server/durable/lostruns.h"

#include "base/xalloc.h"
#include "records/describe.h"
#include "server/durable/unsaved.h"
#include "server/server_private.h"
#include "store/account.h"
#include "store/ledger.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define KIND "lostrun"

void lostruns_note(struct server *s, const struct money_move *m)
{
    json_t *o = json_pack("{s:I}", "at", (json_int_t)m->at);
    char *text = json_dumps(o, JSON_COMPACT);

    unsaved_put(s->unsaved, KIND, m->run, text);
    free(text);
    json_decref(o);
}

/* ---- looking --------------------------------------------------------------------- */

#define LOOKED 5000 /* ended jobs that one call looks at, lost or not */
#define FOUND  500

struct walk {
    struct server *s;
    int64_t since, next; /* [since, next); next 0 = no end */
    int64_t looked, last;
    struct lost_runs *found;
    struct err *err;
};

/* The last run of a job that began before it ended. */
struct last_run {
    int64_t from, to; /* it was submitted; it ended */
    int64_t since_at;
    char *name; /* owned */
};

static int on_noted(void *arg, const char *key, const char *value)
{
    struct walk *w = arg;
    json_t *o = json_loads(value, 0, NULL);
    int64_t at = json_integer_value(json_object_get(o, "at"));

    json_decref(o);
    if (at >= w->since && (!w->next || at < w->next))
        vec_push(w->found, ((struct lost_run){xstrdup(key), at}));
    return 0;
}

/* Told by its text first: of many jobs few are. */
static bool is_lost(const char *extra)
{
    if (!strstr(extra, end_reason_name(ENDED_NODE_DOWN))
        && !strstr(extra, end_reason_name(ENDED_CRASH)))
        return false;
    json_t *o = json_loads(extra, 0, NULL);
    enum end_reason reason = end_reason_find(
        json_string_value(json_object_get(json_object_get(o, "end"), "reason")));

    json_decref(o);
    return reason == ENDED_NODE_DOWN || reason == ENDED_CRASH;
}

static int on_run(void *arg, const struct ledger_run *row)
{
    struct last_run *l = arg;

    if (row->since_at < l->from || row->since_at > l->to
        || (l->name && row->since_at < l->since_at))
        return 0;
    free(l->name);
    l->name = xstrdup(row->run);
    l->since_at = row->since_at;
    return 0;
}

static int on_ended(void *arg, const struct store_account *row)
{
    struct walk *w = arg;
    const struct ledger_which of = {.job = row->job};
    struct last_run last = {.from = row->submit_at, .to = row->end_at};

    /* those of one second are told together: the next page begins with another */
    if ((w->looked >= LOOKED || w->found->n >= FOUND) && row->end_at != w->last) {
        w->next = row->end_at;
        return 1;
    }
    w->looked++;
    w->last = row->end_at;
    if (row->start_at <= 0 || !is_lost(row->extra))
        return 0;
    if (ledger_runs(w->s->store, &of, on_run, &last, w->err) < 0) {
        free(last.name);
        return 2;
    }
    if (last.name)
        vec_push(w->found, ((struct lost_run){last.name, row->end_at}));
    return 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct lost_run *)a)->run, ((const struct lost_run *)b)->run);
}

static int compare_ends(const void *a, const void *b)
{
    const struct lost_run *x = a, *y = b;

    return x->at != y->at ? (x->at < y->at ? -1 : 1) : strcmp(x->run, y->run);
}

/* One may be noted, and have a row. */
static void keep_first_of_each(struct lost_runs *runs)
{
    size_t kept = 0;

    if (!runs->n)
        return;
    qsort(runs->v, runs->n, sizeof *runs->v, compare_names);
    for (size_t i = 0; i < runs->n; i++)
        if (kept && strcmp(runs->v[kept - 1].run, runs->v[i].run) == 0)
            free(runs->v[i].run);
        else
            runs->v[kept++] = runs->v[i];
    runs->n = kept;
    qsort(runs->v, runs->n, sizeof *runs->v, compare_ends);
}

int lostruns_find(struct server *s, int64_t since, struct lost_runs *ret,
    int64_t *ret_next, struct err *err)
{
    const struct store_account_filter of = {.from_at = since};
    struct walk w = {.s = s, .since = since, .found = ret, .err = err};
    int result;

    *ret = (struct lost_runs){0};
    unsaved_tell(s->unsaved);
    result = store_account_each(s->store, &of, on_ended, &w, err);
    if (result < 0 || result == 2 || store_each(s->store, KIND, on_noted, &w, err) < 0)
        return -1;
    keep_first_of_each(ret);
    *ret_next = w.next;
    return 0;
}

void lostruns_fini(struct lost_runs *runs)
{
    for (size_t i = 0; i < runs->n; i++)
        free(runs->v[i].run);
    vec_fini(runs);
}
