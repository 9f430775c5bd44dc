/* SPDX-License-Identifier: Apache-2.0
 * uthash with our memory: xmalloc() does not return when memory runs out, so the
 * library's own way out (which would end the process) is never taken. */
#ifndef MAUI_BASE_HASH_H
#define MAUI_BASE_HASH_H

#include "base/xalloc.h"

#include <assert.h>

#define uthash_malloc(size)     xmalloc(size)
#define uthash_free(area, size) free(area)
#define uthash_fatal(text)      assert(!(text))

#include <uthash.h>

#endif
