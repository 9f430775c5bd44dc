/* SPDX-License-Identifier: Apache-2.0
 * The server's address from the domain: the record SRV _maui._tcp, as
 *
 *     _maui._tcp.example.org.  SRV  0 0 40559 sched.example.org. */
#ifndef MAUI_BASE_DNS_H
#define MAUI_BASE_DNS_H

#include <stddef.h>

struct dns_server {
    char *host; /* owned by the caller */
    int port;
};

/* Ask for it in the domains that the machine searches. 0, or -1 when there is none. A
 * name server that does not answer costs 2 s. */
int dns_find_server(struct dns_server *ret);

/* The same of an answer: the record of lowest priority, of these the heaviest. */
int dns_read_server(const unsigned char *answer, size_t size, struct dns_server *ret);

#endif
