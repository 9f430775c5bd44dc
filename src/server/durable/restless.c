/* SPDX-License-Identifier: Apache-2.0
 * See restless.h. The record is empty when all is seen. */
#include "server/durable/restless.h"

#include "server/server_private.h"

#define KIND "world"
#define KEY  "restless"

void restless_save(struct server *s)
{
    if (engine_stats(s->engine)->cycles)
        s->restless_before = false;
    bool restless = engine_restless(s->engine) || s->restless_before;

    if (s->simulation || restless == s->restless_saved)
        return;
    s->restless_saved = restless;
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
    s->restless_before = s->restless_saved = text && *text;
    free(text);
}
