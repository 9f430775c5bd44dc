/* SPDX-License-Identifier: Apache-2.0
 * mjobctl -q: jobs told attribute by attribute, as text, JSON or XML. */
#ifndef MAUI_CLIENT_MJOBCTL_QUERY_H
#define MAUI_CLIENT_MJOBCTL_QUERY_H

#include "client/kit/request.h"

/* `what`: diag, hostlist, starttime, or the name of an attribute. The jobs are the
 * arguments (ids, comma lists, ALL); `where`, an object of user, group, account, class,
 * qos, partition, or NULL, narrows ALL. `completed`: among the jobs that have ended.
 * Returns the exit status. */
int mjobctl_query(const struct command_line *l, const char *what, const json_t *where,
    bool completed);

#endif
