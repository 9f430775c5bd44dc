/* SPDX-License-Identifier: Apache-2.0
 * Where the commands of a resource manager are. */
#include "config/rmplace.h"

#include "base/home.h"
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "config/config.h"
#include "config/settings.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of PBS what both OpenPBS and TORQUE have. */
static const struct {
    const char *type;
    const char *commands[12];
} needs[] = {
    {"PBS", {"qstat", "pbsnodes", "qrun", "qalter", "qhold", "qrls", "qdel", "qsig",
                "qrerun", "qmgr"}},
    {"SGE", {"qstat", "qhost", "qconf", "qalter", "qmod", "qdel", "qrstat"}},
    {"SLURM", {"scontrol"}},
};
#define NEEDS (sizeof needs / sizeof needs[0])

/* Variables that say where something is that has to be there. */
static const char *const paths[] = {
    "SGE_ROOT", "PBS_CONF_FILE", "PBS_EXEC", "SLURM_CONF"};

static const char *const *commands_of(const char *type)
{
    static const char *const none[] = {NULL};

    for (size_t i = 0; i < NEEDS; i++)
        if (type != NULL && strcasecmp(needs[i].type, type) == 0)
            return needs[i].commands;
    return none;
}

bool rmplace_collide(const char *type, const char *other)
{
    const char *const *mine = commands_of(type), *const *theirs = commands_of(other);

    for (size_t i = 0; mine[i] != NULL; i++)
        for (size_t k = 0; theirs[k] != NULL; k++)
            if (strcmp(mine[i], theirs[k]) == 0)
                return true;
    return false;
}

/* ---- folders ---- */

/* The first of them that has it. Owned, or NULL. */
static char *search_folders(const char *folders, const char *name)
{
    for (const char *at = folders; at != NULL && *at != '\0';) {
        size_t n = strcspn(at, ":");
        struct strbuf path = {0};
        struct stat st;

        strbuf_printf(&path, "%.*s/%s", (int)n, at, name);
        if (n > 0 && access(path.text, X_OK) == 0 && stat(path.text, &st) == 0
            && S_ISREG(st.st_mode))
            return strbuf_take(&path);
        free(path.text);
        at += n + (at[n] == ':');
    }
    return NULL;
}

char *rmplace_command(const char *folders, const char *name)
{
    char *found = search_folders(folders, name);

    return found != NULL ? found : search_folders(getenv("PATH"), name);
}

static int check_folder(const char *path, struct err *err)
{
    struct stat st;

    if (*path != '/')
        return err_set(err, ERR_INVALID,
            "'%.100s': expected absolute paths of folders, with a : between them",
            path);
    if (stat(path, &st) < 0)
        return err_set(err, ERR_NOT_FOUND, "%.150s: %s", path, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return err_set(err, ERR_INVALID, "%.150s is no folder", path);
    return 0;
}

int rmplace_check_folders(const char *type, const char *folders, struct err *err)
{
    const char *const *commands = commands_of(type);
    struct strbuf missing = {0};
    int ret = 0;

    for (const char *at = folders; ret == 0;) {
        size_t n = strcspn(at, ":");
        char *path = xstrndup(at, n);

        ret = check_folder(path, err);
        free(path);
        at += n;
        if (*at == '\0')
            break;
        at++;
    }
    for (size_t i = 0; ret == 0 && commands[i] != NULL; i++) {
        char *found = search_folders(folders, commands[i]);

        if (found == NULL)
            strbuf_printf(&missing, "%s%s", missing.len > 0 ? ", " : "", commands[i]);
        free(found);
    }
    if (missing.len > 0)
        ret = err_set(err, ERR_NOT_FOUND, "%.100s: not there, or not to be run: %s",
            folders, missing.text);
    free(missing.text);
    return ret;
}

/* ---- variables ---- */

static size_t name_length(const char *text)
{
    size_t n = 0;

    while (isalpha((unsigned char)text[n]) || text[n] == '_'
           || (n > 0 && isdigit((unsigned char)text[n])))
        n++;
    return text[n] == '=' ? n : 0;
}

/* How long the variable there is: to a semicolon, or a comma before another. */
static size_t variable_length(const char *text)
{
    size_t n = 0;

    while (text[n] != '\0' && text[n] != ';'
           && (text[n] != ',' || name_length(text + n + 1) == 0))
        n++;
    return n;
}

char *rmplace_variable(const char *variables, const char *name)
{
    size_t len = strlen(name);

    for (const char *at = variables; at != NULL && *at != '\0';) {
        size_t n = variable_length(at);

        if (name_length(at) == len && strncmp(at, name, len) == 0)
            return xstrndup(at + len + 1, n - len - 1);
        at += n + (at[n] != '\0');
    }
    return NULL;
}

static int check_variable(const char *text, size_t n, struct err *err)
{
    size_t name = name_length(text);

    if (name == 0 || name >= n)
        return err_set(err, ERR_INVALID,
            "'%.*s': expected NAME=VALUE, and a ; before the next",
            (int)(n < 100 ? n : 100), text);
    if (name == 4 && strncmp(text, "PATH", 4) == 0)
        return err_set(
            err, ERR_INVALID, "PATH: where the commands are is said by BINDIR=");
    return 0;
}

/* The cell is there only as a folder of SGE_ROOT. */
static int check_cell(const char *variables, struct err *err)
{
    char *root = rmplace_variable(variables, "SGE_ROOT"),
         *cell = rmplace_variable(variables, "SGE_CELL");
    struct strbuf path = {0};
    int ret = 0;

    if (root != NULL && *root == '/') {
        strbuf_printf(&path, "%s/%s/common", root, cell != NULL ? cell : "default");
        if (access(path.text, F_OK) < 0)
            ret = err_set(err, ERR_NOT_FOUND, "%.150s: %s (SGE_ROOT and SGE_CELL)",
                path.text, strerror(errno));
    }
    free(path.text);
    free(root);
    free(cell);
    return ret;
}

int rmplace_check_variables(const char *variables, struct err *err)
{
    for (const char *at = variables; *at != '\0';) {
        size_t n = variable_length(at);

        if (check_variable(at, n, err) < 0)
            return -1;
        at += n + (at[n] != '\0');
    }
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        char *path = rmplace_variable(variables, paths[i]);
        int why = path == NULL         ? 0
                  : *path != '/'       ? EINVAL
                  : access(path, F_OK) ? errno
                                       : 0;

        if (why != 0)
            err_set(err, ERR_NOT_FOUND, "%s=%.150s: %s", paths[i], path,
                why == EINVAL ? "expected an absolute path" : strerror(why));
        free(path);
        if (why != 0)
            return -1;
    }
    return check_cell(variables, err);
}

