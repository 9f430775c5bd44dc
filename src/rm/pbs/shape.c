/* SPDX-License-Identifier: Apache-2.0
 * select and place, nodes=: from texts to chunks, from chunks to requests. */
#include "rm/pbs/shape.h"

#include "base/xalloc.h"
#include "records/describe.h"

#include <ctype.h>
#include <stdio.h>
#include <strings.h>

#define COUNT_MOST  1000000
#define AMOUNT_MOST (INT64_C(1) << 50) /* more than any node has; sums do not wrap */

void pbs_shape_fini(struct pbs_shape *s)
{
    vec_fini(&s->chunks);
}

/* ---- values ---- */

static int64_t read_digits(const char *text, const char **ret_end)
{
    int64_t n = 0;
    const char *p = text;

    for (; *p >= '0' && *p <= '9'; p++)
        if (__builtin_mul_overflow(n, 10, &n)
            || __builtin_add_overflow(n, *p - '0', &n))
            return -1;
    *ret_end = p;
    return p > text ? n : -1;
}

int64_t pbs_size_mb(const char *text)
{
    static const char units[] = "kmgtp";
    const char *end = text;
    int64_t n = read_digits(text, &end), shift = 0;
    const char *unit;

    if (n < 0)
        return -1;
    unit = *end ? strchr(units, tolower((unsigned char)*end)) : NULL;
    if (unit != NULL) {
        shift = 10 * (unit - units + 1);
        end++;
    }
    if (tolower((unsigned char)*end) == 'w')
        n = n > INT64_MAX / 8 ? INT64_MAX : n * 8; /* words of 8 bytes */
    if (*end && strchr("bBwW", *end) != NULL)
        end++;
    if (*end)
        return -1;
    if (shift >= 20)
        return n > (AMOUNT_MOST >> (shift - 20)) ? AMOUNT_MOST : n << (shift - 20);
    return (n >> (20 - shift)) + ((n & ((INT64_C(1) << (20 - shift)) - 1)) != 0);
}

int64_t pbs_seconds(const char *text)
{
    int64_t sum = 0;

    for (int fields = 0; fields < 4; fields++) {
        const char *end = text;
        int64_t n = read_digits(text, &end);

        if (n < 0 || sum > INT32_MAX || n > INT32_MAX * INT64_C(60))
            return -1;
        sum = sum * 60 + n;
        if (*end == '\0' || *end == '.')
            return sum;
        if (*end != ':')
            return -1;
        text = end + 1;
    }
    return -1;
}

enum pbs_resource pbs_resource(const char *name, const char *value, int64_t *ret_count)
{
    static const char *const own[] = {"ncpus", "mem", "host", "vnode", "arch",
        "mpiprocs", "ompthreads", "mem_per_node", "vmem", "hbmem", "nodect", "select",
        "place", "walltime", "accelerator_memory", "nchunk"};
    const char *end = value;
    int64_t n;

    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (strcasecmp(own[i], name) == 0)
            return PBS_IGNORED;
    n = read_digits(value, &end);
    if (n >= 0 && *end == '\0') {
        *ret_count = n < AMOUNT_MOST ? n : AMOUNT_MOST;
        return PBS_COUNT;
    }
    n = pbs_size_mb(value);
    if (n >= 0) {
        *ret_count = n;
        return PBS_COUNT;
    }
    if (strcasecmp(value, "False") == 0)
        return PBS_NOT;
    return *value ? PBS_FEATURE : PBS_IGNORED;
}

/* ---- chunks ---- */

/* A chunk while it is read: its lists. */
struct draft {
    struct VEC(const char *) features, hosts;
    struct VEC(struct gres_cfg) gres;
    struct strbuf spec;
};

static void draft_end(struct draft *d, struct arena *arena, struct pbs_chunk *c)
{
    const char **list;

    if (d->features.n > 0) {
        list = arena_take(arena, d->features.n + 1, sizeof *list);
        memcpy(list, d->features.v, d->features.n * sizeof *list);
        c->features = list;
    }
    if (d->hosts.n > 0) {
        list = arena_take(arena, d->hosts.n + 1, sizeof *list);
        memcpy(list, d->hosts.v, d->hosts.n * sizeof *list);
        c->hosts = list;
    }
    if (d->gres.n > 0) {
        struct gres_cfg *gres = arena_take(arena, d->gres.n + 1, sizeof *gres);

        memcpy(gres, d->gres.v, d->gres.n * sizeof *gres);
        c->gres = gres;
    }
    c->spec = arena_text(arena, d->spec.text ? d->spec.text : "", d->spec.len);
    vec_fini(&d->features);
    vec_fini(&d->hosts);
    vec_fini(&d->gres);
    free(d->spec.text);
}

