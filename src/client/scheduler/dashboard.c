/* SPDX-License-Identifier: Apache-2.0
 * dashboard: the way into the web page. */
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "client/client.h"
#include "client/kit/layout.h"
#include "client/kit/request.h"

#include <errno.h>
#include <fcntl.h>
#include <munge.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OPENER    "xdg-open"
#define FILE_S    30 /* how long the browser may take to read the file */
#define FILE_NAME "maui-dashboard-XXXXXX.html"

static const struct option_row options[] = {
    {0, "end", "ID|all", "end a session, or all of yours"},
    {0, "no-open", NULL, "print the address alone, open no browser"},
    {0, "read-only", NULL, "a session that may look, and change nothing"},
    {0, "sessions", NULL, "list your sessions; administrators see all"},
    {0, NULL, NULL, NULL},
};

static const struct command_spec spec = {
    .name = "dashboard",
    .usage = "[--read-only] [--no-open] | --sessions | --end ID|all",
    .summary = "Open the web page of the scheduler.",
    .options = options,
    .more =
        "Prints an address that serves once, within a minute, and opens it where "
        "there\n"
        "is a display. A session ends after an hour without a request, after 12 "
        "hours,\n"
        "by --end, and when the scheduler is restarted. The page listens at loopback\n"
        "of the scheduler's host; from elsewhere forward its port (ssh -L), or see\n"
        "WEBCERT and WEBORIGIN in maui.cfg(5).\n",
    .examples = "  dashboard               open the page\n"
                "  dashboard --read-only   for a screen on the wall\n"
                "  dashboard --sessions    who has it open\n"
                "  dashboard --end all     log out everywhere\n",
};

/* ---- sessions ---- */

static void print_time(char ret[32], json_int_t at)
{
    time_t t = (time_t)at;
    struct tm tm;

    localtime_r(&t, &tm);
    strftime(ret, 32, "%b %d %H:%M", &tm);
}

static int list_sessions(const struct command_line *l)
{
    struct query *q = query_new("/v1/sessions");
    json_t *o = ask(l, q), *e;
    size_t i;

    query_free(q);
    if (l->format == FORMAT_JSON || !o)
        return print_json(o);
    json_t *all = json_object_get(o, "sessions");
    if (json_array_size(all) == 0)
        printf("no sessions\n");
    else
        printf("%-10s %-12s %5s %-9s %-15s %-13s %s\n", "SESSION", "USER", "LEVEL",
            "MAY", "FROM", "LAST USED", "ENDS");
    json_array_foreach(all, i, e)
    {
        char used[32], end[32];
        print_time(used, get_int(e, "used_at", 0));
        print_time(end, get_int(e, "expires_at", 0));
        printf("%-10s %-12s %5d %-9s %-15s %-13s %s\n", get_text(e, "id", "-"),
            get_text(e, "user", "-"), (int)get_int(e, "level", 0),
            get_bool(e, "read_only") ? "look" : "change", get_text(e, "peer", "-"),
            used, end);
    }
    json_decref(o);
    return 0;
}

static int end_sessions(const struct command_line *l, const char *which)
{
    struct query *q = query_new("/v1/sessions");

    query_part(q, which);
    json_t *o = tell(l, "DELETE", q, NULL);
    query_free(q);
    if (!o)
        return 1;
    printf("%s\n", get_text(o, "message", ""));
    json_decref(o);
    return 0;
}

/* ---- opening ---- */

/* Arguments of processes are for everybody to see, a file of ours is not: the browser
 * is told to open that, and it leads to the address. */
static char *write_redirect(const char *url)
{
    const char *dir = getenv("XDG_RUNTIME_DIR");
    struct strbuf path = {0}, text = {0};

    strbuf_printf(&path, "%s/%s", dir && *dir ? dir : "/tmp", FILE_NAME);
    strbuf_printf(&text,
        "<!doctype html><meta charset=\"utf-8\"><title>Maui</title>"
        "<meta http-equiv=\"refresh\" content=\"0;url=%s\">"
        "<a href=\"%s\">the page of the scheduler</a>\n",
        url, url);
    int fd = mkostemps(path.text, strlen(".html"), O_CLOEXEC); /* mode 0600 */
    bool good = fd >= 0 && write(fd, text.text, text.len) == (ssize_t)text.len;
    if (fd >= 0)
        close(fd);
    if (!good && fd >= 0)
        unlink(path.text);
    explicit_bzero(text.text, text.len);
    free(text.text);
    if (good)
        return strbuf_take(&path);
    free(path.text);
    return NULL;
}

