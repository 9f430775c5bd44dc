/* SPDX-License-Identifier: Apache-2.0
 * Names of users and groups by their numbers, kept for a minute: where they come from a
 * directory in the network each job would be a question to that. */
#include "rm/slurm/adapter.h"

#include <grp.h>
#include <pwd.h>
#include <stdio.h>

#define KEPT_MS    60000
#define UNKNOWN_MS 15000 /* of who has none: the directory may have been away */

struct known_name {
    uint64_t key; /* the number; above it 1 = of a group */
    int64_t at_ms;
    char *text; /* owned */
    bool known; /* else it is the number */
    UT_hash_handle hh;
};

/* Who has no name is called by the number. A name that was known stays: that nobody
 * says it now may be the directory's fault. */
static void ask_name(struct known_name *k, uint32_t number, bool group)
{
    const struct passwd *pw = group ? NULL : getpwuid(number);
    const struct group *gr = group ? getgrgid(number) : NULL;
    const char *name = pw != NULL ? pw->pw_name : gr != NULL ? gr->gr_name : NULL;
    char digits[16];

    if (name == NULL && k->known)
        return;
    snprintf(digits, sizeof digits, "%u", number);
    free(k->text);
    k->text = xstrdup(name != NULL ? name : digits);
    k->known = name != NULL;
}

static const struct known_name *find_name(
    struct adapter *a, uint32_t number, bool group)
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
    if (k->text == NULL || now - k->at_ms > (k->known ? KEPT_MS : UNKNOWN_MS)) {
        ask_name(k, number, group);
        k->at_ms = now;
    }
    return k;
}

const char *names_user(struct adapter *a, uint32_t number)
{
    return find_name(a, number, false)->text;
}

const char *names_group(struct adapter *a, uint32_t number)
{
    return find_name(a, number, true)->text;
}

bool names_are_known(struct adapter *a, const slurm_job_info_t *j)
{
    bool named = j->user_name != NULL && *j->user_name != '\0';

    return (named || find_name(a, j->user_id, false)->known)
           && find_name(a, j->group_id, true)->known;
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
