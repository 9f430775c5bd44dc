/* SPDX-License-Identifier: Apache-2.0
 * mrsvctl: reservations made, changed, shown and released. Source: reference commands,
 * section 4. */
#include "base/strbuf.h"
#include "base/zone.h"
#include "client/client.h"
#include "client/kit/orders.h"
#include "client/reservations/mrsvctl_change.h"
#include "client/reservations/mrsvctl_query.h"

#include <stdio.h>
#include <strings.h>

static const struct option_row options[] = {
    {'c', NULL, NULL, "create"},
    {'m', NULL, "ATTR=VALUE", "modify; also += and -=; may be given several times"},
    {'q', NULL, NULL, "print everything about reservations: names, or ALL"},
    {'l', NULL, NULL, "list, as showres does"},
    {'r', NULL, NULL, "release"},
    {'C', NULL, NULL, "clear what was released of a standing one: is not needed"},
    {'a', NULL, "ACL", "who may use it: USER==mira,GROUP==bio; with -m changes it"},
    {'b', NULL, "SUBTYPE", "what it is for, in the site's words"},
    {'d', NULL, "DURATION", "how long; wins over -e"},
    {'D', NULL, "TEXT", "a comment"},
    {'e', NULL, "TIME", "end (without end)"},
    {'E', NULL, NULL, "refuse any overlap"},
    {'f', NULL, "LIST", "features the nodes have: a:b both, a|b either"},
    {'F', NULL, "FLAGS", "flags: BYNAME SINGLEUSE ..."},
    {'g', NULL, "LABEL", "a label that several may share; with -r all that have it"},
    {'h', NULL, "HOSTS", "these hosts: an expression, class:NAME or ALL"},
    {'I', NULL, "EVENTS", "is done by -T here"},
    {'n', NULL, "NAME", "name"},
    {'p', NULL, "PARTITION", "partition"},
    {'P', NULL, "PROFILE",
        "as the SRCFG of that name says, where nothing else is said"},
    {'R', NULL, "RESOURCES", "of a task: PROCS=2;MEM=512 (whole nodes)"},
    {'s', NULL, "TIME", "start (now)"},
    {'S', NULL, "ATTR=VALUE", "who is charged: aaccount=, agroup=, auser="},
    {'t', NULL, "N|N-M|ALL", "number of tasks; of a range as many as there are"},
    {'T', NULL, "TRIGGER", "as start+60;cancel"},
    {'V', NULL, "VARIABLE", "is not known here"},
    {'x', NULL, "JOBS", "jobs are let in by -a"},
    {0, "flags", "force", "with -m: whatever else is there"},
    {0, "format", "text|json|xml", "how to print the answer; xml with -q"},
    {0, NULL, NULL, NULL},
};

static const struct command_spec spec = {
    .name = "mrsvctl",
    .usage = "-c [options] -h HOSTS | -c [options] -t N | -m ATTR=VALUE NAME... | "
             "-q [NAME...] | -l [NAME] | -r NAME...",
    .summary = "Make, change, show and release reservations.",
    .options = options,
    .more =
        "What -m changes:\n"
        "  starttime endtime duration hostexp reqtaskcount flags label comment "
        "subtype\n"
        "  owner features partition resources trigger user group account class qos\n"
        "  jattr timelimit\n"
        "\n"
        "starttime alone moves the reservation; its length stays. A time of the day "
        "that\n"
        "has passed is meant of tomorrow. += and -= of times take durations, of lists\n"
        "names.\n"
        "\n"
        "Access lists are TYPE==NAME, separated by commas; TYPE is USER, GROUP, ACCT,\n"
        "CLASS, QOS, JATTR or DURATION. Behind a name + (the default), - and = say\n"
        "whether the job looks for the reservation, avoids it, or neither; * in front\n"
        "is required, ! is not. With -m == replaces the list, += and -= add and "
        "remove.\n"
        "\n"
        "Reservations are made by administrators of level 1 and 2, under RESCTLPOLICY\n"
        "ANY by everybody, who then may change and release what is theirs.\n",
    .examples =
        "  mrsvctl -c -h ALL -s 22:00 -d 2:00:00 -n patch   for maintenance\n"
        "  mrsvctl -c -t 8 -R PROCS=1 -a USER==mira         eight processors for mira\n"
        "  mrsvctl -m duration+=1:00:00 patch.0             an hour longer\n"
        "  mrsvctl -m user+=joss mira.1                     joss may use it as well\n"
        "  mrsvctl -r patch.0\n",
};

