/* SPDX-License-Identifier: Apache-2.0
 * Conditions on jobs. */
#include "server/drafts/where.h"

#include "base/nearest.h"
#include "cluster/partition.h"
#include "policy/holds.h"
#include "server/render/render.h"
#include "server/server_private.h"

static bool has_cred(struct server *s, const struct job *j, int kind, const char *text)
{
    const struct cluster *c = engine_cluster(s->engine);

    return strcmp(job_cred(c, j, (enum cred_kind)kind)->name, text) == 0;
}

static bool has_name(struct server *s, const struct job *j, int kind, const char *text)
{
    const char *name = world_notes(s, j)->name;

    (void)kind;
    return name && strcmp(name, text) == 0;
}

static bool has_partition(
    struct server *s, const struct job *j, int kind, const char *text)
{
    uint32_t p = partition_find(engine_cluster(s->engine), text);

    (void)kind;
    return p != INDEX_NONE && (j->partitions >> p & 1);
}

static bool has_reservation(
    struct server *s, const struct job *j, int kind, const char *text)
{
    (void)s;
    (void)kind;
    return j->extra && j->extra->advres && strcasecmp(j->extra->advres, text) == 0;
}

/* Its state, as commands show it as well (BatchHold), or the section of showq. */
static bool has_state(struct server *s, const struct job *j, int kind, const char *text)
{
    (void)s;
    (void)kind;
    return strcasecmp(job_state_name((enum job_state)j->state), text) == 0
           || strcasecmp(hold_shown_state(j), text) == 0
           || strcasecmp(render_section_name(render_section(j)), text) == 0;
}

static const struct {
    const char *name;
    bool (*matches)(struct server *s, const struct job *j, int kind, const char *text);
    int kind;
} conditions[] = {
    {"account", has_cred, CRED_ACCOUNT},
    {"class", has_cred, CRED_CLASS},
    {"group", has_cred, CRED_GROUP},
    {"jobname", has_name, 0},
    {"partition", has_partition, 0},
    {"qos", has_cred, CRED_QOS},
    {"reqreservation", has_reservation, 0},
    {"state", has_state, 0},
    {"user", has_cred, CRED_USER},
};
#define CONDITIONS (sizeof conditions / sizeof conditions[0])

static size_t find(const char *name)
{
    size_t i = 0;

    while (i < CONDITIONS && strcasecmp(conditions[i].name, name) != 0)
        i++;
    return i;
}

int where_check(const json_t *where, struct err *err)
{
    struct nearest near;
    const char *name;
    json_t *value;

    if (!json_is_object(where) || json_object_size(where) == 0)
        return err_set(err, ERR_INVALID, "where: expected attributes and values");
    json_object_foreach((json_t *)where, name, value)
    {
        if (!json_is_string(value))
            return err_set(err, ERR_INVALID, "where: %.40s: expected a text", name);
        if (find(name) < CONDITIONS)
            continue;
        nearest_init(&near, name);
        for (size_t i = 0; i < CONDITIONS; i++)
            nearest_offer(&near, conditions[i].name);
        const char *best = nearest_best(&near);
        return err_set(err, ERR_INVALID,
            "where: jobs are not chosen by '%.40s'%s%s%s; expected user, group, "
            "account, "
            "class, qos, jobname, state, partition or reqreservation",
            name, best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
    }
    return 0;
}

bool where_matches(const json_t *where, struct server *s, const struct job *j)
{
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)where, name, value)
    {
        size_t i = find(name);
        if (!conditions[i].matches(s, j, conditions[i].kind, json_string_value(value)))
            return false;
    }
    return true;
}
