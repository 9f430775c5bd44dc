/* SPDX-License-Identifier: Apache-2.0
 * See sssrmap.h. XML is read by expat, sums are made by libcrypto. */
#include "am/bank/sssrmap.h"

#include "base/xmlplace.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 299

/* U+FFFE and U+FFFF. */
static bool is_noncharacter(const char *text)
{
    return strncmp(text, "\xef\xbf\xbe", 3) == 0
           || strncmp(text, "\xef\xbf\xbf", 3) == 0;
}

void sssrmap_escape(struct strbuf *out, const char *text)
{
    for (; *text; text++) {
        char c[2] = {*text, 0};
        if (is_noncharacter(text))
            text += 2;
        else if (*text == 0x7f)
            continue;
        else if (*text == '&')
            strbuf_add(out, "&amp;");
        else if (*text == '<')
            strbuf_add(out, "&lt;");
        else if (*text == '>')
            strbuf_add(out, "&gt;");
        else if (*text == '"')
            strbuf_add(out, "&quot;");
        else if ((unsigned char)*text >= ' ' || *text == '\t' || *text == '\n')
            strbuf_add(out, c);
    }
}

#define SUM_TEXT 32 /* 20 bytes in base64 are 28 */
struct sums {
    char digest[SUM_TEXT], signature[SUM_TEXT];
};

static struct sums sum_up(const char *body, size_t len, const char *key)
{
    unsigned char digest[SHA_DIGEST_LENGTH], mac[EVP_MAX_MD_SIZE];
    unsigned int n = 0;
    struct sums sums;

    SHA1((const unsigned char *)body, len, digest);
    HMAC(EVP_sha1(), key, (int)strlen(key), digest, sizeof digest, mac, &n);
    EVP_EncodeBlock((unsigned char *)sums.digest, digest, sizeof digest);
    EVP_EncodeBlock((unsigned char *)sums.signature, mac, (int)n);
    return sums;
}

char *sssrmap_envelope(const char *body, const char *key)
{
    struct sums sums = sum_up(body, strlen(body), key);
    struct strbuf text = {0};

    strbuf_printf(&text,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Envelope>%s<Signature>"
        "<DigestValue>%s</DigestValue><SignatureValue>%s</SignatureValue>"
        "<SecurityToken type=\"Symmetric\"></SecurityToken></Signature></Envelope>",
        body, sums.digest, sums.signature);
    return strbuf_take(&text);
}

/* ---- responses ------------------------------------------------------------------- */

struct reading {
    struct sssrmap_response *ret;
    char text[TEXT_MAX + 1]; /* of the element that is open */
    size_t len;
    int in_status, depth;
    char digest[TEXT_MAX + 1], signature[TEXT_MAX + 1];
    long body_from, body_to; /* bytes of the Body element; -1 = not there */
    XML_Parser parser;
};

/* Inside of the Body that the signature is of: nothing else is believed. */
static bool is_signed(const struct reading *r)
{
    return r->body_from >= 0 && r->body_to < 0;
}

static void on_start(void *ctx, const char *name, const char **attributes)
{
    struct reading *r = ctx;

    (void)attributes;
    r->len = 0;
    r->depth++;
    if (r->depth == 2 && strcmp(name, "Body") == 0 && r->body_from < 0)
        r->body_from = xmlplace_begin(r->parser);
    /* the response's own, not one of an object among the data */
    r->in_status += is_signed(r) && r->depth == 4 && strcmp(name, "Status") == 0;
}

static void on_text(void *ctx, const char *text, int n)
{
    struct reading *r = ctx;

    for (int i = 0; i < n && r->len < TEXT_MAX; i++)
        r->text[r->len++] = text[i];
}

static void copy_text(char *ret, size_t size, const char *text)
{
    snprintf(ret, size, "%s", text);
}

/* -1: that is none. */
static int read_code(const char *text)
{
    size_t digits = strspn(text, "0123456789");

    return digits > 0 && digits < 6 && !text[digits] ? (int)strtol(text, NULL, 10) : -1;
}

static void on_end(void *ctx, const char *name)
{
    struct reading *r = ctx;
    struct sssrmap_response *ret = r->ret;

    r->text[r->len] = 0;
    if (r->in_status && strcmp(name, "Code") == 0)
        ret->code = read_code(r->text);
    else if (r->in_status && strcmp(name, "Message") == 0)
        copy_text(ret->message, sizeof ret->message, r->text);
    else if (is_signed(r) && strcmp(name, "Count") == 0)
        ret->count = strtol(r->text, NULL, 10);
    else if (is_signed(r) && strcmp(name, "Charge") == 0
             && (!*ret->charge || strtod(r->text, NULL) > strtod(ret->charge, NULL)))
        copy_text(ret->charge, sizeof ret->charge, r->text);
    else if (strcmp(name, "DigestValue") == 0)
        copy_text(r->digest, sizeof r->digest, r->text);
    else if (strcmp(name, "SignatureValue") == 0)
        copy_text(r->signature, sizeof r->signature, r->text);
    if (r->depth == 2 && strcmp(name, "Body") == 0 && r->body_to < 0)
        r->body_to = xmlplace_end(r->parser);
    r->in_status -= r->in_status && r->depth == 4 && strcmp(name, "Status") == 0;
    r->depth--;
    r->len = 0;
}

static int check_signature(
    const struct reading *r, const char *document, const char *key, struct err *err)
{
    struct sums sums;

    if (r->body_from < 0 || r->body_to <= r->body_from)
        return err_set(err, ERR_INVALID, "the bank's answer has no Body");
    sums = sum_up(document + r->body_from, (size_t)(r->body_to - r->body_from), key);
    if (strcmp(sums.digest, r->digest) != 0
        || strcmp(sums.signature, r->signature) != 0)
        return err_set(err, ERR_DENIED,
            "the bank's answer is not signed with our key: is KEYFILE the same there?");
    return 0;
}

int sssrmap_read(const char *document, size_t len, const char *key,
    struct sssrmap_response *ret, struct err *err)
{
    struct reading r = {.ret = ret, .body_from = -1, .body_to = -1};
    int result = 0;

    *ret = (struct sssrmap_response){.code = -1};
    r.parser = XML_ParserCreate(NULL);
    XML_SetUserData(r.parser, &r);
    XML_SetElementHandler(r.parser, on_start, on_end);
    XML_SetCharacterDataHandler(r.parser, on_text);
    if (XML_Parse(r.parser, document, (int)len, 1) != XML_STATUS_OK)
        result =
            err_set(err, ERR_INVALID, "the bank's answer is no XML: %s (line %llu)",
                XML_ErrorString(XML_GetErrorCode(r.parser)), xmlplace_line(r.parser));
    else
        result = check_signature(&r, document, key, err);
    XML_ParserFree(r.parser);
    return result;
}
