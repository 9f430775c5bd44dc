/* SPDX-License-Identifier: Apache-2.0
 * The table of jobs: what their folders say, what is reported of them. */
#include "rm/local/ljob.h"

#include "rm/filename.h"
#include "rm/local/commands.h"
#include "rm/local/control.h"
#include "rm/local/folder.h"
#include "rm/local/larray.h"
#include "rm/local/nodes.h"
#include "rm/local/private.h"
#include "rm/local/spool.h"
#include "rm/local/start.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CLEANINGS_AT_ONCE 3  /* one keeper after another that died */
#define LOOK_AGAIN_MS     50 /* at a keeper that is just starting */
#define CLOCK_SET_S       2
#define CLEAN_AGAIN_MS    1000
#define LOST_STATUS       (128 + SIGKILL)

struct local_job *ljob_new(struct local *l, const char *id)
{
    struct local_job *j = xcalloc(1, sizeof *j);

    j->id = xstrdup(id);
    j->local = l;
    j->pidfd = -1;
    j->cpu_s = j->mem_mb = j->swap_mb = j->disk_mb = -1;
    HASH_ADD_KEYPTR(hh, l->jobs, j->id, strlen(j->id), j);
    return j;
}

struct local_job *ljob_find(struct local *l, const char *id)
{
    struct local_job *j;

    HASH_FIND_STR(l->jobs, id, j);
    return j;
}

static void unwatch(struct local_job *j)
{
    j->keeper = sd_event_source_disable_unref(j->keeper);
    if (j->pidfd >= 0)
        close(j->pidfd);
    j->pidfd = -1;
}

void ljob_free(struct local_job *j)
{
    HASH_DEL(j->local->jobs, j);
    control_forget(j);
    unwatch(j);
    sd_event_source_disable_unref(j->timer);
    start_free(j->start);
    for (size_t i = 0; i < j->later.n; i++)
        command_free(j->later.v[i]);
    vec_fini(&j->later);
    run_fini(&j->run);
    if (j->array != NULL)
        larray_forget(j);
    request_free(j->request);
    free(j->id);
    free(j);
}

int ljob_open_folder(const struct local_job *j, struct err *err)
{
    return folder_open(spool_jobs_folder(j->local), j->id, err);
}

bool ljob_is_active(const struct local_job *j)
{
    return j->phase == PHASE_RUNNING || j->phase == PHASE_CLEANING;
}

bool ljob_rests(const struct local_job *j)
{
    return j->phase != PHASE_SUBMITTED && j->phase != PHASE_STARTING && !j->writing
           && j->later.n == 0 && j->start == NULL && j->unanswered == 0 && !j->damaged;
}

/* ---- reports --------------------------------------------------------------------- */

static enum job_state state_of(const struct local_job *j)
{
    if (ljob_is_active(j))
        return j->run.suspended_at != 0 ? JOB_SUSPENDED : JOB_RUNNING;
    if (j->phase == PHASE_ENDED)
        return j->end.kind == END_CANCELLED ? JOB_REMOVED : JOB_COMPLETED;
    return j->state.holds != 0 ? JOB_HOLD : JOB_IDLE;
}

/* What the array's request says of all. Both files are owned by the caller. */
static void name_own(
    const struct local_job *j, struct rm_job *io, char **ret_output, char **ret_error)
{
    *ret_output = *ret_error = NULL;
    if (j->array == NULL)
        return;
    io->desc.id = j->id;
    if (io->output != NULL)
        io->output = *ret_output = filename_expand(io->output, j->id, io->name);
    if (io->error != NULL)
        io->error = *ret_error = filename_expand(io->error, j->id, io->name);
}

