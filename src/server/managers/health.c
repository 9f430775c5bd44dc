/* SPDX-License-Identifier: Apache-2.0
 * Does a resource manager answer, and how fast? */
#define LOG_FACILITY FACILITY_RM
#include "config/settings.h"
#include "server/events/eventlog.h"
#include "server/managers/private.h"
#include "server/render/render.h"
#include "server/server_private.h"

#define FAILURES_KEPT 3
#define RECOVERY_S    60 /* what is not told by then is gone: jobs that two looks miss */

struct failure {
    int64_t at;
    char function[40], text[200];
};

/* What is not well of a manager that sees its jobs and starts them nevertheless. */
struct ailment {
    char function[40], text[200];
};

struct health {
    bool up;
    struct VEC(struct ailment) ailments;
    struct failure failures[FAILURES_KEPT];
    uint32_t nfailures;
    int64_t failing;                  /* looks in a row that found it down */
    bool told;                        /* administrators know */
    bool sees;                        /* its jobs are seen */
    int64_t unseen_at, seen_again_at; /* when they last were not any more, and again */
    uint64_t answers; /* to submissions and orders, and how long they took */
    double answer_s, answer_max_s;
};

struct health *health_new(void)
{
    struct health *h = xcalloc(1, sizeof *h);

    h->up = h->sees = true;
    return h;
}

void health_free(struct health *h)
{
    if (h != NULL)
        vec_fini(&h->ailments);
    free(h);
}

uint64_t manager_clock(const struct manager *m)
{
    uint64_t now = 0;

    sd_event_now(m->s->loop, CLOCK_MONOTONIC, &now);
    return now;
}

double manager_count_answer(struct manager *m, uint64_t sent_us)
{
    uint64_t now = manager_clock(m);
    double seconds = now > sent_us ? (double)(now - sent_us) / 1e6 : 0;
    struct health *h = m->health;

    h->answers++;
    h->answer_s += seconds;
    if (seconds > h->answer_max_s)
        h->answer_max_s = seconds;
    return seconds;
}

/* After APIFAILURETHRESHHOLD looks in a row administrators are told. */
static void count_failing(struct manager *m)
{
    struct health *h = m->health;
    const struct failure *f = &h->failures[(h->nfailures - 1) % FAILURES_KEPT];

    if (++h->failing < m->s->config->settings->daemon.rm_failures_max || h->told)
        return;
    h->told = true;
    eventlog_add(m->s, RMFAILURE, managers_label(m), true, NULL,
        "the resource manager %s fails: %s: %s", managers_label(m), f->function,
        f->text);
}

static void note_recovery(struct manager *m)
{
    struct health *h = m->health;

    h->failing = 0;
    if (h->told)
        eventlog_add(m->s, RMRECOVERED, managers_label(m), true, NULL,
            "the resource manager %s answers again", managers_label(m));
    h->told = false;
}

/* Is it an ailment and no outage? */
static bool is_minor(const char *function)
{
    static const char *const all[] = {
        "clock", "events", "heartbeat", "marks", "settings", "jobmodify"};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(function, all[i]) == 0)
            return true;
    return false;
}

/* Jobs are seen, or not, from now on. Not for a moment amid a recovery is a part of it.
 */
static void note_sight(struct manager *m, bool sees)
{
    struct health *h = m->health;
    int64_t now = world_now(m->s);

    if (!sees && h->sees) {
        if (now - h->seen_again_at > RECOVERY_S)
            h->unseen_at = now;
        rmjobs_lose_sight(m);
    } else if (sees && !h->sees) {
        h->seen_again_at = now;
    }
    h->sees = sees;
    managers_tell_away(m);
}

bool health_sees(const struct manager *m)
{
    return m->health->sees;
}

int64_t health_last_seen(const struct manager *m, int64_t now)
{
    const struct health *h = m->health;

    return !h->sees || now - h->seen_again_at <= RECOVERY_S ? h->unseen_at : now;
}

static void end_ailment(struct health *h, const char *function)
{
    for (size_t i = h->ailments.n; i-- > 0;)
        if (strcmp(h->ailments.v[i].function, function) == 0)
            vec_remove(&h->ailments, i);
}

