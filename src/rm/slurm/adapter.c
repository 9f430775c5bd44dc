/* SPDX-License-Identifier: Apache-2.0
 * The adapter's loop: what the daemon says, looks at Slurm by
 * the clock, sooner when the gate's scripts say that something happened or an order is
 * pending. Calls into libslurm may block or end the process; the daemon does not care.
 */
#include "rm/slurm/adapter.h"

#include "base/strbuf.h"
#include "base/xalloc.h"
#include "rm/slurm/batch.h"
#include "rm/slurm/looks.h"
#include "rm/slurm/marking.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#define POLL_MS 1000
#define SOON_MS 5 /* after a sign that something happened */
#define ORDERS_MS                                                                      \
    3000           /* from look to look while starts follow each other: each costs     \
                      as much as two of them, and ends are told without */
#define MANY    20 /* of them: then sooner */
#define MANY_MS 200
#define LEAVING_MS                                                                     \
    500 /* while somebody was sent back to the queue and is on nodes yet: of his       \
           leaving nobody tells, and another may wait for it */
#define REST          4   /* times as long as a look took there is none */
#define CALM_MS       100 /* since the last end: what follows that comes first */
#define CALM_MOST_MS  500 /* a look is put off by that */
#define FULFILLED_MS  150 /* after an end who depended on it may start */
#define AGAIN_MS      300 /* or, as the epilogue takes longer, later */
#define START_WAIT_MS 5000
#define SEEN_MS       3000      /* a look later than that is late */
#define EVENTS_MAX    (1 << 20) /* bytes of the file that scripts append to */
#define ENDS_MAX      20        /* ends at once; for more, one look at all is cheaper */
#define BEAT_S        2
#define MUNGE_MS      500 /* for so long munged is there when it was */

int64_t adapter_now_ms(void)
{
    return clock_ms();
}

/* ---- telling ---- */

void adapter_report(struct adapter *a, const struct rm_report *r)
{
    link_sink(a->link)->report(link_sink(a->link)->ctx, r);
}

void adapter_done(struct adapter *a, uint64_t token, enum rm_outcome outcome,
    const char *job, const char *text)
{
    link_done(a->link, token, outcome, job, text);
}

void adapter_health(struct adapter *a, const char *function, const char *text)
{
    link_health(a->link, function, text);
}

/* Does somebody have the socket? By the system's list: munged complains in its log
 * about each who connects and asks nothing. True where that list cannot be read. */
static bool is_there(const char *path)
{
    FILE *f = fopen("/proc/net/unix", "re");
    bool there = f == NULL;
    char line[400];

    while (!there && fgets(line, sizeof line, f) != NULL) {
        const char *at = strchr(line, '/');
        size_t n = at != NULL ? strcspn(at, "\n") : 0;
        there = at != NULL && n == strlen(path) && strncmp(at, path, n) == 0;
    }
    if (f != NULL)
        fclose(f);
    return there;
}

/* Of a connection: Slurm hands on what the system says of one that breaks amid a call,
 * as that of a slurmctld which is killed with a request that it has not read. */
static bool is_broken(int error)
{
    return error == ETIMEDOUT || error == ECONNREFUSED || error == ECONNRESET
           || error == ECONNABORTED || error == EPIPE || error == ENOTCONN
           || error == EHOSTUNREACH || error == ENETUNREACH || error == ENETDOWN;
}

static bool out_of_reach(int error)
{
    return is_broken(error)
           || (error >= SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR
               && error <= SLURMCTLD_COMMUNICATIONS_SHUTDOWN_ERROR)
           || (error >= SLURM_PROTOCOL_SOCKET_IMPL_ZERO_RECV_LENGTH
               && error < ESLURM_AUTH_CRED_INVALID + 50)
           || error == SLURM_PROTOCOL_AUTHENTICATION_ERROR
           || error == SLURM_UNEXPECTED_MSG_ERROR /* it was killed amid its answer */
           || error == SLURM_COMMUNICATIONS_RECEIVE_ERROR
           || error == SLURM_COMMUNICATIONS_CONNECTION_ERROR
           || error == SLURM_COMMUNICATIONS_SEND_ERROR
           || error == ESLURM_IN_STANDBY_MODE;
}

