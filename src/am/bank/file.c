/* SPDX-License-Identifier: Apache-2.0
 * What jobs cost as lines of a file, for programs of the site that read it. */
#include "am/bank/bank.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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

/* Is that very line in it? Of a message that is told again. */
static bool has_line(int fd, const char *line)
{
    FILE *f = fdopen(dup(fd), "r");
    char *read = NULL;
    size_t room = 0;
    bool found = false;

    if (f)
        rewind(f);
    while (f && !found && getline(&read, &room, f) > 0)
        found = strcmp(read, line) == 0;
    free(read);
    if (f)
        fclose(f);
    return found;
}

/* All of it or nothing, also where the disk is full. A line that a crash has cut is
 * ended first. */
static int add_line(int fd, const char *line)
{
    off_t size = lseek(fd, 0, SEEK_END);
    char last = '\n';
    size_t n = strlen(line);

    if (size > 0 && pread(fd, &last, 1, size - 1) != 1)
        return -1;
    if (last != '\n' && write(fd, "\n", 1) != 1)
        return -1;
    if (write(fd, line, n) == (ssize_t)n && fsync(fd) == 0)
        return 0;
    int error = errno;
    if (ftruncate(fd, size) < 0)
        return -1;
    errno = error;
    return -1;
}

enum bank_answer file_tell(
    const char *path, const struct bank_ask *ask, struct err *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    enum bank_answer answer = BANK_DONE;
    char *line;

    if (fd < 0 || flock(fd, LOCK_EX) < 0) {
        err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return BANK_LATER;
    }
    line = make_line(ask);
    if (!(ask->again && has_line(fd, line)) && add_line(fd, line) < 0) {
        err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
        answer = BANK_LATER;
    }
    free(line);
    close(fd);
    return answer;
}
