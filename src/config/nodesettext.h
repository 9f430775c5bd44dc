/* SPDX-License-Identifier: Apache-2.0
 * Node sets as people write them: POLICY:ATTRIBUTE[:VALUE[,VALUE...]], as
 * ONEOF:FEATURE:ib,opa. */
#ifndef MAUI_CONFIG_NODESETTEXT_H
#define MAUI_CONFIG_NODESETTEXT_H

#include "base/err.h"
#include "config/policies.h"

/* Fills *ret, which is empty; its list is owned by the caller. -1 with a sentence. */
int nodesettext_parse(const char *text, struct nodeset_spec *ret, struct err *err);

#endif
