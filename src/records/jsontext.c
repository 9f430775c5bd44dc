/* SPDX-License-Identifier: Apache-2.0
 * JSON values as text. */
#include "records/jsontext.h"

#include "base/strbuf.h"

#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Bytes below 0x20, the quote and the backslash cannot stand for themselves. */
static void add_text(struct strbuf *out, const char *text, size_t len)
{
    static const char letters[] = "btn\0fr"; /* of \b (8) to \r (13) */
    size_t from = 0;

    strbuf_add_n(out, "\"", 1);
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        char escape[8];

        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        strbuf_add_n(out, text + from, i - from);
        from = i + 1;
        if (c >= 0x20)
            snprintf(escape, sizeof escape, "\\%c", c);
        else if (c >= 8 && c <= 13 && letters[c - 8])
            snprintf(escape, sizeof escape, "\\%c", letters[c - 8]);
        else
            snprintf(escape, sizeof escape, "\\u%04X", c);
        strbuf_add(out, escape);
    }
    strbuf_add_n(out, text + from, len - from);
    strbuf_add_n(out, "\"", 1);
}

static void add_int(struct strbuf *out, json_int_t n)
{
    char digits[24], *p = digits + sizeof digits;
    unsigned long long rest = n < 0 ? 0 - (unsigned long long)n : (unsigned long long)n;

    do
        *--p = (char)('0' + rest % 10);
    while (rest /= 10);
    if (n < 0)
        *--p = '-';
    strbuf_add_n(out, p, (size_t)(digits + sizeof digits - p));
}

/* All digits that are needed to read the same number, and none that make it whole. */
static void add_real(struct strbuf *out, double n)
{
    char text[40];

    snprintf(text, sizeof text, "%.17g", n);
    char *point = strstr(text, localeconv()->decimal_point);
    if (point)
        *point = '.';
    strbuf_add(out, text);
    if (!strpbrk(text, ".e"))
        strbuf_add(out, ".0");
}

static void add_value(struct strbuf *out, const json_t *v);

static void add_object(struct strbuf *out, const json_t *v)
{
    json_t *object = (json_t *)(uintptr_t)v; /* looking changes nothing */
    const char *before = "{";

    for (void *i = json_object_iter(object); i; i = json_object_iter_next(object, i)) {
        const char *key = json_object_iter_key(i);
        strbuf_add_n(out, before, 1);
        add_text(out, key, strlen(key));
        strbuf_add_n(out, ":", 1);
        add_value(out, json_object_iter_value(i));
        before = ",";
    }
    strbuf_add(out, *before == '{' ? "{}" : "}");
}

static void add_value(struct strbuf *out, const json_t *v)
{
    switch (json_typeof(v)) {
    case JSON_OBJECT:
        add_object(out, v);
        break;
    case JSON_ARRAY:
        strbuf_add_n(out, "[", 1);
        for (size_t i = 0; i < json_array_size(v); i++) {
            strbuf_add_n(out, ",", i > 0);
            add_value(out, json_array_get(v, i));
        }
        strbuf_add_n(out, "]", 1);
        break;
    case JSON_STRING:
        add_text(out, json_string_value(v), json_string_length(v));
        break;
    case JSON_INTEGER:
        add_int(out, json_integer_value(v));
        break;
    case JSON_REAL:
        add_real(out, json_real_value(v));
        break;
    case JSON_TRUE:
        strbuf_add(out, "true");
        break;
    case JSON_FALSE:
        strbuf_add(out, "false");
        break;
    case JSON_NULL:
        strbuf_add(out, "null");
        break;
    }
}

char *jsontext(const json_t *value)
{
    struct strbuf out = {0};

    add_value(&out, value);
    return strbuf_take(&out);
}
