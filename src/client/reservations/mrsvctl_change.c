/* SPDX-License-Identifier: Apache-2.0
 * mrsvctl -m, and what it shares with -c. */
#include "client/reservations/mrsvctl_change.h"

#include "base/nearest.h"
#include "base/strbuf.h"
#include "base/zone.h"
#include "client/kit/request.h"
#include "config/setres.h"

#include <stdio.h>
#include <strings.h>

#define DAY_S 86400

/* ---- times ---- */

static int read_time(
    const struct command_line *l, const char *text, int64_t *ret, struct err *err)
{
    const struct calendar cal = zone_system_calendar(request_now(l));
    const struct setres_clock clock = {.cal = &cal};

    return setres_time(text, &clock, ret, err);
}

static void put_instant(json_t *o, const char *key, int64_t at)
{
    json_object_set_new(o, key, at < TIME_NEVER ? json_integer(at) : json_null());
}

int mrsvctl_window(const struct command_line *l, json_t *draft)
{
    static const struct {
        char letter;
        const char *member;
    } times[] = {{'s', "start_at"}, {'e', "end_at"}};
    const char *length = command_value(l, 'd');
    struct err err;
    int64_t n;

    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        const char *text = command_value(l, times[i].letter);
        if (text && read_time(l, text, &n, &err) < 0)
            return command_wrong(l, "-%c: %s", times[i].letter, err.text);
        if (text)
            put_instant(draft, times[i].member, n);
    }
    if (length && duration_parse(length, &n, &err) < 0)
        return command_wrong(l, "-d: %s", err.text);
    if (length && n < DURATION_UNLIMITED)
        json_object_set_new(draft, "duration_s", json_integer(n));
    return 0;
}

/* ---- access lists ---- */

static const struct {
    const char *type, *member;
} acl_types[] = {{"USER", "users"}, {"GROUP", "groups"}, {"ACCT", "accounts"},
    {"ACCOUNT", "accounts"}, {"CLASS", "classes"}, {"QOS", "qos"},
    {"JATTR", "job_attributes"}, {"DURATION", "time_limit"}};
#define ACL_KINDS (sizeof acl_types / sizeof acl_types[0])

static json_t *member_of(json_t *o, const char *key)
{
    json_t *found = json_object_get(o, key);

    if (!found) {
        found = json_object();
        json_object_set_new(o, key, found);
    }
    return found;
}

static void append(json_t *o, const char *member, const char *value)
{
    json_t *list = json_object_get(o, member);

    if (!list) {
        list = json_array();
        json_object_set_new(o, member, list);
    }
    json_array_append_new(list, json_string(value));
}

/* `op`: '=' replaces, '+' adds, '-' removes (of a draft: keeps out). */
static int put_acl(const struct command_line *l, const char *member, char op,
    const char *value, json_t *o, bool change)
{
    if (strpbrk(value, "&@"))
        return command_wrong(l,
            "'%s': & and @ are not supported; a job has to meet what * marks", value);
    if (strcmp(member, "time_limit") == 0) {
        if (op != '=')
            return command_wrong(l, "DURATION: only == is possible");
        json_object_set_new(o, member, json_string(value));
        return 0;
    }
    if (change && op == '+')
        append(member_of(o, "add"), member, value);
    else if (change && op == '-')
        append(member_of(o, "remove"), member, value);
    else if (op == '-') {
        struct strbuf text = {0};
        strbuf_printf(&text, "!%s", value);
        append(o, member, text.text);
        free(strbuf_take(&text));
    } else
        append(o, member, value);
    return 0;
}

static int acl_entry(
    const struct command_line *l, const char *word, json_t *o, bool change)
{
    size_t len = strcspn(word, "=+-"), i = 0;
    char op = word[len];

    if (!op || word[len + 1] != '=' || !word[len + 2])
        return command_wrong(l, "-a: '%s': expected TYPE==NAME", word);
    while (i < ACL_KINDS
           && (strlen(acl_types[i].type) != len
               || strncasecmp(acl_types[i].type, word, len) != 0))
        i++;
    if (i == ACL_KINDS)
        return command_wrong(l,
            "-a: '%.*s' is not one of USER, GROUP, ACCT, CLASS, QOS, JATTR, DURATION",
            (int)len, word);
    return put_acl(l, acl_types[i].member, op, word + len + 2, o, change);
}

int mrsvctl_acl(const struct command_line *l, const char *text, json_t *o, bool change)
{
    char *copy = xstrdup(text), *rest = copy, *word;
    int status = 0;

    while (status == 0 && (word = strtok_r(rest, ",", &rest)))
        status = acl_entry(l, word, o, change);
    free(copy);
    return status;
}

/* ---- -m ---- */

enum kind { K_START, K_END, K_LENGTH, K_HOSTS, K_TASKS, K_LIST, K_TEXT };

