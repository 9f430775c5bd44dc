/* SPDX-License-Identifier: Apache-2.0
 * Which queue instances serve a job, and what of that the scheduler is told. */
#include "rm/gridengine/shape.h"

#include "base/xalloc.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <strings.h>

int64_t ge_allocation_rule(const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);

    if (end > text && *end == '\0' && n > 0 && n < 1000000)
        return n;
    return strcmp(text, "$pe_slots") == 0 ? GE_PE_ONE : GE_PE_FREE;
}

static const struct ge_pe *find_pe(const struct ge_site *site, const char *name)
{
    for (const struct ge_pe *p = site->pes; p != NULL && p->name != NULL; p++)
        if (fnmatch(name, p->name, 0) == 0)
            return p;
    return NULL;
}

/* ---- names ---- */

static bool is_like(const char *pattern, size_t n, const char *name)
{
    char text[256];

    if (n >= sizeof text)
        return false;
    memcpy(text, pattern, n);
    text[n] = '\0';
    return fnmatch(text, name, FNM_CASEFOLD) == 0;
}

/* "cn01|cn0[23]" */
static bool is_one_of(const char *patterns, const char *name)
{
    for (const char *p = patterns; *p; p += strcspn(p, "|"), p += *p == '|')
        if (is_like(p, strcspn(p, "|"), name))
            return true;
    return false;
}

static bool is_word(const char *list, const char *word)
{
    size_t n = strlen(word);

    for (const char *p = list; *p; p += strcspn(p, " \t\n,[]="), p += *p != '\0')
        if (strncmp(p, word, n) == 0
            && (p[n] == '\0' || strchr(" \t\n,[]=", p[n]) != NULL))
            return true;
    return false;
}

/* "@racks", or a pattern: is the host in such a group? */
static bool is_in_group(
    const struct ge_site *site, const char *pattern, size_t n, const char *host)
{
    for (const struct ge_group *g = site->groups; g != NULL && g->name != NULL; g++)
        if (is_like(pattern, n, g->name) && is_word(g->hosts, host))
            return true;
    return false;
}

/* "batch,debug@cn01,*@cn0[12],b@@racks": is that instance among them? */
static bool is_listed(
    const struct ge_site *site, const char *queues, const char *queue, const char *host)
{
    for (const char *p = queues; *p; p += strcspn(p, ","), p += *p == ',') {
        size_t n = strcspn(p, ","), name = 0;

        while (name < n && p[name] != '@')
            name++;
        if ((name == 0 || is_like(p, name, queue))
            && (name == n
                || (p[name + 1] == '@'
                        ? is_in_group(site, p + name + 1, n - name - 1, host)
                        : is_like(p + name + 1, n - name - 1, host))))
            return true;
    }
    return false;
}

/* ---- what a host has to have ---- */

static const struct ge_value *value_of(const struct ge_host *h, const char *name)
{
    const struct ge_value *v = NULL;

    for (size_t i = 0; i < h->values.n; i++)
        if (strcmp(h->values.v[i].name, name) == 0
            && (v == NULL || h->values.v[i].consumable))
            v = &h->values.v[i];
    return v;
}

/* A number with a unit, a time or a truth; false: it is a text. */
static bool read_number(const char *text, double *ret)
{
    static const char units[] = "kKmMgGtT";
    char *end;

    if (strcasecmp(text, "true") == 0 || strcasecmp(text, "false") == 0) {
        *ret = tolower((unsigned char)*text) == 't';
        return true;
    }
    *ret = strtod(text, &end);
    if (end == text)
        return false;
    if (*end && strchr(units, *end) != NULL) {
        size_t unit = (size_t)(strchr(units, *end) - units);

        for (size_t i = 0; i <= unit / 2; i++)
            *ret *= unit % 2 ? 1024 : 1000;
        end++;
    }
    return *end == '\0';
}

