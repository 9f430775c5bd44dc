/* SPDX-License-Identifier: Apache-2.0
 * The lines of checkjob, from a Job record of the API. */
#ifndef MAUI_CLIENT_CHECKJOB_LINES_H
#define MAUI_CLIENT_CHECKJOB_LINES_H

#include "client/kit/lists.h"

#include <stdbool.h>

/* Print the job in the classic order of lines (reference commands, checkjob). */
void checkjob_print(const json_t *o, bool verbose);

/* One that has ended, of which accounting tells. */
void checkjob_print_ended(const json_t *o);

#endif
