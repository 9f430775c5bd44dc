/* SPDX-License-Identifier: Apache-2.0
 * Dumps of other banks, read as steps: accounts first, each behind the one above it,
 * then what they have. Files are text of somebody else: what is not understood is a
 * step too, with its line. */
#ifndef MAUI_CLIENT_IMPORTREAD_H
#define MAUI_CLIENT_IMPORTREAD_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bankdump_kind {
    BANKDUMP_ACCOUNT,
    BANKDUMP_DEPOSIT,
    BANKDUMP_CONFIG, /* `why` is a line for maui.cfg */
    BANKDUMP_LEFT    /* `why`: what cannot be carried over */
};

/* Texts are borrowed until the callback returns. */
struct bankdump_step {
    enum bankdump_kind kind;
    const char *file;
    unsigned line;
    const char *account;
    const char *parent, *only; /* NULL = none; for all */
    bool overflow;
    bool places;    /* the dump tells what is above accounts, and of whom each is */
    const char *id; /* of the deposit in the dump, the same each time */
    int64_t amount, credit_limit; /* 1/1000 credit */
    int64_t from_at, to_at;       /* 0 = not said */
    const char *why;
};

typedef void bankdump_fn(void *ctx, const struct bankdump_step *step);

/* 0, or -1 where a file cannot be read or is no such dump at all. */
int bankdump_slurm(
    const char *const *files, size_t n, bankdump_fn *each, void *ctx, struct err *err);
int bankdump_gold(
    const char *const *files, size_t n, bankdump_fn *each, void *ctx, struct err *err);

#endif
