/* SPDX-License-Identifier: Apache-2.0
 * Members that many records have. */
#include "server/render/render.h"

#include "base/timeval.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "server/server_private.h"

#include <stdlib.h>
#include <string.h>

json_t *render_utf8(const char *text)
{
    json_t *sound = json_string(text);

    if (sound)
        return sound;
    char *copy = xstrdup(text);
    for (char *p = copy; *p;) {
        size_t n = utf8_length(p, strnlen(p, 4));
        if (n == 0)
            *p = '?';
        p += n ? n : 1;
    }
    sound = json_string(copy);
    free(copy);
    return sound;
}

void render_text(json_t *o, const char *key, const char *text)
{
    if (text && *text)
        json_object_set_new_nocheck(o, key, render_utf8(text));
}

void render_int(json_t *o, const char *key, int64_t n)
{
    json_object_set_new_nocheck(o, key, json_integer(n));
}

void render_real(json_t *o, const char *key, double n)
{
    json_object_set_new_nocheck(o, key, json_real(n));
}

void render_bool(json_t *o, const char *key, bool b)
{
    json_object_set_new_nocheck(o, key, json_boolean(b));
}

void render_instant(json_t *o, const char *key, int64_t at)
{
    bool none = at <= 0 || at >= TIME_NEVER;

    json_object_set_new(o, key, none ? json_null() : json_integer(at));
}

void render_paused(const struct server *s, json_t *o)
{
    if (!s->control.paused)
        return;
    json_object_set_new(o, "paused", json_true());
    if (s->control.resume_at)
        render_instant(o, "resume_at", s->control.resume_at);
}

void render_duration(json_t *o, const char *key, int64_t seconds)
{
    bool endless = seconds >= DURATION_UNLIMITED;

    json_object_set_new(o, key, endless ? json_null() : json_integer(seconds));
}

void render_names(json_t *o, const char *key, const struct names *names,
    const uint32_t *ids, size_t n)
{
    if (n == 0)
        return;
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_string(names_text(names, ids[i])));
    json_object_set_new(o, key, list);
}

const char *render_cred_key(enum cred_kind kind)
{
    static const char *const keys[CRED_KINDS] = {[CRED_USER] = "user",
        [CRED_GROUP] = "group",
        [CRED_ACCOUNT] = "account",
        [CRED_CLASS] = "class",
        [CRED_QOS] = "qos"};

    return keys[kind];
}

json_t *render_amounts(const struct res *r)
{
    return json_pack("{s:I, s:I, s:I, s:I}", "procs", (json_int_t)r->v[RES_PROCS],
        "mem_mb", (json_int_t)r->v[RES_MEM], "swap_mb", (json_int_t)r->v[RES_SWAP],
        "disk_mb", (json_int_t)r->v[RES_DISK]);
}

json_t *render_places(const struct cluster *c, const struct allocs *alloc)
{
    json_t *list = json_array();

    for (size_t i = 0; i < alloc->n; i++) {
        const struct alloc *a = &alloc->v[i];
        for (uint32_t n = a->first; n < a->first + a->count; n++)
            json_array_append_new(
                list, json_pack("{s:s, s:I}", "node", node_at(c, n)->name, "tasks",
                          (json_int_t)a->tasks));
    }
    return list;
}
