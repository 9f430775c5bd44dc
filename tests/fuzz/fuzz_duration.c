/* SPDX-License-Identifier: Apache-2.0
 * Any text as a duration and as a clock time: within bounds, and what is printed
 * reads back as itself. */
#include "base/duration.h"
#include "base/xalloc.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int to_instant(void *ctx, const struct civil *w, int64_t *ret_at)
{
    (void)ctx;
    assert(w->month >= 1 && w->month <= 12 && w->day >= 1 && w->day <= 31);
    assert(w->hour >= 0 && w->hour <= 23 && w->minute >= 0 && w->minute <= 59);
    if (w->day > 30)
        return -1;
    *ret_at = (int64_t)w->year * 31104000 + (w->month - 1) * 2592000 + w->day * 86400
              + w->hour * 3600 + w->minute * 60 + w->second;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct calendar cal = {
        .now = 1000000, .today = {2026, 11, 21, 12, 0, 0}, .to_instant = to_instant};
    char *text = xstrndup((const char *)data, size), shown[DURATION_TEXT_MAX];
    int64_t seconds, back, at;

    if (duration_parse(text, &seconds, NULL) == 0) {
        assert(seconds >= 0 && seconds <= DURATION_UNLIMITED);
        duration_format(seconds, shown, sizeof shown);
        duration_format_exact(seconds, shown, sizeof shown);
        assert(duration_parse(shown, &back, NULL) == 0 && back == seconds);
    }
    if (clock_parse(text, &cal, &at, NULL) == 0)
        assert(at >= 0 && at <= TIME_NEVER);
    free(text);
    return 0;
}
