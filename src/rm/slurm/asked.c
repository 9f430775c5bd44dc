/* SPDX-License-Identifier: Apache-2.0
 * What a user asked for, remembered in the job itself while a start has overwritten it:
 * "maui:asked;count=2-4;nodes=n[1-2];partition=a,b", no blank in it. It outlives us and
 * the controller.
 */
#include "base/xalloc.h"
#include "rm/slurm/adapter.h"

#include <stdio.h>

#define MARK "maui:asked;"

void asked_free(struct asked *k)
{
    free(k->nodes);
    free(k->partition);
    *k = (struct asked){0};
}

char *asked_text(const struct asked *k)
{
    struct strbuf b = {0};
    bool list = k->partition != NULL && strchr(k->partition, ',') != NULL;

    strbuf_printf(&b, MARK "count=%u-%u", k->min_nodes, k->max_nodes);
    if (k->nodes != NULL)
        strbuf_printf(&b, ";nodes=%s", k->nodes);
    if (list)
        strbuf_printf(&b, ";partition=%s", k->partition);
    return strbuf_take(&b);
}

static char *value_of(const char *text, const char *name)
{
    const char *at = strstr(text, name);

    return at ? xstrndup(at + strlen(name), strcspn(at + strlen(name), ";")) : NULL;
}

bool asked_is_text(const char *text)
{
    return text != NULL && strncmp(text, MARK, strlen(MARK)) == 0;
}

void asked_parse(struct asked *ret, const char *text)
{
    char *count;

    asked_free(ret);
    if (!asked_is_text(text))
        return;
    count = value_of(text, "count=");
    if (count != NULL && sscanf(count, "%u-%u", &ret->min_nodes, &ret->max_nodes) == 2)
        ret->known = true;
    free(count);
    ret->nodes = value_of(text, ";nodes=");
    ret->partition = value_of(text, ";partition=");
}
