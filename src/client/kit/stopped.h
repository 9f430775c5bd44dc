/* SPDX-License-Identifier: Apache-2.0
 * Who asks about the future while scheduling is stopped is told so. */
#ifndef MAUI_CLIENT_STOPPED_H
#define MAUI_CLIENT_STOPPED_H

#include <jansson.h>

/* On stderr, when the answer says that scheduling is stopped ("paused"): until when,
 * and that the answer is as of then. */
void stopped_note(const json_t *answer);

#endif
