/* SPDX-License-Identifier: Apache-2.0
 * A job's record by the classic names of its attributes (AWDuration, ReqProcs ...): one
 * of them, or all as XML. */
#ifndef MAUI_CLIENT_JOBXML_H
#define MAUI_CLIENT_JOBXML_H

#include "base/nearest.h"
#include "base/strbuf.h"

#include <jansson.h>

struct job_attribute;

/* By name, any case; NULL = there is none. */
const struct job_attribute *jobxml_find(const char *name);
void jobxml_offer(struct nearest *near); /* all names */

/* Append the attribute of the job; nothing where it has none. */
void jobxml_value(struct strbuf *out, const struct job_attribute *a, const json_t *job);
/* Append a value of a record: lists with commas, places as node:tasks. */
void jobxml_add(struct strbuf *out, const json_t *v);

/* <job ...><req .../></job> on stdout. */
void jobxml_print(const json_t *job);

#endif
