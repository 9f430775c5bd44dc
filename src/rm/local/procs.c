/* SPDX-License-Identifier: Apache-2.0
 * The processes of a job. */
#include "rm/local/procs.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROCESSES_MAX 100000 /* of one job */

/* What of /proc/PID/stat is of interest. */
struct stat_line {
    int ppid, session;
    long long began, cpu; /* clock ticks */
};

/* The beginning of a file in /proc, or -1. */
static ssize_t read_some(const char *path, char *buf, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n;

    if (fd < 0)
        return -1;
    n = read(fd, buf, size - 1);
    close(fd);
    buf[n > 0 ? n : 0] = '\0';
    return n;
}

static int read_stat(pid_t pid, struct stat_line *ret)
{
    char path[64], buf[1024];
    long long user, sys, child_user, child_sys;
    const char *end;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (read_some(path, buf, sizeof buf) <= 0)
        return -1;
    end = strrchr(buf, ')'); /* the program's name may hold anything */
    if (end == NULL)
        return -1;
    /* NOLINTNEXTLINE(cert-err34-c): the kernel wrote it */
    if (sscanf(end + 1,
            " %*c %d %*d %d %*d %*d %*u %*u %*u %*u %*u %lld %lld %lld %lld %*d %*d "
            "%*d "
            "%*d %lld",
            &ret->ppid, &ret->session, &user, &sys, &child_user, &child_sys,
            &ret->began)
        != 7)
        return -1;
    ret->cpu = user + sys + child_user + child_sys;
    return 0;
}

int64_t procs_began(pid_t pid)
{
    struct stat_line line;

    return read_stat(pid, &line) == 0 ? line.began : -1;
}

/* Call `each` with every process there is. */
static void each_process(void (*each)(pid_t pid, void *ctx), void *ctx)
{
    DIR *dir = opendir("/proc");
    struct dirent *entry;

    if (dir == NULL)
        return;
    while ((entry = readdir(dir)) != NULL)
        if (isdigit((unsigned char)entry->d_name[0]))
            each((pid_t)strtol(entry->d_name, NULL, 10), ctx);
    closedir(dir);
}

/* The children a thread made; -1 when this kernel does not tell. */
static int children_of(pid_t pid, const char *tid, struct pids *list)
{
    char path[96];
    FILE *in;
    int child;

    snprintf(path, sizeof path, "/proc/%d/task/%s/children", (int)pid, tid);
    in = fopen(path, "re");
    if (in == NULL)
        return -1;
    /* NOLINTNEXTLINE(cert-err34-c): the kernel wrote it */
    while (list->n < PROCESSES_MAX && fscanf(in, "%d", &child) == 1)
        vec_push(list, child);
    fclose(in);
    return 0;
}

static int children_of_all_threads(pid_t pid, struct pids *list)
{
    char path[64];
    struct dirent *entry;
    DIR *dir;
    int told = -1;

    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    dir = opendir(path);
    if (dir == NULL)
        return 0; /* gone: its children are somebody else's by now */
    while ((entry = readdir(dir)) != NULL)
        if (isdigit((unsigned char)entry->d_name[0])
            && children_of(pid, entry->d_name, list) == 0)
            told = 0;
    closedir(dir);
    return told;
}

struct family {
    struct VEC(pid_t) parents; /* of the process at the same place in `all` */
    struct pids all;
};

static void add_to_family(pid_t pid, void *ctx)
{
    struct family *f = ctx;
    struct stat_line line;

    if (read_stat(pid, &line) != 0)
        return;
    vec_push(&f->all, pid);
    vec_push(&f->parents, line.ppid);
}

/* The same from the parents of all processes, for kernels that do not list children. */
static void below_by_parents(struct pids *list, pid_t except)
{
    struct family f = {0};
    pid_t parent = getpid();

    each_process(add_to_family, &f);
    for (size_t done = 0;; parent = list->v[done++]) {
        for (size_t i = 0; i < f.all.n && list->n < PROCESSES_MAX; i++)
            if (f.parents.v[i] == parent && f.all.v[i] != except)
                vec_push(list, f.all.v[i]);
        if (done == list->n)
            break;
    }
    vec_fini(&f.all);
    vec_fini(&f.parents);
}

