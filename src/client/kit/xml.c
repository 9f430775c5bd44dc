/* SPDX-License-Identifier: Apache-2.0
 * XML on stdout. */
#include "client/kit/xml.h"

#include <stdio.h>
#include <string.h>

static void put(const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '&')
            fputs("&amp;", stdout);
        else if (c == '<')
            fputs("&lt;", stdout);
        else if (c == '>')
            fputs("&gt;", stdout);
        else if (c == '"')
            fputs("&quot;", stdout);
        else if (c == '\n' || c == '\t' || c == '\r')
            printf("&#%d;", c);
        else if (c >= ' ')
            putchar(c);
    }
}

void xml_begin(const char *element)
{
    printf("<%s>", element);
}

void xml_end(const char *element)
{
    printf("</%s>%s", element, strcmp(element, "Data") == 0 ? "\n" : "");
}

void xml_open(const char *element)
{
    printf("<%s", element);
}

void xml_attr(const char *name, const char *value)
{
    if (!value || !*value)
        return;
    printf(" %s=\"", name);
    put(value);
    putchar('"');
}

void xml_int(const char *name, long long value)
{
    printf(" %s=\"%lld\"", name, value);
}

void xml_close_begin(void)
{
    putchar('>');
}

void xml_close_empty(void)
{
    fputs("/>", stdout);
}
