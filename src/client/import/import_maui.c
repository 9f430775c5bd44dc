/* SPDX-License-Identifier: Apache-2.0
 * maui import maui: the home of a classic Maui, or of a Moab. Its language is ours, so
 * lines stay as they are: files become one, secrets are left out, fs.cfg of old
 * releases is put into today's words, and what only its daemon knows is told. */
#include "base/home.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "client/import/import.h"
#include "client/import/secrets.h"
#include "client/kit/command.h"
#include "config/grammar.h"
#include "config/table.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define BLANKS " \t"
#define SECRETS                                                                        \
    "secrets of peers; those that are needed belong into maui-private.cfg, mode 600"

/* Where homes usually are, and what the configuration is called in one. */
static const char *const usual[] = {
    "/usr/local/maui", "/var/spool/maui", "/opt/maui", "/opt/moab", "/usr/local/moab"};
static const char *const configs[] = {
    "maui.cfg", "moab.cfg", "etc/maui.cfg", "etc/moab.cfg"};

/* Other files of a home, each with the parameter that names it. */
enum place { SHARES, STATISTICS, CHECKPOINT, PLACES };
static const struct {
    const char *parameter, *usual;
} places[PLACES] = {[SHARES] = {"FSCONFIGFILE", "fs.cfg"},
    [STATISTICS] = {"STATDIR", "stats"},
    [CHECKPOINT] = {"CHECKPOINTFILE", "maui.ck"}};

struct old_home {
    struct import im;
    const char *path;
    char *folder;             /* owned; of its configuration: HOME or HOME/etc */
    struct VEC(char *) files; /* that belong to the configuration, in their order */
    char *place[PLACES];      /* owned; NULL: the usual one */
    struct table_index *table;
};

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* The configuration in that folder. Owned by the caller; NULL: there is none. */
static char *find_config(const char *home)
{
    for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++) {
        char *path = home_file(home, configs[i]);
        if (access(path, R_OK) == 0)
            return path;
        free(path);
    }
    return NULL;
}

static bool add_home(struct old_home *h, const char *path)
{
    char *config = find_config(path);

    if (config == NULL)
        return false;
    h->path = path;
    h->folder = xstrndup(config, (size_t)(file_name(config) - config - 1));
    vec_push(&h->files, config);
    return true;
}

/* -1: nowhere is one, which is said. */
static int find_home(struct old_home *h, const char *asked)
{
    if (asked != NULL && add_home(h, asked))
        return 0;
    for (size_t i = 0; asked == NULL && i < sizeof usual / sizeof usual[0]; i++)
        if (add_home(h, usual[i]))
            return 0;
    if (asked != NULL)
        fprintf(stderr,
            "maui import: %s: expected a folder with a maui.cfg or moab.cfg that can "
            "be read\n",
            asked);
    else
        fputs("maui import: no home in the usual places; expected `maui import maui "
              "HOME`, the folder with its maui.cfg\n",
            stderr);
    return -1;
}

/* ---- the configuration ---- */

/* The file, where its name is relative in that folder. Owned by the caller. */
static char *place_file(const char *folder, const char *name)
{
    return *name == '/' ? xstrdup(name) : home_file(folder, name);
}

/* A file comes after all those before it, and lies beside the first. */
static void want_file(struct old_home *h, struct import_place at, const char *name)
{
    const char *base = file_name(name);
    size_t len = strlen(base);

    if (len >= 12 && strcmp(base + len - 12, "-private.cfg") == 0) {
        import_left(&h->im, at, "#INCLUDE %s: " SECRETS, name);
        return;
    }
    char *path = place_file(h->folder, name);
    for (size_t i = 0; i < h->files.n; i++)
        if (strcmp(h->files.v[i], path) == 0) {
            free(path); /* once is enough */
            return;
        }
    vec_push(&h->files, path);
}

/* Lines of a file as they are, whatever ends them there: one at least. */
static void add_lines(struct strbuf *to, const char *from, const char *end)
{
    do {
        const char *stop = memchr(from, '\n', (size_t)(end - from));
        size_t n = (size_t)((stop != NULL ? stop : end) - from);
        strbuf_add_n(to, from, n > 0 && from[n - 1] == '\r' ? n - 1 : n);
        strbuf_add(to, "\n");
        from = stop != NULL ? stop + 1 : end;
    } while (from < end);
}

/* A comment, or a blank line. `open`: the line before, which was left out, ended in a
 * backslash, so this may be its rest; the same of this one. */
static bool take_comment(struct old_home *h, struct import_place at, const char *from,
    const char *end, bool open)
{
    struct strbuf line = {0};

    add_lines(&line, from, end);
    line.text[--line.len] = '\0';
    bool comment = line.text[strspn(line.text, BLANKS)] == '#';
    bool left = comment && (open || secrets_may_be_in(line.text));
    if (left)
        import_left(&h->im, at, "a comment that may hold a secret");
    else
        strbuf_printf(&h->im.sections, "%s\n", comment ? line.text : "");
    left = left && line.text[line.len - 1] == '\\';
    free(line.text);
    return left;
}

