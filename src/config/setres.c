/* SPDX-License-Identifier: Apache-2.0
 * The words of setres: one table of options, and what each does with its value. */
#include "config/setres.h"

#include "base/hostexpr.h"
#include "config/config.h"
#include "config/nodesettext.h"
#include "config/value.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define TASKS_MOST   INT64_C(2000000000)
#define SECONDS_MOST INT64_C(1000000000000)

void setres_fini(struct setres *s)
{
    free(s->name);
    acltext_fini(&s->acl);
    srcfg_resources_fini(&s->per_task);
    text_list_fini(&s->features);
    text_list_fini(&s->nodeset.list);
    free(s->subtype);
    free(s->profile);
    free(s->partition);
    free(s->owner);
    for (size_t i = 0; i < sizeof s->charge / sizeof *s->charge; i++)
        free(s->charge[i]);
    triggertext_fini(&s->triggers);
    free(s->hosts);
    *s = (struct setres){0};
}

const char *setres_base(const struct setres *s)
{
    if (s->name)
        return s->name;
    for (size_t i = 0; i < s->acl.entries.n; i++)
        if (s->acl.entries.v[i].name)
            return s->acl.entries.v[i].name;
    return s->profile ? s->profile : "SYSTEM";
}

/* ---- values -------------------------------------------------------------------- */

int setres_time(const char *text, const struct setres_clock *clock, int64_t *ret_at,
    struct err *err)
{
    size_t len = strlen(text);
    int64_t at;

    if (len < 3 || strspn(text, "0123456789") != len)
        return clock_parse(text, clock->cal, ret_at, err);
    if (value_int(text, 0, SECONDS_MOST, &at, err) < 0)
        return -1;
    *ret_at = at + clock->plain_offset;
    return 0;
}

static void put_text(char **to, const char *text)
{
    free(*to);
    *to = xstrdup(text);
}

static int put_acl(
    struct setres_reading *r, int type, const char *text, struct err *err)
{
    return acltext_parse((enum acl_type)type, text, &r->s->acl, err);
}

static int put_name(
    struct setres_reading *r, int arg, const char *text, struct err *err)
{
    (void)arg;
    (void)err;
    put_text(&r->s->name, text);
    return 0;
}

static int put_partition(
    struct setres_reading *r, int arg, const char *text, struct err *err)
{
    (void)arg;
    (void)err;
    put_text(&r->s->partition, text);
    return 0;
}

static int put_subtype(
    struct setres_reading *r, int arg, const char *text, struct err *err)
{
    (void)arg;
    (void)err;
    put_text(&r->s->subtype, text);
    return 0;
}

static int put_profile(
    struct setres_reading *r, int arg, const char *text, struct err *err)
{
    (void)arg;
    (void)err;
    put_text(&r->s->profile, text);
    return 0;
}

static int put_start(
    struct setres_reading *r, int arg, const char *text, struct err *err)
{
    (void)arg;
    return setres_time(text, r->clock, &r->s->start_at, err);
}

static int put_end(struct setres_reading *r, int arg, const char *text, struct err *err)
{
    (void)arg;
    return setres_time(text, r->clock, &r->end_at, err);
}

static int put_duration(
    struct setres_reading *r, int arg, const char *text, struct err *err)
{
    (void)arg;
    if (duration_parse(text, &r->duration_s, err) < 0)
        return -1;
    if (r->duration_s == 0)
        return err_set(err, ERR_INVALID, "a duration of 0 reserves nothing");
    return 0;
}

static int put_resources(
    struct setres_reading *r, int arg, const char *text, struct err *err)
{
    struct sr_resources *res = &r->s->per_task;

    (void)arg;
    if (srcfg_resources_parse(text, res, err) < 0)
        return -1;
    if (res->procs == 0 && res->mem_mb == 0 && res->swap_mb == 0 && res->disk_mb == 0
        && res->gres.n == 0)
        return err_set(err, ERR_INVALID, "'%.60s' reserves nothing", text);
    return 0;
}

