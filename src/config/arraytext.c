/* SPDX-License-Identifier: Apache-2.0
 * The indexes of a job array. */
#include "config/arraytext.h"

#include "base/strbuf.h"

#include <stdbool.h>

/* Decimal digits at *p, stepping over them. What is above `most` is most + 1. */
static bool take_number(const char **p, uint32_t most, uint32_t *ret)
{
    const char *at = *p;
    uint32_t n = 0;

    for (; *at >= '0' && *at <= '9'; at++)
        if (n <= most)
            n = n * 10 + (uint32_t)(*at - '0');
    n = n > most ? most + 1 : n;
    if (at == *p)
        return false;
    *p = at;
    *ret = n;
    return true;
}

static int wrong(const char *text, const char *what, struct err *err)
{
    return err_set(err, ERR_INVALID,
        "array '%.60s': %s; expected indexes as 1-10, 0-20:5 or 1,4,7-9, and %%N for "
        "at most N at once",
        text, what);
}

static int add(
    struct array_spec *a, uint32_t i, uint8_t *seen, const char *text, struct err *err)
{
    if (seen[i / 8] & 1 << i % 8)
        return wrong(text, "an index is there twice", err);
    if (a->indexes.n == ARRAY_MOST)
        return wrong(text, "an array has at most 100000 jobs, this one has more", err);
    seen[i / 8] = (uint8_t)(seen[i / 8] | 1 << i % 8);
    vec_push(&a->indexes, i);
    return 0;
}

/* One N, N-M or N-M:STEP at *p. */
static int take_range(const char **p, struct array_spec *a, uint8_t *seen,
    const char *text, struct err *err)
{
    uint32_t first, last, step = 1;

    if (!take_number(p, ARRAY_INDEX, &first))
        return wrong(text, "an index of 0 to 999999 is missing", err);
    last = first;
    if (**p == '-') {
        (*p)++;
        if (!take_number(p, ARRAY_INDEX, &last) || last < first)
            return wrong(text, "a range does not rise", err);
        if (**p == ':') {
            (*p)++;
            if (!take_number(p, ARRAY_INDEX, &step) || step == 0)
                return wrong(text, "a step is a number above 0", err);
        }
    }
    if (first > ARRAY_INDEX || last > ARRAY_INDEX)
        return wrong(text, "an index is above 999999", err);
    for (uint32_t i = first; i <= last; i += step)
        if (add(a, i, seen, text, err) < 0)
            return -1;
    return 0;
}

int array_parse(const char *text, struct array_spec *ret, struct err *err)
{
    uint8_t *seen = xcalloc(ARRAY_INDEX / 8 + 1, 1);
    const char *p = text;
    int status;

    *ret = (struct array_spec){0};
    while ((status = take_range(&p, ret, seen, text, err)) == 0 && *p == ',')
        p++;
    if (status == 0 && *p == '%') {
        p++;
        if (!take_number(&p, ARRAY_MOST, &ret->at_once) || ret->at_once == 0)
            status = wrong(text, "behind % a number above 0 is missing", err);
        if (ret->at_once > ARRAY_MOST)
            ret->at_once = ARRAY_MOST; /* more jobs there are not */
    }
    if (status == 0 && *p != '\0')
        status = wrong(text, "it goes on where it should end", err);
    free(seen);
    if (status < 0)
        array_fini(ret);
    return status;
}

void array_fini(struct array_spec *a)
{
    vec_fini(&a->indexes);
    a->at_once = 0;
}

char *array_text(const uint32_t *indexes, size_t n)
{
    struct strbuf b = {0};

    for (size_t i = 0, last; i < n; i = last + 1) {
        for (last = i; last + 1 < n && indexes[last + 1] == indexes[last] + 1;)
            last++;
        strbuf_printf(&b, "%s%u", i ? "," : "", indexes[i]);
        if (last > i)
            strbuf_printf(&b, "-%u", indexes[last]);
    }
    return strbuf_take(&b);
}
