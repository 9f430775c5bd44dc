/* SPDX-License-Identifier: Apache-2.0
 * Commands, files, and what the global configuration has to say. */
#include "rm/gridengine/site.h"

#include "base/strbuf.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_ROOT "/var/lib/gridengine"

/* What users and we alter, which a verifier forbids where it is not listed. */
static const char *const allowed[] = {"ac", "a", "h", "i", "e", "o", "j", "M", "N", "p",
    "w", "q_hard", "q_soft", "l_hard", "l_soft", "pe_name", "pe_min", "pe_max", "pe_n",
    "masterq", "P", "A", "R", "hold_jid", "hold_jid_ad", "dl", "r", "notify",
    "c_interval", "ckpt", "m", "tc", "js"};

static const struct site_setting settings[] = {
    {"jsv_url", "what is submitted waits for the scheduler"},
    {"jsv_allowed_mod", "qalter goes on working beside a verifier"},
    {"reporting_params", "ends are told at once, not 15 s later"},
};

char *site_ask(const char *const *argv, int *ret)
{
    return site_ask_jobs(argv, NULL, ret);
}

/* Until its end. */
static void read_answer(int fd, const struct squeeze_kind *kind, struct strbuf *into)
{
    struct squeeze *squeeze = kind != NULL ? squeeze_new(kind) : NULL;
    char part[4096];
    ssize_t n;

    while ((n = read(fd, part, sizeof part)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0 && squeeze != NULL)
            squeeze_feed(squeeze, part, (size_t)n, into);
        else if (n > 0)
            strbuf_add_n(into, part, (size_t)n);
    squeeze_free(squeeze);
}

char *site_ask_jobs(
    const char *const *argv, const struct squeeze_kind *squeeze, int *ret)
{
    struct strbuf text = {0};
    int fds[2], status = 0;
    pid_t pid;

    *ret = 127;
    if (pipe2(fds, O_CLOEXEC) < 0)
        return xstrdup(strerror(errno));
    pid = fork();
    if (pid == 0) {
        dup2(fds[1], STDOUT_FILENO);
        dup2(fds[1], STDERR_FILENO);
        putenv("SGE_SINGLE_LINE=1"); /* no value is broken into lines */
        putenv("TZ=UTC");
        execvp(argv[0], (char *const *)argv);
        dprintf(STDERR_FILENO, "cannot run %s: %s\n", argv[0], strerror(errno));
        _exit(127);
    }
    close(fds[1]);
    read_answer(fds[0], squeeze, &text);
    close(fds[0]);
    if (pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status))
        *ret = WEXITSTATUS(status);
    return strbuf_take(&text);
}

const struct site_setting *site_settings(size_t *ret_n)
{
    *ret_n = sizeof settings / sizeof settings[0];
    return settings;
}

char *site_common_path(const char *name)
{
    const char *root = getenv("SGE_ROOT"), *cell = getenv("SGE_CELL");
    struct strbuf path = {0};

    strbuf_printf(&path, "%s/%s/common/%s", root != NULL && *root ? root : DEFAULT_ROOT,
        cell != NULL && *cell ? cell : "default", name);
    return strbuf_take(&path);
}

bool site_is_nothing(const char *path)
{
    static const char nothing[] = "/dev/null";
    char to[sizeof nothing];

    return readlink(path, to, sizeof to) == sizeof nothing - 1
           && memcmp(to, nothing, sizeof nothing - 1) == 0;
}

/* ---- values ---- */

static bool has_word(const char *list, const char *word)
{
    size_t n = strlen(word);

    for (const char *p = list; *p; p += strcspn(p, ", "), p += strspn(p, ", "))
        if (strcspn(p, ", ") == n && strncmp(p, word, n) == 0)
            return true;
    return false;
}

/* All that is allowed now, and what we need. */
static char *allow_more(const char *now)
{
    bool none = *now == '\0' || has_word(now, "none");
    struct strbuf list = {0};

    if (!none)
        strbuf_add(&list, now);
    for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++)
        if (none || !has_word(now, allowed[i]))
            strbuf_printf(&list, "%s%s", list.len > 0 ? "," : "", allowed[i]);
    return strbuf_take(&list);
}

static char *flush_at_once(const char *now)
{
    static const char name[] = "accounting_flush_time=";
    struct strbuf text = {0};

    for (const char *p = now; *p; p += strcspn(p, " "), p += strspn(p, " "))
        if (strncmp(p, name, sizeof name - 1) != 0 && strcmp(now, "none") != 0)
            strbuf_printf(
                &text, "%s%.*s", text.len > 0 ? " " : "", (int)strcspn(p, " "), p);
    strbuf_printf(&text, "%s%s00:00:00", text.len > 0 ? " " : "", name);
    return strbuf_take(&text);
}

static char *gate_url(void)
{
    char *path = site_common_path(SITE_GATE);
    struct strbuf url = {0};

    strbuf_printf(&url, "script:%s", path);
    free(path);
    return strbuf_take(&url);
}

bool site_is_gate(const char *url)
{
    char *ours = gate_url();
    bool is = strcmp(ours, url) == 0;

    free(ours);
    return is;
}

char *site_wanted(const char *name, const char *now, struct err *err)
{
    if (strcmp(name, "jsv_allowed_mod") == 0)
        return allow_more(now);
    if (strcmp(name, "reporting_params") == 0)
        return flush_at_once(now);
    if (*now == '\0' || strcmp(now, "none") == 0 || site_is_gate(now))
        return gate_url();
    err_set(err, ERR_INVALID,
        "jsv_url is %s, a verifier of this site: it has to do what `maui gridengine "
        "gate` prints, with a hold u for each job and maui_gate in its context",
        now);
    return NULL;
}

/* ---- files ---- */

char *site_read(const char *path)
{
    struct strbuf text = {0};
    char part[4096];
    size_t n;
    FILE *f = fopen(path, "re");

    if (f == NULL)
        return NULL;
    strbuf_add(&text, "");
    while ((n = fread(part, 1, sizeof part, f)) > 0)
        strbuf_add_n(&text, part, n);
    fclose(f);
    return strbuf_take(&text);
}

int site_write(const char *path, const char *text, unsigned mode, struct err *err)
{
    struct strbuf beside = {0};
    size_t n = strlen(text);
    bool written;
    int fd;

    strbuf_printf(&beside, "%s.new", path);
    fd = open(beside.text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode);
    written = fd >= 0 && write(fd, text, n) == (ssize_t)n && fchmod(fd, mode) == 0
              && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    written = written && rename(beside.text, path) == 0;
    if (!written)
        err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    free(beside.text);
    return written ? 0 : -1;
}
