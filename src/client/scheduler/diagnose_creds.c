/* SPDX-License-Identifier: Apache-2.0
 * diagnose of credentials: settings and limits, fairshare, priorities. */
#include "client/kit/layout.h"
#include "client/kit/lists.h"
#include "client/kit/stopped.h"
#include "client/scheduler/diagnose.h"

#include <stdio.h>
#include <string.h>

/* ---- -a -c -g -u -Q ---- */

static void text_of(const json_t *list, const char *sep, char *buf, size_t size)
{
    struct strbuf text = {0};

    list_joined(&text, list, sep, "[NONE]");
    snprintf(buf, size, "%s", text.text);
    free(strbuf_take(&text));
}

/* '&' = access is "and", '^' = excluded. */
static char list_mark(const json_t *o)
{
    const char *mode = get_text(o, "qos_list_mode", "or");

    return strcmp(mode, "and") == 0 ? '&' : strcmp(mode, "excluded") == 0 ? '^' : ' ';
}

/* "MAXPROC=16,32" of a class with what is in use: "MAXPROC=8:16,32". */
static void add_used(struct strbuf *out, const json_t *o)
{
    const json_t *usage = json_object_get(o, "usage");
    json_t *limit;
    size_t i;

    json_array_foreach(json_object_get(o, "limits"), i, limit)
    {
        const char *text = json_string_value(limit);
        size_t name = strcspn(text, "=");
        char key[80];
        snprintf(key, sizeof key, "%.*s", (int)name, text);
        strbuf_printf(out, "%s%s=", i ? "," : "", key);
        if (json_object_get(usage, key))
            strbuf_printf(out, "%lld:", (long long)get_int(usage, key, 0));
        strbuf_add(out, text + name + (text[name] == '='));
    }
    if (!out->len)
        strbuf_add(out, "[NONE]");
}

/* "Slurm, QOS fast, each user: MaxJobsPerUser=1, MaxTRESPerUser=cpu=8", and of those
 * that all share what is in use: "GrpTRES=cpu=3:16". */
static void print_manager_limits(const json_t *o)
{
    const json_t *quota, *limit;
    size_t i, k;

    json_array_foreach(json_object_get(o, "manager_limits"), i, quota)
    {
        const char *each = get_text(quota, "each", "");
        printf("  %s, %s%s%s:", get_text(quota, "source", ""),
            get_text(quota, "name", ""), *each ? ", each " : "", each);
        json_array_foreach(json_object_get(quota, "limits"), k, limit)
        {
            printf("%s %s", k ? "," : "", get_text(limit, "limit", ""));
            if (json_object_get(limit, "used"))
                printf("=%lld:%lld", (long long)get_int(limit, "used", 0),
                    (long long)get_int(limit, "most", 0));
            else if (json_object_get(limit, "most"))
                printf("=%lld", (long long)get_int(limit, "most", 0));
            else
                fputs(get_bool(limit, "used_up") ? " (used up)" : " (not used up)",
                    stdout);
            if (*get_text(limit, "unit", ""))
                fputs(get_text(limit, "unit", ""), stdout);
        }
        puts("");
    }
}

static void print_funds(const json_t *f)
{
    char available[LAYOUT_CREDITS_MAX], held[LAYOUT_CREDITS_MAX];

    if (f)
        printf("  funds: %s credits available, %s kept for %lld running job%s\n",
            layout_credits(get_real(f, "available", 0), available),
            layout_credits(get_real(f, "held", 0), held),
            (long long)get_int(f, "runs", 0), get_int(f, "runs", 0) == 1 ? "" : "s");
}

static void credential_row(const json_t *o, bool class)
{
    const char *target = get_text(o, "fs_target", "0.00");
    char *mark;
    double share = strtod(target, &mark);
    char flags[120], qlist[120], plist[120];
    struct strbuf limits = {0};

    text_of(json_object_get(o, "flags"), ":", flags, sizeof flags);
    text_of(json_object_get(o, "qos_list"), ":", qlist, sizeof qlist);
    text_of(json_object_get(o, "partition_list"), ":", plist, sizeof plist);
    if (class)
        add_used(&limits, o);
    else
        list_joined(&limits, json_object_get(o, "limits"), ",", "[NONE]");
    printf(class ? "%-14s %8lld %-12s %-12s %12s%c %-20s %5.2f%c %s\n"
                 : "%-12s %8lld %12s %12s %12s%c %20s %6.2f%c %s\n",
        get_text(o, "name", ""), (long long)get_int(o, "priority", 0), flags,
        get_text(o, "qos_default", "[NONE]"), qlist, list_mark(o), plist, share,
        *mark ? *mark : ' ', limits.text);
    if (*get_text(o, "partition_default", ""))
        printf("  PDEF=%s\n", get_text(o, "partition_default", ""));
    if (class && json_object_get(o, "enabled") && !get_bool(o, "enabled"))
        puts("  disabled or stopped in the resource manager");
    print_manager_limits(o);
    print_funds(json_object_get(o, "funds"));
    free(strbuf_take(&limits));
}