static const struct attribute {
    const char *name, *member;
    enum kind kind;
} attributes[] = {
    {"account", "accounts", K_LIST},
    {"acct", "accounts", K_LIST},
    {"class", "classes", K_LIST},
    {"comment", "comment", K_TEXT},
    {"duration", "duration_s", K_LENGTH},
    {"endtime", "end_at", K_END},
    {"features", "features", K_TEXT},
    {"flags", "flags", K_LIST},
    {"group", "groups", K_LIST},
    {"hostexp", "hosts", K_HOSTS},
    {"jattr", "job_attributes", K_LIST},
    {"label", "label", K_TEXT},
    {"owner", "owner", K_TEXT},
    {"partition", "partition", K_TEXT},
    {"qos", "qos", K_LIST},
    {"reqtaskcount", "tasks", K_TASKS},
    {"resources", "resources", K_TEXT},
    {"rsvgroup", "label", K_TEXT},
    {"starttime", "start_at", K_START},
    {"subtype", "subtype", K_TEXT},
    {"timelimit", "time_limit", K_TEXT},
    {"trigger", "trigger", K_TEXT},
    {"user", "users", K_LIST},
};
#define ATTRIBUTES (sizeof attributes / sizeof attributes[0])

/* One -m: the attribute, '=' '+' or '-', the value. */
struct edit {
    const struct attribute *a;
    char op;
    const char *value;
};

static int read_edit(const struct command_line *l, const char *text, struct edit *ret)
{
    size_t len = strcspn(text, "=");
    struct strbuf all = {0};
    struct nearest near;
    char name[64];

    if (!text[len])
        return command_wrong(l, "-m: '%s': expected ATTR=VALUE", text);
    ret->value = text + len + 1;
    ret->op = '=';
    if (len > 1 && (text[len - 1] == '+' || text[len - 1] == '-'))
        ret->op = text[--len];
    snprintf(name, sizeof name, "%.*s", (int)len, text);
    nearest_init(&near, name);
    for (size_t i = 0; i < ATTRIBUTES; i++) {
        ret->a = &attributes[i];
        if (strcasecmp(name, attributes[i].name) == 0)
            return 0;
        nearest_offer(&near, attributes[i].name);
    }
    const char *best = nearest_best(&near);
    if (best)
        return command_wrong(l,
            "-m: '%s' is not an attribute of a reservation that can be changed; did "
            "you mean "
            "%s?",
            name, best);
    for (size_t i = 0; i < ATTRIBUTES; i++)
        strbuf_printf(&all, "%s%s", i ? ", " : "", attributes[i].name);
    int status = command_wrong(l,
        "-m: '%s' is not an attribute of a reservation that can be changed; expected "
        "one of %s",
        name, all.text);
    free(strbuf_take(&all));
    return status;
}

/* A time of the day without a date that has passed is meant of tomorrow. */
static int64_t next_such_time(
    const struct command_line *l, const char *text, int64_t at)
{
    bool of_day = strchr(text, ':') && !strchr(text, '_') && *text != '+';

    return of_day && at < request_now(l) ? at + DAY_S : at;
}

static int edit_time(const struct command_line *l, const struct edit *e,
    const json_t *present, json_t *o)
{
    struct err err;
    int64_t n, at = get_int(present, e->a->member, TIME_NEVER);

    if (e->op == '=') {
        if (read_time(l, e->value, &n, &err) < 0)
            return command_wrong(l, "-m %s: %s", e->a->name, err.text);
        put_instant(o, e->a->member, next_such_time(l, e->value, n));
        return 0;
    }
    if (duration_parse(e->value, &n, &err) < 0)
        return command_wrong(l, "-m %s: %s", e->a->name, err.text);
    if (at >= TIME_NEVER)
        return command_wrong(l, "-m %s: there is none to add to", e->a->name);
    put_instant(o, e->a->member, e->op == '+' ? at + n : at - n);
    return 0;
}

static int edit_length(const struct command_line *l, const struct edit *e,
    const json_t *present, json_t *o)
{
    int64_t end = get_int(present, "end_at", TIME_NEVER), n;
    int64_t length = end - get_int(present, "start_at", 0);
    struct err err;

    if (duration_parse(e->value, &n, &err) < 0)
        return command_wrong(l, "-m duration: %s", err.text);
    if (e->op != '=' && end >= TIME_NEVER)
        return command_wrong(l, "-m duration: the reservation has no end");
    if (e->op != '=')
        n = e->op == '+' ? length + n : length - n;
    json_object_set_new(
        o, "duration_s", n < DURATION_UNLIMITED ? json_integer(n) : json_null());
    return 0;
}

