/* SPDX-License-Identifier: Apache-2.0
 * See nodewords.h. */
#include "server/managers/nodewords.h"

#include "base/vec.h"
#include "base/xalloc.h"

#include <string.h>

struct nodewords {
    struct VEC(char *) texts; /* by node index; owned or NULL */
};

struct nodewords *nodewords_new(void)
{
    return xcalloc(1, sizeof(struct nodewords));
}

void nodewords_free(struct nodewords *w)
{
    if (w == NULL)
        return;
    for (size_t i = 0; i < w->texts.n; i++)
        free(w->texts.v[i]);
    vec_fini(&w->texts);
    free(w);
}

bool nodewords_told(struct nodewords *w, uint32_t node, const char *text)
{
    const char *was = nodewords_of(w, node), *is = text != NULL ? text : "";

    if (strcmp(was != NULL ? was : "", is) == 0)
        return false;
    while (w->texts.n <= node)
        vec_push(&w->texts, NULL);
    free(w->texts.v[node]);
    w->texts.v[node] = *is ? xstrdup(is) : NULL;
    return true;
}

const char *nodewords_of(const struct nodewords *w, uint32_t node)
{
    return node < w->texts.n ? w->texts.v[node] : NULL;
}
