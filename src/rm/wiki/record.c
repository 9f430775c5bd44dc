/* SPDX-License-Identifier: Apache-2.0
 * Fields of nodes and jobs: a table of each, and how their values are read. */
#include "rm/wiki/record.h"

#include "base/duration.h"
#include "base/hash.h"
#include "config/flags.h"
#include "rm/adapter/clock.h"

#include <ctype.h>
#include <errno.h>
#include <grp.h>
#include <math.h>
#include <pwd.h>
#include <stddef.h>
#include <stdio.h>
#include <strings.h>

#define AMOUNT_MAX INT64_C(1000000000000)

/* ---- memory ---- */

#define UNKNOWN_MS   15000 /* until who was not known is asked for again */
#define UNKNOWN_MOST 1000  /* ... and so many of them */

struct wiki_group {
    char *user, *group; /* key; owned; group NULL: none is known */
    UT_hash_handle hh;
};

static void *take_room(struct wiki_room *room, size_t count, size_t size)
{
    void *p = xcalloc(count, size);

    vec_push(&room->blocks, p);
    return p;
}

static void empty_room(struct wiki_room *room)
{
    for (size_t i = 0; i < room->blocks.n; i++)
        free(room->blocks.v[i]);
    room->blocks.n = 0;
    room->req = (struct req_desc){0};
}

void wiki_room_fini(struct wiki_room *room)
{
    struct wiki_group *g, *next;

    empty_room(room);
    vec_fini(&room->blocks);
    HASH_ITER(hh, room->groups, g, next)
    {
        HASH_DEL(room->groups, g);
        free(g->user);
        free(g->group);
        free(g);
    }
}

static char *plain_text(struct wiki_room *room, const char *value, size_t n)
{
    char *text = take_room(room, n + 1, 1);

    wiki_plain(text, value, n);
    return text;
}

/* Nothing was meant. */
static bool is_none(const char *value)
{
    return *value == '\0' || strcasecmp(value, "NONE") == 0
           || strcasecmp(value, "[NONE]") == 0;
}

/* ---- values ---- */

struct source {
    const struct wiki_record *r;
    struct wiki_room *room;
    struct err *err;
};

static int fail_value(
    const struct source *s, const struct wiki_field *f, const char *expected)
{
    return err_set(s->err, ERR_INVALID, "%s: %.30s=%.60s: expected %s", s->r->id,
        f->name, f->value, expected);
}

static int read_int(const struct source *s, const struct wiki_field *f, int64_t *ret)
{
    char *end;

    errno = 0;
    *ret = strtoll(f->value, &end, 10);
    if (end == f->value || *end != '\0' || errno != 0 || *ret < 0 || *ret > AMOUNT_MAX)
        return fail_value(s, f, "a whole number that is not negative");
    return 0;
}

static int read_real(const struct source *s, const struct wiki_field *f, double *ret)
{
    char *end;

    *ret = strtod(f->value, &end);
    if (end == f->value || *end != '\0' || !isfinite(*ret) || *ret < 0 || *ret > 1e12)
        return fail_value(s, f, "a number that is not negative");
    return 0;
}

static int read_text(
    const struct source *s, const struct wiki_field *f, const char **ret)
{
    if (!is_none(f->value))
        *ret = plain_text(s->room, f->value, strlen(f->value));
    return 0;
}

static size_t count_bytes(const char *text, const char *which)
{
    size_t n = 0;

    for (; *text != '\0'; text++)
        n += strchr(which, *text) != NULL;
    return n;
}

/* "a:b:c", without empty ones. */
static int read_list(
    const struct source *s, const struct wiki_field *f, const char *const **ret)
{
    struct wiki_list parts = wiki_list_of(f->value);
    size_t most = count_bytes(f->value, ":") + 1, n = 0, len;
    const char **list, *part;

    if (is_none(f->value))
        return 0;
    if (most > WIKI_PARTS_MOST)
        return fail_value(s, f, "a list of at most a million");
    list = take_room(s->room, most + 1, sizeof *list);
    while (wiki_list_next(&parts, &part, &len))
        list[n++] = plain_text(s->room, part, len);
    *ret = list;
    return 0;
}

