/* SPDX-License-Identifier: Apache-2.0
 * The words of setres: one table of options, and what each does with its value. */
#include "config/setres.h"

#include "base/hostexpr.h"
#include "config/config.h"
#include "config/nodesettext.h"
#include "config/value.h"

#include <string.h>
#include <strings.h>

#define TASKS_MOST   INT64_C(2000000000)
#define SECONDS_MOST INT64_C(1000000000000)

/* What options leave for the end, when all words are known. */
struct reading {
    struct setres *s;
    const struct setres_clock *clock;
    int64_t end_at, duration_s; /* -1 = not given */
};

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

static int put_acl(struct reading *r, int type, const char *text, struct err *err)
{
    return acltext_parse((enum acl_type)type, text, &r->s->acl, err);
}

static int put_name(struct reading *r, int arg, const char *text, struct err *err)
{
    (void)arg;
    (void)err;
    put_text(&r->s->name, text);
    return 0;
}

static int put_partition(struct reading *r, int arg, const char *text, struct err *err)
{
    (void)arg;
    (void)err;
    put_text(&r->s->partition, text);
    return 0;
}

static int put_subtype(struct reading *r, int arg, const char *text, struct err *err)
{
    (void)arg;
    (void)err;
    put_text(&r->s->subtype, text);
    return 0;
}

static int put_profile(struct reading *r, int arg, const char *text, struct err *err)
{
    (void)arg;
    (void)err;
    put_text(&r->s->profile, text);
    return 0;
}

static int put_start(struct reading *r, int arg, const char *text, struct err *err)
{
    (void)arg;
    return setres_time(text, r->clock, &r->s->start_at, err);
}

static int put_end(struct reading *r, int arg, const char *text, struct err *err)
{
    (void)arg;
    return setres_time(text, r->clock, &r->end_at, err);
}

static int put_duration(struct reading *r, int arg, const char *text, struct err *err)
{
    (void)arg;
    if (duration_parse(text, &r->duration_s, err) < 0)
        return -1;
    if (r->duration_s == 0)
        return err_set(err, ERR_INVALID, "a duration of 0 reserves nothing");
    return 0;
}

static int put_resources(struct reading *r, int arg, const char *text, struct err *err)
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
static int put_features(struct reading *r, int arg, const char *text, struct err *err)
{
    (void)arg;
    r->s->any_feature = strchr(text, '|') != NULL;
    if (r->s->any_feature && strpbrk(text, ":,&") != NULL)
        return err_set(err, ERR_INVALID,
            "'%.60s': expected a:b for nodes with both, or a|b for either", text);
    value_words(text, &r->s->features);
    return 0;
}

static int put_nodeset(struct reading *r, int arg, const char *text, struct err *err)
{
    (void)arg;
    text_list_fini(&r->s->nodeset.list);
    r->s->nodeset = (struct nodeset_spec){0};
    if (nodesettext_parse(text, &r->s->nodeset, err) < 0)
        return -1;
    if (r->s->nodeset.attr == NODESET_FEATURE)
        return 0;
    return err_set(err, ERR_INVALID,
        "'%.60s': reservations know node sets of FEATUREs alone", text);
}

static int put_tasks(struct reading *r, int arg, const char *text, struct err *err)
{
    (void)arg;
    return value_int(text, 1, TASKS_MOST, &r->s->tasks, err);
}

static int put_flags(struct reading *r, int arg, const char *text, struct err *err)
{
    (void)arg;
    return srcfg_flags_parse(text, &r->s->flags, err);
}

static int put_exclusive(struct reading *r, int arg, const char *text, struct err *err)
{
    (void)arg;
    (void)text;
    (void)err;
    r->s->exclusive = true;
    return 0;
}

static int put_owner(struct reading *r, int arg, const char *text, struct err *err)
{
    (void)arg;
    return srcfg_owner_parse(text, &r->s->owner_kind, &r->s->owner, err);
}

/* Parts may be left out: "ops,,mira". */
static int put_charge(struct reading *r, int arg, const char *text, struct err *err)
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

static int put_triggers(struct reading *r, int arg, const char *text, struct err *err)
{
    (void)arg;
    return triggertext_parse(text, &r->s->triggers, err);
}

/* ---- options ------------------------------------------------------------------- */

