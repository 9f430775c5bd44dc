/* SPDX-License-Identifier: Apache-2.0
 * See passed.h. The record is a line for each job: its id, a blank, the count. */
#include "server/durable/passed.h"

#include "server/server_private.h"

#define KIND "passed"
#define KEY  "jobs"

/* A long record takes milliseconds to write: not with each job that is out of order. A
 * kill may cost the counts of that time. */
#define LONG_FROM 1000 /* jobs in the queue */
#define SELDOM_US UINT64_C(60000000)

struct passed {
    json_t *before; /* of before the restart; NULL when all jobs are told */
    uint64_t epoch; /* what the record has */
    uint64_t at;    /* when it was written, of the loop's clock */
};

void passed_open(struct server *s)
{
    s->kept.passed = xcalloc(1, sizeof *s->kept.passed);
}

void passed_close(struct server *s)
{
    passed_forget(s);
    free(s->kept.passed);
    s->kept.passed = NULL;
}

static bool is_due(struct server *s, size_t queued)
{
    uint64_t now = 0;

    sd_event_now(s->loop, CLOCK_MONOTONIC, &now);
    if (queued >= LONG_FROM && s->kept.passed->at
        && now - s->kept.passed->at < SELDOM_US)
        return false;
    s->kept.passed->at = now;
    return true;
}

/* Of jobs that have not been told again: their manager may be out of reach. */
static void add_untold(const struct server *s, struct strbuf *io)
{
    const struct cluster *c = engine_cluster(s->engine);
    const char *id;
    json_t *count;

    json_object_foreach(s->kept.passed->before, id, count)
    {
        if (!job_find(c, id))
            strbuf_printf(io, "%s %lld\n", id, (long long)json_integer_value(count));
    }
}

void passed_save(struct server *s)
{
    const struct cluster *c = engine_cluster(s->engine);
    struct strbuf text = {0};

    if (s->simulation || s->kept.passed->epoch == c->bypass_epoch
        || !is_due(s, c->queued.n))
        return;
    s->kept.passed->epoch = c->bypass_epoch;
    for (size_t i = 0; i < c->queued.n; i++) {
        const struct job *j = queue_at(c, i);
        if (j && job_bypass(c, j))
            strbuf_printf(&text, "%s %u\n", j->id, job_bypass(c, j));
    }
    add_untold(s, &text);
    unsaved_put(s->unsaved, KIND, KEY, text.len ? text.text : "");
    free(strbuf_take(&text));
}

void passed_load(struct server *s)
{
    char *text = NULL, *rest, *line;
    struct err err;

    passed_forget(s);
    s->kept.passed->before = json_object();
    s->kept.passed->epoch = 0; /* of an engine that has seen nothing */
    unsaved_tell(s->unsaved);
    if (store_get(s->store, KIND, KEY, &text, &err) < 0)
        log_line(s->log, LOG_ALERT, "how often jobs were passed: %s", err.text);
    rest = text;
    while (rest && (line = strsep(&rest, "\n")) && *line) {
        char *count = strchr(line, ' ');
        if (!count)
            continue;
        *count++ = '\0';
        json_object_set_new(
            s->kept.passed->before, line, json_integer(strtoll(count, NULL, 10)));
    }
    free(text);
}

void passed_forget(struct server *s)
{
    json_decref(s->kept.passed->before);
    s->kept.passed->before = NULL;
}

uint32_t passed_recall(const struct server *s, const char *job, uint32_t known)
{
    const json_t *count = json_object_get(s->kept.passed->before, job);

    return count ? (uint32_t)json_integer_value(count) : known;
}
