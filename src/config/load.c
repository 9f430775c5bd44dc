/* SPDX-License-Identifier: Apache-2.0
 * Loading: files to entries, entries to settings in the order of their phases. */
#include "base/names.h"
#include "base/nearest.h"
#include "config/loader.h"
#include "config/moab.h"
#include "config/settings.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_MAX 1000 /* includes followed */

struct bytes VEC(char);

/* ---- lines to entries ---- */

static bool is_default(const struct grammar_line *line)
{
    return line->index != NULL && strcmp(line->index, "DEFAULT") == 0;
}

/* Old limits go between phases 3 and 4: sections override them. */
enum { PHASE_OLD_LIMITS = 4 };

static int phase_of(const struct cfg_row *row, const struct grammar_line *line)
{
    static const int sections[OBJECTS] = {[OBJECT_SCHED] = 0,
        [OBJECT_SYS] = 5,
        [OBJECT_QOS] = 6,
        [OBJECT_USER] = 8,
        [OBJECT_GROUP] = 10,
        [OBJECT_ACCOUNT] = 10,
        [OBJECT_CLASS] = 10,
        [OBJECT_SR] = 12,
        [OBJECT_RM] = 12,
        [OBJECT_AM] = 12,
        [OBJECT_CLIENT] = 12,
        [OBJECT_PAR] = 12,
        [OBJECT_NODE] = 13};

    if (row->type != CFG_SECTION)
        return row->home == HOME_ATTR                                            ? 3
               : row->index == INDEX_OF_PARTITION && !cfg_is_global(line->index) ? 2
                                                                                 : 1;
    if (row->object == OBJECT_SCHED || row->object == OBJECT_SYS)
        return sections[row->object];
    if (row->object == OBJECT_NODE && line->index != NULL
        && strcmp(line->index, "GLOBAL") == 0)
        return 12;
    return sections[row->object] + (is_default(line) ? 0 : 1);
}

/* What is left out may have been meant as a limit: nobody goes beyond one because of a
 * misspelling. */
static void report_unknown(
    struct loader *l, const struct place *at, const struct grammar_line *line)
{
    const char *near = table_nearest(l->config->table, line->name);
    bool misspelt = near != NULL && nearest_is_misspelt(line->name, near);
    const struct cfg_row *meant = misspelt ? table_find(l->config->table, near) : NULL;

    if (moab_has_parameter(line->name)) {
        loader_report(l, at, FINDING_WARNING,
            "%s is a parameter of Moab, which Maui does not have; the line is ignored",
            line->name);
        return;
    }
    if (meant != NULL && meant->home == HOME_ATTR && meant->object == OBJECT_SR
        && attrs_find(l->config->table, OBJECT_SR, meant->attr)->guards) {
        loader_close(
            l, at, cfg_is_global(line->index) ? "0" : line->index, line->name, near);
        return;
    }
    loader_report(l, at,
        meant != NULL && meant->guards ? FINDING_ERROR : FINDING_WARNING,
        "unknown parameter '%.60s'; %s%s%she line is ignored", line->name,
        near != NULL ? "did you mean " : "", near != NULL ? near : "",
        near != NULL ? "? T" : "t");
}

static void add_one_entry(
    struct loader *l, struct grammar_line *line, const struct place *at)
{
    const struct cfg_row *row = table_find(l->config->table, line->name);
    struct entry e = {.row = row,
        .line = *line,
        .file = at->file,
        .file_number = at->file_number,
        .sequence = (uint32_t)l->entries.n,
        .change = l->change};

    if (row == NULL) {
        report_unknown(l, at, line);
        grammar_line_fini(line);
        return;
    }
    if (l->private && (row->type != CFG_SECTION || row->object != OBJECT_CLIENT)) {
        loader_report(l, at, FINDING_WARNING,
            "%s is not taken from a private file; only CLIENTCFG is", row->name);
        grammar_line_fini(line);
        return;
    }
    e.phase = phase_of(row, line);
    vec_push(&l->entries, e);
}

