/* SPDX-License-Identifier: Apache-2.0
 * One scontrol that lives on: commands go into its standard input, and after each a
 * question whose answer is known, so that the end of the answer can be told. */
#include "base/xalloc.h"
#include "rm/slurm/text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS 90000 /* more than Slurm's own time limits add up to */
#define PROMPT      "scontrol: "

struct pipe {
    pid_t pid; /* 0 = not running */
    int to, from;
    unsigned asked;
    struct strbuf in;
    char said[300]; /* the last error */
};

/* The library's functions have no context either. */
static struct pipe *the_pipe(void)
{
    static struct pipe p;

    return &p;
}

const char *slurm_strerror(int error)
{
    switch (error) {
    case SLURM_NO_CHANGE_IN_DATA:
        return "nothing has changed";
    case ESLURM_TEXT:
    case ESLURM_INVALID_JOB_ID:
    case ESLURM_ALREADY_DONE:
    case ESLURM_TRANSITION_STATE_NO_UPDATE:
    case ESLURM_IN_STANDBY_MODE:
    case SLURM_COMMUNICATIONS_CONNECTION_ERROR:
    case SLURM_COMMUNICATIONS_RECEIVE_ERROR:
        return the_pipe()->said;
    default:
        return strerror(error);
    }
}

static int say_error(const char *text, int error)
{
    struct pipe *p = the_pipe();
    const char *colon = strstr(text, "error: ");

    if (colon != NULL)
        text = colon + 7;
    snprintf(p->said, sizeof p->said, "%.*s", (int)strcspn(text, "\n"), text);
    return error;
}

int pipe_error(const char *text)
{
    static const struct {
        const char *words;
        int error;
    } known[] = {{"Invalid job id", ESLURM_INVALID_JOB_ID},
        {"already completing or completed", ESLURM_ALREADY_DONE},
        {"try again later", ESLURM_TRANSITION_STATE_NO_UPDATE},
        {"standby mode", ESLURM_IN_STANDBY_MODE},
        {"Unable to contact", SLURM_COMMUNICATIONS_CONNECTION_ERROR},
        {"connect failure", SLURM_COMMUNICATIONS_CONNECTION_ERROR},
        {"Connection refused", SLURM_COMMUNICATIONS_CONNECTION_ERROR},
        {"timed out", SLURM_COMMUNICATIONS_CONNECTION_ERROR},
        {"authentication", SLURM_COMMUNICATIONS_CONNECTION_ERROR},
        {"Zero Bytes", SLURM_COMMUNICATIONS_CONNECTION_ERROR},
        {"Munge", SLURM_COMMUNICATIONS_CONNECTION_ERROR},
        {"Communication", SLURM_COMMUNICATIONS_CONNECTION_ERROR}};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strstr(text, known[i].words) != NULL)
            return say_error(text, known[i].error);
    return say_error(text, ESLURM_TEXT);
}

/* ---- the process ---- */

static void become(const char *const *argv, int in, int out)
{
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    setenv("SLURM_TIME_FORMAT", "%s", 1); /* instants as numbers */
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
    int to[2], from[2];

    signal(SIGPIPE, SIG_IGN);
    if (pipe2(to, O_CLOEXEC) < 0)
        return -1;
    if (pipe2(from, O_CLOEXEC) < 0) {
        close(to[0]);
        close(to[1]);
        return -1;
    }
    p->pid = fork();
    if (p->pid == 0)
        become(argv, to[0], from[1]);
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

/* Without what it repeats of the commands. */
static char *without_echo(const char *text, size_t n, const char *command)
{
    struct strbuf out = {0};
    const char *stop = text + n;

    while (text < stop) {
        const char *eol = memchr(text, '\n', (size_t)(stop - text));
        size_t len = (size_t)((eol ? eol : stop) - text);
        const char *line = text;
        size_t rest = len;

        text += len + 1;
        if (rest >= sizeof PROMPT - 1 && memcmp(line, PROMPT, sizeof PROMPT - 1) == 0) {
            line += sizeof PROMPT - 1;
            rest -= sizeof PROMPT - 1;
        }
        if (rest == 0 || (rest == strlen(command) && memcmp(line, command, rest) == 0)
            || (rest > 20 && memcmp(line, "show hostnames maui-", 20) == 0))
            continue;
        strbuf_add_n(&out, line, rest);
        strbuf_add_n(&out, "\n", 1);
    }
    return strbuf_take(&out);
}

static char *lost(struct pipe *p)
{
    char *said = p->in.len ? xstrndup(p->in.text, p->in.len) : NULL;

    end(p);
    errno =
        said != NULL && strstr(said, "nable to contact")
            ? pipe_error(said)
            : say_error("scontrol does not answer", SLURM_COMMUNICATIONS_RECEIVE_ERROR);
    free(said);
    return NULL;
}

static char *ask(struct pipe *p, const char *command)
{
    char mark[40], question[60];
    struct strbuf line = {0};
    const char *at;
    char *answer;

    snprintf(mark, sizeof mark, "\nmaui-%u\n", ++p->asked);
    snprintf(question, sizeof question, "show hostnames maui-%u\n", p->asked);
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
    answer = without_echo(p->in.text, n, command);
    p->in.len -= gone;
    memmove(p->in.text, p->in.text + gone, p->in.len + 1);
    return answer;
}

/* A record begins with Key=: what an error is called in it is somebody's text. */
static bool is_error(const char *answer)
{
    size_t line = strcspn(answer, "\n"), word = strcspn(answer, "= \n");

    return answer[word] != '=' && memmem(answer, line, "rror", 4) != NULL;
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
    if (answer == NULL || !is_error(answer))
        return answer;
    errno = pipe_error(answer);
    free(answer);
    return NULL;
}

int pipe_order(const char *command)
{
    char *answer = pipe_ask(command);
    int error;

    if (answer == NULL)
        return -1;
    error = *answer != '\0' ? pipe_error(answer) : 0;
    free(answer);
    errno = error;
    return error ? -1 : 0;
}

int pipe_run(const char *const *argv)
{
    struct strbuf said = {0};
    int ends[2], status = -1;
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    pid = fork();
    if (pid == 0)
        become(argv, open("/dev/null", O_RDONLY | O_CLOEXEC), ends[1]);
    close(ends[1]);
    while (pid > 0 && more(&said, ends[0]))
        continue;
    close(ends[0]);
    if (pid > 0) {
        kill(pid, SIGKILL); /* it has closed its output, or hangs */
        waitpid(pid, &status, 0);
    }
    int error = said.len ? pipe_error(said.text) : 0;
    free(said.text);
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
    free(the_pipe()->in.text);
    the_pipe()->in = (struct strbuf){0};
}
