/* SPDX-License-Identifier: Apache-2.0
 * FS.<begin> files: lines of kind, name and usage. */
#include "server/durable/oldusage.h"

#include "base/strbuf.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "cluster/cred.h"
#include "cluster/valid.h"
#include "config/config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uthash.h>

#define FILE_MOST (256 * 1024 * 1024) /* bytes: millions of names */
#define BLANKS    " \t\r\n"

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

/* "[DEFAULT]", "[NONE]" and their like are nobody. */
static bool is_name(enum cred_kind kind, const char *name)
{
    struct err err;
    size_t left = strlen(name), n = 1;

    for (const char *p = name; left > 0 && n > 0; p += n, left -= n)
        n = utf8_length(p, left);
    return left == 0 && *name != '['
           && name_check(cred_kind_name(kind), name, &err) == 0;
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
    if (kinds[i].kind != CRED_KINDS && !is_name(kinds[i].kind, name)) {
        u->names_refused++;
        return;
    }
    struct fs_memory *m =
        find_row(u, kinds[i].kind, kinds[i].kind == CRED_KINDS ? "" : name, now);
    m->window[window] += value;
    m->n = window + 1 > m->n ? window + 1 : m->n;
}

/* What is in the way of reading it; NULL: nothing. Whatever else has the name of a file
 * keeps nobody waiting. */
static const char *look_at(int fd)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return strerror(errno);
    return !S_ISREG(st.st_mode)     ? "is no file"
           : st.st_size > FILE_MOST ? "is larger than such a file can be"
                                    : NULL;
}

static void note_fault(struct oldusage *u, const char *path, const char *why)
{
    struct strbuf text = {0};

    strbuf_printf(&text, "%s: %s", path, why);
    text_list_add(&u->faults, text.text);
    free(text.text);
}

static void read_lines(
    struct oldusage *u, FILE *f, const char *path, uint32_t window, int64_t now)
{
    char *line = NULL;
    size_t size = 0;

    while (getline(&line, &size, f) > 0)
        take_line(u, line, window, now);
    if (ferror(f))
        note_fault(u, path, strerror(errno));
    else
        u->files++;
    free(line);
}

static void read_window(
    struct oldusage *u, const char *folder, int64_t begin, uint32_t window, int64_t now)
{
    struct strbuf path = {0};

    strbuf_printf(&path, "%s/FS.%" PRId64, folder, begin);
    int fd = open(path.text, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const char *why = fd >= 0 ? look_at(fd) : errno == ENOENT ? NULL : strerror(errno);
    FILE *f = fd >= 0 && !why ? fdopen(fd, "r") : NULL;
    if (f) {
        read_lines(u, f, path.text, window, now);
        fclose(f);
    } else if (fd >= 0 || why) {
        note_fault(u, path.text, why ? why : strerror(errno));
    }
    if (fd >= 0 && !f)
        close(fd);
    free(path.text);
}

static bool has_files(const char *folder)
{
    DIR *dir = opendir(folder);
    bool found = false;

    for (const struct dirent *e; dir && !found && (e = readdir(dir));)
        found = strncmp(e->d_name, "FS.", 3) == 0;
    if (dir)
        closedir(dir);
    return found;
}

void oldusage_read(struct oldusage *ret, const char *folder, int64_t interval_s,
    uint32_t depth, int64_t now)
{
    *ret = (struct oldusage){0};
    for (uint32_t i = 0; interval_s > 0 && i < depth && i < FS_DEPTH_MAX; i++)
        read_window(
            ret, folder, now - now % interval_s - (int64_t)i * interval_s, i, now);
    ret->others = !ret->files && !ret->faults.n && has_files(folder);
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
    text_list_fini(&u->faults);
}
