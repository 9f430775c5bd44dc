/* SPDX-License-Identifier: Apache-2.0
 * qstat, in both dialects: attributes have the same names, but for times, ends and what
 * is asked for. */
#include "base/xalloc.h"
#include "config/texts.h"
#include "rm/pbs/answers.h"

#include <inttypes.h>
#include <stdio.h>
#include <strings.h>
#include <time.h>

void pbs_answer_fini(struct pbs_answer *a)
{
    HASH_CLEAR(hh, a->by_id);
    for (size_t i = 0; i < a->jobs.n; i++)
        pbs_shape_fini(&a->jobs.v[i].shape);
    vec_fini(&a->jobs);
    vec_fini(&a->nodes);
    vec_fini(&a->cut);
    arena_free(&a->arena);
    json_decref(a->doc);
    *a = (struct pbs_answer){0};
}

const char *pbs_job_id(struct arena *arena, const char *id, const char *server)
{
    size_t n = strcspn(id, ".@"), label = id[n] == '.' ? strcspn(id + n + 1, ".@") : 0;

    if (label > 0 && server != NULL
        && (strcspn(server, ".@:") != label
            || strncasecmp(server, id + n + 1, label) != 0))
        n += 1 + label;
    return arena_text(arena, id, n);
}

struct pbs_job *pbs_find_job(const struct pbs_answer *a, const char *id)
{
    struct pbs_job *j;

    HASH_FIND_STR(a->by_id, id, j);
    return j;
}

int64_t pbs_time(const char *text)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    struct tm tm = {0};
    char month[4], *end;
    const char *at;
    int64_t seconds;

    if (text == NULL)
        return 0;
    seconds = strtoll(text, &end, 10);
    if (end > text && *end == '\0')
        return seconds > 0 ? seconds : 0;
    if (sscanf(text, "%*3s %3s %2d %2d:%2d:%2d %4d", month, &tm.tm_mday, &tm.tm_hour,
            &tm.tm_min, &tm.tm_sec, &tm.tm_year)
            != 6
        || strlen(month) != 3 || (at = strstr(months, month)) == NULL
        || (at - months) % 3 != 0 || tm.tm_year < 1970)
        return 0;
    tm.tm_mon = (int)(at - months) / 3;
    tm.tm_year -= 1900;
    return timegm(&tm);
}

/* ---- attributes ---- */

/* A job while it is read. */
struct view {
    struct pbs_answer *a;
    const json_t *o, *asks, *used; /* the job, Resource_List, resources_used */
    enum pbs_dialect dialect;
    struct pbs_job *job;
};

