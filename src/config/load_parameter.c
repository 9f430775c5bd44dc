/* SPDX-License-Identifier: Apache-2.0
 * Parameters outside sections: which struct an index means, old forms, old limits. */
#include "config/loader.h"
#include "config/set.h"
#include "config/settings.h"
#include "config/value.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static struct place place_of(const struct entry *e)
{
    return (struct place){
        .file = e->file, .file_number = e->file_number, .line = e->line.line};
}

/* The value on one line, without quotes around it. Owned by the caller. */
static char *plain_value(const char *value)
{
    size_t len = strlen(value);
    bool quoted =
        len >= 2 && (*value == '"' || *value == '\'') && value[len - 1] == *value;
    char *copy = quoted ? xstrndup(value + 1, len - 2) : xstrdup(value);

    for (char *p = copy; *p != '\0'; p++)
        if (*p == '\n')
            *p = ' ';
    return copy;
}

/* A partition's number or name; NULL with a finding when there is none such. */
static const char *partition_name(struct loader *l, const struct entry *e)
{
    struct place at = place_of(e);

    if (strspn(e->line.index, "0123456789") < strlen(e->line.index))
        return e->line.index;
    if (strcmp(e->line.index, "1") == 0)
        return "DEFAULT";
    loader_report(l, &at, FINDING_WARNING,
        "%s[%.40s]: a partition is named here, only 0 (all) and 1 (DEFAULT) are "
        "numbers; "
        "the line is not used",
        e->row->name, e->line.index);
    return NULL;
}

/* The stack of RESERVATIONDEPTH[X]; NULL with a finding when X is none. */
static void *stack_base(struct loader *l, const struct entry *e)
{
    struct settings *s = l->config->settings;
    struct place at = place_of(e);
    struct err err;
    int64_t x = 0;

    if (!cfg_is_global(e->line.index)
        && value_int(e->line.index, 0, RSV_GROUPS_MAX - 1, &x, &err) < 0) {
        loader_report(l, &at, FINDING_ERROR, "%s: index %s; the line is not used",
            e->row->name, err.text);
        return NULL;
    }
    return e->row->home == HOME_STACK ? (void *)&s->rsv_groups[x]
                                      : (void *)&s->rsv_retry_s[x];
}

/* Weights of one partition are kept as text only: priority uses the global set. */
static void *weights_base(struct loader *l, const struct entry *e)
{
    struct place at = place_of(e);

    if (cfg_is_global(e->line.index))
        return l->config->settings;
    loader_report(l, &at, FINDING_NOTE,
        "%s[%.40s]: priorities use the global value; this one is accepted, but not yet "
        "in force",
        e->row->name, e->line.index);
    return NULL;
}

/* The struct that the row's offset counts from; *usable says whether the line can be
 * used at all. NULL: only check the value. */
static void *find_base(struct loader *l, const struct entry *e, bool *usable)
{
    struct settings *s = l->config->settings;
    const char *index = e->line.index, *name;
    struct place at = place_of(e);
    void *base = NULL;

    switch (e->row->index) {
    case INDEX_OF_NOTHING:
        *usable = cfg_is_global(index);
        if (!*usable)
            loader_report(l, &at, FINDING_ERROR,
                "%s takes no index; %s[%.40s] is not used", e->row->name, e->row->name,
                index);
        return e->row->home == HOME_SETTINGS ? s : NULL;
    case INDEX_OF_PARTITION:
        name = cfg_is_global(index) ? NULL : partition_name(l, e);
        *usable = name != NULL || cfg_is_global(index);
        if (*usable && e->row->home == HOME_PARTITION)
            base = settings_par(s, name);
        return base;
    case INDEX_OF_WEIGHTS:
        return weights_base(l, e);
    case INDEX_OF_STACK:
        base = stack_base(l, e);
        *usable = base != NULL;
        return base;
    case INDEX_OF_QOS:
        if (e->row->home != HOME_CRED)
            return NULL;
        return settings_cred(s, CRED_QOS, cfg_is_global(index) ? "DEFAULT" : index);
    case INDEX_OF_OBJECT:
        return NULL;
    }
    return NULL;
}

/* An old form is its attribute, lists with commas for blanks. */
static void load_old_form(struct loader *l, const struct entry *e, char *value)
{
    const struct cfg_row *row = e->row;
    const struct cfg_row *attr = attrs_find(l->config->table, row->object, row->attr);
    struct grammar_pair pair = {.name = (char *)row->attr, .value = value};
    struct place at = place_of(e);
    const char *index = cfg_old_form_index(row, e->line.index, l->bank);

    for (char *p = value; *p != '\0' && attr->type != CFG_TEXT; p++)
        if (*p == ' ')
            *p = ',';
    load_attribute(l, &at, row->object, index, &pair);
}

static void name_with_index(char *buf, size_t size, const struct entry *e)
{
    if (cfg_is_global(e->line.index))
        snprintf(buf, size, "%s", e->row->name);
    else
        snprintf(buf, size, "%s[%s]", e->row->name, e->line.index);
}