/* "NAME" and how many, between two bytes that may bracket them. */
static int add_count(const struct source *s, const struct wiki_field *f,
    struct gres_cfg *ret, const char *text, size_t n, char between)
{
    char *word = plain_text(s->room, text, n), *at = strchr(word, between), *end = NULL;

    ret->name = word;
    ret->count = 1;
    if (at != NULL) {
        *at++ = '\0';
        ret->count = strtoll(at, &end, 10);
    }
    if (*word == '\0' || ret->count < 0 || ret->count > AMOUNT_MAX
        || (end != NULL && (end == at || *end != '\0')))
        return fail_value(s, f, "names, each with how many");
    return 0;
}

/* "[batch:4][fast:2]", or without brackets "batch:4,fast:2". Of resources the document
 * has "tape,2:disk,3", programs "tape:2,disk:3". */
static int read_counts(
    const struct source *s, const struct wiki_field *f, const struct gres_cfg **ret)
{
    const char *at = f->value;
    size_t most, n = 0, first = strcspn(at, ",:");
    bool turned = at[first] == ',' && isdigit((unsigned char)at[first + 1]);
    char between = turned ? ',' : ':';
    const char *separators = turned ? ":[]" : ",[]";
    struct gres_cfg *list;

    if (is_none(at))
        return 0;
    most = count_bytes(at, separators) + 1;
    if (most > WIKI_PARTS_MOST)
        return fail_value(s, f, "a list of at most a million");
    list = take_room(s->room, most + 1, sizeof *list);
    while (*at != '\0') {
        size_t len = strcspn(at, separators);

        if (len > 0 && add_count(s, f, &list[n++], at, len, between) < 0)
            return -1;
        at += len + (at[len] != '\0');
    }
    *ret = list;
    return 0;
}

static int read_seconds(
    const struct source *s, const struct wiki_field *f, int64_t *ret)
{
    struct err err;

    if (*f->value == '-' || strcasecmp(f->value, "UNLIMITED") == 0) {
        *ret = DURATION_UNLIMITED;
        return 0;
    }
    if (duration_parse(f->value, ret, &err) < 0)
        return fail_value(s, f, "a time: seconds, or [[DD:]HH:]MM:SS");
    return 0;
}

/* ---- states ---- */

struct word {
    const char *word;
    int value, more;
};

static const struct word *find_word(const struct word *words, const char *text)
{
    for (; words->word != NULL; words++)
        if (strcasecmp(words->word, text) == 0)
            return words;
    return NULL;
}

static const struct word node_states[] = {{"Idle", NODE_IDLE, 0},
    {"Running", NODE_RUNNING, 0}, {"Busy", NODE_BUSY, 0}, {"Unknown", NODE_UNKNOWN, 0},
    {"Draining", NODE_DRAINING, 0}, {"Drain", NODE_DRAINING, 0}, {"Down", NODE_DOWN, 0},
    {"Drained", NODE_DRAINED, 0}, {"Flush", NODE_FLUSH, 0},
    {"Reserved", NODE_DRAINED, 0}, {"None", NODE_NONE, 0}, {NULL, 0, 0}};