static const char *text_in(struct view *v, const json_t *o, const char *name)
{
    const json_t *value = json_object_get(o, name);

    if (json_is_integer(value))
        return arena_printf(
            &v->a->arena, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    return json_string_value(value);
}

static const char *text_of(struct view *v, const char *name)
{
    return text_in(v, v->o, name);
}

static int64_t number_of(struct view *v, const char *name, int64_t usual)
{
    const char *text = text_of(v, name);
    char *end;
    long long n = text != NULL ? strtoll(text, &end, 10) : 0;

    return text != NULL && end > text && *end == '\0' ? n : usual;
}

static const char *none_if_empty(const char *text)
{
    return text != NULL && *text ? text : NULL;
}

/* Why it does not start, unless something is said already. */
static void keep_back(struct view *v, const char *why)
{
    struct rm_job *j = &v->job->rm;

    if (j->desc.state != JOB_IDLE && j->desc.state != JOB_HOLD)
        return;
    j->desc.state = JOB_HOLD;
    if (j->desc.rm_hold == 0)
        j->desc.rm_hold = HOLD_SYSTEM;
    if (j->notes == NULL)
        j->notes = why;
}

/* ---- states ---- */

/* Waiting for others to end, held by the server for that: no hold of anybody. */
#define SUBSTATE_DEPENDENT 22

static unsigned holds_of(const char *letters)
{
    unsigned holds = 0;

    for (const char *c = letters ? letters : ""; *c; c++) {
        if (*c == 'u')
            holds |= HOLD_USER;
        else if (*c == 'o' || *c == 's' || *c == 'p')
            holds |= HOLD_SYSTEM;
    }
    return holds;
}

static void read_holds(struct view *v)
{
    const char *letters = text_of(v, "Hold_Types");
    struct rm_job *j = &v->job->rm;
    char others[20];
    size_t n = 0;

    if (v->job->substate == SUBSTATE_DEPENDENT) { /* its s is the server's */
        for (const char *c = letters ? letters : ""; *c && n + 1 < sizeof others; c++)
            if (*c != 's')
                others[n++] = *c;
        others[n] = '\0';
        letters = others;
    }
    j->desc.rm_hold = (uint8_t)holds_of(letters);
    j->desc.state = j->desc.rm_hold ? JOB_HOLD : JOB_IDLE;
    if (j->desc.rm_hold == 0 && v->dialect == PBS_TORQUE
        && v->job->substate != SUBSTATE_DEPENDENT && *text_of(v, "job_state") == 'H') {
        j->desc.state = JOB_HOLD; /* a wait, no hold */
        j->notes = "as many tasks of its array run as its limit allows";
    }
}

static void read_state(struct view *v)
{
    const char *letter = text_of(v, "job_state");
    struct rm_job *j = &v->job->rm;

    v->job->substate = (int)number_of(v, "substate", 0);
    switch (letter != NULL ? *letter : '?') {
    case 'Q':
    case 'W':
    case 'H':
        read_holds(v);
        break;
    case 'R':
        j->desc.state = v->job->substate == 41 ? JOB_STARTING : JOB_RUNNING;
        break;
    case 'E':
        j->desc.state = JOB_RUNNING; /* its nodes are busy until it is through */
        v->job->leaving = true;
        break;
    case 'S':
    case 'U':
        j->desc.state = JOB_SUSPENDED;
        break;
    case 'F':
    case 'C':
    case 'X':
        j->desc.state = JOB_COMPLETED;
        break;
    case 'B':
        read_holds(v);
        break;
    default: /* T, M: between servers */
        v->job->unseen = true;
        break;
    }
}

/* ---- ends ---- */

#define STOPPED_BY_SIGNAL  256
#define OPENPBS_OVER_LIMIT (-29)
#define TORQUE_OVER_LIMIT  (-11)
#define DELETED            91 /* substate of OpenPBS */

static void read_end(struct view *v)
{
    bool torque = v->dialect == PBS_TORQUE;
    int64_t status = number_of(v, torque ? "exit_status" : "Exit_status", INT64_MIN);
    struct rm_job *j = &v->job->rm;

    j->end_at = pbs_time(text_of(v, torque ? "comp_time" : "history_timestamp"));
    if (j->end_at == 0)
        j->end_at = pbs_time(text_of(v, "obittime"));
    if (j->end_at == 0)
        j->end_at = pbs_time(text_of(v, "mtime"));
    if (status == INT64_MIN || (v->job->substate == DELETED && status < 0)) {
        j->end.reason = ENDED_CANCELLED; /* it never ran */
    } else if (status == (torque ? TORQUE_OVER_LIMIT : OPENPBS_OVER_LIMIT)) {
        j->end.reason = ENDED_WALLCLOCK;
        j->end.limit = (double)j->desc.wclimit_s;
        j->exit_status = 128 + 15;
    } else if (status >= STOPPED_BY_SIGNAL && status < STOPPED_BY_SIGNAL + 128) {
        j->exit_status = 128 + (int)(status - STOPPED_BY_SIGNAL);
        j->end.reason = v->job->substate == DELETED ? ENDED_CANCELLED : ENDED_SIGNAL;
        j->end.used = (double)(status - STOPPED_BY_SIGNAL);
    } else if (status < 0) {
        j->exit_status = 1;
        j->end.reason = ENDED_START;
        j->end.said = arena_printf(&v->a->arena, "PBS gives %" PRId64, status);
    } else {
        j->exit_status = (int)(status < 255 ? status : 255);
        j->end.reason = ENDED_BY_ITSELF;
    }
}

/* ---- dependencies ---- */

static bool add_dep(struct view *v, struct dep *list, size_t *n, const char *type,
    size_t len, const char *id)
{
    static const struct {
        const char *word;
        enum dep_type type;
    } kinds[] = {{"after", DEP_STARTED}, {"afterany", DEP_COMPLETED},
        {"afterok", DEP_SUCCESS}, {"afternotok", DEP_FAILED}};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strlen(kinds[i].word) == len && strncmp(kinds[i].word, type, len) == 0) {
            list[(*n)++] = (struct dep){
                kinds[i].type, (char *)pbs_job_id(&v->a->arena, id, v->a->server)};
            return true;
        }
    return false;
}

