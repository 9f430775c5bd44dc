/* SPDX-License-Identifier: Apache-2.0
 * Why a job waits, as one English sentence. */
#include "policy/reason.h"

#include "base/duration.h"
#include "cluster/job.h"
#include "cluster/partition.h"
#include "cluster/quota.h"
#include "cluster/rmset.h"
#include "config/settings.h"
#include "funds/amount.h"
#include "funds/funds.h"
#include "policy/access_lists.h"
#include "policy/holds.h"
#include "policy/limits.h"
#include "policy/limits_quota.h"
#include "policy/limits_use.h"

#include <stdio.h>
#include <string.h>

#define NAME_TEXT    160
#define INSTANT_TEXT 80

/* "user steve", or "the system" for a kind beyond the credentials. */
static const char *object_text(
    const struct cluster *c, uint32_t kind, uint32_t object, char *buf)
{
    if (kind >= CRED_KINDS)
        return "the system";
    if (object < c->creds[kind].n)
        snprintf(buf, NAME_TEXT, "%s %.120s", cred_kind_name(kind),
            c->creds[kind].v[object]->name);
    else
        snprintf(buf, NAME_TEXT, "a %s", cred_kind_name(kind));
    return buf;
}

/* Seconds since 1970 as "Thu Feb 29 23:59:59 UTC", as commands write dates, by the
 * proleptic Gregorian calendar; years of 400 form a cycle of 146097 days that begins on
 * 1 March. */
static const char *instant_text(int64_t at, char *buf)
{
    static const char months[] = "MarAprMayJunJulAugSepOctNovDecJanFeb";
    static const char weekdays[] = "ThuFriSatSunMonTueWed";
    int64_t days = at / 86400, s = at % 86400;
    int64_t day, year, month;

    if (s < 0) {
        s += 86400;
        days--;
    }
    int64_t weekday = (days % 7 + 7) % 7; /* 1 January 1970 was a Thursday */
    days += 719468;                       /* from 0000-03-01 to 1970-01-01 */
    day = days - (days >= 0 ? days : days - 146096) / 146097 * 146097;
    year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    day -= 365 * year + year / 4 - year / 100;
    month = (5 * day + 2) / 153; /* 0 = March */
    day -= (153 * month + 2) / 5;
    snprintf(buf, INSTANT_TEXT, "%.3s %.3s %2lld %02lld:%02lld:%02lld UTC",
        weekdays + 3 * weekday, months + 3 * month, (long long)day + 1,
        (long long)(s / 3600), (long long)(s / 60 % 60), (long long)(s % 60));
    return buf;
}

static bool known(int64_t until)
{
    return until != 0 && until < TIME_NEVER;
}

const char *reason_find_instant(
    const struct reason *r, const char *text, int64_t *ret_at, size_t *ret_len)
{
    int64_t all[] = {r->until, r->code == WAIT_DEADLINE ? r->limit : 0};
    const char *first = NULL;

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char words[INSTANT_TEXT];
        const char *at =
            known(all[i]) ? strstr(text, instant_text(all[i], words)) : NULL;
        if (!at || (first && at > first))
            continue;
        first = at;
        *ret_at = all[i];
        *ret_len = strlen(words);
    }
    return first;
}

static int say_hold(
    const struct cluster *c, const struct reason *r, char *ret_text, size_t size)
{
    char at[INSTANT_TEXT];

    (void)c;
    if (!known(r->until))
        return snprintf(ret_text, size, "a hold is in place on this job");
    return snprintf(ret_text, size, "a hold is in place on this job until %s",
        instant_text(r->until, at));
}

int reason_format_deferral(const struct job *j, const struct reason *r, const char *why,
    char *ret_text, size_t size)
{
    char at[INSTANT_TEXT];

    if (r->code != WAIT_HOLD || !known(r->until))
        return 0;
    return snprintf(ret_text, size, "this job %s %s%s%s",
        j->retries ? "is tried again at" : "is deferred until",
        instant_text(r->until, at), why ? ": " : "", why ? why : "");
}

static int say_class(
    const struct cluster *c, const struct reason *r, char *ret_text, size_t size)
{
    if (r->kind == CRED_CLASS && r->object > 0 && r->object < c->creds[CRED_CLASS].n)
        return snprintf(ret_text, size, "class %.120s is disabled or stopped",
            c->creds[CRED_CLASS].v[r->object]->name);
    return snprintf(ret_text, size, "its class is disabled or stopped");
}

static int say_release(
    const struct cluster *c, const struct reason *r, char *ret_text, size_t size)
{
    char at[INSTANT_TEXT];

    (void)c;
    if (!known(r->until))
        return snprintf(ret_text, size, "its release time has not come");
    return snprintf(
        ret_text, size, "this job may not start before %s", instant_text(r->until, at));
}

