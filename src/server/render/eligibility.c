/* SPDX-License-Identifier: Apache-2.0
 * The words are those of checkjob: reference commands 2. A node is judged by what it is
 * and has now; what the plan keeps for other jobs is in the reason of the last cycle.
 */
#include "server/render/eligibility.h"

#include "cluster/partition.h"
#include "config/acltext.h"
#include "engine/query.h"
#include "plan/feasible.h"
#include "plan/nodes/avail.h"
#include "plan/nodes/room.h"
#include "policy/acl.h"
#include "policy/reason.h"
#include "server/render/obstacles.h"
#include "server/render/render.h"
#include "server/server_private.h"

/* ---- a node ---- */

/* The first amount of which `have` has not enough for a task. Where nothing is short
 * it is a licence, or another generic resource. */
static const char *name_shortage(const struct res *have, const struct taskdef *d)
{
    static const char *const words[RES_DIMS] = {[RES_PROCS] = "CPU",
        [RES_MEM] = "Memory",
        [RES_SWAP] = "Swap",
        [RES_DISK] = "Disk"};

    for (int i = 0; i < RES_DIMS; i++)
        if (d->per_task.v[i] + taskdef_by_node(d, i) > have->v[i])
            return words[i];
    return d->gres.n || d->job_gres.n ? "GRes" : "CPU";
}

/* What feasible_node() says, in one word. */
static const char *name_misfit(
    enum misfit why, const struct node *n, const struct taskdef *d)
{
    static const char *const words[MISFITS] = {[MISFIT_EXCLUDED] = "HostList",
        [MISFIT_OS] = "Opsys",
        [MISFIT_ARCH] = "Arch",
        [MISFIT_FEATURE] = "Features",
        [MISFIT_NETWORK] = "Network",
        [MISFIT_MEM] = "Memory",
        [MISFIT_SWAP] = "Swap",
        [MISFIT_DISK] = "Disk",
        [MISFIT_CLASS] = "Class"};

    return words[why] ? words[why] : name_shortage(&n->cfg, d);
}

/* Of a resource that lies on no node, as licences do: is too little left for the job?
 */
static bool lacks_floating(
    const struct cluster *c, const struct job *j, const struct gres_amounts *asked)
{
    for (size_t i = 0; i < asked->n; i++)
        if (gres_is_floating(c, asked->v[i].id)
            && gres_floating_free(c, asked->v[i].id) < gres_of_job(j, asked->v[i].id))
            return true;
    return false;
}

struct verdict {
    const char *word; /* NULL = accepted */
    int64_t tasks;
};

/* Of one request. */
static struct verdict judge_request(struct server *s, const struct job *j,
    uint32_t request, const struct node *n, bool listed_only)
{
    const struct cluster *c = engine_cluster(s->engine);
    const struct taskdef *d = j->reqs[request].def;
    struct node_room room = {0};
    enum misfit why;
    bool listed = !listed_only;

    for (size_t i = 0; !listed && i < d->hosts.n; i++)
        listed = d->hosts.v[i] == n->index;
    if (!(j->partitions >> n->partition & 1))
        return (struct verdict){"Partition", 0};
    if (!listed)
        return (struct verdict){"HostList", 0};
    if (!feasible_node(c, d, n, &why))
        return (struct verdict){name_misfit(why, n, d), 0};
    if (!node_is_up(n) || n->state == NODE_DRAINING || node_expected(c, n) == NODE_BUSY
        || (n->state == NODE_BUSY && node_job_count(c, n) == 0))
        return (struct verdict){"State", 0};
    if (lacks_floating(c, j, &d->gres) || lacks_floating(c, j, &d->job_gres))
        return (struct verdict){"GRes", 0};
    if (avail_tasks_now(c, j, d, n) == 0) {
        room_left(&room, c, d, n);
        room_fini(&room);
        return (struct verdict){name_shortage(&room.res, d), 0};
    }
    uint32_t tasks = query_tasks_on(s->engine, j, request, n->index);
    return (struct verdict){tasks ? NULL : "ReserveTime", tasks};
}

