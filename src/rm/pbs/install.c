/* SPDX-License-Identifier: Apache-2.0
 * `maui pbs`: its words, and what they tell the server by qmgr. */
#include "rm/pbs/install.h"

#include "base/home.h"
#include "base/xalloc.h"
#include "rm/adapter/ask.h"
#include "rm/pbs/hook_script.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define OPEN_AFTER "60"

static const char help[] =
    "usage: maui pbs install|check|letgo|hook [options]\n"
    "\n"
    "What an OpenPBS or TORQUE server needs so that this scheduler decides.\n"
    "\n"
    "  install   switch PBS's own scheduler off, and put a hook into OpenPBS by which "
    "it\n"
    "            starts nothing while this one is alive; each step is told\n"
    "  check     has the server all that is needed? Exit 0: it has\n"
    "  letgo     leave all to PBS's own scheduler again\n"
    "  hook      print the hook\n"
    "\n"
    "      --fallback         install: PBS's own scheduler stays on, and takes over "
    "when\n"
    "                         this one gives no sign for --open-after (OpenPBS; not "
    "with\n"
    "                         preemption by PBS)\n"
    "      --dry-run          install, letgo: tell the steps, change nothing\n"
    "      --undo             install: the server as it was before\n"
    "      --home DIR         the scheduler's folder; default $MAUIHOMEDIR, else\n"
    "                         /var/lib/maui as root and ~/.maui for others\n"
    "      --open-after N     install, hook: seconds without a sign of the scheduler\n"
    "                         after which PBS may start jobs itself (60); 0: never\n"
    "  -h, --help             this text\n"
    "\n"
    "examples:\n"
    "  maui pbs install --dry-run\n"
    "  maui pbs install && maui pbs check\n"
    "  maui pbs letgo\n"
    "  maui pbs install --undo\n";

struct pbs_site {
    char *home, *heartbeat, *saved; /* owned */
    const char *open_after;
    bool dry, undo, fallback;
    bool torque;
};

/* ---- asking ---- */

/* The answer of `qmgr -c LINE`, owned; NULL: it was refused, which is told. */
static char *ask_qmgr(const char *line)
{
    struct strbuf b = {0};
    const char *const argv[] = {"qmgr", "-c", line, NULL};

    strbuf_add(&b, "");
    if (ask_program(argv, &b) == 0)
        return strbuf_take(&b);
    fprintf(stderr, "maui pbs: qmgr -c '%s': %.*s\n", line, (int)strcspn(b.text, "\n"),
        *b.text ? b.text : "it failed and says nothing");
    free(b.text);
    return NULL;
}

/* Tell a step, and do it. */
static int change_server(const struct pbs_site *s, const char *line, const char *why)
{
    char *answer;

    printf("qmgr -c '%s'\n    %s\n", line, why);
    fflush(stdout);
    if (s->dry)
        return 0;
    answer = ask_qmgr(line);
    free(answer);
    return answer != NULL ? 0 : -1;
}

/* "    NAME = value" of `list server`: the value, owned; NULL = it is not there. */
static char *find_value(const char *text, const char *name)
{
    size_t n = strlen(name);

    for (const char *at = text; at != NULL && *at != '\0';) {
        at += strspn(at, " \t\n");
        if (strncmp(at, name, n) == 0 && strncmp(at + n, " = ", 3) == 0)
            return xstrndup(at + n + 3, strcspn(at + n + 3, "\n"));
        at = strchr(at, '\n');
    }
    return NULL;
}

static bool is_true(const char *text, const char *name)
{
    char *value = find_value(text, name);
    bool yes = value != NULL && strcasecmp(value, "True") == 0;

    free(value);
    return yes;
}

/* TORQUE says "Version: 6.1.3", OpenPBS "pbs_version = 23.06.06". -1: neither, told. */
static int find_dialect(struct pbs_site *s)
{
    struct strbuf b = {0};
    const char *const argv[] = {"qmgr", "--version", NULL};
    int status;

    strbuf_add(&b, "");
    status = ask_program(argv, &b);
    s->torque = strncasecmp(b.text, "Version:", 8) == 0;
    if (status == 127)
        fprintf(stderr, "maui pbs: no commands of PBS are in PATH here (%s)\n", b.text);
    free(b.text);
    return status == 127 ? -1 : 0;
}

