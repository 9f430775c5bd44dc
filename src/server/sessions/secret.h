/* SPDX-License-Identifier: Apache-2.0
 * Secrets of logins and sessions: 256 random bits, which only their owner has. What is
 * kept of one is its SHA-256, by libcrypto, and compared in constant time. */
#ifndef MAUI_SERVER_SECRET_H
#define MAUI_SERVER_SECRET_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define SECRET_BYTES 32
#define SECRET_CHARS 43 /* as text: base64 of RFC 4648, section 5, without padding */

struct secret_hash {
    unsigned char bytes[SECRET_BYTES];
};

/* A new one as text, and its hash. ERR_IO: the kernel gives no random bytes, or the
 * program was built without libcrypto. */
int secret_make(
    char ret[SECRET_CHARS + 1], struct secret_hash *ret_hash, struct err *err);

/* The hash of what somebody shows; false when that cannot be a secret. */
bool secret_read(const char *text, struct secret_hash *ret);

bool secret_equal(const struct secret_hash *a, const struct secret_hash *b);

/* Forget a text that lies in memory. */
void secret_wipe(char *text, size_t len);

/* A short name that tells nothing of a secret, as a1b2c3d4: 8 digits and a 0. */
int secret_name(char ret[9], struct err *err);

#endif
