/* SPDX-License-Identifier: Apache-2.0
 * See banktables.h. */
#include "server/durable/banktables.h"

#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

struct open_run *bankrun_add(struct open_run **runs, const char *name, json_t *record)
{
    struct open_run *r = xcalloc(1, sizeof *r);

    r->name = xstrdup(name);
    r->record = record;
    HASH_ADD_KEYPTR(hh, *runs, r->name, strlen(r->name), r);
    return r;
}

struct open_run *bankrun_find(struct open_run *runs, const char *name)
{
    struct open_run *r;

    HASH_FIND_STR(runs, name, r);
    return r;
}

bool bankrun_is_told(const struct open_run *r)
{
    return r->placed || !json_object_get(r->record, "unsent");
}

void bankrun_free(struct open_run **runs, struct open_run *r)
{
    HASH_DEL(*runs, r);
    json_decref(r->record);
    free(r->name);
    free(r);
}

struct aside *bankaside_add(struct aside **asides, uint64_t number, json_t *body)
{
    struct aside *a = xcalloc(1, sizeof *a);

    a->number = number;
    a->body = body;
    HASH_ADD(hh, *asides, number, sizeof a->number, a);
    return a;
}

struct aside *bankaside_find(struct aside *asides, uint64_t number)
{
    struct aside *a;

    HASH_FIND(hh, asides, &number, sizeof number, a);
    return a;
}

static int compare_asides(const struct aside *a, const struct aside *b)
{
    return a->number < b->number ? -1 : a->number > b->number;
}

void bankaside_sort(struct aside **asides)
{
    HASH_SORT(*asides, compare_asides);
}

void bankaside_free(struct aside **asides, struct aside *a)
{
    HASH_DEL(*asides, a);
    json_decref(a->body);
    free(a);
}
