/* SPDX-License-Identifier: Apache-2.0
 * Maui traces from hostile hands, as workload and as resources; what was taken must
 * write and read again. */
#include "cluster/job.h"
#include "sim/mauitrace.h"
#include "trace/restrace.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t read_jobs(const char *text, size_t size, struct workload *w)
{
    static const struct workload_rules rules = {.overrun = OVERRUN_KILL};
    struct lines *in = lines_open_memory("fuzz", text, size);
    struct diag diag = {0};
    struct err err;

    workload_init(w);
    vec_push(&w->files, "fuzz");
    mauitrace_read(in, w, &rules, &diag, &err);
    workload_finish(w, &rules, &diag);
    lines_close(in);
    return w->jobs.n;
}

static void workload(const char *data, size_t size)
{
    struct workload w, again;
    struct job_desc d;
    struct req_desc req;
    char *text;
    size_t length, n = read_jobs(data, size, &w);
    FILE *out = open_memstream(&text, &length);

    for (size_t i = 0; i < n; i++)
        workload_job_desc(&w, &w.jobs.v[i], 0, &d, &req);
    mauitrace_write(out, &w, NULL);
    fclose(out);
    assert(read_jobs(text, length, &again) == n);
    free(text);
    workload_fini(&again);
    workload_fini(&w);
}

static void resources(const char *data, size_t size)
{
    struct lines *in = lines_open_memory("fuzz", data, size);
    struct restrace t = {0};
    struct diag diag = {0};
    struct err err;

    restrace_read(in, &t, &diag, &err);
    for (size_t i = 0; i < t.nodes.n; i++)
        restrace_node_desc(&t.nodes.v[i]);
    restrace_fini(&t);
    lines_close(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    workload((const char *)data, size);
    resources((const char *)data, size);
    return 0;
}
