/* SPDX-License-Identifier: Apache-2.0
 * The adapter of native resource managers: nodes and jobs are what programs print or
 * files hold, a record a line; orders are programs that are run.
 *
 *     CLUSTERQUERYURL, WORKLOADQUERYURL    prints them; 0 = that is all there is
 *     JOBSTARTURL JOB NODE,NODE...         a node for each task, in the order of ranks
 *     JOBCANCELURL JOB WHY                 JOBSUSPENDURL, JOBRESUMEURL, JOBREQUEUEURL
 * JOB JOBMODIFYURL JOB WCLIMIT=SECONDS
 *
 * They end with 0: done; 75: not now, ask again; else: it did not come about, and the
 * first line that they print says why. */
#include "base/duration.h"
#include "base/home.h"
#include "base/strbuf.h"
#include "base/trust.h"
#include "base/xalloc.h"
#include "config/rmurl.h"
#include "rm/adapter/agent.h"
#include "rm/adapter/run.h"
#include "rm/wiki/told.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define POLL_MS       5000
#define LEAST_MS      200 /* two programs a look, and a look behind each order */
#define TIMEOUT_MS    15000
#define START_WAIT_MS 600000 /* JOBSYNCTIME of old */
#define START_MOST_MS 3600000
#define ORDERS        8 /* programs of orders at a time */
#define LISTING_MOST  (256u << 20)
#define SAID_MOST     65536
#define LATER         75 /* EX_TEMPFAIL */

/* What a query brought. */
struct brought {
    struct native *native;
    enum rmurl_kind kind;
    char *text, *why; /* owned; why: it failed */
    size_t n;
};

struct native {
    struct agent *agent;
    struct wiki *wiki;
    struct runs *runs;
    char *urls[RMURL_KINDS]; /* owned; NULL = not given */
    int64_t timeout_ms;
    unsigned awaited; /* queries of this look */
    struct brought nodes, jobs;
};

/* ---- looks ---- */

static void free_brought(struct brought *b)
{
    free(b->text);
    free(b->why);
    b->text = b->why = NULL;
    b->n = 0;
}

static void end_look(struct native *v)
{
    const struct brought *bad = v->nodes.why ? &v->nodes : &v->jobs;

    if (--v->awaited > 0)
        return;
    if (bad->why != NULL) {
        agent_looked(v->agent, rmurl_name(bad->kind), bad->why);
    } else {
        wiki_told_nodes(
            v->wiki, v->nodes.text, v->nodes.n, WIKI_LINES, rmurl_name(RMURL_NODES));
        wiki_told_jobs(
            v->wiki, v->jobs.text, v->jobs.n, WIKI_LINES, rmurl_name(RMURL_JOBS));
        wiki_looked(v->wiki);
    }
    free_brought(&v->nodes);
    free_brought(&v->jobs);
}

static void on_query_end(void *ctx, const struct run_end *end)
{
    struct brought *b = ctx;

    if (end->status != 0 || end->flooded) {
        b->why = xstrdup(end->text);
    } else {
        b->text = xmalloc(end->out_len + 1);
        memcpy(b->text, end->out, end->out_len);
        b->n = end->out_len;
    }
    end_look(b->native);
}

/* Regular files alone: nothing of it can block. */
static char *read_file(const char *path, size_t *ret_n, struct err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct strbuf text = {0};
    char part[65536];
    struct stat st;
    ssize_t n = -1;

    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        while ((n = read(fd, part, sizeof part)) > 0 && text.len <= LISTING_MOST)
            strbuf_add_n(&text, part, (size_t)n);
    if (n != 0)
        err_set(err, ERR_IO, "%.200s: %s", path,
            n > 0   ? "it is too large"
            : errno ? strerror(errno)
                    : "not a file");
    if (fd >= 0)
        close(fd);
    *ret_n = text.len;
    char *whole = strbuf_take(&text);
    if (n == 0)
        return whole;
    free(whole);
    return NULL;
}

static void start_query(struct native *v, struct brought *b)
{
    struct err err = {0};
    bool exec;
    const char *path = rmurl_path(b->kind, v->urls[b->kind], &exec, &err);

    if (path != NULL && trust_check(path, exec, &err) == 0) {
        if (exec) {
            runs_start(v->runs,
                &(struct run_spec){.argv = (const char *const[]){path, NULL},
                    .timeout_ms = v->timeout_ms,
                    .most = LISTING_MOST},
                on_query_end, b);
            return;
        }
        b->text = read_file(path, &b->n, &err);
    }
    if (b->text == NULL)
        b->why = xstrdup(err.text);
    end_look(v);
}

static void native_look(void *ctx)
{
    struct native *v = ctx;

    if (!runs_settled(v->runs)) {
        agent_looked(v->agent, "adapter",
            "a program that was begun before the adapter was started still runs");
        return;
    }
    wiki_look(v->wiki, true);
    v->awaited = 3; /* the last is this function's own */
    start_query(v, &v->nodes);
    start_query(v, &v->jobs);
    end_look(v);
}

/* ---- orders ---- */

static enum rmurl_kind kind_of(enum rm_action action)
{
    static const struct {
        enum rm_action action;
        enum rmurl_kind kind;
    } kinds[] = {{RM_START, RMURL_START}, {RM_CANCEL, RMURL_CANCEL},
        {RM_SUSPEND, RMURL_SUSPEND}, {RM_RESUME, RMURL_RESUME},
        {RM_REQUEUE, RMURL_REQUEUE}, {RM_MODIFY, RMURL_MODIFY}};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].action == action)
            return kinds[i].kind;
    return RMURL_KINDS;
}

