/* SPDX-License-Identifier: Apache-2.0
 * How the WIKI protocol cuts a connection into messages, the same both ways:
 *
 *     00000022\nCMD=GETNODES ARG=0:ALL      eight digits, a newline, that many bytes */
#ifndef MAUI_RM_WIKI_FRAME_H
#define MAUI_RM_WIKI_FRAME_H

#include "base/err.h"
#include "base/strbuf.h"

#include <stdbool.h>

#define FRAME_HEAD 9           /* bytes before the payload */
#define FRAME_MOST (64u << 20) /* bytes of a payload that is taken */

/* A payload into `out`, in its frame. It has to be shorter than 10^8 bytes. */
void frame_write(struct strbuf *out, const char *payload, size_t n);

/* A frame on its way in. Zeroed: nothing has come. Memory grows with what came, never
 * with what was announced. */
struct frame {
    char head[FRAME_HEAD];
    size_t have;        /* bytes of the head */
    size_t length;      /* of the payload; known when the head is there */
    struct strbuf body; /* owned */
};

/* Bytes that came. 1: the payload is whole, in `body`; 0: more has to come; -1 with an
 * error: it is no frame, or one of more than FRAME_MOST bytes. What comes behind a
 * whole frame is left out. */
int frame_take(struct frame *f, const char *bytes, size_t n, struct err *err);
void frame_fini(struct frame *f);

#endif
