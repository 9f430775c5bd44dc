/* SPDX-License-Identifier: Apache-2.0
 * What a job's credentials give it. The steps of access_resolve() follow the
 * sections of the reference; each starts from what was asked, never from what an
 * earlier call made of it. */
#include "policy/access.h"

#include "cluster/partition.h"
#include "cluster/rmset.h"
#include "config/settings.h"
#include "policy/access_cache.h"
#include "policy/access_lists.h"
#include "policy/limits.h"

#include <stdio.h>

/* Flags that the scheduler itself puts on a job; they are nobody's request. */
#define FLAGS_KEPT                                                                     \
    (JOB_BACKFILL | JOB_SPVIOLATION | JOB_SYSPRIO_SET | JOB_SYSPRIO_REL | JOB_PARKED   \
        | JOB_OWNPRIO)

/* A sentence that is cut off when the caller's buffer is full. */
struct text {
    char *at;
    size_t size, n;
};

static void text_add(struct text *t, const char *before, const char *word)
{
    int len;

    if (t->n + 1 >= t->size)
        return;
    len = snprintf(t->at + t->n, t->size - t->n, "%s%s", before, word);
    t->n += len > 0 ? (size_t)len : 0;
}

/* ---- account (section 2) ------------------------------------------------------- */

static uint32_t default_account(struct cluster *c, const struct job *j)
{
    const struct cred *user = job_cred(c, j, CRED_USER);
    const struct cred *group = job_cred(c, j, CRED_GROUP);
    const struct cred *qos = c->creds[CRED_QOS].v[j->qos_asked];
    const char *const in_order[] = {
        user->cfg->adef,
        group->cfg->adef,
        j->qos_asked ? qos->cfg->adef : NULL,
        /* the bank's default account comes here once there is a bank */
        user->def->adef,
        group->def->adef,
    };

    for (size_t i = 0; i < sizeof in_order / sizeof *in_order; i++)
        if (in_order[i])
            return cred_get(c, CRED_ACCOUNT, in_order[i])->index;
    return 0;
}

static const struct cred_cfg *alist_section(const struct cred *k)
{
    return k->cfg->alist.set ? k->cfg : k->def;
}

/* Is the account in the object's ALIST or its ADEF? *io_any: some list exists. */
static bool in_alist(const struct cred *k, const char *account, bool *io_any)
{
    const struct cred_cfg *cfg = alist_section(k);

    for (size_t i = 0; i < cfg->alist.names.n; i++)
        if (strcmp(cfg->alist.names.v[i], account) == 0)
            return true;
    *io_any |= cfg->alist.set;
    return (k->cfg->adef && strcmp(k->cfg->adef, account) == 0)
           || (k->def->adef && strcmp(k->def->adef, account) == 0);
}

/* Whom nobody mentions is as DEFAULT says. */
static const struct cred *cred_or_default(
    const struct cluster *c, enum cred_kind kind, const char *name)
{
    const struct cred *k = cred_find(c, kind, name);

    return k ? k : c->creds[kind].v[0];
}

bool access_gives_account(
    const struct cluster *c, const char *user, const char *group, const char *account)
{
    bool any = false;

    return in_alist(cred_or_default(c, CRED_USER, user), account, &any)
           || in_alist(cred_or_default(c, CRED_GROUP, group), account, &any);
}

bool access_account_allowed(const struct cluster *c, const struct job *j)
{
    const char *name = job_cred(c, j, CRED_ACCOUNT)->name;
    bool any = false;

    return !j->account_asked || in_alist(job_cred(c, j, CRED_USER), name, &any)
           || in_alist(job_cred(c, j, CRED_GROUP), name, &any) || !any;
}

static enum hold_reason resolve_account(
    struct cluster *c, struct job *j, struct access_fault *ret)
{
    struct text t = {ret->text, sizeof ret->text, 0};
    const struct cred *user = job_cred(c, j, CRED_USER);
    const struct cred *group = job_cred(c, j, CRED_GROUP);
    const char *name;

    if (!j->account_asked) {
        j->cred[CRED_ACCOUNT] = default_account(c, j);
        return REASON_NONE;
    }
    j->cred[CRED_ACCOUNT] = j->account_asked;
    name = job_cred(c, j, CRED_ACCOUNT)->name;
    if (access_account_allowed(c, j))
        return REASON_NONE;
    text_add(&t, "account ", name);
    text_add(&t, " is in no ALIST of user ", user->name);
    text_add(&t, " or group ", group->name);
    snprintf(ret->code, sizeof ret->code, "ALIST account %.80s", name);
    return REASON_CREDACCESS;
}

