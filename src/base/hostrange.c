/* SPDX-License-Identifier: Apache-2.0
 * Host ranges, matched by walking pattern and name together. */
#include "base/hostrange.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DIGITS_MAX 9 /* digits of one number; larger ones are no host range */

/* One "low-high" of a bracket; a single number has both equal. */
struct span {
    uint32_t low, high;
    size_t width; /* digits of `low` as written */
    bool single;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_plain(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-'
           || c == '_' || c == '.';
}

static bool read_number(const char **p, uint32_t *ret_value, size_t *ret_width)
{
    size_t width = 0;
    uint32_t value = 0;

    for (; is_digit((*p)[width]); width++) {
        if (width == DIGITS_MAX)
            return false;
        value = value * 10 + (uint32_t)((*p)[width] - '0');
    }
    *p += width;
    *ret_value = value;
    *ret_width = width;
    return width > 0;
}

/* Read one span at *p, stepping over it and over a comma behind it. */
static bool read_span(const char **p, struct span *ret)
{
    size_t width;

    if (!read_number(p, &ret->low, &ret->width))
        return false;
    ret->high = ret->low;
    ret->single = **p != '-';
    if (!ret->single) {
        ++*p;
        if (!read_number(p, &ret->high, &width) || ret->high < ret->low)
            return false;
    }
    if (**p == ',' && (*p)[1] != ']')
        ++*p;
    return true;
}

/* Step over the bracket whose inside begins at *p. Sets *wide when it can only be
 * meant as numbers: a range or a list with a number of several digits. */
static bool read_bracket(const char **p, bool *wide)
{
    bool several_digits = false, several_spans = false;
    struct span span;
    int n = 0;

    while (**p != ']') {
        if (!read_span(p, &span))
            return false;
        several_digits = several_digits || span.width > 1 || span.high > 9;
        several_spans = several_spans || !span.single || ++n > 1;
    }
    ++*p;
    *wide = *wide || (several_digits && several_spans);
    return true;
}

/* Two brackets need something other than digits between them: only then does a
 * name fall apart in one way, and matching takes one walk. */
bool hostrange_is(const char *text)
{
    bool wide = false, apart = true;

    while (*text != '\0') {
        char c = *text++;

        if (c == '[') {
            if (!apart || !read_bracket(&text, &wide))
                return false;
            apart = false;
        } else if (is_plain(c)) {
            apart = apart || !is_digit(c);
        } else {
            return false;
        }
    }
    return wide;
}

/* Is the number written as `digits` (of that width) in the bracket at `p`? A span
 * written with leading zeros fixes the width; one without takes none. */
static bool bracket_holds(const char *p, uint32_t value, size_t width, bool padded)
{
    struct span span;

    while (*p != ']' && read_span(&p, &span)) {
        bool same_form = padded ? span.width == width : width >= span.width;

        if (same_form && value >= span.low && value <= span.high)
            return true;
    }
    return false;
}

bool hostrange_match(const char *range, const char *name)
{
    uint32_t value = 0;

    while (*range != '\0' && *range != '[') {
        if (*range++ != *name++)
            return false;
    }
    if (*range == '\0')
        return *name == '\0';
    range++;
    /* Literal digits may follow the bracket, so every length is tried. */
    for (size_t width = 1; width <= DIGITS_MAX && is_digit(name[width - 1]); width++) {
        value = value * 10 + (uint32_t)(name[width - 1] - '0');
        if (bracket_holds(range, value, width, width > 1 && name[0] == '0')
            && hostrange_match(strchr(range, ']') + 1, name + width))
            return true;
    }
    return false;
}