void ljob_report(struct local_job *j)
{
    struct rm_job job = j->request->job;
    struct rm_report r = {.kind = RM_JOB, .u.job = &job};
    char notes[JOBEND_TEXT], *output, *error;

    name_own(j, &job, &output, &error);

    job.desc.state = state_of(j);
    job.desc.rm_hold = (uint8_t)j->state.holds;
    if (j->state.wclimit_s > 0)
        job.desc.wclimit_s = j->state.wclimit_s;
    job.places = j->run.places;
    job.nplaces = j->run.nplaces;
    job.cpu_s = j->cpu_s;
    job.mem_mb = j->mem_mb;
    job.swap_mb = j->swap_mb;
    job.disk_mb = j->disk_mb;
    if (ljob_is_active(j)) {
        j->began_at = run_began_at(&j->run, j->local->cfg.boot);
        job.start_at = job.desc.start_at = r.at = j->began_at;
        job.desc.places = job.places;
        job.desc.nplaces = job.nplaces;
        if (j->run.suspended_at != 0)
            r.at = j->run.suspended_at;
    } else if (j->phase == PHASE_ENDED) {
        job.start_at = j->end.start_at;
        job.end_at = r.at = j->end.end_at;
        job.exit_status = j->end.exit_status;
    }
    job.end = j->end.why;
    job.end.said = j->end.said;
    jobend_format(&job.end, notes, sizeof notes);
    if (notes[0] != '\0')
        job.notes = notes;
    j->told = true;
    local_report(j->local, &r);
    free(output);
    free(error);
}

void ljob_look_at_clock(struct local_job *j)
{
    if (llabs(run_began_at(&j->run, j->local->cfg.boot) - j->began_at) > CLOCK_SET_S)
        ljob_report(j);
}

void ljob_account(struct local_job *j)
{
    bool holds = ljob_is_active(j), takes = holds && j->run.suspended_at == 0;

    if (holds != j->holds)
        nodes_hold(j->local, j, holds ? 1 : -1);
    j->holds = holds;
    if (takes == j->takes)
        return;
    j->takes = takes;
    nodes_take(j->local, j, takes ? 1 : -1);
}

void ljob_next(struct local_job *j)
{
    while (j->later.n > 0 && !j->writing && !j->removing && j->phase != PHASE_STARTING
           && j->phase != PHASE_SUBMITTED) {
        struct command *c = j->later.v[0];

        if (commands_need_folder(j, c))
            return; /* it is gone on with when that is there */
        vec_remove(&j->later, 0);
        commands_run(j, c);
        command_free(c);
    }
}

/* ---- its keeper ------------------------------------------------------------------ */

static void begin_cleaning(struct local_job *j);

static bool never_began(struct local_job *j);

static int watch(struct local_job *j, pid_t keeper);

/* Perhaps somebody keeps it after all. */
static int on_watch_again(sd_event_source *source, uint64_t usec, void *ctx)
{
    struct local_job *j = ctx;
    int folder = ljob_open_folder(j, NULL);
    pid_t holder = folder >= 0 ? folder_lock_holder(folder, "lock") : -1;

    (void)source, (void)usec;
    if (folder >= 0)
        close(folder);
    if (!ljob_is_active(j) || j->start != NULL || j->pidfd >= 0)
        return 0;
    if (holder > 0 && watch(j, holder) == 0)
        j->phase = PHASE_RUNNING;
    else if (holder >= 0)
        begin_cleaning(j);
    else
        ljob_watch_again(j);
    return 0;
}

void ljob_watch_again(struct local_job *j)
{
    if (ljob_is_active(j) && j->start == NULL && j->pidfd < 0)
        local_timer(j->local, &j->timer, CLEAN_AGAIN_MS, on_watch_again, j);
}

/* The keeper is dead and wrote no end: another one shall. */
static void begin_cleaning(struct local_job *j)
{
    struct err err;

    j->run.clean = true;
    j->phase = PHASE_CLEANING;
    if (start_keeper(j, 0, &err) == 0)
        return;
    local_health(j->local, "jobquery", err.text);
    ljob_watch_again(j);
}

static void clean_up(struct local_job *j)
{
    if (j->start != NULL)
        return;
    j->phase = PHASE_CLEANING;
    if (++j->cleanings <= CLEANINGS_AT_ONCE)
        begin_cleaning(j);
    else /* they die too: give the machine time */
        ljob_watch_again(j);
}

