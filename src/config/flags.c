/* SPDX-License-Identifier: Apache-2.0
 * Job flags and QOS flags as words, from two tables. */
#include "config/flags.h"

#include "base/nearest.h"
#include "config/config.h"
#include "config/credcfg.h"

#include <string.h>
#include <strings.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define SEPARATORS   ",:;|+ \t"

/* The first name of a bit is the one printed. */
static const struct job_flag_row {
    const char *name;
    uint32_t bit;
} job_rows[] = {
    {"ADVRES", JOB_ADVRES},
    {"BENCHMARK", JOB_BENCHMARK},
    {"BESTEFFORT", JOB_BESTEFFORT},
    {"BYNAME", JOB_BYNAME},
    {"DEDICATED", JOB_DEDICATED},
    {"DEDICATEDNODE", JOB_DEDICATED},
    {"NOQUEUE", JOB_NOQUEUE},
    {"PREEMPTEE", JOB_PREEMPTEE},
    {"PREEMPTOR", JOB_PREEMPTOR},
    {"PRESTART", JOB_PRESTART},
    {"RESTARTABLE", JOB_RESTARTABLE},
    {"SHAREDNODE", JOB_SHAREDNODE},
    {"SHAREDRESOURCES", JOB_SHAREDNODE},
    {"SPAN", JOB_SPAN},
    {"HOSTLIST", JOB_HOSTLIST},
    {"BACKFILL", JOB_BACKFILL},
    {"SPVIOLATION", JOB_SPVIOLATION},
    {"IGNHOSTLIST", JOB_IGNHOSTLIST},
    {"APART", JOB_APART},
};

#define BIT(r)       (1u << LIMIT_##r)
#define EVERY_LIMIT  ((1u << LIMIT_RES_COUNT) - 1)
#define SYSTEM_FLAGS (QOS_IGNSYSMAXPROC | QOS_IGNSYSMAXTIME | QOS_IGNSYSMAXPS)

/* What a QFLAGS word sets: plain bits, job flags, and the limits (active, idle) of
 * one credential kind that are not looked at. */
static const struct qos_flag_row {
    const char *name;
    uint32_t bits, job_bits;
    enum cred_kind kind;
    uint32_t active, idle;
} qos_rows[] = {
    {"DEDICATED", QOS_DEDICATED, 0, 0, 0, 0},
    {"NOBF", QOS_NOBF, 0, 0, 0, 0},
    {"NORESERVATION", QOS_NORESERVATION, 0, 0, 0, 0},
    {"RESERVEALWAYS", QOS_RESERVEALWAYS, 0, 0, 0, 0},
    {"USERESERVED", QOS_USERESERVED, 0, 0, 0, 0},
    {"ADVRES", QOS_USERESERVED, 0, 0, 0, 0},
    {"PREEMPTOR", QOS_PREEMPTOR, 0, 0, 0, 0},
    {"PREEMPT", QOS_PREEMPTOR, 0, 0, 0, 0},
    {"PREEMPTEE", QOS_PREEMPTEE, 0, 0, 0, 0},
    {"PREEMPTSPV", QOS_PREEMPTSPV, 0, 0, 0, 0},
    {"RESTARTPREEMPT", QOS_RESTARTPREEMPT, 0, 0, 0, 0},
    {"IGNHOSTLIST", QOS_IGNHOSTLIST, JOB_IGNHOSTLIST, 0, 0, 0},
    {"RUNNOW", QOS_RUNNOW, 0, 0, 0, 0},
    {"NTR", QOS_NTR, 0, 0, 0, 0},
    {"SPAN", QOS_SPAN, JOB_SPAN, 0, 0, 0},
    {"IGNSRMAXTIME", QOS_IGNSRMAXTIME, 0, 0, 0, 0},
    {"IGNSYSMAXPROC", QOS_IGNSYSMAXPROC, 0, 0, 0, 0},
    {"IGNSYSMAXTIME", QOS_IGNSYSMAXTIME, 0, 0, 0, 0},
    {"IGNSYSMAXPS", QOS_IGNSYSMAXPS, 0, 0, 0, 0},
    {"IGNSYSTEM", SYSTEM_FLAGS, 0, 0, 0, 0},
    {"IGNUSER", QOS_IGNUSER, 0, CRED_USER, EVERY_LIMIT, EVERY_LIMIT},
    {"IGNGROUP", QOS_IGNGROUP, 0, CRED_GROUP, EVERY_LIMIT, EVERY_LIMIT},
    {"IGNACCOUNT", QOS_IGNACCOUNT, 0, CRED_ACCOUNT, EVERY_LIMIT, EVERY_LIMIT},
    {"IGNALL", QOS_IGNALL | QOS_IGNUSER | QOS_IGNGROUP | QOS_IGNACCOUNT, 0, 0, 0, 0},
    {"IGNJOBPERUSER", 0, 0, CRED_USER, BIT(JOB), 0},
    {"IGNPROCPERUSER", 0, 0, CRED_USER, BIT(PROC), 0},
    {"IGNNODEPERUSER", 0, 0, CRED_USER, BIT(NODE), 0},
    {"IGNPSPERUSER", 0, 0, CRED_USER, BIT(PS), 0},
    {"IGNJOBQUEUEDPERUSER", 0, 0, CRED_USER, 0, BIT(JOB)},
    {"IGNJOBPERGROUP", 0, 0, CRED_GROUP, BIT(JOB), 0},
    {"IGNPROCPERGROUP", 0, 0, CRED_GROUP, BIT(PROC), 0},
    {"IGNNODEPERGROUP", 0, 0, CRED_GROUP, BIT(NODE), 0},
    {"IGNPSPERGROUP", 0, 0, CRED_GROUP, BIT(PS), 0},
    {"IGNJOBQUEUEDPERGROUP", 0, 0, CRED_GROUP, 0, BIT(JOB)},
    {"IGNJOBPERACCOUNT", 0, 0, CRED_ACCOUNT, BIT(JOB), 0},
    {"IGNPROCPERACCOUNT", 0, 0, CRED_ACCOUNT, BIT(PROC), 0},
    {"IGNNODEPERACCOUNT", 0, 0, CRED_ACCOUNT, BIT(NODE), 0},
    {"IGNPSPERACCOUNT", 0, 0, CRED_ACCOUNT, BIT(PS), 0},
    {"IGNJOBQUEUEDPERACCOUNT", 0, 0, CRED_ACCOUNT, 0, BIT(JOB)},
};

