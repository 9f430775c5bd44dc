/* SPDX-License-Identifier: Apache-2.0
 * What a user asks for, as a JobRequest of the API: options of the msub line, the
 * directives of a script (#PBS, #MSUB, #SBATCH), resource lists and extension
 * attributes. Pure: no files, no clock, no environment but what it is given.
 *
 *     jobspec_init()      the caller's clock and environment
 *     jobspec_script()    the directives of the script
 *     jobspec_option()    the options of the line, which win over directives
 *     jobspec_take()      the JobRequest
 *
 * Nothing is ignored silently: what is not known is an error that names the line and
 * the nearest name, what is known and has no effect here is a warning. */
#ifndef MAUI_CLIENT_JOBSPEC_H
#define MAUI_CLIENT_JOBSPEC_H

#include "base/duration.h"
#include "base/strbuf.h"

#include <jansson.h>
#include <stdbool.h>

struct jobspec {
    const struct calendar *cal;              /* borrowed, as the environment */
    const char *const *environ;              /* "NAME=value", NULL-terminated */
    json_t *o;                               /* the JobRequest so far */
    json_t *of_script, *of_line, *resources; /* name -> text; resources: the one of the
                                                two that is written now */
    bool all_environment, quiet, wait;       /* wait: -K */
    const char *join;                        /* oe, eo, or NULL */
    char *shell;                             /* -S, owned */
    struct strbuf warnings;                  /* lines */
};

void jobspec_init(
    struct jobspec *s, const struct calendar *cal, const char *const *environ);
void jobspec_fini(struct jobspec *s);

/* An option of the line; value NULL for those without. -C is the caller's. */
int jobspec_option(struct jobspec *s, char letter, const char *value, struct err *err);

/* The directives of a script; `prefix` replaces #PBS, #MSUB and #SBATCH, NULL = those.
 * They stand before the first command. */
int jobspec_script(
    struct jobspec *s, const char *text, const char *prefix, struct err *err);

/* The JobRequest without script and arguments; a new reference, NULL with a sentence.
 */
json_t *jobspec_take(struct jobspec *s, struct err *err);

/* ---- jobspec_resources.c ---- */

/* "nodes=2:ppn=4,walltime=1:00:00": all, or one by name. */
int jobspec_list(struct jobspec *s, const char *text, struct err *err);
int jobspec_resource(
    struct jobspec *s, const char *name, const char *value, struct err *err);
/* "QOS:high;ADVRES:system.1" */
int jobspec_extensions(struct jobspec *s, const char *text, struct err *err);

/* ---- jobspec_geometry.c ---- */

/* The member `requests`, from what was asked. */
int jobspec_requests(struct jobspec *s, struct err *err);

/* ---- jobspec_time.c ---- */

/* An instant: [[[[CC]YY]MM]DD]hhmm[.SS], 2026-11-21T12:00, now+1hour, or any of
 * setres. */
int jobspec_instant(
    const struct jobspec *s, const char *text, int64_t *ret_at, struct err *err);
/* A time limit as #SBATCH --time has it: minutes, minutes:seconds, days-hours ... */
int jobspec_slurm_time(const char *text, int64_t *ret_s, struct err *err);

/* ---- shared: members of the JobRequest from texts ---- */

int jobspec_put_text(
    struct jobspec *s, const char *key, const char *value, struct err *err);
/* A length; null when it is without end. */
void jobspec_put_seconds(struct jobspec *s, const char *key, int64_t seconds);
/* "afterok:12:13,after:14" */
int jobspec_put_depend(
    struct jobspec *s, const char *key, const char *value, struct err *err);
int jobspec_put_instant(
    struct jobspec *s, const char *key, const char *value, struct err *err);
/* A user priority, -1024 to 1023. */
int jobspec_put_priority(
    struct jobspec *s, const char *key, const char *value, struct err *err);

void jobspec_warn(struct jobspec *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
