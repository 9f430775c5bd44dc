/* SPDX-License-Identifier: Apache-2.0
 * Sums of messages. SHA-1, MD5, HMAC and base64 are those of libcrypto. */
#include "rm/wiki/seal.h"

#include "base/xalloc.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool seal_find(const char *name, enum seal_kind *ret)
{
    static const char *const names[] = {[SEAL_NONE] = "NONE",
        [SEAL_DES] = "DES",
        [SEAL_HMAC] = "HMAC",
        [SEAL_HMAC64] = "HMAC64",
        [SEAL_MD5] = "MD5"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcasecmp(names[i], name) == 0) {
            *ret = (enum seal_kind)i;
            return true;
        }
    return false;
}

/* ---- the protocol's own sum, DES by name ---- */

/* 16 bits, polynomial 0x1021, most significant bit first, from 0 on. */
static uint32_t sum_crc(const char *text, size_t n)
{
    uint32_t crc = 0;

    for (size_t i = 0; i < n; i++) {
        crc ^= (uint32_t)(unsigned char)text[i] << 8;
        for (int bit = 0; bit < 8; bit++)
            crc = (crc << 1) ^ (crc & 0x8000 ? 0x11021u : 0);
    }
    return crc & 0xffff;
}

static void sum_des(const char *key, const char *text, size_t n, char *ret)
{
    static const uint32_t c1[] = {0xcba4e531, 0x537158eb, 0x145cdc3c, 0x0d3fdeb2};
    static const uint32_t c2[] = {0x12be4590, 0xab54ce58, 0x6954c7a6, 0x15a2ca46};
    uint32_t left = sum_crc(text, n), right = (uint32_t)strtoul(key, NULL, 0);

    for (int i = 0; i < 4; i++) {
        uint32_t swap = right, a = swap ^ c1[i], lo = a & 0xffff, hi = a >> 16,
                 b = lo * lo + ~(hi * hi);

        b = b >> 16 | b << 16;
        right = left ^ ((b ^ c2[i]) + lo * hi);
        left = swap;
    }
    snprintf(ret, SEAL_SUM_MAX, "%08x%08x", left, right);
}

/* ---- those of libcrypto ---- */

static void write_hex(const unsigned char *bytes, unsigned n, char *ret)
{
    for (unsigned i = 0; i < n; i++)
        snprintf(ret + 2 * (size_t)i, 3, "%02x", bytes[i]);
}

static int fail_sum(const char *name, struct err *err)
{
    return err_set(err, ERR_IO,
        "this machine computes no %s (where FIPS 140 is followed, MD5 is refused)",
        name);
}

static int sum_hmac(
    const char *key, const char *text, size_t n, char *ret, struct err *err)
{
    unsigned char mac[EVP_MAX_MD_SIZE];
    unsigned len = 0;

    if (HMAC(EVP_sha1(), key, (int)strlen(key), (const unsigned char *)text, n, mac,
            &len)
        == NULL)
        return fail_sum("HMAC-SHA1", err);
    write_hex(mac, len, ret);
    return 0;
}

/* In two passes: of the digest of the text. */
static int sum_hmac64(
    const char *key, const char *text, size_t n, char *ret, struct err *err)
{
    unsigned char digest[EVP_MAX_MD_SIZE], mac[EVP_MAX_MD_SIZE];
    unsigned len = 0;

    if (EVP_Digest(text, n, digest, &len, EVP_sha1(), NULL) != 1
        || HMAC(EVP_sha1(), key, (int)strlen(key), digest, len, mac, &len) == NULL)
        return fail_sum("HMAC-SHA1", err);
    EVP_EncodeBlock((unsigned char *)ret, mac, (int)len);
    return 0;
}

static int sum_md5(
    const char *key, const char *text, size_t n, char *ret, struct err *err)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    bool made = ctx != NULL && EVP_DigestInit_ex(ctx, EVP_md5(), NULL) == 1
                && EVP_DigestUpdate(ctx, text, n) == 1
                && EVP_DigestUpdate(ctx, key, strlen(key)) == 1
                && EVP_DigestFinal_ex(ctx, digest, &len) == 1;

    EVP_MD_CTX_free(ctx);
    if (!made)
        return fail_sum("MD5", err);
    write_hex(digest, len, ret);
    return 0;
}

