/* SPDX-License-Identifier: Apache-2.0
 * The addresses of a native resource manager. */
#include "config/rmurl.h"

#include "base/trust.h"

#include <string.h>
#include <strings.h>

static const char *const names[] = {
    [RMURL_NODES] = "CLUSTERQUERYURL",
    [RMURL_JOBS] = "WORKLOADQUERYURL",
    [RMURL_START] = "JOBSTARTURL",
    [RMURL_CANCEL] = "JOBCANCELURL",
    [RMURL_SUSPEND] = "JOBSUSPENDURL",
    [RMURL_RESUME] = "JOBRESUMEURL",
    [RMURL_REQUEUE] = "JOBREQUEUEURL",
    [RMURL_MODIFY] = "JOBMODIFYURL",
};

const char *rmurl_name(enum rmurl_kind kind)
{
    return names[kind];
}

enum rmurl_kind rmurl_find(const char *name)
{
    int kind = 0;

    while (kind < RMURL_KINDS && strcasecmp(names[kind], name) != 0)
        kind++;
    return (enum rmurl_kind)kind;
}

bool rmurl_is_needed(enum rmurl_kind kind)
{
    return kind <= RMURL_CANCEL;
}

const char *rmurl_path(
    enum rmurl_kind kind, const char *url, bool *ret_exec, struct err *err)
{
    bool query = kind <= RMURL_JOBS, file = strncasecmp(url, "file://", 7) == 0;

    *ret_exec = strncasecmp(url, "exec://", 7) == 0;
    if ((*ret_exec || (query && file)) && url[7] == '/')
        return url + 7;
    err_set(err, ERR_INVALID, "%.150s: expected exec:///PROGRAM%s, an absolute path",
        url, query ? " or file:///FILE" : "");
    return NULL;
}

int rmurl_check(enum rmurl_kind kind, const char *url, struct err *err)
{
    bool exec;
    const char *path = rmurl_path(kind, url, &exec, err);

    return path != NULL ? trust_check(path, exec, err) : -1;
}
