/* SPDX-License-Identifier: Apache-2.0
 * The scheduler's clock: seconds since 1970. It never goes back while an engine lives:
 *
 *     real   100 101 102 | 41 42 ...  102 103     set back by a minute
 *     ours   100 101 102 | 102 102 .. 102 103     stands until the real one is there
 *
 * Set back by more than that, the engine begins anew with it (journal/anew.h). Set
 * forward, running jobs did not run meanwhile: resource managers are asked first.
 * Private to src/server. */
#ifndef MAUI_SERVER_CLOCK_H
#define MAUI_SERVER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

struct clock;

/* `loop` is borrowed: its time is read once a turn. */
struct clock *clock_create(sd_event *loop);
void clock_destroy(struct clock *k); /* or NULL */

int64_t clock_now(struct clock *k);
/* Of a clock that nobody sets, milliseconds. For searches that are bounded by time. */
int64_t clock_monotonic_ms(void);
/* A simulation's: from now on it is `at`, until this is called again. */
void clock_stand_at(struct clock *k, int64_t at);

/* It was `at` already: it is no less from now on. */
void clock_told(struct clock *k, int64_t at);

/* Was it set forward since this was asked last? */
bool clock_was_set_forward(struct clock *k);
/* As of the last clock_now(): ahead of the real one, and by so much that waiting for it
 * makes no sense. */
bool clock_is_ahead(const struct clock *k);
bool clock_is_wrong(const struct clock *k);
/* Follow the real one again, wherever it is. */
void clock_forget(struct clock *k);

#endif
