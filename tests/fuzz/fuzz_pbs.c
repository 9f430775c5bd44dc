/* SPDX-License-Identifier: Apache-2.0
 * Any text as an answer of PBS, and as a request of one of its jobs: nothing crashes,
 * and what is read can be ordered again. */
#include "rm/pbs/answers.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void order(const struct pbs_answer *a)
{
    for (size_t i = 0; i < a->jobs.n; i++) {
        const struct pbs_job *j = &a->jobs.v[i];
        int64_t chunks = 0;

        for (size_t k = 0; k < j->shape.chunks.n; k++)
            chunks += j->shape.chunks.v[k].count;
        if (j->rm.desc.id[0] == '\0' || j->rm.desc.reqs == NULL)
            __builtin_trap();
        if (chunks < 1000)
            free(pbs_start_spec(&j->shape, j->rm.places, j->rm.nplaces));
    }
}

static void read_request(char *text)
{
    struct pbs_shape s = {0};
    struct arena arena = {0};
    struct pbs_places p;
    struct err err;
    uint32_t n, flags = 0;

    char *rest = strchr(text, '\n');
    if (rest != NULL)
        *rest++ = '\0';
    if (*text == 'n')
        (void)pbs_nodes(&s, &arena, text + 1, &err);
    else if (*text)
        (void)pbs_select(&s, &arena, text + 1, &err);
    if (rest != NULL && *text == 'p')
        (void)pbs_place(&s, &arena, rest, &err);
    (void)pbs_requests(&s, &arena, &n, &flags);
    if (rest != NULL)
        (void)pbs_exec_vnode(&s, &arena, rest, &p);
    if (rest != NULL)
        (void)pbs_exec_host(&arena, rest, 100, &p);
    pbs_shape_fini(&s);
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = strndup((const char *)data, size);
    struct pbs_answer a;
    struct err err;

    if (size > 0 && (*text == '<' || *text == '{')) {
        enum pbs_dialect dialect = *text == '<' ? PBS_TORQUE : PBS_OPENPBS;

        if (pbs_read_jobs(&a, dialect, text, strlen(text), &err) == 0)
            order(&a);
        pbs_answer_fini(&a);
        (void)pbs_read_nodes(&a, dialect, text, strlen(text), &err);
        pbs_answer_fini(&a);
    } else {
        read_request(text);
    }
    free(text);
    return 0;
}
