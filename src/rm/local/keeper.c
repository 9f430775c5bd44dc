/* SPDX-License-Identifier: Apache-2.0
 * The keeper's beginning: order, guard, lock, folder, the answer. */
#include "rm/local/keeper.h"

#include "base/boot.h"
#include "base/strbuf.h"
#include "rm/local/folder.h"
#include "rm/local/keeper_private.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOCK_TRIES   1000 /* the keeper of an earlier run may be tidying up */
#define LOCK_WAIT_US 10000
#define SYNC_AFTER   100 /* ms: a short job's end must not wait for the disk */

#define START_MS           30000 /* of an order that does not say */
#define GUARD_WAIT_US      1000  /* between killing and looking again */
#define GUARD_WAIT_MOST_US 500000

int64_t keeper_now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_BOOTTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* The one line the daemon waits for. */
static void answer(struct keeper *k, const char *word, const char *text)
{
    char line[KEEPER_MESSAGE_MAX];
    int len = snprintf(line, sizeof line, "%s %s\n", word, text);

    if (write(k->answer, line, (size_t)len) < 0)
        k->answer = -1; /* the daemon has gone: it will find what is in the folder */
    if (k->answer >= 0)
        close(k->answer);
    k->answer = -1;
}

static void answer_err(struct keeper *k, const struct err *err)
{
    bool again = err->code == ERR_IO || err->code == ERR_CONFLICT;

    answer(k,
        !again                                    ? "refused"
        : k->in_vain || err->code == ERR_CONFLICT ? "failed"
                                                  : "retry",
        err->text);
}

static void answer_ok(struct keeper *k)
{
    char text[64];

    snprintf(text, sizeof text, "%d %d %lld %lld", (int)getpid(), (int)k->run.leader,
        (long long)k->run.start_at, (long long)k->run.start_boot_ms);
    answer(k, "ok", text);
}

static int read_order(struct keeper *k, struct err *err)
{
    struct strbuf text = {0};
    char buf[4096];
    ssize_t n;
    int failed;

    while ((n = read(0, buf, sizeof buf - 1)) > 0) {
        buf[n] = '\0';
        strbuf_add(&text, buf);
    }
    failed = run_read(text.text != NULL ? text.text : "", text.len, &k->run, err);
    if (k->run.start_ms <= 0)
        k->run.start_ms = START_MS;
    free(text.text);
    return failed;
}

static void detach(struct keeper *k)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    k->answer = fcntl(1, F_DUPFD_CLOEXEC, 3);
    for (int fd = 0; fd <= 2; fd++)
        dup2(null, fd);
    close(null);
    umask(022);
    prctl(PR_SET_NAME, "maui-keeper");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/* The keeper was killed: so is all that descended from it. */
static void kill_all(void)
{
    unsigned wait_us = GUARD_WAIT_US;
    struct pids left = {0};

    for (;;) {
        while (waitpid(-1, NULL, WNOHANG) > 0)
            continue;
        procs_below(&left, 0);
        if (left.n == 0)
            return;
        procs_signal(&left, SIGKILL);
        usleep(wait_us);
        if (wait_us < GUARD_WAIT_MOST_US)
            wait_us *= 2; /* one that hangs in the kernel takes its time */
    }
}

/* From here on two processes: the guard, which was begun, waits for the keeper, its
 * child. What a killed keeper leaves behind falls to the guard, whatever it did to
 * hide: new sessions, other environments. The guard holds no file and obeys no signal.
 */
