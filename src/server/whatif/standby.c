/* SPDX-License-Identifier: Apache-2.0
 * Whose turn it is where all places are taken. */
#include "server/whatif/standby.h"

#include "base/xalloc.h"

#include <string.h>

void standby_fini(struct standby *t)
{
    vec_fini(&t->v);
}

static struct in_line *find_own(struct standby *t, uid_t uid, bool lives)
{
    for (size_t i = 0; i < t->v.n; i++)
        if (t->v.v[i].uid == uid && t->v.v[i].lives == lives)
            return &t->v.v[i];
    return NULL;
}

static void drop_late(struct standby *t, uint64_t now_us)
{
    for (size_t i = t->v.n; i-- > 0;)
        if (now_us >= t->v.v[i].asked_us + STANDBY_PATIENCE_US)
            vec_remove(&t->v, i);
}

unsigned standby_before(struct standby *t, uid_t uid, bool lives, uint64_t now_us)
{
    unsigned n = 0;

    drop_late(t, now_us);
    for (size_t i = 0; i < t->v.n; i++) {
        if (t->v.v[i].lives != lives)
            continue;
        if (t->v.v[i].uid == uid)
            break;
        n++;
    }
    return n;
}

void standby_wait(struct standby *t, uid_t uid, bool lives, uint64_t now_us)
{
    struct in_line *own = find_own(t, uid, lives);

    if (own)
        own->asked_us = now_us;
    else if (t->v.n < STANDBY_MOST)
        vec_push(&t->v, ((struct in_line){uid, lives, now_us}));
}

void standby_leave(struct standby *t, uid_t uid, bool lives)
{
    struct in_line *own = find_own(t, uid, lives);

    if (own)
        vec_remove(&t->v, (size_t)(own - t->v.v));
}
