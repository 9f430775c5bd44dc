/* SPDX-License-Identifier: Apache-2.0
 * Credentials: users, groups, accounts, classes and QOS by name and index, each
 * linked to its section of the settings. */
#include "cluster/private.h"
#include "config/settings.h"

static const struct cred_cfg empty_section = {.overrun_s = -1};

static struct cred *add(struct cluster *c, enum cred_kind kind, const char *name)
{
    struct cred *k = xcalloc(1, sizeof *k);

    k->kind = kind;
    k->index = names_intern(c->cred_names[kind], name);
    assert(k->index == c->creds[kind].n);
    k->name = names_text(c->cred_names[kind], k->index);
    k->cfg = &empty_section;
    k->def = c->creds[kind].n ? c->creds[kind].v[0]->cfg : &empty_section;
    k->enabled = true;
    vec_push(&c->creds[kind], k);
    return k;
}

void creds_create(struct cluster *c)
{
    for (int kind = 0; kind < CRED_KINDS; kind++) {
        c->cred_names[kind] = names_create();
        add(c, (enum cred_kind)kind, "DEFAULT");
    }
}

void creds_destroy(struct cluster *c)
{
    for (int kind = 0; kind < CRED_KINDS; kind++) {
        for (size_t i = 0; i < c->creds[kind].n; i++)
            free(c->creds[kind].v[i]);
        vec_fini(&c->creds[kind]);
        names_destroy(c->cred_names[kind]);
    }
}

/* Every section makes its credential, so one that is created later has none. */
static void relink(struct cluster *c, enum cred_kind kind)
{
    for (size_t i = 0; i < c->creds[kind].n; i++)
        c->creds[kind].v[i]->cfg = &empty_section;
    for (size_t i = 0; i < c->cfg->creds[kind].n; i++) {
        const struct cred_cfg *section = &c->cfg->creds[kind].v[i];
        cred_get(c, kind, section->name)->cfg = section;
    }
    for (size_t i = 0; i < c->creds[kind].n; i++)
        c->creds[kind].v[i]->def = c->creds[kind].v[0]->cfg;
}

void creds_configure(struct cluster *c)
{
    for (int kind = 0; kind < CRED_KINDS; kind++)
        relink(c, (enum cred_kind)kind);
}

struct cred *cred_find(const struct cluster *c, enum cred_kind kind, const char *name)
{
    uint32_t i = name && *name ? names_find(c->cred_names[kind], name) : 0;
    return i == NAME_NONE ? NULL : c->creds[kind].v[i];
}

struct cred *cred_get(struct cluster *c, enum cred_kind kind, const char *name)
{
    struct cred *k = cred_find(c, kind, name);
    return k ? k : add(c, kind, name);
}

int cred_missing(
    const struct cluster *c, enum cred_kind kind, const char *name, struct err *err)
{
    return name_missing(cred_kind_name(kind), c->cred_names[kind], name, err);
}

void class_enable(struct cluster *c, struct cred *cls, bool enabled)
{
    c->config_epoch += cls->enabled != enabled;
    cls->enabled = enabled;
}

const char *cred_kind_name(enum cred_kind k)
{
    static const char names[CRED_KINDS + 1][8] = {
        [CRED_USER] = "user",
        [CRED_GROUP] = "group",
        [CRED_ACCOUNT] = "account",
        [CRED_CLASS] = "class",
        [CRED_QOS] = "QOS",
        [CRED_KINDS] = "system",
    };
    return names[k];
}