/* Of these more is enough, whoever measured them. */
static bool is_amount(const struct ge_value *v)
{
    static const char *const words[] = {"mem_", "swap_", "virtual_", "m_", "num_proc"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strncmp(v->name, words[i], strlen(words[i])) == 0)
            return true;
    return v->consumable;
}

/* Has it that, now? What no host tells of belongs to queues or to the whole cell. */
static bool has_value(const struct ge_host *h, const struct ge_value *asked)
{
    const struct ge_value *v = value_of(h, asked->name);
    double want, have;

    if (v == NULL)
        return true;
    if (!read_number(asked->text, &want) || !read_number(v->text, &have))
        return is_one_of(asked->text, v->text);
    if (strcasecmp(asked->text, "true") == 0 || strcasecmp(asked->text, "false") == 0)
        return want == have;
    return !is_amount(v) || have >= want;
}

static bool is_own_name(const char *name)
{
    return strcmp(name, "hostname") == 0 || strcmp(name, "h") == 0
           || strcmp(name, "qname") == 0 || strcmp(name, "q") == 0
           || strcmp(name, "h_rt") == 0 || strcmp(name, "s_rt") == 0
           || strcmp(name, "slots") == 0;
}

static bool has_values(const struct ge_job *j, const struct ge_host *h)
{
    for (const struct ge_value *r = j->requests; r->name != NULL; r++)
        if (!is_own_name(r->name) && !has_value(h, r))
            return false;
    return true;
}

static bool is_host_asked(const struct ge_job *j, const char *host)
{
    for (const struct ge_value *r = j->requests; r->name != NULL; r++)
        if ((strcmp(r->name, "hostname") == 0 || strcmp(r->name, "h") == 0)
            && !is_one_of(r->text, host))
            return false;
    return true;
}

/* ---- queue instances ---- */

static bool has_pe(const struct ge_site *site, const char *pe, const struct ge_queue *q)
{
    if (is_word(q->pes, pe))
        return true;
    for (const struct ge_pe *p = site->pes; p != NULL && p->name != NULL; p++)
        if (fnmatch(pe, p->name, 0) == 0 && is_word(q->pes, p->name))
            return true;
    return false;
}

static bool serves_job(const struct ge_job *j, const struct ge_site *site,
    const struct ge_queue *q, const char *host)
{
    for (const struct ge_value *r = j->requests; r->name != NULL; r++)
        if ((strcmp(r->name, "qname") == 0 || strcmp(r->name, "q") == 0)
            && !is_one_of(r->text, q->name))
            return false;
    return (j->kept.queues == NULL || is_listed(site, j->kept.queues, q->name, host))
           && (j->pe == NULL ? q->batch : has_pe(site, j->pe, q));
}

static const struct ge_instance *instance_of(const struct ge_host *h, const char *queue)
{
    for (size_t i = 0; i < h->instances.n; i++)
        if (strcmp(h->instances.v[i].queue, queue) == 0)
            return &h->instances.v[i];
    return NULL;
}

const char *ge_instance_for(const struct ge_job *j, const struct ge_site *site,
    const char *host, const char *cls, struct arena *arena)
{
    const struct ge_host *h = NULL;
    const char *best = NULL;

    for (size_t i = 0; i < site->hosts->list.n; i++)
        if (strcmp(site->hosts->list.v[i].desc.name, host) == 0)
            h = &site->hosts->list.v[i];
    for (size_t i = 0; h != NULL && i < site->queues->list.n; i++) {
        const struct ge_queue *q = &site->queues->list.v[i];
        const struct ge_instance *at = instance_of(h, q->name);
        bool wanted = cls != NULL && strcmp(cls, q->name) == 0;

        if (at != NULL && ge_is_open(at) && serves_job(j, site, q, host)
            && (best == NULL || wanted))
            best = q->name;
    }
    return best != NULL ? arena_printf(arena, "%s@%s", best, host) : NULL;
}

/* ---- what keeps it back ---- */

