/* SPDX-License-Identifier: Apache-2.0
 * What `maui slurm check` sees around slurmctld: slurmdbd, clocks, and the way that
 * users of this machine have to the scheduler. */
#include "base/dns.h"
#include "base/home.h"
#include "rm/adapter/clocks.h"
#include "rm/slurm/check.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>

#define DBD_PATIENCE_S 3

/* ---- slurmdbd ---- */

/* 0, or an errno. */
static int try_address(const struct addrinfo *at)
{
    const struct timeval patience = {.tv_sec = DBD_PATIENCE_S};
    int fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, 0), error = 0;

    if (fd < 0)
        return errno;
    if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) < 0
        || connect(fd, at->ai_addr, at->ai_addrlen) < 0)
        error = errno == EINPROGRESS ? ETIMEDOUT : errno;
    close(fd);
    return error;
}

/* Why nothing listens there; NULL: something does. */
static const char *try_host(const char *host, unsigned port)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found;
    char service[12];
    int error;

    snprintf(service, sizeof service, "%u", port);
    error = getaddrinfo(host, service, &hints, &found);
    if (error != 0)
        return gai_strerror(error);
    error = ECONNREFUSED;
    for (const struct addrinfo *at = found; at != NULL && error != 0; at = at->ai_next)
        error = try_address(at);
    freeaddrinfo(found);
    return error != 0 ? strerror(error) : NULL;
}

void look_at_slurmdbd(const slurm_conf_t *c, struct findings *f)
{
    const char *host = c->accounting_storage_host, *why;
    const char *backup = c->accounting_storage_backup_host;

    if (c->accounting_storage_type == NULL || host == NULL
        || strstr(c->accounting_storage_type, "slurmdbd") == NULL)
        return;
    why = try_host(host, c->accounting_storage_port);
    if (why != NULL && (backup == NULL || try_host(backup, c->accounting_storage_port)))
        findings_add(f, SETTING_WARNING,
            "slurmdbd at %s port %u%s%s does not answer this machine: %s; jobs start "
            "on, by the accounts and limits that slurmctld knows, which keeps what "
            "happens for slurmdbd; a slurmctld that is started without it has the "
            "limits "
            "that it has saved, or does not start; `systemctl status slurmdbd` there",
            host, c->accounting_storage_port, backup != NULL ? ", and at " : "",
            backup != NULL ? backup : "", why);
}

/* ---- clocks ---- */

void look_at_clock(int64_t ahead_s, struct findings *f)
{
    if (llabs(ahead_s) > CLOCKS_FAR_S)
        findings_add(f, SETTING_WARNING,
            "slurmctld's clock is %lld s %s that of this machine: have them set alike; "
            "MUNGE takes no request across 5 minutes",
            (long long)llabs(ahead_s), ahead_s > 0 ? "ahead of" : "behind");
}

/* ---- commands of users ---- */

/* By the site's file, or the domain. */
static bool is_host_named(void)
{
    struct dns_server found = {0};
    bool named = access(home_client_file(), R_OK) == 0 || dns_find_server(&found) == 0;

    free(found.host);
    return named;
}

static bool is_there(char *path)
{
    bool there = access(path, F_OK) == 0;

    free(path);
    return there;
}

/* By the order of client/kit/site.h, for who names nothing and has no daemon of his
 * own. */
void look_at_commands(const char *home, struct findings *f)
{
    char *usual = home_of_machine();

    if (usual == NULL)
        usual = xstrdup(HOME_USUAL);
    if (strcmp(usual, home) != 0 && is_there(home_socket(usual)))
        findings_add(f, SETTING_NOTE,
            "users' commands on this machine ask the scheduler of %s, not that of %s: "
            "a line SERVERHOMEDIR in /etc/maui.cfg names another home",
            usual, home);
    else if ((strcmp(usual, home) != 0 || !is_there(home_socket(home)))
             && !is_host_named())
        findings_add(f, SETTING_NOTE,
            "users' commands on this machine find no scheduler unless MAUIHOMEDIR "
            "names it: a line SERVERHOMEDIR %s in /etc/maui.cfg where it runs, "
            "SERVERHOST NAME in %s on login nodes",
            home, home_client_file());
    free(usual);
}
