/* SPDX-License-Identifier: Apache-2.0
 * Standing reservations as configured: records, words, and what can be wrong with one
 * as a whole. */
#include "config/srcfg.h"

#include "base/duration.h"
#include "base/timeval.h"
#include "config/config.h"
#include "config/settings.h"
#include "config/value.h"

#include <string.h>
#include <strings.h>

#define DAY_S  INT64_C(86400)
#define WEEK_S (7 * DAY_S)

/* ---- records --------------------------------------------------------------------- */

struct sr_cfg *srcfg_find(const struct settings *s, const char *index)
{
    for (size_t i = 0; i < s->standing.n; i++)
        if (strcmp(s->standing.v[i].index, index) == 0)
            return &s->standing.v[i];
    return NULL;
}

struct sr_cfg *srcfg_get(struct settings *s, const char *index)
{
    struct sr_cfg *found = srcfg_find(s, index);
    struct sr_cfg fresh = {.owner_kind = CRED_KINDS,
        .days = SR_DAYS_ALL,
        .period = SR_DAY,
        .depth = 2,
        .start_s = -1,
        .end_s = -1,
        .wstart_s = -1,
        .wend_s = -1,
        .per_task = {.procs = -1},
        .usable = true};

    if (found != NULL)
        return found;
    fresh.index = xstrdup(index);
    vec_push(&s->standing, fresh);
    return &s->standing.v[s->standing.n - 1];
}

const char *srcfg_name(const struct sr_cfg *sr)
{
    return sr->name != NULL ? sr->name : sr->index;
}

void srcfg_fini(struct sr_cfg *sr)
{
    free(sr->index);
    free(sr->name);
    acltext_fini(&sr->acl);
    free(sr->charge_account);
    free(sr->owner);
    free(sr->hosts);
    text_list_fini(&sr->features);
    free(sr->partition);
    srcfg_resources_fini(&sr->per_task);
    triggertext_fini(&sr->triggers);
}

/* ---- resources ------------------------------------------------------------------- */

void srcfg_resources_fini(struct sr_resources *res)
{
    gres_list_fini(&res->gres);
}

static int64_t *amount_of(struct sr_resources *res, unsigned which)
{
    int64_t *const amounts[] = {
        &res->procs, &res->mem_mb, &res->swap_mb, &res->disk_mb};

    return amounts[which];
}

#define GRES_WORD 4

static int read_amount(
    const char *name, const char *text, int64_t *ret, struct err *err)
{
    if (strcasecmp(text, "ALL") == 0 || strcmp(text, "-1") == 0) {
        *ret = -1;
        return 0;
    }
    if (value_size_mb(text, ret, NULL) < 0)
        return err_set(err, ERR_INVALID,
            "'%.40s' of %.40s is not an amount; expected a number, ALL or -1", text,
            name);
    return 0;
}

/* A name, and a count if a number follows. */
static int read_gres(
    const char **text, char *name, struct sr_resources *res, struct err *err)
{
    struct gres_cfg gres = {.name = name, .count = 1};
    const char *ahead = *text;
    char *count = value_next_word(&ahead, "=:;,+@ \t\n");

    if (count != NULL && count[strspn(count, "0123456789")] == '\0') {
        if (value_int(count, 0, INT_MANY, &gres.count, err) < 0) {
            free(count);
            return -1;
        }
        *text = ahead;
    }
    free(count);
    gres.name = xstrdup(name);
    vec_push(&res->gres, gres);
    return 0;
}

static int read_resource(
    const char **text, const char *name, struct sr_resources *res, struct err *err)
{
    static const struct cfg_keyword names[] = {{"PROCS", 0}, {"PROC", 0}, {"MEM", 1},
        {"SWAP", 2}, {"DISK", 3}, {"GRES", GRES_WORD}, {NULL}};
    const struct cfg_keyword *found;
    char *amount;
    int status;

    if (value_keyword(name, names, &found, err) < 0)
        return -1;
    amount = value_next_word(text, "=:;,+ \t\n");
    if (amount == NULL)
        return err_set(err, ERR_INVALID, "%.40s has no amount", name);
    status = found->value == GRES_WORD
                 ? read_gres(text, amount, res, err)
                 : read_amount(name, amount, amount_of(res, found->value), err);
    free(amount);
    return status;
}

int srcfg_resources_parse(const char *text, struct sr_resources *res, struct err *err)
{
    struct sr_resources read = {0};
    int status = 0;
    char *name;

    while (status == 0 && (name = value_next_word(&text, "=:;,+ \t\n")) != NULL) {
        status = read_resource(&text, name, &read, err);
        free(name);
    }
    if (status < 0) {
        srcfg_resources_fini(&read);
        return -1;
    }
    srcfg_resources_fini(res);
    *res = read;
    return 0;
}

/* ---- flags ----------------------------------------------------------------------- */

