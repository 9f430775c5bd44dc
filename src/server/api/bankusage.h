/* SPDX-License-Identifier: Apache-2.0
 * Who used how much of accounts, added up in turns of the loop: of many users and years
 * nobody waits for it. Private to src/server/api. */
#ifndef MAUI_SERVER_BANKUSAGE_H
#define MAUI_SERVER_BANKUSAGE_H

#include "server/http/request.h"
#include "store/ledger.h"

struct server;

json_t *bankusage_record(const struct ledger_usage *row, const char *account);

/* Answer with a page of accounts as the query has it, each whole and as of one instant:
 * of what was used in that time (from_at, to_at). */
void bankusage_reply(
    struct server *s, struct request *r, const struct ledger_which *time);

#endif
