/* SPDX-License-Identifier: Apache-2.0
 * Where this program lies, and how it ends. */
#include "base/program.h"

#include "base/strbuf.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TUNABLES    "GLIBC_TUNABLES"
#define LARGE_PAGES "glibc.malloc.hugetlb=1"

void program_ask_large_pages(void)
{
    setenv(TUNABLES, LARGE_PAGES, 0);
}

void program_end_asking(void)
{
    const char *told = getenv(TUNABLES);

    if (told && strcmp(told, LARGE_PAGES) == 0)
        unsetenv(TUNABLES);
}

char *program_beside(const char *name)
{
    char own[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    struct strbuf path = {0};
    const char *slash;

    own[n > 0 ? n : 0] = '\0';
    slash = strrchr(own, '/');
    strbuf_printf(&path, "%.*s%s", slash ? (int)(slash - own) + 1 : 0, own, name);
    return strbuf_take(&path);
}

int program_end(const char *name, int status)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "%s: the output could not be written%s%s\n", name,
        errno ? ": " : "", errno ? strerror(errno) : "");
    return status ? status : 1;
}
