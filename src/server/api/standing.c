/* SPDX-License-Identifier: Apache-2.0
 * Standing reservations as configured: what each wants, and what is there of it. */
#include "config/settings.h"
#include "server/api/api.h"
#include "server/http/stream.h"
#include "server/render/render.h"
#include "server/server_private.h"

/* Does its access list, or its owner's account, let the caller see its instances? */
static bool is_seen(
    const struct identity *who, const struct cluster *c, const struct sr_cfg *sr)
{
    struct reservation as = {.acl = sr->acl}; /* borrowed */

    return sr->usable && identity_sees(who, c, &as);
}

static json_t *standing_record(struct server *s, void *ctx, size_t i)
{
    const struct cluster *c = engine_cluster(s->engine);

    if (i >= c->cfg->standing.n || !is_seen(ctx, c, &c->cfg->standing.v[i]))
        return NULL;
    return render_standing(s, (uint32_t)i);
}

void api_standing(struct server *s, struct request *r)
{
    struct identity *who = xcalloc(1, sizeof *who);

    *who = *request_who(r);
    stream_records(
        s, r, engine_cluster(s->engine)->cfg->standing.n, standing_record, who, free);
}
