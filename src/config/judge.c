/* SPDX-License-Identifier: Apache-2.0
 * A configuration as a whole: a table of rules, each of which looks at one sort of
 * value and tells what is wrong with it beside the others. And the verdict. */
#include "base/home.h"
#include "base/strbuf.h"
#include "config/known.h"
#include "config/loader.h"
#include "config/rmpeer.h"
#include "config/rmplace.h"
#include "config/rmurl.h"
#include "config/set.h"
#include "config/settings.h"
#include "config/value.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

struct rule;

/* One rule at one value. */
struct look {
    struct loader *l;
    const struct config *c;
    const struct config_use *use;
    const struct known *known;
    const struct rule *rule;
    const struct cfg_value *v;
    bool told; /* by this rule, at some value */
};

/* What it looks at, when it speaks, and what it says. */
struct rule {
    const char *name;             /* by which programs tell the finding */
    const char *of;               /* parameter or attribute; NULL = every one */
    uint32_t objects;             /* sections of the attribute; 0 = a parameter */
    bool once;                    /* the first value tells it all */
    void (*look)(struct look *k); /* calls add_finding() */
    enum finding_level level;
    const char *text; /* behind the name of the value; %1 and %2 are what add_finding()
                         is given */
};

/* ---- telling ---- */

static struct place place_of(const struct look *k)
{
    struct place at = {.file = k->v->file, .line = k->v->line};

    while (at.file_number + 1 < k->c->files.n
           && k->c->files.v[at.file_number] != k->v->file)
        at.file_number++;
    return at;
}

static void tell_level(
    struct look *k, enum finding_level level, const char *one, const char *two)
{
    struct strbuf text = {0};
    struct place at = place_of(k);

    for (const char *p = k->rule->text; *p != '\0'; p++) {
        bool mark = p[0] == '%' && (p[1] == '1' || p[1] == '2');

        if (mark)
            strbuf_add(&text, *++p == '1' ? one : two);
        else
            strbuf_printf(&text, "%c", *p);
    }
    loader_report(k->l, &at, level, "%.120s%s%s", k->v->name,
        *k->rule->text == ' ' ? "" : ": ", text.text);
    k->l->config->findings.v[k->l->config->findings.n - 1].rule = k->rule->name;
    free(strbuf_take(&text));
    k->told = true;
}

static void add_finding(struct look *k, const char *one, const char *two)
{
    tell_level(k, k->rule->level, one, two);
}

/* The value of another attribute of the same section, or NULL. */
static const char *beside(const struct look *k, const char *attr)
{
    size_t len = strcspn(k->v->name, ".");
    struct strbuf name = {0};
    const char *text;

    strbuf_printf(&name, "%.*s.%s", (int)len, k->v->name, attr);
    text = config_text(k->c, name.text);
    free(strbuf_take(&name));
    return text;
}

static bool is_local(const struct look *k)
{
    const char *type = config_manager(k->c, "TYPE");

    if (k->use->nodes == NULL && config_managers(k->c) > 1)
        return false; /* others tell of more */
    return k->use->nodes != NULL || type == NULL || strcasecmp(type, "LOCAL") == 0;
}

/* ---- names ---- */

/* Kinds of which a name that no section has may be right: others tell such names, as
 * the machine does that the scheduler is to run on. Administrators are to be here. */
static bool told_by_others(const struct look *k, unsigned kind)
{
    switch (kind) {
    case CRED_QOS:
        return false;
    case CRED_USER:
        return k->v->row->objects != 0;
    case CRED_GROUP:
    case CRED_ACCOUNT:
        return true;
    case KNOWN_PARTITION:
        return !is_local(k) || cfg_get(k->c, "FEATUREPARTITIONHEADER", NULL) != NULL;
    default:
        return known_count(k->known, kind) == 0 || !is_local(k);
    }
}

static void look_for_strangers(struct look *k)
{
    struct text_list names = {0};
    unsigned kind = CRED_KINDS;

    if (known_names_of(k->v, &kind, &names)
        && (!k->use->simulated || kind == CRED_QOS || kind == KNOWN_PARTITION)) {
        for (size_t i = 0; i < names.n; i++) {
            const char *near = known_nearest(k->known, kind, names.v[i]);
            struct strbuf what = {0}, hint = {0};

            if (known_has(k->known, kind, names.v[i]))
                continue;
            strbuf_printf(&what, "%s '%s'", known_word(kind), names.v[i]);
            if (near != NULL)
                strbuf_printf(&hint, "; did you mean '%s'?", near);
            else if (kind == CRED_USER || kind == CRED_GROUP)
                strbuf_add(&hint, ", and this machine does not know it");
            else if (kind == KNOWN_PARTITION && is_local(k))
                strbuf_add(&hint, ": no NODECFG puts a node into it");
            tell_level(k,
                near == NULL && told_by_others(k, kind) ? FINDING_NOTE : k->rule->level,
                what.text, hint.text != NULL ? hint.text : "");
            free(strbuf_take(&what));
            free(strbuf_take(&hint));
        }
    }
    text_list_fini(&names);
}