/* ---- the hook ---- */

static char *make_hook(const struct pbs_site *s)
{
    struct strbuf b = {0};
    const char *text = hook_script_text(), *mark, *end;

    while (
        (mark = strchr(text, '@')) != NULL && (end = strchr(mark + 1, '@')) != NULL) {
        strbuf_add_n(&b, text, (size_t)(mark - text));
        strbuf_add(
            &b, strncmp(mark, "@HEARTBEAT@", 11) == 0 ? s->heartbeat : s->open_after);
        text = end + 1;
    }
    strbuf_add(&b, text);
    return strbuf_take(&b);
}

/* In a file for qmgr to read; its path, owned. NULL: told. */
static char *write_hook(const struct pbs_site *s)
{
    char *path = xstrdup("/tmp/maui-hook-XXXXXX"), *text = make_hook(s);
    int fd = mkstemp(path);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    bool written = f != NULL && fputs(text, f) >= 0;

    if (f != NULL && fclose(f) != 0)
        written = false;
    free(text);
    if (written)
        return path;
    fprintf(stderr, "maui pbs: %s: %s\n", path, strerror(errno));
    unlink(path);
    free(path);
    return NULL;
}

/* -1: it is not told to this user, which is told: only root on the server's host sees
 * hooks. */
static int has_hook(void)
{
    char *text = ask_qmgr("list hook");
    int found = text == NULL ? -1 : strstr(text, "Hook maui\n") != NULL;

    free(text);
    return found;
}

static int put_hook(const struct pbs_site *s)
{
    int there = has_hook(), result = -1;
    char *path = there < 0 ? NULL : write_hook(s);
    struct strbuf line = {0};

    if (path == NULL)
        return -1;
    strbuf_printf(&line, "import hook maui application/x-python default %s", path);
    if ((there
            || change_server(s, "create hook maui event=runjob,enabled=False",
                   "a hook that is asked before each start")
                   == 0)
        && change_server(s, line.text, "`maui pbs hook` prints it") == 0
        && change_server(s, "set hook maui enabled=True",
               "PBS's own scheduler starts nothing while this one is alive")
               == 0)
        result = 0;
    unlink(path);
    free(path);
    free(line.text);
    return result;
}

/* ---- install ---- */

/* What `scheduling` was is kept once: a second installation must not forget it. */
static int save_scheduling(const struct pbs_site *s, bool was)
{
    FILE *f;
    bool written;

    if (s->dry || access(s->saved, F_OK) == 0)
        return 0;
    f = fopen(s->saved, "we");
    written = f != NULL && fprintf(f, "scheduling = %s\n", was ? "True" : "False") > 0;
    if ((f != NULL && fclose(f) != 0) || !written) {
        fprintf(stderr, "maui pbs: %s: %s\n", s->saved, strerror(errno));
        return -1;
    }
    return 0;
}

static int install_site(struct pbs_site *s)
{
    char *server = ask_qmgr("list server");
    bool was;

    if (server == NULL)
        return 1;
    was = is_true(server, "scheduling");
    free(server);
    if (s->fallback && s->torque) {
        fputs("maui pbs: --fallback: TORQUE has no hooks; without it nothing keeps its "
              "own scheduler from starting jobs\n",
            stderr);
        return 1;
    }
    if (save_scheduling(s, was) < 0 || (!s->torque && put_hook(s) < 0))
        return 1;
    if (was && !s->fallback
        && change_server(s, "set server scheduling = False",
               "PBS's own scheduler is not asked any more")
               < 0)
        return 1;
    if (!was && s->fallback
        && change_server(s, "set server scheduling = True",
               "PBS's own scheduler takes over when this one is away")
               < 0)
        return 1;
    puts(s->dry ? "nothing was changed (--dry-run)"
                : "installed; `maui pbs check` says what is missing");
    return 0;
}

/* What was saved; *ret_was is True where nothing was. False: it cannot be read, told.
 */
