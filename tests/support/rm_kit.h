/* SPDX-License-Identifier: Apache-2.0
 * The local resource manager on a real event loop, with real processes, in a spool of
 * its own: opened, commanded, and what it reported remembered. The test program is its
 * own keeper: main() begins with RM_KIT_KEEPER. */
#ifndef MAUI_TESTS_RM_KIT_H
#define MAUI_TESTS_RM_KIT_H

#include "base/vec.h"
#include "cmocka_all.h"
#include "config/settings.h"
#include "rm/local/folder.h"
#include "rm/local/keeper.h"
#include "rm/rm.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define RM_KIT_KEEPER                                                                  \
    if (argc > 1 && strcmp(argv[1], "keeper") == 0)                                    \
    return keeper_main(argc - 1, argv + 1, NULL)

#define KIT_PATIENCE_US 20000000 /* a test that waits longer has failed */

/* A job as last reported. */
struct kit_job {
    char id[80], notes[300], place[80];
    enum job_state state;
    unsigned holds, reports;
    int64_t start_at, end_at, wclimit_s, mem_mb;
    double cpu_s;
    int exit_status;
    bool gone;
};

struct kit_node {
    char name[80];
    enum node_state state;
    struct res cfg, util;
    double load;
};

struct kit {
    char dir[64], spool[80], work[80];
    struct raw_object section;
    struct settings *settings; /* borrowed or NULL */
    sd_event *loop;
    struct rm *rm;
    struct VEC(struct kit_job) jobs;
    struct VEC(struct kit_node) nodes;
    bool synced, healthy;
    char sick[700];
    uint64_t token, done_token;
    enum rm_outcome outcome;
    char done_job[80], done_text[400];
    unsigned done_count, job_reports;
};

static inline struct kit_job *kit_job(struct kit *k, const char *id)
{
    for (size_t i = 0; i < k->jobs.n; i++)
        if (strcmp(k->jobs.v[i].id, id) == 0)
            return &k->jobs.v[i];
    return NULL;
}

static inline struct kit_node *kit_node(struct kit *k, const char *name)
{
    for (size_t i = 0; i < k->nodes.n; i++)
        if (strcmp(k->nodes.v[i].name, name) == 0)
            return &k->nodes.v[i];
    return NULL;
}

static inline void kit_take_job(struct kit *k, const struct rm_job *job)
{
    struct kit_job *into = kit_job(k, job->desc.id), fresh = {0};

    if (into == NULL) {
        snprintf(fresh.id, sizeof fresh.id, "%s", job->desc.id);
        vec_push(&k->jobs, fresh);
        into = &k->jobs.v[k->jobs.n - 1];
    }
    snprintf(into->notes, sizeof into->notes, "%s", job->notes ? job->notes : "");
    snprintf(into->place, sizeof into->place, "%s",
        job->nplaces > 0 ? job->places[0].node : "");
    into->state = job->desc.state;
    into->holds = job->desc.rm_hold;
    into->wclimit_s = job->desc.wclimit_s;
    into->start_at = job->start_at;
    into->end_at = job->end_at;
    into->mem_mb = job->mem_mb;
    into->cpu_s = job->cpu_s;
    into->exit_status = job->exit_status;
    into->reports++;
    k->job_reports++;
}

static inline void kit_take_node(struct kit *k, const struct node_desc *d)
{
    struct kit_node *into = kit_node(k, d->name), fresh = {0};

    if (into == NULL) {
        snprintf(fresh.name, sizeof fresh.name, "%s", d->name);
        vec_push(&k->nodes, fresh);
        into = &k->nodes.v[k->nodes.n - 1];
    }
    into->state = d->state;
    into->cfg = d->cfg;
    into->util = d->util;
    into->load = d->load;
}