void ge_keep_back(struct ge_job *j, const char *why)
{
    if (!ge_is_waiting(j))
        return;
    j->rm.desc.state = JOB_HOLD;
    if (j->rm.desc.rm_hold == 0)
        j->rm.desc.rm_hold = HOLD_SYSTEM;
    if (j->rm.notes == NULL)
        j->rm.notes = why;
}

void ge_let_wait(struct ge_job *j, const char *why)
{
    if (!ge_is_waiting(j))
        return;
    j->rm.desc.state = JOB_HOLD;
    if (j->rm.notes == NULL)
        j->rm.notes = why;
}

/* The gate's own hold is none, nor is ours: all that wait have them. */
static void read_holds(struct ge_job *j, struct arena *arena)
{
    struct job_desc *d = &j->rm.desc;
    unsigned held = j->held;

    if (!ge_is_waiting(j))
        return;
    if (j->kept.gate && !j->kept.gate_user)
        held &= ~(unsigned)GE_HELD_USER;
    if (held & GE_HELD_USER)
        d->rm_hold |= HOLD_USER;
    if (held & GE_HELD_OPERATOR)
        d->rm_hold |= HOLD_SYSTEM;
    if (d->rm_hold)
        d->state = JOB_HOLD;
    if (j->error != NULL)
        ge_keep_back(j, arena_printf(arena, "%.300s (qmod -cj %s clears that)",
                            j->error, j->number));
    if (j->deleted)
        ge_keep_back(j, "it is being deleted");
}

/* ---- requests ---- */

/* Of each slot, where Grid Engine takes it from the host. */
static int64_t memory_of(const struct ge_job *j, const struct ge_site *site)
{
    static const char *const names[] = {
        "mem_free", "mem_total", "virtual_free", "h_vmem", "h_rss", "s_vmem"};
    int64_t most = 0;

    for (const struct ge_value *r = j->requests; r->name != NULL; r++)
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            const struct ge_value *v = NULL;
            int64_t mb = strcmp(r->name, names[i]) == 0 ? ge_size_mb(r->text) : -1;

            if (mb > 0 && site->hosts->list.n > 0)
                v = value_of(&site->hosts->list.v[0], names[i]);
            if (mb > most && (i < 3 || (v != NULL && v->consumable)))
                most = mb;
        }
    return most;
}

static void read_request(
    struct ge_job *j, const struct ge_site *site, struct arena *arena)
{
    struct req_desc *q = arena_take(arena, 1, sizeof *q);
    const struct ge_pe *pe = j->pe != NULL ? find_pe(site, j->pe) : NULL;

    *q = (struct req_desc){.tasks = (uint32_t)j->slots,
        .access = ACCESS_UNSET,
        .nodealloc = NODEALLOC_UNSET};
    q->per_task.v[RES_PROCS] = 1;
    q->per_task.v[RES_MEM] = memory_of(j, site);
    if (pe != NULL && pe->per_host == GE_PE_ONE) {
        q->nodes = 1;
        q->tpn = q->tasks;
    } else if (pe != NULL && pe->per_host > 0) {
        if (j->slots % pe->per_host != 0)
            j->blocked = arena_printf(arena,
                "it asks for %lld slots, and its parallel environment %s gives %lld on "
                "each host",
                (long long)j->slots, pe->name, (long long)pe->per_host);
        q->tpn = (uint32_t)(j->slots < pe->per_host ? j->slots : pe->per_host);
        q->nodes = q->tasks / q->tpn;
    }
    j->rm.desc.reqs = q;
    j->rm.desc.nreqs = 1;
}

/* Which hosts it may not have; and why it can have none. */
static void read_hosts(
    struct ge_job *j, const struct ge_site *site, struct arena *arena)
{
    const struct ge_hosts *all = site->hosts;
    const char **exclude = arena_take(arena, all->list.n + 1, sizeof *exclude);
    const struct ge_host *closed = NULL; /* the first whose queues for it are */
    size_t n = 0, served = 0, left = 0;

