/* SPDX-License-Identifier: Apache-2.0
 * The order to change what jobs ask for (mjobctl -m). */
#include "server/drafts/modify.h"

#include "server/api/api.h"
#include "server/api/order.h"
#include "server/drafts/jobattr.h"
#include "server/drafts/jobrights.h"
#include "server/http/schema.h"
#include "server/server_private.h"

/* The group that the changes give, or NULL. */
static const char *group_named(const json_t *changes)
{
    const char *group = NULL;
    json_t *change;
    size_t i;

    json_array_foreach(changes, i, change)
    {
        const char *name = json_string_value(json_object_get(change, "attribute"));
        if (name && strcasecmp(name, "group") == 0)
            group = json_string_value(json_object_get(change, "value"));
    }
    return group;
}

/* Texts for people have an end. What a restart brings back is not asked. */
static int check_texts(const json_t *changes, struct err *err)
{
    json_t *change;
    size_t i;

    json_array_foreach(changes, i, change)
    {
        const char *name = json_string_value(json_object_get(change, "attribute"));
        const char *value = json_string_value(json_object_get(change, "value"));
        if (!name || !value
            || (strcasecmp(name, "comment") != 0 && strcasecmp(name, "messages") != 0)
            || schema_characters(value) <= JOBATTR_TEXT_MOST)
            continue;
        return err_set(err, ERR_INVALID, "%s: expected at most %d characters, not %zu",
            name, JOBATTR_TEXT_MOST, schema_characters(value));
    }
    return 0;
}

static bool changes_limit(const json_t *changes)
{
    json_t *change;
    struct err err;
    size_t i;

    json_array_foreach(changes, i, change)
    {
        const struct jobattr *a =
            jobattr_find(json_string_value(json_object_get(change, "attribute")), &err);
        if (a && a->bit & CHANGE_WCLIMIT)
            return true;
    }
    return false;
}

static int act_modify(
    struct order *o, const struct job *j, char *done, size_t size, struct err *err)
{
    json_t *changes = json_object_get(o->body, "changes");

    if (!json_is_array(changes) || json_array_size(changes) == 0)
        return err_set(
            err, ERR_INVALID, "changes: a list of {attribute, op, value} is needed");
    if (check_texts(changes, err) < 0
        || modify_apply(o->s, j, changes, request_who(o->r), err) < 0)
        return -1;
    o->is_told = o->is_told || changes_limit(changes);
    const struct cluster *c = engine_cluster(o->s->engine);
    const char *group = group_named(changes);
    snprintf(done, size, "job %s successfully modified", j->id);
    if (group)
        jobrights_remark(group, job_cred(c, j, CRED_USER)->name, done, size);
    return 0;
}

void api_modify(struct server *s, struct request *r)
{
    order_carry_out(&(struct order){
        .s = s, .r = r, .who = WHO_ADMIN2, .owner = true, .act = act_modify});
}
