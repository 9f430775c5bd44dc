/* SPDX-License-Identifier: Apache-2.0
 * Run, end and state records. */
#include "rm/local/record.h"

#include "records/describe.h"

#include <jansson.h>
#include <stdio.h>
#include <time.h>

static const char *const end_words[END_KINDS] = {
    [END_DONE] = "done",
    [END_CANCELLED] = "cancelled",
    [END_REQUEUED] = "requeued",
    [END_LOST] = "lost",
};

static char *text_and_free(json_t *o)
{
    char *text = json_dumps(o, JSON_COMPACT);

    json_decref(o);
    return text != NULL ? text : xstrdup("{}");
}

/* Text that is no UTF-8 becomes "?": these are sentences for people. */
static json_t *plain_text(const char *text)
{
    json_t *v = json_string(text);
    char *copy;

    if (v != NULL)
        return v;
    copy = xstrdup(text);
    for (char *at = copy; *at != '\0'; at++)
        if ((unsigned char)*at >= 0x80)
            *at = '?';
    v = json_string(copy);
    free(copy);
    return v;
}

char *run_write(const struct run *r)
{
    json_t *o = json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:b, s:i, s:i, s:I, s:s, s:s, s:i, s:I, s:I, "
        "s:I, s:I, s:s*, s:s*}",
        "wclimit_s", (json_int_t)r->wclimit_s, "mem_mb", (json_int_t)r->mem_mb,
        "grace_ms", (json_int_t)r->grace_ms, "poll_ms", (json_int_t)r->poll_ms,
        "start_ms", (json_int_t)r->start_ms, "clean", (int)r->clean, "keeper",
        (int)r->keeper, "leader", (int)r->leader, "leader_ticks",
        (json_int_t)r->leader_ticks, "boot", r->boot, "cookie", r->cookie, "guard",
        (int)r->guard, "guard_ticks", (json_int_t)r->guard_ticks, "start_boot_ms",
        (json_int_t)r->start_boot_ms, "start_at", (json_int_t)r->start_at,
        "suspended_at", (json_int_t)r->suspended_at, "cgroup", r->cgroup, "pam",
        r->pam);

    describe_places(o, "places", r->places, r->nplaces);
    if (r->overrun_s != 0)
        json_object_set_new(o, "overrun_s", json_integer((json_int_t)r->overrun_s));
    return text_and_free(o);
}

char *end_write(const struct end *e)
{
    json_t *o = json_pack("{s:s, s:I, s:I, s:i, s:f, s:I}", "kind", end_words[e->kind],
        "start_at", (json_int_t)e->start_at, "end_at", (json_int_t)e->end_at,
        "exit_status", e->exit_status, "cpu_s", e->cpu_s, "mem_mb",
        (json_int_t)e->mem_mb);

    if (e->why.reason != ENDED_UNKNOWN)
        json_object_set_new(o, "why", describe_end(&e->why));
    if (e->said[0] != '\0')
        json_object_set_new(o, "notes", plain_text(e->said));
    return text_and_free(o);
}

char *state_write(const struct state *s)
{
    return text_and_free(json_pack("{s:I, s:I}", "holds", (json_int_t)s->holds,
        "wclimit_s", (json_int_t)s->wclimit_s));
}

/* A document that is an object, or NULL with a sentence. */
static json_t *load(const char *name, const char *text, size_t len, struct err *err)
{
    json_error_t where;
    json_t *o = json_loadb(text, len, 0, &where);

    if (o == NULL) {
        err_set(err, ERR_INVALID, "%s:%d: %s", name, where.line, where.text);
    } else if (!json_is_object(o)) {
        err_set(err, ERR_INVALID, "%s: expected an object", name);
        json_decref(o);
        o = NULL;
    }
    return o;
}

static int bad(json_t *o, const char *name, const char *what, struct err *err)
{
    json_decref(o);
    return err_set(err, ERR_INVALID, "%s: %s", name, what);
}

static bool is_amount(json_int_t v)
{
    return v >= 0 && v <= DURATION_UNLIMITED;
}

static int read_places(const json_t *list, struct run *r)
{
    size_t n = json_array_size(list);

    r->places = xcalloc(n, sizeof *r->places);
    for (size_t i = 0; i < n; i++) {
        const json_t *pair = json_array_get(list, i);
        const char *node = json_string_value(json_array_get(pair, 0));
        json_int_t tasks = json_integer_value(json_array_get(pair, 1));
        json_int_t req = json_integer_value(json_array_get(pair, 2)); /* not of old */

        if (node == NULL || tasks < 1 || tasks > UINT32_MAX || req < 0
            || req > DESCRIBE_REQS_MAX)
            return -1;
        r->places[r->nplaces++] =
            (struct job_place){xstrdup(node), (uint32_t)tasks, (uint32_t)req};
    }
    return 0;
}

