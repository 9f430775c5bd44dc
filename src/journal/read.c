/* SPDX-License-Identifier: Apache-2.0
 * Events out of the journal. Outside data: everything is checked. */
#include "journal/event.h"
#include "records/describe.h"
#include "records/fundsjson.h"
#include "records/jobmemory.h"
#include "records/quotajson.h"
#include "records/rsvjson.h"
#include "records/words.h"

#include <string.h>

/* A number that stands for one of an enumeration. */
static int choice(struct reader *r, const json_t *o, const char *key, int last)
{
    int64_t n = reader_int(r, o, key, 0);

    if (n > last) {
        reader_wrong(r, key, "known here");
        return 0;
    }
    return (int)n;
}

static struct actor read_actor(struct reader *r, const json_t *o)
{
    return (struct actor){.name = reader_text(r, o, "user"),
        .level = choice(r, o, "level", 5),
        .owns = reader_bool(r, o, "owns")};
}

static void read_job(
    struct journal_read *j, const json_t *o, const char *key, struct job_desc *ret)
{
    const json_t *job = json_object_get(o, key);
    const json_t *memory = json_object_get(job, "memory");

    *ret = (struct job_desc){0};
    describe_read_job(&j->reader, job, ret);
    if (!memory)
        return;
    jobmemory_read(memory, &j->memory);
    ret->memory = &j->memory;
}

static void read_change(struct journal_read *j, const json_t *o)
{
    struct reader *r = &j->reader;
    const json_t *change = json_object_get(o, "change");
    struct job_change *ch = &j->ev.u.modify.change;

    *ch = (struct job_change){
        .what = reader_u32(r, change, "what"), .req = reader_u32(r, change, "req")};
    read_job(j, o, "change", &ch->job);
    if (ch->job.nreqs)
        ch->to = ch->job.reqs[0];
}

static void read_rows(struct journal_read *j, const json_t *o, struct cluster *c)
{
    const json_t *list = reader_list(&j->reader, o, "rows");
    size_t n = json_array_size(list);
    struct fs_memory *rows = reader_take(&j->reader, n + 1, sizeof *rows);

    (void)c;
    for (size_t i = 0; i < n; i++) {
        const json_t *row = json_array_get(list, i);
        json_int_t kind = json_integer_value(json_array_get(row, 0));
        const char *name = json_string_value(json_array_get(row, 1));

        if (kind < 0 || kind > CRED_KINDS || !name) {
            reader_wrong(&j->reader, "rows", "a list of windows");
            return;
        }
        rows[i].kind = (enum cred_kind)kind;
        rows[i].name = kind < CRED_KINDS ? name : NULL;
        rows[i].at = json_integer_value(json_array_get(row, 2));
        for (size_t k = 3; k < json_array_size(row) && rows[i].n < FS_DEPTH_MAX; k++)
            rows[i].window[rows[i].n++] = json_number_value(json_array_get(row, k));
    }
    j->ev.u.fairshare.rows = rows;
    j->ev.u.fairshare.n = n;
}

static void read_history(struct journal_read *j, const json_t *o, struct cluster *c)
{
    const json_t *list = reader_list(&j->reader, o, "runs");
    size_t n = json_array_size(list);
    struct past_run *rows = reader_take(&j->reader, n + 1, sizeof *rows);

    (void)c;
    for (size_t i = 0; i < n; i++) {
        json_int_t run_s, limit_s, procs;
        if (json_unpack(json_array_get(list, i), "[s, I, I, I]", &rows[i].user, &run_s,
                &limit_s, &procs)
                < 0
            || procs < 0 || procs > UINT32_MAX) {
            reader_wrong(&j->reader, "runs", "a list of runs");
            return;
        }
        rows[i].run = (struct job_run){run_s, limit_s, (uint32_t)procs,
            json_is_true(json_array_get(json_array_get(list, i), 4))};
    }
    j->ev.u.history.rows = rows;
    j->ev.u.history.n = n;
}

struct config *journal_read_config(const json_t *text)
{
    const char *lines = json_string_value(text);

    return lines ? config_load_text("journal", lines, strlen(lines)) : NULL;
}

/* ---- kinds of events ---- */

