/* SPDX-License-Identifier: Apache-2.0
 * The other side of the WIKI protocol, and its key. */
#include "config/rmpeer.h"

#include "base/trust.h"
#include "base/xalloc.h"
#include "config/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY_MOST 512 /* bytes */

static const char *find_attribute(const struct raw_object *section, const char *name)
{
    const char *found = NULL;

    for (size_t i = 0; section != NULL && i < section->attrs.n; i++)
        if (strcasecmp(section->attrs.v[i].name, name) == 0)
            found = section->attrs.v[i].value; /* the last one counts */
    return found;
}

/* CLIENTCFG[RM:name], or NULL. */
static const struct raw_object *find_client(const struct settings *s, const char *name)
{
    for (size_t i = 0; i < s->raw.n; i++) {
        const struct raw_object *o = &s->raw.v[i];

        if (strcmp(o->kind, "CLIENTCFG") == 0 && strncasecmp(o->name, "RM:", 3) == 0
            && strcasecmp(o->name + 3, name) == 0)
            return o;
    }
    return NULL;
}

/* Whom it belongs to and who can write it, trust_check() has seen; here: who reads. */
static int check_readers(int fd, const char *path, struct err *err)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return err_set(err, ERR_IO, "%.150s: %s", path, strerror(errno));
    if ((st.st_mode & 077) != 0)
        return err_set(err, ERR_DENIED,
            "%.150s can be read by others than its owner; chmod 600 it", path);
    return 0;
}

/* The first line. Owned; NULL with an error. */
static char *read_key_file(const char *path, struct err *err)
{
    char text[KEY_MOST + 2];
    ssize_t n = -1;
    int fd;

    if (trust_check(path, false, err) < 0)
        return NULL;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        err_set(err, ERR_IO, "%.150s: %s", path, strerror(errno));
        return NULL;
    }
    if (check_readers(fd, path, err) == 0) {
        n = read(fd, text, sizeof text - 1);
        if (n < 0)
            err_set(err, ERR_IO, "%.150s: %s", path, strerror(errno));
    }
    close(fd);
    if (n < 0)
        return NULL;
    text[n] = '\0';
    text[strcspn(text, "\r\n")] = '\0';
    if (*text == '\0' || strlen(text) > KEY_MOST) {
        err_set(err, ERR_INVALID,
            "%.150s: expected a key of 1 to %d bytes in its first line", path,
            KEY_MOST);
        return NULL;
    }
    return xstrdup(text);
}

/* DES reads a number, and takes all that is none for 0. */
static int check_key(const struct rmpeer *p, struct err *err)
{
    char *end;

    if (strcasecmp(p->algorithm, "DES") != 0)
        return 0;
    errno = 0;
    unsigned long number = strtoul(p->key, &end, 0);
    if (end == p->key || *end != '\0' || errno != 0 || number == 0
        || number > UINT32_MAX)
        return err_set(err, ERR_INVALID,
            "the key is no number, and DES takes no other (1 to 4294967295, also as "
            "0x...); CSALGO=HMAC takes any text");
    return 0;
}

static int read_key(const struct settings *s, const struct raw_object *section,
    struct rmpeer *ret, struct err *err)
{
    const struct raw_object *client = find_client(s, section->name);
    const char *file = find_attribute(section, "KEYFILE"),
               *text = find_attribute(client, "CSKEY"),
               *algorithm = find_attribute(section, "CSALGO");

    if (algorithm == NULL)
        algorithm = find_attribute(client, "CSALGO");
    ret->algorithm = algorithm != NULL ? algorithm : "DES";
    if (file == NULL && text == NULL)
        return err_set(err, ERR_INVALID,
            "RMCFG[%s] TYPE=WIKI needs a key: KEYFILE=/FILE, or CLIENTCFG[RM:%s] "
            "CSKEY= in the private file; AUTHTYPE=NONE works without",
            section->name, section->name);
    ret->private = file == NULL;
    ret->key = file != NULL ? read_key_file(file, err) : xstrdup(text);
    if (ret->key == NULL || check_key(ret, err) < 0)
        return err_prefix(err, "RMCFG[%s]: ", section->name);
    return 0;
}

int rmpeer_read(const struct settings *s, const struct raw_object *section,
    struct rmpeer *ret, struct err *err)
{
    const char *how = find_attribute(section, "AUTHTYPE");
    char *end;
    long port;

    *ret = (struct rmpeer){.host = find_attribute(section, "HOST"),
        .port = find_attribute(section, "PORT"),
        .algorithm = "NONE"};
    if (ret->host == NULL || ret->port == NULL)
        return err_set(err, ERR_INVALID, "RMCFG[%s] TYPE=WIKI needs %s", section->name,
            ret->host == NULL ? "HOST=" : "PORT=");
    port = strtol(ret->port, &end, 10);
    if (end == ret->port || *end != '\0' || port < 1 || port > 65535)
        return err_set(err, ERR_INVALID, "RMCFG[%s] PORT=%.20s: expected 1 to 65535",
            section->name, ret->port);
    if (how != NULL && strcasecmp(how, "NONE") == 0)
        return 0;
    if (how != NULL && strcasecmp(how, "CHECKSUM") != 0)
        return err_set(err, ERR_INVALID,
            "RMCFG[%s] AUTHTYPE=%.20s: WIKI knows CHECKSUM and NONE", section->name,
            how);
    if (read_key(s, section, ret, err) == 0)
        return 0;
    rmpeer_fini(ret);
    return -1;
}

void rmpeer_fini(struct rmpeer *p)
{
    if (p->key != NULL)
        explicit_bzero(p->key, strlen(p->key));
    free(p->key);
    p->key = NULL;
}
