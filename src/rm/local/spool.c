/* SPDX-License-Identifier: Apache-2.0
 * The spool as a whole: its folders, what is found in it at the beginning, news, and
 * the removal of old jobs. */
#include "rm/local/spool.h"

#include "base/names.h"
#include "rm/local/control.h"
#include "rm/local/folder.h"
#include "rm/local/larray.h"
#include "rm/local/ljob.h"
#include "rm/local/nodes.h"
#include "rm/local/private.h"
#include "rm/local/submit.h"
#include "rm/local/writer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCAN_AT_ONCE  100 /* folders, before the loop turns on */
#define NODES_AT_ONCE 500 /* the same */

#define PURGE_AT_ONCE 50 /* old jobs */
#define PURGE_MIN_MS  200
#define PURGE_MAX_MS  60000

struct names VEC(char *);

struct spool {
    int top, jobs, arrays, fresh, news, lock; /* descriptors; -1 = not open */
    int64_t safe_id;                          /* on the disk as taken */
    bool counting;                            /* the counter is being written */
    struct names found;                       /* folders still to be looked at, */
    size_t found_done;                        /* from this one on */
    bool nodes_told;                          /* on which these jobs run */
    bool again;                               /* they are known: they are told again */
    struct names over;      /* ids of settled jobs whose folders are to go */
    struct writer *remover; /* of old folders */
    sd_event_source *scan, *on_news, *gone, *purge;
};

struct spool *spool_create(void)
{
    struct spool *s = xcalloc(1, sizeof *s);

    s->top = s->jobs = s->arrays = s->fresh = s->news = s->lock = -1;
    return s;
}

void spool_destroy(struct spool *s)
{
    free(s);
}

static void free_names(struct names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->v[i]);
    vec_fini(names);
}

int spool_folder(const struct local *l)
{
    return l->spool->top;
}

int spool_jobs_folder(const struct local *l)
{
    return l->spool->jobs;
}

/* ---- numbers ---- */

static void counter_written(struct write_task *t)
{
    struct local *l = t->ctx;

    l->spool->counting = false;
    local_health(l, "jobpurge", t->err.code != ERR_NONE ? t->err.text : NULL);
    if (t->err.code == ERR_NONE)
        l->spool->safe_id = t->number;
}

/* Numbers are told by the folders; before those go, the counter must say it. */
static void save_counter(struct local *l)
{
    struct write_task *t;
    char text[32];

    if (l->spool->counting)
        return; /* two at once would take each other's file away */
    l->spool->counting = true;
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
    char *text = folder_read(l->spool->top, "counter", &len, &err);

    l->spool->counting = false;
    l->spool->safe_id = text != NULL ? id_number(text) : 0;
    if (l->spool->safe_id > l->last_id) /* else the spool is another, or an older one */
        l->last_id = l->spool->safe_id;
    free(text);
}

/* ---- what is there at the beginning ---- */

static int compare_names(const void *a, const void *b)
{
    return name_compare(*(char *const *)a, *(char *const *)b);
}

static void order_found(struct spool *s)
{
    s->found_done = 0;
    if (s->found.n > 0)
        qsort(s->found.v, s->found.n, sizeof *s->found.v, compare_names);
}

static void note_number(struct local *l, const char *name)
{
    if (id_number(name) > l->last_id)
        l->last_id = id_number(name);
}

/* One of an array, of which the array's log does not say that it has a folder: it was
 * made just before the end of the daemon, and nothing was begun in it. */
static bool is_unused(const struct local *l, const char *name)
{
    const struct local_job *j = ljob_find((struct local *)l, name);

    return j != NULL && j->array != NULL;
}

static int list_jobs(struct local *l, struct err *err)
{
    int fd = folder_open(l->spool->top, "jobs", err);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *entry;
    struct local_job *j;

    if (dir == NULL)
        return -1;
    for (j = l->jobs; j != NULL; j = j->hh.next)
        vec_push(&l->spool->found, xstrdup(j->id));
    while ((entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        note_number(l, entry->d_name);
        if (is_unused(l, entry->d_name))
            folder_remove(dirfd(dir), entry->d_name);
        else
            vec_push(&l->spool->found, xstrdup(entry->d_name));
    }
    closedir(dir);
    order_found(l->spool);
    return 0;
}

static void scan_one(struct local *l, const char *name)
{
    struct local_job *j = ljob_find(l, name);
    char text[600];
    struct err err;

    if (j != NULL && !j->told) {
        ljob_account(j); /* its nodes first */
        ljob_report(j);
    }
    if (j != NULL || l->spool->again) /* else it has gone meanwhile */
        return;
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
        "the folder %s/jobs/%s is not readable and left alone: %s", l->cfg.path, name,
        err.text);
    local_health(l, "workloadquery", text);
}

