/* SPDX-License-Identifier: Apache-2.0
 * The tables of a job's attributes and of those of its requests. */
#include "cluster/attribute.h"

#include "cluster/cluster.h"
#include "cluster/private.h"
#include "config/keyword.h"
#include "config/mailtext.h"

#include <string.h>

#define IN_DESC(member)  .desc_at = offsetof(struct job_desc, member)
#define IN_JOB(member)   .job_at = offsetof(struct job, member)
#define IN_EXTRA(member) .extra_at = offsetof(struct job_extra, member)
#define CRED_AT          offsetof(struct job_desc, cred)
#define OF_CRED(kind)                                                                  \
    .type = ATTRIBUTE_CRED, .desc_at = CRED_AT + (kind) * sizeof(const char *)

#define OF_TYPE(suffix) .type = ATTRIBUTE_##suffix
#define FROM_0          .max = INT64_MAX
#define ASKED(as)       .request = (as)

/* clang-format off */
static const struct attribute attributes[] = {
    {"id", OF_TYPE(TEXT), IN_DESC(id)},
    {"user", OF_CRED(CRED_USER)},
    {"group", ASKED("group"), OF_CRED(CRED_GROUP), .change = CHANGE_GROUP},
    {"account", ASKED("account"), OF_CRED(CRED_ACCOUNT), .change = CHANGE_ACCOUNT},
    {"class", ASKED("class"), OF_CRED(CRED_CLASS), .change = CHANGE_CLASS},
    {"qos", ASKED("qos"), OF_CRED(CRED_QOS), .change = CHANGE_QOS},
    {"submit_at", OF_TYPE(NUMBER), IN_DESC(submit_at)},
    {"start_at", OF_TYPE(NUMBER), IN_DESC(start_at)},
    {"eligible_at", OF_TYPE(NUMBER), IN_DESC(eligible_at)},
    {"wclimit_s", ASKED("wclimit_s"), OF_TYPE(NUMBER), .max = INT32_MAX,
        .change = CHANGE_WCLIMIT, IN_DESC(wclimit_s)},
    {"min_wclimit_s", OF_TYPE(NUMBER), IN_DESC(min_wclimit_s), IN_EXTRA(min_wclimit_s)},
    {"overtime_s", OF_TYPE(NUMBER), IN_DESC(overtime_s), IN_EXTRA(overtime_s)},
    {"release_at", ASKED("release_at"), OF_TYPE(NUMBER), FROM_0,
        .change = CHANGE_RELEASE, IN_DESC(release_at), IN_JOB(release_at)},
    {"deadline_at", ASKED("deadline_at"), OF_TYPE(NUMBER), FROM_0,
        .change = CHANGE_DEADLINE, IN_DESC(deadline_at), IN_EXTRA(deadline_at)},
    {"priority", ASKED("priority"), OF_TYPE(NUMBER), .min = INT32_MIN, .max = INT32_MAX,
        .change = CHANGE_USER_PRIORITY, IN_DESC(user_priority), IN_JOB(user_priority)},
    {"fixed_priority", OF_TYPE(NUMBER), IN_DESC(fixed_priority), IN_JOB(fixed_priority)},
    {"tier", OF_TYPE(NUMBER), IN_DESC(tier), IN_JOB(tier)},
    {"partitions", ASKED("partitions"), OF_TYPE(NAMES),
        .change = CHANGE_PARTITIONS, IN_DESC(partitions)},
    {"classes", OF_TYPE(NAMES), IN_DESC(classes)},
    {"flags", ASKED("flags"), OF_TYPE(FLAGS),
        .change = CHANGE_FLAGS, IN_DESC(flags)},
    {"dependencies", ASKED("dependencies"), OF_TYPE(DEPS),
        .change = CHANGE_DEPS, IN_DESC(deps)},
    {"advres", ASKED("reservation"), "reservation_name", "Requested Reservation", OF_TYPE(TEXT),
        .change = CHANGE_ADVRES, IN_DESC(advres), IN_EXTRA(advres)},
    {"command", OF_TYPE(TEXT), IN_DESC(command), IN_EXTRA(command)},
    {"comment", ASKED("comment"), "comment", "Comment", OF_TYPE(TEXT), .hidden = true,
        .change = CHANGE_COMMENT, IN_DESC(comment), IN_EXTRA(comment)},
    {"mail", ASKED("mail"), "mail", "Mail", OF_TYPE(TEXT), .hidden = true,
        .change = CHANGE_MAIL, IN_DESC(mail), IN_EXTRA(mail),
        .check = mailtext_check_addresses},
    {"mail_when", ASKED("mail_when"), "mail_when", "MailWhen", OF_TYPE(TEXT),
        .hidden = true, .change = CHANGE_MAIL_WHEN, IN_DESC(mail_when),
        IN_EXTRA(mail_when), .check = mailtext_check_when},
    {"quote", ASKED("quote"), OF_TYPE(NUMBER), FROM_0,
        .change = CHANGE_QUOTE, IN_DESC(quote), IN_EXTRA(quote)},
    {"array_limit", ASKED("array_limit"), .said = ARRAY_LIMIT_SAID, OF_TYPE(NUMBER),
        .max = 100000,
        .change = CHANGE_ARRAY_LIMIT, IN_DESC(array_limit), IN_EXTRA(array_limit)},
};
/* clang-format on */

