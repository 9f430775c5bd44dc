/* SPDX-License-Identifier: Apache-2.0
 * The interface of rm.h as lines of JSON, between the daemon and an adapter: a program
 * of its own that drives a resource manager by a foreign library or may hang.
 *
 *   daemon -> adapter   {"open": {...}}   once, first: what RMCFG says
 *                       {"ping": n}       some times a minute; the scheduler lives
 *                       {"poll": true}    look again now
 *                       {"command": {...}}, {"submit": {...}}, {"note": {...}}
 *   adapter -> daemon   {"node": {...}}, {"node_gone": "n1"}, {"job": {...}},
 *                       {"job_gone": "12"}, {"job_kept": "12"}, {"reservation": {...}},
 *                       {"reservation_gone": "r"}, {"limits": {...}},
 *                       {"rights": {...}}, {"synced": true}, {"done": {...}},
 *                       {"health": {...}}
 *
 * Writers return an owned line with its end. Readers borrow texts from the reader. */
#ifndef MAUI_RM_WIRE_H
#define MAUI_RM_WIRE_H

#include "records/reader.h"
#include "rm/rm.h"

#define WIRE_LINE_MAX (16 * 1024 * 1024) /* a longer line is no line of ours */

struct wire_room {
    struct rm_job job;
    struct rm_reservation reservation;
};

char *wire_report(const struct rm_report *r);
/* 0; -1 with an error when the line is not a report. What it tells of is in
 * `room`. */
int wire_read_report(
    struct reader *r, struct rm_report *ret, struct wire_room *room, struct err *err);

char *wire_command(const struct rm_command *c);
void wire_read_command(struct reader *r, const json_t *o, struct rm_command *ret);

char *wire_submission(const struct rm_submission *s);
void wire_read_submission(struct reader *r, const json_t *o, struct rm_submission *ret);

char *wire_note(const struct rm_note *n);
void wire_read_note(struct reader *r, const json_t *o, struct rm_note *ret);

/* A line of one member. Takes the reference to the value. */
char *wire_line(const char *key, json_t *value);

#endif
