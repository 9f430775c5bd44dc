/* SPDX-License-Identifier: Apache-2.0
 * A world as text: its maui.cfg, and a script for a person. */
#include "world.h"

#include <stdio.h>

static const char *const limit_names[LIMIT_RES_COUNT] = {
    "JOB", "PROC", "NODE", "PS", "PE", "WC", "MEM"};
static const char *const sections[CRED_KINDS + 1] = {
    "USERCFG", "GROUPCFG", "ACCOUNTCFG", "CLASSCFG", "QOSCFG", "SYSCFG"};
static const char *const access_names[] = {
    "UNSET", "SHARED", "SINGLEUSER", "SINGLEJOB", "SINGLETASK"};
static const char *const kind_names[] = {"USER", "GROUP", "ACCOUNT", "CLASS", "QOS"};

const char *world_cred_name(enum cred_kind kind, uint32_t object)
{
    static const char *const names[CRED_KINDS][W_OBJECTS] = {
        {NULL, "u1", "u2", "u3", "u4"},
        {NULL, "g1", "g2", "g3", "g4"},
        {NULL, "a1", "a2", "a3", "a4"},
        {NULL, "c1", "c2", "c3", "c4"},
        {NULL, "q1", "q2", "q3", "q4"},
    };

    return names[kind][object];
}

const char *world_part_name(uint32_t partition)
{
    static const char *const names[W_PARTS] = {"DEFAULT", "p1", "p2"};

    return names[partition];
}

/* ---- maui.cfg ---------------------------------------------------------------- */

static void text_policies(const struct w_settings *s, struct strbuf *b)
{
    strbuf_printf(b, "BACKFILLPOLICY %s\nBACKFILLMETRIC %s\nBACKFILLTYPE %s\n",
        s->bf_policy, s->bf_metric, s->bf_type);
    strbuf_printf(b, "BACKFILLDEPTH %lld\nBACKFILLMAXSCHEDULES %lld\n",
        (long long)s->bf_depth, (long long)s->bf_schedules);
    if (s->chunk_size)
        strbuf_printf(b, "BFCHUNKSIZE %lld\nBFCHUNKDURATION %lld\n",
            (long long)s->chunk_size, (long long)s->chunk_s);
    strbuf_printf(b, "RESERVATIONPOLICY %s\nRESERVATIONDEPTH[0] %lld\n", s->rsv_policy,
        (long long)s->rsv_depth);
    if (s->rsv_depth1)
        strbuf_printf(b,
            "RESERVATIONQOSLIST[0] q3 q4\nRESERVATIONDEPTH[1] %lld\n"
            "RESERVATIONQOSLIST[1] q1 q2\n",
            (long long)s->rsv_depth1);
    strbuf_printf(b, "NODEALLOCATIONPOLICY %s\nNODEAVAILABILITYPOLICY %s\n",
        s->nodealloc, s->avail);
    strbuf_printf(b, "NODEACCESSPOLICY %s\n", access_names[s->access]);
    if (s->exactnode || s->exactproc)
        strbuf_printf(b, "JOBNODEMATCHPOLICY%s%s\n", s->exactnode ? " EXACTNODE" : "",
            s->exactproc ? " EXACTPROC" : "");
    if (s->single_node)
        strbuf_add(b, "ENABLEMULTINODEJOBS FALSE\n");
    strbuf_printf(b,
        "ENABLEMULTIREQJOBS TRUE\nDEFERTIME %lld\nDEFERCOUNT %lld\n"
        "DEFERSTARTCOUNT %lld\nWCVIOLATIONACTION %s\n",
        (long long)s->defer_s, (long long)s->defer_count, (long long)s->defer_starts,
        s->requeue ? "PREEMPT" : "CANCEL");
    strbuf_printf(b, "QUEUETIMEWEIGHT %lld\nXFACTORWEIGHT %lld\n",
        (long long)s->queue_weight, (long long)s->xf_weight);
    if (s->sys_procs)
        strbuf_printf(b, "SYSTEMMAXPROCPERJOB %lld\n", (long long)s->sys_procs);
    if (s->sys_wclimit_s)
        strbuf_printf(b, "SYSTEMMAXJOBWALLTIME %lld\n", (long long)s->sys_wclimit_s);
    if (s->fs)
        strbuf_printf(b,
            "FSPOLICY DEDICATEDPS\nFSINTERVAL %lld\nFSDEPTH %lld\nFSDECAY %g\n",
            (long long)s->fs_interval_s, (long long)s->fs_depth, s->fs_decay);
}

