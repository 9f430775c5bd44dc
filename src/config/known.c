/* SPDX-License-Identifier: Apache-2.0
 * Which names a configuration has: those of its sections, and those that its values
 * mention. */
#include "config/known.h"

#include "base/hostexpr.h"
#include "base/names.h"
#include "base/nearest.h"
#include "config/set.h"
#include "config/settings.h"
#include "config/table.h"
#include "config/value.h"

#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

struct known {
    const struct config *c;
    const struct config_use *use;
    struct names *own[KNOWN_KINDS]; /* of sections */
    /* mentioned by values, and by how many, up to 2 */
    struct names *said[KNOWN_KINDS];
    struct VEC(uint8_t) times[KNOWN_KINDS];
    bool all_nodes;
};

const char *known_word(unsigned kind)
{
    static const char *const words[KNOWN_KINDS] = {
        "user", "group", "account", "class", "QOS", "partition", "node"};

    return words[kind];
}

char *known_index(const struct cfg_value *v)
{
    const char *open = strchr(v->name, '['), *dot = strchr(v->name, '.');

    if (open == NULL || (dot != NULL && dot < open))
        return xstrdup("");
    return xstrndup(open + 1, strcspn(open + 1, "]"));
}

/* ---- what a value names ---- */

/* Values that are lists of names, besides the access lists of reservations. */
static const struct {
    const char *of;
    unsigned kind;
    bool of_section;
} mentions[] = {{"QLIST", CRED_QOS, true}, {"QDEF", CRED_QOS, true},
    {"PLIST", KNOWN_PARTITION, true}, {"PDEF", KNOWN_PARTITION, true},
    {"ALIST", CRED_ACCOUNT, true}, {"ADEF", CRED_ACCOUNT, true},
    {"CHARGEACCOUNT", CRED_ACCOUNT, true}, {"PARTITION", KNOWN_PARTITION, true},
    {"RESERVATIONQOSLIST", CRED_QOS, false}, {"ADMIN1", CRED_USER, false},
    {"ADMIN2", CRED_USER, false}, {"ADMIN3", CRED_USER, false},
    {"DEFAULTCLASSLIST", CRED_CLASS, false}};

static void add_name(struct text_list *names, const char *name)
{
    static const char *const general[] = {"ALL", "[ALL]", "DEFAULT", "[DEFAULT]",
        "NONE", "[NONE]", "ANY", "[ANY]", "0", "1"};

    for (size_t i = 0; i < sizeof general / sizeof *general; i++)
        if (strcasecmp(general[i], name) == 0)
            return;
    text_list_add(names, name);
}

static void add_acl(const struct cfg_value *v, struct text_list *names)
{
    struct acl acl = {0};

    if (acltext_parse((enum acl_type)v->row->arg, v->text, &acl, NULL) < 0)
        return;
    for (size_t i = 0; i < acl.entries.n; i++)
        if (!acl.entries.v[i].any)
            add_name(names, acl.entries.v[i].name);
    acltext_fini(&acl);
}

static void add_list(const struct cfg_value *v, struct text_list *names)
{
    struct name_list list = {0};

    if (value_creds(v->text, &list, NULL) < 0)
        return;
    for (size_t i = 0; i < list.names.n; i++)
        add_name(names, list.names.v[i]);
    text_list_fini(&list.names);
}

static bool add_owner(
    const struct cfg_value *v, unsigned *ret_kind, struct text_list *names)
{
    char *owner = NULL;

    if (srcfg_owner_parse(v->text, ret_kind, &owner, NULL) < 0)
        return false;
    add_name(names, owner);
    free(owner);
    return true;
}

bool known_names_of(
    const struct cfg_value *v, unsigned *ret_kind, struct text_list *names)
{
    const struct cfg_row *row = v->row;

    if (row->set == set_sr_access_list && row->arg < CRED_KINDS) {
        *ret_kind = row->arg;
        add_acl(v, names);
        return true;
    }
    if (row->set == set_sr_owner)
        return add_owner(v, ret_kind, names);
    for (size_t i = 0; i < sizeof mentions / sizeof *mentions; i++) {
        if (strcmp(mentions[i].of, row->name) != 0
            || mentions[i].of_section != (row->objects != 0)
            || (row->objects & 1u << OBJECT_NODE) != 0)
            continue;
        *ret_kind = mentions[i].kind;
        add_list(v, names);
        return true;
    }
    return false;
}

/* ---- all of it ---- */

static void know(struct known *k, unsigned kind, const char *name)
{
    if (name != NULL && *name != '\0' && strcmp(name, "DEFAULT") != 0
        && strcmp(name, "GLOBAL") != 0)
        names_intern(k->own[kind], name);
}

static void know_sections(struct known *k)
{
    const struct settings *s = k->c->settings;

    for (unsigned kind = 0; kind < CRED_KINDS; kind++)
        for (size_t i = 0; i < s->creds[kind].n; i++) {
            const struct cred_cfg *cred = &s->creds[kind].v[i];

            know(k, kind, cred->name);
            for (size_t w = 0; w < cred->within.n; w++)
                know(k, cred->within.v[w].other, cred->within.v[w].name);
        }
    for (size_t i = 0; i < s->par.n; i++)
        know(k, KNOWN_PARTITION, s->par.v[i].name);
    for (size_t i = 0; i < s->default_classes.n; i++)
        know(k, CRED_CLASS, s->default_classes.v[i].name);
    for (size_t i = 0; i < s->nodes.n; i++) {
        know(k, KNOWN_PARTITION, s->nodes.v[i].partition);
        for (size_t j = 0; j < s->nodes.v[i].maxproc_class.n; j++)
            know(k, CRED_CLASS, s->nodes.v[i].maxproc_class.v[j].name);
    }
}

