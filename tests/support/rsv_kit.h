/* SPDX-License-Identifier: Apache-2.0
 * A cluster with reservations and no engine: what tests of access, placing and
 * triggers share. */
#ifndef MAUI_TESTS_RSV_KIT_H
#define MAUI_TESTS_RSV_KIT_H

#include "cluster/job.h"
#include "cmocka_all.h"
#include "config/config.h"
#include "config/settings.h"
#include "plan/rsvnodes.h"
#include "plan/standing.h"
#include "policy/acl.h"

#include <stdio.h>

#define KIT __attribute__((unused)) static

struct rk {
    struct config *config;
    struct cluster *c;
    char text[800]; /* of the last answer in words */
};

/* Findings that are errors end the test. Settings: FIRSTAVAILABLE unless told. */
KIT struct rk rk_open(const char *lines)
{
    char all[4000];
    int len =
        snprintf(all, sizeof all, "NODEALLOCATIONPOLICY FIRSTAVAILABLE\n%s", lines);
    struct rk k = {.config = config_load_text("maui.cfg", all, (size_t)len)};

    assert_true((size_t)len < sizeof all);
    for (size_t i = 0; i < k.config->findings.n; i++)
        if (k.config->findings.v[i].level == FINDING_ERROR)
            fail_msg("%s", k.config->findings.v[i].text);
    k.c = cluster_create(k.config->settings);
    return k;
}

KIT void rk_close(struct rk *k)
{
    cluster_check(k->c);
    cluster_destroy(k->c);
    config_destroy(k->config);
}

KIT struct node *rk_node(struct rk *k, struct node_desc d)
{
    struct node *n;
    struct err err;

    if (node_report(k->c, &d, 0, &n, &err) < 0)
        fail_msg("%s", err.text);
    return n;
}

/* n1 ... n<count>, all idle. */
KIT void rk_nodes(struct rk *k, int count, int64_t procs, int64_t mem)
{
    for (int i = 1; i <= count; i++) {
        char name[20];

        snprintf(name, sizeof name, "n%d", i);
        rk_node(k, (struct node_desc){.name = name, .cfg = {{procs, mem}}});
    }
}

/* `who` = user/group/account/class/QOS, the later ones may be left out or empty. */
KIT struct job *rk_job(struct rk *k, const char *who, uint32_t tasks, int64_t wclimit_s,
    uint32_t flags, const char *advres)
{
    char text[200], id[20], *field = text;
    struct req_desc req = {.tasks = tasks, .per_task = {{1}}};
    struct job_desc d = {.id = id,
        .wclimit_s = wclimit_s,
        .flags = flags,
        .reqs = &req,
        .nreqs = 1,
        .advres = advres};
    struct job *j;
    struct err err;

    snprintf(text, sizeof text, "%s", who);
    snprintf(id, sizeof id, "job.%zu", k->c->jobs.n);
    for (int i = 0; i < CRED_KINDS && field; i++) {
        char *end = strchr(field, '/');

        if (end)
            *end++ = '\0';
        d.cred[i] = *field ? field : NULL;
        field = end;
    }
    if (job_add(k->c, &d, 0, &j, &err) < 0)
        fail_msg("%s", err.text);
    j->flags |= j->flags_asked;
    return j;
}

/* The instances that SRCFG[index] wants now, added; returns the first. */
KIT struct reservation *rk_standing(
    struct rk *k, const char *index, const struct zone *z, int64_t now)
{
    const struct sr_cfg *sr = srcfg_find(k->config->settings, index);
    struct zone utc = zone_utc();
    struct standing_instances wanted = {0};
    struct reservation *first = NULL, *r;

    assert_non_null(sr);
    standing_wanted(sr, z ? z : &utc, now, 0, &wanted);
    for (size_t i = 0; i < wanted.n; i++) {
        struct err err;
        struct reservation draft = standing_draft(
            k->c, (uint32_t)(sr - k->config->settings->standing.v), &wanted.v[i], &err);

        if (reservation_add(k->c, &draft, now, &r, &err) < 0)
            fail_msg("%s", err.text);
        first = first ? first : r;
    }
    vec_fini(&wanted);
    return first;
}

/* A reservation of an administrator with a list of one type of credentials. */
KIT struct reservation *rk_setres(struct rk *k, const char *base, enum acl_type type,
    const char *list, int64_t start, int64_t end)
{
    struct reservation draft = reservation_draft(RSV_ADMIN), *r;
    struct err err;

    draft.base = xstrdup(base);
    draft.start_at = start;
    draft.end_at = end;
    if (list && acltext_parse(type, list, &draft.acl, &err) < 0)
        fail_msg("%s", err.text);
    if (reservation_add(k->c, &draft, 0, &r, &err) < 0)
        fail_msg("%s", err.text);
    return r;
}

/* Hold `tasks` tasks on each of the nodes named, separated by blanks. */
KIT void rk_hold(struct rk *k, struct reservation *r, const char *nodes, uint32_t tasks)
{
    struct allocs alloc = {0};
    char text[200], *save = NULL;

    snprintf(text, sizeof text, "%s", nodes);
    for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
        const struct node *n = node_find(k->c, w);

        assert_non_null(n);
        vec_push(&alloc, ((struct alloc){n->index, 1, tasks, 0}));
    }
    reservation_set_nodes(k->c, r, &alloc);
}

/* "n1:2 n3:1", in RM order. */
KIT const char *rk_held(struct rk *k, const struct reservation *r)
{
    size_t len = 0;

    k->text[0] = '\0';
    for (size_t i = 0; i < r->alloc.n; i++)
        for (uint32_t n = 0; n < r->alloc.v[i].count; n++)
            len += (size_t)snprintf(k->text + len, sizeof k->text - len, "%s%s:%u",
                len ? " " : "", node_at(k->c, r->alloc.v[i].first + n)->name,
                (unsigned)r->alloc.v[i].tasks);
    return k->text;
}

#endif
