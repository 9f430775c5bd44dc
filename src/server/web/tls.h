/* SPDX-License-Identifier: Apache-2.0
 * The page's certificate and its key. */
#ifndef MAUI_SERVER_TLS_H
#define MAUI_SERVER_TLS_H

#include "base/err.h"

#include <stdbool.h>

struct tls {
    char *cert, *key; /* owned: texts in PEM; NULL = there is no TLS */
};

/* Read both files; names are of the folder `home` where they are no paths. Both NULL or
 * "": none. The key must be its owner's alone, and that of the first certificate.
 * -1: nothing is in *ret; ERR_DENIED: the caller may not read one. */
int tls_read(const char *home, const char *cert, const char *key, struct tls *ret,
    struct err *err);
void tls_fini(struct tls *t);
bool tls_same(const struct tls *a, const struct tls *b);

#endif
