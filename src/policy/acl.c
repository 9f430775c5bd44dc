/* SPDX-License-Identifier: Apache-2.0
 * Access to reservations, decided in one walk over the list. */
#include "policy/acl.h"

#include "base/duration.h"
#include "cluster/job.h"
#include "config/credcfg.h"

#include <stdio.h>
#include <string.h>

/* Entries of a credential are told apart by the kind of the credential. */
_Static_assert((int)ACL_USER == (int)CRED_USER && (int)ACL_GROUP == (int)CRED_GROUP
                   && (int)ACL_ACCOUNT == (int)CRED_ACCOUNT
                   && (int)ACL_CLASS == (int)CRED_CLASS && (int)ACL_QOS == (int)CRED_QOS
                   && (int)ACL_JOBATTR == (int)CRED_KINDS,
    "types of entries and kinds of credentials");

#define PASSES (RSV_PASSES_ALL | RSV_PASSES_PLAIN)

/* ---- who asks -------------------------------------------------------------------- */

/* The reservations that its QOS, or else its other credentials, send the job to. */
static const struct text_list *sent_to(const struct cluster *c, const struct job *j)
{
    static const enum cred_kind others[] = {
        CRED_USER, CRED_GROUP, CRED_ACCOUNT, CRED_CLASS};
    const struct cred_cfg *qos = job_cred(c, j, CRED_QOS)->cfg;

    if ((qos->qos_flags & QOS_USERESERVED) && qos->use_reserved.n)
        return &qos->use_reserved;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const struct cred_cfg *cfg = job_cred(c, j, others[i])->cfg;

        if ((cfg->job_flags & JOB_ADVRES) && cfg->advres.n)
            return &cfg->advres;
    }
    return NULL;
}

/* What else it may use for the reservations that it names. Others are passed by who
 * names one himself, as in the resource manager, and is let in there. */
static void widen_rights(const struct cluster *c, struct acl_asker *io)
{
    uint32_t passes = 0;

    for (size_t i = 0; i < c->reservations.n; i++) {
        struct reservation *r = c->reservations.v[i];

        if (!r || !(r->flags & (RSV_FLEX | PASSES)) || !reservation_is_live(r)
            || !acl_names(io, r))
            continue;
        if (r->flags & RSV_FLEX)
            io->confined = ACL_BESIDE_NAMED;
        if (io->advres && r->flags & PASSES && acl_decide(c, r, io, 0).granted)
            passes |= r->flags & PASSES;
    }
    io->passes = passes;
}

/* Reservations of a resource manager, which are those with RSV_OUTLASTED, may lie over
 * each other; those made here are never passed. */
static bool passes_reservation(const struct acl_asker *who, const struct reservation *r)
{
    return (r->flags & RSV_OUTLASTED)
           && ((who->passes & RSV_PASSES_ALL)
               || ((who->passes & RSV_PASSES_PLAIN) && !(r->flags & RSV_PASSES_ALL)));
}

static bool is_to_named(const struct acl_asker *who)
{
    return who->confined == ACL_TO_NAMED || who->confined == ACL_BESIDE_NAMED;
}

struct acl_asker acl_asker_of(const struct cluster *c, const struct job *j)
{
    struct acl_asker who = {
        .flags = j->flags, .procs = (int64_t)j->procs, .tasks = (int64_t)j->tasks};

    for (int k = 0; k < CRED_KINDS; k++)
        who.cred[k] = j->cred[k];
    who.ignores_time =
        (job_cred(c, j, CRED_QOS)->cfg->qos_flags & QOS_IGNSRMAXTIME) != 0;
    if (j->extra && j->extra->advres)
        who.advres = j->extra->advres;
    else if (j->flags & JOB_ADVRES)
        who.use = sent_to(c, j);
    who.confined = who.advres || who.use     ? ACL_TO_NAMED
                   : (j->flags & JOB_ADVRES) ? ACL_TO_ANY
                                             : ACL_FREE;
    if (who.confined == ACL_TO_NAMED)
        widen_rights(c, &who);
    return who;
}

struct acl_asker acl_anybody(void)
{
    struct acl_asker who = {.any_flags = true, .procs = -1, .tasks = -1};

