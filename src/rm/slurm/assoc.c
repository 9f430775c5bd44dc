/* SPDX-License-Identifier: Apache-2.0
 * Associations and QOS of slurmctld's cache, by the library. */
#include "base/xalloc.h"
#include "rm/slurm/limits.h"
#include "rm/slurm/rights.h"
#include "rm/slurm/slurm_names.h"

#include <errno.h>
#include <slurm/slurmdb.h>
#include <string.h>

/* Exported by the library and in none of its headers; the second is what later releases
 * call it. */
char *slurm_job_reason_string(int reason) __attribute__((weak));
char *slurm_job_state_reason_string(int reason) __attribute__((weak));

const char *assoc_reason(const slurm_job_info_t *j)
{
    return slurm_job_reason_string != NULL ? slurm_job_reason_string(j->state_reason)
           : slurm_job_state_reason_string != NULL
               ? slurm_job_state_reason_string(j->state_reason)
               : NULL;
}

static uint64_t count_of(uint32_t n)
{
    return n == INFINITE || n == NO_VAL ? NO_LIMIT : n;
}

static bool is_limit(uint64_t n)
{
    return n != INFINITE64 && n != NO_VAL64;
}

static char *copy_text(const char *text)
{
    return text != NULL && *text != '\0' ? xstrdup(text) : NULL;
}

static struct tres tres_of(const assoc_mgr_info_msg_t *m, const uint64_t *v)
{
    struct tres ret = {0};

    for (uint32_t i = 0; v != NULL && i < m->tres_cnt; i++)
        if (is_limit(v[i]))
            limits_add_tres(&ret, m->tres_names[i], strlen(m->tres_names[i]), v[i]);
    return ret;
}

/* Of minutes that are counted over the past: are there limits, are they reached? */
static void take_used(const assoc_mgr_info_msg_t *m, const uint64_t *mins,
    uint32_t wall_min, const slurmdb_assoc_usage_t *assoc,
    const slurmdb_qos_usage_t *qos, struct slurm_limits *ret)
{
    const long double *used = assoc != NULL ? assoc->usage_tres_raw
                              : qos != NULL ? qos->usage_tres_raw
                                            : NULL;
    double wall_s = assoc != NULL ? assoc->grp_used_wall
                    : qos != NULL ? qos->grp_used_wall
                                  : 0;

    for (uint32_t i = 0; mins != NULL && i < m->tres_cnt; i++) {
        if (!is_limit(mins[i]))
            continue;
        ret->grouped_mins = true;
        ret->used_up |= used != NULL && used[i] / 60 >= (long double)mins[i];
    }
    if (count_of(wall_min) == NO_LIMIT)
        return;
    ret->grouped_mins = true;
    ret->used_up |= wall_s / 60 >= wall_min;
}

static void take_assoc(const assoc_mgr_info_msg_t *m, const slurmdb_assoc_rec_t *a,
    struct slurm_limits *ret)
{
    limits_clear(ret);
    ret->account = copy_text(a->acct);
    ret->user = copy_text(a->user);
    ret->partition = copy_text(a->partition);
    ret->parent = copy_text(a->parent_acct);
    ret->shares = a->shares_raw < SLURMDB_FS_USE_PARENT ? a->shares_raw : 0;
    ret->shares_of_parent = a->shares_raw == SLURMDB_FS_USE_PARENT;
    ret->jobs = count_of(a->grp_jobs);
    ret->max_jobs = count_of(a->max_jobs);
    ret->wall_min = count_of(a->max_wall_pj);
    ret->group = tres_of(m, a->grp_tres_ctld);
    ret->run_mins = tres_of(m, a->grp_tres_run_mins_ctld);
    ret->job = tres_of(m, a->max_tres_ctld);
    ret->job_mins = tres_of(m, a->max_tres_mins_ctld);
    take_used(m, a->grp_tres_mins_ctld, a->grp_wall, a->usage, NULL, ret);
}

