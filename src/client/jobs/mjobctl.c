/* SPDX-License-Identifier: Apache-2.0
 * mjobctl: whatever can be done to jobs. Source: reference commands, section 3. */
#include "base/strbuf.h"
#include "base/zone.h"
#include "client/client.h"
#include "client/jobs/mjobctl_query.h"
#include "client/kit/orders.h"
#include "client/kit/request.h"
#include "config/setres.h"

#include <stdio.h>
#include <strings.h>

static const struct option_row options[] = {
    {'c', NULL, NULL, "cancel"},
    {'C', NULL, NULL, "checkpoint"},
    {'h', NULL, NULL, "hold: [User|System|Batch|Defer|All] JOBS (User)"},
    {'u', NULL, NULL, "release holds: [User|System|Batch|Defer|All] JOBS (All)"},
    {'m', NULL, "ATTR=VALUE", "modify; also += and -=; may be given several times"},
    {'N', NULL, NULL, "signal: [SIGNAL | notify=TEXT] JOBS (TERM)"},
    {'p', NULL, "[+]PRIORITY", "system priority; with -x the partition to run in"},
    {'q', NULL, "WHAT", "print: diag, hostlist, starttime, or an attribute"},
    {'r', NULL, NULL, "resume"},
    {'R', NULL, NULL, "requeue"},
    {'s', NULL, NULL, "suspend"},
    {'S', NULL, NULL, "submit: is done by msub"},
    {'x', NULL, NULL, "execute now, as runjob does"},
    {'f', NULL, NULL, "with -x: whatever throttling policies say"},
    {'n', NULL, "NAME", "the jobs of that name; with -x the nodes to run on"},
    {'w', NULL, "ATTR=VALUE", "only jobs where this holds, comma list; with -x flags="},
    {0, "flags", "LIST",
        "relative (with -p), completed (with -q diag), force (with -x)"},
    {0, "format", "text|json|xml", "how to print the answer; xml with -q"},
    {0, NULL, NULL, NULL},
};

static const struct command_spec spec = {
    .name = "mjobctl",
    .usage = "-c | -C | -h [TYPE] | -u [TYPE] | -m ATTR=VALUE | -N [SIGNAL] | "
             "-p PRIORITY | -q WHAT | -r | -R | -s | -x [-w ATTR=VALUE] [JOBS...]",
    .summary = "Cancel, hold, modify, signal, suspend, start and show jobs.",
    .options = options,
    .more =
        "JOBS are ids, comma lists, regular expressions or ALL.\n"
        "\n"
        "What -m changes:\n"
        "  account arraylimit awduration class comment deadline depend features flags "
        "gres group\n"
        "  hold hostlist jobdisk jobmem jobname jobswap mail mailwhen messages\n"
        "  minstarttime nodecount partition priority proccount qos queue quote\n"
        "  reqawduration reqreservation sysprio userprio wclimit\n"
        "\n"
        "Of a job that its resource manager keeps the limit is changed there too, and\n"
        "what only can be changed there is refused.\n"
        "\n"
        "What -w chooses by: user, group, account, class, qos, jobname, state,\n"
        "partition, reqreservation. With -x flags=ignorepolicies:ignorersv:\n"
        "ignorenodestate.\n"
        "\n"
        "Owners may cancel, hold, modify, signal and suspend their jobs, "
        "administrators\n"
        "of level 1 and 2 do all that is here to any job.\n",
    .examples = "  mjobctl -c -w user=mira            cancel all jobs of mira\n"
                "  mjobctl -h batch 120               batch hold on job 120\n"
                "  mjobctl -m wclimit+=1:00:00 120    an hour more\n"
                "  mjobctl -m depend=afterok:119 120  only after job 119\n"
                "  mjobctl -N USR1 120                signal its processes\n"
                "  mjobctl -x -n n007,n008 120        start it there, now\n"
                "  mjobctl -q diag --format xml ALL   everything about all jobs\n",
};

/* ---- conditions and flags ---- */

/* "user=mira,class=batch,flags=a:b": conditions, and the words of flags. */
struct chosen {
    json_t *where;        /* object, may be empty */
    struct strbuf ignore; /* words of flags=, separated by blanks */
};

static int read_where(
    const struct command_line *l, const char *text, struct chosen *ret)
{
    char *copy = xstrdup(text), *rest = copy, *word;
    int status = 0;

    while (status == 0 && (word = strtok_r(rest, ",", &rest))) {
        char *value = strchr(word, '=');
        if (!value) {
            if (ret->ignore.len)
                strbuf_printf(&ret->ignore, " %s", word);
            else
                status = command_wrong(l, "-w: '%s': expected ATTR=VALUE", word);
            continue;
        }
        *value++ = '\0';
        value += *value == '='; /* == is the same */
        if (strcasecmp(word, "flags") == 0)
            strbuf_printf(&ret->ignore, " %s", value);
        else
            json_object_set_new(ret->where, word, json_string(value));
    }
    free(copy);
    return status;
}

