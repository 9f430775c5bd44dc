/* SPDX-License-Identifier: Apache-2.0
 * Running a command and waiting for it. */
#include "rm/adapter/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* 0 or an errno. */
static int start_program(const char *const *argv, int to, pid_t *ret)
{
    posix_spawn_file_actions_t files;
    int why;

    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, to, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, to, STDERR_FILENO);
    why = posix_spawnp(ret, argv[0], &files, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&files);
    return why;
}

static void read_all(int from, struct strbuf *io)
{
    char text[4096];
    ssize_t n;

    while ((n = read(from, text, sizeof text)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            strbuf_add_n(io, text, (size_t)n);
}

int ask_program(const char *const *argv, struct strbuf *io)
{
    int ends[2], why, status;
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) < 0) {
        strbuf_printf(io, "%s: %s", argv[0], strerror(errno));
        return 127;
    }
    why = start_program(argv, ends[1], &pid);
    close(ends[1]);
    if (why != 0)
        strbuf_printf(io, "%s: %s", argv[0], strerror(why));
    else
        read_all(ends[0], io);
    close(ends[0]);
    if (why != 0)
        return 127;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
