/* SPDX-License-Identifier: Apache-2.0
 * The algebra of access lists. An object without a list of its own has that of its
 * kind's DEFAULT object, mode included. */
#include "policy/access_lists.h"

#include "cluster/cluster.h"
#include "cluster/partition.h"
#include "config/settings.h"

#define RANGE_MAX 1024 /* names in one range 4-8 */

/* The order in which credentials are asked; the QOS has partition lists only. */
static const enum cred_kind order[] = {
    CRED_USER, CRED_GROUP, CRED_ACCOUNT, CRED_CLASS, CRED_QOS};

static int kinds_of(enum access_what what)
{
    return what == ACCESS_PARTITIONS ? 5 : 4;
}

static const struct name_list *list_of(
    const struct cred_cfg *cfg, enum access_what what)
{
    return what == ACCESS_PARTITIONS ? &cfg->plist : &cfg->qlist;
}

static const char *default_of(const struct cred_cfg *cfg, enum access_what what)
{
    return what == ACCESS_PARTITIONS ? cfg->pdef : cfg->qdef;
}

static bool has_list(const struct cred_cfg *cfg, enum access_what what)
{
    return list_of(cfg, what)->set || default_of(cfg, what);
}

const struct cred_cfg *access_lists_section(const struct cred *k, enum access_what what)
{
    return has_list(k->cfg, what) ? k->cfg : k->def;
}

/* ---- names ------------------------------------------------------------------- */

static uint32_t find(const struct cluster *c, enum access_what what, const char *name)
{
    const struct cred *k;

    if (what == ACCESS_PARTITIONS)
        return partition_find(c, name);
    k = cred_find(c, CRED_QOS, name);
    return k ? k->index : INDEX_NONE;
}

/* "4-8": every number of a range is a name. */
static bool range_of(const char *text, unsigned long *ret_from, unsigned long *ret_to)
{
    char *end;

    if (text[0] < '0' || text[0] > '9')
        return false;
    *ret_from = strtoul(text, &end, 10);
    if (*end != '-' || end[1] < '0' || end[1] > '9')
        return false;
    *ret_to = strtoul(end + 1, &end, 10);
    return *end == '\0' && *ret_from <= *ret_to && *ret_to - *ret_from < RANGE_MAX;
}

/* Decimal digits of `n`; `buf` holds 24 bytes. */
static const char *number_text(unsigned long n, char *buf)
{
    char *p = buf + 23;

    *p = '\0';
    do
        *--p = (char)('0' + n % 10);
    while (n /= 10);
    return p;
}

static void put_name(const struct cluster *c, enum access_what what, const char *name,
    struct bitset *set)
{
    uint32_t i = find(c, what, name);
    unsigned long from, to;
    char buf[24];

    if (i != INDEX_NONE) {
        bitset_set(set, i);
        return;
    }
    if (!range_of(name, &from, &to))
        return;
    for (unsigned long n = from; n <= to; n++) {
        i = find(c, what, number_text(n, buf));
        if (i != INDEX_NONE)
            bitset_set(set, i);
    }
}

/* The names of one section, the default always among them. */
static void put_section(const struct cluster *c, enum access_what what,
    const struct cred_cfg *cfg, struct bitset *set)
{
    const struct name_list *list = list_of(cfg, what);

    for (size_t i = 0; i < list->names.n; i++)
        put_name(c, what, list->names.v[i], set);
    if (default_of(cfg, what))
        put_name(c, what, default_of(cfg, what), set);
}

static void create(struct cluster *c, enum access_what what, const char *name)
{
    if (*name == '[' || *name == '\0')
        return; /* [ALL], [NONE]: reserved, never in a list */
    if (what == ACCESS_PARTITIONS)
        partition_get(c, name); /* beyond PARTITIONS_MAX: an unknown name */
    else
        cred_get(c, CRED_QOS, name);
}

static void mention(struct cluster *c, enum access_what what, const char *name)
{
    unsigned long from, to;
    char buf[24];

    if (find(c, what, name) != INDEX_NONE)
        return;
    if (!range_of(name, &from, &to)) {
        create(c, what, name);
        return;
    }
    for (unsigned long n = from; n <= to; n++)
        create(c, what, number_text(n, buf));
}

static void mention_section(struct cluster *c, const struct cred_cfg *cfg)
{
    for (enum access_what what = ACCESS_QOS; what <= ACCESS_PARTITIONS; what++) {
        const struct name_list *list = list_of(cfg, what);
        for (size_t i = 0; i < list->names.n; i++)
            mention(c, what, list->names.v[i]);
        if (default_of(cfg, what))
            mention(c, what, default_of(cfg, what));
    }
}

