/* SPDX-License-Identifier: Apache-2.0
 * The lock of the one writer, on PATH-lock. Not on the file itself: closing any
 * descriptor of that would drop SQLite's own locks. Says who holds it ("1234"), or that
 * the last holder closed the file in order ("closed"). Beside the holder, once the file
 * is known to be sound, the life of the machine: SQLite mends what the end of a process
 * can do to a file, so that its structure is in doubt only after the end of the
 * machine; or "doubted", where reading met a damage or the disk failed.
 */
#include "base/boot.h"
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

#define LIFE_SIZE 100
#define CLOSED    "closed"
#define DOUBTED   "doubted" /* in the place of the life */

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

/* Which file in which life of the machine: a copy of it, torn or not, is another one.
 * "" where that cannot be told. */
static void name_life(const struct store *store, char ret[LIFE_SIZE])
{
    struct stat st;
    char boot[40];

    boot_name(boot);
    ret[0] = '\0';
    if (*boot && stat(store->path, &st) == 0)
        snprintf(ret, LIFE_SIZE, "%s %llx:%llx", boot, (unsigned long long)st.st_dev,
            (unsigned long long)st.st_ino);
}

/* Was it left in order, or by a process that ended in this life of the machine? */
static void read_former(struct store *store, int fd)
{
    char text[LIFE_SIZE + 40] = "", life[LIFE_SIZE + 1];
    bool read = pread(fd, text, sizeof text - 1, 0) >= 0;
    const char *line = strchr(text, '\n');

    name_life(store, life);
    bool lives = *life && line;
    strcat(life, "\n");
    store->was_closed = read && strncmp(text, CLOSED "\n", sizeof CLOSED) == 0;
    store->in_doubt =
        !store->was_closed && !(lives && strncmp(line + 1, life, strlen(life)) == 0);
    store->doubted_before =
        line && strncmp(line + 1, DOUBTED "\n", sizeof DOUBTED) == 0;
}

/* `life` "": in doubt if nothing more is written. */
static int write_holder(const struct store *store, const char *life, struct err *err)
{
    char text[LIFE_SIZE + 40];

    snprintf(text, sizeof text, "%ld\n%s\n", (long)getpid(), life);
    if (write_content(store->lock_fd, text) != 0)
        return err_set(err, ERR_IO, "%s: cannot write its lock file %s-lock: %s",
            store->path, store->path, strerror(errno));
    return 0;
}

int lockfile_take(struct store *store, struct err *err)
{
    int fd = open_lockfile(store, err);

    if (fd < 0)
        return -1;
    if (filelock_take(fd) != 0) {
        refused(store, fd, errno, err);
        close(fd);
        return -1;
    }
    store->lock_fd = fd;
    read_former(store, fd);
    return write_holder(store, store->doubted_before ? DOUBTED : "", err);
}

int lockfile_trust(struct store *store, struct err *err)
{
    char life[LIFE_SIZE];

    name_life(store, life);
    return write_holder(store, life, err);
}

void lockfile_doubt(struct store *store)
{
    if (store->doubted)
        return;
    store->doubted = true;
    if (store->lock_fd >= 0 && write_holder(store, DOUBTED, NULL) != 0)
        (void)!ftruncate(store->lock_fd, 0);
}

void lockfile_release(struct store *store, bool clean)
{
    if (store->lock_fd < 0)
        return;
    /* If this cannot be written the next one checks the file: no harm. */
    if (clean && !store->doubted && write_content(store->lock_fd, CLOSED "\n") != 0)
        (void)!ftruncate(store->lock_fd, 0);
    close(store->lock_fd);
    store->lock_fd = -1;
}
