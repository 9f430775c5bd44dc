/* SPDX-License-Identifier: Apache-2.0
 * The way back: what waits for the scheduler is given to Slurm. By hand, or by a watch
 * that needs nothing of the daemon but its heartbeat, so that it does not matter
 * whether that was killed, hangs or cannot reach Slurm. */
#include "base/home.h"
#include "base/xalloc.h"
#include "config/config.h"
#include "rm/slurm/batch.h"
#include "rm/slurm/job.h"
#include "rm/slurm/marking.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define LOOK_S  2  /* the heartbeat is renewed as often */
#define AGAIN_S 20 /* what came to wait meanwhile, or could not be let go */

struct letgo {
    uint32_t done, failed;
};

/* What is to be done with a job. */
enum claim {
    CLAIM_NONE,
    CLAIM_RESTORE, /* somebody holds it: as its owner asked, and held */
    CLAIM_RELEASE  /* it waits for us alone, or is amid a start of ours */
};

static bool is_held(const slurm_job_info_t *j)
{
    if (j->priority != 0 || job_mark(j) == MARK_LIFTED)
        return false;
    return job_mark(j) == MARK_HELD || j->state_reason == WAIT_HELD
           || job_is_back_held(j);
}

static enum claim claim_of(const struct adapter *a, const slurm_job_info_t *j)
{
    bool starts = asked_is_text(j->admin_comment), begins = notes_has_begin(a, j);
    bool kept =
        job_mark(j) == MARK_KEPT || job_mark(j) == MARK_LIFTED || job_is_half_kept(j);

    if ((j->job_state & JOB_STATE_BASE) != JOB_PENDING)
        return CLAIM_NONE;
    if (is_held(j))
        return starts || begins ? CLAIM_RESTORE : CLAIM_NONE;
    if (starts || (kept && (begins || j->priority == 0)))
        return CLAIM_RELEASE; /* also when it is new: see the gate */
    return CLAIM_NONE;
}

/* What its owner asked for, where a start has overwritten it. */
static void ask_as_before(
    const slurm_job_info_t *j, const struct asked *k, job_desc_msg_t *ret)
{
    ret->req_nodes = j->req_nodes ? j->req_nodes : (char *)"";
    if (!k->known)
        return;
    ret->req_nodes = k->nodes ? k->nodes : (char *)"";
    ret->min_nodes = k->min_nodes ? k->min_nodes : 1;
    ret->max_nodes = k->max_nodes;
    ret->num_tasks = job_tasks_to_say(j) != 0 ? job_tasks_to_say(j) : NO_VAL;
    ret->partition = k->partition;
    if (k->cleared)
        ret->features = k->features;
    if (k->fenced)
        ret->exc_nodes = k->exclude ? k->exclude : (char *)"";
    if (k->timed) {
        ret->time_limit = k->limit;
        ret->time_min = k->least;
    }
}

/* One that has a priority already keeps it: with another Slurm would forget its nice
 * value. The list of nodes says that it is no release for the gate to keep. */
static int let_go_as(const struct adapter *a, const slurm_job_info_t *j, const char *id)
{
    bool held = claim_of(a, j) == CLAIM_RESTORE;
    job_array_resp_msg_t *answers = NULL;
    struct asked k = {0};
    job_desc_msg_t m;
    int result;

    slurm_init_job_desc_msg(&m);
    asked_parse(&k, j->admin_comment);
    ask_as_before(j, &k, &m);
    m.job_id_str = (char *)id;
    if (j->priority == 0 && !held)
        m.priority = INFINITE;
    m.admin_comment = k.remark != NULL ? k.remark : (char *)(held ? COMMENT_HELD : "");
    if (notes_has_begin(a, j))
        m.begin_time = BEGIN_NOW;
    result = batch_update(&m, &answers) == SLURM_SUCCESS ? 0 : errno;
    if (answers != NULL)
        slurm_free_job_array_resp(answers);
    asked_free(&k);
    /* the half that is made lets it go */
    return result == 0 || result == ESLURM_REQUESTED_PART_CONFIG_UNAVAILABLE ? 0 : -1;
}

/* Has the array other records, of tasks that run or that somebody holds? */
static bool is_split(const job_info_msg_t *msg, const slurm_job_info_t *array)
{
    for (uint32_t i = 0; i < msg->record_count; i++)
        if (msg->job_array[i].array_job_id == array->array_job_id
            && &msg->job_array[i] != array)
            return true;
    return false;
}