/* Of the job itself: which one. */
static int say_never(const struct job *j, char *ret_text, size_t size)
{
    for (size_t i = 0; j->extra && i < j->extra->deps.n; i++) {
        const struct dep *d = &j->extra->deps.v[i];
        if (d->type == DEP_NEVER_SUCCESS)
            return snprintf(ret_text, size,
                "job %.120s failed or was cancelled: afterok can no longer be "
                "satisfied",
                d->job_id);
        if (d->type == DEP_NEVER_FAILED)
            return snprintf(ret_text, size,
                "job %.120s was successful: afternotok can no longer be satisfied",
                d->job_id);
    }
    return snprintf(ret_text, size, "a dependency can no longer be satisfied");
}

static int say_dependency(
    const struct cluster *c, const struct reason *r, char *ret_text, size_t size)
{
    const struct job *j = r->object < c->jobs.n ? c->jobs.v[r->object] : NULL;

    if (j && r->limit)
        return say_never(j, ret_text, size);
    if (!j)
        return snprintf(
            ret_text, size, "this job depends on another one and waits for it");
    return snprintf(
        ret_text, size, "this job depends on job %.120s and waits for it", j->id);
}

static const char *const units[LIMIT_RES_COUNT] = {
    [LIMIT_JOB] = "jobs",
    [LIMIT_PROC] = "processors",
    [LIMIT_NODE] = "nodes",
    [LIMIT_PS] = "processor-seconds",
    [LIMIT_PE] = "processor equivalents",
    [LIMIT_WC] = "seconds of wallclock time",
    [LIMIT_MEM] = "MB of memory",
};

/* What is counted in parts of one: "3", "3.2". */
#define AMOUNT_TEXT 32
static const char *limit_amount(int64_t n, enum limit_res res, char ret[AMOUNT_TEXT])
{
    int64_t parts = limits_use_parts(res);

    if (n % parts == 0)
        snprintf(ret, AMOUNT_TEXT, "%lld", (long long)(n / parts));
    else
        snprintf(ret, AMOUNT_TEXT, "%.15g", (double)n / (double)parts);
    return ret;
}

/* "1 processor", "2 processors". */
#define COUNT_TEXT 64
static const char *count_text(int64_t n, enum limit_res res, char ret[COUNT_TEXT])
{
    char amount[AMOUNT_TEXT];
    const char *unit = units[res];
    size_t word = strcspn(unit, " "); /* its first is what is counted */

    if (res == LIMIT_PE)
        word = strlen(unit);
    if (n == limits_use_parts(res) && unit[word - 1] == 's')
        snprintf(ret, COUNT_TEXT, "1 %.*s%s", (int)word - 1, unit, unit + word);
    else
        snprintf(ret, COUNT_TEXT, "%s %s", limit_amount(n, res, amount), unit);
    return ret;
}

static int say_system_limit(
    const struct cluster *c, const struct reason *r, char *ret_text, size_t size)
{
    char where[NAME_TEXT] = "", asked[COUNT_TEXT], limit[AMOUNT_TEXT];
    const char *name = limit_name(DIM_SYSTEM, r->res), *prefix = "";

    if (r->kind == CRED_QOS) { /* OMAXJPROC of a QOS rather than SYSTEMMAX* */
        prefix = "OMAXJ";
        name = limit_name(DIM_ACTIVE, r->res) + strlen("MAX");
        if (r->object < c->creds[CRED_QOS].n)
            snprintf(where, sizeof where, " of QOS %.120s",
                c->creds[CRED_QOS].v[r->object]->name);
    } else if (r->object < c->partitions.n) {
        snprintf(where, sizeof where, " in partition %.120s",
            c->partitions.v[r->object]->name);
    }
    return snprintf(ret_text, size, "this job asks for %s and %s%s%s allows %s",
        count_text(r->asked, r->res, asked), prefix, name, where,
        limit_amount(r->limit, r->res, limit));
}

/* ---- limits of the resource manager --------------------------------------------- */

static const struct quota *quota_of(const struct cluster *c, const struct reason *r)
{
    if (!r->quota || !c->quotas || r->quota > c->quotas->n)
        return NULL;
    const struct quota *q = &c->quotas->v[r->quota - 1];
    return r->quota_limit < q->n ? q : NULL;
}

/* "1:00:00" of times, "4 gpu" of generic resources, "4 processors" of all else; "90
 * gpu-seconds", "90 MB-seconds of memory". */
static const char *quantity_text(
    int64_t n, const struct quota_limit *m, char ret[COUNT_TEXT])
{
    const char *unit = m->gres ? m->gres : units[m->res];
    int word = (int)strcspn(unit, " ");

    if (m->by_time && !m->gres && unit[word - 1] == 's')
        snprintf(ret, COUNT_TEXT, "%lld %.*s-seconds", (long long)n, word - 1, unit);
    else if (m->by_time)
        snprintf(ret, COUNT_TEXT, "%lld %.*s-seconds%.30s", (long long)n,
            word < 25 ? word : 25, unit, m->gres ? "" : unit + word);
    else if (m->gres)
        snprintf(ret, COUNT_TEXT, "%lld %.40s", (long long)n, unit);
    else if (m->res == LIMIT_WC)
        duration_format_exact(n, ret, COUNT_TEXT);
    else
        count_text(n, m->res, ret);
    return ret;
}