typedef void read_fn(struct journal_read *j, const json_t *o, struct cluster *c);

static const char *job_of(struct journal_read *j, const json_t *o)
{
    return reader_text(&j->reader, o, "job");
}

static void read_node(struct journal_read *j, const json_t *o, struct cluster *c)
{
    (void)c;
    describe_read_node(&j->reader, json_object_get(o, "node"), &j->ev.u.node);
}

static void read_node_state(struct journal_read *j, const json_t *o, struct cluster *c)
{
    const char *state = reader_text(&j->reader, o, "state");

    (void)c;
    j->ev.u.node_state.state = NODE_DOWN;
    if (state && node_state_parse(state, &j->ev.u.node_state.state) < 0)
        reader_wrong(&j->reader, "state", "a node's state");
    j->ev.u.node_state.name = reader_text(&j->reader, o, "node");
}

static void read_submit(struct journal_read *j, const json_t *o, struct cluster *c)
{
    (void)c;
    read_job(j, o, "job", &j->ev.u.job);
}

static void read_job_state(struct journal_read *j, const json_t *o, struct cluster *c)
{
    struct reader *r = &j->reader;
    int state = reader_word(r, o, "state", WORDS(state_words));

    (void)c;
    j->ev.u.job_state.id = job_of(j, o);
    j->ev.u.job_state.state = state < 0 ? JOB_IDLE : (enum job_state)state;
    j->ev.u.job_state.rm_hold = (uint8_t)(reader_u32(r, o, "holds") & 0xff);
    j->ev.u.job_state.start_at = reader_int(r, o, "start_at", 0);
    j->ev.u.job_state.places =
        describe_read_places(r, o, "places", &j->ev.u.job_state.nplaces);
    if (json_object_get(o, "requests"))
        j->ev.u.job_state.reqs = describe_read_requests(r, o, &j->ev.u.job_state.nreqs);
}

static void read_end(struct journal_read *j, const json_t *o, struct cluster *c)
{
    struct reader *r = &j->reader;

    (void)c;
    j->ev.u.end.id = job_of(j, o);
    j->ev.u.end.job = reader_u32(r, o, "index");
    j->ev.u.end.how = (enum job_event)choice(r, o, "how", JOB_EVENTS - 1);
    j->ev.u.end.cpu_s = reader_real(r, o, "cpu_s");
    j->ev.u.end.left_at = reader_int(r, o, "left_at", 0);
    j->ev.u.end.failed = reader_bool(r, o, "failed");
    j->ev.u.end.unbegun = reader_bool(r, o, "unbegun");
}

static void read_left(struct journal_read *j, const json_t *o, struct cluster *c)
{
    (void)c;
    j->ev.u.left.id = job_of(j, o);
    j->ev.u.left.displaced = reader_bool(&j->reader, o, "displaced");
}

static void read_missed(struct journal_read *j, const json_t *o, struct cluster *c)
{
    struct reader *r = &j->reader;

    (void)c;
    read_job(j, o, "job", &j->ev.u.missed.job);
    j->ev.u.missed.end_at = reader_int(r, o, "end_at", 0);
    j->ev.u.missed.how = (enum job_event)choice(r, o, "how", JOB_EVENTS - 1);
    j->ev.u.missed.cpu_s = reader_real(r, o, "cpu_s");
    j->ev.u.missed.failed = reader_bool(r, o, "failed");
}

static void read_preempt(struct journal_read *j, const json_t *o, struct cluster *c)
{
    (void)c;
    j->ev.u.preempt.id = job_of(j, o);
    j->ev.u.preempt.rests_s = reader_int(&j->reader, o, "rests_s", 0);
    j->ev.u.preempt.how =
        (enum preempt_policy)choice(&j->reader, o, "how", PREEMPT_OVERCOMMIT);
}

static void read_failed(struct journal_read *j, const json_t *o, struct cluster *c)
{
    (void)c;
    j->ev.u.failed.id = job_of(j, o);
    j->ev.u.failed.reason =
        (enum hold_reason)choice(&j->reader, o, "reason", REASON_DEPENDENCY);
    j->ev.u.failed.text = reader_text(&j->reader, o, "text");
    j->ev.u.failed.again_s = reader_int(&j->reader, o, "again_s", 0);
    j->ev.u.failed.waits = reader_int(&j->reader, o, "waits", 0) != 0;
    j->ev.u.failed.limit = reader_bool(&j->reader, o, "limit");
}