/* "1,3-9:2%4", each by a request of its own: the number of an array means all of it. */
static int let_tasks_go(const struct adapter *a, const slurm_job_info_t *j)
{
    const char *at = j->array_task_str;
    int result = 0;

    while (*at >= '0' && *at <= '9') {
        char *end, id[48];
        unsigned long first = strtoul(at, &end, 10), last = first, step = 1;

        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        if (*end == ':')
            step = strtoul(end + 1, &end, 10);
        for (; first <= last && step > 0; first += step) {
            snprintf(id, sizeof id, "%u_%lu", j->array_job_id, first);
            if (let_go_as(a, j, id) < 0)
                result = -1;
        }
        at = *end == ',' ? end + 1 : end;
    }
    return result;
}

static int let_go(
    const struct adapter *a, const job_info_msg_t *msg, const slurm_job_info_t *j)
{
    struct strbuf id = {0};
    int result;

    if (j->het_job_id != 0)
        strbuf_printf(&id, "%u+%u", j->het_job_id, j->het_job_offset);
    else if (j->array_task_str == NULL || *j->array_task_str == '\0')
        strbuf_printf(&id, "%u", j->job_id);
    else if (UPDATE_TAKES_TASKS)
        strbuf_printf(&id, "%u_[%.*s]", j->array_job_id,
            (int)strcspn(j->array_task_str, "%"), j->array_task_str);
    else if (is_split(msg, j))
        return let_tasks_go(a, j);
    else
        strbuf_printf(&id, "%u", j->array_job_id);
    result = let_go_as(a, j, id.text);
    free(id.text);
    return result;
}

/* What the gate writes in. */
struct gate_files {
    char *home;            /* owned */
    struct marking *marks; /* owned: those that it has left behind */
};

/* They are SlurmUser's, who is known once slurmctld answers. -1: it does not. */
static int prepare_files(const struct gate_files *files)
{
    slurm_conf_t *c = NULL;

    if (slurm_load_ctl_conf(0, &c) != SLURM_SUCCESS)
        return -1;
    adapter_prepare(files->home, c->slurm_user_id);
    slurm_free_ctl_conf(c);
    return 0;
}

static int say_no_answer(void)
{
    fprintf(stderr, "maui slurm letgo: Slurm's controller does not answer: %s\n",
        slurm_strerror(errno));
    return -1;
}

/* -1: Slurm does not answer. By slurmctld's clock, which begin times are of; and marks
 * that the gate has left behind first. */
static int let_all_go(const struct gate_files *files, struct letgo *ret)
{
    struct adapter a = {0};
    job_info_msg_t *msg = NULL;
    time_t asked;

    *ret = (struct letgo){0};
    if (prepare_files(files) < 0)
        return say_no_answer();
    if (marking_settle(files->marks, &a, INT64_MAX) == MARKING_NO_GATE)
        fputs("maui slurm letgo: slurmctld does not have the job_submit.lua of this "
              "scheduler: holds and releases of arrays that it has noted are not in "
              "Slurm\n",
            stderr);
    asked = time(NULL);
    if (slurm_load_jobs(0, &msg, SHOW_ALL | SHOW_LOCAL) != SLURM_SUCCESS)
        return say_no_answer();
    if (TELLS_TIME)
        times_set(&a, asked, msg->last_update);
    for (uint32_t i = 0; i < msg->record_count; i++) {
        enum claim claim = claim_of(&a, &msg->job_array[i]);

        if (claim == CLAIM_NONE)
            continue;
        if (let_go(&a, msg, &msg->job_array[i]) == 0)
            ret->done += claim == CLAIM_RELEASE;
        else if (ret->failed++ == 0)
            fprintf(stderr, "maui slurm letgo: job %u: %s\n", msg->job_array[i].job_id,
                slurm_strerror(errno));
    }
    slurm_free_job_info_msg(msg);
    return 0;
}

/* Of another user each order would be refused, one by one. */
static int check_may_order(void)
{
    slurm_conf_t *c = NULL;
    bool may;

    if (slurm_load_ctl_conf(0, &c) != SLURM_SUCCESS)
        return 0; /* told when jobs are asked for */
    may = geteuid() == 0 || geteuid() == c->slurm_user_id;
    if (!may)
        fprintf(stderr,
            "maui slurm letgo: only root and SlurmUser (%s) may give jobs back to "
            "Slurm\n",
            c->slurm_user_name);
    slurm_free_ctl_conf(c);
    return may ? 0 : -1;
}

char *letgo_gate_home(const char *home)
{
    char *file = home_config(home), *gate_home;
    struct err err;
    struct config *c = config_load_file(file, &err);

    gate_home =
        marking_home(home, c != NULL ? config_manager_of(c, "SLURM", "EVENTS") : NULL);
    config_destroy(c);
    free(file);
    return gate_home;
}