    for (size_t i = 0; i < all->list.n; i++) {
        const struct ge_host *h = &all->list.v[i];
        bool up = h->desc.state == NODE_IDLE || h->desc.state == NODE_RUNNING;
        bool may = false, open = false;

        for (size_t k = 0; k < site->queues->list.n; k++) {
            const struct ge_queue *q = &site->queues->list.v[k];
            const struct ge_instance *at = instance_of(h, q->name);

            if (at == NULL || !serves_job(j, site, q, h->desc.name))
                continue;
            may = true;
            open = open || ge_is_open(at);
        }
        may = may && is_host_asked(j, h->desc.name);
        served += may;
        if (may && !open && closed == NULL
            && ge_explain_host(h, site->queues, arena) != NULL)
            closed = h;
        if (may && (!up || (open && has_values(j, h))))
            left++;
        else
            exclude[n++] = h->desc.name;
    }
    if (n > 0)
        ((struct req_desc *)j->rm.desc.reqs)->exclude = exclude;
    if (j->blocked != NULL)
        return;
    if (served == 0)
        j->blocked = "no queue of any host serves what it asks for";
    else if (left == 0)
        j->blocked =
            closed != NULL
                ? arena_printf(arena, "no host has what it asks for now: on %s %s",
                    closed->desc.name, ge_explain_host(closed, site->queues, arena))
                : "no host has what it asks for now";
}

/* Would it rather be in that queue than in another? */
static bool is_wished(
    const struct ge_job *j, const struct ge_site *site, const char *queue)
{
    for (size_t i = 0; j->soft != NULL && i < site->hosts->list.n; i++) {
        const struct ge_host *h = &site->hosts->list.v[i];

        if (instance_of(h, queue) != NULL
            && is_listed(site, j->soft, queue, h->desc.name))
            return true;
    }
    return false;
}

/* Those that it wishes for come first, in the order of all of them. */
static void sort_wishes(
    const struct ge_job *j, const struct ge_site *site, const char **list, size_t n)
{
    size_t wished = 0;

    for (size_t i = 0; j->soft != NULL && i < n; i++) {
        const char *name = list[i];

        if (!is_wished(j, site, name))
            continue;
        memmove(&list[wished + 1], &list[wished], (i - wished) * sizeof *list);
        list[wished++] = name;
    }
}

static void read_classes(
    struct ge_job *j, const struct ge_site *site, struct arena *arena)
{
    const char **list = arena_take(arena, site->queues->list.n + 1, sizeof *list);
    size_t n = 0;

    for (size_t i = 0; i < site->queues->list.n; i++) {
        const struct ge_queue *q = &site->queues->list.v[i];
        bool here = false;

        for (size_t k = 0; k < site->hosts->list.n && !here; k++)
            here = instance_of(&site->hosts->list.v[k], q->name) != NULL
                   && serves_job(j, site, q, site->hosts->list.v[k].desc.name);
        if (here)
            list[n++] = q->name;
    }
    sort_wishes(j, site, list, n);
    if (n > 0)
        j->rm.desc.cred[CRED_CLASS] = list[0];
    if (n > 1)
        j->rm.desc.classes = list;
}

/* ---- where it runs ---- */

static int64_t slots_of(
    const struct ge_host *h, const struct ge_job *j, bool *ret_master)
{
    for (size_t i = 0; i < h->shares.n; i++) {
        const struct ge_share *s = &h->shares.v[i];

        if (strcmp(s->number, j->number) == 0
            && (j->task == NULL ? s->task == NULL
                                : s->task != NULL && strcmp(s->task, j->task) == 0)) {
            *ret_master = s->master;
            return s->slots;
        }
    }
    return 0;
}

/* Where the master has no slot of its own it is told in addition. */
static bool read_parallel(
    struct ge_job *j, const struct ge_site *site, struct arena *arena)
{
    size_t n = site->hosts->list.n, places = 0;
    struct job_place *list = arena_take(arena, n + 1, sizeof *list);
    int64_t sum = 0;
    size_t master = SIZE_MAX;