void procs_below(struct pids *list, pid_t except)
{
    list->n = 0;
    if (children_of_all_threads(getpid(), list) != 0) {
        below_by_parents(list, except);
        return;
    }
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i] == except) {
            vec_remove(list, i);
            break;
        }
    for (size_t i = 0; i < list->n; i++)
        children_of_all_threads(list->v[i], list);
}

/* Does the environment the process began with hold the cookie? */
static bool has_cookie(pid_t pid, const char *cookie)
{
    char path[64], want[64], buf[65536];
    size_t have = 0, len;
    ssize_t n;
    bool found = false;
    int fd;

    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    len = (size_t)snprintf(want, sizeof want, "MAUI_JOBCOOKIE=%s", cookie);
    while (!found && (n = read(fd, buf + have, sizeof buf - have)) > 0) {
        have += (size_t)n;
        found = memmem(buf, have, want, len) != NULL;
        if (have > len) { /* keep what may be the beginning of it */
            memmove(buf, buf + have - len, len);
            have = len;
        }
    }
    close(fd);
    return found;
}

struct search {
    const struct run *run;
    uid_t uid;
    struct pids *list;
    bool leader_lives;
};

static bool belongs_to(pid_t pid, uid_t uid)
{
    char path[64];
    struct stat st;

    snprintf(path, sizeof path, "/proc/%d", (int)pid);
    return stat(path, &st) == 0 && st.st_uid == uid;
}

/* Is it in the session of the run? A number is not given to a new process while a
 * session has it. But with the leader dead that session may be over too, and the number
 * another's by now: then at least the user must be the same, and not root. */
static bool in_session(pid_t pid, const struct stat_line *line, const struct search *s)
{
    if (s->run->leader <= 0 || line->session != s->run->leader)
        return false;
    return s->leader_lives || (s->uid != 0 && belongs_to(pid, s->uid));
}

static void add_left_over(pid_t pid, void *ctx)
{
    struct search *s = ctx;
    struct stat_line line;

    if (pid == getpid() || read_stat(pid, &line) != 0
        || line.began < s->run->leader_ticks)
        return;
    if (in_session(pid, &line, s) || has_cookie(pid, s->run->cookie))
        vec_push(s->list, pid);
}

void procs_left_over(const struct run *run, uid_t uid, struct pids *list)
{
    struct search s = {.run = run, .uid = uid, .list = list};

    list->n = 0;
    if (run->cookie[0] == '\0')
        return;
    s.leader_lives = run->leader > 0 && procs_began(run->leader) == run->leader_ticks;
    each_process(add_left_over, &s);
}

void procs_signal(const struct pids *list, int signal)
{
    for (size_t i = 0; i < list->n; i++)
        kill(list->v[i], signal);
}

int64_t procs_memory_mb(const struct pids *list)
{
    int64_t pages = 0;

    for (size_t i = 0; i < list->n; i++) {
        char path[64], buf[128];
        long long resident, shared;

        snprintf(path, sizeof path, "/proc/%d/statm", (int)list->v[i]);
        if (read_some(path, buf, sizeof buf) <= 0)
            continue;
        /* NOLINTNEXTLINE(cert-err34-c): the kernel wrote it */
        if (sscanf(buf, "%*d %lld %lld", &resident, &shared) == 2)
            pages += resident - shared;
    }
    return pages * sysconf(_SC_PAGESIZE) / (1024 * 1024);
}

int64_t procs_swapped_mb(const struct pids *list)
{
    int64_t kb = 0;

    for (size_t i = 0; i < list->n; i++) {
        char path[64], buf[4096];
        long long one;

        snprintf(path, sizeof path, "/proc/%d/status", (int)list->v[i]);
        if (read_some(path, buf, sizeof buf) <= 0)
            continue;
        const char *line = strstr(buf, "\nVmSwap:");
        /* NOLINTNEXTLINE(cert-err34-c): the kernel wrote it */
        if (line != NULL && sscanf(line, "\nVmSwap: %lld kB", &one) == 1)
            kb += one;
    }
    return kb / 1024;
}

double procs_cpu_s(const struct pids *list)
{
    long long ticks = 0;
    struct stat_line line;

    for (size_t i = 0; i < list->n; i++)
        if (read_stat(list->v[i], &line) == 0)
            ticks += line.cpu;
    return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}
