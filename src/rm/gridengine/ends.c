/* SPDX-License-Identifier: Apache-2.0
 * Lines of the accounting file, one for each run that ended. */
#include "rm/gridengine/answers.h"

#include <stdio.h>

/* accounting(5) */
enum {
    QUEUE = 0,
    HOST = 1,
    GROUP = 2,
    OWNER = 3,
    NAME = 4,
    NUMBER = 5,
    ACCOUNT = 6,
    SUBMIT = 8,
    START = 9,
    END = 10,
    FAILED = 11,
    STATUS = 12,
    WALLCLOCK = 13,
    PROJECT = 31,
    SLOTS = 34,
    TASK = 35,
    CPU = 36,
    CATEGORY = 39,
    PE_TASK = 41,
    MAXVMEM = 42,
    FIELDS = 43
};

#define AFTER_JOB   100 /* of `failed`: it was killed */
#define RESCHEDULED 25
#define BY_EXIT_99  24
#define KILLED      137

struct run {
    const char *field[FIELDS];
    size_t len[FIELDS];
};

/* "0.000000": how numbers with a fraction are written, and no identifier. */
static bool is_fraction(const char *at, size_t n)
{
    size_t whole = strspn(at, "0123456789"), part;

    if (whole == 0 || whole >= n || at[whole] != '.')
        return false;
    part = strspn(at + whole + 1, "0123456789");
    return part > 0 && whole + 1 + part == n;
}

/* The category is what the user asked for, colons and all (-l arch=a:b), and nothing is
 * written there in place of them. So what follows it is found from the end of the line:
 * a number, a task's name, a number. */
static bool find_tail(const char *from, const char *end, struct run *ret)
{
    const char *field[4] = {0};
    size_t len[4] = {0};

    for (const char *to = end; to > from;) {
        const char *colon = memrchr(from, ':', (size_t)(to - from));

        if (colon == NULL)
            return false;
        memmove(field + 1, field, 3 * sizeof *field);
        memmove(len + 1, len, 3 * sizeof *len);
        field[0] = colon + 1;
        len[0] = (size_t)(to - colon - 1);
        if (field[2] != NULL && is_fraction(field[0], len[0])
            && is_fraction(field[2], len[2])) {
            ret->field[CATEGORY] = from;
            ret->len[CATEGORY] = (size_t)(colon - from);
            memcpy(ret->field + CATEGORY + 1, field, 3 * sizeof *field);
            memcpy(ret->len + CATEGORY + 1, len, 3 * sizeof *len);
            return true;
        }
        to = colon;
    }
    return false;
}

/* No other field can have a colon: the master refuses it in names. */
static bool split_line(const char *at, size_t n, struct run *ret)
{
    const char *end = at + n;

    for (int i = 0; i < FIELDS; i++) {
        const char *colon = memchr(at, ':', (size_t)(end - at));

        if (i == CATEGORY && find_tail(at, end, ret))
            return true;
        ret->field[i] = at;
        ret->len[i] = (size_t)((colon != NULL ? colon : end) - at);
        if (colon == NULL)
            return i == FIELDS - 1;
        at = colon + 1;
    }
    return true;
}

static double number_of(const struct run *r, int field)
{
    char text[40];
    double n;

    snprintf(text, sizeof text, "%.*s", (int)(r->len[field] < 39 ? r->len[field] : 39),
        r->field[field]);
    n = strtod(text, NULL);
    return n >= 0 && n < 1e15 ? n : 0;
}

static bool is_text(const struct run *r, int field, const char *text)
{
    return r->len[field] == strlen(text)
           && memcmp(r->field[field], text, r->len[field]) == 0;
}

/* Seconds; some versions write milliseconds. */
static int64_t instant_of(const struct run *r, int field)
{
    double n = number_of(r, field);

    return (int64_t)(n > 1e11 ? n / 1000 : n);
}

/* Of the job as a whole; a run that was rescheduled is no end. */
static bool is_end(const struct run *r)
{
    int failed = (int)number_of(r, FAILED);

    return r->len[NUMBER] > 0 && is_text(r, PE_TASK, "NONE") && failed != RESCHEDULED
           && failed != BY_EXIT_99;
}

static const char *text_of(struct arena *arena, const struct run *r, int field)
{
    return r->len[field] > 0 && !is_text(r, field, "NONE")
               ? arena_text(arena, r->field[field], r->len[field])
               : NULL;
}

