/* SPDX-License-Identifier: Apache-2.0
 * Who may have the same answer, while it is the same. */
#include "server/api/sharing.h"

#include "base/strbuf.h"
#include "server/server_private.h"

#define MINUTE_S 60

const char *sharing_rights(const struct identity *who)
{
    return identity_is(who, WHO_ADMIN3) ? "(administrators)" : who->user;
}

char *sharing_key(struct server *s, const struct request *r, const char *of,
    char *ret_state, size_t size)
{
    const struct identity *who = request_who(r);
    uint64_t hash = UINT64_C(14695981039346656037);
    struct strbuf key = {0};

    strbuf_printf(&key, "%s %s %d %x", request_target(r), sharing_rights(who),
        who->level, who->hidden);
    for (const char *p = key.text; *p; p++)
        hash = (hash ^ (unsigned char)*p) * UINT64_C(1099511628211);
    snprintf(ret_state, size, "%s.%lx.%lx", of,
        (unsigned long)(world_now(s) / MINUTE_S), (unsigned long)hash);
    return strbuf_take(&key);
}