static bool has_flag(const struct command_line *l, const char *flag)
{
    const char *text = command_long(l, "flags");
    size_t len = strlen(flag);

    for (; text && *text; text += strcspn(text, ",:"), text += *text != 0)
        if (strncasecmp(text, flag, len) == 0 && strchr(",:", text[len]))
            return true;
    return false;
}

/* ---- the order ---- */

/* Takes the reference. The jobs are the arguments from `first` on, all that meet the
 * conditions if there are none. */
static int send(const struct command_line *l, const char *verb, json_t *order,
    int first, const struct chosen *w)
{
    if (l->nargs <= first && json_object_size(w->where) == 0) {
        json_decref(order);
        return command_wrong(l, "a job is needed");
    }
    if (l->nargs > first)
        json_object_set_new(order, "jobs", orders_jobs(l, first));
    if (json_object_size(w->where))
        json_object_set(order, "where", w->where);
    return orders_send(l, verb, order);
}

/* Is the first argument something else than a job: is there another behind it, or are
 * jobs chosen by conditions? */
static bool has_word(const struct command_line *l, const struct chosen *w)
{
    return l->nargs > 1 || (l->nargs == 1 && json_object_size(w->where) > 0);
}

static bool is_hold_list(const char *text)
{
    static const char *const words[] = {"user", "system", "batch", "defer", "all"};

    while (*text) {
        size_t len = strcspn(text, ",:"), i = 0;
        while (
            i < 5 && (strlen(words[i]) != len || strncasecmp(words[i], text, len) != 0))
            i++;
        if (i == 5)
            return false;
        text += len + (text[len] != 0);
    }
    return true;
}

static json_t *split(const char *text, const char *separators)
{
    json_t *list = json_array();

    while (*text) {
        size_t len = strcspn(text, separators);
        if (len)
            json_array_append_new(list, json_stringn(text, len));
        text += len + (text[len] != 0);
    }
    return list;
}

static int holds(const struct command_line *l, const char *verb, const char *otherwise,
    const struct chosen *w)
{
    bool typed = has_word(l, w) && is_hold_list(l->args[0]);
    const char *text = typed ? l->args[0] : otherwise;
    /* all: none named, which is all that the caller may */
    json_t *kinds = split(strcasecmp(text, "all") == 0 ? "" : text, ",:");

    return send(l, verb, json_pack("{s:o}", "kinds", kinds), typed, w);
}

static int signal_jobs(const struct command_line *l, const struct chosen *w)
{
    bool word = has_word(l, w);
    const char *text = word ? l->args[0] : "TERM";

    if (strncasecmp(text, "notify=", 7) == 0)
        return send(l, "modify",
            json_pack("{s:[{s:s, s:s}]}", "changes", "attribute", "messages", "value",
                text + 7),
            word, w);
    if (strncasecmp(text, "signal=", 7) == 0)
        text += 7;
    return send(l, "signal", json_pack("{s:s}", "signal", text), word, w);
}

static int set_priority(const struct command_line *l, const struct chosen *w)
{
    const char *text = command_value(l, 'p');
    bool relative = *text == '+' || *text == '-' || has_flag(l, "relative");
    char *end;
    long long n = strtoll(text, &end, 10);

    if (*end || end == text)
        return command_wrong(l, "-p: priority '%s' is not a whole number", text);
    return send(l, "priority",
        json_pack("{s:I, s:b}", "priority", (json_int_t)n, "relative", relative), 0, w);
}

/* ---- execute ---- */

static json_t *ignored(const struct command_line *l, const struct chosen *w, bool *ok)
{
    static const struct {
        const char *word, *name;
    } words[] = {{"ignorepolicies", "policies"}, {"ignorersv", "reservations"},
        {"ignorenodestate", "nodestate"}};
    json_t *given = split(w->ignore.text ? w->ignore.text : "", " :+|"), *entry;
    json_t *list = json_array();
    size_t i;

    *ok = true;
    json_array_foreach(given, i, entry)
    {
        size_t k = 0;
        while (k < 3 && strcasecmp(words[k].word, json_string_value(entry)) != 0)
            k++;
        if (k < 3)
            json_array_append_new(list, json_string(words[k].name));
        else if (*ok) {
            command_wrong(l,
                "-w flags: '%s' is not one of ignorepolicies, ignorersv, "
                "ignorenodestate",
                json_string_value(entry));
            *ok = false;
        }
    }
    json_decref(given);
    return list;
}

static int execute(const struct command_line *l, const struct chosen *w)
{
    const char *nodes = command_value(l, 'n'), *partition = command_value(l, 'p');
    bool ok;
    json_t *order = json_pack("{s:o}", "ignore", ignored(l, w, &ok));

    if (!ok) {
        json_decref(order);
        return 1;
    }
    if (command_has(l, 'f') || has_flag(l, "force"))
        json_object_set_new(order, "force", json_true());
    if (nodes)
        json_object_set_new(order, "nodes", split(nodes, ",:"));
    if (partition)
        json_object_set_new(order, "partition", json_string(partition));
    return send(l, "run", order, 0, w);
}