/* "-l h_rt=600,h_vmem=512M -pe mpi 6" */
static int64_t limit_of(const char *category)
{
    const char *at = category != NULL ? strstr(category, "h_rt=") : NULL;
    char text[40];
    int64_t s;

    if (at == NULL)
        return 0;
    snprintf(text, sizeof text, "%.*s", (int)strcspn(at + 5, ", "), at + 5);
    s = ge_seconds(text);
    return s > 0 ? s : 0;
}

static void judge_end(struct rm_job *j, struct arena *arena, const struct run *r)
{
    int failed = (int)number_of(r, FAILED), status = (int)number_of(r, STATUS);
    double ran = number_of(r, WALLCLOCK);
    int64_t limit = j->desc.wclimit_s;

    j->exit_status = status < 256 ? status : 255;
    if (failed != 0 && failed != AFTER_JOB) {
        j->end.reason = ENDED_START;
        j->exit_status = status != 0 ? j->exit_status : 1;
        j->end.said = arena_printf(arena, "Grid Engine gives failure %d", failed);
    } else if (status == KILLED && limit > 0 && ran >= (double)limit) {
        j->end.reason = ENDED_WALLCLOCK;
        j->end.limit = (double)limit;
        j->end.used = ran;
    } else if (status > 128 && status < 193) {
        j->end.reason = ENDED_SIGNAL;
        j->end.used = status - 128;
    } else {
        j->end.reason = ENDED_BY_ITSELF;
    }
}

/* Without a parallel environment one slot on its host; of others only how many is
 * known. */
static void read_run(struct ge_job *j, struct arena *arena, const struct run *r)
{
    struct job_desc *d = &j->rm.desc;
    struct req_desc *q = arena_take(arena, 1, sizeof *q);
    struct job_place *place = arena_take(arena, 1, sizeof *place);
    double slots = number_of(r, SLOTS);

    *q = (struct req_desc){.tasks = slots >= 1 && slots < 1e6 ? (uint32_t)slots : 1,
        .access = ACCESS_UNSET,
        .nodealloc = NODEALLOC_UNSET};
    q->per_task.v[RES_PROCS] = 1;
    d->reqs = q;
    d->nreqs = 1;
    *place = (struct job_place){text_of(arena, r, HOST), q->tasks, 0};
    if (q->tasks == 1 && place->node != NULL) {
        j->rm.places = place;
        j->rm.nplaces = 1;
    }
}

static struct ge_job read_end(struct arena *arena, const struct run *r)
{
    const char *task = text_of(arena, r, TASK), *queue = text_of(arena, r, QUEUE);
    struct ge_job j = {.number = text_of(arena, r, NUMBER)};
    struct job_desc *d = &j.rm.desc;

    if (task != NULL && *task >= '1' && *task <= '9')
        j.task = task;
    d->id = j.task ? arena_printf(arena, "%s[%s]", j.number, j.task) : j.number;
    d->state = JOB_COMPLETED;
    d->cred[CRED_USER] = text_of(arena, r, OWNER);
    d->cred[CRED_GROUP] = text_of(arena, r, GROUP);
    d->cred[CRED_ACCOUNT] = text_of(arena, r, PROJECT);
    if (d->cred[CRED_ACCOUNT] == NULL && !is_text(r, ACCOUNT, "sge"))
        d->cred[CRED_ACCOUNT] = text_of(arena, r, ACCOUNT);
    if (queue != NULL && strncmp(queue, GE_OWN_QUEUE, strlen(GE_OWN_QUEUE)) != 0)
        d->cred[CRED_CLASS] = queue;
    d->submit_at = instant_of(r, SUBMIT);
    d->wclimit_s = limit_of(text_of(arena, r, CATEGORY));
    j.rm.name = text_of(arena, r, NAME);
    j.rm.start_at = instant_of(r, START);
    j.rm.end_at = instant_of(r, END);
    j.rm.cpu_s = number_of(r, CPU);
    j.rm.mem_mb = (int64_t)(number_of(r, MAXVMEM) / 1048576) + 1;
    j.rm.swap_mb = j.rm.disk_mb = -1;
    read_run(&j, arena, r);
    judge_end(&j.rm, arena, r);
    return j;
}

void ge_read_ends(struct ge_jobs *ret, const char *text, size_t len, int64_t since)
{
    *ret = (struct ge_jobs){0};
    for (size_t at = 0; at < len;) {
        const char *end = memchr(text + at, '\n', len - at);
        size_t n = end != NULL ? (size_t)(end - text) - at : len - at;
        struct run r;

        if (end != NULL && split_line(text + at, n, &r) && is_end(&r)
            && instant_of(&r, END) >= since)
            vec_push(&ret->list, read_end(&ret->arena, &r));
        at += n + 1;
    }
    ge_sort_jobs(ret);
}