static void look_for_hosts(struct look *k)
{
    char *stranger = NULL;

    if (known_all_nodes(k->known) && strcasestr(k->v->text, "class:") == NULL)
        stranger = known_stranger(k->known, k->v->text);
    if (stranger != NULL)
        add_finding(k, stranger, "");
    free(stranger);
}

static void look_for_node(struct look *k)
{
    char *name = known_index(k->v);
    const char *near = known_nearest(k->known, KNOWN_NODE, name);

    if (known_all_nodes(k->known) && strcmp(name, "DEFAULT") != 0
        && strcmp(name, "GLOBAL") != 0 && !known_has(k->known, KNOWN_NODE, name))
        add_finding(
            k, name, near != NULL ? near : "nodes are as NODES or --nodes says");
    free(name);
}

static void look_for_administrators(struct look *k)
{
    struct text_list words = {0};

    value_words(k->v->text, &words);
    for (size_t i = 0; i < words.n; i++)
        if (strcmp(words.v[i], "ALL") == 0)
            add_finding(k, "", "");
    text_list_fini(&words);
}

static bool names_one(const char *list, const char *name)
{
    struct name_list names = {0};
    bool found = false;

    if (value_creds(list, &names, NULL) < 0)
        return true;
    for (size_t i = 0; i < names.names.n; i++)
        found = found || strcmp(names.names.v[i], name) == 0;
    text_list_fini(&names.names);
    return found;
}

/* QDEF beside QLIST, and PDEF beside PLIST. */
static void look_for_default_in_list(struct look *k)
{
    const char *attr = strcmp(k->v->row->name, "QDEF") == 0 ? "QLIST" : "PLIST";
    const char *list = beside(k, attr);
    char *name = xstrndup(k->v->text, strcspn(k->v->text, "&^"));
    struct strbuf where = {0};

    strbuf_printf(&where, "%s=%s", attr, list != NULL ? list : "");
    if (list != NULL && !names_one(list, name))
        add_finding(k, name, where.text);
    free(strbuf_take(&where));
    free(name);
}

/* ---- limits ---- */

static bool is_limit(const struct look *k)
{
    return k->v->row->type == CFG_LIMIT;
}

static void look_for_soft_above_hard(struct look *k)
{
    const char *comma = strchr(k->v->text, ',');
    bool time = k->v->row->res == LIMIT_WC;
    struct limit soft, hard;
    char *first;

    if (!is_limit(k) || comma == NULL)
        return;
    first = xstrndup(k->v->text, (size_t)(comma - k->v->text));
    if (value_limit(first, time, &soft, NULL) == 0
        && value_limit(comma + 1, time, &hard, NULL) == 0 && hard.hard > 0
        && (soft.hard > hard.hard || soft.hard < 0))
        add_finding(k, first, comma + 1);
    free(first);
}

/* The classic has no soft limits of idle jobs either. */
static void look_for_soft_idle_limits(struct look *k)
{
    const char *comma = strchr(k->v->text, ',');
    char *first;

    if (!is_limit(k) || comma == NULL || k->v->row->dim != CFG_DIM_IDLE)
        return;
    first = xstrndup(k->v->text, (size_t)(comma - k->v->text));
    if (strcmp(first, comma + 1) != 0)
        add_finding(k, first, comma + 1);
    free(first);
}

static void look_for_negative_limits(struct look *k)
{
    const char *minus = strchr(k->v->text, '-');

    if (is_limit(k) && minus != NULL && (minus[1] != '1' || minus[2] > ','))
        add_finding(k, k->v->text, "");
}

static void look_for_zero_limits(struct look *k)
{
    if (is_limit(k) && strcmp(k->v->text, "0") == 0)
        add_finding(k, "", "");
}

static void look_for_active_limits(struct look *k)
{
    if (is_limit(k) && k->v->row->dim == CFG_DIM_ACTIVE
        && (k->v->row->home == HOME_CRED || k->v->row->home == HOME_LEGACY)
        && k->c->settings->prio.accrual == ACCRUE_QUEUEPOLICY)
        add_finding(k, "", "");
}

/* ---- priority ---- */

static const enum prio_sub fairshare_weights[CRED_KINDS] = {[CRED_USER] = PRIO_FSUSER,
    [CRED_GROUP] = PRIO_FSGROUP,
    [CRED_ACCOUNT] = PRIO_FSACCOUNT,
    [CRED_QOS] = PRIO_FSQOS,
    [CRED_CLASS] = PRIO_FSCLASS};

static bool fairshare_counts(const struct look *k, enum cred_kind kind)
{
    const struct prio_settings *p = &k->c->settings->prio;

    return p->comp_weight[PRIO_FS] != 0 && p->weight[fairshare_weights[kind]] != 0;
}

static void look_for_fairshare_off(struct look *k)
{
    double weight = 0;

    if (k->c->settings->fs.policy == FS_OFF
        && (k->v->row->type != CFG_NUMBER
            || (value_number(k->v->text, 0, 0, &weight, NULL) == 0 && weight != 0)))
        add_finding(k, "", "");
}

