/* SPDX-License-Identifier: Apache-2.0
 * How the two sides of the WIKI protocol recognise each other: a sum over the message
 * and a key that both know.
 *
 *     CK=<sum> TS=<seconds since 1970> AUTH=<user> DT=<message>
 *
 * The sum is of the text from TS= on. No message is kept secret, and DES, which is so
 * by name alone, is no protection from anybody who knows how it is made: HMAC is. */
#ifndef MAUI_RM_WIKI_SEAL_H
#define MAUI_RM_WIKI_SEAL_H

#include "base/err.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

enum seal_kind { SEAL_NONE, SEAL_DES, SEAL_HMAC, SEAL_HMAC64, SEAL_MD5 };

struct seal {
    enum seal_kind kind;
    const char *key;
};

#define SEAL_SUM_MAX 64   /* bytes that hold any sum, with its NUL */
#define SEAL_SKEW_S  3600 /* how far the clocks of the two may be apart */

/* "NONE", "DES" ..., in any case. False: there is no such. */
bool seal_find(const char *name, enum seal_kind *ret);

/* The sum of a text. -1 with an error where the machine refuses the algorithm (MD5, on
 * those that follow FIPS). O(n). */
int seal_sum(const struct seal *s, const char *text, size_t n, char ret[SEAL_SUM_MAX],
    struct err *err);

/* A message with its sum; with SEAL_NONE the message alone. */
int seal_write(const struct seal *s, const char *user, int64_t now, const char *message,
    struct strbuf *out, struct err *err);

/* The message in a payload, which is borrowed from it; `*ret_made_at`: its instant, 0
 * with SEAL_NONE. -1 with an error: no sum or a wrong one, or its instant is more than
 * SEAL_SKEW_S from `now`, or before `not_before`: what was recorded earlier is played
 * again. */
int seal_open(const struct seal *s, const char *payload, size_t n, int64_t now,
    int64_t not_before, const char **ret, size_t *ret_n, int64_t *ret_made_at,
    struct err *err);

#endif