    for (int k = 0; k < CRED_KINDS; k++)
        who.cred[k] = ACL_WILDCARD;
    return who;
}

bool acl_names(const struct acl_asker *who, const struct reservation *r)
{
    if (who->advres)
        return reservation_is_named(r, who->advres);
    for (size_t i = 0; who->use && i < who->use->n; i++)
        if (reservation_is_named(r, who->use->v[i]))
            return true;
    return false;
}

bool acl_confinement_allows(const struct acl_asker *who, const struct reservation *r)
{
    switch (who->confined) {
    case ACL_FREE:
        return true;
    case ACL_TO_ANY:
        return r != NULL;
    case ACL_TO_NAMED:
        return r && acl_names(who, r);
    case ACL_BESIDE_NAMED:
        return !r || acl_names(who, r);
    }
    return false;
}

bool acl_is_confined(const struct cluster *c, const struct job *j)
{
    struct acl_asker who = acl_asker_of(c, j);

    return !acl_confinement_allows(&who, NULL);
}

/* ---- one entry ------------------------------------------------------------------- */

static bool compare(enum acl_cmp cmp, int64_t have, int64_t limit)
{
    switch (cmp) {
    case ACL_LE:
        return have <= limit;
    case ACL_LT:
        return have < limit;
    case ACL_EQ:
        return have == limit;
    case ACL_GE:
        return have >= limit;
    case ACL_GT:
        return have > limit;
    }
    return false;
}

/* The credential of the entry's name, looked for again when there are new ones. */
static uint32_t cred_of(const struct cluster *c, struct acl_entry *e)
{
    enum cred_kind kind = (enum cred_kind)e->type;

    if (e->cred == INDEX_NONE && e->known < c->creds[kind].n) {
        const struct cred *found = cred_find(c, kind, e->name);

        e->cred = found ? found->index : INDEX_NONE;
        e->known = (uint32_t)c->creds[kind].n;
    }
    return e->cred;
}

/* A number that is not known satisfies a condition and fits no exclusion. */
static bool number_matches(const struct acl_entry *e, int64_t have)
{
    return have < 0 ? !e->negated : compare((enum acl_cmp)e->cmp, have, e->value);
}

static bool matches(const struct cluster *c, struct acl_entry *e,
    const struct acl_asker *who, int64_t overlap_s)
{
    if (e->any)
        return true;
    switch ((enum acl_type)e->type) {
    case ACL_USER:
    case ACL_GROUP:
    case ACL_ACCOUNT:
    case ACL_CLASS:
    case ACL_QOS:
        if (who->name[e->type])
            return strcmp(e->name, who->name[e->type]) == 0;
        if (who->cred[e->type] == ACL_WILDCARD)
            return !e->negated;
        return cred_of(c, e) == who->cred[e->type];
    case ACL_JOBATTR:
        return who->any_flags ? !e->negated : (e->flags & who->flags) != 0;
    case ACL_DURATION:
        return (who->ignores_time && !e->negated)
               || compare((enum acl_cmp)e->cmp, overlap_s, e->value);
    case ACL_PROCS:
        return number_matches(e, who->procs);
    case ACL_TASKS:
        return number_matches(e, who->tasks);
    case ACL_TYPES:
        break;
    }
    return false;
}

/* ---- the list -------------------------------------------------------------------- */

/* What the walk found: types as bits, entries as indexes. */
struct tally {
    uint32_t negated, required, satisfied;
    bool optional; /* there is an entry of that sort */
    uint32_t last_optional, last_required;
};

/* False when the entry excludes the asker. */
static bool count_entry(
    struct tally *t, const struct acl_entry *e, uint32_t index, bool match)
{
    uint32_t type = UINT32_C(1) << e->type;

    if (e->negated) {
        t->negated |= type;
        return !match;
    }
    if (e->required) {
        t->required |= type;
        if (match) {
            t->satisfied |= type;
            t->last_required = index;
        }
    } else {
        t->optional = true;
        if (match)
            t->last_optional = index;
    }
    return true;
}

