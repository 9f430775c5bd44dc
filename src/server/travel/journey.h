/* SPDX-License-Identifier: Apache-2.0
 * The way through the journal to what was: a cycle of the past is a line of the
 * journal, and the state after it is the life that it is in, done again up to there.
 *
 *     begin e e cycle e cycle | begin e cycle e e cycle e cycle ...
 *       `- a life                `- the next     `- one is found by its instant, by
 *                                                   number, by what it decided
 *
 * Reads the store, and knows nothing of the daemon. Private to src/server. */
#ifndef MAUI_SERVER_JOURNEY_H
#define MAUI_SERVER_JOURNEY_H

#include "journal/replay.h"
#include "store/store.h"

/* ---- which cycle ---- */

enum wish_kind { WISH_AT, WISH_LINE, WISH_CYCLES, WISH_ABOUT };

struct wish {
    enum wish_kind kind;
    int64_t n; /* AT: the last one then or before; LINE: that; CYCLES: so many on */
    const char *about;   /* ABOUT: the next that decided something about that job, */
    const json_t *spans; /* at an instant in one of these, [from, until] each; borrowed;
                            null, NULL: at any */
};

/* A cycle that was: its line, its instant, and the line its life begins with. */
struct place {
    int64_t line, at, life;
};

/* The one that is wished for, seen from `from` (line 0: from the oldest). -1: there is
 * none, ERR_NOT_FOUND with a sentence. Reads the lines between, at most all. */
int journey_find(struct store *store, const struct wish *w, const struct place *from,
    struct place *ret, struct err *err);

/* The instant since when the journal is kept; 0 = nothing is. O(1). */
int64_t journey_oldest(struct store *store);

/* ---- to it ---- */

struct journey {
    struct store *store; /* borrowed */
    struct replay *replay;
    struct place place;   /* where it is; line 0: nowhere */
    json_t *decided;      /* by the last cycle, as the journal tells; or NULL */
    char difference[400]; /* the first, of what is done again and what was; "" = none */
};

void journey_open(
    struct journey *j, struct store *store, const struct replay_look *look);
void journey_close(struct journey *j);
/* Can it go on to there: in the same life, and not back? */
bool journey_reaches(const struct journey *j, const struct place *to);
/* Up to there: as long as that life took to decide it. -1 with a sentence. */
int journey_go(struct journey *j, const struct place *to, struct err *err);

#endif