void access_lists_mention(struct cluster *c)
{
    mention_section(c, &c->cfg->sys);
    for (int kind = 0; kind < CRED_KINDS; kind++)
        for (size_t i = 0; i < c->cfg->creds[kind].n; i++)
            mention_section(c, &c->cfg->creds[kind].v[i]);
}

/* ---- sets -------------------------------------------------------------------- */

/* The lists of one question, by place in `order`. */
struct sides {
    int n;
    const struct cred_cfg *own[CRED_KINDS]; /* own section or DEFAULT's */
    const struct cred_cfg *def[CRED_KINDS];
    struct bitset set[CRED_KINDS]; /* of `own` */
};

static void sides_init(struct sides *s, const struct cluster *c, enum access_what what,
    const uint32_t *cred)
{
    memset(s, 0, sizeof *s);
    s->n = kinds_of(what);
    for (int i = 0; i < s->n; i++) {
        const struct cred *k = c->creds[order[i]].v[cred[order[i]]];
        s->own[i] = access_lists_section(k, what);
        s->def[i] = k->def;
        put_section(c, what, s->own[i], &s->set[i]);
    }
}

static void sides_fini(struct sides *s)
{
    for (int i = 0; i < s->n; i++)
        bitset_fini(&s->set[i]);
}

/* What everybody has: SYSCFG's list, else QOS DEFAULT or all partitions. */
static void put_system(
    const struct cluster *c, enum access_what what, struct bitset *set)
{
    if (!list_of(&c->cfg->sys, what)->set) {
        if (what == ACCESS_PARTITIONS)
            bitset_set_range(set, 0, PARTITIONS_MAX);
        else
            bitset_set(set, 0);
    }
    put_section(c, what, &c->cfg->sys, set);
}

static void or_pass(const struct cluster *c, enum access_what what,
    const struct sides *s, struct bitset *set)
{
    for (int i = 0; i < s->n; i++) {
        if (list_of(s->own[i], what)->mode == LIST_OR && bitset_any(&s->set[i]))
            bitset_or(set, &s->set[i]);
        else if (list_of(s->def[i], what)->mode == LIST_OR)
            put_section(c, what, s->def[i], set);
    }
}

/* The first AND list replaces what the OR pass gave, unless the system's list is
 * itself one to be ANDed. */
static void and_pass(
    enum access_what what, const struct sides *s, bool started, struct bitset *set)
{
    for (int i = s->n - 1; i >= 0; i--) {
        if (list_of(s->own[i], what)->mode != LIST_AND)
            continue;
        if (what == ACCESS_PARTITIONS && !bitset_any(&s->set[i]))
            continue;
        if (started)
            bitset_and(set, &s->set[i]);
        else
            bitset_copy(set, &s->set[i]);
        started = true;
    }
}

void access_lists_set(const struct cluster *c, enum access_what what,
    const uint32_t *cred, struct bitset *ret)
{
    bool started = list_of(&c->cfg->sys, what)->mode == LIST_AND;
    struct sides s;

    *ret = (struct bitset){0};
    sides_init(&s, c, what, cred);
    put_system(c, what, ret);
    if (!started)
        or_pass(c, what, &s, ret);
    and_pass(what, &s, started, ret);
    for (int i = 0; i < s.n; i++)
        if (list_of(s.own[i], what)->mode == LIST_ONLY) {
            bitset_copy(ret, &s.set[i]);
            break;
        }
    sides_fini(&s);
}

bool access_lists_restrict(
    const struct cluster *c, enum access_what what, const uint32_t *cred)
{
    if (list_of(&c->cfg->sys, what)->set)
        return true;
    for (int i = 0; i < kinds_of(what); i++) {
        const struct cred *k = c->creds[order[i]].v[cred[order[i]]];
        if (list_of(k->cfg, what)->set || list_of(k->def, what)->set)
            return true;
    }
    return false;
}

/* The index a section names as default, if it may be used. */
static uint32_t usable_default(const struct cluster *c, enum access_what what,
    const struct cred_cfg *cfg, const struct bitset *set)
{
    const char *name = default_of(cfg, what);
    uint32_t i = name ? find(c, what, name) : INDEX_NONE;

    if (i == INDEX_NONE || !bitset_test(set, i))
        return INDEX_NONE;
    return what == ACCESS_QOS && i == 0 ? INDEX_NONE
                                        : i; /* QDEF=DEFAULT says nothing */
}

uint32_t access_lists_default(const struct cluster *c, enum access_what what,
    const uint32_t *cred, const struct bitset *set)
{
    for (int i = 0; i < kinds_of(what); i++) {
        const struct cred *k = c->creds[order[i]].v[cred[order[i]]];
        uint32_t found = usable_default(c, what, k->cfg, set);
        if (found == INDEX_NONE)
            found = usable_default(c, what, k->def, set);
        if (found != INDEX_NONE)
            return found;
    }
    return usable_default(c, what, &c->cfg->sys, set);
}
