/* SPDX-License-Identifier: Apache-2.0
 * See bankrecord.h. */
#include "server/durable/bankrecord.h"

#include "server/durable/bankbody.h"
#include "server/server_private.h"

#include <inttypes.h>
#include <string.h>

static const char *const kinds[] = {
    [BANK_FILE] = "FILE", [BANK_NATIVE] = "NATIVE", [BANK_GOLD] = "GOLD"};

const char *bankrecord_kind_name(int kind)
{
    return kind >= 0 && (size_t)kind < sizeof kinds / sizeof kinds[0] && kinds[kind]
               ? kinds[kind]
               : NULL;
}

int bankrecord_kind(const json_t *record)
{
    const char *name = json_string_value(json_object_get(record, "to"));

    for (int i = 0; name && i < (int)(sizeof kinds / sizeof kinds[0]); i++)
        if (kinds[i] && strcmp(kinds[i], name) == 0)
            return i;
    return 0;
}

bool bankrecord_is_of(int kind, int bank)
{
    return !kind || kind == bank;
}

void bankrecord_put(struct server *s, const char *kind, const char *key, json_t *o)
{
    char *text = json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS);

    unsaved_put(s->unsaved, kind, key, text);
    free(text);
    commit_want(s);
}

const char *bankrecord_key(uint64_t number, char ret[BANKRECORD_KEY])
{
    snprintf(ret, BANKRECORD_KEY, "%020" PRIu64, number);
    return ret;
}

void bankrecord_delete(struct server *s, const char *kind, uint64_t number)
{
    char key[BANKRECORD_KEY];

    unsaved_delete(s->unsaved, kind, bankrecord_key(number, key));
    commit_want(s);
}

int bankrecord_number(
    const struct server *s, const char *key, uint64_t *ret, struct err *err)
{
    char *text = NULL;
    int result = store_get(s->store, "bank", key, &text, err);

    *ret = result == 0 && text ? strtoull(text, NULL, 10) : 0;
    free(text);
    return result;
}

static int64_t number_of(const json_t *o, const char *key)
{
    return json_integer_value(json_object_get(o, key));
}

const char *bankrecord_name(const json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));

    return text && *text ? text : "-";
}

struct funds_run bankrecord_run(const char *name, const json_t *record)
{
    return (struct funds_run){.run = name,
        .job = bankrecord_name(record, "job"),
        .account = bankrecord_name(record, "account"),
        .rates = json_string_value(json_object_get(record, "rates")),
        .most = number_of(record, "most"),
        .since_at = number_of(record, "since"),
        .until_at = number_of(record, "until"),
        .elsewhere = true,
        .unsent = json_is_true(json_object_get(record, "unsent"))};
}

json_t *bankrecord_show(
    uint64_t number, const json_t *body, const char *state, const char *said)
{
    static const char *const keys[] = {"verb", "run", "job", "account", "user",
        "amount", "at", "seconds", "procs", "to"};
    json_t *o = json_object();

    json_object_set_new(o, "number", json_integer((json_int_t)number));
    json_object_set_new(o, "state", json_string(state));
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (json_object_get(body, keys[i]))
            json_object_set(o, keys[i], json_object_get(body, keys[i]));
    bankbody_text(o, "said", said);
    return o;
}
