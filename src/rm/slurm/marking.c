/* SPDX-License-Identifier: Apache-2.0
 * What the gate has left in files, put into Slurm's records. */
#include "rm/slurm/marking.h"

#include "base/strbuf.h"
#include "base/xalloc.h"
#include "rm/slurm/adapter.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define AGAIN_MS   1000 /* after the first that Slurm refuses, then twice that ... */
#define AGAIN_MOST 4  /* ... so often: what a user asked for is not to wait a minute */
#define MANY       50 /* where more than that are refused, they are asked for less ... */
#define AGAIN_MANY 6  /* ... doubled so often */

/* A mark that was refused. */
struct tried {
    char *number;         /* key, owned */
    struct timespec made; /* its file: another of that name is another mark ... */
    ino_t file;           /* ... of the same record, which nobody has refused yet */
    int64_t again_ms;
    unsigned refused; /* times in a row */
    uint32_t round;   /* in which its file was there last */
    UT_hash_handle hh;
};

struct marking {
    char *folder;
    uid_t slurm_user; /* as which the gate writes */
    struct tried *tried;
    int64_t no_gate_until_ms; /* 0: it was there */
    uint32_t round;
};

char *marking_home(const char *home, const char *events)
{
    const char *slash = events != NULL ? strrchr(events, '/') : NULL;

    if (slash == NULL)
        return xstrdup(events != NULL ? "." : home);
    return slash == events ? xstrdup("/") : xstrndup(events, (size_t)(slash - events));
}

struct marking *marking_new(const char *gate_home)
{
    struct marking *m = xcalloc(1, sizeof *m);
    struct strbuf b = {0};

    strbuf_printf(&b, "%s/slurm.marking", gate_home);
    m->folder = strbuf_take(&b);
    m->slurm_user = geteuid();
    return m;
}

static void drop_tried(struct marking *m, struct tried *t)
{
    HASH_DEL(m->tried, t);
    free(t->number);
    free(t);
}

void marking_free(struct marking *m)
{
    struct tried *t, *next;

    if (m == NULL)
        return;
    HASH_ITER(hh, m->tried, t, next)
    drop_tried(m, t);
    free(m->folder);
    free(m);
}

