/* SPDX-License-Identifier: Apache-2.0
 * SWF from hostile hands: read by both sets of rules, then written. */
#include "sim/swf.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_and_write(
    const uint8_t *data, size_t size, const struct workload_rules *rules)
{
    struct lines *in = lines_open_memory("fuzz", (const char *)data, size);
    struct diag diag = {0};
    struct workload w;
    struct err err;
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    workload_init(&w);
    vec_push(&w.files, "fuzz");
    swf_read(in, &w, rules, &diag, &err);
    workload_finish(&w, rules, &diag);
    swf_write(out, &w, 128, "fuzz");
    fclose(out);
    free(text);
    workload_fini(&w);
    lines_close(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct workload_rules kill = {.overrun = OVERRUN_KILL};
    static const struct workload_rules extend = {
        .overrun = OVERRUN_EXTEND, .procs = 128, .use_memory = true};

    read_and_write(data, size, &kill);
    read_and_write(data, size, &extend);
    return 0;
}
