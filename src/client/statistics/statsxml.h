/* SPDX-License-Identifier: Apache-2.0
 * Statistics as XML: the accumulators by their classic names. */
#ifndef MAUI_CLIENT_STATSXML_H
#define MAUI_CLIENT_STATSXML_H

#include "client/kit/command.h"

#include <jansson.h>

/* <sched .../> of the record of /v1/statistics. */
void statsxml_print_system(const json_t *o);

/* <user ID="..." .../> of a record of /v1/statistics/user, and so on for `kind`. */
void statsxml_print_cred(const char *kind, const json_t *o);

#endif
