/* SPDX-License-Identifier: Apache-2.0
 * One scontrol that lives on: commands go into its standard input, and after each a
 * question whose answer is known, so that the end of the answer can be told. */
#include "base/xalloc.h"
#include "rm/slurm/text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS 90000 /* more than Slurm's own time limits add up to */

struct pipe {
    pid_t pid; /* 0 = not running */
    int to, from;
    unsigned asked;
    struct strbuf in;
};

/* The library's functions have no context either. */
static struct pipe *the_pipe(void)
{
    static struct pipe p;

    return &p;
}

/* ---- the process ---- */

const char *pipe_secret(void)
{
    static char text[20];
    uint64_t n = 0;

    if (*text == '\0') {
        while (getrandom(&n, sizeof n, 0) != sizeof n)
            continue;
        snprintf(text, sizeof text, "s%016" PRIx64, n);
    }
    return text;
}

/* Instants as numbers, behind the secret. */
static void become(const char *const *argv, const char *secret, int in, int out)
{
    char instants[40];
    sigset_t none;

    snprintf(instants, sizeof instants, "%s%%s", secret);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    setenv("SLURM_TIME_FORMAT", instants, 1);
    setenv("LC_ALL", "C", 1);
    setenv("COLUMNS", "1000000", 1); /* what it repeats of a command is not broken */
    execvp(argv[0], (char *const *)argv);
    dprintf(STDERR_FILENO, "Unable to contact Slurm: cannot run %s: %s\n", argv[0],
        strerror(errno));
    _exit(127);
}

static void end(struct pipe *p)
{
    if (p->pid > 0) {
        close(p->to);
        close(p->from);
        kill(p->pid, SIGKILL);
        waitpid(p->pid, NULL, 0);
    }
    p->pid = 0;
    p->in.len = 0;
}

static int begin(struct pipe *p)
{
    static const char *const argv[] = {"scontrol", NULL};
    const char *secret; /* of this process, before there is another */
    int to[2], from[2];

    signal(SIGPIPE, SIG_IGN);
    if (pipe2(to, O_CLOEXEC) < 0)
        return -1;
    if (pipe2(from, O_CLOEXEC) < 0) {
        close(to[0]);
        close(to[1]);
        return -1;
    }
    secret = pipe_secret();
    p->pid = fork();
    if (p->pid == 0)
        become(argv, secret, to[0], from[1]);
    close(to[0]);
    close(from[1]);
    p->to = to[1];
    p->from = from[0];
    if (p->pid > 0)
        return 0;
    p->pid = 0;
    close(p->to);
    close(p->from);
    return -1;
}

static int put(struct pipe *p, const char *text)
{
    size_t n = strlen(text), sent = 0;

    while (sent < n) {
        ssize_t k = write(p->to, text + sent, n - sent);

        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return -1;
        sent += (size_t)k;
    }
    return 0;
}

/* Some more of what it says. False: it hangs, or is gone. */
static bool more(struct strbuf *in, int fd)
{
    struct pollfd one = {.fd = fd, .events = POLLIN};
    char text[65536];
    ssize_t n;

    if (poll(&one, 1, PATIENCE_MS) <= 0)
        return false;
    n = read(fd, text, sizeof text);
    if (n > 0)
        strbuf_add_n(in, text, (size_t)n);
    return n > 0;
}

/* ---- asking ---- */

static char *lost(struct pipe *p)
{
    char *said = p->in.len ? xstrndup(p->in.text, p->in.len) : NULL;

    end(p);
    errno = answer_error(said != NULL && strstr(said, "nable to contact")
                             ? said
                             : "scontrol does not answer");
    free(said);
    return NULL;
}

static char *ask(struct pipe *p, const char *command)
{
    char mark[60], question[80];
    struct strbuf line = {0};
    const char *at;
    char *answer;

    /* no text of a user's ends the answer: none knows the secret */
    snprintf(mark, sizeof mark, "\nmaui-%s-%u\n", pipe_secret(), ++p->asked);
    snprintf(
        question, sizeof question, PIPE_QUESTION "%s-%u\n", pipe_secret(), p->asked);
    strbuf_printf(&line, "%s\n%s", command, question);
    int sent = put(p, line.text);
    free(line.text);
    if (sent < 0)
        return lost(p);
    size_t from = 0;
    while (p->in.len == 0 || (at = strstr(p->in.text + from, mark)) == NULL) {
        from = p->in.len > sizeof mark ? p->in.len - sizeof mark : 0;
        if (!more(&p->in, p->from))
            return lost(p);
    }
    size_t n = (size_t)(at + 1 - p->in.text), gone = n + strlen(mark) - 1;
    answer = answer_read(p->in.text, n, command);
    p->in.len -= gone;
    memmove(p->in.text, p->in.text + gone, p->in.len + 1);
    return answer;
}

char *pipe_ask(const char *command)
{
    static const char *const modes[] = {"oneliner", "details", "all"};
    struct pipe *p = the_pipe();
    char *answer;

    if (p->pid == 0) {
        if (begin(p) < 0)
            return NULL;
        for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
            answer = ask(p, modes[i]);
            if (answer == NULL)
                return NULL;
            free(answer);
        }
    }
    answer = ask(p, command);
    if (answer == NULL || !answer_is_error(answer))
        return answer;
    errno = answer_error(answer);
    free(answer);
    return NULL;
}

int pipe_order(const char *command)
{
    char *answer = pipe_ask(command);
    int error;

    if (answer == NULL)
        return -1;
    error = *answer != '\0' ? answer_error(answer) : 0;
    free(answer);
    errno = error;
    return error ? -1 : 0;
}

char *pipe_output(const char *const *argv)
{
    const char *secret = pipe_secret();
    struct strbuf said = {0};
    int ends[2];
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return NULL;
    pid = fork();
    if (pid == 0)
        become(argv, secret, open("/dev/null", O_RDONLY | O_CLOEXEC), ends[1]);
    close(ends[1]);
    while (pid > 0 && more(&said, ends[0]))
        continue;
    close(ends[0]);
    if (pid > 0) {
        kill(pid, SIGKILL); /* it has closed its output, or hangs */
        waitpid(pid, NULL, 0);
    }
    return said.text != NULL ? strbuf_take(&said) : xstrdup("");
}

int pipe_run(const char *const *argv)
{
    char *said = pipe_output(argv);
    int error = said == NULL ? errno : *said != '\0' ? answer_error(said) : 0;

    free(said);
    errno = error;
    return error ? -1 : 0;
}

void slurm_init(const char *conf)
{
    (void)conf;
}

void slurm_fini(void)
{
    end(the_pipe());
    memory_forget();
    free(the_pipe()->in.text);
    the_pipe()->in = (struct strbuf){0};
}
