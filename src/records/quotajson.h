/* SPDX-License-Identifier: Apache-2.0
 * Quotas of a resource manager (cluster/quota.h) in JSON, out and in. */
#ifndef MAUI_RECORDS_QUOTAJSON_H
#define MAUI_RECORDS_QUOTAJSON_H

#include "cluster/quota.h"
#include "records/reader.h"

/* {"source":"Slurm", "quotas":[{"name":"account chem", "accounts":["chem"], "limits":
 * [{"word":"GrpTRES=cpu", "rule":"group", "res":"procs", "most":16}]}]}; a new object.
 */
json_t *quotajson_list(const struct quota_list *l);

/* Out of it: everything borrows from the reader, which has the errors. */
void quotajson_read(struct reader *r, const json_t *o, struct quota_list *ret);

/* "procs", "jobs" ... */
const char *quotajson_res(enum limit_res res);

#endif
