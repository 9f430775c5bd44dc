/* SPDX-License-Identifier: Apache-2.0
 * The line at a bank that is elsewhere: what it is asked before starts, and what it has
 * to be told; what is next, and what follows from an answer or from none. It calls
 * nobody and writes nothing down (desk.h does), and knows no clock but the instants
 * that it is given: microseconds of a clock that only goes on.
 *
 *     ask   a start waits for the answer. In its turn it is sent; the time of each
 *           begins then. One whose turn does not come in that time goes out of the
 * line. tell  stays until the bank has taken it. Of one run one after the other, and
 * not while a call about that run is under way: nothing overtakes what it is about,
 * though a call be given up. What is asked about a run goes before what is told of it.
 *
 * A bank that does not answer is left alone for pauses of 1 s and longer, with one try
 * after each; starts are not kept waiting meanwhile. One tell that it does not take
 * while it takes others is odd: it does not speak for the bank any more, and after so
 * many tries it is put aside. Nor does one start that it does not answer between others
 * that it does.
 *
 * Of an account that it is silent about, starts are asked about by other places, after
 * pauses of that account's; so are jobs that got no answer. Other accounts are asked
 * about all the while (bankpayers.h).
 *
 * What got no answer may be taken all the same, a little later: nothing is told of that
 * run before the time of a call is over. Private to src/server. */
#ifndef MAUI_SERVER_BANKLINE_H
#define MAUI_SERVER_BANKLINE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bankline_options {
    unsigned asks_at_once, tells_at_once; /* calls under way */
    unsigned asks_of_one;                 /* ... of one account */
    unsigned tries;                       /* of what is odd, then it is put aside */
    uint64_t timeout_us;
    int kind; /* of the bank that is there; 0 = none: nobody is told anything */
};

/* In the line, or out of it and the caller's. */
struct line_item;
uint64_t line_item_number(const struct line_item *i); /* 0: it is asked */
const char *line_item_run(const struct line_item *i);
json_t *line_item_body(struct line_item *i);           /* borrowed */
const char *line_item_said(const struct line_item *i); /* to the last try; "" = none */
unsigned line_item_tries(const struct line_item *i);
int line_item_kind(const struct line_item *i);
bool line_item_is_out(const struct line_item *i); /* a call is under way */
void line_item_free(struct line_item *i);

struct bankline;

struct bankline *bankline_new(const struct bankline_options *opt, uint64_t now);
void bankline_free(struct bankline *l); /* NULL is allowed */
/* From now on. O(what is in the line) where the kind is another. */
void bankline_configure(struct bankline *l, const struct bankline_options *opt);
/* What a former life told may still be on its way: nothing is told before that. */
void bankline_hold_tells(struct bankline *l, uint64_t until);

/* The start of the job waits for an answer about its run. Takes the body. Another that
 * the job waited for is forgotten. */
void bankline_ask(
    struct bankline *l, const char *job, const char *run, json_t *body, uint64_t now);
/* Something else is asked about that run before it is sent. Takes the body; false: it
 * is not asked about, or it has been sent, and the body is the caller's. */
bool bankline_ask_instead(
    struct bankline *l, const char *job, const char *run, json_t *body);
/* O(1). */
bool bankline_asks(const struct bankline *l, const char *job);
/* Nobody waits for an answer about the run any more. False: it was not asked.
 * *ret_sent: the bank may have taken it. */
bool bankline_forget(
    struct bankline *l, const char *job, const char *run, bool *ret_sent);

/* To be told, in order of numbers, to a bank of that kind (0: whichever is there). One
 * that comes back takes its place, but for what is under way. Takes the body. */
void bankline_tell(
    struct bankline *l, uint64_t number, int kind, const char *run, json_t *body);
/* Somebody knows that the bank is there again: what waited for that alone is tried
 * without a pause. O(what waits). */
void bankline_hurry(struct bankline *l);
/* That one, which is not under way, is tried as if it never had been. */
void bankline_hasten(struct bankline *l, struct line_item *i);
/* The last of the run's tells that is not under way, or NULL. */
struct line_item *bankline_last_of(struct bankline *l, const char *run);
/* The first of them, for which the others wait, or NULL. */
const struct line_item *bankline_first_of(const struct bankline *l, const char *run);
struct line_item *bankline_find(struct bankline *l, uint64_t number);
/* Out of the line, the caller's; not one that is under way. */
void bankline_take_out(struct bankline *l, struct line_item *i);

/* All that was taken into the line is on the disk: it may be sent. O(that). */
void bankline_committed(struct bankline *l);

/* What is to be sent now, which is under way from then on, until bankline_answered();
 * or NULL. O(1) but for what waits after a failure. */
struct line_item *bankline_next(struct bankline *l, uint64_t now);

enum line_answer { LINE_DONE, LINE_REFUSED, LINE_LATER, LINE_UNSURE };

enum line_then {
    LINE_FORGOTTEN, /* of a start that nobody waits for: its item is gone */
    LINE_STARTS,    /* out of the line, the caller's: the start may go */
    LINE_STAYS,     /* ... it may not */
    LINE_FAILS,     /* ... nobody knows */
    LINE_TAKEN,     /* out of the line, the caller's: it has been told */
    LINE_ASIDE,     /* ... it will never be taken */
    LINE_AGAIN,     /* it is told again, later */
};
/* The call has ended, for good: it is not under way any more. */
enum line_then bankline_answered(struct bankline *l, struct line_item *i,
    enum line_answer answer, const char *said, uint64_t now);

/* A start that waits no longer. */
struct line_expired {
    char *job, *run; /* owned by the caller */
    bool turn;       /* its turn did not come; else the bank does not answer */
    bool late;       /* its job got no answer before */
    bool sent;       /* the bank may have taken it */
};
/* The next such; false = there is none. */
bool bankline_expired(struct bankline *l, struct line_expired *ret, uint64_t now);

/* When bankline_next() or bankline_expired() has something again by time alone;
 * UINT64_MAX = never. */
uint64_t bankline_wake(const struct bankline *l, uint64_t now);

bool bankline_is_failing(const struct bankline *l);

/* Tells in the line: how many; each. Something is sent or put aside meanwhile: no. */
size_t bankline_tells(const struct bankline *l);
void bankline_each(const struct bankline *l,
    void (*each)(void *arg, const struct line_item *i), void *arg);
/* The one of the next number behind that one, in the line or not; NULL = there is none.
 * O(1) where that one is in the line, else O(tells). */
struct line_item *bankline_behind(struct bankline *l, uint64_t number);

#endif
