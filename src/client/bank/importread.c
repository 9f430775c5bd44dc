/* SPDX-License-Identifier: Apache-2.0
 * See importread.h. */
#include "client/bank/importread.h"

#include "base/names.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "base/zone.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define LINE_MOST    65536
#define CELLS_MAX    64
#define CREDIT       1000 /* in thousandths */
#define CREDITS_MOST INT64_C(100000000000000)
#define MINUTES_MOST (CREDITS_MOST / 60)

struct reading {
    bankdump_fn *each;
    void *ctx;
    const char *file;
    unsigned line;
};

static void leave_out(struct reading *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void leave_out(struct reading *r, const char *fmt, ...)
{
    struct bankdump_step s = {.kind = BANKDUMP_LEFT, .file = r->file, .line = r->line};
    char text[400];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    s.why = text;
    r->each(r->ctx, &s);
}

/* What names of the bank may not have becomes _. Owned. */
static char *bank_name(const char *text)
{
    char *name = xstrdup(text);

    for (char *c = name; *c; c++)
        if ((unsigned char)*c <= ' ' || strchr(",=;:'\"", *c))
            *c = '_';
    return name;
}

static int read_lines(struct reading *r, const char *file,
    int (*line)(void *arg, char *text, struct err *err), void *arg, struct err *err)
{
    char *text = xmalloc(LINE_MOST);
    FILE *in = fopen(file, "r");
    int result = 0;

    r->file = file;
    r->line = 0;
    if (!in)
        result = err_set(err, ERR_IO, "cannot read '%s': %s", file, strerror(errno));
    while (result == 0 && fgets(text, LINE_MOST, in)) {
        r->line++;
        text[strcspn(text, "\r\n")] = '\0';
        result = line(arg, text, err);
    }
    if (result == 0 && ferror(in))
        result = err_set(err, ERR_IO, "cannot read '%s': %s", file, strerror(errno));
    if (in)
        fclose(in);
    free(text);
    return result;
}

/* ---- sacctmgr dump ----------------------------------------------------------------
 * Parent - 'root'
 * Account - 'chem':Description='x':Organization='y':GrpTRESMins=cpu=960
 * User - 'ann':Coordinator='chem':DefaultAccount='chem':GrpTRESMins=cpu=60 */

/* What GrpTRESMins gives an account, or one user in it. */
struct slurm_budget {
    int64_t amount; /* 1/1000 credit; 0 = none */
    char *why;      /* owned */
    unsigned line;
};

struct slurm_account {
    char *name, *parent; /* owned; parent NULL = root, or none */
    struct VEC(char *) users;
    unsigned line;
    struct slurm_budget budget;
    /* found by settle_budgets(): numbers of accounts, -1 = none */
    int above, budgeted; /* the next one; the next one that has a budget */
    int64_t below;       /* sum of budgets that are of this one's */
    bool capped;         /* some users have budgets of their own */
};

struct slurm_cap {
    char *account, *user; /* owned */
    struct slurm_budget budget;
};

struct slurm_leads {
    char *account;       /* owned */
    struct strbuf users; /* "ann,bob" */
};

struct slurm {
    struct reading r;
    struct VEC(struct slurm_account) accounts;
    struct VEC(struct slurm_cap) caps;
    struct VEC(struct slurm_leads) leads;
    char *parent, *cluster; /* parent: whose turn it is; owned */
    struct VEC(char *) config;
    struct names *numbers; /* of accounts, in their order */
    bool seen;
};

static int number_of(const struct slurm *s, const char *name)
{
    uint32_t i = name ? names_find(s->numbers, name) : NAME_NONE;

    return i == NAME_NONE ? -1 : (int)i;
}

static struct slurm_account *find_slurm(struct slurm *s, const char *name)
{
    int i = number_of(s, name);

    return i < 0 ? NULL : &s->accounts.v[i];
}

/* NAME='VALUE' or NAME=VALUE up to the next : outside of quotes. Cuts the text. */
static char *next_pair(char **text, char **ret_value)
{
    char *name = *text, *value, *end;

    if (!*name)
        return NULL;
    value = name + strcspn(name, "=:");
    if (*value != '=') { /* a word without a value */
        end = value;
        *ret_value = value + strlen(value);
    } else {
        *value++ = '\0';
        if (*value == '\'') {
            end = strchr(++value, '\'');
            end = end ? end : value + strlen(value);
            if (*end)
                *end++ = '\0';
        } else {
            end = value + strcspn(value, ":");
        }
        *ret_value = value;
    }
    end += strcspn(end, ":");
    if (*end)
        *end++ = '\0';
    *text = end;
    return name;
}

/* "cpu=960,mem=5": minutes of processors, or of what Slurm bills. */
static int64_t read_minutes(struct reading *r, char *text)
{
    int64_t cpu = -1, billing = -1;

    for (char *save = NULL, *p = strtok_r(text, ",", &save); p;
         p = strtok_r(NULL, ",", &save)) {
        char *is = strchr(p, '='), *end = NULL;
        int64_t n = is ? strtoll(is + 1, &end, 10) : -1;
        if (!is || *end || end == is + 1 || n < 0 || n > MINUTES_MOST)
            leave_out(r, "GrpTRESMins %s: expected NAME=MINUTES", p);
        else if (strncasecmp(p, "cpu=", 4) == 0)
            cpu = n;
        else if (strncasecmp(p, "billing=", 8) == 0)
            billing = n;
        else
            leave_out(
                r, "GrpTRESMins %s: a deposit has credits, not kinds of resources", p);
    }
    if (cpu >= 0 && billing >= 0)
        leave_out(
            r, "GrpTRESMins billing=%" PRId64 ": cpu has a budget already", billing);
    return cpu >= 0 ? cpu : billing;
}

static struct slurm_budget read_budget(struct reading *r, char *value)
{
    struct strbuf why = {0};
    int64_t minutes;

    strbuf_printf(&why, "GrpTRESMins %s", value);
    minutes = read_minutes(r, value);
    if (minutes > 0)
        return (struct slurm_budget){minutes * 60 * CREDIT, strbuf_take(&why), r->line};
    if (minutes == 0)
        leave_out(r, "%s: an account without a deposit starts no jobs", why.text);
    free(strbuf_take(&why));
    return (struct slurm_budget){0};
}

static void add_config(struct slurm *s, const char *section, const char *name,
    const char *attr, const char *value)
{
    struct strbuf text = {0};

    strbuf_printf(&text, "%s[%s] %s=%s", section, name, attr, value);
    vec_push(&s->config, strbuf_take(&text));
}

/* One line of maui.cfg has all leads of an account. */
static void add_lead(struct slurm *s, const char *account, const char *user)
{
    size_t i = 0;

    while (i < s->leads.n && strcmp(s->leads.v[i].account, account) != 0)
        i++;
    if (i == s->leads.n)
        vec_push(&s->leads, ((struct slurm_leads){.account = xstrdup(account)}));
    struct strbuf *users = &s->leads.v[i].users;
    for (const char *p = users->text; p && *p; p += strspn(p, ",")) {
        size_t one = strcspn(p, ",");
        if (one == strlen(user) && strncmp(p, user, one) == 0)
            return;
        p += one;
    }
    strbuf_printf(users, "%s%s", users->len ? "," : "", user);
}

static void take_account(struct slurm *s, const char *given, char *rest)
{
    char *name = bank_name(given), *key, *value;
    struct slurm_account a = {.name = name, .line = s->r.line};

    if (find_slurm(s, name)) {
        leave_out(&s->r, "account %s is there already", name);
        free(name);
        return;
    }
    if (s->parent && strcmp(s->parent, "root") != 0)
        a.parent = xstrdup(s->parent);
    while ((key = next_pair(&rest, &value)) != NULL)
        if (strcasecmp(key, "GrpTRESMins") == 0 && !a.budget.amount)
            a.budget = read_budget(&s->r, value);
    names_intern(s->numbers, name);
    vec_push(&s->accounts, a);
}

static void add_cap(struct slurm *s, const char *account, const char *user, char *value)
{
    struct slurm_budget budget = read_budget(&s->r, value);

    if (budget.amount)
        vec_push(
            &s->caps, ((struct slurm_cap){xstrdup(account), xstrdup(user), budget}));
}

/* The lists of a user's line. A coordinator may be told below any of its accounts. */
static void take_user(struct slurm *s, const char *given, char *rest)
{
    struct slurm_account *a = find_slurm(s, s->parent);
    char *name = bank_name(given), *key, *value;

    if (!a && strcmp(name, "root") != 0)
        leave_out(&s->r, "user %s: of no account but root", name);
    if (a)
        vec_push(&a->users, xstrdup(name));
    while ((key = next_pair(&rest, &value)) != NULL) {
        if (strcasecmp(key, "Coordinator") == 0)
            for (char *save = NULL, *p = strtok_r(value, ",", &save); p;
                 p = strtok_r(NULL, ",", &save))
                add_lead(s, p, name);
        else if (a && strcasecmp(key, "GrpTRESMins") == 0)
            add_cap(s, a->name, name, value);
        else if (a && strcasecmp(key, "DefaultAccount") == 0
                 && strcmp(value, a->name) == 0)
            add_config(s, "USERCFG", name, "ADEF", value);
    }
    free(name);
}

/* "Account - 'chem':...". */
static int take_slurm_line(void *arg, char *text, struct err *err)
{
    struct slurm *s = arg;
    char *dash = strstr(text, " - '"), *name = dash ? dash + 4 : NULL;
    char *end = name ? strchr(name, '\'') : NULL;

    (void)err;
    if (!*text || *text == '#')
        return 0;
    if (!end) {
        leave_out(&s->r, "'%.60s': not a line of a dump", text);
        return 0;
    }
    *dash = *end = '\0';
    end += end[1] == ':' ? 2 : 1;
    s->seen = true;
    if (strcasecmp(text, "Parent") == 0) {
        free(s->parent);
        s->parent = bank_name(name);
    } else if (strcasecmp(text, "Account") == 0) {
        take_account(s, name, end);
    } else if (strcasecmp(text, "User") == 0) {
        take_user(s, name, end);
    } else if (strcasecmp(text, "Cluster") == 0) {
        free(s->cluster);
        s->cluster = bank_name(name);
    } else {
        leave_out(&s->r, "%.40s '%.60s'", text, name);
    }
    return 0;
}

/* ---- budgets in budgets -----------------------------------------------------------
 * In Slurm what an account uses counts for those above it too. Deposits do not: what
 * is below is taken off.
 *
 *     inst 1000 --- chem 600 --- ann 100        inst: 400 for inst alone
 *                                bob            chem: 500 for bob, 100 for ann
 *
 * Where the parts come to more than the whole, the whole counts, and the parts are
 * told. */

static void drop_budget(struct slurm_budget *b)
{
    free(b->why);
    *b = (struct slurm_budget){0};
}

static bool lies_below(const struct slurm *s, int account, int above)
{
    size_t depth = 0;

    while (account >= 0 && account != above && depth++ < s->accounts.n)
        account = s->accounts.v[account].above;
    return account == above;
}

/* Which budget is a part of which; circles of a damaged file end somewhere. */
static void find_parts(struct slurm *s)
{
    for (size_t i = 0; i < s->accounts.n; i++) {
        struct slurm_account *a = &s->accounts.v[i];
        size_t depth = 0;
        a->below = 0;
        a->capped = false;
        for (a->budgeted = a->above; a->budgeted >= 0
                                     && !s->accounts.v[a->budgeted].budget.amount
                                     && depth++ < s->accounts.n;)
            a->budgeted = s->accounts.v[a->budgeted].above;
    }
    for (size_t i = 0; i < s->accounts.n; i++) {
        const struct slurm_account *a = &s->accounts.v[i];
        if (a->budget.amount && a->budgeted >= 0)
            s->accounts.v[a->budgeted].below += a->budget.amount;
    }
    for (size_t i = 0; i < s->caps.n; i++) {
        struct slurm_account *a = find_slurm(s, s->caps.v[i].account);
        if (s->caps.v[i].budget.amount) {
            a->below += s->caps.v[i].budget.amount;
            a->capped = true;
        }
    }
}

/* The account alone has a budget, those below it have none. */
static void drop_parts(struct slurm *s, int account)
{
    const char *name = s->accounts.v[account].name;

    for (size_t i = 0; i < s->accounts.n; i++) {
        struct slurm_account *a = &s->accounts.v[i];
        if (!a->budget.amount || (int)i == account || !lies_below(s, (int)i, account))
            continue;
        s->r.line = a->budget.line;
        leave_out(&s->r,
            "%s of account %s: what is below %s comes to more than that has; the "
            "account draws on it without a limit of its own",
            a->budget.why, a->name, name);
        drop_budget(&a->budget);
    }
    for (size_t i = 0; i < s->caps.n; i++) {
        struct slurm_cap *cap = &s->caps.v[i];
        if (!cap->budget.amount || !lies_below(s, number_of(s, cap->account), account))
            continue;
        s->r.line = cap->budget.line;
        leave_out(&s->r,
            "%s of user %s in %s: what is below %s comes to more than that has",
            cap->budget.why, cap->user, cap->account, name);
        drop_budget(&cap->budget);
    }
}

static void settle_budgets(struct slurm *s)
{
    for (size_t i = 0; i < s->accounts.n; i++)
        s->accounts.v[i].above = number_of(s, s->accounts.v[i].parent);
    for (size_t i = 0; i < s->caps.n; i++) {
        struct slurm_cap *cap = &s->caps.v[i];
        if (find_slurm(s, cap->account)->budget.amount)
            continue;
        s->r.line = cap->budget.line;
        leave_out(&s->r,
            "%s of user %s in %s: the account has no budget that it could be a part of",
            cap->budget.why, cap->user, cap->account);
        drop_budget(&cap->budget);
    }
    find_parts(s);
    for (size_t i = 0; i < s->accounts.n; i++)
        if (s->accounts.v[i].budget.amount
            && s->accounts.v[i].below > s->accounts.v[i].budget.amount) {
            drop_parts(s, (int)i);
            find_parts(s);
        }
}

/* ---- as steps ---------------------------------------------------------------------
 */

/* "user=ann,bob"; nobody may use it by itself: a user that there is not. Owned. */
static char *list_members(const struct slurm_account *a)
{
    struct strbuf only = {0};

    for (size_t i = 0; i < a->users.n; i++)
        strbuf_printf(&only, "%s%s", i ? "," : "user=", a->users.v[i]);
    if (!only.len)
        strbuf_add(&only, "user=-");
    return strbuf_take(&only);
}

static bool has_cap(const struct slurm *s, const char *account, const char *user)
{
    for (size_t i = 0; i < s->caps.n; i++)
        if (s->caps.v[i].budget.amount && strcmp(s->caps.v[i].account, account) == 0
            && strcmp(s->caps.v[i].user, user) == 0)
            return true;
    return false;
}

/* Those of the account that have no part of their own, and of accounts that draw on it.
 * Owned; NULL = nobody. */
static char *list_uncapped(const struct slurm *s, int account)
{
    struct strbuf only = {0};

    for (size_t i = 0; i < s->accounts.n; i++) {
        const struct slurm_account *a = &s->accounts.v[i];
        bool draws = !a->budget.amount && a->budgeted == account;
        for (size_t k = 0; ((int)i == account || draws) && k < a->users.n; k++)
            if (draws || !has_cap(s, a->name, a->users.v[k]))
                strbuf_printf(&only, "%s%s", only.len ? "," : "user=", a->users.v[k]);
    }
    return only.len ? strbuf_take(&only) : NULL;
}

static void tell_account(struct slurm *s, const struct slurm_account *a)
{
    char *only = list_members(a);
    const struct bankdump_step step = {.kind = BANKDUMP_ACCOUNT,
        .file = s->r.file,
        .line = a->line,
        .account = a->name,
        .parent = a->above >= 0 ? a->parent : NULL,
        .only = only,
        .overflow = !a->budget.amount,
        .places = true};

    s->r.each(s->r.ctx, &step);
    s->r.line = a->line;
    if (!a->budget.amount && a->budgeted < 0)
        leave_out(&s->r,
            "account %s has no GrpTRESMins, nor has one above it: Slurm has no limit "
            "there, the bank starts no job without a deposit",
            a->name);
    free(only);
}

/* `id` is the same each time, and never that of another cluster. */
static void tell_budget(struct slurm *s, const struct slurm_budget *b,
    const char *account, const char *user, const char *only, int64_t amount)
{
    struct strbuf id = {0}, why = {0};

    strbuf_printf(&id, "%s/%s%s%s", s->cluster ? s->cluster : "", account,
        user ? "/" : "", user ? user : "");
    strbuf_printf(&why, "%s", b->why);
    if (amount != b->amount)
        strbuf_printf(&why, ", less %" PRId64 " credits that are below",
            (b->amount - amount) / CREDIT);
    const struct bankdump_step step = {.kind = BANKDUMP_DEPOSIT,
        .file = s->r.file,
        .line = b->line,
        .account = account,
        .only = only,
        .id = id.text,
        .amount = amount,
        .why = why.text};
    s->r.each(s->r.ctx, &step);
    free(strbuf_take(&id));
    free(strbuf_take(&why));
}

static void tell_budget_of(struct slurm *s, int number)
{
    const struct slurm_account *a = &s->accounts.v[number];
    int64_t rest = a->budget.amount - a->below;
    char *only = a->capped ? list_uncapped(s, number) : NULL;

    s->r.line = a->budget.line;
    if (rest > 0 && (only || !a->capped))
        tell_budget(s, &a->budget, a->name, NULL, only, rest);
    else if (rest > 0)
        leave_out(&s->r,
            "%" PRId64 " credits of account %s: each of its users has a budget",
            rest / CREDIT, a->name);
    free(only);
}

static void tell_config(struct slurm *s)
{
    for (size_t i = 0; i < s->leads.n; i++)
        if (find_slurm(s, s->leads.v[i].account))
            add_config(s, "ACCOUNTCFG", s->leads.v[i].account, "MANAGERS",
                s->leads.v[i].users.text);
    for (size_t i = 0; i < s->config.n; i++) {
        const struct bankdump_step step = {.kind = BANKDUMP_CONFIG,
            .file = s->r.file,
            .line = s->r.line,
            .why = s->config.v[i]};
        s->r.each(s->r.ctx, &step);
    }
}

static void tell_slurm(struct slurm *s)
{
    unsigned last = s->r.line;

    settle_budgets(s);
    for (size_t i = 0; i < s->accounts.n; i++)
        tell_account(s, &s->accounts.v[i]);
    for (size_t i = 0; i < s->accounts.n; i++)
        if (s->accounts.v[i].budget.amount)
            tell_budget_of(s, (int)i);
    for (size_t i = 0; i < s->caps.n; i++) {
        const struct slurm_cap *cap = &s->caps.v[i];
        struct strbuf only = {0};
        if (!cap->budget.amount)
            continue;
        strbuf_printf(&only, "user=%s", cap->user);
        tell_budget(
            s, &cap->budget, cap->account, cap->user, only.text, cap->budget.amount);
        free(strbuf_take(&only));
    }
    s->r.line = last;
    tell_config(s);
}

static void fini_slurm(struct slurm *s)
{
    for (size_t i = 0; i < s->accounts.n; i++) {
        struct slurm_account *a = &s->accounts.v[i];
        for (size_t k = 0; k < a->users.n; k++)
            free(a->users.v[k]);
        vec_fini(&a->users);
        free(a->name);
        free(a->parent);
        drop_budget(&a->budget);
    }
    for (size_t i = 0; i < s->caps.n; i++) {
        free(s->caps.v[i].account);
        free(s->caps.v[i].user);
        drop_budget(&s->caps.v[i].budget);
    }
    for (size_t i = 0; i < s->leads.n; i++) {
        free(s->leads.v[i].account);
        free(strbuf_take(&s->leads.v[i].users));
    }
    for (size_t i = 0; i < s->config.n; i++)
        free(s->config.v[i]);
    free(s->parent);
    free(s->cluster);
    names_destroy(s->numbers);
    vec_fini(&s->accounts);
    vec_fini(&s->caps);
    vec_fini(&s->leads);
    vec_fini(&s->config);
}

int bankdump_slurm(
    const char *const *files, size_t n, bankdump_fn *each, void *ctx, struct err *err)
{
    int result = 0;

    for (size_t i = 0; i < n && result == 0; i++) {
        struct slurm s = {.r = {.each = each, .ctx = ctx}, .numbers = names_create()};
        result = read_lines(&s.r, files[i], take_slurm_line, &s, err);
        if (result == 0 && !s.seen)
            result = err_set(err, ERR_INVALID,
                "%s: no line of it is of `sacctmgr dump CLUSTER`, as Account - "
                "'chem':..",
                files[i]);
        if (result == 0)
            tell_slurm(&s);
        fini_slurm(&s);
    }
    return result;
}

/* "57600", "0.25": credits, in thousandths. -1: it is none. */
static int read_credits(const char *text, int64_t *ret)
{
    int64_t n = 0, digit = CREDIT;
    const char *c = text;

    for (; *c >= '0' && *c <= '9' && n <= CREDITS_MOST * CREDIT; c++)
        n = n * 10 + (*c - '0') * CREDIT;
    if (c > text && *c == '.')
        for (c++; *c >= '0' && *c <= '9'; c++)
            n += (*c - '0') * (digit /= 10);
    *ret = n;
    return c == text || *c || n > CREDITS_MOST * CREDIT ? -1 : 0;
}

/* ---- Gold -------------------------------------------------------------------------
 */

struct gold_account {
    char *id, *name, *only; /* owned; only NULL = all */
    unsigned line;
    const char *file;
};

/* Told once all accounts are known, whatever comes first. */
struct gold_allocation {
    char *id, *of; /* owned */
    struct bankdump_step step;
};

struct gold {
    struct reading r;
    char *heading;          /* owned */
    char *names[CELLS_MAX]; /* into it */
    size_t n;
    struct VEC(struct gold_account) accounts;
    struct VEC(struct gold_allocation) allocations;
    bool seen;
};

static size_t cut_cells(char *text, char **cells)
{
    size_t n = 0;

    for (char *at = text; at && n < CELLS_MAX; n++) {
        char *bar = strchr(at, '|');
        if (bar)
            *bar++ = '\0';
        cells[n] = at;
        at = bar;
    }
    return n;
}

static const char *cell_of(
    const struct gold *g, char **cells, size_t n, const char *name)
{
    for (size_t i = 0; i < g->n && i < n; i++)
        if (strcasecmp(g->names[i], name) == 0)
            return cells[i];
    return NULL;
}

/* "amy,bob" as "user=amy,bob"; ANY and MEMBERS are all. Owned or NULL. */
static char *read_members(struct gold *g, const char *text)
{
    struct strbuf only = {0};
    char *copy = xstrdup(text ? text : "ANY");

    for (char *save = NULL, *p = strtok_r(copy, ", ", &save); p;
         p = strtok_r(NULL, ", ", &save)) {
        if (strcmp(p, "ANY") == 0 || strcmp(p, "MEMBERS") == 0) {
            if (*p == 'M')
                leave_out(&g->r, "Users MEMBERS: the account is for all; "
                                 "mam-modify-account -u names them");
            free(strbuf_take(&only));
            only = (struct strbuf){0};
            break;
        }
        if (*p == '-') {
            leave_out(
                &g->r, "Users %s: nobody can be left out of an account for all", p);
            continue;
        }
        strbuf_printf(&only, "%s%s", only.len ? "," : "user=", p);
    }
    free(copy);
    return only.len ? strbuf_take(&only) : NULL;
}

static void take_gold_account(struct gold *g, char **cells, size_t n)
{
    const char *id = cell_of(g, cells, n, "Id"), *name = cell_of(g, cells, n, "Name");
    const char *projects = cell_of(g, cells, n, "Projects");
    const char *machines = cell_of(g, cells, n, "Machines");
    struct gold_account a = {
        .id = xstrdup(id ? id : ""), .file = g->r.file, .line = g->r.line};
    bool one = projects && *projects && *projects != '-' && !strpbrk(projects, ", ")
               && strcmp(projects, "ANY") != 0;

    a.name = bank_name(one ? projects : name);
    if (!one && projects && *projects && strcmp(projects, "ANY") != 0)
        leave_out(&g->r, "account %s serves projects %s: an account here is one name",
            a.name, projects);
    if (machines && *machines && strcmp(machines, "ANY") != 0)
        leave_out(&g->r, "account %s: Machines %s", a.name, machines);
    a.only = read_members(g, cell_of(g, cells, n, "Users"));
    vec_push(&g->accounts, a);
}

/* A project may have several accounts, which are one here: for whom any of them is.
 * Owned; NULL = all. */
static char *join_members(const struct gold *g, const char *name)
{
    struct strbuf only = {0};

    for (size_t i = 0; i < g->accounts.n; i++) {
        const struct gold_account *a = &g->accounts.v[i];
        if (strcmp(a->name, name) != 0)
            continue;
        if (!a->only) {
            free(strbuf_take(&only));
            return NULL;
        }
        strbuf_printf(
            &only, "%s%s", only.len ? "," : "user=", a->only + strlen("user="));
    }
    return strbuf_take(&only);
}

static void tell_gold_accounts(struct gold *g)
{
    struct names *told = names_create();

    for (size_t i = 0; i < g->accounts.n; i++) {
        const struct gold_account *a = &g->accounts.v[i];
        char *only;
        if (names_find(told, a->name) != NAME_NONE)
            continue;
        names_intern(told, a->name);
        only = join_members(g, a->name);
        const struct bankdump_step step = {.kind = BANKDUMP_ACCOUNT,
            .file = a->file,
            .line = a->line,
            .account = a->name,
            .only = only};
        g->r.each(g->r.ctx, &step);
        free(only);
    }
    names_destroy(told);
}

/* "2026-04-01", "2026-04-01 12:00:00", "infinity"; 0 = for ever, -1 = it is none. */
static int64_t read_day(const char *text)
{
    const struct zone zone = zone_system();
    struct tm tm = {0};

    if (!text || !*text || strstr(text, "infinity") || strcmp(text, "-") == 0)
        return 0;
    const char *end = strptime(text, "%Y-%m-%d", &tm);
    if (!end || tm.tm_year < 70)
        return -1;
    end += strspn(end, " ");
    if (isdigit((unsigned char)*end) && !strptime(end, "%H:%M:%S", &tm))
        return -1;
    return zone.at(zone.ctx,
        zone_day_number(tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday),
        tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec);
}

static const struct gold_account *find_gold(const struct gold *g, const char *id)
{
    for (size_t i = 0; i < g->accounts.n; i++)
        if (strcmp(g->accounts.v[i].id, id) == 0)
            return &g->accounts.v[i];
    return NULL;
}

static void take_allocation(struct gold *g, char **cells, size_t n)
{
    const char *id = cell_of(g, cells, n, "Id"), *of = cell_of(g, cells, n, "Account");
    const char *amount = cell_of(g, cells, n, "Amount");
    const char *limit = cell_of(g, cells, n, "CreditLimit");
    const char *active = cell_of(g, cells, n, "Active");
    struct bankdump_step step = {.kind = BANKDUMP_DEPOSIT,
        .file = g->r.file,
        .line = g->r.line,
        .why = "allocation of Gold",
        .from_at = read_day(cell_of(g, cells, n, "StartTime")),
        .to_at = read_day(cell_of(g, cells, n, "EndTime"))};

    id = id ? id : "";
    if (!amount || read_credits(amount, &step.amount) < 0 || step.amount <= 0)
        leave_out(&g->r, "allocation %s: Amount %s", id, amount ? amount : "(none)");
    else if (limit && *limit && read_credits(limit, &step.credit_limit) < 0)
        leave_out(&g->r, "allocation %s: CreditLimit %s", id, limit);
    else if (step.from_at < 0 || step.to_at < 0)
        leave_out(&g->r, "allocation %s: its dates are none", id);
    else if (active && strcasecmp(active, "False") == 0 && !step.from_at)
        leave_out(&g->r, "allocation %s: it is not active", id);
    else
        vec_push(&g->allocations,
            ((struct gold_allocation){xstrdup(id), xstrdup(of), step}));
}

static void tell_allocations(struct gold *g)
{
    for (size_t i = 0; i < g->allocations.n; i++) {
        struct gold_allocation *of = &g->allocations.v[i];
        const struct gold_account *a = find_gold(g, of->of);
        g->r.file = of->step.file;
        g->r.line = of->step.line;
        if (!a) {
            leave_out(&g->r, "allocation %s: no account of number %s was told", of->id,
                of->of);
            continue;
        }
        of->step.id = of->id;
        of->step.account = a->name;
        of->step.only = a->only;
        g->r.each(g->r.ctx, &of->step);
    }
}

static int take_gold_line(void *arg, char *text, struct err *err)
{
    struct gold *g = arg;
    char *cells[CELLS_MAX];
    size_t n;

    (void)err;
    if (!*text || *text == '#')
        return 0;
    if (strncasecmp(text, "Id|", 3) == 0) {
        free(g->heading);
        g->heading = xstrdup(text);
        g->n = cut_cells(g->heading, g->names);
        g->seen = true;
        return 0;
    }
    n = cut_cells(text, cells);
    if (!g->n || n != g->n)
        leave_out(
            &g->r, "'%.60s': expected as many columns as the heading Id|.. has", text);
    else if (cell_of(g, cells, n, "Account"))
        take_allocation(g, cells, n);
    else if (cell_of(g, cells, n, "Name"))
        take_gold_account(g, cells, n);
    else
        leave_out(&g->r, "'%.60s': neither an account nor an allocation", text);
    return 0;
}

static void fini_gold(struct gold *g)
{
    for (size_t i = 0; i < g->accounts.n; i++) {
        free(g->accounts.v[i].id);
        free(g->accounts.v[i].name);
        free(g->accounts.v[i].only);
    }
    for (size_t i = 0; i < g->allocations.n; i++) {
        free(g->allocations.v[i].id);
        free(g->allocations.v[i].of);
    }
    vec_fini(&g->accounts);
    vec_fini(&g->allocations);
    free(g->heading);
}

int bankdump_gold(
    const char *const *files, size_t n, bankdump_fn *each, void *ctx, struct err *err)
{
    struct gold g = {.r = {.each = each, .ctx = ctx}};
    int result = 0;

    for (size_t i = 0; i < n && result == 0; i++) {
        g.n = 0;
        g.seen = false;
        result = read_lines(&g.r, files[i], take_gold_line, &g, err);
        if (result == 0 && !g.seen)
            result = err_set(err, ERR_INVALID,
                "%s: no heading; expected what glsaccount --raw or glsalloc --raw "
                "prints, which begins with Id|",
                files[i]);
    }
    if (result == 0) {
        tell_gold_accounts(&g);
        tell_allocations(&g);
    }
    fini_gold(&g);
    return result;
}
