/* SPDX-License-Identifier: Apache-2.0
 * Users and their long requests in turn. */
#include "server/http/turns.h"

#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

struct turns_user {
    TAILQ_ENTRY(turns_user) others;
    struct turn_list turns;
    char *name;
};

void turns_init(struct turns *t)
{
    TAILQ_INIT(&t->users);
}

static struct turns_user *find_user(const struct turns *t, const char *name)
{
    struct turns_user *u;

    TAILQ_FOREACH(u, &t->users, others)
    if (strcmp(u->name, name) == 0)
        return u;
    return NULL;
}

bool turns_add(struct turns *t, const char *user, struct turn *turn)
{
    struct turns_user *u = find_user(t, user);
    bool alone = u == NULL;

    if (alone) {
        u = xcalloc(1, sizeof *u);
        u->name = xstrdup(user);
        TAILQ_INIT(&u->turns);
        TAILQ_INSERT_TAIL(&t->users, u, others);
    }
    turn->user = u;
    TAILQ_INSERT_TAIL(&u->turns, turn, others);
    return alone;
}

struct turn *turns_next(struct turns *t)
{
    struct turns_user *u = TAILQ_FIRST(&t->users);
    struct turn *turn = u ? TAILQ_FIRST(&u->turns) : NULL;

    if (!turn)
        return NULL;
    TAILQ_REMOVE(&u->turns, turn, others);
    TAILQ_INSERT_TAIL(&u->turns, turn, others);
    TAILQ_REMOVE(&t->users, u, others);
    TAILQ_INSERT_TAIL(&t->users, u, others);
    return turn;
}

bool turns_empty(const struct turns *t)
{
    return TAILQ_EMPTY(&t->users);
}

void turns_remove(struct turns *t, struct turn *turn)
{
    struct turns_user *u = turn->user;

    if (!u)
        return;
    turn->user = NULL;
    TAILQ_REMOVE(&u->turns, turn, others);
    if (!TAILQ_EMPTY(&u->turns))
        return;
    TAILQ_REMOVE(&t->users, u, others);
    free(u->name);
    free(u);
}
