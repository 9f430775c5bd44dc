/* SPDX-License-Identifier: Apache-2.0
 * See larray.h. */
#include "rm/local/larray.h"

#include "rm/local/folder.h"
#include "rm/local/ljob.h"
#include "rm/local/private.h"
#include "rm/local/spool.h"
#include "rm/local/submit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define TELL_AT_ONCE 150 /* jobs: so many more are one commit and one cycle */

struct local_array *larray_find(struct local *l, const char *number)
{
    struct local_array *a;

    HASH_FIND_STR(l->arrays, number, a);
    return a;
}

static struct local_array *make_array(
    struct local *l, const char *number, struct request *request)
{
    struct local_array *a = xcalloc(1, sizeof *a);

    a->number = xstrdup(number);
    a->local = l;
    a->request = request;
    HASH_ADD_KEYPTR(hh, l->arrays, a->number, strlen(a->number), a);
    return a;
}

static void free_array(struct local_array *a)
{
    HASH_DEL(a->local->arrays, a);
    request_free(a->request);
    free(a->number);
    free(a);
}

void larrays_free(struct local *l)
{
    struct local_array *a, *next;

    HASH_ITER(hh, l->arrays, a, next)
    free_array(a);
    vec_fini(&l->telling);
    sd_event_source_disable_unref(l->tell);
    l->tell = NULL;
}

void larrays_unanswered(const struct local *l, struct write_tokens *io)
{
    for (size_t i = 0; i < l->telling.n; i++)
        vec_push(io, l->telling.v[i]->token);
}

bool larrays_rest(const struct local *l)
{
    const struct local_array *a;

    for (a = l->arrays; a != NULL; a = a->hh.next)
        if (a->token != 0)
            return false;
    return true;
}

/* ---- its jobs ---- */

static void name_job(
    const struct local_array *a, uint32_t index, char *ret, size_t size)
{
    snprintf(ret, size, "%s[%u]", a->number, index);
}

static void make_jobs(struct local_array *a)
{
    char id[LOCAL_ID_MAX + 1];

    for (size_t i = 0; i < a->request->array.indexes.n; i++) {
        name_job(a, a->request->array.indexes.v[i], id, sizeof id);
        struct local_job *j = ljob_new(a->local, id);
        j->array = a;
        j->array_index = a->request->array.indexes.v[i];
        j->request = a->request;
        j->phase = PHASE_WAITING;
        j->state.holds = a->request->job.desc.rm_hold;
        a->jobs++;
    }
}

static void array_removed(struct write_task *t)
{
    struct local *l = t->ctx;

    local_health(l, "jobpurge", t->err.code != ERR_NONE ? t->err.text : NULL);
}

static void remove_array(struct local_array *a)
{
    struct write_task *t = write_task_new(WRITE_ARRAY_GONE, a->number);

    t->done = array_removed;
    t->ctx = a->local;
    spool_remove(a->local, t);
}

/* One less has no folder of its own. */
static void count_out(struct local_array *a)
{
    if (--a->jobs > 0)
        return;
    if (a->local->writer != NULL && !a->damaged) /* else the daemon stops, say */
        remove_array(a);
    free_array(a);
}

void larray_forget(struct local_job *j)
{
    struct local_array *a = j->array;

    j->array = NULL;
    j->request = NULL;
    count_out(a);
}

struct write_task *larray_folder_task(const struct local_job *j)
{
    struct write_task *t =
        write_task_member(WRITE_MEMBER, j->id, j->array->number, j->array_index);
    char *text = request_write_member(j->array->request, j->id);

    write_task_add(t, "request.json", text, strlen(text));
    if (j->state.holds != j->request->job.desc.rm_hold || j->state.wclimit_s > 0) {
        text = state_write(&j->state);
        write_task_add(t, "state.json", text, strlen(text));
    }
    return t;
}

int larray_part(struct local_job *j, const struct write_task *done, struct err *err)
{
    struct request *own = request_read(done->files[0].text, done->files[0].len, err);

    if (own == NULL)
        return -1;
    larray_forget(j);
    j->request = own;
    return 0;
}