/* "afterok:0.head1@head1:1.head1,beforeany:12.head1": those that it waits for; what
 * waits for it says so itself. */
static void read_depend(struct view *v)
{
    const char *text = text_of(v, "depend");
    struct dep *list;
    size_t n = 0;

    if (text == NULL || v->job->substate != SUBSTATE_DEPENDENT)
        return; /* fulfilled */
    list = arena_take(&v->a->arena, strlen(text) / 2 + 2, sizeof *list);
    for (const char *at = text; *at; at += strcspn(at, ","), at += *at == ',') {
        size_t end = strcspn(at, ","), word = strcspn(at, ":,");
        bool before = strncmp(at, "before", 6) == 0;

        for (size_t i = word; i < end && at[i] == ':' && !before;) {
            size_t id = strcspn(at + i + 1, ":,");

            if (!add_dep(
                    v, list, &n, at, word, arena_text(&v->a->arena, at + i + 1, id)))
                keep_back(v, arena_printf(&v->a->arena,
                                 "PBS waits for its dependency %.*s", (int)end, at));
            i += 1 + id;
        }
        if (!before && word == end)
            keep_back(v, arena_printf(&v->a->arena, "PBS waits for its dependency %.*s",
                             (int)end, at));
    }
    v->job->rm.desc.deps = list;
}

/* ---- what it asks for ---- */

static int read_openpbs_shape(struct view *v, struct err *err)
{
    const char *select = text_of(v, "schedselect");
    const char *place = text_in(v, v->asks, "place");

    if (select == NULL)
        select = text_in(v, v->asks, "select");
    if (select == NULL)
        return err_set(err, ERR_INVALID, "no select is told");
    if (pbs_select(&v->job->shape, &v->a->arena, select, err) < 0)
        return -1;
    return place != NULL ? pbs_place(&v->job->shape, &v->a->arena, place, err) : 0;
}

/* Of TORQUE. */
static void add_chunk(struct view *v, int64_t count, int64_t procs)
{
    v->job->shape.slots = true;
    vec_push(&v->job->shape.chunks,
        ((struct pbs_chunk){.count = count, .procs = procs, .spec = ""}));
}

static bool is_true(struct view *v, const char *name)
{
    const char *text = text_of(v, name);

    return text != NULL && strcasecmp(text, "True") == 0;
}

/* mem= is of the whole job, pmem= of each process. */
static void share_memory(struct view *v)
{
    const char *all = text_in(v, v->asks, "mem"), *each = text_in(v, v->asks, "pmem");
    struct pbs_shape *s = &v->job->shape;
    int64_t tasks = 0, mb;

    for (size_t i = 0; i < s->chunks.n; i++)
        tasks += s->chunks.v[i].count * (s->chunks.v[i].ppn ? s->chunks.v[i].ppn : 1);
    mb = each != NULL ? pbs_size_mb(each) : all != NULL ? pbs_size_mb(all) : 0;
    if (each == NULL && tasks > 0 && mb > 0)
        mb = (mb + tasks - 1) / tasks;
    for (size_t i = 0; i < s->chunks.n && mb > 0; i++)
        s->chunks.v[i].mem_mb = mb;
}