/* A turn of the first look. It is a timer, which queues behind what is ready already;
 * a deferred source would come before all of its priority, until it is done. */
static int on_scan(sd_event_source *source, uint64_t usec, void *ctx)
{
    struct local *l = ctx;
    struct rm_report synced = {.kind = RM_SYNCED};

    (void)usec;
    sd_event_source_set_time_relative(source, 0);
    sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
    if (!l->spool->nodes_told) {
        l->spool->nodes_told = !nodes_report_some(l, NODES_AT_ONCE);
        return 0;
    }
    for (int i = 0; i < SCAN_AT_ONCE && l->spool->found_done < l->spool->found.n; i++)
        scan_one(l, l->spool->found.v[l->spool->found_done++]);
    if (l->spool->found_done < l->spool->found.n)
        return 0;
    free_names(&l->spool->found);
    l->synced = true;
    if (nodes_report_some(l, NODES_AT_ONCE)) /* with what turned out to run on them */
        return 0;
    sd_event_source_set_enabled(source, SD_EVENT_OFF);
    local_report(l, &synced);
    return 0;
}

void spool_tell_again(struct local *l)
{
    struct local_job *j, *next;

    HASH_ITER(hh, l->jobs, j, next)
    vec_push(&l->spool->found, xstrdup(j->id));
    order_found(l->spool);
    l->spool->nodes_told = false;
    l->spool->again = true;
    sd_event_source_set_time_relative(l->spool->scan, 0);
    sd_event_source_set_enabled(l->spool->scan, SD_EVENT_ONESHOT);
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
    unlinkat(l->spool->news, event->name, 0);
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
    if (sd_event_add_inotify_fd(l->loop, &l->spool->on_news, l->spool->news,
            IN_CLOSE_WRITE | IN_ONLYDIR, on_news, l)
            < 0
        || sd_event_add_inotify_fd(l->loop, &l->spool->gone, l->spool->jobs,
               IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR, on_gone, l)
               < 0)
        return err_set(err, ERR_IO, "cannot watch the spool '%s'", l->cfg.path);
    /* before what is ready at the same time: ends make room */
    sd_event_source_set_priority(l->spool->on_news, SD_EVENT_PRIORITY_NORMAL - 10);
    return 0;
}

/* ---- old jobs ---- */

static int on_purge(sd_event_source *source, uint64_t usec, void *ctx);

static bool is_old(const struct local_job *j, int64_t now)
{
    return j->phase == PHASE_ENDED && !j->damaged && !j->writing && !j->removing
           && ((j->settled && !j->local->cfg.keeps)
               || j->end.end_at + j->local->cfg.keep_s <= now);
}

/* Its folder goes soon. */
static void list_over(struct local *l, const char *job)
{
    vec_push(&l->spool->over, xstrdup(job));
    if (l->spool->over.n == 1)
        local_timer(l, &l->spool->purge, PURGE_MIN_MS, on_purge, l);
}

/* A keeper that is still tidying up is left to it. */
static void job_removed(struct write_task *t)
{
    struct local *l = t->ctx;
    struct local_job *j = ljob_find(l, t->job);
    struct rm_report gone = {.kind = RM_JOB_GONE, .u.name = t->job};

    j->removing = false;
    if (t->err.code != ERR_NONE && t->err.code != ERR_CONFLICT)
        local_health(l, "jobpurge", t->err.text);
    ljob_next(j);
    if (t->published && !l->lost) {
        local_report(l, &gone);
        ljob_free(j);
    } else if (j->settled && !l->cfg.keeps) {
        list_over(l, t->job);
    }
}