/* ---- create ---- */

/* What each option is in the API's words. */
static const struct {
    char letter;
    const char *member;
    bool list;
} words[] = {
    {'b', "subtype", false},
    {'D', "comment", false},
    {'f', "features", false},
    {'F', "flags", true},
    {'g', "label", false},
    {'h', "hosts", false},
    {'n', "name", false},
    {'p', "partition", false},
    {'P', "profile", false},
    {'T', "trigger", false},
};

/* "PROCS=2,MEM=512+DISK=1" as the API has it. */
static int put_resources(const struct command_line *l, json_t *o)
{
    const char *value = command_value(l, 'R');

    if (!value)
        return 0;
    if (!strchr(value, '='))
        return command_wrong(l, "-R: '%s': expected RESOURCE=AMOUNT", value);
    char *text = xstrdup(value);
    for (char *p = text; *p; p++)
        if (*p == ',' || *p == '+')
            *p = ';';
    json_object_set_new(o, "resources", json_string(text));
    free(text);
    return 0;
}

/* "aaccount=bio,auser=mira": account, group and user who are charged. */
static int put_charge(const struct command_line *l, json_t *o)
{
    static const char *const names[] = {"aaccount", "agroup", "auser"};
    const char *value = command_value(l, 'S');
    char *copy = xstrdup(value ? value : ""), *rest = copy, *word, *who[3] = {0};
    int status = 0;

    while (status == 0 && (word = strtok_r(rest, ",", &rest))) {
        char *is = strchr(word, '=');
        int k = 0;
        while (is && k < 3
               && (strlen(names[k]) != (size_t)(is - word)
                   || strncasecmp(names[k], word, (size_t)(is - word)) != 0))
            k++;
        if (!is || k == 3)
            status = command_wrong(
                l, "-S: '%s' is not one of aaccount=, agroup=, auser=", word);
        else
            who[k] = is + 1;
    }
    if (status == 0 && value)
        json_object_set_new(o, "charge",
            json_sprintf("%s%s%s%s%s", who[0] ? who[0] : "",
                who[1] || who[2] ? "," : "", who[1] ? who[1] : "", who[2] ? "," : "",
                who[2] ? who[2] : ""));
    free(copy);
    return status;
}

static int put_tasks(const struct command_line *l, json_t *o)
{
    const char *text = command_value(l, 't');
    char *end;

    if (!text)
        return 0;
    if (strcasecmp(text, "ALL") == 0) {
        if (!json_object_get(o, "hosts"))
            json_object_set_new(o, "hosts", json_string("ALL"));
        return 0;
    }
    long long n = strtoll(text, &end, 10), least = n;
    bool range = end != text && *end == '-';
    const char *rest = range ? end + 1 : text;
    if (range)
        n = strtoll(rest, &end, 10);
    if (end == rest || *end || least < 1 || n < least)
        return command_wrong(l,
            "-t: '%s' is not a number of tasks; expected one number, a range as 4-8, "
            "or "
            "ALL",
            text);
    json_object_set_new(o, "tasks", json_integer(n));
    if (range)
        json_object_set_new(o, "least_tasks", json_integer(least));
    return 0;
}

static int put_options(const struct command_line *l, json_t *o)
{
    static const struct {
        char letter;
        const char *why;
    } refused[] = {{'I', "what happens at its start and end is set by -T"},
        {'V', "reservations have no variables"},
        {'x', "jobs are let in by access lists: -a"}};

    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (command_has(l, refused[i].letter))
            return command_wrong(l, "-%c: %s", refused[i].letter, refused[i].why);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *value = command_value(l, words[i].letter);
        if (value)
            json_object_set_new(o, words[i].member,
                words[i].list ? json_pack("[s]", value) : json_string(value));
    }
    if (command_has(l, 'E'))
        json_object_set_new(o, "exclusive", json_true());
    return put_resources(l, o) || put_charge(l, o) || put_tasks(l, o);
}

/* Takes the reference. */
static int send_draft(const struct command_line *l, json_t *o)
{
    struct query *q = query_new("/v1/reservations");
    json_t *r = tell(l, "POST", q, o);

    query_free(q);
    if (!r)
        return 1;
    if (l->format == FORMAT_JSON)
        return print_json(r);
    printf("reservation '%s' created\n", get_text(r, "name", ""));
    json_decref(r);
    return 0;
}

