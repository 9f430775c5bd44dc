/* SPDX-License-Identifier: Apache-2.0
 * Where the web page is, and what keeps it off. */
#include "server/web/place.h"

#include "config/config.h"
#include "config/value.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool is_origin(const char *text)
{
    size_t scheme = strncmp(text, "https://", 8) == 0  ? 8
                    : strncmp(text, "http://", 7) == 0 ? 7
                                                       : 0;

    return scheme && text[scheme] && !strpbrk(text + scheme, "/?# \t@");
}

/* The names under which a browser may call it there. */
static bool is_loopback(const char *address)
{
    return strcmp(address, "127.0.0.1") == 0 || strcmp(address, "::1") == 0
           || strcasecmp(address, "localhost") == 0;
}

/* What goes over a network is encrypted, and goes by a name that is known. */
static int check_address(
    const char *address, const char *origin, const struct tls *tls, struct err *err)
{
    if (strlen(address) >= sizeof(((struct page_place *)NULL)->address))
        return err_set(err, ERR_INVALID, "WEBADDRESS: expected an address");
    if (is_loopback(address))
        return 0;
    if (!tls->cert)
        return err_set(err, ERR_INVALID,
            "WEBADDRESS '%.60s': without TLS (WEBCERT, WEBKEY) the page listens at "
            "127.0.0.1 only; give it both, put a proxy with TLS before it (WEBORIGIN), "
            "or use ssh -L",
            address);
    if (strncmp(origin, "https://", 8) != 0)
        return err_set(err, ERR_INVALID,
            "WEBADDRESS '%.60s': WEBORIGIN is needed, https://NAME:PORT as browsers "
            "are to call the page",
            address);
    return 0;
}

int page_place_read(
    const struct config *c, const char *home, struct page_place *ret, struct err *err)
{
    const char *port = cfg_get(c, "WEBPORT", NULL);
    const char *address = cfg_get(c, "WEBADDRESS", NULL);
    const char *origin = cfg_get(c, "WEBORIGIN", NULL);
    int64_t n = 0;

    *ret = (struct page_place){.port = 0};
    address = address && *address ? address : "127.0.0.1";
    origin = origin ? origin : "";
    if (*origin && !is_origin(origin))
        return err_set(err, ERR_INVALID,
            "WEBORIGIN '%.60s': expected https://NAME or https://NAME:PORT", origin);
    if (port && *port && value_int(port, 0, 65535, &n, err) < 0)
        return err_prefix(err, "WEBPORT: ");
    if (tls_read(home, cfg_get(c, "WEBCERT", NULL), cfg_get(c, "WEBKEY", NULL),
            &ret->tls, err)
        < 0)
        return -1;
    if (check_address(address, origin, &ret->tls, err) < 0) {
        page_place_fini(ret);
        return -1;
    }
    snprintf(ret->origin, sizeof ret->origin, "%s", origin);
    snprintf(ret->address, sizeof ret->address, "%s", address);
    ret->port = (uint16_t)n;
    return 0;
}

void page_place_fini(struct page_place *p)
{
    tls_fini(&p->tls);
}

bool page_place_same(const struct page_place *a, const struct page_place *b)
{
    return a->port == b->port && strcmp(a->address, b->address) == 0
           && tls_same(&a->tls, &b->tls);
}
