/* SPDX-License-Identifier: Apache-2.0
 * The wire form of SSSRMAP 3: a signed envelope around a request, and what is read of a
 * response. Source: reference allocation-managers, section 3.
 *
 *     <Envelope><Body>...</Body><Signature><DigestValue/><SignatureValue/>
 *     <SecurityToken type="Symmetric"/></Signature></Envelope>
 *
 *     digest     SHA-1 of the very bytes of the Body element
 *     signature  HMAC-SHA1 of these 20 bytes, with the site's key; both in base64 */
#ifndef MAUI_AM_BANK_SSSRMAP_H
#define MAUI_AM_BANK_SSSRMAP_H

#include "base/err.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

/* `text` as the text of an element or attribute. What XML 1.0 has no place for is left
 * out. */
void sssrmap_escape(struct strbuf *out, const char *text);

/* The document around `body`, which is a whole Body element; owned. */
char *sssrmap_envelope(const char *body, const char *key);

struct sssrmap_response {
    int code;          /* of the status; -1 = there was none */
    char message[300]; /* the status's */
    long count;        /* of objects */
    char charge[60];   /* the largest Charge among the data; "" = none */
};

/* Out of a document that is signed with the key: one that is not, or is no XML, is
 * refused. */
int sssrmap_read(const char *document, size_t len, const char *key,
    struct sssrmap_response *ret, struct err *err);

#endif
