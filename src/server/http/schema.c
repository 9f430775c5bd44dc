/* SPDX-License-Identifier: Apache-2.0
 * Request bodies held against openapi.json. */
#include "server/http/schema.h"

#include "base/nearest.h"
#include "base/steering.h"
#include "base/strbuf.h"
#include "base/xalloc.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAME_BYTES 255

struct schema {
    json_t *description;
};

/* Where we are in a body, for the sentence. */
struct place {
    const struct schema *s;
    struct strbuf path;
    struct err *err;
};

struct schema *schema_open(const char *openapi)
{
    struct schema *s = xcalloc(1, sizeof *s);

    s->description = json_loads(openapi, 0, NULL);
    assert(s->description);
    return s;
}

void schema_close(struct schema *s)
{
    if (!s)
        return;
    json_decref(s->description);
    free(s);
}

static const char *text_of(const json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));

    return text ? text : "";
}

/* "#/components/schemas/X" -> that schema. */
static const json_t *resolve_schema(const struct schema *s, const json_t *schema)
{
    static const char prefix[] = "#/components/schemas/";
    const char *ref = text_of(schema, "$ref");

    if (strncmp(ref, prefix, sizeof prefix - 1) != 0)
        return schema;
    json_t *all = json_object_get(s->description, "components");
    schema = json_object_get(json_object_get(all, "schemas"), ref + sizeof prefix - 1);
    assert(schema);
    return schema;
}

static int refuse_value(struct place *p, const char *expected, const char *found)
{
    return err_set(p->err, ERR_INVALID, "%.120s: expected %s, not %.80s",
        p->path.len ? p->path.text : "the request", expected, found);
}

static void go_back(struct place *p, size_t len)
{
    p->path.len = len;
    p->path.text[len] = 0;
}

/* ---- texts ---- */

/* A text for a message: what cannot be seen becomes ?. */
static const char *shorten_text(const char *text, char *buf, size_t size)
{
    size_t n = 0;

    for (; *text && n + 1 < size && n < 60; text++)
        buf[n++] = *text;
    buf[n] = 0;
    steering_replace(buf);
    return buf;
}

static int check_name(struct place *p, const char *text)
{
    const char *bad = strpbrk(text, " \"'`\\,;");
    char buf[80], what[160];

    if (strlen(text) > NAME_BYTES) {
        snprintf(what, sizeof what, "one of %zu bytes", strlen(text));
        return refuse_value(p, "a name of at most 255 bytes", what);
    }
    if (!bad)
        bad = steering_find(text);
    if (!bad)
        return 0;
    snprintf(what, sizeof what, "'%s', which has %s",
        shorten_text(text, buf, sizeof buf),
        *bad == ' '            ? "a blank"
        : strchr("\"'`", *bad) ? "a quote"
        : strchr("\\,;", *bad) ? "one of \\ , ;"
                               : "a control character");
    return refuse_value(
        p, "a name without blanks, quotes and control characters", what);
}

static int check_format(struct place *p, const char *format, const char *text)
{
    char buf[80], what[160];

    if (strcmp(format, "free") == 0)
        return 0;
    if (strcmp(format, "name") == 0)
        return check_name(p, text);
    if (!steering_find(text))
        return 0;
    snprintf(
        what, sizeof what, "'%s', which has one", shorten_text(text, buf, sizeof buf));
    return refuse_value(p, "a text without control characters", what);
}

static int check_enum(struct place *p, const json_t *words, const char *text)
{
    size_t i, n = json_array_size(words);
    struct strbuf all = {0};
    char buf[80];
    json_t *word;

    json_array_foreach(words, i, word)
    {
        if (strcasecmp(json_string_value(word), text) == 0) {
            free(strbuf_take(&all));
            return 0;
        }
        strbuf_printf(&all, "%s%s",
            i == 0      ? ""
            : i + 1 < n ? ", "
                        : " or ",
            json_string_value(word));
    }
    refuse_value(p, all.text, shorten_text(text, buf, sizeof buf));
    free(strbuf_take(&all));
    return -1;
}