static int64_t procs_of(const struct req *r, const struct node *n)
{
    int64_t each = r->def->per_task.v[RES_PROCS];

    return each < 0 ? n->cfg.v[RES_PROCS] : each;
}

/* ---- a partition ---- */

struct tally {
    int64_t idle, feasible; /* processors */
    struct part {
        bool listed_only;
        int64_t feasible;
    } * parts; /* by request */
    json_t *rejections;
};

/* What the node is to the job: to the request that could have most of it, else what
 * the first one misses. The requests' processors are counted too. */
static struct verdict judge_node(
    struct tally *t, struct server *s, const struct job *j, const struct node *n)
{
    struct verdict best = {NULL, 0};
    int64_t most = 0;

    for (uint32_t i = 0; i < j->nreqs; i++) {
        struct verdict v = judge_request(s, j, i, n, t->parts[i].listed_only);
        int64_t procs = v.tasks * procs_of(&j->reqs[i], n);
        t->parts[i].feasible += procs;
        if (i == 0 || (!v.word && (best.word || procs > most))) {
            best = v;
            most = procs;
        }
    }
    t->feasible += most;
    return best;
}

static void count_verdict(
    struct tally *t, struct server *s, const struct node *n, const struct verdict *v)
{
    struct res dedicated = node_dedicated(engine_cluster(s->engine), n);

    if (node_is_up(n))
        t->idle += n->cfg.v[RES_PROCS] - dedicated.v[RES_PROCS];
    if (v->word)
        render_int(t->rejections, v->word,
            json_integer_value(json_object_get(t->rejections, v->word)) + 1);
}

/* Of several requests none makes up for what another lacks. */
static void limit_to_requests(struct tally *t, const struct job *j)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < j->nreqs; i++) {
        int64_t each = j->reqs[i].def->per_task.v[RES_PROCS];
        int64_t asked = each < 0 ? t->parts[i].feasible : each * j->reqs[i].tasks;
        sum += t->parts[i].feasible < asked ? t->parts[i].feasible : asked;
    }
    if (j->nreqs > 1 && t->feasible > sum)
        t->feasible = sum;
}

/* A level of policies may leave it out. */
static bool is_of_level(const struct reason *why)
{
    return why->code == WAIT_FS_CAP
           || (why->code == WAIT_LIMIT && !reason_is_planned(why));
}

/* Is the job kept out by something that no free node would change? */
static bool kept_out(
    const struct job *j, const struct reason *why, enum check_level level)
{
    if (is_of_level(why))
        return level == CHECK_SOFT || (level == CHECK_HARD && why->level == LEVEL_HARD);
    return render_section(j) == SECTION_BLOCKED;
}

/* What the record of a partition tells. */
enum partition_code {
    CAN_RUN,
    BLOCKED,      /* not at this level of policies: the job's reason says why */
    WAITS,        /* the job's reason keeps it, whatever there is */
    TOO_FEW_IDLE, /* processors */
    UNSUITABLE    /* idle processors are, for it */
};

static const char *const partition_words[] = {[CAN_RUN] = "can_run",
    [BLOCKED] = "blocked",
    [WAITS] = "waits",
    [TOO_FEW_IDLE] = "idle_procs",
    [UNSUITABLE] = "requirements"};

static json_t *partition_text(enum partition_code code, const struct job *j,
    const char *partition, const struct tally *t, const char *sentence)
{
    switch (code) {
    case CAN_RUN:
        return json_sprintf("job can run in partition %s (%lld procs available.  %u "
                            "procs required)",
            partition, (long long)t->feasible, j->procs);
    case BLOCKED:
        return json_sprintf(
            "cannot select job %s for partition %s (%s)", j->id, partition, sentence);
    case WAITS:
        return json_sprintf("job cannot run in partition %s (%s)", partition, sentence);
    case TOO_FEW_IDLE:
        return json_sprintf("job cannot run in partition %s (insufficient idle procs "
                            "available: %lld < %u)",
            partition, (long long)t->idle, j->procs);
    case UNSUITABLE:
        break;
    }
    return json_sprintf("job cannot run in partition %s (idle procs do not meet "
                        "requirements : %lld of %u procs found)",
        partition, (long long)t->feasible, j->procs);
}