static void load_value(struct loader *l, const struct entry *e, char *value)
{
    struct place at = place_of(e);
    struct cfg_call call = {.row = e->row, .value = value};
    size_t size = strlen(e->row->name) + 3;
    bool usable = true;
    char *name;

    call.base = find_base(l, e, &usable);
    if (!usable)
        return;
    size += e->line.index != NULL ? strlen(e->line.index) : 0;
    name = xmalloc(size);
    name_with_index(name, size, e);
    loader_apply(l, &at, &call, name);
    free(name);
}

static bool is_of_standing(const struct entry *e)
{
    return e->row->home == HOME_ATTR && e->row->object == OBJECT_SR;
}

/* Says in which reservation it ends up, which other findings name so. */
static void report_status(struct loader *l, const struct entry *e)
{
    struct place at = place_of(e);
    const char *index = cfg_old_form_index(e->row, e->line.index, NULL);

    if (is_of_standing(e))
        loader_report(l, &at, FINDING_NOTE,
            "%s[%.60s] is obsolete; write SRCFG[%.60s] %s=", e->line.name, index, index,
            e->row->attr);
    else
        loader_report_status(l, &at, e->row, e->line.name);
}

void load_parameter(struct loader *l, const struct entry *e)
{
    struct place at = place_of(e);
    char *value = plain_value(e->line.value);

    /* An empty rule of access is no matter of defaults. */
    if (*value == '\0' && !is_of_standing(e)) {
        loader_report(l, &at, FINDING_WARNING, "%s has no value; %s stays in force",
            e->row->name, e->row->def != NULL ? e->row->def : "its default");
    } else {
        report_status(l, e);
        if (e->row->home == HOME_LEGACY)
            load_old_limit(l, e, value);
        else if (e->row->home == HOME_ATTR)
            load_old_form(l, e, value);
        else
            load_value(l, e, value);
    }
    free(value);
}

/* ---- limits of Maui 3.0 ---- */

static int read_old_limit(struct old_limit *old, const struct cfg_row *row,
    const char *value, struct err *err)
{
    switch (row->part) {
    case PART_POLICY:
        if (value_bool(value, &old->policy, err) < 0)
            return -1;
        old->has_policy = true;
        return 0;
    case PART_COUNT:
        if (value_limit(value, row->res == LIMIT_WC, &old->count, err) < 0)
            return -1;
        old->has_count = true;
        return 0;
    case PART_SOFT:
        if (value_int(value, -1, INT_MANY, &old->soft, err) < 0)
            return -1;
        old->has_soft = true;
        return 0;
    }
    return -1;
}

void load_old_limit(struct loader *l, const struct entry *e, const char *value)
{
    const struct cfg_row *row = e->row;
    struct old_limit *old = &l->old[row->cred][row->res][row->dim];
    struct place at = place_of(e);
    struct err err;

    if (!cfg_is_global(e->line.index)) {
        loader_report(l, &at, FINDING_ERROR,
            "%s takes no index; write USERCFG[%.40s] and "
            "the like",
            row->name, e->line.index);
        return;
    }
    if (read_old_limit(old, row, value, &err) < 0) {
        loader_report(
            l, &at, FINDING_ERROR, "%s: %s; the line is not used", row->name, err.text);
        return;
    }
    old->place = at;
    loader_record(l, &at, row, row->name, value);
}

/* Hard limit missing or tighter than the soft one: the soft one counts. */
static struct limit joined(const struct old_limit *old)
{
    struct limit limit = old->count;

    if (!old->has_soft || old->soft == 0)
        return limit;
    limit.soft = old->soft;
    if (limit.hard == 0
        || (limit.hard > 0 && (limit.soft < 0 || limit.hard < limit.soft)))
        limit.hard = limit.soft;
    return limit;
}

static void put_old_limit(struct loader *l, struct old_limit *old, enum cred_kind kind,
    enum limit_res res, enum cfg_dimension dim)
{
    struct cred_cfg *def = settings_cred(l->config->settings, kind, "DEFAULT");
    struct limit limit = joined(old);

    if (old->has_policy && !old->policy)
        return;
    if (!old->has_count && !old->has_soft) {
        if (old->has_policy)
            loader_report(l, &old->place, FINDING_WARNING,
                "the policy is on, but there is no COUNT: nothing is limited");
        return;
    }
    if (dim == CFG_DIM_IDLE) {
        limit.soft = limit.hard;
        def->idle[res] = limit;
    } else {
        def->active[res] = limit;
    }
}

void load_old_limits(struct loader *l)
{
    for (int k = 0; k < CRED_KINDS; k++)
        for (int r = 0; r < LIMIT_RES_COUNT; r++)
            for (int d = CFG_DIM_ACTIVE; d <= CFG_DIM_IDLE; d++)
                put_old_limit(l, &l->old[k][r][d], (enum cred_kind)k, (enum limit_res)r,
                    (enum cfg_dimension)d);
}
