/* SPDX-License-Identifier: Apache-2.0
 * The state in numbers over time. */
#include "server/durable/series.h"

#include "server/api/api.h"
#include "server/api/words.h"
#include "server/server_private.h"

#include <stdio.h>
#include <string.h>

#define POINTS_MAX 2000
#define POINTS     300
#define DAY_S      86400

static const struct {
    const char *name;
    unsigned kept; /* RM_HIDES_*: from whom this is kept sees none of it */
} names[SERIES_NAMES] = {[SERIES_PROCS] = {"procs", RM_HIDES_NODES},
    [SERIES_PROCS_ACTIVE] = {"procs_active", RM_HIDES_NODES | RM_HIDES_JOBS},
    [SERIES_ACTIVE] = {"active", RM_HIDES_JOBS},
    [SERIES_ELIGIBLE] = {"eligible", RM_HIDES_JOBS},
    [SERIES_BLOCKED] = {"blocked", RM_HIDES_JOBS},
    [SERIES_BACKLOG] = {"backlog_h", RM_HIDES_JOBS},
    [SERIES_WAIT] = {"wait_s", RM_HIDES_JOBS}};

static const char *name_at(size_t i)
{
    return i < SERIES_NAMES ? names[i].name : NULL;
}

static bool is_shown(const struct identity *who, int i)
{
    for (unsigned bit = 1; bit <= RM_HIDES_ALL; bit <<= 1)
        if (names[i].kept & bit && identity_is_kept_from(who, bit))
            return false;
    return true;
}

/* names=procs,active in that order; without it all. */
static int read_names(struct request *r, int *ret, size_t *ret_n, struct err *err)
{
    const char *text = request_query(r, "names");
    bool taken[SERIES_NAMES] = {false};
    int found;

    *ret_n = 0;
    for (int i = 0; !(text && *text) && i < SERIES_NAMES; i++)
        ret[(*ret_n)++] = i;
    while ((found = words_next("names", name_at, &text, err)) >= 0) {
        if (taken[found])
            return err_set(err, ERR_INVALID, "names: expected '%s' once, not twice",
                name_at((size_t)found));
        taken[found] = true;
        ret[(*ret_n)++] = found;
    }
    return found == WORDS_END ? 0 : -1;
}

struct asked {
    int64_t from, to, points;
    int names[SERIES_NAMES];
    size_t n;
};

static int read_asked(
    struct request *r, int64_t until, struct asked *a, struct err *err)
{
    if (read_names(r, a->names, &a->n, err) < 0
        || request_query_int(r, "to", until, &a->to, err) < 0
        || request_query_int(
               r, "from", a->to > DAY_S ? a->to - DAY_S : 0, &a->from, err)
               < 0
        || request_query_int(r, "points", POINTS, &a->points, err) < 0)
        return -1;
    if (a->from < 0 || a->to < a->from)
        return err_set(err, ERR_INVALID, "to: expected an instant behind from");
    if (a->points < 1 || a->points > POINTS_MAX)
        return err_set(err, ERR_INVALID, "points: expected 1 to %d", POINTS_MAX);
    return 0;
}

static json_t *points_of(
    struct server *s, const struct asked *a, const struct identity *who)
{
    struct series_point *all = xcalloc((size_t)a->points, sizeof *all);
    size_t n = series_read(s, a->from, a->to, (size_t)a->points, all);
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++) {
        json_t *row = json_pack("[I]", (json_int_t)all[i].at * 60);
        for (size_t k = 0; k < a->n; k++)
            json_array_append_new(row, is_shown(who, a->names[k])
                                           ? json_integer(all[i].v[a->names[k]])
                                           : json_null());
        json_array_append_new(list, row);
    }
    free(all);
    return list;
}

void api_series(struct server *s, struct request *r)
{
    struct asked a = {0};
    struct err err;
    int64_t until;

    if (api_until(s, r, &until) < 0)
        return;
    if (read_asked(r, until, &a, &err) < 0) {
        request_refuse(r, &err);
        return;
    }
    if (until < world_now(s) && a.to > until)
        a.to = until > a.from ? until : a.from;
    json_t *told = json_array();
    for (size_t k = 0; k < a.n; k++)
        json_array_append_new(told, json_string(names[a.names[k]].name));
    request_reply_json(r, json_pack("{s:I, s:I, s:o, s:o}", "from", (json_int_t)a.from,
                              "to", (json_int_t)a.to, "names", told, "points",
                              points_of(s, &a, request_who(r))));
}
