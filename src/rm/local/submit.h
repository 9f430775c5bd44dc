/* SPDX-License-Identifier: Apache-2.0
 * Submissions, and the numbers jobs get. */
#ifndef MAUI_RM_LOCAL_SUBMIT_H
#define MAUI_RM_LOCAL_SUBMIT_H

#include "rm/rm.h"

struct write_task;

int local_submit(struct rm *rm, const struct rm_submission *s, struct err *err);
int local_take_id(struct rm *rm, char *ret_id, size_t size, struct err *err);
/* Takes the text of the request. */
void submit_add_files(
    struct write_task *t, const struct rm_submission *s, char *request);
bool id_is_valid(const char *id);
int64_t id_number(const char *id); /* the digits it begins with, 0 = none */

#endif
