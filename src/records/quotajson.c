/* SPDX-License-Identifier: Apache-2.0
 * See quotajson.h. */
#include "records/quotajson.h"

#include "records/words.h"

static const char *const rule_words[] = {
    [QUOTA_GROUP] = "group", [QUOTA_EACH] = "each", [QUOTA_JOB] = "job"};
static const char *const per_words[] = {
    [QUOTA_PER_USER] = "user", [QUOTA_PER_ACCOUNT] = "account"};
static const char *const limit_words[] = {
    [LIMIT_JOB] = "jobs",
    [LIMIT_PROC] = "procs",
    [LIMIT_NODE] = "nodes",
    [LIMIT_PS] = "proc_seconds",
    [LIMIT_PE] = "proc_equivalents",
    [LIMIT_WC] = "wall_s",
    [LIMIT_MEM] = "mem_mb",
};

const char *quotajson_res(enum limit_res res)
{
    return limit_words[res];
}

/* ---- out ---- */

static json_t *limits_out(const struct quota *q)
{
    json_t *list = json_array();

    for (size_t i = 0; i < q->n; i++) {
        const struct quota_limit *m = &q->limits[i];
        json_t *o = json_object();
        put_text(o, "word", m->word);
        put_text(o, "rule", rule_words[m->rule]);
        put_text(o, "res", limit_words[m->res]);
        put_text(o, "gres", m->gres);
        put_bool(o, "by_time", m->by_time);
        json_object_set_new(o, "most", json_integer(m->most));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *quota_out(const struct quota *q)
{
    json_t *o = json_object();

    put_text(o, "name", q->name);
    put_text(o, "user", q->user);
    put_text(o, "qos", q->qos);
    put_texts(o, "accounts", q->accounts);
    put_texts(o, "classes", q->classes);
    put_texts(o, "except", q->except);
    put_text(o, "per", per_words[q->per]);
    put_bool(o, "first", q->first);
    json_object_set_new(o, "limits", limits_out(q));
    return o;
}

static json_t *rank_out(const struct quota_rank *rank)
{
    json_t *o = json_object();

    put_text(o, "qos", rank->qos);
    json_object_set_new(o, "priority", json_integer(rank->priority));
    return o;
}

static json_t *target_out(const struct quota_target *target)
{
    json_t *o = json_object();

    put_text(o, target->kind == CRED_USER ? "user" : "account", target->name);
    json_object_set_new(o, "percent", json_real(target->percent));
    return o;
}

json_t *quotajson_list(const struct quota_list *l)
{
    json_t *o = json_object(), *list = json_array();

    for (size_t i = 0; i < l->n; i++)
        json_array_append_new(list, quota_out(&l->v[i]));
    put_text(o, "source", l->source);
    put_text(o, "rm", l->rm);
    json_object_set_new(o, "quotas", list);
    list = json_array();
    for (size_t i = 0; i < l->nranks; i++)
        json_array_append_new(list, rank_out(&l->ranks[i]));
    if (l->nranks > 0)
        json_object_set(o, "ranks", list);
    json_decref(list);
    list = json_array();
    for (size_t i = 0; i < l->ntargets; i++)
        json_array_append_new(list, target_out(&l->targets[i]));
    if (l->ntargets > 0)
        json_object_set(o, "targets", list);
    json_decref(list);
    return o;
}

/* ---- in ---- */

static void read_limit(struct reader *r, const json_t *o, struct quota_limit *ret)
{
    int rule = reader_word(r, o, "rule", WORDS(rule_words));
    int res = reader_word(r, o, "res", WORDS(limit_words));

    ret->word = reader_text(r, o, "word");
    ret->rule = rule < 0 ? QUOTA_JOB : (enum quota_rule)rule;
    ret->res = res < 0 ? LIMIT_JOB : (enum limit_res)res;
    ret->gres = reader_text(r, o, "gres");
    ret->by_time = reader_bool(r, o, "by_time");
    ret->most = reader_int(r, o, "most", 0);
    if (rule < 0 || res < 0 || !ret->word)
        reader_wrong(r, "limits", "limits with a word, a rule and a resource");
}

static void read_quota(struct reader *r, const json_t *o, struct quota *ret)
{
    const json_t *limits = reader_list(r, o, "limits");
    size_t n = json_array_size(limits);
    struct quota_limit *v = reader_take(r, n + 1, sizeof *v);
    int per = json_object_get(o, "per") ? reader_word(r, o, "per", WORDS(per_words))
                                        : QUOTA_PER_ALL;

    *ret = (struct quota){.name = reader_text(r, o, "name"),
        .user = reader_text(r, o, "user"),
        .qos = reader_text(r, o, "qos"),
        .accounts = reader_texts(r, o, "accounts"),
        .classes = reader_texts(r, o, "classes"),
        .except = reader_texts(r, o, "except"),
        .per = per < 0 ? QUOTA_PER_ALL : (enum quota_per)per,
        .first = reader_bool(r, o, "first"),
        .limits = v,
        .n = n};
    for (size_t i = 0; i < n; i++)
        read_limit(r, json_array_get(limits, i), &v[i]);
    if (!ret->name)
        reader_wrong(r, "name", "the name of a quota");
}

static void read_ranks(struct reader *r, const json_t *o, struct quota_list *ret)
{
    const json_t *list = reader_list(r, o, "ranks");
    size_t n = json_array_size(list);
    struct quota_rank *v = reader_take(r, n + 1, sizeof *v);

    for (size_t i = 0; i < n; i++) {
        const json_t *one = json_array_get(list, i);
        v[i] = (struct quota_rank){
            reader_text(r, one, "qos"), reader_int(r, one, "priority", 0)};
        if (!v[i].qos)
            reader_wrong(r, "ranks", "priorities of QOS");
    }
    ret->ranks = v;
    ret->nranks = n;
}

static void read_targets(struct reader *r, const json_t *o, struct quota_list *ret)
{
    const json_t *list = reader_list(r, o, "targets");
    size_t n = json_array_size(list);
    struct quota_target *v = reader_take(r, n + 1, sizeof *v);

    for (size_t i = 0; i < n; i++) {
        const json_t *one = json_array_get(list, i);
        const char *user = reader_text(r, one, "user");
        v[i] = (struct quota_target){.kind = user ? CRED_USER : CRED_ACCOUNT,
            .name = user ? user : reader_text(r, one, "account"),
            .percent = reader_real(r, one, "percent")};
        if (!v[i].name || !(v[i].percent >= 0 && v[i].percent <= 100.001))
            reader_wrong(r, "targets", "users or accounts with 0 to 100 percent");
    }
    ret->targets = v;
    ret->ntargets = n;
}

void quotajson_read(struct reader *r, const json_t *o, struct quota_list *ret)
{
    const json_t *list = reader_list(r, o, "quotas");
    size_t n = json_array_size(list);
    struct quota *v = reader_take(r, n + 1, sizeof *v);

    for (size_t i = 0; i < n; i++)
        read_quota(r, json_array_get(list, i), &v[i]);
    *ret = (struct quota_list){.source = reader_text(r, o, "source"),
        .rm = reader_text(r, o, "rm"),
        .v = v,
        .n = n};
    read_ranks(r, o, ret);
    read_targets(r, o, ret);
    if (!ret->source)
        reader_wrong(r, "source", "whose limits they are");
}