static const struct word job_states[] = {{"Idle", JOB_IDLE, 0},
    {"Hold", JOB_HOLD, HOLD_USER}, {"UserHold", JOB_HOLD, HOLD_USER},
    {"SystemHold", JOB_HOLD, HOLD_SYSTEM}, {"BatchHold", JOB_HOLD, HOLD_SYSTEM},
    {"Deferred", JOB_HOLD, HOLD_SYSTEM}, {"NotQueued", JOB_HOLD, HOLD_SYSTEM},
    {"NotRun", JOB_IDLE, 0}, {"Staging", JOB_HOLD, HOLD_SYSTEM},
    {"Staged", JOB_IDLE, 0}, {"Starting", JOB_STARTING, 0}, {"Running", JOB_RUNNING, 0},
    {"Suspended", JOB_SUSPENDED, 0}, {"Unknown", JOB_UNKNOWN, 0},
    {"Completed", JOB_COMPLETED, 0}, {"Removed", JOB_REMOVED, 0},
    {"Cancelled", JOB_REMOVED, 0}, {"Canceled", JOB_REMOVED, 0},
    {"SubmitErr", JOB_REMOVED, 0}, {"Vacated", JOB_VACATED, 0},
    {"Lost", JOB_REMOVED, 0}, {NULL, 0, 0}};

/* ---- fields ---- */

enum field_type {
    FIELD_INT,
    FIELD_AMOUNT, /* struct res: `dim` of it */
    FIELD_REAL,
    FIELD_TEXT,
    FIELD_LIST,
    FIELD_COUNTS,
    FIELD_SECONDS,
    FIELD_OWN /* looked at by name in the end */
};

struct field_row {
    const char *name;
    unsigned number; /* A<n> of the document, 0 = none */
    enum field_type type;
    size_t at;
};

static const struct field_row *find_row(const struct field_row *rows, const char *name)
{
    unsigned number = 0;

    if ((*name == 'A' || *name == 'a') && isdigit((unsigned char)name[1]))
        number = (unsigned)strtoul(name + 1, NULL, 10);
    for (; rows->name != NULL; rows++)
        if (strcasecmp(rows->name, name) == 0
            || (number != 0 && rows->number == number))
            return rows;
    return NULL;
}

static int read_field(const struct source *s, const struct wiki_field *f,
    const struct field_row *row, void *base)
{
    void *to = (char *)base + row->at;

    switch (row->type) {
    case FIELD_INT:
    case FIELD_AMOUNT:
        return read_int(s, f, to);
    case FIELD_REAL:
        return read_real(s, f, to);
    case FIELD_TEXT:
        return read_text(s, f, to);
    case FIELD_LIST:
        return read_list(s, f, to);
    case FIELD_COUNTS:
        return read_counts(s, f, to);
    case FIELD_SECONDS:
        return read_seconds(s, f, to);
    case FIELD_OWN:
        return 0;
    }
    return 0;
}

static int read_fields(const struct source *s, const struct field_row *rows, void *base)
{
    for (size_t i = 0; i < s->r->fields.n; i++) {
        const struct wiki_field *f = &s->r->fields.v[i];
        const struct field_row *row = find_row(rows, f->name);

        if (row != NULL && read_field(s, f, row, base) < 0)
            return -1;
    }
    return 0;
}

/* ---- nodes ---- */

/* What is read of one; amounts < 0: not said. */
struct node_fields {
    const char *state, *os, *arch, *partition, *message;
    int64_t configured[RES_DIMS], available[RES_DIMS];
    int64_t frame, slot;
    double load, speed;
    const char *const *features, *const *networks;
    const struct gres_cfg *classes, *gres;
};

#define NODE(f) offsetof(struct node_fields, f)
#define NODE_OF(name, n, t, f)                                                         \
    {                                                                                  \
        name, n, t, NODE(f)                                                            \
    }

