/* SPDX-License-Identifier: Apache-2.0
 * Putting values where their rows say, type by type. */
#include "config/set.h"

#include "base/hostexpr.h"
#include "base/timeval.h"
#include "config/config.h"
#include "config/flags.h"
#include "config/nodecfg.h"
#include "config/table.h"
#include "config/value.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

void cfg_remark(struct cfg_call *call, const char *fmt, ...)
{
    char text[400];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (call->remarks != NULL)
        text_list_add(call->remarks, text);
}

/* The field of the row, or NULL when the value is only checked. */
static void *field_of(const struct cfg_call *call)
{
    if (call->base == NULL || call->row->store == STORE_NONE)
        return NULL;
    return (char *)call->base + call->row->offset;
}

static void store_int(struct cfg_call *call, int64_t value)
{
    void *field = field_of(call);

    if (field == NULL)
        return;
    assert(call->row->store == STORE_INT || call->row->store == STORE_NUMBER);
    if (call->row->store == STORE_INT)
        *(int64_t *)field = value;
    else
        *(double *)field = (double)value;
}

static void store_text(struct cfg_call *call, const char *value)
{
    char **field = field_of(call);

    if (field == NULL)
        return;
    assert(call->row->store == STORE_TEXT);
    free(*field);
    *field = xstrdup(value);
}

static int set_int(struct cfg_call *call, struct err *err)
{
    const struct cfg_row *row = call->row;
    int64_t value, low = row->negative_is_off ? -1 : row->min;

    if (value_int(call->value, low, row->max, &value, err) < 0)
        return -1;
    store_int(call, row->negative_is_off && value < 0 ? 0 : value);
    return 0;
}

static int set_number(struct cfg_call *call, struct err *err)
{
    const struct cfg_row *row = call->row;
    double *field = field_of(call), value;

    if (value_number(call->value, (double)row->min, (double)row->max, &value, err) < 0)
        return -1;
    if (field != NULL) {
        assert(row->store == STORE_NUMBER);
        *field = value;
    }
    return 0;
}

/* The value up to a colon when only that is checked; *copy is to be freed. */
static const char *head(const struct cfg_call *call, char **copy)
{
    size_t len = strcspn(call->value, ":");

    *copy = NULL;
    if (!call->row->head_only || call->value[len] == '\0')
        return call->value;
    *copy = xstrndup(call->value, len);
    return *copy;
}

static int set_bool(struct cfg_call *call, struct err *err)
{
    bool *field = field_of(call), value;
    char *copy;
    int status = value_bool(head(call, &copy), &value, err);

    free(copy);
    if (status == 0 && field != NULL) {
        assert(call->row->store == STORE_BOOL);
        *field = value;
    }
    return status;
}

static int set_keyword(struct cfg_call *call, struct err *err)
{
    const struct cfg_keyword *word;
    unsigned *field = field_of(call);
    char *copy;
    int status = value_keyword(head(call, &copy), call->row->keywords, &word, err);

    free(copy);
    if (status < 0)
        return -1;
    if (word->remark != NULL)
        cfg_remark(call, "%s %s", word->name, word->remark);
    if (field != NULL) {
        assert(call->row->store == STORE_ENUM);
        *field = word->value;
    }
    return 0;
}

/* -1 is "never": 0 or -1 as the row has it, or a duration without end (arg). */
static int set_time(struct cfg_call *call, struct err *err)
{
    const struct cfg_row *row = call->row;
    bool negative = row->negative_is_off || row->min < 0;
    int64_t value;

    if (value_time(call->value, negative, &value, err) < 0)
        return -1;
    if (row->max > row->min && value < DURATION_UNLIMITED
        && (value < row->min || value > row->max))
        return err_set(err, ERR_INVALID, "'%.60s' is not within %lld to %lld seconds",
            call->value, (long long)row->min, (long long)row->max);
    if (row->min > 0 && value >= DURATION_UNLIMITED)
        return err_set(err, ERR_INVALID, "'%.60s' has no end", call->value);
    if (value < 0 && row->negative_is_off)
        value = 0;
    else if (value < 0 && row->arg != 0)
        value = DURATION_UNLIMITED;
    store_int(call, value);
    return 0;
}

