/* SPDX-License-Identifier: Apache-2.0
 * Prices in 128 bits, and rates as text. */
#include "funds/price.h"

#include "funds/amount.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef unsigned __int128 wide;

#define RATE_MOST (INT64_C(1000000000) * PRICE_ONE)
#define NANO      1000000000

/* ---- rates ---------------------------------------------------------------------- */

/* "0.001" as millionths, up to `end`. */
static int parse_millionths(
    const char *text, const char *end, int64_t *ret, struct err *err)
{
    int64_t value = 0, digit = PRICE_ONE;
    const char *c = text;

    for (; c < end && isdigit((unsigned char)*c) && value <= RATE_MOST; c++)
        value = value * 10 + (*c - '0') * PRICE_ONE;
    if (c > text && c + 1 < end && *c == '.')
        for (c++; c < end && isdigit((unsigned char)*c) && digit > 1; c++)
            value += (*c - '0') * (digit /= 10);
    if (c != end || c == text || value > RATE_MOST)
        return err_set(err, ERR_INVALID,
            "'%.*s': expected a rate from 0 to 1000000000 with at most six places "
            "after the point",
            (int)(end - text), text);
    *ret = value;
    return 0;
}

static int parse_rate(
    const char *text, const char *end, struct price_rates *ret, struct err *err)
{
    const char *colon = memchr(text, ':', (size_t)(end - text));
    struct price_rate rate;

    if (!colon || colon == text)
        return err_set(err, ERR_INVALID, "'%.*s': expected NAME:RATE, as in PROCS:1",
            (int)(end - text), text);
    if (parse_millionths(colon + 1, end, &rate.rate, err) != 0)
        return -1;
    rate.name = xstrndup(text, (size_t)(colon - text));
    vec_push(ret, rate);
    return 0;
}

int price_rates_parse(const char *text, struct price_rates *ret, struct err *err)
{
    struct price_rates rates = {0};

    while (*text) {
        const char *end = text + strcspn(text, ",");

        if (parse_rate(text, end, &rates, err) != 0) {
            price_rates_fini(&rates);
            return -1;
        }
        text = *end ? end + 1 : end;
    }
    *ret = rates;
    return 0;
}

/* Without the zeros at the end. */
static void add_millionths(struct strbuf *b, int64_t value)
{
    strbuf_printf(b, "%" PRId64, value / PRICE_ONE);
    if (value % PRICE_ONE == 0)
        return;
    strbuf_printf(b, ".%06" PRId64, value % PRICE_ONE);
    while (b->text[b->len - 1] == '0')
        b->text[--b->len] = '\0';
}

char *price_rates_text(const struct price_rates *rates)
{
    struct strbuf b = {0};

    for (size_t i = 0; i < rates->n; i++) {
        strbuf_printf(&b, "%s%s:", i ? "," : "", rates->v[i].name);
        add_millionths(&b, rates->v[i].rate);
    }
    return strbuf_take(&b);
}

void price_rates_fini(struct price_rates *rates)
{
    for (size_t i = 0; i < rates->n; i++)
        free(rates->v[i].name);
    vec_fini(rates);
}

static int64_t find_rate(const struct price_rates *rates, const char *name)
{
    for (size_t i = 0; i < rates->n; i++)
        if (strcasecmp(rates->v[i].name, name) == 0)
            return rates->v[i].rate;
    return 0;
}

int64_t price_share(int64_t amount, int64_t part, int64_t whole)
{
    wide share = (wide)(uint64_t)amount * (wide)(uint64_t)part / (wide)(uint64_t)whole;

    return share > INT64_MAX ? INT64_MAX : (int64_t)share;
}

/* ---- the price ------------------------------------------------------------------ */

/* Sum of amount x rate, in millionths of a credit a second; false = beyond 128 bits. */
static bool sum_amounts(
    const struct price_rates *rates, const struct price_ask *ask, wide *ret)
{
    wide sum = 0, part;

    for (size_t i = 0; i < ask->namounts; i++) {
        part = (wide)(uint64_t)ask->amounts[i].amount
               * (wide)(uint64_t)find_rate(rates, ask->amounts[i].name);
        if (__builtin_add_overflow(sum, part, &sum))
            return false;
    }
    *ret = sum;
    return true;
}

/* Product of the factors in 1e-9, rounded after each. */
static bool multiply_factors(const struct price_ask *ask, wide *ret)
{
    wide product = NANO;

    for (size_t i = 0; i < ask->nfactors; i++) {
        if (__builtin_mul_overflow(
                product, (wide)(uint64_t)ask->factors[i].factor, &product))
            return false;
        product = (product + PRICE_ONE / 2) / PRICE_ONE;
    }
    *ret = product;
    return true;
}

static int refuse_negative(const struct price_ask *ask, struct err *err)
{
    for (size_t i = 0; i < ask->namounts; i++)
        if (ask->amounts[i].amount < 0)
            return err_set(err, ERR_INVALID, "%s: an amount below 0 has no price",
                ask->amounts[i].name);
    for (size_t i = 0; i < ask->nfactors; i++)
        if (ask->factors[i].factor < 0)
            return err_set(err, ERR_INVALID, "%s: a factor below 0 makes no price",
                ask->factors[i].name);
    return 0;
}

static void add_items(const struct price_rates *rates, const struct price_ask *ask,
    int64_t seconds, int64_t price, struct strbuf *text)
{
    strbuf_add(text, "(");
    for (size_t i = 0; i < ask->namounts; i++) {
        strbuf_printf(text, "%s%" PRId64 " %s x ", i ? " + " : "",
            ask->amounts[i].amount, ask->amounts[i].name);
        add_millionths(text, find_rate(rates, ask->amounts[i].name));
    }
    strbuf_printf(text, ") x %" PRId64 " s", seconds);
    if (ask->weighed && seconds > 0) {
        strbuf_add(text, " x time ");
        add_millionths(text, (ask->weight + seconds / 2) / seconds);
    }
    for (size_t i = 0; i < ask->nfactors; i++) {
        if (ask->factors[i].factor == PRICE_ONE)
            continue;
        strbuf_printf(text, " x %s ", ask->factors[i].name);
        add_millionths(text, ask->factors[i].factor);
    }
    strbuf_printf(text, " = %s", amount_text(price).text);
}

int price_of(const struct price_rates *rates, const struct price_ask *ask, int64_t *ret,
    struct strbuf *text, struct err *err)
{
    const wide unit =
        (wide)PRICE_ONE * NANO / AM_CREDIT * (ask->weighed ? PRICE_ONE : 1);
    int64_t seconds = ask->seconds < 0 ? 0 : ask->seconds;
    int64_t time = !ask->weighed ? seconds : ask->weight < 0 ? 0 : ask->weight;
    wide price, product;

    if (refuse_negative(ask, err) != 0)
        return -1;
    if (!sum_amounts(rates, ask, &price) || !multiply_factors(ask, &product)
        || __builtin_mul_overflow(price, (wide)(uint64_t)time, &price)
        || __builtin_mul_overflow(price, product, &price)
        || __builtin_add_overflow(price, unit / 2, &price)
        || price / unit > (wide)AM_LARGEST)
        return err_set(err, ERR_INVALID,
            "the price is beyond %s credits; are the rates in credits a second?",
            amount_text(AM_LARGEST).text);
    *ret = (int64_t)(price / unit);
    if (text)
        add_items(rates, ask, seconds, *ret, text);
    return 0;
}
