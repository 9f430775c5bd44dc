/* SPDX-License-Identifier: Apache-2.0
 * Marks that the gate could not leave in a request: of records of an array, or of a
 * heterogeneous job, of which Slurm gives it one request for all (job_submit.lua). Each
 * lies in a file with the record's number for its name, and is put into the record by a
 * request for that alone, in which the gate removes the file. They outlive this program
 * and slurmctld. */
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "rm/slurm/adapter.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_MS 200 /* of one look; the rest with the next */
#define STALE_S 60  /* the gate is another, or none: it takes it no more */

char *marking_home(const char *home, const char *events)
{
    const char *slash = events != NULL ? strrchr(events, '/') : NULL;

    if (slash == NULL)
        return xstrdup(events != NULL ? "." : home);
    return slash == events ? xstrdup("/") : xstrndup(events, (size_t)(slash - events));
}

char *marking_folder(const char *gate_home)
{
    struct strbuf b = {0};

    strbuf_printf(&b, "%s/slurm.marking", gate_home);
    return strbuf_take(&b);
}

void marking_open(struct adapter *a, uint32_t slurm_user)
{
    int fd;

    if (a->gate_home == NULL)
        return; /* no gate speaks to it */
    free(a->marking);
    a->marking = marking_folder(a->gate_home);
    if (mkdir(a->marking, 0700) < 0 && errno != EEXIST)
        adapter_health(a, "marks", strerror(errno));
    fd = open(a->marking, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 || (geteuid() == 0 && fchown(fd, (uid_t)slurm_user, (gid_t)-1) < 0)
        || fchmod(fd, 0700) < 0)
        adapter_health(a, "marks", strerror(errno));
    if (fd >= 0)
        close(fd);
}

/* 0 or -1 with errno. That others of its records are refused in the same request, where
 * the number is an array's, says nothing. */
static int set_mark(const char *number)
{
    job_array_resp_msg_t *answers = NULL;
    job_desc_msg_t m;
    int result, error;

    slurm_init_job_desc_msg(&m);
    m.job_id_str = (char *)number;
    m.admin_comment = (char *)COMMENT_SETTING;
    result = slurm_update_job2(&m, &answers);
    error = errno;
    if (answers != NULL)
        slurm_free_job_array_resp(answers);
    errno = error;
    return result == SLURM_SUCCESS ? 0 : -1;
}

/* One that the gate has left there: of a job that is gone, or nobody will ever set. */
static void remove_stale(int folder, const char *number, int error)
{
    bool gone = error == ESLURM_INVALID_JOB_ID || error == ESLURM_ALREADY_DONE;
    struct stat st;

    if (fstatat(folder, number, &st, AT_SYMLINK_NOFOLLOW) == 0
        && (gone || time(NULL) - st.st_mtime > STALE_S))
        unlinkat(folder, number, 0);
}

static bool is_number(const char *name)
{
    return *name != '\0' && name[strspn(name, "0123456789")] == '\0';
}

bool marking_settle(struct adapter *a, const char *folder)
{
    int64_t until_ms = adapter_now_ms() + MOST_MS;
    DIR *d = folder != NULL ? opendir(folder) : NULL;
    bool all = true;

    for (struct dirent *e; d != NULL && all && (e = readdir(d)) != NULL;) {
        int error;

        if (!is_number(e->d_name))
            continue;
        error = set_mark(e->d_name) < 0 ? errno : 0;
        errno = error;
        if (error != 0 && adapter_lost(a, "order"))
            break; /* who looks next finds it out as well */
        remove_stale(dirfd(d), e->d_name, error);
        all = adapter_now_ms() < until_ms;
    }
    if (d != NULL)
        closedir(d);
    return all;
}