static const struct field_row node_rows[] = {
    NODE_OF("STATE", 2, FIELD_TEXT, state),
    NODE_OF("OS", 3, FIELD_TEXT, os),
    NODE_OF("ARCH", 4, FIELD_TEXT, arch),
    NODE_OF("CMEMORY", 5, FIELD_INT, configured[RES_MEM]),
    NODE_OF("AMEMORY", 6, FIELD_INT, available[RES_MEM]),
    NODE_OF("CSWAP", 7, FIELD_INT, configured[RES_SWAP]),
    NODE_OF("ASWAP", 8, FIELD_INT, available[RES_SWAP]),
    NODE_OF("CDISK", 9, FIELD_INT, configured[RES_DISK]),
    NODE_OF("ADISK", 10, FIELD_INT, available[RES_DISK]),
    NODE_OF("CPROC", 11, FIELD_INT, configured[RES_PROCS]),
    NODE_OF("CNET", 13, FIELD_LIST, networks),
    NODE_OF("CPULOAD", 15, FIELD_REAL, load),
    NODE_OF("CCLASS", 16, FIELD_COUNTS, classes),
    NODE_OF("FEATURE", 18, FIELD_LIST, features),
    NODE_OF("PARTITION", 19, FIELD_TEXT, partition),
    NODE_OF("SPEED", 23, FIELD_REAL, speed),
    NODE_OF("FRAME", 24, FIELD_INT, frame),
    NODE_OF("SLOT", 25, FIELD_INT, slot),
    NODE_OF("CRES", 26, FIELD_COUNTS, gres),
    NODE_OF("MESSAGE", 0, FIELD_TEXT, message), /* of ours: why it takes no jobs */
    {NULL, 0, FIELD_OWN, 0},
};

int wiki_read_node(const struct wiki_record *r, struct wiki_room *room,
    struct node_desc *ret, struct err *err)
{
    struct source s = {r, room, err};
    struct node_fields f = {
        .configured = {1, -1, -1, -1}, .available = {-1, -1, -1, -1}, .load = -1};
    const struct word *state;

    empty_room(room);
    if (read_fields(&s, node_rows, &f) < 0)
        return -1;
    state = find_word(node_states, f.state != NULL ? f.state : "Down");
    if (state == NULL)
        return err_set(err, ERR_INVALID,
            "%s: STATE=%.40s: expected Idle, Running, Busy, Draining, Drained, Down or "
            "Unknown",
            r->id, f.state);
    *ret = (struct node_desc){.name = r->id,
        .state = (enum node_state)state->value,
        .partition = f.partition,
        .features = f.features,
        .networks = f.networks,
        .gres = f.gres,
        .classes = f.classes,
        .os = f.os,
        .arch = f.arch,
        .speed = f.speed,
        .frame = f.frame,
        .slot = f.slot,
        .measured = f.load >= 0,
        .load = f.load >= 0 ? f.load : 0};
    if (ret->state != NODE_IDLE && ret->state != NODE_RUNNING
        && ret->state != NODE_BUSY)
        ret->said = f.message;
    for (int i = 0; i < RES_DIMS; i++) {
        int64_t used = f.configured[i] - f.available[i];

        ret->cfg.v[i] = f.configured[i];
        ret->util.v[i] = f.configured[i] < 0 || f.available[i] < 0 ? -1
                         : used > 0                                ? used
                                                                   : 0;
    }
    return 0;
}

/* ---- jobs ---- */

struct job_fields {
    const char *state, *user, *group, *account, *qos;
    const char *name, *directory, *output, *error, *command, *comment;
    const char *mem_cmp, *disk_cmp, *swap_cmp, *flags;
    int64_t wclimit_s;
    int64_t tasks, nodes, tpn, procs;
    int64_t submit_at, release_at, start_at, end_at, deadline_at;
    int64_t need_mem, need_disk, need_swap;
    int64_t mem, disk, swap, exit_status, priority;
    const char *os, *arch, *network;
    const char *const *features,
        *const *partitions, *const *hosts, *const *tasklist, *const *reservations;
    const struct gres_cfg *classes, *gres;
};

#define JOB_OF(name, n, t, f)                                                          \
    {                                                                                  \
        name, n, t, offsetof(struct job_fields, f)                                     \
    }

