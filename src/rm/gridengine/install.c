/* SPDX-License-Identifier: Apache-2.0
 * `maui gridengine install`, its way back, and `check`: the gate, and three settings of
 * the global configuration. */
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "rm/gridengine/answers.h"
#include "rm/gridengine/ge_gate_script.h"
#include "rm/gridengine/site.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

#define SAVED "gridengine.saved" /* of the home: the settings as they were */

static char *path_of(const char *home, const char *name)
{
    struct strbuf path = {0};

    strbuf_printf(&path, "%s/%s", home, name);
    return strbuf_take(&path);
}

/* The global configuration; owned, NULL with a complaint. */
static char *ask_conf(void)
{
    int status;
    char *text = site_ask((const char *const[]){"qconf", "-sconf", NULL}, &status);

    if (status == 0)
        return text;
    fprintf(stderr, "maui gridengine: qconf -sconf: %s", text);
    free(text);
    return NULL;
}

static const char *value_of(struct arena *arena, const char *conf, const char *name)
{
    const char *value = ge_setting(arena, conf, name);

    return value != NULL ? value : "";
}

/* Takes over the cell's configuration. 0; -1 with a complaint. */
static int send_conf(const char *conf)
{
    char folder[] = "/tmp/maui-gridengine-XXXXXX";
    struct err err = {0};
    int status = 1;
    char *path, *said = NULL;

    if (mkdtemp(folder) == NULL) {
        fprintf(stderr, "maui gridengine: %s: %s\n", folder, strerror(errno));
        return -1;
    }
    path = path_of(folder, "global"); /* qconf takes its name for the host's */
    if (site_write(path, conf, 0600, &err) == 0)
        said = site_ask((const char *const[]){"qconf", "-Mconf", path, NULL}, &status);
    if (status != 0)
        fprintf(stderr, "maui gridengine: qconf -Mconf: %s\n",
            said != NULL ? said : err.text);
    free(said);
    unlink(path);
    rmdir(folder);
    free(path);
    return status == 0 ? 0 : -1;
}

/* ---- there ---- */

/* The configuration as it has to be, each change told; owned. NULL with a complaint. */
static char *change_conf(const char *conf, struct strbuf *saved, size_t *ret_changes)
{
    struct arena arena = {0};
    char *text = xstrdup(conf);
    size_t n;
    const struct site_setting *s = site_settings(&n);

    for (size_t i = 0; i < n && text != NULL; i++) {
        const char *now = value_of(&arena, conf, s[i].name);
        struct err err = {0};
        char *wanted = site_wanted(s[i].name, now, &err), *next;

        /* a gate of ours was put there by an installation of which nothing is kept */
        strbuf_printf(saved, "%s %s\n", s[i].name, site_is_gate(now) ? "none" : now);
        if (wanted == NULL) {
            fprintf(stderr, "maui gridengine install: %s\nNothing was changed.\n",
                err.text);
            free(text);
            text = NULL;
        } else if (strcmp(wanted, now) != 0) {
            printf("%s: %s\n    was %s\n    becomes %s\n", s[i].name, s[i].why, now,
                wanted);
            next = ge_with_setting(text, s[i].name, wanted);
            free(text);
            text = next;
            ++*ret_changes;
        }
        free(wanted);
    }
    arena_free(&arena);
    return text;
}

/* ---- what the scheduler thinks goes nowhere (hurry.c) ---- */

#define BEFORE ".before" /* a runlog that was there */

static int silence_runlog(struct err *err)
{
    char *path = site_common_path(SITE_RUNLOG);
    struct strbuf before = {0};
    int status = 0;

    strbuf_printf(&before, "%s" BEFORE, path);
    if (!site_is_nothing(path)
        && ((rename(path, before.text) < 0 && errno != ENOENT)
            || symlink("/dev/null", path) < 0))
        status = err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    free(before.text);
    free(path);
    return status;
}

static void restore_runlog(void)
{
    char *path = site_common_path(SITE_RUNLOG);
    struct strbuf before = {0};

    strbuf_printf(&before, "%s" BEFORE, path);
    if (site_is_nothing(path) && unlink(path) == 0)
        rename(before.text, path);
    free(before.text);
    free(path);
}

