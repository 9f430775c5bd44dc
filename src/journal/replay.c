/* SPDX-License-Identifier: Apache-2.0
 * The journal turned into decisions again. */
#include "journal/replay.h"

#include "journal/event.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct replay {
    struct engine *engine; /* NULL: no life has begun */
    struct config *config; /* whose settings are in force */
    struct actions actions;
    struct replay_count count;
    struct replay_look look;
    bool looked; /* somebody does */
};

struct replay *replay_create(void)
{
    return xcalloc(1, sizeof(struct replay));
}

void replay_destroy(struct replay *r)
{
    engine_destroy(r->engine);
    config_destroy(r->config);
    vec_fini(&r->actions);
    free(r);
}

void replay_look(struct replay *r, const struct replay_look *look)
{
    r->look = *look;
    r->looked = true;
}

struct engine *replay_engine(const struct replay *r)
{
    return r->engine;
}

struct config *replay_config(const struct replay *r)
{
    return r->config;
}

const struct replay_count *replay_count(const struct replay *r)
{
    return &r->count;
}

/* ---- comparing ---- */

static const char *text_at(const json_t *list, size_t i)
{
    const char *text = json_string_value(json_array_get(list, i));

    return text ? text : "nothing";
}

/* The first that differs; more follow from it, mostly. */
static int compare(const json_t *recorded, const json_t *now, struct err *why)
{
    size_t n = json_array_size(recorded), m = json_array_size(now);

    for (size_t i = 0; i < n || i < m; i++) {
        if (i < n && i < m && strcmp(text_at(recorded, i), text_at(now, i)) == 0)
            continue;
        err_set(why, ERR_CONFLICT, "recorded: %.150s; replayed: %.150s",
            text_at(recorded, i), text_at(now, i));
        return 0;
    }
    return 1;
}

static int check(
    struct replay *r, json_t *line, int64_t now, json_t **ret_decided, struct err *why)
{
    *ret_decided = journal_decisions(engine_cluster(r->engine), now, &r->actions);
    r->count.decisions += r->actions.n;
    int same = compare(json_object_get(line, "decided"), *ret_decided, why);
    r->count.differences += !same;
    return same;
}

/* ---- lines ---- */

static int begin(struct replay *r, const json_t *how, struct err *why)
{
    const char *zone = json_string_value(json_object_get(how, "zone"));
    struct config *config = journal_read_config(json_object_get(how, "config"));

    if (!config)
        return err_set(why, ERR_INVALID, "the begin of a life has no configuration");
    if (zone)
        setenv("TZ", zone, 1);
    else
        unsetenv("TZ");
    tzset();
    engine_destroy(r->engine);
    config_destroy(r->config);
    r->config = config;
    r->engine = engine_create(config->settings,
        &(struct engine_options){.zone = zone_system(),
            .report_reservations = true,
            .statistics = r->looked,
            .starts_told = json_is_true(json_object_get(how, "starts_told")),
            .stops_told = json_is_true(json_object_get(how, "stops_told")),
            .no_checkpoints = json_is_true(json_object_get(how, "no_checkpoints"))});
    r->count.lives++;
    return 1;
}

static int cycle(struct replay *r, json_t *line, json_t **ret_decided, struct err *why)
{
    int64_t now = json_integer_value(json_object_get(line, "cycle"));

    r->count.cycles++;
    r->actions.n = 0;
    engine_cycle(r->engine, now, &r->actions);
    if (r->look.decided)
        r->look.decided(r->look.ctx, now, &r->actions);
    return check(r, line, now, ret_decided, why);
}

static int apply(
    struct replay *r, int64_t seq, json_t *line, json_t **ret_decided, struct err *why)
{
    struct journal_read read;
    char name[40];
    struct err err;
    int result;

    r->count.events++;
    snprintf(name, sizeof name, "line %" PRId64, seq);
    if (journal_read(&read, name, line, engine_cluster(r->engine), why) < 0) {
        journal_read_close(&read);
        return -1;
    }
    r->actions.n = 0;
    if (r->look.before)
        r->look.before(r->look.ctx, &read.ev);
    bool refused = engine_apply(r->engine, &read.ev, NULL, &err) < 0;
    if (refused && json_is_true(json_object_get(line, "refused"))) {
        result = 0;
    } else if (refused) {
        err_set(why, ERR_CONFLICT, "recorded: done; replayed: %.300s", err.text);
        r->count.differences++;
        result = 0;
    } else {
        if (read.config) { /* the engine borrows it from now on */
            config_destroy(r->config);
            r->config = read.config;
            read.config = NULL;
        }
        engine_decided(r->engine, &r->actions);
        result = check(r, line, read.ev.at, ret_decided, why);
    }
    journal_read_close(&read);
    return result;
}

int replay_line(
    struct replay *r, int64_t seq, json_t *line, json_t **ret_decided, struct err *why)
{
    const json_t *how = json_object_get(line, "begin");

    *ret_decided = NULL;
    r->count.lines++;
    if (!how && !r->engine) {
        r->count.skipped++;
        return 1;
    }
    if (!r->count.first)
        r->count.first = seq;
    r->count.last = seq;
    if (how)
        return begin(r, how, why);
    if (json_is_integer(json_object_get(line, "cycle")))
        return cycle(r, line, ret_decided, why);
    return apply(r, seq, line, ret_decided, why);
}
