/* SPDX-License-Identifier: Apache-2.0
 * Secrets of logins and sessions. */
#include "server/sessions/secret.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#ifdef MAUI_CRYPTO
#include <openssl/crypto.h>
#include <openssl/evp.h>

static bool hash_text(const char *text, struct secret_hash *ret)
{
    unsigned len = 0;

    return EVP_Digest(text, strlen(text), ret->bytes, &len, EVP_sha256(), NULL) == 1
           && len == sizeof ret->bytes;
}

bool secret_equal(const struct secret_hash *a, const struct secret_hash *b)
{
    return CRYPTO_memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}
#else
static bool hash_text(const char *text, struct secret_hash *ret)
{
    (void)text;
    (void)ret;
    return false;
}

bool secret_equal(const struct secret_hash *a, const struct secret_hash *b)
{
    (void)a;
    (void)b;
    return false;
}
#endif

static int draw_bytes(unsigned char *ret, size_t n, struct err *err)
{
    if (getrandom(ret, n, 0) != (ssize_t)n)
        return err_set(
            err, ERR_IO, "the kernel gives no random bytes: %s", strerror(errno));
    return 0;
}

/* 3 bytes make 4 characters; the last 2 of 32 make 3. */
static void write_text(const unsigned char bytes[SECRET_BYTES], char *ret)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    unsigned bits = 0, n = 0;

    for (int i = 0; i < SECRET_BYTES; i++) {
        bits = bits << 8 | bytes[i];
        for (n += 8; n >= 6; n -= 6)
            *ret++ = digits[bits >> (n - 6) & 63];
    }
    *ret++ = digits[bits << (6 - n) & 63];
    *ret = 0;
}

int secret_make(
    char ret[SECRET_CHARS + 1], struct secret_hash *ret_hash, struct err *err)
{
    unsigned char bytes[SECRET_BYTES];

    if (draw_bytes(bytes, sizeof bytes, err) < 0)
        return -1;
    write_text(bytes, ret);
    secret_wipe((char *)bytes, sizeof bytes);
    if (!hash_text(ret, ret_hash))
        return err_set(err, ERR_IO,
            "the page needs libcrypto, without which this program was built");
    return 0;
}

bool secret_read(const char *text, struct secret_hash *ret)
{
    return strnlen(text, SECRET_CHARS + 1) == SECRET_CHARS && hash_text(text, ret);
}

void secret_wipe(char *text, size_t len)
{
    explicit_bzero(text, len);
}

int secret_name(char ret[9], struct err *err)
{
    unsigned char bytes[4];

    if (draw_bytes(bytes, sizeof bytes, err) < 0)
        return -1;
    snprintf(ret, 9, "%02x%02x%02x%02x", bytes[0], bytes[1], bytes[2], bytes[3]);
    return 0;
}
