/* SPDX-License-Identifier: Apache-2.0
 * JSON values as text: server/jsontext against the library's own. */
#include "records/jsontext.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void as_the_library(const char *text)
{
    json_error_t where;
    json_t *v = json_loads(text, JSON_DECODE_ANY | JSON_ALLOW_NUL, &where);

    if (!v)
        fail_msg("%s: %s", text, where.text);
    char *mine = jsontext(v);
    char *theirs = json_dumps(v, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_ENCODE_ANY);
    assert_string_equal(mine, theirs);
    json_decref(v);
    free(mine);
    free(theirs);
}

static void every_kind_of_value_is_written_as_the_library_does(void **state)
{
    (void)state;
    as_the_library("{}");
    as_the_library("[]");
    as_the_library("{\"z\":1,\"a\":[true,false,null,{\"b\":[[]]}],\"\":\"\"}");
    as_the_library("[0,-1,9223372036854775807,-9223372036854775808]");
    as_the_library("\"a\\\"b\\\\c\\/d\\b\\f\\n\\r\\t\\u0001\\u001f\\u000b\"");
    as_the_library("\"\\u00e4\\u20ac\\ud83d\\ude00\\u007f\"");
}

static void reals_come_back_exactly(void **state)
{
    (void)state;
    const double all[] = {0.1, 1.0 / 3, 1e300, 5e-324, 1e22, -2.5, 123456789.125, 1e-7};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        json_t *v = json_real(all[i]);
        char *text = jsontext(v);
        json_t *back = json_loads(text, JSON_DECODE_ANY, NULL);
        assert_true(json_is_real(back));
        assert_memory_equal(&(double){json_real_value(back)}, &all[i], sizeof all[i]);
        json_decref(back);
        json_decref(v);
        free(text);
    }
    json_t *v = json_real(2);
    char *text = jsontext(v);
    assert_string_equal(text, "2.0");
    json_decref(v);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_value_is_written_as_the_library_does),
        cmocka_unit_test(reals_come_back_exactly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