/* For close_files(). */
static struct gate_files open_files(const char *home)
{
    struct gate_files files = {.home = letgo_gate_home(home)};

    files.marks = marking_new(files.home);
    return files;
}

static void close_files(struct gate_files *files)
{
    marking_free(files->marks);
    free(files->home);
}

int letgo_main(const char *home)
{
    struct gate_files files;
    struct letgo l;
    int result;

    slurm_init(NULL);
    if (check_may_order() < 0)
        return 1;
    files = open_files(home);
    result = let_all_go(&files, &l);
    close_files(&files);
    if (result < 0)
        return 1;
    printf("%u waiting job%s given back to Slurm, %u not\n", l.done,
        l.done == 1 ? "" : "s", l.failed);
    return l.failed ? 1 : 0;
}

/* ---- by itself ---- */

static int64_t clock_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_BOOTTIME, &t);
    return t.tv_sec;
}

/* What the heartbeat says; 0: nothing, there is none. */
static int64_t read_beat(const char *path)
{
    FILE *f = fopen(path, "re");
    long long told = 0;

    if (f == NULL)
        return 0;
    if (fscanf(f, "%lld", &told) != 1)
        told = 0;
    fclose(f);
    return told;
}

struct watch {
    const char *beat_path;
    struct gate_files files;
    int64_t after_s, beat, changed_s, told_s; /* told: when jobs were let go last */
    bool silent;
};

static void look_at_beat(struct watch *w, int64_t now)
{
    int64_t beat = read_beat(w->beat_path);

    if (beat == w->beat)
        return;
    if (w->silent)
        printf("maui slurm watch: the scheduler is back after %" PRId64
               " s; it takes its jobs over\n",
            now - w->changed_s);
    w->silent = false;
    w->beat = beat;
    w->changed_s = now;
}

static void act_on_silence(struct watch *w, int64_t now)
{
    struct letgo l;

    if (now - w->changed_s < w->after_s || (w->silent && now - w->told_s < AGAIN_S))
        return;
    if (!w->silent)
        printf("maui slurm watch: no sign of the scheduler for %" PRId64
               " s: jobs are let go\n",
            now - w->changed_s);
    w->silent = true;
    w->told_s = now;
    if (let_all_go(&w->files, &l) == 0 && l.done > 0)
        printf("maui slurm watch: %u waiting job%s given back to Slurm\n", l.done,
            l.done == 1 ? "" : "s");
}

/* The heartbeat as RMCFG[] HEARTBEAT= says, else that of the home. Owned by the
 * caller. */
static char *heartbeat_path(const char *home)
{
    char *file = home_config(home);
    struct err err;
    struct config *c = config_load_file(file, &err);
    const char *named = c != NULL ? config_manager_of(c, "SLURM", "HEARTBEAT") : NULL;
    char *path = named != NULL ? xstrdup(named) : home_file(home, "slurm.heartbeat");

    config_destroy(c);
    free(file);
    return path;
}

/* The name of a socket that is there as long as a watch of that home runs. No file: the
 * first byte stays 0. */
static struct sockaddr_un name_sign(const char *home)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    char *real = realpath(home, NULL);

    snprintf(name.sun_path + 1, sizeof name.sun_path - 1,
        "maui-slurm-watch-%016" PRIx64,
        digest_text(DIGEST_START, real != NULL ? real : home));
    free(real);
    return name;
}

/* The call that is to be made of a socket and that name; the socket, or -1. */
static int open_sign(
    const char *home, int (*use)(int, const struct sockaddr *, socklen_t))
{
    struct sockaddr_un name = name_sign(home);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || use(fd, (struct sockaddr *)&name, sizeof name) == 0)
        return fd;
    close(fd);
    return -1;
}

bool letgo_is_watched(const char *home)
{
    int fd = open_sign(home, connect);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

int letgo_watch(const char *home, int64_t after_s)
{
    int sign = open_sign(home, bind);
    char *path = heartbeat_path(home);
    struct watch w = {.beat_path = path, .after_s = after_s, .changed_s = clock_s()};
    sigset_t ends;
    int got;

    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    slurm_init(NULL);
    w.files = open_files(home);
    printf("maui slurm watch: jobs are let go when the scheduler is silent for %" PRId64
           " s (%s)\n",
        after_s, path);
    do {
        look_at_beat(&w, clock_s());
        act_on_silence(&w, clock_s());
        fflush(stdout);
        got = sigtimedwait(&ends, NULL, &(struct timespec){.tv_sec = LOOK_S});
    } while (got < 0);
    if (sign >= 0)
        close(sign);
    free(path);
    close_files(&w.files);
    return 0;
}
