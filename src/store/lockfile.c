/* SPDX-License-Identifier: Apache-2.0
 * The lock of the one writer, on PATH-lock. Not on the file itself: closing any
 * descriptor of that would drop SQLite's own locks. Says who holds it ("1234"), or that
 * the last holder closed the file in order ("closed"). */
#include "base/filelock.h"
#include "base/strbuf.h"
#include "store/private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CLOSED "closed"

static int open_lockfile(const struct store *store, struct err *err)
{
    struct strbuf name = {0};
    int fd;

    strbuf_printf(&name, "%s-lock", store->path);
    fd = open(name.text, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        err_set(err, errno == EACCES || errno == EROFS ? ERR_DENIED : ERR_IO,
            "%s: cannot create or open its lock file %s: %s; its folder must exist and "
            "be writable by the user the scheduler runs as",
            store->path, name.text, strerror(errno));
    else
        (void)!fchmod(fd, 0600); /* a umask may have taken bits away */
    free(name.text);
    return fd;
}

static int write_content(int fd, const char *text)
{
    ssize_t size = (ssize_t)strlen(text);

    if (ftruncate(fd, 0) != 0 || pwrite(fd, text, (size_t)size, 0) != size)
        return -1;
    return fdatasync(fd);
}

static int refused(const struct store *store, int fd, int why, struct err *err)
{
    char holder[32];
    long pid;

    if (why != EWOULDBLOCK)
        return err_set(err, ERR_IO,
            "%s: its file system cannot lock files: %s; keep the file on a local disk",
            store->path, strerror(why));
    filelock_holder(fd, holder, sizeof holder);
    pid = strtol(holder, NULL, 10);
    if (pid <= 0)
        return err_set(
            err, ERR_CONFLICT, "%s: another scheduler has it open", store->path);
    return err_set(err, ERR_CONFLICT,
        "%s: another scheduler (pid %ld) has it open; end that one first", store->path,
        pid);
}

int lockfile_take(struct store *store, struct err *err)
{
    int fd = open_lockfile(store, err);
    char text[32];

    if (fd < 0)
        return -1;
    if (filelock_take(fd) != 0) {
        refused(store, fd, errno, err);
        close(fd);
        return -1;
    }
    store->lock_fd = fd;
    filelock_holder(fd, text, sizeof text);
    store->unclean = strcmp(text, CLOSED) != 0;
    snprintf(text, sizeof text, "%ld\n", (long)getpid());
    if (write_content(fd, text) != 0)
        return err_set(err, ERR_IO, "%s: cannot write its lock file %s-lock: %s",
            store->path, store->path, strerror(errno));
    return 0;
}

void lockfile_release(struct store *store, bool clean)
{
    if (store->lock_fd < 0)
        return;
    /* If this cannot be written the next one checks the file: no harm. */
    if (clean && write_content(store->lock_fd, CLOSED "\n") != 0)
        (void)!ftruncate(store->lock_fd, 0);
    close(store->lock_fd);
    store->lock_fd = -1;
}
