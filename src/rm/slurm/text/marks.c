/* SPDX-License-Identifier: Apache-2.0
 * What scontrol does not show: whether a job at priority 0 is kept or held. The gate
 * knows, and leaves a file for each job of which that changes, with the number of the
 * mark in it (gate_mark of adapter.h). */
#include "base/xalloc.h"
#include "rm/slurm/text/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int *the_folder(void)
{
    static int fd = -1;

    return &fd;
}

void marks_open(const char *folder, uint32_t slurm_user)
{
    int *fd = the_folder();

    if (*fd >= 0)
        return;
    (void)mkdir(folder, 0700); /* it may be there, and another's */
    *fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (*fd >= 0 && geteuid() == 0
        && (fchown(*fd, (uid_t)slurm_user, (gid_t)-1) < 0 || fchmod(*fd, 0700) < 0))
        fprintf(stderr, "%s: %s\n", folder, strerror(errno));
}

/* Numbers are used again: is the mark of this job, and of no earlier one? One that came
 * back into the queue has been submitted anew. `whose`: user and instant, or nothing in
 * files of an earlier gate. */
static bool is_of(const slurm_job_info_t *j, const char *whose)
{
    char *end;
    unsigned long user = strtoul(whose, &end, 10);
    const char *at = end;
    long long submitted = strtoll(at, &end, 10);

    return end == at || at == whose
           || (user == j->user_id
               && (submitted == (long long)j->submit_time || j->restart_cnt > 0));
}

uint32_t marks_of(const slurm_job_info_t *j)
{
    char name[20], text[64] = "", *end = text;
    uint32_t mark;
    ssize_t n;
    int fd;

    if (*the_folder() < 0)
        return 0;
    snprintf(name, sizeof name, "%u", j->job_id);
    fd = openat(*the_folder(), name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return 0;
    n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0)
        return 0;
    mark = *text == '?' ? MARKS_DOUBT : (uint32_t)strtoul(text, &end, 10);
    return is_of(j, *text == '?' ? text + 1 : end) ? mark : 0;
}

static bool listed(const job_info_msg_t *all, unsigned long job)
{
    for (uint32_t i = 0; i < all->record_count; i++)
        if (all->job_array[i].job_id == job)
            return true;
    return false;
}

void marks_tidy(const job_info_msg_t *all)
{
    int fd = *the_folder() < 0 ? -1 : dup(*the_folder());
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    struct stat st;

    if (folder == NULL)
        return;
    rewinddir(folder);
    for (struct dirent *e; (e = readdir(folder)) != NULL;) {
        char *stop;
        unsigned long job = strtoul(e->d_name, &stop, 10);

        if (*stop || stop == e->d_name || listed(all, job)
            || fstatat(fd, e->d_name, &st, 0) < 0 || time(NULL) - st.st_mtime < 60)
            continue;
        unlinkat(fd, e->d_name, 0);
    }
    closedir(folder);
}