static const struct field_row job_rows[] = {
    JOB_OF("STATE", 2, FIELD_TEXT, state),
    JOB_OF("WCLIMIT", 3, FIELD_SECONDS, wclimit_s),
    JOB_OF("TASKS", 4, FIELD_INT, tasks),
    JOB_OF("NODES", 5, FIELD_INT, nodes),
    JOB_OF("QUEUETIME", 7, FIELD_INT, submit_at),
    JOB_OF("STARTDATE", 8, FIELD_INT, release_at),
    JOB_OF("STARTTIME", 9, FIELD_INT, start_at),
    JOB_OF("COMPLETIONTIME", 10, FIELD_INT, end_at),
    JOB_OF("COMPLETETIME", 0, FIELD_INT, end_at),
    JOB_OF("UNAME", 11, FIELD_TEXT, user),
    JOB_OF("GNAME", 12, FIELD_TEXT, group),
    JOB_OF("ACCOUNT", 13, FIELD_TEXT, account),
    JOB_OF("RFEATURES", 14, FIELD_LIST, features),
    JOB_OF("RNETWORK", 15, FIELD_TEXT, network),
    JOB_OF("RCLASS", 17, FIELD_COUNTS, classes),
    JOB_OF("ROPSYS", 18, FIELD_TEXT, os),
    JOB_OF("RARCH", 19, FIELD_TEXT, arch),
    JOB_OF("RMEM", 20, FIELD_INT, need_mem),
    JOB_OF("RMEMCMP", 21, FIELD_TEXT, mem_cmp),
    JOB_OF("DMEM", 22, FIELD_INT, mem),
    JOB_OF("RDISK", 23, FIELD_INT, need_disk),
    JOB_OF("RDISKCMP", 24, FIELD_TEXT, disk_cmp),
    JOB_OF("DDISK", 25, FIELD_INT, disk),
    JOB_OF("RSWAP", 26, FIELD_INT, need_swap),
    JOB_OF("RSWAPCMP", 27, FIELD_TEXT, swap_cmp),
    JOB_OF("DSWAP", 28, FIELD_INT, swap),
    JOB_OF("PARTITIONMASK", 29, FIELD_LIST, partitions),
    JOB_OF("EXEC", 30, FIELD_TEXT, command),
    JOB_OF("IWD", 31, FIELD_TEXT, directory),
    JOB_OF("COMMENT", 32, FIELD_TEXT, comment),
    JOB_OF("TASKLIST", 37, FIELD_LIST, tasklist),
    JOB_OF("TASKPERNODE", 38, FIELD_INT, tpn),
    JOB_OF("QOS", 39, FIELD_TEXT, qos),
    JOB_OF("ENDDATE", 40, FIELD_INT, deadline_at),
    JOB_OF("DPROCS", 43, FIELD_INT, procs),
    JOB_OF("RESERVATION", 45, FIELD_LIST, reservations),
    JOB_OF("RESACCESS", 0, FIELD_LIST, reservations),
    JOB_OF("HOSTLIST", 0, FIELD_LIST, hosts),
    JOB_OF("NAME", 0, FIELD_TEXT, name),
    JOB_OF("OUTPUT", 0, FIELD_TEXT, output),
    JOB_OF("ERROR", 0, FIELD_TEXT, error),
    JOB_OF("FLAGS", 0, FIELD_TEXT, flags),
    JOB_OF("GRES", 0, FIELD_COUNTS, gres),
    JOB_OF("EXITSTATUS", 0, FIELD_INT, exit_status),
    JOB_OF("USERPRIORITY", 0, FIELD_INT, priority),
    {NULL, 0, FIELD_OWN, 0},
};

/* A leading '=' of a value is lost on the way through some programs: "==" arrives as
 * "=" or not at all. */
static struct cmp comparison(int64_t value, const char *op)
{
    static const struct word ops[] = {{">=", CMP_GE, 0}, {">", CMP_GT, 0},
        {"<=", CMP_LE, 0}, {"<", CMP_LT, 0}, {"==", CMP_EQ, 0}, {"=", CMP_EQ, 0},
        {NULL, 0, 0}};
    const struct word *w = op != NULL ? find_word(ops, op) : NULL;