struct write_task *larray_line_task(const struct local_job *j)
{
    return write_task_member(WRITE_LINE, j->id, j->array->number, j->array_index);
}

/* ---- a new one ---- */

void local_give_up(struct rm *rm, uint64_t token)
{
    struct local_array *a;

    for (a = ((struct local *)rm)->arrays; a != NULL; a = a->hh.next)
        a->given_up |= a->token == token;
}

static void untold_left(struct write_task *t)
{
    struct local *l = t->ctx;
    struct local_job *j = ljob_find(l, t->job);
    struct local_array *a;

    j->removing = false;
    if (t->err.code != ERR_NONE)
        ljob_report(j); /* it is there */
    else
        ljob_free(j);
    if (t->token == 0)
        return;
    a = larray_find(l, t->array);
    if (a != NULL)
        a->token = 0;
    local_done(l, t->token, RM_REFUSED, NULL, "the array was given up");
}

/* The last of them is the answer. */
static void drop_untold(struct local_array *a)
{
    const struct array_spec *of = &a->request->array;
    char id[LOCAL_ID_MAX + 1];

    for (size_t i = a->told; i < of->indexes.n; i++) {
        name_job(a, of->indexes.v[i], id, sizeof id);
        struct local_job *j = ljob_find(a->local, id);
        struct write_task *t = larray_line_task(j);
        write_task_add(t, "left", xstrdup("{}"), 2);
        t->done = untold_left;
        t->ctx = a->local;
        t->token = i + 1 == of->indexes.n ? a->token : 0;
        j->removing = true;
        writer_add(a->local->writer, t);
    }
}

static int on_tell(sd_event_source *source, uint64_t usec, void *ctx)
{
    struct local *l = ctx;
    struct local_array *a = l->telling.v[0];
    const struct array_spec *of = &a->request->array;
    char id[LOCAL_ID_MAX + 1];

    (void)usec;
    for (int i = 0; i < TELL_AT_ONCE && !a->given_up && a->told < of->indexes.n; i++) {
        name_job(a, of->indexes.v[a->told++], id, sizeof id);
        ljob_report(ljob_find(l, id));
    }
    vec_remove(&l->telling, 0);
    if (a->given_up) {
        drop_untold(a);
    } else if (a->told < of->indexes.n) {
        vec_push(&l->telling, a);
    } else {
        uint64_t token = a->token;
        a->token = 0;
        local_done(l, token, RM_OK, a->number, NULL);
    }
    sd_event_source_set_time_relative(source, 0);
    sd_event_source_set_enabled(
        source, l->telling.n > 0 ? SD_EVENT_ONESHOT : SD_EVENT_OFF);
    return 0;
}

/* A timer queues behind what is ready already: see the spool's first look. */
static void tell_jobs(struct local_array *a)
{
    struct local *l = a->local;

    vec_push(&l->telling, a);
    if (l->telling.n > 1)
        return;
    local_timer(l, &l->tell, 0, on_tell, l);
    sd_event_source_set_priority(l->tell, RM_PRIORITY_MANY);
}

static void array_written(struct write_task *t)
{
    struct local *l = t->ctx;
    struct local_array *a = larray_find(l, t->job);

    local_health(l, "jobsubmit", t->err.code != ERR_NONE ? t->err.text : NULL);
    if (t->err.code != ERR_NONE) {
        local_done(l, t->token, RM_RETRY, NULL, t->err.text);
        free_array(a);
        return;
    }
    make_jobs(a);
    tell_jobs(a);
}

void larray_make(
    struct local *l, const struct rm_submission *s, char *text, struct request *request)
{
    struct local_array *a = make_array(l, request->job.desc.id, request);
    struct write_task *t = write_task_new(WRITE_ARRAY, a->number);

    a->token = s->token;
    submit_add_files(t, s, text);
    t->done = array_written;
    t->ctx = l;
    t->token = s->token;
    writer_add(l->writer, t);
}

/* ---- those that are there ---- */

