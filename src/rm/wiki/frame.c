/* SPDX-License-Identifier: Apache-2.0
 * Frames: written, and read bit by bit. */
#include "rm/wiki/frame.h"

#include <ctype.h>
#include <stdlib.h>

void frame_write(struct strbuf *out, const char *payload, size_t n)
{
    strbuf_printf(out, "%08zu\n", n);
    strbuf_add_n(out, payload, n);
}

/* All nine bytes are there. */
static int read_head(struct frame *f, struct err *err)
{
    size_t length = 0;

    for (size_t i = 0; i < FRAME_HEAD - 1; i++) {
        if (!isdigit((unsigned char)f->head[i]))
            return err_set(err, ERR_INVALID,
                "no message of the protocol: it does not begin with eight digits");
        length = length * 10 + (size_t)(f->head[i] - '0');
    }
    if (f->head[FRAME_HEAD - 1] != '\n')
        return err_set(err, ERR_INVALID,
            "no message of the protocol: no newline behind its length");
    if (length == 0)
        return err_set(err, ERR_INVALID, "a message of 0 bytes");
    if (length > FRAME_MOST)
        return err_set(err, ERR_INVALID, "a message of %zu bytes; expected at most %u",
            length, FRAME_MOST);
    f->length = length;
    return 0;
}

int frame_take(struct frame *f, const char *bytes, size_t n, struct err *err)
{
    size_t left;

    while (n > 0 && f->have < FRAME_HEAD) {
        f->head[f->have++] = *bytes++;
        n--;
        if (f->have == FRAME_HEAD && read_head(f, err) < 0)
            return -1;
    }
    if (f->have < FRAME_HEAD)
        return 0;
    left = f->length - f->body.len;
    strbuf_add_n(&f->body, bytes, n < left ? n : left);
    return f->body.len == f->length;
}

void frame_fini(struct frame *f)
{
    free(f->body.text);
    *f = (struct frame){0};
}
