/* SPDX-License-Identifier: Apache-2.0
 * maui-bank: the program that the daemon calls for AMCFG[] TYPE=FILE and GOLD. What it
 * is called with and how it ends is the contract of TYPE=NATIVE (docs/bank.md). */
#ifndef MAUI_AM_BANK_BANK_H
#define MAUI_AM_BANK_BANK_H

#include "base/err.h"
#include "base/strbuf.h"

#include <jansson.h>
#include <stdbool.h>

/* LATER: it cannot be reached, and nobody is to ask it for a while. UNSURE: it answers,
 * and cannot judge this one. */
enum bank_answer { BANK_DONE, BANK_REFUSED, BANK_LATER, BANK_UNSURE };

/* What is to be told: the object that was read. */
struct bank_ask {
    const char *verb; /* "lien", "charge", "release" */
    const json_t *body;
    bool again; /* it may have been taken before */
};

/* The text of a member; "" = it has none. */
const char *bank_text(const struct bank_ask *ask, const char *key);
/* An integer; 0 = it has none. */
long long bank_number(const struct bank_ask *ask, const char *key);

/* Append a line to the regular file at `path`, which is made (mode 0600) if it is not
 * there; one that is there already is not written `again`, and one of which a part is
 * there, at the end of the file, is completed. BANK_LATER with a sentence where it
 * cannot be written. Format: reference rm-interfaces, section 8.3. */
enum bank_answer file_tell(
    const char *path, const struct bank_ask *ask, struct err *err);

/* Ask a server that speaks SSSRMAP 3 over HTTP. The key is in the first line of
 * `key_file`, which nobody else may read. Codes: reference allocation-managers,
 * section 3. */
struct gold_server {
    const char *hosts; /* HOST, or HOST,BACKUPHOST: one server, at either */
    const char *port, *key_file;
    long timeout_s;
};
enum bank_answer gold_tell(
    const struct gold_server *g, const struct bank_ask *ask, struct err *err);

#endif