/* All is told anew when it is back; what a start overwrote stays remembered. */
static void forget(struct adapter *a, const char *why)
{
    for (struct told_job *t = a->jobs; t != NULL; t = t->hh.next) {
        t->digest = 0;
        t->end_told = false;
    }
    a->jobs_at = 0;
    adapter_forget_nodes(a);
    reservations_forget(a);
    limits_forget(a);
    adapter_forget_rights(a);
    a->told_all = false;
    while (a->pending.n > 0) {
        struct pending p = a->pending.v[--a->pending.n];

        adapter_done(a, p.token, RM_LOST, p.id, why);
        free(p.id);
    }
}

/* Whoever orders or submits gets an answer: that a job is refused is no ailment. */
static bool is_look(const char *function)
{
    return strcmp(function, "order") != 0 && strcmp(function, "submit") != 0;
}

bool adapter_lost(struct adapter *a, const char *function)
{
    int error = errno;
    char text[300];

    if (error == SLURM_PROTOCOL_AUTHENTICATION_ERROR && a->munge != NULL
        && !is_there(a->munge))
        function = "munge"; /* it went away amid the call */

    if (!out_of_reach(error)) {
        a->ailing |= is_look(function);
        if (is_look(function))
            adapter_health(a, function, slurm_strerror(error));
        return false;
    }
    if (a->connected) {
        snprintf(text, sizeof text, "Slurm's controller does not answer (%s): %s",
            function, slurm_strerror(error));
        a->connected = false;
        adapter_health(a, "connection", text);
        forget(a, "Slurm's controller went out of reach");
    }
    return true;
}

void adapter_forgotten(struct adapter *a)
{
    forget(a, "Slurm's controller was restarted and has forgotten it");
    adapter_look(a);
}

/* ---- munge ---- */

void adapter_find_munge(struct adapter *a, const char *authinfo)
{
    const char *at = authinfo != NULL ? strstr(authinfo, "socket=") : NULL;

    free(a->munge);
    a->munge = at != NULL ? xstrndup(at + 7, strcspn(at + 7, ","))
                          : xstrdup("/run/munge/munge.socket.2");
    if (is_there(a->munge))
        return;
    free(a->munge); /* it is elsewhere, or another way of authentication is used */
    a->munge = NULL;
}

bool adapter_munge_gone(struct adapter *a)
{
    int64_t now = adapter_now_ms();

    if (a->munge == NULL || now < a->munge_seen_ms + MUNGE_MS)
        return false;
    if (is_there(a->munge)) {
        a->munge_seen_ms = now;
        return false;
    }
    errno = SLURM_PROTOCOL_AUTHENTICATION_ERROR;
    adapter_lost(a, "munge");
    errno = SLURM_PROTOCOL_AUTHENTICATION_ERROR;
    return true;
}

/* ---- looking ---- */

static void write_beat(struct adapter *a);

static void poll_all(struct adapter *a)
{
    struct rm_report synced = {.kind = RM_SYNCED};

    a->look = false;
    if (adapter_munge_gone(a))
        return;
    if (!a->checked && check_settings(a) < 0)
        return;
    if (nodes_poll(a) < 0 || reservations_poll(a) < 0 || limits_poll(a) < 0
        || rights_poll(a) < 0 || looks_poll(a) < 0)
        return;
    if (!a->connected || a->ailing)
        adapter_health(a, "connection", NULL);
    a->connected = true;
    a->ailing = false;
    a->seen_ms = adapter_now_ms();
    if (!a->told_all) {
        adapter_report(a, &synced);
        a->told_all = true;
        write_beat(a);
    }
    jobs_expire(a);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *ctx);

static void arm(struct adapter *a, int64_t ms)
{
    a->timer = sd_event_source_disable_unref(a->timer);
    sd_event_add_time_relative(a->loop, &a->timer, CLOCK_MONOTONIC,
        (uint64_t)(ms > 0 ? ms : 0) * 1000, 500, on_timer, a);
}

