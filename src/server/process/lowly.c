/* SPDX-License-Identifier: Apache-2.0
 * A child that may not be in the way. */
#include "server/process/lowly.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define NICE 10

/* Above that it is the shadow memory of a sanitizer, which is no measure. */
#define SIZE_ODD (1ull << 40)

static void close_others(int fd)
{
    if (fd > 0)
        (void)close_range(0, (unsigned)fd - 1, 0);
    (void)close_range((unsigned)fd + 1, ~0u, 0);
}

static void reset_signals(void)
{
    sigset_t empty;

    for (int i = 1; i < NSIG; i++)
        (void)signal(i, SIG_DFL);
    sigemptyset(&empty);
    sigprocmask(SIG_SETMASK, &empty, NULL);
}

static void offer_to_killer(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

    if (fd >= 0)
        (void)!write(fd, "1000", 4);
    if (fd >= 0)
        close(fd);
}

/* Bytes of address space; 0 = not known. */
static unsigned long long read_size(void)
{
    char text[128] = "";
    unsigned long long pages = 0;
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return 0;
    if (read(fd, text, sizeof text - 1) <= 0 || sscanf(text, "%llu", &pages) != 1)
        pages = 0;
    close(fd);
    return pages * (unsigned long long)sysconf(_SC_PAGESIZE);
}

static void limit_memory(unsigned long long more)
{
    unsigned long long size = read_size();
    struct rlimit most = {(rlim_t)(size + more), (rlim_t)(size + more)};

    if (size > 0 && size < SIZE_ODD)
        (void)setrlimit(RLIMIT_AS, &most);
}

void lowly_become(pid_t parent, unsigned cpu_s, size_t more_memory, int fd)
{
    struct rlimit cpu = {cpu_s, cpu_s + 1}, none = {0, 0};

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(0); /* it has gone meanwhile, and nobody would tell */
    reset_signals();
    (void)setpriority(PRIO_PROCESS, 0, NICE);
    (void)setrlimit(RLIMIT_CPU, &cpu);
    (void)setrlimit(RLIMIT_CORE, &none);
    limit_memory(more_memory);
    offer_to_killer();
    close_others(fd);
}

struct call {
    void (*work)(void *ctx);
    void *ctx;
};

static void *make_call(void *ctx)
{
    const struct call *c = ctx;

    c->work(c->ctx);
    return NULL;
}

/* The C library gives each thread a heap. */
void lowly_call(void (*work)(void *ctx), void *ctx)
{
    struct call c = {work, ctx};
    pthread_t thread;

    if (pthread_create(&thread, NULL, make_call, &c) == 0)
        (void)pthread_join(thread, NULL);
    else
        work(ctx);
}
