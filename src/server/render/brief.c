/* SPDX-License-Identifier: Apache-2.0
 * Jobs as lists show them: a table of members, of which a caller may want some only. */
#include "base/nearest.h"
#include "cluster/jobnodes.h"
#include "cluster/partition.h"
#include "policy/holds.h"
#include "server/render/render.h"
#include "server/server_private.h"

/* A job that is being rendered. */
struct brief {
    struct server *s;
    const struct cluster *c;
    const struct job *j;
    const struct identity *who;
    const struct job_notes *n;
    int64_t now;
    enum section section;
    json_t *o;          /* a record, or: */
    struct strbuf *row; /* cells */
    bool hide;          /* what is not for the caller */
};

/* ---- a member, or a cell of a table: empty when there is nothing ---- */

static void put_text(const struct brief *b, const char *key, const char *text)
{
    if (!b->row) {
        render_text(b->o, key, text);
        return;
    }
    size_t at = b->row->len;
    strbuf_add(b->row, text ? text : "");
    for (char *p = b->row->text + at; *p; p++)
        if ((unsigned char)*p < ' ')
            *p = ' ';
}

static void put_number(const struct brief *b, int64_t n)
{
    char digits[24], *p = digits + sizeof digits;
    uint64_t left = n < 0 ? -(uint64_t)n : (uint64_t)n;

    do
        *--p = (char)('0' + left % 10);
    while (left /= 10);
    if (n < 0)
        *--p = '-';
    strbuf_add_n(b->row, p, (size_t)(digits + sizeof digits - p));
}

static void put_int(const struct brief *b, const char *key, int64_t n)
{
    if (b->row)
        put_number(b, n);
    else
        render_int(b->o, key, n);
}

static void put_real(const struct brief *b, const char *key, double n)
{
    if (b->row)
        strbuf_printf(b->row, "%.17g", n);
    else
        render_real(b->o, key, n);
}

static void put_bool(const struct brief *b, const char *key, bool yes)
{
    if (b->row)
        put_number(b, yes);
    else
        render_bool(b->o, key, yes);
}

static void put_instant(const struct brief *b, const char *key, int64_t at)
{
    if (!b->row)
        render_instant(b->o, key, at);
    else if (at > 0 && at < TIME_NEVER)
        put_number(b, at);
}

static void put_duration(const struct brief *b, const char *key, int64_t seconds)
{
    if (!b->row)
        render_duration(b->o, key, seconds);
    else if (seconds < DURATION_UNLIMITED)
        put_number(b, seconds);
}

/* ---- what it is ---- */

static void add_id(const struct brief *b, const char *key, int arg)
{
    (void)arg;
    put_text(b, key, b->j->id);
}

static void add_section(const struct brief *b, const char *key, int arg)
{
    (void)arg;
    put_text(b, key, render_section_name(b->section));
}

static void add_state(const struct brief *b, const char *key, int arg)
{
    (void)arg;
    put_text(b, key, job_state_name((enum job_state)b->j->state));
}

static void add_shown_state(const struct brief *b, const char *key, int arg)
{
    (void)arg;
    put_text(b, key, hold_shown_state(b->j));
}

static void add_holds(const struct brief *b, const char *key, int arg)
{
    unsigned holds = hold_shown(b->j) | b->j->rm_hold;

    (void)arg;
    if (holds)
        json_object_set_new(b->o, key, render_holds(holds));
}

static void add_name(const struct brief *b, const char *key, int arg)
{
    (void)arg;
    put_text(b, key, b->n->name);
}

static void add_cred(const struct brief *b, const char *key, int kind)
{
    if (b->j->cred[kind])
        put_text(b, key, job_cred(b->c, b->j, (enum cred_kind)kind)->name);
}

static void add_procs(const struct brief *b, const char *key, int arg)
{
    (void)arg;
    put_int(b, key, b->j->procs);
}

static void add_tasks(const struct brief *b, const char *key, int arg)
{
    (void)arg;
    put_int(b, key, b->j->tasks);
}

static void add_nodes(const struct brief *b, const char *key, int arg)
{
    (void)arg;
    put_int(b, key, job_is_active(b->j) ? job_node_count(b->j) : b->j->nodes);
}

static void add_mem(const struct brief *b, const char *key, int arg)
{
    (void)arg;
    put_int(b, key, b->j->mem_mb);
}

/* ---- times ---- */

