/* SPDX-License-Identifier: Apache-2.0
 * A ReservationDraft of the API in the words of setres, which are read by one parser
 * for all. */
#include "server/rsvwords.h"

#include "base/strbuf.h"
#include "cluster/rsvdraft.h"
#include "config/acltext.h"
#include "server/server_private.h"

/* Words of setres from the members of a ReservationDraft. */
static const struct member {
    const char *name;
    const char *option;
} members[] = {{"users", "-u"}, {"groups", "-g"}, {"accounts", "-a"}, {"classes", "-q"},
    {"qos", "-Q"}, {"job_attributes", "-j"}, {"name", "-n"}, {"start_at", "-s"},
    {"end_at", "-e"}, {"duration_s", "-d"}, {"resources", "-r"}, {"features", "-f"},
    {"partition", "-p"}, {"flags", "-x"}, {"owner", "-o"}, {"charge", "-c"},
    {"trigger", "-T"}, {"nodeset", "-N"}, {"profile", "-R"}};

struct words {
    struct VEC(const char *) list;
    struct VEC(char *) owned;
};

static void add_owned(struct words *w, char *text)
{
    vec_push(&w->owned, text);
    vec_push(&w->list, text);
}

static void add_member(struct words *w, const char *option, json_t *value)
{
    struct strbuf text = {0};
    json_t *entry;
    size_t i;

    if (json_is_string(value)) {
        strbuf_add(&text, json_string_value(value));
    } else if (json_is_integer(value)) {
        strbuf_printf(&text, "%lld", (long long)json_integer_value(value));
    } else {
        json_array_foreach(value, i, entry) strbuf_printf(&text, "%s%s", i ? ":" : "",
            json_is_string(entry) ? json_string_value(entry) : "");
    }
    if (text.len) {
        vec_push(&w->list, option);
        add_owned(w, strbuf_take(&text));
    }
    free(strbuf_take(&text));
}

static void words_of(json_t *o, struct words *w)
{
    json_t *tasks = json_object_get(o, "tasks"), *hosts = json_object_get(o, "hosts");
    struct strbuf text = {0};

    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        add_member(w, members[i].option, json_object_get(o, members[i].name));
    if (json_is_true(json_object_get(o, "exclusive")))
        vec_push(&w->list, "-E");
    if (json_is_string(hosts) && json_is_integer(tasks))
        add_member(w, "-t", tasks);
    if (json_is_string(hosts))
        vec_push(&w->list, json_string_value(hosts));
    else if (json_is_integer(tasks)) {
        strbuf_printf(&text, "TASKS==%lld", (long long)json_integer_value(tasks));
        add_owned(w, strbuf_take(&text));
    }
}

static void words_fini(struct words *w)
{
    for (size_t i = 0; i < w->owned.n; i++)
        free(w->owned.v[i]);
    vec_fini(&w->owned);
    vec_fini(&w->list);
}

/* What setres has no option for: how long a job may lie within it. */
static int put_time_limit(json_t *o, struct setres *asked, struct err *err)
{
    const char *text = json_string_value(json_object_get(o, "time_limit"));

    if (!text || !*text || acltext_parse(ACL_DURATION, text, &asked->acl, err) == 0)
        return 0;
    return err_prefix(err, "time_limit: ");
}

/* Nor for a number of tasks that would do. */
static int put_least(json_t *o, struct reservation *r, struct err *err)
{
    json_t *least = json_object_get(o, "least_tasks");

    if (!least)
        return 0;
    if (json_integer_value(least) < 1 || json_integer_value(least) > r->tasks)
        return err_set(err, ERR_INVALID,
            "least_tasks: expected 1 to tasks, which is %u", r->tasks);
    r->least_tasks = (uint32_t)json_integer_value(least);
    return 0;
}

int rsvwords_read(struct cluster *c, const struct calendar *cal, json_t *o,
    enum rsv_kind kind, struct reservation *ret, struct err *err)
{
    struct setres_clock clock = {.cal = cal};
    struct setres asked;
    struct words w = {0};

    words_of(o, &w);
    int result = setres_parse(w.list.v, w.list.n, &clock, &asked, err);
    words_fini(&w);
    if (result < 0)
        return -1;
    result = put_time_limit(o, &asked, err);
    if (result == 0)
        result = rsvdraft_of_setres(c, &asked, kind, ret, err);
    setres_fini(&asked);
    if (result < 0)
        return -1;
    result = put_least(o, ret, err);
    if (result < 0)
        reservation_fini(ret);
    return result;
}

int rsvwords_draft(struct server *s, json_t *o, enum rsv_kind kind,
    struct reservation *ret, struct err *err)
{
    struct calendar cal = zone_system_calendar(world_now(s));

    return rsvwords_read(engine_cluster(s->engine), &cal, o, kind, ret, err);
}