static void remove_job(struct local_job *j)
{
    bool line = j->array != NULL;
    struct write_task *t =
        line ? larray_line_task(j) : write_task_new(WRITE_GONE, j->id);

    if (line)
        write_task_add(t, "left", xstrdup("{}"), 2);
    t->done = job_removed;
    t->ctx = j->local;
    j->removing = true;
    writer_add(line ? j->local->writer : j->local->spool->remover, t);
}

void spool_remove(struct local *l, struct write_task *t)
{
    writer_add(l->spool->remover, t);
}

/* Of those that are settled, a few; who must wait goes behind the others. True: there
 * are more. */
static bool purge_settled(struct local *l, bool *unsafe)
{
    struct names *over = &l->spool->over;
    size_t n = over->n < PURGE_AT_ONCE ? over->n : PURGE_AT_ONCE, i;

    for (i = 0; i < n && !l->lost; i++) {
        char *id = over->v[i];
        struct local_job *j = ljob_find(l, id);
        bool old = j != NULL && is_old(j, local_now());
        bool waits = old && id_number(id) > l->spool->safe_id;

        *unsafe |= waits;
        if (waits) {
            vec_push(over, id);
            continue;
        }
        if (old)
            remove_job(j);
        free(id);
    }
    over->n -= i; /* all at once: there may be a hundred thousand */
    if (i > 0)
        memmove(over->v, over->v + i, over->n * sizeof *over->v);
    return over->n > 0;
}

void local_settled(struct rm *rm, const char *job)
{
    struct local *l = (struct local *)rm;
    struct local_job *j = ljob_find(l, job);

    if (j == NULL || j->settled || j->phase != PHASE_ENDED)
        return;
    j->settled = true;
    if (l->cfg.keeps)
        return;
    list_over(l, job);
}

static int on_purge(sd_event_source *source, uint64_t usec, void *ctx)
{
    struct local *l = ctx;
    int64_t now = local_now(), wait = l->cfg.keep_s * 1000 / 8;
    struct local_job *j, *next;
    int left = PURGE_AT_ONCE;
    bool unsafe = false;

    (void)source, (void)usec;
    if (purge_settled(l, &unsafe)) {
        if (unsafe)
            save_counter(l);
        local_timer(l, &l->spool->purge, PURGE_MIN_MS / 4, on_purge, l);
        return 0;
    }
    HASH_ITER(hh, l->jobs, j, next)
    {
        if (left == 0 || l->lost)
            break;
        if (!is_old(j, now))
            continue;
        if (id_number(j->id) > l->spool->safe_id) {
            unsafe = true;
            continue;
        }
        remove_job(j);
        left--;
    }
    if (unsafe)
        save_counter(l);
    if (wait < PURGE_MIN_MS || left == 0)
        wait = PURGE_MIN_MS;
    local_timer(
        l, &l->spool->purge, wait < PURGE_MAX_MS ? wait : PURGE_MAX_MS, on_purge, l);
    return 0;
}

/* ---- open, close, come and go ---- */

static int open_folder(struct local *l, const char *name, int *ret, struct err *err)
{
    if (mkdirat(l->spool->top, name, 0711) != 0 && errno != EEXIST)
        return folder_error(err, errno, "make the folder", name);
    *ret = folder_open(l->spool->top, name, err);
    if (*ret < 0)
        return -1;
    fchmod(*ret, 0711); /* users' jobs pass through, and cannot list */
    return 0;
}

static int open_folders(struct local *l, struct err *err)
{
    if (mkdir(l->cfg.path, 0711) != 0 && errno != EEXIST)
        return folder_error(err, errno, "make the spool", l->cfg.path);
    l->spool->top = folder_open(AT_FDCWD, l->cfg.path, err);
    if (l->spool->top < 0)
        return -1;
    fchmod(l->spool->top, 0711);
    l->spool->lock = folder_lock(l->spool->top, "lock", err);
    if (l->spool->lock < 0)
        return err->code == ERR_CONFLICT ? err_set(err, ERR_CONFLICT,
                   "the spool '%s' has a daemon already", l->cfg.path)
                                         : -1;
    folder_remove(
        l->spool->top, "new"); /* submissions nobody was told of, jobs that went */
    folder_remove(l->spool->top, "news");
    if (open_folder(l, "jobs", &l->spool->jobs, err) != 0
        || open_folder(l, "arrays", &l->spool->arrays, err) != 0
        || open_folder(l, "new", &l->spool->fresh, err) != 0
        || open_folder(l, "news", &l->spool->news, err) != 0)
        return -1;
    return 0;
}

