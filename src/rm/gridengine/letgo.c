/* SPDX-License-Identifier: Apache-2.0
 * `maui gridengine letgo`: all jobs back to Grid Engine's own scheduler, with what
 * their users asked for. Users' and operators' holds stay. A queue of our own that a
 * job runs in is closed at once, and deleted when that job has ended: by a process that
 * stays behind for it, by the next letgo, or by the scheduler when it runs again. */
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "rm/gridengine/answers.h"
#include "rm/gridengine/site.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#define LOOK_S 3 /* the process that stays behind */

/* A scheduler that runs would hold them again. */
static bool is_running(const char *home)
{
    struct strbuf path = {0};
    char *text;
    long pid;

    strbuf_printf(&path, "%s/maui.pid", home);
    text = site_read(path.text);
    free(path.text);
    pid = text != NULL ? strtol(text, NULL, 10) : 0;
    free(text);
    return pid > 0 && (kill((pid_t)pid, 0) == 0 || errno == EPERM);
}

static int read_jobs(struct ge_jobs *ret, struct err *err)
{
    int status;
    char *detail =
        site_ask_jobs((const char *const[]){"qstat", "-xml", "-j", "*", NULL},
            &ge_squeeze_detail, &status);
    char *states =
        site_ask((const char *const[]){"qstat", "-xml", "-u", "*", NULL}, &status);
    char *held = site_ask(
        (const char *const[]){"qstat", "-xml", "-u", "*", "-s", "hs", NULL}, &status);
    int read = ge_read_jobs(ret, detail, strlen(detail), states, strlen(states), err);

    if (read == 0)
        read = ge_read_held(ret, GE_HELD_SYSTEM, held, strlen(held), err);
    free(detail);
    free(states);
    free(held);
    return read;
}

/* False: it was refused, and that is told. */
static bool alter_job(const char *number, const char *const *words)
{
    const char *argv[14] = {"qalter"};
    size_t n = 1;
    int status;
    char *said;

    for (; *words != NULL && n < 12; words++)
        argv[n++] = *words;
    argv[n++] = number;
    argv[n] = NULL;
    said = site_ask(argv, &status);
    if (status != 0)
        fprintf(stderr, "maui gridengine letgo: job %s: %s", number, said);
    free(said);
    return status == 0;
}

static const char marks[] = "maui_q,maui_pe,maui_class,maui_why";

/* What a start had overwritten. Slots of a job that runs are as they are. */
static bool restore_request(const struct ge_job *j, bool runs)
{
    const struct ge_kept *k = &j->kept;
    const char *queues = k->queues != NULL ? k->queues : "*";
    bool ranged = k->range != NULL && j->pe != NULL;

    if (!k->overwritten)
        return true;
    if (ranged && runs)
        printf("job %s runs with the slots that it was given; it had asked for %s\n",
            j->number, k->range);
    return alter_job(j->number,
        ranged && !runs ? (const char *const[]){"-q", queues, "-dc", marks, "-pe",
            j->pe, k->range, NULL}
                        : (const char *const[]){"-q", queues, "-dc", marks, NULL});
}

static bool open_gate(const struct ge_job *j)
{
    const struct ge_kept *k = &j->kept;

    if (!k->gate)
        return true;
    return alter_job(j->number,
        k->gate_time ? (const char *const[]){"-a", GE_NO_TIME, "-dc", "maui_gate", NULL}
        : k->gate_user ? (const char *const[]){"-dc", "maui_gate", NULL}
                       : (const char *const[]){"-h", "U", "-dc", "maui_gate", NULL});
}

/* The gate's and what a start had overwritten first: then it may start. */
static bool let_go(const struct ge_job *j, bool held, bool runs)
{
    bool done = restore_request(j, runs);

    done &= open_gate(j);
    if (held)
        done &= alter_job(
            j->number, (const char *const[]){"-h", "S", "-dc", "maui_why", NULL});
    return done;
}

