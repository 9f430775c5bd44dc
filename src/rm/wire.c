/* SPDX-License-Identifier: Apache-2.0
 * Reports, commands and submissions as lines. */
#include "rm/wire.h"

#include "records/describe.h"
#include "records/quotajson.h"
#include "records/words.h"

#include <assert.h>
#include <string.h>

static const char *const outcome_words[] = {
    [RM_OK] = "ok",
    [RM_RETRY] = "retry",
    [RM_WAITS] = "waits",
    [RM_FAILED] = "failed",
    [RM_LIMITED] = "limited",
    [RM_REFUSED] = "refused",
    [RM_LOST] = "lost",
};

char *wire_line(const char *key, json_t *value)
{
    json_t *o = json_object();
    char *text, *line;
    size_t n;

    json_object_set_new(o, key, value);
    text = json_dumps(o, JSON_COMPACT);
    json_decref(o);
    assert(text != NULL);
    n = strlen(text);
    line = xmalloc(n + 2);
    memcpy(line, text, n);
    memcpy(line + n, "\n", 2);
    free(text);
    return line;
}

/* ---- reports ---- */

static json_t *job_out(const struct rm_job *j, int64_t at)
{
    json_t *o = json_object();

    describe_job(o, &j->desc);
    put_int(o, "at", at);
    put_text(o, "name", j->name);
    put_text(o, "directory", j->directory);
    put_text(o, "output", j->output);
    put_text(o, "error", j->error);
    put_int(o, "started_at", j->start_at);
    put_int(o, "ended_at", j->end_at);
    describe_places(o, "on", j->places, j->nplaces);
    if (j->cpu_s >= 0)
        json_object_set_new(o, "cpu_s", json_real(j->cpu_s));
    if (j->mem_mb >= 0)
        json_object_set_new(o, "mem_mb", json_integer(j->mem_mb));
    if (j->swap_mb >= 0)
        json_object_set_new(o, "swap_mb", json_integer(j->swap_mb));
    if (j->disk_mb >= 0)
        json_object_set_new(o, "disk_mb", json_integer(j->disk_mb));
    put_int(o, "exit_status", j->exit_status);
    if (j->end.reason != ENDED_UNKNOWN)
        json_object_set_new(o, "end", describe_end(&j->end));
    put_text(o, "notes", j->notes);
    put_text(o, "others", j->others);
    put_int(o, "lifted", j->lifted);
    put_bool(o, "changed", j->changed);
    put_bool(o, "shaped", j->shaped);
    return o;
}

static json_t *done_out(const struct rm_report *r)
{
    json_t *o = json_object();

    json_object_set_new(o, "token", json_integer((json_int_t)r->u.done.token));
    put_text(o, "outcome", outcome_words[r->u.done.outcome]);
    put_text(o, "job", r->u.done.job);
    put_text(o, "text", r->u.done.text);
    return o;
}

static json_t *health_out(const struct rm_report *r)
{
    json_t *o = json_object();

    put_bool(o, "up", r->u.health.up);
    put_text(o, "function", r->u.health.function);
    put_text(o, "text", r->u.health.text);
    return o;
}

static json_t *reservation_out(const struct rm_reservation *v)
{
    json_t *o = json_object();

    put_text(o, "name", v->name);
    put_int(o, "start_at", v->start_at);
    put_int(o, "end_at", v->end_at);
    put_texts(o, "nodes", v->nodes);
    put_texts(o, "users", v->users);
    put_texts(o, "accounts", v->accounts);
    put_texts(o, "groups", v->groups);
    put_bool(o, "magnetic", v->magnetic);
    put_bool(o, "flex", v->flex);
    put_bool(o, "maintenance", v->maintenance);
    put_bool(o, "overlaps", v->overlaps);
    return o;
}

static const struct {
    unsigned bit;
    const char *word;
} hidden_words[] = {{RM_HIDES_JOBS, "jobs"}, {RM_HIDES_NODES, "nodes"},
    {RM_HIDES_RESERVATIONS, "reservations"}, {RM_HIDES_USAGE, "usage"},
    {RM_HIDES_USERS, "users"}, {RM_HIDES_ACCOUNTS, "accounts"}};
#define HIDDEN_WORDS (sizeof hidden_words / sizeof hidden_words[0])