static void add_wclimit(const struct brief *b, const char *key, int arg)
{
    (void)arg;
    put_duration(b, key, b->j->wclimit_s);
}

static void add_submit(const struct brief *b, const char *key, int arg)
{
    (void)arg;
    put_int(b, key, b->j->submit_at);
}

static void add_queue(const struct brief *b, const char *key, int arg)
{
    (void)arg;
    put_int(b, key, b->j->queue_at);
}

static void add_xfactor(const struct brief *b, const char *key, int arg)
{
    const struct job *j = b->j;
    int64_t until = j->start_at && job_is_active(j) ? j->start_at : b->now;
    int64_t limit = j->wclimit_s > 0 ? j->wclimit_s : 1;

    (void)arg;
    put_real(b, key, (double)(until - j->queue_at + limit) / (double)limit);
}

static void add_start(const struct brief *b, const char *key, int arg)
{
    (void)arg;
    if (b->section == SECTION_ACTIVE)
        put_instant(b, key, b->j->start_at);
}

static void add_end(const struct brief *b, const char *key, int arg)
{
    (void)arg;
    if (b->section == SECTION_ACTIVE)
        put_instant(b, key, time_add(b->j->end_at, render_pause(b->j, b->now)));
}

static void add_remaining(const struct brief *b, const char *key, int arg)
{
    (void)arg;
    if (b->section == SECTION_ACTIVE)
        put_duration(b, key,
            b->j->end_at >= TIME_NEVER
                ? DURATION_UNLIMITED
                : b->j->end_at + render_pause(b->j, b->now) - b->now);
}

static void add_deadline(const struct brief *b, const char *key, int arg)
{
    (void)arg;
    if (b->j->extra && b->j->extra->deadline_at)
        put_instant(b, key, b->j->extra->deadline_at);
}

/* Processor time used of what was dedicated, percent. */
static void add_efficiency(const struct brief *b, const char *key, int arg)
{
    double dedicated = (double)(b->now - b->j->start_at) * b->j->procs;

    (void)arg;
    if (job_is_active(b->j) && b->n->cpu_s >= 0 && dedicated > 0)
        put_real(b, key, 100 * b->n->cpu_s / dedicated);
}

/* ---- what the scheduler makes of it ---- */

static void add_priority(const struct brief *b, const char *key, int arg)
{
    (void)arg;
    put_int(b, key, job_priority(b->c, b->j));
}

static void add_system_priority(const struct brief *b, const char *key, int arg)
{
    (void)arg;
    if (b->j->sys_priority)
        put_int(b, key, b->j->sys_priority);
}

static const struct node *first_node(const struct brief *b)
{
    return job_is_active(b->j) && b->j->alloc.n ? node_at(b->c, b->j->alloc.v[0].first)
                                                : NULL;
}

static void add_master(const struct brief *b, const char *key, int arg)
{
    const struct node *first = first_node(b);

    (void)arg;
    if (first)
        put_text(b, key, first->name);
}

static void add_partition(const struct brief *b, const char *key, int arg)
{
    const struct node *first = first_node(b);

    (void)arg;
    if (first)
        put_text(b, key, b->c->partitions.v[first->partition]->name);
}

static void add_flag(const struct brief *b, const char *key, int flag)
{
    put_bool(b, key, b->j->flags & (uint32_t)flag);
}

static void add_reservation(const struct brief *b, const char *key, int arg)
{
    (void)arg;
    const struct planned *planned = engine_reservation_of(b->s->engine, b->j);
    if (planned && b->section != SECTION_ACTIVE)
        put_instant(b, key, planned->start_at);
}

/* Of those that wait for their turn it takes a search: asked for one job alone. */
static void add_reason(const struct brief *b, const char *key, int arg)
{
    (void)arg;
    if (b->section != SECTION_BLOCKED)
        return;
    json_t *reason = render_reason(b->s, b->j, b->who);
    if (b->row)
        put_text(b, key,
            json_string_value(json_object_get(reason, b->hide ? "code" : "text")));
    else
        json_object_set(b->o, key, reason);
    json_decref(reason);
}

/* ---- the record ---- */

