/* SPDX-License-Identifier: Apache-2.0
 * Orders as commands. What the library does in one request takes two or three here; the
 * gate (job_submit.lua) knows them by the administrator's comment of the job:
 *
 *   maui:asked;...;go  the nodes are set: the release that follows is ours
 *   maui:keep          the hold that follows is ours: the job is kept, not held
 *   maui:kept          it is */
#include "base/xalloc.h"
#include "rm/adapter/asked.h"
#include "rm/slurm/text/text.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEPT       "maui:kept"
#define NEW        KEPT ";new"
#define BACK       KEPT ";back"
#define NODES_MANY "60000" /* scontrol cannot take a maximum away */

void slurm_init_job_desc_msg(job_desc_msg_t *m)
{
    *m = (job_desc_msg_t){.priority = NO_VAL,
        .site_factor = NO_VAL,
        .nice = NO_VAL,
        .alloc_sid = NO_VAL,
        .min_nodes = NO_VAL,
        .max_nodes = NO_VAL,
        .num_tasks = NO_VAL,
        .time_limit = NO_VAL,
        .time_min = NO_VAL};
}

static int order(struct strbuf *b)
{
    int result = pipe_order(b->text);
    int error = errno;

    free(b->text);
    *b = (struct strbuf){0};
    errno = error;
    return result;
}

static bool is_part(const char *id)
{
    return strchr(id, '+') != NULL;
}

static bool is_one_part(const char *id)
{
    const char *at = strchr(id, '+');

    return at != NULL && strcmp(at, "+0") != 0;
}

/* "63+0": by the leader's number, which stands for all. "63+1": by its own. */
static void name_record(const char *id, char ret[48])
{
    struct strbuf b = {0};
    char *text;
    unsigned number;

    snprintf(
        ret, 48, "%.*s", (int)(is_one_part(id) ? strlen(id) : strcspn(id, "+")), id);
    if (!is_one_part(id))
        return;
    strbuf_printf(&b, "show job %s", id);
    text = pipe_ask(b.text);
    if (text != NULL && sscanf(text, " JobId=%u", &number) == 1)
        snprintf(ret, 48, "%u", number);
    free(text);
    free(b.text);
}

static int verb(const char *word, const char *id)
{
    struct strbuf b = {0};
    char record[48];

    if (is_one_part(id)) /* that of all reaches it, too */
        return 0;
    name_record(id, record);
    strbuf_printf(&b, "%s %s", word, record);
    return order(&b);
}

/* scontrol repeats instants by its own clock: now is a word. */
static void add_begin(struct strbuf *b, const job_desc_msg_t *m)
{
    struct tm t;
    char when[40];

    if (m->begin_time == 0)
        return;
    localtime_r(&m->begin_time, &t);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S", &t);
    strbuf_printf(b, " starttime=%s", m->begin_time <= time(NULL) ? "now" : when);
}

/* The words of a command; owned. */
struct words VEC(char *);

static void add_word(struct words *w, const char *key, const char *value)
{
    struct strbuf b = {0};

    strbuf_printf(&b, "%s%s", key, value);
    vec_push(w, strbuf_take(&b));
}

/* The scontrol that lives on would cut at blanks, or take the quotes with it: there
 * another is run. */
static int run_words(struct words *w)
{
    struct strbuf line = {0};
    bool blank = false;
    int result, error;

    for (size_t i = 0; i < w->n; i++) {
        blank |= strpbrk(w->v[i], " \t\"'") != NULL;
        strbuf_printf(&line, "%s%s", i > 1 ? " " : "", i > 0 ? w->v[i] : "");
    }
    vec_push(w, NULL);
    result = blank ? pipe_run((const char *const *)w->v) : pipe_order(line.text);
    error = errno;
    for (size_t i = 0; i < w->n; i++)
        free(w->v[i]);
    vec_fini(w);
    free(line.text);
    errno = error;
    return result;
}

static void add_nodes(struct words *w, const job_desc_msg_t *m)
{
    char text[60];

    if (m->min_nodes == NO_VAL)
        return;
    if (m->max_nodes != 0)
        snprintf(text, sizeof text, "%u-%u", m->min_nodes, m->max_nodes);
    else
        snprintf(text, sizeof text, "%u-" NODES_MANY, m->min_nodes);
    add_word(w, "numnodes=", text);
    if (m->num_tasks == NO_VAL)
        return;
    snprintf(text, sizeof text, "%u", m->num_tasks);
    add_word(w, "numtasks=", text);
}

static void limit_text(const job_desc_msg_t *m, char *buf, size_t size)
{
    if (m->time_limit == INFINITE)
        snprintf(buf, size, "UNLIMITED");
    else
        snprintf(buf, size, "%u", m->time_limit);
}

static void add_limit(struct words *w, const job_desc_msg_t *m)
{
    char text[20];

    if (m->time_limit == NO_VAL)
        return;
    limit_text(m, text, sizeof text);
    add_word(w, "timelimit=", text);
    if (m->time_min == NO_VAL)
        return;
    snprintf(text, sizeof text, "%u", m->time_min);
    add_word(w, "timemin=", text);
}

/* A list of nodes in the request says that it is ours; of components, which can have
 * none, the comment. */
