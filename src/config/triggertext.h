/* SPDX-License-Identifier: Apache-2.0
 * Triggers of reservations as text:
 *
 *     <event>[+<offset>][@<threshold>]{;|:}<action>[@<data>][,<trigger>...]
 *
 * event create, start, end or minload; offset [[HH:]MM:]SS; action cancel, exec or
 * submit. A comma inside the data stays there unless an event follows it. When they
 * are due is in plan/trigger. Source: reference reservations 10. */
#ifndef MAUI_CONFIG_TRIGGERTEXT_H
#define MAUI_CONFIG_TRIGGERTEXT_H

#include "base/err.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum trigger_event { TRIGGER_CREATE, TRIGGER_START, TRIGGER_END, TRIGGER_MINLOAD };
enum trigger_action { TRIGGER_CANCEL, TRIGGER_EXEC, TRIGGER_SUBMIT };

struct trigger {
    enum trigger_event event;
    enum trigger_action action;
    int64_t offset_s;
    double threshold; /* load per reserved processor, minload only */
    char *data;       /* owned: what to run or submit; NULL for cancel */
    /* of a reservation's copy */
    bool fired;
    int64_t fired_at;
};
struct trigger_list VEC(struct trigger);

/* Add the triggers of the text to the end of *list. -1 with a sentence, and nothing
 * added. */
int triggertext_parse(const char *text, struct trigger_list *list, struct err *err);

/* What triggertext_parse() reads back: "start+5:00:00;exec@/x.pl". Returns the
 * length as snprintf does. */
int triggertext_format(const struct trigger *t, char *buf, size_t size);

/* A copy with nothing fired, owned by the caller; and the end of one. */
struct trigger_list triggertext_copy(const struct trigger_list *list);
void triggertext_fini(struct trigger_list *list);

const char *trigger_event_name(enum trigger_event e);
const char *trigger_action_name(enum trigger_action a);

#endif
