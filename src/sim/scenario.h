/* SPDX-License-Identifier: Apache-2.0
 * What happens to a machine besides jobs: commands of an administrator, nodes that
 * fail, other configurations, each at its time. One a line:
 *
 *     TIME COMMAND ARGUMENTS...      # comment
 *
 * TIME is on the clock of the trace, or +[[[DD:]HH:]MM:]SS from its first submission.
 * Words are separated by blanks; '...' and "..." keep them together.
 *
 *     setres [options] ALL | TASKS==n | TASKS>=n | HOSTS    (config/setres)
 *     releaseres RESERVATION...    a name without number: the one in force, or the next
 *     sethold, releasehold [-a|-b|-s|-u] JOB...
 *     setspri [-r] PRIORITY JOB...
 *     setqos QOS JOB...
 *     canceljob JOB...
 *     node HOSTS STATE             up, down, drain, drained, flush, unknown
 *     account NAME [PARENT [overflow]]     of the bank
 *     deposit ACCOUNT AMOUNT [FOR]         credits, for so long; without FOR for ever
 *     changeparam PARAMETER VALUE...
 *     config FILE                  all settings; FILE is beside the scenario
 *
 * JOB is an id, or a regular expression that the whole id has to match; then it means
 * those of them that are in the queue at the time. HOSTS is a host expression.
 *
 * Lines of one instant take effect in the order of the file, after the completions and
 * the arrivals of that instant and before its scheduling cycle. Jobs on a node that is
 * down for ENGINE_DOWN_GRACE_S are lost: RESTARTABLE ones wait again, others are
 * cancelled. */
#ifndef MAUI_SIM_SCENARIO_H
#define MAUI_SIM_SCENARIO_H

#include "config/config.h"
#include "config/setres.h"
#include "engine/engine.h"
#include "sim/machine.h"
#include "sim/workload.h"
#include "trace/lines.h"

enum scenario_command {
    SCENARIO_SETRES,
    SCENARIO_RELEASERES,
    SCENARIO_SETHOLD,
    SCENARIO_RELEASEHOLD,
    SCENARIO_SETSPRI,
    SCENARIO_SETQOS,
    SCENARIO_CANCELJOB,
    SCENARIO_NODE,
    SCENARIO_ACCOUNT,
    SCENARIO_DEPOSIT,
    SCENARIO_CHANGEPARAM,
    SCENARIO_CONFIG,
    SCENARIO_COMMANDS
};

/* One line. Owned by the scenario. */
struct scenario_event {
    int64_t at; /* trace time */
    enum scenario_command command;
    uint32_t file, line;  /* index into `files`; from 1 */
    char *text;           /* as written, without the time */
    struct setres setres; /* SETRES; its times on the engine's clock */
    struct text_list
        words; /* reservations; jobs; the hosts of NODE; the file of CONFIG */
    char *qos;
    unsigned holds; /* HOLD_* bits */
    int64_t priority;
    bool relative; /* priority: added to the computed one */
    enum node_state state;
    int64_t amount, for_s; /* DEPOSIT: 1/1000 credit; DURATION_UNLIMITED = for ever */
    /* filled by scenario_bind() */
    struct VEC(uint32_t) jobs;  /* indexes in the workload, in its order */
    struct VEC(uint32_t) nodes; /* indexes in the cluster */
};

struct scenario {
    struct VEC(struct scenario_event) events; /* by time, then as written */
    struct text_list files;
};

/* The clock of the trace. */
struct scenario_clock {
    int64_t begin_at; /* first submission, which + counts from */
    int64_t shift;    /* engine time = trace time + shift */
};

/* Add the lines of one file to *s (zeroed at first, freed with scenario_fini()).
 * What is wrong with a line goes to `d`, and the line is left out. -1 when the file
 * cannot be read. */
int scenario_read(struct lines *in, const struct scenario_clock *clock,
    struct scenario *s, struct diag *d, struct err *err);

void scenario_fini(struct scenario *s);

/* Settings that changeparam and config put in force, by event, NULL for others; owned:
 * scenario_settings_fini(). `config` is the file the replay begins with, or NULL for
 * the defaults. What is wrong goes to `d`. */
struct scenario_settings VEC(struct settings *);
void scenario_settings(const struct scenario *s, const char *config,
    struct scenario_settings *ret, struct diag *d);
void scenario_settings_fini(struct scenario_settings *v);

/* What names are looked up in; borrowed. */
struct scenario_world {
    const struct workload *w;
    const struct machine *m;
    const struct settings *cfg; /* that the replay begins with */
    struct scenario_clock clock;
};

/* Look up all names: jobs, nodes, partitions, features, QOS, reservations, as they are
 * with the settings of the world, later with those of `changes`. Unknown ones go to
 * `d`. */
void scenario_bind(struct scenario *s, const struct scenario_world *world,
    const struct scenario_settings *changes, struct diag *d);

/* Put an event in force. `changed` are the settings of this event, or NULL. Returns 0
 * and what was done in `text`, or -1 and why not; something may have been done all the
 * same, when there are several jobs or nodes. Jobs it cancels are told to
 * `cancelled`. */
struct scenario_target {
    struct engine *e;
    const struct workload *w;
    int64_t now; /* engine time */
    void (*cancelled)(void *ctx, uint32_t workload_job);
    void *ctx;
};
int scenario_apply(const struct scenario_event *ev, const struct settings *changed,
    const struct scenario_target *t, char *text, size_t size);

const char *scenario_command_name(enum scenario_command c);

#endif
