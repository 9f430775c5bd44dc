/* SPDX-License-Identifier: Apache-2.0
 * The resource record as a table of fields. */
#include "trace/restrace.h"

#include "base/names.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS     21
#define AMOUNT_MAX INT64_C(1000000000000)
#define PROCS_MAX  INT64_C(1000000000)

static const char *const types[] = {"COMPUTENODE", "NETWORK", "HSM", NULL};
static const char *const events[] = {"AVAILABLE", "DEFINED", "DRAINED", NULL};

#define AT(field) offsetof(struct restrace_node, field)

/* clang-format off */
static const struct tf_row rows[FIELDS] = {
    {"Type",           TF_WORD,      AT(type), 0, 0, 0, types},
    {"Event",          TF_WORD,      AT(event), 0, 0, 0, events},
    {"Time",           TF_NUMBER,    AT(at), 0, 0, AMOUNT_MAX},
    {"Name",           TF_TEXT,      AT(name)},
    {"RM name",        TF_OPTIONAL,  AT(rm)},
    {"Swap",           TF_MB,        AT(swap_mb), 1, 0, AMOUNT_MAX},
    {"Memory",         TF_MB,        AT(mem_mb), 1, 0, AMOUNT_MAX},
    {"Disk",           TF_MB,        AT(disk_mb), 1, 0, AMOUNT_MAX},
    {"Processors",     TF_NUMBER,    AT(procs), 1, 0, PROCS_MAX},
    {"Frame",          TF_NUMBER,    AT(frame), 1, -1, PROCS_MAX},
    {"Slot",           TF_NUMBER,    AT(slot), 1, -1, PROCS_MAX},
    {"Slots used",     TF_NUMBER,    AT(slots), 1, -1, PROCS_MAX},
    {"OS",             TF_OPTIONAL,  AT(os)},
    {"Arch",           TF_OPTIONAL,  AT(arch)},
    {"Features",       TF_BRACKETS,  AT(features)},
    {"Classes",        TF_CLASSES,   AT(classes)},
    {"Networks",       TF_BRACKETS,  AT(networks)},
    {"Relative speed", TF_OPTIONAL,  AT(speed_or_gres)},
    {"Reserved",       TF_OPTIONAL,  AT(reserved[0])},
    {"Reserved",       TF_OPTIONAL,  AT(reserved[1])},
    {"Reserved",       TF_OPTIONAL,  AT(reserved[2])},
};
/* clang-format on */

#define ROW_SPEED 17

/* ---- one record --------------------------------------------------------------- */

/* "gpu:2,lic:1" as "[gpu:2][lic:1]", which is a list of classes to the reader. */
static const char *bracketed(const char *text, struct arena *a)
{
    size_t len = strlen(text), n = 0;
    char *out, *to;

    for (const char *p = text; *p != '\0'; p++)
        n += *p == ',';
    to = out = arena_take(a, 1, len + 2 * (n + 1) + 1);
    *to++ = '[';
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == ',')
            to = stpcpy(to, "][");
        else
            *to++ = *p;
    }
    *to++ = ']';
    return out;
}

static int parse_speed(struct restrace_node *n, struct arena *a, struct err *err)
{
    static const struct tf_row gres = {"Generic resources", TF_CLASSES, AT(gres)};
    const char *text = n->speed_or_gres;
    char *end;

    if (text == NULL)
        return 0;
    n->speed = strtod(text, &end);
    if (end == text || *end != '\0' || strpbrk(text, "xX") != NULL) {
        n->speed = 0;
        return tf_parse(
            &gres, ROW_SPEED + 1, *text == '[' ? text : bracketed(text, a), n, a, err);
    }
    if (n->speed >= 0.01 && n->speed <= 100.0)
        return 0;
    return err_set(err, ERR_INVALID,
        "field %d (%s): \"%.40s\" is not within 0.01 to 100", ROW_SPEED + 1,
        rows[ROW_SPEED].name, text);
}

int restrace_parse(
    char *line, struct restrace_node *ret, struct arena *a, struct err *err)
{
    const char *fields[FIELDS];
    struct restrace_node n = {0};
    size_t count = tf_split(line, fields, FIELDS);

    if (count == 0)
        return 0;
    if (count != FIELDS)
        return err_set(err, ERR_INVALID,
            "%zu of %d fields read; a resource record has %d", count, FIELDS, FIELDS);
    for (unsigned i = 0; i < FIELDS; i++)
        if (tf_parse(&rows[i], i + 1, fields[i], &n, a, err) < 0)
            return -1;
    if (parse_speed(&n, a, err) < 0)
        return -1;
    *ret = n;
    return 1;
}

void restrace_format(const struct restrace_node *n, FILE *out)
{
    for (unsigned i = 0; i < FIELDS; i++) {
        if (i > 0)
            fputc(' ', out);
        tf_format(&rows[i], n, out);
    }
    fputc('\n', out);
}

/* ---- a trace -------------------------------------------------------------------- */

void restrace_fini(struct restrace *t)
{
    vec_fini(&t->nodes);
    arena_free(&t->texts);
}

/* One record line; unusable ones are told. */
static void take_line(struct lines *in, char *line, struct restrace *t,
    struct names *seen, struct diag *d)
{
    const char *file = lines_name(in);
    uint64_t number = lines_number(in);
    struct restrace_node n = {0};
    struct err why;
    int rc = restrace_parse(line, &n, &t->texts, &why);

    if (rc < 0) {
        diag_bad(d, file, number, "%s", why.text);
    } else if (rc > 0 && n.type == 0) {
        if (names_find(seen, n.name) != NAME_NONE) {
            diag_bad(d, file, number,
                "field 4 (Name): node \"%.60s\" is already there; each is given once",
                n.name);
            return;
        }
        names_intern(seen, n.name);
        vec_push(&t->nodes, n);
    }
}

int restrace_read(
    struct lines *in, struct restrace *ret, struct diag *d, struct err *err)
{
    struct names *seen = names_create();
    char *line;
    size_t len;
    int rc;

    while ((rc = lines_next(in, &line, &len, err)) > 0) {
        if (memchr(line, '\0', len) != NULL) {
            diag_bad(d, lines_name(in), lines_number(in),
                "the line has bytes 0; text is expected");
            continue;
        }
        rc = tf_version(in, line, err);
        if (rc < 0)
            break;
        if (rc == 0)
            take_line(in, line, ret, seen, d);
    }
    names_destroy(seen);
    return rc;
}

struct node_desc restrace_node_desc(const struct restrace_node *n)
{
    static const enum node_state states[] = {NODE_IDLE, NODE_DOWN, NODE_DRAINED};

    return (struct node_desc){
        .name = n->name,
        .state = states[n->event],
        .cfg = {.v = {[RES_PROCS] = n->procs,
                    [RES_MEM] = n->mem_mb,
                    [RES_SWAP] = n->swap_mb,
                    [RES_DISK] = n->disk_mb}},
        .features = n->features,
        .networks = n->networks,
        .gres = n->gres,
        .classes = n->classes,
        .os = n->os,
        .arch = n->arch,
        .speed = n->speed,
        .frame = n->frame > 0 ? n->frame : 0,
        .slot = n->slot > 0 ? n->slot : 0,
        .slots = n->slots > 0 ? n->slots : 0,
    };
}
