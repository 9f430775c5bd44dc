/* SPDX-License-Identifier: Apache-2.0
 * The combinations of credentials that jobs have, numbered from 0 on. Jobs are many,
 * combinations few: what follows from credentials alone is worked out once for each. */
#ifndef MAUI_POLICY_CREDSET_H
#define MAUI_POLICY_CREDSET_H

#include "base/vec.h"
#include "cluster/cred.h"

struct credset_slot;

struct credset {
    uint32_t cred[CRED_VECTOR]; /* indexes, as in a job */
};

struct credsets {
    struct VEC(struct credset) sets; /* by number, for reading */
    struct credset_slot *by_creds;   /* credset.c */
};

void credsets_fini(struct credsets *s);

/* The number of the combination, a new one if it is new. O(1). */
uint32_t credsets_number(struct credsets *s, const uint32_t cred[CRED_VECTOR]);

/* Forget all numbers. */
void credsets_forget(struct credsets *s);

#endif