/* "Slurm's limit GrpTRES=cpu of account chem", "... of QOS fast for user ann". */
#define QUOTA_TEXT (3 * NAME_TEXT)
static const char *quota_text(const struct cluster *c, const struct reason *r,
    const struct quota *q, char ret[QUOTA_TEXT])
{
    char who[NAME_TEXT];

    snprintf(ret, QUOTA_TEXT, "%.40s's limit %.120s of %.120s%s%s", c->quotas->source,
        q->limits[r->quota_limit].word, q->name, r->kind < CRED_KINDS ? " for " : "",
        r->kind < CRED_KINDS ? object_text(c, r->kind, r->object, who) : "");
    return ret;
}

#define PLANNED_TEXT 160

#define USERS_MAX 4 /* so many are named */
struct quota_user {
    uint32_t user;
    int64_t used;
};
struct quota_users VEC(struct quota_user);

static void add_user(struct quota_users *all, uint32_t user, int64_t used)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->v[i].user == user) {
            all->v[i].used += used;
            return;
        }
    vec_push(all, ((struct quota_user){user, used}));
}

static int order_users(const void *a, const void *b)
{
    const struct quota_user *x = a, *y = b;

    if (x->used != y->used)
        return x->used > y->used ? -1 : 1;
    return (x->user > y->user) - (x->user < y->user);
}

/* Who has active jobs that count there, those with most of it first: "ann 3, bob 1"; of
 * what shrinks as they run only the names. */
static void add_quota_users(const struct cluster *c, const struct reason *r,
    const struct quota *q, char *ret_text, size_t size)
{
    struct quota_users all = {0};
    const struct quota_limit *m = &q->limits[r->quota_limit];
    bool shrinks = m->by_time || m->res == LIMIT_PS || m->res == LIMIT_WC;
    char amount[AMOUNT_TEXT];
    int n = 0;

    for (size_t i = 0; i < c->active.n; i++) {
        const struct job *j = c->jobs.v[c->active.v[i]];
        int64_t use;
        if (!job_is_active(j) || !quota_nearness(c, q, j->cred)
            || (r->kind < CRED_KINDS && quota_object(q, j->cred) != r->object))
            continue;
        use = limits_quota_use(c, m, j, j->start_at);
        if (use > 0)
            add_user(&all, j->cred[CRED_USER], use);
    }
    if (all.n)
        qsort(all.v, all.n, sizeof *all.v, order_users);
    for (size_t i = 0; i < all.n && i < USERS_MAX && n >= 0 && (size_t)n < size; i++)
        n += snprintf(ret_text + n, size - (size_t)n, "%s%.60s%s%s", i ? ", " : " by ",
            c->creds[CRED_USER].v[all.v[i].user]->name, shrinks ? "" : " ",
            shrinks ? "" : limit_amount(all.v[i].used, r->res, amount));
    if (all.n > USERS_MAX && n >= 0 && (size_t)n < size)
        snprintf(ret_text + n, size - (size_t)n, ", %zu more", all.n - USERS_MAX);
    vec_fini(&all);
}

static int say_quota(const struct cluster *c, const struct reason *r,
    const struct quota *q, char *ret_text, size_t size)
{
    char limit[COUNT_TEXT], used[AMOUNT_TEXT], asked[COUNT_TEXT], name[QUOTA_TEXT];
    char users[200] = "";
    const struct quota_limit *m = &q->limits[r->quota_limit];

    quota_text(c, r, q, name);
    if (m->rule == QUOTA_JOB && m->res == LIMIT_JOB)
        return snprintf(ret_text, size, "%s is used up", name);
    if (m->rule == QUOTA_JOB || r->asked > r->limit)
        return snprintf(ret_text, size, "%s allows %s%s and this job asks for %s", name,
            m->rule == QUOTA_JOB ? "a job " : "", quantity_text(r->limit, m, limit),
            quantity_text(r->asked, m, asked));
    add_quota_users(c, r, q, users, sizeof users);
    return snprintf(ret_text, size, "%s: %s of %s in use%s and this job asks for %s",
        name, limit_amount(r->used, m->res, used), quantity_text(r->limit, m, limit),
        users, m->res == LIMIT_JOB ? "one more" : quantity_text(r->asked, m, asked));
}

/* "MAXPROC[USER]" in capitals, of a credential or of one within another. */
static const char *limit_word(const struct reason *r, char *ret, size_t size)
{
    char bracket[32] = "";

    if (r->kind2 < CRED_KINDS)
        snprintf(bracket, sizeof bracket, "[%s]", cred_kind_name(r->kind2));
    for (char *p = bracket; *p; p++)
        *p = *p >= 'a' && *p <= 'z' ? (char)(*p - 'a' + 'A') : *p;
    snprintf(ret, size, "%s%s", limit_name(r->dim, r->res), bracket);
    return ret;
}