/* "user:ann" and so on, by kind. */
static void print_members(const json_t *o)
{
    static const struct {
        const char *prefix, *label;
    } kinds[] = {{"user:", "Users"}, {"group:", "Groups"}, {"account:", "Accounts"},
        {"class:", "Classes"}};
    json_t *member;
    size_t i;

    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        size_t len = strlen(kinds[k].prefix);
        bool any = false;
        json_array_foreach(json_object_get(o, "members"), i, member)
        {
            const char *text = json_string_value(member);
            if (strncmp(text, kinds[k].prefix, len) != 0)
                continue;
            if (!any)
                printf("  %s:", kinds[k].label);
            printf(" %s", text + len);
            any = true;
        }
        if (any)
            puts("");
    }
}

static void qos_row(const json_t *o)
{
    const json_t *w = json_object_get(o, "weights");
    struct strbuf limits = {0};
    char flags[120], target[LAYOUT_REL_MAX];

    text_of(json_object_get(o, "flags"), ":", flags, sizeof flags);
    list_joined(&limits, json_object_get(o, "limits"), ",", "[NONE]");
    printf("%-20s%c %8lld %8.0f %11s %8.0f %8.2f %-24s %s\n", get_text(o, "name", ""),
        ' ', (long long)get_int(o, "priority", 0), get_real(w, "QTWEIGHT", 0),
        layout_rel((int64_t)get_real(w, "QTTARGET", 0), target),
        get_real(w, "XFWEIGHT", 0), get_real(w, "XFTARGET", 0), flags, limits.text);
    free(strbuf_take(&limits));
    print_manager_limits(o);
    print_members(o);
}

static void system_qos(const struct command_line *l)
{
    json_t *o = diagnose_system(l);
    char names[200], flags[200];

    text_of(json_object_get(o, "qos_list"), ",", names, sizeof names);
    text_of(json_object_get(o, "flags"), ":", flags, sizeof flags);
    printf("QOS Status\n\nSystem QOS Settings:  QList: %s (Def: %s)  Flags: %s\n\n",
        names, get_text(o, "qos_default", "[NONE]"), flags);
    json_decref(o);
}

static void credential_heading(const struct command_line *l, const char *kind)
{
    if (strcmp(kind, "qos") == 0)
        system_qos(l);
    if (strcmp(kind, "qos") == 0)
        printf("%-20s%c %8s %8s %11s %8s %8s %-24s %s\n\n", "Name", '*', "Priority",
            "QTWeight", "QTTarget", "XFWeight", "XFTarget", "Flags", "Limits");
    else if (strcmp(kind, "class") == 0)
        printf("Class/Queue Status\n\n%-14s %8s %-12s %-12s %12s%c %-20s %6s %s\n\n",
            "Name", "Priority", "Flags", "QDef", "QOSList", '*', "PartitionList",
            "Target", "Limits");
    else
        printf(
            "Displaying %s information...\n%-12s %8s %12s %12s %12s* %20s %6s  %s\n\n",
            kind, "Name", "Priority", "Flags", "QDef", "QOSList", "PartitionList",
            "Target", "Limits");
}

int diagnose_credentials(
    const struct command_line *l, const char *kind, const char *only)
{
    struct query *q = query_new("/v1/credentials");
    int status;
    json_t *o;
    size_t i;

    query_part(q, kind);
    query_add(q, "name", only);
    json_t *list = diagnose_list(l, q, false, &status);
    query_free(q);
    if (list)
        credential_heading(l, kind);
    json_array_foreach(list, i, o)
    {
        bool hidden = strcmp(kind, "class") == 0 && !only && !command_has(l, 'v')
                      && strcmp(get_text(o, "name", ""), "DEFAULT") == 0;
        if (hidden)
            continue;
        if (strcmp(kind, "qos") == 0)
            qos_row(o);
        else
            credential_row(o, strcmp(kind, "class") == 0);
    }
    json_decref(list);
    return status;
}

