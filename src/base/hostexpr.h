/* SPDX-License-Identifier: Apache-2.0
 * Host expressions: which nodes a person means.
 *
 * Elements are separated by commas (not those inside [] or {}). Each is the first
 * of these that fits:
 *
 *     ALL or [ALL]      every node
 *     class:<c>         the nodes that serve class c
 *     +<name>           that name, letter for letter
 *     a node's name     that node only
 *     node[01-10]       a range: numbers of several digits in brackets, matched
 *                       as whole names; `[8,10-12]` too
 *     anything else     a regular expression, found anywhere in the name, without
 *                       regard to case: `^node0[1-4]$`, `gpu`
 *
 * `node0[1-4]` is a regular expression, which names the same nodes as the range
 * would. Patterns from outside are bounded in length, nesting and effort. */
#ifndef MAUI_BASE_HOSTEXPR_H
#define MAUI_BASE_HOSTEXPR_H

#include "base/bitset.h"
#include "base/err.h"
#include "base/vec.h"

#define HOSTEXPR_ELEMENT_MAX 1000 /* bytes of one element */

/* The nodes to choose from, in RM order. */
struct hostexpr_nodes {
    uint32_t count;
    const char *(*name_at)(void *ctx, uint32_t index);
    /* May be NULL: the number of a name, or BITSET_NONE. Saves a walk. */
    uint32_t (*find)(void *ctx, const char *name);
    /* May be NULL: put the nodes of a class into the set; -1 = no such class. */
    int (*in_class)(void *ctx, const char *name, struct bitset *into);
    void *ctx;
};

/* Each node once: elements in the order written, nodes of one in RM order. */
struct hostexpr_hosts {
    struct VEC(uint32_t) order;
    struct bitset set;
};

/* Add the nodes meant by `text` to *hosts (zeroed at first; freed with
 * hostexpr_hosts_fini). Fails with ERR_INVALID on a malformed element and with
 * ERR_NOT_FOUND when an element matches no node; the nodes of the other elements
 * are there all the same. Cost: elements x nodes. */
int hostexpr_match(const char *text, const struct hostexpr_nodes *nodes,
    struct hostexpr_hosts *hosts, struct err *err);

void hostexpr_hosts_fini(struct hostexpr_hosts *hosts);

/* Is the text well formed? 0, or -1 with ERR_INVALID. */
int hostexpr_check(const char *text, struct err *err);

#endif