static void add_spec(struct draft *d, const char *name, const char *value)
{
    strbuf_printf(&d->spec, "%s%s=%s", d->spec.len ? ":" : "", name, value);
}

/* "feature=bigmem,fast": has to have both. */
static void add_features(
    struct draft *d, struct arena *arena, const char *name, const char *value)
{
    if (strcasecmp(value, "True") == 0) {
        vec_push(&d->features, arena_text(arena, name, strlen(name)));
        return;
    }
    for (const char *p = value; *p; p += strcspn(p, ","), p += *p == ',')
        vec_push(&d->features,
            arena_printf(arena, "%s.%.*s", name, (int)strcspn(p, ","), p));
}

static int take_resource(struct pbs_shape *s, struct draft *d, struct arena *arena,
    struct pbs_chunk *c, const char *name, const char *value, struct err *err)
{
    const char *end = value;
    int64_t n = 0;

    if (strcasecmp(name, "ncpus") == 0) {
        c->procs = read_digits(value, &end);
        if (c->procs < 0 || c->procs > COUNT_MOST || *end)
            return err_set(err, ERR_INVALID, "ncpus=%.40s: expected a count", value);
        add_spec(d, name, value);
    } else if (strcasecmp(name, "mem") == 0) {
        c->mem_mb = pbs_size_mb(value);
        if (c->mem_mb < 0)
            return err_set(err, ERR_INVALID, "mem=%.40s: expected a size", value);
        add_spec(d, name, value);
    } else if (strcasecmp(name, "vnode") == 0) {
        vec_push(&d->hosts, arena_text(arena, value, strlen(value)));
    } else if (strcasecmp(name, "host") == 0) {
        vec_push(&d->features, arena_printf(arena, "host.%s", value));
    } else if (strcasecmp(name, "arch") == 0) {
        c->arch = arena_text(arena, value, strlen(value));
    } else {
        switch (pbs_resource(name, value, &n)) {
        case PBS_COUNT:
            add_spec(d, name, value);
            vec_push(&d->gres,
                ((struct gres_cfg){
                    .name = arena_text(arena, name, strlen(name)), .count = n}));
            break;
        case PBS_FEATURE:
            add_features(d, arena, name, value);
            break;
        case PBS_NOT:
            s->odd = arena_printf(arena, "nodes without %s are asked for", name);
            break;
        case PBS_IGNORED:
            break;
        }
    }
    return 0;
}

/* "2:ncpus=2:mem=1gb", ended. */
static int take_chunk(
    struct pbs_shape *s, struct arena *arena, char *text, struct err *err)
{
    struct pbs_chunk c = {.count = 1, .procs = 1};
    struct draft d = {0};
    char *rest = NULL;
    bool first = true;
    int status = 0;

    for (char *word = strtok_r(text, ":", &rest); word != NULL && status == 0;
         word = strtok_r(NULL, ":", &rest), first = false) {
        char *equals = strchr(word, '=');
        const char *end = word;

        if (equals != NULL && equals > word && equals[1]) {
            *equals = '\0';
            status = take_resource(s, &d, arena, &c, word, equals + 1, err);
        } else if (first && equals == NULL && (c.count = read_digits(word, &end)) > 0
                   && c.count <= COUNT_MOST && *end == '\0') {
            continue;
        } else {
            status = err_set(
                err, ERR_INVALID, "'%.60s': expected [COUNT:]RESOURCE=VALUE:...", word);
        }
    }
    if (status == 0 && first)
        status = err_set(err, ERR_INVALID, "a chunk is empty");
    draft_end(&d, arena, &c);
    if (status == 0)
        vec_push(&s->chunks, c);
    return status;
}

int pbs_select(
    struct pbs_shape *s, struct arena *arena, const char *text, struct err *err)
{
    for (;;) {
        size_t n = strcspn(text, "+");

        if (take_chunk(s, arena, arena_text(arena, text, n), err) < 0)
            return err_prefix(err, "select: ");
        if (text[n] == '\0')
            return 0;
        text += n + 1;
    }
}

int pbs_place(
    struct pbs_shape *s, struct arena *arena, const char *text, struct err *err)
{
    static const char *const arrangements[] = {[PBS_FREE] = "free",
        [PBS_PACK] = "pack",
        [PBS_SCATTER] = "scatter",
        [PBS_VSCATTER] = "vscatter"};
    char *rest = NULL, *copy = arena_text(arena, text, strlen(text));

