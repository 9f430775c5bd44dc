/* SPDX-License-Identifier: Apache-2.0
 * Waiting for the end of jobs. */
#include "client/jobs/jobwait.h"

#include "client/kit/request.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define FIRST_PAUSE_MS   100
#define LONGEST_PAUSE_MS 2000

/* 1 = it has ended, 0 = not yet, -1 = the scheduler does not answer. */
static int has_ended(const struct command_line *l, const char *id)
{
    struct query *q = query_new("/v1/jobs");
    bool gone = false;

    query_part(q, id);
    json_t *o = ask_if_there(l, q, &gone);
    query_free(q);
    const char *state = o ? get_text(o, "state", "") : "";
    int ended =
        gone || strcmp(state, "Completed") == 0 || strcmp(state, "Removed") == 0;
    json_decref(o);
    return o || gone ? ended : -1;
}

struct wanted {
    const char *id;
    json_int_t status; /* -1 = not found */
};

static void look(void *ctx, json_t *o)
{
    struct wanted *w = ctx;

    if (strcmp(get_text(o, "id", ""), w->id) == 0)
        w->status = strcmp(get_text(o, "state", ""), "Completed") == 0
                        ? get_int(o, "exit_status", 1)
                        : 1;
}

static int exit_status(const struct command_line *l, const char *id, json_int_t since)
{
    struct query *q = query_new("/v1/accounting");
    struct wanted w = {id, -1};
    char text[24];

    snprintf(text, sizeof text, "%lld", (long long)since);
    query_add(q, "from", text);
    int status = ask_list(l, q, look, &w);
    query_free(q);
    if (status < 0 || w.status < 0 || w.status > 255)
        return 1;
    return (int)w.status;
}

int jobwait(const struct command_line *l, const json_t *ids, json_int_t since)
{
    int status = 0;
    json_t *v;
    size_t i;

    json_array_foreach(ids, i, v)
    {
        const char *id = json_string_value(v);
        long pause_ms = FIRST_PAUSE_MS;
        int ended;
        while ((ended = has_ended(l, id)) == 0) {
            nanosleep(&(struct timespec){.tv_sec = pause_ms / 1000,
                          .tv_nsec = pause_ms % 1000 * 1000000},
                NULL);
            pause_ms =
                pause_ms * 2 < LONGEST_PAUSE_MS ? pause_ms * 2 : LONGEST_PAUSE_MS;
        }
        if (ended < 0)
            return 1;
        status = status ? status : exit_status(l, id, since);
    }
    return status;
}
