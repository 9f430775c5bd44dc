/* SPDX-License-Identifier: Apache-2.0
 * Any bytes as what people ask of the daemon: an answer or a sentence that says what is
 * wrong. The first byte says what it is: a submission, a reservation, a change of a
 * job, a job expression, a line of the journal, a question of what would be. */
#include "base/xalloc.h"
#include "journal/event.h"
#include "server/drafts/jobexpr.h"
#include "server/drafts/modify.h"
#include "server/drafts/reservation.h"
#include "server/drafts/submission.h"
#include "server/whatif/trial.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define RUNS_A_CLUSTER 1000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int to_instant(void *ctx, const struct civil *w, int64_t *ret_at)
{
    (void)ctx;
    *ret_at = (int64_t)w->year * 31104000 + (w->month - 1) * 2592000 + w->day * 86400
              + w->hour * 3600 + w->minute * 60 + w->second;
    return 0;
}

static struct cluster *small_cluster(const struct settings *cfg)
{
    static const char *const ids[] = {"1", "2", "12", "7[1]", "7[2]", "host.9"};
    struct cluster *c = cluster_create(cfg);
    struct req_desc one = {.tasks = 1};
    struct node_desc n = {.name = "n1", .cfg = {{4, 100}}};
    struct err err;

    node_report(c, &n, 0, NULL, &err);
    n.name = "n2";
    node_report(c, &n, 0, NULL, &err);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        job_add(c, &(struct job_desc){.id = ids[i], .reqs = &one, .nreqs = 1}, 0, NULL,
            &err);
    return c;
}

/* What is refused is refused with words. */
static void told(bool ok, const struct err *err)
{
    assert(ok || (err->code != ERR_NONE && *err->text));
}

static void submission(json_t *o)
{
    const struct identity who = {.user = "ann", .group = "phys", .uid = 5, .gid = 5};
    struct err err = {0};
    struct submit_draft *d = submitdraft_read(o, &who, &err);

    told(d != NULL, &err);
    if (d) {
        const struct job_desc *desc = &submitdraft_submission(d)->job.desc;
        assert(desc->nreqs >= 1);
        json_t *out = journal_event(
            NULL, NULL, &(struct event){.kind = EVENT_SUBMIT, .u.job = *desc});
        char *text = json_dumps(out, JSON_COMPACT);
        assert(text);
        free(text);
        json_decref(out);
    }
    submitdraft_free(d);
}

static void reservation(struct cluster *c, json_t *o)
{
    const struct calendar cal = {
        .now = 1000000, .today = {2026, 11, 21, 12, 0, 0}, .to_instant = to_instant};
    struct reservation draft;
    struct err err = {0};
    bool ok = rsvasked_read(c, &cal, o, RSV_ADMIN, &draft, &err) == 0;

    told(ok, &err);
    if (ok)
        reservation_fini(&draft);
}

static void change(const struct cluster *c, json_t *o, bool known)
{
    struct req_desc req = {.tasks = 2};
    struct job_desc d = {.id = "12", .reqs = &req, .nreqs = 1, .wclimit_s = 60};
    struct err err = {0};
    struct modified *m =
        modify_desc(json_incref(o), &d, known ? job_find(c, "12") : NULL, &err);

    told(m != NULL, &err);
    modified_free(m);
}

static void expression(const struct cluster *c, const char *text)
{
    struct job_choices chosen = {0};
    struct err err = {0};

    told(jobexpr_match(c, text, &chosen, &err) == 0, &err);
    jobexpr_fini(&chosen);
}

static void line(struct cluster *c, json_t *o)
{
    struct journal_read read;
    struct err err = {0};

    told(journal_read(&read, "line", o, c, &err) == 0, &err);
    journal_read_close(&read);
}

static void question(const json_t *o)
{
    char field[40] = "", kinds[64];
    struct err err = {0};
    bool ok = trial_check(o, field, sizeof field, &err) == 0;

    told(ok, &err);
    assert(ok || *field);
    if (!ok)
        return;
    trial_describe(o, kinds, sizeof kinds);
    assert(*kinds && strlen(kinds) < sizeof kinds);
}

/* Names that requests bring along stay in a cluster: a fresh one now and then. */
static struct cluster *cluster_now(void)
{
    static struct settings *cfg;
    static struct cluster *c;
    static unsigned runs;

    if (c && ++runs % RUNS_A_CLUSTER)
        return c;
    if (c) {
        cluster_destroy(c);
        settings_destroy(cfg);
    }
    cfg = settings_create();
    c = small_cluster(cfg);
    return c;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    struct cluster *c = cluster_now();
    char *text = xstrndup((const char *)data + 1, size - 1);
    json_t *o = json_loadb((const char *)data + 1, size - 1, JSON_DECODE_ANY, NULL);

    if (*data % 8 == 3)
        expression(c, text);
    else if (o && *data % 8 == 0)
        submission(o);
    else if (o && *data % 8 == 1)
        reservation(c, o);
    else if (o && (*data % 8 == 2 || *data % 8 == 5))
        change(c, o, *data % 8 == 5);
    else if (o && *data % 8 == 4)
        line(c, o);
    else if (o && *data % 8 == 6)
        question(o);
    json_decref(o);
    free(text);
    return 0;
}