static json_t *rights_out(const struct rm_rights *rights)
{
    json_t *o = json_object(), *hides = json_array(), *list = json_array();

    for (size_t i = 0; i < HIDDEN_WORDS; i++)
        if (rights->hides & hidden_words[i].bit)
            json_array_append_new(hides, json_string(hidden_words[i].word));
    for (size_t i = 0; i < rights->n; i++) {
        json_t *one = json_object();
        put_text(one, "user", rights->coordinators[i].user);
        put_text(one, "account", rights->coordinators[i].account);
        json_array_append_new(list, one);
    }
    json_object_set_new(o, "hides", hides);
    put_texts(o, "operators", rights->operators);
    json_object_set_new(o, "coordinators", list);
    return o;
}

char *wire_report(const struct rm_report *r)
{
    json_t *o;

    switch (r->kind) {
    case RM_NODE:
        o = json_object();
        describe_node(o, &r->u.node);
        put_int(o, "at", r->at);
        return wire_line("node", o);
    case RM_NODE_GONE:
        return wire_line("node_gone", put_text_of(r->u.name));
    case RM_JOB:
        return wire_line("job", job_out(r->u.job, r->at));
    case RM_JOB_GONE:
        return wire_line("job_gone", put_text_of(r->u.name));
    case RM_JOB_KEPT:
        return wire_line("job_kept", put_text_of(r->u.name));
    case RM_RESERVATION:
        return wire_line("reservation", reservation_out(r->u.reservation));
    case RM_RESERVATION_GONE:
        return wire_line("reservation_gone", put_text_of(r->u.name));
    case RM_QUOTAS:
        return wire_line("limits", quotajson_list(&r->u.quotas));
    case RM_RIGHTS:
        return wire_line("rights", rights_out(&r->u.rights));
    case RM_SYNCED:
        return wire_line("synced", json_true());
    case RM_DONE:
        return wire_line("done", done_out(r));
    case RM_HEALTH:
        return wire_line("health", health_out(r));
    }
    return NULL;
}

#define HOLDS_RM (HOLD_USER | HOLD_SYSTEM)

static void read_job(struct reader *r, const json_t *o, struct rm_job *j)
{
    *j = (struct rm_job){.cpu_s = -1, .mem_mb = -1, .swap_mb = -1, .disk_mb = -1};
    describe_read_job(r, o, &j->desc);
    j->name = reader_text(r, o, "name");
    j->directory = reader_text(r, o, "directory");
    j->output = reader_text(r, o, "output");
    j->error = reader_text(r, o, "error");
    j->start_at = reader_int(r, o, "started_at", 0);
    j->end_at = reader_int(r, o, "ended_at", 0);
    j->places = describe_read_places(r, o, "on", &j->nplaces);
    if (json_object_get(o, "cpu_s"))
        j->cpu_s = reader_real(r, o, "cpu_s");
    if (json_object_get(o, "mem_mb"))
        j->mem_mb = reader_int(r, o, "mem_mb", 0);
    if (json_object_get(o, "swap_mb"))
        j->swap_mb = reader_int(r, o, "swap_mb", 0);
    if (json_object_get(o, "disk_mb"))
        j->disk_mb = reader_int(r, o, "disk_mb", 0);
    j->exit_status = (int)reader_u32(r, o, "exit_status");
    describe_read_end(json_object_get(o, "end"), &j->end);
    j->notes = reader_text(r, o, "notes");
    j->others = reader_text(r, o, "others");
    j->lifted = (uint8_t)(reader_u32(r, o, "lifted") & HOLDS_RM);
    j->changed = reader_bool(r, o, "changed");
    j->shaped = reader_bool(r, o, "shaped");
}

static void read_reservation(
    struct reader *r, const json_t *o, struct rm_reservation *v)
{
    *v = (struct rm_reservation){.name = reader_text(r, o, "name"),
        .start_at = reader_int(r, o, "start_at", 0),
        .end_at = reader_int(r, o, "end_at", 0),
        .nodes = reader_texts(r, o, "nodes"),
        .users = reader_texts(r, o, "users"),
        .accounts = reader_texts(r, o, "accounts"),
        .groups = reader_texts(r, o, "groups"),
        .magnetic = reader_bool(r, o, "magnetic"),
        .flex = reader_bool(r, o, "flex"),
        .maintenance = reader_bool(r, o, "maintenance"),
        .overlaps = reader_bool(r, o, "overlaps")};
    if (v->name == NULL || v->nodes == NULL)
        reader_wrong(r, "reservation", "one with a name and nodes");
}

