/* SPDX-License-Identifier: Apache-2.0
 * Where the web page is, as the configuration says: WEBADDRESS, WEBPORT, WEBORIGIN and,
 * with WEBCERT and WEBKEY, TLS. Of the daemon, and of `maui check`. */
#ifndef MAUI_SERVER_PLACE_H
#define MAUI_SERVER_PLACE_H

#include "server/web/tls.h"

#include <stdint.h>

struct config;

struct page_place {
    char origin[256]; /* WEBORIGIN; "" = none */
    char address[64]; /* WEBADDRESS */
    struct tls tls;   /* WEBCERT, WEBKEY */
    uint16_t port;    /* WEBPORT; 0 = the kernel's choice */
};

/* Reads the two files, which are of the folder `home` where they are no paths. -1 with
 * what keeps the page off: ERR_DENIED, the caller may not read one of them. Free with
 * page_place_fini(), also after -1. */
int page_place_read(
    const struct config *c, const char *home, struct page_place *ret, struct err *err);
void page_place_fini(struct page_place *p);

/* The same address, port and certificate? */
bool page_place_same(const struct page_place *a, const struct page_place *b);

#endif
