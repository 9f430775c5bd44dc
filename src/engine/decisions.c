/* SPDX-License-Identifier: Apache-2.0
 * See decisions.h. */
#include "engine/decisions.h"

#include "engine/engine_private.h"
#include "policy/holds.h"

#include <string.h>

struct texts VEC(char *); /* owned */

struct decisions {
    struct actions *out;    /* of the running cycle, ...; NULL: between cycles */
    size_t out_from;        /* ... from this one on */
    struct actions pending; /* decided between cycles */
    struct texts texts;     /* of what was told, until the next call */
    struct texts waiting;   /* of what is pending */
    struct indexes ended;   /* removed from the cluster at the next cycle, ... */
    bool keeps_ended;       /* ... or not: engine_keep_ended() */
    struct indexes changed; /* engine_changed() */
};

static void forget_texts(struct texts *texts)
{
    for (size_t i = 0; i < texts->n; i++)
        free(texts->v[i]);
    texts->n = 0;
}

static const char *copy_text(struct texts *texts, const char *text)
{
    if (!text)
        return NULL;
    vec_push(texts, xstrdup(text));
    return texts->v[texts->n - 1];
}

struct decisions *decisions_create(void)
{
    return xcalloc(1, sizeof(struct decisions));
}

void decisions_destroy(struct decisions *d)
{
    if (!d)
        return;
    forget_texts(&d->texts);
    forget_texts(&d->waiting);
    vec_fini(&d->texts);
    vec_fini(&d->waiting);
    vec_fini(&d->pending);
    vec_fini(&d->ended);
    vec_fini(&d->changed);
    free(d);
}

/* ---- actions ---- */

const char *decisions_keep_text(struct job *j, const char *text)
{
    struct job_extra *x = job_extra(j);

    if (!text || (x->hold_text && strcmp(x->hold_text, text) == 0))
        return x->hold_text;
    free(x->hold_text);
    return x->hold_text = xstrdup(text);
}

struct action *decisions_add(struct engine *e, enum action_kind kind,
    const struct job *j, int64_t at, const char *text)
{
    struct decisions *d = e->decisions;
    struct actions *to = d->out ? d->out : &d->pending;

    if (!d->out && kind == ACTION_CANCEL && text)
        decisions_keep_text(e->c->jobs.v[j->index], text);
    vec_push(to, ((struct action){.kind = kind,
                     .job = j->index,
                     .at = at,
                     .start_at = j->start_at,
                     .by = INDEX_NONE,
                     .text = copy_text(d->out ? &d->texts : &d->waiting, text)}));
    return &to->v[to->n - 1];
}

void decisions_add_trigger(
    struct engine *e, const struct reservation *r, uint32_t index)
{
    if (e->decisions->out)
        vec_push(e->decisions->out, ((struct action){.kind = ACTION_TRIGGER,
                                        .job = INDEX_NONE,
                                        .rsv = r->index,
                                        .trigger = index,
                                        .at = e->now,
                                        .text = r->triggers.v[index].data}));
}

const struct action *decisions_of_cycle(const struct engine *e, size_t *ret_n)
{
    const struct decisions *d = e->decisions;

    *ret_n = d->out->n - d->out_from;
    return *ret_n ? &d->out->v[d->out_from] : NULL;
}

/* ---- jobs ---- */

void decisions_changed(struct engine *e, uint32_t job)
{
    vec_push(&e->decisions->changed, job);
}

void decisions_forget_changed(struct engine *e)
{
    e->decisions->changed.n = 0;
}

const uint32_t *engine_changed(const struct engine *e, size_t *ret_n)
{
    *ret_n = e->decisions->changed.n;
    return e->decisions->changed.v;
}

void decisions_ended(struct engine *e, const struct job *j)
{
    vec_push(&e->decisions->ended, j->index);
}

void decisions_cancelled(struct engine *e, const struct job *j)
{
    if (e->decisions->out)
        decisions_ended(e, j);
}

const uint32_t *decisions_of_ended(const struct engine *e, size_t *ret_n)
{
    *ret_n = e->decisions->ended.n;
    return e->decisions->ended.v;
}

void decisions_keep_ended(struct engine *e)
{
    e->decisions->keeps_ended = true;
}

bool decisions_keeps_ended(const struct engine *e)
{
    return e->decisions->keeps_ended;
}

bool decisions_take_back_ended(struct engine *e, const struct job *j)
{
    struct indexes *ended = &e->decisions->ended;

    for (size_t i = 0; i < ended->n; i++) {
        if (ended->v[i] != j->index)
            continue;
        vec_remove(ended, i);
        return true;
    }
    return false;
}

void decisions_forget_ended(struct engine *e)
{
    e->decisions->ended.n = 0;
}

/* ---- to the shell ---- */

void decisions_open(struct engine *e, struct actions *to)
{
    if (to->n == 0) /* else it goes on with what was told before */
        forget_texts(&e->decisions->texts);
    e->decisions->out = to;
    e->decisions->out_from = to->n;
}

void decisions_close(struct engine *e)
{
    e->decisions->out = NULL;
}

/* A hold or deferral that somebody took away before it was told is no news, nor is
 * one of a job that ended. */
static bool is_still_so(const struct action *a, const struct job *j)
{
    if (!j || (a->kind != ACTION_CANCEL && j->state >= JOB_COMPLETED))
        return false;
    if (a->kind == ACTION_START)
        return job_is_active(j);
    if (a->kind == ACTION_HOLD)
        return (j->holds & HOLD_BATCH) || hold_is_for_lost(j);
    return a->kind != ACTION_DEFER || (j->holds & HOLD_DEFER);
}

void decisions_tell_pending(struct engine *e)
{
    struct decisions *d = e->decisions;

    for (size_t i = 0; i < d->pending.n; i++) {
        struct action *a = &d->pending.v[i];
        const struct job *j = e->c->jobs.v[a->job];
        if (!is_still_so(a, j))
            continue;
        if (a->kind == ACTION_CANCEL || a->kind == ACTION_HOLD
            || a->kind == ACTION_DEFER)
            a->text = copy_text(&d->texts, j->extra ? j->extra->hold_text : NULL);
        if (a->kind == ACTION_CANCEL)
            decisions_ended(e, j);
        vec_push(d->out, *a);
    }
    d->pending.n = 0;
    for (size_t i = 0; i < d->waiting.n; i++)
        vec_push(&d->texts, d->waiting.v[i]);
    d->waiting.n = 0;
}

void engine_decided(struct engine *e, struct actions *ret)
{
    decisions_open(e, ret);
    decisions_tell_pending(e);
    decisions_close(e);
}
