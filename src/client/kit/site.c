/* SPDX-License-Identifier: Apache-2.0
 * The line, the environment, the file. */
#include "client/kit/site.h"

#include "base/duration.h"
#include "base/home.h"
#include "base/xalloc.h"
#include "config/config.h"
#include "config/value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define PORT_DEFAULT      40559
#define TIMEOUT_DEFAULT_S 30

/* The configuration, or NULL. */
static struct config *read_file(const struct command_line *l, const char *home)
{
    const char *named = getenv("SERVERCONFIGFILE");
    char *path = l->config_file              ? xstrdup(l->config_file)
                 : named && named[0] == '/'  ? xstrdup(named)
                 : named && named[0] != '\0' ? home_file(home, named)
                                             : home_file(home, "maui.cfg");
    struct err err;
    struct config *c = config_load_file(path, &err);

    if (!c && l->config_file)
        fprintf(stderr, "WARNING:  %s\n", err.text);
    free(path);
    return c;
}

/* What was set, not the default. */
static const char *setting(const struct config *c, const char *name)
{
    const char *text = getenv(name);

    if (text && *text)
        return text;
    return c ? cfg_get(c, name, NULL) : NULL;
}

static long timeout_of(const struct config *c)
{
    const char *text = setting(c, "CLIENTTIMEOUT");
    struct err err;
    int64_t seconds;

    if (!text || duration_parse(text, &seconds, &err) < 0 || seconds < 1
        || seconds > INT32_MAX)
        return TIMEOUT_DEFAULT_S;
    return (long)seconds;
}

static int port_of(const struct command_line *l, const struct config *c)
{
    const char *text = setting(c, "SERVERPORT");
    int64_t port = PORT_DEFAULT;
    struct err err;

    if (l->port)
        return l->port;
    if (text && value_int(text, 1, UINT16_MAX, &port, &err) < 0)
        fprintf(
            stderr, "WARNING:  SERVERPORT: %s; %d is used\n", err.text, PORT_DEFAULT);
    return (int)port;
}

/* By its name, long or short. */
static bool is_here(const char *host)
{
    char name[256] = "";
    size_t len = strcspn(host, ".");

    gethostname(name, sizeof name - 1);
    return strcasecmp(host, "localhost") == 0 || strcasecmp(host, name) == 0
           || (!host[len] && len == strcspn(name, ".")
               && strncasecmp(host, name, len) == 0);
}

static char *host_of(
    const struct command_line *l, const struct config *c, const char *home)
{
    const char *host = l->host ? l->host : getenv("SERVERHOST");

    if (l->host)
        return xstrdup(l->host);
    if (!host || !*host) {
        char *socket = home_file(home, "api.sock");
        host = access(socket, F_OK) == 0 || !c ? NULL : cfg_get(c, "SERVERHOST", NULL);
        free(socket);
    }
    return host && *host && !is_here(host) ? xstrdup(host) : NULL;
}

void site_find(const struct command_line *l, struct site *ret)
{
    char *home = home_find(l->home);
    struct config *c = read_file(l, home);

    *ret = (struct site){
        .host = host_of(l, c, home), .port = port_of(l, c), .timeout_s = timeout_of(c)};
    if (c)
        config_destroy(c);
    free(home);
}

void site_fini(struct site *s)
{
    free(s->host);
}
