/* SPDX-License-Identifier: Apache-2.0
 * See credset.h. */
#include "policy/credset.h"

#include "base/hash.h"

struct credset_slot {
    struct credset key;
    uint32_t number;
    UT_hash_handle hh;
};

uint32_t credsets_number(struct credsets *s, const uint32_t cred[CRED_VECTOR])
{
    struct credset_slot *slot;
    struct credset key;

    memcpy(key.cred, cred, sizeof key.cred);
    HASH_FIND(hh, s->by_creds, &key, sizeof key, slot);
    if (slot)
        return slot->number;
    slot = xcalloc(1, sizeof *slot);
    slot->key = key;
    slot->number = (uint32_t)s->sets.n;
    HASH_ADD(hh, s->by_creds, key, sizeof key, slot);
    vec_push(&s->sets, key);
    return slot->number;
}

void credsets_forget(struct credsets *s)
{
    struct credset_slot *slot = s->by_creds, *next;

    /* HASH_CLEAR frees the table and leaves what was in it chained */
    HASH_CLEAR(hh, s->by_creds);
    for (; slot; slot = next) {
        next = slot->hh.next;
        free(slot);
    }
    s->sets.n = 0;
}

void credsets_fini(struct credsets *s)
{
    credsets_forget(s);
    vec_fini(&s->sets);
}
