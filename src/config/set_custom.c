/* SPDX-License-Identifier: Apache-2.0
 * Readers of the rows that have a grammar of their own: policies and credentials. */
#include "base/duration.h"
#include "base/strbuf.h"
#include "config/config.h"
#include "config/set.h"
#include "config/settings.h"
#include "config/value.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Keywords, of which each is a bit or several. */
int set_word_bits(struct cfg_call *call, struct err *err)
{
    const struct cfg_keyword *word;
    const char *text = call->value;
    unsigned bits = 0;
    int status = 0;
    char *name;

    while (status == 0 && (name = value_next_word(&text, VALUE_SEPARATORS)) != NULL) {
        if (strcasecmp(name, "[NONE]") == 0 || strcasecmp(name, "NONE") == 0)
            bits = 0;
        else if ((status = value_keyword(name, call->row->keywords, &word, err)) == 0)
            bits |= word->value;
        free(name);
    }
    if (status == 0 && call->base != NULL)
        *(unsigned *)((char *)call->base + call->row->offset) = bits;
    return status;
}

/* Only checked: the resource manager reads it. */
int set_rm_nodes(struct cfg_call *call, struct err *err)
{
    int64_t count, procs;

    return value_nodes(call->value, &count, &procs, err);
}

int set_purge_time(struct cfg_call *call, struct err *err)
{
    struct settings *s = call->base;
    int64_t value;

    if (value_time(call->value, false, &value, err) < 0)
        return -1;
    if (s != NULL)
        s->job_purge_s = s->node_purge_s = value;
    return 0;
}

int set_default_classes(struct cfg_call *call, struct err *err)
{
    struct gres_list scratch = {0};
    struct settings *s = call->base;
    int status =
        value_gres(call->value, -1, s != NULL ? &s->default_classes : &scratch, err);

    gres_list_fini(&scratch);
    return status;
}

/* A metric, % behind it for ratios; TRUE means DEDICATEDPS, as it always did. */
int set_fs_policy(struct cfg_call *call, struct err *err)
{
    static const struct cfg_keyword words[] = {{"DEDICATEDPS", FS_DEDICATEDPS},
        {"DEDICATEDPES", FS_DEDICATEDPES}, {"UTILIZEDPS", FS_UTILIZEDPS},
        {"PSDEDICATED", FS_DEDICATEDPS, "means DEDICATEDPS; write that"},
        {"NONE", FS_OFF, "is the same as no FSPOLICY"},
        {"[NONE]", FS_OFF, "is the same as no FSPOLICY"}, {NULL}};
    struct settings *s = call->base;
    const struct cfg_keyword *word;
    size_t len = strlen(call->value);
    bool percent = len > 0 && call->value[len - 1] == '%', on;
    char *text = xstrndup(call->value, percent ? len - 1 : len);
    int status = 0;
    enum fs_policy policy = FS_OFF;

    if (value_bool(text, &on, NULL) == 0) {
        policy = on ? FS_DEDICATEDPS : FS_OFF;
    } else {
        status = value_keyword(text, words, &word, err);
        if (status == 0)
            policy = (enum fs_policy)word->value;
        if (status == 0 && word->remark != NULL)
            cfg_remark(call, "%s %s", word->name, word->remark);
    }
    free(text);
    if (status == 0 && s != NULL) {
        s->fs.policy = policy;
        s->fs.percent = percent;
    }
    return status;
}

int set_match_policy(struct cfg_call *call, struct err *err)
{
    static const struct cfg_keyword words[] = {
        {"EXACTNODE", 1}, {"EXACTPROC", 2}, {"NONE", 0}, {"[NONE]", 0}, {NULL}};
    struct settings *s = call->base;
    const struct cfg_keyword *word = NULL;
    const char *text = call->value;
    unsigned bits = 0;
    char *next;

    while ((next = value_next_word(&text, VALUE_SEPARATORS)) != NULL) {
        int status = value_keyword(next, words, &word, err);

        free(next);
        if (status < 0)
            return -1;
        bits |= word->value;
    }
    if (s != NULL) {
        s->match_exactnode = (bits & 1) != 0;
        s->match_exactproc = (bits & 2) != 0;
    }
    return 0;
}