static void look_for_fairshare_weights(struct look *k)
{
    bool counts = false;

    for (int kind = 0; kind < CRED_KINDS; kind++)
        counts = counts || fairshare_counts(k, (enum cred_kind)kind);
    if (k->c->settings->fs.policy != FS_OFF && !counts)
        add_finding(k, "", "");
}

/* Priorities of users and so on, whose weights are 0 unless set. */
static void look_for_weightless_priority(struct look *k)
{
    static const struct {
        const char *section, *weight;
        enum prio_sub sub;
    } all[] = {{"USERCFG[", "USERWEIGHT", PRIO_USER},
        {"GROUPCFG[", "GROUPWEIGHT", PRIO_GROUP},
        {"ACCOUNTCFG[", "ACCOUNTWEIGHT", PRIO_ACCOUNT},
        {"CLASSCFG[", "CLASSWEIGHT", PRIO_CLASS}, {"QOSCFG[", "QOSWEIGHT", PRIO_QOS}};
    const struct settings *s = k->c->settings;
    bool by_group = false;

    for (size_t i = 0; i < s->creds[CRED_GROUP].n; i++)
        by_group = by_group || s->creds[CRED_GROUP].v[i].class_weight != 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bool here = strncmp(k->v->name, all[i].section, strlen(all[i].section)) == 0;

        if (here && strcmp(k->v->text, "0") != 0 && s->prio.weight[all[i].sub] == 0
            && !(all[i].sub == PRIO_CLASS && by_group))
            add_finding(k, all[i].weight, "");
        else if (here && s->prio.comp_weight[PRIO_CRED] == 0)
            add_finding(k, "CREDWEIGHT", "");
    }
}

/* ---- programs ---- */

static void look_for_program(struct look *k)
{
    const char *tools = k->c->settings->daemon.tools_dir;
    bool absolute = *k->v->text == '/';
    char *folder, *path;

    if (k->use->simulated || (!absolute && k->use->home == NULL))
        return;
    folder =
        absolute || *tools == '/' ? xstrdup(tools) : home_file(k->use->home, tools);
    path = absolute ? xstrdup(k->v->text) : home_file(folder, k->v->text);
    if (access(path, X_OK) < 0)
        add_finding(k, path, "");
    free(path);
    free(folder);
}

static void look_for_mail_program(struct look *k)
{
    if (strcasecmp(k->v->text, "NONE") != 0)
        look_for_program(k);
}

static void look_for_triggered_programs(struct look *k)
{
    struct trigger_list triggers = {0};

    if (!k->use->simulated && triggertext_parse(k->v->text, &triggers, NULL) == 0)
        for (size_t i = 0; i < triggers.n; i++) {
            const char *data = triggers.v[i].data;
            char *path = data != NULL && triggers.v[i].action == TRIGGER_EXEC
                             ? xstrndup(data, strcspn(data, " \t"))
                             : NULL;

            if (path != NULL && *path == '/' && access(path, X_OK) < 0)
                add_finding(k, path, "");
            free(path);
        }
    triggertext_fini(&triggers);
}

/* ---- resource managers ---- */

/* The section that the value is of, as a manager reads it. */
static const struct raw_object *section_of(const struct look *k)
{
    char *index = known_index(k->v);
    const struct raw_object *found = config_manager_named(k->c, index);

    free(index);
    return found;
}

static void look_for_driver(struct look *k)
{
    size_t len = strcspn(k->v->text, ":");
    char *type = xstrndup(k->v->text, len);
    struct strbuf drivers = {0};
    bool driven = false;

    for (const struct cfg_keyword *w = k->v->row->keywords; w->name != NULL; w++) {
        driven = driven || (w->value != 0 && strcasecmp(w->name, type) == 0);
        if (w->value != 0)
            strbuf_printf(&drivers, "%s%s", drivers.len > 0 ? ", " : "", w->name);
    }
    if (!k->use->simulated && !driven)
        add_finding(k, type, drivers.text);
    free(strbuf_take(&drivers));
    free(type);
}

/* Is it about a manager in use, and of this type? */
static bool is_manager(const struct look *k, const char *wanted)
{
    const char *type = beside(k, "TYPE");

    return !k->use->simulated && k->use->nodes == NULL && type != NULL
           && strcasecmp(type, wanted) == 0;
}

/* What serve would refuse (rm/native/driver.c). */
static void look_for_urls(struct look *k)
{
    for (int i = 0; i < RMURL_KINDS && is_manager(k, "NATIVE"); i++) {
        const char *name = rmurl_name((enum rmurl_kind)i);

        if (rmurl_is_needed((enum rmurl_kind)i) && beside(k, name) == NULL)
            add_finding(k, name, "");
    }
}

static void look_for_url(struct look *k)
{
    enum rmurl_kind kind = rmurl_find(k->v->row->name);
    struct err err;

    if (kind < RMURL_KINDS && is_manager(k, "NATIVE")
        && rmurl_check(kind, k->v->text, &err) < 0)
        add_finding(k, err.text, "");
}