static void read_hold(struct journal_read *j, const json_t *o, struct cluster *c)
{
    struct reader *r = &j->reader;

    (void)c;
    j->ev.u.hold.id = job_of(j, o);
    j->ev.u.hold.kinds = reader_u32(r, o, "kinds");
    j->ev.u.hold.who = read_actor(r, o);
    j->ev.u.hold.reason = (enum hold_reason)choice(r, o, "reason", REASON_DEPENDENCY);
    j->ev.u.hold.text = reader_text(r, o, "text");
}

static void read_priority(struct journal_read *j, const json_t *o, struct cluster *c)
{
    (void)c;
    j->ev.u.priority.id = job_of(j, o);
    j->ev.u.priority.relative = reader_bool(&j->reader, o, "relative");
    j->ev.u.priority.n = reader_int(&j->reader, o, "n", -DURATION_UNLIMITED);
}

static void read_qos(struct journal_read *j, const json_t *o, struct cluster *c)
{
    (void)c;
    j->ev.u.qos.id = job_of(j, o);
    j->ev.u.qos.qos = reader_text(&j->reader, o, "qos");
    j->ev.u.qos.admin = reader_bool(&j->reader, o, "admin");
}

static void read_run(struct journal_read *j, const json_t *o, struct cluster *c)
{
    (void)c;
    j->ev.u.run.id = job_of(j, o);
    j->ev.u.run.nodes = reader_texts(&j->reader, o, "nodes");
    j->ev.u.run.partition = reader_text(&j->reader, o, "partition");
    j->ev.u.run.flags = reader_u32(&j->reader, o, "flags");
}

static void read_modify(struct journal_read *j, const json_t *o, struct cluster *c)
{
    (void)c;
    read_change(j, o);
    j->ev.u.modify.id = job_of(j, o);
}

static void read_deadline(struct journal_read *j, const json_t *o, struct cluster *c)
{
    (void)c;
    j->ev.u.deadline.id = job_of(j, o);
    j->ev.u.deadline.at = reader_int(&j->reader, o, "deadline_at", 0);
}

static void read_user_priority(
    struct journal_read *j, const json_t *o, struct cluster *c)
{
    (void)c;
    j->ev.u.user_priority.id = job_of(j, o);
    j->ev.u.user_priority.n = reader_int(&j->reader, o, "n", -DURATION_UNLIMITED);
}

static void read_reserve(struct journal_read *j, const json_t *o, struct cluster *c)
{
    rsvjson_read_draft(&j->reader, c, json_object_get(o, "draft"), &j->draft);
    j->ev.u.reserve.draft = &j->draft;
    j->ev.u.reserve.who = read_actor(&j->reader, o);
    j->ev.u.reserve.group = reader_text(&j->reader, o, "group");
    if (!j->draft.base)
        reader_wrong(&j->reader, "base", "there");
}

static void read_change_reservation(
    struct journal_read *j, const json_t *o, struct cluster *c)
{
    j->ev.u.change_reservation.name = reader_text(&j->reader, o, "reservation");
    j->ev.u.change_reservation.what = reader_u32(&j->reader, o, "what");
    rsvjson_read_draft(&j->reader, c, json_object_get(o, "draft"), &j->draft);
    j->ev.u.change_reservation.draft = &j->draft;
    j->ev.u.change_reservation.who = read_actor(&j->reader, o);
    if (!j->ev.u.change_reservation.name)
        reader_wrong(&j->reader, "reservation", "there");
}

static void read_unreserve(struct journal_read *j, const json_t *o, struct cluster *c)
{
    (void)c;
    j->ev.u.unreserve.name = reader_text(&j->reader, o, "reservation");
    j->ev.u.unreserve.who = read_actor(&j->reader, o);
}

static void read_settings(struct journal_read *j, const json_t *o, struct cluster *c)
{
    (void)c;
    j->config = journal_read_config(json_object_get(o, "config"));
    if (j->config)
        j->ev.u.settings = j->config->settings;
    else
        reader_wrong(&j->reader, "config", "the text of a configuration");
}

