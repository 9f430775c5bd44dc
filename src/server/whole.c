/* SPDX-License-Identifier: Apache-2.0
 * Requests that come before the state is whole. */
#include "server/whole.h"

#include "server/api/api.h"
#include "server/server_private.h"

#define PATIENCE_US UINT64_C(5000000)
#define AGAIN_S     2

static void send_away(struct server *s, struct request *r)
{
    struct strbuf text = {0};

    strbuf_printf(&text,
        "the scheduler has just begun and the resource manager %s has not told yet "
        "which nodes and jobs there are; try again in a moment",
        s->driver ? s->driver->type : "");
    request_refuse_for_now(r, AGAIN_S, text.text);
    free(text.text);
}

static int on_patience(sd_event_source *source, uint64_t at, void *ctx)
{
    struct server *s = ctx;

    (void)source;
    (void)at;
    s->impatient = true;
    for (size_t i = 0; i < s->parked.n; i++)
        send_away(s, s->parked.v[i]);
    s->parked.n = 0;
    return 0;
}

int whole_open(struct server *s, struct err *err)
{
    if (sd_event_add_time(
            s->loop, &s->patience, CLOCK_MONOTONIC, UINT64_MAX, 0, on_patience, s)
            < 0
        || sd_event_source_set_enabled(s->patience, SD_EVENT_OFF) < 0)
        return err_set(err, ERR_IO, "the event loop takes no more sources");
    whole_lost(s);
    return 0;
}

void whole_close(struct server *s)
{
    s->patience = sd_event_source_disable_unref(s->patience);
    vec_fini(&s->parked);
}

void whole_lost(struct server *s)
{
    s->whole = s->impatient = false;
    sd_event_source_set_time_relative(s->patience, PATIENCE_US);
    sd_event_source_set_enabled(s->patience, SD_EVENT_ONESHOT);
}

void whole_again(struct server *s)
{
    if (s->whole)
        return;
    s->whole = true;
    sd_event_source_set_enabled(s->patience, SD_EVENT_OFF);
    api_handle_parked(s);
}

bool whole_keep(struct server *s, struct request *r)
{
    if (s->whole)
        return false;
    if (s->impatient)
        send_away(s, r);
    else
        vec_push(&s->parked, r);
    return true;
}