static const struct member {
    const char *name;
    void (*add)(const struct brief *b, const char *key, int arg);
    int arg;
} members[] = {{"id", add_id, 0}, {"section", add_section, 0}, {"state", add_state, 0},
    {"shown_state", add_shown_state, 0}, {"holds", add_holds, 0}, {"name", add_name, 0},
    {"user", add_cred, CRED_USER}, {"group", add_cred, CRED_GROUP},
    {"account", add_cred, CRED_ACCOUNT}, {"class", add_cred, CRED_CLASS},
    {"qos", add_cred, CRED_QOS}, {"procs", add_procs, 0}, {"tasks", add_tasks, 0},
    {"nodes", add_nodes, 0}, {"mem_mb", add_mem, 0}, {"wclimit_s", add_wclimit, 0},
    {"submit_at", add_submit, 0}, {"queue_at", add_queue, 0},
    {"xfactor", add_xfactor, 0}, {"start_at", add_start, 0}, {"end_at", add_end, 0},
    {"remaining_s", add_remaining, 0}, {"efficiency", add_efficiency, 0},
    {"priority", add_priority, 0}, {"system_priority", add_system_priority, 0},
    {"master_host", add_master, 0}, {"partition", add_partition, 0},
    {"backfilled", add_flag, JOB_BACKFILL}, {"preemptible", add_flag, JOB_PREEMPTEE},
    {"soft_violation", add_flag, JOB_SPVIOLATION},
    {"reservation_at", add_reservation, 0}, {"deadline_at", add_deadline, 0},
    {"reason", add_reason, 0}};
#define MEMBERS (sizeof members / sizeof members[0])

static struct brief brief_of(
    struct server *s, const struct job *j, const struct identity *who)
{
    engine_set_priorities(s->engine);
    return (struct brief){.s = s,
        .c = engine_cluster(s->engine),
        .j = j,
        .who = who,
        .n = world_notes(s, j),
        .now = world_now(s),
        .section = render_section(j)};
}

json_t *render_job_brief(
    struct server *s, const struct job *j, uint64_t wanted, const struct identity *who)
{
    struct brief b = brief_of(s, j, who);

    b.o = json_object();
    for (size_t i = 0; i < MEMBERS; i++)
        if (wanted >> i & 1)
            members[i].add(&b, members[i].name, members[i].arg);
    return b.o;
}

bool render_job_hides(uint64_t wanted)
{
    for (size_t i = 0; i < MEMBERS; i++)
        if (wanted >> i & 1
            && (members[i].add == add_reason || render_hidden(members[i].name)))
            return true;
    return false;
}

void render_job_row(struct server *s, const struct job *j, uint64_t wanted,
    const struct identity *who, struct strbuf *out)
{
    struct brief b = brief_of(s, j, who);
    const char *gap = "";

    b.row = out;
    b.hide = render_hides(b.c, j, who);
    for (size_t i = 0; i < MEMBERS; i++) {
        if (!(wanted >> i & 1))
            continue;
        strbuf_add(out, gap);
        gap = "\t";
        if (!b.hide || !render_hidden(members[i].name))
            members[i].add(&b, members[i].name, members[i].arg);
    }
    strbuf_add_n(out, "\n", 1);
}

void render_job_heading(uint64_t wanted, struct strbuf *out)
{
    const char *gap = "";

    for (size_t i = 0; i < MEMBERS; i++)
        if (wanted >> i & 1) {
            strbuf_printf(out, "%s%s", gap, members[i].name);
            gap = "\t";
        }
    strbuf_add(out, "\n");
}

static int refuse(const char *name, size_t n, struct err *err)
{
    struct nearest near;
    char text[40];

    snprintf(text, sizeof text, "%.*s", (int)n, name);
    nearest_init(&near, text);
    for (size_t i = 0; i < MEMBERS; i++)
        nearest_offer(&near, members[i].name);
    return err_set(err, ERR_INVALID, "fields: a job has no member '%s'%s%s%s", text,
        nearest_best(&near) ? "; did you mean '" : "",
        nearest_best(&near) ? nearest_best(&near) : "",
        nearest_best(&near) ? "'?" : "");
}

int render_job_members(const char *list, uint64_t *ret, struct err *err)
{
    *ret = 0;
    for (const char *p = list; *p;) {
        size_t n = strcspn(p, ","), i = 0;
        while (i < MEMBERS
               && (strlen(members[i].name) != n || strncmp(members[i].name, p, n) != 0))
            i++;
        if (i == MEMBERS)
            return refuse(p, n, err);
        *ret |= UINT64_C(1) << i;
        p += n + (p[n] == ',');
    }
    return 0;
}
