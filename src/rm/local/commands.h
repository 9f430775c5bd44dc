/* SPDX-License-Identifier: Apache-2.0
 * What the scheduler commands. A job that is being started or written about is left
 * alone until that is over: its commands wait in their order. */
#ifndef MAUI_RM_LOCAL_COMMANDS_H
#define MAUI_RM_LOCAL_COMMANDS_H

#include "rm/local/record.h"
#include "rm/rm.h"

struct local_job;

/* A command with copies of what it points to. */
struct command {
    struct rm_command cmd;
    struct run places; /* only its places */
    char *text;
};

int local_command(struct rm *rm, const struct rm_command *cmd, struct err *err);
void commands_run(struct local_job *j, const struct command *c);
/* It starts one of an array, whose folder is then made first; ljob_next() follows. */
bool commands_need_folder(struct local_job *j, const struct command *c);
void command_free(struct command *c);

#endif
