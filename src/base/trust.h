/* SPDX-License-Identifier: Apache-2.0
 * Files that the daemon acts by: whoever can write them can have it do anything, as
 * root if that is who it is. */
#ifndef MAUI_BASE_TRUST_H
#define MAUI_BASE_TRUST_H

#include "base/err.h"

#include <stdbool.h>

/* 0 when that absolute path is a regular file (to be executed, if `exec`), and it and
 * all folders and links on the way to it belong to root or to us and can be written by
 * nobody else (folders with the sticky bit excepted). -1 with what is wrong. */
int trust_check(const char *path, bool exec, struct err *err);

#endif
