/* SPDX-License-Identifier: Apache-2.0
 * The child between fork and exec. Everything in the user's reach (directory, output
 * files, script) is touched only as that user: on a file system that trusts no root it
 * works, and where the user may not, the job may not. */
#include "rm/local/launch.h"

#include "base/strbuf.h"
#include "rm/local/environment.h"
#include "rm/local/folder.h"
#include "rm/local/usual.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUSY_TRIES   100
#define BUSY_WAIT_US 5000
#define FIRST_FD     3 /* of the child's ends of the pipes */

/* Pipes between keeper and child. */
enum { GO, OUTCOME, STAY, PIPES };

char *launch_output_path(const struct request *r, bool error)
{
    const struct rm_job *job = &r->job;
    const char *asked = error ? job->error : job->output;
    const char *name = job->name != NULL && *job->name != '\0' ? job->name : "STDIN";
    struct strbuf path = {0};
    struct stat st;
    size_t base;

    if (asked != NULL) { /* host:path of batch systems that copy files back */
        const char *colon = strchr(asked, ':');

        if (colon != NULL && (size_t)(colon - asked) < strcspn(asked, "/"))
            asked = colon + 1;
    }
    if ((asked == NULL || *asked != '/') && job->directory != NULL)
        strbuf_printf(&path, "%s/", job->directory);
    strbuf_add(&path, asked != NULL ? asked : "");
    base = path.len;
    if (asked == NULL || *asked == '\0' || asked[strlen(asked) - 1] == '/') {
        strbuf_printf(&path, "%s.%c%s", name, error ? 'e' : 'o', job->desc.id);
    } else if (stat(path.text, &st) == 0 && S_ISDIR(st.st_mode)) {
        strbuf_printf(&path, "/%s.%c%s", name, error ? 'e' : 'o', job->desc.id);
        base++;
    } else {
        return strbuf_take(&path);
    }
    for (char *at = path.text + base; *at != '\0'; at++)
        if (*at == '/')
            *at = '_'; /* a job may be called a/b */
    return strbuf_take(&path);
}

/* Say what is begun: should it hang, the keeper can tell. */
static void announce_step(const struct launch *l, const char *what, const char *on)
{
    snprintf(
        l->doing, LAUNCH_DOING, "%s%s%s%s", what, *on ? " '" : "", on, *on ? "'" : "");
}

/* A failed system call: the caller's next try may go better only when something was
 * short, or somebody else has to come first. */
static int failure(struct err *err, const char *what, const char *on)
{
    int code = errno;
    bool short_of = code == ENOSPC || code == EDQUOT || code == EAGAIN || code == ENOMEM
                    || code == EMFILE || code == ENFILE || code == EIO || code == ESTALE
                    || code == ETXTBSY || code == ENXIO;

    return err_set(err, short_of ? ERR_IO : ERR_INVALID, "cannot %s%s%s%s: %s", what,
        *on ? " '" : "", on, *on ? "'" : "",
        code == ENXIO ? "it has no reader" : strerror(code));
}

static int become_user(
    const struct request *r, const struct passwd *user, struct err *err)
{
    if (geteuid() != 0) {
        if (r->uid == geteuid())
            return 0;
        return err_set(err, ERR_DENIED,
            "the job is of uid %u, but the daemon runs as uid %u and cannot become "
            "another user",
            r->uid, (unsigned)geteuid());
    }
    if (r->uid == 0 && r->gid == 0)
        return 0;
    if ((user != NULL ? initgroups(user->pw_name, r->gid) : setgroups(1, &r->gid)) != 0
        || setresgid(r->gid, r->gid, r->gid) != 0
        || setresuid(r->uid, r->uid, r->uid) != 0)
        return failure(err, "become the user", user != NULL ? user->pw_name : "");
    if (r->uid != 0 && (setuid(0) == 0 || geteuid() != r->uid || getegid() != r->gid))
        return err_set(err, ERR_DENIED, "the user's identity could not be taken");
    return 0;
}

/* Never waits for a reader of a fifo, or for who holds a lease on the file. */
static int open_as(
    const struct launch *l, const char *path, int flags, int as, struct err *err)
{
    int fd;

    announce_step(l, "open", path);
    fd = open(path, flags | O_NOCTTY | O_CLOEXEC | O_NONBLOCK, 0666);
    if (fd < 0)
        return failure(err, "open", path);
    if (fcntl(fd, F_SETFL, flags & O_APPEND) != 0 || dup2(fd, as) < 0)
        return failure(err, "use", path);
    if (fd != as)
        close(fd);
    return 0;
}