static int on_keeper_ended(sd_event_source *source, int fd, uint32_t events, void *ctx)
{
    struct local_job *j = ctx;

    (void)source, (void)fd, (void)events;
    unwatch(j);
    ljob_look(j);
    if (ljob_is_active(j) && !j->local->lost && !never_began(j))
        clean_up(j);
    return 0;
}

/* Learn of the end of this process, which holds the job's lock. -1 = it has gone. */
static int watch(struct local_job *j, pid_t keeper)
{
    int folder = ljob_open_folder(j, NULL), failed;

    unwatch(j);
    j->pidfd = (int)syscall(SYS_pidfd_open, keeper, 0);
    /* only now it is certain that the number is still the keeper's */
    failed = j->pidfd < 0 || folder < 0 || folder_lock_holder(folder, "lock") != keeper;
    if (folder >= 0)
        close(folder);
    if (!failed)
        failed = sd_event_add_io(
                     j->local->loop, &j->keeper, j->pidfd, EPOLLIN, on_keeper_ended, j)
                 < 0;
    if (failed)
        unwatch(j);
    else /* after its last words: the news of the end, answers */
        sd_event_source_set_priority(j->keeper, SD_EVENT_PRIORITY_NORMAL + 10);
    return failed ? -1 : 0;
}

void ljob_runs(struct local_job *j, pid_t keeper)
{
    bool anew = !ljob_is_active(j);

    j->phase = j->run.clean ? PHASE_CLEANING : PHASE_RUNNING;
    j->end.why = (struct job_end){0};
    j->end.said[0] = '\0';
    if (anew) {
        j->cpu_s = j->mem_mb = j->swap_mb = j->disk_mb = -1;
        if (j->told)
            ljob_report(j);
        ljob_account(j);
    }
    if (watch(j, keeper) != 0 || j->news) {
        j->news = false;
        ljob_look(j);
        if (ljob_is_active(j) && j->pidfd < 0)
            clean_up(j);
    }
}

/* ---- its folder ------------------------------------------------------------------ */

/* 1 = read, 0 = there is none, -1 = it cannot be read. */
static int read_end(int folder, struct end *ret, struct err *err)
{
    size_t len;
    char *text = folder_read(folder, "end.json", &len, err);
    int failed;

    if (text == NULL)
        return err->code == ERR_NOT_FOUND ? 0 : -1;
    failed = end_read(text, len, ret, err);
    free(text);
    return failed ? -1 : 1;
}

static int read_run(int folder, struct run *ret, struct err *err)
{
    size_t len;
    char *text = folder_read(folder, "run.json", &len, err);
    int failed;

    if (text == NULL)
        return err->code == ERR_NOT_FOUND ? 0 : -1;
    failed = run_read(text, len, ret, err);
    free(text);
    return failed ? -1 : 1;
}

static void damaged(struct local_job *j, const struct err *err)
{
    char text[600];

    j->damaged = true;
    snprintf(text, sizeof text,
        "the folder %s/jobs/%s is damaged and left as it is: %s", j->local->cfg.path,
        j->id, err->text);
    local_health(j->local, "jobquery", text);
}

/* An end that cannot be read is an end. */
static void unknown_end(struct local_job *j, const struct err *err)
{
    j->end = (struct end){.kind = END_LOST,
        .start_at = j->run.start_at,
        .end_at = local_now(),
        .exit_status = LOST_STATUS,
        .cpu_s = -1,
        .mem_mb = -1,
        .why = {ENDED_RECORD_LOST}};
    damaged(j, err);
}

/* Put the end into the table. */
static void ended(struct local_job *j)
{
    unwatch(j);
    start_free(j->start);
    j->start = NULL;
    j->phase = j->end.kind == END_REQUEUED ? PHASE_WAITING : PHASE_ENDED;
    j->run.suspended_at = 0;
    j->run.clean = false;
    j->cpu_s = j->end.cpu_s;
    j->mem_mb = j->end.mem_mb;
    control_forget(j);
    if (j->told) /* else the scan tells */
        ljob_report(j);
    ljob_account(j);
    ljob_next(j);
}

