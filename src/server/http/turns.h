/* SPDX-License-Identifier: Apache-2.0
 * Who is next, where several users have long requests under way: users go in turn, and
 * in a user's turn their requests do, so that many of one user's cost others no more
 * than one.
 *
 *     users      ann        bob      whose turn it is comes first
 *                 |          |
 *     requests  a1 a2 a3    b1       served: a1 b1 a2 b1 a3 b1 a1 ...
 */
#ifndef MAUI_SERVER_TURNS_H
#define MAUI_SERVER_TURNS_H

#include <stdbool.h>
#include <sys/queue.h>

struct turns_user;

/* A part of what has turns; `of` is the whole. */
struct turn {
    TAILQ_ENTRY(turn) others; /* of the user */
    struct turns_user *user;  /* NULL: it has none */
    void *of;
};
TAILQ_HEAD(turn_list, turn);

TAILQ_HEAD(turns_users, turns_user);
struct turns {
    struct turns_users users;
};

void turns_init(struct turns *t);
/* It is next once those of other users had theirs. True: the user has no other there.
 * O(users there). */
bool turns_add(struct turns *t, const char *user, struct turn *turn);
/* Whose turn it is, who then goes to the end; NULL where there is none. O(1). */
struct turn *turns_next(struct turns *t);
bool turns_empty(const struct turns *t);
/* It has none any more; nothing happens to one that has not. O(1). */
void turns_remove(struct turns *t, struct turn *turn);

#endif