int run_read(const char *text, size_t len, struct run *ret, struct err *err)
{
    json_t *o = load("run.json", text, len, err), *places = NULL;
    json_int_t limit = 0, mem = 0, grace = 0, poll = 0, ticks = 0, start = 0, stop = 0;
    json_int_t overrun = 0, begin = 0, start_boot = 0, guard_ticks = 0;
    const char *boot = "", *cookie = "", *cgroup = NULL, *pam = NULL;
    int clean = 0, keeper = 0, leader = 0, guard = 0;

    if (o == NULL)
        return -1;
    if (json_unpack(o,
            "{s:I, s?I, s:I, s:I, s:I, s?I, s:b, s:i, s:i, s:I, s:s, s:s, s?i, s?I, "
            "s?I, "
            "s:I, s:I, s?s, s?s, s:o}",
            "wclimit_s", &limit, "overrun_s", &overrun, "mem_mb", &mem, "grace_ms",
            &grace, "poll_ms", &poll, "start_ms", &begin, "clean", &clean, "keeper",
            &keeper, "leader", &leader, "leader_ticks", &ticks, "boot", &boot, "cookie",
            &cookie, "guard", &guard, "guard_ticks", &guard_ticks, "start_boot_ms",
            &start_boot, "start_at", &start, "suspended_at", &stop, "cgroup", &cgroup,
            "pam", &pam, "places", &places)
        != 0)
        return bad(o, "run.json", "expected the record of a run", err);
    *ret = (struct run){.wclimit_s = limit,
        .overrun_s = overrun < 0 ? -1 : overrun,
        .mem_mb = mem,
        .grace_ms = grace,
        .poll_ms = poll,
        .start_ms = begin,
        .guard = guard,
        .guard_ticks = guard_ticks,
        .start_boot_ms = start_boot,
        .clean = clean,
        .keeper = keeper,
        .leader = leader,
        .leader_ticks = ticks,
        .start_at = start,
        .suspended_at = stop};
    snprintf(ret->boot, sizeof ret->boot, "%s", boot);
    snprintf(ret->cookie, sizeof ret->cookie, "%s", cookie);
    if (!is_amount(limit) || !is_amount(mem) || !is_amount(grace) || !is_amount(poll)
        || overrun > DURATION_UNLIMITED || !is_amount(start) || !is_amount(stop)
        || !is_amount(begin) || !is_amount(start_boot) || keeper < 0 || leader < 0
        || guard < 0)
        return bad(o, "run.json", "a number is out of range", err);
    if (read_places(places, ret) != 0) {
        run_fini(ret);
        return bad(o, "run.json", "expected places as [\"node\", tasks, request]", err);
    }
    if (cgroup != NULL)
        ret->cgroup = xstrdup(cgroup);
    if (pam != NULL)
        ret->pam = xstrdup(pam);
    json_decref(o);
    return 0;
}

int end_read(const char *text, size_t len, struct end *ret, struct err *err)
{
    json_t *o = load("end.json", text, len, err);
    json_int_t start = 0, end = 0, mem = -1;
    const char *kind = "", *notes = "";

    if (o == NULL)
        return -1;
    *ret = (struct end){.kind = END_KINDS};
    if (json_unpack(o, "{s:s, s:I, s:I, s:i, s:F, s:I, s?s}", "kind", &kind, "start_at",
            &start, "end_at", &end, "exit_status", &ret->exit_status, "cpu_s",
            &ret->cpu_s, "mem_mb", &mem, "notes", &notes)
        != 0)
        return bad(o, "end.json", "expected the record of an end", err);
    for (int i = 0; i < END_KINDS; i++)
        if (strcmp(end_words[i], kind) == 0)
            ret->kind = (enum end_kind)i;
    if (ret->kind == END_KINDS || !is_amount(start) || !is_amount(end) || mem < -1)
        return bad(o, "end.json", "a value is out of range", err);
    ret->start_at = start;
    ret->end_at = end;
    ret->mem_mb = mem;
    describe_read_end(json_object_get(o, "why"), &ret->why);
    ret->why.name = ret->why.said = NULL;
    snprintf(ret->said, sizeof ret->said, "%s", notes);
    json_decref(o);
    return 0;
}

int state_read(const char *text, size_t len, struct state *ret, struct err *err)
{
    json_t *o = load("state.json", text, len, err);
    json_int_t holds = 0, limit = 0;

    if (o == NULL)
        return -1;
    if (json_unpack(o, "{s:I, s:I}", "holds", &holds, "wclimit_s", &limit) != 0
        || holds < 0 || holds > 0xff || !is_amount(limit))
        return bad(o, "state.json", "expected holds and wclimit_s", err);
    *ret = (struct state){(unsigned)holds, limit};
    json_decref(o);
    return 0;
}

int64_t run_began_at(const struct run *r, const char *boot)
{
    struct timespec up;
    int64_t began;

    if (r->start_boot_ms <= 0 || strcmp(boot, r->boot) != 0)
        return r->start_at;
    clock_gettime(CLOCK_BOOTTIME, &up);
    began =
        time(NULL)
        - ((int64_t)up.tv_sec * 1000 + up.tv_nsec / 1000000 - r->start_boot_ms) / 1000;
    /* a second is lost in rounding */
    return began > r->start_at + 1 || began < r->start_at - 1 ? began : r->start_at;
}

void run_set_places(struct run *r, const struct job_place *places, size_t n)
{
    r->places = xcalloc(n, sizeof *r->places);
    for (r->nplaces = 0; r->nplaces < n; r->nplaces++)
        r->places[r->nplaces] = (struct job_place){xstrdup(places[r->nplaces].node),
            places[r->nplaces].tasks, places[r->nplaces].req};
}

void run_fini(struct run *r)
{
    for (size_t i = 0; i < r->nplaces; i++)
        free((char *)r->places[i].node);
    free(r->places);
    free(r->cgroup);
    free(r->pam);
    r->places = NULL;
    r->nplaces = 0;
    r->cgroup = r->pam = NULL;
}