static void read_done(struct reader *r, const json_t *o, struct rm_report *ret)
{
    int outcome = reader_word(r, o, "outcome", WORDS(outcome_words));

    ret->u.done.token = (uint64_t)reader_int(r, o, "token", 0);
    ret->u.done.outcome = outcome < 0 ? RM_REFUSED : (enum rm_outcome)outcome;
    ret->u.done.job = reader_text(r, o, "job");
    ret->u.done.text = reader_text(r, o, "text");
}

/* What it hides by a name that is not known here hides something else. */
static void read_rights(struct reader *r, const json_t *o, struct rm_rights *ret)
{
    const char *const *hides = reader_texts(r, o, "hides");
    const json_t *list = reader_list(r, o, "coordinators");
    size_t n = json_array_size(list);
    struct rm_coordinator *v = reader_take(r, n + 1, sizeof *v);

    *ret = (struct rm_rights){
        .operators = reader_texts(r, o, "operators"), .coordinators = v, .n = n};
    for (; hides != NULL && *hides != NULL; hides++)
        for (size_t i = 0; i < HIDDEN_WORDS; i++)
            if (strcmp(hidden_words[i].word, *hides) == 0)
                ret->hides |= hidden_words[i].bit;
    for (size_t i = 0; i < n; i++) {
        const json_t *one = json_array_get(list, i);
        v[i] = (struct rm_coordinator){
            reader_text(r, one, "user"), reader_text(r, one, "account")};
        if (v[i].user == NULL || v[i].account == NULL)
            reader_wrong(r, "coordinators", "users with an account each");
    }
}

static void read_health(struct reader *r, const json_t *o, struct rm_report *ret)
{
    ret->u.health.up = reader_bool(r, o, "up");
    ret->u.health.function = reader_text(r, o, "function");
    ret->u.health.text = reader_text(r, o, "text");
    if (ret->u.health.function == NULL)
        ret->u.health.function = "";
    if (ret->u.health.text == NULL && !ret->u.health.up)
        reader_wrong(r, "text", "said, of what is not well");
}

int wire_read_report(
    struct reader *r, struct rm_report *ret, struct wire_room *room, struct err *err)
{
    const json_t *o = r->document, *v;

    r->err = err;
    if ((v = json_object_get(o, "node")) != NULL) {
        *ret = (struct rm_report){.kind = RM_NODE};
        describe_read_node(r, v, &ret->u.node);
    } else if ((v = json_object_get(o, "job")) != NULL) {
        *ret = (struct rm_report){.kind = RM_JOB, .u.job = &room->job};
        read_job(r, v, &room->job);
        if (room->job.desc.id == NULL || *room->job.desc.id == '\0')
            reader_wrong(r, "id", "the job's id");
    } else if ((v = json_object_get(o, "done")) != NULL) {
        *ret = (struct rm_report){.kind = RM_DONE};
        read_done(r, v, ret);
    } else if ((v = json_object_get(o, "health")) != NULL) {
        *ret = (struct rm_report){.kind = RM_HEALTH};
        read_health(r, v, ret);
    } else if ((v = json_object_get(o, "reservation")) != NULL) {
        *ret = (struct rm_report){
            .kind = RM_RESERVATION, .u.reservation = &room->reservation};
        read_reservation(r, v, &room->reservation);
    } else if ((v = json_object_get(o, "limits")) != NULL) {
        *ret = (struct rm_report){.kind = RM_QUOTAS};
        quotajson_read(r, v, &ret->u.quotas);
    } else if ((v = json_object_get(o, "rights")) != NULL) {
        *ret = (struct rm_report){.kind = RM_RIGHTS};
        read_rights(r, v, &ret->u.rights);
    } else if (json_object_get(o, "reservation_gone") != NULL) {
        *ret = (struct rm_report){.kind = RM_RESERVATION_GONE,
            .u.name = reader_text(r, o, "reservation_gone")};
    } else if (json_object_get(o, "node_gone") != NULL) {
        *ret = (struct rm_report){
            .kind = RM_NODE_GONE, .u.name = reader_text(r, o, "node_gone")};
    } else if (json_object_get(o, "job_gone") != NULL) {
        *ret = (struct rm_report){
            .kind = RM_JOB_GONE, .u.name = reader_text(r, o, "job_gone")};
    } else if (json_object_get(o, "job_kept") != NULL) {
        *ret = (struct rm_report){
            .kind = RM_JOB_KEPT, .u.name = reader_text(r, o, "job_kept")};
    } else if (json_object_get(o, "synced") != NULL) {
        *ret = (struct rm_report){.kind = RM_SYNCED};
    } else {
        reader_wrong(r, "", "a report");
        return -1;
    }
    ret->at = reader_int(r, v, "at", 0);
    return r->failed ? -1 : 0;
}

