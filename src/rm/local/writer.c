/* SPDX-License-Identifier: Apache-2.0
 * The writing thread: a batch at a time, in three steps. */
#include "rm/local/writer.h"

#include "base/strbuf.h"
#include "base/vec.h"
#include "rm/local/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#define FLUSH_ALL_FROM 8 /* tasks in a batch: then one flush of the file system */
#define REMOVE_AT_ONCE                                                                 \
    100 /* files, before it is asked whether there is time for more */

struct tasks VEC(struct write_task *);

struct writer {
    struct write_folders folders;
    struct tasks waiting, batch;
    sd_event_source *begin, *end;
    int finished; /* eventfd */
    bool removes, running;
    atomic_bool closing; /* the daemon waits for the thread's end */
    pthread_t thread;
};

struct write_task *write_task_new(enum write_kind kind, const char *job)
{
    struct write_task *t = xcalloc(1, sizeof *t);

    t->kind = kind;
    t->job = job != NULL ? xstrdup(job) : NULL;
    return t;
}

struct write_task *write_task_member(
    enum write_kind kind, const char *job, const char *array, uint32_t index)
{
    struct write_task *t = write_task_new(kind, job);

    t->array = xstrdup(array);
    t->index = index;
    return t;
}

void write_task_add(struct write_task *t, const char *name, char *text, size_t len)
{
    t->files[t->nfiles++] = (struct write_file){name, text, len};
}

static void task_free(struct write_task *t)
{
    for (size_t i = 0; i < t->nfiles; i++)
        free(t->files[i].text);
    free(t->job);
    free(t->array);
    free(t);
}

static void tasks_fini(struct tasks *list)
{
    for (size_t i = 0; i < list->n; i++)
        task_free(list->v[i]);
    vec_fini(list);
}

/* ---- in the thread --------------------------------------------------------------- */

/* Is a folder made, beside where it is to be? */
static bool makes_folder(const struct write_task *t)
{
    return t->kind == WRITE_JOB || t->kind == WRITE_ARRAY || t->kind == WRITE_MEMBER;
}

/* Where the folder is to be, or is. */
static int parent_of(const struct writer *w, const struct write_task *t)
{
    return t->kind == WRITE_ARRAY || t->kind == WRITE_ARRAY_GONE ? w->folders.arrays
                                                                 : w->folders.jobs;
}

/* The folder a task's files go to. */
static int open_target(const struct writer *w, struct write_task *t)
{
    if (t->kind == WRITE_TOP)
        return folder_open(w->folders.spool, ".", &t->err);
    return folder_open(
        makes_folder(t) ? w->folders.fresh : w->folders.jobs, t->job, &t->err);
}

/* The folder goes at once, to where nobody looks for a job: half a folder would be one
 * that cannot be read, or one that has not run. What is left in it when the daemon
 * stops goes at its next start. */
static void remove_folder(struct writer *w, struct write_task *t)
{
    int folder = folder_open(parent_of(w, t), t->job, NULL), left = 1;
    bool tidied = folder < 0 || folder_lock_holder(folder, "lock") <= 0;

    if (folder >= 0)
        close(folder);
    if (!tidied) {
        err_set(&t->err, ERR_CONFLICT, "its keeper is there");
        return;
    }
    if (renameat(parent_of(w, t), t->job, w->folders.fresh, t->job) != 0
        && errno != ENOENT) {
        folder_error(&t->err, errno, "remove the folder of old job", t->job);
        return;
    }
    t->published = true;
    while (left > 0 && !w->closing) {
        unsigned files = REMOVE_AT_ONCE;
        left = folder_remove_some(w->folders.fresh, t->job, &files);
    }
    if (left < 0)
        folder_error(&t->err, errno, "remove the folder of old job", t->job);
}

/* What all of an array have, into the folder of one. */
static void copy_common(const struct writer *w, struct write_task *t, int to, bool sync)
{
    static const char *const names[] = {"environment", "script"};
    int array = folder_open(w->folders.arrays, t->array, &t->err);

    for (size_t i = 0; i < 2 && array >= 0 && t->err.code == ERR_NONE; i++) {
        size_t len;
        char *text = folder_read(array, names[i], &len, &t->err);
        if (text != NULL)
            folder_create(to, names[i], text, len, sync, &t->err);
        else if (t->err.code == ERR_NOT_FOUND)
            t->err = (struct err){0}; /* it has no script, say */
        free(text);
    }
    if (array >= 0)
        close(array);
}