/* A list is "all of them" or, with bars, "one of them". */
static int put_features(
    struct setres_reading *r, int arg, const char *text, struct err *err)
{
    (void)arg;
    r->s->any_feature = strchr(text, '|') != NULL;
    if (r->s->any_feature && strpbrk(text, ":,&") != NULL)
        return err_set(err, ERR_INVALID,
            "'%.60s': expected a:b for nodes with both, or a|b for either", text);
    value_words(text, &r->s->features);
    return 0;
}

static int put_nodeset(
    struct setres_reading *r, int arg, const char *text, struct err *err)
{
    (void)arg;
    text_list_fini(&r->s->nodeset.list);
    r->s->nodeset = (struct nodeset_spec){0};
    if (nodesettext_parse(text, &r->s->nodeset, err) < 0)
        return -1;
    if (r->s->nodeset.attr == NODESET_FEATURE)
        return 0;
    return err_set(err, ERR_INVALID,
        "'%.60s': a reservation supports node sets of FEATURE only", text);
}

static int put_tasks(
    struct setres_reading *r, int arg, const char *text, struct err *err)
{
    (void)arg;
    return value_int(text, 1, TASKS_MOST, &r->s->tasks, err);
}

static int put_least(
    struct setres_reading *r, int arg, const char *text, struct err *err)
{
    (void)arg;
    return value_int(text, 1, TASKS_MOST, &r->s->least_tasks, err);
}

static int put_hosts(
    struct setres_reading *r, int arg, const char *text, struct err *err)
{
    (void)arg;
    if (hostexpr_check(text, err) < 0)
        return -1;
    put_text(&r->s->hosts, text);
    return 0;
}

static int put_flags(
    struct setres_reading *r, int arg, const char *text, struct err *err)
{
    uint32_t flags = 0;

    (void)arg;
    if (srcfg_flags_parse(text, &flags, err) < 0)
        return -1;
    r->s->flags |= flags;
    return 0;
}

static int put_exclusive(
    struct setres_reading *r, int arg, const char *text, struct err *err)
{
    (void)arg;
    (void)text;
    (void)err;
    r->s->exclusive = true;
    return 0;
}

static int put_owner(
    struct setres_reading *r, int arg, const char *text, struct err *err)
{
    (void)arg;
    return srcfg_owner_parse(text, &r->s->owner_kind, &r->s->owner, err);
}

/* Parts may be left out: "ops,,mira". */
static int put_charge(
    struct setres_reading *r, int arg, const char *text, struct err *err)
{
    size_t most = sizeof r->s->charge / sizeof *r->s->charge, given = 0;

    (void)arg;
    for (size_t i = 0;; i++) {
        size_t len = strcspn(text, ",");
        if (i == most)
            return err_set(err, ERR_INVALID, "more than ACCOUNT,GROUP,USER");
        free(r->s->charge[i]);
        r->s->charge[i] = len > 0 ? xstrndup(text, len) : NULL;
        given += len > 0;
        text += len;
        if (*text++ == '\0')
            break;
    }
    return given ? 0 : err_set(err, ERR_INVALID, "expected ACCOUNT[,GROUP[,USER]]");
}

static int put_triggers(
    struct setres_reading *r, int arg, const char *text, struct err *err)
{
    (void)arg;
    return triggertext_parse(text, &r->s->triggers, err);
}

/* ---- options ------------------------------------------------------------------- */

/* Adding one: a row here, a member of struct setres, and what it means in
 * cluster/rsvdraft; option and help text in client/reservations/setres.c, its record in
 * openapi.json.
 */
