/* SPDX-License-Identifier: Apache-2.0
 * The socket of signs. */
#include "rm/adapter/wake.h"

#include "base/xalloc.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define AT_ONCE 1000 /* datagrams that are taken out in one turn of the loop */

struct wake {
    sd_event_source *io;
    int fd;
    char *path; /* owned */
    dev_t dev;  /* of the file: who comes after us makes another in its place */
    ino_t ino;
    void (*woken)(void *ctx);
    void *ctx;
};

static int on_sign(sd_event_source *source, int fd, uint32_t events, void *ctx)
{
    struct wake *w = ctx;
    char words[16];

    (void)source;
    (void)events;
    for (int i = 0; i < AT_ONCE; i++)
        if (recv(fd, words, sizeof words, MSG_DONTWAIT) < 0 && errno != EINTR)
            break;
    w->woken(w->ctx);
    return 0;
}

/* Nobody else may write to it from its first moment on. */
static int bind_socket(const char *path, struct err *err)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd;
    mode_t mask;
    bool bound;

    if (strlen(path) >= sizeof at.sun_path)
        return err_set(err, ERR_INVALID,
            "%s: a path of a socket has at most %zu characters", path,
            sizeof at.sun_path - 1);
    memcpy(at.sun_path, path, strlen(path) + 1);
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    unlink(path);
    mask = umask(0177);
    bound = bind(fd, (struct sockaddr *)&at, sizeof at) == 0;
    umask(mask);
    if (bound)
        return fd;
    err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    close(fd);
    return -1;
}

struct wake *wake_new(sd_event *loop, const char *path, void (*woken)(void *ctx),
    void *ctx, struct err *err)
{
    int fd = bind_socket(path, err);
    struct wake *w;
    struct stat st;

    if (fd < 0)
        return NULL;
    w = xcalloc(1, sizeof *w);
    if (lstat(path, &st) == 0) {
        w->dev = st.st_dev;
        w->ino = st.st_ino;
    }
    w->fd = fd;
    w->path = xstrdup(path);
    w->woken = woken;
    w->ctx = ctx;
    sd_event_add_io(loop, &w->io, fd, EPOLLIN, on_sign, w);
    return w;
}

void wake_destroy(struct wake *w)
{
    struct stat st;

    if (w == NULL)
        return;
    sd_event_source_disable_unref(w->io);
    /* before its number is free for another file */
    if (lstat(w->path, &st) == 0 && st.st_dev == w->dev && st.st_ino == w->ino)
        unlink(w->path);
    close(w->fd);
    free(w->path);
    free(w);
}