/* In a process of its own, which nobody waits for: it takes the file away in the end.
 */
static void show_file(const char *path)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    /* whoever reads what the command prints is not kept waiting */
    for (int fd = 0; null >= 0 && fd < 3; fd++)
        dup2(null, fd);
    if (fork() == 0) {
        execlp(OPENER, OPENER, path, (char *)NULL);
        _exit(127);
    }
    sleep(FILE_S);
    unlink(path);
    _exit(0);
}

static bool has_program(const char *name)
{
    const char *dirs = getenv("PATH");
    char *copy = xstrdup(dirs ? dirs : ""), *save = NULL;
    bool found = false;

    for (char *d = strtok_r(copy, ":", &save); d && !found;
         d = strtok_r(NULL, ":", &save)) {
        struct strbuf path = {0};
        strbuf_printf(&path, "%s/%s", d, name);
        found = access(path.text, X_OK) == 0;
        free(path.text);
    }
    free(copy);
    return found;
}

static bool has_display(void)
{
    const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");

    return ((x && *x) || (wayland && *wayland)) && has_program(OPENER);
}

static bool open_browser(const char *url)
{
    char *path = write_redirect(url);

    if (!path)
        return false;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setsid();
        if (fork() == 0)
            show_file(path);
        _exit(0);
    }
    if (child > 0)
        waitpid(child, NULL, 0);
    free(path);
    return child > 0;
}

static void print_way(const char *url, const char *on, bool read_only)
{
    const char *port = strrchr(url, ':');
    char host[256] = "HOST";
    char *end;

    if (on)
        snprintf(host, sizeof host, "%s", on);
    else
        gethostname(host, sizeof host - 1);
    printf("    It serves once, within a minute%s.\n",
        read_only ? "; the session may look only" : "");
    if (!strstr(url, "://127.0.0.1:"))
        return;
    long n = strtol(port + 1, &end, 10);
    if (end != port + 1)
        printf("    From elsewhere, first: ssh -L %ld:127.0.0.1:%ld %s\n", n, n, host);
}

/* From elsewhere the address comes sealed: nothing else of the answer is believed. */
static int unseal_address(json_t *o)
{
    static const char mark[] = "#login=";
    const char *sealed = get_text(o, "sealed", NULL);
    void *read = NULL;
    int len = 0;

    if (!sealed)
        return 0;
    munge_err_t e = munge_decode(sealed, NULL, &read, &len, NULL, NULL);
    json_t *url = e == EMUNGE_SUCCESS && read ? json_stringn(read, (size_t)len) : NULL;
    const char *login = url ? strstr(json_string_value(url), mark) : NULL;
    free(read);
    if (!login) {
        fprintf(stderr, "ERROR:    the login cannot be read: %s\n",
            e == EMUNGE_SUCCESS ? "it is no address" : munge_strerror(e));
        json_decref(url);
        return -1;
    }
    json_object_set_new(o, "login", json_string(login + strlen(mark)));
    json_object_set_new(o, "url", url);
    json_object_del(o, "sealed");
    return 0;
}

static int open_page(const struct command_line *l)
{
    bool read_only = command_long(l, "read-only") != NULL;
    struct query *q = query_new("/v1/logins");
    json_t *o = tell(l, "POST", q, json_pack("{s:b}", "read_only", read_only));

    query_free(q);
    if (o && unseal_address(o) < 0) {
        json_decref(o);
        return 1;
    }
    if (l->format == FORMAT_JSON || !o)
        return print_json(o);
    const char *url = get_text(o, "url", "");
    printf("%s\n", url);
    print_way(url, l->host, read_only);
    if (!command_long(l, "no-open") && has_display() && open_browser(url))
        printf("    A browser is opening it.\n");
    json_decref(o);
    return 0;
}

static int run_dashboard(const struct command_line *l)
{
    const char *end = command_long(l, "end");

    if (l->nargs)
        return command_wrong(l, "unexpected '%s'", l->args[0]);
    if (end && (!*end || strchr(end, '/')))
        return command_wrong(
            l, "--end: expected a session or all; --sessions lists them");
    return end                           ? end_sessions(l, end)
           : command_long(l, "sessions") ? list_sessions(l)
                                         : open_page(l);
}

int dashboard_main(int argc, char **argv)
{
    return command_run(&spec, argc, argv, run_dashboard);
}
