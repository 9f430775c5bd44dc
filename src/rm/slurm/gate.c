/* SPDX-License-Identifier: Apache-2.0
 * `maui slurm`: its words and options. */
#include "base/duration.h"
#include "base/home.h"
#include "rm/slurm/adapter.h"
#include "rm/slurm/check.h"
#include "rm/slurm/conf_snippet.h"
#include "rm/slurm/install.h"

#include <getopt.h>
#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

/* After less the adapter of a daemon that hangs might still take jobs back. */
#define WATCH_LEAST_S 10

static const char help[] =
    "usage: maui slurm install|check|letgo|watch|gate|jobcomp|conf [options]\n"
    "\n"
    "What Slurm needs so that this scheduler decides.\n"
    "\n"
    "  install   merge what is needed into slurm.conf and put the scripts beside it;\n"
    "            each line is told, what was there is saved\n"
    "  check     does the running Slurm have all that is needed? Exit 0: it has\n"
    "  letgo     give all waiting jobs back to Slurm's own scheduler\n"
    "  watch     run on; let all jobs go when the scheduler gives no sign for --after\n"
    "  gate      print job_submit.lua: keeps jobs until the scheduler starts them\n"
    "  jobcomp   print jobcomp.lua: wakes the scheduler when a job ends\n"
    "  conf      print the lines for slurm.conf\n"
    "\n"
    "      --conf-dir DIR     install: where slurm.conf is; default that of "
    "$SLURM_CONF,\n"
    "                         else /etc/slurm\n"
    "      --dry-run          install: write nothing, show the differences\n"
    "      --undo             install: all files as they were before\n"
    "      --home DIR         the scheduler's folder; default $MAUIHOMEDIR, else\n"
    "                         /var/lib/maui as root and ~/.maui for others\n"
    "      --user NAME        user that the scheduler runs as; default: this one\n"
    "      --open-after N     install, gate: seconds without a sign of the scheduler "
    "after\n"
    "                         which Slurm starts jobs itself (60); 0: never, they "
    "wait\n"
    "      --after TIME       watch: how long, in seconds or [[DD:]HH:]MM:SS (600)\n"
    "  -h, --help             this text\n"
    "\n"
    "examples:\n"
    "  maui slurm install --dry-run\n"
    "  maui slurm install && systemctl restart slurmctld\n"
    "  maui slurm check\n"
    "  maui slurm letgo; maui slurm install --undo\n";

static void print_owned(char *text)
{
    fputs(text, stdout);
    free(text);
}

/* ---- the line ---- */

static int run_command(const char *what, const struct install_options *o)
{
    if (strcmp(what, "install") == 0)
        return install_main(o);
    if (strcmp(what, "gate") == 0)
        print_owned(site_gate(&o->site, NULL));
    else if (strcmp(what, "jobcomp") == 0)
        print_owned(site_jobcomp(&o->site, NULL));
    else if (strcmp(what, "conf") == 0)
        fputs(conf_snippet_text(), stdout);
    else if (strcmp(what, "check") == 0)
        return check_site(&o->site);
    else if (strcmp(what, "letgo") == 0)
        return letgo_main(o->site.home);
    else if (strcmp(what, "watch") == 0)
        return letgo_watch(o->site.home, o->watch_s);
    else {
        fprintf(stderr,
            "maui slurm: '%s' is not one of install, check, letgo, watch, gate, "
            "jobcomp, conf; `maui slurm --help`\n",
            what);
        return 1;
    }
    return fflush(stdout) == 0 ? 0 : 1;
}

/* False: the text is no number of seconds. */
static bool is_seconds(const char *text)
{
    return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/* What an option says. 0; -1: it is wrong, and told. */
static int take_option(int c, struct install_options *o, const char **home)
{
    const struct passwd *pw = c == 'u' ? getpwnam(optarg) : NULL;

    if (c == 'H') {
        *home = optarg;
    } else if (c == 'C') {
        o->conf_dir = optarg;
    } else if (c == 'A' && duration_parse(optarg, &o->watch_s, NULL) == 0
               && o->watch_s >= WATCH_LEAST_S) {
        return 0;
    } else if (c == 'A') {
        fprintf(stderr, "maui slurm: --after %s: expected %d seconds or more\n", optarg,
            WATCH_LEAST_S);
        return -1;
    } else if (c == 'n' || c == 'U') {
        *(c == 'n' ? &o->dry : &o->undo) = true;
    } else if (pw != NULL) {
        o->site.uid = pw->pw_uid;
    } else if (c == 'u') {
        fprintf(stderr, "maui slurm: no user '%s'\n", optarg);
        return -1;
    } else if (c == 'o' && strcmp(optarg, "1") == 0) {
        fputs("maui slurm: --open-after 1: expected 0 (never) or 2 and more: the "
              "scheduler gives a sign every 2 seconds\n",
            stderr);
        return -1;
    } else if (c == 'o' && is_seconds(optarg)) {
        o->site.max_age = optarg;
        o->age_given = true;
    } else {
        fputs("`maui slurm --help` shows its usage.\n", stderr);
        return -1;
    }
    return 0;
}

int gate_main(int argc, char **argv)
{
    static const struct option longs[] = {{"home", required_argument, NULL, 'H'},
        {"user", required_argument, NULL, 'u'},
        {"conf-dir", required_argument, NULL, 'C'},
        {"open-after", required_argument, NULL, 'o'},
        {"after", required_argument, NULL, 'A'}, {"dry-run", no_argument, NULL, 'n'},
        {"undo", no_argument, NULL, 'U'}, {"help", no_argument, NULL, 'h'}, {0}};
    struct install_options o = {
        .site = {.uid = geteuid(), .max_age = "60"}, .watch_s = 600};
    const char *asked = NULL;
    char *home;
    int c, status;

    while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
        if (c == 'h') {
            fputs(help, stdout);
            return 0;
        }
        if (take_option(c, &o, &asked) < 0)
            return 1;
    }
    if (optind + 1 != argc) {
        fputs(help, stderr);
        return 1;
    }
    o.site.home = home = home_find(asked);
    if (strpbrk(home, "\"\\\n\r")
        != NULL) { /* it stands between quotes in the scripts */
        fprintf(stderr,
            "maui slurm: the home '%s' has a quote, a backslash or a line break in its "
            "name, which job_submit.lua cannot hold; name another by --home\n",
            home);
        free(home);
        return 1;
    }
    status = run_command(argv[optind], &o);
    free(home);
    return status;
}
