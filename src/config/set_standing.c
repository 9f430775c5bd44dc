/* SPDX-License-Identifier: Apache-2.0
 * Readers of the attributes of standing reservations that have a grammar of their
 * own, and the check of each reservation as a whole. */
#include "config/loader.h"
#include "config/set.h"
#include "config/settings.h"
#include "config/srcfg.h"
#include "config/value.h"

#include <string.h>

int set_sr_access_list(struct cfg_call *call, struct err *err)
{
    struct sr_cfg *sr = call->base;
    enum acl_type type = (enum acl_type)call->row->arg;
    struct acl read = {0};

    if (acltext_parse(type, call->value, &read, err) < 0)
        return -1;
    if (sr == NULL) {
        acltext_fini(&read);
        return 0;
    }
    /* Lists of names add up over lines; a limit is replaced. */
    if (type >= ACL_DURATION || call->replaces)
        acltext_drop(&sr->acl, type);
    for (size_t i = 0; i < read.entries.n; i++)
        vec_push(&sr->acl.entries, read.entries.v[i]);
    vec_fini(&read.entries);
    return 0;
}

int set_sr_owner(struct cfg_call *call, struct err *err)
{
    struct sr_cfg *sr = call->base;
    unsigned kind;
    char *owner = NULL;

    if (srcfg_owner_parse(call->value, &kind, &owner, err) < 0)
        return -1;
    if (sr == NULL) {
        free(owner);
        return 0;
    }
    free(sr->owner);
    sr->owner = owner;
    sr->owner_kind = kind;
    return 0;
}

int set_sr_resources(struct cfg_call *call, struct err *err)
{
    struct sr_resources read = {0};
    struct sr_cfg *sr = call->base;

    if (srcfg_resources_parse(call->value, &read, err) < 0)
        return -1;
    if (read.procs == 0 && read.mem_mb == 0 && read.swap_mb == 0 && read.disk_mb == 0
        && read.gres.n == 0) {
        srcfg_resources_fini(&read);
        return err_set(err, ERR_INVALID, "'%.60s' reserves nothing", call->value);
    }
    if (read.procs == 0)
        cfg_remark(call, "without PROCS no processor is reserved");
    if (sr == NULL) {
        srcfg_resources_fini(&read);
        return 0;
    }
    srcfg_resources_fini(&sr->per_task);
    sr->per_task = read;
    return 0;
}

int set_sr_days(struct cfg_call *call, struct err *err)
{
    const char *text = call->value;
    const struct cfg_keyword *word;
    struct sr_cfg *sr = call->base;
    uint32_t days = 0;
    int status = 0;
    char *name;

    while (status == 0 && (name = value_next_word(&text, VALUE_SEPARATORS)) != NULL) {
        status = value_keyword(name, call->row->keywords, &word, err);
        if (status == 0)
            days |= word->value;
        free(name);
    }
    if (status == 0 && sr != NULL)
        sr->days = days != 0 ? days : SR_DAYS_ALL;
    return status;
}

int set_sr_flags(struct cfg_call *call, struct err *err)
{
    struct sr_cfg *sr = call->base;
    uint32_t flags;

    if (srcfg_flags_parse(call->value, &flags, err) < 0)
        return -1;
    if (sr != NULL)
        sr->flags = flags;
    return 0;
}

int set_sr_depth(struct cfg_call *call, struct err *err)
{
    struct sr_cfg *sr = call->base;
    int64_t depth;

    if (value_int(call->value, call->row->min, call->row->max, &depth, err) < 0)
        return -1;
    if (depth == 0)
        cfg_remark(call, "a depth of 0 covers nothing; 1, the present period, is used");
    if (sr != NULL)
        sr->depth = depth > 0 ? depth : 1;
    return 0;
}

int set_sr_logic(struct cfg_call *call, struct err *err)
{
    struct sr_cfg *sr = call->base;
    const struct cfg_keyword *word;

    if (value_keyword(call->value, call->row->keywords, &word, err) < 0)
        return -1;
    if (sr != NULL)
        sr->time_and = word->value != 0;
    return 0;
}

int set_sr_triggers(struct cfg_call *call, struct err *err)
{
    struct trigger_list scratch = {0};
    struct sr_cfg *sr = call->base;
    int status = triggertext_parse(call->value, &scratch, err);

    if (status == 0 && sr != NULL && call->replaces)
        triggertext_fini(&sr->triggers);
    for (size_t i = 0; status == 0 && sr != NULL && i < scratch.n; i++)
        vec_push(&sr->triggers, scratch.v[i]);
    if (status == 0 && sr != NULL)
        vec_fini(&scratch);
    else
        triggertext_fini(&scratch);
    return status;
}

/* ---- each as a whole ---- */

/* What is written and has no effect. */
static void report_unused(
    struct loader *l, const struct place *at, const struct sr_cfg *sr)
{
    if (sr->period != SR_WEEK && (sr->wstart_s >= 0 || sr->wend_s >= 0))
        loader_report(l, at, FINDING_WARNING,
            "SRCFG[%.60s]: WSTARTTIME and WENDTIME count for PERIOD=WEEK only",
            sr->index);
    if (sr->period != SR_DAY && sr->days != SR_DAYS_ALL)
        loader_report(l, at, FINDING_WARNING,
            "SRCFG[%.60s]: DAYS counts for PERIOD=DAY only", sr->index);
    if (sr->acl.entries.n == 0)
        loader_report(l, at, FINDING_NOTE,
            "SRCFG[%.60s] has no access list: no job may use what it reserves",
            sr->index);
}

static bool is_closed(const struct loader *l, const struct sr_cfg *sr)
{
    for (size_t i = 0; i < l->closed.n; i++)
        if (strcmp(l->closed.v[i], sr->index) == 0)
            return true;
    return false;
}

/* Nobody may use it: the entry !ALL excludes everybody, whatever else is listed. */
static void close_access(struct sr_cfg *sr)
{
    acltext_fini(&sr->acl);
    acltext_parse(ACL_USER, "!ALL", &sr->acl, NULL);
}

void load_standing(struct loader *l)
{
    struct settings *s = l->config->settings;
    struct err err;

    for (size_t i = 0; i < s->standing.n; i++) {
        struct sr_cfg *sr = &s->standing.v[i];
        struct place at = {.file = l->config->files.v[sr->file_number],
            .file_number = sr->file_number,
            .line = sr->line};

        if (is_closed(l, sr))
            close_access(sr);
        report_unused(l, &at, sr);
        if (srcfg_finish(sr, &err) < 0)
            loader_report(l, &at, FINDING_ERROR,
                "SRCFG[%.60s]: %s; the reservation is not used", sr->index, err.text);
    }
}
