/* SPDX-License-Identifier: Apache-2.0
 * Lines to the system's log: datagrams to /dev/log that never wait, unlike syslog(3).
 */
#ifndef MAUI_SERVER_SYSTEMLOG_H
#define MAUI_SERVER_SYSTEMLOG_H

#include "base/err.h"

#include <stdint.h>

struct systemlog {
    int fd;
    int facility;  /* as syslog.h numbers it, shifted */
    uint64_t lost; /* lines nobody took */
};

/* The value of USESYSLOG: "TRUE", "FALSE:daemon", "ON:local3". 1 = on, 0 = off, -1 with
 * a sentence. */
int systemlog_parse(const char *text, int *ret_facility, struct err *err);

/* Opens for sending; nobody need listen. */
void systemlog_open(struct systemlog *l, int facility);
void systemlog_close(struct systemlog *l);

/* `severity` as syslog numbers it: 1 alert, 3 error, 4 warning, 6 information. `path`
 * NULL = /dev/log. */
void systemlog_send(
    struct systemlog *l, const char *path, int severity, const char *text);

#endif
