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
    s->restless = xcalloc(1, sizeof *s->restless);
}

void restless_close(struct server *s)
{
    free(s->restless);
    s->restless = NULL;
}

bool restless_before(const struct server *s)
{
    return s->restless->before;
}

void restless_save(struct server *s)
{
    if (engine_stats(s->engine)->cycles)
        s->restless->before = false;
    bool restless = engine_restless(s->engine) || s->restless->before;

    if (s->simulation || restless == s->restless->saved)
        return;
    s->restless->saved = restless;
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
    s->restless->before = s->restless->saved = text && *text;
    free(text);
}
