/* SPDX-License-Identifier: Apache-2.0
 * What Slurm limits, told as quotas: all of them, when something of it changed; and the
 * priorities of QOS, also where it enforces no limits. What the scheduler has no
 * measure for (limits by node, billing, energy, nodes that jobs share) stays Slurm's to
 * enforce. */
#include "rm/slurm/limits.h"

#include "base/xalloc.h"
#include "rm/slurm/adapter.h"

#include <stdio.h>

/* Between looks: changes are to be seen within a minute or so, and slurmctld is not to
 * spend more than a thirtieth of its time on it. It does where a look takes over 2 s.
 */
#define GAP_MIN_MS 2000
#define GAP_MAX_MS 60000
#define GAP_FACTOR 30

void limits_clear(struct slurm_limits *ret)
{
    *ret = (struct slurm_limits){.jobs = NO_LIMIT,
        .max_jobs = NO_LIMIT,
        .user_jobs = NO_LIMIT,
        .account_jobs = NO_LIMIT,
        .wall_min = NO_LIMIT};
}

void limits_add_tres(struct tres *io, const char *name, size_t length, uint64_t most)
{
    vec_push(io, ((struct tres_limit){xstrndup(name, length), most}));
}

static void free_tres(struct tres *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->v[i].name);
    vec_fini(t);
}

void limits_free(struct slurm_limits_list *l)
{
    for (size_t i = 0; i < l->n; i++) {
        free(l->v[i].account);
        free(l->v[i].user);
        free(l->v[i].partition);
        free(l->v[i].parent);
        free(l->v[i].qos);
        free_tres(&l->v[i].group);
        free_tres(&l->v[i].run_mins);
        free_tres(&l->v[i].job);
        free_tres(&l->v[i].job_mins);
        free_tres(&l->v[i].per_user);
        free_tres(&l->v[i].per_account);
    }
    vec_fini(l);
}

/* ---- quotas in the making -------------------------------------------------------- */

/* An account, found by its name. */
struct account {
    const struct slurm_limits *limits;
    UT_hash_handle hh;
};

struct telling {
    struct account *accounts; /* hashed by name */
    const struct slurm_limits_list *all;
    const partition_info_msg_t *parts;
    bool whole_nodes; /* nobody shares nodes: what jobs have adds up */
    struct VEC(struct quota) quotas;
    struct VEC(struct quota_rank) ranks;
    struct share_targets targets;
    struct VEC(struct quota_limit) limits; /* of the one in the making */
    struct request_room room;
};

struct one_limit {
    const char *word;
    enum quota_rule rule;
    enum limit_res res;
    uint64_t most, factor;
};

static void add_limit(struct telling *t, struct one_limit m)
{
    if (m.most != NO_LIMIT && m.most <= INT64_MAX / m.factor)
        vec_push(&t->limits, ((struct quota_limit){.word = m.word,
                                 .rule = m.rule,
                                 .res = m.res,
                                 .most = (int64_t)(m.most * m.factor)}));
}

/* How the scheduler measures what Slurm calls so; false: it does not. */
static bool find_measure(struct telling *t, const char *name, struct quota_limit *ret)
{
    static const struct {
        const char *name;
        enum limit_res res;
    } plain[] = {{"cpu", LIMIT_PROC}, {"node", LIMIT_NODE}, {"mem", LIMIT_MEM}};
    static const char *const kinds[] = {"gres/", "license/"};

    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(name, plain[i].name) == 0) {
            ret->res = plain[i].res;
            return ret->res != LIMIT_NODE || ret->rule == QUOTA_JOB || t->whole_nodes;
        }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(name, kinds[i], strlen(kinds[i])) == 0) {
            const char *of = name + strlen(kinds[i]);
            ret->res = LIMIT_PROC;
            ret->gres = request_text(&t->room, of, strlen(of));
            return true;
        }
    return false;
}