    for (char *word = strtok_r(copy, ":", &rest); word != NULL;
         word = strtok_r(NULL, ":", &rest)) {
        bool known = strcasecmp(word, "shared") == 0;

        for (int i = PBS_FREE; i <= PBS_VSCATTER; i++)
            if (strcasecmp(word, arrangements[i]) == 0) {
                s->arrangement = (enum pbs_arrangement)i;
                known = true;
            }
        if (strcasecmp(word, "excl") == 0 || strcasecmp(word, "exclhost") == 0) {
            s->exclusive = known = true;
            s->whole_host = strcasecmp(word, "exclhost") == 0;
        } else if (strncasecmp(word, "group=", 6) == 0) {
            s->odd =
                arena_printf(arena, "place=%s: groups of nodes are not planned", word);
            known = true;
        }
        if (!known)
            return err_set(err, ERR_INVALID,
                "place: '%.40s': expected free, pack, scatter, vscatter, shared, excl, "
                "exclhost or group=RESOURCE",
                word);
    }
    return 0;
}

/* ---- nodes= of TORQUE ---- */

static int take_nodes(
    struct pbs_shape *s, struct arena *arena, char *text, struct err *err)
{
    struct pbs_chunk c = {.count = 1, .procs = 1, .ppn = 1};
    struct draft d = {0};
    char *rest = NULL;
    bool first = true;
    int status = 0;

    for (char *word = strtok_r(text, ":", &rest); word != NULL && status == 0;
         word = strtok_r(NULL, ":", &rest), first = false) {
        const char *end = word;
        int64_t n = read_digits(word, &end);

        if (first && n > 0 && n <= COUNT_MOST && *end == '\0') {
            c.count = n;
        } else if (strncmp(word, "ppn=", 4) == 0) {
            c.ppn = read_digits(word + 4, &end);
            if (c.ppn < 1 || c.ppn > COUNT_MOST || *end)
                status = err_set(err, ERR_INVALID, "'%.40s': expected ppn=COUNT", word);
        } else if (strchr(word, '=') != NULL) {
            s->odd = arena_printf(arena, "nodes=..:%s: not planned", word);
        } else if (first) {
            vec_push(&d.hosts, arena_text(arena, word, strlen(word)));
        } else {
            vec_push(&d.features, arena_text(arena, word, strlen(word)));
        }
    }
    if (status == 0 && (first || c.count * c.ppn > COUNT_MOST))
        status = err_set(
            err, ERR_INVALID, "'%.60s': expected COUNT[:ppn=N][:PROPERTY]", text);
    draft_end(&d, arena, &c);
    if (status == 0)
        vec_push(&s->chunks, c);
    return status;
}

int pbs_nodes(
    struct pbs_shape *s, struct arena *arena, const char *text, struct err *err)
{
    size_t all = strcspn(text, "#"); /* "#shared", "#excl" */

    if (strcmp(text + all, "#excl") == 0)
        s->exclusive = true;
    for (size_t at = 0;;) {
        size_t n = strcspn(text + at, "+#");

        if (take_nodes(s, arena, arena_text(arena, text + at, n), err) < 0)
            return err_prefix(err, "nodes: ");
        at += n + 1;
        if (at > all || text[at - 1] == '\0')
            return 0;
    }
}

/* ---- requests ---- */

static int64_t add_up(int64_t sum, int64_t each, int64_t count)
{
    int64_t n;

    return __builtin_mul_overflow(each, count, &n) || __builtin_add_overflow(sum, n, &n)
                   || n > AMOUNT_MOST
               ? AMOUNT_MOST
               : n;
}

