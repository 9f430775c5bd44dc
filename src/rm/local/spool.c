/* SPDX-License-Identifier: Apache-2.0
 * The spool as a whole: its folders, what is found in it at the beginning, news, and
 * the removal of old jobs. */
#include "base/names.h"
#include "rm/local/folder.h"
#include "rm/local/private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCAN_AT_ONCE  100  /* folders, before the loop turns on */
#define PURGE_AT_ONCE 50   /* old jobs */
#define PURGE_FILES   1000 /* files and folders of them */
#define PURGE_MIN_MS  200
#define PURGE_MAX_MS  60000

/* ---- numbers ---- */

static void counter_written(struct write_task *t)
{
    struct local *l = t->ctx;

    l->counting = false;
    local_health(l, "jobpurge", t->err.code != ERR_NONE ? t->err.text : NULL);
    if (t->err.code == ERR_NONE)
        l->safe_id = t->number;
}

/* Numbers are told by the folders; before those go, the counter must say it. */
static void save_counter(struct local *l)
{
    struct write_task *t;
    char text[32];

    if (l->counting)
        return; /* two at once would take each other's file away */
    l->counting = true;
    t = write_task_new(WRITE_TOP, NULL);
    snprintf(text, sizeof text, "%lld\n", (long long)l->last_id);
    write_task_add(t, "counter", xstrdup(text), strlen(text));
    t->done = counter_written;
    t->ctx = l;
    t->number = l->last_id;
    writer_add(l->writer, t);
}

static void read_counter(struct local *l)
{
    struct err err;
    size_t len;
    char *text = folder_read(l->spool, "counter", &len, &err);

    l->counting = false;
    l->safe_id = text != NULL ? id_number(text) : 0;
    if (l->safe_id > l->last_id) /* else the spool is another, or an older one */
        l->last_id = l->safe_id;
    free(text);
}

/* ---- what is there at the beginning ---- */

static int compare_names(const void *a, const void *b)
{
    return name_compare(*(char *const *)a, *(char *const *)b);
}