/* ---- -f ---- */

static void fairshare_heading(const json_t *o)
{
    char rel[LAYOUT_REL_MAX];
    json_t *n;
    size_t i;

    printf(
        "FairShare Information\n\nDepth: %lld intervals   Interval Length: %s   Decay "
        "Rate: %.2f\n\nFS Policy: %s\n",
        (long long)get_int(o, "depth", 0), layout_rel(get_int(o, "interval_s", 0), rel),
        get_real(o, "decay", 0), get_text(o, "policy", ""));
    printf("System FS Settings:  Target Usage: %.2f    Flags: 0\n\n",
        get_real(o, "target", 0));
    printf("%-14s %7s %7s", "FSInterval", "   %   ", "Target");
    json_array_foreach(json_object_get(o, "weights"), i, n) printf(" %7zu", i);
    printf("\n%-14s %7s %7s", "FSWeight", "-------", "-------");
    json_array_foreach(json_object_get(o, "weights"), i, n)
        printf(" %7.4f", json_number_value(n));
    printf("\n%-14s %7.2f %7s", "TotalUsage", 100.0, "-------");
    json_array_foreach(json_object_get(o, "totals_ps"), i, n)
        printf(" %7.1f", json_number_value(n) / 3600);
    puts("");
}

static void fairshare_row(const json_t *k)
{
    char name[100], target[24] = "-------";
    json_t *n;
    size_t i;

    snprintf(name, sizeof name, "%s%s", get_text(k, "name", ""),
        get_bool(k, "off_target") ? "*" : "");
    if (json_is_number(json_object_get(k, "target")))
        snprintf(target, sizeof target, "%6.2f%s", get_real(k, "target", 0),
            *get_text(k, "modifier", "") ? get_text(k, "modifier", "") : " ");
    printf("%-14s %7.2f %7s", name, get_real(k, "percent", 0), target);
    json_array_foreach(json_object_get(k, "windows"), i, n)
    {
        if (json_is_number(n))
            printf(" %7.2f", json_number_value(n));
        else
            printf(" %7s", "-------");
    }
    puts("");
}

static void fairshare_sections(const json_t *o, bool verbose)
{
    static const struct {
        const char *kind, *title;
    } sections[] = {{"user", "USER"}, {"group", "GROUP"}, {"account", "ACCT"},
        {"qos", "QOS"}, {"class", "CLASS"}};
    json_t *k;
    size_t i;

    for (size_t s = 0; s < sizeof sections / sizeof sections[0]; s++) {
        bool titled = false;
        json_array_foreach(json_object_get(o, "credentials"), i, k)
        {
            if (strcmp(get_text(k, "kind", ""), sections[s].kind) != 0
                || (!verbose && get_real(k, "percent", 0) == 0
                    && !json_is_number(json_object_get(k, "target"))))
                continue;
            if (!titled)
                printf("\n%s\n-------------\n", sections[s].title);
            titled = true;
            fairshare_row(k);
        }
    }
}

int diagnose_fairshare(const struct command_line *l, const char *kind)
{
    struct query *q = query_new("/v1/fairshare");

    query_add(q, "kind", kind);
    json_t *o = ask(l, q);
    query_free(q);
    if (l->format == FORMAT_JSON || !o)
        return print_json(o);
    fairshare_heading(o);
    fairshare_sections(o, command_has(l, 'v'));
    json_decref(o);
    return 0;
}

/* ---- -p ---- */

struct prios {
    bool any;
    json_t *sums;    /* of percents, by component and by COMPONENT:part */
    json_t *columns; /* components of the first row: all have the same */
};

static void add_sum(json_t *sums, const char *a, const char *b, double value)
{
    char key[80];

    snprintf(key, sizeof key, "%s:%s", a, b);
    json_object_set_new(sums, key, json_real(get_real(sums, key, 0) + value));
}

static double sum_of(const json_t *sums, const char *a, const char *b)
{
    char key[80];

    snprintf(key, sizeof key, "%s:%s", a, b);
    return get_real(sums, key, 0);
}

