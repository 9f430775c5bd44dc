/* SPDX-License-Identifier: Apache-2.0
 * The kit of adapters: listings, orders that are pending, programs with a deadline,
 * what a user asked for, the heartbeat. */
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "cmocka_all.h"
#include "rm/adapter/asked.h"
#include "rm/adapter/beat.h"
#include "rm/adapter/clock.h"
#include "rm/adapter/listing.h"
#include "rm/adapter/pending.h"
#include "rm/adapter/run.h"
#include "rm/adapter/wake.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* What was told, as words. */
static void note_report(void *ctx, const struct rm_report *r)
{
    static const char *const outcomes[] = {
        "ok", "retry", "waits", "failed", "limited", "refused", "lost"};
    struct strbuf *b = ctx;

    if (r->kind == RM_NODE)
        strbuf_printf(b, "+%s ", r->u.node.name);
    else if (r->kind == RM_NODE_GONE)
        strbuf_printf(b, "-%s ", r->u.name);
    else if (r->kind == RM_DONE)
        strbuf_printf(b, "%s:%s ", r->u.done.job, outcomes[r->u.done.outcome]);
}

static void expect(struct strbuf *told, const char *text)
{
    strbuf_add(told, "");
    assert_string_equal(told->text, text);
    free(strbuf_take(told));
}

/* A look at nodes: "a1 b2" is node a with one processor and b with two. */
static size_t look(
    struct listing *l, const char *nodes, bool whole, const struct rm_sink *sink)
{
    listing_begin(l);
    for (; *nodes != '\0'; nodes += nodes[2] != '\0' ? 3 : 2) {
        char name[] = {nodes[0], '\0'};
        struct rm_report r = {
            .kind = RM_NODE, .at = clock_ms(), .u.node = {.name = name}};

        r.u.node.cfg.v[RES_PROCS] = nodes[1] - '0';
        listing_tell(l, name, &r, sink);
    }
    return listing_end(l, whole, sink);
}

static void what_has_changed_is_told(void **state)
{
    struct strbuf told = {0};
    struct rm_sink sink = {note_report, &told};
    struct listing *l = listing_new(&(struct listing_kind){.gone = RM_NODE_GONE});

    (void)state;
    look(l, "a1 b1", true, &sink);
    expect(&told, "+a +b ");
    look(l, "a1 b2", true, &sink);
    expect(&told, "+b ");
    look(l, "b2 c1", true, &sink);
    expect(&told, "+c -a ");
    listing_forget(l);
    look(l, "b2", true, &sink);
    expect(&told, "+b -c ");
    listing_destroy(l);
}

static void nobody_is_missed_where_something_could_not_be_read(void **state)
{
    struct strbuf told = {0};
    struct rm_sink sink = {note_report, &told};
    struct listing *l = listing_new(&(struct listing_kind){.gone = RM_NODE_GONE});

    (void)state;
    look(l, "a1 b1", true, &sink);
    look(l, "a1", false, &sink);
    expect(&told, "+a +b ");
    listing_begin(l);
    listing_keep(l, "a");
    listing_end(l, true, &sink);
    expect(&told, "-b ");
    listing_destroy(l);
}

static void what_one_look_misses_comes_back(void **state)
{
    struct strbuf told = {0};
    struct rm_sink sink = {note_report, &told};
    struct listing *l =
        listing_new(&(struct listing_kind){.gone = RM_NODE_GONE, .misses = 2});

    (void)state;
    look(l, "a1 b1", true, &sink);
    assert_int_equal(look(l, "a1", true, &sink), 1);
    assert_int_equal(look(l, "a1 b1", true, &sink), 0);
    assert_int_equal(look(l, "a1", true, &sink), 1);
    expect(&told, "+a +b ");
    assert_int_equal(look(l, "a1", true, &sink), 0);
    expect(&told, "-b ");
    assert_int_equal(listing_count(l), 1);
    listing_destroy(l);
}