/* Documentation prints two settings on one line: SRCFG[x] A=1 SRCFG[x] B=2. Cuts what
 * follows the first off into *ret_rest. */
static bool cut_line(
    const struct loader *l, struct grammar_line *line, struct grammar_line *ret_rest)
{
    const struct cfg_row *row = table_find(l->config->table, line->name);
    struct grammar_pairs pairs;
    struct grammar_pair pair;
    bool found = false;

    if (row == NULL || row->type != CFG_SECTION
        || strcasestr(line->value, "CFG[") == NULL)
        return false;
    grammar_pairs_init(&pairs, line->value);
    for (const char *from = pairs.p; !found && grammar_pairs_next(&pairs, &pair);
         from = pairs.p) {
        const struct cfg_row *other = pair.value == NULL && pair.bracket != NULL
                                          ? table_find(l->config->table, pair.name)
                                          : NULL;

        found = other != NULL && other->type == CFG_SECTION;
        if (found) {
            *ret_rest = (struct grammar_line){.kind = GRAMMAR_SETTING,
                .line = line->value_line + pair.line,
                .value_line = line->value_line + pair.line,
                .name = xstrdup(pair.name),
                .index = xstrdup(pair.bracket),
                .value = xstrdup(pairs.p + strspn(pairs.p, " "))};
            line->value[from - line->value] = '\0';
        }
        grammar_pair_fini(&pair);
    }
    return found;
}

static void add_entry(struct loader *l, struct grammar_line *line, struct place at)
{
    struct grammar_line rest = *line;

    do {
        *line = rest;
        at.line = line->line;
        if (!cut_line(l, line, &rest))
            rest.name = NULL;
        else
            loader_report(l, &(struct place){at.file, at.file_number, rest.line},
                FINDING_NOTE, "%s[%.60s] begins a line of its own; it is taken so",
                rest.name, rest.index);
        add_one_entry(l, line, &at);
    } while (rest.name != NULL);
}

static void want_include(struct loader *l, const struct place *at, const char *file)
{
    struct wanted wanted = {.file = xstrdup(file), .place = *at};

    if (l->includes != NULL && !l->private) {
        vec_push(l->includes, wanted);
        return;
    }
    free(wanted.file);
    loader_report(l, at, FINDING_WARNING, "#INCLUDE %.200s is not followed here", file);
}

static void read_line(struct loader *l, struct grammar_line *line, struct place at)
{
    at.line = line->line;
    if (line->special_space)
        loader_report(l, &at, FINDING_WARNING,
            "a no-break space, or another special one, is read as a blank");
    switch (line->kind) {
    case GRAMMAR_SETTING:
        add_entry(l, line, at);
        return;
    case GRAMMAR_INCLUDE:
        want_include(l, &at, line->value);
        break;
    case GRAMMAR_ERROR:
        loader_report(
            l, &at, FINDING_ERROR, "%s; the line is not used", line->err.text);
        break;
    }
    grammar_line_fini(line);
}

static struct place new_file(struct loader *l, const char *name)
{
    struct text_list *files = &l->config->files;

    text_list_add(files, name);
    return (struct place){.file = files->v[files->n - 1],
        .file_number = (uint32_t)files->n - 1,
        .line = 1};
}

/* A NUL means that this is no text at all; nothing of it is believed. */
static bool is_text(struct loader *l, struct place at, const char *text, size_t len)
{
    const char *nul = len > 0 ? memchr(text, '\0', len) : NULL;

    if (nul == NULL)
        return true;
    for (const char *p = text; p < nul; p++)
        at.line += *p == '\n';
    loader_report(l, &at, FINDING_ERROR,
        "a NUL byte: this is not a text file; nothing of it is used");
    return false;
}

static void keep_text(struct loader *l, const char *text, size_t len)
{
    struct config *c = l->config;

    if (l->private || len == 0)
        return;
    vec_reserve(&c->text, len + 1);
    memcpy(c->text.v + c->text.n, text, len);
    c->text.n += len;
    vec_push(&c->text, '\n');
}

