/* SPDX-License-Identifier: Apache-2.0
 * What a site installs in Slurm, printed with this scheduler's paths filled in; and the
 * way back: letting all jobs go. */
#include "base/home.h"
#include "rm/slurm/adapter.h"
#include "rm/slurm/conf_snippet.h"
#include "rm/slurm/gate_script.h"
#include "rm/slurm/jobcomp_script.h"

#include <getopt.h>
#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

static const char help[] =
    "usage: maui slurm gate|jobcomp|conf|check|letgo [options]\n"
    "\n"
    "What Slurm needs so that this scheduler decides.\n"
    "\n"
    "  gate      print job_submit.lua: keeps jobs until the scheduler starts them\n"
    "  jobcomp   print jobcomp.lua: wakes the scheduler when a job ends\n"
    "  conf      print the lines for slurm.conf\n"
    "  check     does the running Slurm have all that is needed? Exit 0: it has\n"
    "  letgo     give all waiting jobs back to Slurm's own scheduler\n"
    "\n"
    "      --home DIR         the scheduler's folder; default $MAUIHOMEDIR, else\n"
    "                         /var/lib/maui as root and ~/.maui for others\n"
    "      --user NAME        user that the scheduler runs as; default: this one\n"
    "      --open-after N     gate: seconds without a sign of the scheduler after "
    "which\n"
    "                         Slurm starts jobs itself (60); 0: never, they wait\n"
    "  -h, --help             this text\n"
    "\n"
    "examples:\n"
    "  maui slurm gate >/etc/slurm/job_submit.lua\n"
    "  maui slurm jobcomp >/etc/slurm/jobcomp.lua\n"
    "  maui slurm conf >>/etc/slurm/slurm.conf; systemctl restart slurmctld\n"
    "  maui slurm check\n";

struct gate_options {
    char *home;
    const char *user, *max_age;
};

static void print_value(const struct gate_options *o, const char *name, size_t n)
{
    const struct passwd *pw = o->user ? getpwnam(o->user) : NULL;

    if (strncmp(name, "UID", n) == 0)
        printf("%u", pw ? pw->pw_uid : geteuid());
    else if (strncmp(name, "HEARTBEAT", n) == 0)
        printf("%s/slurm.heartbeat", o->home);
    else if (strncmp(name, "EVENTS", n) == 0)
        printf("%s/slurm.events", o->home);
    else if (strncmp(name, "MARKS", n) == 0)
        printf("%s/slurm.marks", o->home);
    else
        printf("%s", o->max_age);
}

static void print_filled(const struct gate_options *o, const char *text)
{
    const char *mark, *end;

    while (
        (mark = strchr(text, '@')) != NULL && (end = strchr(mark + 1, '@')) != NULL) {
        fwrite(text, 1, (size_t)(mark - text), stdout);
        print_value(o, mark + 1, (size_t)(end - mark - 1));
        text = end + 1;
    }
    fputs(text, stdout);
}

/* ---- the way back ---- */

static bool is_ours(const slurm_job_info_t *j)
{
    return (j->job_state & JOB_STATE_BASE) == JOB_PENDING && j->priority == 0
           && job_mark(j) == MARK_KEPT;
}

static int let_go(const slurm_job_info_t *j)
{
    job_array_resp_msg_t *answers = NULL;
    job_desc_msg_t m;
    char id[40];
    int result;

    slurm_init_job_desc_msg(&m);
    if (j->het_job_id != 0)
        snprintf(id, sizeof id, "%u+%u", j->het_job_id, j->het_job_offset);
    else
        snprintf(id, sizeof id, "%u", j->job_id);
    m.job_id_str = id;
    m.priority = INFINITE;
    m.req_nodes = j->req_nodes ? j->req_nodes : (char *)"";
    notes_end_begin(j, &m);
    result = slurm_update_job2(&m, &answers);
    if (answers != NULL)
        slurm_free_job_array_resp(answers);
    return result == SLURM_SUCCESS ? 0 : -1;
}

int letgo_main(const char *home)
{
    job_info_msg_t *msg = NULL;
    uint32_t done = 0, failed = 0;

    slurm_init(NULL);
    adapter_prepare(home, geteuid());
    if (slurm_load_jobs(0, &msg, SHOW_ALL) != SLURM_SUCCESS) {
        fprintf(stderr, "maui slurm letgo: Slurm's controller does not answer: %s\n",
            slurm_strerror(errno));
        return 1;
    }
    for (uint32_t i = 0; i < msg->record_count; i++) {
        if (!is_ours(&msg->job_array[i]))
            continue;
        if (let_go(&msg->job_array[i]) == 0)
            done++;
        else if (failed++ == 0)
            fprintf(stderr, "maui slurm letgo: job %u: %s\n", msg->job_array[i].job_id,
                slurm_strerror(errno));
    }
    printf("%u waiting jobs given back to Slurm, %u not\n", done, failed);
    slurm_free_job_info_msg(msg);
    return failed ? 1 : 0;
}

/* ---- the line ---- */

static int run(const char *what, const struct gate_options *o)
{
    if (strcmp(what, "gate") == 0)
        print_filled(o, gate_script_text());
    else if (strcmp(what, "jobcomp") == 0)
        print_filled(o, jobcomp_script_text());
    else if (strcmp(what, "conf") == 0)
        fputs(conf_snippet_text(), stdout);
    else if (strcmp(what, "check") == 0)
        return check_main();
    else if (strcmp(what, "letgo") == 0)
        return letgo_main(o->home);
    else {
        fprintf(stderr,
            "maui slurm: '%s' is not one of gate, jobcomp, conf, check, letgo; `maui "
            "slurm "
            "--help`\n",
            what);
        return 1;
    }
    return fflush(stdout) == 0 ? 0 : 1;
}

int gate_main(int argc, char **argv)
{
    static const struct option longs[] = {{"home", required_argument, NULL, 'H'},
        {"user", required_argument, NULL, 'u'},
        {"open-after", required_argument, NULL, 'o'}, {"help", no_argument, NULL, 'h'},
        {0}};
    struct gate_options o = {.max_age = "60"};
    const char *home = NULL;
    int c, status;

    while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
        if (c == 'H') {
            home = optarg;
        } else if (c == 'u' && getpwnam(optarg) != NULL) {
            o.user = optarg;
        } else if (c == 'u') {
            fprintf(stderr, "maui slurm: no user '%s'\n", optarg);
            return 1;
        } else if (c == 'o' && optarg[strspn(optarg, "0123456789")] == '\0'
                   && *optarg) {
            o.max_age = optarg;
        } else if (c == 'h') {
            fputs(help, stdout);
            return 0;
        } else {
            fputs("`maui slurm --help` shows its usage.\n", stderr);
            return 1;
        }
    }
    if (optind + 1 != argc) {
        fputs(help, stderr);
        return 1;
    }
    o.home = home_find(home);
    status = run(argv[optind], &o);
    free(o.home);
    return status;
}
