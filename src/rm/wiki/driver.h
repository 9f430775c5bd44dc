/* SPDX-License-Identifier: Apache-2.0
 * RMCFG[] TYPE=WIKI: a resource manager that is spoken with in the classic text
 * protocol, by way of the adapter maui-wiki. */
#ifndef MAUI_RM_WIKI_DRIVER_H
#define MAUI_RM_WIKI_DRIVER_H

#include "rm/rm.h"

const struct rm_driver *rm_wiki_driver(void);

#endif