static bool read_saved(const struct pbs_site *s, bool *ret_was)
{
    char line[100] = "";
    FILE *f = fopen(s->saved, "re");

    *ret_was = true;
    if (f == NULL && errno == ENOENT)
        return true;
    if (f == NULL || fgets(line, sizeof line, f) == NULL) {
        fprintf(stderr, "maui pbs: %s: %s\n", s->saved,
            f == NULL ? strerror(errno) : "it is empty");
        if (f != NULL)
            fclose(f);
        return false;
    }
    fclose(f);
    *ret_was = strstr(line, "True") != NULL;
    return true;
}

static int undo_site(const struct pbs_site *s)
{
    bool was;
    int there;

    if (!read_saved(s, &was))
        return 1;
    if (access(s->saved, F_OK) < 0) {
        printf("%s: nothing was installed from this home\n", s->saved);
        return 0;
    }
    there = s->torque ? 0 : has_hook();
    if (there < 0
        || (there > 0 && change_server(s, "delete hook maui", "the hook goes") < 0))
        return 1;
    if (change_server(s,
            was ? "set server scheduling = True" : "set server scheduling = False",
            "as it was before `maui pbs install`")
        < 0)
        return 1;
    if (!s->dry && unlink(s->saved) < 0 && errno != ENOENT) {
        fprintf(stderr, "maui pbs: %s: %s\n", s->saved, strerror(errno));
        return 1;
    }
    return 0;
}

static int let_go(const struct pbs_site *s)
{
    int there = s->torque ? 0 : has_hook();

    if (there < 0
        || (there > 0
            && change_server(s, "set hook maui enabled=False", "it stands aside") < 0))
        return 1;
    return change_server(s, "set server scheduling = True",
               "PBS's own scheduler decides again; stop this one: maui schedctl -k")
                   < 0
               ? 1
               : 0;
}

/* ---- check ---- */

__attribute__((format(printf, 3, 4))) static void tell_finding(
    unsigned *count, const char *weight, const char *fmt, ...)
{
    va_list args;

    *count += strcmp(weight, "error") == 0;
    printf("%s: ", weight);
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    putchar('\n');
}

static int64_t heartbeat_age(const struct pbs_site *s)
{
    long long at = 0;
    FILE *f = fopen(s->heartbeat, "re");
    bool read = f != NULL && fscanf(f, "%lld", &at) == 1;

    if (f != NULL)
        fclose(f);
    return read ? time(NULL) - at : -1;
}

static void check_hook(const struct pbs_site *s, bool scheduling, unsigned *errors)
{
    char *list, *text, *wanted;

    int there = has_hook();

    if (there < 0) {
        tell_finding(errors, "warning", "whether there is a hook only root sees");
        return;
    }
    if (there == 0) {
        tell_finding(errors, scheduling ? "error" : "warning",
            "there is no hook: when scheduling is switched on both schedulers start "
            "jobs; `maui pbs install`");
        return;
    }
    list = ask_qmgr("list hook maui");
    if (list != NULL && !is_true(list, "enabled"))
        tell_finding(errors, scheduling ? "error" : "warning",
            "the hook is switched off (`maui pbs letgo` did that); `maui pbs install`");
    free(list);
    text = ask_qmgr("export hook maui application/x-python default");
    wanted = make_hook(s);
    if (text != NULL && strcmp(text, wanted) != 0)
        tell_finding(errors, "warning",
            "the hook is not that of `maui pbs hook`, with --home and --open-after as "
            "given here; `maui pbs install` replaces it");
    free(text);
    free(wanted);
}