/* What serve would refuse (rm/wiki/driver.c), and a key that the private file shows. */
static void look_for_peer(struct look *k)
{
    struct rmpeer peer;
    struct err err;

    if (!is_manager(k, "WIKI"))
        return;
    if (rmpeer_read(k->c->settings, section_of(k), &peer, &err) < 0) {
        add_finding(k, err.text, "");
        return;
    }
    if (peer.private && k->c->private_open)
        add_finding(k,
            "the key is in the private file, which others may read; chmod 600 it", "");
    rmpeer_fini(&peer);
}

/* Of those that only WIKI is reached by; HOST says to EPORT who may wake it, too. */
static void look_for_peerless(struct look *k)
{
    bool host = strcmp(k->v->row->name, "HOST") == 0;

    if (!k->use->simulated && beside(k, "TYPE") != NULL && !is_manager(k, "WIKI")
        && !(host && beside(k, "EPORT") != NULL))
        add_finding(k, beside(k, "TYPE"), "");
}

/* Keys of other peers nobody reads yet. */
static void look_for_client(struct look *k)
{
    char *index = known_index(k->v);
    bool read = false;

    for (size_t i = 0; i < k->c->settings->raw.n; i++) {
        const struct raw_object *section = &k->c->settings->raw.v[i];
        const char *type = config_section_attr(section, "TYPE");
        read |= strcmp(section->kind, "RMCFG") == 0 && type != NULL
                && strcasecmp(type, "WIKI") == 0 && strncasecmp(index, "RM:", 3) == 0
                && strcasecmp(index + 3, section->name) == 0;
    }

    free(index);
    if (!read)
        add_finding(k, "", "");
}

static void look_for_eport(struct look *k)
{
    if (is_manager(k, "SLURM") || is_manager(k, "LOCAL"))
        add_finding(k, beside(k, "TYPE"), "");
}

/* What `open` of their drivers takes. */
static void look_for_transport(struct look *k)
{
    bool slurm = is_manager(k, "SLURM"), pbs = is_manager(k, "PBS");
    const char *text = k->v->text;

    if (strcasecmp(text, "AUTO") == 0
        || (slurm
            && (strcasecmp(text, "LIBSLURM") == 0 || strcasecmp(text, "SCONTROL") == 0))
        || (pbs && strcasecmp(text, "COMMANDS") == 0))
        return;
    if (slurm)
        add_finding(k, text, "AUTO, LIBSLURM or SCONTROL");
    else if (pbs)
        add_finding(k, text, "AUTO or COMMANDS");
}

static void look_for_folders(struct look *k)
{
    struct err err;

    if (!k->use->simulated && k->use->nodes == NULL
        && rmplace_check_folders(beside(k, "TYPE"), k->v->text, &err) < 0)
        add_finding(k, err.text, "");
}

static void look_for_variables(struct look *k)
{
    struct err err;

    if (!k->use->simulated && k->use->nodes == NULL
        && rmplace_check_variables(k->v->text, &err) < 0)
        add_finding(k, err.text, "");
}

/* Those run no commands. */
static void look_for_commandless(struct look *k)
{
    if (is_manager(k, "LOCAL") || is_manager(k, "WIKI"))
        add_finding(k, beside(k, "TYPE"), "");
}

static void look_for_type(struct look *k)
{
    if (!k->use->simulated && beside(k, "TYPE") == NULL)
        add_finding(k, "", "");
}

/* Types of which one is spoken with at a time: their commands, or what they keep in the
 * daemon's folder, know no second. */
static bool is_single(const char *type)
{
    static const char *const types[] = {"SLURM", "SGE"};

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (type != NULL && strcasecmp(types[i], type) == 0)
            return true;
    return false;
}

/* Another section of that type before the value's, or NULL. */
static const struct raw_object *find_twin(const struct look *k)
{
    const struct raw_object *own = section_of(k), *at = k->c->settings->raw.v;

    for (; own != NULL && at < own; at++) {
        const char *type = config_section_attr(at, "TYPE");
        if (strcmp(at->kind, "RMCFG") == 0 && type != NULL
            && strcasecmp(type, k->v->text) == 0)
            return at;
    }
    return NULL;
}

static void look_for_second_manager(struct look *k)
{
    const struct raw_object *twin = is_single(k->v->text) ? find_twin(k) : NULL;

    if (!k->use->simulated && k->use->nodes == NULL && twin != NULL)
        add_finding(k, k->v->text, twin->name);
}

static bool share_variable(
    const struct raw_object *a, const struct raw_object *b, const char *name)
{
    char *of_a = rmplace_variable(config_section_attr(a, "ENV"), name),
         *of_b = rmplace_variable(config_section_attr(b, "ENV"), name);
    bool same = strcmp(of_a ? of_a : "", of_b ? of_b : "") == 0;

    free(of_a);
    free(of_b);
    return same;
}