static void note_ailment(struct health *h, const char *function, const char *text)
{
    struct ailment x = {0};

    end_ailment(h, function);
    snprintf(x.function, sizeof x.function, "%s", function);
    snprintf(x.text, sizeof x.text, "%s", text);
    vec_push(&h->ailments, x);
}

static const struct failure *note_failure(struct manager *m, const struct rm_report *r)
{
    struct health *h = m->health;
    struct failure *f = &h->failures[h->nfailures++ % FAILURES_KEPT];
    bool several = managers_several(m->s);

    *f = (struct failure){.at = r->at};
    snprintf(f->function, sizeof f->function, "%s", r->u.health.function);
    snprintf(f->text, sizeof f->text, "%s", r->u.health.text);
    log_line(m->s->log, LOG_ALERT, "resource manager%s%s: %s: %s", several ? " " : "",
        several ? m->name : "", f->function, f->text);
    return f;
}

void health_told(struct manager *m, const struct rm_report *r)
{
    struct health *h = m->health;

    if (r->u.health.function != NULL && is_minor(r->u.health.function)) {
        if (r->u.health.up)
            end_ailment(h, r->u.health.function);
        else
            note_ailment(h, note_failure(m, r)->function, r->u.health.text);
        return;
    }
    note_sight(m, r->u.health.up);
    h->up = r->u.health.up;
    if (h->up) {
        note_recovery(m);
        return;
    }
    if (strcmp(r->u.health.function, "connection") == 0)
        rmjobs_begin_anew(m);
    if (strcmp(r->u.health.function, "connection") == 0 && !m->away) {
        m->away = true;
        managers_tell_away(m);
        cycle_want(m->s); /* the others may not be kept waiting for it any more */
    }
    note_failure(m, r);
    count_failing(m);
}

void health_look(struct manager *m)
{
    if (!m->health->up)
        count_failing(m);
}

bool health_is_up(const struct manager *m)
{
    return m->rm && m->health->up;
}

const char *health_last_failure(const struct manager *m)
{
    const struct health *h = m->health;

    if (h->up || h->nfailures == 0)
        return NULL;
    return h->failures[(h->nfailures - 1) % FAILURES_KEPT].text;
}

/* schedctl -f makes it look down. */
static const char *state_name(const struct manager *m)
{
    return m->health->up && !m->s->control.rm_failure_until ? "Active" : "Down";
}

static json_t *list_warnings(const struct manager *m)
{
    const struct health *h = m->health;
    json_t *all = json_array();
    const char *id = NULL;
    size_t n = outbox_count_refused(m, &id);

    for (size_t i = 0; i < h->ailments.n; i++)
        json_array_append_new(all,
            json_sprintf("%s: %s", h->ailments.v[i].function, h->ailments.v[i].text));
    if (n == 1)
        json_array_append_new(
            all, json_sprintf("cancel: that of job '%s' is refused", id));
    else if (n)
        json_array_append_new(all,
            json_sprintf("cancel: those of %zu jobs are refused, as of '%s'", n, id));
    return all;
}

json_t *health_describe(const struct manager *m)
{
    const struct health *h = m->health;
    json_t *failures = json_array();

    for (uint32_t i = 0; i < h->nfailures && i < FAILURES_KEPT; i++) {
        const struct failure *f = &h->failures[(h->nfailures - 1 - i) % FAILURES_KEPT];
        json_array_append_new(
            failures, json_pack("{s:I, s:s, s:s}", "at", (json_int_t)f->at, "function",
                          f->function, "message", f->text));
    }
    json_t *o = json_pack("{s:s, s:s, s:s, s:I, s:o}", "name", managers_label(m),
        "type", m->driver->type, "state", state_name(m), "calls",
        (json_int_t)h->answers, "failures", failures);
    json_t *warnings = list_warnings(m);
    if (json_array_size(warnings))
        json_object_set(o, "warnings", warnings);
    json_decref(warnings);
    if (h->answers) {
        render_real(o, "average_s", h->answer_s / (double)h->answers);
        render_real(o, "max_s", h->answer_max_s);
    }
    return o;
}