static void a_job_is_not_told_again_for_being_told(void **state)
{
    struct strbuf told = {0};
    struct rm_sink sink = {note_report, &told};
    struct listing *l = listing_new(&(struct listing_kind){.gone = RM_JOB_GONE});
    struct rm_job j = {.desc = {.id = "1", .state = JOB_IDLE}, .cpu_s = -1};
    struct rm_report r = {.kind = RM_JOB, .u.job = &j};

    (void)state;
    listing_begin(l);
    assert_true(listing_tell(l, "1", &r, &sink));
    j.changed = true; /* as drivers say of a job that still waits */
    assert_false(listing_tell(l, "1", &r, &sink));
    j.desc.wclimit_s = 60;
    assert_true(listing_tell(l, "1", &r, &sink));
    listing_destroy(l);
    expect(&told, "");
}

static void note_changed(void *ctx, const struct rm_report *r)
{
    strbuf_add(ctx, r->u.job->changed ? "changed " : "same ");
}

/* The daemon takes a job anew that asks for something else: it is not to do so when all
 * is told again, nor for a hold. */
static void a_job_has_changed_when_it_asks_for_something_else(void **state)
{
    struct strbuf told = {0};
    struct rm_sink sink = {note_changed, &told};
    struct listing *l = listing_new(&(struct listing_kind){.gone = RM_JOB_GONE});
    struct rm_job j = {.desc = {.id = "1", .state = JOB_IDLE}, .cpu_s = -1};
    struct rm_report r = {.kind = RM_JOB, .u.job = &j};

    (void)state;
    listing_tell(l, "1", &r, &sink);
    j.changed = true;
    listing_forget(l);
    listing_tell(l, "1", &r, &sink);
    j.desc.state = JOB_HOLD;
    j.desc.rm_hold = HOLD_USER;
    listing_tell(l, "1", &r, &sink);
    expect(&told, "same same same ");
    listing_forget(l);
    j.desc.wclimit_s = 60;
    listing_tell(l, "1", &r, &sink);
    expect(&told, "changed ");
    listing_destroy(l);
}

/* Else one that the daemon ordered itself would be taken for somebody else's change. */
static void a_limit_that_is_apart_is_no_change(void **state)
{
    struct strbuf told = {0};
    struct rm_sink sink = {note_changed, &told};
    struct listing *l =
        listing_new(&(struct listing_kind){.gone = RM_JOB_GONE, .limit_apart = true});
    struct rm_job j = {.desc = {.id = "1", .state = JOB_IDLE}, .cpu_s = -1};
    struct rm_report r = {.kind = RM_JOB, .u.job = &j};

    (void)state;
    listing_tell(l, "1", &r, &sink);
    j.changed = true;
    j.desc.wclimit_s = 60;
    assert_true(listing_tell(l, "1", &r, &sink));
    j.desc.release_at = 5;
    listing_tell(l, "1", &r, &sink);
    expect(&told, "same same changed ");
    listing_destroy(l);
}

static void free_text(void *data)
{
    free(*(char **)data);
}

static void a_driver_keeps_something_beside(void **state)
{
    struct strbuf told = {0};
    struct rm_sink sink = {note_report, &told};
    struct listing *l = listing_new(&(struct listing_kind){
        .gone = RM_NODE_GONE, .size = sizeof(char *), .fini = free_text});
    void *at = NULL, *data;

    (void)state;
    look(l, "a1 b1", true, &sink);
    *(char **)listing_find(l, "a") = xstrdup("mine");
    look(l, "a2 b1", true, &sink);
    assert_string_equal(*(char **)listing_find(l, "a"), "mine");
    assert_string_equal(listing_next(l, &at, &data), "a");
    assert_string_equal(listing_next(l, &at, &data), "b");
    assert_null(listing_next(l, &at, &data));
    look(l, "b1", true, &sink);
    assert_null(listing_find(l, "a"));
    free(strbuf_take(&told));
    listing_destroy(l);
}

static struct rm_command order(const char *job, enum rm_action action)
{
    return (struct rm_command){.action = action, .job = job};
}

