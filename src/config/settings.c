/* SPDX-License-Identifier: Apache-2.0
 * The settings and their defaults; finding, adding and freeing objects. */
#include "config/settings.h"

#include "base/names.h"
#include "config/config.h"
#include "config/set.h"
#include "config/table.h"

#include <assert.h>
#include <string.h>

void text_list_add(struct text_list *list, const char *text)
{
    vec_push(list, xstrdup(text));
}

void text_list_fini(struct text_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->v[i]);
    vec_fini(list);
}

void gres_list_fini(struct gres_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->v[i].name);
    vec_fini(list);
}

static void cred_cfg_fini(struct cred_cfg *c)
{
    free(c->name);
    text_list_fini(&c->qlist.names);
    text_list_fini(&c->plist.names);
    text_list_fini(&c->alist.names);
    free(c->qdef);
    free(c->pdef);
    free(c->adef);
    text_list_fini(&c->managers);
    price_rates_fini(&c->charge_rate);
    text_list_fini(&c->advres);
    for (size_t i = 0; i < c->within.n; i++)
        free(c->within.v[i].name);
    vec_fini(&c->within);
    text_list_fini(&c->def_features);
    free(c->ocnode);
    text_list_fini(&c->use_reserved);
    text_list_fini(&c->qos_features);
}

static void node_cfg_fini(struct node_cfg *n)
{
    free(n->name);
    free(n->partition);
    free(n->nodetype);
    text_list_fini(&n->features);
    text_list_fini(&n->networks);
    gres_list_fini(&n->gres);
    free(n->frame_name);
    gres_list_fini(&n->maxproc_class);
}

static void par_settings_fini(struct par_settings *p)
{
    free(p->name);
    text_list_fini(&p->nodeset.list);
}

static void raw_object_fini(struct raw_object *o)
{
    for (size_t i = 0; i < o->attrs.n; i++) {
        free(o->attrs.v[i].name);
        free(o->attrs.v[i].value);
        free(o->attrs.v[i].file);
    }
    vec_fini(&o->attrs);
    free(o->kind);
    free(o->name);
}

static struct cred_cfg cred_cfg_new(const char *name)
{
    return (struct cred_cfg){.name = xstrdup(name), .overrun_s = -1};
}

static struct node_cfg node_cfg_new(const char *name)
{
    return (struct node_cfg){.name = xstrdup(name),
        .procspeed_mhz = -1,
        .charge_rate = -1,
        .frame = -1,
        .slot = -1,
        .size = -1,
        .maxjob = -1,
        .maxjob_per_user = -1,
        .maxproc = -1,
        .maxproc_per_user = -1,
        .cfg_procs = -1,
        .cfg_mem_mb = -1,
        .cfg_swap_mb = -1,
        .cfg_disk_mb = -1,
        .ra_disk_mb = -1};
}

struct cred_cfg *settings_find_cred(
    const struct settings *s, enum cred_kind kind, const char *name)
{
    uint32_t i = names_find(s->cred_index[kind], name);

    return i != NAME_NONE ? &s->creds[kind].v[i] : NULL;
}

struct cred_cfg *settings_cred(
    struct settings *s, enum cred_kind kind, const char *name)
{
    uint32_t i = names_intern(s->cred_index[kind], name);

    if (i == s->creds[kind].n)
        vec_push(&s->creds[kind], cred_cfg_new(name));
    return &s->creds[kind].v[i];
}

struct node_cfg *settings_find_node(const struct settings *s, const char *name)
{
    uint32_t i = names_find(s->node_index, name);

    return i != NAME_NONE ? &s->nodes.v[i] : NULL;
}

struct node_cfg *settings_node(struct settings *s, const char *name)
{
    uint32_t i = names_intern(s->node_index, name);

    if (i == s->nodes.n)
        vec_push(&s->nodes, node_cfg_new(name));
    return &s->nodes.v[i];
}

struct par_settings *settings_find_par(const struct settings *s, const char *name)
{
    for (size_t i = 1; i < s->par.n; i++)
        if (strcmp(s->par.v[i].name, name) == 0)
            return &s->par.v[i];
    return NULL;
}

struct par_settings *settings_par(struct settings *s, const char *name)
{
    struct par_settings *found, copy;

    if (name == NULL)
        return &s->par.v[0];
    found = settings_find_par(s, name);
    if (found != NULL)
        return found;
    copy = s->par.v[0];
    copy.name = xstrdup(name);
    copy.nodeset.list = (struct text_list){0};
    for (size_t i = 0; i < s->par.v[0].nodeset.list.n; i++)
        text_list_add(&copy.nodeset.list, s->par.v[0].nodeset.list.v[i]);
    vec_push(&s->par, copy);
    return &s->par.v[s->par.n - 1];
}