/* Two PBS whose commands are the same ones: their environment says which server. */
static bool share_environment(const struct raw_object *a, const struct raw_object *b)
{
    static const char *const says[] = {
        "PBS_CONF_FILE", "PBS_DEFAULT", "PBS_SERVER", "PBS_EXEC"};

    if (strcasecmp(config_section_attr(a, "TYPE"), config_section_attr(b, "TYPE")) != 0)
        return true;
    for (size_t i = 0; i < sizeof says / sizeof says[0]; i++)
        if (!share_variable(a, b, says[i]))
            return false;
    return true;
}

/* Would both be asked by the same qstat? PATH is the daemon's, which need not be that
 * of who asks this; so only what they say themselves tells them apart. */
static bool share_commands(const struct raw_object *a, const struct raw_object *b)
{
    const char *const bins[] = {
        config_section_attr(a, "BINDIR"), config_section_attr(b, "BINDIR")};
    char *paths[2];
    bool same;

    if (!rmplace_collide(config_section_attr(a, "TYPE"), config_section_attr(b, "TYPE"))
        || !share_environment(a, b))
        return false;
    if (bins[0] == NULL && bins[1] == NULL)
        return true;
    for (int i = 0; i < 2; i++)
        paths[i] = rmplace_command(bins[i], "qstat");
    same = paths[0] != NULL && paths[1] != NULL && strcmp(paths[0], paths[1]) == 0;
    free(paths[0]);
    free(paths[1]);
    return same;
}

static void look_for_shared_commands(struct look *k)
{
    const struct raw_object *own = section_of(k), *at = k->c->settings->raw.v;

    if (k->use->simulated || k->use->nodes != NULL)
        return;
    for (; own != NULL && at < own; at++) {
        const char *type = config_section_attr(at, "TYPE");

        if (strcmp(at->kind, "RMCFG") == 0 && type != NULL
            && (strcasecmp(type, k->v->text) != 0 || !is_single(type))
            && share_commands(own, at))
            add_finding(k, k->v->text, at->name);
    }
}

/* Without them it makes nodes of all that NODECFG gives processors to. */
static void look_for_local_nodes(struct look *k)
{
    if (is_manager(k, "LOCAL") && config_managers(k->c) > 1
        && beside(k, "NODES") == NULL)
        add_finding(k, "", "");
}

/* Jobs are called MANAGER.ID. */
static void look_for_dotted(struct look *k)
{
    char *index = known_index(k->v);

    if (!k->use->simulated && config_managers(k->c) > 1 && strchr(index, '.') != NULL)
        add_finding(k, index, "");
    free(index);
}

/* ---- the bank ---- */

static void look_for_bank(struct look *k)
{
    const struct cfg_keyword *w = k->v->row->keywords;

    while (w->name != NULL && strcasecmp(w->name, k->v->text) != 0)
        w++;
    if (!k->use->simulated && w->name != NULL && w->value == BANK_UNKNOWN)
        add_finding(k, k->v->text, "");
}

static void look_for_bank_access(struct look *k)
{
    const struct bank_settings *b = &k->c->settings->bank;

    if (strcasecmp(k->v->text, "NATIVE") == 0
        && (b->server == NULL || strncmp(b->server, "exec:///", 8) != 0))
        add_finding(k, k->v->text, "SERVER=exec:///PROGRAM");
    if (strcasecmp(k->v->text, "GOLD") == 0 && (b->host == NULL || b->key_file == NULL))
        add_finding(k, k->v->text, b->host == NULL ? "HOST=" : "KEYFILE=");
}

static void look_for_second_bank(struct look *k)
{
    const char *first = k->c->settings->bank.name;
    char *index = known_index(k->v);

    if (first != NULL && strcmp(first, index) != 0)
        add_finding(k, first, "");
    free(index);
}

/* ---- BACKFILLPOLICY PLAN ---- */

static void look_for_plan_partition(struct look *k)
{
    bool plan = strcasecmp(k->v->text, "PLAN") == 0;

    if (strchr(k->v->name, '[') != NULL
        && plan != settings_plan_together(k->c->settings))
        add_finding(k, "", "");
}

static void look_for_plan_off(struct look *k)
{
    bool of_plan = strncmp(k->v->row->name, "PLAN", 4) == 0
                   || strncmp(k->v->row->name, "PROMISE", 7) == 0
                   || strcmp(k->v->row->name, "PREDICTION") == 0;

    if (of_plan && !settings_plan_together(k->c->settings))
        add_finding(k, "", "");
}

static void look_for_plan_bands(struct look *k)
{
    const struct plan_settings *s = &k->c->settings->plan;
    char square[40], factor[40];

    snprintf(square, sizeof square, "%g", s->fs_max * s->fs_max);
    snprintf(factor, sizeof factor, "%g", s->band_factor);
    if (settings_plan_together(k->c->settings) && s->fs_double > 0
        && s->band_factor < s->fs_max * s->fs_max)
        add_finding(k, square, factor);
}

static bool any_priority_of_qos(const struct look *k)
{
    for (size_t i = 0; i < k->c->settings->creds[CRED_QOS].n; i++)
        if (k->c->settings->creds[CRED_QOS].v[i].priority)
            return k->c->settings->prio.weight[PRIO_QOS] != 0;
    return false;
}

