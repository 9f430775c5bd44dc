/* SPDX-License-Identifier: Apache-2.0
 * Any text as a file of a job's folder: nothing crashes, a refusal has a sentence, and
 * a request that is taken is the same when it is written and read again. */
#include "rm/local/record.h"
#include "rm/local/request.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *again(const struct request *r)
{
    struct rm_submission s = {.job = r->job,
        .script = r->script ? "" : NULL,
        .argv = r->argv,
        .uid = r->uid,
        .gid = r->gid,
        .umask = r->umask,
        .rerunnable = r->rerunnable,
        .join = r->join};

    return request_write(&s, r->job.desc.id, r->job.desc.submit_at);
}

static void check_request(const char *text, size_t size)
{
    struct err err = {0};
    struct request *r = request_read(text, size, &err), *back;
    const struct job_place at = {"n1", 1, 0};
    char *first, *second;

    if (r == NULL) {
        assert(err.text[0] != '\0');
        return;
    }
    assert(request_mem_mb(r, &at, 1) >= 0 && request_procs_per_task(r, 0) >= 0);
    first = again(r);
    back = request_read(first, strlen(first), &err);
    assert(back != NULL);
    second = again(back);
    assert(strcmp(first, second) == 0);
    free(first);
    free(second);
    request_free(r);
    request_free(back);
}

static void check_records(const char *text, size_t size)
{
    struct err err = {0};
    struct state state;
    struct run run;
    struct end end;
    char *out;

    if (run_read(text, size, &run, &err) == 0) {
        out = run_write(&run);
        run_fini(&run);
        assert(run_read(out, strlen(out), &run, &err) == 0);
        run_fini(&run);
        free(out);
    }
    if (end_read(text, size, &end, &err) == 0) {
        out = end_write(&end);
        assert(end_read(out, strlen(out), &end, &err) == 0);
        free(out);
    }
    if (state_read(text, size, &state, &err) == 0)
        free(state_write(&state));
    else
        assert(err.text[0] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_request((const char *)data, size);
    check_records((const char *)data, size);
    return 0;
}
