/* SPDX-License-Identifier: Apache-2.0
 * Names of jobs as the server has them. */
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "rm/pbs/pbs.h"

#include <string.h>

char *pbs_array_name(const char *name)
{
    const char *open = strchr(name, '['), *close = open ? strchr(open, ']') : NULL;
    struct strbuf array = {0};

    if (close == NULL)
        return xstrdup(name);
    strbuf_printf(&array, "%.*s%s", (int)(open + 1 - name), name, close);
    return strbuf_take(&array);
}
