/* SPDX-License-Identifier: Apache-2.0
 * Writing files all together, and undoing it. */
#include "rm/slurm/saved.h"

#include "base/strbuf.h"
#include "base/xalloc.h"
#include "rm/slurm/ownlines.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/xattr.h>
#include <unistd.h>

#define LIST "files"

static char *path_of(const char *folder, unsigned n, const char *name)
{
    struct strbuf b = {0};

    strbuf_printf(&b, "%s/%u%s%s", folder, n, *name ? "/" : "", name);
    return strbuf_take(&b);
}

/* ---- one file ---- */

bool saved_is_script(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot != NULL && strcmp(dot, ".lua") == 0;
}

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
    bool broken = ferror(f) != 0, binary = b.len > 0 && memchr(b.text, 0, b.len);
    fclose(f);
    if (broken || binary) { /* else what comes back would not be what it was */
        free(b.text);
        err_set(err, ERR_IO, "%s: %s", path,
            broken ? "cannot be read whole" : "is no text: it holds a NUL byte");
        return NULL;
    }
    return b.text != NULL ? strbuf_take(&b) : xstrdup("");
}

/* Access lists and labels of the file that it is to replace, where there is one. */
static bool copy_attributes(const char *like, int to)
{
    char names[4096], value[65536];
    ssize_t n = like != NULL ? listxattr(like, names, sizeof names) : 0;

    for (const char *name = names; n > 0 && name < names + n;
         name += strlen(name) + 1) {
        ssize_t size = getxattr(like, name, value, sizeof value);
        bool is_access = strncmp(name, "system.posix_acl", 16) == 0;

        if (size < 0 || fsetxattr(to, name, value, (size_t)size, 0) < 0)
            if (is_access) /* a label is set anew by the system */
                return false;
    }
    return n >= 0 || errno == ENOENT || errno == ENOTSUP;
}

/* Nothing that somebody else has put there is followed or written into. */
static FILE *open_fresh(const char *path)
{
    int fd;
    FILE *f;

    if (unlink(path) < 0 && errno != ENOENT)
        return NULL;
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (fd >= 0 && f == NULL)
        close(fd);
    return f;
}

/* `like`: has the access lists that it is to have, or NULL. */
static int write_text(const char *path, const char *text, const struct stat *st,
    const char *like, struct err *err)
{
    FILE *f = open_fresh(path);
    bool good = f != NULL && fputs(text, f) >= 0 && fflush(f) == 0;

    /* only root can give a file away, and only to whom it belonged */
    if (good && (st->st_uid != geteuid() || st->st_gid != getegid()))
        good = fchown(fileno(f), st->st_uid, st->st_gid) == 0;
    good = good && copy_attributes(like, fileno(f))
           && fchmod(fileno(f), st->st_mode & 07777) == 0 && fsync(fileno(f)) == 0;
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
            result = write_text(fresh, p->v[i].new, &p->v[i].st, p->v[i].path, err);
        free(fresh);
    }
    return result;
}

static void drop_temporary(const char *path)
{
    char *fresh = name_temporary(path);

    unlink(fresh);
    free(fresh);
}

static void drop_temporaries(const struct planned_files *p)
{
    for (size_t i = 0; i < p->n; i++)
        drop_temporary(p->v[i].path);
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

    if (f->now == NULL || write_text(fresh, f->now, &f->st, f->path, &ignored) == 0)
        put_in_place(&back, &ignored);
    free(fresh);
}

/* An editor may have saved it since it was read. */
static int check_unchanged(const struct planned_files *p, struct err *err)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct planned_file *f = &p->v[i];
        struct err why = {0};
        struct stat st;
        char *text = saved_read(f->path, &st, &why);
        bool same = text != NULL ? f->now != NULL && strcmp(text, f->now) == 0
                                 : f->now == NULL && why.code == ERR_NOT_FOUND;

        free(text);
        if (!same)
            return err_set(err, ERR_CONFLICT,
                "%s was changed by somebody else at this moment: try again", f->path);
    }
    return 0;
}

