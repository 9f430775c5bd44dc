/* SPDX-License-Identifier: Apache-2.0
 * See floats.h. */
#include "server/managers/floats.h"

#include "base/vec.h"
#include "base/xalloc.h"
#include "config/texts.h"

#include <string.h>

struct one {
    char *manager, *name; /* owned */
    int64_t count;
};

struct floats {
    struct VEC(struct one) told;
    struct VEC(struct gres_cfg) sum; /* names borrowed from `told` */
};

bool floats_are_of(const char *node)
{
    return strcmp(node, "GLOBAL") == 0;
}

struct floats *floats_new(void)
{
    return xcalloc(1, sizeof(struct floats));
}

static void forget_told(struct floats *f, const char *manager)
{
    size_t left = 0;

    for (size_t i = 0; i < f->told.n; i++) {
        struct one *t = &f->told.v[i];
        if (manager && strcmp(t->manager, manager) != 0) {
            f->told.v[left++] = *t;
            continue;
        }
        free(t->manager);
        free(t->name);
    }
    f->told.n = left;
}

void floats_free(struct floats *f)
{
    if (!f)
        return;
    forget_told(f, NULL);
    vec_fini(&f->told);
    vec_fini(&f->sum);
    free(f);
}

static void add_amount(struct floats *f, const struct one *t)
{
    for (size_t i = 0; i < f->sum.n; i++)
        if (strcmp(f->sum.v[i].name, t->name) == 0) {
            if (t->count > f->sum.v[i].count)
                f->sum.v[i].count = t->count;
            return;
        }
    vec_push(&f->sum, ((struct gres_cfg){.name = t->name, .count = t->count}));
}

const struct gres_cfg *floats_told(
    struct floats *f, const char *manager, const struct gres_cfg *gres)
{
    forget_told(f, manager);
    for (; gres && gres->name; gres++)
        vec_push(&f->told,
            ((struct one){xstrdup(manager), xstrdup(gres->name), gres->count}));
    f->sum.n = 0;
    for (size_t i = 0; i < f->told.n; i++)
        add_amount(f, &f->told.v[i]);
    vec_push(&f->sum, ((struct gres_cfg){0}));
    return f->sum.v;
}