static void add_feature(struct view *v, const char *feature)
{
    const char **list = arena_take(&v->a->arena, 2, sizeof *list);
    struct pbs_shape *s = &v->job->shape;

    list[0] = feature;
    for (size_t i = 0; i < s->chunks.n; i++)
        if (s->chunks.v[i].features == NULL)
            s->chunks.v[i].features = list;
        else
            s->odd = "properties beside feature= are not planned";
}

static int read_torque_shape(struct view *v, struct err *err)
{
    const char *nodes = text_in(v, v->asks, "nodes");
    const char *procs = text_in(v, v->asks, "procs"),
               *cpus = text_in(v, v->asks, "ncpus");
    const char *access = text_in(v, v->asks, "naccesspolicy");
    const char *feature = text_in(v, v->asks, "feature");
    struct pbs_shape *s = &v->job->shape;
    int64_t n;

    if (procs != NULL && (n = strtol(procs, NULL, 10)) > 0 && n <= INT32_MAX)
        add_chunk(v, n, 1);
    else if (cpus != NULL && (n = strtol(cpus, NULL, 10)) > 0 && n <= INT32_MAX)
        add_chunk(v, 1, n);
    else if (nodes != NULL && pbs_nodes(s, &v->a->arena, nodes, err) < 0)
        return -1;
    else if (nodes == NULL && json_object_get(v->o, "req_information") != NULL)
        s->odd = "requests by -L are not planned";
    else if (nodes == NULL)
        add_chunk(v, 1, 1); /* it says nothing of it */
    s->exclusive |= is_true(v, "node_exclusive")
                    || (access != NULL && strncasecmp(access, "single", 6) == 0);
    share_memory(v);
    if (feature != NULL && *feature)
        add_feature(v, feature);
    return 0;
}

/* Of the job as a whole, not of a chunk: floating, where the server has it. */
static void read_floating(struct view *v)
{
    static const char *const own[] = {"nodes", "neednodes", "procs", "cput", "pcput",
        "soft_walltime", "min_walltime", "max_walltime", "nice", "software", "file",
        "pmem", "pvmem", "qos", "partition", "naccesspolicy", "feature", "advres",
        "preempt_targets", "naccelerators", "gres", NULL};
    struct gres_cfg *list =
        arena_take(&v->a->arena, json_object_size(v->asks) + 1, sizeof *list);
    struct req_desc *first = (struct req_desc *)v->job->rm.desc.reqs;
    const char *name;
    json_t *value;
    size_t n = 0;

    if (v->dialect == PBS_TORQUE)
        return; /* gres= is read with it */
    json_object_foreach((json_t *)v->asks, name, value)
    {
        const char *text = text_in(v, v->asks, name);
        bool known = text == NULL;
        int64_t count = 0;

        for (const char *const *o = own; *o != NULL && !known; o++)
            known = strcasecmp(*o, name) == 0;
        for (size_t i = 0; i < v->job->shape.chunks.n && !known; i++)
            for (const struct gres_cfg *g = v->job->shape.chunks.v[i].gres;
                 g != NULL && g->name != NULL; g++)
                known |= strcasecmp(g->name, name) == 0;
        if (!known && pbs_resource(name, text, &count) == PBS_COUNT && count > 0)
            list[n++] = (struct gres_cfg){.name = (char *)name, .count = count};
    }
    if (n > 0)
        first->job_gres = list;
}

/* "matlab:2" */
static void read_gres(struct view *v)
{
    const char *text = text_in(v, v->asks, "gres");
    struct req_desc *first = (struct req_desc *)v->job->rm.desc.reqs;
    struct gres_cfg *list;
    size_t n = 0;

    if (v->dialect != PBS_TORQUE || text == NULL)
        return;
    list = arena_take(&v->a->arena, strlen(text) + 1, sizeof *list);
    for (const char *p = text; *p; p += strcspn(p, ",%+"), p += *p != '\0') {
        size_t len = strcspn(p, ",%+"), name = strcspn(p, ":,%+");
        int64_t count = name < len ? strtol(p + name + 1, NULL, 10) : 1;

        if (name > 0 && count > 0)
            list[n++] = (struct gres_cfg){
                .name = arena_text(&v->a->arena, p, name), .count = count};
    }
    if (n > 0)
        first->job_gres = list;
}

