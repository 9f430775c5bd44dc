/* SPDX-License-Identifier: Apache-2.0
 * Who could write a file, or put another in its place. */
#include "base/trust.h"

#include "base/strbuf.h"
#include "base/xalloc.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MOST 40

/* Groups matter where we are root: elsewhere they are mostly the user's own. Of a link
 * only the owner counts: where it points nobody can change but in its folder. */
static int check_one(const char *path, const struct stat *st, struct err *err)
{
    bool sticky = S_ISDIR(st->st_mode) && (st->st_mode & S_ISVTX);

    if (st->st_uid != 0 && st->st_uid != geteuid())
        return err_set(err, ERR_DENIED,
            "%.150s belongs to the user %u; expected root or the user %u, who runs "
            "this",
            path, st->st_uid, geteuid());
    if (S_ISLNK(st->st_mode) || sticky)
        return 0;
    if (st->st_mode & S_IWOTH)
        return err_set(err, ERR_DENIED, "%.150s can be written by everybody", path);
    if ((st->st_mode & S_IWGRP) && st->st_gid != 0 && geteuid() == 0)
        return err_set(
            err, ERR_DENIED, "%.150s can be written by the group %u", path, st->st_gid);
    return 0;
}

/* The path with that link, its first `n` bytes, replaced by where it points. Owned;
 * NULL with an error. */
static char *follow(const char *path, size_t n, const char *part, struct err *err)
{
    char target[PATH_MAX];
    ssize_t len = readlink(part, target, sizeof target);
    struct strbuf b = {0};

    if (len < 0 || (size_t)len == sizeof target) {
        err_set(
            err, ERR_IO, "%.150s: %s", part, strerror(len < 0 ? errno : ENAMETOOLONG));
        return NULL;
    }
    if (*target != '/') /* from the folder that the part is in */
        strbuf_add_n(&b, part, (size_t)(strrchr(part, '/') - part) + 1);
    strbuf_add_n(&b, target, (size_t)len);
    strbuf_add(&b, path + n);
    return strbuf_take(&b);
}

static int check_file(
    const char *path, const struct stat *st, bool exec, struct err *err)
{
    if (!S_ISREG(st->st_mode))
        return err_set(err, ERR_INVALID, "%.150s is not a file", path);
    if (access(path, exec ? X_OK : R_OK) < 0)
        return err_set(err, ERR_DENIED, "%.150s cannot be %s: %s", path,
            exec ? "executed" : "read", strerror(errno));
    return 0;
}

/* All that is on the way to it, from the root on. *ret_next: the path to go on with,
 * where a link is on the way. */
static int check_way(const char *path, bool exec, char **ret_next, struct err *err)
{
    struct stat st = {0};
    int result = 0;

    *ret_next = NULL;
    for (size_t n = 1; result == 0 && *ret_next == NULL; n++) {
        n += strcspn(path + n, "/");
        char *part = xstrndup(path, n);

        if (lstat(part, &st) < 0)
            result = err_set(err, ERR_IO, "%.150s: %s", part, strerror(errno));
        else
            result = check_one(part, &st, err);
        if (result == 0 && S_ISLNK(st.st_mode)) {
            *ret_next = follow(path, n, part, err);
            result = *ret_next != NULL ? 0 : -1;
        }
        free(part);
        if (path[n] == '\0')
            break;
    }
    return result == 0 && *ret_next == NULL ? check_file(path, &st, exec, err) : result;
}

int trust_check(const char *path, bool exec, struct err *err)
{
    char *at = xstrdup(path), *next;
    struct stat root;
    int result;

    if (*path != '/') {
        free(at);
        return err_set(err, ERR_INVALID, "%.150s: expected an absolute path", path);
    }
    result = stat("/", &root) == 0 ? check_one("/", &root, err)
                                   : err_set(err, ERR_IO, "/: %s", strerror(errno));
    for (int links = 0; result == 0; links++) {
        if (links > LINKS_MOST) {
            result = err_set(err, ERR_IO, "%.150s: %s", path, strerror(ELOOP));
            break;
        }
        result = check_way(at, exec, &next, err);
        if (next == NULL)
            break;
        free(at);
        at = next;
    }
    free(at);
    return result;
}
