/* SPDX-License-Identifier: Apache-2.0
 * Words that the commands of the bank share: amounts, dates, options. */
#ifndef MAUI_CLIENT_BANKWORDS_H
#define MAUI_CLIENT_BANKWORDS_H

#include "client/client.h"
#include "client/kit/command.h"
#include "client/kit/layout.h"

#include <jansson.h>
#include <stdint.h>

#define BANK_HOURS                                                                     \
    {                                                                                  \
        'h', "hours", NULL, "in processor hours instead of credits"                    \
    }
/* The end of a list of options. */
#define BANK_NO_MORE                                                                   \
    {                                                                                  \
        0, NULL, NULL, NULL                                                            \
    }

/* "57600", "129945.6"; with -h in hours "16". Returns `ret` (LAYOUT_CREDITS_MAX). */
const char *bankwords_credits(
    const struct command_line *l, const json_t *o, const char *key, char *ret);

/* With its year: deposits are for years. "-" where there is none. Returns `ret`
 * (LAYOUT_DATE_MAX) or that. */
const char *bankwords_date(const json_t *o, const char *key, char *ret);

/* The instant that an option names, as setres takes it; *ret 0 = not given. 1: it names
 * none, which has been told. */
int bankwords_read_date(const struct command_line *l, char letter, int64_t *ret);

#endif
