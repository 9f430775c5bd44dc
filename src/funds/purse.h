/* SPDX-License-Identifier: Apache-2.0
 * Deposits that somebody may use at an instant, in the order in which they are used:
 * the own account before its parent, before the parent's parent; what ends earlier
 * first; what is for some before what is for all; the lower number first. The order is
 * total, the same for liens and for charges.
 *
 *     deposit   balance   + credit limit   - kept by liens   = free
 *        1        1,000         500              1,200           300
 *        2          200           0                  0           200    available: 500
 */
#ifndef MAUI_AM_PURSE_H
#define MAUI_AM_PURSE_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct purse_deposit {
    int64_t id, account;
    int depth; /* accounts above the own one */
    bool restricted;
    int64_t to_at;
    int64_t balance, credit_limit, held;
};
struct purse VEC(struct purse_deposit);

/* Part of an amount, and where it lies; deposit 0 = no deposit. */
struct piece {
    int64_t deposit, account, amount;
};
struct pieces VEC(struct piece);

void purse_sort(struct purse *p);

/* Less than 0 where charges have gone beyond the limit. */
int64_t purse_free(const struct purse_deposit *d);

/* Sum over the deposits of what is free, of what is kept by liens; as much as fits. */
int64_t purse_available(const struct purse *p);
int64_t purse_held(const struct purse *p);

/* Append where `amount` comes from, deposit by deposit in order, as far as something is
 * free. Returns what is not covered: 0 if it is available. */
int64_t purse_spread(const struct purse *p, int64_t amount, struct pieces *ret);

#endif