static void read_text(struct loader *l, struct place at, const char *text, size_t len)
{
    struct grammar_line line;
    struct grammar g;

    if (!is_text(l, at, text, len))
        return;
    keep_text(l, text, len);
    grammar_init(&g, text, len);
    while (grammar_next(&g, &line)) {
        l->change = g.change;
        read_line(l, &line, at);
    }
    l->change = 0;
}

/* ---- entries to settings ---- */

static int by_phase(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->phase != y->phase)
        return x->phase < y->phase ? -1 : 1;
    return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

/* The BANK parameters are about the first bank of the file. */
static void find_bank(struct loader *l)
{
    for (size_t i = 0; i < l->entries.n && l->bank == NULL; i++) {
        const struct entry *e = &l->entries.v[i];

        if (e->row->type == CFG_SECTION && e->row->object == OBJECT_AM)
            l->bank = xstrdup(e->line.index != NULL ? e->line.index : "0");
    }
}

/* The largest rate that a node can have: what a job pays that has no nodes yet. */
static void find_node_most(struct settings *s)
{
    int64_t most = -1;

    for (size_t i = 0; i < s->nodes.n; i++)
        most = s->nodes.v[i].charge_rate > most ? s->nodes.v[i].charge_rate : most;
    if (most >= 0 && s->nodes.v[0].charge_rate < 0 && most < PRICE_ONE)
        most = PRICE_ONE; /* of those that are not named */
    s->bank.node_most = most > 0 ? most : 0;
}

static void apply_entries(struct loader *l)
{
    bool old_limits_done = false;

    find_bank(l);
    if (!l->private)
        load_managed(l);
    if (l->entries.n > 0)
        qsort(l->entries.v, l->entries.n, sizeof *l->entries.v, by_phase);
    for (size_t i = 0; i < l->entries.n; i++) {
        const struct entry *e = &l->entries.v[i];

        if (e->phase >= PHASE_OLD_LIMITS && !old_limits_done) {
            load_old_limits(l);
            old_limits_done = true;
        }
        l->change = e->change;
        if (e->row->type == CFG_SECTION)
            load_section(l, e);
        else
            load_parameter(l, e);
    }
    l->change = 0;
    if (!old_limits_done)
        load_old_limits(l);
    if (!l->private)
        load_standing(l);
    find_node_most(l->config->settings);
    for (size_t i = 0; i < l->entries.n; i++)
        grammar_line_fini(&l->entries.v[i].line);
    l->entries.n = 0;
    free(l->bank);
    l->bank = NULL;
    memset(l->old, 0, sizeof l->old);
}