static inline void kit_report(void *ctx, const struct rm_report *r)
{
    struct kit *k = ctx;

    assert_true(r->at > 0);
    if (r->kind == RM_JOB)
        kit_take_job(k, r->u.job);
    if (r->kind == RM_NODE)
        kit_take_node(k, &r->u.node);
    if (r->kind == RM_SYNCED)
        k->synced = true;
    if (r->kind == RM_JOB_GONE && kit_job(k, r->u.name) != NULL)
        kit_job(k, r->u.name)->gone = true;
    if (r->kind == RM_HEALTH) {
        k->healthy = r->u.health.up;
        snprintf(k->sick, sizeof k->sick, "%s",
            r->u.health.text != NULL ? r->u.health.text : "");
    }
    if (r->kind == RM_DONE) {
        k->done_token = r->u.done.token;
        k->done_count++;
        k->outcome = r->u.done.outcome;
        snprintf(k->done_job, sizeof k->done_job, "%s",
            r->u.done.job != NULL ? r->u.done.job : "");
        snprintf(k->done_text, sizeof k->done_text, "%s",
            r->u.done.text != NULL ? r->u.done.text : "");
    }
}

static inline void kit_attr(struct kit *k, const char *name, const char *value)
{
    struct raw_attr attr = {.name = xstrdup(name), .value = xstrdup(value)};

    vec_push(&k->section.attrs, attr);
}