/* ---- commands ---- */

char *wire_command(const struct rm_command *c)
{
    json_t *o = json_object();

    put_text(o, "action", rm_action_name(c->action));
    json_object_set_new(o, "token", json_integer((json_int_t)c->token));
    put_text(o, "job", c->job);
    describe_places(o, "places", c->places, c->nplaces);
    put_int(o, "wclimit_s", c->wclimit_s);
    put_int(o, "kinds", c->kinds);
    put_int(o, "signal", c->signal);
    put_bool(o, "preempts", c->preempts);
    put_text(o, "class", c->cls);
    put_text(o, "text", c->text);
    return wire_line("command", o);
}

static int action_of(const char *word)
{
    for (int i = 0; word != NULL && i < RM_ACTIONS; i++)
        if (strcmp(rm_action_name((enum rm_action)i), word) == 0)
            return i;
    return -1;
}

void wire_read_command(struct reader *r, const json_t *o, struct rm_command *ret)
{
    int action = action_of(reader_text(r, o, "action"));

    *ret =
        (struct rm_command){.action = action < 0 ? RM_SIGNAL : (enum rm_action)action,
            .token = (uint64_t)reader_int(r, o, "token", 0),
            .job = reader_text(r, o, "job"),
            .wclimit_s = reader_int(r, o, "wclimit_s", 0),
            .kinds = reader_u32(r, o, "kinds"),
            .signal = (int)reader_u32(r, o, "signal"),
            .preempts = reader_bool(r, o, "preempts"),
            .cls = reader_text(r, o, "class"),
            .text = reader_text(r, o, "text")};
    ret->places = describe_read_places(r, o, "places", &ret->nplaces);
    if (action < 0 || ret->job == NULL)
        reader_wrong(r, "action", "a command for a job");
}

char *wire_submission(const struct rm_submission *s)
{
    json_t *o = job_out(&s->job, 0);

    json_object_set_new(o, "token", json_integer((json_int_t)s->token));
    put_text(o, "script", s->script);
    put_texts(o, "argv", s->argv);
    put_texts(o, "environment", s->environment);
    json_object_set_new(o, "uid", json_integer(s->uid));
    json_object_set_new(o, "gid", json_integer(s->gid));
    put_int(o, "umask", s->umask);
    put_bool(o, "rerunnable", s->rerunnable);
    put_bool(o, "join", s->join);
    return wire_line("submit", o);
}

void wire_read_submission(struct reader *r, const json_t *o, struct rm_submission *ret)
{
    *ret = (struct rm_submission){.token = (uint64_t)reader_int(r, o, "token", 0)};
    read_job(r, o, &ret->job);
    ret->script = reader_text(r, o, "script");
    ret->argv = reader_texts(r, o, "argv");
    ret->environment = reader_texts(r, o, "environment");
    ret->uid = reader_u32(r, o, "uid");
    ret->gid = reader_u32(r, o, "gid");
    ret->umask = reader_u32(r, o, "umask");
    ret->rerunnable = reader_bool(r, o, "rerunnable");
    ret->join = reader_bool(r, o, "join");
    if (!json_is_integer(json_object_get(o, "uid")))
        reader_wrong(r, "uid", "the number of a user");
}

/* ---- notes ---- */

char *wire_note(const struct rm_note *n)
{
    json_t *o = json_object();

    put_text(o, "job", n->job);
    put_text(o, "text", n->text);
    put_int(o, "start_at", n->start_at);
    return wire_line("note", o);
}

void wire_read_note(struct reader *r, const json_t *o, struct rm_note *ret)
{
    *ret = (struct rm_note){.job = reader_text(r, o, "job"),
        .text = reader_text(r, o, "text"),
        .start_at = reader_int(r, o, "start_at", 0)};
    if (ret->job == NULL || ret->text == NULL)
        reader_wrong(r, "note", "one with a job and a text");
}
