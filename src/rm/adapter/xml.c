/* SPDX-License-Identifier: Apache-2.0
 * Trees from expat's events. */
#include "rm/adapter/xml.h"

#include "base/strbuf.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "base/xmlplace.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MOST 16

/* An element that is open, and where its next one goes. */
struct open {
    struct xml_element *element;
    const struct xml_element **end;
};

struct build {
    struct arena *arena;
    struct open stack[DEPTH_MOST + 1]; /* the first is the nameless one */
    int depth, skip;                   /* skip: open elements that are too deep */
    struct strbuf text;
};

/* ---- events ---- */

static const char *const *copy_attrs(struct build *b, const XML_Char **attrs)
{
    size_t n = 0;
    const char **copy;

    while (attrs[n] != NULL)
        n++;
    copy = arena_take(b->arena, n + 1, sizeof *copy);
    for (size_t i = 0; i < n; i++)
        copy[i] = arena_text(b->arena, attrs[i], strlen(attrs[i]));
    return copy;
}

static void on_begin(void *ctx, const XML_Char *name, const XML_Char **attrs)
{
    struct build *b = ctx;
    struct open *around = &b->stack[b->depth];
    struct xml_element *e;

    b->text.len = 0;
    if (b->depth == DEPTH_MOST || b->skip > 0) {
        b->skip++;
        return;
    }
    e = arena_take(b->arena, 1, sizeof *e);
    *e = (struct xml_element){.name = arena_text(b->arena, name, strlen(name)),
        .text = "",
        .attrs = copy_attrs(b, attrs)};
    *around->end = e;
    around->end = &e->next;
    b->stack[++b->depth] = (struct open){e, &e->first};
}

static void on_end(void *ctx, const XML_Char *name)
{
    struct build *b = ctx;
    struct xml_element *e = b->stack[b->depth].element;

    (void)name;
    if (b->skip > 0) {
        b->skip--;
    } else {
        if (e->first == NULL && b->text.len > 0)
            e->text = arena_text(b->arena, b->text.text, b->text.len);
        b->depth--;
    }
    b->text.len = 0;
}

static void on_text(void *ctx, const XML_Char *text, int len)
{
    struct build *b = ctx;

    strbuf_add_n(&b->text, text, (size_t)len);
}

/* ---- documents ---- */

static int parse_document(
    struct build *b, const char *text, size_t len, struct err *err)
{
    XML_Parser p = XML_ParserCreate(NULL);
    int status = 0;

    XML_SetUserData(p, b);
    XML_SetElementHandler(p, on_begin, on_end);
    XML_SetCharacterDataHandler(p, on_text);
    if (len > INT32_MAX || XML_Parse(p, text, (int)len, 1) != XML_STATUS_OK)
        status = err_set(err, ERR_INVALID, "its XML cannot be read, line %llu: %s",
            xmlplace_line(p), XML_ErrorString(XML_GetErrorCode(p)));
    XML_ParserFree(p);
    return status;
}

static const struct xml_element *read_once(
    struct arena *a, const char *text, size_t len, struct err *err)
{
    static const char declaration[] = "<?xml";
    struct xml_element *root = arena_take(a, 1, sizeof *root);
    struct build b = {.arena = a, .stack = {{root, &root->first}}};
    int status = 0;

    *root = (struct xml_element){
        .name = "", .text = "", .attrs = arena_take(a, 1, sizeof(char *))};
    for (size_t at = 0; at < len && status == 0;) { /* one document after the other */
        size_t from = at + 1;
        const char *next = len > from ? memmem(text + from, len - from, declaration,
                               sizeof declaration - 1)
                                      : NULL;
        size_t n = next != NULL ? (size_t)(next - text) - at : len - at;

        status = parse_document(&b, text + at, n, err);
        at += n;
    }
    if (len == 0)
        status = err_set(err, ERR_INVALID, "it answers nothing, where XML is expected");
    free(b.text.text);
    return status == 0 ? root : NULL;
}

const struct xml_element *xml_read(
    struct arena *a, const char *text, size_t len, struct err *err)
{
    const struct xml_element *root = read_once(a, text, len, err);
    char *sound;

    if (root != NULL || len == 0)
        return root;
    sound = xml_sound(text, len);
    root = read_once(a, sound, len, err);
    free(sound);
    return root;
}

/* ---- trees ---- */

const struct xml_element *xml_beside(const struct xml_element *e, const char *name)
{
    while (e != NULL && strcmp(e->name, name) != 0)
        e = e->next;
    return e;
}

const struct xml_element *xml_child(const struct xml_element *e, const char *name)
{
    return e != NULL ? xml_beside(e->first, name) : NULL;
}

const char *xml_text(const struct xml_element *e, const char *name)
{
    const struct xml_element *child = xml_child(e, name);

    return child != NULL ? child->text : NULL;
}

const char *xml_attr_of(const struct xml_element *e, const char *name)
{
    for (size_t i = 0; e != NULL && e->attrs[i] != NULL; i += 2)
        if (strcmp(e->attrs[i], name) == 0)
            return e->attrs[i + 1];
    return NULL;
}

/* ---- sound text ---- */

char *xml_sound(const char *text, size_t len)
{
    char *copy = xcalloc(len + 1, 1);

    memcpy(copy, text, len);
    for (size_t i = 0; i < len;) {
        unsigned char c = (unsigned char)copy[i];
        bool control = c < ' ' && c != '\t' && c != '\n' && c != '\r';
        size_t n = control ? 0 : utf8_length(copy + i, len - i);

        if (n == 0)
            copy[i] = '?';
        i += n > 0 ? n : 1;
    }
    return copy;
}
