/* SPDX-License-Identifier: Apache-2.0
 * Any text as an answer of Grid Engine: nothing crashes, and what is read is whole. The
 * parts of an input are parted by a line "--": details, states, hosts, queues, ends. */
#include "rm/gridengine/shape.h"

#include <stddef.h>
#include <stdint.h>

#define PARTS 5

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void judge_jobs(struct ge_jobs *jobs, const struct ge_site *site)
{
    for (size_t i = 0; i < jobs->list.n && i < 100; i++) {
        struct ge_job *j = &jobs->list.v[i];

        (void)ge_shape(j, NULL, site, &jobs->arena);
        if (j->rm.desc.id == NULL || j->rm.desc.reqs == NULL
            || j->rm.desc.reqs[0].tasks < 1)
            __builtin_trap();
        (void)ge_instance_for(j, site, "cn01", "batch", &jobs->arena);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct ge_pe pes[] = {{"smp", GE_PE_ONE}, {"two", 2}, {NULL, 0}};
    static const struct job_place place = {"cn01", 2, 0};
    char *text = strndup((const char *)data, size), *parts[PARTS];
    struct ge_jobs jobs, ends;
    struct ge_hosts hosts;
    struct ge_queues queues;
    struct ge_reservations reserved;
    struct err err;
    size_t n = 0;

    for (char *at = text; n < PARTS; n++) {
        char *next = at != NULL ? strstr(at, "\n--\n") : NULL;

        parts[n] = at != NULL ? at : "";
        if (next != NULL)
            *next = '\0';
        at = next != NULL ? next + 4 : NULL;
    }
    bool read = ge_read_jobs(
                    &jobs, parts[0], strlen(parts[0]), parts[1], strlen(parts[1]), &err)
                == 0;
    (void)ge_read_hosts(&hosts, parts[2], strlen(parts[2]), &err);
    free(ge_list_reservations(parts[2], strlen(parts[2]), &err));
    (void)ge_read_reservations(&reserved, parts[2], strlen(parts[2]), &err);
    ge_reservations_free(&reserved);
    ge_read_queues(&queues, parts[3], strlen(parts[3]));
    ge_read_ends(&ends, parts[4], strlen(parts[4]), 0);
    if (read) {
        (void)ge_read_held(&jobs, GE_HELD_USER, parts[1], strlen(parts[1]), &err);
        ge_check_dependencies(&jobs);
        judge_jobs(&jobs, &(struct ge_site){&hosts, &queues, pes, NULL});
    }
    if (queues.list.n > 0)
        free(ge_own_queue(&queues.list.v[0], "maui_1", &place, 1));
    ge_jobs_free(&jobs);
    ge_jobs_free(&ends);
    ge_hosts_free(&hosts);
    ge_queues_free(&queues);
    free(text);
    return 0;
}