int64_t adapter_pause_ms(const struct adapter *a)
{
    if (a->leaving)
        return a->poll_ms < LEAVING_MS ? a->poll_ms : LEAVING_MS;
    if (a->pending.n > MANY)
        return a->poll_ms < MANY_MS ? a->poll_ms : MANY_MS;
    return a->pending.n > 0 || a->polled_ms - a->ordered_ms < ORDERS_MS ? ORDERS_MS
                                                                        : a->poll_ms;
}

/* Ends come together, as starts did, and the order for each place comes within some
 * milliseconds: a look that nothing asks for is between them, not among them. */
static int64_t calm_ms(const struct adapter *a, int64_t due_ms)
{
    int64_t at_ms = a->ended_ms + CALM_MS;

    if (at_ms <= due_ms)
        return due_ms;
    return at_ms < due_ms + CALM_MOST_MS ? at_ms : due_ms + CALM_MOST_MS;
}

/* Of a dependency that Slurm alone can judge, as on an array: somebody has ended. */
static int64_t next_fulfilled_ms(const struct adapter *a)
{
    int64_t at_ms = a->ended_ms + FULFILLED_MS, least_ms = a->polled_ms + AGAIN_MS;

    if (!looks_await_fulfilment(a))
        return INT64_MAX;
    return at_ms > least_ms ? at_ms : least_ms;
}

/* When all is to be looked at next. However many signs there are, and orders: a look at
 * very many jobs takes its time, of slurmctld too. */
static int64_t next_look_ms(const struct adapter *a)
{
    int64_t least_ms = a->polled_ms + REST * a->look_cost_ms;
    int64_t at_ms = a->look ? 0 : calm_ms(a, a->polled_ms + adapter_pause_ms(a));

    if (next_fulfilled_ms(a) < at_ms)
        at_ms = next_fulfilled_ms(a);
    return at_ms > least_ms ? at_ms : least_ms;
}

static void arm_next(struct adapter *a)
{
    int64_t now = adapter_now_ms(), at_ms = next_look_ms(a);

    if (a->look && at_ms < now + SOON_MS)
        at_ms = now + SOON_MS;
    if (outcomes_next_ms(a) < at_ms)
        at_ms = outcomes_next_ms(a);
    if (a->connected && a->astrays > 0 && at_ms > now + SOON_MS)
        at_ms = now + SOON_MS;
    arm(a, at_ms - now);
}

bool adapter_is_led(const struct adapter *a)
{
    return link_is_led(a->link);
}

void adapter_look(struct adapter *a)
{
    a->look = true;
}

/* What a look has cost, milliseconds. Slurm's library waits inside of a call for a
 * slurmctld that is away: that was no work, and is not rested from. */
static int64_t cost_of_look(const struct adapter *a, int64_t ms)
{
    if (!a->connected)
        return 0;
    return ms < LOOK_COST_MOST_MS ? ms : LOOK_COST_MOST_MS;
}

static int on_timer(sd_event_source *source, uint64_t usec, void *ctx)
{
    struct adapter *a = ctx;
    int64_t now = adapter_now_ms();

    (void)source;
    (void)usec;
    if (now >= next_look_ms(a)) {
        poll_all(a);
        a->polled_ms = adapter_now_ms();
        a->look_cost_ms = cost_of_look(a, a->polled_ms - now);
    } else if (a->astrays > 0 && a->connected && !adapter_munge_gone(a)) {
        jobs_take_back(a);
    }
    if (a->pending.n > 0 && !adapter_munge_gone(a))
        outcomes_check(a);
    arm_next(a);
    return 0;
}

/* ---- the gate's signs, and ours ---- */

/* Jobs that are named have ended: told at once, as the next start is to be ordered
 * before Slurm is through with the end; where the sign does not say all, after a look
 * at these alone. Anything else is a sign to look at all. */
static void read_events(struct adapter *a, char *text)
{
    static const char gaps[] = " \n";
    char *rest = NULL;
    int looks = 0;

    if (adapter_munge_gone(a))
        return;
    for (char *word = strtok_r(text, gaps, &rest); word != NULL;
         word = strtok_r(NULL, gaps, &rest)) {
        if (a->connected && ends_take(a, word)) {
            a->ended_ms = adapter_now_ms();
            continue;
        }
        if (*word < '0' || *word > '9' || !a->connected || ++looks > ENDS_MAX
            || (looks == 1 && nodes_look(a) < 0) || looks_job(a, word) < 0)
            a->look = true;
    }
}