static json_t *partition_record(struct server *s, const struct job *j,
    const struct partition *p, const struct tally *t,
    const struct eligibility_options *opt)
{
    const struct reason *why = engine_why(s->engine, j);
    bool enough = t->feasible >= j->procs, waits = why->code != WAIT_NONE;
    json_t *reason = render_reason(s, j, opt->who);
    char asked[200];
    bool told = waits && why->code != WAIT_RESOURCES && !is_of_level(why);
    bool alone =
        why->code == WAIT_RESOURCES
        && obstacles_say_asked(engine_cluster(s->engine), j, asked, sizeof asked);

    enum partition_code code = kept_out(j, why, opt->level) ? BLOCKED
                               : alone || (enough && told)  ? WAITS
                               : enough                     ? CAN_RUN
                               : t->idle < j->procs         ? TOO_FEW_IDLE
                                                            : UNSUITABLE;
    json_t *text = partition_text(
        code, j, p->name, t, json_string_value(json_object_get(reason, "text")));
    json_decref(reason);
    return json_pack("{s:s, s:b, s:s, s:o, s:I, s:I, s:O}", "partition", p->name,
        "can_run", code == CAN_RUN, "code", partition_words[code], "text", text,
        "idle_procs", (json_int_t)t->idle, "feasible_procs", (json_int_t)t->feasible,
        "rejections", t->rejections);
}

static void add_verdict(json_t *list, const struct node *n, const struct verdict *v)
{
    json_t *o = json_pack("{s:s, s:b, s:I}", "node", n->name, "accepted", !v->word,
        "tasks", (json_int_t)v->tasks);

    render_text(o, "reason", v->word);
    json_array_append_new(list, o);
}

/* A job of the caller's own may tell of one whose list lets it in. */
static bool is_told(const struct cluster *c, struct reservation *r, const struct job *j,
    const struct identity *who)
{
    struct acl_verdict v;

    if (identity_sees(who, c, r))
        return true;
    v = acl_decide_job(c, r, j, 0);
    return identity_has_job(who, c, j) && v.granted && v.code != ACL_PASSED;
}

static const char *const access_texts[ACL_CODES] = {
    [ACL_GRANTED] = "the job may use it",
    [ACL_PASSED] = "the reservation that the job names lies over it",
    [ACL_NOT_NAMED] = "only jobs that name it may use it (BYNAME)",
    [ACL_OTHER_NAMED] = "the job names another reservation",
    [ACL_EMPTY] = "its access list is empty: nobody may use it",
    [ACL_EXCLUDED] = "its access list excludes the job",
    [ACL_REQUIREMENT] = "the job lacks what its access list requires",
    [ACL_NO_MATCH] = "nothing in its access list matches the job",
};

static json_t *reservation_verdict(
    struct server *s, const struct job *j, const char *name, const struct identity *who)
{
    const struct cluster *c = engine_cluster(s->engine);
    struct reservation *r = reservation_find(c, name);

    if (!r || !is_told(c, r, j, who))
        return json_pack("{s:s, s:b, s:s}", "reservation", name, "granted", false,
            "text", "there is no such reservation");
    int64_t from = r->start_at > world_now(s) ? r->start_at : world_now(s);
    struct acl_verdict v =
        acl_decide_job(c, r, j, acl_overlap(r, from, time_add(from, j->wclimit_s)));
    return json_pack("{s:s, s:b, s:s}", "reservation", name, "granted", v.granted,
        "text", access_texts[v.code]);
}

