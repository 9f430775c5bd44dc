/* SPDX-License-Identifier: Apache-2.0
 * When waiting jobs will start: as promised, else as foreseen. What pictures of nodes
 * over time are made of (timeline/), without the nodes. */
#include "server/api/api.h"
#include "server/events/feed.h"
#include "server/http/stream.h"
#include "server/render/render.h"
#include "server/server_private.h"
#include "server/timeline/timeline.h"

#include <stdlib.h>
#include <string.h>

#define IDS_MAX  4000
#define LINES    200  /* of an answer in a turn */
#define TURNS    5000 /* of foresight: told as far as it has come then */
#define PLANS    3    /* seen meanwhile: more are not waited for */
#define TOLD_MAX 10000

struct line {
    char *id; /* owned */
    int64_t at;
    bool promised;
};

struct forecast {
    struct identity who;
    char *ids; /* between commas, owned; NULL = of all */
    unsigned turns, plans;
    uint64_t plan;
    bool known;
    struct VEC(struct line) lines;
    size_t told;
};

static bool is_asked(const struct forecast *f, const char *id)
{
    size_t n = strlen(id);

    for (const char *p = f->ids; p && (p = strstr(p, id)) != NULL; p++)
        if (p[-1] == ',' && p[n] == ',')
            return true;
    return f->ids == NULL;
}

static bool foresee_more(struct server *s, struct forecast *f)
{
    if (!f->plans || f->plan != feed_plan(s))
        f->plans++;
    f->plan = feed_plan(s);
    return f->turns++ < TURNS && foresight_more(s, f->plans <= PLANS);
}

/* What is known by now is kept: another question may begin anew. */
static void take_known(struct server *s, struct forecast *f)
{
    const struct foresight *known = foresight_get(s);
    const struct cluster *c = engine_cluster(s->engine);

    for (size_t i = 0; i < known->who.n && f->lines.n < TOLD_MAX; i++) {
        const struct foreseen *w = &known->who.v[i];
        const struct job *j = job_find(c, w->id);
        if (j && job_waits(j) && is_asked(f, w->id) && identity_sees_job(&f->who, c, j))
            vec_push(
                &f->lines, ((struct line){xstrdup(w->id), w->start_at, w->promised}));
    }
    f->known = true;
}

static bool tell_some(struct server *s, void *ctx, struct strbuf *out)
{
    struct forecast *f = ctx;

    if (!f->known && foresee_more(s, f))
        return true;
    if (!f->known)
        take_known(s, f);
    for (int n = 0; n < LINES && f->told < f->lines.n; n++, f->told++) {
        const struct line *l = &f->lines.v[f->told];
        stream_add(
            out, json_pack("{s:s, s:I, s:s, s:I}", "id", l->id,
                     l->promised ? "promised_at" : "forecast_at", (json_int_t)l->at,
                     "method", l->promised ? "promised" : "plan", "as_of",
                     (json_int_t)world_now(s)));
    }
    return f->told < f->lines.n;
}

static void free_forecast(void *ctx)
{
    struct forecast *f = ctx;

    for (size_t i = 0; i < f->lines.n; i++)
        free(f->lines.v[i].id);
    vec_fini(&f->lines);
    free(f->ids);
    free(f);
}

void api_forecast(struct server *s, struct request *r)
{
    const char *ids = request_query(r, "ids");
    struct forecast *f;
    struct err err;

    if (ids && strlen(ids) > IDS_MAX) {
        err_set(&err, ERR_INVALID, "ids: expected %d characters at most, got %zu",
            IDS_MAX, strlen(ids));
        request_refuse(r, &err);
        return;
    }
    f = xcalloc(1, sizeof *f);
    f->who = *request_who(r);
    if (ids && *ids && asprintf(&f->ids, ",%s,", ids) < 0)
        f->ids = NULL;
    stream_make(s, r, NULL, "application/x-ndjson",
        &(struct stream_source){.more = tell_some, .done = free_forecast, .ctx = f});
}