/* False: it was begun anew, or there is a flood of them. */
static bool take_events(struct adapter *a, int fd)
{
    char text[4096];
    off_t size = lseek(fd, 0, SEEK_END);
    ssize_t n;

    if (size == a->events_read)
        return true; /* two were written, and the first sign was for both */
    n = pread(fd, text, sizeof text - 1, a->events_read);
    if (n <= 0 || (size_t)n == sizeof text - 1) {
        a->events_read = size;
        return false;
    }
    a->events_read += n;
    text[n] = '\0';
    read_events(a, text);
    return true;
}

static int on_events(
    sd_event_source *source, const struct inotify_event *event, void *ctx)
{
    struct adapter *a = ctx;
    int fd = open(a->events_file, O_RDWR | O_CLOEXEC);

    (void)source;
    (void)event;
    if (fd < 0)
        a->events_read = 0;
    if (fd < 0 || !take_events(a, fd))
        a->look = true;
    if (fd >= 0 && a->events_read > EVENTS_MAX) {
        if (ftruncate(fd, 0) < 0)
            adapter_health(a, "events", strerror(errno));
        a->events_read = 0;
        a->look = true; /* for what was written just before */
    }
    if (fd >= 0)
        close(fd);
    arm_next(a);
    return 0;
}

void adapter_open_events(struct adapter *a, uint32_t slurm_user)
{
    int fd = open(a->events_file, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);

    bool bad = fd < 0
               || (geteuid() == 0 && fchown(fd, (uid_t)slurm_user, (gid_t)-1) < 0)
               || fchmod(fd, 0600) < 0;

    adapter_health(a, "events", bad ? strerror(errno) : NULL);
    if (fd >= 0)
        close(fd);
}

/* The file exists. */
static void open_events(struct adapter *a)
{
    int fd = open(
        a->events_file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);

    a->events_read = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
    if (fd < 0
        || sd_event_add_inotify(
               a->loop, &a->events, a->events_file, IN_MODIFY, on_events, a)
               < 0)
        adapter_health(a, "events", strerror(errno));
    if (fd >= 0)
        close(fd);
}

/* The gate lets Slurm judge a new job first where we take it out of its hands then: one
 * that nobody takes is started within a minute. */
static bool takes_new_jobs(const struct adapter *a)
{
    return TAKES_NEW_JOBS && a->connected && a->told_all
           && adapter_now_ms() - a->seen_ms < a->poll_ms + SEEN_MS;
}

void adapter_write_beat(struct adapter *a)
{
    bool failed = beat_write(a->beat) < 0;

    if (failed || a->beat_fails)
        adapter_health(a, "heartbeat", failed ? strerror(errno) : NULL);
    a->beat_fails = failed;
}

static void write_beat(struct adapter *a)
{
    struct strbuf words = {0};

    strbuf_printf(&words, "%s%s%s", a->word, takes_new_jobs(a) ? " judged" : "",
        UPDATE_TAKES_MARKS ? " nomarks" : " marks");
    beat_set(a->beat, words.text, a->not_nodes);
    free(words.text);
    adapter_write_beat(a);
}

static void set_beat(struct adapter *a, const char *word, const char *nodes)
{
    free(a->word);
    free(a->not_nodes);
    a->word = xstrdup(word);
    a->not_nodes = xstrdup(nodes);
}

/* ---- what the daemon says ---- */

static char *path_in(const char *home, const char *name)
{
    size_t n = strlen(home) + strlen(name) + 2;
    char *path = xmalloc(n);

    snprintf(path, n, "%s/%s", home, name);
    return path;
}

/* The gate reads in the heartbeat besides whether texts of several lines would take the
 * adapter in. */
