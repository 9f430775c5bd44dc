/* SPDX-License-Identifier: Apache-2.0
 * Reservations as JSON, out and in, everything by name: drafts, for the journal, and
 * what is remembered of instances of standing ones. */
#ifndef MAUI_RECORDS_RSVJSON_H
#define MAUI_RECORDS_RSVJSON_H

#include "plan/rsvmemory.h"
#include "records/reader.h"

/* A draft as it is told to the engine. A new reference. */
json_t *rsvjson_draft(const struct cluster *c, const struct reservation *draft);

/* Owned by the caller (reservation_fini()) also after a failure, which is in the
 * reader. Credentials and features that are new are created. */
void rsvjson_read_draft(
    struct reader *r, struct cluster *c, const json_t *o, struct reservation *ret);

json_t *rsvjson_instance(const struct rsv_memory *m);

/* Texts and places borrow from the reader, triggers are added to *ret_triggers and
 * borrowed from there. */
void rsvjson_read_instance(struct reader *r, const json_t *o,
    struct trigger_list *ret_triggers, struct rsv_memory *ret);

#endif