/* "GrpTRES=cpu" and so on, of those that the scheduler measures; or by the minute. */
static void add_tres(struct telling *t, const char *word, enum quota_rule rule,
    const struct tres *tres, bool by_time)
{
    const uint64_t factor = by_time ? 60 : 1;
    char text[200];

    for (size_t k = 0; k < tres->n; k++) {
        struct quota_limit m = {.rule = rule, .by_time = by_time};
        if (!find_measure(t, tres->v[k].name, &m)
            || tres->v[k].most > INT64_MAX / factor)
            continue;
        if (by_time && m.res == LIMIT_PROC && m.gres == NULL) {
            m.res = LIMIT_PS;
            m.by_time = false;
        }
        int n = snprintf(text, sizeof text, "%s=%.150s", word, tres->v[k].name);
        m.word = request_text(&t->room, text, (size_t)n);
        m.most = (int64_t)(tres->v[k].most * factor);
        vec_push(&t->limits, m);
    }
}

static void add_common(struct telling *t, const struct slurm_limits *l)
{
    add_limit(t, (struct one_limit){"GrpJobs", QUOTA_GROUP, LIMIT_JOB, l->jobs, 1});
    add_tres(t, "GrpTRES", QUOTA_GROUP, &l->group, false);
    add_tres(t, "GrpTRESRunMins", QUOTA_GROUP, &l->run_mins, true);
    if (l->grouped_mins) /* also where it is not reached: it goes before others' */
        add_limit(t, (struct one_limit){
                         "GrpTRESMins", QUOTA_JOB, LIMIT_JOB, l->used_up ? 0 : 1, 1});
}

static void add_of_job(struct telling *t, const struct slurm_limits *l)
{
    add_limit(t, (struct one_limit){"MaxWall", QUOTA_JOB, LIMIT_WC, l->wall_min, 60});
    add_tres(t, "MaxTRES", QUOTA_JOB, &l->job, false);
    add_tres(t, "MaxTRESMins", QUOTA_JOB, &l->job_mins, true);
}

/* The limits in the making are all of this one. */
static void end_quota(struct telling *t, struct quota q)
{
    struct quota_limit *copy;

    if (t->limits.n == 0)
        return;
    copy = request_take(&t->room, t->limits.n, sizeof *copy);
    memcpy(copy, t->limits.v, t->limits.n * sizeof *copy);
    q.limits = copy;
    q.n = t->limits.n;
    vec_push(&t->quotas, q);
    t->limits.n = 0;
}

static const char *name_text(struct telling *t, const char *kind, const char *name,
    const char *kind2, const char *name2)
{
    char text[400];
    int n = snprintf(text, sizeof text, "%s%.120s%s%.120s", kind, name, kind2, name2);

    return request_text(&t->room, text, (size_t)n);
}

/* ---- associations ---------------------------------------------------------------- */

