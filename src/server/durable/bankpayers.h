/* SPDX-License-Identifier: Apache-2.0
 * Who asks at a bank elsewhere: accounts, or users where the bank chooses the account;
 * which of their starts waits next, and about whom the bank is silent.
 *
 * A bank that hangs for one account stops the others no more than once: from then on
 * that account is asked about by a place of its own, after pauses of its own. Nor does
 * a job that got no answer stop the others of its account: it comes after them.
 *
 * An item is the line's (bankline.h): here it is known by `struct payer_entry`, which
 * is its member. Who is healthy and asks nothing is forgotten when there are very many.
 * Private to src/server. */
#ifndef MAUI_SERVER_BANKPAYERS_H
#define MAUI_SERVER_BANKPAYERS_H

#include "server/durable/bankhealth.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

/* Places for those that get no answers. */
#define BANKPAYERS_APART 2

struct payer;
struct line_item;

struct payer_entry {
    TAILQ_ENTRY(payer_entry) next;
    struct payer *payer;
    struct line_item *item;
    bool waits;       /* in the payer's queue; else it is under way */
    bool late;        /* its job got no answer the last time */
    bool apart;       /* it is under way in a place of those that get none */
    uint64_t answers; /* that the payer had got when it was sent */
};

struct bankpayers;

struct bankpayers *bankpayers_new(void);
void bankpayers_free(struct bankpayers *b); /* NULL is allowed */
/* It is another bank: nothing is known of it. */
void bankpayers_forget_health(struct bankpayers *b);
/* Somebody knows that the bank is well: nobody pauses. */
void bankpayers_hurry(struct bankpayers *b);

/* The start of that job waits; the payer is read from what is asked. O(1) but for late
 * ones of the same payer. */
void bankpayers_add(struct bankpayers *b, struct payer_entry *e, struct line_item *item,
    const char *job, const json_t *body);
/* It waits no longer, or its call has ended. */
void bankpayers_remove(struct bankpayers *b, struct payer_entry *e);

/* Who is next, in turn, of payers that are answered, with at most `most` of one under
 * way; NULL: nobody. `may` says whether an item may go at all. O(payers that wait). */
struct payer_entry *bankpayers_next(
    struct bankpayers *b, unsigned most, bool (*may)(const struct line_item *item));
/* Who is next of the others, if a place for them is free. */
struct payer_entry *bankpayers_next_apart(
    struct bankpayers *b, uint64_t now, bool (*may)(const struct line_item *item));
/* It is under way. */
void bankpayers_send(struct bankpayers *b, struct payer_entry *e, bool apart);

/* The bank did not answer the job's question; it did, or refused. */
void bankpayers_miss(
    struct bankpayers *b, struct payer_entry *e, const char *job, uint64_t now);
void bankpayers_answer(struct bankpayers *b, struct payer_entry *e, const char *job);

/* About how many the bank is silent. */
unsigned bankpayers_silent(const struct bankpayers *b);
/* Is there anybody who may have to be sent away without having been asked about? */
bool bankpayers_any_odd(const struct bankpayers *b);
bool bankpayers_is_silent(const struct payer_entry *e);
bool bankpayers_is_paused(const struct payer_entry *e, uint64_t now);
/* It is late, and all places for such are taken. */
bool bankpayers_has_no_place(const struct bankpayers *b, const struct payer_entry *e);

#endif
