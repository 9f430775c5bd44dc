/* SPDX-License-Identifier: Apache-2.0
 * The processes of two lives. */
#include "server/whatif/lives.h"

#include "engine/query.h"
#include "server/process/lowly.h"
#include "server/server_private.h"
#include "server/whatif/whatif.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STANDS_S 1.0 /* of a processor, to find out who could never start */
#define OTHER_S  5   /* of a processor, besides its life */

#define LIVES 2

#define LOOK_MS 200 /* while this one waits for the other */

static int64_t read_ms(clockid_t clock)
{
    struct timespec t = {0};

    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int64_t read_used_ms(void)
{
    return read_ms(CLOCK_PROCESS_CPUTIME_ID);
}

/* ---- what is asked ---- */

void lives_begin(struct lives *l, struct server *s, const json_t *body)
{
    const json_t *horizon = json_object_get(body, "horizon_s");
    const json_t *cpu = json_object_get(body, "cpu_ms");
    const char *runtime = json_string_value(json_object_get(body, "runtime"));
    int64_t cpu_ms = json_is_integer(cpu) ? json_integer_value(cpu) : LIVES_CPU_MS;

    *l = (struct lives){.s = s, .now = world_now(s), .fd = -1};
    l->horizon_at = time_add(l->now,
        json_is_integer(horizon) ? json_integer_value(horizon) : LIVES_HORIZON_S);
    l->usual = runtime && strcmp(runtime, "usual") == 0;
    l->cpu_s = (double)cpu_ms / 1000 / LIVES;
    if (l->usual)
        life_foresee(s->engine, &l->lengths);
    l->progress = mmap(NULL, LIVES * sizeof *l->progress, PROT_READ | PROT_WRITE,
        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (l->progress == MAP_FAILED)
        whatif_give_up();
    for (size_t i = 0; i < LIVES; i++)
        l->progress[i].at = l->now;
}

/* ---- how far it got ---- */

static void note_progress(
    const struct lives *l, struct lives_progress *p, int64_t at, double used)
{
    double way = (double)(at - l->now) / (double)(l->horizon_at - l->now);
    double most = way > used ? way : used;

    p->at = at;
    p->percent = most < 1 ? (unsigned)(most * 100) : 100;
}

/* Of both: that of the one that is behind. */
static void tell_progress(const struct lives *l)
{
    const struct lives_progress *p = l->progress;
    const struct lives_progress *last =
        l->other && p[0].percent < p[1].percent ? &p[0] : &p[1];

    whatif_progress(l->s, last->at, last->percent);
}

/* ---- a life ---- */

struct going {
    const struct lives *l;
    struct lives_progress *progress; /* its own */
    int64_t from_ms, from_wall_ms; /* of the processor, and of the clock on the wall */
};

static bool goes_on(void *ctx, int64_t at)
{
    const struct going *g = ctx;
    int64_t most_ms = (int64_t)(g->l->cpu_s * 1000);
    int64_t used_ms = read_used_ms() - g->from_ms;
    double used = most_ms ? (double)used_ms / (double)most_ms : 1;
    int64_t passed_ms = read_ms(CLOCK_MONOTONIC) - g->from_wall_ms;
    double passed = (double)passed_ms / LIVES_WALL_MS;

    used = used > passed ? used : passed;
    note_progress(g->l, g->progress, at, used);
    if (g->progress == &g->l->progress[1])
        tell_progress(g->l);
    return used < 1;
}

struct stands_found {
    struct lived *lived;
    int64_t until_ms;
};

static bool has_time(void *ctx)
{
    const struct stands_found *f = ctx;

    return read_used_ms() < f->until_ms;
}

static void note_never(void *ctx, const struct job *j, int64_t start_at)
{
    struct stands_found *f = ctx;

    if (!start_at)
        f->lived->stands.v[j->index].stand = STAND_NEVER;
}

/* In this life: a change may have given it another limit. */
static int64_t count_asked(const struct job *j)
{
    return j && j->wclimit_s > 0 && j->wclimit_s < DURATION_UNLIMITED
               ? (int64_t)j->procs * j->wclimit_s
               : 0;
}

/* Of those who have not started. */
static void find_stands(struct server *s, struct lived *lived)
{
    const struct cluster *c = engine_cluster(s->engine);
    struct stands_found f = {
        .lived = lived, .until_ms = read_used_ms() + (int64_t)(STANDS_S * 1000)};
    struct query_forecast ask = {.most = SIZE_MAX,
        .now = lived->life.until,
        .goes_on = has_time,
        .each = note_never,
        .ctx = &f};

    for (size_t i = 0; i < c->jobs.n; i++) {
        const struct job *j = c->jobs.v[i];
        enum stand stand = STAND_NONE;
        if (j && j->state < JOB_COMPLETED)
            stand = job_has_begun((enum job_state)j->state)       ? STAND_RUNNING
                    : engine_reservation_of(s->engine, j) != NULL ? STAND_BEYOND
                    : query_waits_for_room(s->engine, j)          ? STAND_BEYOND
                                                                  : STAND_HELD;
        vec_push(&lived->stands, ((struct lived_stand){count_asked(j), stand}));
    }
    query_forecast(s->engine, &ask);
    for (size_t i = 0; i < lived->life.denied.n; i++)
        lived->stands.v[lived->life.denied.v[i]].stand = STAND_NEVER;
}

static void run_life(
    struct lives *l, struct lived *ret, struct lives_progress *progress)
{
    struct going going = {.l = l,
        .progress = progress,
        .from_ms = read_used_ms(),
        .from_wall_ms = read_ms(CLOCK_MONOTONIC)};
    struct life_options opt = {.until = l->horizon_at,
        .lengths = l->usual ? &l->lengths : NULL,
        .goes_on = goes_on,
        .ctx = &going};

    life_on(l->s->engine, l->now, &opt, &ret->life);
    note_progress(l, progress, ret->life.until, 1);
    clock_stand_at(l->s->clock, ret->life.until);
    find_stands(l->s, ret);
}

/* ---- from one process to the other ---- */

static void write_bytes(int fd, const void *bytes, size_t n)
{
    const char *p = bytes;

    while (n > 0) {
        ssize_t done = write(fd, p, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            _exit(1);
        p += done;
        n -= (size_t)done;
    }
}

/* What goes before the arrays. */
struct lived_head {
    size_t runs, stands;
    int64_t until;
    bool whole;
};

static void send_lived(int fd, const struct lived *lived)
{
    struct lived_head head = {.runs = lived->life.runs.n,
        .stands = lived->stands.n,
        .until = lived->life.until,
        .whole = lived->life.whole};

    write_bytes(fd, &head, sizeof head);
    if (head.runs)
        write_bytes(fd, lived->life.runs.v, head.runs * sizeof *lived->life.runs.v);
    if (head.stands)
        write_bytes(fd, lived->stands.v, head.stands * sizeof *lived->stands.v);
}

/* All that the other process says. */
static void read_all(const struct lives *l, struct strbuf *ret)
{
    struct pollfd other = {.fd = l->fd, .events = POLLIN};
    char block[65536];

    for (;;) {
        while (poll(&other, 1, LOOK_MS) == 0)
            tell_progress(l);
        ssize_t n = read(l->fd, block, sizeof block);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        strbuf_add_n(ret, block, (size_t)n);
    }
}

/* It came to an end that it should not: so does this one, by the same signal. */
static void fail_as(int status)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL
        && WTERMSIG(status) != SIGXCPU)
        (void)raise(WTERMSIG(status));
    whatif_give_up();
}

static void take_lived(struct lives *l, struct lived *ret)
{
    struct strbuf text = {0};
    struct lived_head head;
    int status = 0;

    read_all(l, &text);
    while (waitpid(l->other, &status, 0) < 0 && errno == EINTR)
        ;
    if (text.len < sizeof head || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_as(status);
    memcpy(&head, text.text, sizeof head);
    const char *p = text.text + sizeof head;
    ret->life.until = head.until;
    ret->life.whole = head.whole;
    vec_reserve(&ret->life.runs, head.runs + 1);
    memcpy(ret->life.runs.v, p, head.runs * sizeof *ret->life.runs.v);
    ret->life.runs.n = head.runs;
    vec_reserve(&ret->stands, head.stands + 1);
    memcpy(ret->stands.v, p + head.runs * sizeof *ret->life.runs.v,
        head.stands * sizeof *ret->stands.v);
    ret->stands.n = head.stands;
    free(strbuf_take(&text));
}

void lives_split(struct lives *l)
{
    pid_t parent = getpid();
    int ends[2];

    if (pipe(ends) < 0)
        whatif_give_up();
    l->other = fork();
    if (l->other < 0)
        whatif_give_up();
    if (l->other == 0) {
        lowly_become(parent, (unsigned)l->cpu_s + OTHER_S, WHATIF_MEMORY_MORE, ends[1]);
        run_life(l, &l->before, &l->progress[0]);
        send_lived(ends[1], &l->before);
        _exit(0);
    }
    close(ends[1]);
    l->fd = ends[0];
}

void lives_live(struct lives *l)
{
    if (!l->other) {
        run_life(l, &l->before, &l->progress[1]);
        return;
    }
    run_life(l, &l->after, &l->progress[1]);
    take_lived(l, &l->before);
    l->other = 0;
}

static void free_lived(struct lived *lived)
{
    life_fini(&lived->life);
    vec_fini(&lived->stands);
}

void lives_end(struct lives *l)
{
    if (l->other > 0) {
        (void)kill(l->other, SIGKILL);
        (void)waitpid(l->other, NULL, 0);
    }
    if (l->fd >= 0)
        close(l->fd);
    free_lived(&l->before);
    free_lived(&l->after);
    vec_fini(&l->lengths);
    (void)munmap(l->progress, LIVES * sizeof *l->progress);
}
