/* SPDX-License-Identifier: Apache-2.0
 * Taking the lines of an installation out of a file that was edited since. */
#include "rm/slurm/ownlines.h"

#include "base/strbuf.h"
#include "base/vec.h"
#include "base/xalloc.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define NOWHERE SIZE_MAX

struct textline {
    const char *at;
    size_t n; /* without its end */
};
struct textlines VEC(struct textline);

/* A place where `after` differs from `before`: lines from one number to another. */
struct stretch {
    size_t from, to;         /* of `after` */
    size_t old_from, old_to; /* of `before` */
};

/* What becomes of a line of now. */
struct fate_of_line {
    bool ours;       /* it goes */
    size_t from, to; /* lines of `before` that come in its place */
};

struct taking {
    const char *path;
    struct textlines now, before, after;
    struct fate_of_line *fates; /* one for each line of now */
    bool *taken;                /* one for each line of after */
};

static struct textlines split_text(const char *text)
{
    struct textlines lines = {0};

    while (*text != '\0') {
        size_t n = strcspn(text, "\n");

        vec_push(&lines, ((struct textline){text, n}));
        text += n + (text[n] == '\n');
    }
    return lines;
}

static bool is_same(const struct textline *a, const struct textline *b)
{
    return a->n == b->n && memcmp(a->at, b->at, a->n) == 0;
}

/* The shortest stretch from there on, behind which both go on alike; to the end of both
 * where they never do. */
static struct stretch find_stretch(const struct taking *t, size_t i, size_t j)
{
    const struct textlines *a = &t->after, *b = &t->before;
    size_t most = a->n - i + b->n - j;

    for (size_t d = 1; d < most; d++)
        for (size_t k = 0; k <= d; k++)
            if (i + k < a->n && j + d - k < b->n
                && is_same(&a->v[i + k], &b->v[j + d - k]))
                return (struct stretch){i, i + k, j, j + d - k};
    return (struct stretch){i, a->n, j, b->n};
}

/* The line of now that reads like that: of several the one before which there are so
 * many others, or the last. */
static size_t find_line(
    const struct taking *t, const struct textline *like, size_t others)
{
    size_t found = NOWHERE;

    for (size_t i = 0; i < t->now.n; i++)
        if (!t->fates[i].ours && is_same(&t->now.v[i], like)) {
            found = i;
            if (others-- == 0)
                break;
        }
    return found;
}

/* How many lines that read like that stood before it when it was written, and are not
 * taken. */
static size_t count_before(const struct taking *t, size_t line)
{
    size_t n = 0;

    for (size_t i = 0; i < line; i++)
        n += !t->taken[i] && is_same(&t->after.v[i], &t->after.v[line]);
    return n;
}

/* How much of it is "Key=", 0: it sets nothing. */
static size_t key_length(const struct textline *l)
{
    const char *equals = memchr(l->at, '=', l->n);

    return equals != NULL && *l->at != '#' ? (size_t)(equals - l->at) + 1 : 0;
}

/* One that sets the same. */
static size_t find_key(const struct taking *t, const struct textline *like)
{
    size_t n = key_length(like);

    for (size_t i = 0; i < t->now.n && n > 0; i++)
        if (!t->fates[i].ours && key_length(&t->now.v[i]) == n
            && strncasecmp(t->now.v[i].at, like->at, n) == 0)
            return i;
    return NOWHERE;
}

static bool is_back(const struct taking *t, const struct stretch *s)
{
    for (size_t i = s->old_from; i < s->old_to; i++)
        if (find_line(t, &t->before.v[i], 0) == NOWHERE)
            return false;
    return s->old_from < s->old_to;
}

static int refuse_line(const struct taking *t, const struct textline *l, size_t at,
    bool replaced, struct err *err)
{
    if (at != NOWHERE)
        return err_set(err, ERR_CONFLICT,
            "%s:%zu: was edited since it was installed as\n  %.*s\nWrite it so again, "
            "or "
            "take it out, then try again",
            t->path, at + 1, (int)l->n, l->at);
    return err_set(err, ERR_CONFLICT,
        "%s: this line of the installation is gone%s:\n  %.*s\nPut it back, then try "
        "again",
        t->path, replaced ? ", which stands in place of another" : "", (int)l->n,
        l->at);
}

/* Its lines go; what they stand in place of comes where the first of them is. */
static int take_stretch(struct taking *t, const struct stretch *s, struct err *err)
{
    bool replaced = s->old_from < s->old_to;
    size_t first = NOWHERE;

    for (size_t i = s->from; i < s->to; i++) {
        const struct textline *l = &t->after.v[i];
        size_t at = find_line(t, l, count_before(t, i));

        if (at == NOWHERE && is_back(t, s))
            return 0;
        if (at == NOWHERE) {
            size_t other = find_key(t, l);

            if (other != NOWHERE || replaced)
                return refuse_line(t, l, other, replaced, err);
            continue; /* somebody has removed it */
        }
        t->fates[at].ours = t->taken[i] = true;
        first = first == NOWHERE ? at : first;
    }
    if (first != NOWHERE) {
        t->fates[first].from = s->old_from;
        t->fates[first].to = s->old_to;
    }
    return 0;
}

static int take_all(struct taking *t, struct err *err)
{
    size_t i = 0, j = 0;

    while (i < t->after.n || j < t->before.n) {
        struct stretch s;

        if (i < t->after.n && j < t->before.n
            && is_same(&t->after.v[i], &t->before.v[j])) {
            i++;
            j++;
            continue;
        }
        s = find_stretch(t, i, j);
        if (take_stretch(t, &s, err) < 0)
            return -1;
        i = s.to;
        j = s.old_to;
    }
    return 0;
}

static void add_line(struct strbuf *b, const struct textline *l)
{
    strbuf_add_n(b, l->at, l->n);
    strbuf_add(b, "\n");
}

static char *join_lines(const struct taking *t)
{
    struct strbuf b = {0};

    for (size_t i = 0; i < t->now.n; i++) {
        const struct fate_of_line *f = &t->fates[i];

        if (!f->ours)
            add_line(&b, &t->now.v[i]);
        for (size_t k = f->from; k < f->to; k++)
            add_line(&b, &t->before.v[k]);
    }
    return strbuf_take(&b);
}

char *ownlines_take(const char *path, const char *now, const char *before,
    const char *after, struct err *err)
{
    struct taking t = {
        path, split_text(now), split_text(before), split_text(after), NULL, NULL};
    char *text = NULL;

    t.fates = xcalloc(t.now.n + 1, sizeof *t.fates);
    t.taken = xcalloc(t.after.n + 1, sizeof *t.taken);
    if (take_all(&t, err) == 0)
        text = join_lines(&t);
    free(t.fates);
    free(t.taken);
    vec_fini(&t.now);
    vec_fini(&t.before);
    vec_fini(&t.after);
    return text;
}
