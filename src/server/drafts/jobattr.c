/* SPDX-License-Identifier: Apache-2.0
 * Attributes of jobs by name, and their values as people write them. */
#include "server/drafts/jobattr.h"

#include "base/duration.h"
#include "base/nearest.h"
#include "cluster/attribute.h"
#include "server/api/order.h"

#include <string.h>

static const struct jobattr attributes[] = {
    {"account", CHANGE_ACCOUNT, VALUE_NAME, true},
    {"arraylimit", CHANGE_ARRAY_LIMIT, VALUE_NUMBER, true},
    {"awduration", CHANGE_WCLIMIT, VALUE_DURATION, true},
    {"class", CHANGE_CLASS, VALUE_NAME, true},
    {"comment", CHANGE_COMMENT, VALUE_NAME, true},
    {"deadline", CHANGE_DEADLINE, VALUE_INSTANT, false},
    {"depend", CHANGE_DEPS, VALUE_DEPS, true},
    {"eeduration", 0, VALUE_NONE, false,
        "it is counted by the scheduler; setspri and setqos raise a job"},
    {"env", 0, VALUE_NONE, false,
        "a job keeps the environment of its submission; submit it anew with msub -v"},
    {"features", CHANGE_FEATURES, VALUE_LIST, true},
    {"flags", CHANGE_FLAGS, VALUE_FLAGS, true},
    {"gres", CHANGE_GRES, VALUE_GRES, true},
    {"group", CHANGE_GROUP, VALUE_NAME, true},
    {"hold", 0, VALUE_HOLD, false},
    {"hostlist", CHANGE_HOSTS, VALUE_LIST, true},
    {"jobdisk", CHANGE_DISK, VALUE_NUMBER, true},
    {"jobmem", CHANGE_MEM, VALUE_NUMBER, true},
    {"jobname", JOBATTR_NAME, VALUE_NAME, true},
    {"jobswap", CHANGE_SWAP, VALUE_NUMBER, true},
    {"loglevel", 0, VALUE_NONE, false,
        "there is one log for all jobs; see changeparam LOGLEVEL"},
    {"mail", CHANGE_MAIL, VALUE_NAME, true},
    {"mailwhen", CHANGE_MAIL_WHEN, VALUE_NAME, true},
    {"messages", JOBATTR_MESSAGE, VALUE_NAME, true},
    {"minstarttime", CHANGE_RELEASE, VALUE_INSTANT, false},
    {"nodecount", CHANGE_NODES, VALUE_NUMBER, true},
    {"notificationaddress", CHANGE_MAIL, VALUE_NAME, true},
    {"partition", CHANGE_PARTITIONS, VALUE_LIST, true},
    {"priority", JOBATTR_SYSPRIO, VALUE_NUMBER, false},
    {"proccount", CHANGE_TASKS, VALUE_NUMBER, true},
    {"qos", JOBATTR_QOS, VALUE_NAME, false},
    {"queue", CHANGE_CLASS, VALUE_NAME, true},
    {"quote", CHANGE_QUOTE, VALUE_NUMBER, true},
    {"reqawduration", CHANGE_WCLIMIT, VALUE_DURATION, true},
    {"reqreservation", CHANGE_ADVRES, VALUE_NAME, true},
    {"rmxstring", 0, VALUE_NONE, false,
        "nothing more is passed to the resource manager after the submission"},
    {"sysprio", JOBATTR_SYSPRIO, VALUE_NUMBER, false},
    {"trig", 0, VALUE_NONE, false,
        "jobs have no triggers; reservations have (setres -T)"},
    {"trigvar", 0, VALUE_NONE, false,
        "jobs have no triggers; reservations have (setres -T)"},
    {"userprio", CHANGE_USER_PRIORITY, VALUE_NUMBER, false},
    {"var", 0, VALUE_NONE, false,
        "jobs have no variables but those of their environment (msub -v)"},
    {"wclimit", CHANGE_WCLIMIT, VALUE_DURATION, true},
};
#define ATTRIBUTES (sizeof attributes / sizeof attributes[0])

const struct jobattr *jobattr_at(size_t i)
{
    return i < ATTRIBUTES ? &attributes[i] : NULL;
}

const struct attribute *jobattr_own(size_t i)
{
    /* asked for with every job that is told, so looked up once */
    static const struct attribute *own[JOBATTR_OWN];
    static size_t n;

    for (size_t k = 0; n < JOBATTR_OWN && k < ATTRIBUTES; k++) {
        const struct attribute *row = attribute_changed(attributes[k].bit);

        if (!attributes[k].kept && row && row->type == ATTRIBUTE_NUMBER)
            own[n++] = row;
    }
    return i < n ? own[i] : NULL;
}

