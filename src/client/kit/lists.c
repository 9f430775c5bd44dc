/* SPDX-License-Identifier: Apache-2.0
 * Lists of names within records. */
#include "client/kit/lists.h"

#include "base/xalloc.h"
#include "client/kit/layout.h"
#include "client/kit/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void list_brackets(struct strbuf *out, const json_t *list, const char *none)
{
    size_t i;
    json_t *name;

    json_array_foreach(list, i, name)
        strbuf_printf(out, "[%s]", json_string_value(name));
    if (json_array_size(list) == 0)
        strbuf_add(out, none);
}

void list_joined(
    struct strbuf *out, const json_t *list, const char *sep, const char *none)
{
    size_t i;
    json_t *name;

    json_array_foreach(list, i, name)
        strbuf_printf(out, "%s%s", i ? sep : "", json_string_value(name));
    if (json_array_size(list) == 0)
        strbuf_add(out, none);
}

void list_amounts(struct strbuf *out, const json_t *amounts)
{
    static const struct {
        const char *key, *label;
    } kinds[] = {{"procs", "PROCS"}, {"mem_mb", "MEM"}, {"swap_mb", "SWAP"},
        {"disk_mb", "DISK"}};
    const char *sep = "", *name;
    json_t *count;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char text[LAYOUT_MB_MAX];
        double n = get_real(amounts, kinds[i].key, 0);
        if (n == 0)
            continue;
        if (n < 0)
            strbuf_printf(out, "%s%s: [ALL]", sep, kinds[i].label);
        else if (i == 0)
            strbuf_printf(out, "%s%s: %g", sep, kinds[i].label, n);
        else
            strbuf_printf(
                out, "%s%s: %s", sep, kinds[i].label, layout_mb((int64_t)n, text));
        sep = "  ";
    }
    json_object_foreach(json_object_get(amounts, "gres"), name, count)
    {
        strbuf_printf(
            out, "%s%s: %lld", sep, name, (long long)json_integer_value(count));
        sep = "  ";
    }
    if (!*sep)
        strbuf_add(out, "[NONE]");
}

void list_print(struct strbuf *out)
{
    puts(out->text ? out->text : "");
    free(strbuf_take(out));
}

static int compare_reservations(const void *a, const void *b)
{
    json_t *const *x = a, *const *y = b;
    bool xjob = strcmp(get_text(*x, "type", ""), "Job") == 0;
    bool yjob = strcmp(get_text(*y, "type", ""), "Job") == 0;

    if (xjob != yjob)
        return xjob ? -1 : 1;
    return strverscmp(get_text(*x, "name", ""), get_text(*y, "name", ""));
}

void list_sort_reservations(json_t *list)
{
    size_t n = json_array_size(list);
    json_t **all = xcalloc(n + 1, sizeof *all);

    for (size_t i = 0; i < n; i++)
        all[i] = json_incref(json_array_get(list, i));
    qsort(all, n, sizeof *all, compare_reservations);
    for (size_t i = 0; i < n; i++)
        json_array_set_new(list, i, all[i]);
    free(all);
}