#undef IN_DESC
#define IN_DESC(member) .desc_at = offsetof(struct req_desc, member)
#define IN_DEF(member)  .def_at = offsetof(struct taskdef, member)
#define ID_OF(table)    .names_at = offsetof(struct cluster, table)
#define IN_BOTH(member) IN_DESC(member), IN_DEF(member)
#define AMOUNT(as, dim)                                                                \
    (as), ASKED(as), .of_task = true, OF_TYPE(NUMBER), IN_BOTH(per_task.v[dim])
#define NEEDED(as, to, member) (as), ASKED(to), OF_TYPE(COMPARISON), IN_BOTH(member)

static const struct cfg_keyword access_words[] = {{"SHARED", ACCESS_SHARED},
    {"SINGLEUSER", ACCESS_SINGLEUSER}, {"SINGLEJOB", ACCESS_SINGLEJOB},
    {"SINGLETASK", ACCESS_SINGLETASK}, {NULL}};
static const struct cfg_keyword nodealloc_words[] = {
    {"FIRSTAVAILABLE", NODEALLOC_FIRSTAVAILABLE},
    {"LASTAVAILABLE", NODEALLOC_LASTAVAILABLE}, {"MINRESOURCE", NODEALLOC_MINRESOURCE},
    {"CPULOAD", NODEALLOC_CPULOAD}, {"PRIORITY", NODEALLOC_PRIORITY},
    {"TIGHTEST", NODEALLOC_TIGHTEST}, {"FASTEST", NODEALLOC_FASTEST},
    {"MAXBALANCE", NODEALLOC_MAXBALANCE}, {"CONTIGUOUS", NODEALLOC_CONTIGUOUS},
    {"LOCAL", NODEALLOC_LOCAL}, {NULL}};
static const struct cfg_keyword sharing_words[] = {{"STAYS", SHARING_STAYS},
    {"JOINS", SHARING_JOINS}, {"FORCED", SHARING_FORCED}, {NULL}};
_Static_assert(ACCESS_UNSET == 0 && SHARING_NONE == 0 && NODEALLOC_UNSET == 0,
    "a word that is not said");

/* clang-format off */
static const struct req_attribute req_attributes[] = {
    {AMOUNT("procs", RES_PROCS), .usual = 1, .change = CHANGE_PROCS},
    {AMOUNT("mem_mb", RES_MEM), .change = CHANGE_MEM},
    {AMOUNT("swap_mb", RES_SWAP), .change = CHANGE_SWAP},
    {AMOUNT("disk_mb", RES_DISK), .change = CHANGE_DISK},
    {"mem_per_node_mb", ASKED("mem_per_node_mb"), OF_TYPE(NUMBER), FROM_0,
        IN_BOTH(mem_per_node_mb)},
    {"tasks", ASKED("tasks"), OF_TYPE(COUNT), .usual = 1, .min = 1, .max = INT32_MAX,
        .change = CHANGE_TASKS, IN_DESC(tasks)},
    {"nodes", ASKED("nodes"), OF_TYPE(COUNT), .max = INT32_MAX,
        .change = CHANGE_NODES, IN_DESC(nodes)},
    {"tpn", ASKED("tasks_per_node"), OF_TYPE(COUNT), .max = INT32_MAX,
        .change = CHANGE_TPN, IN_BOTH(tpn)},
    {"exact", OF_TYPE(BOOL), IN_BOTH(exact)},
    {"features", ASKED("features"), OF_TYPE(NAMES), ID_OF(features),
        .change = CHANGE_FEATURES, IN_BOTH(features)},
    {"preferred", ASKED("preferences"), OF_TYPE(NAMES), ID_OF(features), IN_BOTH(prefs)},
    {"hosts", ASKED("hosts"), OF_TYPE(NODES), .change = CHANGE_HOSTS, IN_BOTH(hosts)},
    {"exclude", ASKED("exclude_hosts"), OF_TYPE(NODES), IN_BOTH(exclude)},
    {"gres", ASKED("gres"), .of_task = true, OF_TYPE(AMOUNTS), ID_OF(gres),
        .change = CHANGE_GRES, IN_BOTH(gres)},
    {"job_gres", OF_TYPE(AMOUNTS), ID_OF(gres), IN_BOTH(job_gres)},
    {"os", ASKED("os"), OF_TYPE(TEXT), ID_OF(oses), IN_BOTH(os)},
    {"arch", ASKED("arch"), OF_TYPE(TEXT), ID_OF(arches), IN_BOTH(arch)},
    {"network", ASKED("network"), OF_TYPE(TEXT), ID_OF(networks), IN_BOTH(network)},
    {NEEDED("node_procs", "procs_needed", procs)},
    {NEEDED("node_mem_mb", "mem_needed", mem)},
    {NEEDED("node_swap_mb", "swap_needed", swap)},
    {NEEDED("node_disk_mb", "disk_needed", disk)},
    {"access", ASKED("access"), OF_TYPE(WORD), .words = access_words, IN_BOTH(access)},
    {"sharing", OF_TYPE(WORD), .words = sharing_words, IN_BOTH(sharing)},
    {"nodealloc", ASKED("allocation"), OF_TYPE(WORD), .words = nodealloc_words,
        IN_BOTH(nodealloc)},
    {"nodeset", ASKED("node_set"), OF_TYPE(NODESET), IN_BOTH(nodeset)},
};
/* clang-format on */