static int set_name(struct cfg_call *call, struct err *err)
{
    if (call->value[strcspn(call->value, " \t\n")] != '\0')
        return err_set(err, ERR_INVALID, "'%.60s' is more than one word", call->value);
    store_text(call, call->value);
    return 0;
}

static int set_words(struct cfg_call *call, struct err *err)
{
    const struct cfg_row *row = call->row;
    struct text_list read = {0}, *field = field_of(call);
    const struct cfg_keyword *word;

    value_words(call->value, &read);
    for (size_t i = 0; row->keywords != NULL && i < read.n; i++) {
        if (value_keyword(read.v[i], row->keywords, &word, err) < 0) {
            text_list_fini(&read);
            return -1;
        }
    }
    /* [ANY], [NONE]: the same as an empty list. */
    if (read.n == 1
        && (strcasecmp(read.v[0], "[ANY]") == 0
            || strcasecmp(read.v[0], "[NONE]") == 0))
        text_list_fini(&read);
    if (field == NULL) {
        text_list_fini(&read);
        return 0;
    }
    assert(row->store == STORE_LIST);
    text_list_fini(field);
    *field = read;
    return 0;
}

static int set_creds(struct cfg_call *call, struct err *err)
{
    struct name_list scratch = {0}, *field = field_of(call);
    int status = value_creds(call->value, field != NULL ? field : &scratch, err);

    text_list_fini(&scratch.names);
    return status;
}

/* ---- limits -------------------------------------------------------------------- */

static int bracket_kind(const char *text, size_t len, enum cred_kind *ret)
{
    static const struct {
        const char *name;
        enum cred_kind kind;
    } kinds[] = {{"USER", CRED_USER}, {"GROUP", CRED_GROUP}, {"ACCOUNT", CRED_ACCOUNT},
        {"ACCT", CRED_ACCOUNT}, {"QOS", CRED_QOS}, {"CLASS", CRED_CLASS}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strlen(kinds[i].name) == len
            && strncasecmp(kinds[i].name, text, len) == 0) {
            *ret = kinds[i].kind;
            return 0;
        }
    }
    return -1;
}