static int next_keyword(const char **text, const struct cfg_keyword *words,
    const struct cfg_keyword **ret, struct err *err)
{
    size_t len = strcspn(*text, ":");
    char *word = xstrndup(*text, len);
    int status = value_keyword(word, words, ret, err);

    free(word);
    *text += len + ((*text)[len] == ':');
    return status;
}

enum { NOT_MEASURED = USAGE_RESOURCES };

/* One RES[:POLICY[:ACTION[:TIME]]] into its place of `limits`. */
static int read_resource_limit(struct cfg_call *call, const char *text,
    struct usage_limit *limits, struct err *err)
{
    static const char remark[] = "no resource manager reports how much of it is used";
    static const struct cfg_keyword res[] = {{"PROC", USAGE_PROC},
        {"PROCS", USAGE_PROC}, {"MEM", USAGE_MEM}, {"SWAP", USAGE_SWAP},
        {"DISK", USAGE_DISK}, {"NODE", NOT_MEASURED, remark}, {NULL}};
    static const struct cfg_keyword policy[] = {{"ALWAYS", USAGE_ALWAYS},
        {"EXTENDEDVIOLATION", USAGE_EXTENDED},
        {"BLOCKEDWORKLOADONLY", USAGE_IGNORED, "BLOCKEDWORKLOADONLY never acts"},
        {NULL}};
    static const struct cfg_keyword action[] = {{"CANCEL", USAGE_CANCEL},
        {"REQUEUE", USAGE_REQUEUE}, {"SUSPEND", USAGE_SUSPEND}, {NULL}};
    const struct cfg_keyword *what, *how = NULL, *then = NULL;
    struct usage_limit limit = {USAGE_ALWAYS, USAGE_REQUEUE, 0};

    if (next_keyword(&text, res, &what, err) < 0
        || (*text && next_keyword(&text, policy, &how, err) < 0)
        || (*text && next_keyword(&text, action, &then, err) < 0)
        || (*text && value_time(text, false, &limit.lasting_s, err) < 0))
        return -1;
    if (what->remark != NULL && call->remarks != NULL)
        text_list_add(call->remarks, what->remark);
    if (how != NULL && how->remark != NULL && call->remarks != NULL)
        text_list_add(call->remarks, how->remark);
    if (how != NULL)
        limit.policy = (enum usage_policy)how->value;
    if (then != NULL)
        limit.action = (enum usage_action)then->value;
    if (what->value < USAGE_RESOURCES)
        limits[what->value] = limit;
    return 0;
}

/* The line tells all that is in force. */
int set_resource_limit(struct cfg_call *call, struct err *err)
{
    struct usage_limit limits[USAGE_RESOURCES] = {{0}};
    struct par_settings *par = call->base;
    const char *text = call->value;
    int status = 0;
    char *word;

    while (status == 0 && (word = value_next_word(&text, ", \t\n")) != NULL) {
        status = read_resource_limit(call, word, limits, err);
        free(word);
    }
    if (status == 0 && par != NULL)
        memcpy(par->usage, limits, sizeof limits);
    return status;
}

/* BOOL[:facility], kept as written. */
int set_use_syslog(struct cfg_call *call, struct err *err)
{
    static const struct cfg_keyword names[] = {{"daemon"}, {"user"}, {"auth"},
        {"authpriv"}, {"cron"}, {"mail"}, {"syslog"}, {"local0"}, {"local1"},
        {"local2"}, {"local3"}, {"local4"}, {"local5"}, {"local6"}, {"local7"}, {NULL}};
    struct settings *s = call->base;
    const struct cfg_keyword *name;
    size_t len = strcspn(call->value, ":");
    char *head = xstrndup(call->value, len);
    bool on;
    int status = value_bool(head, &on, err);

    free(head);
    if (status == 0 && call->value[len] != '\0')
        status = value_keyword(call->value + len + 1, names, &name, err);
    if (status == 0 && s != NULL) {
        free(s->daemon.syslog);
        s->daemon.syslog = on ? xstrdup(call->value) : NULL;
    }
    return status;
}

