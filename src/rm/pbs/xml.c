/* SPDX-License-Identifier: Apache-2.0
 * The XML of TORQUE as JSON: an element with elements in it is an object of those, any
 * other its text. */
#include "rm/adapter/xml.h"

#include "rm/pbs/answers.h"

struct torn {
    const char *kind, *key;
    json_t *all; /* name -> object */
};

static json_t *convert_element(struct torn *t, const struct xml_element *e);

/* Of the kind that is looked for, with elements in it: one of `all`, by its key. */
static bool take_record(struct torn *t, const struct xml_element *e, json_t *value)
{
    const char *key;

    if (strcmp(e->name, t->kind) != 0 || !json_is_object(value))
        return false;
    key = json_string_value(json_object_get(value, t->key));
    if (key != NULL)
        json_object_set(t->all, key, value);
    json_decref(value);
    return true;
}

static json_t *convert_element(struct torn *t, const struct xml_element *e)
{
    json_t *object;

    if (e->first == NULL)
        return json_string(e->text);
    object = json_object();
    for (const struct xml_element *c = e->first; c != NULL; c = c->next) {
        json_t *value = convert_element(t, c);

        if (!take_record(t, c, value))
            json_object_set_new(object, c->name, value);
    }
    return object;
}

json_t *pbs_xml(const char *text, size_t len, const char *kind, const char *key,
    const char *member, struct err *err)
{
    struct arena arena = {0};
    const struct xml_element *root = xml_read(&arena, text, len, err);
    struct torn t = {kind, key, NULL};
    json_t *doc = NULL;

    if (root != NULL) {
        t.all = json_object();
        json_decref(convert_element(&t, root));
        doc = json_pack("{s:o}", member, t.all);
    }
    arena_free(&arena);
    return doc;
}
