/* SPDX-License-Identifier: Apache-2.0
 * What the site hears of a job that is over. */
#include "server/events/ended.h"

#include "server/events/notify.h"
#include "server/events/statfile.h"
#include "server/managers/manager.h"
#include "server/server_private.h"
#include "server/simulation/simulation.h"
#include "trace/jobtrace.h"
#include "trace/tracewords.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- feedback: sixteen facts ---- */

enum { FACTS = 16, FACT_BYTES = 64 };

static void real(char *to, double value)
{
    snprintf(to, FACT_BYTES, "%.2f", value);
}

static void whole(char *to, int64_t value)
{
    snprintf(to, FACT_BYTES, "%" PRId64, value);
}

/* Loads and memory are a task's; of the highest the resource manager tells no more than
 * of the average load. */
static void feedback(
    struct server *s, const struct store_account *a, const char *qos_asked)
{
    char texts[FACTS][FACT_BYTES];
    const char *facts[FACTS];
    int64_t run = a->end_at > a->start_at ? a->end_at - a->start_at : 1;
    int64_t tasks = a->tasks > 0 ? a->tasks : 1;
    double load = a->cpu_s > 0 ? a->cpu_s / (double)run / (double)tasks : 0;
    double mem = a->mem_mb > 0 ? (double)a->mem_mb / (double)tasks : 0;

    whole(texts[5], a->submit_at);
    whole(texts[6], a->start_at);
    whole(texts[7], a->end_at);
    real(texts[8], (double)(a->end_at - a->queue_at) / (double)run);
    whole(texts[9], a->wclimit_s == DURATION_UNLIMITED ? -1 : a->wclimit_s);
    whole(texts[10], a->procs);
    whole(texts[11], a->mem_mb > 0 ? a->mem_mb : 0);
    real(texts[12], load);
    real(texts[13], load);
    real(texts[14], mem);
    real(texts[15], mem);
    facts[0] = a->job;
    facts[1] = a->user ? a->user : "NONE";
    facts[2] = "NONE";
    facts[3] = a->state;
    facts[4] = qos_asked ? qos_asked : "NONE";
    for (int i = 5; i < FACTS; i++)
        facts[i] = texts[i];
    notify_feedback(s, facts);
}

/* ---- the trace record ---- */

/* "a,b,c" as a list; both are to be freed. */
static const char **split(const char *text, char **ret_copy)
{
    struct VEC(const char *) list = {0};
    char *save = NULL;

    *ret_copy = xstrdup(text ? text : "");
    for (char *word = strtok_r(*ret_copy, ",", &save); word;
         word = strtok_r(NULL, ",", &save))
        vec_push(&list, word);
    if (list.n)
        vec_push(&list, NULL);
    return list.v;
}

static const char *name_of(const struct names *names, uint32_t id)
{
    return id == NAME_NONE ? NULL : names_text(names, id);
}

static int64_t amount(int64_t n)
{
    return n > 0 ? n : 0; /* -1: all of the node, whatever that is */
}

static void add_amounts(struct jobtrace *t, const struct res *per_task)
{
    t->ded_mem_mb = amount(per_task->v[RES_MEM]);
    t->ded_swap_mb = amount(per_task->v[RES_SWAP]);
    t->ded_disk_mb = amount(per_task->v[RES_DISK]);
}

/* What is free text for the record is the caller's. */
struct lists {
    const char **features, **hosts;
};

static void add_job(
    struct server *s, const struct job *j, struct jobtrace *t, struct lists *lists)
{
    const struct cluster *c = engine_cluster(s->engine);
    const struct taskdef *def = j->reqs[0].asked ? j->reqs[0].asked : j->reqs[0].def;
    struct VEC(const char *) features = {0}, hosts = {0};