bool reason_is_planned(const struct reason *r)
{
    return r->code == WAIT_LIMIT && !r->quota && r->until;
}

/* Of a limit that is not reached yet: " from INSTANT on, when job 7 is to start,". */
static const char *planned_text(const struct cluster *c, const struct reason *r,
    char ret[INSTANT_TEXT + PLANNED_TEXT])
{
    const struct job *j = r->claimant < c->jobs.n ? c->jobs.v[r->claimant] : NULL;
    char at[INSTANT_TEXT];

    *ret = '\0';
    if (reason_is_planned(r))
        snprintf(ret, INSTANT_TEXT + PLANNED_TEXT,
            " from %s on, when job %.100s is to start,", instant_text(r->until, at),
            j ? j->id : "-");
    return ret;
}

static int say_limit(
    const struct cluster *c, const struct reason *r, char *ret_text, size_t size)
{
    const struct quota *quota = quota_of(c, r);
    char who[NAME_TEXT], within[NAME_TEXT], asks[64], word[64];
    char used[AMOUNT_TEXT], limit[AMOUNT_TEXT], has[AMOUNT_TEXT + 16];
    char planned[INSTANT_TEXT + PLANNED_TEXT];
    const char *subject, *in = "", *owner = "";
    bool pair = r->kind2 < CRED_KINDS;

    if (r->res >= LIMIT_RES_COUNT || r->dim > DIM_SYSTEM)
        return snprintf(ret_text, size, "this job breaks a limit");
    if (quota)
        return say_quota(c, r, quota, ret_text, size);
    if (r->dim == DIM_SYSTEM)
        return say_system_limit(c, r, ret_text, size);
    subject = object_text(c, r->kind, r->object, who);
    if (pair) { /* CLASSCFG[fast] MAXPROC[USER]: the user's share of the class */
        owner = subject;
        subject = object_text(c, r->kind2, r->object2, within);
        in = " within ";
    }
    if (r->res == LIMIT_JOB)
        snprintf(asks, sizeof asks, "would be one more");
    else
        snprintf(
            asks, sizeof asks, "asks for %s", limit_amount(r->asked, r->res, used));
    if (r->asked > r->limit) /* whatever is in use */
        snprintf(has, sizeof has, "may have");
    else
        snprintf(has, sizeof has, "has %s of", limit_amount(r->used, r->res, used));
    return snprintf(ret_text, size, "%s%s%s %s %s %s (%s) %s %s%s and %s %s", subject,
        in, owner, has, limit_word(r, word, sizeof word),
        limit_amount(r->limit, r->res, limit), r->level == LEVEL_SOFT ? "soft" : "hard",
        units[r->res], r->dim == DIM_IDLE ? "idle" : "active",
        planned_text(c, r, planned),
        r->asked > r->limit ? "this job alone" : "this job", asks);
}

int reason_format_limit(
    const struct cluster *c, const struct reason *r, char *ret_text, size_t size)
{
    const struct quota *q = quota_of(c, r);
    char limit[COUNT_TEXT], name[QUOTA_TEXT], who[NAME_TEXT];

    if (q)
        return snprintf(ret_text, size, "%s: %s", quota_text(c, r, q, name),
            quantity_text(r->limit, &q->limits[r->quota_limit], limit));
    if (r->res >= LIMIT_RES_COUNT || r->dim > DIM_SYSTEM)
        return snprintf(ret_text, size, "a limit");
    if (r->dim == DIM_SYSTEM)
        return snprintf(ret_text, size, "limit %s: %s", limit_name(DIM_SYSTEM, r->res),
            count_text(r->limit, r->res, limit));
    return snprintf(ret_text, size, "limit %s of %s: %s",
        limit_word(r, name, sizeof name), object_text(c, r->kind, r->object, who),
        count_text(r->limit, r->res, limit));
}

static int say_fs_cap(
    const struct cluster *c, const struct reason *r, char *ret_text, size_t size)
{
    char who[NAME_TEXT];

    return snprintf(ret_text, size,
        "%s has used %lld of the fairshare cap of %lld and this job would add %lld",
        object_text(c, r->kind, r->object, who), (long long)r->used,
        (long long)r->limit, (long long)r->asked);
}

static int say_too_large(
    const struct cluster *c, const struct reason *r, char *ret_text, size_t size)
{
    char asked[COUNT_TEXT], part[40] = "";
    bool nodes = r->res == LIMIT_NODE;

    (void)c;
    if (r->object)
        snprintf(part, sizeof part, "request %u of ", r->object + 1);
    if (nodes)
        return snprintf(ret_text, size,
            "%sthis job asks for %s and no partition has more than %lld that can run "
            "it",
            part, count_text(r->asked, LIMIT_NODE, asked), (long long)r->limit);
    return snprintf(ret_text, size,
        "%sthis job asks for %s and no partition has more than %lld on nodes that can "
        "run it",
        part, count_text(r->asked, LIMIT_PROC, asked), (long long)r->limit);
}