static bool is_same(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

static bool is_account(const struct slurm_limits *l)
{
    return l->account != NULL && l->user == NULL;
}

static void find_accounts(struct telling *t)
{
    struct account *known;

    for (size_t i = 0; i < t->all->n; i++) {
        const struct slurm_limits *l = &t->all->v[i];
        if (!is_account(l))
            continue;
        HASH_FIND_STR(t->accounts, l->account, known);
        if (known != NULL)
            continue;
        known = request_take(&t->room, 1, sizeof *known);
        known->limits = l;
        HASH_ADD_KEYPTR(hh, t->accounts, l->account, strlen(l->account), known);
    }
}

/* Is it that account, or one below it? A circle of parents ends it. */
static bool is_below(const struct telling *t, const char *account, const char *top)
{
    for (size_t depth = 0; account != NULL && depth < t->all->n; depth++) {
        struct account *known;

        if (strcmp(account, top) == 0)
            return true;
        HASH_FIND_STR(t->accounts, account, known);
        account = known != NULL ? known->limits->parent : NULL;
    }
    return false;
}

static const char *const *accounts_below(struct telling *t, const char *top)
{
    const char **names = request_take(&t->room, t->all->n + 1, sizeof *names);
    size_t n = 0;

    for (size_t i = 0; i < t->all->n; i++) {
        const struct slurm_limits *l = &t->all->v[i];
        if (is_account(l) && is_below(t, l->account, top))
            names[n++] = l->account;
    }
    return names;
}

static const char *const *only(struct telling *t, const char *name)
{
    const char **names = request_take(&t->room, 2, sizeof *names);

    names[0] = name;
    return names;
}

static void tell_account(struct telling *t, const struct slurm_limits *l)
{
    bool all = l->parent == NULL;

    add_common(t, l);
    if (t->limits.n > 0)
        end_quota(t,
            (struct quota){.name = all ? "all accounts"
                                       : name_text(t, "account ", l->account, "", ""),
                .accounts = all ? NULL : accounts_below(t, l->account)});
}

/* Partitions in which the user has an association of its own. */
static const char *const *other_partitions(
    struct telling *t, const struct slurm_limits *own)
{
    struct VEC(const char *) names = {0};
    const char **copy = NULL;

    for (size_t i = 0; i < t->all->n; i++) {
        const struct slurm_limits *l = &t->all->v[i];
        if (l->partition != NULL && is_same(l->user, own->user)
            && is_same(l->account, own->account))
            vec_push(&names, l->partition);
    }
    if (names.n > 0) {
        copy = request_take(&t->room, names.n + 1, sizeof *copy);
        memcpy(copy, names.v, names.n * sizeof *copy);
    }
    vec_fini(&names);
    return copy;
}

static void tell_user(struct telling *t, const struct slurm_limits *l)
{
    struct quota q = {.user = l->user};

    add_common(t, l);
    add_limit(t, (struct one_limit){"MaxJobs", QUOTA_EACH, LIMIT_JOB, l->max_jobs, 1});
    add_of_job(t, l);
    if (t->limits.n == 0)
        return;
    q.name = name_text(t, "user ", l->user, " in account ", l->account);
    q.accounts = only(t, l->account);
    if (l->partition != NULL) {
        q.name = name_text(t, q.name, "", ", partition ", l->partition);
        q.classes = only(t, l->partition);
    } else {
        q.except = other_partitions(t, l);
    }
    end_quota(t, q);
}

/* ---- QOS ------------------------------------------------------------------------- */

/* Partitions whose QOS it is. */
static const char *const *partitions_of(struct telling *t, const char *qos)
{
    const char **names =
        request_take(&t->room, t->parts->record_count + 1, sizeof *names);
    size_t n = 0;

    for (uint32_t i = 0; i < t->parts->record_count; i++)
        if (is_same(t->parts->partition_array[i].qos_char, qos))
            names[n++] = t->parts->partition_array[i].name;
    return n > 0 ? names : NULL;
}

static void tell_qos(struct telling *t, const struct slurm_limits *l)
{
    struct quota q = {.name = name_text(t, "QOS ", l->qos, "", ""),
        .qos = l->qos,
        .classes = partitions_of(t, l->qos),
        .first = l->first};

    add_common(t, l);
    add_of_job(t, l);
    end_quota(t, q);
    q.per = QUOTA_PER_USER;
    add_limit(t,
        (struct one_limit){"MaxJobsPerUser", QUOTA_EACH, LIMIT_JOB, l->user_jobs, 1});
    add_tres(t, "MaxTRESPerUser", QUOTA_EACH, &l->per_user, false);
    end_quota(t, q);
    q.per = QUOTA_PER_ACCOUNT;
    add_limit(t, (struct one_limit){
                     "MaxJobsPerAccount", QUOTA_EACH, LIMIT_JOB, l->account_jobs, 1});
    add_tres(t, "MaxTRESPerAccount", QUOTA_EACH, &l->per_account, false);
    end_quota(t, q);
}

/* ---- what Slurm says of a job that it keeps -------------------------------------- */

/* What stands in its word, from the narrower to the wider. */
static const char *find_word(const char *reason)
{
    static const char *const words[][2] = {{"GRES", "generic resources"},
        {"License", "licences"}, {"Billing", "billing units"}, {"Energy", "energy"},
        {"BB", "burst buffers"}, {"Cpu", "processors"}, {"CPU", "processors"},
        {"Mem", "memory"}, {"Node", "nodes"}, {"Submit", "jobs submitted"},
        {"Job", "jobs"}, {"Wall", "time"}};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(reason, words[i][0]) != NULL)
            return words[i][1];
    return "resources";
}

