/* SPDX-License-Identifier: Apache-2.0
 * See names.h. Records of kind "manager": "plain" is the plain one's name; "named:NAME"
 * stands for each that jobs are called by. */
#include "server/managers/names.h"

#include "server/managers/lines.h"
#include "server/managers/private.h"
#include "server/server_private.h"

#define KIND     "manager"
#define PLAIN    "plain"
#define NAMED    "named:"
#define KEY_MOST 300

struct rmnames {
    struct managers *all;
    struct VEC(char *) former; /* owned: named in ids, and not configured any more */
};

static void make_key(const char *name, char *ret_key)
{
    snprintf(ret_key, KEY_MOST, NAMED "%s", name);
}

/* ---- which is plain -------------------------------------------------------------- */

static int begins_with(void *ctx, const char *key, const char *value)
{
    const char *name = ctx;
    size_t n = strlen(name);

    (void)value;
    return strncmp(key, name, n) == 0 && key[n] == '.';
}

/* Are jobs of that manager called by its name, or were they? */
static bool is_in_ids(struct server *s, const char *name)
{
    char key[KEY_MOST], *named = NULL;
    struct err err;

    make_key(name, key);
    (void)store_get(s->store, KIND, key, &named, &err);
    free(named);
    return named != NULL
           || store_each(s->store, "job", begins_with, (void *)(uintptr_t)name, &err)
                  > 0;
}

char *rmnames_choose_plain(struct server *s, const struct rmlines *lines)
{
    const char *first = rmlines_name(lines, 0);
    char *before = NULL;
    struct err err;

    unsaved_tell(s->unsaved);
    (void)store_get(s->store, KIND, PLAIN, &before, &err);
    if (before
        && (strcmp(before, first) == 0 || rmlines_count(lines) > 1
            || is_in_ids(s, first)))
        return before;
    free(before);
    return xstrdup(first);
}

/* ---- names that were ------------------------------------------------------------- */

static int load_name(void *ctx, const char *key, const char *value)
{
    struct rmnames *r = ctx;
    size_t n = strlen(NAMED);

    (void)value;
    if (strncmp(key, NAMED, n) == 0 && !managers_has(r->all->s, key + n))
        vec_push(&r->former, xstrdup(key + n));
    return 0;
}

struct rmnames *rmnames_open(struct managers *all, const char *plain)
{
    struct rmnames *r = xcalloc(1, sizeof *r);
    struct server *s = all->s;
    char *before = NULL, key[KEY_MOST];
    struct err err;

    r->all = all;
    (void)store_get(s->store, KIND, PLAIN, &before, &err);
    if (!before || strcmp(before, plain) != 0)
        unsaved_put(s->unsaved, KIND, PLAIN, plain);
    free(before);
    for (size_t i = 0; i < all->v.n; i++)
        if (all->v.v[i]->known_as) {
            make_key(all->v.v[i]->name, key);
            unsaved_put(s->unsaved, KIND, key, "1");
        }
    (void)store_each(s->store, KIND, load_name, r, &err);
    return r;
}

void rmnames_close(struct rmnames *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->former.n; i++)
        free(r->former.v[i]);
    vec_fini(&r->former);
    free(r);
}

void rmnames_forget(struct rmnames *r)
{
    while (r->former.n) {
        char *name = r->former.v[--r->former.n], key[KEY_MOST];
        make_key(name, key);
        unsaved_delete(r->all->s->unsaved, KIND, key);
        free(name);
    }
}

bool rmnames_has_left(const struct rmnames *r, const char *id)
{
    size_t len = strcspn(id, ".");

    for (size_t i = 0; r && id[len] && i < r->former.n; i++)
        if (strncmp(r->former.v[i], id, len) == 0 && !r->former.v[i][len])
            return true;
    return false;
}
