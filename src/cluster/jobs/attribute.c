/* SPDX-License-Identifier: Apache-2.0
 * The table of a job's attributes. */
#include "cluster/attribute.h"

#include "cluster/job.h"

#include <string.h>

#define DESC(member)   offsetof(struct job_desc, member)
#define CHANGE(member) offsetof(struct job_change, member)
#define EXTRA(member)  offsetof(struct job_extra, member)
#define CRED(kind)     (DESC(cred) + (kind) * sizeof(const char *))

/* clang-format off */
static const struct attribute attributes[] = {
    /* wire, request, shown, type, range, change, in job_desc, job_change, job_extra */
    {"id", NULL, NULL, ATTRIBUTE_TEXT, 0, 0, 0, DESC(id), 0, 0},
    {"user", NULL, NULL, ATTRIBUTE_TEXT, 0, 0, 0, CRED(CRED_USER), 0, 0},
    {"group", "group", NULL, ATTRIBUTE_TEXT, 0, 0,
        CHANGE_GROUP, CRED(CRED_GROUP), CHANGE(group), 0},
    {"account", "account", NULL, ATTRIBUTE_TEXT, 0, 0,
        CHANGE_ACCOUNT, CRED(CRED_ACCOUNT), CHANGE(account), 0},
    {"class", "class", NULL, ATTRIBUTE_TEXT, 0, 0,
        CHANGE_CLASS, CRED(CRED_CLASS), CHANGE(cls), 0},
    {"qos", "qos", NULL, ATTRIBUTE_TEXT, 0, 0,
        CHANGE_QOS, CRED(CRED_QOS), CHANGE(qos), 0},
    {"submit_at", NULL, NULL, ATTRIBUTE_NUMBER, 0, 0, 0, DESC(submit_at), 0, 0},
    {"start_at", NULL, NULL, ATTRIBUTE_NUMBER, 0, 0, 0, DESC(start_at), 0, 0},
    {"eligible_at", NULL, NULL, ATTRIBUTE_NUMBER, 0, 0, 0, DESC(eligible_at), 0, 0},
    {"wclimit_s", "wclimit_s", NULL, ATTRIBUTE_NUMBER, 0, INT32_MAX,
        CHANGE_WCLIMIT, DESC(wclimit_s), CHANGE(wclimit_s), 0},
    {"release_at", "release_at", NULL, ATTRIBUTE_NUMBER, 0, INT64_MAX,
        CHANGE_RELEASE, DESC(release_at), CHANGE(release_at), 0},
    {"deadline_at", "deadline_at", NULL, ATTRIBUTE_NUMBER, 0, INT64_MAX,
        CHANGE_DEADLINE, DESC(deadline_at), CHANGE(deadline_at), 0},
    {"priority", "priority", NULL, ATTRIBUTE_NUMBER, INT32_MIN, INT32_MAX,
        CHANGE_USER_PRIORITY, DESC(user_priority), CHANGE(user_priority), 0},
    {"partitions", "partitions", NULL, ATTRIBUTE_NAMES, 0, 0,
        CHANGE_PARTITIONS, DESC(partitions), CHANGE(partitions), 0},
    {"classes", NULL, NULL, ATTRIBUTE_NAMES, 0, 0, 0, DESC(classes), 0, 0},
    {"advres", "reservation", "reservation_name", ATTRIBUTE_TEXT, 0, 0,
        CHANGE_ADVRES, DESC(advres), CHANGE(advres), EXTRA(advres)},
    {"command", NULL, NULL, ATTRIBUTE_TEXT, 0, 0, 0, DESC(command), 0, EXTRA(command)},
    {"comment", "comment", "comment", ATTRIBUTE_TEXT, 0, 0,
        CHANGE_COMMENT, DESC(comment), CHANGE(comment), EXTRA(comment)},
};
/* clang-format on */

const struct attribute *attribute_at(size_t i)
{
    return i < sizeof attributes / sizeof attributes[0] ? &attributes[i] : NULL;
}

const struct attribute *attribute_changed(unsigned bit)
{
    const struct attribute *a;

    for (size_t i = 0; (a = attribute_at(i)) != NULL; i++)
        if (bit && a->change == bit)
            return a;
    return NULL;
}

static void copy_value(
    const struct attribute *a, void *to, size_t to_at, const void *from, size_t from_at)
{
    size_t size = a->type == ATTRIBUTE_NUMBER ? sizeof(int64_t) : sizeof(void *);

    memcpy((char *)to + to_at, (const char *)from + from_at, size);
}

void attributes_of_change(const struct job_change *ch, struct job_desc *ret)
{
    const struct attribute *a;

    for (size_t i = 0; (a = attribute_at(i)) != NULL; i++)
        if (a->change)
            copy_value(a, ret, a->desc_at, ch, a->change_at);
}

void attributes_to_change(const struct job_desc *d, struct job_change *ret)
{
    const struct attribute *a;

    for (size_t i = 0; (a = attribute_at(i)) != NULL; i++)
        if (a->change)
            copy_value(a, ret, a->change_at, d, a->desc_at);
}

void attributes_apply(const struct job_change *ch, struct job_desc *d)
{
    const struct attribute *a;

    for (size_t i = 0; (a = attribute_at(i)) != NULL; i++)
        if (a->change & ch->what)
            copy_value(a, d, a->desc_at, ch, a->change_at);
}
