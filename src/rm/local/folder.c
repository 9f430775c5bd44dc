/* SPDX-License-Identifier: Apache-2.0
 * Files in a folder. */
#include "rm/local/folder.h"

#include "base/xalloc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_MAX  100000 /* of folder_size_mb() */
#define DEPTH_MAX  32     /* open folders of a removal */
#define LIFT_TRIES 1000

int folder_error(struct err *err, int code, const char *what, const char *name)
{
    return err_set(err, code == ENOENT ? ERR_NOT_FOUND : ERR_IO, "cannot %s '%s': %s",
        what, name, strerror(code));
}

int folder_open(int parent, const char *name, struct err *err)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return fd >= 0 ? fd : folder_error(err, errno, "open the folder", name);
}

static char *read_all(int fd, const char *name, size_t *ret_len, struct err *err)
{
    struct stat st;
    size_t len = 0;
    char *text;

    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > FOLDER_FILE_MAX) {
        err_set(err, ERR_INVALID, "'%s' is not a file of at most %d bytes", name,
            FOLDER_FILE_MAX);
        return NULL;
    }
    text = xmalloc((size_t)st.st_size + 1);
    while (len < (size_t)st.st_size) {
        ssize_t n = read(fd, text + len, (size_t)st.st_size - len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            folder_error(err, errno, "read", name);
            free(text);
            return NULL;
        }
        if (n == 0)
            break;
        len += (size_t)n;
    }
    text[len] = '\0';
    *ret_len = len;
    return text;
}

char *folder_read(int folder, const char *name, size_t *ret_len, struct err *err)
{
    /* O_NONBLOCK: somebody may have put a FIFO there */
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    char *text;

    if (fd < 0) {
        folder_error(err, errno, "open", name);
        return NULL;
    }
    text = read_all(fd, name, ret_len, err);
    close(fd);
    return text;
}

static int write_all(int fd, const char *text, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, text, len);

        if (n < 0 && errno != EINTR)
            return -1;
        if (n > 0) {
            text += n;
            len -= (size_t)n;
        }
    }
    return 0;
}

int folder_create(int folder, const char *name, const char *text, size_t len, bool sync,
    struct err *err)
{
    int fd = openat(
        folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    int failed;

    if (fd < 0)
        return folder_error(err, errno, "create", name);
    failed = write_all(fd, text, len) != 0 || (sync && fsync(fd) != 0) ? errno : 0;
    if (close(fd) != 0 && !failed)
        failed = errno;
    return failed ? folder_error(err, failed, "write", name) : 0;
}

int folder_write(
    int folder, const char *name, const char *text, size_t len, struct err *err)
{
    char beside[64];

    snprintf(beside, sizeof beside, "%s.new", name);
    if (folder_create(folder, beside, text, len, false, err) != 0) {
        unlinkat(folder, beside, 0);
        return -1;
    }
    if (renameat(folder, beside, folder, name) != 0)
        return folder_error(err, errno, "rename a file to", name);
    return 0;
}

int folder_sync(int folder, const char *name, struct err *err)
{
    if (name != NULL) {
        int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        int failed = fd < 0 || fsync(fd) != 0 ? errno : 0;

        if (fd >= 0)
            close(fd);
        if (failed)
            return folder_error(err, failed, "bring to the disk", name);
    }
    if (fsync(folder) != 0)
        return folder_error(err, errno, "bring to the disk", ".");
    return 0;
}

/* ---- removal ----------------------------------------------------------------------
 *
 * Below a folder that a job could write to anything may lie: a million files, folders a
 * hundred thousand deep, and its user may be at it meanwhile. So no more is done at
 * once than the caller says, and what lies deep is first moved up. */

struct removal {
    int top; /* the folder that is being removed; -1 = not open yet */
    unsigned lifted;
    unsigned *left; /* entries to look at */
};

static int remove_entry(struct removal *r, int parent, const char *name, int depth);

/* Move a folder that lies too deep into the top one, where it is found again. */
static int lift(struct removal *r, int parent, const char *name)
{
    char there[32];

    for (int tries = 0; tries < LIFT_TRIES; tries++) {
        snprintf(there, sizeof there, ".deep%u", r->lifted++);
        if (renameat2(parent, name, r->top, there, RENAME_NOREPLACE) == 0)
            return 0;
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

static int remove_below(struct removal *r, int folder, int depth)
{
    DIR *dir = fdopendir(folder);
    struct dirent *entry;
    int failed = 0;
    unsigned lifted;

    if (dir == NULL) {
        close(folder);
        return -1;
    }
    if (depth == 0)
        r->top = dirfd(dir);
    do {
        lifted = r->lifted;
        while (failed <= 0 && (entry = readdir(dir)) != NULL) {
            if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
                continue;
            int one = remove_entry(r, dirfd(dir), entry->d_name, depth + 1);
            failed = one != 0 ? one : failed;
        }
        rewinddir(dir);
    } while (depth == 0 && failed == 0 && r->lifted != lifted);
    closedir(dir);
    return failed;
}

static int open_to_remove(int parent, const char *name)
{
    int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int folder = openat(parent, name, flags);

    if (folder < 0 && errno == EACCES
        && fchmodat(parent, name, 0700, AT_SYMLINK_NOFOLLOW) == 0)
        folder = openat(parent, name, flags);
    return folder;
}

static int remove_entry(struct removal *r, int parent, const char *name, int depth)
{
    int folder, failed;

    if (*r->left == 0)
        return 1;
    --*r->left;
    if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
        return 0;
    if (errno != EISDIR && errno != EPERM)
        return -1;
    if (unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
        return 0;
    if (depth == DEPTH_MAX)
        return lift(r, parent, name);
    folder = open_to_remove(parent, name);
    if (folder < 0)
        return -1;
    failed = remove_below(r, folder, depth);
    if (failed != 0)
        return failed;
    return unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT ? 0 : -1;
}

int folder_remove_some(int parent, const char *name, unsigned *left)
{
    struct removal r = {.top = -1, .left = left};

    return remove_entry(&r, parent, name, 0);
}

int folder_remove(int parent, const char *name)
{
    unsigned all = UINT_MAX;

    return folder_remove_some(parent, name, &all);
}

int64_t folder_size_mb(const char *path)
{
    char *paths[] = {(char *)path, NULL};
    FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
    int64_t blocks = 0, files = 0;
    FTSENT *e;

    while (walk != NULL && files < FILES_MAX && (e = fts_read(walk)) != NULL)
        if (e->fts_info == FTS_F || e->fts_info == FTS_D) {
            blocks += e->fts_statp->st_blocks;
            files++;
        }
    if (walk != NULL)
        fts_close(walk);
    return blocks * 512 / (1024 * 1024);
}

int folder_lock(int folder, const char *name, struct err *err)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = openat(folder, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    int failed;

    if (fd < 0)
        return folder_error(err, errno, "open", name);
    if (fcntl(fd, F_SETLK, &whole) == 0)
        return fd;
    failed = errno;
    close(fd);
    if (failed == EAGAIN || failed == EACCES)
        return err_set(err, ERR_CONFLICT, "'%s' is locked by another process", name);
    return folder_error(err, failed, "lock", name);
}

pid_t folder_lock_holder(int folder, const char *name)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = openat(folder, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    int failed;

    if (fd < 0)
        return errno == ENOENT ? 0 : -1;
    failed = fcntl(fd, F_GETLK, &whole);
    close(fd);
    if (failed != 0)
        return -1;
    return whole.l_type == F_UNLCK ? 0 : whole.l_pid;
}
