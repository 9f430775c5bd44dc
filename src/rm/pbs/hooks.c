/* SPDX-License-Identifier: Apache-2.0
 * qmgr, and hooks. */
#include "rm/pbs/hooks.h"

#include "base/xalloc.h"
#include "rm/adapter/ask.h"
#include "rm/pbs/hook_script.h"
#include "rm/pbs/wake_script.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *qmgr_ask(const char *line)
{
    struct strbuf b = {0};
    const char *const argv[] = {"qmgr", "-c", line, NULL};

    strbuf_add(&b, "");
    if (ask_program(argv, &b) == 0)
        return strbuf_take(&b);
    fprintf(stderr, "maui pbs: qmgr -c '%s': %.*s\n", line, (int)strcspn(b.text, "\n"),
        *b.text ? b.text : "it failed and says nothing");
    free(b.text);
    return NULL;
}

int qmgr_change(const struct pbs_site *s, const char *line, const char *why)
{
    char *answer;

    printf("qmgr -c '%s'\n    %s\n", line, why);
    fflush(stdout);
    if (s->dry)
        return 0;
    answer = qmgr_ask(line);
    free(answer);
    return answer != NULL ? 0 : -1;
}

/* "    NAME = value" of `list server`: the value, owned; NULL = it is not there. */
static char *find_value(const char *text, const char *name)
{
    size_t n = strlen(name);

    for (const char *at = text; at != NULL && *at != '\0';) {
        at += strspn(at, " \t\n");
        if (strncmp(at, name, n) == 0 && strncmp(at + n, " = ", 3) == 0)
            return xstrndup(at + n + 3, strcspn(at + n + 3, "\n"));
        at = strchr(at, '\n');
    }
    return NULL;
}

bool qmgr_is_true(const char *text, const char *name)
{
    char *value = find_value(text, name);
    bool yes = value != NULL && strcasecmp(value, "True") == 0;

    free(value);
    return yes;
}

/* ---- the hooks ---- */

/* What stands of a hook; its text has its name in it as well. */
struct row {
    const char *name, *events, *why, *does;
    const char *(*text)(void);
};

static const struct row *row_of(enum pbs_hook h)
{
    static const struct row rows[HOOKS] = {
        [HOOK_GATE] = {"maui", "runjob", "a hook that is asked before each start",
            "PBS's own scheduler starts nothing while this one is alive",
            hook_script_text},
        [HOOK_WAKE] = {"maui_wake",
            "\"postqueuejob,modifyjob,movejob,jobobit,modifyvnode,management\"",
            "a hook that tells this scheduler when something has happened",
            "it need not look as often", wake_script_text}};

    return &rows[h];
}

static const char *value_of(const struct pbs_site *s, const char *mark)
{
    return strncmp(mark, "@HEARTBEAT@", 11) == 0 ? s->heartbeat
           : strncmp(mark, "@WAKE@", 6) == 0     ? s->wake
                                                 : s->open_after;
}

char *hook_make(const struct pbs_site *s, enum pbs_hook h)
{
    struct strbuf b = {0};
    const char *text = row_of(h)->text(), *mark, *end;

    while (
        (mark = strchr(text, '@')) != NULL && (end = strchr(mark + 1, '@')) != NULL) {
        strbuf_add_n(&b, text, (size_t)(mark - text));
        strbuf_add(&b, value_of(s, mark));
        text = end + 1;
    }
    strbuf_add(&b, text);
    return strbuf_take(&b);
}

/* In a file for qmgr to read; its path, owned. NULL: told. */
static char *write_hook(const struct pbs_site *s, enum pbs_hook h)
{
    char *path = xstrdup("/tmp/maui-hook-XXXXXX"), *text = hook_make(s, h);
    int fd = mkstemp(path);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    bool written = f != NULL && fputs(text, f) >= 0;

    if (f != NULL && fclose(f) != 0)
        written = false;
    free(text);
    if (written)
        return path;
    fprintf(stderr, "maui pbs: %s: %s\n", path, strerror(errno));
    unlink(path);
    free(path);
    return NULL;
}

int hook_is_there(enum pbs_hook h)
{
    char *text = qmgr_ask("list hook");
    struct strbuf line = {0};
    int found;

    if (text == NULL)
        return -1;
    strbuf_printf(&line, "Hook %s\n", row_of(h)->name);
    found = strstr(text, line.text) != NULL;
    free(line.text);
    free(text);
    return found;
}

/* "WORDS NAME MORE", told and done. */
static int change_hook(const struct pbs_site *s, enum pbs_hook h, const char *words,
    const char *more, const char *why)
{
    struct strbuf line = {0};
    int result;

    strbuf_printf(&line, "%s %s%s", words, row_of(h)->name, more);
    result = qmgr_change(s, line.text, why);
    free(line.text);
    return result;
}

int hook_put(const struct pbs_site *s, enum pbs_hook h)
{
    const struct row *row = row_of(h);
    int there = hook_is_there(h), result = -1;
    char *path = there < 0 ? NULL : write_hook(s, h);
    struct strbuf events = {0}, file = {0};

    if (path == NULL)
        return -1;
    strbuf_printf(&events, " event=%s,enabled=False", row->events);
    strbuf_printf(&file, " application/x-python default %s", path);
    if ((there || change_hook(s, h, "create hook", events.text, row->why) == 0)
        && change_hook(s, h, "import hook", file.text,
               h == HOOK_GATE ? "`maui pbs hook` prints it"
                              : "`maui pbs wake` prints it")
               == 0
        && change_hook(s, h, "set hook", " enabled=True", row->does) == 0)
        result = 0;
    unlink(path);
    free(path);
    free(events.text);
    free(file.text);
    return result;
}

int hook_disable(const struct pbs_site *s, enum pbs_hook h)
{
    return change_hook(s, h, "set hook", " enabled=False", "it stands aside");
}

int hook_delete(const struct pbs_site *s, enum pbs_hook h)
{
    return change_hook(s, h, "delete hook", "", "the hook goes");
}

struct hook_state hook_look(const struct pbs_site *s, enum pbs_hook h)
{
    struct hook_state state = {true, true};
    struct strbuf list = {0}, export = {0};
    char *text, *wanted = hook_make(s, h);

    strbuf_printf(&list, "list hook %s", row_of(h)->name);
    strbuf_printf(
        &export, "export hook %s application/x-python default", row_of(h)->name);
    text = qmgr_ask(list.text);
    state.enabled = text == NULL || qmgr_is_true(text, "enabled");
    free(text);
    text = qmgr_ask(export.text);
    state.current = text == NULL || strcmp(text, wanted) == 0;
    free(text);
    free(wanted);
    free(list.text);
    free(export.text);
    return state;
}
