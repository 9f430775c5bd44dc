/* SPDX-License-Identifier: Apache-2.0
 * Lines to the system's log. */
#include "server/process/systemlog.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

static const struct {
    const char *name;
    int number;
} facilities[] = {{"daemon", LOG_DAEMON}, {"user", LOG_USER}, {"auth", LOG_AUTH},
    {"authpriv", LOG_AUTHPRIV}, {"cron", LOG_CRON}, {"mail", LOG_MAIL},
    {"syslog", LOG_SYSLOG}, {"local0", LOG_LOCAL0}, {"local1", LOG_LOCAL1},
    {"local2", LOG_LOCAL2}, {"local3", LOG_LOCAL3}, {"local4", LOG_LOCAL4},
    {"local5", LOG_LOCAL5}, {"local6", LOG_LOCAL6}, {"local7", LOG_LOCAL7}};

int systemlog_parse(const char *text, int *ret_facility, struct err *err)
{
    static const char *const yes[] = {"TRUE", "ON", "YES", "T", "1"};
    const char *colon = strchr(text, ':');
    size_t len = colon ? (size_t)(colon - text) : strlen(text);

    *ret_facility = LOG_DAEMON;
    for (size_t i = 0; colon && i < sizeof facilities / sizeof facilities[0]; i++)
        if (strcasecmp(colon + 1, facilities[i].name) == 0) {
            *ret_facility = facilities[i].number;
            colon = NULL;
        }
    if (colon)
        return err_set(err, ERR_INVALID,
            "USESYSLOG: there is no facility '%.40s'; expected daemon, user, local0 "
            "and so on",
            colon + 1);
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++)
        if (len == strlen(yes[i]) && strncasecmp(text, yes[i], len) == 0)
            return 1;
    return 0;
}

void systemlog_open(struct systemlog *l, int facility)
{
    l->facility = facility;
    l->lost = 0;
    l->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

void systemlog_close(struct systemlog *l)
{
    if (l->fd >= 0)
        close(l->fd);
    l->fd = -1;
}

void systemlog_send(
    struct systemlog *l, const char *path, int severity, const char *text)
{
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    time_t now = time(NULL);
    char line[2200];
    struct tm tm;

    if (l->fd < 0)
        return;
    snprintf(to.sun_path, sizeof to.sun_path, "%s", path ? path : "/dev/log");
    localtime_r(&now, &tm);
    int n = snprintf(line, sizeof line, "<%d>%s %2d %02d:%02d:%02d maui[%ld]: %s",
        l->facility | severity, months[tm.tm_mon], tm.tm_mday, tm.tm_hour, tm.tm_min,
        tm.tm_sec, (long)getpid(), text);
    size_t len = (size_t)n < sizeof line ? (size_t)n : sizeof line - 1;
    if (sendto(l->fd, line, len, MSG_NOSIGNAL, (struct sockaddr *)&to, sizeof to) < 0)
        l->lost++;
}
