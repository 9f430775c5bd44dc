/* SPDX-License-Identifier: Apache-2.0
 * What the files of this room share: accounts and deposits as found, transactions while
 * they are put together. */
#ifndef MAUI_AM_PRIVATE_H
#define MAUI_AM_PRIVATE_H

#include "am/am.h"
#include "base/strbuf.h"
#include "funds/purse.h"

/* ---- accounts.c ----------------------------------------------------------------- */

struct found_account {
    int64_t id, parent, share;
    bool overflow, active;
    bool admits; /* the use that was asked for */
};

/* By name; `use` NULL = anybody. -1, ERR_NOT_FOUND: names the nearest. */
int account_find(struct am *am, const char *name, const struct am_use *use,
    struct found_account *ret, struct err *err);

int account_by_id(
    struct am *am, int64_t id, struct found_account *ret, struct err *err);

/* May something new be kept or deposited? -1, ERR_DENIED or ERR_CONFLICT, says why not.
 */
int account_usable(const struct found_account *a, const char *name,
    const struct am_use *use, struct err *err);

struct purse_ask {
    const struct am_use *use; /* NULL = anybody */
    int64_t at;
    bool own; /* not those of accounts above */
};

/* What may be used of the account, in order. Free it with vec_fini(). */
int purse_load(struct am *am, const struct found_account *a,
    const struct purse_ask *ask, struct purse *ret, struct err *err);

/* AM_REFUSED, with what is needed and what there is. */
int refuse_funds(struct am *am, const char *name, const struct purse *p, int64_t needed,
    struct err *err);

struct found_deposit {
    int64_t id, account, balance, held, to_at;
    bool ended;
};

int deposit_find(struct am *am, int64_t id, struct found_deposit *ret, struct err *err);

/* ---- posting.c ------------------------------------------------------------------ */

/* A transaction while it is put together. Its record is written first, so that what it
 * makes can name it; its legs, which come to 0, last. */
struct posting {
    struct ledger_txn txn;
    struct VEC(struct ledger_leg) legs;
};

int posting_begin(struct am *am, struct posting *p, struct err *err);
void posting_add(
    struct posting *p, const char *place, int64_t of, int64_t account, int64_t amount);
/* Out of a deposit, or (0) owed without one. */
void posting_take(struct posting *p, const struct piece *piece);
/* Its legs, if all went well so far (`result`), which is returned. -1, ERR_INVALID: a
 * balance is beyond what can be counted. */
int posting_end(struct am *am, struct posting *p, int result, struct err *err);

/* Is the request new (0), or known and the same (1, *ret_txn)? Else -1, ERR_CONFLICT.
 */
int request_known(struct am *am, const struct am_request *req, const char *asked,
    int64_t *ret_txn, struct err *err);
/* A transaction of that request. */
struct posting posting_of(
    const struct am_request *req, const char *kind, const char *asked);

/* Amounts of one operation. */
int amount_valid(int64_t amount, int64_t least, struct err *err);

/* The end of a call that began with store_step_begin(): all of it, or nothing. */
int step_end(struct am *am, int result, struct err *err);

/* ---- quotes.c ------------------------------------------------------------------- */

/* One use of the quote that the lien names, unless its job has used it already (a later
 * run of the same): *ret_rates, owned; NULL = it is of no use to this lien. */
int quote_use(struct am *am, const struct am_lien *l, int64_t account, char **ret_rates,
    struct err *err);

/* ---- credits.c ------------------------------------------------------------------ */

/* What nobody keeps of a deposit that has ended expires, dated `at`. */
int expire_rest(struct am *am, int64_t deposit, int64_t at, struct err *err);

#endif