static int check_site(const struct pbs_site *s)
{
    char *server = ask_qmgr("list server");
    unsigned errors = 0;
    bool scheduling;
    int64_t age;

    if (server == NULL)
        return 1;
    scheduling = is_true(server, "scheduling");
    if (scheduling && s->torque)
        tell_finding(&errors, "error",
            "scheduling = True: pbs_sched starts jobs too; `maui pbs install`");
    if (!s->torque)
        check_hook(s, scheduling, &errors);
    if (!s->torque && !is_true(server, "job_history_enable"))
        tell_finding(&errors, "warning",
            "job_history_enable is not True: exit statuses are not known; qmgr -c 'set "
            "server job_history_enable = True'");
    if (scheduling && errors == 0)
        tell_finding(&errors, "note",
            "scheduling = True: PBS's own scheduler is refused by the hook, and takes "
            "over when this one is away");
    age = heartbeat_age(s);
    if (age < 0)
        tell_finding(&errors, "warning",
            "%s: the scheduler has not given a sign; does it run (maui serve), with "
            "this home and RMCFG[] TYPE=PBS?",
            s->heartbeat);
    else if (age > 10)
        tell_finding(&errors, "warning", "%s: the last sign is %lld s old",
            s->heartbeat, (long long)age);
    free(server);
    if (errors == 0)
        puts("the server has what is needed");
    return errors == 0 ? 0 : 1;
}

/* ---- the line ---- */

/* What stands in the hook, between quotes. */
static bool is_plain(const char *path)
{
    for (const char *at = path; *at != '\0'; at++)
        if (*at == '"' || *at == '\\' || *at == '@' || iscntrl((unsigned char)*at))
            return false;
    return true;
}

static int run_word(const char *word, struct pbs_site *s)
{
    char *text;

    if (strcmp(word, "hook") == 0) {
        text = make_hook(s);
        fputs(text, stdout);
        free(text);
        return 0;
    }
    if (find_dialect(s) < 0)
        return 1;
    if (strcmp(word, "install") == 0)
        return s->undo ? undo_site(s) : install_site(s);
    return strcmp(word, "check") == 0 ? check_site(s) : let_go(s);
}

static bool is_word(const char *text)
{
    static const char *const words[] = {"install", "check", "letgo", "hook"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i], text) == 0)
            return true;
    return false;
}

/* 0; 1: help was printed; 2: usage error, told. */
static int read_options(int argc, char **argv, struct pbs_site *s, const char **home)
{
    static const struct option longs[] = {{"home", required_argument, NULL, 'H'},
        {"open-after", required_argument, NULL, 'o'},
        {"dry-run", no_argument, NULL, 'n'}, {"undo", no_argument, NULL, 'U'},
        {"fallback", no_argument, NULL, 'F'}, {"help", no_argument, NULL, 'h'}, {0}};
    int c;

    while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
        if (c == 'h') {
            fputs(help, stdout);
            return 1;
        }
        if (c == 'H')
            *home = optarg;
        else if (c == 'n')
            s->dry = true;
        else if (c == 'U')
            s->undo = true;
        else if (c == 'F')
            s->fallback = true;
        else if (c == 'o' && *optarg != '\0' && strlen(optarg) < 10
                 && optarg[strspn(optarg, "0123456789")] == '\0'
                 && strcmp(optarg, "1") != 0)
            s->open_after = optarg;
        else {
            if (c == 'o')
                fprintf(stderr,
                    "maui pbs: --open-after %s: expected seconds, 0 (never) or 2 and "
                    "more\n",
                    optarg);
            fputs("`maui pbs --help` shows its usage.\n", stderr);
            return 2;
        }
    }
    return 0;
}

int pbs_main(int argc, char **argv)
{
    struct pbs_site s = {.open_after = OPEN_AFTER};
    const char *home = NULL;
    char *found;
    int result = read_options(argc, argv, &s, &home);

    if (result != 0)
        return result == 1 ? 0 : 2;
    if (optind + 1 != argc || !is_word(argv[optind])) {
        fprintf(stderr,
            "maui pbs: expected one of install, check, letgo, hook%s%s; `maui pbs "
            "--help`\n",
            optind < argc ? ", not " : "", optind < argc ? argv[optind] : "");
        return 2;
    }
    found = home_find(home);
    s.home = home_absolute(found);
    free(found);
    s.heartbeat = home_file(s.home, "pbs.heartbeat");
    s.saved = home_file(s.home, "pbs.saved");
    if (!is_plain(s.heartbeat)) {
        fprintf(stderr,
            "maui pbs: --home %s: expected a path without quotes, backslashes and @\n",
            s.home);
        result = 2;
    } else {
        result = run_word(argv[optind], &s);
    }
    free(s.home);
    free(s.heartbeat);
    free(s.saved);
    return result;
}