/* ---- QOS (section 3) ----------------------------------------------------------- */

/* ": a, b" - the QOS in the set. */
static void text_qos(struct text *t, const struct cluster *c, const struct bitset *set)
{
    const char *before = ": ";

    for (uint32_t i = bitset_next(set, 0); i < c->creds[CRED_QOS].n;
         i = bitset_next(set, i + 1)) {
        text_add(t, before, c->creds[CRED_QOS].v[i]->name);
        before = ", ";
    }
    if (*before == ':')
        text_add(t, ": ", "none");
}

/* The QOS it asked for is its own: an administrator chose it, a list has it, or its
 * resource manager admitted it and no list says who may use which. */
static bool may_have_qos(
    const struct cluster *c, const struct job *j, const struct bitset *set)
{
    return j->qos_forced || bitset_test(set, j->qos_asked)
           || (j->admitted && !access_lists_restrict(c, ACCESS_QOS, j->cred));
}

static enum hold_reason resolve_qos(
    struct access_cache *a, struct cluster *c, struct job *j, struct access_fault *ret)
{
    struct text t = {ret->text, sizeof ret->text, 0};
    uint32_t def;
    const struct bitset *set = access_cache_qos(a, c, j, &def);

    if (j->qos_asked && may_have_qos(c, j, set)) {
        j->cred[CRED_QOS] = j->qos_asked;
        return REASON_NONE;
    }
    j->cred[CRED_QOS] = def;
    if (!j->qos_asked)
        return REASON_NONE;
    text_add(&t, "QOS ", c->creds[CRED_QOS].v[j->qos_asked]->name);
    text_add(&t, " is not accessible to user ", job_cred(c, j, CRED_USER)->name);
    text_add(&t, "; accessible", "");
    text_qos(&t, c, set);
    snprintf(ret->code, sizeof ret->code, "QLIST qos %.80s",
        c->creds[CRED_QOS].v[j->qos_asked]->name);
    return REASON_QOSACCESS;
}

/* ---- flags (sections 4 and 5) --------------------------------------------------- */

static uint32_t implied_flags(uint32_t qos_flags)
{
    static const struct {
        uint32_t qos, job;
    } implied[] = {
        {QOS_DEDICATED, JOB_DEDICATED},
        {QOS_USERESERVED, JOB_ADVRES},
        {QOS_PREEMPTOR, JOB_PREEMPTOR},
        {QOS_PREEMPTEE, JOB_PREEMPTEE},
        {QOS_SPAN, JOB_SPAN},
        {QOS_IGNHOSTLIST, JOB_IGNHOSTLIST},
    };
    uint32_t flags = 0;

    for (size_t i = 0; i < sizeof implied / sizeof *implied; i++)
        if (qos_flags & implied[i].qos)
            flags |= implied[i].job;
    return flags;
}

static void resolve_flags(const struct cluster *c, struct job *j)
{
    const struct cred_cfg *qos = job_cred(c, j, CRED_QOS)->cfg;
    uint32_t flags = (j->flags & FLAGS_KEPT) | j->flags_asked;

    for (enum cred_kind kind = CRED_USER; kind < CRED_QOS; kind++) {
        const struct cred *k = job_cred(c, j, kind);
        flags |= k->cfg->job_flags ? k->cfg->job_flags : k->def->job_flags;
    }
    flags |= qos->job_flags | implied_flags(qos->qos_flags);
    if (qos->qos_flags & QOS_RESERVEALWAYS)
        flags &= ~(uint32_t)JOB_PREEMPTEE; /* such jobs are never preempted */
    j->flags = flags;
}

/* ---- wallclock limit (section 6) ------------------------------------------------ */

static int64_t own_or_default_wclimit(const struct cred *k)
{
    return k->cfg->def_wclimit_s ? k->cfg->def_wclimit_s : k->def->def_wclimit_s;
}

