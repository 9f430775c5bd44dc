/* SPDX-License-Identifier: Apache-2.0
 * SRV by the resolver of libc. */
#include "base/dns.h"

#include "base/xalloc.h"

#include <netinet/in.h>
/* after what it needs */
#include <arpa/nameser.h>
#include <resolv.h>
#include <stdbool.h>
#include <string.h>

#define SERVICE    "_maui._tcp"
#define ANSWER_MAX 4096
#define SRV_FIXED  6 /* bytes: priority, weight, port */

struct srv {
    unsigned priority, weight, port;
    char host[NS_MAXDNAME];
};

static bool read_srv(ns_msg *m, int i, struct srv *ret)
{
    ns_rr rr;

    if (ns_parserr(m, ns_s_an, i, &rr) < 0 || ns_rr_type(rr) != ns_t_srv
        || ns_rr_rdlen(rr) <= SRV_FIXED)
        return false;
    const unsigned char *d = ns_rr_rdata(rr);
    ret->priority = ns_get16(d);
    ret->weight = ns_get16(d + 2);
    ret->port = ns_get16(d + 4);
    return dn_expand(ns_msg_base(*m), ns_msg_end(*m), d + SRV_FIXED, ret->host,
               sizeof ret->host)
               > 0
           && *ret->host && ret->port > 0;
}

static bool is_better(const struct srv *a, const struct srv *b)
{
    return a->priority != b->priority ? a->priority < b->priority
                                      : a->weight > b->weight;
}

int dns_read_server(const unsigned char *answer, size_t size, struct dns_server *ret)
{
    struct srv one, best = {.priority = UINT32_MAX};
    ns_msg m;

    if (ns_initparse(answer, (int)size, &m) < 0)
        return -1;
    for (int i = 0; i < ns_msg_count(m, ns_s_an); i++)
        if (read_srv(&m, i, &one) && is_better(&one, &best))
            best = one;
    if (!*best.host)
        return -1;
    *ret = (struct dns_server){xstrdup(best.host), (int)best.port};
    return 0;
}

int dns_find_server(struct dns_server *ret)
{
    struct __res_state state = {0};
    unsigned char answer[ANSWER_MAX];
    int n, result = -1;

    if (res_ninit(&state) < 0)
        return -1;
    state.retrans = 1;
    state.retry = 2;
    n = res_nsearch(&state, SERVICE, ns_c_in, ns_t_srv, answer, sizeof answer);
    if (n > 0 && n <= (int)sizeof answer)
        result = dns_read_server(answer, (size_t)n, ret);
    res_nclose(&state);
    return result;
}
