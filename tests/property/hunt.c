/* SPDX-License-Identifier: Apache-2.0
 * Looks for a seed that breaks a property, and makes its story short. */
#include "hunt.h"

#include "drive.h"
#include "seeds.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define CASE_SECONDS 30

/* What a child tells its parent, also when it dies. */
struct shared {
    uint64_t seed; /* being tried */
    bool failed;
    char text[700];
};

static void quiet(void)
{
    int fd = getenv("MAUI_PROPERTY_LOUD") ? -1 : open("/dev/null", O_WRONLY);

    if (fd >= 0)
        dup2(fd, STDERR_FILENO);
}

static bool died(pid_t child)
{
    int status = 0;

    if (child < 0 || waitpid(child, &status, 0) < 0)
        return true;
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

/* Does the world break the property? */
static bool fails(const struct hunt *h, const struct world *w, struct shared *s)
{
    s->failed = false;
    s->text[0] = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        quiet();
        alarm(CASE_SECONDS);
        s->failed = !h->check(w, s->text, sizeof s->text);
        _exit(0);
    }
    if (died(child)) {
        if (!s->text[0])
            snprintf(s->text, sizeof s->text, "the program ended (an assertion?)");
        return true;
    }
    return s->failed;
}

/* Leave out `n` events from `at` on. */
static void without(const struct world *w, uint32_t at, uint32_t n, struct world *ret)
{
    *ret = *w;
    memmove(ret->events + at, ret->events + at + n,
        (w->nevents - at - n) * sizeof *ret->events);
    ret->nevents = w->nevents - n;
}

/* Take out ever smaller pieces of the story as long as it still fails. */
static void shrink(const struct hunt *h, struct world *w, struct shared *s)
{
    struct world *smaller = xmalloc(sizeof *smaller);

    for (uint32_t piece = w->nevents / 2; piece > 0; piece /= 2)
        for (uint32_t at = 0; at + piece <= w->nevents;) {
            without(w, at, piece, smaller);
            if (fails(h, smaller, s))
                *w = *smaller;
            else
                at += piece;
        }
    free(smaller);
}

/* The decisions up to the failure, when the program lives to tell. */
static void tell_story(const struct hunt *h, const struct world *w)
{
    struct strbuf log = {0};
    char text[700];

    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(CASE_SECONDS);
        drive_world(w, text, sizeof text, &log);
        fprintf(
            stderr, "%s: decisions\n%s%s\n", h->name, log.text ? log.text : "", text);
        _exit(0);
    }
    died(child);
}

static void report(const struct hunt *h, struct world *w, struct shared *s)
{
    struct strbuf text = {0};

    h->make(w, s->seed);
    if (fails(h, w, s)) {
        shrink(h, w, s);
        fails(h, w, s);
    } else {
        snprintf(s->text, sizeof s->text, "only fails after other seeds");
    }
    world_print(w, &text);

    fprintf(stderr, "%s: seed %llu: %s\n%s", h->name, (unsigned long long)w->seed,
        s->text, text.text);
    tell_story(h, w);
    free(text.text);
}

static bool try_seed(
    const struct hunt *h, struct world *w, uint64_t seed, struct shared *s)
{
    s->seed = seed;
    alarm(CASE_SECONDS);
    h->make(w, seed);
    s->failed = !h->check(w, s->text, sizeof s->text);
    return !s->failed;
}

static void try_seeds(const struct hunt *h, struct world *w, uint64_t first,
    uint64_t count, struct shared *s)
{
    for (const uint64_t *seed = h->known; seed && *seed; seed++)
        if (!try_seed(h, w, *seed, s))
            return;
    for (uint64_t i = 0; i < count; i++)
        if (!try_seed(h, w, first + i, s))
            return;
}

bool hunt(const struct hunt *h)
{
    uint64_t first = seed_first();
    uint64_t count = seed_count(h->count);
    struct world *w = xmalloc(sizeof *w);
    struct shared *s = mmap(
        NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (s == MAP_FAILED)
        abort();
    memset(s, 0, sizeof *s);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        quiet();
        try_seeds(h, w, first, count, s);
        free(w);
        exit(0); /* not _exit: leaks are looked for */
    }
    bool good = !died(child) && !s->failed;
    if (!good)
        report(h, w, s);
    munmap(s, sizeof *s);
    free(w);
    return good;
}
