/* SPDX-License-Identifier: Apache-2.0
 * The journal: lines, and lives. */
#include "server/journal/journal.h"

#include "base/zone.h"
#include "config/settings.h"
#include "journal/event.h"
#include "records/jsontext.h"
#include "server/managers/manager.h"
#include "server/server_private.h"

#include <inttypes.h>
#include <unistd.h>

#define KIND     "journal"
#define SIZE_MIN 100000 /* bytes: a few cycles of a large machine */

struct journal {
    int64_t bytes;   /* of this life */
    int64_t picture; /* ... when it had been told all that there was; 0 = not yet */
};

void journal_open(struct server *s)
{
    s->kept.journal = xcalloc(1, sizeof *s->kept.journal);
}

void journal_close(struct server *s)
{
    free(s->kept.journal);
}

static int64_t size_max(const struct server *s)
{
    int64_t size = s->config->settings->daemon.journal_size_max;

    return size > SIZE_MIN ? size : SIZE_MIN;
}

void journal_pictured(struct server *s)
{
    if (s->kept.journal->picture == 0)
        s->kept.journal->picture = s->kept.journal->bytes;
}

double journal_fullness(const struct server *s)
{
    double room = (double)size_max(s) / 2, least = 2 * (double)s->kept.journal->picture;

    return (double)s->kept.journal->bytes / (room > least ? room : least);
}

static void add(struct server *s, json_t *line)
{
    char *text = s->simulation ? NULL : jsontext(line);

    if (!text) { /* the trace tells it again */
        json_decref(line);
        return;
    }
    unsaved_journal(s->unsaved, world_now(s), text);
    s->kept.journal->bytes += (int64_t)strlen(text);
    free(text);
    json_decref(line);
}

/* ---- events and cycles ---- */

json_t *journal_before(struct server *s, const struct event *ev)
{
    return journal_event(engine_cluster(s->engine), s->config, ev);
}

static void add_decided(
    struct server *s, json_t *line, int64_t now, const struct actions *decided)
{
    if (decided->n)
        json_object_set_new(line, "decided",
            journal_decisions(engine_cluster(s->engine), now, decided));
    add(s, line);
}

void journal_after(struct server *s, json_t *line, const struct actions *decided)
{
    add_decided(s, line, json_integer_value(json_object_get(line, "at")), decided);
}

void journal_cycle(struct server *s, int64_t now, const struct actions *decided)
{
    json_t *line = json_object();

    json_object_set_new(line, "cycle", json_integer(now));
    add_decided(s, line, now, decided);
}

/* ---- lives ---- */

struct life {
    int64_t seq, bytes;
};
struct lives VEC(struct life);

static int find_life(void *ctx, const char *key, const char *value)
{
    struct lives *lives = ctx;
    json_t *o = json_loads(value, 0, NULL);

    vec_push(lives, ((struct life){.seq = strtoll(key, NULL, 10),
                        .bytes = json_integer_value(json_object_get(o, "bytes"))}));
    json_decref(o);
    return 0;
}

static void put_life(struct server *s, const struct life *l)
{
    char key[24], value[40];

    snprintf(key, sizeof key, "%020" PRId64, l->seq);
    snprintf(value, sizeof value, "{\"bytes\":%" PRId64 "}", l->bytes);
    unsaved_put(s->unsaved, KIND, key, value);
}

static void drop_life(struct server *s, const struct life *l)
{
    char key[24];

    snprintf(key, sizeof key, "%020" PRId64, l->seq);
    unsaved_delete(s->unsaved, KIND, key);
}

/* Keep as many of those before, from the youngest on, as there is room for. */
static void forget_old(struct server *s, struct lives *lives, int64_t next)
{
    int64_t room = size_max(s) / 2, first = next;
    struct err err;

    if (lives->n) { /* how it ended nobody could write down */
        struct life *last = &lives->v[lives->n - 1];
        if (store_journal_size(s->store, last->seq, &last->bytes, &err) == 0)
            put_life(s, last);
    }
    for (size_t i = lives->n; i-- > 0;) {
        room -= lives->v[i].bytes;
        if (room < 0)
            drop_life(s, &lives->v[i]);
        else
            first = lives->v[i].seq;
    }
    unsaved_trim(s->unsaved, first);
}

void journal_begin(struct server *s)
{
    struct lives lives = {0};
    char zone[500];
    int64_t last = 0;
    struct err err;

    if (store_each(s->store, KIND, find_life, &lives, &err) < 0
        || store_journal_last(s->store, &last, &err) < 0) {
        log_line(s->log, LOG_ALERT, "the journal: %s", err.text);
    } else {
        forget_old(s, &lives, last + 1);
        put_life(s, &(struct life){.seq = last + 1});
    }
    vec_fini(&lives);
    s->kept.journal->bytes = s->kept.journal->picture = 0;
    add(s, json_pack("{s:{s:s, s:o, s:b, s:b, s:b, s:o}}", "begin", "version",
               MAUI_VERSION, "zone",
               zone_system_name(zone, sizeof zone) ? json_string(zone) : json_null(),
               "starts_told", 1, "stops_told", 1, "no_checkpoints",
               !manager_can_checkpoint(s), "config", journal_config(s->config)));
}
