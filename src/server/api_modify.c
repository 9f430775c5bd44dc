/* SPDX-License-Identifier: Apache-2.0
 * The order to change what jobs ask for (mjobctl -m). */
#include "server/api.h"
#include "server/modify.h"
#include "server/order.h"
#include "server/server_private.h"

static int act_modify(
    struct order *o, const struct job *j, char *done, size_t size, struct err *err)
{
    json_t *changes = json_object_get(o->body, "changes");

    if (!json_is_array(changes) || json_array_size(changes) == 0)
        return err_set(
            err, ERR_INVALID, "changes: a list of {attribute, op, value} is needed");
    snprintf(done, size, "job %s successfully modified", j->id);
    return modify_apply(o->s, j, changes, request_who(o->r), err);
}

void api_modify(struct server *s, struct request *r)
{
    order_carry_out(&(struct order){
        .s = s, .r = r, .who = WHO_ADMIN2, .owner = true, .act = act_modify});
}
