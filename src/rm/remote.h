/* SPDX-License-Identifier: Apache-2.0
 * The daemon's half of a driver whose other half is an adapter: a program beside this
 * one that speaks the lines of wire.h on its standard input, a socket. It is started
 * here, started again with growing pauses when it ends, and ended when it leaves
 * commands unanswered. While it is away the resource manager is out of reach: nothing
 * is decided, commands in flight are to be tried again, and what they did after all
 * shows when it tells everything anew.
 *
 * There may be a second program that speaks the same: taken where the first is not
 * there, and where it ends before it has told anything by saying that it cannot work
 * here. */
#ifndef MAUI_RM_REMOTE_H
#define MAUI_RM_REMOTE_H

#include "rm/rm.h"

#define REMOTE_CANNOT                                                                  \
    3 /* exit status: it can never work here; so does 127, of the loader */

/* For the open() of a driver: the adapter's name, and that of one to take where it
 * cannot work, or NULL. NULL with an error when there is no such program. */
struct rm *remote_open(const struct rm_driver *driver, const char *const programs[2],
    const struct rm_cfg *cfg, sd_event *loop, const struct rm_sink *sink,
    struct err *err);
void remote_close(struct rm *rm);
int remote_command(struct rm *rm, const struct rm_command *cmd, struct err *err);
int remote_submit(struct rm *rm, const struct rm_submission *s, struct err *err);
void remote_poll(struct rm *rm);
void remote_note(struct rm *rm, const struct rm_note *n);

#endif
