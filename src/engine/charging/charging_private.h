/* SPDX-License-Identifier: Apache-2.0
 * What charging.c, debits.c and strangers.c share (bills.c): the bills of jobs, and
 * moves for the bank to write. Private to them. */
#ifndef MAUI_ENGINE_CHARGING_PRIVATE_H
#define MAUI_ENGINE_CHARGING_PRIVATE_H

#include "engine/charging/charging.h"
#include "engine/engine_private.h"
#include "policy/bank.h"

/* By job index. */
struct bill {
    uint32_t run;     /* of the picture, + 1; 0 = none */
    int64_t cost;     /* when it last left its nodes */
    int64_t seconds;  /* on them until then */
    int64_t nodes;    /* so many */
    int64_t start_at; /* then */
    int64_t left_at;  /* it is known to have left them by then; 0 = not */
    bool decided;   /* it is on nodes by a start of this life: no stranger is its run */
    bool left;      /* it waits again: see charging_settle() */
    bool awaits;    /* left, as far as was decided: it may be there yet */
    char *text;     /* what the cost is made of; owned */
    char *tariff;   /* of its start; owned, NULL = what is in force */
    int64_t quote;  /* whose rates these are; 0 = none */
    bool first_use; /* of that quote by this job */
    bool told;      /* the bank knows the run */
    bool noted;     /* ... and that it was to leave: see MONEY_LEAVES */
    bool displaced; /* left, to make room for another job */
    bool lost;      /* one of its nodes was down when it last left them */
    bool eased;     /* suspended for long: no more is kept than what it has used */
    bool beside;    /* begun while the former one's lien lay there yet */
    int64_t out_at; /* it left its nodes then, and may come back; 0 = it has them */
    int64_t slept_s, slept_weight; /* suspended, as far as it was seen */
    struct bill *former;           /* it awaits, and another start was decided; owned */
};

struct charging {
    struct VEC(struct bill) bills;
    struct VEC(struct money_move) moves;
    struct VEC(char *) texts;              /* of the moves, owned */
    struct VEC(struct account_life) lives; /* by account */
    struct VEC(uint32_t) left;             /* jobs whose bills say so */
    struct VEC(uint32_t) refused; /* of this cycle: JFACTION, FALLBACKACCOUNT */
    int64_t flush_at;             /* the next debits of jobs that run on; 0 = not set */
    bool freed;                   /* credit was let go */
    bool refuses;                 /* somebody was refused since all were asked */
};

/* The text of a charge of a run that made room. */
#define CHARGING_GIVEN "nothing: it made room for another job (REFUNDONREQUEUE)"

/* Runs that were open when the bank went out of force end as they would have. */
bool charging_has_bills(const struct engine *e);
bool charging_only_successful(const struct engine *e);

/* A copy that lives as long as the moves do. */
const char *charging_keep_text(struct charging *x, const char *text);
/* Added to the moves; borrowed until the next one is. */
struct money_move *charging_add_move_by(
    struct engine *e, enum money_kind kind, uint32_t run, const struct am_use *use);
struct money_move *charging_add_move(
    struct engine *e, const struct job *j, enum money_kind kind, uint32_t run);

struct account_life *charging_life_of(struct engine *e, uint32_t account);
/* What of a run is not in its job's record. */
struct bank_run charging_run_of(const struct bill *b);

/* ---- strangers.c: runs of a former life of the daemon ---- */

/* A start of the job that nobody was told of: what begins now is another. */
void charging_release_unsent(struct engine *e, const struct job *j);

#endif
