/* SPDX-License-Identifier: Apache-2.0
 * What the scheduler makes of a job that waits, where Slurm's own commands show it: in
 * the administrator's comment, which users read and do not write, and, where a start is
 * expected, as the job's begin time (squeue --start), which means nothing to a job at
 * priority 0.
 *
 *     maui: waits for 8 processors until about 14:30 (checkjob 63) #1764081000
 *                                                                   the begin time is
 *                                                                   ours, not the
 * user's
 *
 * A begin time that is not the one in the comment is its owner's and left alone. Notes
 * are written in bursts, the first to start first: each write makes Slurm's table of
 * jobs another one, which all who look at it then read. */
#include "base/utf8.h"
#include "base/xalloc.h"
#include "rm/slurm/job.h"

#include <stdio.h>

#define BURST_MS 2500
#define MARK     "maui: "
#define NEW      "new" /* as the gate writes it */
#define TEXT_MAX 300
#define MARGIN_S 60 /* a start sooner than that is not worth a begin time */

void adapter_open_notes(struct adapter *a, const char *rate)
{
    char *end;
    long n = rate != NULL ? strtol(rate, &end, 10) : -1;

    a->notes_rate = n >= 0 && n <= 1000 && *end == '\0' ? (int)n : NOTES_RATE;
}

/* As scontrol can print it between fields "Key=value" and in quotes: a genitive goes
 * without its 's; owned. */
static char *clean_text(const char *text)
{
    struct strbuf plain = {0}, b = {0};

    for (const char *p = text; *p != '\0'; p++)
        if (p[0] == '\'' && p[1] == 's' && p[2] == ' ')
            p++;
        else
            strbuf_add_n(&plain, p, 1);
    strbuf_add(&b, "");
    utf8_add_line(&b, plain.text != NULL ? plain.text : "", TEXT_MAX, "=\"'");
    free(plain.text);
    return strbuf_take(&b);
}

void adapter_take_note(struct adapter *a, const struct rm_note *n)
{
    struct told_job *t = a->notes_rate > 0 ? jobs_find(a, n->job) : NULL;

    if (t == NULL)
        return;
    free(t->note);
    t->note = clean_text(n->text);
    t->note_start = n->start_at > 0 ? n->start_at + a->ahead_s : 0;
    a->notes_due = true;
}

bool notes_is_text(const char *comment)
{
    return comment != NULL && strncmp(comment, MARK, strlen(MARK)) == 0;
}

bool notes_is_new(const char *comment)
{
    return notes_is_text(comment)
           && strncmp(comment + strlen(MARK), NEW, strlen(NEW)) == 0;
}

/* The begin time that a note gave the job, 0 = none. */
static time_t begin_in(const char *comment)
{
    const char *at = notes_is_text(comment) ? strrchr(comment, '#') : NULL;

    return at != NULL ? (time_t)strtoll(at + 1, NULL, 10) : 0;
}

bool notes_has_begin(const struct adapter *a, const slurm_job_info_t *j)
{
    return j->eligible_time > times_theirs(a)
           && (j->eligible_time == begin_in(j->admin_comment)
               || j->eligible_time == AWAIT_BEGIN || j->eligible_time == AWAIT_BEFORE);
}

time_t notes_release_at(const struct adapter *a, const slurm_job_info_t *j)
{
    return j->eligible_time > times_theirs(a) && !notes_has_begin(a, j)
               ? j->eligible_time
               : 0;
}

/* ---- which ---- */

struct candidate {
    const slurm_job_info_t *j;
    char *comment; /* owned */
    time_t begin;  /* 0 = no other than it has */
    time_t order;
};

/* The job that the record is told as: of an array its first task. */
static const struct told_job *job_of(struct adapter *a, const slurm_job_info_t *j)
{
    char id[48];

    if (j->array_task_str != NULL && *j->array_task_str && j->array_task_id == NO_VAL)
        snprintf(id, sizeof id, "%u_%lu", j->array_job_id,
            strtoul(j->array_task_str, NULL, 10));
    else if (j->het_job_id != 0)
        snprintf(id, sizeof id, "%u", j->het_job_id);
    else if (j->array_job_id != 0 && j->array_task_id != NO_VAL)
        snprintf(id, sizeof id, "%u_%u", j->array_job_id, j->array_task_id);
    else
        snprintf(id, sizeof id, "%u", j->job_id);
    return jobs_find(a, id);
}

/* The word, alone or with the restart behind it. */
static bool has_word(const char *comment, const char *word)
{
    const char *rest = comment + strlen(word);

    return strncmp(comment, word, strlen(word)) == 0
           && (*rest == '\0'
               || strncmp(rest, COMMENT_RESTART, strlen(COMMENT_RESTART)) == 0);
}

/* It is kept, and its comment says no more than that. */
static bool takes_note(const slurm_job_info_t *j)
{
    const char *c = j->admin_comment;

    return (j->job_state & JOB_STATE_BASE) == JOB_PENDING && j->priority == 0
           && job_mark(j) == MARK_KEPT
           && (c == NULL || *c == '\0'
               || has_word(c, COMMENT_KEPT)
               /* the site factor has it as well, where that is seen */
               || (UPDATE_TAKES_TASKS
                   && strncmp(c, COMMENT_PRIORITY, sizeof COMMENT_PRIORITY - 1) == 0)
               || has_word(c, COMMENT_HELD) || notes_is_text(c));
}

/* A stale note is not to stand beside a hold. */
static bool is_held_with_note(const slurm_job_info_t *j)
{
    return (j->job_state & JOB_STATE_BASE) == JOB_PENDING && j->priority == 0
           && job_mark(j) == MARK_HELD && notes_is_text(j->admin_comment);
}

