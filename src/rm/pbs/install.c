/* SPDX-License-Identifier: Apache-2.0
 * `maui pbs`: its words, and what they tell the server by qmgr. */
#include "rm/pbs/install.h"

#include "base/home.h"
#include "base/xalloc.h"
#include "config/rmplace.h"
#include "rm/adapter/ask.h"
#include "rm/pbs/hooks.h"
#include "rm/pbs/library.h"

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
    "usage: maui pbs install|check|letgo|hook|wake [options]\n"
    "\n"
    "What an OpenPBS or TORQUE server needs so that this scheduler decides.\n"
    "\n"
    "  install   switch PBS's own scheduler off, and put two hooks into OpenPBS: by "
    "one "
    "it\n"
    "            starts nothing while this one is alive, the other tells this one at "
    "once\n"
    "            when something has happened; each step is told\n"
    "  check     has the server all that is needed? Exit 0: it has\n"
    "  letgo     leave all to PBS's own scheduler again\n"
    "  hook      print the hook that is asked before each start\n"
    "  wake      print the hook that wakes the scheduler\n"
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
    "      --manager NAME     RMCFG[NAME], where several are of TYPE=PBS\n"
    "      --open-after N     install, hook: seconds without a sign of the scheduler\n"
    "                         after which PBS may start jobs itself (60); 0: never\n"
    "  -h, --help             this text\n"
    "\n"
    "examples:\n"
    "  maui pbs install --dry-run\n"
    "  maui pbs install && maui pbs check\n"
    "  maui pbs letgo\n"
    "  maui pbs install --undo\n";

/* ---- asking ---- */

/* TORQUE says "Version: 6.1.3", OpenPBS "pbs_version = 23.06.06"; TORQUE's qmgr has no
 * such option. -1: neither, told. */
