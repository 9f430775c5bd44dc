/* SPDX-License-Identifier: Apache-2.0
 * What jobs cost and accounts have, as it is shown beside all else of them. */
#include "engine/query.h"
#include "funds/amount.h"
#include "policy/bank.h"
#include "policy/reason.h"
#include "server/api/bankrights.h"
#include "server/render/render.h"
#include "server/server_private.h"

void render_credits(json_t *o, const char *key, int64_t amount)
{
    render_real(o, key, (double)amount / AM_CREDIT);
}

json_t *render_price(const struct server *s, const struct query_price *p, bool shown)
{
    json_t *o = json_object();
    char text[400];

    render_text(o, "account", p->account);
    render_credits(o, "price", p->most);
    if (!shown || bank_is_elsewhere(engine_cluster(s->engine)))
        return o;
    if (p->kept)
        render_credits(o, "kept", p->kept);
    render_bool(o, "enough", !p->lacks);
    if (p->lacks) {
        reason_format(engine_cluster(s->engine), &p->why, text, sizeof text);
        render_text(o, "text", text);
    }
    return o;
}

void render_job_funds(
    struct server *s, const struct job *j, const struct identity *who, json_t *o)
{
    struct query_price p;

    if (query_job_price(s->engine, j, world_now(s), &p))
        json_object_set_new(
            o, "funds", render_price(s, &p, bankrights_shows_funds(s, who, j)));
}

void render_account_funds(struct server *s, const char *account, json_t *o)
{
    const struct cluster *c = engine_cluster(s->engine);
    uint32_t number = bank_in_force(c) ? funds_account(c->funds, account) : FUNDS_NONE;
    struct funds_left left;
    json_t *funds;

    if (number == FUNDS_NONE || bank_is_elsewhere(c))
        return;
    funds_ask(c->funds, number, NULL, world_now(s), 0, &left);
    funds = json_object();
    render_credits(funds, "available", left.available);
    render_credits(funds, "held", left.held);
    render_int(funds, "runs", funds_runs_on(c->funds, number));
    json_object_set_new(o, "funds", funds);
}