    add_amounts(t, &def->per_task);
    t->ded_mem_mb += def->mem_per_node_mb; /* as if each were alone on its node */
    t->nodes = j->nodes;
    t->tpn = def->tpn ? (int64_t)def->tpn : -1;
    t->network = name_of(c->networks, def->network);
    t->arch = name_of(c->arches, def->arch);
    t->os = name_of(c->oses, def->os);
    if (def->mem.op != CMP_NONE) {
        t->mem_op = def->mem.op;
        t->mem_mb = def->mem.value;
    }
    if (def->disk.op != CMP_NONE) {
        t->disk_op = def->disk.op;
        t->disk_mb = def->disk.value;
    }
    for (size_t i = 0; i < def->features.n; i++)
        vec_push(&features, names_text(c->features, def->features.v[i]));
    for (size_t i = 0; i < def->hosts.n; i++)
        vec_push(&hosts, node_at(c, def->hosts.v[i])->name);
    if (features.n)
        vec_push(&features, NULL);
    if (hosts.n)
        vec_push(&hosts, NULL);
    t->features = lists->features = features.v;
    t->hosts = lists->hosts = hosts.v;
    t->flags.mask = tf_flags_mask(j->flags_asked, def->access);
    t->bypass = job_bypass(c, j);
    t->release_at = j->release_at;
    t->deadline_at = j->extra ? j->extra->deadline_at : 0;
    t->reservation = j->extra ? j->extra->advres : NULL;
}

/* As it was given, without what follows it: everybody may read the record, and
 * arguments are nobody's business. */
static char *program_of(const char *command)
{
    if (!command || !*command)
        return NULL;
    return xstrndup(command, strcspn(command, " \t"));
}

/* Processor seconds really used; where nothing tells them, those it kept from others.
 */
static double used_by(
    struct server *s, const struct store_account *a, const struct job *j)
{
    int64_t run_s = a->end_at - a->start_at;

    if (a->cpu_s >= 0)
        return a->cpu_s;
    if (j)
        run_s -= j->suspended_s + (j->suspend_at ? a->end_at - j->suspend_at : 0);
    double dedicated = run_s > 0 ? (double)run_s * (double)a->procs : 0;
    return s->simulation ? dedicated * simulation_efficiency(s, a->job) : dedicated;
}

static void trace(struct server *s, const struct store_account *a, const struct job *j,
    const struct job_desc *desc)
{
    struct gres_cfg classes[2] = {
        {.name = (char *)(a->class && *a->class ? a->class : "DEFAULT"), .count = 1}};
    const char *qos_asked =
        j && j->qos_asked
            ? engine_cluster(s->engine)->creds[CRED_QOS].v[j->qos_asked]->name
            : NULL;
    int64_t tasks = a->tasks > 0 ? a->tasks : 1;
    struct lists lists = {0};
    char *hosts, *command = program_of(j      ? world_notes(s, j)->command
                                       : desc ? desc->command
                                              : NULL);
    const char **allocated = split(a->hosts, &hosts);
    struct jobtrace t = {.id = a->job,
        .tasks = {tasks, NULL},
        .user = a->user ? a->user : "unknown",
        .group = a->group ? a->group : "unknown",
        .wclimit_s = {a->wclimit_s > 0 ? a->wclimit_s : 1, NULL},
        .state =
            strcmp(a->state, "Completed") == 0 ? JOBTRACE_COMPLETED : JOBTRACE_REMOVED,
        .classes = classes,
        .submit_at = a->submit_at,
        .dispatch_at = a->start_at,
        .start_at = a->start_at,
        .end_at = a->end_at,
        .mem_op = CMP_GE,
        .disk_op = CMP_GE,
        .queue_at = a->queue_at,
        .tasks_allocated = tasks,
        .tpn = -1,
        .qos = {qos_asked ? qos_asked : a->qos, a->qos},
        .account = a->account,
        .command = command,
        .bypass = -1,
        .procseconds = used_by(s, a, j),
        .partition = a->partition ? a->partition : "DEFAULT",
        .procs = a->procs > tasks ? a->procs / tasks : 1,
        .allocated = allocated,
        .rm = manager_label_of(s, a->job)};

    if (j)
        add_job(s, j, &t, &lists);
    else if (desc && desc->nreqs)
        add_amounts(&t, &desc->reqs[0].per_task);
    statfile_add(s, &t);
    free(lists.features);
    free(lists.hosts);
    free(allocated);
    free(hosts);
    free(command);
    feedback(s, a, qos_asked);
}

void ended_job(struct server *s, const struct store_account *row, const struct job *j,
    const struct job_desc *desc)
{
    if (row->start_at > 0 && row->end_at > 0)
        trace(s, row, j, desc);
}
