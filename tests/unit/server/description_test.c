/* SPDX-License-Identifier: Apache-2.0
 * The API's description has every attribute of a job as the table of attributes has it:
 * what may be submitted, and what is shown. */
#include "cluster/attribute.h"
#include "cmocka_all.h"
#include "server/api/openapi.h"
#include "server/drafts/jobattr.h"

#include <jansson.h>

static json_t *members_of(json_t *api, const char *schema)
{
    json_t *o = json_object_get(json_object_get(api, "components"), "schemas");

    return json_object_get(json_object_get(o, schema), "properties");
}

static json_t *read_description(void)
{
    json_t *api = json_loads(openapi_text(), 0, NULL);

    assert_non_null(api);
    return api;
}

static const char *type_of(enum attribute_type type)
{
    static const char *const names[] = {[ATTRIBUTE_NUMBER] = "integer",
        [ATTRIBUTE_COUNT] = "integer",
        [ATTRIBUTE_BOOL] = "boolean",
        [ATTRIBUTE_TEXT] = "string",
        [ATTRIBUTE_CRED] = "string",
        [ATTRIBUTE_NAMES] = "array",
        [ATTRIBUTE_NODES] = "array",
        [ATTRIBUTE_FLAGS] = "array",
        [ATTRIBUTE_DEPS] = "array",
        [ATTRIBUTE_AMOUNTS] = "object",
        [ATTRIBUTE_COMPARISON] = "string",
        [ATTRIBUTE_WORD] = "string",
        [ATTRIBUTE_NODESET] = "string"};

    return names[type];
}

static void check_member(
    json_t *members, const char *of, const char *name, enum attribute_type type)
{
    const char *is =
        json_string_value(json_object_get(json_object_get(members, name), "type"));

    if (is && type == ATTRIBUTE_NUMBER && strcmp(is, "number") == 0)
        return; /* amounts, of which those of a node in use are no whole numbers */
    if (!is || strcmp(is, type_of(type)) != 0)
        fail_msg("%s.%s: expected type %s, not %s", of, name, type_of(type),
            is ? is : "nothing");
}

static void what_can_be_submitted_is_described(void **state)
{
    json_t *api = read_description(), *asked = members_of(api, "JobRequest");
    const struct attribute *a;
    int n = 0;

    (void)state;
    for (size_t i = 0; (a = attribute_at(i)) != NULL; i++) {
        if (!a->request)
            continue;
        check_member(asked, "JobRequest", a->request, a->type);
        n++;
    }
    assert_true(n > 8);
    json_decref(api);
}

static void what_a_request_asks_for_is_described(void **state)
{
    json_t *api = read_description(), *request = members_of(api, "Request");
    json_t *task = members_of(api, "Amounts");
    const struct req_attribute *a;
    size_t n = 1; /* per_task itself */

    (void)state;
    for (size_t i = 0; (a = req_attribute_at(i)) != NULL; i++) {
        if (a->request)
            check_member(a->of_task ? task : request, "Request", a->request, a->type);
        n += a->request && !a->of_task;
    }
    assert_int_equal(n, json_object_size(request));
    json_decref(api);
}

static void what_is_shown_is_described(void **state)
{
    json_t *api = read_description(), *shown = members_of(api, "Job");
    const struct attribute *a;
    int n = 0;

    (void)state;
    for (size_t i = 0; (a = attribute_at(i)) != NULL; i++) {
        if (!a->shown)
            continue;
        if (!json_object_get(shown, a->shown))
            fail_msg("Job has no member '%s'", a->shown);
        n++;
    }
    assert_true(n > 1);
    json_decref(api);
}

static void a_comment_is_as_long_in_a_submission_as_in_a_change(void **state)
{
    json_t *api = read_description();
    json_t *comment = json_object_get(members_of(api, "JobRequest"), "comment");

    (void)state;
    assert_int_equal(
        json_integer_value(json_object_get(comment, "maxLength")), JOBATTR_TEXT_MOST);
    json_decref(api);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_can_be_submitted_is_described),
        cmocka_unit_test(what_a_request_asks_for_is_described),
        cmocka_unit_test(what_is_shown_is_described),
        cmocka_unit_test(a_comment_is_as_long_in_a_submission_as_in_a_change),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