static void read_shape(struct view *v)
{
    struct job_desc *d = &v->job->rm.desc;
    struct err err = {0};
    int status = v->dialect == PBS_TORQUE ? read_torque_shape(v, &err)
                                          : read_openpbs_shape(v, &err);

    if (pbs_is_too_much(&v->job->shape))
        v->job->shape.odd = "requests of more than 64 chunks, or nodes, one by one are "
                            "not planned";
    d->reqs = pbs_requests(&v->job->shape, &v->a->arena, &d->nreqs, &d->flags);
    if (status < 0)
        keep_back(v,
            arena_printf(&v->a->arena, "its request is not understood: %s", err.text));
    else if (v->job->shape.odd != NULL)
        keep_back(v, v->job->shape.odd);
    read_floating(v);
    read_gres(v);
}

/* ---- where it runs ---- */

static void read_places(struct view *v)
{
    bool torque = v->dialect == PBS_TORQUE;
    const char *text = text_of(v, torque ? "exec_host" : "exec_vnode");
    const char *mem = text_in(v, v->asks, "mem");
    struct rm_job *j = &v->job->rm;
    struct pbs_places p;

    if (text == NULL || j->desc.state == JOB_IDLE || j->desc.state == JOB_HOLD)
        return;
    if (!(torque ? pbs_exec_host(&v->a->arena, text, mem ? pbs_size_mb(mem) : 0, &p)
                 : pbs_exec_vnode(&v->job->shape, &v->a->arena, text, &p)))
        return;
    j->places = p.v;
    j->nplaces = p.n;
    if (p.reqs != NULL) {
        ((struct req_desc *)p.reqs)->access = j->desc.reqs[0].access;
        j->desc.reqs = p.reqs;
        j->desc.nreqs = p.nreqs;
    }
    if (job_has_begun(j->desc.state)) {
        j->desc.places = p.v;
        j->desc.nplaces = p.n;
    }
}

/* ---- the rest ---- */

/* "alice@head1" */
static const char *owner_of(struct view *v)
{
    const char *user = text_of(v, "euser"), *owner = text_of(v, "Job_Owner");

    if (user != NULL && *user)
        return user;
    return owner != NULL ? arena_text(&v->a->arena, owner, strcspn(owner, "@")) : NULL;
}

/* "-W x=QOS:high;ADVRES:r" or -l qos=: TORQUE keeps them for its scheduler. */
static const char *extension(struct view *v, const char *name)
{
    const char *x = text_of(v, "x");
    size_t n = strlen(name);

    for (const char *p = x; p != NULL && *p; p += strcspn(p, ";"), p += *p == ';')
        if (strncasecmp(p, name, n) == 0 && (p[n] == ':' || p[n] == '='))
            return arena_text(&v->a->arena, p + n + 1, strcspn(p + n + 1, ";"));
    return NULL;
}

static void read_credentials(struct view *v)
{
    struct job_desc *d = &v->job->rm.desc;
    const char *qos = text_in(v, v->asks, "qos");

    d->cred[CRED_USER] = none_if_empty(owner_of(v));
    d->cred[CRED_GROUP] = none_if_empty(text_of(v, "egroup"));
    d->cred[CRED_ACCOUNT] = none_if_empty(text_of(v, "Account_Name"));
    d->cred[CRED_CLASS] = none_if_empty(text_of(v, "queue"));
    d->cred[CRED_QOS] = none_if_empty(qos != NULL ? qos : extension(v, "QOS"));
    d->advres = none_if_empty(extension(v, "ADVRES"));
    /* the server has looked at queue and limits; QOS mean nothing to it, anybody may
     * write any */
    d->admitted = d->cred[CRED_QOS] == NULL;
}

