/* SPDX-License-Identifier: Apache-2.0
 * Files that roll. */
#include "server/process/rollfile.h"

#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_path(const char *path)
{
    const int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK;
    int fd = open(path, flags, 0640);
    const char *slash = strrchr(path, '/');

    if (fd < 0 && errno == ENOENT && slash && slash != path) {
        char *folder = xstrndup(path, (size_t)(slash - path));
        if (mkdir(folder, 0755) == 0)
            fd = open(path, flags, 0640);
        else
            errno = ENOENT;
        free(folder);
    }
    return fd;
}

/* The new file in the place of the old one. */
static void take(struct rollfile *f, int fd)
{
    struct stat st;

    if (f->fd >= 0)
        close(f->fd);
    f->fd = fd;
    f->size = fstat(fd, &st) == 0 ? (int64_t)st.st_size : 0;
}

int rollfile_open(
    struct rollfile *f, const char *path, int64_t size_max, int depth, struct err *err)
{
    *f = (struct rollfile){.fd = -1};
    return rollfile_configure(f, path, size_max, depth, err);
}

void rollfile_close(struct rollfile *f)
{
    if (f->fd >= 0)
        close(f->fd);
    free(f->path);
    *f = (struct rollfile){.fd = -1};
}

int rollfile_configure(
    struct rollfile *f, const char *path, int64_t size_max, int depth, struct err *err)
{
    f->size_max = size_max;
    f->depth = depth;
    if (!path || (f->path && f->fd >= 0 && strcmp(path, f->path) == 0))
        return 0;
    int fd = open_path(path);
    if (fd < 0)
        err_set(err, ERR_IO, "cannot write '%s': %s", path, strerror(errno));
    if (fd < 0 && f->path)
        return -1;
    free(f->path);
    f->path = xstrdup(path);
    if (fd < 0)
        return -1;
    take(f, fd);
    return 0;
}

static void roll(struct rollfile *f)
{
    char from[4096], to[4096];

    f->size = 0; /* should it fail: not tried again with each line */
    for (int i = f->depth; i > 0; i--) {
        snprintf(to, sizeof to, "%s.%d", f->path, i);
        if (i > 1)
            snprintf(from, sizeof from, "%s.%d", f->path, i - 1);
        else
            snprintf(from, sizeof from, "%s", f->path);
        rename(from, to); /* a missing one is no fault */
    }
    if (f->depth < 1)
        unlink(f->path);
    int fd = open_path(f->path);
    if (fd >= 0) /* else better a long file than none */
        take(f, fd);
}

bool rollfile_append(int fd, const char *bytes, size_t n)
{
    ssize_t done = write(fd, bytes, n);
    struct stat st;

    if (done == (ssize_t)n)
        return true;
    int e = done < 0 ? errno : ENOSPC;
    /* unless somebody wrote behind it meanwhile, or it is no file */
    if (done > 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)
        && lseek(fd, 0, SEEK_CUR) == st.st_size)
        (void)!ftruncate(fd, st.st_size - done);
    errno = e;
    return false;
}

bool rollfile_write(struct rollfile *f, const char *bytes, size_t n)
{
    if (f->fd < 0 || !rollfile_append(f->fd, bytes, n))
        return false;
    f->size += (int64_t)n;
    if (f->size_max > 0 && f->size > f->size_max)
        roll(f);
    return true;
}
