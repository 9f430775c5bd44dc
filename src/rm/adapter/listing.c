/* SPDX-License-Identifier: Apache-2.0
 * Listings by name: the digest and the look of each. */
#include "rm/adapter/listing.h"

#include "base/hash.h"
#include "rm/adapter/digest.h"
#include "rm/wire.h"

struct thing {
    char *name;               /* key */
    uint64_t digest, request; /* request: of what a job asks for; 0 = never told */
    bool told;                /* and not forgotten */
    unsigned missed;
    uint32_t round;
    void *data;
    UT_hash_handle hh;
};

struct listing {
    struct listing_kind kind;
    struct thing *things;
    uint32_t round;
};

struct listing *listing_new(const struct listing_kind *kind)
{
    struct listing *l = xcalloc(1, sizeof *l);

    l->kind = *kind;
    return l;
}

static void drop_thing(struct listing *l, struct thing *t)
{
    HASH_DEL(l->things, t);
    if (l->kind.fini != NULL)
        l->kind.fini(t->data);
    free(t->data);
    free(t->name);
    free(t);
}

static void lose_thing(struct listing *l, struct thing *t, const struct rm_sink *sink)
{
    struct rm_report r = {.kind = l->kind.gone, .u.name = t->name};

    sink->report(sink->ctx, &r);
    drop_thing(l, t);
}

void listing_destroy(struct listing *l)
{
    struct thing *t, *next;

    if (l == NULL)
        return;
    HASH_ITER(hh, l->things, t, next)
    drop_thing(l, t);
    free(l);
}

static struct thing *find_thing(const struct listing *l, const char *name)
{
    struct thing *t;

    HASH_FIND_STR(l->things, name, t);
    return t;
}

static struct thing *see_thing(struct listing *l, const char *name)
{
    struct thing *t = find_thing(l, name);

    if (t == NULL) {
        t = xcalloc(1, sizeof *t);
        t->name = xstrdup(name);
        t->data = xcalloc(1, l->kind.size);
        HASH_ADD_KEYPTR(hh, l->things, t->name, strlen(t->name), t);
    }
    t->round = l->round;
    t->missed = 0;
    return t;
}

void listing_begin(struct listing *l)
{
    l->round++;
}

bool listing_see(struct listing *l, const char *name, uint64_t digest)
{
    struct thing *t = see_thing(l, name);
    bool other = !t->told || t->digest != digest;

    t->told = true;
    t->digest = digest;
    return other;
}

static uint64_t digest_of(const struct rm_report *r)
{
    char *line = wire_report(r);
    uint64_t digest = digest_text(DIGEST_START, line);

    free(line);
    return digest;
}

/* Of what a job asks for, whatever became of it. */
static uint64_t request_of(const struct listing *l, const struct rm_job *j)
{
    struct rm_job plain = {.cpu_s = -1, .mem_mb = -1, .swap_mb = -1, .disk_mb = -1};
    struct rm_report r = {.kind = RM_JOB, .u.job = &plain};

    plain.desc = j->desc;
    plain.desc.state = JOB_IDLE;
    plain.desc.rm_hold = 0;
    plain.desc.start_at = 0;
    plain.desc.places = NULL;
    plain.desc.nplaces = 0;
    if (l->kind.limit_apart)
        plain.desc.wclimit_s = 0;
    return digest_of(&r);
}

/* It is told, again perhaps, though nothing is new: does it ask for something else? */
static void report_job(const struct listing *l, struct thing *t,
    const struct rm_report *r, const struct rm_sink *sink)
{
    struct rm_job job = *r->u.job;
    struct rm_report told = *r;
    uint64_t request = request_of(l, &job);

    job.changed &= t->request != 0 && t->request != request;
    t->request = request;
    told.u.job = &job;
    sink->report(sink->ctx, &told);
}

bool listing_tell(struct listing *l, const char *name, const struct rm_report *r,
    const struct rm_sink *sink)
{
    struct rm_report timeless = *r;
    struct rm_job plain;
    bool other;

    timeless.at = 0;
    if (r->kind == RM_JOB) { /* that it is other than before is what we find out */
        plain = *r->u.job;
        plain.changed = false;
        timeless.u.job = &plain;
    }
    other = listing_see(l, name, digest_of(&timeless));
    if (other && r->kind == RM_JOB)
        report_job(l, find_thing(l, name), r, sink);
    else if (other)
        sink->report(sink->ctx, r);
    return other;
}

void listing_keep(struct listing *l, const char *name)
{
    struct thing *t = find_thing(l, name);

    if (t != NULL) {
        t->round = l->round;
        t->missed = 0;
    }
}

size_t listing_end(struct listing *l, bool whole, const struct rm_sink *sink)
{
    struct thing *t, *next;
    size_t missed = 0;

    if (!whole)
        return 0;
    HASH_ITER(hh, l->things, t, next)
    {
        if (t->round == l->round)
            continue;
        if (++t->missed < l->kind.misses) {
            missed++;
            continue;
        }
        lose_thing(l, t, sink);
    }
    return missed;
}

void listing_forget(struct listing *l)
{
    for (struct thing *t = l->things; t != NULL; t = t->hh.next)
        t->told = false;
}

void listing_forget_one(struct listing *l, const char *name)
{
    struct thing *t = find_thing(l, name);

    if (t != NULL)
        t->told = false;
}

void listing_part(struct listing *l, const char *name, const struct rm_sink *sink)
{
    struct thing *t = find_thing(l, name);

    if (t != NULL)
        lose_thing(l, t, sink);
}

void *listing_find(const struct listing *l, const char *name)
{
    struct thing *t = find_thing(l, name);

    return t != NULL ? t->data : NULL;
}

const char *listing_next(const struct listing *l, void **io, void **ret_data)
{
    struct thing *t = *io == NULL ? l->things : ((struct thing *)*io)->hh.next;

    *io = t;
    if (t != NULL && ret_data != NULL)
        *ret_data = t->data;
    return t != NULL ? t->name : NULL;
}

size_t listing_count(const struct listing *l)
{
    return HASH_COUNT(l->things);
}
