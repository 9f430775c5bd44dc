/* SPDX-License-Identifier: Apache-2.0
 * What is remembered of a job over a restart, as JSON: what is 0 is left out. */
#ifndef MAUI_RECORDS_JOBMEMORY_H
#define MAUI_RECORDS_JOBMEMORY_H

#include "cluster/memory.h"

#include <jansson.h>

json_t *jobmemory_json(const struct job_memory *m); /* a new reference */
/* Texts are borrowed from `o`. Members that are missing or wrong are 0. */
void jobmemory_read(const json_t *o, struct job_memory *ret);

#endif