static void an_order_is_looked_at_ever_more_rarely(void **state)
{
    struct strbuf told = {0};
    struct pending *p = pending_new(&(struct rm_sink){note_report, &told});
    struct rm_command c = order("1", RM_START);

    (void)state;
    assert_true(pending_next_ms(p) == INT64_MAX);
    pending_add(p, &c, 1000, 5000);
    assert_int_equal(pending_next_ms(p), 1150);
    pending_looked(p, 0, 1150);
    assert_int_equal(pending_next_ms(p), 1300);
    pending_looked(p, 0, 1300);
    assert_int_equal(pending_next_ms(p), 1600);
    pending_renew(p, 0, 1600);
    assert_int_equal(pending_next_ms(p), 1750);
    assert_true(pending_has(p, "1", RM_START));
    assert_false(pending_has(p, "1", RM_CANCEL));
    assert_int_equal(pending_find(p, "1", RM_START), 0);
    assert_int_equal(pending_find(p, "2", RM_START), pending_count(p));
    assert_int_equal(pending_find_token(p, c.token), 0);
    assert_int_equal(pending_find_token(p, c.token + 1), pending_count(p));
    pending_renew(p, pending_count(p), 1700); /* it has landed: nothing */
    pending_land(p, pending_count(p), RM_OK, NULL);
    assert_int_equal(pending_next_ms(p), 1750);
    assert_int_equal(pending_count(p), 1);
    pending_destroy(p);
    expect(&told, "");
}

static void orders_land_or_are_lost(void **state)
{
    struct strbuf told = {0};
    struct pending *p = pending_new(&(struct rm_sink){note_report, &told});
    static const char *const jobs[] = {"1", "2", "1", "3"};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct rm_command c = order(jobs[i], i == 2 ? RM_CANCEL : RM_START);

        pending_add(p, &c, 0, 5000);
    }
    pending_land_job(p, "1", RM_START);
    expect(&told, "1:ok ");
    assert_string_equal(pending_at(p, 0)->job, "2");
    pending_land(p, 0, RM_FAILED, "it did not start");
    expect(&told, "2:failed ");
    pending_lose(p, "gone");
    expect(&told, "3:lost 1:lost ");
    assert_int_equal(pending_count(p), 0);
    pending_destroy(p);
}

/* ---- programs ---- */

struct scene {
    sd_event *loop;
    struct runs *runs;
    char folder[40], lock[60];
    int ended;
    struct run_end last; /* its texts are copies */
    char out[200], text[300];
};

static int begin(void **state)
{
    struct scene *s = xcalloc(1, sizeof *s);

    snprintf(s->folder, sizeof s->folder, "/tmp/maui-adapter-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    snprintf(s->lock, sizeof s->lock, "%s/lock", s->folder);
    assert_int_equal(sd_event_new(&s->loop), 0);
    s->runs = runs_new(s->loop, s->lock, 2);
    assert_non_null(s->runs);
    *state = s;
    return 0;
}

static int end(void **state)
{
    struct scene *s = *state;

    runs_destroy(s->runs);
    sd_event_unref(s->loop);
    unlink(s->lock);
    rmdir(s->folder);
    free(s);
    return 0;
}

static void on_ended(void *ctx, const struct run_end *e)
{
    struct scene *s = ctx;

    s->ended++;
    s->last = *e;
    snprintf(s->out, sizeof s->out, "%s", e->out);
    snprintf(s->text, sizeof s->text, "%s", e->text);
}

static void an_output_beyond_its_limit_is_read_where_most_of_it_is_dropped(void **state)
{
    static const char *const drop[] = {"env", NULL};
    static const struct squeeze_kind kind = {.grammar = SQUEEZE_XML,
        .depth = 2,
        .drop = drop,
        .key = "id",
        .share = 100,
        .most = 1000};
    static const char *const argv[] = {"sh", "-c",
        "printf '<a><j><id>1</id><env>'; head -c 300000 /dev/zero | tr '\\0' x; "
        "printf '</env></j></a>'",
        NULL};
    struct scene *s = *state;

    runs_start(s->runs,
        &(struct run_spec){
            .argv = argv, .timeout_ms = 60000, .most = 2000, .squeeze = &kind},
        on_ended, s);
    while (s->ended == 0)
        sd_event_run(s->loop, UINT64_MAX);
    assert_false(s->last.flooded);
    assert_string_equal(s->out, "<a><j><id>1</id></j></a>");
}

static void run_script(struct scene *s, const char *script, int64_t timeout_ms)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    const char *const extra[] = {"WORD=blue sky", NULL};

    runs_start(s->runs,
        &(struct run_spec){
            .argv = argv, .extra = extra, .timeout_ms = timeout_ms, .most = 100},
        on_ended, s);
}