static const struct row {
    struct setres_attr a; /* first: a row is found by it */
    int arg;
    int (*put)(struct setres_reading *r, int arg, const char *text, struct err *err);
} rows[] = {
    {{"accounts", 'a', SETRES_LIST, SETRES_ACCESS}, ACL_ACCOUNT, put_acl},
    {{"charge", 'c', SETRES_TEXT, SETRES_CHARGE}, 0, put_charge},
    {{"classes", 'q', SETRES_LIST, SETRES_ACCESS}, ACL_CLASS, put_acl},
    {{"comment", 0, SETRES_TEXT, SETRES_NOTED}, 0, NULL},
    {{"duration_s", 'd', SETRES_DURATION, SETRES_WINDOW}, 0, put_duration},
    {{"end_at", 'e', SETRES_INSTANT, SETRES_WINDOW}, 0, put_end},
    {{"exclusive", 'E', SETRES_FLAG, SETRES_FLAGS}, 0, put_exclusive},
    {{"features", 'f', SETRES_TEXT, SETRES_PLACES}, 0, put_features},
    {{"flags", 'x', SETRES_LIST, SETRES_FLAGS}, 0, put_flags},
    {{"groups", 'g', SETRES_LIST, SETRES_ACCESS}, ACL_GROUP, put_acl},
    {{"hosts", 0, SETRES_TEXT, SETRES_PLACES}, 0, put_hosts},
    {{"job_attributes", 'j', SETRES_LIST, SETRES_ACCESS}, ACL_JOBATTR, put_acl},
    {{"label", 0, SETRES_TEXT, SETRES_NOTED}, 0, NULL},
    {{"least_tasks", 0, SETRES_NUMBER, SETRES_MADE}, 0, put_least},
    {{"name", 'n', SETRES_TEXT, SETRES_MADE}, 0, put_name},
    {{"nodeset", 'N', SETRES_TEXT, SETRES_PLACES}, 0, put_nodeset},
    {{"owner", 'o', SETRES_TEXT, SETRES_OWNER}, 0, put_owner},
    {{"partition", 'p', SETRES_TEXT, SETRES_PLACES}, 0, put_partition},
    {{"profile", 'R', SETRES_TEXT, SETRES_MADE}, 0, put_profile},
    {{"qos", 'Q', SETRES_LIST, SETRES_ACCESS}, ACL_QOS, put_acl},
    {{"resources", 'r', SETRES_TEXT, SETRES_PLACES}, 0, put_resources},
    {{"start_at", 's', SETRES_INSTANT, SETRES_WINDOW}, 0, put_start},
    {{"subtype", 'b', SETRES_TEXT, SETRES_NOTED}, 0, put_subtype},
    {{"tasks", 't', SETRES_NUMBER, SETRES_TASKS}, 0, put_tasks},
    {{"time_limit", 0, SETRES_TEXT, SETRES_ACCESS}, ACL_DURATION, put_acl},
    {{"trigger", 'T', SETRES_TEXT, SETRES_TRIGGERS}, 0, put_triggers},
    {{"users", 'u', SETRES_LIST, SETRES_ACCESS}, ACL_USER, put_acl},
};
#define ROWS (sizeof rows / sizeof *rows)

const struct setres_attr *setres_attr_at(size_t i)
{
    return i < ROWS ? &rows[i].a : NULL;
}

const struct setres_attr *setres_attr_of(char letter)
{
    if (letter == 'A') /* as the original has it */
        letter = 'c';
    for (size_t i = 0; i < ROWS; i++)
        if (letter && rows[i].a.letter == letter)
            return &rows[i].a;
    return NULL;
}

static int put_row(struct setres_reading *r, const struct setres_attr *a,
    const char *text, struct err *err)
{
    const struct row *row = (const struct row *)a;

    return row->put ? row->put(r, row->arg, text, err) : 0;
}

int setres_put(struct setres_reading *r, const struct setres_attr *a, const char *text,
    struct err *err)
{
    return put_row(r, a, text, err) < 0 ? err_prefix(err, "%s: ", a->name) : 0;
}

int setres_put_number(
    struct setres_reading *r, const struct setres_attr *a, int64_t n, struct err *err)
{
    char text[24];

    if (a->value == SETRES_NUMBER) {
        snprintf(text, sizeof text, "%lld", (long long)n);
        return setres_put(r, a, text, err);
    }
    if (n < 0 || n > SECONDS_MOST || (a->value == SETRES_DURATION && n == 0))
        return err_set(err, ERR_INVALID, "%s: expected %d to %lld seconds, not %lld",
            a->name, a->value == SETRES_DURATION, (long long)SECONDS_MOST,
            (long long)n);
    if (a->value == SETRES_DURATION)
        r->duration_s = n;
    else if (a->letter == 's')
        r->s->start_at = n;
    else
        r->end_at = n;
    return 0;
}

