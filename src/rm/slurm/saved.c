/* SPDX-License-Identifier: Apache-2.0
 * Writing files all together, and undoing it. */
#include "rm/slurm/saved.h"

#include "base/strbuf.h"
#include "base/xalloc.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define LIST "files"

static char *path_of(const char *folder, unsigned n, const char *name)
{
    struct strbuf b = {0};

    strbuf_printf(&b, "%s/%u%s%s", folder, n, *name ? "/" : "", name);
    return strbuf_take(&b);
}

/* ---- one file ---- */

char *saved_read(const char *path, struct stat *ret_st, struct err *err)
{
    FILE *f = fopen(path, "re");
    struct strbuf b = {0};
    char part[65536];
    size_t n;

    if (f == NULL || fstat(fileno(f), ret_st) < 0 || !S_ISREG(ret_st->st_mode)) {
        err_set(err, f == NULL && errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, "%s: %s",
            path, f == NULL ? strerror(errno) : "is no file");
        if (f != NULL)
            fclose(f);
        return NULL;
    }
    while ((n = fread(part, 1, sizeof part, f)) > 0)
        strbuf_add_n(&b, part, n);
    fclose(f);
    return strbuf_take(&b);
}

static int write_text(
    const char *path, const char *text, const struct stat *st, struct err *err)
{
    FILE *f = fopen(path, "we");
    bool good = f != NULL && fputs(text, f) >= 0 && fflush(f) == 0;

    /* only root can give a file away, and only to whom it belonged */
    if (good && (st->st_uid != geteuid() || st->st_gid != getegid()))
        good = fchown(fileno(f), st->st_uid, st->st_gid) == 0;
    good = good && fchmod(fileno(f), st->st_mode & 07777) == 0 && fsync(fileno(f)) == 0;
    if (!good)
        err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    if (f != NULL && fclose(f) != 0 && good)
        good = err_set(err, ERR_IO, "%s: %s", path, strerror(errno)) == 0;
    if (!good)
        unlink(path);
    return good ? 0 : -1;
}

static char *name_temporary(const char *path)
{
    struct strbuf b = {0};

    strbuf_printf(&b, "%s.maui-new", path);
    return strbuf_take(&b);
}

void saved_plan_free(struct planned_files *p)
{
    for (size_t i = 0; i < p->n; i++) {
        free(p->v[i].path);
        free(p->v[i].now);
        free(p->v[i].new);
    }
    vec_fini(p);
}

/* ---- all together ---- */

static int write_temporaries(const struct planned_files *p, struct err *err)
{
    int result = 0;

    for (size_t i = 0; i < p->n && result == 0; i++) {
        char *fresh = name_temporary(p->v[i].path);

        if (p->v[i].new != NULL)
            result = write_text(fresh, p->v[i].new, &p->v[i].st, err);
        free(fresh);
    }
    return result;
}

static void drop_temporaries(const struct planned_files *p)
{
    for (size_t i = 0; i < p->n; i++) {
        char *fresh = name_temporary(p->v[i].path);

        unlink(fresh);
        free(fresh);
    }
}

static int put_in_place(const struct planned_file *f, struct err *err)
{
    char *fresh = name_temporary(f->path);
    int result = f->new != NULL ? rename(fresh, f->path) : unlink(f->path);

    if (result < 0)
        err_set(err, ERR_IO, "%s: %s", f->path, strerror(errno));
    free(fresh);
    return result;
}

/* As it was; where that cannot be written (a full disk) as it was to be: never a part
 * of either. */
static void put_back(const struct planned_file *f)
{
    struct planned_file back = {.path = f->path, .new = f->now, .st = f->st};
    char *fresh = name_temporary(f->path);
    struct err ignored;

    if (f->now == NULL || write_text(fresh, f->now, &f->st, &ignored) == 0)
        put_in_place(&back, &ignored);
    free(fresh);
}

static int write_all(const struct planned_files *p, struct err *err)
{
    int result = write_temporaries(p, err);

    for (size_t i = 0; i < p->n && result == 0; i++) {
        result = put_in_place(&p->v[i], err);
        while (result < 0 && i-- > 0)
            put_back(&p->v[i]);
    }
    drop_temporaries(p);
    return result;
}

/* ---- generations ---- */

/* The number of the newest; 0: there is none, and errno says why it cannot be seen. */
static unsigned newest(const char *folder)
{
    DIR *d = opendir(folder);
    unsigned best = 0;

    if (d == NULL)
        return 0;
    errno = 0;
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        char *stop;
        unsigned long n = strtoul(e->d_name, &stop, 10);

        if (*stop == '\0' && stop != e->d_name && n < 1000000 && n > best)
            best = (unsigned)n;
    }
    closedir(d);
    return best;
}

static int save_copy(const char *folder, unsigned n, size_t i, const char *what,
    const char *text, const struct stat *st, struct err *err)
{
    char name[40], *path;
    int result;

    snprintf(name, sizeof name, "%zu.%s", i, what);
    path = path_of(folder, n, name);
    result = write_text(path, text, st, err);
    free(path);
    return result;
}

static int save_copies(
    const char *folder, unsigned n, const struct planned_files *p, struct err *err)
{
    struct stat plain = {.st_uid = geteuid(), .st_gid = getegid(), .st_mode = 0600};
    struct strbuf list = {0};
    char *path;
    int result = 0;

    for (size_t i = 0; i < p->n && result == 0; i++) {
        const struct planned_file *f = &p->v[i];

        strbuf_printf(
            &list, "%zu %s %s\n", i, f->now != NULL ? "kept" : "new", f->path);
        if (f->now != NULL)
            result = save_copy(folder, n, i, "before", f->now, &f->st, err);
        if (result == 0)
            result = save_copy(folder, n, i, "after", f->new, &f->st, err);
    }
    path = path_of(folder, n, LIST);
    if (result == 0)
        result = write_text(path, list.text, &plain, err);
    free(path);
    free(list.text);
    return result;
}

