/* SPDX-License-Identifier: Apache-2.0
 * What accounts have (funds/funds.h) in JSON, out and in: as the journal keeps it. */
#ifndef MAUI_RECORDS_FUNDSJSON_H
#define MAUI_RECORDS_FUNDSJSON_H

#include "funds/funds.h"
#include "records/reader.h"

/* {"accounts":[{"name":"chem", "parent":"inst", "overflow":true, "deposits":[{"id":1,
 * "from":0, "to":1764, "balance":100000, "held":400}]}], "runs":[{"run":"7.r3",
 * "job":"7", "account":"chem", "most":500, "liens":[[1, 400]]}], "runs_ever":3}; a new
 * object. */
json_t *fundsjson_facts(const struct funds_facts *facts);

/* Out of it: everything borrows from the reader, which has the errors. */
void fundsjson_read(struct reader *r, const json_t *o, struct funds_facts *ret);

#endif