static void text_section(
    struct strbuf *b, uint32_t kind, uint32_t object, const char *what)
{
    const char *name = "base";

    if (kind != W_SYSTEM)
        name = object ? world_cred_name((enum cred_kind)kind, object) : "DEFAULT";
    strbuf_printf(b, "%s[%s] %s", sections[kind], name, what);
}

static void text_limit(struct strbuf *b, uint32_t kind, uint32_t object,
    const char *prefix, uint32_t res, const struct w_limit *l)
{
    if (!l->soft && !l->hard)
        return;
    text_section(b, kind, object, prefix);
    if (l->soft)
        strbuf_printf(b, "%s=%lld,%lld\n", limit_names[res], (long long)l->soft,
            (long long)l->hard);
    else
        strbuf_printf(b, "%s=%lld\n", limit_names[res], (long long)l->hard);
}

static void text_limits(const struct w_settings *s, struct strbuf *b)
{
    for (uint32_t k = 0; k <= W_SYSTEM; k++)
        for (uint32_t o = 0; o < W_OBJECTS; o++)
            for (uint32_t r = 0; r < LIMIT_RES_COUNT; r++) {
                text_limit(b, k, o, "MAX", r, &s->active[k][o][r]);
                text_limit(b, k, o, "MAXI", r, &s->idle[k][o][r]);
            }
    for (uint32_t i = 0; i < s->nwithin; i++) {
        const struct w_within *x = &s->within[i];
        const char *name = world_cred_name((enum cred_kind)x->kind2, x->object2);
        text_section(b, x->kind, x->object, x->idle ? "MAXI" : "MAX");
        strbuf_printf(b, "%s[%s%s%s]=%lld\n", limit_names[x->res], kind_names[x->kind2],
            name ? ":" : "", name ? name : "", (long long)x->hard);
    }
}

static void text_creds(const struct w_settings *s, struct strbuf *b)
{
    strbuf_add(b, "USERCFG[DEFAULT] QLIST=q1,q2,q3,q4\n");
    for (uint32_t c = 1; c <= W_CLASSES; c++) {
        if (s->class_access[c])
            strbuf_printf(b, "CLASSCFG[c%u] NODEACCESSPOLICY=%s\n", c,
                access_names[s->class_access[c]]);
        if (s->class_procs_per_node[c])
            strbuf_printf(b, "CLASSCFG[c%u] MAXPROCPERNODE=%lld\n", c,
                (long long)s->class_procs_per_node[c]);
        if (s->class_procs_per_job[c])
            strbuf_printf(b, "CLASSCFG[c%u] MAXPROCPERJOB=%lld\n", c,
                (long long)s->class_procs_per_job[c]);
    }
    for (uint32_t q = 1; q < W_OBJECTS; q++) {
        if (s->qos_flags[q][0])
            strbuf_printf(b, "QOSCFG[q%u] QFLAGS=%s\n", q, s->qos_flags[q]);
        for (uint32_t r = 0; r < LIMIT_RES_COUNT; r++)
            if (s->over[q][r])
                strbuf_printf(b, "QOSCFG[q%u] OMAX%s=%lld\n", q, limit_names[r],
                    (long long)s->over[q][r]);
    }
    for (uint32_t k = 0; k < CRED_KINDS; k++)
        for (uint32_t o = 0; o < W_OBJECTS; o++)
            if (s->fs_cap[k][o]) {
                text_section(b, k, o, "FSTARGET=");
                strbuf_printf(
                    b, "%lld%c\n", (long long)s->fs_target[k][o], s->fs_cap[k][o]);
            }
}

