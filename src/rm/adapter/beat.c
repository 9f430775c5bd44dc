/* SPDX-License-Identifier: Apache-2.0
 * The file of the heartbeat. */
#include "rm/adapter/beat.h"

#include "base/strbuf.h"
#include "base/xalloc.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

struct beat {
    char *path, *fresh, *word, *nodes, *operators; /* owned */
    int64_t ahead_s;
};

struct beat *beat_new(const char *path)
{
    struct beat *b = xcalloc(1, sizeof *b);
    struct strbuf fresh = {0};

    strbuf_printf(&fresh, "%s.new", path);
    b->path = xstrdup(path);
    b->fresh = strbuf_take(&fresh);
    b->word = xstrdup("busy");
    b->nodes = xstrdup("");
    b->operators = xstrdup("");
    return b;
}

void beat_destroy(struct beat *b)
{
    if (b == NULL)
        return;
    free(b->path);
    free(b->fresh);
    free(b->word);
    free(b->nodes);
    free(b->operators);
    free(b);
}

void beat_set(struct beat *b, const char *word, const char *nodes)
{
    free(b->word);
    free(b->nodes);
    b->word = xstrdup(word);
    b->nodes = xstrdup(nodes);
}

void beat_set_operators(struct beat *b, const char *numbers)
{
    free(b->operators);
    b->operators = xstrdup(numbers);
}

void beat_set_clock(struct beat *b, int64_t ahead_s)
{
    b->ahead_s = ahead_s;
}

int beat_write(struct beat *b)
{
    FILE *f = fopen(b->fresh, "we");
    bool written;

    if (f == NULL)
        return -1;
    written = fprintf(f, "%lld %s\n%s\n%s\n", (long long)time(NULL) + b->ahead_s,
                  b->word, b->nodes, b->operators)
                  >= 0
              && fchmod(fileno(f), 0644) == 0;
    if (fclose(f) != 0 || !written)
        return -1;
    return rename(b->fresh, b->path);
}
