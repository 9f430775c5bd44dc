/* SPDX-License-Identifier: Apache-2.0
 * The line, the environment, the files, the domain. */
#include "client/kit/site.h"

#include "base/dns.h"
#include "base/duration.h"
#include "base/home.h"
#include "base/xalloc.h"
#include "config/config.h"
#include "config/value.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
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
                                             : home_config(home);
    struct err err;
    struct config *c = config_load_file(path, &err);

    if (!c && l->config_file)
        fprintf(stderr, "WARNING:  %s\n", err.text);
    free(path);
    return c;
}

/* What was set, not the default. */
static const char *setting(
    const struct config *c, const struct config *file, const char *name)
{
    const char *text = getenv(name);

    if (text && *text)
        return text;
    text = c ? cfg_get(c, name, NULL) : NULL;
    return text || !file ? text : cfg_get(file, name, NULL);
}

static long timeout_of(const struct config *c, const struct config *file)
{
    const char *text = setting(c, file, "CLIENTTIMEOUT");
    struct err err;
    int64_t seconds;

    if (!text || duration_parse(text, &seconds, &err) < 0 || seconds < 1
        || seconds > INT32_MAX)
        return TIMEOUT_DEFAULT_S;
    return (long)seconds;
}

static int port_of(
    const struct command_line *l, const struct config *c, const struct config *file)
{
    const char *text = setting(c, file, "SERVERPORT");
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

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

/* The file that `find` names for it. */
static bool has_file(const char *home, char *(*find)(const char *home))
{
    char *path = find(home);
    bool there = is_there(path);

    free(path);
    return there;
}

static void note_looked(struct site *s, const char *what)
{
    strbuf_printf(&s->looked, "%s%s", s->looked.len ? ", " : "", what);
}

/* Nobody said which home: this user's own daemon, else this machine's. */
static char *usual_home(struct site *s)
{
    static char *(*const marks[])(const char *) = {home_socket, home_config};
    const char *user = getenv("HOME");
    char *own = user && *user && geteuid() != 0 ? home_file(user, ".maui") : NULL;

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (own && has_file(own, marks[i])) {
            s->by = "~/.maui";
            return own;
        }
        if (has_file(HOME_USUAL, marks[i]))
            break;
    }
    s->by = HOME_USUAL;
    if (own)
        note_looked(s, "~/.maui");
    free(own);
    return xstrdup(HOME_USUAL);
}

/* Sets `by`; true when somebody named it for this call. */
static bool find_home(const struct command_line *l, struct site *s)
{
    bool named = false;

    if ((s->home = home_named(l->home)) != NULL) {
        s->by = l->home && *l->home ? "--home" : "$MAUIHOMEDIR or $SERVERHOMEDIR";
        named = true;
    } else if ((s->home = home_of_machine()) != NULL) {
        s->by = "/etc/maui.cfg";
    } else {
        s->home = usual_home(s);
    }
    s->socket = home_socket(s->home);
    return named;
}

/* A host that somebody named, unless it is this machine. */
static bool take_host(struct site *s, const char *host, const char *by)
{
    if (!host || !*host)
        return false;
    s->by = by;
    if (!is_here(host))
        s->host = xstrdup(host);
    return true;
}

static bool take_dns(struct site *s)
{
    struct dns_server found;

    if (dns_find_server(&found) < 0) {
        note_looked(s, "SRV _maui._tcp in DNS");
        return false;
    }
    s->by = "SRV _maui._tcp in DNS";
    s->host = found.host;
    s->port = found.port;
    return true;
}

/* Beyond the command's own words. `file` is the site's, read where it may count. */
static void find_elsewhere(struct site *s, const struct config *c,
    const struct config *file, bool named, bool port_named)
{
    int port = s->port;

    if (is_there(s->socket))
        return;
    if (c && take_host(s, cfg_get(c, "SERVERHOST", NULL), "SERVERHOST of maui.cfg"))
        return;
    if (named)
        return;
    note_looked(s, s->socket);
    if (file && take_host(s, cfg_get(file, "SERVERHOST", NULL), home_client_file()))
        return;
    note_looked(s, home_client_file());
    if (take_dns(s) && port_named)
        s->port = port;
}

void site_find(const struct command_line *l, struct site *ret)
{
    const char *from_env = getenv("SERVERHOST");
    struct config *c, *file = NULL;
    struct err err;

    *ret = (struct site){.by = ""};
    bool named = find_home(l, ret);
    c = read_file(l, ret->home);
    if (!named && is_there(home_client_file()))
        file = config_load_file(home_client_file(), &err);
    ret->port = port_of(l, c, file);
    ret->timeout_s = timeout_of(c, file);
    if (l->host) {
        ret->host = xstrdup(l->host);
        ret->by = "--host";
    } else if (!take_host(ret, from_env, "$SERVERHOST")) {
        find_elsewhere(
            ret, c, file, named, l->port || setting(c, file, "SERVERPORT") != NULL);
    }
    if (c)
        config_destroy(c);
    if (file)
        config_destroy(file);
}

void site_fini(struct site *s)
{
    free(s->host);
    free(s->home);
    free(s->socket);
    free(s->looked.text);
}

/* The first folder on the way to `path` that does not let this user through; NULL: all
 * do. */
static char *find_closed_folder(const char *path)
{
    for (const char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
        char *folder = xstrndup(path, (size_t)(at - path));

        if (access(folder, X_OK) < 0)
            return errno == EACCES ? folder : (free(folder), NULL);
        free(folder);
    }
    return NULL;
}

/* The scheduler may well run, and be somebody else's own. False: nothing is closed. */
static bool complain_of_closed(const char *socket)
{
    char *folder = find_closed_folder(socket);
    struct stat st;

    if (!folder)
        return false;
    const struct passwd *pw = stat(folder, &st) == 0 ? getpwuid(st.st_uid) : NULL;
    fprintf(stderr,
        "ERROR:    cannot connect to '%s': permission denied: only %s may enter '%s'\n"
        "          'chmod a+x %s' by %s lets others use that scheduler;\n"
        "          'maui demo --keep' starts one of your own\n",
        socket, pw ? pw->pw_name : "its owner", folder, folder,
        pw ? pw->pw_name : "its owner");
    free(folder);
    return true;
}

void site_complain(const struct site *s, bool unknown_host)
{
    if (unknown_host)
        fprintf(stderr, "ERROR:    no such host: '%s' (%s)\n", s->host, s->by);
    else if (s->host)
        fprintf(stderr, "ERROR:    cannot connect to '%s' port %d (%s)\n", s->host,
            s->port, s->by);
    else if (complain_of_closed(s->socket))
        return;
    else
        fprintf(stderr,
            "ERROR:    cannot connect to '%s': is the scheduler running? (maui "
            "serve)\n",
            s->socket);
    if (!s->host && s->looked.len)
        fprintf(stderr,
            "          looked at: %s; a SERVERHOST line in /etc/maui/client.cfg names "
            "another machine\n",
            s->looked.text);
}