static int create(const struct command_line *l)
{
    json_t *o = json_object();
    int status = l->nargs ? command_wrong(l, "'%s' is too much", l->args[0]) : 0;

    if (status == 0)
        status = put_options(l, o) || mrsvctl_window(l, o);
    for (size_t i = 0; status == 0 && i < l->given.n; i++)
        if (l->given.v[i].row->letter == 'a')
            status = mrsvctl_acl(l, l->given.v[i].value, o, false);
    if (status == 0 && !json_object_get(o, "hosts") && !json_object_get(o, "tasks"))
        status = command_wrong(l, "what to reserve is missing: -h HOSTS or -t N");
    if (status == 0)
        status = send_draft(l, json_incref(o));
    json_decref(o);
    return status;
}

/* ---- release ---- */

static void say_released(const char *name)
{
    printf("reservation '%s' successfully released\n", name);
}

struct labelled {
    const char *label;
    json_t *names;
};

static void take_labelled(void *ctx, json_t *o)
{
    struct labelled *f = ctx;

    if (strcmp(get_text(o, "label", ""), f->label) == 0)
        json_array_append(f->names, json_object_get(o, "name"));
}

static int release_labelled(const struct command_line *l, const char *label)
{
    struct labelled f = {.label = label, .names = json_array()};
    struct query *q = query_new("/v1/reservations");
    int status = ask_list(l, q, take_labelled, &f) < 0;

    query_free(q);
    if (status == 0 && json_array_size(f.names))
        return orders_release(l, f.names, say_released);
    if (status == 0)
        fprintf(stderr, "ERROR:    no reservation has the label '%s'\n", label);
    json_decref(f.names);
    return 1;
}

static int release(const struct command_line *l)
{
    if (command_has(l, 'g') && l->nargs == 0)
        return release_labelled(l, command_value(l, 'g'));
    json_t *names = orders_names(l, "a reservation is needed");
    return names ? orders_release(l, names, say_released) : 1;
}

/* ---- list, which is showres ---- */

static int list(const struct command_line *l)
{
    char *argv[12] = {(char *)"showres"};
    int argc = 1;
    const struct {
        const char *option, *value;
    } passed[] = {{"--home", l->home}, {"--host", l->host},
        {"--format", l->format == FORMAT_JSON ? "json" : NULL},
        {"--port", command_long(l, "port")}};

    if (l->format == FORMAT_XML)
        return mrsvctl_query(l);
    for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++)
        if (passed[i].value) {
            argv[argc++] = (char *)passed[i].option;
            argv[argc++] = (char *)passed[i].value;
        }
    if (l->nargs > 1)
        return command_wrong(l, "one reservation at a time; -q takes several");
    if (l->nargs && strcasecmp(l->args[0], "ALL") != 0)
        argv[argc++] = (char *)l->args[0];
    return showres_main(argc, argv);
}

/* ---- which action ---- */

static int act(const struct command_line *l, char action)
{
    const char *flags = command_long(l, "flags");

    if (l->format == FORMAT_XML && action != 'q' && action != 'l')
        return command_wrong(l, "--format xml goes with -q alone");
    if (flags && action == 'q')
        return command_wrong(l, "--flags: reservations that are over are not kept; see "
                                "the log and the journal");
    switch (action) {
    case 'c':
        return create(l);
    case 'm':
        return mrsvctl_modify(l);
    case 'q':
        return mrsvctl_query(l);
    case 'l':
        return list(l);
    case 'r':
        return release(l);
    default:
        return command_wrong(l, "-C: a period of a standing reservation that was "
                                "released stays so, the next ones come by themselves");
    }
}

static int run(const struct command_line *l)
{
    char chosen;

    if (command_one_of(l, "cmqlrC", &chosen))
        return 1;
    if (!chosen && command_has(l, 'a'))
        chosen = 'm'; /* -a alone changes the access list */
    if (!chosen)
        return command_wrong(l, "one of -c -m -q -l -r is needed, to say what to do");
    return act(l, chosen);
}

int mrsvctl_main(int argc, char **argv)
{
    return command_run(&spec, argc, argv, run);
}