static void prio_heading(const json_t *columns, const char *partition)
{
    json_t *c, *p;
    size_t i, k;

    printf("diagnosing job priority information (partition: %s)\n\n%-20s %10s%c ",
        partition, "Job", "PRIORITY", '*');
    json_array_foreach(columns, i, c)
    {
        printf("%6s(", get_text(c, "name", ""));
        json_array_foreach(json_object_get(c, "parts"), k, p)
            printf("%s%5.5s", k ? ":" : "", get_text(p, "name", ""));
        printf(")");
    }
    printf("\n%20s %10s  ", "Weights", "--------");
    json_array_foreach(columns, i, c)
    {
        printf("%s%*.0f(", i ? " " : "", i ? 5 : 6, get_real(c, "weight", 0));
        json_array_foreach(json_object_get(c, "parts"), k, p)
            printf("%s%5.0f", k ? ":" : "", get_real(p, "weight", 0));
        printf(")");
    }
    puts("\n");
}

/* A number with one decimal in five columns: what does not fit loses its tail. */
static void cell(const char *before, double value, const char *after)
{
    char text[40];

    snprintf(text, sizeof text, "%.1f", value);
    printf("%s%5.5s%s", before, text, after);
}

static void prio_row(struct prios *t, const json_t *o)
{
    json_t *c, *p, *components = json_object_get(o, "components");
    size_t i, k;

    if (!components)
        return; /* the summary */
    if (!t->any)
        prio_heading(components, "ALL");
    if (!t->any)
        t->columns = json_incref(components);
    t->any = true;
    printf("%-20s %10lld%c ", get_text(o, "id", ""),
        (long long)get_int(o, "priority", 0), get_bool(o, "system") ? '*' : ' ');
    json_array_foreach(components, i, c)
    {
        const char *name = get_text(c, "name", "");
        cell(" ", get_real(c, "percent", 0), "(");
        add_sum(t->sums, name, "", get_real(c, "value", 0));
        json_array_foreach(json_object_get(c, "parts"), k, p)
        {
            cell(k ? ":" : "", get_real(p, "value", 0), "");
            add_sum(t->sums, name, get_text(p, "name", ""),
                get_real(c, "weight", 0) * get_real(p, "value", 0));
        }
        printf(")");
    }
    puts("");
}

static void prio_footer(const struct prios *t)
{
    double total = 0;
    json_t *c, *p;
    size_t i, k;

    json_array_foreach(t->columns, i, c)
    {
        double value = sum_of(t->sums, get_text(c, "name", ""), "");
        total += value < 0 ? -value : value;
    }
    total = total > 0 ? total / 100 : 1;
    printf("\n%-20s %10s  ", "Percent Contribution", "--------");
    json_array_foreach(t->columns, i, c)
    {
        const char *name = get_text(c, "name", "");
        cell(" ", sum_of(t->sums, name, "") / total, "(");
        json_array_foreach(json_object_get(c, "parts"), k, p) cell(
            k ? ":" : "", sum_of(t->sums, name, get_text(p, "name", "")) / total, "");
        printf(")");
    }
    puts("\n\n* indicates system prio set on job");
}

/* The list itself does not say whether it is going on. */
static void note_stopped(const struct command_line *l)
{
    struct query *q = query_new("/v1/identity");
    int status;
    json_t *list = diagnose_list(l, q, true, &status);

    stopped_note_queue(json_array_get(list, 0));
    json_decref(list);
    query_free(q);
}

int diagnose_priorities(const struct command_line *l, const char *only)
{
    struct query *q = query_new("/v1/priorities");
    struct prios t = {.sums = json_object()};
    int status;
    json_t *o;
    size_t i;

    query_add(q, "partition", command_value(l, 't'));
    query_add(q, "ids", only);
    json_t *list = diagnose_list(l, q, false, &status);
    query_free(q);
    json_array_foreach(list, i, o) prio_row(&t, o);
    if (t.any)
        prio_footer(&t);
    else if (list && only)
        printf(
            "job '%s' has no priority here: it does not wait, or is not yours\n", only);
    else if (list)
        puts("diagnosing job priority information (partition: ALL)\n\nno idle jobs "
             "in queue");
    if (list)
        note_stopped(l);
    json_decref(list);
    json_decref(t.sums);
    json_decref(t.columns);
    return status;
}