static int find_dialect(struct pbs_site *s)
{
    struct strbuf b = {0};
    const char *const argv[] = {"qstat", "--version", NULL};
    int status;

    strbuf_add(&b, "");
    status = ask_program(argv, &b);
    s->torque = strncasecmp(b.text, "Version:", 8) == 0;
    if (status == 127)
        fprintf(stderr, "maui pbs: no commands of PBS are in PATH here (%s)\n", b.text);
    free(b.text);
    return status == 127 ? -1 : 0;
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
    char *server = qmgr_ask("list server");
    bool was;

    if (server == NULL)
        return 1;
    was = qmgr_is_true(server, "scheduling");
    free(server);
    if (s->fallback && s->torque) {
        fputs("maui pbs: --fallback: TORQUE has no hooks; without it nothing keeps its "
              "own scheduler from starting jobs\n",
            stderr);
        return 1;
    }
    if (save_scheduling(s, was) < 0 || (!s->torque && hook_put(s, HOOK_GATE) < 0))
        return 1;
    if (!s->torque && hook_put(s, HOOK_WAKE) < 0)
        fputs(
            "maui pbs: without it the server is looked at each POLLINTERVAL\n", stderr);
    if (was && !s->fallback
        && qmgr_change(s, "set server scheduling = False",
               "PBS's own scheduler is not asked any more")
               < 0)
        return 1;
    if (!was && s->fallback
        && qmgr_change(s, "set server scheduling = True",
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

/* All that are there. */
static int change_hooks(
    const struct pbs_site *s, int (*change)(const struct pbs_site *s, enum pbs_hook h))
{
    for (int h = 0; h < HOOKS; h++) {
        int there = hook_is_there((enum pbs_hook)h);

        if (there < 0 || (there > 0 && change(s, (enum pbs_hook)h) < 0))
            return -1;
    }
    return 0;
}

static int undo_site(const struct pbs_site *s)
{
    bool was;

    if (!read_saved(s, &was))
        return 1;
    if (access(s->saved, F_OK) < 0) {
        printf("%s: nothing was installed from this home\n", s->saved);
        return 0;
    }
    if (!s->torque && change_hooks(s, hook_delete) < 0)
        return 1;
    if (qmgr_change(s,
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
    if (!s->torque && change_hooks(s, hook_disable) < 0)
        return 1;
    return qmgr_change(s, "set server scheduling = True",
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

/* Without the gate both schedulers may start jobs; without the other starts are later.
 */
static void check_hook(
    const struct pbs_site *s, enum pbs_hook h, bool scheduling, unsigned *errors)
{
    bool gate = h == HOOK_GATE;
    const char *weight = gate && scheduling ? "error" : "warning";
    int there = hook_is_there(h);
    struct hook_state state;

    if (there <= 0) {
        if (there < 0)
            tell_finding(errors, "warning", "whether there is a hook only root sees");
        else if (gate)
            tell_finding(errors, weight,
                "there is no hook: when scheduling is switched on both schedulers "
                "start jobs; `maui pbs install`");
        else
            tell_finding(errors, weight,
                "there is no hook that wakes the scheduler: it looks each "
                "POLLINTERVAL; `maui pbs install`");
        return;
    }
    state = hook_look(s, h);
    if (!state.enabled)
        tell_finding(errors, weight,
            "the hook%s is switched off (`maui pbs letgo` did that); `maui pbs "
            "install`",
            gate ? "" : " that wakes the scheduler");
    if (!state.current)
        tell_finding(errors, "warning",
            "the hook is not that of `maui pbs %s`, with --home and --open-after as "
            "given here; `maui pbs install` replaces it",
            gate ? "hook" : "wake");
}

/* A file that is there may be of another kind: the adapter says so in its log. */
static void check_library(unsigned *errors)
{
    struct err err = {0};
    char *path = pbs_library_path(&err);

    if (path == NULL)
        tell_finding(errors, "warning",
            "%s: PBS's library is not found; each look is three commands then, and "
            "each start one",
            err.text);
    else if (access(path, R_OK) < 0)
        tell_finding(errors, "warning",
            "%s: %s; each look is three commands without it, and each start one", path,
            strerror(errno));
    free(path);
}

static int check_site(const struct pbs_site *s)
{
    char *server = qmgr_ask("list server");
    unsigned errors = 0;
    bool scheduling;
    int64_t age;

    if (server == NULL)
        return 1;
    scheduling = qmgr_is_true(server, "scheduling");
    if (scheduling && s->torque)
        tell_finding(&errors, "error",
            "scheduling = True: pbs_sched starts jobs too; `maui pbs install`");
    for (int h = 0; h < HOOKS && !s->torque; h++)
        check_hook(s, (enum pbs_hook)h, scheduling, &errors);
    if (!s->torque)
        check_library(&errors);
    if (!s->torque && !qmgr_is_true(server, "job_history_enable"))
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

    if (strcmp(word, "hook") == 0 || strcmp(word, "wake") == 0) {
        text = hook_make(s, *word == 'h' ? HOOK_GATE : HOOK_WAKE);
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
    static const char *const words[] = {"install", "check", "letgo", "hook", "wake"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i], text) == 0)
            return true;
    return false;
}

/* 0; 1: help was printed; 2: usage error, told. */
static int read_options(
    int argc, char **argv, struct pbs_site *s, const char **home, const char **manager)
{
    static const struct option longs[] = {{"home", required_argument, NULL, 'H'},
        {"manager", required_argument, NULL, 'm'},
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
        else if (c == 'm')
            *manager = optarg;
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

/* Which manager it is about, and its commands. -1: told. */
static int enter_manager(struct pbs_site *s, const char *asked)
{
    struct err err;

    if (rmplace_enter_manager(s->home, "PBS", asked, &s->manager, &err) < 0) {
        fprintf(stderr, "maui pbs: %s; --manager NAME says which\n", err.text);
        return -1;
    }
    if (s->manager == NULL)
        s->manager = xstrdup("pbs");
    s->heartbeat = home_file_of(s->home, s->manager, "heartbeat");
    s->wake = home_file_of(s->home, s->manager, "wake");
    s->saved = home_file_of(s->home, s->manager, "saved");
    return 0;
}

int pbs_main(int argc, char **argv)
{
    struct pbs_site s = {.open_after = OPEN_AFTER};
    const char *home = NULL, *manager = NULL;
    char *found;
    int result = read_options(argc, argv, &s, &home, &manager);

    if (result != 0)
        return result == 1 ? 0 : 1;
    if (optind + 1 != argc || !is_word(argv[optind])) {
        fprintf(stderr,
            "maui pbs: expected one of install, check, letgo, hook, wake%s%s; `maui "
            "pbs "
            "--help`\n",
            optind < argc ? ", not " : "", optind < argc ? argv[optind] : "");
        return 1;
    }
    found = home_find(home);
    s.home = home_absolute(found);
    free(found);
    if (enter_manager(&s, manager) < 0) {
        result = 1;
    } else if (!is_plain(s.heartbeat)) {
        fprintf(stderr,
            "maui pbs: --home %s: expected a path without quotes, backslashes and @\n",
            s.home);
        result = 1;
    } else {
        result = run_word(argv[optind], &s);
    }
    free(s.home);
    free(s.manager);
    free(s.heartbeat);
    free(s.wake);
    free(s.saved);
    return result;
}
