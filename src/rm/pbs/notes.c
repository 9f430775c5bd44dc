/* SPDX-License-Identifier: Apache-2.0
 * What the scheduler makes of a job that waits, where `qstat -s` and `qstat -f` show
 * it: in the job's comment, which its owner does not write.
 *
 *     waits for 8 processors until about 14:30 (checkjob 63)
 *
 * The server writes each down, which takes it 10 ms and more, and says in it itself
 * when a job is held or run. So they are few a second, none while starts are awaited,
 * and all together take a tenth of its time at most, a fiftieth while jobs start; as
 * commands, which cost a port each, it is one a look. */
#include "base/utf8.h"
#include "base/xalloc.h"
#include "rm/adapter/clock.h"
#include "rm/pbs/pbs.h"

#define TEXT_MAX   200
#define COMMENT    "comment="
#define IDLE_PARTS 9
#define BUSY_PARTS 49 /* while jobs start: these wait for the server */
#define BUSY_MS    5000

/* As the value of -W: qalter takes no second '=' in it. Owned. */
static char *clean_text(const char *text)
{
    struct strbuf b = {0};

    strbuf_add(&b, COMMENT);
    utf8_add_line(&b, text, TEXT_MAX, "=,\"'\\");
    return strbuf_take(&b);
}

void pbs_note(struct pbs_adapter *p, const struct rm_note *n)
{
    struct pbs_told *t = p->notes.rate > 0 ? listing_find(p->jobs, n->job) : NULL;

    if (t == NULL)
        return;
    free(t->note);
    t->note = clean_text(n->text);
}

static void on_noted(void *ctx, const struct run_end *end)
{
    struct pbs_adapter *p = ctx;
    int64_t now = clock_ms();
    int parts = now - p->notes.started_ms < BUSY_MS ? BUSY_PARTS : IDLE_PARTS;

    (void)end; /* nothing depends on it */
    if (--p->notes.on_way == 0)
        p->notes.again_ms = now + (now - p->notes.begun_ms) * parts;
}

/* Members of an array have no comment of their own: the array has that of the first
 * that waits. */
static bool is_first(const struct pbs_answer *a, size_t i)
{
    const struct pbs_job *j = &a->jobs.v[i];

    return j->array == NULL || i == 0 || a->jobs.v[i - 1].array == NULL
           || strcmp(a->jobs.v[i - 1].array, j->array) != 0
           || job_has_begun(a->jobs.v[i - 1].rm.desc.state);
}

/* After a restart, and when all is told anew, most of them are there. */
static bool is_written(
    const struct pbs_answer *a, const struct pbs_job *j, const char *note)
{
    const struct pbs_job *bearer = j->array != NULL ? pbs_find_job(a, j->array) : j;

    return bearer != NULL && bearer->comment != NULL
           && strcmp(bearer->comment, note + strlen(COMMENT)) == 0;
}

static void write_note(struct pbs_adapter *p, const struct pbs_job *j, const char *text)
{
    char *name = j->array != NULL ? pbs_array_name(j->name) : xstrdup(j->name);
    const char *const argv[] = {"qalter", "-W", text, name, NULL};

    p->notes.on_way++;
    pbs_run(p, false, argv, on_noted, p);
    free(name);
}

void pbs_write_notes(struct pbs_adapter *p)
{
    const struct pbs_answer *a = &p->jobs_answer;
    int64_t now = clock_ms(), passed_ms = now - p->notes.begun_ms;
    size_t most = !pbs_is_lined(p) ? 1 : (size_t)(p->notes.rate * passed_ms / 1000);

    if (p->notes.on_way > 0 || most == 0 || now < p->notes.again_ms
        || pending_count(agent_orders(p->agent)) > 0)
        return;
    p->notes.begun_ms = now;
    if (most > p->notes.rate)
        most = p->notes.rate;
    for (size_t i = 0; i < a->jobs.n && most > 0; i++) {
        const struct pbs_job *j = &a->jobs.v[i];
        struct pbs_told *t = j->parent ? NULL : listing_find(p->jobs, j->rm.desc.id);

        if (t == NULL || t->note == NULL || t->ordered || t->asking)
            continue;
        if (t->waiting && is_first(a, i) && !is_written(a, j, t->note)) {
            write_note(p, j, t->note);
            most--;
        }
        free(t->note);
        t->note = NULL;
    }
}