static int open_files(const struct launch *l, struct err *err)
{
    const struct request *r = l->request;
    int flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, failed;
    char *output, *error;

    announce_step(
        l, "look at", r->job.output != NULL ? r->job.output : "its directory");
    output = launch_output_path(r, false);
    announce_step(l, "look at", r->job.error != NULL ? r->job.error : "its directory");
    error = launch_output_path(r, true);
    failed =
        open_as(l, "/dev/null", O_RDONLY, 0, err) || open_as(l, output, flags, 1, err);
    if (!failed && (r->join || strcmp(output, error) == 0))
        failed = dup2(1, 2) < 0 ? failure(err, "join", error) : 0;
    else if (!failed)
        failed = open_as(l, error, flags, 2, err);
    free(output);
    free(error);
    return failed ? -1 : 0;
}

static void reset_signals(void)
{
    sigset_t none;

    for (int s = 1; s < NSIG; s++)
        signal(s, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* A list of arguments: the first few, as far as they are given, then the rest. */
static char **arguments(
    const char *a, const char *b, const char *c, const char *const *rest)
{
    const char *const first[] = {a, b, c};
    struct VEC(char *) v = {0};

    for (size_t i = 0; i < 3; i++)
        if (first[i] != NULL)
            vec_push(&v, (char *)first[i]);
    for (; rest != NULL && *rest != NULL; rest++)
        vec_push(&v, (char *)*rest);
    vec_push(&v, NULL);
    return v.v;
}

/* The words behind #! in the script's first line, split as the kernel does: interpreter
 * and at most one argument. False when there are none. */
static bool read_interpreter(
    const char *script, char line[LINE_MAX], char **ret_program, char **ret_argument)
{
    int fd = open(script, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, line, LINE_MAX - 1) : -1;
    char *rest = line + 2;

    if (fd >= 0)
        close(fd);
    if (n < 2 || line[0] != '#' || line[1] != '!')
        return false;
    line[n] = '\0';
    line[strcspn(line, "\n")] = '\0';
    rest += strspn(rest, " \t");
    *ret_program = strsep(&rest, " \t");
    *ret_argument = rest != NULL ? rest + strspn(rest, " \t") : NULL;
    if (*ret_argument != NULL && **ret_argument == '\0')
        *ret_argument = NULL;
    return **ret_program != '\0';
}

static int execute(const struct launch *l, struct err *err)
{
    const struct request *r = l->request;
    const char *shell = getenv("SHELL");
    char line[LINE_MAX], *program, *argument;
    struct strbuf script = {0};

    if (!r->script) {
        execvp(r->argv[0], arguments(NULL, NULL, NULL, r->argv));
        return failure(err, "run", r->argv[0]);
    }
    strbuf_printf(&script, "%s/script", l->folder);
    if (shell == NULL || *shell != '/')
        shell = "/bin/sh";
    if (!read_interpreter(script.text, line, &program, &argument)) {
        execv(shell, arguments(shell, script.text, NULL, r->argv));
        return failure(err, "run the shell", shell);
    }
    /* busy: another keeper forked while the script was being written */
    for (int tries = 0; tries < BUSY_TRIES; tries++) {
        execv(script.text, arguments(script.text, NULL, NULL, r->argv));
        if (errno != ETXTBSY)
            break;
        usleep(BUSY_WAIT_US);
    }
    if (errno == EACCES) /* a spool on a file system that runs no programs */
        execv(program, arguments(program, argument, script.text, r->argv));
    return failure(err, "run the script by its #! line", "");
}

static int enter_session(const struct launch *l, pid_t keeper, const int *fds,
    char ***ret_environment, struct err *err)
{
    struct session_entry e = {.driver = l->sessions,
        .service = l->run->pam,
        .keeper = keeper,
        .stay = fds[STAY],
        .low = FIRST_FD + PIPES};
    const struct passwd *user;
    int failed;

    announce_step(l, "look up its user", "");
    user = getpwuid(l->request->uid);
    if (user == NULL)
        return err_set(err, ERR_IO,
            "PAM service '%s' opens no session for uid %u, which this machine does not "
            "know",
            e.service, l->request->uid);
    e.user = xstrdup(user->pw_name);
    announce_step(l, "open a session of the PAM service", e.service);
    failed = session_enter(&e, ret_environment, err);
    free((char *)e.user);
    return failed;
}

/* All that is the job's, but for its program. */
static int become_job(
    const struct launch *l, pid_t keeper, const int *fds, struct err *err)
{
    const struct request *r = l->request;
    const struct passwd *user;
    const char *directory;
    char *submitted, **environment, **session = NULL;
    size_t len = 0;

    reset_signals();
    usual_take();
    if (l->sessions != NULL && enter_session(l, keeper, fds, &session, err) != 0)
        return -1;
    announce_step(l, "look up its user", "");
    user = getpwuid(r->uid);
    directory =
        r->job.directory != NULL ? r->job.directory : (user ? user->pw_dir : "/");
    submitted = folder_read(AT_FDCWD, "environment", &len, err);
    if (submitted == NULL)
        return -1;
    environment = environment_make(l, submitted, len, session, user);
    if (become_user(r, user, err) != 0)
        return -1;
    environ = environment; /* only now: libraries obey it */
    umask(r->umask);
    announce_step(l, "enter the directory", directory);
    if (chdir(directory) != 0)
        return failure(err, "enter the directory", directory);
    if (open_files(l, err) != 0)
        return -1;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return failure(err, "give up new privileges", "");
    /* again: a change of identity takes it off */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != keeper)
        _exit(127);
    return 0;
}

static void await_go(int go)
{
    char byte;

    if (read(go, &byte, 1) != 1)
        _exit(127); /* abandoned */
}

/* The keeper's own files are nothing to a child that may hang for long. */
static void keep_only(int fds[PIPES])
{
    for (int i = 0; i < PIPES; i++)
        fds[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 10);
    for (int i = 0; i < PIPES; i++) {
        if (dup3(fds[i], FIRST_FD + i, O_CLOEXEC) < 0)
            _exit(127);
        fds[i] = FIRST_FD + i;
    }
    close_range(FIRST_FD + PIPES, ~0U, 0);
}

static void child(const struct launch *l, pid_t keeper, int fds[PIPES])
{
    struct err err = {0};
    pid_t self;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != keeper)
        _exit(127);
    setsid();
    keep_only(fds);
    await_go(fds[GO]);
    if (become_job(l, keeper, fds, &err) == 0) {
        self = getpid();
        if (write(fds[OUTCOME], &self, sizeof self) != (ssize_t)sizeof self)
            _exit(127);
        await_go(fds[GO]);
        announce_step(l, "run its program", "");
        execute(l, &err);
    }
    if (write(fds[OUTCOME], &err, sizeof err) < 0)
        _exit(126);
    _exit(127);
}