/* By file and line; lines that say several things keep the order of discovery. */
static int by_place(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;

    if (x->file_number != y->file_number)
        return x->file_number < y->file_number ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

void loader_sort(struct config *c)
{
    if (c->findings.n > 0)
        qsort(c->findings.v, c->findings.n, sizeof *c->findings.v, by_place);
}

/* ---- configurations ---- */

static struct config *config_create(const struct config *elder)
{
    struct config *c = xcalloc(1, sizeof *c);

    c->settings = settings_create();
    c->own_table = elder == NULL ? table_index_create() : NULL;
    c->table = elder == NULL ? c->own_table : elder->table;
    c->value_index = names_create();
    return c;
}

void config_destroy(struct config *c)
{
    if (c == NULL)
        return;
    settings_destroy(c->settings);
    for (size_t i = 0; i < c->findings.n; i++)
        free(c->findings.v[i].text);
    vec_fini(&c->findings);
    for (size_t i = 0; i < c->values.n; i++) {
        free(c->values.v[i].name);
        free(c->values.v[i].text);
    }
    vec_fini(&c->values);
    text_list_fini(&c->files);
    vec_fini(&c->text);
    table_index_destroy(c->own_table);
    names_destroy(c->value_index);
    free(c);
}

struct settings *config_take_settings(struct config *c)
{
    struct settings *s = c->settings;

    c->settings = NULL;
    return s;
}

static void loader_fini(struct loader *l)
{
    vec_fini(&l->entries);
    text_list_fini(&l->closed);
    loader_sort(l->config);
}

struct config *config_load_text_after(const struct config *elder, bool private,
    const char *name, const char *text, size_t len)
{
    struct loader l = {
        .config = config_create(elder), .elder = elder, .private = private};

    read_text(&l, new_file(&l, name), text, len);
    apply_entries(&l);
    l.config->settings->digest = config_digest(l.config);
    loader_fini(&l);
    return l.config;
}

struct config *config_load_text(const char *name, const char *text, size_t len)
{
    return config_load_text_after(NULL, false, name, text, len);
}

struct config *config_load_private_text(const char *name, const char *text, size_t len)
{
    return config_load_text_after(NULL, true, name, text, len);
}

/* ---- files ---- */

/* Append all of `fd`: 0, or -1 with errno, EFBIG above the limit. */
static int read_all(int fd, struct bytes *to)
{
    for (;;) {
        ssize_t n;

        if (to->n > CONFIG_FILE_MAX) {
            errno = EFBIG;
            return -1;
        }
        vec_reserve(to, 65536);
        n = read(fd, to->v + to->n, 65536);
        if (n == 0)
            return 0;
        if (n > 0)
            to->n += (size_t)n;
        else if (errno != EINTR)
            return -1;
    }
}

/* The bytes of a file and its permissions. */
static int read_file(
    const char *path, struct bytes *to, mode_t *ret_mode, struct err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), status = -1;
    struct stat st;

    if (fd >= 0 && fstat(fd, &st) == 0) {
        *ret_mode = st.st_mode;
        status = read_all(fd, to);
    }
    if (status < 0 && errno == EFBIG)
        err_set(err, ERR_IO, "%s: larger than %d MB; no configuration is", path,
            CONFIG_FILE_MAX / (1024 * 1024));
    else if (status < 0)
        err_set(err, ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
    if (fd >= 0)
        close(fd);
    return status;
}

/* `file` as seen from the directory of `base`. Owned by the caller. */
static char *beside(const char *base, const char *file)
{
    const char *slash = strrchr(base, '/');
    size_t dir = *file != '/' && slash != NULL ? (size_t)(slash - base) + 1 : 0;
    size_t len = strlen(file);
    char *path = xmalloc(dir + len + 1);

    memcpy(path, base, dir);
    memcpy(path + dir, file, len + 1);
    return path;
}

static bool was_read(const struct config *c, const char *path)
{
    for (size_t i = 0; i < c->files.n; i++)
        if (strcmp(c->files.v[i], path) == 0)
            return true;
    return false;
}

static void read_include(struct loader *l, const struct place *at, const char *path)
{
    struct bytes text = {0};
    struct err err;
    mode_t mode;

    if (was_read(l->config, path) || l->config->files.n >= FILES_MAX)
        loader_report(l, at, FINDING_WARNING, "#INCLUDE %.200s was read before", path);
    else if (read_file(path, &text, &mode, &err) < 0)
        loader_report(l, at, FINDING_ERROR,
            "#INCLUDE %s; what it says of access and limits is not known", err.text);
    else
        read_text(l, new_file(l, path), text.v, text.n);
    vec_fini(&text);
}

/* Read what is to be included, behind all that was read so far; that may ask for
 * more. */
static void read_includes(struct loader *l, const char *main_path)
{
    for (size_t i = 0; i < l->includes->n; i++) {
        struct wanted wanted = l->includes->v[i];
        char *path = beside(main_path, wanted.file);

        read_include(l, &wanted.place, path);
        free(wanted.file);
        free(path);
    }
    vec_fini(l->includes);
}

/* ---- maui.cfg.d ---- */

/* Both as one. Owned by the caller. */
static char *add_text(const char *a, const char *b)
{
    size_t size = strlen(a) + strlen(b) + 1;
    char *both = xmalloc(size);

    snprintf(both, size, "%s%s", a, b);
    return both;
}

static int is_part(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);

    return entry->d_name[0] != '.' && len > 4
           && strcmp(entry->d_name + len - 4, ".cfg") == 0;
}