bool limits_reason(const slurm_job_info_t *j, char *ret_text, size_t size)
{
    const char *reason = assoc_reason(j);
    bool assoc = reason != NULL && strncmp(reason, "Assoc", 5) == 0;

    if (!assoc && (reason == NULL || strncmp(reason, "QOS", 3) != 0))
        return false;
    snprintf(ret_text, size, "Slurm's limit %.*s (%s%s, of its %s)",
        (int)strcspn(reason, " ,"), reason, find_word(reason),
        strstr(reason, "Minutes") != NULL ? " by the minute" : "",
        assoc ? "association" : "QOS");
    return true;
}

/* ---- looking --------------------------------------------------------------------- */

static bool has_whole_nodes(const struct adapter *a, const partition_info_msg_t *parts)
{
    bool whole = true;

    for (uint32_t i = 0; i < parts->record_count; i++)
        whole &= parts->partition_array[i].max_share == 0;
    return a->facts.whole_node || whole;
}

static uint64_t digest_names(uint64_t h, const char *const *names)
{
    for (; names != NULL && *names != NULL; names++)
        h = digest_text(h, *names);
    return digest_text(h, NULL);
}

static uint64_t digest_of(const struct telling *t)
{
    uint64_t h = DIGEST_START;

    for (size_t i = 0; i < t->quotas.n; i++) {
        const struct quota *q = &t->quotas.v[i];
        const int64_t numbers[] = {q->per, q->first};
        h = digest_text(digest_text(h, q->name), q->user);
        h = digest_names(
            digest_names(digest_names(h, q->accounts), q->classes), q->except);
        h = digest_bytes(h, numbers, sizeof numbers);
        for (size_t k = 0; k < q->n; k++) {
            h = digest_text(h, q->limits[k].word);
            h = digest_bytes(h, &q->limits[k].most, sizeof q->limits[k].most);
        }
    }
    for (size_t i = 0; i < t->ranks.n; i++)
        h = digest_bytes(digest_text(h, t->ranks.v[i].qos), &t->ranks.v[i].priority,
            sizeof t->ranks.v[i].priority);
    for (size_t i = 0; i < t->targets.n; i++)
        h = digest_bytes(digest_text(h, t->targets.v[i].name), &t->targets.v[i].percent,
            sizeof t->targets.v[i].percent);
    return h;
}

static bool limits_memory(const struct telling *t)
{
    for (size_t i = 0; i < t->quotas.n; i++)
        for (size_t k = 0; k < t->quotas.v[i].n; k++)
            if (t->quotas.v[i].limits[k].res == LIMIT_MEM)
                return true;
    return false;
}

static void tell_quotas(struct adapter *a, struct telling *t)
{
    uint64_t digest = digest_of(t);
    struct rm_report r = {.kind = RM_QUOTAS,
        .u.quotas = {.source = "Slurm",
            .v = t->quotas.v,
            .n = t->quotas.n,
            .ranks = t->ranks.v,
            .nranks = t->ranks.n,
            .targets = t->targets.v,
            .ntargets = t->targets.n}};

    if (digest != a->limits_digest)
        adapter_report(a, &r);
    a->limits_digest = digest;
    a->memory_limited = limits_memory(t);
}

static void forget_graces(struct adapter *a)
{
    for (size_t i = 0; i < a->graces.n; i++)
        free(a->graces.v[i].qos);
    vec_fini(&a->graces);
}

