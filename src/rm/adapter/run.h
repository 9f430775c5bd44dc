/* SPDX-License-Identifier: Apache-2.0
 * Programs that are run for us, several at a time, each with a deadline and a limit of
 * what it may print. A shell never sees their arguments.
 *
 *     adapter ---> runner ---> program       the runner is a fork of the adapter: it
 *        ^-- pipes: out, err --'  |          waits, kills the program's process group
 *        ^-- how it ended --------'          at the deadline, and outlives us
 *
 * So an order that was begun is done or killed whether we live or not, and never twice:
 * runners hold a lock, and whoever comes after us waits for it (runs_settled()). What
 * the program leaves behind in the background is neither waited for nor part of its
 * output. */
#ifndef MAUI_RM_ADAPTER_RUN_H
#define MAUI_RM_ADAPTER_RUN_H

#include "rm/adapter/squeeze.h"

#include <stdint.h>
#include <systemd/sd-event.h>

struct run_spec {
    const char *const *argv;  /* NULL ends; argv[0] is a path, or searched by PATH */
    const char *const *extra; /* "NAME=value" beside our own environment; or NULL */
    int64_t timeout_ms;
    size_t most; /* bytes of output; more: killed, and `flooded` */
    const struct squeeze_kind *squeeze; /* what of its output is dropped; or NULL */
    bool first;                         /* before those that wait for their turn */
    bool owed;                          /* carried out after runs_end(), too */
};

/* How it ended. Borrowed for the call. */
struct run_end {
    int status;      /* exit code; 128 + n = killed by signal n; 127: not to be run */
    bool hung;       /* it was killed at its deadline */
    bool flooded;    /* it printed too much */
    const char *out; /* NUL-terminated; may hold NULs of its own */
    size_t out_len;
    const char *text; /* the first line that it printed on its standard error, or else
                         of its output; what else is to be said of its end; or "" */
};

struct runs;

/* `lock`: a file that is made; runners hold its lock. At most `at_once` run at a time,
 * others wait in order. NULL with errno. */
struct runs *runs_new(sd_event *loop, const char *lock, unsigned at_once);
/* What runs goes on, until its deadline; its end is not told. */
void runs_destroy(struct runs *r);
/* Has all ended that a process before this one had begun? Until then nothing is to be
 * ordered, and no listing can be trusted. Asked again and again: it does not wait. */
bool runs_settled(struct runs *r);

/* Everything of the spec is copied. `ended` is called from the loop, never at once. */
void runs_start(struct runs *r, const struct run_spec *spec,
    void (*ended)(void *ctx, const struct run_end *end), void *ctx);
/* How many are under way or wait. */
size_t runs_count(const struct runs *r);

/* Whoever wanted them has ended: what is owed is begun now, however much else runs; of
 * the others none is from now on, nor is their end told. */
void runs_end(struct runs *r);
/* How many that are owed are under way, or wait. */
size_t runs_owed(const struct runs *r);

#endif