struct raw_object *settings_raw(struct settings *s, const char *kind, const char *name)
{
    struct raw_object object = {0};

    for (size_t i = 0; i < s->raw.n; i++)
        if (strcmp(s->raw.v[i].kind, kind) == 0 && strcmp(s->raw.v[i].name, name) == 0)
            return &s->raw.v[i];
    object.kind = xstrdup(kind);
    object.name = xstrdup(name);
    vec_push(&s->raw, object);
    return &s->raw.v[s->raw.n - 1];
}

/* Put the default of every row that has a field and a default. What remains zero
 * is "none" or "off" by the meaning of its field. */
static void apply_default(struct settings *s, const struct cfg_row *row)
{
    struct cfg_call call = {.row = row, .value = row->def};

    if (row->def == NULL || row->status == STATUS_OBSOLETE)
        return;
    if (row->home == HOME_SETTINGS)
        call.base = s;
    else if (row->home == HOME_PARTITION)
        call.base = &s->par.v[0];
    else
        return;
    if (row_set(&call, NULL) < 0)
        assert(!"the table holds a default that its own row refuses");
}

static void apply_defaults(struct settings *s)
{
    const struct cfg_group *g;

    for (size_t i = 0; (g = table_group(i)) != NULL; i++)
        for (size_t r = 0; r < g->n; r++)
            apply_default(s, &g->rows[r]);
}

struct settings *settings_create(void)
{
    struct settings *s = xcalloc(1, sizeof *s);

    for (int k = 0; k < CRED_KINDS; k++) {
        s->cred_index[k] = names_create();
        settings_cred(s, (enum cred_kind)k, "DEFAULT");
    }
    s->sys = cred_cfg_new("SYSTEM");
    s->node_index = names_create();
    settings_node(s, "DEFAULT");
    s->bank.timeout_s = 10;
    s->bank.flush_s = 86400;
    s->bank.charge = (enum charge_policy)(CHARGE_WC | CHARGE_SUCCESSFUL);
    vec_push(&s->par, (struct par_settings){0});
    apply_defaults(s);
    s->rsv_groups[0].depth = 1;
    for (int i = 0; i < RSV_GROUPS_MAX; i++)
        s->rsv_groups[i].all = true;
    return s;
}

static void daemon_settings_fini(struct daemon_settings *d)
{
    free(d->log_dir);
    free(d->log_file);
    free(d->stat_dir);
    free(d->tools_dir);
    text_list_fini(&d->log_facilities);
    free(d->syslog);
    free(d->notification_program);
    free(d->feedback_program);
    free(d->mail_program);
}

void settings_destroy(struct settings *s)
{
    if (s == NULL)
        return;
    for (int k = 0; k < CRED_KINDS; k++) {
        for (size_t i = 0; i < s->creds[k].n; i++)
            cred_cfg_fini(&s->creds[k].v[i]);
        vec_fini(&s->creds[k]);
        names_destroy(s->cred_index[k]);
    }
    names_destroy(s->node_index);
    cred_cfg_fini(&s->sys);
    for (size_t i = 0; i < s->nodes.n; i++)
        node_cfg_fini(&s->nodes.v[i]);
    vec_fini(&s->nodes);
    for (size_t i = 0; i < s->par.n; i++)
        par_settings_fini(&s->par.v[i]);
    vec_fini(&s->par);
    for (int i = 0; i < RSV_GROUPS_MAX; i++)
        text_list_fini(&s->rsv_groups[i].qos);
    daemon_settings_fini(&s->daemon);
    free(s->bank.name);
    free(s->bank.fallback);
    free(s->bank.server);
    free(s->bank.host);
    free(s->bank.backup_host);
    free(s->bank.key_file);
    price_rates_fini(&s->bank.rates);
    week_fini(&s->bank.times);
    free(s->feature_nodetype_header);
    free(s->feature_partition_header);
    free(s->feature_procspeed_header);
    gres_list_fini(&s->default_classes);
    free(s->sim_start_time);
    for (size_t i = 0; i < s->standing.n; i++)
        srcfg_fini(&s->standing.v[i]);
    vec_fini(&s->standing);
    for (size_t i = 0; i < s->raw.n; i++)
        raw_object_fini(&s->raw.v[i]);
    vec_fini(&s->raw);
    free(s);
}