static int read_saying(struct local_job *j, const char *word, const char *text)
{
    size_t len = strlen(text);
    struct err err;

    if (strcmp(word, "left") == 0) {
        ljob_free(j);
        return 0;
    }
    if (strcmp(word, "state.json") == 0)
        return state_read(text, len, &j->state, &err);
    if (strcmp(word, "end.json") != 0 || end_read(text, len, &j->end, &err) != 0)
        return -1;
    j->phase = PHASE_ENDED;
    return 0;
}

/* "1-5 left {}". */
static int read_line(struct local_array *a, char *line)
{
    char id[LOCAL_ID_MAX + 1], word[20];
    unsigned first, last;
    int at = 0, failed = 0;

    if (sscanf(line, "%u-%u %19s %n", &first, &last, word, &at) != 3 || at == 0
        || last > ARRAY_INDEX)
        return -1;
    for (uint32_t i = first; i <= last && !failed; i++) {
        name_job(a, i, id, sizeof id);
        struct local_job *j = ljob_find(a->local, id);
        if (j != NULL && j->array == a)
            failed = read_saying(j, word, line + at);
    }
    return failed;
}

/* A last line without an end was never acknowledged. However long it is: what a site
 * does with a large array one job at a time makes many lines. */
static int read_log(struct local_array *a, int folder, struct err *err)
{
    int fd = openat(folder, "log", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    FILE *log = fd >= 0 ? fdopen(fd, "r") : NULL;
    char *line = NULL;
    size_t size = 0;
    ssize_t len;
    int failed = 0;

    if (log == NULL)
        return errno == ENOENT ? 0 : folder_error(err, errno, "open", "log");
    while (!failed && (len = getline(&line, &size, log)) > 0 && line[len - 1] == '\n') {
        line[len - 1] = '\0';
        if (*line != '\0' && read_line(a, line) != 0)
            failed = err_set(err, ERR_INVALID, "its log says '%.60s'", line);
    }
    if (!failed && ferror(log))
        failed = folder_error(err, errno, "read", "log");
    free(line);
    fclose(log);
    return failed;
}

static void free_jobs(struct local_array *a)
{
    char id[LOCAL_ID_MAX + 1];

    a->damaged = true;
    for (size_t i = 0; i < a->request->array.indexes.n; i++) {
        name_job(a, a->request->array.indexes.v[i], id, sizeof id);
        struct local_job *j = ljob_find(a->local, id);
        if (j != NULL && j->array == a)
            ljob_free(j);
    }
}

static int load_array(struct local *l, const char *number, int folder, struct err *err)
{
    size_t len;
    char *text = folder_read(folder, "request.json", &len, err);
    struct request *request = text != NULL ? request_read(text, len, err) : NULL;

    free(text);
    if (request == NULL)
        return -1;
    if (strcmp(request->job.desc.id, number) != 0 || request->array.indexes.n == 0
        || !id_is_valid(number) || strlen(number) + sizeof "[999999]" > LOCAL_ID_MAX) {
        err_set(err, ERR_INVALID, "request.json is not of that array");
        request_free(request);
        return -1;
    }
    struct local_array *a = make_array(l, number, request);
    a->jobs++; /* it stays until its log is read */
    make_jobs(a);
    int failed = read_log(a, folder, err);
    if (failed)
        free_jobs(a); /* some may have run */
    count_out(a);
    return failed;
}

int larrays_load(struct local *l, void (*found)(struct local *l, const char *number),
    struct err *err)
{
    int top = folder_open(spool_folder(l), "arrays", err);
    DIR *dir = top >= 0 ? fdopendir(top) : NULL;
    struct dirent *entry;
    char text[600];

    if (dir == NULL)
        return -1;
    while ((entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        found(l, entry->d_name);
        struct err why;
        int folder = folder_open(dirfd(dir), entry->d_name, &why);
        if (folder < 0 || load_array(l, entry->d_name, folder, &why) != 0) {
            snprintf(text, sizeof text,
                "the folder %s/arrays/%s is not readable and left alone: %s",
                l->cfg.path, entry->d_name, why.text);
            local_health(l, "workloadquery", text);
        }
        if (folder >= 0)
            close(folder);
    }
    closedir(dir);
    return 0;
}
