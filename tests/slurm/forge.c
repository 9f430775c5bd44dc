/* SPDX-License-Identifier: Apache-2.0
 * A user who speaks to slurmctld without its commands, which would not say such things:
 *
 *     forge submit FIELD=VALUE ...        prints the job's number
 *     forge many N FIELD=VALUE ...        so many of them
 *     forge update JOB FIELD=VALUE ...
 *
 * FIELD: comment, admin_comment, name, partition, req_nodes, priority, site_factor,
 * nice, user_id. Exit status 1: slurmctld refused, and said what is printed. */
#include <errno.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 11, 0)
#define JOB_OF(message) ((message)->step_id.job_id)
#else
#define JOB_OF(message) ((message)->job_id)
#endif

static char *environment[] = {"PATH=/usr/bin:/bin", NULL};

static int take(job_desc_msg_t *m, char *word)
{
    char *value = strchr(word, '=');

    if (value == NULL)
        return -1;
    *value++ = '\0';
    struct {
        const char *name;
        char **text;
    } texts[] = {{"comment", &m->comment}, {"admin_comment", &m->admin_comment},
        {"name", &m->name}, {"partition", &m->partition}, {"req_nodes", &m->req_nodes}};
    struct {
        const char *name;
        uint32_t *number;
    } numbers[] = {{"priority", &m->priority}, {"site_factor", &m->site_factor},
        {"nice", &m->nice}, {"user_id", &m->user_id}};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (strcmp(texts[i].name, word) == 0) {
            *texts[i].text = value;
            return 0;
        }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (strcmp(numbers[i].name, word) == 0) {
            *numbers[i].number = (uint32_t)strtoul(value, NULL, 10);
            return 0;
        }
    return -1;
}

/* 0, or -1 with errno: of tasks of an array the last that is refused. */
static int update(job_desc_msg_t *m)
{
    job_array_resp_msg_t *answers = NULL;
    int error = slurm_update_job2(m, &answers) == SLURM_SUCCESS ? 0 : errno;

    for (uint32_t i = 0; answers != NULL && i < answers->job_array_count; i++)
        if (answers->error_code[i] != SLURM_SUCCESS)
            error = (int)answers->error_code[i];
    errno = error;
    return error == 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
    submit_response_msg_t *answer = NULL;
    int one = argc > 1 && strcmp(argv[1], "submit") == 0;
    int many = argc > 2 && strcmp(argv[1], "many") == 0 ? atoi(argv[2]) : one;
    int submits = many > 0, first = one ? 2 : 3;
    job_desc_msg_t m;

    slurm_init(NULL);
    slurm_init_job_desc_msg(&m);
    if (submits) {
        m.environment = environment;
        m.env_size = 1;
        m.script = "#!/bin/sh\nsleep 100\n";
        m.work_dir = "/";
        m.std_out = m.std_err = "/dev/null";
        m.user_id = getuid();
        m.group_id = getgid();
        m.min_nodes = 1;
        m.time_limit = 5;
    } else {
        m.job_id_str = argv[2];
        JOB_OF(&m) = (uint32_t)strtoul(argv[2], NULL, 10);
    }
    for (int i = first; i < argc; i++)
        if (take(&m, argv[i]) < 0) {
            fprintf(stderr, "no such field: %s\n", argv[i]);
            return 2;
        }
    do {
        if (submits ? slurm_submit_batch_job(&m, &answer) : update(&m)) {
            puts(slurm_strerror(errno));
            return 1;
        }
        if (submits)
            printf("%u\n", JOB_OF(answer));
    } while (--many > 0);
    return 0;
}