static int list_jobs(struct local *l, struct err *err)
{
    int fd = folder_open(l->spool, "jobs", err);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *entry;

    if (dir == NULL)
        return -1;
    while ((entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        vec_push(&l->names, xstrdup(entry->d_name));
        if (id_number(entry->d_name) > l->last_id)
            l->last_id = id_number(entry->d_name);
    }
    closedir(dir);
    if (l->names.n > 0)
        qsort(l->names.v, l->names.n, sizeof *l->names.v, compare_names);
    return 0;
}

static void scan_one(struct local *l, const char *name)
{
    struct local_job *j;
    char text[600];
    struct err err;

    if (id_is_valid(name)) {
        j = ljob_new(l, name);
        if (ljob_load(j, &err) == 0) {
            ljob_report(j);
            return;
        }
        ljob_free(j);
    } else {
        err_set(&err, ERR_INVALID, "that is not the name of a job");
    }
    snprintf(text, sizeof text,
        "the folder %s/jobs/%s is not readable and left alone: %s", l->path, name,
        err.text);
    local_health(l, "workloadquery", text);
}

static int on_scan(sd_event_source *source, void *ctx)
{
    struct local *l = ctx;
    struct rm_report synced = {.kind = RM_SYNCED};

    if (l->names_done == 0)
        nodes_report(l);
    for (int i = 0; i < SCAN_AT_ONCE && l->names_done < l->names.n; i++)
        scan_one(l, l->names.v[l->names_done++]);
    if (l->names_done < l->names.n)
        return 0;
    sd_event_source_set_enabled(source, SD_EVENT_OFF);
    for (size_t i = 0; i < l->names.n; i++)
        free(l->names.v[i]);
    vec_fini(&l->names);
    l->synced = true;
    nodes_report(l); /* with what turned out to be running on them */
    local_report(l, &synced);
    return 0;
}

/* ---- news ---- */

static int on_news(
    sd_event_source *source, const struct inotify_event *event, void *ctx)
{
    struct local *l = ctx;
    struct local_job *j, *next;

    (void)source;
    if (event->mask & IN_Q_OVERFLOW) {
        HASH_ITER(hh, l->jobs, j, next)
        ljob_look(j);
        return 0;
    }
    if (event->len == 0)
        return 0;
    unlinkat(l->news_dir, event->name, 0);
    j = ljob_find(l, event->name);
    if (j != NULL)
        ljob_look(j);
    return 0;
}

static int on_gone(
    sd_event_source *source, const struct inotify_event *event, void *ctx)
{
    (void)source, (void)event;
    spool_check(ctx);
    return 0;
}

static int watch(struct local *l, struct err *err)
{
    if (sd_event_add_inotify_fd(
            l->loop, &l->news, l->news_dir, IN_CLOSE_WRITE | IN_ONLYDIR, on_news, l)
            < 0
        || sd_event_add_inotify_fd(l->loop, &l->gone, l->jobs_dir,
               IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR, on_gone, l)
               < 0)
        return err_set(err, ERR_IO, "cannot watch the spool '%s'", l->path);
    /* before what is ready at the same time: ends make room */
    sd_event_source_set_priority(l->news, SD_EVENT_PRIORITY_NORMAL - 10);
    return 0;
}

/* ---- old jobs ---- */

static int on_purge(sd_event_source *source, uint64_t usec, void *ctx);

static bool is_old(const struct local_job *j, int64_t now)
{
    return j->phase == PHASE_ENDED && !j->damaged && !j->writing
           && ((j->settled && !j->local->keeps)
               || j->end.end_at + j->local->keep_s <= now);
}

/* The folder goes at once, to where nobody looks for a job: half a folder would be one
 * that cannot be read, or one that has not run. What is in it goes bit by bit. A keeper
 * that is still tidying up is left to it. False: to be tried again. */
static bool purge_folder(struct local_job *j)
{
    struct local *l = j->local;
    struct rm_report gone = {.kind = RM_JOB_GONE, .u.name = j->id};
    int folder = ljob_open_folder(j, NULL);
    bool tidied = folder < 0 || folder_lock_holder(folder, "lock") <= 0;

    if (folder >= 0)
        close(folder);
    if (!tidied)
        return false;
    if (renameat(l->jobs_dir, j->id, l->fresh_dir, j->id) == 0) {
        vec_push(&l->trash, xstrdup(j->id));
    } else if (errno != ENOENT) {
        local_health(l, "jobpurge", "the folder of an old job cannot be removed");
        return false;
    }
    local_report(l, &gone);
    ljob_free(j);
    return true;
}

/* Some of what is in folders of jobs that are gone. */
static void empty_trash(struct local *l)
{
    unsigned files = PURGE_FILES;
    char text[600];

    while (l->trash.n > 0 && files > 0 && !l->lost) {
        char *id = l->trash.v[0];
        int left = folder_remove_some(l->fresh_dir, id, &files);

        vec_remove(&l->trash, 0);
        if (left > 0) {
            vec_push(&l->trash, id);
            continue;
        }
        if (left < 0) {
            snprintf(text, sizeof text, "the folder '%s/new/%s' cannot be removed",
                l->path, id);
            local_health(l, "jobpurge", text);
        }
        free(id);
    }
}

/* Of those that are settled, a few; who must wait goes behind the others. True: there
 * are more. */
static bool purge_settled(struct local *l, bool *unsafe)
{
    size_t n = l->over.n < PURGE_AT_ONCE ? l->over.n : PURGE_AT_ONCE;

    for (; n > 0 && !l->lost; n--) {
        char *id = l->over.v[0];
        struct local_job *j = ljob_find(l, id);
        bool old = j != NULL && is_old(j, local_now());
        bool waits = old && id_number(id) > l->safe_id;

        vec_remove(&l->over, 0);
        *unsafe |= waits;
        if (waits || (old && !purge_folder(j)))
            vec_push(&l->over, id);
        else
            free(id);
    }
    return l->over.n > 0;
}

void local_settled(struct rm *rm, const char *job)
{
    struct local *l = (struct local *)rm;
    struct local_job *j = ljob_find(l, job);

    if (j == NULL || j->settled || j->phase != PHASE_ENDED)
        return;
    j->settled = true;
    if (l->keeps)
        return;
    vec_push(&l->over, xstrdup(job));
    if (l->over.n == 1)
        local_timer(l, &l->purge, PURGE_MIN_MS, on_purge, l);
}

static int on_purge(sd_event_source *source, uint64_t usec, void *ctx)
{
    struct local *l = ctx;
    int64_t now = local_now(), wait = l->keep_s * 1000 / 8;
    struct local_job *j, *next;
    int left = PURGE_AT_ONCE;
    bool unsafe = false;

    (void)source, (void)usec;
    empty_trash(l);
    if (purge_settled(l, &unsafe)) {
        if (unsafe)
            save_counter(l);
        local_timer(l, &l->purge, PURGE_MIN_MS / 4, on_purge, l);
        return 0;
    }
    HASH_ITER(hh, l->jobs, j, next)
    {
        if (left == 0 || l->lost)
            break;
        if (!is_old(j, now))
            continue;
        if (id_number(j->id) > l->safe_id)
            unsafe = true;
        else if (purge_folder(j))
            left--;
    }
    if (unsafe)
        save_counter(l);
    if (wait < PURGE_MIN_MS || left == 0)
        wait = PURGE_MIN_MS;
    if (l->trash.n > 0)
        wait = PURGE_MIN_MS / 4;
    local_timer(l, &l->purge, wait < PURGE_MAX_MS ? wait : PURGE_MAX_MS, on_purge, l);
    return 0;
}

/* ---- open, close, come and go ---- */

static int open_folder(struct local *l, const char *name, int *ret, struct err *err)
{
    if (mkdirat(l->spool, name, 0711) != 0 && errno != EEXIST)
        return folder_error(err, errno, "make the folder", name);
    *ret = folder_open(l->spool, name, err);
    if (*ret < 0)
        return -1;
    fchmod(*ret, 0711); /* users' jobs pass through, and cannot list */
    return 0;
}

static int open_folders(struct local *l, struct err *err)
{
    if (mkdir(l->path, 0711) != 0 && errno != EEXIST)
        return folder_error(err, errno, "make the spool", l->path);
    l->spool = folder_open(AT_FDCWD, l->path, err);
    if (l->spool < 0)
        return -1;
    fchmod(l->spool, 0711);
    l->lock = folder_lock(l->spool, "lock", err);
    if (l->lock < 0)
        return err->code == ERR_CONFLICT ? err_set(
                   err, ERR_CONFLICT, "the spool '%s' has a daemon already", l->path)
                                         : -1;
    folder_remove(l->spool, "new"); /* submissions nobody was told of, jobs that went */
    folder_remove(l->spool, "news");
    if (open_folder(l, "jobs", &l->jobs_dir, err) != 0
        || open_folder(l, "new", &l->fresh_dir, err) != 0
        || open_folder(l, "news", &l->news_dir, err) != 0)
        return -1;
    return 0;
}

int spool_open(struct local *l, struct err *err)
{
    struct write_folders folders;

    if (open_folders(l, err) != 0 || control_open(l, err) != 0 || watch(l, err) != 0) {
        err_prefix(err, "spool %s: ", l->path);
        return -1;
    }
    folders = (struct write_folders){l->spool, l->jobs_dir, l->fresh_dir};
    read_counter(l);
    if (writer_open(l->loop, &folders, &l->writer, err) != 0 || list_jobs(l, err) != 0)
        return -1;
    if (sd_event_add_defer(l->loop, &l->scan, on_scan, l) < 0
        || sd_event_source_set_enabled(l->scan, SD_EVENT_ON) < 0
        || local_timer(l, &l->purge, PURGE_MIN_MS, on_purge, l) < 0)
        return err_set(err, ERR_IO, "cannot put the spool on the event loop");
    return 0;
}

static void close_folder(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void spool_close(struct local *l)
{
    struct local_job *j, *next;

    writer_close(l->writer);
    l->writer = NULL;
    control_close(l);
    HASH_ITER(hh, l->jobs, j, next)
    ljob_free(j);
    for (size_t i = 0; i < l->over.n; i++)
        free(l->over.v[i]);
    vec_fini(&l->over);
    for (size_t i = 0; i < l->trash.n; i++)
        free(l->trash.v[i]);
    vec_fini(&l->trash);
    l->scan = sd_event_source_disable_unref(l->scan);
    l->news = sd_event_source_disable_unref(l->news);
    l->gone = sd_event_source_disable_unref(l->gone);
    l->purge = sd_event_source_disable_unref(l->purge);
    for (size_t i = l->names_done; i < l->names.n; i++)
        free(l->names.v[i]);
    vec_fini(&l->names);
    l->names_done = 0;
    close_folder(&l->lock);
    close_folder(&l->jobs_dir);
    close_folder(&l->fresh_dir);
    close_folder(&l->news_dir);
    close_folder(&l->spool);
    l->synced = false;
}

/* Is the folder we have open still the one the path leads to? */
static bool in_place(const struct local *l)
{
    char path[4096];
    struct stat ours, there;

    snprintf(path, sizeof path, "%s/jobs", l->path);
    return l->jobs_dir >= 0 && fstat(l->jobs_dir, &ours) == 0 && stat(path, &there) == 0
           && ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
}

void spool_check(struct local *l)
{
    char text[600];

    if (l->lost || in_place(l))
        return;
    l->lost = true;
    snprintf(text, sizeof text,
        "the spool '%s' has gone: nothing can be submitted, started or changed",
        l->path);
    local_health(l, "spool", text);
}

void spool_return(struct local *l)
{
    char path[4096];
    struct err err;

    snprintf(path, sizeof path, "%s/jobs", l->path);
    if (!l->lost || access(path, F_OK) != 0)
        return;
    spool_close(l);
    nodes_forget(l);
    if (spool_open(l, &err) != 0) {
        spool_close(l);
        local_health(l, "spool", err.text);
        return;
    }
    l->lost = false;
    local_health(l, "spool", NULL);
}