static void read_quotas(struct journal_read *j, const json_t *o, struct cluster *c)
{
    (void)c;
    quotajson_read(&j->reader, json_object_get(o, "limits"), &j->ev.u.quotas);
}

static void read_funds(struct journal_read *j, const json_t *o, struct cluster *c)
{
    (void)c;
    fundsjson_read(&j->reader, json_object_get(o, "facts"), &j->ev.u.funds);
}

static void read_manager(struct journal_read *j, const json_t *o, struct cluster *c)
{
    (void)c;
    j->ev.u.manager.name = reader_text(&j->reader, o, "name");
    j->ev.u.manager.away = reader_bool(&j->reader, o, "away");
    j->ev.u.manager.partition = reader_text(&j->reader, o, "partition");
    j->ev.u.manager.unseen = reader_bool(&j->reader, o, "unseen");
}

static void read_nothing(struct journal_read *j, const json_t *o, struct cluster *c)
{
    (void)c;
    (void)o;
    (void)j;
}

static void read_instance(struct journal_read *j, const json_t *o, struct cluster *c)
{
    (void)c;
    rsvjson_read_instance(
        &j->reader, json_object_get(o, "instance"), &j->triggers, &j->instance);
    j->ev.u.instance = &j->instance;
}

static read_fn *const readers[] = {
    [EVENT_NODE] = read_node,
    [EVENT_NODE_STATE] = read_node_state,
    [EVENT_NODE_GONE] = read_node_state,
    [EVENT_SUBMIT] = read_submit,
    [EVENT_JOB_STATE] = read_job_state,
    [EVENT_END] = read_end,
    [EVENT_CANCEL] = read_end,
    [EVENT_PREEMPT] = read_preempt,
    [EVENT_RESUME] = read_preempt,
    [EVENT_START_FAILED] = read_failed,
    [EVENT_LEFT] = read_left,
    [EVENT_HOLD] = read_hold,
    [EVENT_RELEASE_HOLD] = read_hold,
    [EVENT_PRIORITY] = read_priority,
    [EVENT_QOS] = read_qos,
    [EVENT_RUN] = read_run,
    [EVENT_MODIFY] = read_modify,
    [EVENT_DEADLINE] = read_deadline,
    [EVENT_USER_PRIORITY] = read_user_priority,
    [EVENT_RESERVE] = read_reserve,
    [EVENT_CHANGE_RESERVATION] = read_change_reservation,
    [EVENT_UNRESERVE] = read_unreserve,
    [EVENT_SETTINGS] = read_settings,
    [EVENT_QUOTAS] = read_quotas,
    [EVENT_FUNDS] = read_funds,
    [EVENT_MANAGER] = read_manager,
    [EVENT_RESET_STATISTICS] = read_nothing,
    [EVENT_RESET_FAIRSHARE] = read_nothing,
    [EVENT_FAIRSHARE] = read_rows,
    [EVENT_HISTORY] = read_history,
    [EVENT_INSTANCE] = read_instance,
    [EVENT_MISSED] = read_missed,
};

static int find_kind(const char *word, enum event_kind *ret)
{
    for (int k = 0; word && event_kind_name((enum event_kind)k); k++)
        if (strcmp(word, event_kind_name((enum event_kind)k)) == 0) {
            *ret = (enum event_kind)k;
            return 0;
        }
    return -1;
}

int journal_read(struct journal_read *j, const char *name, json_t *line,
    struct cluster *c, struct err *err)
{
    *j = (struct journal_read){
        .reader = {.name = name, .document = json_incref(line), .err = err},
        .draft = reservation_draft(RSV_ADMIN)};
    if (find_kind(json_string_value(json_object_get(line, "event")), &j->ev.kind) < 0)
        reader_wrong(&j->reader, "event", "a kind of event known here");
    else
        readers[j->ev.kind](j, line, c);
    j->ev.at = reader_int(&j->reader, line, "at", 0);
    return j->reader.failed ? -1 : 0;
}

void journal_read_close(struct journal_read *j)
{
    reservation_fini(&j->draft);
    triggertext_fini(&j->triggers);
    config_destroy(j->config);
    reader_close(&j->reader);
}