/* Make the files, those that replace others under a name beside. */
static void write_files(const struct writer *w, struct write_task *t, bool sync)
{
    char name[64];
    int folder;

    if (t->kind == WRITE_LINE)
        return;
    if (makes_folder(t)) {
        folder_remove(w->folders.fresh, t->job);
        if (mkdirat(w->folders.fresh, t->job, 0711) != 0) {
            folder_error(&t->err, errno, "make the folder of job", t->job);
            return;
        }
    }
    folder = open_target(w, t);
    if (folder < 0)
        return;
    for (size_t i = 0; i < t->nfiles && t->err.code == ERR_NONE; i++) {
        snprintf(
            name, sizeof name, "%s%s", t->files[i].name, makes_folder(t) ? "" : ".new");
        folder_create(folder, name, t->files[i].text, t->files[i].len, sync, &t->err);
        if (t->err.code != ERR_NONE)
            unlinkat(folder, name, 0);
    }
    if (t->kind == WRITE_MEMBER && t->err.code == ERR_NONE)
        copy_common(w, t, folder, sync);
    if (makes_folder(t) && t->err.code == ERR_NONE) {
        fchmod(folder, 0711); /* whatever the umask: the job's user passes through */
        if (sync)
            folder_sync(folder, NULL, &t->err);
    }
    close(folder);
}

/* Give the files their names. */
static void publish(const struct writer *w, struct write_task *t, bool sync)
{
    char beside[64];
    int folder;

    if (t->kind == WRITE_LINE)
        return;
    if (makes_folder(t)) {
        if (renameat(w->folders.fresh, t->job, parent_of(w, t), t->job) != 0)
            folder_error(&t->err, errno, "publish the folder of job", t->job);
        t->published = t->err.code == ERR_NONE;
        return;
    }
    folder = open_target(w, t);
    if (folder < 0)
        return;
    for (size_t i = 0; i < t->nfiles && t->err.code == ERR_NONE; i++) {
        snprintf(beside, sizeof beside, "%s.new", t->files[i].name);
        if (renameat(folder, beside, folder, t->files[i].name) != 0)
            folder_error(&t->err, errno, "rename a file to", t->files[i].name);
    }
    if (sync && t->err.code == ERR_NONE)
        folder_sync(folder, NULL, &t->err);
    close(folder);
}

static void fail_all(struct writer *w, int code)
{
    for (size_t i = 0; i < w->batch.n; i++)
        if (w->batch.v[i]->err.code == ERR_NONE)
            folder_error(&w->batch.v[i]->err, code, "bring to the disk", "spool");
}

/* A submission that failed is not to be found later. */
static void withdraw(const struct writer *w, const struct write_task *t)
{
    if (makes_folder(t) && t->err.code != ERR_NONE)
        folder_remove(t->published ? parent_of(w, t) : w->folders.fresh, t->job);
}

/* ---- logs of arrays ---- */

static bool is_line(const struct write_task *t)
{
    return t->kind == WRITE_LINE || t->kind == WRITE_MEMBER;
}

/* What is said of it: a word and a record. */
static void get_saying(
    const struct write_task *t, const char **ret_word, const char **ret_text)
{
    bool own = t->kind == WRITE_MEMBER;

    *ret_word = own ? "left" : t->files[0].name;
    *ret_text = own ? "{}" : t->files[0].text;
}

static bool is_said_alike(const struct write_task *a, const struct write_task *b)
{
    const char *word_a, *word_b, *text_a, *text_b;

    get_saying(a, &word_a, &text_a);
    get_saying(b, &word_b, &text_b);
    return strcmp(word_a, word_b) == 0 && strcmp(text_a, text_b) == 0;
}

/* From the batch's `first` on, of the same array: neighbours of which the same is said
 * in one line. Those that are in it are listed. */
static void make_lines(
    struct writer *w, size_t first, struct strbuf *text, struct tasks *ret)
{
    const struct write_task *lead = w->batch.v[first], *from = NULL, *to = NULL;
    const char *word, *record;