const struct attribute *attribute_at(size_t i)
{
    return i < sizeof attributes / sizeof attributes[0] ? &attributes[i] : NULL;
}

const struct req_attribute *req_attribute_at(size_t i)
{
    return i < sizeof req_attributes / sizeof req_attributes[0] ? &req_attributes[i]
                                                                : NULL;
}

const struct attribute *attribute_changed(unsigned bit)
{
    const struct attribute *a;

    for (size_t i = 0; (a = attribute_at(i)) != NULL; i++)
        if (bit && a->change == bit)
            return a;
    return NULL;
}

const struct req_attribute *req_attribute_changed(unsigned bit)
{
    const struct req_attribute *a;

    for (size_t i = 0; (a = req_attribute_at(i)) != NULL; i++)
        if (bit && a->change == bit)
            return a;
    return NULL;
}

enum cred_kind attribute_cred(const struct attribute *a)
{
    return (enum cred_kind)((a->desc_at - CRED_AT) / sizeof(const char *));
}

int attributes_check(const struct job_desc *d, unsigned what, struct err *err)
{
    const struct attribute *a;

    for (size_t i = 0; (a = attribute_at(i)) != NULL; i++) {
        if (!(a->change & what))
            continue;
        if (a->type == ATTRIBUTE_NUMBER && a->extra_at && a->max
            && amount_check(a->said ? a->said : a->request,
                *attribute_number(d, a->desc_at), a->min, a->max, err))
            return -1;
        if (!a->check)
            continue;
        const char *text = *attribute_text(d, a->desc_at);
        if (text && *text && a->check(text, err) < 0)
            return err_prefix(err, "%s: ", a->request);
    }
    return 0;
}

size_t attribute_size(enum attribute_type type)
{
    static const size_t sizes[] = {[ATTRIBUTE_NUMBER] = sizeof(int64_t),
        [ATTRIBUTE_FLAGS] = sizeof(uint32_t),
        [ATTRIBUTE_COUNT] = sizeof(uint32_t),
        [ATTRIBUTE_BOOL] = sizeof(bool),
        [ATTRIBUTE_COMPARISON] = sizeof(struct cmp),
        [ATTRIBUTE_WORD] = sizeof(enum access_policy),
        [ATTRIBUTE_NODESET] = 0};

    return sizes[type] ? sizes[type] : sizeof(void *); /* the others are pointers */
}

void attributes_apply(const struct job_change *ch, struct job_desc *d)
{
    const struct attribute *a;

    for (size_t i = 0; (a = attribute_at(i)) != NULL; i++)
        if (a->change & ch->what)
            memcpy(attribute_in(d, a->desc_at), attribute_in(&ch->job, a->desc_at),
                attribute_size(a->type));
}

void req_attributes_apply(const struct job_change *ch, struct req_desc *r)
{
    const struct req_attribute *a;

    for (size_t i = 0; (a = req_attribute_at(i)) != NULL; i++)
        if (a->change & ch->what)
            memcpy(attribute_in(r, a->desc_at), attribute_in(&ch->to, a->desc_at),
                attribute_size(a->type));
}
