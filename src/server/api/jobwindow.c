/* SPDX-License-Identifier: Apache-2.0
 * A part of a list of jobs, and how many there are of each kind. */
#include "server/api/jobwindow.h"

#include "base/vec.h"
#include "base/xalloc.h"
#include "server/api/jobfilter.h"
#include "server/api/words.h"
#include "server/render/render.h"
#include "server/server_private.h"

#include <stdlib.h>
#include <string.h>

#define LIMIT_MAX  10000
#define COUNTS_MAX 50 /* names of a kind that are told; the rest is summed up */

/* ---- the order ---- */

struct jobsort {
    const char *name;
    int64_t (*number)(struct server *s, const struct job *j);
    int kind; /* else: by the name of this credential; -1: by id */
};

static int64_t procs_of(struct server *s, const struct job *j)
{
    (void)s;
    return j->procs;
}

static int64_t nodes_of(struct server *s, const struct job *j)
{
    (void)s;
    return j->nodes;
}

static int64_t limit_of(struct server *s, const struct job *j)
{
    (void)s;
    return j->wclimit_s;
}

static int64_t submit_of(struct server *s, const struct job *j)
{
    (void)s;
    return j->submit_at;
}

static int64_t start_of(struct server *s, const struct job *j)
{
    (void)s;
    return job_is_active(j) && j->start_at ? j->start_at : INT64_MAX;
}

static int64_t end_of(struct server *s, const struct job *j)
{
    (void)s;
    return job_is_active(j) ? j->end_at : INT64_MAX;
}

static int64_t priority_of(struct server *s, const struct job *j)
{
    return job_priority(engine_cluster(s->engine), j);
}

static int64_t section_of(struct server *s, const struct job *j)
{
    (void)s;
    return render_section(j);
}

static int64_t promise_of(struct server *s, const struct job *j)
{
    const struct planned *p =
        job_is_active(j) ? NULL : engine_reservation_of(s->engine, j);

    return p && p->start_at > 0 ? p->start_at : INT64_MAX;
}

static const struct jobsort sorts[] = {{"id", NULL, -1}, {"user", NULL, CRED_USER},
    {"group", NULL, CRED_GROUP}, {"account", NULL, CRED_ACCOUNT},
    {"class", NULL, CRED_CLASS}, {"qos", NULL, CRED_QOS}, {"state", section_of, 0},
    {"procs", procs_of, 0}, {"nodes", nodes_of, 0}, {"wclimit_s", limit_of, 0},
    {"submit_at", submit_of, 0}, {"start_at", start_of, 0}, {"end_at", end_of, 0},
    {"priority", priority_of, 0}, {"reservation_at", promise_of, 0}};
#define SORTS (sizeof sorts / sizeof sorts[0])

bool jobwindow_is_by_id(const struct jobwindow *w)
{
    return w->sort && !w->sort->number && w->sort->kind < 0;
}

bool jobwindow_grows(const struct jobwindow *w)
{
    return w->grows || (w->limit && (!w->sort || w->sort->number == priority_of));
}

int64_t jobwindow_value(const struct jobwindow *w, struct server *s,
    const struct jobranks *ranks, const struct job *j)
{
    int64_t n = 0;

    if (w->sort && w->sort->number)
        n = w->sort->number(s, j);
    else if (w->sort && w->sort->kind >= 0)
        n = j->cred[w->sort->kind] < ranks->n ? ranks->v[j->cred[w->sort->kind]]
                                              : UINT32_MAX;
    /* those that have none come last, either way */
    return w->down && n != INT64_MAX ? -n : n;
}

struct named_cred {
    const char *name;
    uint32_t index;
};

static int compare_names(const void *a, const void *b)
{
    const struct named_cred *x = a, *y = b;

    return strcmp(x->name, y->name);
}

void jobwindow_rank(
    const struct jobwindow *w, const struct cluster *c, struct jobranks *ret)
{
    struct VEC(struct named_cred) all = {0};

    *ret = (struct jobranks){0};
    if (!w->sort || w->sort->number || w->sort->kind < 0)
        return;
    for (uint32_t i = 0; i < c->creds[w->sort->kind].n; i++)
        vec_push(&all, ((struct named_cred){c->creds[w->sort->kind].v[i]->name, i}));
    if (all.n)
        qsort(all.v, all.n, sizeof *all.v, compare_names);
    vec_push_zeros(ret, all.n);
    for (uint32_t i = 0; i < all.n; i++)
        ret->v[all.v[i].index] = i;
    vec_fini(&all);
}

/* ---- what is counted ---- */

static const char *const kinds[] = {
    "user", "group", "account", "class", "qos", "reason"};
static const int cred_of[] = {
    CRED_USER, CRED_GROUP, CRED_ACCOUNT, CRED_CLASS, CRED_QOS, -1};
#define KINDS (sizeof kinds / sizeof kinds[0])

struct tally {
    int64_t active, waiting, active_procs, waiting_ps;
    uint32_t index; /* of the credential, or the code of the reason */
};