    for (size_t i = first; i <= w->batch.n; i++) {
        struct write_task *t = i < w->batch.n ? w->batch.v[i] : NULL;

        if (t != NULL
            && (!is_line(t) || t->listed || t->err.code != ERR_NONE
                || strcmp(t->array, lead->array) != 0))
            continue;
        if (from != NULL
            && (t == NULL || t->index != to->index + 1 || !is_said_alike(t, from))) {
            get_saying(from, &word, &record);
            strbuf_printf(text, "%u-%u %s %s\n", from->index, to->index, word, record);
            from = NULL;
        }
        if (t == NULL)
            break;
        from = from != NULL ? from : t;
        to = t;
        t->listed = true;
        vec_push(ret, t);
    }
}

/* All of it or nothing; on the disk. */
static int append_text(int log, const struct strbuf *text)
{
    off_t before = lseek(log, 0, SEEK_END);
    size_t done = 0;
    int failed = before < 0 ? errno : 0;

    while (!failed && done < text->len) {
        ssize_t n = write(log, text->text + done, text->len - done);
        if (n < 0 && errno != EINTR)
            failed = errno;
        done += n > 0 ? (size_t)n : 0;
    }
    if (!failed && fdatasync(log) != 0)
        failed = errno;
    if (failed && before >= 0 && ftruncate(log, before) != 0)
        return errno; /* what has no end counts for nothing: see cut_torn() */
    return failed;
}

/* What was left there without an end stays out of ours. */
static int cut_torn(int log)
{
    off_t end = lseek(log, 0, SEEK_END);
    char last = '\n';
    bool torn = false;

    for (; end > 0 && pread(log, &last, 1, end - 1) == 1 && last != '\n'; end--)
        torn = true;
    return end < 0 || (torn && ftruncate(log, end) != 0) ? errno : 0;
}

