/* SPDX-License-Identifier: Apache-2.0
 * The files of the page, which are in the program: scripts/bundle makes them of web/.
 * They are the same for everybody and tell nothing of the site. */
#ifndef MAUI_SERVER_ASSETS_H
#define MAUI_SERVER_ASSETS_H

#include "server/http/request.h"

struct asset {
    const char *path; /* as "/ui/assets/main-1a2b3c4d.js"; "/ui/" is the page itself */
    const char *type;
    const unsigned char *gzip; /* its bytes, compressed */
    size_t gzip_len, len;
};

/* All of them, made by scripts/bundle; *ret_n is 0 when the page was not built. */
const struct asset *assets_all(size_t *ret_n);

/* A name of this very set of files: another one is another program. */
const char *assets_build(void);

/* Answer a GET of "/", of an asset, or of a view ("/ui/jobs"), which is the page. */
void assets_answer(struct request *r);

/* -1 with what to do about it when the page was not built. */
int assets_built(struct err *err);

#endif