/* += is a longer expression; -= the nodes held without those named. */
static int edit_hosts(const struct command_line *l, const struct edit *e,
    const json_t *present, json_t *o)
{
    const char *now = get_text(present, "hosts", NULL), *separator = "";
    struct strbuf text = {0};
    json_t *p;
    size_t i;

    if (e->op == '+' && now) {
        strbuf_printf(&text, "%s,%s", now, e->value);
    } else {
        json_array_foreach(json_object_get(present, "places"), i, p)
        {
            const char *name = get_text(p, "node", "");
            size_t len = strlen(name);
            const char *at = e->op == '-' ? e->value : "";
            while (
                (at = strstr(at, name))
                && !((at == e->value || at[-1] == ',') && (!at[len] || at[len] == ',')))
                at += len;
            if (!at && e->op != '=') {
                strbuf_printf(&text, "%s%s", separator, name);
                separator = ",";
            }
        }
        if (e->op != '-')
            strbuf_printf(&text, "%s%s", separator, e->value);
    }
    if (text.len)
        json_object_set_new(o, "hosts", json_string(text.text));
    free(strbuf_take(&text));
    return json_object_get(o, "hosts")
               ? 0
               : command_wrong(l, "-m hostexp: no host would be left; release it");
}

static int edit_tasks(const struct command_line *l, const struct edit *e,
    const json_t *present, json_t *o)
{
    long long now = get_int(present, "max_tasks", 0);
    char *end;
    long long n = strtoll(e->value, &end, 10);

    if (*end || end == e->value)
        return command_wrong(l, "-m reqtaskcount: '%s' is not a number", e->value);
    if (e->op != '=')
        n = (now ? now : get_int(present, "tasks", 0)) + (e->op == '+' ? n : -n);
    if (n < 1)
        return command_wrong(l, "-m reqtaskcount: no task would be left; release it");
    json_object_set_new(o, "tasks", json_integer(n));
    return 0;
}

static int edit(const struct command_line *l, const struct edit *e,
    const json_t *present, json_t *o)
{
    switch (e->a->kind) {
    case K_START:
    case K_END:
        return edit_time(l, e, present, o);
    case K_LENGTH:
        return edit_length(l, e, present, o);
    case K_HOSTS:
        return edit_hosts(l, e, present, o);
    case K_TASKS:
        return edit_tasks(l, e, present, o);
    case K_LIST:
        return put_acl(l, e->a->member, e->op, e->value, o, true);
    case K_TEXT:
        break;
    }
    if (e->op != '=')
        return command_wrong(l, "-m %s: only = is possible", e->a->name);
    json_object_set_new(
        o, e->a->member, *e->value ? json_string(e->value) : json_null());
    return 0;
}

/* All -m and -a of the line, for one reservation. */
static int edit_all(const struct command_line *l, const json_t *present, json_t *o)
{
    int status = 0;

    for (size_t i = 0; status == 0 && i < l->given.n; i++) {
        const struct given *g = &l->given.v[i];
        struct edit e;
        if (g->row->letter == 'a')
            status = mrsvctl_acl(l, g->value, o, true);
        if (g->row->letter != 'm')
            continue;
        status = read_edit(l, g->value, &e);
        if (status == 0)
            status = edit(l, &e, present, o);
    }
    const char *flags = command_long(l, "flags");
    if (status == 0 && flags && strcasecmp(flags, "force") == 0)
        append(member_of(o, "add"), "flags", "FORCE");
    else if (status == 0 && flags)
        status = command_wrong(l, "--flags: '%s' is not force", flags);
    return status;
}

static void print_done(const struct command_line *l, const char *name)
{
    bool acl = command_has(l, 'a');

    for (size_t i = 0; i < l->given.n; i++) {
        struct edit e;
        if (l->given.v[i].row->letter != 'm'
            || read_edit(l, l->given.v[i].value, &e) != 0)
            continue;
        if (e.a->kind == K_LIST && strcmp(e.a->member, "flags") != 0)
            acl = true;
        else
            printf("%s for rsv '%s' changed\n", e.a->name, name);
    }
    if (acl)
        printf("successfully changed ACL for rsv %s\n", name);
}

static int modify_one(const struct command_line *l, const char *name)
{
    struct query *q = query_new("/v1/reservations");
    json_t *o = json_object(), *present, *done = NULL;
    int status = 1;

    query_part(q, name);
    present = ask(l, q);
    if (present)
        status = edit_all(l, present, o);
    if (status == 0) {
        done = tell(l, "PATCH", q, json_incref(o));
        status = done == NULL;
    }
    if (done && l->format == FORMAT_JSON)
        print_json(json_incref(done));
    else if (done)
        print_done(l, name);
    json_decref(done);
    json_decref(present);
    json_decref(o);
    query_free(q);
    return status;
}

int mrsvctl_modify(const struct command_line *l)
{
    int status = 0;

    if (l->nargs == 0)
        return command_wrong(l, "a reservation is needed");
    for (int i = 0; i < l->nargs; i++) {
        char *copy = xstrdup(l->args[i]), *rest = copy, *word;
        while ((word = strtok_r(rest, ",", &rest)))
            status |= modify_one(l, word);
        free(copy);
    }
    return status;
}