static void look_for_plan_arrival(struct look *k)
{
    const struct settings *s = k->c->settings;

    if (!settings_plan_together(k->c->settings) || s->plan.horizon_s != HORIZON_SUBMIT)
        return;
    if (s->fs.policy != FS_OFF)
        add_finding(k, "fairshare", "");
    else if (any_priority_of_qos(k))
        add_finding(k, "the priority of a QOS", "");
}

static void look_for_plan_fill(struct look *k)
{
    const struct settings *s = k->c->settings;

    if (settings_plan_together(k->c->settings) && s->plan.fill == FILL_PROMISED
        && s->fs.policy != FS_OFF)
        add_finding(k, "", "");
}

static void look_for_wclimit_history(struct look *k)
{
    const struct settings *s = k->c->settings;
    char plain[40];

    if (s->wclimit_default_s == WCLIMIT_HISTORY && s->default_wclimit_s > 0
        && s->default_wclimit_s <= WCLIMIT_LEARNED_LEAST_S)
        add_finding(
            k, duration_format_exact(s->default_wclimit_s, plain, sizeof plain), "");
}

static void look_for_wclimit_twice(struct look *k)
{
    const struct settings *s = k->c->settings;
    char used[40];

    if (s->wclimit_default_s > 0)
        add_finding(
            k, duration_format_exact(s->wclimit_default_s, used, sizeof used), "");
}

/* ---- what a migrating site stumbles over ---- */

static void look_for_depth(struct look *k)
{
    if (k->c->settings->par.v[0].bf_depth > 0)
        add_finding(k, k->v->text, "");
}

static void look_for_single_task(struct look *k)
{
    if (strcasecmp(k->v->text, "SINGLETASK") == 0)
        add_finding(k, "", "");
}

/* Told at the first parameter that the sentence names. */
static void look_for_page(struct look *k)
{
    struct err err = {0};

    if (k->use->look_at_page == NULL || strncmp(k->v->name, "WEB", 3) != 0
        || k->use->look_at_page(k->c, k->use->home, &err) == 0
        || strstr(err.text, k->v->name) == NULL)
        return;
    tell_level(k, err.code == ERR_DENIED ? FINDING_NOTE : k->rule->level, err.text, "");
}

/* ---- the table ---- */

#define SECTIONS(o) .objects = 1u << OBJECT_##o
#define CREDS                                                                          \
    .objects = 1u << OBJECT_USER | 1u << OBJECT_GROUP | 1u << OBJECT_ACCOUNT           \
               | 1u << OBJECT_CLASS | 1u << OBJECT_QOS
#define PARAMETER .objects = 0
#define ANY       .objects = UINT32_MAX
#define NOTE(t)   .level = FINDING_NOTE, .text = t
#define WARN(t)   .level = FINDING_WARNING, .text = t
#define ERROR(t)  .level = FINDING_ERROR, .text = t
#define LOOK(f)   .look = look_for_##f
#define ONCE      .once = true

