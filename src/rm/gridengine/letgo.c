/* SPDX-License-Identifier: Apache-2.0
 * `maui gridengine letgo`: all waiting jobs back to Grid Engine's own scheduler, with
 * what their users asked for. Users' and operators' holds stay. */
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "rm/gridengine/answers.h"
#include "rm/gridengine/site.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>

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
        site_ask((const char *const[]){"qstat", "-xml", "-j", "*", NULL}, &status);
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

/* The gate's hold and what a start had overwritten first: then it may start. */
static bool let_go(const struct ge_job *j, bool held)
{
    const struct ge_kept *k = &j->kept;
    const char *queues = k->queues != NULL ? k->queues : "*";
    bool done = true;

    if (k->overwritten && k->range != NULL && j->pe != NULL)
        done = alter_job(j->number,
            (const char *const[]){"-q", queues, "-dc",
                "maui_q,maui_pe,maui_class,maui_why", "-pe", j->pe, k->range, NULL});
    else if (k->overwritten)
        done = alter_job(j->number, (const char *const[]){"-q", queues, "-dc",
                                        "maui_q,maui_pe,maui_class,maui_why", NULL});
    if (k->gate && k->gate_user)
        done &= alter_job(j->number, (const char *const[]){"-dc", "maui_gate", NULL});
    else if (k->gate)
        done &= alter_job(
            j->number, (const char *const[]){"-h", "U", "-dc", "maui_gate", NULL});
    if (held)
        done &= alter_job(j->number, (const char *const[]){"-h", "S", NULL});
    return done;
}

/* All jobs, arrays by their number. */
static int let_all_go(const struct ge_jobs *jobs)
{
    size_t gone = 0, kept = 0;

    for (size_t i = 0, to; i < jobs->list.n; i = to) {
        const struct ge_job *j = &jobs->list.v[i];
        bool waits = false, held = false;

        for (to = i;
             to < jobs->list.n && strcmp(jobs->list.v[to].number, j->number) == 0;
             to++) {
            waits |= ge_is_waiting(&jobs->list.v[to]);
            held |= (jobs->list.v[to].held & GE_HELD_SYSTEM) != 0;
        }
        if (!waits || !(held || j->kept.gate || j->kept.overwritten))
            continue;
        if (let_go(j, held))
            gone++;
        else
            kept++;
    }
    printf("%zu jobs are Grid Engine's again\n", gone);
    return kept > 0;
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
    if (read_jobs(&jobs, &err) < 0)
        fprintf(stderr, "maui gridengine letgo: %s\n", err.text);
    else
        status = let_all_go(&jobs);
    ge_jobs_free(&jobs);
    return status;
}