/* It runs and never comes back: what a start noted for that case is of no use. */
static bool is_used_up(const slurm_job_info_t *j)
{
    return (j->job_state & JOB_STATE_BASE) == SLURM_JOB_RUNNING && j->requeue == 0
           && j->het_job_id == 0 && asked_is_text(j->admin_comment);
}

static bool is_start_shown(
    const struct adapter *a, const struct told_job *t, const slurm_job_info_t *j)
{
    /* scontrol's tasks that split off an array keep its begin time, without our mark */
    bool apart = UPDATE_TAKES_TASKS || j->array_job_id == 0;

    return apart && t->switch_until == 0 && t->note_start > times_theirs(a) + MARGIN_S
           && j->deadline == 0 && notes_release_at(a, j) == 0;
}

/* A hold of the restart that the job came back with is marked, whatever stands here. */
static void add_restart(struct strbuf *b, const struct told_job *t)
{
    if (t->requeue_held && !t->back_held)
        strbuf_printf(b, COMMENT_RESTART "%u", t->restarts);
}

static char *compose(const struct told_job *t, bool start)
{
    struct strbuf b = {0};

    strbuf_printf(&b, MARK "%s", t->note);
    add_restart(&b, t);
    if (start)
        strbuf_printf(&b, " #%lld", (long long)t->note_start);
    return strbuf_take(&b);
}

static char *compose_held(const struct told_job *t)
{
    struct strbuf b = {0};

    strbuf_add(&b, COMMENT_HELD);
    add_restart(&b, t);
    return strbuf_take(&b);
}

/* False: there is nothing to write, or nothing new. */
static bool make_candidate(
    struct adapter *a, const slurm_job_info_t *j, struct candidate *ret)
{
    const struct told_job *t = job_of(a, j);

    *ret = (struct candidate){.j = j};
    if (t == NULL)
        return false;
    if (is_used_up(j)) {
        ret->comment = asked_remark(j->admin_comment);
        if (ret->comment == NULL)
            ret->comment = xstrdup("");
    } else if (is_held_with_note(j)) {
        ret->comment = compose_held(t);
    } else if (takes_note(j) && t->note != NULL && t->waiting) {
        bool start = is_start_shown(a, t, j);
        ret->comment = compose(t, start);
        ret->begin = start ? t->note_start : 0;
        ret->order = t->note_start;
    } else {
        return false;
    }
    if (ret->begin == 0 && notes_has_begin(a, j))
        ret->begin = BEGIN_NOW;
    if (j->admin_comment == NULL || strcmp(ret->comment, j->admin_comment) != 0)
        return true;
    free(ret->comment);
    return false;
}

/* ---- writing ---- */

static bool is_alone(const job_info_msg_t *msg, const slurm_job_info_t *array)
{
    for (uint32_t i = 0; i < msg->record_count; i++)
        if (msg->job_array[i].array_job_id == array->array_job_id
            && &msg->job_array[i] != array)
            return false;
    return true;
}

/* What Slurm calls the record, or NULL where no name means it alone; owned. */
static char *name_record(const job_info_msg_t *msg, const slurm_job_info_t *j)
{
    const char *tasks = j->array_task_str;
    struct strbuf b = {0};

    if (j->het_job_id != 0)
        strbuf_printf(&b, "%u+%u", j->het_job_id, j->het_job_offset);
    else if (tasks == NULL || !*tasks || j->array_task_id != NO_VAL)
        strbuf_printf(&b, "%u", j->job_id);
    else if (UPDATE_TAKES_TASKS)
        strbuf_printf(
            &b, "%u_[%.*s]", j->array_job_id, (int)strcspn(tasks, "%"), tasks);
    else if (is_alone(msg, j))
        strbuf_printf(&b, "%u", j->array_job_id);
    else
        return NULL;
    return strbuf_take(&b);
}

/* What goes wrong is nobody's trouble: the job may have started meanwhile. */
static void write_note(const job_info_msg_t *msg, const struct candidate *c)
{
    char *id = name_record(msg, c->j);
    job_array_resp_msg_t *answers = NULL;
    job_desc_msg_t m;

    if (id == NULL)
        return;
    slurm_init_job_desc_msg(&m);
    m.job_id_str = id;
    m.admin_comment = c->comment;
    if (c->begin != 0)
        m.begin_time = c->begin;
    slurm_update_job2(&m, &answers);
    if (answers != NULL)
        slurm_free_job_array_resp(answers);
    free(id);
}

/* The first to start first; those of which that is not known at the end. */
static int compare(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    if ((x->order == 0) != (y->order == 0))
        return x->order == 0 ? 1 : -1;
    return x->order < y->order ? -1 : x->order > y->order;
}

bool notes_wait(const struct adapter *a)
{
    return a->notes_due && adapter_now_ms() >= a->noted_ms + BURST_MS;
}

void notes_write(struct adapter *a, const job_info_msg_t *msg)
{
    struct VEC(struct candidate) all = {0};
    size_t most = (size_t)a->notes_rate * BURST_MS / 1000;
    struct candidate c;

    if (a->notes_rate == 0)
        return;
    a->notes_due = adapter_now_ms() < a->noted_ms + BURST_MS;
    if (a->notes_due)
        return; /* something may have changed: later */
    for (uint32_t i = 0; i < msg->record_count; i++)
        if (make_candidate(a, &msg->job_array[i], &c))
            vec_push(&all, c);
    if (all.n > 0)
        qsort(all.v, all.n, sizeof *all.v, compare);
    if (most == 0)
        most = 1;
    for (size_t i = 0; i < all.n; i++) {
        if (i < most)
            write_note(msg, &all.v[i]);
        free(all.v[i].comment);
    }
    a->notes_due = all.n > most;
    if (all.n > 0)
        a->noted_ms = adapter_now_ms();
    vec_fini(&all);
}