static int say_gres(
    const struct cluster *c, const struct reason *r, char *ret_text, size_t size)
{
    return snprintf(ret_text, size,
        "this job asks for %lld of generic resource '%.80s' in all its tasks together "
        "and the cluster has %lld",
        (long long)r->asked, names_text(c->gres, r->object), (long long)r->limit);
}

/* As the resource manager said it, of this job or of one like it. */
static int say_refused(
    const struct cluster *c, const struct reason *r, char *ret_text, size_t size)
{
    const struct job *j = r->object < c->jobs.n ? c->jobs.v[r->object] : NULL;
    const char *why = j && j->extra && j->extra->refused
                          ? j->extra->refused
                          : "the resource manager refused to start a job like it";
    char at[INSTANT_TEXT];

    if (!known(r->until))
        return snprintf(ret_text, size, "%.300s", why);
    return snprintf(ret_text, size,
        "%.300s; job %.120s is tried again, at the latest by %s", why, j ? j->id : "it",
        instant_text(r->until, at));
}

static int say_resources(
    const struct cluster *c, const struct reason *r, char *ret_text, size_t size)
{
    char asked[COUNT_TEXT];

    (void)c;
    return snprintf(ret_text, size, "this job asks for %s and %lld %s free for it now",
        count_text(r->asked, LIMIT_PROC, asked), (long long)r->used,
        r->used == 1 ? "is" : "are");
}

static int say_suspended(
    const struct cluster *c, const struct reason *r, char *ret_text, size_t size)
{
    char at[INSTANT_TEXT];

    (void)c;
    if (r->limit == 2)
        return snprintf(ret_text, size,
            "this job is suspended, and is planned to go on at %s, or sooner",
            instant_text(r->until, at));
    if (r->limit)
        return snprintf(
            ret_text, size, "this job is suspended until somebody resumes it");
    if (known(r->until))
        return snprintf(ret_text, size, "this job is suspended, at least until %s",
            instant_text(r->until, at));
    return snprintf(
        ret_text, size, "this job is suspended until its own nodes can carry it again");
}

static int say_preempted(
    const struct cluster *c, const struct reason *r, char *ret_text, size_t size)
{
    char asked[COUNT_TEXT];

    (void)c;
    return snprintf(ret_text, size,
        "this job was preempted (%lld time%s); it asks for %s and %lld %s free for it "
        "now",
        (long long)r->limit, r->limit == 1 ? "" : "s",
        count_text(r->asked, LIMIT_PROC, asked), (long long)r->used,
        r->used == 1 ? "is" : "are");
}

static int say_reservation(
    const struct cluster *c, const struct reason *r, char *ret_text, size_t size)
{
    char at[INSTANT_TEXT];

    (void)c;
    if (!known(r->until))
        return snprintf(ret_text, size, "this job has a reservation in the future");
    return snprintf(ret_text, size, "this job has a reservation that begins at %s",
        instant_text(r->until, at));
}

static int say_deadline(
    const struct cluster *c, const struct reason *r, char *ret_text, size_t size)
{
    char by[INSTANT_TEXT], at[INSTANT_TEXT];

    (void)c;
    if (!known(r->limit))
        return snprintf(ret_text, size, "nothing is free in time for its deadline");
    if (!known(r->until))
        return snprintf(ret_text, size,
            "nothing is free in time for it to end by its deadline, %s; it waits by "
            "priority",
            instant_text(r->limit, by));
    return snprintf(ret_text, size,
        "nothing is free in time for it to end by its deadline, %s; it has a "
        "reservation that begins at %s",
        instant_text(r->limit, by), instant_text(r->until, at));
}

static int say_window(
    const struct cluster *c, const struct reason *r, char *ret_text, size_t size)
{
    char text[DURATION_TEXT_MAX];

    (void)c;
    if (r->limit <= 0)
        return snprintf(
            ret_text, size, "starting it now would delay a job with a reservation");
    return snprintf(ret_text, size,
        "what is free for it now is free for %s only, and this job asks for longer",
        duration_format_exact(r->limit, text, sizeof text));
}

/* ---- funds ---------------------------------------------------------------------- */

/* "needs 57,600 credits, 40,000 left in chem, 12,000 of them kept for 3 running jobs"
 */
static int say_credits(const struct cluster *c, const struct reason *r,
    const char *account, char *ret_text, size_t size)
{
    uint32_t number = c->funds ? funds_account(c->funds, account) : FUNDS_NONE;
    uint32_t runs = number != FUNDS_NONE ? funds_runs_on(c->funds, number) : 0;
    int n = snprintf(ret_text, size, "needs %s credits, %s left in %.120s",
        amount_text(r->asked).text, amount_text(r->limit).text, account);

    if (r->used <= 0 || n < 0 || (size_t)n >= size)
        return n;
    return n
           + snprintf(ret_text + n, size - (size_t)n,
               ", %s of them kept for %u running job%s", amount_text(r->used).text,
               runs, runs == 1 ? "" : "s");
}

