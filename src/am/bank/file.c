/* SPDX-License-Identifier: Apache-2.0
 * What jobs cost as lines of a file, for programs of the site that read it. */
#include "am/bank/bank.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A value is one word: other characters would make fields, or lines, of their own. */
static void add_field(struct strbuf *out, const char *name, const char *value)
{
    if (!*value)
        return;
    strbuf_printf(out, " %s=", name);
    for (; *value; value++)
        strbuf_printf(out, "%c", (unsigned char)*value > ' ' ? *value : '_');
}

static void add_count(struct strbuf *out, const char *name, long long n)
{
    strbuf_printf(out, " %s=%lld", name, n);
}

static char *make_line(const struct bank_ask *ask)
{
    bool lien = strcmp(ask->verb, "lien") == 0,
         charge = strcmp(ask->verb, "charge") == 0;
    struct strbuf out = {0};

    strbuf_printf(&out, "%-15s", lien ? "RESERVE" : charge ? "WITHDRAWAL" : "REMOVE");
    if (lien || charge) {
        add_field(&out, "TYPE", "job");
        add_field(&out, "MACHINE", bank_text(ask, "machine"));
    }
    add_field(&out, "ACCOUNT", bank_text(ask, "account"));
    if (lien || charge) {
        add_field(&out, "SUBACCOUNT", bank_text(ask, "user"));
        add_count(&out, "RESOURCE", bank_number(ask, "procs"));
        add_field(&out, "PROCCRATE", "1.00");
        add_count(&out, "DURATION", bank_number(ask, "seconds"));
        add_field(&out, "QOS", bank_text(ask, "qos"));
        add_field(&out, "CLASS", bank_text(ask, "class"));
        add_field(&out, "AMOUNT", bank_text(ask, "amount"));
    }
    add_field(&out, "REQUESTID", bank_text(ask, "run"));
    if (lien || charge)
        add_count(&out, "NODES", bank_number(ask, "nodes"));
    add_count(&out, "TIME", bank_number(ask, "at"));
    strbuf_add(&out, "\n");
    return strbuf_take(&out);
}

/* Is that very line in it, whole? Of a message that is told again. 1 or 0; -1: it
 * cannot be read, and nobody knows. */
static int has_line(int fd, const char *line)
{
    int copy = dup(fd);
    FILE *f = copy < 0 ? NULL : fdopen(copy, "r");
    char *read = NULL;
    size_t room = 0;
    int found = 0;

    if (!f) {
        if (copy >= 0)
            close(copy);
        return -1;
    }
    rewind(f);
    while (!found && getline(&read, &room, f) > 0)
        found = strcmp(read, line) == 0;
    if (!found && !feof(f))
        found = -1;
    free(read);
    fclose(f);
    return found;
}

/* How much of the line the file ends with, without an end of line: a crash has cut it
 * there, and nothing of it is told twice. 0: it ends otherwise. -1: it cannot be read.
 */
static ssize_t find_begun(int fd, off_t size, const char *line, bool *ret_ended)
{
    size_t most = strlen(line) - 1;
    size_t n = size < (off_t)most + 1 ? (size_t)size : most + 1;
    char *tail = xcalloc(n + 1, 1), *last;
    ssize_t begun = pread(fd, tail, n, size - (off_t)n) == (ssize_t)n ? 0 : -1;

    *ret_ended = n == 0 || tail[n - 1] == '\n';
    last = memrchr(tail, '\n', n);
    last = last ? last + 1 : tail;
    if (begun == 0 && (last > tail || (off_t)n == size)
        && strncmp(line, last, strlen(last)) == 0)
        begun = (ssize_t)strlen(last);
    free(tail);
    return begun;
}

/* All of it or nothing, also where the disk is full. What a crash has cut of another
 * line is ended first. */
static int add_line(int fd, const char *line)
{
    off_t size = lseek(fd, 0, SEEK_END);
    bool ended;
    ssize_t begun = size < 0 ? -1 : find_begun(fd, size, line, &ended);
    size_t n;

    if (begun < 0)
        return -1;
    line += begun;
    n = strlen(line);
    if (!ended && begun == 0 && write(fd, "\n", 1) != 1)
        return -1;
    if (write(fd, line, n) == (ssize_t)n && fsync(fd) == 0)
        return 0;
    int error = errno;
    if (ftruncate(fd, size) < 0)
        return -1;
    errno = error;
    return -1;
}

/* A file that is new stays there when power goes. */
static int sync_folder(const char *path)
{
    char *folder = xstrdup(path);
    int fd = open(dirname(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int result = fd < 0 ? -1 : fsync(fd);

    if (fd >= 0)
        close(fd);
    free(folder);
    return result;
}

/* Where it is there already, that is not known to be on the disk: who wrote it may have
 * been killed before. */
static int write_line(int fd, const char *path, const char *line, bool again)
{
    int found = again ? has_line(fd, line) : 0;

    if (found < 0 || (found ? fsync(fd) : add_line(fd, line)) < 0)
        return -1;
    return sync_folder(path);
}

/* What is no regular file keeps no lines. -1 with a sentence. */
static int open_file(const char *path, struct err *err)
{
    int fd = open(
        path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
    struct stat st;

    if (fd >= 0 && fstat(fd, &st) == 0 && !S_ISREG(st.st_mode))
        err_set(err, ERR_IO, "%s: no regular file: what is written there is not kept",
            path);
    else if (fd >= 0 && flock(fd, LOCK_EX) == 0)
        return fd;
    else
        err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

enum bank_answer file_tell(
    const char *path, const struct bank_ask *ask, struct err *err)
{
    int fd = open_file(path, err);
    enum bank_answer answer = BANK_DONE;
    char *line;

    if (fd < 0)
        return BANK_LATER;
    line = make_line(ask);
    if (write_line(fd, path, line, ask->again) < 0) {
        err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
        answer = BANK_LATER;
    }
    free(line);
    close(fd);
    return answer;
}