/* What was not said matches nothing, or everything. */
static struct acl_verdict decide_names(const struct cluster *c,
    const char *const names[CRED_KINDS], bool anything, struct reservation *r)
{
    struct acl_asker who = acl_anybody();

    for (int k = 0; k < CRED_KINDS; k++)
        who.name[k] = names[k] ? names[k] : anything ? NULL : "";
    who.any_flags = anything;
    if (r->flags & RSV_BYNAME) {
        who.confined = ACL_TO_NAMED; /* they are told that they have to name it */
        who.advres = r->name;
    }
    return acl_decide(c, r, &who, 1);
}

json_t *eligibility_of_names(
    struct server *s, const char *const names[CRED_KINDS], struct reservation *r)
{
    const struct cluster *c = engine_cluster(s->engine);
    struct acl_verdict v = decide_names(c, names, false, r);
    bool granted = v.granted;
    const char *text = !granted                ? NULL
                       : r->flags & RSV_BYNAME ? "jobs that name it may use it (BYNAME)"
                                               : "may use it";

    if (!granted && v.code != ACL_EXCLUDED) {
        v = decide_names(c, names, true, r);
        text =
            v.granted ? "only jobs that its access list names by something else" : NULL;
    }
    json_t *o = json_pack("{s:b, s:s}", "granted", granted, "text",
        text                     ? text
        : v.code == ACL_EXCLUDED ? "its access list excludes them"
        : v.code == ACL_EMPTY    ? access_texts[ACL_EMPTY]
                                 : "nothing in its access list matches");
    if (v.granted && v.entry != INDEX_NONE) {
        const struct acl_entry *e = &r->acl.entries.v[v.entry];
        char entry[200];
        acltext_format_entry(e, entry, sizeof entry);
        json_object_set_new(o, "by",
            json_sprintf("%s%s", acltext_type_name((enum acl_type)e->type), entry));
    }
    return o;
}

void eligibility_render(struct server *s, const struct job *j,
    const struct eligibility_options *opt, json_t *o)
{
    const struct cluster *c = engine_cluster(s->engine);
    json_t *partitions = json_array(), *verdicts = json_array(), *access = json_array();

    for (size_t p = 0; p < c->partitions.n; p++) {
        struct tally t = {
            .rejections = json_object(), .parts = xcalloc(j->nreqs, sizeof *t.parts)};
        for (uint32_t i = 0; i < j->nreqs; i++)
            t.parts[i].listed_only = feasible_hosts_only(c, &j->reqs[i]);
        for (size_t i = 0; i < c->nodes.n; i++) {
            const struct node *n = node_at(c, i);
            if (n->global || n->partition != p)
                continue;
            struct verdict v = judge_node(&t, s, j, n);
            count_verdict(&t, s, n, &v);
            if (opt->node ? opt->node == n : opt->verdicts)
                add_verdict(verdicts, n, &v);
        }
        limit_to_requests(&t, j);
        if (j->partitions >> p & 1) {
            json_t *record = partition_record(s, j, c->partitions.v[p], &t, opt);
            json_object_set_new(record, "obstacles",
                obstacles_list(s, j, (uint32_t)p,
                    &(struct obstacle_time){
                        world_now(s), time_add(world_now(s), j->wclimit_s)},
                    opt->who));
            json_array_append_new(partitions, record);
        }
        json_decref(t.rejections);
        free(t.parts);
    }
    for (size_t i = 0; opt->reservations && opt->reservations[i]; i++)
        json_array_append_new(
            access, reservation_verdict(s, j, opt->reservations[i], opt->who));
    json_object_set(o, "eligibility", partitions);
    if (json_array_size(verdicts))
        json_object_set(o, "node_verdicts", verdicts);
    if (json_array_size(access))
        json_object_set(o, "reservation_verdicts", access);
    json_decref(partitions);
    json_decref(verdicts);
    json_decref(access);
}
