/* SPDX-License-Identifier: Apache-2.0
 * See bankplace.h. */
#include "server/durable/bankplace.h"

#include "server/durable/bankrecord.h"
#include "server/durable/unsaved.h"
#include "server/server_private.h"

#include <stdio.h>
#include <string.h>

#define KEY 40

struct bankplaces {
    struct server *s;
    char *v[BANK_UNKNOWN]; /* by kind; owned or NULL */
};

static const char *name_key(int kind, char ret[KEY])
{
    snprintf(ret, KEY, "place-%s", bankrecord_kind_name(kind));
    return ret;
}

/* An older release kept the last one alone: "GOLD gold1:7112". */
static int recall_place(
    struct bankplaces *p, int kind, const char *last, struct err *err)
{
    const char *name = bankrecord_kind_name(kind);
    size_t len = strlen(name);
    char key[KEY];

    if (store_get(p->s->store, "bank", name_key(kind, key), &p->v[kind], err) < 0)
        return -1;
    if (!p->v[kind] && last && strncmp(last, name, len) == 0 && last[len] == ' ')
        p->v[kind] = xstrdup(last);
    return 0;
}

struct bankplaces *bankplaces_open(struct server *s, struct err *err)
{
    struct bankplaces *p = xcalloc(1, sizeof *p);
    char *last = NULL;
    int result;

    p->s = s;
    result = store_get(s->store, "bank", "place", &last, err);
    for (int kind = 0; result >= 0 && kind < BANK_UNKNOWN; kind++)
        if (bankrecord_kind_name(kind))
            result = recall_place(p, kind, last, err);
    free(last);
    if (result >= 0)
        return p;
    bankplaces_close(p);
    return NULL;
}

void bankplaces_close(struct bankplaces *p)
{
    for (int kind = 0; p && kind < BANK_UNKNOWN; kind++)
        free(p->v[kind]);
    free(p);
}

const char *bankplace_of(const struct bankplaces *p, int kind)
{
    return kind >= 0 && kind < BANK_UNKNOWN ? p->v[kind] : NULL;
}

void bankplace_set(struct bankplaces *p, int kind, char *place)
{
    char key[KEY];

    unsaved_put(p->s->unsaved, "bank", name_key(kind, key), place);
    free(p->v[kind]);
    p->v[kind] = place;
}