/* A node for each task. Owned. */
static char *list_tasks(const struct rm_command *c)
{
    struct strbuf list = {0};

    for (size_t i = 0; i < c->nplaces; i++)
        for (uint32_t k = 0; k < c->places[i].tasks; k++)
            strbuf_printf(&list, "%s%s", list.len > 0 ? "," : "", c->places[i].node);
    return strbuf_take(&list);
}

/* What the program is told behind the job. Owned. */
static char *second_argument(const struct rm_command *c)
{
    struct strbuf text = {0};

    if (c->action == RM_START)
        return list_tasks(c);
    if (c->action == RM_CANCEL)
        return xstrdup(c->text != NULL ? c->text : "");
    if (c->action != RM_MODIFY)
        return NULL;
    strbuf_printf(&text, "WCLIMIT=%lld",
        c->wclimit_s >= DURATION_UNLIMITED ? -1LL : (long long)c->wclimit_s);
    return strbuf_take(&text);
}

static void on_order_end(void *ctx, const struct run_end *end)
{
    enum wiki_answer answer = WIKI_FAILED;

    if (end->hung || end->flooded || end->status > 128)
        answer = WIKI_UNKNOWN;
    else if (end->status == LATER)
        answer = WIKI_LATER;
    else if (end->status == 0)
        answer = WIKI_DONE;
    wiki_answered(ctx, answer, end->text);
}

static bool carry_order(
    void *ctx, const struct rm_command *c, struct wiki_trip *trip, const char **ret_why)
{
    struct native *v = ctx;
    enum rmurl_kind kind = kind_of(c->action);
    const char *path = NULL;
    struct err err = {0};
    bool exec;
    char *second;

    *ret_why = "RMCFG names no program for that";
    if (kind == RMURL_KINDS || v->urls[kind] == NULL)
        return false;
    path = rmurl_path(kind, v->urls[kind], &exec, &err);
    if (path == NULL || trust_check(path, true, &err) < 0) {
        wiki_answered(trip, WIKI_FAILED, err.text);
        return true;
    }
    second = second_argument(c);
    runs_start(v->runs,
        &(struct run_spec){.argv = (const char *const[]){path, c->job, second, NULL},
            .timeout_ms = v->timeout_ms,
            .most = SAID_MOST,
            .owed = c->action != RM_START},
        on_order_end, trip);
    free(second);
    return true;
}

static void native_command(void *ctx, const struct rm_command *c)
{
    struct native *v = ctx;

    wiki_command(v->wiki, c);
}

static void native_retell(void *ctx)
{
    struct native *v = ctx;

    wiki_retell(v->wiki);
}

static void native_forget(void *ctx)
{
    struct native *v = ctx;

    wiki_forget(v->wiki);
}

static size_t native_end(void *ctx)
{
    struct native *v = ctx;

    runs_end(v->runs);
    return wiki_end(v->wiki);
}

/* ---- the process ---- */

static void native_close(void *ctx)
{
    struct native *v = ctx;

    runs_destroy(v->runs);
    wiki_destroy(v->wiki);
    free_brought(&v->nodes);
    free_brought(&v->jobs);
    for (int i = 0; i < RMURL_KINDS; i++)
        free(v->urls[i]);
    free(v);
}

static void *native_open(struct agent *a, const struct link_opening *o, struct err *err)
{
    struct native *v = xcalloc(1, sizeof *v);
    char *lock = home_file_of(o->home, o->name, "lock");
    int64_t wait_ms = link_attr_ms(o, "STARTWAIT", START_WAIT_MS);

    v->agent = a;
    v->timeout_ms = link_attr_ms(o, "TIMEOUT", TIMEOUT_MS);
    v->nodes = (struct brought){.native = v, .kind = RMURL_NODES};
    v->jobs = (struct brought){.native = v, .kind = RMURL_JOBS};
    for (int i = 0; i < RMURL_KINDS; i++) {
        const char *url = link_attr(o, rmurl_name((enum rmurl_kind)i));

        v->urls[i] = url != NULL ? xstrdup(url) : NULL;
    }
    v->runs = runs_new(agent_loop(a), lock, ORDERS + 2);
    v->wiki = wiki_new(
        a, &(struct wiki_carrier){.carry = carry_order,
               .ctx = v,
               .at_once = ORDERS,
               .changes_limits = v->urls[RMURL_MODIFY] != NULL,
               .start_wait_ms = wait_ms < START_MOST_MS ? wait_ms : START_MOST_MS});
    if (v->runs == NULL) {
        err_set(err, ERR_IO, "%s: %s", lock, strerror(errno));
        native_close(v);
        v = NULL;
    }
    free(lock);
    return v;
}

static const struct agent_driver native_agent = {
    .program = "maui-native",
    .poll_ms = POLL_MS,
    .least_ms = LEAST_MS,
    .open = native_open,
    .close = native_close,
    .look = native_look,
    .retell = native_retell,
    .forget = native_forget,
    .command = native_command,
    .ends = native_end,
};

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--adapter") == 0)
        return agent_main(&native_agent);
    fputs("maui-native: the scheduler starts it, where RMCFG says TYPE=NATIVE; see "
          "docs/native.md\n",
        stderr);
    return 2;
}
