/* SPDX-License-Identifier: Apache-2.0
 * What the tests of the simulator share: traces in texts, and complaints kept. */
#ifndef MAUI_TEST_SIM_KIT_H
#define MAUI_TEST_SIM_KIT_H

#include "config/config.h"
#include "config/settings.h"
#include "sim/mauitrace.h"
#include "sim/swf.h"
#include "sim/workload.h"
#include "trace/lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* The last complaint, as FILE:LINE: text, and how many there were. */
struct heard {
    struct diag diag;
    char last[500];
};

static inline void kit_hear(
    void *ctx, const char *file, uint64_t line, const char *text)
{
    struct heard *h = ctx;

    assert_non_null(file);
    assert_true(line > 0);
    assert_true(text[0] != '\0');
    snprintf(
        h->last, sizeof h->last, "%s:%llu: %s", file, (unsigned long long)line, text);
}

static inline void kit_listen(struct heard *h)
{
    *h = (struct heard){.diag = {.tell = kit_hear, .ctx = h}};
}

/* Begin a workload that is "read" from file t. */
static inline void kit_open(struct workload *w)
{
    workload_init(w);
    vec_push(&w->files, "t");
}

static inline void kit_read_swf(struct workload *w, const char *text,
    const struct workload_rules *r, struct heard *h)
{
    struct lines *in = lines_open_memory("t", text, strlen(text));
    struct err err;

    kit_listen(h);
    kit_open(w);
    if (swf_read(in, w, r, &h->diag, &err) < 0)
        fail_msg("%s", err.text);
    lines_close(in);
    workload_finish(w, r, &h->diag);
}

static inline void kit_read_maui(struct workload *w, const char *text,
    const struct workload_rules *r, struct heard *h)
{
    struct lines *in = lines_open_memory("t", text, strlen(text));
    struct err err;

    kit_listen(h);
    kit_open(w);
    if (mauitrace_read(in, w, r, &h->diag, &err) < 0)
        fail_msg("%s", err.text);
    lines_close(in);
    workload_finish(w, r, &h->diag);
}

/* EASY backfill as in the textbooks (examples/easy.cfg). Owned by the caller. */
static inline struct settings *kit_easy(void)
{
    struct settings *s = settings_create();
    struct par_settings *par = &s->par.v[0];

    par->bf_policy = BACKFILL_FIRSTFIT;
    par->bf_order = BFORDER_QUEUEORDER;
    par->rsv_policy = RSVPOLICY_CURRENTHIGHEST;
    par->nodealloc = NODEALLOC_FIRSTAVAILABLE;
    s->rsv_groups[0].depth = 1;
    s->prio.weight[PRIO_QUEUETIME] = 1;
    s->defer_time_s = 0;
    return s;
}

#endif
