/* SPDX-License-Identifier: Apache-2.0
 * See filename.h. */
#include "rm/filename.h"

#include "base/strbuf.h"

#include <string.h>

char *filename_expand(const char *path, const char *id, const char *name)
{
    const char *bracket = strchr(id, '[');
    int base = bracket ? (int)(bracket - id) : (int)strlen(id);
    int index = bracket ? (int)strcspn(bracket + 1, "]") : 0;
    struct strbuf b = {0};

    for (const char *p = path; *p; p++) {
        if (strncmp(p, "$PBS_JOBID", 10) == 0) {
            strbuf_add(&b, id);
            p += 9;
        } else if (*p != '%' || !p[1] || !strchr("jAax%", p[1])) {
            strbuf_add_n(&b, p, 1);
        } else if (*++p == 'j') {
            strbuf_add(&b, id);
        } else if (*p == 'A') {
            strbuf_printf(&b, "%.*s", base, id);
        } else if (*p == 'a') {
            strbuf_printf(&b, "%.*s", index, bracket ? bracket + 1 : "");
        } else {
            strbuf_add(&b, *p == 'x' ? (name ? name : "STDIN") : "%");
        }
    }
    return strbuf_take(&b);
}

bool filename_is_pattern(const char *path)
{
    return path && (strchr(path, '%') || strstr(path, "$PBS_JOBID"));
}
