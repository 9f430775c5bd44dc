/* SPDX-License-Identifier: Apache-2.0
 * Sockets that are listened on. */
#include "server/http/bind.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

int bind_unix(const char *path, struct err *err)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};

    if (strlen(path) >= sizeof at.sun_path)
        return err_set(err, ERR_INVALID,
            "the socket's path '%s' is too long: at most %zu bytes", path,
            sizeof at.sun_path - 1);
    memcpy(at.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return err_set(err, ERR_IO, "socket: %s", strerror(errno));
    /* One that nobody answers on any more may go; the lock file tells. */
    unlink(path);
    if (bind(fd, (struct sockaddr *)&at, sizeof at) < 0 || chmod(path, 0666) < 0
        || listen(fd, 1024) < 0) {
        err_set(err, ERR_IO, "cannot listen on '%s': %s", path, strerror(errno));
        close(fd);
        return -1;
    }
    return fd;
}

int bind_tcp(const char *host, uint16_t port, const char *parameter, struct err *err)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                        .ai_flags = AI_PASSIVE | AI_NUMERICSERV},
                    *found = NULL;
    char service[8];
    int fd = -1, e, yes = 1;

    snprintf(service, sizeof service, "%u", port);
    if ((e = getaddrinfo(*host ? host : NULL, service, &hints, &found)) != 0)
        return err_set(
            err, ERR_INVALID, "%s '%s': %s", parameter, host, gai_strerror(e));
    for (struct addrinfo *a = found; a && fd < 0; a = a->ai_next) {
        fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0)
            continue;
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        if (bind(fd, a->ai_addr, a->ai_addrlen) < 0 || listen(fd, 1024) < 0) {
            e = errno;
            close(fd);
            errno = e;
            fd = -1;
        }
    }
    freeaddrinfo(found);
    if (fd < 0)
        return err_set(err, ERR_IO, "cannot listen on %s port %u: %s", host, port,
            strerror(errno));
    return fd;
}
