/* SPDX-License-Identifier: Apache-2.0
 * Reservations as people ask for them, from JSON. Private to src/server. */
#ifndef MAUI_SERVER_RSVASKED_H
#define MAUI_SERVER_RSVASKED_H

#include "base/duration.h"
#include "cluster/reservation.h"

#include <jansson.h>

struct server;

/* The draft that a ReservationDraft asks for, owned by the caller. -1 with a sentence
 * when it cannot be read. Needs no daemon. */
int rsvasked_read(struct cluster *c, const struct calendar *cal, json_t *o,
    enum rsv_kind kind, struct reservation *ret, struct err *err);

/* The same, now. */
int rsvasked_draft(struct server *s, json_t *o, enum rsv_kind kind,
    struct reservation *ret, struct err *err);

#endif