static void drop_generation(const char *folder, unsigned n)
{
    char *path = path_of(folder, n, "");
    DIR *d = opendir(path);

    if (d != NULL) {
        for (struct dirent *e; (e = readdir(d)) != NULL;)
            unlinkat(dirfd(d), e->d_name, 0);
        closedir(d);
    }
    rmdir(path);
    if (n == 1)
        rmdir(folder);
    free(path);
}

int saved_write(const char *folder, const struct planned_files *p, struct err *err)
{
    unsigned n = newest(folder) + 1;
    char *path = path_of(folder, n, "");
    int result = 0;

    if ((mkdir(folder, 0700) < 0 && errno != EEXIST) || mkdir(path, 0700) < 0)
        result = err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    if (result == 0)
        result = save_copies(folder, n, p, err);
    if (result == 0)
        result = write_all(p, err);
    if (result < 0)
        drop_generation(folder, n);
    free(path);
    return result;
}

/* ---- back ---- */

static char *saved_text(const char *folder, unsigned n, const char *index,
    const char *what, struct stat *ret_st, struct err *err)
{
    struct strbuf name = {0};
    char *path, *text;

    strbuf_printf(&name, "%s.%s", index, what);
    path = path_of(folder, n, name.text);
    text = saved_read(path, ret_st, err);
    free(path);
    free(name.text);
    return text;
}

static int refuse_edited(const char *folder, unsigned n, const char *index,
    bool was_new, const char *path, struct err *err)
{
    if (was_new)
        return err_set(err, ERR_CONFLICT,
            "%s was edited since it was installed (`diff %s/%u/%s.after %s`): move it "
            "away, then try again",
            path, folder, n, index, path);
    return err_set(err, ERR_CONFLICT,
        "%s was edited since it was installed. What the installation changed is taken "
        "out "
        "of it by\n  diff -U0 %s/%u/%s.before %s/%u/%s.after | patch -R %s",
        path, folder, n, index, folder, n, index, path);
}

/* The file in the plan, and what it holds once the generations after this are undone:
 * at first what is there now. */
static struct planned_file *find_or_plan(
    struct planned_files *p, const char *path, const char **ret_text)
{
    struct planned_file f = {0};
    struct err none;

    for (size_t i = 0; i < p->n; i++)
        if (strcmp(p->v[i].path, path) == 0) {
            *ret_text = p->v[i].new;
            return &p->v[i];
        }
    f.path = xstrdup(path);
    f.now = saved_read(path, &f.st, &none);
    vec_push(p, f);
    *ret_text = f.now;
    return &p->v[p->n - 1];
}

/* "0 kept PATH": what is to come back. */
static int plan_back(const char *folder, unsigned n, char *line,
    struct planned_files *ret, struct err *err)
{
    char *rest, *index = strtok_r(line, " ", &rest), *how = strtok_r(NULL, " ", &rest);
    struct planned_file *f;
    struct stat st;
    const char *then;
    char *after;
    int result = 0;

    if (how == NULL || rest == NULL || *rest != '/')
        return err_set(err, ERR_INVALID, "%s/%u/" LIST " is damaged", folder, n);
    bool was_new = strcmp(how, "new") == 0;
    f = find_or_plan(ret, rest, &then);
    after = saved_text(folder, n, index, "after", &st, err);
    if (after == NULL)
        result = -1;
    else if (then == NULL || strcmp(then, after) != 0)
        result = refuse_edited(folder, n, index, was_new, rest, err);
    if (result == 0) {
        free(f->new);
        f->new = was_new ? NULL : saved_text(folder, n, index, "before", &f->st, err);
        result = was_new || f->new != NULL ? 0 : -1;
    }
    free(after);
    return result;
}

static int plan_generation(
    const char *folder, unsigned n, struct planned_files *ret, struct err *err)
{
    char *path = path_of(folder, n, LIST), *rest = NULL;
    struct stat st;
    char *list = saved_read(path, &st, err);
    int result = list != NULL ? 0 : -1;

    for (char *line = list != NULL ? strtok_r(list, "\n", &rest) : NULL;
         line != NULL && result == 0; line = strtok_r(NULL, "\n", &rest))
        result = plan_back(folder, n, line, ret, err);
    free(list);
    free(path);
    return result;
}

int saved_undo(const char *folder, bool dry, struct err *err)
{
    unsigned last = newest(folder);
    struct planned_files p = {0};
    int result = 0;

    if (last == 0)
        return err_set(err, ERR_NOT_FOUND,
            "nothing to undo: %s, where an installation saves what was there: %s",
            folder, errno != 0 ? strerror(errno) : "is empty");
    for (unsigned n = last; n > 0 && result == 0; n--)
        result = plan_generation(folder, n, &p, err);
    if (result == 0 && !dry)
        result = write_all(&p, err);
    for (size_t i = 0; i < p.n && result == 0; i++)
        printf("%s: %s\n", p.v[i].path,
            p.v[i].new != NULL ? "as it was before" : "removed");
    for (unsigned n = last; n > 0 && result == 0 && !dry; n--)
        drop_generation(folder, n);
    saved_plan_free(&p);
    return result;
}
