/* SPDX-License-Identifier: Apache-2.0
 * Messages of administrators. */
#include "server/durable/messages.h"

#include "server/server_private.h"

#include <string.h>

#define MESSAGES_MAX 100
#define TEXT_MAX     500 /* bytes */

struct admin_message {
    int number;
    char *text, *user; /* owned */
};

struct messages {
    struct VEC(struct admin_message) all; /* by number */
};

/* {"text": ..., "user": ...} under its number. */
static int recall(void *ctx, const char *key, const char *value)
{
    struct server *s = ctx;
    json_t *o = json_loads(value, 0, NULL);
    const char *text = json_string_value(json_object_get(o, "text"));
    const char *user = json_string_value(json_object_get(o, "user"));

    if (text && user)
        vec_push(
            &s->kept.messages->all, ((struct admin_message){(int)strtol(key, NULL, 10),
                                        xstrdup(text), xstrdup(user)}));
    json_decref(o);
    return 0;
}

static int by_number(const void *a, const void *b)
{
    const struct admin_message *x = a, *y = b;

    return x->number < y->number ? -1 : x->number > y->number;
}

void messages_open(struct server *s)
{
    struct err err = {0};

    s->kept.messages = xcalloc(1, sizeof *s->kept.messages);
    if (store_each(s->store, "message", recall, s, &err) < 0)
        log_line(s->log, LOG_ALERT, "messages of administrators: %s", err.text);
    if (s->kept.messages->all.n)
        qsort(s->kept.messages->all.v, s->kept.messages->all.n,
            sizeof *s->kept.messages->all.v, by_number);
}

static void clear(struct admin_message *m)
{
    free(m->text);
    free(m->user);
}

void messages_close(struct server *s)
{
    if (!s->kept.messages)
        return;
    for (size_t i = 0; i < s->kept.messages->all.n; i++)
        clear(&s->kept.messages->all.v[i]);
    vec_fini(&s->kept.messages->all);
    free(s->kept.messages);
    s->kept.messages = NULL;
}

static void key_of(int number, char buf[16])
{
    snprintf(buf, 16, "%d", number);
}

int messages_add(
    struct server *s, const char *text, const char *user, int *ret, struct err *err)
{
    int number = s->kept.messages->all.n
                     ? s->kept.messages->all.v[s->kept.messages->all.n - 1].number + 1
                     : 1;
    char key[16];

    if (!text || !*text || strlen(text) > TEXT_MAX)
        return err_set(
            err, ERR_INVALID, "text: expected a message of 1 to %d bytes", TEXT_MAX);
    if (s->kept.messages->all.n >= MESSAGES_MAX)
        return err_set(err, ERR_CONFLICT,
            "there are %d messages already: take some away first", MESSAGES_MAX);
    json_t *o = json_pack("{s:s, s:s}", "text", text, "user", user);
    char *line = o ? json_dumps(o, JSON_COMPACT) : NULL;
    json_decref(o);
    if (!line)
        return err_set(err, ERR_INVALID, "text: expected UTF-8");
    key_of(number, key);
    unsaved_put(s->unsaved, "message", key, line);
    free(line);
    vec_push(&s->kept.messages->all,
        ((struct admin_message){number, xstrdup(text), xstrdup(user)}));
    *ret = number;
    return 0;
}

int messages_remove(struct server *s, int64_t number, struct err *err)
{
    char key[16];

    for (size_t i = 0; i < s->kept.messages->all.n; i++)
        if (s->kept.messages->all.v[i].number == number) {
            key_of(s->kept.messages->all.v[i].number, key);
            unsaved_delete(s->unsaved, "message", key);
            clear(&s->kept.messages->all.v[i]);
            vec_remove(&s->kept.messages->all, i);
            return 0;
        }
    return err_set(err, ERR_NOT_FOUND, "there is no message %lld", (long long)number);
}

json_t *messages_list(const struct server *s)
{
    json_t *list = s->kept.messages->all.n ? json_array() : NULL;

    for (size_t i = 0; i < s->kept.messages->all.n; i++) {
        const struct admin_message *m = &s->kept.messages->all.v[i];
        json_array_append_new(
            list, json_sprintf("[%d] %s (%s)", m->number, m->text, m->user));
    }
    return list;
}
