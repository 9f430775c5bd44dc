/* SPDX-License-Identifier: Apache-2.0
 * The page's certificate and its key. */
#include "server/web/tls.h"

#include "base/strbuf.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef MAUI_CRYPTO
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#endif

#define FILE_MAX (64 * 1024)

/* Others must not read a key; a certificate is for everybody. */
static int check_file(int fd, const char *path, bool secret, struct err *err)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return err_set(err, ERR_IO, "%.200s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode) || st.st_size > FILE_MAX)
        return err_set(err, ERR_INVALID,
            "%.200s: expected a file in PEM of at most %d KB", path, FILE_MAX / 1024);
    if (secret && (st.st_mode & 077))
        return err_set(err, ERR_INVALID,
            "%.200s can be read by others than its owner; chmod 600 it", path);
    return 0;
}

static char *read_text(int fd, const char *path, struct err *err)
{
    struct strbuf text = {0};
    char block[4096];
    ssize_t n;

    while ((n = read(fd, block, sizeof block)) > 0 && text.len <= FILE_MAX)
        strbuf_add_n(&text, block, (size_t)n);
    char *all = strbuf_take(&text);
    if (n == 0 && strstr(all, "-----BEGIN "))
        return all;
    if (n < 0)
        err_set(err, ERR_IO, "%.200s: %s", path, strerror(errno));
    else
        err_set(err, ERR_INVALID, "%.200s: expected a text in PEM", path);
    free(all);
    return NULL;
}

static char *read_file(const char *home, const char *parameter, const char *name,
    bool secret, struct err *err)
{
    struct strbuf b = {0};

    strbuf_printf(
        &b, "%s%s%s", *name == '/' ? "" : home, *name == '/' ? "" : "/", name);
    char *path = strbuf_take(&b), *text = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        err_set(err, errno == EACCES ? ERR_DENIED : ERR_IO, "%.200s: %s", path,
            strerror(errno));
    else if (check_file(fd, path, secret, err) == 0)
        text = read_text(fd, path, err);
    if (fd >= 0)
        close(fd);
    if (!text)
        err_prefix(err, "%s: ", parameter);
    free(path);
    return text;
}

/* ---- do they belong together? ---- */

#ifdef MAUI_CRYPTO
/* Nobody is there to be asked for a password. */
static int refuse_password(char *ret, int size, int writes, void *ctx)
{
    (void)ret;
    (void)size;
    (void)writes;
    (void)ctx;
    return -1;
}

static int check_pair(const struct tls *t, struct err *err)
{
    int result = -1;
    BIO *cert_text = BIO_new_mem_buf(t->cert, -1),
        *key_text = BIO_new_mem_buf(t->key, -1);
    X509 *cert =
        cert_text ? PEM_read_bio_X509(cert_text, NULL, refuse_password, NULL) : NULL;
    EVP_PKEY *key = key_text
                        ? PEM_read_bio_PrivateKey(key_text, NULL, refuse_password, NULL)
                        : NULL;

    if (!cert)
        err_set(err, ERR_INVALID, "WEBCERT: expected a certificate in PEM");
    else if (!key)
        err_set(err, ERR_INVALID, "WEBKEY: expected a key in PEM, without a password");
    else if (X509_check_private_key(cert, key) == 1)
        result = 0;
    else
        err_set(err, ERR_INVALID,
            "WEBKEY is not the key of the first certificate in WEBCERT");
    EVP_PKEY_free(key);
    X509_free(cert);
    BIO_free(key_text);
    BIO_free(cert_text);
    ERR_clear_error();
    return result;
}
#else
/* Without libcrypto the listener tells, when it opens. */
static int check_pair(const struct tls *t, struct err *err)
{
    (void)t;
    (void)err;
    return 0;
}
#endif

int tls_read(const char *home, const char *cert, const char *key, struct tls *ret,
    struct err *err)
{
    bool has_cert = cert && *cert, has_key = key && *key;

    *ret = (struct tls){0};
    if (has_cert != has_key)
        return err_set(err, ERR_INVALID,
            "WEBCERT and WEBKEY belong together: %s is missing",
            has_cert ? "WEBKEY" : "WEBCERT");
    if (!has_cert)
        return 0;
    ret->cert = read_file(home, "WEBCERT", cert, false, err);
    ret->key = ret->cert ? read_file(home, "WEBKEY", key, true, err) : NULL;
    if (ret->key && check_pair(ret, err) == 0)
        return 0;
    tls_fini(ret);
    return -1;
}

void tls_fini(struct tls *t)
{
    if (t->key)
        explicit_bzero(t->key, strlen(t->key));
    free(t->cert);
    free(t->key);
    *t = (struct tls){0};
}

static bool is_same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool tls_same(const struct tls *a, const struct tls *b)
{
    return is_same_text(a->cert, b->cert) && is_same_text(a->key, b->key);
}