/* clang-format off */
static const struct rule rules[] = {
    {"unknown-name", NULL, ANY, LOOK(strangers), WARN("nothing else names the %1%2")},
    {"unknown-host", "HOSTLIST", SECTIONS(SR), LOOK(hosts), WARN("%1; nothing of it is reserved")},
    {"unknown-node", NULL, SECTIONS(NODE), LOOK(node), WARN("there is no node '%1' (%2)")},
    {"everybody-administrates", "ADMIN1", PARAMETER, LOOK(administrators), WARN("ALL: everybody may do everything")},
    {"default-not-listed", "QDEF", CREDS, LOOK(default_in_list), WARN("%1 is not in %2; it may be used all the same, for a default always may")},
    {"default-not-listed", "PDEF", CREDS, LOOK(default_in_list), WARN("%1 is not in %2")},
    {"soft-above-hard", NULL, ANY, LOOK(soft_above_hard), WARN("the soft limit %1 is above the hard one, so %2 is both; expected SOFT,HARD")},
    {"soft-idle-limit", NULL, ANY, LOOK(soft_idle_limits), WARN("limits of idle jobs are hard: %2 counts, the soft %1 does not")},
    {"negative-limit", NULL, ANY, LOOK(negative_limits), WARN("%1 means no limit at all; write -1 for that")},
    {"zero-limit", NULL, ANY, LOOK(zero_limits), WARN("0 sets no limit: that of DEFAULT holds, if any; -1 is no limit at all")},
    {"fairshare-off", "FSTARGET", CREDS, ONCE, LOOK(fairshare_off), WARN("targets have no effect while FSPOLICY is not set; write FSPOLICY DEDICATEDPS")},
    {"fairshare-off", "FSUSERWEIGHT", PARAMETER, LOOK(fairshare_off), WARN("has no effect while FSPOLICY is not set; write FSPOLICY DEDICATEDPS")},
    {"fairshare-off", "FSGROUPWEIGHT", PARAMETER, LOOK(fairshare_off), WARN("has no effect while FSPOLICY is not set; write FSPOLICY DEDICATEDPS")},
    {"fairshare-off", "FSACCOUNTWEIGHT", PARAMETER, LOOK(fairshare_off), WARN("has no effect while FSPOLICY is not set; write FSPOLICY DEDICATEDPS")},
    {"fairshare-off", "FSQOSWEIGHT", PARAMETER, LOOK(fairshare_off), WARN("has no effect while FSPOLICY is not set; write FSPOLICY DEDICATEDPS")},
    {"fairshare-off", "FSCLASSWEIGHT", PARAMETER, LOOK(fairshare_off), WARN("has no effect while FSPOLICY is not set; write FSPOLICY DEDICATEDPS")},
    {"fairshare-weightless", "FSPOLICY", PARAMETER, LOOK(fairshare_weights), NOTE("usage is counted, but changes no priority: FSUSERWEIGHT and the like, or FSWEIGHT, are 0")},
    {"priority-weightless", "PRIORITY", CREDS, ONCE, LOOK(weightless_priority), WARN("has no effect while %1 is 0")},
    {"program-missing", "NOTIFICATIONPROGRAM", PARAMETER, LOOK(program), WARN("%1 cannot be executed; it will not be called")},
    {"program-missing", "FEEDBACKPROGRAM", PARAMETER, LOOK(program), WARN("%1 cannot be executed; it will not be called")},
    {"program-missing", "MAILPROGRAM", PARAMETER, LOOK(mail_program), WARN("%1 cannot be executed; no mail will be sent")},
    {"program-missing", "TRIGGER", SECTIONS(SR), LOOK(triggered_programs), WARN("%1 cannot be executed")},
    {"page-off", NULL, PARAMETER, ONCE, LOOK(page), WARN("the web page stays off: %1")},
    {"no-driver", "TYPE", SECTIONS(RM), LOOK(driver), ERROR("there is no driver for %1; scripts of the site can be one (TYPE=NATIVE); expected one of %2 (maui sim and SERVERMODE SIMULATION need none)")},
    {"no-url", "TYPE", SECTIONS(RM), LOOK(urls), ERROR("NATIVE needs %1=exec:///PROGRAM")},
    {"unusable-url", NULL, SECTIONS(RM), LOOK(url), ERROR("%1")},
    {"unusable-peer", "TYPE", SECTIONS(RM), LOOK(peer), ERROR("%1")},
    {"no-peer", "HOST", SECTIONS(RM), LOOK(peerless), NOTE("has no effect with %1")},
    {"no-peer", "PORT", SECTIONS(RM), LOOK(peerless), NOTE("has no effect with %1")},
    {"no-peer", "AUTHTYPE", SECTIONS(RM), LOOK(peerless), NOTE("has no effect with %1")},
    {"no-peer", "KEYFILE", SECTIONS(RM), LOOK(peerless), NOTE("has no effect with %1")},
    {"no-client", "CSKEY", SECTIONS(CLIENT), LOOK(client), NOTE("is not read: of keys only that of CLIENTCFG[RM:name] is, for RMCFG[name] TYPE=WIKI")},
    {"no-eport", "EPORT", SECTIONS(RM), LOOK(eport), WARN("%1 wakes the scheduler in ways of its own; the port is not opened")},
    {"unusable-transport", "TRANSPORT", SECTIONS(RM), LOOK(transport), ERROR("%1: expected %2")},
    {"no-type", NULL, SECTIONS(RM), ONCE, LOOK(type), NOTE("without TYPE the resource manager is LOCAL, which runs jobs on this machine")},
    {"second-manager", "TYPE", SECTIONS(RM), LOOK(second_manager), ERROR("of %1 one can be used, and RMCFG[%2] is that; several of LOCAL, PBS, WIKI and NATIVE can")},
    {"shared-commands", "TYPE", SECTIONS(RM), LOOK(shared_commands), ERROR("%1 and RMCFG[%2] would be asked by the same commands (qstat ...); say BINDIR=FOLDER of one or of both; of two PBS ENV=PBS_CONF_FILE=FILE or ENV=PBS_DEFAULT=HOST is enough")},
    {"unusable-commands", "BINDIR", SECTIONS(RM), LOOK(folders), ERROR("%1")},
    {"unusable-commands", "ENV", SECTIONS(RM), LOOK(variables), ERROR("%1")},
    {"no-commands", "BINDIR", SECTIONS(RM), LOOK(commandless), NOTE("has no effect with %1")},
    {"no-commands", "ENV", SECTIONS(RM), LOOK(commandless), NOTE("has no effect with %1")},
    {"local-nodes", "TYPE", SECTIONS(RM), LOOK(local_nodes), ERROR("beside other resource managers LOCAL needs NODES=NxP: nodes of NODECFG may be theirs")},
    {"dotted-manager", NULL, SECTIONS(RM), ONCE, LOOK(dotted), ERROR("where there are several resource managers jobs are called MANAGER.ID: '%1' must have no '.' in it")},
    {"no-bank", "TYPE", SECTIONS(AM), LOOK(bank), ERROR("there is no bank of kind %1 yet; expected BUILTIN, FILE, NATIVE, GOLD, or NONE for jobs that cost nothing")},
    {"bank-access", "TYPE", SECTIONS(AM), LOOK(bank_access), ERROR("a bank of kind %1 needs %2, which is not given")},
    {"second-bank", "TYPE", SECTIONS(AM), LOOK(second_bank), WARN("one bank is used, AMCFG[%1]; this one is not")},
    {"backfill-depth", "BACKFILLDEPTH", PARAMETER, LOOK(depth), NOTE("backfill looks at the first %1 idle jobs, whether they fit or not; releases of the classic counted those that fitted, so the same number reached further. 0 looks at all")},
    {"plan-partition", "BACKFILLPOLICY", PARAMETER, LOOK(plan_partition), WARN("PLAN is for all partitions or for none; write BACKFILLPOLICY PLAN, without a partition, or leave it")},
    {"plan-off", NULL, ANY, LOOK(plan_off), WARN("has no effect unless BACKFILLPOLICY is PLAN")},
    {"plan-bands", "PLANBANDFACTOR", PARAMETER, LOOK(plan_bands), WARN("is less than the square of PLANFSMAX (%1): fairshare may put a lower band before a higher one")},
    {"plan-bands", "PLANFSMAX", PARAMETER, LOOK(plan_bands), WARN("its square is more than PLANBANDFACTOR (%2): fairshare may put a lower band before a higher one")},
    {"plan-arrival", "PROMISEHORIZON", PARAMETER, LOOK(plan_arrival), WARN("SUBMIT promises in order of arrival: %1 hardly counts then; expected a time, as 6:00:00")},
    {"plan-fill", "PLANFILL", PARAMETER, LOOK(plan_fill), WARN("PROMISED lets small jobs in before those that fairshare favours; expected PLAN where FSPOLICY is set")},
    {"wclimit-history", "WCLIMITDEFAULT", PARAMETER, LOOK(wclimit_history), WARN("HISTORY learns no limit shorter than 10 minutes and none longer than SYSTEMDEFAULTJOBWALLTIME, which is %1: all jobs have that")},
    {"wclimit-twice", "SYSTEMDEFAULTJOBWALLTIME", PARAMETER, LOOK(wclimit_twice), WARN("has no effect: WCLIMITDEFAULT %1 goes before it")},
    {"single-task", "NODEACCESSPOLICY", PARAMETER, LOOK(single_task), WARN("SINGLETASK gives each task a node of its own: a job of 16 one-processor tasks takes 16 nodes, whatever their size; SINGLEJOB gives whole nodes to one job")},
    {"single-task", "NODEACCESSPOLICY", SECTIONS(CLASS), LOOK(single_task), WARN("SINGLETASK gives each task a node of its own: a job of 16 one-processor tasks takes 16 nodes, whatever their size; SINGLEJOB gives whole nodes to one job")},
    {"queue-time", NULL, ANY, ONCE, LOOK(active_limits), NOTE("jobs that wait for a limit on active jobs go on gaining priority by queue time; only idle limits (MAXIJOB and the like) stop their clock")},
};
/* clang-format on */

