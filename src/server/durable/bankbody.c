/* SPDX-License-Identifier: Apache-2.0
 * See bankbody.h. */
#include "server/durable/bankbody.h"

#include "base/strbuf.h"
#include "config/settings.h"
#include "funds/amount.h"
#include "server/managers/manager.h"
#include "server/render/render.h"
#include "server/server_private.h"

#include <inttypes.h>
#include <string.h>

void bankbody_text(json_t *o, const char *key, const char *text)
{
    if (text && *text)
        json_object_set_new(o, key, render_utf8(text));
}

void bankbody_number(json_t *o, const char *key, int64_t n)
{
    if (n > 0)
        json_object_set_new(o, key, json_integer(n));
}

void bankbody_credits(json_t *o, const char *key, int64_t amount)
{
    char text[48];

    snprintf(text, sizeof text, "%" PRId64 ".%03" PRId64, amount / AM_CREDIT,
        amount % AM_CREDIT);
    json_object_set_new(o, key, json_string(text));
}

/* By which name a GOLD server knows the run. It goes with the run, so that it has the
 * same name there to its end, also by other releases. */
static void set_name(const struct server *s, json_t *o, const char *run)
{
    const char *machine = json_string_value(json_object_get(o, "machine"));
    struct strbuf name = {0};

    if (s->config->settings->bank.type != BANK_GOLD)
        return;
    strbuf_printf(&name, "%s%s%s", run, machine ? "@" : "", machine ? machine : "");
    bankbody_text(o, "name", name.text);
    free(name.text);
}

json_t *bankbody_run(struct server *s, const struct money_move *m)
{
    json_t *o = json_object();

    bankbody_text(o, "run", m->run);
    bankbody_text(o, "job", m->job);
    bankbody_text(o, "account", m->account);
    bankbody_text(o, "user", m->user);
    bankbody_text(o, "group", m->group);
    bankbody_text(o, "class", m->class);
    bankbody_text(o, "qos", m->qos);
    bankbody_text(o, "machine", manager_name_of(s, m->job));
    bankbody_number(o, "procs", m->procs);
    bankbody_number(o, "nodes", m->nodes);
    bankbody_number(o, "memory_mb", m->mem_mb);
    bankbody_number(o, "quote", m->quote);
    set_name(s, o, m->run);
    return o;
}

/* What the engine does not know any more of a run that it did not see end. */
static void add_known(json_t *o, const json_t *record)
{
    static const char *const keys[] = {
        "user", "group", "class", "qos", "procs", "nodes", "memory_mb", "quote"};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (!json_object_get(o, keys[i]) && json_object_get(record, keys[i]))
            json_object_set(o, keys[i], json_object_get(record, keys[i]));
    if (json_object_get(record, "machine"))
        json_object_set(o, "machine", json_object_get(record, "machine"));
    json_object_del(o, "name"); /* a record of an older release has none */
    if (json_object_get(record, "name"))
        json_object_set(o, "name", json_object_get(record, "name"));
}

json_t *bankbody_move(struct server *s, const json_t *record,
    const struct money_move *m, const char *verb)
{
    json_t *o = bankbody_run(s, m);

    if (record)
        add_known(o, record);
    if (strcmp(m->account, "-") == 0)
        json_object_del(o, "account");
    bankbody_text(o, "verb", verb);
    bankbody_number(o, "seconds", m->seconds < DURATION_UNLIMITED ? m->seconds : 0);
    bankbody_number(o, "at", m->at);
    if (m->kind == MONEY_LIEN && m->until_at < TIME_NEVER)
        bankbody_number(o, "until", m->until_at);
    if (m->kind == MONEY_LIEN && m->most < AM_LARGEST)
        bankbody_credits(o, "amount", m->most);
    if (m->kind == MONEY_CHARGE)
        bankbody_credits(o, "amount", m->total);
    bankbody_text(o, "text", m->text);
    return o;
}
