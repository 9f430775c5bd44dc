/* SPDX-License-Identifier: Apache-2.0
 * The lines of a text, one at a time: a file, plain or gzip'd, or memory. The file
 * is read in large blocks and never held as a whole. */
#ifndef MAUI_TRACE_LINES_H
#define MAUI_TRACE_LINES_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/* Longer lines are refused: no trace has them, and they must fit into memory. */
#define LINE_LENGTH_MAX ((size_t)1 << 20)

struct lines;

/* NULL with a sentence (ERR_IO) when the file cannot be read. */
struct lines *lines_open(const char *path, struct err *err);

/* Lines of `size` bytes at `text`, borrowed until lines_close(); `name` is shown in
 * place of the path. */
struct lines *lines_open_memory(const char *name, const char *text, size_t size);

void lines_close(struct lines *in);

/* The next line without its end ("\n" or "\r\n"), terminated, borrowed until the next
 * call; *ret_len tells of bytes 0 within. 1, 0 at the end, -1 on failure (ERR_IO: read
 * error, broken gzip data, line too long; the sentence begins with FILE:LINE). */
int lines_next(struct lines *in, char **ret_text, size_t *ret_len, struct err *err);

/* Make the next call return the same line again. */
void lines_unread(struct lines *in);

const char *lines_name(const struct lines *in); /* borrowed */
uint64_t lines_number(const struct lines *in);  /* of the last line, from 1 */

#endif