/* The order of windows, or, as another name of BACKFILLPOLICY, the policy. */
int set_backfill_type(struct cfg_call *call, struct err *err)
{
    enum { POLICY = 16 }; /* added to policies, to tell the two apart */
    static const struct cfg_keyword words[] = {{"WIDESTFIRST", BFORDER_WIDESTFIRST},
        {"LONGESTFIRST", BFORDER_LONGESTFIRST}, {"QUEUEORDER", BFORDER_QUEUEORDER},
        {"FIRSTFIT", POLICY + BACKFILL_FIRSTFIT},
        {"BESTFIT", POLICY + BACKFILL_BESTFIT}, {"GREEDY", POLICY + BACKFILL_GREEDY},
        {"PREEMPT", POLICY + BACKFILL_PREEMPT}, {"NONE", POLICY + BACKFILL_NONE},
        {NULL}};
    struct par_settings *par = call->base;
    const struct cfg_keyword *word;

    if (value_keyword(call->value, words, &word, err) < 0)
        return -1;
    if (par == NULL)
        return 0;
    if (word->value >= POLICY)
        par->bf_policy = (enum backfill_policy)(word->value - POLICY);
    else
        par->bf_order = (enum backfill_order)word->value;
    return 0;
}

/* A time, or the word, which is that of *io_s. */
static int read_time_or_word(
    const struct cfg_call *call, const char *word, int64_t *io_s, struct err *err)
{
    struct err none;

    if (strcasecmp(call->value, word) == 0
        || duration_parse(call->value, io_s, &none) == 0)
        return 0;
    return err_set(err, none.code,
        "'%.60s' is neither %s nor a duration; expected %s, [[[DD:]HH:]MM:]SS, a "
        "number "
        "of seconds, or INFINITY",
        call->value, word, word);
}

int set_horizon(struct cfg_call *call, struct err *err)
{
    struct settings *s = call->base;
    int64_t horizon_s = HORIZON_SUBMIT;

    if (read_time_or_word(call, "SUBMIT", &horizon_s, err) < 0)
        return -1;
    if (s != NULL)
        s->plan.horizon_s = horizon_s;
    return 0;
}

int set_wclimit_default(struct cfg_call *call, struct err *err)
{
    struct settings *s = call->base;
    int64_t limit_s = WCLIMIT_HISTORY;

    if (read_time_or_word(call, "HISTORY", &limit_s, err) < 0)
        return -1;
    if (s != NULL)
        s->wclimit_default_s = limit_s;
    return 0;
}

/* One POLICY[:RES] into `avail`; without a resource, all of them. */
static int read_avail(const char *text, enum avail_policy *avail, struct err *err)
{
    static const struct cfg_keyword policies[] = {{"COMBINED", AVAIL_COMBINED},
        {"DEDICATED", AVAIL_DEDICATED}, {"UTILIZED", AVAIL_UTILIZED}, {NULL}};
    static const struct cfg_keyword resources[] = {{"PROC", AVAIL_PROCS},
        {"PROCS", AVAIL_PROCS}, {"MEM", AVAIL_MEM}, {"SWAP", AVAIL_SWAP},
        {"DISK", AVAIL_DISK}, {NULL}};
    size_t len = strcspn(text, ":");
    char *name = xstrndup(text, len);
    const struct cfg_keyword *policy, *res;
    int status = value_keyword(name, policies, &policy, err);

    free(name);
    if (status < 0)
        return -1;
    if (text[len] == '\0') {
        for (int r = 0; r < AVAIL_RES_COUNT; r++)
            avail[r] = (enum avail_policy)policy->value;
        return 0;
    }
    if (value_keyword(text + len + 1, resources, &res, err) < 0)
        return -1;
    avail[res->value] = (enum avail_policy)policy->value;
    return 0;
}