int spool_open(struct local *l, struct err *err)
{
    struct write_folders folders;

    if (open_folders(l, err) != 0 || control_open(l, err) != 0 || watch(l, err) != 0) {
        err_prefix(err, "spool %s: ", l->cfg.path);
        return -1;
    }
    folders = (struct write_folders){
        l->spool->top, l->spool->jobs, l->spool->arrays, l->spool->fresh};
    read_counter(l);
    if (writer_open(l->loop, &folders, &l->writer, err) != 0
        || remover_open(l->loop, &folders, &l->spool->remover, err) != 0
        || larrays_load(l, note_number, err) != 0 || list_jobs(l, err) != 0)
        return -1;
    if (sd_event_add_time_relative(
            l->loop, &l->spool->scan, CLOCK_MONOTONIC, 0, 1, on_scan, l)
            < 0
        || sd_event_source_set_priority(l->spool->scan, RM_PRIORITY_MANY) < 0
        || local_timer(l, &l->spool->purge, PURGE_MIN_MS, on_purge, l) < 0)
        return err_set(err, ERR_IO, "cannot put the spool on the event loop");
    return 0;
}

static void close_folder(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void close_spool(struct local *l, struct write_tokens *io_dropped)
{
    struct local_job *j, *next;

    writer_close(l->writer, io_dropped);
    writer_close(l->spool->remover, io_dropped);
    l->writer = l->spool->remover = NULL;
    control_close(l);
    HASH_ITER(hh, l->jobs, j, next)
    ljob_free(j);
    larrays_free(l);
    free_names(&l->spool->over);
    l->spool->scan = sd_event_source_disable_unref(l->spool->scan);
    l->spool->on_news = sd_event_source_disable_unref(l->spool->on_news);
    l->spool->gone = sd_event_source_disable_unref(l->spool->gone);
    l->spool->purge = sd_event_source_disable_unref(l->spool->purge);
    free_names(&l->spool->found);
    l->spool->found_done = 0;
    l->spool->again = false;
    l->spool->nodes_told = false;
    close_folder(&l->spool->lock);
    close_folder(&l->spool->jobs);
    close_folder(&l->spool->arrays);
    close_folder(&l->spool->fresh);
    close_folder(&l->spool->news);
    close_folder(&l->spool->top);
    l->synced = false;
}

void spool_close(struct local *l)
{
    close_spool(l, NULL);
}

/* Is the folder we have open still the one the path leads to? */
static bool in_place(const struct local *l)
{
    char path[4096];
    struct stat ours, there;

    snprintf(path, sizeof path, "%s/jobs", l->cfg.path);
    return l->spool->jobs >= 0 && fstat(l->spool->jobs, &ours) == 0
           && stat(path, &there) == 0 && ours.st_ino == there.st_ino
           && ours.st_dev == there.st_dev;
}

void spool_check(struct local *l)
{
    char text[600];

    if (l->lost || in_place(l))
        return;
    l->lost = true;
    snprintf(text, sizeof text,
        "the spool '%s' has gone: nothing can be submitted, started or changed",
        l->cfg.path);
    local_health(l, "spool", text);
}

/* What was under way when it went may have reached it, or not. */
static void answer_dropped(struct local *l, struct write_tokens *dropped)
{
    for (size_t i = 0; i < dropped->n; i++)
        local_done(l, dropped->v[i], RM_RETRY, NULL,
            "the spool was away meanwhile: what was asked may be done or not");
    vec_fini(dropped);
}

void spool_return(struct local *l)
{
    struct write_tokens dropped = {0};
    char path[4096];
    struct err err;

    snprintf(path, sizeof path, "%s/jobs", l->cfg.path);
    if (!l->lost || access(path, F_OK) != 0)
        return;
    larrays_unanswered(l, &dropped);
    close_spool(l, &dropped);
    nodes_forget(l);
    if (spool_open(l, &err) != 0) {
        spool_close(l);
        local_health(l, "spool", err.text);
    } else {
        l->lost = false;
        local_health(l, "spool", NULL);
    }
    answer_dropped(l, &dropped);
}