/* TASKS==n, TASKS>=n; 1 = it is one, 0 = no. */
static int read_task_count(const char *word, int64_t *ret, struct err *err)
{
    if (strncasecmp(word, "TASKS", 5) != 0
        || (strncmp(word + 5, "==", 2) != 0 && strncmp(word + 5, ">=", 2) != 0))
        return 0;
    return value_int(word + 7, 1, TASKS_MOST, ret, err) < 0 ? -1 : 1;
}

static int put_what(
    struct setres_reading *r, const char *word, bool *given, struct err *err)
{
    int status;

    if (*given)
        return err_set(err, ERR_INVALID,
            "'%.60s': what to reserve was given already; one expression, in quotes if "
            "it "
            "has blanks, is expected",
            word);
    if (*word == '\0')
        return err_set(err, ERR_INVALID, "an empty word names no hosts");
    *given = true;
    status = read_task_count(word, &r->s->tasks, err);
    if (status != 0)
        return status < 0 ? -1 : 0;
    return put_hosts(r, 0, word, err);
}

/* The option at words[*i] and its value; *i is then the last word of it. */
static int put_option(struct setres_reading *r, const char *const *words, size_t n,
    size_t *i, struct err *err)
{
    const char *word = words[*i], *value = word + 2;
    const struct setres_attr *a = setres_attr_of(word[1]);

    if (a == NULL)
        return err_set(err, ERR_INVALID,
            "unknown option '%.20s'; setres takes -a -A -b -c -d -e -E -f -g -j -n -N "
            "-o -p -q -Q -r -R -s -t -T -u -x",
            word);
    if (a->value == SETRES_FLAG && *value != '\0')
        return err_set(err, ERR_INVALID, "-%c takes no value", word[1]);
    if (a->value != SETRES_FLAG && *value == '\0') {
        if (*i + 1 >= n)
            return err_set(err, ERR_INVALID, "-%c: its value is missing", word[1]);
        value = words[++*i];
    }
    return put_row(r, a, value, err) < 0 ? err_prefix(err, "-%c: ", word[1]) : 0;
}

void setres_begin(
    struct setres_reading *r, const struct setres_clock *clock, struct setres *ret)
{
    *r = (struct setres_reading){
        .s = ret, .clock = clock, .end_at = -1, .duration_s = -1};
    *ret = (struct setres){.start_at = clock->cal->now,
        .end_at = TIME_NEVER,
        .per_task = {.procs = -1},
        .owner_kind = CRED_KINDS};
}

int setres_end(struct setres_reading *r, struct err *err)
{
    struct setres *s = r->s;

    if (!s->hosts && !s->tasks)
        return err_set(err, ERR_INVALID,
            "what to reserve is missing: ALL, TASKS==n or a host expression");
    if (s->least_tasks > s->tasks)
        return err_set(err, ERR_INVALID,
            "least_tasks: expected 1 to tasks, which is %lld", (long long)s->tasks);
    if (r->duration_s >= 0)
        s->end_at = time_add(s->start_at, r->duration_s);
    else if (r->end_at >= 0)
        s->end_at = r->end_at;
    if (s->end_at <= s->start_at)
        return err_set(err, ERR_INVALID, "the reservation would end before it starts");
    return 0;
}

int setres_parse(const char *const *words, size_t n, const struct setres_clock *clock,
    struct setres *ret, struct err *err)
{
    struct setres_reading r;
    bool what_given = false;
    int status = 0;

    setres_begin(&r, clock, ret);
    for (size_t i = 0; i < n && status == 0; i++) {
        if (words[i][0] == '-' && words[i][1] != '\0')
            status = put_option(&r, words, n, &i, err);
        else
            status = put_what(&r, words[i], &what_given, err);
    }
    if (status == 0 && !what_given) /* -t alone says how many, not of what */
        r.s->tasks = 0;
    if (status == 0)
        status = setres_end(&r, err);
    if (status < 0)
        setres_fini(ret);
    return status;
}
