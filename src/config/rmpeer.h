/* SPDX-License-Identifier: Apache-2.0
 * RMCFG[] TYPE=WIKI: where the resource manager is, and the key that both sides sign
 * with: of KEYFILE=, or of CLIENTCFG[RM:name] CSKEY= in the private file. A key that
 * others can read is refused: whoever has it speaks for the resource manager, and for
 * the scheduler. */
#ifndef MAUI_CONFIG_RMPEER_H
#define MAUI_CONFIG_RMPEER_H

#include "base/err.h"

#include <stdbool.h>

struct raw_object;
struct settings;

/* Texts but the key are borrowed from the settings. */
struct rmpeer {
    const char *host, *port;
    const char *algorithm; /* "DES", "HMAC" ...; "NONE": nothing is signed */
    char *key;             /* owned; NULL with "NONE" */
    bool private;          /* the key is of the private file */
};

/* Of that section RMCFG[]. -1 with an error when it can never work: no HOST or PORT, no
 * key, one that others can read, or that says nothing to the algorithm. Reads the key's
 * file. Free with rmpeer_fini(). */
int rmpeer_read(const struct settings *s, const struct raw_object *section,
    struct rmpeer *ret, struct err *err);
void rmpeer_fini(struct rmpeer *p);

#endif