static void write_lines(struct writer *w, size_t first)
{
    struct tasks lines = {0};
    struct strbuf text = {0};
    struct err err = {0};
    int array = folder_open(w->folders.arrays, w->batch.v[first]->array, &err),
        log = -1;

    make_lines(w, first, &text, &lines);
    if (array >= 0) {
        log = openat(array, "log", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        int failed = log < 0 ? errno : cut_torn(log);
        if (!failed && lseek(log, 0, SEEK_END) == 0 && fsync(array) != 0)
            failed = errno; /* its name is to be there before its first line is */
        failed = failed ? failed : append_text(log, &text);
        if (failed)
            folder_error(&err, failed, "write the log of array", lines.v[0]->array);
    }
    for (size_t i = 0; i < lines.n; i++) {
        lines.v[i]->err = err;
        lines.v[i]->published |= err.code == ERR_NONE;
    }
    if (log >= 0)
        close(log);
    if (array >= 0)
        close(array);
    free(strbuf_take(&text));
    vec_fini(&lines);
}

static void write_all(struct writer *w)
{
    size_t folders = 0, lines = 0;

    for (size_t i = 0; i < w->batch.n; i++)
        lines += w->batch.v[i]->kind == WRITE_LINE;
    bool each = w->batch.n - lines < FLUSH_ALL_FROM;
    for (size_t i = 0; i < w->batch.n; i++)
        write_files(w, w->batch.v[i], each);
    if (!each && syncfs(w->folders.spool) != 0)
        fail_all(w, errno);
    for (size_t i = 0; i < w->batch.n; i++) {
        if (w->batch.v[i]->err.code != ERR_NONE)
            continue;
        publish(w, w->batch.v[i], each);
        folders += makes_folder(w->batch.v[i]);
    }
    if (!each
            ? syncfs(w->folders.spool) != 0
            : folders && (fsync(w->folders.jobs) != 0 || fsync(w->folders.arrays) != 0))
        fail_all(w, errno);
    for (size_t i = 0; i < w->batch.n; i++)
        if (is_line(w->batch.v[i]) && !w->batch.v[i]->listed
            && w->batch.v[i]->err.code == ERR_NONE)
            write_lines(w, i);
    for (size_t i = 0; i < w->batch.n; i++)
        withdraw(w, w->batch.v[i]);
}

static void *do_batch(void *ctx)
{
    struct writer *w = ctx;
    uint64_t one = 1;

    if (w->removes)
        for (size_t i = 0; i < w->batch.n; i++)
            remove_folder(w, w->batch.v[i]);
    else
        write_all(w);
    while (write(w->finished, &one, sizeof one) < 0 && errno == EINTR)
        continue;
    return NULL;
}

/* ---- in the loop ----------------------------------------------------------------- */

static void begin_batch(struct writer *w)
{
    sigset_t all, before;
    uint64_t one = 1;

    w->batch = w->waiting;
    w->waiting = (struct tasks){0};
    w->running = true;
    sigfillset(&all); /* the thread must not take the daemon's signals */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&w->thread, NULL, do_batch, w) != 0) {
        fail_all(w, EAGAIN);
        w->running = false;
        if (write(w->finished, &one, sizeof one) < 0)
            w->running = false; /* cannot be: the counter is at 0 */
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static int on_begin(sd_event_source *source, void *ctx)
{
    struct writer *w = ctx;

    sd_event_source_set_enabled(source, SD_EVENT_OFF);
    if (w->batch.n == 0 && w->waiting.n > 0)
        begin_batch(w);
    return 0;
}

static int on_end(sd_event_source *source, int fd, uint32_t events, void *ctx)
{
    struct writer *w = ctx;
    struct tasks done = w->batch;
    uint64_t count;

    (void)source, (void)events;
    if (read(fd, &count, sizeof count) < 0)
        return 0;
    if (w->running)
        pthread_join(w->thread, NULL);
    w->running = false;
    w->batch = (struct tasks){0};
    if (w->waiting.n > 0)
        sd_event_source_set_enabled(w->begin, SD_EVENT_ONESHOT);
    for (size_t i = 0; i < done.n; i++)
        done.v[i]->done(done.v[i]);
    tasks_fini(&done);
    return 0;
}

static int open_writer(sd_event *loop, const struct write_folders *folders,
    bool removes, struct writer **ret, struct err *err)
{
    struct writer *w = xcalloc(1, sizeof *w);

    w->folders = *folders;
    w->removes = removes;
    w->finished = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (w->finished < 0 || sd_event_add_defer(loop, &w->begin, on_begin, w) < 0
        || sd_event_add_io(loop, &w->end, w->finished, EPOLLIN, on_end, w) < 0) {
        writer_close(w, NULL);
        return err_set(err, ERR_IO, "cannot watch the writing of the spool");
    }
    sd_event_source_set_enabled(w->begin, SD_EVENT_OFF);
    /* after all that is ready, but for what may go on for ever: replies that go out.
     * What comes while a batch is being written makes the next one. */
    sd_event_source_set_priority(w->begin, SD_EVENT_PRIORITY_NORMAL + 24);
    *ret = w;
    return 0;
}

int writer_open(sd_event *loop, const struct write_folders *folders,
    struct writer **ret, struct err *err)
{
    return open_writer(loop, folders, false, ret, err);
}

int remover_open(sd_event *loop, const struct write_folders *folders,
    struct writer **ret, struct err *err)
{
    return open_writer(loop, folders, true, ret, err);
}

static void list_tokens(const struct tasks *of, struct write_tokens *io)
{
    for (size_t i = 0; i < of->n; i++)
        if (of->v[i]->token != 0)
            vec_push(io, of->v[i]->token);
}

void writer_close(struct writer *w, struct write_tokens *io_dropped)
{
    if (w == NULL)
        return;
    w->closing = true;
    if (w->running)
        pthread_join(w->thread, NULL);
    sd_event_source_disable_unref(w->begin);
    sd_event_source_disable_unref(w->end);
    if (w->finished >= 0)
        close(w->finished);
    if (io_dropped != NULL) {
        list_tokens(&w->batch, io_dropped);
        list_tokens(&w->waiting, io_dropped);
    }
    tasks_fini(&w->waiting);
    tasks_fini(&w->batch);
    free(w);
}

void writer_add(struct writer *w, struct write_task *task)
{
    vec_push(&w->waiting, task);
    if (w->batch.n == 0)
        sd_event_source_set_enabled(w->begin, SD_EVENT_ONESHOT);
}
