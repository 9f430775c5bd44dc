/* SPDX-License-Identifier: Apache-2.0
 * Who asks about the future, or the queue, while scheduling is stopped is told so. */
#ifndef MAUI_CLIENT_STOPPED_H
#define MAUI_CLIENT_STOPPED_H

#include <jansson.h>

/* On stderr, when the answer says that scheduling is stopped ("paused"): until when,
 * and that the answer is as of then. */
void stopped_note(const json_t *answer);

/* The same of what the last iteration left: the order of the queue, and what keeps
 * jobs. What was ordered since, as the release of a hold, is not in it. */
void stopped_note_queue(const json_t *answer);

#endif