static void resolve_wclimit(const struct cluster *c, struct job *j)
{
    int64_t v = j->wclimit_asked_s;
    int64_t learned_s = j->extra ? j->extra->learned_wclimit_s : 0;
    bool unlimited = v >= DURATION_UNLIMITED;

    if (j->extra && j->extra->full_wclimit_s)
        return;                                           /* it runs with less */
    j->wclimit_learned = learned_s > 0 && v == learned_s; /* it was started with that */
    if (v <= 0 || unlimited)
        v = own_or_default_wclimit(job_cred(c, j, CRED_QOS));
    if (v <= 0)
        v = own_or_default_wclimit(job_cred(c, j, CRED_CLASS));
    if (v <= 0 && !unlimited && learned_s > 0) {
        v = learned_s;
        j->wclimit_learned = true;
    }
    if (v <= 0)
        v = unlimited ? c->cfg->par.v[0].max_wclimit_s
                      : settings_default_wclimit(c->cfg);
    j->wclimit_s = v > 0 ? v : DURATION_UNLIMITED;
    if (j->saved_s > 0 && j->wclimit_s < DURATION_UNLIMITED)
        j->wclimit_s = j->wclimit_s > j->saved_s ? j->wclimit_s - j->saved_s : 1;
}

/* ---- requests: features, access policy, match policy (section 6, concepts 6, 8) -- */

static enum access_policy node_access(
    const struct cluster *c, const struct job *j, enum access_policy asked)
{
    const struct cred *cls = job_cred(c, j, CRED_CLASS);

    if (asked != ACCESS_UNSET)
        return asked;
    if (j->flags & JOB_DEDICATED) /* own flag, or that of its QOS */
        return ACCESS_SINGLEJOB;
    if (j->flags & JOB_SHAREDNODE)
        return ACCESS_SHARED;
    if (cls->cfg->access != ACCESS_UNSET)
        return cls->cfg->access;
    if (cls->def->access != ACCESS_UNSET)
        return cls->def->access;
    return c->cfg->node_access != ACCESS_UNSET ? c->cfg->node_access : ACCESS_SHARED;
}

static void add_features(
    struct cluster *c, struct taskdef *draft, const struct text_list *names)
{
    for (size_t i = 0; i < names->n; i++) {
        uint32_t id = names_intern(c->features, names->v[i]);
        size_t k = 0;
        while (k < draft->features.n && draft->features.v[k] != id)
            k++;
        if (k == draft->features.n)
            vec_push(&draft->features, id);
    }
}

static const struct taskdef *merge(
    struct cluster *c, const struct taskdef *asked, const struct access_merge *m)
{
    struct taskdef draft = taskdef_copy(asked);
    const struct cred *cls = c->creds[CRED_CLASS].v[m->cls];
    const struct cred *qos = c->creds[CRED_QOS].v[m->qos];
    const struct taskdef *def;

    add_features(c, &draft,
        cls->cfg->def_features.n ? &cls->cfg->def_features : &cls->def->def_features);
    add_features(c, &draft,
        qos->cfg->qos_features.n ? &qos->cfg->qos_features : &qos->def->qos_features);
    draft.cls = m->cls ? m->cls : INDEX_NONE;
    draft.access = (enum access_policy)m->access;
    /* by the settings of today, not those of the submission */
    draft.exactnode = draft.exact || c->cfg->match_exactnode;
    draft.exactproc = c->cfg->match_exactproc;
    if (m->ignore_hosts)
        draft.hosts.n = 0;
    def = taskdef_intern(c, &draft);
    taskdef_fini(&draft);
    return def;
}

static void resolve_requests(struct access_cache *a, struct cluster *c, struct job *j)
{
    for (uint32_t i = 0; i < j->nreqs; i++) {
        const struct taskdef *asked = j->reqs[i].asked;
        const struct access_merge m = {
            .asked = asked->index,
            .cls = j->cred[CRED_CLASS],
            .qos = j->cred[CRED_QOS],
            .access = node_access(c, j, asked->access),
            .ignore_hosts = (j->flags & JOB_IGNHOSTLIST) != 0,
        };
        const struct taskdef *def = access_cache_merged(a, &m);
        if (!def) {
            def = merge(c, asked, &m);
            access_cache_add_merged(a, &m, def);
        }
        j->reqs[i].def = def;
    }
    if (j->reqs != &j->req)
        j->req = j->reqs[0];
}

/* ---- partitions (section 7) ----------------------------------------------------- */

