/* SPDX-License-Identifier: Apache-2.0
 * The installation in Slurm: first all that is to be written is worked out and told,
 * then it is written, all or nothing. What is right already is not touched. */
#include "rm/slurm/install.h"

#include "base/home.h"
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "rm/slurm/conf.h"
#include "rm/slurm/saved.h"
#include "rm/slurm/settings.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define GATE    "job_submit.lua"
#define JOBCOMP "jobcomp.lua"

struct install {
    const struct install_options *o;
    struct site site;
    char *dir, *max_age; /* owned */
    struct conf *conf;
    struct planned_files plan;
    bool restart;
    size_t changes; /* of slurm.conf */
};

static char *join_path(const char *dir, const char *name)
{
    struct strbuf b = {0};

    strbuf_printf(&b, "%s/%s", dir, name);
    return strbuf_take(&b);
}

char *install_conf_dir(const char *asked)
{
    static const char *const usual[] = {
        "/etc/slurm", "/etc/slurm-llnl", "/usr/local/etc", "/usr/local/slurm/etc"};
    const char *named = getenv("SLURM_CONF");

    if (asked != NULL)
        return xstrdup(asked);
    if (named != NULL && *named == '/')
        return xstrndup(named,
            strrchr(named, '/') == named ? 1 : (size_t)(strrchr(named, '/') - named));
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        char *path = join_path(usual[i], "slurm.conf");
        bool there = access(path, F_OK) == 0;

        free(path);
        if (there)
            return xstrdup(usual[i]);
    }
    return xstrdup(usual[0]);
}

/* The text of a file that may be missing: then NULL, and *ret is 0. */
static char *read_if_there(const char *path, struct stat *st, int *ret, struct err *err)
{
    struct err why = {0};
    char *text = saved_read(path, st, &why);

    *ret = 0;
    if (text == NULL && why.code != ERR_NOT_FOUND) {
        *err = why;
        *ret = -1;
    }
    return text;
}

/* A file as it is to be; takes both texts. What is the same is not planned. A new one
 * gets the owner of slurm.conf. */
static void plan_file(
    struct install *in, const char *path, char *now, char *new, const struct stat *st)
{
    char real[PATH_MAX];
    struct planned_file f = {.now = now, .new = new, .st = *st};

    if (now != NULL && strcmp(now, new) == 0) {
        free(now);
        free(new);
        return;
    }
    f.path = xstrdup(now != NULL && realpath(path, real) != NULL ? real : path);
    vec_push(&in->plan, f);
}

/* ---- slurm.conf ---- */

static const char *get_setting(void *ctx, const char *key)
{
    return conf_value(ctx, key);
}

static void print_where(const struct install *in, const struct conf_setting *s)
{
    if (s != NULL)
        printf("%s:%u: ", in->conf->files.v[s->file].path, s->line);
    else
        printf("%s: ", in->conf->files.v[0].path);
}

/* A new line in slurm.conf, or another value where it stands. */
static void take_advice(struct install *in, const struct setting_advice *a)
{
    const struct conf_setting *s = conf_find(in->conf, a->key);

    print_where(in, s);
    if (a->instead == NULL) {
        printf("%s=%s\n    change it by hand: %s\n", a->key, s->value, a->why);
        return;
    }
    printf("%s=%s%s\n", a->key, a->instead, s == NULL ? " (new)" : "");
    if (s != NULL)
        printf("    was %s\n", s->value);
    printf("    %s\n", a->why);
    if (s == NULL && in->conf->added.len == 0)
        conf_comment(in->conf, "The Maui scheduler decides: see `maui slurm check`.");
    conf_set(in->conf, a->key, a->instead);
    in->restart |= settings_need_restart(a->key);
    in->changes++;
}

static const char *find_note(const struct setting_advices *advices, const char *key)
{
    for (size_t i = 0; i < advices->n; i++)
        if (advices->v[i].weight == SETTING_NOTE
            && strcasecmp(advices->v[i].key, key) == 0)
            return advices->v[i].why;
    return NULL;
}

/* Settings that were right, and what a later line overrides. */
static void print_kept(const struct install *in, const struct setting_advices *advices)
{
    for (size_t i = 0; i < in->conf->settings.n; i++) {
        const struct conf_setting *s = &in->conf->settings.v[i],
                                  *last = conf_find(in->conf, s->key);
        const char *note = find_note(advices, s->key);

        if (!settings_has_rule(s->key) || s->instead != NULL)
            continue;
        print_where(in, s);
        if (s != last)
            printf("%s=%s does not count\n    line %u of %s sets it again\n", s->key,
                s->value, last->line, in->conf->files.v[last->file].path);
        else
            printf("%s=%s stays%s%s\n", s->key, s->value, note ? "\n    " : "",
                note ? note : "");
    }
}