void ljob_look(struct local_job *j)
{
    struct err err;
    int folder, found;

    if (j->phase == PHASE_STARTING) {
        j->news = true; /* looked at when the keeper has answered */
        return;
    }
    if (!ljob_is_active(j))
        return;
    folder = ljob_open_folder(j, &err);
    if (folder < 0)
        return spool_check(j->local);
    found = read_end(folder, &j->end, &err);
    close(folder);
    if (found < 0)
        unknown_end(j, &err);
    if (found != 0)
        ended(j);
}

/* The keeper gave up the start of a program that hung, and no daemon was there to be
 * told: the job waits as before. */
static bool never_began(struct local_job *j)
{
    int folder = ljob_open_folder(j, NULL);
    bool none = folder >= 0 && faccessat(folder, "run.json", F_OK, 0) != 0
                && errno == ENOENT && faccessat(folder, "end.json", F_OK, 0) != 0;

    if (folder >= 0)
        close(folder);
    if (!none)
        return false;
    j->phase = PHASE_WAITING;
    ljob_account(j);
    ljob_report(j);
    ljob_next(j);
    return true;
}

static int on_look_again(sd_event_source *source, uint64_t usec, void *ctx)
{
    struct local_job *j = ctx;
    struct err err;

    (void)source, (void)usec;
    if (j->phase != PHASE_STARTING || j->start != NULL)
        return 0;
    if (++j->looks * LOOK_AGAIN_MS > j->local->cfg.start_ms + START_SLACK_MS)
        control_kill(j);
    if (ljob_load(j, &err) != 0)
        damaged(j, &err);
    else if (j->phase == PHASE_WAITING && j->told)
        ljob_report(j);
    if (j->phase != PHASE_STARTING)
        start_settle(j);
    ljob_next(j);
    return 0;
}

/* What the keeper's files and its lock say. */
static void load_run(struct local_job *j, int folder)
{
    pid_t holder = folder_lock_holder(folder, "lock"); /* before the files */
    struct err err;
    int has_run, has_end;

    run_fini(&j->run);
    j->run = (struct run){0};
    j->found = true;
    has_run = read_run(folder, &j->run, &err);
    if (has_run < 0)
        damaged(j, &err);
    has_end = read_end(folder, &j->end, &err);
    if (has_end < 0)
        unknown_end(j, &err);
    if (has_end != 0) {
        j->phase = PHASE_WAITING;
        ended(j);
    } else if (has_run == 0 && holder > 0) {
        if (j->phase != PHASE_STARTING)
            j->looks = 0;
        j->phase = PHASE_STARTING;
        local_timer(j->local, &j->timer, LOOK_AGAIN_MS, on_look_again, j);
    } else if (has_run == 0) {
        j->phase = PHASE_WAITING;
    } else {
        j->phase = PHASE_WAITING; /* until it is told */
        ljob_runs(j, holder);
    }
}

static int load_texts(struct local_job *j, int folder, struct err *err)
{
    size_t len;
    char *text = folder_read(folder, "request.json", &len, err);
    int failed = 0;

    if (text == NULL)
        return -1;
    if (j->request == NULL)
        j->request = request_read(text, len, err);
    free(text);
    if (j->request == NULL)
        return -1;
    if (strcmp(j->request->job.desc.id, j->id) != 0)
        return err_set(
            err, ERR_INVALID, "request.json is of job '%s'", j->request->job.desc.id);
    j->state = (struct state){.holds = j->request->job.desc.rm_hold};
    text = folder_read(folder, "state.json", &len, err);
    if (text != NULL)
        failed = state_read(text, len, &j->state, err);
    else if (err->code != ERR_NOT_FOUND)
        failed = -1;
    free(text);
    return failed;
}

int ljob_load(struct local_job *j, struct err *err)
{
    int folder = ljob_open_folder(j, err);

    if (folder < 0)
        return -1;
    if (load_texts(j, folder, err) != 0) {
        close(folder);
        return -1;
    }
    load_run(j, folder);
    close(folder);
    return 0;
}