/* Run the loop until it is so. */
#define kit_until(k, condition)                                                        \
    do {                                                                               \
        struct timespec from_, now_;                                                   \
        clock_gettime(CLOCK_MONOTONIC, &from_);                                        \
        while (!(condition)) {                                                         \
            assert_true(sd_event_run((k)->loop, 50000) >= 0);                          \
            clock_gettime(CLOCK_MONOTONIC, &now_);                                     \
            if (now_.tv_sec - from_.tv_sec > KIT_PATIENCE_US / 1000000)                \
                fail_msg("never became true: %s", #condition);                         \
        }                                                                              \
    } while (0)

static inline void kit_open(struct kit *k)
{
    const struct rm_driver *driver = rm_driver_find("local", NULL);
    static const char *const keeper[] = {"/proc/self/exe", "keeper", NULL};
    struct rm_cfg cfg = {.name = "here",
        .section = &k->section,
        .settings = k->settings,
        .spool = k->spool,
        .keeper = keeper};
    struct rm_sink sink = {kit_report, k};
    struct err err = {0};

    assert_int_equal(sd_event_new(&k->loop), 0);
    k->synced = false;
    k->healthy = true;
    k->rm = driver->open(&cfg, k->loop, &sink, &err);
    if (k->rm == NULL)
        fail_msg("open: %s", err.text);
    kit_until(k, k->synced);
}

static inline void kit_shut(struct kit *k)
{
    if (k->rm != NULL)
        k->rm->driver->close(k->rm);
    k->rm = NULL;
    k->loop = sd_event_unref(k->loop);
}

/* A fresh place, and the driver on it: NODES as given, short graces. */
static inline void kit_begin(struct kit *k, const char *nodes)
{
    *k = (struct kit){0};
    snprintf(k->dir, sizeof k->dir, "/tmp/maui-rm-XXXXXX");
    assert_non_null(mkdtemp(k->dir));
    assert_int_equal(chmod(k->dir, 0755), 0);
    snprintf(k->spool, sizeof k->spool, "%s/spool", k->dir);
    snprintf(k->work, sizeof k->work, "%s/work", k->dir);
    assert_int_equal(mkdir(k->work, 0777), 0);
    assert_int_equal(chmod(k->work, 0777), 0);
    if (nodes != NULL)
        kit_attr(k, "NODES", nodes);
    kit_attr(k, "KILLGRACE", "1");
    kit_attr(k, "CGROUP", "NONE");
    kit_open(k);
}

/* Forget all that was reported, and open the spool anew. */
static inline void kit_reopen(struct kit *k)
{
    kit_shut(k);
    k->jobs.n = k->nodes.n = 0;
    kit_open(k);
}

static inline void kit_end(struct kit *k)
{
    kit_shut(k);
    for (size_t i = 0; i < k->section.attrs.n; i++) {
        free(k->section.attrs.v[i].name);
        free(k->section.attrs.v[i].value);
    }
    vec_fini(&k->section.attrs);
    vec_fini(&k->jobs);
    vec_fini(&k->nodes);
    folder_remove(AT_FDCWD, k->dir);
}

/* A submission of this script, to be changed before kit_submit_it(). */
struct kit_submission {
    struct rm_submission s;
    struct req_desc req;
};

static inline void kit_draft(
    struct kit *k, struct kit_submission *d, const char *script)
{
    static const char *const environment[] = {"SHELL=/bin/sh", NULL};

    *d = (struct kit_submission){0};
    d->s.environment = environment; /* whoever runs the tests may have none */
    d->req.tasks = 1;
    d->req.nodealloc = NODEALLOC_UNSET;
    d->s.script = script;
    d->s.job.desc.cred[CRED_USER] = "someone";
    d->s.job.desc.cred[CRED_CLASS] = "batch";
    d->s.job.desc.wclimit_s = 600;
    d->s.job.name = "job";
    d->s.job.directory = k->work;
    d->s.uid = geteuid();
    d->s.gid = getegid();
    d->s.umask = 022;
}

/* Submit, wait, and return the id ("" when refused); it is good until the next. */
static inline const char *kit_submit_it(struct kit *k, struct kit_submission *d)
{
    d->s.job.desc.reqs = &d->req;
    d->s.job.desc.nreqs = 1;
    d->s.token = ++k->token;
    assert_int_equal(k->rm->driver->submit(k->rm, &d->s, NULL), 0);
    kit_until(k, k->done_token == d->s.token);
    return k->outcome == RM_OK ? k->done_job : "";
}

static inline void kit_submit(struct kit *k, const char *script, char id[80])
{
    struct kit_submission d;

    kit_draft(k, &d, script);
    snprintf(id, 80, "%s", kit_submit_it(k, &d));
    assert_string_not_equal(id, "");
}

static inline enum rm_outcome kit_command(struct kit *k, struct rm_command cmd)
{
    cmd.token = ++k->token;
    assert_int_equal(k->rm->driver->command(k->rm, &cmd, NULL), 0);
    kit_until(k, k->done_token == cmd.token);
    return k->outcome;
}

static inline enum rm_outcome kit_do(
    struct kit *k, enum rm_action action, const char *id)
{
    return kit_command(k, (struct rm_command){.action = action, .job = id});
}

static inline enum rm_outcome kit_start(
    struct kit *k, const char *id, int64_t wclimit_s)
{
    struct job_place place = {k->nodes.v[0].name, 1};

    return kit_command(k, (struct rm_command){.action = RM_START,
                              .job = id,
                              .places = &place,
                              .nplaces = 1,
                              .wclimit_s = wclimit_s});
}

static inline void kit_until_state(struct kit *k, const char *id, enum job_state state)
{
    kit_until(k, kit_job(k, id) != NULL && kit_job(k, id)->state == state);
}

/* Submit and start; the id. */
static inline void kit_run(struct kit *k, const char *script, char id[80])
{
    kit_submit(k, script, id);
    if (kit_start(k, id, 0) != RM_OK)
        fail_msg("start: %s", k->done_text);
}

/* A file of the working directory, "" when there is none. Freed by the caller. */
static inline char *kit_read(struct kit *k, const char *name)
{
    int folder = folder_open(AT_FDCWD, k->work, NULL);
    size_t len;
    struct err err;
    char *text = folder_read(folder, name, &len, &err);

    close(folder);
    return text != NULL ? text : xstrdup("");
}

/* The number in a file, once it is there. */
static inline long kit_number(struct kit *k, const char *name)
{
    long n = 0;

    while (n == 0) {
        char *text = kit_read(k, name);

        n = strchr(text, '\n') != NULL ? strtol(text, NULL, 10) : 0;
        free(text);
        if (n == 0)
            sd_event_run(k->loop, 5000);
    }
    return n;
}

/* Is the process there, and not merely waiting to be buried? */
static inline bool kit_alive(long pid)
{
    char path[64], line[512] = "";
    const char *end;
    FILE *in;

    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    in = fopen(path, "re");
    if (in == NULL)
        return false;
    if (fgets(line, sizeof line, in) == NULL)
        line[0] = '\0';
    fclose(in);
    end = strrchr(line, ')');
    return end != NULL && end[2] != 'Z' && end[2] != 'X';
}

/* For cmocka: *state is a kit of two nodes of four processors. */
static inline int kit_setup(void **state)
{
    static struct kit kit;

    kit_begin(&kit, "2x4");
    *state = &kit;
    return 0;
}

static inline int kit_teardown(void **state)
{
    kit_end(*state);
    return 0;
}

#endif