static void note_place(struct old_home *h, const struct grammar_line *line)
{
    for (int i = 0; i < PLACES; i++)
        if (strcasecmp(line->name, places[i].parameter) == 0 && *line->value) {
            free(h->place[i]);
            h->place[i] = xstrdup(line->value);
        }
}

/* The line without what is behind its `#`: that asks for a file, or holds a secret. */
static void drop_comment(struct strbuf *text)
{
    char *mark = strchr(text->text, '#');

    while (mark > text->text && strchr(" \t\n", mark[-1]) != NULL)
        mark--;
    text->len = (size_t)(mark - text->text);
    *mark = '\0';
}

static void trim_end(struct strbuf *text)
{
    while (text->len > 0 && strchr(" \t\n\\", text->text[text->len - 1]) != NULL)
        text->text[--text->len] = '\0';
}

/* A line that says something, `from` its begin in the file. `include`: a file is asked
 * for at its end. */
static void take_setting(struct old_home *h, struct import_place at,
    const struct grammar_line *line, const char *from, const char *end, bool include)
{
    struct strbuf text = {0};
    bool cut = false;

    add_lines(&text, from, end);
    text.text[--text.len] = '\0';
    const char *mark = strchr(text.text, '#');
    bool hides = mark != NULL && secrets_may_be_in(mark);
    if (hides)
        import_left(&h->im, at, "a comment that may hold a secret");
    if (hides || (include && mark != NULL))
        drop_comment(&text);
    char *rest = secrets_cut(h->table, line, &cut);
    if (cut) {
        import_left(&h->im, at, SECRETS);
        text.len = 0;
        strbuf_add(&text, rest != NULL ? rest : "");
    }
    if (cut || hides || include) /* there is no next line that it joins any more */
        trim_end(&text);
    if (text.len > 0)
        strbuf_printf(&h->im.sections, "%s\n", text.text);
    if (line->kind == GRAMMAR_SETTING)
        note_place(h, line);
    free(rest);
    free(text.text);
}

/* What the grammar read at once: comments and blank lines, then what they lead to;
 * `line` NULL: the end of the file. */
static void take_block(struct old_home *h, struct import_place at, const char *from,
    const char *end, const struct grammar_line *line, bool include)
{
    bool says = line != NULL && line->kind != GRAMMAR_INCLUDE, open = false;

    while (from < end && (!says || at.line < line->line)) {
        const char *stop = memchr(from, '\n', (size_t)(end - from));
        const char *next = stop != NULL ? stop + 1 : end;
        if (says || line == NULL || next < end) /* else it is the #INCLUDE */
            open = take_comment(h, at, from, next, open);
        from = next;
        at.line++;
    }
    if (says && open && line->name != NULL && table_find(h->table, line->name) == NULL)
        import_left(&h->im, at, "the rest of a comment that may hold a secret");
    else if (says)
        take_setting(h, at, line, from, end, include);
    else if (line != NULL)
        want_file(h, (struct import_place){at.file, line->line}, line->value);
}

/* -1 after a complaint. */
static int read_file(struct old_home *h, const char *path, struct strbuf *text)
{
    if (import_read_file(path, text) < 0)
        return -1;
    if (strlen(text->text) < text->len) {
        fprintf(stderr, "maui import: %s: a NUL byte: this is not a text file\n", path);
        return -1;
    }
    strbuf_printf(&h->im.sections, "# From %s\n", path);
    return 0;
}

static int take_config(struct old_home *h, const char *path)
{
    struct strbuf text = {0};
    struct grammar_line line;
    struct grammar g;
    bool more = read_file(h, path, &text) == 0, read = more;

    grammar_init(&g, text.text, more ? text.len : 0);
    while (more) {
        struct import_place at = {path, g.line + 1};
        const char *from = g.text;
        more = grammar_next(&g, &line);
        take_block(h, at, from, g.text, more ? &line : NULL, g.include != NULL);
        grammar_line_fini(&line);
    }
    free(text.text);
    return read ? 0 : -1;
}

/* ---- fs.cfg ---- */

/* What a word of fs.cfg is today: "USER:ann" becomes "USERCFG[ann]". */
static const struct {
    const char *old, *now;
} objects[] = {{"USER:", "USERCFG"}, {"GROUP:", "GROUPCFG"}, {"ACCOUNT:", "ACCOUNTCFG"},
    {"QOS:", "QOSCFG"}, {"CLASS:", "CLASSCFG"}, {"SYSTEM", "SYSCFG"}};