/* A change that is due; how many. */
static size_t tell_runlog(void)
{
    char *path = site_common_path(SITE_RUNLOG);
    bool due = !site_is_nothing(path);

    if (due)
        printf("%s: what Grid Engine's scheduler thinks goes nowhere, so that it can "
               "be asked to run at once\n",
            path);
    free(path);
    return due;
}

/* The script first, then the word that names it. */
static int put_in_place(
    const char *home, const char *gate, const char *conf, const char *saved)
{
    char *kept = path_of(home, SAVED), *before = site_read(kept);
    struct err err = {0};
    int status = 0;

    if (before == NULL)
        status = site_write(kept, saved, 0644, &err);
    if (status == 0)
        status = site_write(gate, ge_gate_script_text(), 0755, &err);
    if (status == 0)
        status = silence_runlog(&err);
    if (status < 0)
        fprintf(stderr, "maui gridengine install: %s\n", err.text);
    else
        status = send_conf(conf);
    if (status == 0)
        printf("what was there is kept in %s; back: maui gridengine install --undo\n",
            kept);
    free(before);
    free(kept);
    return status;
}

int site_install(const char *home, bool dry)
{
    char *conf = ask_conf(), *gate = site_common_path(SITE_GATE),
         *there = site_read(gate), *changed;
    struct strbuf saved = {0};
    size_t changes = 0;
    int status = 1;

    changed = conf != NULL ? change_conf(conf, &saved, &changes) : NULL;
    if (changed != NULL
        && (there == NULL || strcmp(there, ge_gate_script_text()) != 0)) {
        printf("%s: the verifier is written\n", gate);
        changes++;
    }
    if (changed != NULL)
        changes += tell_runlog();
    if (changed != NULL && changes == 0)
        printf("nothing to change\n");
    if (changed != NULL && dry && changes > 0)
        printf("Nothing was changed (--dry-run).\n");
    if (changed != NULL)
        status =
            dry || changes == 0 || put_in_place(home, gate, changed, saved.text) == 0
                ? 0
                : 1;
    free(saved.text);
    free(changed);
    free(there);
    free(gate);
    free(conf);
    return status;
}

/* ---- and back ---- */

/* What somebody has edited since is left as it is, and told. */
static char *restore_conf(const char *conf, const char *saved)
{
    struct arena arena = {0};
    char *text = xstrdup(conf);
    size_t n;
    const struct site_setting *s = site_settings(&n);

    for (size_t i = 0; i < n; i++) {
        const char *now = value_of(&arena, conf, s[i].name);
        const char *was = ge_setting(&arena, saved, s[i].name);
        char *ours = was != NULL ? site_wanted(s[i].name, was, NULL) : NULL, *next;

        if (was == NULL || strcmp(now, was) == 0) {
            free(ours);
            continue;
        }
        if (ours == NULL || strcmp(ours, now) != 0) {
            printf("%s: edited since, left as it is: %s\n", s[i].name, now);
        } else {
            printf("%s: %s\n    again %s\n", s[i].name, now, was);
            next = ge_with_setting(text, s[i].name, was);
            free(text);
            text = next;
        }
        free(ours);
    }
    arena_free(&arena);
    return text;
}

int site_undo(const char *home, bool dry)
{
    char *kept = path_of(home, SAVED), *saved = site_read(kept), *conf = NULL,
         *text = NULL;
    char *gate = site_common_path(SITE_GATE);
    int status = 1;

    if (saved == NULL && site_is_gated()) {
        printf("no %s: all but jsv_url stays as it is\n", kept);
        saved = xstrdup("jsv_url none\n");
    }
    if (saved == NULL)
        fprintf(stderr,
            "maui gridengine install --undo: no %s: nothing was installed from here "
            "(--home names the folder)\n",
            kept);
    else if ((conf = ask_conf()) != NULL)
        text = restore_conf(conf, saved);
    if (text != NULL && dry) {
        printf("Nothing was changed (--dry-run).\n");
        status = 0;
    } else if (text != NULL && (strcmp(text, conf) == 0 || send_conf(text) == 0)) {
        if (strstr(text, gate) == NULL) {
            unlink(gate);
            restore_runlog();
            printf("%s is gone; jobs that wait: maui gridengine letgo\n", gate);
        } else {
            fprintf(stderr, "jsv_url still names %s: it stays\n", gate);
        }
        unlink(kept);
        status = 0;
    }
    free(text);
    free(conf);
    free(gate);
    free(saved);
    free(kept);
    return status;
}

