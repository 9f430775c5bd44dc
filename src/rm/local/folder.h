/* SPDX-License-Identifier: Apache-2.0
 * Files in a folder, given as an open descriptor of it: read whole, written so that a
 * reader sees the old text or the new one, locked. Both the daemon and the keepers. */
#ifndef MAUI_RM_LOCAL_FOLDER_H
#define MAUI_RM_LOCAL_FOLDER_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define FOLDER_FILE_MAX (64 * 1024 * 1024) /* bytes of one file that is read */

/* The open folder (close-on-exec), or -1. AT_FDCWD as parent is allowed. */
int folder_open(int parent, const char *name, struct err *err);

/* The text of a file with a NUL behind it, owned by the caller. NULL on failure:
 * err->code is ERR_NOT_FOUND when there is no such file. */
char *folder_read(int folder, const char *name, size_t *ret_len, struct err *err);

/* Write NAME.new and rename it. Not yet on the disk: folder_sync(). */
int folder_write(
    int folder, const char *name, const char *text, size_t len, struct err *err);

/* Write a file in its place, on the disk when `sync`. For folders nobody reads yet. */
int folder_create(int folder, const char *name, const char *text, size_t len, bool sync,
    struct err *err);

/* Bring the file (NULL = only the folder's names) and the folder's names to the disk.
 */
int folder_sync(int folder, const char *name, struct err *err);

/* Remove everything below and the thing itself, never following a symbolic link. Gone
 * already counts as done. */
int folder_remove(int parent, const char *name);

/* The same, looking at no more than *left entries, which are counted down. 0 = gone, 1
 * = there is more to do, -1 = something cannot be removed. Takes 32 open files at most,
 * however deep it goes. */
int folder_remove_some(int parent, const char *name, unsigned *left);

/* What the thing and everything below it take on the disk, in MB, up to a hundred
 * thousand files; 0 when there is nothing. Never follows a symbolic link. */
int64_t folder_size_mb(const char *path);

/* Take the lock: the descriptor, to be kept open; -1 with ERR_CONFLICT when somebody
 * has it. It ends with the process. A process must not open its lock file again. */
int folder_lock(int folder, const char *name, struct err *err);

/* Who holds the lock: 0 = nobody, -1 = it cannot be told. */
pid_t folder_lock_holder(int folder, const char *name);

/* "cannot WHAT: strerror(code)", as ERR_IO. */
int folder_error(struct err *err, int code, const char *what, const char *name);

#endif