static const struct cfg_keyword flag_words[] = {{"BYNAME", RSV_BYNAME},
    {"OWNERPREEMPT", RSV_OWNERPREEMPT}, {"PREEMPTEE", RSV_PREEMPTEE},
    {"TIMEFLEX", RSV_TIMEFLEX}, {"SPACEFLEX", RSV_SPACEFLEX},
    {"SINGLEUSE", RSV_SINGLEUSE}, {"FORCE", RSV_FORCE}, {"BESTEFFORT", RSV_BESTEFFORT},
    {"DEDICATEDNODE", RSV_DEDICATEDNODE}, {"DEDICATEDRESOURCE", RSV_DEDICATEDRESOURCE},
    {"ADVRES", RSV_ADVRES}, {"META", RSV_META}, {"STANDINGRES", RSV_STANDINGRES},
    {"IGNSTATE", RSV_IGNSTATE}, {"FLEX", RSV_FLEX}, {NULL}};

int srcfg_flags_parse(const char *text, uint32_t *ret_flags, struct err *err)
{
    const struct cfg_keyword *word;
    uint32_t flags = 0;
    int status = 0;
    char *name;

    while (status == 0 && (name = value_next_word(&text, VALUE_SEPARATORS)) != NULL) {
        status = value_keyword(name, flag_words, &word, err);
        if (status == 0)
            flags |= word->value;
        free(name);
    }
    if (status == 0)
        *ret_flags = flags;
    return status;
}

const char *srcfg_flag_name(uint32_t flag)
{
    for (const struct cfg_keyword *k = flag_words; k->name != NULL; k++)
        if (flag & k->value)
            return k->name;
    return NULL;
}

/* ---- owner ----------------------------------------------------------------------- */

int srcfg_owner_parse(
    const char *text, unsigned *ret_kind, char **owner, struct err *err)
{
    static const struct cfg_keyword kinds[] = {{"USER", CRED_USER},
        {"GROUP", CRED_GROUP}, {"ACCOUNT", CRED_ACCOUNT}, {"ACCT", CRED_ACCOUNT},
        {"QOS", CRED_QOS}, {"CLASS", CRED_CLASS}, {NULL}};
    const struct cfg_keyword *kind;
    size_t len = strcspn(text, ":");
    char *type = xstrndup(text, len);
    int status = value_keyword(type, kinds, &kind, err);

    free(type);
    if (status < 0)
        return -1;
    if (text[len] == '\0' || text[len + 1] == '\0')
        return err_set(
            err, ERR_INVALID, "'%.60s' names nobody; expected TYPE:NAME", text);
    *ret_kind = kind->value;
    free(*owner);
    *owner = xstrdup(text + len + 1);
    return 0;
}

/* ---- as a whole ---- */

/* The week has two forms; the one made for it counts. */
static void resolve_window(struct sr_cfg *sr)
{
    bool week = sr->period == SR_WEEK;

    if (week && sr->wstart_s >= 0)
        sr->start_s = sr->wstart_s;
    if (week && sr->wend_s >= 0)
        sr->end_s = sr->wend_s;
    if (sr->start_s < 0)
        sr->start_s = 0;
    if (sr->end_s < 0)
        sr->end_s = week ? WEEK_S : DAY_S;
}

static int check_window(const struct sr_cfg *sr, struct err *err)
{
    int64_t most = sr->period == SR_WEEK ? WEEK_S : DAY_S;
    char start[DURATION_TEXT_MAX], end[DURATION_TEXT_MAX];

    duration_format_exact(sr->start_s, start, sizeof start);
    duration_format_exact(sr->end_s, end, sizeof end);
    if (sr->period == SR_INFINITY)
        return 0;
    if (sr->end_s > most)
        return err_set(err, ERR_INVALID,
            "ENDTIME %s is after the end of the %s; configure two reservations, jobs "
            "may run from one into the other",
            end, sr->period == SR_WEEK ? "week" : "day");
    if (sr->start_s >= sr->end_s)
        return err_set(err, ERR_INVALID,
            "STARTTIME %s is not before ENDTIME %s; to cross midnight, configure two "
            "reservations, jobs may run from one into the other",
            start, end);
    return 0;
}

static void resolve_access(struct sr_cfg *sr)
{
    for (size_t i = 0; sr->time_and && i < sr->acl.entries.n; i++)
        if (sr->acl.entries.v[i].type == ACL_DURATION)
            sr->acl.entries.v[i].required = true;
}

int srcfg_finish(struct sr_cfg *sr, struct err *err)
{
    resolve_window(sr);
    resolve_access(sr);
    if (sr->partition != NULL && strcasecmp(sr->partition, "[ALL]") == 0) {
        free(sr->partition);
        sr->partition = xstrdup("ALL");
    }
    sr->usable = false;
    if (check_window(sr, err) < 0)
        return -1;
    if (sr->hosts == NULL && sr->tasks == 0)
        return err_set(err, ERR_INVALID,
            "neither HOSTLIST nor TASKCOUNT is given, so nothing would be reserved; "
            "TASKCOUNT=N takes so many tasks of any nodes, HOSTLIST=ALL the whole "
            "machine");
    if ((sr->flags & RSV_OWNERPREEMPT) && sr->owner == NULL)
        return err_set(err, ERR_INVALID, "FLAGS=OWNERPREEMPT needs an OWNER");
    if (sr->tpn > 0 && sr->tasks > 0 && sr->tasks < sr->tpn)
        return err_set(err, ERR_INVALID,
            "TASKCOUNT is less than TPN; no node could hold any of it");
    sr->usable = true;
    return 0;
}
