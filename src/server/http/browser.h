/* SPDX-License-Identifier: Apache-2.0
 * Is it a browser that asks on the unix socket? Somebody who forwards the socket to a
 * port lets every web site in that browser ask with their rights, without knowing. A
 * browser gives itself away: by the name under which it found us, by the site it acts
 * for, or by a body such as a form sends. */
#ifndef MAUI_SERVER_BROWSER_H
#define MAUI_SERVER_BROWSER_H

#include "base/err.h"

#include <stdbool.h>

/* What a request's head says; NULL where it says nothing. */
struct browser_head {
    const char *method, *host, *origin, *content_type;
    const char *fetch; /* the name of a Sec-Fetch-* header */
    bool has_body;
    const char *own_name; /* of this service besides the usual ones, or NULL */
};

/* 0, or the HTTP status to refuse with, and a sentence that says what is expected. */
int browser_refuse(const struct browser_head *head, struct err *err);

/* ---- the listener of the page, which is for browsers ---- */

struct browser_page {
    const char *method, *host, *origin, *content_type; /* NULL where it says nothing */
    const char *fetch_site, *fetch_mode, *fetch_dest;  /* values of Sec-Fetch-* */
    bool has_body;
    bool document;   /* what is asked for is the same for everybody, and a page */
    bool tls;        /* the listener has TLS: origins are https:// */
    const char *own; /* an origin under which it is known besides, or NULL */
};

/* As browser_refuse(): only our own page may ask here, found under our own name. */
int browser_refuse_site(const struct browser_page *head, struct err *err);

/* Was it found under the name of `own`, an origin with https? Such a name may be told
 * to be of TLS for good; localhost is that of other servers, too. NULL is allowed. */
bool browser_is_own(const char *host, const char *own);

#endif