static void text_node(const struct w_node *n, struct strbuf *b)
{
    static const char *const names[] = {
        "MAXJOB", "MAXJOBPERUSER", "MAXPROC", "MAXPROCPERUSER", "MAXPEPERJOB"};
    const int values[] = {
        n->maxjob, n->maxjob_user, n->maxproc, n->maxproc_user, n->maxpe};

    if (n->speed > 0)
        strbuf_printf(b, "NODECFG[%s] SPEED=%.2f\n", n->name, n->speed);
    for (int i = 0; i < 5; i++)
        if (values[i] >= 0)
            strbuf_printf(b, "NODECFG[%s] %s=%d\n", n->name, names[i], values[i]);
    if (n->maxproc_class >= 0)
        strbuf_printf(b, "NODECFG[%s] MAXPROC[CLASS:c%u]=%d\n", n->name, n->maxproc_of,
            n->maxproc_class);
}

void world_config(const struct world *w, uint32_t which, struct strbuf *ret)
{
    const struct w_settings *s = &w->settings[which];

    text_policies(s, ret);
    text_creds(s, ret);
    text_limits(s, ret);
    if (w->nnodes && w->nodes[0].speed > 0)
        strbuf_printf(ret, "USEMACHINESPEED ON\n");
    for (uint32_t i = 0; i < w->nnodes; i++)
        text_node(&w->nodes[i], ret);
    if (w->licences)
        strbuf_printf(ret, "NODECFG[GLOBAL] GRES=lic:%lld\n", (long long)w->licences);
}

/* ---- the script -------------------------------------------------------------- */

static void print_nodes(const struct world *w, struct strbuf *b)
{
    for (uint32_t i = 0; i < w->nnodes; i++) {
        const struct w_node *n = &w->nodes[i];
        strbuf_printf(b, "node %s %s procs %lld mem %lld swap %lld disk %lld", n->name,
            world_part_name(n->partition), (long long)n->cfg[RES_PROCS],
            (long long)n->cfg[RES_MEM], (long long)n->cfg[RES_SWAP],
            (long long)n->cfg[RES_DISK]);
        for (uint32_t f = 0; f < W_FEATURES; f++)
            if (n->features >> f & 1)
                strbuf_printf(b, " f%u", f);
        if (n->limits_classes)
            strbuf_printf(b, " c1:%d c2:%d", n->initiators[1], n->initiators[2]);
        if (n->gpus)
            strbuf_printf(b, " gpu:%d", n->gpus);
        strbuf_add(b, "\n");
    }
}

static void print_req(const struct world *w, const struct w_req *q, struct strbuf *b)
{
    strbuf_printf(b, " [%u x procs %lld", q->tasks, (long long)q->per_task[RES_PROCS]);
    if (q->per_task[RES_MEM])
        strbuf_printf(b, " mem %lld", (long long)q->per_task[RES_MEM]);
    if (q->mem_per_node)
        strbuf_printf(b, " mem of nodes %lld", (long long)q->mem_per_node);
    if (q->per_task[RES_SWAP])
        strbuf_printf(b, " swap %lld", (long long)q->per_task[RES_SWAP]);
    if (q->per_task[RES_DISK])
        strbuf_printf(b, " disk %lld", (long long)q->per_task[RES_DISK]);
    if (q->nodes)
        strbuf_printf(b, " nodes %u", q->nodes);
    if (q->tpn)
        strbuf_printf(b, " tpn %u", q->tpn);
    for (uint32_t f = 0; f < W_FEATURES; f++)
        if (q->features >> f & 1)
            strbuf_printf(b, " f%u", f);
    for (uint32_t h = 0; h < q->nhosts; h++)
        strbuf_printf(b, " host %s", w->nodes[q->hosts[h]].name);
    for (uint32_t n = 0; n < w->nnodes; n++)
        if (q->exclude >> n & 1)
            strbuf_printf(b, " not %s", w->nodes[n].name);
    if (q->gpus)
        strbuf_printf(b, " gpu %d", q->gpus);
    if (q->licences)
        strbuf_printf(b, " lic %d", q->licences);
    if (q->access)
        strbuf_printf(b, " %s", access_names[q->access]);
    strbuf_add(b, "]");
}