/* All chunks on one node: as one task that has all that they have. */
static void pack_request(
    const struct pbs_shape *s, struct arena *arena, struct req_desc *q)
{
    struct VEC(const char *) features = {0};
    struct VEC(struct gres_cfg) gres = {0};

    for (size_t i = 0; i < s->chunks.n; i++) {
        const struct pbs_chunk *c = &s->chunks.v[i];

        q->per_task.v[RES_PROCS] = add_up(q->per_task.v[RES_PROCS], c->procs, c->count);
        q->per_task.v[RES_MEM] = add_up(q->per_task.v[RES_MEM], c->mem_mb, c->count);
        for (const char *const *f = c->features; f != NULL && *f != NULL; f++)
            vec_push(&features, *f);
        for (const struct gres_cfg *g = c->gres; g != NULL && g->name != NULL; g++)
            vec_push(&gres, ((struct gres_cfg){.name = g->name,
                                .count = add_up(0, g->count, c->count)}));
        if (c->hosts != NULL)
            q->hosts = c->hosts;
        if (c->arch != NULL)
            q->arch = c->arch;
    }
    q->tasks = q->nodes = q->tpn = 1;
    vec_push(&features, NULL);
    vec_push(&gres, ((struct gres_cfg){0}));
    const char **list = arena_take(arena, features.n, sizeof *list);
    struct gres_cfg *amounts = arena_take(arena, gres.n, sizeof *amounts);
    memcpy(list, features.v, features.n * sizeof *list);
    memcpy(amounts, gres.v, gres.n * sizeof *amounts);
    q->features = list;
    q->gres = amounts;
    vec_fini(&features);
    vec_fini(&gres);
}

bool pbs_is_too_much(const struct pbs_shape *s)
{
    return s->arrangement != PBS_PACK && s->chunks.n > DESCRIBE_REQS_MAX;
}

const struct req_desc *pbs_requests(const struct pbs_shape *s, struct arena *arena,
    uint32_t *ret_n, uint32_t *ret_flags)
{
    bool packed = s->arrangement == PBS_PACK, apart = s->arrangement >= PBS_SCATTER;
    size_t n = packed || s->chunks.n == 0 || pbs_is_too_much(s) ? 1 : s->chunks.n;
    struct req_desc *all = arena_take(arena, n, sizeof *all);

    *ret_n = (uint32_t)n;
    if (apart && n > 1)
        *ret_flags |= JOB_APART;
    for (size_t i = 0; i < n; i++) {
        struct req_desc *q = &all[i];
        const struct pbs_chunk *c = i < s->chunks.n ? &s->chunks.v[i] : NULL;

        *q = (struct req_desc){.access = s->exclusive ? ACCESS_SINGLEJOB : ACCESS_UNSET,
            .nodealloc = NODEALLOC_UNSET};
        if (c == NULL)
            continue;
        if (packed) {
            pack_request(s, arena, q);
            continue;
        }
        q->tasks = (uint32_t)(c->count * (c->ppn > 0 ? c->ppn : 1));
        q->per_task.v[RES_PROCS] = c->procs;
        q->per_task.v[RES_MEM] = c->mem_mb;
        q->features = c->features;
        q->hosts = c->hosts;
        q->arch = c->arch;
        q->gres = c->gres;
        if (c->ppn > 0 || apart) {
            q->nodes = (uint32_t)c->count;
            q->tpn = (uint32_t)(c->ppn > 0 ? c->ppn : 1);
        }
        q->exact = apart && c->count > 1;
    }
    return all;
}

/* ---- starts ---- */

/* The k-th task of a request: its node, or NULL. */
static const char *node_of_task(
    const struct job_place *places, size_t n, uint32_t req, uint64_t k)
{
    for (size_t i = 0; i < n; i++) {
        if (places[i].req != req)
            continue;
        if (k < places[i].tasks)
            return places[i].node;
        k -= places[i].tasks;
    }
    return NULL;
}

/* A task of ncpus= is so many slots, others are one. */
static void add_slots(struct strbuf *b, const struct pbs_shape *s,
    const struct job_place *places, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct job_place *p = &places[i];
        int64_t each = p->req < s->chunks.n ? s->chunks.v[p->req].procs : 1;

        strbuf_printf(b, "%s%s:ppn=%lld", b->len ? "+" : "", p->node,
            (long long)p->tasks * (each > 0 ? each : 1));
    }
}

char *pbs_start_spec(
    const struct pbs_shape *s, const struct job_place *places, size_t n)
{
    bool packed = s->arrangement == PBS_PACK;
    struct strbuf b = {0};

    if (s->chunks.n == 0 || s->slots || s->chunks.v[0].ppn > 0) {
        add_slots(&b, s, places, n);
        return strbuf_take(&b);
    }
    for (size_t i = 0; i < s->chunks.n; i++) {
        const struct pbs_chunk *c = &s->chunks.v[i];

        for (int64_t k = 0; k < c->count; k++) {
            const char *node = node_of_task(
                places, n, packed ? 0 : (uint32_t)i, packed ? 0 : (uint64_t)k);

            if (node != NULL)
                strbuf_printf(&b, "%s(%s%s%s)", b.len ? "+" : "", node,
                    *c->spec ? ":" : "", c->spec);
        }
    }
    return strbuf_take(&b);
}
