/* SPDX-License-Identifier: Apache-2.0
 * See restless.h. The record is empty when all is seen. */
#include "server/durable/restless.h"

#include "server/server_private.h"

#define KIND "world"
#define KEY  "restless"

struct restless {
    bool before; /* in the last life, and no cycle since */
    bool saved;  /* the record */
};

void restless_open(struct server *s)
{
    s->kept.restless = xcalloc(1, sizeof *s->kept.restless);
}

void restless_close(struct server *s)
{
    free(s->kept.restless);
    s->kept.restless = NULL;
}

bool restless_before(const struct server *s)
{
    return s->kept.restless->before;
}

void restless_save(struct server *s)
{
    if (engine_stats(s->engine)->cycles)
        s->kept.restless->before = false;
    bool restless = engine_restless(s->engine) || s->kept.restless->before;

    if (s->simulation || restless == s->kept.restless->saved)
        return;
    s->kept.restless->saved = restless;
    unsaved_put(s->unsaved, KIND, KEY, restless ? "yes" : "");
}

void restless_load(struct server *s)
{
    char *text = NULL;
    struct err err;

    unsaved_tell(s->unsaved);
    if (store_get(s->store, KIND, KEY, &text, &err) < 0)
        log_line(
            s->log, LOG_ALERT, "whether deferred jobs are to be tried: %s", err.text);
    s->kept.restless->before = s->kept.restless->saved = text && *text;
    free(text);
}
