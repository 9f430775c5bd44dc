/* SPDX-License-Identifier: Apache-2.0
 * See importread.h. */
#include "client/bank/importread.h"

#include "base/strbuf.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "base/zone.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

struct slurm_account {
    char *name, *parent; /* owned; parent NULL = root, or none */
    struct strbuf users; /* "user=ann,bob" */
    unsigned line;
    bool budget;
};

struct slurm_deposit {
    char *account, *user; /* owned; user NULL = the account's */
    char *id, *why;       /* owned */
    int64_t amount;
    unsigned line;
};

struct slurm {
    struct reading r;
    struct VEC(struct slurm_account) accounts;
    struct VEC(struct slurm_deposit) deposits;
    char *parent; /* whose turn it is; owned */
    struct VEC(char *) config;
    bool seen;
};

static struct slurm_account *find_slurm(struct slurm *s, const char *name)
{
    for (size_t i = 0; name && i < s->accounts.n; i++)
        if (strcmp(s->accounts.v[i].name, name) == 0)
            return &s->accounts.v[i];
    return NULL;
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

static void add_slurm_deposit(
    struct slurm *s, const char *account, const char *user, char *value)
{
    struct strbuf why = {0}, id = {0};
    int64_t minutes;

    strbuf_printf(&why, "GrpTRESMins %s", value);
    minutes = read_minutes(&s->r, value);
    if (minutes <= 0) {
        if (minutes == 0)
            leave_out(
                &s->r, "%s: an account without a deposit starts no jobs", why.text);
        free(strbuf_take(&why));
        return;
    }
    strbuf_printf(&id, "%s", user ? user : "all");
    vec_push(&s->deposits, ((struct slurm_deposit){.account = xstrdup(account),
                               .user = user ? xstrdup(user) : NULL,
                               .id = strbuf_take(&id),
                               .why = strbuf_take(&why),
                               .amount = minutes * 60 * CREDIT,
                               .line = s->r.line}));
}

static void add_config(struct slurm *s, const char *section, const char *name,
    const char *attr, const char *value)
{
    struct strbuf text = {0};

    strbuf_printf(&text, "%s[%s] %s=%s", section, name, attr, value);
    vec_push(&s->config, strbuf_take(&text));
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
        if (strcasecmp(key, "GrpTRESMins") == 0) {
            size_t before = s->deposits.n;
            add_slurm_deposit(s, name, NULL, value);
            a.budget |= s->deposits.n > before;
        }
    vec_push(&s->accounts, a);
}

static void take_user(struct slurm *s, const char *given, char *rest)
{
    struct slurm_account *a = find_slurm(s, s->parent);
    char *name = bank_name(given), *key, *value;

    if (!a && strcmp(name, "root") != 0)
        leave_out(&s->r, "user %s: of no account but root", name);
    if (a)
        strbuf_printf(&a->users, "%s%s", a->users.len ? "," : "user=", name);
    while (a && (key = next_pair(&rest, &value)) != NULL) {
        if (strcasecmp(key, "GrpTRESMins") == 0)
            add_slurm_deposit(s, a->name, name, value);
        else if (strcasecmp(key, "DefaultAccount") == 0 && strcmp(value, a->name) == 0)
            add_config(s, "USERCFG", name, "ADEF", value);
        else if (strcasecmp(key, "Coordinator") == 0)
            for (char *save = NULL, *p = strtok_r(value, ",", &save); p;
                 p = strtok_r(NULL, ",", &save))
                if (strcmp(p, a->name) == 0)
                    add_config(s, "ACCOUNTCFG", p, "MANAGERS", name);
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
    } else if (strcasecmp(text, "Cluster") != 0) {
        leave_out(&s->r, "%.40s '%.60s'", text, name);
    }
    return 0;
}

static bool has_budget(struct slurm *s, const struct slurm_account *a)
{
    for (int depth = 0; a && depth < 100; depth++) {
        if (a->budget)
            return true;
        a = find_slurm(s, a->parent);
    }
    return false;
}

/* One that nobody may use by itself is for a user that there is not. */
static void tell_slurm(struct slurm *s)
{
    for (size_t i = 0; i < s->accounts.n; i++) {
        const struct slurm_account *a = &s->accounts.v[i];
        const struct bankdump_step step = {.kind = BANKDUMP_ACCOUNT,
            .file = s->r.file,
            .line = a->line,
            .account = a->name,
            .parent = find_slurm(s, a->parent) ? a->parent : NULL,
            .only = a->users.len ? a->users.text : "user=-",
            .overflow = !a->budget};
        s->r.each(s->r.ctx, &step);
        s->r.line = a->line;
        if (!has_budget(s, a))
            leave_out(&s->r,
                "account %s has no GrpTRESMins, nor has one above it: Slurm has no "
                "limit "
                "there, the bank starts no job without a deposit",
                a->name);
    }
    for (size_t i = 0; i < s->deposits.n; i++) {
        const struct slurm_deposit *d = &s->deposits.v[i];
        struct strbuf only = {0};
        strbuf_printf(&only, "user=%s", d->user ? d->user : "");
        const struct bankdump_step step = {.kind = BANKDUMP_DEPOSIT,
            .file = s->r.file,
            .line = d->line,
            .account = d->account,
            .only = d->user ? only.text : NULL,
            .id = d->id,
            .amount = d->amount,
            .why = d->why};
        s->r.each(s->r.ctx, &step);
        free(strbuf_take(&only));
    }
    for (size_t i = 0; i < s->config.n; i++) {
        const struct bankdump_step step = {.kind = BANKDUMP_CONFIG,
            .file = s->r.file,
            .line = s->r.line,
            .why = s->config.v[i]};
        s->r.each(s->r.ctx, &step);
    }
}

static void fini_slurm(struct slurm *s)
{
    for (size_t i = 0; i < s->accounts.n; i++) {
        free(s->accounts.v[i].name);
        free(s->accounts.v[i].parent);
        free(strbuf_take(&s->accounts.v[i].users));
    }
    for (size_t i = 0; i < s->deposits.n; i++) {
        free(s->deposits.v[i].account);
        free(s->deposits.v[i].user);
        free(s->deposits.v[i].id);
        free(s->deposits.v[i].why);
    }
    for (size_t i = 0; i < s->config.n; i++)
        free(s->config.v[i]);
    free(s->parent);
    vec_fini(&s->accounts);
    vec_fini(&s->deposits);
    vec_fini(&s->config);
}

int bankdump_slurm(
    const char *const *files, size_t n, bankdump_fn *each, void *ctx, struct err *err)
{
    int result = 0;

    for (size_t i = 0; i < n && result == 0; i++) {
        struct slurm s = {.r = {.each = each, .ctx = ctx}};
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
};

struct gold {
    struct reading r;
    char *heading;          /* owned */
    char *names[CELLS_MAX]; /* into it */
    size_t n;
    struct VEC(struct gold_account) accounts;
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
    struct gold_account a = {.id = xstrdup(id ? id : "")};
    bool one = projects && *projects && !strpbrk(projects, ", -")
               && strcmp(projects, "ANY") != 0;

    a.name = bank_name(one ? projects : name);
    if (!one && projects && *projects && strcmp(projects, "ANY") != 0)
        leave_out(&g->r, "account %s serves projects %s: an account here is one name",
            a.name, projects);
    if (machines && *machines && strcmp(machines, "ANY") != 0)
        leave_out(&g->r, "account %s: Machines %s", a.name, machines);
    a.only = read_members(g, cell_of(g, cells, n, "Users"));
    vec_push(&g->accounts, a);
    const struct bankdump_step step = {.kind = BANKDUMP_ACCOUNT,
        .file = g->r.file,
        .line = g->r.line,
        .account = a.name,
        .only = a.only};
    for (size_t i = 0; i + 1 < g->accounts.n; i++)
        if (strcmp(g->accounts.v[i].name, a.name) == 0)
            return; /* made already: more than one account of a project */
    g->r.each(g->r.ctx, &step);
}

/* "2026-04-01", "2026-04-01 12:00:00", "infinity"; 0 = for ever, -1 = it is none. */
static int64_t read_day(const char *text)
{
    const struct zone zone = zone_system();
    int year, month, day, hour = 0, minute = 0, second = 0;
    int n;

    if (!text || !*text || strstr(text, "infinity") || strcmp(text, "-") == 0)
        return 0;
    n = sscanf(
        text, "%4d-%2d-%2d %2d:%2d:%2d", &year, &month, &day, &hour, &minute, &second);
    if ((n != 3 && n != 6) || year < 1970 || month < 1 || month > 12 || day < 1
        || day > 31 || hour < 0 || hour > 24 || minute < 0 || minute > 59 || second < 0
        || second > 60)
        return -1;
    return zone.at(zone.ctx, zone_day_number(year, month, day),
        hour * 3600 + minute * 60 + second);
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
    const struct gold_account *a = find_gold(g, of ? of : "");
    struct bankdump_step step = {.kind = BANKDUMP_DEPOSIT,
        .file = g->r.file,
        .line = g->r.line,
        .id = id ? id : "",
        .why = "allocation of Gold",
        .from_at = read_day(cell_of(g, cells, n, "StartTime")),
        .to_at = read_day(cell_of(g, cells, n, "EndTime"))};

    if (!a)
        leave_out(&g->r, "allocation %s: no account of number %s was told before",
            step.id, of ? of : "");
    else if (!amount || read_credits(amount, &step.amount) < 0 || step.amount <= 0)
        leave_out(&g->r, "allocation %s of %s: Amount %s", step.id, a->name,
            amount ? amount : "(none)");
    else if (limit && *limit && read_credits(limit, &step.credit_limit) < 0)
        leave_out(
            &g->r, "allocation %s of %s: CreditLimit %s", step.id, a->name, limit);
    else if (step.from_at < 0 || step.to_at < 0)
        leave_out(&g->r, "allocation %s of %s: its dates are none", step.id, a->name);
    else if (active && strcasecmp(active, "False") == 0 && !step.from_at)
        leave_out(&g->r, "allocation %s of %s: it is not active", step.id, a->name);
    else {
        step.account = a->name;
        step.only = a->only;
        g->r.each(g->r.ctx, &step);
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
    for (size_t i = 0; i < g.accounts.n; i++) {
        free(g.accounts.v[i].id);
        free(g.accounts.v[i].name);
        free(g.accounts.v[i].only);
    }
    vec_fini(&g.accounts);
    free(g.heading);
    return result;
}