static int update(const job_desc_msg_t *m, const char *comment, const char *more)
{
    struct words w = {0};
    struct strbuf b = {0};
    char record[48];

    name_record(m->job_id_str, record);
    add_word(&w, "scontrol", "");
    add_word(&w, "update", "");
    add_word(&w, "jobid=", record);
    if (!is_part(m->job_id_str))
        add_word(&w, "reqnodelist=", m->req_nodes != NULL ? m->req_nodes : "");
    strbuf_printf(&b, "admincomment=%s%s", comment, more);
    add_word(&w, b.text, "");
    if (m->features != NULL)
        add_word(&w, "features=", m->features);
    if (m->exc_nodes != NULL)
        add_word(&w, "excnodelist=", m->exc_nodes);
    if (m->partition != NULL)
        add_word(&w, "partition=", m->partition);
    if (!is_part(m->job_id_str))
        add_nodes(&w, m);
    add_limit(&w, m);
    b.len = 0;
    strbuf_add(&b, "");
    add_begin(&b, m);
    if (b.len > 0)
        add_word(&w, b.text + 1, "");
    free(b.text);
    return run_words(&w);
}

/* One that is kept by a begin time alone needs no more than that this goes. */
static int release_job(const job_desc_msg_t *m)
{
    return m->nice == NO_VAL ? verb("release", m->job_id_str) : 0;
}

/* A start without a remark of its own leaves none; one that has begun by then keeps
 * "go". The list of nodes says that we ask: else the gate would keep the job again. */
static int let_go(const job_desc_msg_t *m)
{
    if (update(m, "go", "") < 0 || release_job(m) < 0)
        return -1;
    if (!is_part(m->job_id_str) || *m->admin_comment != '\0')
        (void)update(m, m->admin_comment, "");
    return 0;
}

static int start(const job_desc_msg_t *m)
{
    if (m->admin_comment == NULL && m->req_nodes == NULL)
        return release_job(m); /* all parts, when it was said where */
    if (m->admin_comment != NULL && !asked_is_text(m->admin_comment))
        return let_go(m);
    if (is_part(m->job_id_str))
        return update(m, m->admin_comment, ";go");
    if (m->admin_comment != NULL ? update(m, m->admin_comment, ";go") < 0
                                 : update(m, "go", "") < 0)
        return -1;
    return release_job(m);
}

static bool is_comment(const job_desc_msg_t *m, const char *comment)
{
    return m->admin_comment != NULL && strcmp(m->admin_comment, comment) == 0;
}

/* A begin time goes at the end: until then nothing else may keep the job. Without a
 * mark in the order a hold that somebody has set meanwhile stays, which the gate knows
 * by the last word of the comment. */
static int keep(const job_desc_msg_t *m)
{
    bool fresh = is_comment(m, NEW), back = is_comment(m, BACK);
    uint32_t mark = fresh ? 0 : m->site_factor - NICE_OFFSET;
    const char *comment = fresh || back ? KEPT : m->admin_comment;
    job_desc_msg_t first = *m;
    char more[30] = "", doubt[40];

    if (mark >> 2 > 0)
        snprintf(more, sizeof more, ";priority=%u", mark >> 2);
    if (is_one_part(m->job_id_str))
        return update(m, comment, more);
    if ((mark & 3) == 2) /* held: the gate sees that itself */
        return update(m, comment, more) < 0 ? -1 : verb("uhold", m->job_id_str);
    first.begin_time = 0;
    snprintf(doubt, sizeof doubt, "%s%s", more,
        fresh             ? ";new"
        : (mark & 3) == 0 ? ";back"
                          : "");
    if (update(&first, "maui:keep", doubt) < 0 || verb("uhold", m->job_id_str) < 0)
        return -1;
    return update(m, comment, more);
}

static int limit(const job_desc_msg_t *m)
{
    struct strbuf b = {0};
    char text[20], record[48];

    limit_text(m, text, sizeof text);
    name_record(m->job_id_str, record);
    strbuf_printf(&b, "update jobid=%s timelimit=%s", record, text);
    return order(&b);
}

static int note(const job_desc_msg_t *m)
{
    struct words w = {0};
    struct strbuf begin = {0};
    char record[48];

    name_record(m->job_id_str, record);
    add_word(&w, "scontrol", "");
    add_word(&w, "update", "");
    add_word(&w, "jobid=", record);
    add_word(&w, "admincomment=", m->admin_comment);
    add_begin(&begin, m);
    if (begin.len > 0)
        add_word(&w, begin.text + 1, "");
    free(begin.text);
    return run_words(&w);
}

int slurm_update_job2(job_desc_msg_t *m, job_array_resp_msg_t **ret)
{
    (void)ret;
    if (m->priority == INFINITE)
        return start(m);
    if (m->priority == 0 && m->admin_comment != NULL)
        return keep(m);
    if (m->priority == NO_VAL && m->req_nodes != NULL)
        return update(m, m->admin_comment, "");
    if (m->priority == 0)
        return verb(m->alloc_sid == NO_VAL ? "hold" : "uhold", m->job_id_str);
    return m->admin_comment != NULL ? note(m) : limit(m);
}

void slurm_free_job_array_resp(job_array_resp_msg_t *answers)
{
    (void)answers;
}

int slurm_kill_job2(const char *id, uint16_t sig, uint16_t flags, const char *sibling)
{
    char number[12];
    const char *const all[] = {"scancel", id, NULL};
    const char *const one[] = {"scancel", "-s", number, id, NULL};

    (void)flags;
    (void)sibling;
    snprintf(number, sizeof number, "%u", sig);
    return pipe_run(sig == SIGKILL ? all : one);
}

int slurm_suspend2(char *id, job_array_resp_msg_t **ret)
{
    (void)ret;
    return verb("suspend", id);
}

int slurm_resume2(char *id, job_array_resp_msg_t **ret)
{
    (void)ret;
    return verb("resume", id);
}

int slurm_requeue2(char *id, uint32_t flags, job_array_resp_msg_t **ret)
{
    (void)ret;
    return verb(flags == JOB_REQUEUE_HOLD ? "requeuehold" : "requeue", id);
}
