/* SPDX-License-Identifier: Apache-2.0
 * How large one job of a class, user or group may be, by itself. */
#include "base/duration.h"
#include "config/credcfg.h"
#include "policy/limits.h"

#include <stdio.h>

/* Own value of the object, else that of DEFAULT; 0 = none. */
#define OWN_OR_DEFAULT(k, field) ((k)->cfg->field ? (k)->cfg->field : (k)->def->field)

/* Class first, then the order of the credentials. */
static const enum cred_kind kinds[] = {
    CRED_CLASS, CRED_USER, CRED_GROUP, CRED_ACCOUNT, CRED_QOS};
#define KINDS (sizeof kinds / sizeof *kinds)

static void write_code(struct access_fault *ret, const char *rule,
    const struct cred *of, int64_t asked, int64_t limit)
{
    snprintf(ret->code, sizeof ret->code, "%s %s %.60s %lld %lld", rule,
        cred_kind_name(of->kind), of->name, (long long)asked, (long long)limit);
}

/* The strictest MAX.WCLIMIT counts. */
static bool wclimit_violated(
    const struct cluster *c, const struct job *j, struct access_fault *ret)
{
    const struct cred *who = NULL;
    int64_t limit = 0;
    char asked[DURATION_TEXT_MAX], allowed[DURATION_TEXT_MAX];

    for (size_t i = 0; i < KINDS; i++) {
        const struct cred *k = job_cred(c, j, kinds[i]);
        int64_t v = OWN_OR_DEFAULT(k, max_wclimit_s);
        if (v > 0 && (!who || v < limit)) {
            limit = v;
            who = k;
        }
    }
    if (!who || j->wclimit_s <= limit)
        return false;
    snprintf(ret->text, sizeof ret->text,
        "the job asks for a wallclock limit of %s but %s %s allows at most %s "
        "(MAX.WCLIMIT)",
        duration_format_exact(j->wclimit_s, asked, sizeof asked),
        cred_kind_name(who->kind), who->name,
        duration_format_exact(limit, allowed, sizeof allowed));
    write_code(ret, "MAX.WCLIMIT", who, j->wclimit_s, limit);
    return true;
}

static bool size_violated(
    const struct cred *k, const struct job *j, struct access_fault *ret)
{
    int64_t nodes = j->nodes, procs = j->procs;
    int64_t min_proc = OWN_OR_DEFAULT(k, min_proc);
    int64_t max_proc = OWN_OR_DEFAULT(k, max_proc_per_job);
    int64_t max_node = OWN_OR_DEFAULT(k, max_node_per_job);
    const char *what, *word, *name;
    int64_t asked, limit;

    if (min_proc > 0 && procs < min_proc) {
        what = "processors", word = "at least", name = "MIN.PROC";
        asked = procs, limit = min_proc;
    } else if (max_proc > 0 && procs > max_proc) {
        what = "processors", word = "at most", name = "MAXPROCPERJOB";
        asked = procs, limit = max_proc;
    } else if (max_node > 0 && nodes > max_node) {
        what = "nodes", word = "at most", name = "MAXNODEPERJOB";
        asked = nodes, limit = max_node;
    } else {
        return false;
    }
    snprintf(ret->text, sizeof ret->text,
        "the job asks for %lld %s but %s %s requires %s %lld (%s)", (long long)asked,
        what, cred_kind_name(k->kind), k->name, word, (long long)limit, name);
    write_code(ret, name, k, asked, limit);
    return true;
}

bool limits_class_violated(
    const struct cluster *c, const struct job *j, struct access_fault *ret)
{
    if (wclimit_violated(c, j, ret))
        return true;
    for (size_t i = 0; i < KINDS; i++) {
        if (size_violated(job_cred(c, j, kinds[i]), j, ret))
            return true;
    }
    return false;
}