/* ---- being there ---- */

static void enter_folders(const char *folders)
{
    const char *usual = getenv("PATH");
    struct strbuf path = {0};

    strbuf_printf(&path, "%s:%s", folders,
        usual != NULL && *usual != '\0' ? usual : "/usr/local/bin:/usr/bin:/bin");
    setenv("PATH", path.text, 1);
    free(path.text);
}

static void enter_variables(const char *variables)
{
    struct err err;

    for (const char *at = variables; *at != '\0';) {
        size_t n = variable_length(at);

        if (check_variable(at, n, &err) == 0) {
            char *text = xstrndup(at, n), *value = text + name_length(at);

            *value++ = '\0';
            setenv(text, value, 1);
            free(text);
        }
        at += n + (at[n] != '\0');
    }
}

void rmplace_enter(const char *folders, const char *variables)
{
    if (folders != NULL && *folders != '\0')
        enter_folders(folders);
    if (variables != NULL)
        enter_variables(variables);
}

/* The RMCFG of that type and name; where that is NULL the only one, or none. -1: there
 * is none of that name, or there are several. */
static int choose_manager(const struct config *c, const char *type, const char *name,
    const struct raw_object **ret, struct err *err)
{
    const struct raw_object *at = c->settings->raw.v;
    int result = 0;
    struct strbuf names = {0};
    size_t n = 0;

    for (const struct raw_object *end = at + c->settings->raw.n; at < end; at++) {
        const char *is = config_section_attr(at, "TYPE");

        if (strcmp(at->kind, "RMCFG") != 0 || is == NULL || strcasecmp(is, type) != 0)
            continue;
        strbuf_printf(&names, "%s%s", n++ > 0 ? ", " : "", at->name);
        if (name == NULL || strcmp(at->name, name) == 0)
            *ret = at;
    }
    if (name != NULL && *ret == NULL)
        result = err_set(err, ERR_NOT_FOUND, "'%.60s' is no RMCFG[] TYPE=%s%s%.200s",
            name, type, n > 0 ? "; these are: " : "", n > 0 ? names.text : "");
    else if (name == NULL && n > 1)
        result = err_set(err, ERR_INVALID, "there are several RMCFG[] TYPE=%s: %.200s",
            type, names.text);
    free(names.text);
    return result;
}

int rmplace_enter_manager(const char *home, const char *type, const char *name,
    char **ret_name, struct err *err)
{
    const char *named = getenv("SERVERCONFIGFILE");
    char *path = named == NULL || *named == '\0' ? home_config(home)
                 : *named == '/'                 ? xstrdup(named)
                                                 : home_file(home, named);
    struct err unread;
    struct config *c = config_load_file(path, &unread);
    const struct raw_object *manager = NULL;
    int result = 0;

    if (c != NULL)
        result = choose_manager(c, type, name, &manager, err);
    else if (name != NULL)
        result = err_set(
            err, ERR_NOT_FOUND, "nobody knows what '%.60s' is: %s", name, unread.text);

    rmplace_enter(
        config_section_attr(manager, "BINDIR"), config_section_attr(manager, "ENV"));
    *ret_name = manager != NULL ? xstrdup(manager->name) : NULL;
    config_destroy(c);
    free(path);
    return result;
}
