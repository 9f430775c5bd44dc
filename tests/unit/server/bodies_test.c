/* SPDX-License-Identifier: Apache-2.0
 * Bodies of requests as the API's description has them: what is needed has to be there,
 * and null is not. */
#include "cmocka_all.h"
#include "server/api/openapi.h"
#include "server/http/schema.h"

#include <string.h>

struct row {
    const char *path, *body;
    const char *field; /* that is refused; NULL = the body is taken */
};

static void check_row(const struct schema *s, const struct row *row)
{
    json_t *body = json_loads(row->body, 0, NULL);
    struct err err = {0};
    char field[200];
    int result;

    assert_non_null(body);
    result = schema_check(s, "POST", row->path, body, field, sizeof field, &err);
    if (result != (row->field ? -1 : 0))
        fail_msg("%s %s: %d, %s", row->path, row->body, result, err.text);
    if (row->field) {
        assert_string_equal(field, row->field);
        if (strncmp(err.text, field, strlen(field)) != 0)
            fail_msg("'%s' does not begin with '%s'", err.text, field);
    }
    json_decref(body);
}

static void what_is_needed_is_not_null(void **state)
{
    static const struct row rows[] = {
        {"/v1/bank/accounts", "{\"account\":\"chem\"}", NULL},
        {"/v1/bank/accounts", "{\"account\":\"chem\",\"parent\":null}", NULL},
        {"/v1/bank/accounts", "{}", "account"},
        {"/v1/bank/accounts", "{\"account\":null}", "account"},
        {"/v1/bank/deposits", "{\"request\":\"r\",\"account\":null,\"amount\":\"5\"}",
            "account"},
        {"/v1/bank/withdrawals",
            "{\"request\":\"r\",\"account\":\"a\",\"amount\":null}", "amount"},
        {"/v1/bank/limits", "{\"request\":null,\"account\":\"a\",\"amount\":\"5\"}",
            "request"},
        {"/v1/bank/transfers",
            "{\"request\":\"r\",\"account\":\"a\",\"into\":null,\"amount\":\"5\"}",
            "into"},
        {"/v1/bank/refunds", "{\"request\":\"r\",\"run\":null,\"amount\":\"5\"}",
            "run"},
        {"/v1/jobs", "{\"script\":\"#!/bin/sh\\n\",\"wclimit_s\":null}", NULL},
        {"/v1/jobs", "{\"script\":null}", "script"},
        {"/v1/orders/hold", "{\"changes\":[{\"attribute\":\"x\",\"value\":null}]}",
            "changes[0].value"},
    };
    struct schema *s = schema_open(openapi_text());

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_row(s, &rows[i]);
    schema_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_needed_is_not_null),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