static const char *account_of(const struct cluster *c, const struct reason *r)
{
    return r->object < c->creds[CRED_ACCOUNT].n
               ? c->creds[CRED_ACCOUNT].v[r->object]->name
               : "its account";
}

static int say_funds(
    const struct cluster *c, const struct reason *r, char *ret_text, size_t size)
{
    const char *account = account_of(c, r);

    switch ((enum funds_lack)r->lack) {
    case LACK_CREDITS:
        return say_credits(c, r, account, ret_text, size);
    case LACK_DEPOSIT:
        return snprintf(ret_text, size,
            "needs %s credits, and account %.120s has no deposit that can be used now",
            amount_text(r->asked).text, account);
    case LACK_ACCOUNT:
        return snprintf(ret_text, size,
            "needs %s credits, and this job has no account that could pay (msub -A, or "
            "ADEF of its user)",
            amount_text(r->asked).text);
    case LACK_KNOWN:
        return snprintf(ret_text, size,
            "needs %s credits, and the bank knows no account %.120s",
            amount_text(r->asked).text, account);
    case LACK_OPEN:
        return snprintf(ret_text, size, "account %.120s is closed", account);
    case LACK_PERMISSION:
        break;
    }
    return snprintf(
        ret_text, size, "account %.120s is not for the user of this job", account);
}

int reason_format_need(
    const struct cluster *c, const struct reason *r, char *ret_text, size_t size)
{
    if (r->lack != LACK_CREDITS)
        return say_funds(c, r, ret_text, size);
    return snprintf(ret_text, size, "needs %s credits, more than %.120s has left",
        amount_text(r->asked).text, account_of(c, r));
}

static int say_manager(
    const struct cluster *c, const struct reason *r, char *ret_text, size_t size)
{
    const char *name = rmset_name(c, r->object);

    return snprintf(ret_text, size, "its resource manager%s%.60s does not answer",
        *name ? " " : "", name);
}

static int say_array(
    const struct cluster *c, const struct reason *r, char *ret_text, size_t size)
{
    (void)c;
    if (r->used >= r->limit)
        return snprintf(ret_text, size,
            "of its array %lld may be on nodes at once, and %lld are",
            (long long)r->limit, (long long)r->used);
    return snprintf(ret_text, size,
        "of its array %lld may be on nodes at once: %lld %s, and %lld go%s before it",
        (long long)r->limit, (long long)r->used, r->used == 1 ? "is" : "are",
        (long long)r->asked, r->asked == 1 ? "es" : "");
}

/* "user bob: fast, slow; class long: wide": whose PLIST lets the job use which. */
static void name_partition_lists(
    const struct cluster *c, const struct job *j, char *ret, size_t size)
{
    size_t len = 0;

    *ret = '\0';
    for (int kind = 0; j && kind < CRED_KINDS && len < size; kind++) {
        const struct cred *k = job_cred(c, j, (enum cred_kind)kind);
        const struct name_list *list =
            &access_lists_section(k, ACCESS_PARTITIONS)->plist;

        if (!list->set)
            continue;
        len += (size_t)snprintf(ret + len, size - len, "%s%s %.60s:", len ? "; " : "",
            cred_kind_name((enum cred_kind)kind), k->name);
        for (size_t i = 0; i < list->names.n && len < size; i++)
            len += (size_t)snprintf(
                ret + len, size - len, "%s %.60s", i ? "," : "", list->names.v[i]);
        if (list->names.n == 0 && len < size)
            len += (size_t)snprintf(ret + len, size - len, " none");
    }
}

static int say_partition(
    const struct cluster *c, const struct reason *r, char *ret_text, size_t size)
{
    const struct job *j = r->object < c->jobs.n ? c->jobs.v[r->object] : NULL;
    const struct job_extra *x = j ? j->extra : NULL;
    size_t n = x ? x->partitions_asked.n : 0, known = 0;
    char names[120] = "";

    for (size_t i = 0, len = 0; i < n && len < sizeof names; i++) {
        known += partition_find(c, x->partitions_asked.v[i]) != INDEX_NONE;
        len += (size_t)snprintf(names + len, sizeof names - len, "%s%s", i ? ", " : "",
            x->partitions_asked.v[i]);
    }
    if (n == 0) {
        char lists[400];
        name_partition_lists(c, j, lists, sizeof lists);
        return snprintf(ret_text, size,
            "no partition is accessible to this job (PLIST%s%s)", *lists ? " of " : "",
            lists);
    }
    if (known == 0)
        return snprintf(ret_text, size,
            "this job asks for partition %s, which %s not exist", names,
            n > 1 ? "do" : "does");
    return snprintf(ret_text, size,
        "this job asks for partition %s, which is not accessible to it (PLIST)", names);
}