    if (value <= 0)
        return (struct cmp){0};
    return (struct cmp){w != NULL ? (enum cmp_op)w->value : CMP_GE, value};
}

static struct wiki_group *note_group(
    struct wiki_room *room, const char *user, const char *group)
{
    struct wiki_group *g = xcalloc(1, sizeof *g);

    g->user = xstrdup(user);
    g->group = group != NULL ? xstrdup(group) : NULL;
    room->unknown += group == NULL;
    HASH_ADD_KEYPTR(hh, room->groups, g->user, strlen(g->user), g);
    return g;
}

static void forget_unknown(struct wiki_room *room)
{
    struct wiki_group *g, *next;

    room->unknown_ms = clock_ms();
    if (room->unknown == 0)
        return;
    room->unknown = 0;
    HASH_ITER(hh, room->groups, g, next)
    if (g->group == NULL) {
        HASH_DEL(room->groups, g);
        free(g->user);
        free(g);
    }
}

/* The user's primary group, looked up until it is found: who is not known yet may be
 * later, and a directory may be away. But not for each job: that is a question to the
 * directory, and a program that prints rubbish would have us ask for hours. */
static const char *group_of(struct wiki_room *room, const char *user)
{
    const struct passwd *pw;
    const struct group *gr;
    struct wiki_group *g;

    if (clock_ms() - room->unknown_ms > UNKNOWN_MS)
        forget_unknown(room);
    HASH_FIND(hh, room->groups, user, strlen(user), g);
    if (g == NULL && room->unknown < UNKNOWN_MOST) {
        pw = getpwnam(user);
        gr = pw != NULL ? getgrgid(pw->pw_gid) : NULL;
        g = note_group(room, user, gr != NULL ? gr->gr_name : NULL);
    }
    return g != NULL && g->group != NULL ? g->group : "NOGROUP";
}

struct placed {
    const char *node; /* key */
    size_t place;
    UT_hash_handle hh;
};

/* One name a task, in the order of ranks: places in the order of their first task. */
static void read_places(
    struct wiki_room *room, const char *const *names, struct rm_job *ret)
{
    struct placed *known = NULL, *p, *next;
    struct job_place *places;
    size_t n = 0;

    while (names[n] != NULL)
        n++;
    places = take_room(room, n + 1, sizeof *places);
    for (size_t i = 0; i < n; i++) {
        HASH_FIND_STR(known, names[i], p);
        if (p == NULL) {
            p = xcalloc(1, sizeof *p);
            p->node = names[i];
            p->place = ret->nplaces++;
            places[p->place].node = names[i];
            HASH_ADD_KEYPTR(hh, known, p->node, strlen(p->node), p);
        }
        places[p->place].tasks++;
    }
    HASH_ITER(hh, known, p, next)
    {
        HASH_DEL(known, p);
        free(p);
    }
    ret->places = places;
}

static uint32_t small(int64_t n)
{
    return n > INT32_MAX ? INT32_MAX : (uint32_t)n;
}

static void read_request(const struct job_fields *f, struct req_desc *ret)
{
    *ret = (struct req_desc){.tasks = small(f->tasks),
        .nodes = small(f->nodes),
        .tpn = small(f->tpn),
        .features = f->features,
        .hosts = f->hosts,
        .gres = f->gres,
        .os = f->os,
        .arch = f->arch,
        .network = f->network,
        .mem = comparison(f->need_mem, f->mem_cmp),
        .disk = comparison(f->need_disk, f->disk_cmp),
        .swap = comparison(f->need_swap, f->swap_cmp)};
    ret->per_task.v[RES_PROCS] = f->procs;
    ret->per_task.v[RES_MEM] = f->mem;
    ret->per_task.v[RES_DISK] = f->disk;
    ret->per_task.v[RES_SWAP] = f->swap;
}

static struct job_end end_of(const struct job_fields *f, enum job_state state)
{
    double ran = f->start_at > 0 ? (double)(f->end_at - f->start_at) : 0;

