/* SPDX-License-Identifier: Apache-2.0
 * What would be if: who would start earlier or later, before anything is done. */
#include "server/whatif/whatif.h"

#include "server/api/api.h"
#include "server/server_private.h"
#include "server/whatif/trial.h"

void api_whatif(struct server *s, struct request *r)
{
    struct err err = {0};
    json_t *body = request_json(r, &err);
    char field[40];

    if (!body) {
        request_refuse(r, &err);
        return;
    }
    if (trial_check(body, field, sizeof field, &err) < 0) {
        request_refuse_as(r, 400, "invalid", field, err.text);
        return;
    }
    whatif_ask(s, r, body);
}