static void on_open(void *ctx, const struct link_opening *o)
{
    struct adapter *a = ctx;
    const char *heartbeat = link_attr(o, "HEARTBEAT"), *events = link_attr(o, "EVENTS");
    const char *limits = link_attr(o, "LIMITS");
    char *beat;

    a->home = xstrdup(o->home);
    a->name = xstrdup(*o->name != '\0' ? o->name : "slurm");
    beat = heartbeat != NULL ? xstrdup(heartbeat) : path_in(a->home, "slurm.heartbeat");
    a->beat = beat_new(beat);
    set_beat(a, "busy", "");
    free(beat);
    a->events_file =
        events != NULL ? xstrdup(events) : path_in(a->home, "slurm.events");
    a->gate_home = marking_home(a->home, a->events_file);
    a->marking = marking_new(a->gate_home);
    a->poll_ms = link_attr_ms(o, "POLLINTERVAL", POLL_MS);
    a->start_wait_ms = link_attr_ms(o, "STARTWAIT", START_WAIT_MS);
    adapter_open_notes(a, link_attr(o, "NOTES"));
    a->limits = limits == NULL || strcasecmp(limits, "MAUI") != 0;
    adapter_health(a, "marks", NULL); /* what one before this has said is over */
    adapter_health(a, "clock", NULL);
    adapter_health(a, "heartbeat", NULL);
    adapter_health(a, "release", a->doubt);
    open_events(a);
    write_beat(a);
    arm(a, 0);
}

static void on_revived(void *ctx)
{
    struct adapter *a = ctx;

    a->jobs_at = 0;
    a->look = true;
}

static void on_ping(void *ctx, int64_t n)
{
    if (n % BEAT_S == 0)
        write_beat(ctx);
}

static void on_immediate(void *ctx, const char *word, const char *nodes)
{
    struct adapter *a = ctx;
    /* what is reserved counts for the gate where such a job may start at all */
    bool matters = strcmp(a->word, word) != 0 || strcmp(word, "free") == 0;

    set_beat(a, word, nodes);
    if (matters)
        write_beat(a);
}

/* By the daemon's clock (RMPOLLINTERVAL); ours may have been faster. */
static void on_poll(void *ctx)
{
    struct adapter *a = ctx;

    a->look |= adapter_now_ms() >= calm_ms(a, a->polled_ms + adapter_pause_ms(a));
}

static void on_command(void *ctx, const struct rm_command *c)
{
    orders_command(ctx, c);
}

static void on_note(void *ctx, const struct rm_note *n)
{
    adapter_take_note(ctx, n);
}

static void on_submit(void *ctx, const struct rm_submission *s)
{
    adapter_submit_job(ctx, s);
}

/* All lines that came together are taken. */
static void on_heard(void *ctx)
{
    starts_send(ctx);
    cancels_send(ctx);
    arm_next(ctx);
}

/* What was wished for tasks of arrays is not put off to a later look. */
static bool on_gone(void *ctx)
{
    struct adapter *a = ctx;

    a->wished_ms = INT64_MIN / 2;
    for (uint32_t left = UINT32_MAX;
         a->connected && a->wishes > 0 && a->wishes < left;) {
        left = a->wishes;
        if (adapter_munge_gone(a) || looks_poll(a) < 0)
            break;
    }
    return false;
}

int adapter_main(const char *doubt)
{
    static const struct link_calls calls = {.open = on_open,
        .command = on_command,
        .submit = on_submit,
        .note = on_note,
        .immediate = on_immediate,
        .poll = on_poll,
        .ping = on_ping,
        .revived = on_revived,
        .heard = on_heard,
        .gone = on_gone};
    struct adapter *a = xcalloc(1, sizeof *a);
    int status;

    a->doubt = doubt;
    /* all task numbers of an array, however many */
    setenv("SLURM_BITSTR_LEN", "0", 1);
    slurm_init(NULL); /* ends the process where slurm.conf is bad */
    if (sd_event_new(&a->loop) < 0
        || (a->link = link_new(a->loop, STDIN_FILENO, &calls, a)) == NULL) {
        fputs("maui-slurm: no event loop\n", stderr);
        return 1;
    }
    status = sd_event_loop(a->loop);
    jobs_forget(a);
    adapter_forget_nodes(a);
    reservations_forget(a);
    names_forget(a);
    batch_free(a->batch);
    vec_fini(&a->cancels);
    marking_free(a->marking);
    slurm_fini();
    return status < 0 ? 1 : 0;
}
