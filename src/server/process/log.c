/* SPDX-License-Identifier: Apache-2.0
 * The log. */
#include "server/process/log.h"

#include "base/xalloc.h"
#include "server/process/rollfile.h"
#include "server/process/systemlog.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#define LINE_MAX_BYTES 2048

struct log {
    struct rollfile file;
    int level, also_stderr;
    unsigned facilities;
    bool to_system, mute;
    struct systemlog system;
};

static int configure_system(struct log *l, const char *text, struct err *err)
{
    int facility = 0, on = text ? systemlog_parse(text, &facility, err) : 0;

    if (l->to_system)
        systemlog_close(&l->system);
    l->to_system = on > 0;
    if (l->to_system)
        systemlog_open(&l->system, facility);
    return on < 0 ? -1 : 0;
}

int log_configure(struct log *l, const struct log_options *opt, struct err *err)
{
    struct err why = {0};

    l->facilities = opt->facilities ? opt->facilities : FACILITIES_ALL;
    int result = configure_system(l, opt->syslog, err);
    if (!opt->path
        || rollfile_configure(&l->file, opt->path, opt->size_max, opt->roll_depth, &why)
               == 0)
        return result;
    return err_set(err, ERR_IO, "the log: %s; logging to %s", why.text,
        l->file.fd < 0 ? "stderr" : l->file.path);
}

struct log *log_open(const struct log_options *opt, struct err *err)
{
    struct log *l = xcalloc(1, sizeof *l);

    l->file.fd = l->system.fd = -1;
    l->also_stderr = opt->also_stderr;
    log_set_level(l, opt->level);
    log_configure(l, opt, err);
    return l;
}

void log_close(struct log *l)
{
    if (!l)
        return;
    rollfile_close(&l->file);
    if (l->to_system)
        systemlog_close(&l->system);
    free(l);
}

void log_set_level(struct log *l, int level)
{
    l->level = level < 0 ? 0 : level > 9 ? 9 : level;
}

void log_mute(struct log *l)
{
    l->mute = true;
}

int log_level(const struct log *l)
{
    return l->level;
}

static const struct {
    const char *name;
    unsigned bits;
} facility_names[] = {{"fALL", FACILITIES_ALL}, {"fCORE", 1u << FACILITY_CORE},
    {"fSCHED", 1u << FACILITY_SCHED}, {"fSOCK", 1u << FACILITY_SOCK},
    {"fUI", 1u << FACILITY_UI}, {"fCONFIG", 1u << FACILITY_CONFIG},
    {"fSTAT", 1u << FACILITY_STAT}, {"fFS", 1u << FACILITY_FS},
    {"fCKPT", 1u << FACILITY_CKPT}, {"fBANK", 1u << FACILITY_AM},
    {"fAM", 1u << FACILITY_AM}, {"fRM", 1u << FACILITY_RM},
    {"fNAT", 1u << FACILITY_NAT}};

unsigned log_facilities(const char *text)
{
    unsigned bits = 0;

    while (*text) {
        size_t len = strcspn(text, ":, \t");
        for (size_t i = 0; i < sizeof facility_names / sizeof facility_names[0]; i++)
            if (len == strlen(facility_names[i].name)
                && strncasecmp(text, facility_names[i].name, len) == 0)
                bits |= facility_names[i].bits;
        text += len + (text[len] != 0);
    }
    return bits;
}

static const struct {
    int from, severity; /* LOGLEVEL; of the system's log */
    const char *word;
} levels[] = {[LOG_ALERT] = {0, 1, "ALERT:    "},
    [LOG_ERROR] = {0, 3, "ERROR:    "},
    [LOG_WARNING] = {0, 4, "WARNING:  "},
    [LOG_ACTION] = {0, 6, "INFO:     "},
    [LOG_DETAIL] = {3, 6, "INFO:     "},
    [LOG_TRACE] = {5, 6, "INFO:     "}};

static bool wanted(const struct log *l, enum log_level level, enum log_facility f)
{
    return !l->mute
           && (level <= LOG_WARNING
               || (l->level >= levels[level].from && (l->facilities >> f & 1)));
}

void log_write(struct log *l, enum log_level level, enum log_facility facility,
    const char *fmt, ...)
{
    char line[LINE_MAX_BYTES];
    time_t now = time(NULL);
    struct tm tm;
    va_list ap;

    if (!wanted(l, level, facility))
        return;
    size_t n = strftime(line, sizeof line, "%m/%d %H:%M:%S ", localtime_r(&now, &tm));
    size_t head = n;
    n += (size_t)snprintf(line + n, sizeof line - n, "%s", levels[level].word);
    va_start(ap, fmt);
    int more = vsnprintf(line + n, sizeof line - n - 1, fmt, ap);
    va_end(ap);
    if (more > 0)
        n += (size_t)more < sizeof line - n - 1 ? (size_t)more : sizeof line - n - 2;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)line[i] < ' ')
            line[i] = ' '; /* users' texts make no lines of their own */
    if (l->to_system && level <= LOG_ACTION) {
        line[n] = 0;
        systemlog_send(&l->system, NULL, levels[level].severity, line + head);
    }
    line[n++] = '\n';
    if (!rollfile_write(&l->file, line, n) || l->also_stderr)
        (void)!write(STDERR_FILENO, line, n);
}
