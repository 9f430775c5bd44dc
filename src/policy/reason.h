/* SPDX-License-Identifier: Apache-2.0
 * Why a job waits, as one English sentence: what checkjob, the events of a
 * simulation and the API print. */
#ifndef MAUI_POLICY_REASON_H
#define MAUI_POLICY_REASON_H

#include "cluster/cluster.h"

/* Write the sentence (no capital, no final period) and return its full length as
 * snprintf does. Reads of `r` only the fields that its code lists at enum
 * wait_code; an index that names nothing is left out of the sentence. WAIT_RESOURCES
 * and WAIT_TOO_LARGE count processors. Instants are written in UTC. O(1). */
int reason_format(
    const struct cluster *c, const struct reason *r, char *ret_text, size_t size);

/* The code in one word: "hold", "limit", "resources" ... */
const char *reason_code_name(enum wait_code code);

#endif