static int write_all(const struct planned_files *p, struct err *err)
{
    int result = write_temporaries(p, err);

    if (result == 0)
        result = check_unchanged(p, err);

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
    result = write_text(path, text, st, NULL, err);
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
    /* with the list it counts: whole, or not at all */
    path = path_of(folder, n, LIST);
    if (result == 0) {
        char *fresh = name_temporary(path);
        result = write_text(fresh, list.text, &plain, NULL, err);
        if (result == 0 && rename(fresh, path) < 0)
            result = err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
        free(fresh);
    }
    free(path);
    free(list.text);
    return result;
}

static void drop_generation(const char *folder, unsigned n)
{
    char *path = path_of(folder, n, ""), *list = path_of(folder, n, LIST);
    DIR *d;

    unlink(list); /* first: what is left is none */
    free(list);
    d = opendir(path);
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

/* Nobody else may put there what would come back one day. */
static int check_folder(const char *folder, struct err *err)
{
    struct stat st;

    if (mkdir(folder, 0700) < 0 && errno != EEXIST)
        return err_set(err, ERR_IO, "%s: %s", folder, strerror(errno));
    if (lstat(folder, &st) < 0 || !S_ISDIR(st.st_mode) || st.st_mode & 022
        || (st.st_uid != geteuid() && st.st_uid != 0))
        return err_set(err, ERR_CONFLICT,
            "%s: others than you can write there, or it is no folder: look at what it "
            "holds and move it away",
            folder);
    return 0;
}

int saved_write(const char *folder, const struct planned_files *p, struct err *err)
{
    unsigned n = newest(folder) + 1;
    char *path = path_of(folder, n, "");
    int result = check_folder(folder, err);

    if (result < 0) {
        free(path);
        return -1;
    }
    if (mkdir(path, 0700) < 0)
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

/* From 1 on. */
static size_t first_other_line(const char *text, const char *like)
{
    size_t line = 1;

    for (; *text != '\0' && *text == *like; text++, like++)
        line += *text == '\n';
    return line;
}

/* Of settings its own lines are taken out; a script is its own as a whole. */
static int take_out(struct planned_file *f, const char *path, const char *before,
    const char *after, struct err *err)
{
    char *text;

    if (f->new == NULL)
        return err_set(err, ERR_CONFLICT,
            "%s is gone since it was installed: put it back, then try again", path);
    if (before == NULL || saved_is_script(path))
        return err_set(err, ERR_CONFLICT,
            "%s:%zu: was edited since it was installed: move the file away, then try "
            "again",
            path, first_other_line(f->new, after));
    text = ownlines_take(path, f->new, before, after, err);
    if (text == NULL)
        return -1;
    free(f->new);
    f->new = text;
    return 0;
}

/* A file on its way back: what it holds once the generations after this are undone, at
 * first what is there now. Where that is not as it was written it was edited since, or
 * is as it was before already, by an undo or an installation that was cut off. */
struct return_file {
    char *path; /* owned */
    struct planned_file f;
    bool edited;
    struct err conflict; /* code 0: none */
};
struct return_files VEC(struct return_file);

static struct return_file *find_or_plan(
    struct return_files *p, const char *path, struct err *err)
{
    struct return_file r = {0};
    struct err why = {0};

    for (size_t i = 0; i < p->n; i++)
        if (strcmp(p->v[i].path, path) == 0)
            return &p->v[i];
    r.f.now = saved_read(path, &r.f.st, &why);
    if (r.f.now == NULL && why.code != ERR_NOT_FOUND) {
        *err = why;
        return NULL;
    }
    r.path = xstrdup(path);
    r.f.path = xstrdup(path);
    r.f.new = r.f.now != NULL ? xstrdup(r.f.now) : NULL;
    vec_push(p, r);
    return &p->v[p->n - 1];
}

static bool is_same(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* "0 kept PATH": what is to come back. */
static int plan_back(const char *folder, unsigned n, char *line,
    struct return_files *ret, struct err *err)
{
    char *rest, *index = strtok_r(line, " ", &rest), *how = strtok_r(NULL, " ", &rest);
    struct return_file *r;
    struct stat st, now = {0};
    char *after, *before = NULL;

    if (how == NULL || rest == NULL || *rest != '/')
        return err_set(err, ERR_INVALID, "%s/%u/" LIST " is damaged", folder, n);
    bool was_new = strcmp(how, "new") == 0, taken = false;
    r = find_or_plan(ret, rest, err);
    if (r != NULL)
        now = r->f.st;
    after = r != NULL ? saved_text(folder, n, index, "after", &st, err) : NULL;
    if (after != NULL && !was_new)
        before = saved_text(folder, n, index, "before", &r->f.st, err);
    if (after == NULL || (!was_new && before == NULL)) {
        free(after);
        return -1;
    }
    if (r->conflict.code == ERR_NONE && !is_same(r->f.new, after)
        && !is_same(r->f.new, before)) {
        r->edited = true;
        r->f.st = now; /* as it is since, too */
        taken = take_out(&r->f, rest, before, after, &r->conflict) == 0;
    }
    if (!taken) {
        free(r->f.new);
        r->f.new = before;
        before = NULL;
    }
    free(after);
    free(before);
    return 0;
}

/* Without a list it is of an installation that was cut off before it changed
 * anything. */
static int plan_generation(
    const char *folder, unsigned n, struct return_files *ret, struct err *err)
{
    char *path = path_of(folder, n, LIST), *rest = NULL;
    struct stat st;
    struct err why = {0};
    char *list = saved_read(path, &st, &why);
    int result = list != NULL || why.code == ERR_NOT_FOUND ? 0 : -1;

    if (result < 0)
        *err = why;
    for (char *line = list != NULL ? strtok_r(list, "\n", &rest) : NULL;
         line != NULL && result == 0; line = strtok_r(NULL, "\n", &rest))
        result = plan_back(folder, n, line, ret, err);
    free(list);
    free(path);
    return result;
}

/* What is as it was before is left alone. 0, or -1 where one was edited since. */
static int choose_files(
    struct return_files *all, struct planned_files *ret, struct err *err)
{
    for (size_t i = 0; i < all->n; i++) {
        struct return_file *r = &all->v[i];

        if (is_same(r->f.now, r->f.new))
            continue;
        if (r->conflict.code != ERR_NONE) {
            *err = r->conflict;
            return -1;
        }
        vec_push(ret, r->f);
        r->f = (struct planned_file){0};
    }
    return 0;
}

static const char *what_is_done(
    const struct return_files *all, const struct planned_file *f)
{
    if (f->new == NULL)
        return "removed";
    for (size_t i = 0; i < all->n; i++)
        if (all->v[i].edited && strcmp(all->v[i].path, f->path) == 0)
            return "was edited since: without the lines of the installation";
    return "as it was before";
}

static void free_all(struct return_files *all)
{
    for (size_t i = 0; i < all->n; i++) {
        free(all->v[i].path);
        free(all->v[i].f.path);
        free(all->v[i].f.now);
        free(all->v[i].f.new);
    }
    vec_fini(all);
}

int saved_undo(const char *folder, bool dry, struct err *err)
{
    unsigned last = newest(folder);
    struct return_files all = {0};
    struct planned_files p = {0};
    int result = 0;

    if (last == 0)
        return err_set(err, ERR_NOT_FOUND,
            "nothing to undo: %s, where an installation saves what was there: %s",
            folder, errno != 0 ? strerror(errno) : "is empty");
    for (unsigned n = last; n > 0 && result == 0; n--)
        result = plan_generation(folder, n, &all, err);
    if (result == 0)
        result = choose_files(&all, &p, err);
    if (result == 0 && !dry)
        result = write_all(&p, err);
    for (size_t i = 0; i < p.n && result == 0; i++)
        printf("%s: %s\n", p.v[i].path, what_is_done(&all, &p.v[i]));
    for (size_t i = 0; i < all.n && result == 0 && !dry; i++)
        drop_temporary(all.v[i].path); /* of an installation that was cut off */
    if (result == 0 && p.n == 0)
        puts("all files are as they were before");
    for (unsigned n = last; n > 0 && result == 0 && !dry; n--)
        drop_generation(folder, n);
    free_all(&all);
    saved_plan_free(&p);
    return result;
}