const struct jobattr *jobattr_find(const char *name, struct err *err)
{
    struct nearest near;

    nearest_init(&near, name);
    for (size_t i = 0; i < ATTRIBUTES; i++) {
        if (strcasecmp(attributes[i].name, name) == 0)
            return &attributes[i];
        nearest_offer(&near, attributes[i].name);
    }
    const char *best = nearest_best(&near);
    err_set(err, ERR_INVALID,
        "'%.40s' is not an attribute of a job that can be changed%s%s%s", name,
        best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
    return NULL;
}

int jobattr_number(const struct jobattr *a, const char *text, bool relative,
    int64_t *ret, struct err *err)
{
    char *end;

    if (a->type == VALUE_DURATION || (a->type == VALUE_INSTANT && relative)) {
        if (duration_parse(text, ret, err) == 0)
            return 0;
        return err_prefix(err, "%s: ", a->name);
    }
    *ret = strtoll(text, &end, 10);
    if (end == text || *end)
        return err_set(err, ERR_INVALID, "%s: '%.40s' is no %s", a->name, text,
            a->type == VALUE_INSTANT ? "instant, expected seconds since 1970"
                                     : "whole number");
    return 0;
}

void jobattr_list(struct jobattr_words *ret, const char *text)
{
    char *copy = xstrdup(text), *rest = copy, *word;

    while ((word = strtok_r(rest, " ,:;+|", &rest)))
        vec_push(ret, xstrdup(word));
    vec_push(ret, NULL);
    free(copy);
}

/* Those that can never hold are still what was asked for. */
static const char *const dep_words[] = {[DEP_STARTED] = "after",
    [DEP_COMPLETED] = "afterany",
    [DEP_SUCCESS] = "afterok",
    [DEP_FAILED] = "afternotok",
    [DEP_NEVER_SUCCESS] = "afterok",
    [DEP_NEVER_FAILED] = "afternotok"};

const char *jobattr_dep_word(enum dep_type type)
{
    return dep_words[type];
}

const char *jobattr_dep(const char *text, enum dep_type *ret)
{
    size_t len = strcspn(text, ":");

    for (int type = DEP_STARTED; text[len] && !dep_never((enum dep_type)type); type++)
        if (strlen(dep_words[type]) == len
            && strncasecmp(dep_words[type], text, len) == 0) {
            *ret = (enum dep_type)type;
            return text + len + 1;
        }
    return NULL;
}

/* "afterok:12:13,after:14" */
int jobattr_deps(struct jobattr_deps *ret, const char *text, struct err *err)
{
    char *copy = xstrdup(text), *rest = copy, *group;
    int result = 0;

    while (result == 0 && (group = strtok_r(rest, " ,", &rest))) {
        enum dep_type type;
        const char *jobs = jobattr_dep(group, &type);
        size_t before = ret->n;

        for (size_t len; jobs && *jobs; jobs += len + (jobs[len] != '\0')) {
            len = strcspn(jobs, ":");
            if (len)
                vec_push(ret, ((struct dep){type, xstrndup(jobs, len)}));
        }
        if (ret->n == before)
            result = err_set(err, ERR_INVALID,
                "depend: '%.80s' is not one of " JOBATTR_DEP_FORMS, group);
    }
    vec_push(ret, ((struct dep){DEP_STARTED, NULL}));
    free(copy);
    return result;
}

/* "matlab:2,scratch" */
int jobattr_gres(struct gres_list *ret, const char *text, struct err *err)
{
    char *copy = xstrdup(text), *rest = copy, *word, *end;
    int result = 0;

    while (result == 0 && (word = strtok_r(rest, " ,", &rest))) {
        char *colon = strchr(word, ':');
        long long n = colon ? strtoll(colon + 1, &end, 10) : 1;
        if (colon)
            *colon = '\0';
        if (!*word || n < 1 || (colon && (*end || end == colon + 1)))
            result = err_set(err, ERR_INVALID,
                "gres: '%.80s': expected NAME or NAME:COUNT", colon ? colon + 1 : word);
        else
            vec_push(ret, ((struct gres_cfg){xstrdup(word), n}));
    }
    vec_push(ret, ((struct gres_cfg){NULL, 0}));
    free(copy);
    return result;
}

int jobattr_holds(const char *text, unsigned *ret, struct err *err)
{
    char *copy = xstrdup(text), *rest = copy, *word;
    int result = 0;

    *ret = 0;
    while (result == 0 && (word = strtok_r(rest, " ,:", &rest))) {
        unsigned kinds = order_hold_kinds(word);
        if (!kinds)
            result =
                err_set(err, ERR_INVALID, "invalid hold type (%.40s) specified", word);
        *ret |= kinds;
    }
    free(copy);
    if (result == 0 && !*ret)
        return err_set(err, ERR_INVALID, "hold: expected user, system, batch or all");
    return result;
}
