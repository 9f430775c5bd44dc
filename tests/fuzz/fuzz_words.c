/* SPDX-License-Identifier: Apache-2.0
 * Any text as a duration, a time and a host expression: what can be read is in
 * range, and a duration is written so that it reads back as the same. */
#include "base/duration.h"
#include "base/hostexpr.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *name_at(void *ctx, uint32_t index)
{
    static const char *const names[] = {"n1", "n2", "n10", "node[01]", "login", ""};

    (void)ctx;
    return names[index];
}

static int no_calendar(void *ctx, const struct civil *when, int64_t *ret_at)
{
    (void)ctx;
    assert(when->month >= 1 && when->month <= 12 && when->day >= 1 && when->day <= 31);
    *ret_at = 0;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct hostexpr_nodes nodes = {.count = 5, .name_at = name_at};
    const struct calendar cal = {
        .now = 1000000000, .today = {2001, 9, 9, 1, 46, 40}, .to_instant = no_calendar};
    struct hostexpr_hosts hosts = {0};
    char *text = xstrndup((const char *)data, size), buf[DURATION_TEXT_MAX];
    int64_t seconds, again;

    if (duration_parse(text, &seconds, NULL) == 0) {
        assert(seconds >= 0 && seconds <= DURATION_UNLIMITED);
        duration_format_exact(seconds, buf, sizeof buf);
        assert(duration_parse(buf, &again, NULL) == 0 && again == seconds);
    }
    if (clock_parse(text, &cal, &seconds, NULL) == 0)
        assert(seconds <= TIME_NEVER);
    if (hostexpr_match(text, &nodes, &hosts, NULL) == 0)
        assert(hostexpr_check(text, NULL) == 0);
    hostexpr_hosts_fini(&hosts);
    free(text);
    return 0;
}