static bool applies(const struct rule *r, const struct cfg_value *v)
{
    if (r->of != NULL && strcmp(r->of, v->row->name) != 0)
        return false;
    return r->objects == UINT32_MAX
           || (r->objects == 0 ? v->row->objects == 0
                               : (v->row->objects & r->objects) != 0);
}

/* An attribute may be of several sections: is the value of one that the rule is about?
 */
static bool in_section(const struct rule *r, const struct cfg_value *v)
{
    size_t len = strcspn(v->name, "[.");

    if (r->objects == 0 || r->objects == UINT32_MAX)
        return true;
    for (int o = 0; o < OBJECTS; o++) {
        const char *section = cfg_object_name((enum cfg_object)o);

        if ((r->objects >> o & 1) != 0 && strlen(section) == len
            && strncmp(section, v->name, len) == 0)
            return true;
    }
    return false;
}

static void apply_rule(struct look *k, const struct rule *r)
{
    k->rule = r;
    k->told = false;
    for (size_t i = 0; i < k->c->values.n && !(k->told && r->once); i++) {
        k->v = &k->c->values.v[i];
        if (applies(r, k->v) && in_section(r, k->v))
            r->look(k);
    }
}

int config_judge(struct config *c, const struct config_use *use, struct err *err)
{
    struct loader l = {.config = c};
    struct known *known = known_create(c, use);
    struct look k = {.l = &l, .c = c, .use = use, .known = known};

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        apply_rule(&k, &rules[i]);
    known_destroy(known);
    loader_sort(c);
    for (size_t i = 0; i < c->findings.n; i++) {
        const struct finding *f = &c->findings.v[i];

        if (f->level == FINDING_ERROR)
            return err_set(err, ERR_INVALID, "%s:%u: %s (`maui check -c %s` lists all)",
                f->file, (unsigned)f->line, f->text, c->files.v[0]);
    }
    return 0;
}

bool config_simulates(const struct config *c)
{
    const char *mode = cfg_get(c, "SERVERMODE", NULL);

    return mode != NULL && strcasecmp(mode, "SIMULATION") == 0;
}