    for (size_t i = 0; i < n; i++) {
        const struct ge_host *h = &site->hosts->list.v[i];
        bool is_master = false;
        int64_t slots = slots_of(h, j, &is_master);

        if (slots == 0)
            continue;
        if (is_master)
            master = places;
        list[places++] = (struct job_place){h->desc.name, (uint32_t)slots, 0};
        sum += slots;
    }
    if (sum == j->slots + 1 && master < places) {
        sum--;
        if (--list[master].tasks == 0)
            list[master] = list[--places];
    }
    j->rm.places = list;
    j->rm.nplaces = places;
    return sum == j->slots;
}

static bool read_places(
    struct ge_job *j, const struct ge_site *site, struct arena *arena)
{
    const char *host = j->instance != NULL ? strchr(j->instance, '@') : NULL;
    struct job_place *place;

    if (j->pe != NULL)
        return read_parallel(j, site, arena);
    if (host == NULL)
        return false;
    place = arena_take(arena, 1, sizeof *place);
    *place = (struct job_place){host + 1, 1, 0};
    j->rm.places = place;
    j->rm.nplaces = 1;
    return true;
}

/* What it has is what it asks for: ranges, and jobs that ran before us. */
static bool read_run(struct ge_job *j, const struct ge_site *site, struct arena *arena)
{
    struct job_desc *d = &j->rm.desc;
    struct req_desc *q = (struct req_desc *)d->reqs;
    const char *queue;

    if (!read_places(j, site, arena))
        return false;
    q->nodes = q->tpn = 0;
    queue = j->instance != NULL
                ? arena_text(arena, j->instance, strcspn(j->instance, "@"))
                : NULL;
    if (queue != NULL && ge_find_queue(site->queues, queue) == NULL)
        queue = j->kept.cls;
    if (queue != NULL)
        d->cred[CRED_CLASS] = queue;
    d->classes = NULL;
    if (job_has_begun(d->state)) {
        d->places = j->rm.places;
        d->nplaces = j->rm.nplaces;
    }
    return true;
}

static void read_flags(struct ge_job *j, const struct ge_site *site)
{
    const char *cls = j->rm.desc.cred[CRED_CLASS];
    const struct ge_queue *q = cls != NULL ? ge_find_queue(site->queues, cls) : NULL;

    if (j->rerun_said ? j->rerun : q != NULL && q->rerun)
        j->rm.desc.flags |= JOB_RESTARTABLE;
}

/* What tasks of one array that wait have in common. */
static void copy_request(struct ge_job *j, const struct ge_job *like)
{
    struct job_desc *d = &j->rm.desc;

    d->reqs = like->rm.desc.reqs;
    d->nreqs = like->rm.desc.nreqs;
    d->cred[CRED_CLASS] = like->rm.desc.cred[CRED_CLASS];
    d->classes = like->rm.desc.classes;
    j->blocked = like->blocked;
}

bool ge_shape(struct ge_job *j, const struct ge_job *like, const struct ge_site *site,
    struct arena *arena)
{
    bool told = true;

    read_holds(j, arena);
    if (like != NULL) {
        copy_request(j, like);
    } else {
        read_request(j, site, arena);
        read_classes(j, site, arena);
        if (ge_is_waiting(j))
            read_hosts(j, site, arena);
        else
            told = read_run(j, site, arena);
    }
    if (j->blocked != NULL)
        ge_keep_back(j, j->blocked);
    read_flags(j, site);
    return told;
}

void ge_shape_jobs(struct ge_jobs *jobs, const struct ge_site *site, bool *ret)
{
    const struct ge_job *like = NULL;

    for (size_t i = 0; i < jobs->list.n; i++) {
        struct ge_job *j = &jobs->list.v[i];
        bool waits = ge_is_waiting(j);

        if (like != NULL && strcmp(like->number, j->number) != 0)
            like = NULL;
        ret[i] = ge_shape(j, waits ? like : NULL, site, &jobs->arena);
        if (waits)
            like = j;
    }
}
