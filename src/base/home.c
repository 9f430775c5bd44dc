/* SPDX-License-Identifier: Apache-2.0
 * The daemon's folder: where it is, its lock. */
#include "base/home.h"

#include "base/filelock.h"
#include "base/strbuf.h"
#include "base/trust.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define HOME_RUN "/run/maui"

/* The value of SERVERHOMEDIR or MAUIHOMEDIR in the master file, or NULL. */
char *home_of_machine(void)
{
    char line[PATH_MAX + 80], name[20], value[PATH_MAX];
    FILE *f = fopen("/etc/maui.cfg", "re");
    char *found = NULL;

    while (f && !found && fgets(line, sizeof line, f))
        if (sscanf(line, "%19s %4095s", name, value) == 2
            && (strcmp(name, "SERVERHOMEDIR") == 0 || strcmp(name, "MAUIHOMEDIR") == 0))
            found = xstrdup(value);
    if (f)
        fclose(f);
    return found;
}

const char *home_client_file(void)
{
    const char *named = getenv("MAUICLIENTCFG");

    return named && *named ? named : "/etc/maui/client.cfg";
}

char *home_absolute(const char *path)
{
    char here[PATH_MAX];

    if (*path == '/' || !getcwd(here, sizeof here))
        return xstrdup(path);
    return home_file(here, path);
}

char *home_file(const char *home, const char *name)
{
    struct strbuf text = {0};

    strbuf_printf(&text, "%s/%s", home, name);
    return strbuf_take(&text);
}

char *home_file_of(const char *home, const char *manager, const char *kind)
{
    struct strbuf text = {0};

    strbuf_printf(&text, "%s/%s.%s", home, manager, kind);
    return strbuf_take(&text);
}

char *home_config(const char *home)
{
    char *own = home_file(home, "maui.cfg");
    struct err err;

    if (strcmp(home, HOME_USUAL) != 0
        || (access(HOME_CONFIG, F_OK) < 0 && access(HOME_CONFIG ".d", F_OK) < 0)
        || (access(own, F_OK) == 0
            && (geteuid() != 0 || trust_check(own, false, &err) == 0)))
        return own;
    free(own);
    return xstrdup(HOME_CONFIG);
}

char *home_socket_of_daemon(const char *home)
{
    struct stat st;

    return strcmp(home, HOME_USUAL) == 0 && stat(HOME_RUN, &st) == 0
                   && S_ISDIR(st.st_mode)
               ? xstrdup(HOME_SOCKET)
               : home_file(home, "api.sock");
}

char *home_socket(const char *home)
{
    return strcmp(home, HOME_USUAL) == 0 && access(HOME_SOCKET, F_OK) == 0
               ? xstrdup(HOME_SOCKET)
               : home_file(home, "api.sock");
}

char *home_named(const char *asked)
{
    const char *first = getenv("MAUIHOMEDIR"), *second = getenv("SERVERHOMEDIR");

    if (asked && *asked)
        return home_absolute(asked);
    if (first && *first)
        return home_absolute(first);
    if (second && *second)
        return home_absolute(second);
    return NULL;
}

char *home_find(const char *asked)
{
    const char *user = getenv("HOME");
    char *home = home_named(asked);

    if (!home)
        home = home_of_machine();
    if (home)
        return home;
    if (geteuid() == 0 || !user || !*user)
        return xstrdup(HOME_USUAL);
    return home_file(user, ".maui");
}

static int make(const char *path, mode_t mode, struct err *err)
{
    if (mkdir(path, mode) < 0 && errno != EEXIST)
        return err_set(
            err, ERR_IO, "cannot make the folder '%s': %s", path, strerror(errno));
    return 0;
}

int home_make(const char *home, struct err *err)
{
    static const char *const folders[] = {"log", "stats", "spool", "tools"};

    if (make(home, 0755, err) < 0)
        return -1;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        char *path = home_file(home, folders[i]);
        int result = make(path, 0755, err);
        free(path);
        if (result < 0)
            return -1;
    }
    return 0;
}

int home_lock(const char *home, struct err *err)
{
    char *path = home_file(home, "maui.pid");
    char text[32];
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);

    if (fd < 0) {
        err_set(err, ERR_IO, "cannot open '%s': %s", path, strerror(errno));
    } else if (filelock_take(fd) < 0) {
        filelock_holder(fd, text, sizeof text);
        err_set(err, ERR_CONFLICT,
            "a scheduler is running already in '%s' (process %s)", home,
            *text ? text : "unknown");
        close(fd);
        fd = -1;
    } else {
        int n = snprintf(text, sizeof text, "%d\n", (int)getpid());
        if (ftruncate(fd, 0) < 0 || pwrite(fd, text, (size_t)n, 0) != n)
            err_set(err, ERR_IO, "cannot write '%s': %s", path, strerror(errno));
    }
    free(path);
    return fd;
}

bool home_wait_free(const char *home, int patience_s)
{
    const struct timespec step = {.tv_nsec = 20000000};
    char *path = home_file(home, "maui.pid");
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char first[32] = "", holder[32];
    bool is_free = fd < 0; /* nobody ever had it */

    free(path);
    if (fd >= 0)
        filelock_holder(fd, first, sizeof first);
    for (int left = patience_s * 50; !is_free && left > 0; left--) {
        filelock_holder(fd, holder, sizeof holder);
        is_free = strcmp(holder, first) != 0 || flock(fd, LOCK_SH | LOCK_NB) == 0;
        if (!is_free)
            nanosleep(&step, NULL);
    }
    if (fd >= 0)
        close(fd);
    return is_free;
}

void home_unlock(int fd)
{
    /* The file stays: another daemon may be waiting at it. */
    (void)!ftruncate(fd, 0);
    close(fd);
}
