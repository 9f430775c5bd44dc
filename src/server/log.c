/* SPDX-License-Identifier: Apache-2.0
 * The log. */
#include "server/log.h"

#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LINE_MAX_BYTES 2048

struct log {
    char *path;
    int fd; /* -1 = none */
    int level, roll_depth, also_stderr;
    long size, size_max;
};

static int open_file(struct log *l)
{
    struct stat st;

    l->fd = open(l->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
    if (l->fd < 0)
        return -1;
    l->size = fstat(l->fd, &st) == 0 ? (long)st.st_size : 0;
    return 0;
}

struct log *log_open(const struct log_options *opt, struct err *err)
{
    struct log *l = xcalloc(1, sizeof *l);

    l->fd = -1;
    l->also_stderr = opt->also_stderr;
    l->size_max = opt->size_max;
    l->roll_depth = opt->roll_depth;
    log_set_level(l, opt->level);
    if (!opt->path)
        return l;
    l->path = xstrdup(opt->path);
    if (open_file(l) < 0)
        err_set(err, ERR_IO, "cannot write the log '%s': %s; logging to stderr",
            l->path, strerror(errno));
    return l;
}

void log_close(struct log *l)
{
    if (!l)
        return;
    if (l->fd >= 0)
        close(l->fd);
    free(l->path);
    free(l);
}

void log_set_level(struct log *l, int level)
{
    l->level = level < 0 ? 0 : level > 9 ? 9 : level;
}

int log_level(const struct log *l)
{
    return l->level;
}

/* maui.log becomes maui.log.1, that maui.log.2, and so on; the last goes. */
static void roll(struct log *l)
{
    char from[4096], to[4096];

    for (int i = l->roll_depth; i > 0; i--) {
        snprintf(to, sizeof to, "%s.%d", l->path, i);
        if (i > 1)
            snprintf(from, sizeof from, "%s.%d", l->path, i - 1);
        else
            snprintf(from, sizeof from, "%s", l->path);
        rename(from, to); /* a missing one is no fault */
    }
    int old = l->fd;
    if (l->roll_depth < 1 || open_file(l) < 0) {
        l->fd = old; /* better a long log than none */
        l->size = 0;
        return;
    }
    close(old);
}

static int wanted(const struct log *l, enum log_level level)
{
    static const int from[] = {[LOG_ALERT] = 0,
        [LOG_ERROR] = 0,
        [LOG_WARNING] = 0,
        [LOG_ACTION] = 0,
        [LOG_DETAIL] = 3,
        [LOG_TRACE] = 5};

    return l->level >= from[level];
}

void log_line(struct log *l, enum log_level level, const char *fmt, ...)
{
    static const char *const words[] = {[LOG_ALERT] = "ALERT:    ",
        [LOG_ERROR] = "ERROR:    ",
        [LOG_WARNING] = "WARNING:  ",
        [LOG_ACTION] = "INFO:     ",
        [LOG_DETAIL] = "INFO:     ",
        [LOG_TRACE] = "INFO:     "};
    char line[LINE_MAX_BYTES];
    time_t now = time(NULL);
    struct tm tm;
    va_list ap;

    if (!wanted(l, level))
        return;
    size_t n = strftime(line, sizeof line, "%m/%d %H:%M:%S ", localtime_r(&now, &tm));
    n += (size_t)snprintf(line + n, sizeof line - n, "%s", words[level]);
    va_start(ap, fmt);
    int more = vsnprintf(line + n, sizeof line - n - 1, fmt, ap);
    va_end(ap);
    if (more > 0)
        n += (size_t)more < sizeof line - n - 1 ? (size_t)more : sizeof line - n - 2;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)line[i] < ' ')
            line[i] = ' '; /* users' texts make no lines of their own */
    line[n++] = '\n';
    if (l->fd >= 0 && write(l->fd, line, n) == (ssize_t)n)
        l->size += (long)n;
    if (l->fd < 0 || l->also_stderr)
        (void)!write(STDERR_FILENO, line, n);
    if (l->fd >= 0 && l->size_max > 0 && l->size > l->size_max)
        roll(l);
}