int set_avail_policy(struct cfg_call *call, struct err *err)
{
    enum avail_policy avail[AVAIL_RES_COUNT] = {AVAIL_COMBINED};
    struct par_settings *par = call->base;
    const char *text = call->value;
    int status = 0;
    char *word;

    while (status == 0 && (word = value_next_word(&text, ", \t\n")) != NULL) {
        status = read_avail(word, avail, err);
        free(word);
    }
    if (status == 0 && par != NULL)
        memcpy(par->avail, avail, sizeof par->avail);
    return status;
}

int set_stack_qos(struct cfg_call *call, struct err *err)
{
    struct rsv_group *stack = call->base;
    struct text_list read = {0};
    bool all = false;

    (void)err;
    value_words(call->value, &read);
    for (size_t i = 0; i < read.n; i++)
        all = all || strcasecmp(read.v[i], "ALL") == 0
              || strcasecmp(read.v[i], "[ALL]") == 0;
    if (stack == NULL || all)
        text_list_fini(&read);
    if (stack == NULL)
        return 0;
    text_list_fini(&stack->qos);
    stack->qos = read;
    stack->all = all;
    return 0;
}

/* QDEF (arg 0) and PDEF (arg 1): an operator in the name is the list's. */
int set_default_name(struct cfg_call *call, struct err *err)
{
    struct cred_cfg *cred = call->base;
    const char *text = call->value;
    char *name = value_next_word(&text, VALUE_SEPARATORS "&^");
    char *second = value_next_word(&text, VALUE_SEPARATORS "&^"), **field;
    struct name_list *list;

    if (name == NULL || second != NULL || cred == NULL) {
        bool bad = name == NULL || second != NULL;

        free(name);
        free(second);
        return bad ? err_set(err, ERR_INVALID, "'%.60s' is not one name", call->value)
                   : 0;
    }
    field = call->row->arg == 0 ? &cred->qdef : &cred->pdef;
    list = call->row->arg == 0 ? &cred->qlist : &cred->plist;
    free(*field);
    *field = name;
    if (strchr(call->value, '^') != NULL)
        list->mode = LIST_ONLY;
    else if (strchr(call->value, '&') != NULL)
        list->mode = LIST_AND;
    return 0;
}

int set_am_rates(struct cfg_call *call, struct err *err)
{
    struct settings *s = call->base;
    struct price_rates read = {0};

    if (price_rates_parse(call->value, &read, err) < 0)
        return -1;
    if (s == NULL) {
        price_rates_fini(&read);
        return 0;
    }
    price_rates_fini(&s->bank.rates);
    s->bank.rates = read;
    return 0;
}

int set_am_times(struct cfg_call *call, struct err *err)
{
    struct settings *s = call->base;
    struct week_windows read = {0};

    if (week_parse(call->value, &read, err) < 0)
        return -1;
    if (s == NULL) {
        week_fini(&read);
        return 0;
    }
    week_fini(&s->bank.times);
    s->bank.times = read;
    return 0;
}

/* One number, as "x:NUMBER" is read. */
static int read_factor(const char *value, struct price_rates *ret, struct err *err)
{
    struct strbuf text = {0};
    int status;

    strbuf_printf(&text, "x:%s", value);
    status = strchr(value, ',')
                 ? err_set(err, ERR_INVALID, "'%.60s': expected one number", value)
                 : price_rates_parse(text.text, ret, err);
    free(strbuf_take(&text));
    return status;
}

int set_charge_rate(struct cfg_call *call, struct err *err)
{
    struct cred_cfg *cred = call->base;
    struct price_rates read = {0};
    int status = read_factor(call->value, &read, err);

    if (status < 0 || cred == NULL) {
        price_rates_fini(&read);
        return status;
    }
    price_rates_fini(&cred->charge_rate);
    cred->charge_rate = read;
    return 0;
}

int set_node_charge_rate(struct cfg_call *call, struct err *err)
{
    struct node_cfg *node = call->base;
    struct price_rates read = {0};
    int status = read_factor(call->value, &read, err);

    if (status == 0 && node != NULL)
        node->charge_rate = read.v[0].rate;
    price_rates_fini(&read);
    return status;
}