/* ---- modify ---- */

/* Instants are meant by the scheduler's clock and our zone; differences are durations.
 */
static int put_instant(
    const struct command_line *l, json_t *change, const char *name, const char *value)
{
    const struct calendar cal = zone_system_calendar(request_now(l));
    const struct setres_clock clock = {.cal = &cal};
    struct err err;
    int64_t at = 0;

    if (strcmp(value, "0") != 0 && strcasecmp(value, "none") != 0
        && setres_time(value, &clock, &at, &err) < 0)
        return command_wrong(l, "-m %s: %s", name, err.text);
    json_object_set_new(
        change, "value", json_sprintf("%lld", at >= TIME_NEVER ? 0LL : (long long)at));
    return 0;
}

static int put_change(const struct command_line *l, const char *text, json_t *list)
{
    const char *sign = strchr(text, '=');
    size_t len = sign ? (size_t)(sign - text) : 0;
    const char *op = "=";
    char name[64];

    if (len > 1 && (text[len - 1] == '+' || text[len - 1] == '-'))
        op = text[--len] == '+' ? "+=" : "-=";
    if (len == 0 || len >= sizeof name)
        return command_wrong(l, "-m: '%s': expected ATTR=VALUE", text);
    snprintf(name, sizeof name, "%.*s", (int)len, text);
    json_t *change =
        json_pack("{s:s, s:s, s:s}", "attribute", name, "op", op, "value", sign + 1);
    if (!change)
        return command_wrong(l, "-m: '%s' is not UTF-8", text);
    json_array_append_new(list, change);
    bool instant =
        strcasecmp(name, "deadline") == 0 || strcasecmp(name, "minstarttime") == 0;
    return instant && strcmp(op, "=") == 0 ? put_instant(l, change, name, sign + 1) : 0;
}

static int modify(const struct command_line *l, const struct chosen *w)
{
    json_t *list = json_array();
    int status = 0;

    for (size_t i = 0; status == 0 && i < l->given.n; i++)
        if (l->given.v[i].row->letter == 'm')
            status = put_change(l, l->given.v[i].value, list);
    if (status == 0)
        return send(l, "modify", json_pack("{s:o}", "changes", list), 0, w);
    json_decref(list);
    return status;
}

/* ---- which action ---- */

static int act(const struct command_line *l, char action, const struct chosen *w)
{
    switch (action) {
    case 'c':
        return send(l, "cancel", json_object(), 0, w);
    case 'C':
        return send(l, "checkpoint", json_object(), 0, w);
    case 'h':
        return holds(l, "hold", "user", w);
    case 'u':
        return holds(l, "release", "all", w);
    case 'm':
        return modify(l, w);
    case 'N':
        return signal_jobs(l, w);
    case 'p':
        return set_priority(l, w);
    case 'q':
        return mjobctl_query(
            l, command_value(l, 'q'), w->where, has_flag(l, "completed"));
    case 'r':
        return send(l, "resume", json_object(), 0, w);
    case 'R':
        return send(l, "requeue", json_object(), 0, w);
    case 's':
        return send(l, "suspend", json_object(), 0, w);
    case 'S':
        return command_wrong(l,
            "-S: jobs are submitted by msub, and are then known here "
            "at once; there is nothing left to submit");
    default:
        return execute(l, w);
    }
}

/* The one letter that says what to do; -p does when nothing else is said. */
static char action_of(const struct command_line *l, int *status)
{
    char chosen;

    if ((*status = command_one_of(
             l, command_has(l, 'x') ? "cChumNqrRsSx" : "cChumNqrRsSp", &chosen)))
        return 0;
    if (!chosen)
        *status = command_wrong(l,
            "one of -c -C -h -u -m -N -p -q -r -R -s -x is needed, to say what to do");
    return chosen;
}

static int run(const struct command_line *l)
{
    struct chosen w = {.where = json_object()};
    const char *name = command_value(l, 'n');
    int status = 0;
    char action = action_of(l, &status);

    if (action && l->format == FORMAT_XML && action != 'q')
        status = command_wrong(l, "--format xml goes with -q alone");
    for (size_t i = 0; status == 0 && i < l->given.n; i++)
        if (l->given.v[i].row->letter == 'w')
            status = read_where(l, l->given.v[i].value, &w);
    if (status == 0 && w.ignore.len && action != 'x')
        status = command_wrong(l, "-w flags= goes with -x alone");
    if (name && action != 'x')
        json_object_set_new(w.where, "jobname", json_string(name));
    if (status == 0)
        status = act(l, action, &w);
    json_decref(w.where);
    free(strbuf_take(&w.ignore));
    return status;
}

int mjobctl_main(int argc, char **argv)
{
    return command_run(&spec, argc, argv, run);
}