static void take_share(struct old_home *h, struct import_place at, const char *line)
{
    const char *word = line + strspn(line, BLANKS), *rest;
    size_t n = strcspn(word, BLANKS), i = 0, len;

    if (n == 0 || *word == '#')
        return;
    if (secrets_may_be_in(line)) {
        import_left(&h->im, at, "a line that may hold a secret");
        return;
    }
    while (i < sizeof objects / sizeof objects[0]
           && strncasecmp(word, objects[i].old, strlen(objects[i].old)) != 0)
        i++;
    rest = word + n + strspn(word + n, BLANKS);
    if (i == sizeof objects / sizeof objects[0] || *rest == '\0') {
        import_left(&h->im, at,
            "%.*s: expected USER:, GROUP:, ACCOUNT:, QOS:, CLASS: or SYSTEM with a "
            "name and ATTRIBUTE=VALUE",
            (int)n, word);
        return;
    }
    len = strlen(objects[i].old);
    strbuf_add(&h->im.sections, objects[i].now);
    if (n > len)
        strbuf_printf(&h->im.sections, "[%.*s]", (int)(n - len), word + len);
    strbuf_printf(&h->im.sections, " %s%s\n",
        strncasecmp(rest, "FSFLAGS=", 8) == 0 ? "JOBFLAGS=" : "",
        strncasecmp(rest, "FSFLAGS=", 8) == 0 ? rest + 8 : rest);
}

static int take_shares(struct old_home *h, const char *path)
{
    struct strbuf text = {0};
    struct import_place at = {path, 1};
    int rc = read_file(h, path, &text);

    for (char *line = text.text, *next; rc == 0 && *line; line = next, at.line++) {
        size_t n = strcspn(line, "\r\n");
        next = line + n + (line[n] == '\r')
               + (line[n] != '\0' && line[n + (line[n] == '\r')] == '\n');
        line[n] = '\0';
        take_share(h, at, line);
    }
    free(text.text);
    return rc;
}

/* ---- the rest ---- */

/* A file of that name in the home, or else beside its configuration. Owned by the
 * caller; NULL: there is none. */
static char *find_file(const struct old_home *h, const char *name)
{
    char *path = place_file(h->path, name);

    if (access(path, F_OK) == 0)
        return path;
    free(path);
    path = place_file(h->folder, name);
    if (access(path, F_OK) == 0)
        return path;
    free(path);
    return NULL;
}

static char *find_place(const struct old_home *h, enum place place)
{
    return find_file(
        h, h->place[place] != NULL ? h->place[place] : places[place].usual);
}

/* Takes the path; NULL: it is not there. */
static void tell_left(struct old_home *h, char *path, const char *what)
{
    if (path != NULL) {
        fprintf(stderr, "%s: not carried over: %s\n", path, what);
        strbuf_printf(&h->im.left, "# %s: %s\n", path, what);
    }
    free(path);
}

static bool has_usage(const char *path)
{
    DIR *dir = path != NULL ? opendir(path) : NULL;
    bool found = false;

    for (const struct dirent *e; dir != NULL && !found && (e = readdir(dir)) != NULL;)
        found = strncmp(e->d_name, "FS.", 3) == 0;
    if (dir != NULL)
        closedir(dir);
    return found;
}

static void tell_rest(struct old_home *h)
{
    static const char *const secrets[] = {
        "maui-private.cfg", "moab-private.cfg", ".maui.key", ".moab.key"};
    static const char *const checkpoints[] = {"moab.ck", ".moab.ck"};
    static const char known[] =
        "what only the old daemon knows: reservations of administrators, priorities "
        "and holds that they gave; set them again";

    for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; i++)
        tell_left(h, find_file(h, secrets[i]),
            "secrets; those that are needed belong into the new maui-private.cfg, mode "
            "600");
    tell_left(h, find_place(h, CHECKPOINT), known);
    for (size_t i = 0; i < sizeof checkpoints / sizeof checkpoints[0]; i++)
        if (h->place[CHECKPOINT] == NULL
            || strcmp(h->place[CHECKPOINT], checkpoints[i]) != 0)
            tell_left(h, find_file(h, checkpoints[i]), known);
    tell_left(h, find_file(h, "tools"),
        "programs of the site; copy those that the configuration names to tools/ of "
        "the new home");
    char *stats = find_place(h, STATISTICS);
    if (has_usage(stats))
        tell_left(h, stats,
            "fairshare usage; copy FS.* to stats/ of the new home before its first "
            "start, as files that its daemon can read");
    else
        free(stats);
}

int import_maui(const struct command_line *l)
{
    struct old_home h = {.table = table_index_create()};
    int rc = find_home(&h, l->nargs > 1 ? l->args[1] : NULL);

    for (size_t i = 0; rc == 0 && i < h.files.n; i++) /* includes are added meanwhile */
        rc = take_config(&h, h.files.v[i]);
    if (rc == 0) {
        char *shares = find_place(&h, SHARES);
        if (shares != NULL)
            rc = take_shares(&h, shares);
        free(shares);
        tell_rest(&h);
    }
    if (rc == 0)
        printf("%s%s%s", h.im.sections.text ? h.im.sections.text : "",
            h.im.left.len ? "# Not carried over:\n" : "",
            h.im.left.text ? h.im.left.text : "");
    for (size_t i = 0; i < h.files.n; i++)
        free(h.files.v[i]);
    for (int i = 0; i < PLACES; i++)
        free(h.place[i]);
    vec_fini(&h.files);
    free(h.folder);
    free(h.im.sections.text);
    free(h.im.left.text);
    table_index_destroy(h.table);
    return rc == 0 ? 0 : 1;
}
