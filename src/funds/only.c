/* SPDX-License-Identifier: Apache-2.0
 * Lists of names, kind by kind. */
#include "funds/only.h"

#include "base/nearest.h"
#include "base/xalloc.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t at; /* of the name that is used, in struct am_use */
    bool members;
} kinds[] = {
    {"user", offsetof(struct am_use, user), true},
    {"group", offsetof(struct am_use, group), true},
    {"class", offsetof(struct am_use, class), false},
    {"qos", offsetof(struct am_use, qos), false},
    {"partition", offsetof(struct am_use, partition), false},
};
#define KINDS ((int)(sizeof kinds / sizeof *kinds))

/* The kind that the word `name`=.. begins with, KINDS = none. */
static int find_kind(const char *word, size_t length)
{
    int i = 0;

    while (i < KINDS
           && (strlen(kinds[i].name) != length
               || strncmp(kinds[i].name, word, length) != 0))
        i++;
    return i;
}

static int refuse_kind(const char *word, size_t length, struct err *err)
{
    char *name = xstrndup(word, length);
    struct nearest near;
    int result;

    nearest_init(&near, name);
    for (int i = 0; i < KINDS; i++)
        nearest_offer(&near, kinds[i].name);
    result = err_set(err, ERR_INVALID,
        "'%s': expected user, group, class, qos or "
        "partition%s%s%s",
        name, nearest_best(&near) ? "; did you mean '" : "",
        nearest_best(&near) ? nearest_best(&near) : "",
        nearest_best(&near) ? "'?" : "");
    free(name);
    return result;
}

int only_valid(const char *only, struct err *err)
{
    for (const char *word = only + strspn(only, " "); *word;) {
        size_t length = strcspn(word, " "), kind = strcspn(word, "= ");

        if (find_kind(word, kind) == KINDS)
            return refuse_kind(word, kind, err);
        if (kind + 1 >= length || word[kind + 1] == ',' || word[length - 1] == ','
            || memchr(word + kind + 1, '=', length - kind - 1) != NULL)
            return err_set(err, ERR_INVALID,
                "'%.*s': expected KIND=NAME[,NAME..], and a space before the next kind",
                (int)length, word);
        word += length;
        word += strspn(word, " ");
    }
    return 0;
}

static bool has_name(const char *names, size_t length, const char *name)
{
    for (size_t at = 0; name && at < length;) {
        size_t one = strcspn(names + at, ", ");

        if (strlen(name) == one && strncmp(names + at, name, one) == 0)
            return true;
        at += one + 1;
    }
    return false;
}

bool only_admits(const char *only, const struct am_use *use)
{
    bool of_members = false, member = false;

    for (const char *word = only + strspn(only, " "); *word;) {
        size_t length = strcspn(word, " "), name = strcspn(word, "=");
        int kind = find_kind(word, name);
        bool has = kind < KINDS
                   && has_name(word + name + 1, length - name - 1,
                       *(const char *const *)((const char *)use + kinds[kind].at));

        if (kind < KINDS && kinds[kind].members) {
            of_members = true;
            member |= has;
        } else if (!has) {
            return false;
        }
        word += length;
        word += strspn(word, " ");
    }
    return member || !of_members;
}
