/* SPDX-License-Identifier: Apache-2.0
 * Names of users and groups by their numbers, kept for a minute: where they come from a
 * directory in the network each job would be a question to that. */
#include "rm/slurm/adapter.h"

#include <grp.h>
#include <pwd.h>
#include <stdio.h>

#define KEPT_MS 60000

struct known_name {
    uint64_t key; /* the number; above it 1 = of a group */
    int64_t at_ms;
    char *text; /* owned */
    UT_hash_handle hh;
};

/* Who has no name is called by the number; owned. */
static char *ask_name(uint32_t number, bool group)
{
    const struct passwd *pw = group ? NULL : getpwuid(number);
    const struct group *gr = group ? getgrgid(number) : NULL;
    char digits[16];

    snprintf(digits, sizeof digits, "%u", number);
    return xstrdup(pw != NULL ? pw->pw_name : gr != NULL ? gr->gr_name : digits);
}

static const char *find_name(struct adapter *a, uint32_t number, bool group)
{
    uint64_t key = (uint64_t)group << 32 | number;
    int64_t now = adapter_now_ms();
    struct known_name *k;

    HASH_FIND(hh, a->names, &key, sizeof key, k);
    if (k == NULL) {
        k = xcalloc(1, sizeof *k);
        k->key = key;
        HASH_ADD(hh, a->names, key, sizeof k->key, k);
    }
    if (k->text == NULL || now - k->at_ms > KEPT_MS) {
        free(k->text);
        k->text = ask_name(number, group);
        k->at_ms = now;
    }
    return k->text;
}

const char *names_user(struct adapter *a, uint32_t number)
{
    return find_name(a, number, false);
}

const char *names_group(struct adapter *a, uint32_t number)
{
    return find_name(a, number, true);
}

void names_forget(struct adapter *a)
{
    struct known_name *k, *next;

    HASH_ITER(hh, a->names, k, next)
    {
        HASH_DEL(a->names, k);
        free(k->text);
        free(k);
    }
}