/* All jobs, arrays by their number. */
static int let_all_go(const struct ge_jobs *jobs)
{
    size_t gone = 0, restored = 0, kept = jobs->cut.n;

    for (size_t i = 0, to; i < jobs->list.n; i = to) {
        const struct ge_job *j = &jobs->list.v[i];
        bool waits = false, held = false, runs = false;

        for (to = i;
             to < jobs->list.n && strcmp(jobs->list.v[to].number, j->number) == 0;
             to++) {
            waits |= ge_is_waiting(&jobs->list.v[to]);
            runs |= !ge_is_waiting(&jobs->list.v[to]);
            held |= (jobs->list.v[to].held & GE_HELD_SYSTEM) != 0;
        }
        if (!held && !j->kept.gate && !j->kept.overwritten)
            continue;
        if (!let_go(j, held, runs))
            kept++;
        else if (waits)
            gone++;
        else
            restored++;
    }
    for (size_t i = 0; i < jobs->cut.n; i++)
        fprintf(stderr,
            "maui gridengine letgo: job %lld: what it asks for is too long to be read: "
            "TZ=UTC qalter -h US -a 197001010000, or qdel\n",
            (long long)jobs->cut.v[i]);
    printf("%zu jobs are Grid Engine's again\n", gone);
    if (restored > 0)
        printf("jobs that run and have the queues again that they asked for: %zu\n",
            restored);
    return kept > 0;
}

/* ---- queues of our own ---- */

/* Deletes those in which nothing runs, and closes the others. How many are left; -1:
 * Grid Engine does not answer. */
static int delete_queues(bool say)
{
    int status, left = 0;
    char *list = site_ask((const char *const[]){"qconf", "-sql", NULL}, &status);

    for (char *name = strtok(list, "\n"); status == 0 && name != NULL;
         name = strtok(NULL, "\n")) {
        int deleted, closed;

        if (!ge_is_own_queue(name))
            continue;
        free(site_ask((const char *const[]){"qconf", "-dq", name, NULL}, &deleted));
        if (deleted == 0)
            continue;
        free(site_ask((const char *const[]){"qmod", "-d", name, NULL}, &closed));
        if (say)
            printf("queue %s is closed, and stays until its job has ended\n", name);
        left++;
    }
    free(list);
    return status == 0 ? left : -1;
}

/* One at a time, until none is left or the scheduler runs again and sees to them. */
static void stay_behind(const char *home)
{
    struct strbuf path = {0};
    int lock, null = open("/dev/null", O_RDWR);
    pid_t pid;

    strbuf_printf(&path, "%s/gridengine.letgo", home);
    lock = open(path.text, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    free(path.text);
    if (lock < 0 || null < 0 || flock(lock, LOCK_EX | LOCK_NB) < 0) {
        printf("`maui gridengine letgo` again deletes them then\n");
        return;
    }
    fflush(stdout);
    pid = fork();
    if (pid != 0) {
        printf(pid > 0 ? "process %d deletes them then\n"
                       : "`maui gridengine letgo` again deletes them then (%d)\n",
            (int)pid);
        close(lock);
        return;
    }
    setsid();
    for (int fd = 0; fd < 3; fd++)
        dup2(null, fd);
    do
        sleep(LOOK_S);
    while (!is_running(home) && delete_queues(false) != 0);
    _exit(0);
}

int site_letgo(const char *home)
{
    struct ge_jobs jobs;
    struct err err = {0};
    int status = 1;

    if (is_running(home)) {
        fprintf(stderr,
            "maui gridengine letgo: the scheduler runs, and would hold them "
            "again: `maui schedctl -k` first\n");
        return 1;
    }
    /* or what is submitted would be held, and nobody would be there to see it */
    if (site_is_gated() && site_undo(home, false) != 0)
        return 1;
    if (read_jobs(&jobs, &err) < 0)
        fprintf(stderr, "maui gridengine letgo: %s\n", err.text);
    else
        status = let_all_go(&jobs);
    ge_jobs_free(&jobs);
    if (delete_queues(true) > 0)
        stay_behind(home);
    return status;
}
