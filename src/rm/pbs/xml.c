/* SPDX-License-Identifier: Apache-2.0
 * The XML of TORQUE as JSON: an element with elements in it is an object of those, any
 * other its text. */
#include "rm/pbs/answers.h"

#include <expat.h>
#include <stdio.h>

#define DEPTH_MOST 8

struct build {
    const char *kind, *key;
    json_t *all;               /* name -> object */
    json_t *stack[DEPTH_MOST]; /* objects that are open; NULL before it has members */
    int depth, skip;           /* skip: open elements that are too deep */
    struct strbuf text;
};

static void on_begin(void *ctx, const XML_Char *name, const XML_Char **attrs)
{
    struct build *b = ctx;

    (void)name;
    (void)attrs;
    b->text.len = 0;
    if (b->depth == DEPTH_MOST)
        b->skip++;
    else
        b->stack[b->depth++] = NULL;
}

/* Of the element that ends, in the one around it. */
static void add_member(struct build *b, const char *name, json_t *value)
{
    json_t **around = b->depth > 0 ? &b->stack[b->depth - 1] : NULL;

    if (around != NULL && *around == NULL)
        *around = json_object();
    if (around != NULL)
        json_object_set_new(*around, name, value);
    else
        json_decref(value);
}

static void on_end(void *ctx, const XML_Char *name)
{
    struct build *b = ctx;
    json_t *value;

    if (b->skip > 0) {
        b->skip--;
        return;
    }
    value = b->stack[--b->depth];
    if (value == NULL)
        value = json_stringn(b->text.len > 0 ? b->text.text : "", b->text.len);
    b->text.len = 0;
    if (strcmp(name, b->kind) == 0 && json_is_object(value)) {
        const char *key = json_string_value(json_object_get(value, b->key));

        if (key != NULL)
            json_object_set(b->all, key, value);
        json_decref(value);
    } else {
        add_member(b, name, value);
    }
}

static void on_text(void *ctx, const XML_Char *text, int len)
{
    struct build *b = ctx;

    strbuf_add_n(&b->text, text, (size_t)len);
}

static int parse_text(struct build *b, const char *text, size_t len, struct err *err)
{
    XML_Parser p = XML_ParserCreate(NULL);
    int status = 0;

    XML_SetUserData(p, b);
    XML_SetElementHandler(p, on_begin, on_end);
    XML_SetCharacterDataHandler(p, on_text);
    if (len > INT32_MAX || XML_Parse(p, text, (int)len, 1) != XML_STATUS_OK)
        status = err_set(err, ERR_INVALID, "its XML cannot be read, line %lu: %s",
            (unsigned long)XML_GetCurrentLineNumber(p),
            XML_ErrorString(XML_GetErrorCode(p)));
    XML_ParserFree(p);
    while (b->depth > 0)
        json_decref(b->stack[--b->depth]);
    b->skip = 0;
    b->text.len = 0;
    return status;
}

json_t *pbs_xml(const char *text, size_t len, const char *kind, const char *key,
    const char *member, struct err *err)
{
    static const char declaration[] = "<?xml";
    struct build b = {.kind = kind, .key = key, .all = json_object()};
    json_t *doc = NULL;
    int status = 0;

    for (size_t at = 0; at < len && status == 0;) { /* one document after the other */
        const char *next = len - at > sizeof declaration ? memmem(text + at + 1,
                               len - at - 1, declaration, sizeof declaration - 1)
                                                         : NULL;
        size_t n = next != NULL ? (size_t)(next - text) - at : len - at;

        status = parse_text(&b, text + at, n, err);
        at += n;
    }
    if (len == 0)
        status = err_set(err, ERR_INVALID, "it answers nothing, where XML is expected");
    free(b.text.text);
    if (status == 0)
        doc = json_pack("{s:o}", member, b.all);
    else
        json_decref(b.all);
    return doc;
}
