/* SPDX-License-Identifier: Apache-2.0
 * maui import maui: the home of a classic Maui, or of a Moab. Its language is ours, so
 * lines stay as they are: files become one, secrets are left out, fs.cfg of old
 * releases is put into today's words, and what only its daemon knows is told. */
#include "base/home.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "client/import/import.h"
#include "client/kit/command.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define BLANKS " \t"

/* Where homes usually are, and what the configuration is called in one. */
static const char *const usual[] = {
    "/usr/local/maui", "/var/spool/maui", "/opt/maui", "/opt/moab", "/usr/local/moab"};
static const char *const configs[] = {
    "maui.cfg", "moab.cfg", "etc/maui.cfg", "etc/moab.cfg"};

struct old_home {
    struct import im;
    const char *path;
    struct VEC(char *) files; /* that belong to the configuration, in their order */
};

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
            "be "
            "read\n",
            asked);
    else
        fputs("maui import: no home in the usual places; expected `maui import maui "
              "HOME`, the folder with its maui.cfg\n",
            stderr);
    return -1;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* "#INCLUDE <creds.cfg>": that file comes after this one, beside which it lies. */
static void note_include(struct old_home *h, const char *from, const char *line)
{
    const char *name = line + strspn(line, BLANKS "<\"'");
    size_t n = strcspn(name, BLANKS ">\"'");
    struct strbuf path = {0};

    if (n == 0)
        return;
    if (*name != '/')
        strbuf_add_n(&path, from, (size_t)(file_name(from) - from));
    strbuf_add_n(&path, name, n);
    for (size_t i = 0; i < h->files.n; i++)
        if (strcmp(h->files.v[i], path.text) == 0) {
            free(path.text); /* once is enough */
            return;
        }
    vec_push(&h->files, strbuf_take(&path));
}

static void take_line(struct old_home *h, struct import_place at, const char *line)
{
    const char *word = line + strspn(line, BLANKS);

    if (strncmp(word, "#INCLUDE", 8) == 0 && word[8] != '\0')
        note_include(h, at.file, word + 8);
    else if (strncasecmp(word, "CLIENTCFG[", 10) == 0)
        import_left(&h->im, at,
            "secrets of peers; those that are needed belong into maui-private.cfg, "
            "mode "
            "600");
    else
        strbuf_printf(&h->im.sections, "%s\n", line);
}

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
    while (i < sizeof objects / sizeof objects[0]
           && strncasecmp(word, objects[i].old, strlen(objects[i].old)) != 0)
        i++;
    rest = word + n + strspn(word + n, BLANKS);
    if (i == sizeof objects / sizeof objects[0] || *rest == '\0') {
        import_left(&h->im, at,
            "%.*s: expected USER:, GROUP:, ACCOUNT:, QOS:, CLASS: or SYSTEM with a "
            "name "
            "and ATTRIBUTE=VALUE",
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

typedef void take_fn(struct old_home *h, struct import_place at, const char *line);

/* -1 after a complaint. */
static int take_file(struct old_home *h, const char *path, take_fn *take)
{
    struct strbuf text = {0};
    struct import_place at = {path, 1};
    int rc = import_read_file(path, &text);

    if (rc == 0)
        strbuf_printf(&h->im.sections, "# From %s\n", path);
    for (char *line = text.text, *next; rc == 0 && *line; line = next, at.line++) {
        size_t n = strcspn(line, "\r\n");
        next = line + n + (line[n] == '\r')
               + (line[n] != '\0' && line[n + (line[n] == '\r')] == '\n');
        line[n] = '\0';
        take(h, at, line);
    }
    free(text.text);
    return rc;
}

static void tell_left(struct old_home *h, const char *name, const char *what)
{
    char *path = home_file(h->path, name);

    if (access(path, F_OK) == 0) {
        fprintf(stderr, "%s: not carried over: %s\n", path, what);
        strbuf_printf(&h->im.left, "# %s: %s\n", path, what);
    }
    free(path);
}

static bool has_usage(const char *home)
{
    char *path = home_file(home, "stats");
    DIR *dir = opendir(path);
    bool found = false;

    for (const struct dirent *e; dir != NULL && !found && (e = readdir(dir)) != NULL;)
        found = strncmp(e->d_name, "FS.", 3) == 0;
    if (dir != NULL)
        closedir(dir);
    free(path);
    return found;
}

static void tell_rest(struct old_home *h)
{
    tell_left(h, "maui-private.cfg",
        "secrets; those that are needed belong into the new one, mode 600");
    tell_left(h, "maui.ck",
        "what only the old daemon knows: reservations of administrators, priorities "
        "and "
        "holds that they gave; set them again");
    tell_left(h, "tools",
        "programs of the site; copy those that the configuration names to tools/ of "
        "the "
        "new home");
    if (has_usage(h->path))
        tell_left(h, "stats",
            "fairshare usage; copy FS.* to stats/ of the new home before its first "
            "start");
}

int import_maui(const struct command_line *l)
{
    struct old_home h = {0};
    int rc = find_home(&h, l->nargs > 1 ? l->args[1] : NULL);

    for (size_t i = 0; rc == 0 && i < h.files.n; i++) /* includes are added meanwhile */
        rc = take_file(&h, h.files.v[i], take_line);
    if (rc == 0) {
        char *shares = home_file(h.path, "fs.cfg");
        if (access(shares, R_OK) == 0)
            rc = take_file(&h, shares, take_share);
        free(shares);
        tell_rest(&h);
    }
    if (rc == 0)
        printf("%s%s%s", h.im.sections.text ? h.im.sections.text : "",
            h.im.left.len ? "# Not carried over:\n" : "",
            h.im.left.text ? h.im.left.text : "");
    for (size_t i = 0; i < h.files.n; i++)
        free(h.files.v[i]);
    vec_fini(&h.files);
    free(h.im.sections.text);
    free(h.im.left.text);
    return rc == 0 ? 0 : 1;
}
