/* SPDX-License-Identifier: Apache-2.0
 * A file that is appended to and rolled when it has grown: FILE becomes FILE.1, that
 * FILE.2 and so on; the last goes. Each write is whole and with the kernel when it
 * returns, so that a kill -9 loses nothing of it. */
#ifndef MAUI_SERVER_ROLLFILE_H
#define MAUI_SERVER_ROLLFILE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rollfile {
    char *path;             /* owned */
    int fd;                 /* -1 = it cannot be written */
    int64_t size, size_max; /* bytes; 0 = it is never rolled */
    int depth;              /* rolled files kept; 0 = it begins anew, nothing is kept */
};

/* Opens, with the folder the path is in if that is missing. -1 with a sentence when it
 * cannot be written; it is there all the same, and writes fail. */
int rollfile_open(
    struct rollfile *f, const char *path, int64_t size_max, int depth, struct err *err);
void rollfile_close(struct rollfile *f);

/* Other limits; another path is opened (NULL = the same). -1 as above, and the old file
 * is kept. */
int rollfile_configure(
    struct rollfile *f, const char *path, int64_t size_max, int depth, struct err *err);

/* Append all of it to an open file, or none: the half of a line that the last room on a
 * disk took would spoil the next one. False with errno. */
bool rollfile_append(int fd, const char *bytes, size_t n);

/* False: it was not written. Rolls afterwards. */
bool rollfile_write(struct rollfile *f, const char *bytes, size_t n);

#endif
