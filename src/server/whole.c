/* SPDX-License-Identifier: Apache-2.0
 * Requests that come before the state is whole. */
#include "server/whole.h"

#include "server/api/api.h"
#include "server/managers/manager.h"
#include "server/server_private.h"

#define PATIENCE_US UINT64_C(5000000)
#define AGAIN_S     2

struct whole {
    bool whole;     /* the engine knows all that was acknowledged */
    bool restored;  /* reservations are back, which come after nodes and jobs */
    bool impatient; /* it is not waited for any more */
    int64_t since;  /* the engine knows nothing */
    sd_event_source *patience;
    struct VEC(struct request *) parked;
};

static void send_away(struct server *s, struct request *r)
{
    const char *failure, *manager = manager_waited_for(s, &failure);
    int64_t silent_s = world_now(s) - s->whole->since;
    struct strbuf text = {0};

    strbuf_printf(&text,
        "there is no picture of %s yet, for %lld s: waiting for it to report its "
        "nodes "
        "and jobs%s%s",
        manager, (long long)(silent_s > 0 ? silent_s : 0),
        failure ? "; it said last: " : "", failure ? failure : "");
    request_refuse_for_now(r, AGAIN_S, text.text,
        json_pack("{s:s, s:I, s:s*}", "manager", manager, "since",
            (json_int_t)s->whole->since, "failure", failure));
    free(text.text);
}

static int on_patience(sd_event_source *source, uint64_t at, void *ctx)
{
    struct server *s = ctx;

    (void)source;
    (void)at;
    s->whole->impatient = true;
    for (size_t i = 0; i < s->whole->parked.n; i++)
        send_away(s, s->whole->parked.v[i]);
    s->whole->parked.n = 0;
    return 0;
}

int whole_open(struct server *s, struct err *err)
{
    s->whole = xcalloc(1, sizeof *s->whole);
    if (sd_event_add_time(s->loop, &s->whole->patience, CLOCK_MONOTONIC, UINT64_MAX, 0,
            on_patience, s)
            < 0
        || sd_event_source_set_enabled(s->whole->patience, SD_EVENT_OFF) < 0)
        return err_set(err, ERR_IO, "the event loop takes no more sources");
    whole_lost(s);
    return 0;
}

void whole_close(struct server *s)
{
    if (!s->whole)
        return;
    sd_event_source_disable_unref(s->whole->patience);
    vec_fini(&s->whole->parked);
    free(s->whole);
    s->whole = NULL;
}

void whole_lost(struct server *s)
{
    s->whole->whole = s->whole->restored = s->whole->impatient = false;
    s->whole->since = world_now(s);
    sd_event_source_set_time_relative(s->whole->patience, PATIENCE_US);
    sd_event_source_set_enabled(s->whole->patience, SD_EVENT_ONESHOT);
}

void whole_again(struct server *s)
{
    if (s->whole->whole)
        return;
    s->whole->whole = true;
    sd_event_source_set_enabled(s->whole->patience, SD_EVENT_OFF);
    whole_handle_parked(s);
}

bool whole_keep(struct server *s, struct request *r)
{
    if (s->whole->whole)
        return false;
    if (s->whole->impatient)
        send_away(s, r);
    else
        vec_push(&s->whole->parked, r);
    return true;
}

bool whole_is(const struct server *s)
{
    return s->whole->whole;
}

void whole_restored(struct server *s)
{
    s->whole->restored = true;
}

bool whole_is_restored(const struct server *s)
{
    return s->whole->restored;
}

void whole_park(struct server *s, struct request *r)
{
    vec_push(&s->whole->parked, r);
}

bool whole_has_parked(const struct server *s)
{
    return s->whole->parked.n > 0;
}

void whole_handle_parked(struct server *s)
{
    struct VEC(struct request *) parked = {0};

    /* One that is handled may be parked again. */
    for (size_t i = 0; i < s->whole->parked.n; i++)
        vec_push(&parked, s->whole->parked.v[i]);
    s->whole->parked.n = 0;
    for (size_t i = 0; i < parked.n; i++)
        api_handle(s, parked.v[i]);
    vec_fini(&parked);
}
