/* SPDX-License-Identifier: Apache-2.0
 * What a user asked for, remembered in the job itself while a start has overwritten it:
 * "maui:asked;count=2-4;nodes=n[1-2];partition=a,b;features=n7;exclude=n3;limit=5-60",
 * no blank in it. It outlives us and the controller. What the site itself has written
 * there stays, before it: "the dean wants it maui:asked;count=1-0". The priority that
 * stands behind it is for whoever cannot see the site factor.
 */
#include "rm/adapter/asked.h"

#include "base/strbuf.h"
#include "base/xalloc.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define MARK       "maui:asked;"
#define OURS       "maui:"
#define BY_HAND    "go" /* an administrator starts the job */
#define REMARK_MAX 700  /* of the 1024 bytes that Slurm takes */

void asked_free(struct asked *k)
{
    free(k->nodes);
    free(k->partition);
    free(k->features);
    free(k->exclude);
    free(k->remark);
    free(k->sent);
    free(k->sent_out);
    *k = (struct asked){0};
}

char *asked_text(const struct asked *k)
{
    struct strbuf b = {0};
    bool list = k->partition != NULL && strchr(k->partition, ',') != NULL;

    if (k->remark != NULL)
        strbuf_printf(&b, "%.*s ", REMARK_MAX, k->remark);
    strbuf_printf(&b, MARK "count=%u-%u", k->min_nodes, k->max_nodes);
    if (k->nodes != NULL)
        strbuf_printf(&b, ";nodes=%s", k->nodes);
    if (list)
        strbuf_printf(&b, ";partition=%s", k->partition);
    if (k->cleared)
        strbuf_printf(&b, ";features=%s", k->features != NULL ? k->features : "");
    if (k->fenced)
        strbuf_printf(&b, ";exclude=%s", k->exclude != NULL ? k->exclude : "");
    if (k->timed)
        strbuf_printf(&b, ";limit=%u-%u", k->least, k->limit);
    if (k->priority > 0)
        strbuf_printf(&b, ";priority=%u", k->priority);
    return strbuf_take(&b);
}

static char *value_of(const char *text, const char *name)
{
    const char *at = strstr(text, name);

    return at ? xstrndup(at + strlen(name), strcspn(at + strlen(name), ";")) : NULL;
}

/* Where ours begins in it, behind the site's; NULL = nowhere. */
static const char *find_mark(const char *text)
{
    const char *at = text;

    if (text == NULL || strncmp(text, MARK, strlen(MARK)) == 0)
        return text;
    at = strstr(text, " " MARK);
    return at != NULL ? at + 1 : NULL;
}

bool asked_is_text(const char *text)
{
    return find_mark(text) != NULL;
}

char *asked_remark(const char *text)
{
    const char *mark = find_mark(text);

    if (mark != NULL)
        return mark > text ? xstrndup(text, (size_t)(mark - text - 1)) : NULL;
    if (text == NULL || *text == '\0' || strcmp(text, BY_HAND) == 0
        || strncmp(text, OURS, strlen(OURS)) == 0)
        return NULL;
    return xstrdup(text);
}

/* The number that ends at `end`, stepped over; anybody may have edited the comment. */
static bool take_count(const char **io, char end, uint32_t *ret)
{
    char *stop;
    unsigned long n = **io >= '0' && **io <= '9' ? strtoul(*io, &stop, 10) : ULONG_MAX;

    if (n > UINT32_MAX || *stop != end)
        return false;
    *io = stop + (end != '\0');
    *ret = (uint32_t)n;
    return true;
}

void asked_parse(struct asked *ret, const char *text)
{
    char *count, *limit;
    const char *at;

    asked_free(ret);
    ret->remark = asked_remark(text);
    text = find_mark(text);
    if (text == NULL)
        return;
    at = count = value_of(text, "count=");
    ret->known = count != NULL && take_count(&at, '-', &ret->min_nodes)
                 && take_count(&at, '\0', &ret->max_nodes);
    free(count);
    ret->nodes = value_of(text, ";nodes=");
    ret->partition = value_of(text, ";partition=");
    ret->features = value_of(text, ";features=");
    ret->cleared = ret->features != NULL;
    ret->exclude = value_of(text, ";exclude=");
    ret->fenced = ret->exclude != NULL;
    at = limit = value_of(text, ";limit=");
    ret->timed = limit != NULL && take_count(&at, '-', &ret->least)
                 && take_count(&at, '\0', &ret->limit);
    free(limit);
}
