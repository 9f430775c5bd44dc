/* SPDX-License-Identifier: Apache-2.0
 * FS.<begin> files: lines of kind, name and usage. */
#include "server/durable/oldusage.h"

#include "base/strbuf.h"
#include "base/xalloc.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <uthash.h>

#define BLANKS " \t\r\n"

struct oldusage_row {
    UT_hash_handle hh;
    char *key; /* owned: "0:ann" */
    size_t at; /* in rows */
};

/* The words of its files, of old and of newer releases. */
static const struct {
    const char *word;
    enum cred_kind kind; /* CRED_KINDS: of all together */
} kinds[] = {{"USER", CRED_USER}, {"GROUP", CRED_GROUP}, {"ACCT", CRED_ACCOUNT},
    {"ACCOUNT", CRED_ACCOUNT}, {"CLASS", CRED_CLASS}, {"QOS", CRED_QOS},
    {"TOTAL", CRED_KINDS}, {"SCHED", CRED_KINDS}};

static struct fs_memory *find_row(
    struct oldusage *u, enum cred_kind kind, const char *name, int64_t now)
{
    struct strbuf key = {0};
    struct oldusage_row *row;

    strbuf_printf(&key, "%d:%s", (int)kind, name);
    HASH_FIND_STR(u->known, key.text, row);
    if (row) {
        free(key.text);
        return &u->rows.v[row->at];
    }
    row = xcalloc(1, sizeof *row);
    row->key = strbuf_take(&key);
    row->at = u->rows.n;
    HASH_ADD_KEYPTR(hh, u->known, row->key, strlen(row->key), row);
    vec_push(
        &u->rows, ((struct fs_memory){.kind = kind,
                      .name = kind == CRED_KINDS ? NULL : strchr(row->key, ':') + 1,
                      .at = now}));
    return &u->rows.v[row->at];
}

static void take_line(struct oldusage *u, char *line, uint32_t window, int64_t now)
{
    char *save = NULL, *end, *kind = strtok_r(line, BLANKS, &save);
    char *name = kind ? strtok_r(NULL, BLANKS, &save) : NULL;
    char *amount = name ? strtok_r(NULL, BLANKS, &save) : NULL;
    size_t i = 0;

    while (kind && i < sizeof kinds / sizeof kinds[0]
           && strcasecmp(kind, kinds[i].word) != 0)
        i++;
    if (!name || i == sizeof kinds / sizeof kinds[0] || *kind == '#')
        return;
    if (!amount && kinds[i].kind == CRED_KINDS) /* "TOTAL 600000.0" */
        amount = name;
    double value = amount ? strtod(amount, &end) : 0;
    if (!amount || end == amount || *end || !isfinite(value) || value <= 0)
        return;
    struct fs_memory *m =
        find_row(u, kinds[i].kind, kinds[i].kind == CRED_KINDS ? "" : name, now);
    m->window[window] += value;
    m->n = window + 1 > m->n ? window + 1 : m->n;
}

static void read_window(
    struct oldusage *u, const char *folder, int64_t begin, uint32_t window, int64_t now)
{
    struct strbuf path = {0};
    char *line = NULL;
    size_t size = 0;

    strbuf_printf(&path, "%s/FS.%" PRId64, folder, begin);
    FILE *f = fopen(path.text, "re");
    free(path.text);
    if (!f)
        return;
    while (getline(&line, &size, f) > 0)
        take_line(u, line, window, now);
    free(line);
    fclose(f);
    u->files++;
}

void oldusage_read(struct oldusage *ret, const char *folder, int64_t interval_s,
    uint32_t depth, int64_t now)
{
    *ret = (struct oldusage){0};
    for (uint32_t i = 0; interval_s > 0 && i < depth && i < FS_DEPTH_MAX; i++)
        read_window(
            ret, folder, now - now % interval_s - (int64_t)i * interval_s, i, now);
}

void oldusage_fini(struct oldusage *u)
{
    struct oldusage_row *row, *next;

    HASH_ITER(hh, u->known, row, next)
    {
        HASH_DEL(u->known, row);
        free(row->key);
        free(row);
    }
    vec_fini(&u->rows);
}
