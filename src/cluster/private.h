/* SPDX-License-Identifier: Apache-2.0
 * What the files of this room share with each other and with nobody else. */
#ifndef MAUI_CLUSTER_PRIVATE_H
#define MAUI_CLUSTER_PRIVATE_H

#include "base/xalloc.h"
#include "cluster/cluster.h"

#include <assert.h>

/* Running out of memory never reaches uthash: xmalloc() does not return then. */
#define uthash_malloc(size)     xmalloc(size)
#define uthash_free(area, size) free(area)
#define uthash_fatal(text)      assert(!(text))
#include <uthash.h>