/* Without a request all bits. */
static uint64_t asked_partitions(const struct cluster *c, const struct job *j)
{
    uint64_t mask = 0;

    if (!j->extra || j->extra->partitions_asked.n == 0)
        return UINT64_MAX;
    for (size_t i = 0; i < j->extra->partitions_asked.n; i++) {
        uint32_t p = partition_find(c, j->extra->partitions_asked.v[i]);
        if (p != INDEX_NONE)
            mask |= UINT64_C(1) << p;
    }
    return mask;
}

/* The default is the first PDEF that the job may use: what it asked for counts. */
static uint32_t default_among(
    const struct cluster *c, const struct job *j, uint64_t mask)
{
    struct bitset set = {0};
    uint32_t def;

    for (uint32_t p = 0; p < PARTITIONS_MAX; p++)
        if (mask >> p & 1)
            bitset_set(&set, p);
    def = access_lists_default(c, ACCESS_PARTITIONS, j->cred, &set);
    bitset_fini(&set);
    return def;
}

static void resolve_partitions(
    struct access_cache *a, const struct cluster *c, struct job *j)
{
    uint64_t asked = asked_partitions(c, j) & ~rmset_foreign(c, job_rm(j));

    j->partitions = access_cache_partitions(a, c, j, &j->pdef);
    if ((j->partitions & asked) == j->partitions)
        return;
    j->partitions &= asked;
    j->pdef = default_among(c, j, j->partitions);
}

/* ---- all of it ------------------------------------------------------------------ */

/* Its own size and what it is made of. */
static enum hold_reason check_size(
    const struct cluster *c, const struct job *j, struct access_fault *ret)
{
    if (j->nreqs > 1 && !c->cfg->enable_multireq_jobs) {
        snprintf(ret->text, sizeof ret->text,
            "the job has %u requests and jobs of more than one are not enabled "
            "(ENABLEMULTIREQJOBS)",
            (unsigned)j->nreqs);
        snprintf(ret->code, sizeof ret->code, "ENABLEMULTIREQJOBS");
        return REASON_POLICY;
    }
    return limits_class_violated(c, j, ret) ? REASON_POLICY : REASON_NONE;
}

enum hold_reason access_resolve(
    struct cluster *c, struct job *j, struct access_fault *ret)
{
    struct access_cache *a = access_cache_of(c);
    struct access_fault second;

    ret->text[0] = ret->code[0] = '\0';
    ret->reason = resolve_account(c, j, ret);
    /* the first trouble is told */
    enum hold_reason qos =
        resolve_qos(a, c, j, ret->reason == REASON_NONE ? ret : &second);
    resolve_flags(c, j);
    resolve_wclimit(c, j);
    resolve_requests(a, c, j);
    resolve_partitions(a, c, j);
    j->prio_epoch = 0;
    if (ret->reason == REASON_NONE)
        ret->reason = qos;
    if (ret->reason == REASON_NONE)
        ret->reason = check_size(c, j, ret);
    return ret->reason;
}

void access_qos_set(
    const struct cluster *c, const struct job *j, uint64_t *ret_set, size_t words)
{
    struct bitset set;

    access_lists_set(c, ACCESS_QOS, j->cred, &set);
    for (size_t i = 0; i < words; i++)
        ret_set[i] = bitset_word(&set, (uint32_t)i);
    bitset_fini(&set);
}

bool access_qos_allowed(const struct cluster *c, const struct job *j, uint32_t qos)
{
    struct bitset set;
    bool yes;

    access_lists_set(c, ACCESS_QOS, j->cred, &set);
    yes = bitset_test(&set, qos);
    bitset_fini(&set);
    return yes;
}

int access_set_qos(
    struct cluster *c, struct job *j, const char *qos, bool admin, struct err *err)
{
    const struct cred *k = cred_find(c, CRED_QOS, qos);
    char list[300] = "";
    struct text t = {list, sizeof list, 0};
    struct bitset set;

    if (!k)
        return cred_missing(c, CRED_QOS, qos, err);
    if (!admin && !access_qos_allowed(c, j, k->index)) {
        access_lists_set(c, ACCESS_QOS, j->cred, &set);
        text_qos(&t, c, &set);
        bitset_fini(&set);
        return err_set(err, ERR_DENIED,
            "QOS %.60s is not accessible to job %.60s; accessible%s", k->name, j->id,
            list);
    }
    j->qos_asked = k->index;
    j->qos_forced = admin;
    resolve_qos(access_cache_of(c), c, j, &(struct access_fault){0});
    j->prio_epoch = 0;
    return 0;
}