static void read_times(struct view *v)
{
    struct rm_job *j = &v->job->rm;
    const char *start = text_of(v, v->dialect == PBS_TORQUE ? "start_time" : "stime");
    const char *limit = text_in(v, v->asks, "walltime");
    const char *begin = text_of(v, "Execution_Time");
    int64_t s = limit != NULL ? pbs_seconds(limit) : 0;
    int64_t changed = pbs_time(text_of(v, "mtime"));

    if (changed > v->a->newest)
        v->a->newest = changed;
    j->desc.submit_at = pbs_time(text_of(v, "ctime"));
    j->desc.eligible_at = pbs_time(text_of(v, "etime"));
    j->desc.wclimit_s = s > 0 ? s : limit == NULL ? DURATION_UNLIMITED : 0;
    j->desc.release_at = pbs_time(begin);
    if (j->desc.state != JOB_IDLE && j->desc.state != JOB_HOLD)
        j->start_at = pbs_time(start);
    if (job_has_begun(j->desc.state))
        j->desc.start_at = j->start_at;
}

static void read_usage(struct view *v)
{
    struct rm_job *j = &v->job->rm;
    const char *cpu = text_in(v, v->used, "cput"), *mem = text_in(v, v->used, "mem");

    j->cpu_s = cpu != NULL && pbs_seconds(cpu) >= 0 ? (double)pbs_seconds(cpu) : -1;
    j->mem_mb = mem != NULL ? pbs_size_mb(mem) : -1;
    j->swap_mb = j->disk_mb = -1;
}

/* "15[4]", "15[]"; "15[4].other" of one that was moved there */
static void read_array(struct view *v, const char *id)
{
    const char *open = strchr(id, '['), *close = open ? strchr(open, ']') : NULL;

    if (close == NULL)
        return;
    if (close == open + 1) {
        v->job->parent = true;
        v->job->at_once = number_of(v, "max_run_subjobs", 0);
        return;
    }
    v->job->array = arena_printf(&v->a->arena, "%.*s[%s", (int)(open - id), id, close);
}

static void read_job(
    struct pbs_answer *a, enum pbs_dialect dialect, const char *id, const json_t *o)
{
    struct pbs_job job = {.rm = {.desc = {.state = JOB_UNKNOWN}}};
    struct view v = {a, o, json_object_get(o, "Resource_List"),
        json_object_get(o, "resources_used"), dialect, &job};
    const char *type = text_of(&v, "queue_type");
    struct job_desc *d = &job.rm.desc;

    if (text_of(&v, "server") != NULL)
        a->server = text_of(&v, "server");
    d->id = pbs_job_id(&a->arena, id, a->server);
    job.name = arena_text(&a->arena, id, strcspn(id, "@"));
    read_array(&v, d->id);
    read_state(&v);
    if (type != NULL && *type == 'R')
        job.unseen = true;
    if (job.unseen || *d->id == '\0')
        return;
    read_credentials(&v);
    read_times(&v);
    read_usage(&v);
    d->user_priority = number_of(&v, "Priority", 0);
    if (is_true(&v, "Rerunable"))
        d->flags |= JOB_RESTARTABLE;
    job.runs = number_of(&v, dialect == PBS_TORQUE ? "start_count" : "run_count", 0);
    job.comment = none_if_empty(text_of(&v, "comment"));
    job.rm.name = none_if_empty(text_of(&v, "Job_Name"));
    read_shape(&v);
    read_places(&v);
    read_depend(&v);
    if (d->state == JOB_COMPLETED)
        read_end(&v);
    vec_push(&a->jobs, job);
}

/* ---- arrays ---- */

/* Of two that are called the same the first. */
static void index_jobs(struct pbs_answer *a)
{
    for (size_t i = 0; i < a->jobs.n; i++) {
        struct pbs_job *j = &a->jobs.v[i];
        const char *id = j->rm.desc.id;

        if (pbs_find_job(a, id) == NULL)
            HASH_ADD_KEYPTR(hh, a->by_id, id, strlen(id), j);
    }
}