static int compare_parts(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* As if the main file asked for each of them at its end. */
static void want_parts(struct loader *l, const char *main_path)
{
    struct place at = {.file = l->config->files.v[0], .line = 1};
    const char *slash = strrchr(main_path, '/');
    char *folder = add_text(main_path, ".d"), *prefix;
    struct dirent **parts;

    prefix = add_text(slash != NULL ? slash + 1 : main_path, ".d/");
    int n = scandir(folder, &parts, is_part, compare_parts);
    if (n < 0 && errno != ENOENT && errno != ENOTDIR)
        loader_report(l, &at, FINDING_ERROR,
            "%.200s: cannot be read: %s; what it says of access and limits is not "
            "known",
            folder, strerror(errno));
    for (int i = 0; i < n; i++) {
        struct wanted wanted = {add_text(prefix, parts[i]->d_name), at};

        vec_push(l->includes, wanted);
        free(parts[i]);
    }
    if (n >= 0)
        free(parts);
    free(prefix);
    free(folder);
}

/* maui.cfg: maui-private.cfg; NULL when the name does not end in .cfg. */
static char *private_path(const char *path)
{
    size_t len = strlen(path);
    char *private;

    if (len < 4 || strcmp(path + len - 4, ".cfg") != 0)
        return NULL;
    private = xmalloc(len + sizeof "-private");
    memcpy(private, path, len - 4);
    memcpy(private + len - 4, "-private.cfg", sizeof "-private.cfg");
    return private;
}

static void read_private(struct loader *l, const char *main_path)
{
    char *path = private_path(main_path);
    struct bytes text = {0};
    struct place at;
    struct err err;
    mode_t mode;

    if (path != NULL && access(path, F_OK) == 0) {
        at = new_file(l, path);
        l->private = true;
        if (read_file(path, &text, &mode, &err) < 0) {
            loader_report(l, &at, FINDING_WARNING, "%s", err.text);
        } else {
            l->config->private_open = (mode & 077) != 0;
            if (l->config->private_open)
                loader_report(l, &at, FINDING_WARNING,
                    "others may read the secrets in this file; chmod 600 it");
            read_text(l, at, text.v, text.n);
            apply_entries(l);
        }
    }
    vec_fini(&text);
    free(path);
}

bool config_is_there(const char *path)
{
    char *folder = add_text(path, ".d");
    bool is_there = access(path, F_OK) == 0 || access(folder, F_OK) == 0;

    free(folder);
    return is_there;
}

struct config *config_load_file_with(
    const char *path, const char *name, const char *more, size_t len, struct err *err)
{
    struct wanted_list wanted = {0};
    struct bytes text = {0};
    struct loader l = {.includes = &wanted};
    mode_t mode;

    if (read_file(path, &text, &mode, err) < 0
        && (access(path, F_OK) == 0 || !config_is_there(path))) {
        vec_fini(&text);
        return NULL;
    }
    l.config = config_create(NULL);
    read_text(&l, new_file(&l, path), text.v, text.n);
    vec_fini(&text);
    read_includes(&l, path);
    want_parts(&l, path);
    read_includes(&l, path);
    l.includes = NULL;
    if (more != NULL)
        read_text(&l, new_file(&l, name), more, len);
    apply_entries(&l);
    l.config->settings->digest = config_digest(l.config);
    read_private(&l, path);
    loader_fini(&l);
    return l.config;
}

struct config *config_load_file(const char *path, struct err *err)
{
    return config_load_file_with(path, NULL, NULL, 0, err);
}
