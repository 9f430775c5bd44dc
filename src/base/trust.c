/* SPDX-License-Identifier: Apache-2.0
 * Who could write a file, or put another in its place. */
#include "base/trust.h"

#include "base/xalloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Groups matter where we are root: elsewhere they are mostly the user's own. */
static int check_one(const char *path, const struct stat *st, struct err *err)
{
    bool sticky = S_ISDIR(st->st_mode) && (st->st_mode & S_ISVTX);

    if (st->st_uid != 0 && st->st_uid != geteuid())
        return err_set(err, ERR_DENIED,
            "%.150s belongs to the user %u; expected root or the user %u, who runs "
            "this",
            path, st->st_uid, geteuid());
    if ((st->st_mode & S_IWOTH) && !sticky)
        return err_set(err, ERR_DENIED, "%.150s can be written by everybody", path);
    if ((st->st_mode & S_IWGRP) && st->st_gid != 0 && geteuid() == 0 && !sticky)
        return err_set(
            err, ERR_DENIED, "%.150s can be written by the group %u", path, st->st_gid);
    return 0;
}

static int check_path(char *path, bool exec, struct err *err)
{
    struct stat st;
    char *slash;

    if (stat(path, &st) < 0)
        return err_set(err, ERR_IO, "%.150s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return err_set(err, ERR_INVALID, "%.150s is not a file", path);
    if (access(path, exec ? X_OK : R_OK) < 0)
        return err_set(err, ERR_DENIED, "%.150s cannot be %s: %s", path,
            exec ? "executed" : "read", strerror(errno));
    if (check_one(path, &st, err) < 0)
        return -1;
    while ((slash = strrchr(path, '/')) != NULL) {
        slash[slash == path] = '\0'; /* the root keeps its slash */
        if (stat(path, &st) < 0)
            return err_set(err, ERR_IO, "%.150s: %s", path, strerror(errno));
        if (check_one(path, &st, err) < 0)
            return -1;
        if (strcmp(path, "/") == 0)
            break;
    }
    return 0;
}

int trust_check(const char *path, bool exec, struct err *err)
{
    char *real = realpath(path, NULL);
    int result;

    if (real == NULL)
        return err_set(err, ERR_IO, "%.150s: %s", path, strerror(errno));
    result = check_path(real, exec, err);
    free(real);
    return result;
}
