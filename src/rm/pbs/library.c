/* SPDX-License-Identifier: Apache-2.0
 * OpenPBS's library, by name. */
#include "rm/pbs/library.h"

#include "base/strbuf.h"
#include "base/xalloc.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONF "/etc/pbs.conf"

/* PBS_EXEC of pbs.conf, owned; NULL with an error. */
static char *find_home(struct err *err)
{
    const char *path = getenv("PBS_CONF_FILE"), *given = getenv("PBS_EXEC");
    char line[4096], *home = NULL;
    FILE *f;

    if (given != NULL && *given != '\0')
        return xstrdup(given);
    path = path != NULL && *path != '\0' ? path : CONF;
    f = fopen(path, "re");
    if (f == NULL) {
        err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
        return NULL;
    }
    while (home == NULL && fgets(line, sizeof line, f) != NULL)
        if (strncmp(line, "PBS_EXEC=", 9) == 0)
            home = xstrndup(line + 9, strcspn(line + 9, " \t\r\n"));
    fclose(f);
    if (home == NULL)
        err_set(err, ERR_INVALID, "%s: it has no PBS_EXEC", path);
    return home;
}

char *pbs_library_path(struct err *err)
{
    char *home = find_home(err);
    struct strbuf path = {0};

    if (home == NULL)
        return NULL;
    strbuf_printf(&path, "%s/lib/libpbs.so.0", home);
    free(home);
    return strbuf_take(&path);
}

static void *load_library(struct err *err)
{
    char *path = pbs_library_path(err);
    void *handle = path != NULL ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;

    if (path != NULL && handle == NULL)
        err_set(err, ERR_IO, "%s", dlerror());
    free(path);
    return handle;
}

int pbs_library_open(struct pbs_library *ret, struct err *err)
{
    /* of two names for one the second counts where the first is missing */
    static const struct {
        const char *name, *other;
        size_t at;
    } rows[] = {{"pbs_connect", NULL, offsetof(struct pbs_library, connect)},
        {"pbs_disconnect", NULL, offsetof(struct pbs_library, disconnect)},
        {"pbs_geterrmsg", NULL, offsetof(struct pbs_library, message)},
        {"__pbs_errno_location", NULL, offsetof(struct pbs_library, error)},
        {"pbs_statjob", NULL, offsetof(struct pbs_library, jobs)},
        {"pbs_selstat", NULL, offsetof(struct pbs_library, choose)},
        {"pbs_statvnode", NULL, offsetof(struct pbs_library, nodes)},
        {"pbs_statque", NULL, offsetof(struct pbs_library, queues)},
        {"pbs_statfree", NULL, offsetof(struct pbs_library, release)},
        /* the plain pbs_asyrunjob() of newer ones hears nothing of what is refused */
        {"pbs_asyrunjob_ack", "pbs_asyrunjob", offsetof(struct pbs_library, run)},
        {"pbs_alterjob", NULL, offsetof(struct pbs_library, alter)},
        {"pbs_holdjob", NULL, offsetof(struct pbs_library, hold)},
        {"pbs_rlsjob", NULL, offsetof(struct pbs_library, unhold)},
        {"pbs_deljob", NULL, offsetof(struct pbs_library, remove)},
        {"pbs_sigjob", NULL, offsetof(struct pbs_library, send_signal)},
        {"pbs_rerunjob", NULL, offsetof(struct pbs_library, rerun)}};
    void *handle = load_library(err), *words;

    if (handle == NULL)
        return -1;
    words = dlsym(handle, "pbse_to_txt");
    memcpy(&ret->words, &words, sizeof words);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        void *found = dlsym(handle, rows[i].name);

        if (found == NULL && rows[i].other != NULL)
            found = dlsym(handle, rows[i].other);
        if (found == NULL)
            return err_set(err, ERR_INVALID, "the library has no %s", rows[i].name);
        memcpy((char *)ret + rows[i].at, &found, sizeof found);
    }
    return 0;
}
