/* SPDX-License-Identifier: Apache-2.0
 * How often lower jobs passed each that waits. One record of all: a cycle in which one
 * starts out of order counts up nearly everybody. Private to src/server. */
#ifndef MAUI_SERVER_PASSED_H
#define MAUI_SERVER_PASSED_H

#include <stdint.h>

struct server;

void passed_open(struct server *s);
void passed_close(struct server *s);

/* Write it if somebody was passed since; of a long queue once in a minute at most.
 * Nothing here commits. */
void passed_save(struct server *s);

/* Before the first job is told; and when all have been. */
void passed_load(struct server *s);
void passed_forget(struct server *s);

/* Of a job of before the restart; `known` when the record does not tell. */
uint32_t passed_recall(const struct server *s, const char *job, uint32_t known);

#endif