static void know_mentioned(struct known *k)
{
    for (size_t i = 0; i < k->c->values.n; i++) {
        struct text_list names = {0};
        unsigned kind;

        if (known_names_of(&k->c->values.v[i], &kind, &names)) {
            for (size_t n = 0; n < names.n; n++) {
                uint32_t id = names_intern(k->said[kind], names.v[n]);

                if (id == k->times[kind].n)
                    vec_push(&k->times[kind], 0);
                if (k->times[kind].v[id] < 2)
                    k->times[kind].v[id]++;
            }
        }
        text_list_fini(&names);
    }
}

/* The nodes that the local resource manager makes of --nodes, of RMCFG or of NODECFG.
 */
static void know_nodes(struct known *k)
{
    const struct settings *s = k->c->settings;
    const char *text = k->use->nodes != NULL ? k->use->nodes
                                             : config_manager(k->c, "NODES"),
               *type = config_manager(k->c, "TYPE");
    int64_t count, procs;
    char name[32];

    if (k->use->simulated || (k->use->nodes == NULL && config_managers(k->c) > 1)
        || (k->use->nodes == NULL && type != NULL && strcasecmp(type, "LOCAL") != 0))
        return;
    if (text != NULL && value_nodes(text, &count, &procs, NULL) == 0) {
        for (int64_t i = 1; i <= count; i++) {
            value_node_name(i, count, name, sizeof name);
            names_intern(k->own[KNOWN_NODE], name);
        }
    } else if (text == NULL) {
        for (size_t i = 0; i < s->nodes.n; i++)
            if (s->nodes.v[i].cfg_procs > 0)
                know(k, KNOWN_NODE, s->nodes.v[i].name);
    }
    k->all_nodes = names_count(k->own[KNOWN_NODE]) > 0;
}

struct known *known_create(const struct config *c, const struct config_use *use)
{
    struct known *k = xcalloc(1, sizeof *k);

    k->c = c;
    k->use = use;
    for (unsigned kind = 0; kind < KNOWN_KINDS; kind++) {
        k->own[kind] = names_create();
        k->said[kind] = names_create();
    }
    know_sections(k);
    know_mentioned(k);
    know_nodes(k);
    return k;
}

void known_destroy(struct known *k)
{
    for (unsigned kind = 0; kind < KNOWN_KINDS; kind++) {
        names_destroy(k->own[kind]);
        names_destroy(k->said[kind]);
        vec_fini(&k->times[kind]);
    }
    free(k);
}

/* ---- questions ---- */

bool known_has(const struct known *k, unsigned kind, const char *name)
{
    uint32_t said = names_find(k->said[kind], name);

    if (names_find(k->own[kind], name) != NAME_NONE)
        return true;
    if (!k->use->simulated && kind == CRED_USER)
        return getpwnam(name) != NULL;
    if (!k->use->simulated && kind == CRED_GROUP)
        return getgrnam(name) != NULL;
    return said != NAME_NONE && k->times[kind].v[said] > 1;
}

uint32_t known_count(const struct known *k, unsigned kind)
{
    return names_count(k->own[kind]);
}

/* node3 and node4: two of a row, neither of them mistyped. */
static bool differ_in_digits_alone(const char *a, const char *b)
{
    for (; *a != '\0' || *b != '\0';) {
        size_t da = strspn(a, "0123456789"), db = strspn(b, "0123456789");

        if ((da > 0) != (db > 0) || (da == 0 && *a != *b))
            return false;
        a += da > 0 ? da : 1;
        b += db > 0 ? db : 1;
    }
    return true;
}

const char *known_nearest(const struct known *k, unsigned kind, const char *name)
{
    struct nearest near;

    nearest_init(&near, name);
    for (uint32_t i = 0; i < names_count(k->own[kind]); i++)
        if (!differ_in_digits_alone(name, names_text(k->own[kind], i)))
            nearest_offer(&near, names_text(k->own[kind], i));
    return nearest_best(&near);
}

bool known_all_nodes(const struct known *k)
{
    return k->all_nodes;
}

static const char *node_name(void *ctx, uint32_t index)
{
    const struct known *k = ctx;

    return names_text(k->own[KNOWN_NODE], index);
}

static uint32_t node_find(void *ctx, const char *name)
{
    const struct known *k = ctx;

    return names_find(k->own[KNOWN_NODE], name);
}

char *known_stranger(const struct known *k, const char *hosts)
{
    struct hostexpr_nodes nodes = {.count = names_count(k->own[KNOWN_NODE]),
        .name_at = node_name,
        .find = node_find,
        .ctx = (void *)k};
    struct hostexpr_hosts found = {0};
    struct err err = {0};
    int status = hostexpr_match(hosts, &nodes, &found, &err);

    hostexpr_hosts_fini(&found);
    return status < 0 && err.code == ERR_NOT_FOUND ? xstrdup(err.text) : NULL;
}