bool site_is_gated(void)
{
    struct arena arena = {0};
    char *conf = ask_conf();
    bool gated = conf != NULL && site_is_gate(value_of(&arena, conf, "jsv_url"));

    arena_free(&arena);
    free(conf);
    return gated;
}

/* ---- is it all there? ---- */

static bool is_manager(const char *user)
{
    int status;
    char *text = site_ask((const char *const[]){"qconf", "-sm", NULL}, &status);
    bool found = false;

    for (const char *p = text; *p && !found; p += strcspn(p, "\n"), p += *p == '\n')
        found = strcspn(p, "\n") == strlen(user) && strncmp(p, user, strlen(user)) == 0;
    free(text);
    return status == 0 && found;
}

static bool has_param(const char *params, const char *word)
{
    size_t n = strlen(word);

    for (const char *p = params; *p; p += strcspn(p, " ,"), p += strspn(p, " ,"))
        if (strcspn(p, " ,") == n && strncmp(p, word, n) == 0)
            return true;
    return false;
}

static int print_complaint(const char *word, const char *text)
{
    printf("%s: %s\n", word, text);
    return strcmp(word, "error") == 0;
}

static int check_settings(const char *conf)
{
    struct arena arena = {0};
    size_t n;
    const struct site_setting *s = site_settings(&n);
    const char *params = value_of(&arena, conf, "reporting_params");
    int errors = 0;

    for (size_t i = 0; i < n; i++) {
        const char *now = value_of(&arena, conf, s[i].name);
        struct err err = {0};
        char *wanted = site_wanted(s[i].name, now, &err);

        if (wanted == NULL)
            errors += print_complaint("warning", err.text);
        else if (strcmp(wanted, now) != 0)
            errors += print_complaint(i < 2 ? "error" : "warning",
                arena_printf(&arena,
                    "%s is %.100s: `maui gridengine install` changes that, so that %s",
                    s[i].name, now, s[i].why));
        free(wanted);
    }
    if (has_param(params, "accounting=false"))
        errors +=
            print_complaint("error", "reporting_params has accounting=false: how jobs "
                                     "end would not be known");
    arena_free(&arena);
    return errors;
}

int site_check(void)
{
    const struct passwd *pw = getpwuid(geteuid());
    const char *user = pw != NULL ? pw->pw_name : "nobody";
    char *conf = ask_conf(), *gate, *there, *runlog;
    struct arena arena = {0};
    int errors = 0;

    if (conf == NULL)
        return 1;
    gate = site_common_path(SITE_GATE);
    there = site_read(gate);
    if (!is_manager(user))
        errors += print_complaint("error",
            arena_printf(&arena, "%s is no manager: qconf -am %s", user, user));
    errors += check_settings(conf);
    if (there == NULL || strcmp(there, ge_gate_script_text()) != 0)
        errors += print_complaint("error",
            arena_printf(&arena,
                "%s is not this release's: `maui gridengine install` writes it", gate));
    runlog = site_common_path(SITE_RUNLOG);
    if (!site_is_nothing(runlog))
        print_complaint("warning",
            arena_printf(&arena,
                "%s is no link to /dev/null: starts wait for the next run of Grid "
                "Engine's scheduler; `maui gridengine install` changes that",
                runlog));
    free(runlog);
    if (errors == 0)
        printf("Grid Engine is ready\n");
    arena_free(&arena);
    free(there);
    free(gate);
    free(conf);
    return errors > 0;
}