static const struct option_row {
    char letter;
    bool alone; /* takes no value */
    int arg;
    int (*put)(struct reading *r, int arg, const char *text, struct err *err);
} options[] = {
    {'a', false, ACL_ACCOUNT, put_acl},
    {'g', false, ACL_GROUP, put_acl},
    {'q', false, ACL_CLASS, put_acl},
    {'Q', false, ACL_QOS, put_acl},
    {'u', false, ACL_USER, put_acl},
    {'j', false, ACL_JOBATTR, put_acl},
    {'s', false, 0, put_start},
    {'e', false, 0, put_end},
    {'d', false, 0, put_duration},
    {'n', false, 0, put_name},
    {'r', false, 0, put_resources},
    {'f', false, 0, put_features},
    {'p', false, 0, put_partition},
    {'t', false, 0, put_tasks},
    {'x', false, 0, put_flags},
    {'E', true, 0, put_exclusive},
    {'o', false, 0, put_owner},
    {'c', false, 0, put_charge},
    {'A', false, 0, put_charge},
    {'T', false, 0, put_triggers},
    {'b', false, 0, put_subtype},
    {'N', false, 0, put_nodeset},
    {'R', false, 0, put_profile},
};

static const struct option_row *option_of(char letter)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].letter == letter)
            return &options[i];
    return NULL;
}

/* TASKS==n, TASKS>=n; 1 = it is one, 0 = no. */
static int read_task_count(const char *word, int64_t *ret, struct err *err)
{
    if (strncasecmp(word, "TASKS", 5) != 0
        || (strncmp(word + 5, "==", 2) != 0 && strncmp(word + 5, ">=", 2) != 0))
        return 0;
    return value_int(word + 7, 1, TASKS_MOST, ret, err) < 0 ? -1 : 1;
}

static int put_what(struct reading *r, const char *word, bool *given, struct err *err)
{
    int status;

    if (*given)
        return err_set(err, ERR_INVALID,
            "'%.60s': what to reserve was told before; one expression, in quotes if it "
            "has blanks, is expected",
            word);
    if (*word == '\0')
        return err_set(err, ERR_INVALID, "an empty word names no hosts");
    *given = true;
    status = read_task_count(word, &r->s->tasks, err);
    if (status != 0)
        return status < 0 ? -1 : 0;
    if (hostexpr_check(word, err) < 0)
        return -1;
    put_text(&r->s->hosts, word);
    return 0;
}

/* The option at words[*i] and its value; *i is then the last word of it. */
static int put_option(
    struct reading *r, const char *const *words, size_t n, size_t *i, struct err *err)
{
    const char *word = words[*i], *value = word + 2;
    const struct option_row *o = option_of(word[1]);

    if (o == NULL)
        return err_set(err, ERR_INVALID,
            "unknown option '%.20s'; setres takes -a -A -b -c -d -e -E -f -g -j -n -N "
            "-o -p -q -Q -r -R -s -t -T -u -x",
            word);
    if (o->alone && *value != '\0')
        return err_set(err, ERR_INVALID, "-%c takes no value", o->letter);
    if (!o->alone && *value == '\0') {
        if (*i + 1 >= n)
            return err_set(err, ERR_INVALID, "-%c: its value is missing", o->letter);
        value = words[++*i];
    }
    if (o->put(r, o->arg, value, err) < 0)
        return err_prefix(err, "-%c: ", o->letter);
    return 0;
}

static int finish(struct reading *r, bool what_given, struct err *err)
{
    struct setres *s = r->s;

    if (!what_given)
        return err_set(err, ERR_INVALID,
            "what to reserve is missing: ALL, TASKS==n or a host expression");
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
    struct reading r = {.s = ret, .clock = clock, .end_at = -1, .duration_s = -1};
    bool what_given = false;
    int status = 0;

    *ret = (struct setres){.start_at = clock->cal->now,
        .end_at = TIME_NEVER,
        .per_task = {.procs = -1},
        .owner_kind = CRED_KINDS};
    for (size_t i = 0; i < n && status == 0; i++) {
        if (words[i][0] == '-' && words[i][1] != '\0')
            status = put_option(&r, words, n, &i, err);
        else
            status = put_what(&r, words[i], &what_given, err);
    }
    if (status == 0)
        status = finish(&r, what_given, err);
    if (status < 0)
        setres_fini(ret);
    return status;
}