/* The first entry of a required type that nothing satisfied. */
static uint32_t unsatisfied(const struct acl *acl, const struct tally *t)
{
    for (size_t i = 0; i < acl->entries.n; i++) {
        const struct acl_entry *e = &acl->entries.v[i];

        if (e->required && !e->negated && !(t->satisfied >> e->type & 1))
            return (uint32_t)i;
    }
    return INDEX_NONE;
}

static void deny(struct acl_verdict *v, enum acl_code code, uint32_t entry)
{
    v->granted = false;
    v->code = (uint8_t)code;
    v->entry = entry;
}

static void conclude(
    const struct acl *acl, const struct tally *t, struct acl_verdict *v)
{
    if (t->required & ~t->satisfied) {
        deny(v, ACL_REQUIREMENT, unsatisfied(acl, t));
        return;
    }
    if (t->optional && !t->negated && t->last_optional == INDEX_NONE) {
        deny(v, ACL_NO_MATCH, INDEX_NONE);
        return;
    }
    v->granted = true;
    v->code = ACL_GRANTED;
    v->entry = t->last_optional != INDEX_NONE ? t->last_optional : t->last_required;
    v->affinity =
        v->entry != INDEX_NONE ? acl->entries.v[v->entry].affinity : ACL_POSITIVE;
}

struct acl_verdict acl_decide(const struct cluster *c, struct reservation *r,
    const struct acl_asker *who, int64_t overlap_s)
{
    struct acl_verdict v = {.entry = INDEX_NONE, .overlap_s = overlap_s};
    struct tally t = {.last_optional = INDEX_NONE, .last_required = INDEX_NONE};
    bool to_named = is_to_named(who), named = to_named && acl_names(who, r);

    if (!named && passes_reservation(who, r)) {
        v.granted = true;
        v.code = ACL_PASSED;
        v.affinity = ACL_NEUTRAL;
        return v;
    }
    if ((r->flags & RSV_BYNAME) && !named) {
        deny(&v, ACL_NOT_NAMED, INDEX_NONE);
        return v;
    }
    if (to_named && !named) {
        deny(&v, ACL_OTHER_NAMED, INDEX_NONE);
        return v;
    }
    if (r->acl.entries.n == 0) {
        deny(&v, ACL_EMPTY, INDEX_NONE);
        return v;
    }
    for (size_t i = 0; i < r->acl.entries.n; i++) {
        struct acl_entry *e = &r->acl.entries.v[i];

        if (!count_entry(&t, e, (uint32_t)i, matches(c, e, who, overlap_s))) {
            deny(&v, ACL_EXCLUDED, (uint32_t)i);
            return v;
        }
    }
    conclude(&r->acl, &t, &v);
    return v;
}

static bool same_entry(const struct acl_entry *a, const struct acl_entry *b)
{
    return a->type == b->type && a->affinity == b->affinity && a->cmp == b->cmp
           && a->required == b->required && a->negated == b->negated && a->any == b->any
           && a->flags == b->flags && a->value == b->value
           && (a->name && b->name ? strcmp(a->name, b->name) == 0 : a->name == b->name);
}

bool acl_same(const struct reservation *a, const struct reservation *b)
{
    if (((a->flags ^ b->flags) & (RSV_BYNAME | RSV_FLEX))
        || a->acl.entries.n != b->acl.entries.n)
        return false;
    for (size_t i = 0; i < a->acl.entries.n; i++)
        if (!same_entry(&a->acl.entries.v[i], &b->acl.entries.v[i]))
            return false;
    return true;
}

uint64_t acl_hash(const struct reservation *r)
{
    uint64_t h = r->flags & (RSV_BYNAME | RSV_FLEX);

    for (size_t i = 0; i < r->acl.entries.n; i++) {
        const struct acl_entry *e = &r->acl.entries.v[i];
        h = (h ^ e->type ^ (uint64_t)e->value << 8) * UINT64_C(0x9E3779B97F4A7C15);
        for (const char *s = e->name; s && *s; s++)
            h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001B3);
        h ^= h >> 29;
    }
    return h;
}

struct acl_verdict acl_decide_job(const struct cluster *c, struct reservation *r,
    const struct job *j, int64_t overlap_s)
{
    struct acl_asker who = acl_asker_of(c, j);

    return acl_decide(c, r, &who, overlap_s);
}