static void note_graces(struct adapter *a, const struct slurm_limits_list *all)
{
    forget_graces(a);
    for (size_t i = 0; i < all->n; i++)
        if (all->v[i].qos != NULL && all->v[i].grace_s > 0)
            vec_push(&a->graces,
                ((struct qos_grace){xstrdup(all->v[i].qos), all->v[i].grace_s}));
}

int64_t limits_grace(const struct adapter *a, const char *qos, int64_t otherwise)
{
    for (size_t i = 0; qos != NULL && i < a->graces.n; i++)
        if (strcmp(a->graces.v[i].qos, qos) == 0)
            return a->graces.v[i].grace_s;
    return otherwise;
}

static void tell_all(struct adapter *a, const struct slurm_limits_list *all,
    const partition_info_msg_t *parts)
{
    struct telling t = {
        .all = all, .parts = parts, .whole_nodes = has_whole_nodes(a, parts)};

    find_accounts(&t);
    shares_find(all, &t.targets);
    for (size_t i = 0; i < all->n; i++) {
        if (all->v[i].qos != NULL && all->v[i].priority != 0)
            vec_push(
                &t.ranks, ((struct quota_rank){all->v[i].qos, all->v[i].priority}));
        if (!a->limits_enforced)
            continue;
        if (all->v[i].qos != NULL)
            tell_qos(&t, &all->v[i]);
        else if (all->v[i].user != NULL && all->v[i].account != NULL)
            tell_user(&t, &all->v[i]);
        else if (is_account(&all->v[i]))
            tell_account(&t, &all->v[i]);
    }
    tell_quotas(a, &t);
    HASH_CLEAR(hh, t.accounts);
    vec_fini(&t.quotas);
    vec_fini(&t.ranks);
    vec_fini(&t.targets);
    vec_fini(&t.limits);
    request_free_room(&t.room);
}

/* slurm.conf may be another one since slurmctld was restarted. */
static void find_enforced(struct adapter *a)
{
    slurm_conf_t *c = NULL;

    if (slurm_load_ctl_conf(0, &c) != SLURM_SUCCESS)
        return;
    a->limits_enforced = c->accounting_storage_enforce & ENFORCES_LIMITS;
    a->accounts = rights_has_accounts(c);
    slurm_free_ctl_conf(c);
}

static int look(struct adapter *a)
{
    struct slurm_limits_list all = {0};
    partition_info_msg_t *parts = NULL;
    int result = -1;

    if (assoc_load(&all) == 0
        && slurm_load_partitions(0, &parts, SHOW_ALL | SHOW_LOCAL) == SLURM_SUCCESS) {
        tell_all(a, &all, parts);
        note_graces(a, &all);
        slurm_free_partition_info_msg(parts);
        result = 0;
    } else if (!adapter_lost(a, "limits")) {
        result = 0; /* told; the rest is well */
    }
    limits_free(&all);
    return result;
}

static int64_t due_after(int64_t begun_ms, int64_t now_ms)
{
    int64_t gap_ms = (now_ms - begun_ms) * GAP_FACTOR;

    return now_ms
           + (gap_ms < GAP_MIN_MS    ? GAP_MIN_MS
               : gap_ms > GAP_MAX_MS ? GAP_MAX_MS
                                     : gap_ms);
}

int limits_poll(struct adapter *a)
{
    static const struct telling nothing;
    struct telling t = nothing;

    int64_t begun_ms = adapter_now_ms();
    int result;

    if (a->told_all && !a->limits_look && begun_ms < a->limits_due_ms)
        return 0;
    a->limits_look = false;
    if (a->limits && !a->told_all)
        find_enforced(a);
    if (!a->limits || !a->accounts) {
        tell_quotas(a, &t);
        a->limits_due_ms = INT64_MAX;
        return 0;
    }
    result = look(a);
    a->limits_due_ms = due_after(begun_ms, adapter_now_ms());
    return result;
}

void limits_forget(struct adapter *a)
{
    a->limits_digest = 0;
}