/* Split USER or USER:steve. *ret_name is borrowed, NULL without a name. */
static int read_bracket(
    const char *text, enum cred_kind *ret_kind, const char **ret_name, struct err *err)
{
    size_t len = strcspn(text, ":");

    if (bracket_kind(text, len, ret_kind) < 0)
        return err_set(err, ERR_INVALID,
            "[%.60s] is not a credential; expected USER GROUP ACCOUNT QOS or CLASS, "
            ":NAME may follow",
            text);
    *ret_name = text[len] == ':' && text[len + 1] != '\0' ? text + len + 1 : NULL;
    return 0;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static void put_within(struct cred_cfg *cred, const struct limit_within *limit)
{
    struct limit_within copy = *limit;

    for (size_t i = 0; i < cred->within.n; i++) {
        struct limit_within *w = &cred->within.v[i];

        if (w->idle == limit->idle && w->res == limit->res && w->other == limit->other
            && same_text(w->name, limit->name)) {
            w->limit = limit->limit;
            return;
        }
    }
    copy.name = limit->name != NULL ? xstrdup(limit->name) : NULL;
    vec_push(&cred->within, copy);
}

static int set_within(
    struct cfg_call *call, const char *bracket, struct limit limit, struct err *err)
{
    struct limit_within within = {
        .idle = call->row->dim == CFG_DIM_IDLE, .res = call->row->res, .limit = limit};
    const char *name;

    if (read_bracket(bracket, &within.other, &name, err) < 0)
        return -1;
    within.name = (char *)name;
    if (call->base != NULL)
        put_within(call->base, &within);
    return 0;
}

static int set_limit(struct cfg_call *call, struct err *err)
{
    const struct cfg_row *row = call->row;
    const char *bracket = call->bracket != NULL ? call->bracket : row->attr;
    struct limit *field = field_of(call), limit;

    if (value_limit(call->value, row->res == LIMIT_WC, &limit, err) < 0)
        return -1;
    if (row->dim == CFG_DIM_IDLE)
        limit.soft = limit.hard;
    if (bracket != NULL)
        return set_within(call, bracket, limit, err);
    if (field != NULL) {
        assert(row->store == STORE_LIMIT);
        *field = limit;
    }
    return 0;
}

/* MAXPROC[CLASS:c] of a node. */
static int set_class_count(struct cfg_call *call, struct err *err)
{
    struct node_cfg *node = call->base;
    struct gres_cfg limit = {0};
    enum cred_kind kind;
    const char *name;

    if (read_bracket(call->bracket, &kind, &name, err) < 0)
        return -1;
    if (kind != CRED_CLASS || name == NULL)
        return err_set(err, ERR_INVALID,
            "[%.60s]: a node has limits by CLASS:NAME only", call->bracket);
    if (value_int(call->value, call->row->min, call->row->max, &limit.count, err) < 0)
        return -1;
    for (size_t i = 0; node != NULL && i < node->maxproc_class.n; i++) {
        if (strcmp(node->maxproc_class.v[i].name, name) == 0) {
            node->maxproc_class.v[i].count = limit.count;
            return 0;
        }
    }
    if (node == NULL)
        return 0;
    limit.name = xstrdup(name);
    vec_push(&node->maxproc_class, limit);
    return 0;
}

/* ---- the rest -------------------------------------------------------------------- */

static int set_fstarget(struct cfg_call *call, struct err *err)
{
    struct fs_target *field = field_of(call), target;

    if (value_fstarget(call->value, &target, err) < 0)
        return -1;
    if (field != NULL)
        *field = target;
    return 0;
}

static int set_size(struct cfg_call *call, struct err *err)
{
    int64_t value;

    if (value_size_mb(call->value, &value, err) < 0)
        return -1;
    store_int(call, value);
    return 0;
}

static int set_gres(struct cfg_call *call, struct err *err)
{
    struct gres_list scratch = {0}, *field = field_of(call);
    int status = value_gres(call->value, 9999, field != NULL ? field : &scratch, err);

    gres_list_fini(&scratch);
    return status;
}

static int set_hosts(struct cfg_call *call, struct err *err)
{
    if (hostexpr_check(call->value, err) < 0)
        return -1;
    store_text(call, call->value);
    return 0;
}

/* Unknown flags are warned about; the others are in force. */
static int set_jobflags(struct cfg_call *call)
{
    struct cred_cfg *cred = call->base;
    struct text_list names = {0};
    struct err unknown;
    uint32_t flags;

    if (job_flags_parse_names(call->value, &flags, &names, NULL, &unknown) < 0)
        cfg_remark(call, "%s", unknown.text);
    if (cred == NULL) {
        text_list_fini(&names);
        return 0;
    }
    cred->job_flags = flags;
    text_list_fini(&cred->advres);
    cred->advres = names;
    return 0;
}

static int set_qosflags(struct cfg_call *call)
{
    struct cred_cfg *qos = call->base;
    struct err unknown;

    if (qos != NULL && qos_flags_parse(call->value, qos, &unknown) < 0)
        cfg_remark(call, "%s", unknown.text);
    return 0;
}

int row_set(struct cfg_call *call, struct err *err)
{
    if (call->bracket != NULL && call->row->home == HOME_NODE)
        return set_class_count(call, err);
    if (call->row->set != NULL)
        return call->row->set(call, err);
    switch (call->row->type) {
    case CFG_INT:
        return set_int(call, err);
    case CFG_NUMBER:
        return set_number(call, err);
    case CFG_BOOL:
        return set_bool(call, err);
    case CFG_TIME:
        return set_time(call, err);
    case CFG_KEYWORD:
        return set_keyword(call, err);
    case CFG_NAME:
        return set_name(call, err);
    case CFG_TEXT:
    case CFG_PATH:
        store_text(call, call->value);
        return 0;
    case CFG_WORDS:
        return set_words(call, err);
    case CFG_CREDS:
        return set_creds(call, err);
    case CFG_LIMIT:
        return set_limit(call, err);
    case CFG_FSTARGET:
        return set_fstarget(call, err);
    case CFG_SIZE_MB:
        return set_size(call, err);
    case CFG_GRES:
        return set_gres(call, err);
    case CFG_JOBFLAGS:
        return set_jobflags(call);
    case CFG_QOSFLAGS:
        return set_qosflags(call);
    case CFG_HOSTS:
        return set_hosts(call, err);
    case CFG_CUSTOM:
    case CFG_SECTION:
        break;
    }
    assert(!"a section has no value of its own, a custom row a reader");
    return -1;
}