static void wait_ended(struct scene *s, int n)
{
    while (s->ended < n)
        assert_true(sd_event_run(s->loop, UINT64_MAX) >= 0);
}

static void a_programs_words_and_status_are_had(void **state)
{
    struct scene *s = *state;

    run_script(s, "echo \"$WORD\"; echo oh >&2; exit 3", 60000);
    assert_int_equal(s->ended, 0);
    wait_ended(s, 1);
    assert_string_equal(s->out, "blue sky\n");
    assert_string_equal(s->text, "oh");
    assert_int_equal(s->last.status, 3);
    run_script(s, "exit 4", 60000);
    wait_ended(s, 2);
    assert_string_equal(s->text, "it ended with status 4 and said nothing");
    run_script(s, "kill -9 $$", 60000);
    wait_ended(s, 3);
    assert_int_equal(s->last.status, 137);
    assert_int_equal(runs_count(s->runs), 0);
}

static void a_program_that_is_not_there_is_said(void **state)
{
    struct scene *s = *state;
    const char *const argv[] = {"/no/such", NULL};

    runs_start(s->runs,
        &(struct run_spec){.argv = argv, .timeout_ms = 60000, .most = 9}, on_ended, s);
    wait_ended(s, 1);
    assert_int_equal(s->last.status, 127);
    assert_string_equal(s->text, "cannot run /no/such: No such file or directory");
}

static void a_program_that_hangs_is_killed_with_its_children(void **state)
{
    struct scene *s = *state;
    char script[100];

    /* the pipe's end is closed when the child is gone as well */
    snprintf(script, sizeof script, "sleep 1000 & echo $! > %s/child; wait", s->folder);
    run_script(s, script, 500);
    wait_ended(s, 1);
    assert_true(s->last.hung);
    assert_string_equal(s->text, "it did not end within 0 s and was killed");
    snprintf(script, sizeof script, "! kill -0 $(cat %s/child)", s->folder);
    for (int i = 0; i < 500 && system(script) != 0; i++)
        usleep(10000);
    snprintf(script, sizeof script, "%s/child", s->folder);
    unlink(script);
}

static void a_program_that_floods_is_killed(void **state)
{
    struct scene *s = *state;

    run_script(s, "yes", 60000);
    wait_ended(s, 1);
    assert_true(s->last.flooded);
    assert_false(s->last.hung);
    assert_string_equal(s->text, "it printed more than 100 bytes and was killed");
}

static void what_goes_on_in_the_background_is_not_waited_for(void **state)
{
    struct scene *s = *state;

    run_script(s, "setsid sleep 3 & echo done", 60000);
    wait_ended(s, 1);
    assert_string_equal(s->out, "done\n");
    assert_int_equal(s->last.status, 0);
}

static void others_wait_for_their_turn(void **state)
{
    struct scene *s = *state;
    char script[200];

    /* never more than two at once: each counts those that run */
    snprintf(script, sizeof script,
        "cd %s; mkdir $$; ls -d [0-9]* | wc -l; sleep 0.05; rmdir $$", s->folder);
    for (int i = 0; i < 6; i++)
        run_script(s, script, 60000);
    assert_int_equal(runs_count(s->runs), 6);
    for (int i = 1; i <= 6; i++) {
        wait_ended(s, i);
        assert_in_range(atoi(s->out), 1, 2);
    }
}

static void what_is_first_does_not_wait_behind_others(void **state)
{
    static const char *const argvs[][4] = {
        {"echo", "a", NULL}, {"echo", "b", NULL}, {"echo", "c", NULL}};
    struct scene *s = *state;
    char order[10] = "";

    runs_destroy(s->runs);
    s->runs = runs_new(s->loop, s->lock, 1);
    assert_non_null(s->runs);
    for (int i = 0; i < 3; i++)
        runs_start(s->runs,
            &(struct run_spec){
                .argv = argvs[i], .timeout_ms = 60000, .most = 9, .first = i == 2},
            on_ended, s);
    for (int i = 1; i <= 3; i++) {
        wait_ended(s, i);
        order[i - 1] = s->out[0];
    }
    assert_string_equal(order, "cab");
}