static const struct {
    int (*say)(const struct cluster *, const struct reason *, char *, size_t);
    const char *text; /* when there is nothing to fill in */
} sayings[WAIT_CODES] = {
    [WAIT_NONE] = {NULL, "nothing keeps this job from starting"},
    [WAIT_STATE] = {NULL, "its state at the resource manager is not Idle"},
    [WAIT_HOLD] = {say_hold, NULL},
    [WAIT_CLASS_DISABLED] = {say_class, NULL},
    [WAIT_NEGATIVE_PRIORITY] = {NULL, "its priority is negative (REJECTNEGPRIOJOBS)"},
    [WAIT_RELEASE_TIME] = {say_release, NULL},
    [WAIT_DEPENDENCY] = {say_dependency, NULL},
    [WAIT_LIMIT] = {say_limit, NULL},
    [WAIT_FS_CAP] = {say_fs_cap, NULL},
    [WAIT_PARTITION] = {say_partition, NULL},
    [WAIT_TOO_LARGE] = {say_too_large, NULL},
    [WAIT_FEASIBLE] = {NULL, "no set of nodes can ever satisfy what this job asks for"},
    [WAIT_RESOURCES] = {say_resources, NULL},
    [WAIT_RESERVATION] = {say_reservation, NULL},
    [WAIT_NODESET] = {NULL, "no node set has enough free nodes for this job"},
    [WAIT_PRIORITY] = {NULL,
        "a job of higher priority waits and BACKFILLPOLICY is NONE"},
    [WAIT_BACKFILL_DEPTH] = {NULL, "BACKFILLDEPTH was reached before this job"},
    [WAIT_BACKFILL_WINDOW] = {say_window, NULL},
    [WAIT_NOBF] = {NULL, "its QOS forbids backfill (NOBF) and it is not its turn"},
    [WAIT_CHUNK] = {NULL,
        "backfill of so small a job is put off in favour of wider ones "
        "(BFCHUNKSIZE, BFCHUNKDURATION)"},
    [WAIT_SUSPENDED] = {say_suspended, NULL},
    [WAIT_PREEMPTED] = {say_preempted, NULL},
    [WAIT_DEADLINE] = {say_deadline, NULL},
    [WAIT_GRES] = {say_gres, NULL},
    [WAIT_RM_LIMIT] = {say_refused, NULL},
    [WAIT_FUNDS] = {say_funds, NULL},
    [WAIT_MANAGER] = {say_manager, NULL},
    [WAIT_ARRAY] = {say_array, NULL},
};

int reason_format(
    const struct cluster *c, const struct reason *r, char *ret_text, size_t size)
{
    if (r->code >= WAIT_CODES)
        return snprintf(ret_text, size, "for an unknown reason");
    if (sayings[r->code].say)
        return sayings[r->code].say(c, r, ret_text, size);
    return snprintf(ret_text, size, "%s", sayings[r->code].text);
}

/* ---- the original's words ----------------------------------------------------- */

static int classic_limit(const struct cluster *c, const struct reason *r,
    enum limit_level level, char *ret_text, size_t size)
{
    static const char *const kinds[] = {
        [DIM_ACTIVE] = "active", [DIM_IDLE] = "idle", [DIM_SYSTEM] = "system"};
    char who[NAME_TEXT], within[NAME_TEXT] = "";
    char used[AMOUNT_TEXT], limit[AMOUNT_TEXT], asked[AMOUNT_TEXT];
    const char *name =
        limit_name(r->dim == DIM_IDLE ? DIM_IDLE : DIM_ACTIVE, (enum limit_res)r->res);
    bool soft = r->same ? level == LEVEL_SOFT : r->level == LEVEL_SOFT;
    bool of_system = r->dim == DIM_SYSTEM || r->kind >= CRED_KINDS;

    const struct quota *quota = quota_of(c, r);

    if (r->kind2 < CRED_KINDS)
        object_text(c, r->kind2, r->object2, within);
    if (quota) {
        name = quota->limits[r->quota_limit].word;
        snprintf(who, sizeof who, "%.120s", quota->name);
        if (r->kind < CRED_KINDS)
            object_text(c, r->kind, r->object, within);
    }
    return snprintf(ret_text, size,
        "violates %s %s %s limit of %s for %s%s%s  (R: %s, U: %s)", kinds[r->dim],
        soft ? "SOFT" : "HARD", name, limit_amount(r->limit, r->res, limit),
        quota       ? who
        : of_system ? "the system"
                    : object_text(c, r->kind, r->object, who),
        *within ? " " : "", within,
        limit_amount(r->res == LIMIT_JOB ? 1 : r->asked, r->res, asked),
        limit_amount(r->used, r->res, used));
}