static int plan_conf(struct install *in, struct err *err)
{
    struct setting_advices advices = {0};
    int result = 0;

    settings_judge(get_setting, in->conf, &advices);
    for (size_t i = 0; i < advices.n; i++)
        if (advices.v[i].weight != SETTING_NOTE)
            take_advice(in, &advices.v[i]);
    print_kept(in, &advices);
    settings_free(&advices);
    for (size_t i = 0; i < in->conf->files.n && result == 0; i++) {
        struct stat st;
        char *now = saved_read(in->conf->files.v[i].path, &st, err);

        result = now != NULL ? 0 : -1;
        if (now != NULL)
            plan_file(in, in->conf->files.v[i].path, now, conf_text(in->conf, i), &st);
    }
    return result;
}

/* ---- scripts ---- */

typedef char *script_maker(const struct site *s, const char *own);

/* Where a site's own script goes. */
static char *own_path(const struct install *in, const char *name)
{
    struct strbuf b = {0};

    strbuf_printf(&b, "%s/%.*s.site.lua", in->dir, (int)strcspn(name, "."), name);
    return strbuf_take(&b);
}

/* Their script moves to its own file; takes `text`. */
static int plan_move(struct install *in, const char *name, const char *own, char *text,
    const struct stat *st, struct err *err)
{
    struct stat there;
    int result;
    char *now = read_if_there(own, &there, &result, err);

    if (result == 0 && now != NULL && strcmp(now, text) != 0)
        result = err_set(err, ERR_CONFLICT,
            "%s and %s/%s are both yours and differ: put what is to be called into the "
            "first and remove the second",
            own, in->dir, name);
    if (result < 0) {
        free(now);
        free(text);
        return -1;
    }
    printf("%s: your %s; its functions are called before those of ours\n", own, name);
    plan_file(in, own, now, text, st);
    return 0;
}

static int refuse_merged(const struct install *in, const char *name, struct err *err)
{
    return err_set(err, ERR_CONFLICT,
        "%s/%s holds our script and something else: leave in it what is yours alone "
        "and "
        "try again; it is moved to a file of its own and called from ours",
        in->dir, name);
}

/* `used`: Slurm runs the script that is there now. */
static int plan_script(struct install *in, const char *name, script_maker *make,
    bool used, const struct stat *usual, struct err *err)
{
    char *path = join_path(in->dir, name), *own = own_path(in, name), *now;
    struct stat st = *usual;
    int result;
    bool chained;

    now = read_if_there(path, &st, &result, err);
    enum site_script kind = now != NULL ? site_judge_script(now) : SCRIPT_OURS;
    if (result == 0 && kind == SCRIPT_MERGED)
        result = refuse_merged(in, name, err);
    if (result == 0 && kind == SCRIPT_THEIRS && used)
        result = plan_move(in, name, own, xstrdup(now), &st, err);
    if (result == 0 && kind == SCRIPT_THEIRS && !used)
        printf(
            "%s: yours was there and not in use: it is saved, and not called\n", path);
    chained = kind == SCRIPT_THEIRS ? used : access(own, F_OK) == 0;
    if (result == 0) {
        char *new = make(&in->site, chained ? own : NULL);

        if (now == NULL || strcmp(now, new) != 0)
            printf("%s: %s%s\n", path,
                now != NULL && kind == SCRIPT_OURS ? "anew" : "new",
                chained ? ", with calls of yours" : "");
        plan_file(in, path, now, new, &st);
        now = NULL;
    }
    free(now);
    free(path);
    free(own);
    return result;
}

static int plan_scripts(
    struct install *in, const char *submit, const char *completion, struct err *err)
{
    struct stat usual;
    char *gate = join_path(in->dir, GATE), *old;
    struct err none;

    if (stat(in->conf->files.v[0].path, &usual) < 0)
        return err_set(err, ERR_IO, "%s: %s", in->dir, strerror(errno));
    usual.st_mode = 0644;
    old = saved_read(gate, &(struct stat){0}, &none);
    if (!in->o->age_given && (in->max_age = site_max_age(old)) != NULL)
        in->site.max_age = in->max_age;
    free(old);
    free(gate);
    if (plan_script(in, GATE, site_gate, settings_list_has(submit, "lua"), &usual, err)
        < 0)
        return -1;
    const char *then = conf_value(in->conf, "JobCompType");
    if (then == NULL || strcasecmp(then, "jobcomp/lua") != 0)
        return 0;
    return plan_script(in, JOBCOMP, site_jobcomp,
        completion != NULL && strcasecmp(completion, "jobcomp/lua") == 0, &usual, err);
}

/* ---- who the scheduler is ---- */

static int check_user(const struct install *in, struct err *err)
{
    const char *name = conf_value(in->conf, "SlurmUser");
    const struct passwd *pw = name != NULL ? getpwnam(name) : NULL;

    if (in->site.uid == 0 || (pw != NULL && pw->pw_uid == in->site.uid))
        return 0;
    return err_set(err, ERR_INVALID,
        "the scheduler may order nothing as user %u: it has to run as root or as "
        "SlurmUser (%s); --user NAME says which",
        in->site.uid, name != NULL ? name : "root");
}

/* ---- telling ---- */