/* As when an adapter is killed while its program runs. */
static void who_comes_after_waits_for_what_was_begun(void **state)
{
    struct scene *s = *state;
    char path[60], script[100];
    struct runs *next;
    pid_t pid;

    snprintf(path, sizeof path, "%s/go", s->folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    snprintf(script, sizeof script, "setsid sleep 60 & read line < %s", path);
    pid = fork();
    if (pid == 0) {
        struct scene own = {0};

        sd_event_new(&own.loop);
        own.runs = runs_new(own.loop, s->lock, 2);
        run_script(&own, script, 60000);
        if (!runs_settled(own.runs))
            _exit(1);
        sd_event_run(own.loop, UINT64_MAX);
        sd_event_run(own.loop, 100000);
        _exit(0);
    }
    int status;
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
    next = runs_new(s->loop, s->lock, 2);
    assert_false(runs_settled(next));
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    assert_int_equal(write(fd, "go\n", 3), 3);
    close(fd);
    /* not for the background of the program, which has no hold of the lock */
    for (int i = 0; i < 3000 && !runs_settled(next); i++)
        usleep(10000);
    assert_true(runs_settled(next));
    runs_destroy(next);
    unlink(path);
}

/* Else it would go on, unknown to all, and be run again beside itself. */
static void a_program_dies_with_its_runner(void **state)
{
    struct scene *s = *state;
    char path[200], script[800]; /* whole: one cut short ends by itself */
    int runner = 0, program = 0;
    FILE *f = NULL;

    assert_true(snprintf(path, sizeof path, "%s/pids", s->folder) < (int)sizeof path);
    snprintf(script, sizeof script,
        "echo $PPID $$ > %s.new; mv %s.new %s; exec sleep 1000", path, path, path);
    run_script(s, script, 600000);
    while ((f = fopen(path, "r")) == NULL)
        assert_true(sd_event_run(s->loop, 10000) >= 0);
    assert_int_equal(fscanf(f, "%d %d", &runner, &program), 2);
    fclose(f);
    unlink(path);
    assert_int_equal(kill(runner, SIGKILL), 0);
    wait_ended(s, 1);
    assert_int_equal(s->last.status, 137);
    snprintf(
        script, sizeof script, "! grep -q sleep /proc/%d/cmdline 2>/dev/null", program);
    for (int i = 0; i < 3000 && system(script) != 0; i++)
        usleep(10000);
    assert_int_equal(system(script), 0);
}

/* ---- the rest ---- */

static void what_was_asked_survives_as_text(void **state)
{
    struct asked k = {.known = true, .min_nodes = 2, .max_nodes = 4}, read = {0};
    char *text;

    (void)state;
    k.partition = xstrdup("a,b");
    text = asked_text(&k);
    assert_string_equal(text, "maui:asked;count=2-4;partition=a,b");
    asked_parse(&read, text);
    assert_true(read.known);
    assert_int_equal(read.max_nodes, 4);
    assert_string_equal(read.partition, "a,b");
    free(text);
    k.remark = xstrdup("the dean wants it");
    text = asked_text(&k);
    assert_string_equal(text, "the dean wants it maui:asked;count=2-4;partition=a,b");
    asked_parse(&read, text);
    assert_int_equal(read.min_nodes, 2);
    assert_string_equal(read.remark, "the dean wants it");
    k.timed = true;
    k.limit = 600;
    k.least = 5;
    free(text);
    text = asked_text(&k);
    asked_parse(&read, text);
    assert_true(read.timed);
    assert_int_equal(read.limit, 600);
    assert_int_equal(read.least, 5);
    asked_parse(&read, "maui:asked;count=1-1;limit=5-6x");
    assert_false(read.timed);
    assert_false(read.fenced);
    k.fenced = true;
    free(text);
    text = asked_text(&k);
    asked_parse(&read, text);
    assert_true(read.fenced); /* none, in place of ours */
    assert_string_equal(read.exclude, "");
    k.exclude = xstrdup("n[3,5]");
    free(text);
    text = asked_text(&k);
    asked_parse(&read, text);
    assert_string_equal(read.exclude, "n[3,5]");
    assert_null(asked_remark("maui:kept"));
    assert_null(asked_remark("go"));
    asked_free(&k);
    asked_free(&read);
    free(text);
}

static void the_heartbeat_says_what_becomes_of_jobs_at_once(void **state)
{
    struct scene *s = *state;
    char path[60], text[100] = "";
    long long at;
    struct beat *b;
    FILE *f;

    snprintf(path, sizeof path, "%s/beat", s->folder);
    b = beat_new(path);
    assert_int_equal(beat_write(b), 0);
    beat_set(b, "free", "n1,n2");
    beat_set_operators(b, "5 1004");
    assert_int_equal(beat_write(b), 0);
    f = fopen(path, "re");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%lld%99[^#]", &at, text), 2);
    fclose(f);
    assert_true(at > 1000000000);
    assert_string_equal(text, " free\nn1,n2\n5 1004\n");
    beat_destroy(b);
    unlink(path);
    b = beat_new("/no/such/beat");
    assert_int_equal(beat_write(b), -1);
    beat_destroy(b);
}

static void count_sign(void *ctx)
{
    ++*(unsigned *)ctx;
}

static void signs_in_a_socket_of_ours_wake_once(void **state)
{
    struct scene *s = *state;
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    unsigned woken = 0;
    struct err err;
    struct stat st;
    struct wake *w;
    sd_event *loop;
    char path[200];

    assert_true(sd_event_new(&loop) >= 0);
    snprintf(at.sun_path, sizeof at.sun_path, "%s/wake", s->folder);
    close(open(at.sun_path, O_CREAT | O_WRONLY | O_CLOEXEC, 0666)); /* gives way */
    w = wake_new(loop, at.sun_path, count_sign, &woken, &err);
    assert_non_null(w);
    assert_int_equal(stat(at.sun_path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    for (int i = 0; i < 3; i++)
        assert_int_equal(sendto(fd, "1", 1, 0, (struct sockaddr *)&at, sizeof at), 1);
    assert_true(sd_event_run(loop, 1000000) > 0);
    assert_int_equal(woken, 1);
    assert_int_equal(sd_event_run(loop, 0), 0);
    wake_destroy(w);
    assert_int_equal(stat(at.sun_path, &st), -1);
    memset(path, 'a', sizeof path - 1);
    path[0] = '/';
    path[sizeof path - 1] = '\0';
    assert_null(wake_new(loop, path, count_sign, &woken, &err));
    assert_non_null(strstr(err.text, "at most 107"));
    assert_null(wake_new(loop, "/no/such/wake", count_sign, &woken, &err));
    close(fd);
    sd_event_unref(loop);
}

static void who_came_after_keeps_its_socket(void **state)
{
    struct scene *s = *state;
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    unsigned woken = 0;
    struct err err;
    struct wake *before, *after;
    sd_event *loop;

    assert_true(sd_event_new(&loop) >= 0);
    snprintf(at.sun_path, sizeof at.sun_path, "%s/wake", s->folder);
    before = wake_new(loop, at.sun_path, count_sign, &woken, &err);
    after = wake_new(loop, at.sun_path, count_sign, &woken, &err);
    assert_non_null(before);
    assert_non_null(after);
    wake_destroy(before);
    assert_int_equal(sendto(fd, "1", 1, 0, (struct sockaddr *)&at, sizeof at), 1);
    assert_true(sd_event_run(loop, 1000000) > 0);
    assert_int_equal(woken, 1);
    wake_destroy(after);
    assert_int_equal(access(at.sun_path, F_OK), -1);
    close(fd);
    sd_event_unref(loop);
}

static int on_tick(sd_event_source *source, uint64_t usec, void *ctx)
{
    (void)usec;
    ++*(unsigned *)ctx;
    sd_event_source_set_time_relative(source, 10000);
    return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

/* What it writes is dropped, so that no limit ends it: time does. */
static void a_program_that_writes_without_end_stops_nothing_else(void **state)
{
    static const char *const drop[] = {"env", NULL};
    static const struct squeeze_kind kind = {.grammar = SQUEEZE_XML,
        .depth = 2,
        .drop = drop,
        .key = "id",
        .share = 100,
        .most = 1000};
    static const char *const argv[] = {
        "sh", "-c", "printf '<a><j><id>1</id><env>'; exec cat /dev/zero", NULL};
    struct scene *s = *state;
    sd_event_source *tick = NULL;
    unsigned ticks = 0;

    sd_event_add_time_relative(
        s->loop, &tick, CLOCK_MONOTONIC, 10000, 1000, on_tick, &ticks);
    runs_start(s->runs,
        &(struct run_spec){
            .argv = argv, .timeout_ms = 1000, .most = 2000, .squeeze = &kind},
        on_ended, s);
    wait_ended(s, 1);
    assert_true(s->last.hung);
    assert_true(ticks >= 10);
    sd_event_source_unref(tick);
}

static void the_heartbeat_is_of_the_readers_clock(void **state)
{
    struct scene *s = *state;
    char path[60];
    long long at;
    struct beat *b;
    FILE *f;

    snprintf(path, sizeof path, "%s/beat", s->folder);
    b = beat_new(path);
    beat_set_clock(b, -1000);
    assert_int_equal(beat_write(b), 0);
    f = fopen(path, "re");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%lld", &at), 1);
    fclose(f);
    assert_in_range((long long)time(NULL) - at, 1000, 1100);
    beat_destroy(b);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_changed_is_told),
        cmocka_unit_test(nobody_is_missed_where_something_could_not_be_read),
        cmocka_unit_test(what_one_look_misses_comes_back),
        cmocka_unit_test(a_job_is_not_told_again_for_being_told),
        cmocka_unit_test(a_job_has_changed_when_it_asks_for_something_else),
        cmocka_unit_test(a_limit_that_is_apart_is_no_change),
        cmocka_unit_test(a_driver_keeps_something_beside),
        cmocka_unit_test(an_order_is_looked_at_ever_more_rarely),
        cmocka_unit_test(orders_land_or_are_lost),
        cmocka_unit_test_setup_teardown(
            an_output_beyond_its_limit_is_read_where_most_of_it_is_dropped, begin, end),
        cmocka_unit_test_setup_teardown(
            a_programs_words_and_status_are_had, begin, end),
        cmocka_unit_test_setup_teardown(
            a_program_that_is_not_there_is_said, begin, end),
        cmocka_unit_test_setup_teardown(
            a_program_that_hangs_is_killed_with_its_children, begin, end),
        cmocka_unit_test_setup_teardown(a_program_that_floods_is_killed, begin, end),
        cmocka_unit_test_setup_teardown(
            what_goes_on_in_the_background_is_not_waited_for, begin, end),
        cmocka_unit_test_setup_teardown(others_wait_for_their_turn, begin, end),
        cmocka_unit_test_setup_teardown(
            what_is_first_does_not_wait_behind_others, begin, end),
        cmocka_unit_test_setup_teardown(
            who_comes_after_waits_for_what_was_begun, begin, end),
        cmocka_unit_test_setup_teardown(a_program_dies_with_its_runner, begin, end),
        cmocka_unit_test(what_was_asked_survives_as_text),
        cmocka_unit_test_setup_teardown(
            the_heartbeat_says_what_becomes_of_jobs_at_once, begin, end),
        cmocka_unit_test_setup_teardown(
            signs_in_a_socket_of_ours_wake_once, begin, end),
        cmocka_unit_test_setup_teardown(who_came_after_keeps_its_socket, begin, end),
        cmocka_unit_test_setup_teardown(
            a_program_that_writes_without_end_stops_nothing_else, begin, end),
        cmocka_unit_test_setup_teardown(
            the_heartbeat_is_of_the_readers_clock, begin, end),
    };

    return cmocka_run_group_tests_name("adapter", tests, NULL, NULL);
}