static void part_from_guard(struct keeper *k)
{
    pid_t guard = getpid(), keeper = fork();
    sigset_t all;
    int status;

    if (keeper < 0)
        return; /* then there is none */
    if (keeper == 0) {
        k->run.guard = guard;
        k->run.guard_ticks = procs_began(guard);
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        return;
    }
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    prctl(PR_SET_NAME, "maui-guard");
    close_range(3, ~0U, 0);
    while (waitpid(keeper, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFSIGNALED(status))
        kill_all();
    _exit(0);
}

static int take_lock(struct keeper *k, struct err *err)
{
    for (int i = 0; i < LOCK_TRIES; i++) {
        k->lock = folder_lock(k->folder, "lock", err);
        if (k->lock >= 0 || err->code != ERR_CONFLICT)
            return k->lock >= 0 ? 0 : -1;
        usleep(LOCK_WAIT_US);
    }
    return -1;
}

/* May this job start? What an earlier run left and was put back in the queue for is
 * taken away, the run before its end: in between the job must not look lost. */
static int clear_earlier_run(struct keeper *k, struct err *err)
{
    size_t len;
    char *text = folder_read(k->folder, "end.json", &len, err);
    struct end end;
    int failed;

    if (text == NULL && err->code != ERR_NOT_FOUND)
        return -1;
    if (text == NULL) {
        if (faccessat(k->folder, "run.json", F_OK, 0) == 0)
            return err_set(err, ERR_DENIED, "the job has run already");
        return 0;
    }
    failed = end_read(text, len, &end, err);
    free(text);
    if (failed)
        return -1;
    if (end.kind != END_REQUEUED)
        return err_set(err, ERR_DENIED, "the job has ended already");
    unlinkat(k->folder, "run.json", 0);
    unlinkat(k->folder, "end.json", 0);
    return 0;
}

static int write_nodes(struct keeper *k, struct err *err)
{
    struct strbuf text = {0};
    int failed;

    for (size_t i = 0; i < k->run.nplaces; i++)
        for (uint32_t t = 0; t < k->run.places[i].tasks; t++)
            strbuf_printf(&text, "%s\n", k->run.places[i].node);
    failed = folder_write(
        k->folder, "nodes", text.text != NULL ? text.text : "", text.len, err);
    free(text.text);
    fchmodat(k->folder, "nodes", 0644, 0);
    return failed;
}

/* What the job itself reads and writes in the folder becomes its user's. */
static int hand_over(struct keeper *k, struct err *err)
{
    static const char *const files[] = {"tmp", "script"};
    struct stat script;

    if (fstatat(k->folder, "script", &script, AT_SYMLINK_NOFOLLOW) == 0)
        k->script_bytes = script.st_size;
    if (mkdirat(k->folder, "tmp", 0700) != 0 && errno != EEXIST)
        return folder_error(err, errno, "make the folder", "tmp");
    for (size_t i = 0; i < 2; i++) {
        if (i == 1 && !k->request->script)
            continue;
        if (geteuid() == 0
            && fchownat(k->folder, files[i], k->request->uid, k->request->gid,
                   AT_SYMLINK_NOFOLLOW)
                   != 0)
            return folder_error(err, errno, "change the owner of", files[i]);
        if (fchmodat(k->folder, files[i], 0700, 0) != 0)
            return folder_error(err, errno, "change the mode of", files[i]);
    }
    return 0;
}

static int make_cookie(char ret[40], struct err *err)
{
    unsigned char bytes[16];

    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return err_set(err, ERR_IO, "no random numbers: %s", strerror(errno));
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(ret + 2 * i, 3, "%02x", bytes[i]);
    return 0;
}

static int prepare(struct keeper *k, struct err *err)
{
    size_t len;
    char *text = folder_read(k->folder, "request.json", &len, err);

    if (text == NULL)
        return -1;
    k->request = request_read(text, len, err);
    free(text);
    if (k->request == NULL || clear_earlier_run(k, err) != 0 || write_nodes(k, err) != 0
        || hand_over(k, err) != 0 || make_cookie(k->run.cookie, err) != 0)
        return -1;
    boot_name(k->run.boot);
    k->run.keeper = getpid();
    return 0;
}

static int open_signals(struct keeper *k, struct err *err)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGQUIT);
    sigaddset(&set, SIGPIPE);
    sigaddset(&set, SIGXFSZ); /* a write that is too long fails instead */
    if (sigprocmask(SIG_BLOCK, &set, NULL) != 0)
        return folder_error(err, errno, "block", "signals");
    k->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return k->signals >= 0 ? 0 : folder_error(err, errno, "watch", "signals");
}

/* Be the keeper. Returns the exit status of the process. */
static int keep(struct keeper *k)
{
    struct err err = {0};
    int failed = read_order(k, &err);

    detach(k);
    if (!failed && !k->run.clean)
        part_from_guard(k);
    if (failed || open_signals(k, &err) != 0 || take_lock(k, &err) != 0) {
        answer_err(k, &err);
        return 1;
    }
    if (k->run.clean) {
        answer_ok(k);
        keeper_clean(k);
        return 0;
    }
    if (prepare(k, &err) != 0 || keeper_listen(k, &err) != 0
        || keeper_start(k, &err) != 0) {
        answer_err(k, &err);
        return 1;
    }
    answer_ok(k);
    k->sync_at_ms = k->began_ms + SYNC_AFTER;
    malloc_trim(0);
    keeper_watch(k);
    keeper_finish(k);
    return 0;
}

int keeper_main(int argc, char **argv, const struct session_driver *sessions)
{
    struct keeper *k;
    struct err err;
    int status;

    if (argc != 2) {
        fputs("usage: maui keeper FOLDER <ORDER\n"
              "Started by the daemon for each job; not meant to be called.\n",
            stderr);
        return 2;
    }
    close_range(3, ~0U, 0); /* nothing of the daemon's */
    k = xcalloc(1, sizeof *k);
    k->control = k->signals = k->lock = k->cgroup.fd = k->stay = -1;
    k->sessions = sessions;
    k->folder = folder_open(AT_FDCWD, argv[1], &err);
    if (k->folder < 0 || chdir(argv[1]) != 0 || realpath(".", k->path) == NULL) {
        printf("failed cannot enter the job's folder '%s'\n", argv[1]);
        free(k);
        return 1;
    }
    status = keep(k);
    request_free(k->request);
    run_fini(&k->run);
    vec_fini(&k->pids);
    free(k);
    return status;
}