static int text_in_memory(const char *text)
{
    int fd = memfd_create("text", 0);

    if (fd >= 0 && text != NULL && write(fd, text, strlen(text)) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Both from memory: nothing is written. Scripts are ours, or moved as they are:
 * hundreds of lines in which those of slurm.conf would not be seen. */
static void print_difference(const struct planned_file *f)
{
    int from = text_in_memory(f->now), to = text_in_memory(f->new);
    char a[40], b[40];
    pid_t pid;

    snprintf(a, sizeof a, "/dev/fd/%d", from);
    snprintf(b, sizeof b, "/dev/fd/%d", to);
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        execlp("diff", "diff", "-u", "--label", f->now ? f->path : "/dev/null",
            "--label", f->path, a, b, (char *)NULL);
        fprintf(stderr, "maui slurm install: cannot run diff: %s\n", strerror(errno));
        _exit(127);
    }
    if (pid > 0)
        waitpid(pid, NULL, 0);
    close(from);
    close(to);
}

static void print_files_of_nodes(const struct install *in)
{
    const char *parameters = conf_value(in->conf, "SlurmctldParameters");

    if (settings_list_has(parameters, "enable_configless")) {
        puts("  - the nodes fetch slurm.conf from slurmctld (enable_configless): "
             "nothing to copy");
        return;
    }
    printf("  - copy to all nodes and login hosts:");
    for (size_t i = 0; i < in->plan.n; i++)
        if (!saved_is_script(in->plan.v[i].path))
            printf(" %s", in->plan.v[i].path);
    puts("\n    (the scripts stay here; they are slurmctld's)");
}

static void print_backups(const struct install *in)
{
    unsigned controllers = 0;

    for (size_t i = 0; i < in->conf->settings.n; i++)
        controllers +=
            strcasecmp(in->conf->settings.v[i].key, "SlurmctldHost") == 0
            || strcasecmp(in->conf->settings.v[i].key, "BackupController") == 0;
    if (controllers > 1)
        printf("  - copy the scripts to the other SlurmctldHost as well; it has to see "
               "%s\n",
            in->site.home);
}

static void print_remains(const struct install *in)
{
    puts(in->o->dry ? "Then would remain:" : "Now:");
    if (in->changes > 0)
        print_files_of_nodes(in);
    print_backups(in);
    if (in->restart)
        puts("  - systemctl restart slurmctld     # plugins are loaded at its start");
    if (in->changes > 0)
        puts("  - scontrol reconfigure            # the nodes read slurm.conf again");
    else
        puts("  - nothing to restart: slurmctld reads changed scripts by itself");
    puts("  - maui slurm check                # once the scheduler runs as well");
}

/* ---- the command ---- */

static int carry_out(struct install *in, struct err *err)
{
    char *saved = join_path(in->dir, "maui-saved");
    int result = 0;

    if (in->plan.n == 0) {
        puts("nothing to change: all is installed");
    } else if (in->o->dry) {
        for (size_t i = 0; i < in->plan.n; i++)
            if (!saved_is_script(in->plan.v[i].path))
                print_difference(&in->plan.v[i]);
        puts("the scripts: `maui slurm gate` and `maui slurm jobcomp` print them\n"
             "nothing was written (--dry-run)");
        print_remains(in);
    } else if ((result = saved_write(saved, &in->plan, err)) == 0) {
        printf("saved what was there in %s; back: maui slurm install --undo\n", saved);
        print_remains(in);
    }
    free(saved);
    return result;
}

static int install(struct install *in, struct err *err)
{
    char *path = join_path(in->dir, "slurm.conf"), *submit = NULL, *completion = NULL;
    int result = -1;

    in->conf = conf_load(path, err);
    if (in->conf != NULL && check_user(in, err) == 0) {
        const char *a = conf_value(in->conf, "JobSubmitPlugins"),
                   *b = conf_value(in->conf, "JobCompType");

        submit = a != NULL ? xstrdup(a) : NULL;
        completion = b != NULL ? xstrdup(b) : NULL;
        result = plan_conf(in, err);
    }
    if (result == 0)
        result = plan_scripts(in, submit, completion, err);
    if (result == 0)
        result = carry_out(in, err);
    free(submit);
    free(completion);
    free(path);
    return result;
}

static int undo_all(const char *dir, bool dry, struct err *err)
{
    char *saved = join_path(dir, "maui-saved");
    int result = saved_undo(saved, dry, err);

    if (result == 0 && dry)
        puts("nothing was written (--dry-run)");
    else if (result == 0)
        puts("Now:\n"
             "  - copy slurm.conf to all nodes and login hosts\n"
             "  - systemctl restart slurmctld; scontrol reconfigure\n"
             "  - maui slurm letgo, if jobs still wait for the scheduler");
    free(saved);
    return result;
}

int install_main(const struct install_options *o)
{
    struct install in = {.o = o, .site = o->site};
    struct err err = {0};
    int result;

    char *dir = install_conf_dir(o->conf_dir);
    in.dir = home_absolute(dir);
    free(dir);
    result = o->undo ? undo_all(in.dir, o->dry, &err) : install(&in, &err);
    if (result < 0) {
        fflush(stdout);
        fprintf(stderr, "maui slurm install: %s\nNothing was changed.\n", err.text);
    }
    saved_plan_free(&in.plan);
    conf_free(in.conf);
    free(in.dir);
    free(in.max_age);
    return result < 0 ? 1 : 0;
}