/* 0: none of its words, as for a job that is put off and has no hold. */
static int classic_holds(
    const struct job *j, const struct reason *r, char *ret_text, size_t size)
{
    static const struct {
        unsigned kind;
        const char *name;
    } kinds[] = {{HOLD_BATCH, " Batch"}, {HOLD_SYSTEM, " System"}, {HOLD_USER, " User"},
        {HOLD_DEFER, " Defer"}};
    unsigned holds = hold_shown(j) | j->rm_hold;
    char names[40] = "";

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (holds & kinds[i].kind)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s",
                kinds[i].name);
    if (!holds && r->code == WAIT_HOLD)
        return 0;
    if (!holds)
        return snprintf(ret_text, size, "has non-idle state (state: '%s')",
            job_state_name((enum job_state)j->state));
    return snprintf(ret_text, size, "has the following hold(s) in place: %s", names);
}

int reason_format_classic(const struct cluster *c, const struct job *j,
    const struct reason *r, enum limit_level level, char *ret_text, size_t size)
{
    if (r->code == WAIT_HOLD || r->code == WAIT_STATE)
        return classic_holds(j, r, ret_text, size);
    if (reason_is_planned(r)) /* it did not plan them */
        return 0;
    if (r->code == WAIT_LIMIT && r->res < LIMIT_RES_COUNT && r->dim <= DIM_SYSTEM)
        return classic_limit(c, r, level, ret_text, size);
    if (r->code == WAIT_DEPENDENCY && r->object < c->jobs.n && c->jobs.v[r->object])
        return snprintf(ret_text, size, "requires completion of job '%.120s'",
            c->jobs.v[r->object]->id);
    return 0;
}

static bool name_cred(const struct cluster *c, uint32_t kind, uint32_t object,
    const char **ret_kind, const char **ret_name)
{
    if (kind >= CRED_KINDS || object >= c->creds[kind].n || object == 0)
        return false;
    *ret_kind = cred_kind_name((enum cred_kind)kind);
    *ret_name = c->creds[kind].v[object]->name;
    return true;
}

/* Of a limit. */
static bool name_limited(const struct cluster *c, const struct reason *r,
    const char **ret_kind, const char **ret_name)
{
    const struct quota *q = quota_of(c, r);

    if (q) {
        *ret_kind = "quota";
        *ret_name = q->name;
        return true;
    }
    if (r->dim != DIM_SYSTEM || r->kind < CRED_KINDS)
        return name_cred(c, r->kind, r->object, ret_kind, ret_name);
    if (r->object >= c->partitions.n)
        return false;
    *ret_kind = "partition";
    *ret_name = c->partitions.v[r->object]->name;
    return true;
}

bool reason_object(const struct cluster *c, const struct reason *r,
    const char **ret_kind, const char **ret_name)
{
    if (r->code == WAIT_LIMIT)
        return name_limited(c, r, ret_kind, ret_name);
    if (r->code == WAIT_FS_CAP || r->code == WAIT_CLASS_DISABLED)
        return name_cred(c, r->kind, r->object, ret_kind, ret_name);
    if (r->code == WAIT_FUNDS)
        return name_cred(c, CRED_ACCOUNT, r->object, ret_kind, ret_name);
    if (r->code == WAIT_DEPENDENCY && !r->limit && r->object < c->jobs.n
        && c->jobs.v[r->object]) {
        *ret_kind = "job";
        *ret_name = c->jobs.v[r->object]->id;
        return true;
    }
    if (r->code != WAIT_MANAGER)
        return false;
    *ret_kind = "manager";
    *ret_name = rmset_name(c, r->object);
    return **ret_name != '\0';
}

const char *reason_code_name(enum wait_code code)
{
    static const char names[WAIT_CODES][20] = {[WAIT_NONE] = "none",
        [WAIT_STATE] = "state",
        [WAIT_HOLD] = "hold",
        [WAIT_CLASS_DISABLED] = "class-disabled",
        [WAIT_NEGATIVE_PRIORITY] = "negative-priority",
        [WAIT_RELEASE_TIME] = "start-date",
        [WAIT_DEPENDENCY] = "dependency",
        [WAIT_LIMIT] = "limit",
        [WAIT_FS_CAP] = "fairshare-cap",
        [WAIT_PARTITION] = "partition",
        [WAIT_TOO_LARGE] = "too-large",
        [WAIT_FEASIBLE] = "no-fitting-node",
        [WAIT_RESOURCES] = "resources",
        [WAIT_RESERVATION] = "reservation",
        [WAIT_NODESET] = "node-set",
        [WAIT_PRIORITY] = "priority",
        [WAIT_BACKFILL_DEPTH] = "backfill-depth",
        [WAIT_BACKFILL_WINDOW] = "backfill-window",
        [WAIT_NOBF] = "no-backfill",
        [WAIT_CHUNK] = "chunk",
        [WAIT_SUSPENDED] = "suspended",
        [WAIT_PREEMPTED] = "preempted",
        [WAIT_DEADLINE] = "deadline",
        [WAIT_GRES] = "generic-resource",
        [WAIT_RM_LIMIT] = "manager-limit",
        [WAIT_FUNDS] = "funds",
        [WAIT_MANAGER] = "manager-away",
        [WAIT_ARRAY] = "array-limit"};

    return code < WAIT_CODES ? names[code] : "none";
}
