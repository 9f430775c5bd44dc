/* SPDX-License-Identifier: Apache-2.0
 * Whom and when a job's mail is sent to, as its owner wrote it. What passes here may
 * stand on the line of a program and in a header of a mail: letters, digits and
 * . _ + = % - @ alone, no hyphen in front. Pure. */
#ifndef MAUI_CONFIG_MAILTEXT_H
#define MAUI_CONFIG_MAILTEXT_H

#include "base/err.h"

#include <stdbool.h>

#define MAILTEXT_ADDRESSES 10  /* of one job */
#define MAILTEXT_BYTES     254 /* of one address */

/* "mira@site,bob": 0, or -1 with a sentence. */
int mailtext_check_addresses(const char *text, struct err *err);

/* Letters, each once: a (aborted), b (begun), e (ended), f (ended and failed); or n for
 * none. 0, or -1 with a sentence. */
int mailtext_check_when(const char *text, struct err *err);

/* Is one of the letters in `when`, which may be NULL? */
bool mailtext_wants(const char *when, const char *letters);

#endif