int seal_sum(const struct seal *s, const char *text, size_t n, char ret[SEAL_SUM_MAX],
    struct err *err)
{
    *ret = '\0';
    switch (s->kind) {
    case SEAL_DES:
        sum_des(s->key, text, n, ret);
        return 0;
    case SEAL_HMAC:
        return sum_hmac(s->key, text, n, ret, err);
    case SEAL_HMAC64:
        return sum_hmac64(s->key, text, n, ret, err);
    case SEAL_MD5:
        return sum_md5(s->key, text, n, ret, err);
    case SEAL_NONE:
        return 0;
    }
    return 0;
}

/* ---- messages ---- */

int seal_write(const struct seal *s, const char *user, int64_t now, const char *message,
    struct strbuf *out, struct err *err)
{
    struct strbuf text = {0};
    char sum[SEAL_SUM_MAX];
    int result;

    if (s->kind == SEAL_NONE) {
        strbuf_add(out, message);
        return 0;
    }
    strbuf_printf(&text, "TS=%lld AUTH=%s DT=%s", (long long)now, user, message);
    result = seal_sum(s, text.text, text.len, sum, err);
    if (result == 0)
        strbuf_printf(out, "CK=%s %s", sum, text.text);
    free(text.text);
    return result;
}

static const char *find_text(const char *in, const char *end, const char *text)
{
    return memmem(in, (size_t)(end - in), text, strlen(text));
}

/* The sum that the message says it has; what programs put around it is left out. */
static bool is_sum(const char *said, size_t n, const char *sum)
{
    while (n > 0 && (said[n - 1] == '\n' || said[n - 1] == '\r' || said[n - 1] == ' '))
        n--;
    return n == strlen(sum) && CRYPTO_memcmp(said, sum, n) == 0;
}

static int check_time(int64_t made_at, int64_t now, int64_t not_before, struct err *err)
{
    if (made_at < now - SEAL_SKEW_S || made_at > now + SEAL_SKEW_S)
        return err_set(err, ERR_DENIED,
            "the answer is dated %lld, it is %lld now; expected at most %d s between "
            "(are both clocks right?)",
            (long long)made_at, (long long)now, SEAL_SKEW_S);
    if (made_at < not_before)
        return err_set(err, ERR_DENIED,
            "the answer is dated %lld s before one that was there when it was asked "
            "for: an old one is played again, or the clock there was set back",
            (long long)(not_before - made_at));
    return 0;
}

int seal_open(const struct seal *s, const char *payload, size_t n, int64_t now,
    int64_t not_before, const char **ret, size_t *ret_n, int64_t *ret_made_at,
    struct err *err)
{
    char sum[SEAL_SUM_MAX];
    const char *end, *time_at, *message;

    while (n > 0 && payload[n - 1] == '\0') /* some count the end of their text */
        n--;
    end = payload + n;
    *ret = payload;
    *ret_n = n;
    *ret_made_at = 0;
    if (s->kind == SEAL_NONE)
        return 0;
    time_at = find_text(payload, end, "TS=");
    message = time_at != NULL ? find_text(time_at, end, " DT=") : NULL;
    if (n < 3 || memcmp(payload, "CK=", 3) != 0 || message == NULL)
        return err_set(err, ERR_DENIED,
            "an answer without a checksum; expected CK=... TS=... AUTH=... DT=... "
            "(RMCFG AUTHTYPE=NONE takes answers of anybody)");
    if (seal_sum(s, time_at, (size_t)(end - time_at), sum, err) < 0)
        return -1;
    if (!is_sum(payload + 3, (size_t)(time_at - payload) - 3, sum))
        return err_set(err, ERR_DENIED,
            "the answer's checksum is wrong: another key or algorithm is used there");
    *ret_made_at = strtoll(time_at + 3, NULL, 10); /* a blank ends it */
    *ret = message + 4;
    *ret_n = (size_t)(end - *ret);
    return check_time(*ret_made_at, now, not_before, err);
}