static void print_job(const struct world *w, const struct w_job *j, struct strbuf *b)
{
    static const char *const deps[] = {"started", "completed", "success", "failed"};

    strbuf_printf(b, "limit %lld", (long long)j->limit_s);
    if (j->run_s != j->limit_s)
        strbuf_printf(b, " runs %lld", (long long)j->run_s);
    for (uint32_t i = 0; i < j->nreqs; i++)
        print_req(w, &j->reqs[i], b);
    for (uint32_t k = 0; k < CRED_KINDS; k++)
        if (j->cred[k])
            strbuf_printf(b, " %s", world_cred_name((enum cred_kind)k, j->cred[k]));
    for (uint32_t p = 0; p < w->nparts; p++)
        if (j->partitions >> p & 1)
            strbuf_printf(b, " in %s", world_part_name(p));
    strbuf_printf(b, "%s%s%s", j->flags & JOB_NOQUEUE ? " NOQUEUE" : "",
        j->flags & JOB_DEDICATED ? " DEDICATED" : "",
        j->flags & JOB_SPAN ? " SPAN" : "");
    if (j->priority)
        strbuf_printf(b, " priority %lld", (long long)j->priority);
    if (j->release_at)
        strbuf_printf(b, " release %lld", (long long)j->release_at);
    if (j->dep >= 0)
        strbuf_printf(b, " after %s %s", w->jobs[j->dep].id, deps[j->dep_type]);
    if (j->holds)
        strbuf_printf(b, " holds %u", j->holds);
    if (j->fails)
        strbuf_printf(
            b, " fails %u times after %lld s", j->fails, (long long)j->fail_s);
}

static void print_event(
    const struct world *w, const struct w_event *e, struct strbuf *b)
{
    static const char *const verbs[] = {"submit", "hold", "release", "down", "drain",
        "up", "setspri", "setqos", "cancel", "reload"};
    bool of_node = e->kind >= W_NODE_DOWN && e->kind <= W_NODE_UP;

    strbuf_printf(b, "%lld %s", (long long)e->at, verbs[e->kind]);
    if (of_node)
        strbuf_printf(b, " %s", w->nodes[e->node].name);
    else if (e->kind != W_RELOAD)
        strbuf_printf(b, " %s", w->jobs[e->job].id);
    if (e->kind == W_SUBMIT) {
        strbuf_add(b, " ");
        print_job(w, &w->jobs[e->job], b);
    } else if (!of_node && e->kind != W_CANCEL) {
        strbuf_printf(b, " %lld", (long long)e->arg);
    }
    strbuf_add(b, "\n");
}

void world_print(const struct world *w, struct strbuf *ret)
{
    strbuf_printf(ret, "seed %llu profile %d%s%s\n", (unsigned long long)w->seed,
        w->profile, w->by_node ? " by node" : "", w->event_wise ? " event-wise" : "");
    for (uint32_t i = 0; i < w->nsettings; i++) {
        strbuf_printf(ret, "--- maui.cfg %u\n", i);
        world_config(w, i, ret);
    }
    strbuf_add(ret, "---\n");
    print_nodes(w, ret);
    for (uint32_t i = 0; i < w->nevents; i++)
        print_event(w, &w->events[i], ret);
}