/* A held array says so at its parent alone. */
static void hold_members(struct pbs_answer *a)
{
    for (size_t i = 0; i < a->jobs.n; i++) {
        struct pbs_job *j = &a->jobs.v[i];
        struct job_desc *d = &j->rm.desc;

        if (j->array == NULL)
            continue;
        const struct pbs_job *parent = pbs_find_job(a, j->array);
        if (parent == NULL || (d->state != JOB_IDLE && d->state != JOB_HOLD))
            continue;
        d->rm_hold |= parent->rm.desc.rm_hold;
        if (d->rm_hold)
            d->state = JOB_HOLD;
        if (j->substate == 0 || parent->substate == SUBSTATE_DEPENDENT)
            d->deps = d->deps != NULL ? d->deps : parent->rm.desc.deps;
    }
}

#define SHARE_MOST  (1u << 20) /* of a job; where a wide one runs is long */
#define LISTED_MOST (192u << 20)

const struct squeeze_kind *pbs_squeeze(enum pbs_dialect dialect)
{
    static const char *const drop[] = {"Variable_List", "Submit_arguments",
        "submit_args", "argument_list", "executable", "Mail_Users", "Error_Path",
        "Output_Path", "init_work_dir", "jobdir", NULL};
    /* of JSON Jobs.ID in the document, of XML <Data><Job> */
    static const struct squeeze_kind kinds[] = {
        [PBS_OPENPBS] = {.grammar = SQUEEZE_JSON,
            .depth = 3,
            .drop = drop,
            .payer = "Job_Owner",
            .share = SHARE_MOST,
            .most = LISTED_MOST},
        [PBS_TORQUE] = {.grammar = SQUEEZE_XML,
            .depth = 2,
            .drop = drop,
            .payer = "Job_Owner",
            .key = "Job_Id",
            .share = SHARE_MOST,
            .most = LISTED_MOST}};

    return &kinds[dialect];
}

static void add_job(
    struct pbs_answer *a, enum pbs_dialect dialect, const char *id, const json_t *o)
{
    if (json_object_get(o, SQUEEZE_CUT) != NULL)
        vec_push(&a->cut, pbs_job_id(&a->arena, id, a->server));
    else if (json_is_object(o))
        read_job(a, dialect, id, o);
}

/* What is as before, put in. */
static void fill_in(struct pbs_answer *a, const struct pbs_answer *before)
{
    json_t *jobs = json_object_get(a->doc, "Jobs");
    json_t *known = before != NULL && before->doc != NULL
                        ? json_object_get(before->doc, "Jobs")
                        : NULL;

    a->fresh = json_object_size(jobs);
    for (void *i = json_object_iter(jobs); i != NULL;
         i = json_object_iter_next(jobs, i)) {
        json_t *job = json_object_get(known, json_object_iter_key(i));

        if (!json_is_null(json_object_iter_value(i)))
            continue;
        a->fresh--;
        a->unknown += job == NULL;
        if (job != NULL)
            json_object_iter_set(jobs, i, job);
    }
}

static int read_all(struct pbs_answer *a, enum pbs_dialect dialect,
    const struct pbs_answer *before, const char *text, size_t len, struct err *err)
{
    static const struct pbs_record record = {"Job", "Job_Id", "Jobs"};
    json_t *jobs;

    *a = (struct pbs_answer){.doc = pbs_document(dialect, text, len, &record, err)};
    if (a->doc == NULL)
        return err_prefix(err, "qstat: ");
    fill_in(a, before);
    jobs = json_object_get(a->doc, "Jobs");
    for (void *i = json_object_iter(jobs); i != NULL;
         i = json_object_iter_next(jobs, i))
        add_job(a, dialect, json_object_iter_key(i), json_object_iter_value(i));
    index_jobs(a);
    hold_members(a);
    return 0;
}

int pbs_read_jobs(struct pbs_answer *a, enum pbs_dialect dialect, const char *text,
    size_t len, struct err *err)
{
    return read_all(a, dialect, NULL, text, len, err);
}

int pbs_read_changes(struct pbs_answer *a, const struct pbs_answer *before,
    const char *text, size_t len, struct err *err)
{
    return read_all(a, PBS_OPENPBS, before, text, len, err);
}