size_t schema_characters(const char *text)
{
    size_t n = 0;

    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static int check_length(struct place *p, const json_t *most, const char *text)
{
    char expected[64], found[32];

    if (!most || schema_characters(text) <= (size_t)json_integer_value(most))
        return 0;
    snprintf(expected, sizeof expected, "at most %lld characters",
        (long long)json_integer_value(most));
    snprintf(found, sizeof found, "%zu", schema_characters(text));
    return refuse_value(p, expected, found);
}

static int check_text(struct place *p, const json_t *schema, const json_t *value)
{
    const char *text = json_string_value(value);
    const json_t *words = json_object_get(schema, "enum");

    if (words && *text)
        return check_enum(p, words, text);
    if (check_length(p, json_object_get(schema, "maxLength"), text) < 0)
        return -1;
    return check_format(p, text_of(schema, "format"), text);
}

/* ---- values ---- */

static int check_value(struct place *p, const json_t *schema, const json_t *value);

static int check_items(struct place *p, const json_t *schema, const json_t *list)
{
    const json_t *items = json_object_get(schema, "items");
    size_t i, before = p->path.len;
    json_t *value;

    json_array_foreach(list, i, value)
    {
        strbuf_printf(&p->path, "[%zu]", i);
        if (check_value(p, items, value) < 0)
            return -1;
        go_back(p, before);
    }
    return 0;
}

static int unknown_member(struct place *p, const json_t *members, const char *name)
{
    struct nearest near;
    const char *known;
    json_t *schema;

    nearest_init(&near, name);
    json_object_foreach((json_t *)members, known, schema) nearest_offer(&near, known);
    known = nearest_best(&near);
    return err_set(p->err, ERR_INVALID, "%.120s: no member has that name%s%s%s",
        p->path.text, known ? "; did you mean '" : "", known ? known : "",
        known ? "'?" : "");
}

static int check_member(
    struct place *p, const json_t *schema, const char *name, const json_t *value)
{
    const json_t *members = json_object_get(schema, "properties");
    const json_t *others = json_object_get(schema, "additionalProperties");
    const json_t *known = json_object_get(members, name);
    size_t before = p->path.len;
    char buf[80];

    strbuf_printf(
        &p->path, "%s%s", before ? "." : "", shorten_text(name, buf, sizeof buf));
    if (!known && json_is_object(others)
        && check_format(p, text_of(schema, "x-keys"), name) < 0)
        return -1;
    if (!known && json_is_object(others))
        known = others;
    if (!known)
        return unknown_member(p, members, name);
    if (!json_is_null(value) && check_value(p, known, value) < 0)
        return -1;
    go_back(p, before);
    return 0;
}

static int check_object(struct place *p, const json_t *schema, const json_t *value)
{
    const char *name;
    json_t *member;
    size_t i;

    json_object_foreach((json_t *)value, name,
        member) if (check_member(p, schema, name, member) < 0) return -1;
    json_array_foreach(json_object_get(schema, "required"), i, member)
    {
        name = json_string_value(member);
        const json_t *given = json_object_get(value, name);
        if (given && !json_is_null(given))
            continue;
        strbuf_printf(&p->path, "%s%s", p->path.len ? "." : "", name);
        return err_set(p->err, ERR_INVALID, "%.120s: it is needed", p->path.text);
    }
    return 0;
}

static int check_value(struct place *p, const json_t *schema, const json_t *value)
{
    static const char *const found[] = {[JSON_OBJECT] = "an object",
        [JSON_ARRAY] = "a list",
        [JSON_STRING] = "a text",
        [JSON_INTEGER] = "a whole number",
        [JSON_REAL] = "a fraction",
        [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",
        [JSON_NULL] = "null"};
    const char *type, *what = found[json_typeof(value)];

    schema = resolve_schema(p->s, schema);
    type = text_of(schema, "type");
    if (strcmp(type, "object") == 0)
        return json_is_object(value) ? check_object(p, schema, value)
                                     : refuse_value(p, "an object", what);
    if (strcmp(type, "array") == 0)
        return json_is_array(value) ? check_items(p, schema, value)
                                    : refuse_value(p, "a list", what);
    if (strcmp(type, "string") == 0)
        return json_is_string(value) ? check_text(p, schema, value)
                                     : refuse_value(p, "a text", what);
    if (strcmp(type, "integer") == 0)
        return json_is_integer(value) ? 0 : refuse_value(p, "a whole number", what);
    if (strcmp(type, "number") == 0)
        return json_is_number(value) ? 0 : refuse_value(p, "a number", what);
    if (strcmp(type, "boolean") == 0)
        return json_is_boolean(value) ? 0 : refuse_value(p, "true or false", what);
    return 0;
}

/* ---- the whole ---- */

static const json_t *body_schema(
    const struct schema *s, const char *method, const char *path)
{
    json_t *o = json_object_get(json_object_get(s->description, "paths"), path);
    char verb[16];
    size_t i = 0;

    for (; method[i] && i + 1 < sizeof verb; i++)
        verb[i] = (char)tolower((unsigned char)method[i]);
    verb[i] = 0;
    o = json_object_get(json_object_get(o, verb), "requestBody");
    o = json_object_get(json_object_get(o, "content"), "application/json");
    return json_object_get(o, "schema");
}

int schema_check(const struct schema *s, const char *method, const char *path,
    const json_t *body, char *ret_field, size_t size, struct err *err)
{
    const json_t *schema = body_schema(s, method, path);
    struct place p = {.s = s, .err = err};

    if (!schema)
        return 0;
    int result = check_value(&p, schema, body);
    snprintf(ret_field, size, "%s", result < 0 && p.path.text ? p.path.text : "");
    free(strbuf_take(&p.path));
    return result;
}
