/* SPDX-License-Identifier: Apache-2.0
 * setres and releaseres: reservations made and released. */
#include "config/setres.h"

#include "base/zone.h"
#include "client/client.h"
#include "client/kit/orders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct option_row setres_options[] = {
    {'a', NULL, "LIST", "accounts with access, separated by colons"},
    {'A', NULL, "ACCOUNT", "account[,group[,user]] that pays; also -c"},
    {'b', NULL, "SUBTYPE", "what it is for, in the site's words"},
    {'c', NULL, "ACCOUNT", "the same as -A"},
    {'d', NULL, "DURATION", "how long; wins over -e"},
    {'e', NULL, "TIME", "end (without end)"},
    {'E', NULL, NULL, "refuse any overlap"},
    {'f', NULL, "LIST", "features the nodes have: a:b both, a|b either"},
    {'g', NULL, "LIST", "groups with access"},
    {'j', NULL, "LIST", "job attributes with access"},
    {'n', NULL, "NAME", "name"},
    {'N', NULL, "SPEC", "TASKS in one node set: ONEOF:FEATURE:a,b"},
    {'o', NULL, "TYPE:NAME", "owner"},
    {'p', NULL, "PARTITION", "partition"},
    {'q', NULL, "LIST", "classes with access"},
    {'Q', NULL, "LIST", "QOSs with access"},
    {'r', NULL, "RESOURCES", "of a task: PROCS=2;MEM=512 (whole nodes)"},
    {'R', NULL, "PROFILE", "as SRCFG[PROFILE] says, where nothing else is said"},
    {'s', NULL, "TIME", "start (now)"},
    {'t', NULL, "N", "number of tasks within a host list"},
    {'T', NULL, "TRIGGER", "as start+60;cancel"},
    {'u', NULL, "LIST", "users with access"},
    {'x', NULL, "FLAGS", "flags: BYNAME SINGLEUSE ..."},
    {0, NULL, NULL, NULL},
};

static const struct command_spec setres_spec = {
    .name = "setres",
    .usage = "[options] ALL | TASKS==N | HOSTS",
    .summary = "Reserve nodes or tasks for a time.",
    .options = setres_options,
    .more =
        "HOSTS is a host expression: names, ranges, a regular expression. Lists are\n"
        "separated by colons. Nobody may use a reservation without access lists.\n"
        "Times: NOW, +DURATION, HH[:MM[:SS]][_MO[/DD[/YY]]], seconds since 1970.\n",
    .examples =
        "  setres -s 22:00 -d 2:00:00 -n patch ALL  the machine, for maintenance\n"
        "  setres -u mira -d 1:00:00 TASKS==8       eight processors for mira\n",
};

/* Options as the API has them; times and numbers are read by others. */
static void put_words(const struct command_line *l, json_t *o)
{
    for (const struct option_row *row = setres_options; row->letter; row++) {
        const struct setres_attr *a = setres_attr_of(row->letter);
        const char *value = command_value(l, row->letter);
        if (a->value == SETRES_FLAG && command_has(l, row->letter))
            json_object_set_new(o, a->name, json_true());
        else if (a->value == SETRES_LIST && value)
            json_object_set_new(o, a->name, json_pack("[s]", value));
        else if (a->value == SETRES_TEXT && value)
            json_object_set_new(o, a->name, json_string(value));
    }
}

static int put_times(const struct command_line *l, json_t *o, struct err *err)
{
    const struct calendar cal = zone_system_calendar(request_now(l));
    const struct setres_clock clock = {.cal = &cal};
    const char *start = command_value(l, 's'), *end = command_value(l, 'e'),
               *duration = command_value(l, 'd');
    int64_t n;

    if (start) {
        if (setres_time(start, &clock, &n, err) < 0)
            return err_prefix(err, "-s: ");
        json_object_set_new(o, "start_at", json_integer(n));
    }
    if (end) {
        if (setres_time(end, &clock, &n, err) < 0)
            return err_prefix(err, "-e: ");
        json_object_set_new(
            o, "end_at", n < TIME_NEVER ? json_integer(n) : json_null());
    }
    if (duration) {
        if (duration_parse(duration, &n, err) < 0)
            return err_prefix(err, "-d: ");
        if (n < DURATION_UNLIMITED)
            json_object_set_new(o, "duration_s", json_integer(n));
    }
    return 0;
}

