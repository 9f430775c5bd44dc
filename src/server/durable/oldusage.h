/* SPDX-License-Identifier: Apache-2.0
 * Fairshare usage as a classic Maui leaves it: a file FS.<begin> for each window, begin
 * a multiple of FSINTERVAL, with lines "USER ann 150000.0". Source: reference
 * fairshare 7. */
#ifndef MAUI_SERVER_OLDUSAGE_H
#define MAUI_SERVER_OLDUSAGE_H

#include "base/vec.h"
#include "config/texts.h"
#include "policy/fsmemory.h"

struct oldusage_row;
struct oldusage {
    struct oldusage_row *known; /* by their keys; they own names */
    struct VEC(struct fs_memory) rows;
    unsigned files;          /* that were read */
    unsigned names_refused;  /* lines whose name can be nobody's */
    bool others;             /* none was there, but FS.* of other instants are */
    struct text_list faults; /* "PATH: why": files that are there and cannot be read */
};

/* What the files of that folder say of the window that `now` falls in and of those
 * before it, `depth` in all (at most FS_DEPTH_MAX). A file that is not there, or lines
 * that say nothing, count as no usage. With faults it is not all that was used.
 * Released by oldusage_fini(). O(lines). */
void oldusage_read(struct oldusage *ret, const char *folder, int64_t interval_s,
    uint32_t depth, int64_t now);
void oldusage_fini(struct oldusage *u);

#endif