const char *job_flag_word(size_t i)
{
    return i < COUNT(job_rows) ? job_rows[i].name : NULL;
}

const char *qos_flag_word(size_t i)
{
    return i < COUNT(qos_rows) ? qos_rows[i].name : NULL;
}

const char *job_flag_name(uint32_t flag)
{
    for (size_t i = 0; i < COUNT(job_rows); i++)
        if ((job_rows[i].bit & flag & (0 - flag)) != 0)
            return job_rows[i].name;
    return NULL;
}

const char *qos_flag_name(uint32_t flag)
{
    for (size_t i = 0; i < COUNT(qos_rows); i++)
        if (qos_rows[i].bits != 0 && qos_rows[i].bits == (flag & (0 - flag)))
            return qos_rows[i].name;
    return NULL;
}

/* Both tables begin each row with the name; the number of the row, or -1. */
static int find_word(const char *(*word_at)(size_t), const char *word)
{
    const char *name;

    for (size_t i = 0; (name = word_at(i)) != NULL; i++)
        if (strcasecmp(name, word) == 0)
            return (int)i;
    return -1;
}

static int unknown_word(
    const char *(*word_at)(size_t), const char *kind, const char *word, struct err *err)
{
    struct nearest near;
    const char *name;

    nearest_init(&near, word);
    for (size_t i = 0; (name = word_at(i)) != NULL; i++)
        nearest_offer(&near, name);
    name = nearest_best(&near);
    return err_set(err, ERR_INVALID, "unknown %s flag '%.60s'%s%s%s", kind, word,
        name != NULL ? "; did you mean " : "", name != NULL ? name : "",
        name != NULL ? "?" : "");
}

/* Copy the next word of *text into *ret_word (owned) and step over it; 0 at the
 * end. `=` separates too, for HOSTLIST=a:b. */
static int next_word(const char **text, char **ret_word)
{
    size_t len;

    *text += strspn(*text, SEPARATORS "=");
    len = strcspn(*text, SEPARATORS "=");
    if (len == 0)
        return 0;
    *ret_word = xstrndup(*text, len);
    *text += len;
    return 1;
}

int job_flags_parse_names(const char *text, uint32_t *ret_flags,
    struct text_list *reservations, struct text_list *hosts, struct err *err)
{
    uint32_t flags = 0, naming = 0;
    int status = 0;
    char *word;

    while (next_word(&text, &word)) {
        int row = find_word(job_flag_word, word);

        if (row >= 0) {
            flags |= job_rows[row].bit;
            naming = job_rows[row].bit;
        } else if (naming == JOB_ADVRES || naming == JOB_HOSTLIST) {
            struct text_list *to = naming == JOB_ADVRES ? reservations : hosts;

            if (to != NULL)
                text_list_add(to, word);
        } else {
            status = unknown_word(job_flag_word, "job", word, err);
        }
        free(word);
    }
    *ret_flags = flags;
    return status;
}

int job_flags_parse(const char *text, uint32_t *ret_flags, struct err *err)
{
    return job_flags_parse_names(text, ret_flags, NULL, NULL, err);
}

static void qos_flags_clear(struct cred_cfg *into)
{
    into->qos_flags = 0;
    into->job_flags = 0;
    text_list_fini(&into->use_reserved);
    memset(into->ignore_active, 0, sizeof into->ignore_active);
    memset(into->ignore_idle, 0, sizeof into->ignore_idle);
}

static void qos_flag_add(struct cred_cfg *into, const struct qos_flag_row *row)
{
    into->qos_flags |= row->bits;
    into->job_flags |= row->job_bits;
    into->ignore_active[row->kind] |= row->active;
    into->ignore_idle[row->kind] |= row->idle;
    if ((row->bits & QOS_IGNALL) == 0)
        return;
    for (int k = CRED_USER; k <= CRED_ACCOUNT; k++)
        into->ignore_active[k] = into->ignore_idle[k] = EVERY_LIMIT;
}

int qos_flags_parse(const char *text, struct cred_cfg *into, struct err *err)
{
    bool naming = false;
    int status = 0;
    char *word;

    qos_flags_clear(into);
    while (next_word(&text, &word)) {
        int row = find_word(qos_flag_word, word);

        if (row >= 0) {
            qos_flag_add(into, &qos_rows[row]);
            naming = (qos_rows[row].bits & QOS_USERESERVED) != 0;
        } else if (naming) {
            text_list_add(&into->use_reserved, word);
        } else {
            status = unknown_word(qos_flag_word, "QOS", word, err);
        }
        free(word);
    }
    return status;
}
