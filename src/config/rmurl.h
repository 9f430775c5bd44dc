/* SPDX-License-Identifier: Apache-2.0
 * RMCFG[] TYPE=NATIVE: where its nodes and jobs are read, and what carries out orders.
 * Programs and files that others than root and the daemon's user can write are refused:
 * whoever writes them starts jobs as anybody. */
#ifndef MAUI_CONFIG_RMURL_H
#define MAUI_CONFIG_RMURL_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum rmurl_kind {
    RMURL_NODES,
    RMURL_JOBS,
    RMURL_START,
    RMURL_CANCEL,
    RMURL_SUSPEND,
    RMURL_RESUME,
    RMURL_REQUEUE,
    RMURL_MODIFY,
    RMURL_KINDS
};

/* "CLUSTERQUERYURL" ... */
const char *rmurl_name(enum rmurl_kind kind);
/* RMURL_KINDS: there is no such attribute. Any case. */
enum rmurl_kind rmurl_find(const char *name);
/* Nothing works without it. */
bool rmurl_is_needed(enum rmurl_kind kind);

/* The path in "exec:///path", or (of queries) "file:///path"; NULL with an error. */
const char *rmurl_path(
    enum rmurl_kind kind, const char *url, bool *ret_exec, struct err *err);
/* The same, and that what is there can be used and trusted. 0 or -1. */
int rmurl_check(enum rmurl_kind kind, const char *url, struct err *err);

#endif