static int put_number(json_t *o, const char *key, const char *text, struct err *err)
{
    char *end;
    long n = strtol(text, &end, 10);

    if (end == text || *end || n < 1)
        return err_set(err, ERR_INVALID, "'%.40s' is not a number of tasks", text);
    json_object_set_new(o, key, json_integer(n));
    return 0;
}

/* ALL, TASKS==N, TASKS>=N, or hosts. */
static int put_where(const struct command_line *l, json_t *o, struct err *err)
{
    const char *what = l->args[0];

    if (strncasecmp(what, "TASKS==", 7) == 0 || strncasecmp(what, "TASKS>=", 7) == 0)
        return put_number(o, "tasks", what + 7, err);
    if (strncasecmp(what, "TASKS", 5) == 0 && strpbrk(what, "<>="))
        return err_set(
            err, ERR_INVALID, "'%.40s': expected TASKS==N or TASKS>=N", what);
    json_object_set_new(o, "hosts", json_string(what));
    return command_has(l, 't') ? put_number(o, "tasks", command_value(l, 't'), err) : 0;
}

/* Who says -n again may have meant the one that is there. */
static void tell_of_others(const struct command_line *l, const char *name)
{
    const char *number = strrchr(name, '.');

    if (command_has(l, 'n') && number && strcmp(number, ".0") != 0)
        fprintf(stderr,
            "NOTE:     '%s' is another one beside those of that name; `mrsvctl -m` "
            "changes one that exists\n",
            name);
}

/* Takes the reference. */
static int reserve(const struct command_line *l, json_t *o)
{
    struct query *q = query_new("/v1/reservations");
    json_t *r = tell(l, "POST", q, o), *place, *note;
    size_t i;

    query_free(q);
    if (!r)
        return 1;
    if (l->format == FORMAT_JSON)
        return print_json(r);
    printf("reservation created\n\n\nreservation '%s' created on %lld node%s (%lld "
           "task%s)\n",
        get_text(r, "name", ""), (long long)get_int(r, "nodes", 0),
        get_int(r, "nodes", 0) == 1 ? "" : "s", (long long)get_int(r, "tasks", 0),
        get_int(r, "tasks", 0) == 1 ? "" : "s");
    json_array_foreach(json_object_get(r, "places"), i, place) printf("%s:%lld\n",
        get_text(place, "node", ""), (long long)get_int(place, "tasks", 0));
    json_array_foreach(json_object_get(r, "notes"), i, note)
        fprintf(stderr, "NOTE:     %s\n", json_string_value(note));
    tell_of_others(l, get_text(r, "name", ""));
    json_decref(r);
    return 0;
}

static int run(const struct command_line *l)
{
    json_t *o = json_object();
    struct err err;

    put_words(l, o);
    if (l->nargs != 1)
        err_set(&err, ERR_INVALID, "expected one of ALL, TASKS==N or hosts%s",
            l->nargs ? ", these with commas: node01,node02" : "");
    else if (put_times(l, o, &err) == 0 && put_where(l, o, &err) == 0)
        return reserve(l, o);
    json_decref(o);
    return command_wrong(l, "%s", err.text);
}

int setres_main(int argc, char **argv)
{
    return command_run(&setres_spec, argc, argv, run);
}

/* ---- releaseres ---- */

static const struct command_spec releaseres_spec = {
    .name = "releaseres",
    .usage = "RESERVATION...",
    .summary = "Release reservations; that of a job by the job's id.",
    .more =
        "Names may be separated by commas. Administrators of level 1 and 2 release\n"
        "any, others those that are charged to them and those of their jobs. That of\n"
        "a job comes back as long as the job is entitled to it.\n",
    .examples = "  releaseres patch.0\n"
                "  releaseres 120         the place that job 120 was promised\n",
};

static int release_named(const struct command_line *l)
{
    json_t *names = orders_names(l, "a reservation is needed");

    return names ? orders_release(l, names, NULL) : 1;
}

int releaseres_main(int argc, char **argv)
{
    return command_run(&releaseres_spec, argc, argv, release_named);
}
