/* SPDX-License-Identifier: Apache-2.0
 * What the scheduler makes of a job that waits, where qstat -j shows it: in the job's
 * context.
 *
 *     context:   maui_why=waits for 8 processors until about 14:30 (checkjob 63)
 *
 * Each is a command of its own, so that they are written a few at a time. */
#include "base/strbuf.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "rm/adapter/clock.h"
#include "rm/gridengine/gridengine.h"

#define AT_ONCE  3    /* notes a look */
#define BUSY_MS  3000 /* after a start: then one, as what waits may be next */
#define TEXT_MAX 200
#define NAME     "maui_why="

/* As the value of a variable of a list; owned. */
static char *clean_text(const char *text)
{
    struct strbuf b = {0};

    strbuf_add(&b, NAME);
    utf8_add_line(&b, text, TEXT_MAX, "=");
    for (size_t i = strlen(NAME); i < b.len; i++)
        if (b.text[i] == ',')
            b.text[i] = ';';
    return strbuf_take(&b);
}

void ge_note(struct ge_adapter *g, const struct rm_note *n)
{
    struct ge_told *t = listing_find(g->jobs, n->job);

    if (t == NULL)
        return;
    free(t->note);
    t->note = clean_text(n->text);
}

static void on_noted(void *ctx, const struct run_end *end)
{
    struct ge_adapter *g = ctx;

    (void)end; /* nothing depends on it */
    g->noting--;
}

/* An array has one context: that of its first task that waits. */
static bool is_first(const struct ge_adapter *g, size_t i)
{
    const struct ge_job *v = g->jobs_answer.list.v;

    return i == 0 || strcmp(v[i - 1].number, v[i].number) != 0
           || !ge_is_waiting(&v[i - 1]);
}

void ge_write_notes(struct ge_adapter *g)
{
    const struct ge_jobs *a = &g->jobs_answer;
    unsigned most = clock_ms() - g->let_go_ms < BUSY_MS ? 1 : AT_ONCE;

    for (size_t i = 0; i < a->list.n && g->noting < most; i++) {
        const struct ge_job *j = &a->list.v[i];
        struct ge_told *t = listing_find(g->jobs, j->rm.desc.id);

        if (t == NULL || t->note == NULL || t->step != STEP_NONE || t->tidying)
            continue;
        const char *const argv[] = {"qalter", "-ac", t->note, j->number, NULL};
        if (ge_is_waiting(j) && is_first(g, i)) {
            g->noting++;
            ge_run(g, false, argv, on_noted, g);
        }
        free(t->note);
        t->note = NULL;
    }
}