static void close_ends(int pipes[PIPES][2], int n, bool of_child)
{
    for (int i = 0; i < n; i++)
        close(pipes[i][of_child == (i == OUTCOME)]);
}

int launch_fork(const struct launch *l, struct launched *ret, struct err *err)
{
    int pipes[PIPES][2], n;
    pid_t keeper = getpid();

    for (n = 0; n < PIPES; n++)
        if (pipe2(pipes[n], O_CLOEXEC) != 0) {
            failure(err, "make a pipe", "");
            close_ends(pipes, n, true);
            close_ends(pipes, n, false);
            return -1;
        }
    ret->pid = fork();
    if (ret->pid == 0) {
        close_ends(pipes, PIPES, false);
        child(l, keeper, (int[]){pipes[GO][0], pipes[OUTCOME][1], pipes[STAY][0]});
    }
    close_ends(pipes, PIPES, true);
    ret->go = pipes[GO][1];
    ret->outcome = pipes[OUTCOME][0];
    ret->stay = pipes[STAY][1];
    ret->doing = l->doing;
    if (ret->pid > 0)
        return 0;
    failure(err, "make a process", "");
    close_ends(pipes, PIPES, false);
    return -1;
}

void launch_go(const struct launched *p)
{
    while (write(p->go, "", 1) < 0 && errno == EINTR)
        continue;
}

enum launch_step launch_read(struct launched *p, bool released, struct err *err)
{
    union {
        struct err err;
        pid_t leader;
    } told;
    ssize_t n;

    do
        n = read(p->outcome, &told, sizeof told);
    while (n < 0 && errno == EINTR);
    if (n == (ssize_t)sizeof told.leader) {
        p->leader = told.leader;
        return LAUNCH_READY;
    }
    if (n == 0 && released)
        return LAUNCH_RUNS;
    if (n != (ssize_t)sizeof told.err) {
        err_set(err, ERR_IO, "the job's first process died before it began");
        return LAUNCH_FAILED;
    }
    told.err.text[sizeof told.err.text - 1] = '\0';
    err_set(err, told.err.code, "%s", told.err.text);
    return LAUNCH_FAILED;
}

void launch_close(struct launched *p)
{
    close(p->go);
    close(p->outcome);
}