/* -1 with errno. One that somebody else has put there is not believed. */
static int open_folder(const struct marking *m)
{
    int fd = open(m->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    struct stat st;

    if (fd < 0)
        return -1;
    if (fstat(fd, &st) == 0
        && (st.st_uid == 0 || st.st_uid == geteuid() || st.st_uid == m->slurm_user))
        return fd;
    close(fd);
    errno = EPERM;
    return -1;
}

int marking_make(struct marking *m, uint32_t slurm_user)
{
    int fd, error = 0;

    m->slurm_user = (uid_t)slurm_user;
    if (mkdir(m->folder, 0700) < 0 && errno != EEXIST)
        return -1;
    fd = open_folder(m);
    if (fd < 0)
        return -1;
    if ((geteuid() == 0 && fchown(fd, (uid_t)slurm_user, (gid_t)-1) < 0)
        || fchmod(fd, 0700) < 0)
        error = errno;
    close(fd);
    errno = error;
    return error == 0 ? 0 : -1;
}

static bool write_list(int folder, const char *name, const char *list)
{
    int fd = openat(
        folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    struct stat owner;
    bool good = fd >= 0 && dprintf(fd, "%s\n", list) >= 0;

    if (good && geteuid() == 0)
        good = fstat(folder, &owner) == 0 && fchown(fd, owner.st_uid, (gid_t)-1) == 0;
    if (fd >= 0)
        good = close(fd) == 0 && good;
    return good;
}

int marking_tell_coordinators(struct marking *m, const char *list)
{
    static const char name[] = "coordinators", fresh[] = "coordinators.new";
    int folder = open_folder(m);
    bool good = folder >= 0 && write_list(folder, fresh, list)
                && renameat(folder, fresh, folder, name) == 0;
    int error = errno;

    if (folder >= 0)
        close(folder);
    errno = error;
    return good ? 0 : -1;
}

/* ---- one mark ---- */

static int write_comment(const char *id, const char *comment)
{
    job_array_resp_msg_t *answers = NULL;
    job_desc_msg_t m;
    int result, error;

    slurm_init_job_desc_msg(&m);
    m.job_id_str = (char *)id;
    m.admin_comment = (char *)comment;
    result = slurm_update_job2(&m, &answers);
    error = errno;
    if (answers != NULL)
        slurm_free_job_array_resp(answers);
    errno = error;
    return result == SLURM_SUCCESS ? 0 : -1;
}

static const slurm_job_info_t *find_record(
    const job_info_msg_t *msg, const char *number)
{
    unsigned long wanted = strtoul(number, NULL, 10);

    for (uint32_t i = 0; i < msg->record_count; i++)
        if (msg->job_array[i].job_id == wanted)
            return &msg->job_array[i];
    return NULL;
}

static bool record_waits(const job_info_msg_t *msg, const char *number)
{
    const slurm_job_info_t *j = find_record(msg, number);

    return j != NULL && (j->job_state & JOB_STATE_BASE) == JOB_PENDING;
}

static bool is_setting(const slurm_job_info_t *j)
{
    return j->admin_comment != NULL && strcmp(j->admin_comment, COMMENT_SETTING) == 0;
}

/* What the request has written over where no gate took it: of all records that the
 * number names, which of an array is each. That of the array names all of it, and comes
 * first. */
static void restore_comments(const job_info_msg_t *before)
{
    for (int arrays = 1; arrays >= 0; arrays--)
        for (uint32_t i = 0; i < before->record_count; i++) {
            const slurm_job_info_t *j = &before->job_array[i];
            const char *comment = j->admin_comment;
            char id[20];

            snprintf(id, sizeof id, "%u", j->job_id);
            if ((j->job_id == j->array_job_id) == (arrays == 1) && !is_setting(j))
                (void)write_comment(id, comment != NULL ? comment : "");
        }
}

/* Has Slurm taken the request for an ordinary comment? One that stood there before says
 * nothing. */
static bool was_written(const job_info_msg_t *before, const char *number)
{
    job_info_msg_t *msg = NULL;
    const slurm_job_info_t *j = find_record(before, number);
    bool written;

    if (j == NULL || is_setting(j)
        || slurm_load_job(
               &msg, (uint32_t)strtoul(number, NULL, 10), SHOW_ALL | SHOW_LOCAL)
               != SLURM_SUCCESS)
        return false;
    j = find_record(msg, number);
    written = j != NULL && is_setting(j);
    slurm_free_job_info_msg(msg);
    return written;
}

enum outcome { SETTLED, GONE, REFUSED, LOST, NO_GATE };

static enum outcome judge_error(struct adapter *a)
{
    if (errno == ESLURM_INVALID_JOB_ID || errno == ESLURM_ALREADY_DONE
        || errno == ESLURM_JOB_FINISHED)
        return GONE;
    return adapter_lost(a, "order") ? LOST : REFUSED;
}

static bool is_left(int folder, const char *number)
{
    return faccessat(folder, number, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Asked twice: what the gate puts into the request Slurm may refuse behind it, for a
 * reason that has nothing to do with the mark. So the file goes with the second
 * request, if the record has the mark by then. That others of its records are refused
 * in the same request, where the number is that of several, says nothing: the file
 * does. */
static enum outcome set_mark(
    struct adapter *a, int folder, const char *number, const job_info_msg_t *before)
{
    enum outcome refused = SETTLED;

    for (int i = 0; i < 2; i++) {
        bool asked = write_comment(number, COMMENT_SETTING) == 0;

        refused = asked ? SETTLED : judge_error(a);
        if (refused == LOST)
            return LOST;
        if (!is_left(folder, number))
            return SETTLED;
        if (refused == GONE || (!asked && before->record_count == 1))
            return refused;
    }
    if (refused != SETTLED)
        return refused;
    if (!was_written(before, number))
        return REFUSED;
    restore_comments(before);
    return NO_GATE;
}

static enum outcome try_mark(struct adapter *a, int folder, const char *number)
{
    job_info_msg_t *before = NULL;
    enum outcome result = GONE;

    if (slurm_load_job(
            &before, (uint32_t)strtoul(number, NULL, 10), SHOW_ALL | SHOW_LOCAL)
        != SLURM_SUCCESS)
        return judge_error(a);
    if (record_waits(before, number))
        result = set_mark(a, folder, number, before);
    slurm_free_job_info_msg(before);
    return result;
}

/* ---- all ---- */

static bool is_number(const char *name)
{
    return *name != '\0' && strlen(name) < 11
           && name[strspn(name, "0123456789")] == '\0';
}

static void note_refusal(struct marking *m, const char *number, const struct stat *file)
{
    struct tried *t;
    unsigned doubled;

    HASH_FIND_STR(m->tried, number, t);
    if (t == NULL) {
        t = xcalloc(1, sizeof *t);
        t->number = xstrdup(number);
        HASH_ADD_KEYPTR(hh, m->tried, t->number, strlen(t->number), t);
    }
    t->round = m->round;
    t->file = file->st_ino;
    t->made = file->st_mtim;
    doubled = HASH_COUNT(m->tried) > MANY || t->refused < AGAIN_MOST ? t->refused
                                                                     : AGAIN_MOST;
    t->again_ms = adapter_now_ms() + ((int64_t)AGAIN_MS << doubled);
    t->refused += t->refused < AGAIN_MANY;
}

/* Another file of that name may come. */
static void note_end(struct marking *m, const char *number)
{
    struct tried *t;

    HASH_FIND_STR(m->tried, number, t);
    if (t != NULL)
        drop_tried(m, t);
}

static bool is_same_file(const struct tried *t, const struct stat *file)
{
    return t->file == file->st_ino && t->made.tv_sec == file->st_mtim.tv_sec
           && t->made.tv_nsec == file->st_mtim.tv_nsec;
}

/* Has nobody refused it yet? That an earlier mark of the record was refused does not
 * keep a later one waiting. */
static bool is_new(struct marking *m, const char *number, const struct stat *file)
{
    struct tried *t;

    HASH_FIND_STR(m->tried, number, t);
    if (t != NULL && !is_same_file(t, file)) {
        drop_tried(m, t);
        t = NULL;
    }
    if (t != NULL)
        t->round = m->round;
    return t == NULL;
}

static bool is_due(const struct marking *m, const char *number, int64_t now)
{
    const struct tried *t;

    HASH_FIND_STR(m->tried, number, t);
    return t == NULL || t->again_ms <= now;
}

/* Of files that somebody else has taken away. */
static void forget_others(struct marking *m)
{
    struct tried *t, *next;

    HASH_ITER(hh, m->tried, t, next)
    if (t->round != m->round)
        drop_tried(m, t);
}

/* False: no more in this turn. */
static bool settle_one(struct marking *m, struct adapter *a, int folder,
    const char *number, const struct stat *file)
{
    switch (try_mark(a, folder, number)) {
    case GONE:
        unlinkat(folder, number, 0);
        note_end(m, number);
        return true;
    case SETTLED:
        note_end(m, number);
        return true;
    case REFUSED:
        note_refusal(m, number, file);
        return true;
    case NO_GATE:
        m->no_gate_until_ms = adapter_now_ms() + ((int64_t)AGAIN_MS << AGAIN_MOST);
        return false;
    case LOST:
        break; /* who looks next finds it out as well */
    }
    return false;
}

/* NULL: there is none. Whose it is does not matter here: the files are the gate's. */
static DIR *read_folder(const struct marking *m)
{
    int fd = open(m->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;

    if (fd >= 0 && d == NULL)
        close(fd);
    return d;
}

struct turn {
    int64_t began_ms, most_ms;
    bool more; /* some had no time in it */
};

/* New ones; `again`: also those whose time has come. False: no more in this turn. */
static bool settle_some(
    struct marking *m, struct adapter *a, DIR *d, bool again, struct turn *turn)
{
    bool goes_on = true;
    struct stat file;

    rewinddir(d);
    for (struct dirent *e; goes_on && (e = readdir(d)) != NULL;) {
        if (!is_number(e->d_name)
            || fstatat(dirfd(d), e->d_name, &file, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        if (!is_new(m, e->d_name, &file)
            && !(again && is_due(m, e->d_name, turn->began_ms)))
            continue;
        turn->more = adapter_now_ms() - turn->began_ms >= turn->most_ms;
        goes_on = !turn->more && settle_one(m, a, dirfd(d), e->d_name, &file);
    }
    return goes_on;
}

/* However many are refused, others do not wait for them. */
enum marking_left marking_settle(struct marking *m, struct adapter *a, int64_t most_ms)
{
    struct turn turn = {.began_ms = adapter_now_ms(), .most_ms = most_ms};
    DIR *d;
    bool goes_on;

    if (turn.began_ms < m->no_gate_until_ms)
        return MARKING_NO_GATE;
    m->no_gate_until_ms = 0;
    m->round++;
    d = read_folder(m);
    goes_on =
        d == NULL
        || (settle_some(m, a, d, false, &turn) && settle_some(m, a, d, true, &turn));
    if (d != NULL)
        closedir(d);
    if (goes_on)
        forget_others(m);
    return m->no_gate_until_ms != 0 ? MARKING_NO_GATE
           : turn.more              ? MARKING_MORE
                                    : MARKING_DONE;
}
