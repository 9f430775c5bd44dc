/* SPDX-License-Identifier: Apache-2.0
 * PBS's commands over one connection that is kept, for OpenPBS: maui-pbs-line does them
 * with PBS's own library, where that is. A start is 2 ms then, not 20, a look a few,
 * and neither takes a privileged port. Where there is no such library, and until it is
 * loaded, the commands themselves are run: they are all there is to be known of it.
 *
 *     pbs_run() --- line_start() ---> maui-pbs-line ---> libpbs ---> the server
 *         '-- false: runs_start() --> qstat, qrun ...
 *
 * One command at a time on each. Looks have lines of their own, and so have orders that
 * the server alone carries out, and those that may take long, as the node has to
 * answer: several of each, so that one that is slow holds up the others little. */
#ifndef MAUI_RM_PBS_LINE_H
#define MAUI_RM_PBS_LINE_H

#include "rm/adapter/run.h"

struct line;

/* `qstat -t -f -F json` with this and seconds since 1970 is what a line alone can: jobs
 * that have not changed since then, by the server's clock, are null. With -x it has
 * those too that have ended since then. */
#define PBS_SINCE "--since="

/* The program is started when there is something for it. */
struct line *line_new(sd_event *loop);
void line_destroy(struct line *l); /* nothing more is told */
/* As runs_start(), but for `extra` of the spec: what it does not
 * answer in time is answered as hung, and its program killed. False: run the command,
 * the line is not there (yet). */
bool line_start(struct line *l, const struct run_spec *spec,
    void (*ended)(void *ctx, const struct run_end *end), void *ctx);
/* Of several lines that on which there is most room for the command, of those that are
 * in use; where all of these have something to do another is begun, for later ones. But
 * where one about the same job (the last word) waits, or about its array, that line:
 * they stay in order. NULL: all are dead for good. O(commands). */
struct line *line_choose(struct line *const *lines, size_t n, const char *const *argv);
/* Is it in use? */
bool line_is_ready(const struct line *l);

/* As runs_end() and runs_owed(). */
void line_end(struct line *l);
size_t line_owed(const struct line *l);

#endif
