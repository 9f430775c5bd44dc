/* SPDX-License-Identifier: Apache-2.0
 * Nodes as the API shows them. */
#include "cluster/partition.h"
#include "server/managers/manager.h"
#include "server/render/render.h"
#include "server/server_private.h"

static void add_classes(json_t *o, const struct cluster *c, const struct node *n)
{
    json_t *list = json_array();

    for (size_t i = 0; i < n->classes.n; i++) {
        const struct node_class *k = &n->classes.v[i];
        json_array_append_new(list,
            json_pack("{s:s, s:I, s:I}", "name", c->creds[CRED_CLASS].v[k->cls]->name,
                "free", (json_int_t)node_class_free(c, n, k->cls), "configured",
                (json_int_t)k->configured));
    }
    if (json_array_size(list))
        json_object_set(o, "classes", list);
    json_decref(list);
}

static void add_jobs(json_t *o, const struct cluster *c, const struct node *n)
{
    json_t *list = json_array();
    struct node_job on;

    for (uint32_t i = 0; node_job_at(c, n, i, &on); i++)
        json_array_append_new(list, json_pack("{s:s, s:I}", "id", c->jobs.v[on.job]->id,
                                        "tasks", (json_int_t)on.tasks));
    json_object_set_new(o, "jobs", list);
}

/* What jobs have there: their places in the calendar, then reservations proper. */
static void add_reservations(json_t *o, const struct cluster *c, const struct node *n)
{
    const struct rsv_list *rsvs = reservations_on(c, n->index);
    json_t *list = json_array();
    struct node_job on;

    for (uint32_t i = 0; node_job_at(c, n, i, &on); i++) {
        const struct job *j = c->jobs.v[on.job];
        json_t *r = json_pack("{s:s, s:s, s:I, s:s, s:I}", "name", j->id, "type", "Job",
            "tasks", (json_int_t)on.tasks, "job_state",
            job_state_name((enum job_state)j->state), "start_at",
            (json_int_t)j->start_at);
        render_instant(r, "end_at", j->end_at);
        json_array_append_new(list, r);
    }
    for (size_t i = 0; i < rsvs->n; i++) {
        const struct reservation *v = c->reservations.v[rsvs->v[i].rsv];
        struct res blocked = reservation_amount(v, n, rsvs->v[i].tasks);
        json_t *r = json_pack("{s:s, s:s, s:I, s:I, s:o}", "name", v->name, "type",
            v->kind == RSV_STANDING ? "Standing" : "User", "tasks",
            (json_int_t)rsvs->v[i].tasks, "start_at", (json_int_t)v->start_at,
            "blocked", render_amounts(&blocked));
        render_instant(r, "end_at", v->end_at);
        json_array_append_new(list, r);
    }
    json_object_set_new(o, "reservations", list);
}

static void add_warning(json_t *o, const char *text)
{
    json_t *list = json_object_get(o, "warnings");

    if (!list) {
        list = json_array();
        json_object_set_new(o, "warnings", list);
    }
    json_array_append_new(list, json_string(text));
}

/* What an administrator should look at (commands.md, checknode). */
static void add_warnings(json_t *o, const struct server *s, const struct node *n)
{
    uint32_t jobs = node_job_count(engine_cluster(s->engine), n);
    const char *said = managers_said(s, n);

    if (!node_is_up(n) && jobs)
        add_warning(o, "jobs are on it although it is down");
    if (said)
        add_warning(o, said);
    else if (n->state == NODE_BUSY && !jobs)
        add_warning(o, "it is busy without a job");
    if (n->load > 0 && !jobs && n->load > 0.5 + n->load_raised)
        add_warning(o, "its load is high although it is idle");
    if (n->shrunk)
        add_warning(o, "less is configured than jobs have");
}

/* That something runs there is all that some resource managers say, others that it is
 * full: it is Busy with all of them. */
enum node_state render_node_state(const struct server *s, const struct node *n)
{
    enum node_state due = node_expected(engine_cluster(s->engine), n);

    if (s->simulation || (n->state == NODE_RUNNING && due == NODE_BUSY))
        return due;
    return (enum node_state)n->state;
}

/* What is not measured is not told: it is neither nothing nor all. */
static struct res list_measured(const struct node *n)
{
    struct res r = n->util;

    for (int i = 0; i < RES_DIMS; i++)
        if (r.v[i] < 0)
            r.v[i] = 0;
    return r;
}

static void add_clocks(json_t *o, struct server *s, const struct node *n)
{
    struct stat_node clocks;

    statistics_node(engine_statistics(s->engine), n->index, world_now(s), &clocks);
    if (s->simulation && clocks.changed_at > n->state_at)
        render_int(o, "state_at", clocks.changed_at);
    render_int(o, "total_s", clocks.total_s);
    render_int(o, "up_s", clocks.up_s);
    render_int(o, "active_s", clocks.active_s);
}

json_t *render_node(struct server *s, const struct node *n)
{
    const struct cluster *c = engine_cluster(s->engine);
    struct res dedicated = node_dedicated(c, n), utilized = list_measured(n);
    json_t *o = json_pack("{s:s, s:s, s:s, s:I, s:s, s:o, s:o, s:o}", "name", n->name,
        "state", node_state_name(render_node_state(s, n)), "expected_state",
        node_state_name(node_expected(c, n)), "state_at", (json_int_t)n->state_at,
        "partition", c->partitions.v[n->partition]->name, "configured",
        render_amounts(&n->cfg), "dedicated", render_amounts(&dedicated), "utilized",
        render_amounts(&utilized));

    render_int(o, "at", world_now(s));
    if (managers_several(s))
        render_text(o, "rm", manager_label(s, n->rm));
    render_real(o, "load", n->load);
    render_real(o, "speed", n->speed);
    if (n->os != NAME_NONE)
        render_text(o, "os", names_text(c->oses, n->os));
    if (n->arch != NAME_NONE)
        render_text(o, "arch", names_text(c->arches, n->arch));
    render_names(o, "features", c->features, n->features.v, n->features.n);
    render_names(o, "networks", c->networks, n->networks.v, n->networks.n);
    render_int(o, "frame", n->frame);
    render_int(o, "slot", n->slot);
    render_int(o, "slots", n->slots);
    add_clocks(o, s, n);
    add_classes(o, c, n);
    add_jobs(o, c, n);
    add_reservations(o, c, n);
    add_warnings(o, s, n);
    return o;
}