    if (state == JOB_REMOVED && f->wclimit_s > 0 && ran >= (double)f->wclimit_s)
        return (struct job_end){
            .reason = ENDED_WALLCLOCK, .limit = (double)f->wclimit_s, .used = ran};
    if (state == JOB_REMOVED)
        return (struct job_end){.reason = ENDED_CANCELLED};
    return (struct job_end){0};
}

static void read_desc(const struct wiki_record *r, const struct job_fields *f,
    struct wiki_room *room, struct job_desc *ret)
{
    bool any = f->partitions != NULL && f->partitions[0] != NULL
               && (strcasecmp(f->partitions[0], "ANY") == 0
                   || strcasecmp(f->partitions[0], "[ALL]") == 0
                   || strcasecmp(f->partitions[0], "ALL") == 0);

    *ret = (struct job_desc){.id = r->id,
        .cred = {[CRED_USER] = f->user,
            [CRED_GROUP] = f->group != NULL ? f->group : group_of(room, f->user),
            [CRED_ACCOUNT] = f->account,
            [CRED_CLASS] = f->classes != NULL ? f->classes[0].name : NULL,
            [CRED_QOS] = f->qos},
        .submit_at = f->submit_at,
        .wclimit_s = f->wclimit_s,
        .release_at = f->release_at,
        .deadline_at = f->deadline_at,
        .user_priority = f->priority,
        .reqs = &room->req,
        .nreqs = 1,
        .partitions = any ? NULL : f->partitions,
        .advres = f->reservations != NULL ? f->reservations[0] : NULL,
        .command = f->command,
        .comment = f->comment};
}

int wiki_read_job(const struct wiki_record *r, struct wiki_room *room,
    struct rm_job *ret, struct err *err)
{
    struct source s = {r, room, err};
    struct job_fields f = {.tasks = 1, .procs = 1};
    const struct word *state;
    bool active;

    empty_room(room);
    if (read_fields(&s, job_rows, &f) < 0)
        return -1;
    if (f.user == NULL)
        return err_set(
            err, ERR_INVALID, "%s: it has no UNAME=, the user it is of", r->id);
    state = find_word(job_states, f.state != NULL ? f.state : "Idle");
    if (state == NULL)
        return err_set(err, ERR_INVALID,
            "%s: STATE=%.40s: expected Idle, Hold, Starting, Running, Suspended, "
            "Completed "
            "or Removed",
            r->id, f.state);
    *ret = (struct rm_job){.name = f.name,
        .directory = f.directory,
        .output = f.output,
        .error = f.error,
        .cpu_s = -1,
        .mem_mb = -1,
        .swap_mb = -1,
        .disk_mb = -1,
        .exit_status = (int)small(f.exit_status)};
    read_request(&f, &room->req);
    read_desc(r, &f, room, &ret->desc);
    if (f.flags != NULL) /* those that we know; others are the manager's own */
        (void)job_flags_parse(f.flags, &ret->desc.flags, &(struct err){0});
    ret->desc.state = (enum job_state)state->value;
    if (ret->desc.state == JOB_UNKNOWN && f.tasklist != NULL && f.start_at > 0)
        ret->desc.state = JOB_RUNNING;
    ret->desc.rm_hold = (uint8_t)state->more;
    active = ret->desc.state == JOB_STARTING || ret->desc.state == JOB_RUNNING
             || ret->desc.state == JOB_SUSPENDED;
    if (active || ret->desc.state >= JOB_COMPLETED) {
        ret->start_at = ret->desc.start_at = f.start_at;
        if (f.tasklist != NULL)
            read_places(room, f.tasklist, ret);
    }
    if (active) {
        ret->desc.places = ret->places;
        ret->desc.nplaces = ret->nplaces;
    }
    if (ret->desc.state >= JOB_COMPLETED) {
        ret->end_at = f.end_at;
        ret->end = end_of(&f, ret->desc.state);
    }
    return 0;
}