/* ---- time ------------------------------------------------------------------------ */

int64_t acl_overlap(const struct reservation *r, int64_t start, int64_t end)
{
    int64_t from = start > r->start_at ? start : r->start_at;
    int64_t to = end < r->end_at ? end : r->end_at;

    return to > from ? to - from : 0;
}

bool acl_depends_on_overlap(const struct reservation *r)
{
    for (size_t i = 0; i < r->acl.entries.n; i++)
        if (r->acl.entries.v[i].type == ACL_DURATION)
            return true;
    return false;
}

/* The last overlap before the comparison changes, not before `overlap_s`. */
static int64_t same_for(const struct acl_entry *e, int64_t overlap_s)
{
    bool below = e->cmp == ACL_LT || e->cmp == ACL_GE; /* changes from value - 1 on */
    int64_t last =
        below || (e->cmp == ACL_EQ && overlap_s < e->value) ? e->value - 1 : e->value;

    return last >= overlap_s ? last : DURATION_UNLIMITED;
}

int64_t acl_same_until(const struct reservation *r, int64_t overlap_s)
{
    int64_t until = DURATION_UNLIMITED;

    for (size_t i = 0; i < r->acl.entries.n; i++) {
        const struct acl_entry *e = &r->acl.entries.v[i];
        int64_t last =
            e->type == ACL_DURATION ? same_for(e, overlap_s) : DURATION_UNLIMITED;

        until = last < until ? last : until;
    }
    return until;
}

/* ---- sentences ------------------------------------------------------------------- */

static void format_entry(
    const struct reservation *r, uint32_t index, char *buf, size_t size)
{
    const struct acl_entry *e;
    size_t len;

    *buf = '\0';
    if (index >= r->acl.entries.n)
        return;
    e = &r->acl.entries.v[index];
    len = (size_t)snprintf(buf, size, "%s", acltext_type_name((enum acl_type)e->type));
    acltext_format_entry(e, buf + len, size - len);
}

static int format_requirement(const struct reservation *r, const struct acl_verdict *v,
    const char *entry, char *ret_text, size_t size)
{
    char overlap[DURATION_TEXT_MAX];

    if (v->entry >= r->acl.entries.n || r->acl.entries.v[v->entry].type != ACL_DURATION)
        return snprintf(ret_text, size, "reservation %s requires %s", r->name, entry);
    duration_format(v->overlap_s, overlap, sizeof overlap);
    return snprintf(ret_text, size,
        "reservation %s requires %s, and the job would use it for %s", r->name, entry,
        overlap);
}

int acl_format_reason(const struct cluster *c, const struct reservation *r,
    const struct acl_verdict *v, char *ret_text, size_t size)
{
    char entry[300];

    (void)c;
    format_entry(r, v->entry, entry, sizeof entry);
    switch ((enum acl_code)v->code) {
    case ACL_GRANTED:
        return snprintf(ret_text, size, "reservation %s gives access%s%s", r->name,
            *entry ? " by " : "", entry);
    case ACL_PASSED:
        return snprintf(ret_text, size,
            "the reservation that the job names lies over reservation %s", r->name);
    case ACL_NOT_NAMED:
        return snprintf(ret_text, size,
            "reservation %s is only for jobs that name it (BYNAME)", r->name);
    case ACL_OTHER_NAMED:
        return snprintf(ret_text, size,
            "the job is confined to another reservation than %s", r->name);
    case ACL_EMPTY:
        return snprintf(ret_text, size,
            "reservation %s has no access list: no job may use it", r->name);
    case ACL_EXCLUDED:
        return snprintf(
            ret_text, size, "reservation %s excludes the job by %s", r->name, entry);
    case ACL_REQUIREMENT:
        return format_requirement(r, v, entry, ret_text, size);
    case ACL_NO_MATCH:
        return snprintf(ret_text, size,
            "nothing in the access list of reservation %s matches the job", r->name);
    case ACL_CODES:
        break;
    }
    return snprintf(ret_text, size, "reservation %s", r->name);
}
