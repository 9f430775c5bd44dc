/* SPDX-License-Identifier: Apache-2.0
 * SCHEDCFG[name]: what it says of the server is what parameters say, so it is put in
 * force as these; a parameter of the file itself comes later and wins. */
#include "config/loader.h"
#include "config/set.h"

#include <string.h>

static void put(
    struct loader *l, const struct place *at, const char *name, const char *value)
{
    struct cfg_call call = {.row = table_find(l->config->table, name), .value = value};

    loader_apply(l, at, &call, name);
}

/* [scheme://]host[:port][/path] */
static void put_server(struct loader *l, const struct place *at, const char *url)
{
    const char *scheme = strstr(url, "://"), *host = scheme ? scheme + 3 : url;
    size_t len = strcspn(host, "/");
    char *text = xstrndup(host, len), *colon = strrchr(text, ':');

    if (colon != NULL) {
        *colon++ = '\0';
        put(l, at, "SERVERPORT", colon);
    }
    if (*text != '\0')
        put(l, at, "SERVERHOST", text);
    free(text);
}

void load_scheduler(struct loader *l, const struct place *at, const struct cfg_row *row,
    const char *value)
{
    if (strcmp(row->name, "MODE") == 0)
        put(l, at, "SERVERMODE", value);
    else if (strcmp(row->name, "SERVER") == 0)
        put_server(l, at, value);
}