struct jobcounts {
    unsigned count;
    struct VEC(struct tally) of[KINDS];
};

struct jobcounts *jobcounts_new(const struct jobwindow *w)
{
    if (!w->count)
        return NULL;
    struct jobcounts *k = xcalloc(1, sizeof *k);
    k->count = w->count;
    return k;
}

void jobcounts_free(struct jobcounts *k)
{
    for (size_t i = 0; k && i < KINDS; i++)
        vec_fini(&k->of[i]);
    free(k);
}

int64_t jobcounts_work(const struct job *j, int section)
{
    return section != SECTION_ACTIVE && j->wclimit_s < DURATION_UNLIMITED
               ? j->wclimit_s * j->procs
               : 0;
}

void jobcounts_add(struct jobcounts *k, const struct job *j, int section)
{
    bool active = section == SECTION_ACTIVE;

    if (section == SECTION_COMPLETED)
        return;
    for (size_t i = 0; i < KINDS; i++) {
        if (!(k->count >> i & 1) || (active && cred_of[i] < 0))
            continue;
        uint32_t of = cred_of[i] >= 0 ? j->cred[cred_of[i]] : jobfilter_code(j);
        if (of >= k->of[i].n)
            vec_push_zeros(&k->of[i], of + 1 - k->of[i].n);
        struct tally *t = &k->of[i].v[of];
        t->index = of;
        t->active += active;
        t->waiting += !active;
        t->active_procs += active ? j->procs : 0;
        t->waiting_ps += jobcounts_work(j, section);
    }
}

/* Most work first. */
static int compare_tallies(const void *a, const void *b)
{
    const struct tally *x = a, *y = b;

    if (x->waiting_ps != y->waiting_ps)
        return x->waiting_ps > y->waiting_ps ? -1 : 1;
    if (x->active_procs != y->active_procs)
        return x->active_procs > y->active_procs ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static const char *name_of(const struct cluster *c, size_t kind, uint32_t index)
{
    if (cred_of[kind] >= 0)
        return c->creds[cred_of[kind]].v[index]->name;
    return jobfilter_reason((enum wait_code)index);
}

static json_t *render_tally(const char *name, const struct tally *t)
{
    return json_pack("{s:o, s:I, s:I, s:I, s:I}", "name", render_utf8(name), "active",
        (json_int_t)t->active, "waiting", (json_int_t)t->waiting, "active_procs",
        (json_int_t)t->active_procs, "waiting_ps", (json_int_t)t->waiting_ps);
}

static json_t *render_kind(
    const struct jobcounts *k, const struct cluster *c, size_t kind)
{
    size_t n = k->of[kind].n, told = 0;
    struct tally *sorted = xcalloc(n + 1, sizeof *sorted), others = {0};
    json_t *all = json_array();

    if (n)
        memcpy(sorted, k->of[kind].v, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_tallies);
    for (size_t i = 0; i < n; i++) {
        const struct tally *t = &sorted[i];
        if (!t->active && !t->waiting)
            continue;
        if (told++ < COUNTS_MAX) {
            json_array_append_new(all, render_tally(name_of(c, kind, t->index), t));
            continue;
        }
        others.active += t->active;
        others.waiting += t->waiting;
        others.active_procs += t->active_procs;
        others.waiting_ps += t->waiting_ps;
    }
    if (told > COUNTS_MAX)
        json_array_append_new(all, render_tally("(others)", &others));
    free(sorted);
    return all;
}

json_t *jobcounts_render(const struct jobcounts *k, const struct cluster *c)
{
    json_t *o = json_object();

    for (size_t i = 0; i < KINDS; i++)
        if (k->count >> i & 1)
            json_object_set_new(o, kinds[i], render_kind(k, c, i));
    return o;
}

/* ---- what is asked for ---- */

static const char *sort_at(size_t i)
{
    return i < SORTS ? sorts[i].name : NULL;
}

static const char *kind_at(size_t i)
{
    return i < KINDS ? kinds[i] : NULL;
}

int jobwindow_read(const struct request *r, struct jobwindow *ret, struct err *err)
{
    const char *sort = request_query(r, "sort");
    int64_t limit, offset;
    int found;

    *ret = (struct jobwindow){.limit = SIZE_MAX};
    if (request_query_int(r, "limit", -1, &limit, err) < 0
        || request_query_int(r, "offset", 0, &offset, err) < 0
        || words_read("count", kind_at, request_query(r, "count"), &ret->count, err)
               < 0)
        return -1;
    if (limit < -1 || limit > LIMIT_MAX)
        return err_set(err, ERR_INVALID, "limit: expected 0 to %d", LIMIT_MAX);
    if (offset < 0)
        return err_set(err, ERR_INVALID, "offset: expected 0 or more");
    if (limit >= 0)
        ret->limit = (size_t)limit;
    ret->offset = (size_t)offset;
    if (!sort || !*sort)
        return 0;
    ret->down = *sort == '-';
    sort += ret->down;
    if ((found = words_find("sort", sort_at, sort, err)) < 0)
        return -1;
    ret->sort = &sorts[found];
    return 0;
}