static void take_qos(
    const assoc_mgr_info_msg_t *m, const slurmdb_qos_rec_t *q, struct slurm_limits *ret)
{
    limits_clear(ret);
    ret->qos = copy_text(q->name);
    ret->first = q->flags & QOS_FLAG_OVER_PART_QOS;
    ret->priority = count_of(q->priority) == NO_LIMIT ? 0 : q->priority;
    ret->grace_s = count_of(q->grace_time) == NO_LIMIT ? 0 : q->grace_time;
    ret->jobs = count_of(q->grp_jobs);
    ret->user_jobs = count_of(q->max_jobs_pu);
    ret->account_jobs = count_of(q->max_jobs_pa);
    ret->wall_min = count_of(q->max_wall_pj);
    ret->group = tres_of(m, q->grp_tres_ctld);
    ret->run_mins = tres_of(m, q->grp_tres_run_mins_ctld);
    ret->job = tres_of(m, q->max_tres_pj_ctld);
    ret->job_mins = tres_of(m, q->max_tres_mins_pj_ctld);
    ret->per_user = tres_of(m, q->max_tres_pu_ctld);
    ret->per_account = tres_of(m, q->max_tres_pa_ctld);
    take_used(m, q->grp_tres_mins_ctld, q->grp_wall, NULL, q->usage, ret);
}

int assoc_load(struct slurm_limits_list *ret)
{
    assoc_mgr_info_request_msg_t request = {
        .flags = ASSOC_MGR_INFO_FLAG_ASSOC | ASSOC_MGR_INFO_FLAG_QOS};
    assoc_mgr_info_msg_t *m = NULL;
    ListIterator at;
    struct slurm_limits one;
    void *record;

    if (slurm_load_assoc_mgr_info(&request, &m) != SLURM_SUCCESS)
        return -1;
    at = m->assoc_list != NULL ? slurm_list_iterator_create(m->assoc_list) : NULL;
    while (at != NULL && (record = slurm_list_next(at)) != NULL) {
        take_assoc(m, record, &one);
        vec_push(ret, one);
    }
    if (at != NULL)
        slurm_list_iterator_destroy(at);
    at = m->qos_list != NULL ? slurm_list_iterator_create(m->qos_list) : NULL;
    while (at != NULL && (record = slurm_list_next(at)) != NULL) {
        take_qos(m, record, &one);
        vec_push(ret, one);
    }
    if (at != NULL)
        slurm_list_iterator_destroy(at);
    slurm_free_assoc_mgr_info_msg(m);
    return 0;
}

/* ---- who may do more ---- */

static void add_coordinator(
    struct slurm_rights *ret, const slurmdb_user_rec_t *u, const slurmdb_coord_rec_t *c)
{
    if (c->name != NULL)
        vec_push(&ret->coordinators,
            ((struct slurm_coordinator){xstrdup(u->name), xstrdup(c->name)}));
}

static void add_rights_of(struct slurm_rights *ret, const slurmdb_user_rec_t *u)
{
    ListIterator at;
    void *record;

    if (u->name == NULL)
        return;
    if (u->admin_level >= SLURMDB_ADMIN_OPERATOR)
        vec_push(&ret->operators, xstrdup(u->name));
    at = u->coord_accts != NULL ? slurm_list_iterator_create(u->coord_accts) : NULL;
    while (at != NULL && (record = slurm_list_next(at)) != NULL)
        add_coordinator(ret, u, record);
    if (at != NULL)
        slurm_list_iterator_destroy(at);
}

int slurm_rights_load(struct slurm_rights *ret)
{
    assoc_mgr_info_request_msg_t request = {.flags = ASSOC_MGR_INFO_FLAG_USERS};
    assoc_mgr_info_msg_t *m = NULL;
    ListIterator at;
    void *record;

    if (slurm_load_assoc_mgr_info(&request, &m) != SLURM_SUCCESS)
        return -1;
    at = m->user_list != NULL ? slurm_list_iterator_create(m->user_list) : NULL;
    while (at != NULL && (record = slurm_list_next(at)) != NULL)
        add_rights_of(ret, record);
    if (at != NULL)
        slurm_list_iterator_destroy(at);
    slurm_free_assoc_mgr_info_msg(m);
    return 0;
}
