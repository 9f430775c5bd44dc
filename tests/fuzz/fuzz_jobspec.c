/* SPDX-License-Identifier: Apache-2.0
 * Any text as a script with directives: a request or an error, and the request says no
 * more than the API takes. */
#include "base/xalloc.h"
#include "client/jobs/jobspec.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int to_instant(void *ctx, const struct civil *w, int64_t *ret_at)
{
    (void)ctx;
    *ret_at = (int64_t)w->year * 31104000 + (w->month - 1) * 2592000 + w->day * 86400
              + w->hour * 3600 + w->minute * 60 + w->second;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const variables[] = {"HOME=/home/mira", NULL};
    const struct calendar cal = {
        .now = 1000000, .today = {2026, 11, 21, 12, 0, 0}, .to_instant = to_instant};
    char *text = xstrndup((const char *)data, size);
    struct jobspec s;
    struct err err = {0};
    json_t *o = NULL;

    jobspec_init(&s, &cal, variables);
    if (jobspec_script(&s, text, NULL, &err) == 0)
        o = jobspec_take(&s, &err);
    if (o) {
        assert(json_array_size(json_object_get(o, "requests")) > 0);
        char *written = json_dumps(o, JSON_COMPACT);
        assert(written);
        free(written);
    } else {
        assert(err.code != ERR_NONE && *err.text);
    }
    json_decref(o);
    jobspec_fini(&s);
    free(text);
    return 0;
}
