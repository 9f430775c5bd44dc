/* SPDX-License-Identifier: Apache-2.0
 * whatif: a command that would change something, asked about and not done. The command
 * reads its line as ever; what it would tell the scheduler becomes a question. */
#include "base/duration.h"
#include "base/nearest.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "client/client.h"
#include "client/kit/request.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct option_row options[] = {
    {0, "run", NULL, "live on instead of one plan: jobs end, limits come free"},
    {0, "horizon", "TIME", "so far, a day unless told, 30 days at most; with --run"},
    {0, "runtime", "limit|usual",
        "jobs run to their limits, or as is usual; with --run"},
    {0}};

static const struct command_spec spec = {
    .name = "whatif",
    .usage = "[--run] [--horizon TIME] [--runtime limit|usual] COMMAND [ARGUMENT]...",
    .options = options,
    .summary = "Tell what a command would do to the starts of jobs, and do nothing.",
    .more =
        "COMMAND is one of canceljob, mjobctl, mrsvctl, msub, releasedeadline,\n"
        "releasehold, releaseres, runjob, setdeadline, sethold, setqos, setres,\n"
        "setspri and setupri, with the arguments that it has in earnest. The\n"
        "scheduler tries it on a copy of itself, with your rights. All jobs are\n"
        "taken to run to their limits, and nobody new to come. With --run the copy\n"
        "lives on with the change and without it, for ten seconds of a processor at\n"
        "most; --horizon and --runtime mean it too. Options of whatif stand in\n"
        "front of COMMAND. The exit status is 1 where the command would be refused,\n"
        "for one of its jobs or reservations too.\n",
    .examples =
        "  whatif canceljob 120                     who starts earlier then\n"
        "  whatif setres -s +1:00:00 -d 2:00:00 ALL whom a reservation delays\n"
        "  whatif setspri 10 120                    whom that would pass\n"
        "  whatif --horizon 7:00:00:00 canceljob 120   what a week is like then\n",
};

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {{"canceljob", canceljob_main}, {"mjobctl", mjobctl_main},
    {"mrsvctl", mrsvctl_main}, {"msub", msub_main},
    {"releasedeadline", releasedeadline_main}, {"releasehold", releasehold_main},
    {"releaseres", releaseres_main}, {"runjob", runjob_main},
    {"setdeadline", setdeadline_main}, {"sethold", sethold_main},
    {"setqos", setqos_main}, {"setres", setres_main}, {"setspri", setspri_main},
    {"setupri", setupri_main}};

/* ---- what the command would tell ---- */

static struct {
    struct command_line line; /* its options of how to ask; borrows from argv */
    json_t *changes;
    json_t *ahead;       /* what of method run is asked for; NULL = it is not */
    const char *unknown; /* what cannot be asked about, or NULL */
} told;

#define ORDERS       "/v1/orders/"
#define UNRESERVE    ORDERS "unreserve" /* of each by itself */
#define RESERVATIONS "/v1/reservations"

/* As the API has it; NULL: it has no such change. */
static json_t *change_of(const char *path, const json_t *body)
{
    const char *name = path + strlen(RESERVATIONS "/");
    json_t *own = (json_t *)body; /* it is not written */

    if (strncmp(path, ORDERS, strlen(ORDERS)) == 0
        && strcmp(path, ORDERS "signal") != 0)
        return json_pack(
            "{s:{s:s, s:O}}", "order", "order", path + strlen(ORDERS), "request", own);
    if (strcmp(path, RESERVATIONS) == 0)
        return json_pack("{s:O}", "reserve", own);
    if (strcmp(path, "/v1/jobs") == 0)
        return json_pack("{s:O}", "submit", own);
    if (strncmp(path, RESERVATIONS "/", strlen(RESERVATIONS "/")) != 0)
        return NULL;
    return json_pack(
        "{s:{s:s, s:O}}", "change_reservation", "name", name, "change", own);
}

static void take_releases(const json_t *body)
{
    json_t *name;
    size_t i;

    json_array_foreach(json_object_get(body, "reservations"), i, name)
    {
        json_array_append_new(
            told.changes, json_pack("{s:{s:O}}", "release_reservation", "name", name));
    }
}

static void take_told(const struct command_line *l, const char *method,
    const char *path, const json_t *body)
{
    json_t *change;

    (void)method;
    told.line = *l;
    told.line.spec = &spec;
    memset(&told.line.given, 0, sizeof told.line.given);
    memset(&told.line.words, 0, sizeof told.line.words);
    told.line.args = NULL;
    told.line.nargs = 0;
    if (strcmp(path, UNRESERVE) == 0) {
        take_releases(body);
        return;
    }
    change = change_of(path, body);
    if (change)
        json_array_append_new(told.changes, change);
    else
        told.unknown = "what this command would do";
}

/* ---- the answer ---- */

/* "promised in 1:00:00" */
static const char *stand_text(const json_t *job, const char *stand, const char *at,
    json_int_t now, char *ret, size_t size)
{
    char when[DURATION_TEXT_MAX];
    json_int_t instant = get_int(job, at, 0);
    const char *word = get_text(job, stand, "");

    if (strcmp(word, "beyond") == 0)
        word = "not";
    if (strcmp(word, "running") == 0 && instant >= now)
        snprintf(ret, size, "starts now");
    else if (strcmp(word, "running") == 0 || !instant)
        snprintf(ret, size, "%s", strcmp(word, "none") == 0 ? "-" : word);
    else
        snprintf(ret, size, "%s in %s", word,
            duration_format_exact(
                instant > now ? instant - now : 0, when, sizeof when));
    return ret;
}

static void print_job(const json_t *job, const char *change, json_int_t now)
{
    char before[80], after[80], by[DURATION_TEXT_MAX] = "";
    json_int_t delta = get_int(job, "delta_s", 0);

    if (delta)
        duration_format_exact(delta < 0 ? -delta : delta, by, sizeof by);
    printf("%-12s %-10s %-24s %-24s %s%s%s\n", get_text(job, "id", ""),
        get_text(job, "user", ""),
        stand_text(job, "before", "before_at", now, before, sizeof before),
        stand_text(job, "after", "after_at", now, after, sizeof after), by,
        *by ? " " : "", change);
}

static bool is_listed(const json_t *list, const char *id)
{
    json_t *job;
    size_t i;

    json_array_foreach((json_t *)list, i, job)
    {
        if (strcmp(get_text(job, "id", ""), id) == 0)
            return true;
    }
    return false;
}

/* One that is in no other list is in that of broken promises alone. */
static void print_lists(const json_t *answer)
{
    static const char *const lists[] = {
        "later", "earlier", "cut", "held", "never", "freed", "gone", "placed"};
    static const char *const words[] = {"later", "earlier", "runs no more",
        "is kept back", "cannot start", "is kept back no more", "is gone", "is new"};
    const json_t *broken = json_object_get(answer, "broken");
    json_int_t now = get_int(answer, "as_of", 0);
    char text[80];
    json_t *job;
    size_t i;

    printf("%-12s %-10s %-24s %-24s %s\n", "JOBID", "USERNAME", "NOW", "THEN", "");
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        json_array_foreach(json_object_get(answer, lists[k]), i, job)
        {
            bool breaks = is_listed(broken, get_text(job, "id", ""));
            snprintf(text, sizeof text, "%s%s", words[k],
                breaks ? ": its promise is broken" : "");
            print_job(job, text, now);
        }
    }
}

/* Of an order each job that does not take it; of another change its own sentence. 0, or
 * 1: there is one. */
static int print_refusals(const json_t *result)
{
    const json_t *jobs = json_object_get(result, "jobs");
    int status = 0;
    json_t *job;
    size_t i;

    json_array_foreach(jobs, i, job)
    {
        if (get_bool(job, "ok"))
            continue;
        fprintf(stderr, "ERROR:    %s\n", get_text(job, "message", ""));
        status = 1;
    }
    if (status || get_bool(result, "ok"))
        return status;
    fprintf(stderr, "ERROR:    %s\n", get_text(result, "message", ""));
    return 1;
}

/* Is there a refusal in it, if only of one job? */
static int status_of(const json_t *answer)
{
    const json_t *result, *job;
    int status = json_object_get(answer, "refused") != NULL;
    size_t i, k;

    json_array_foreach(json_object_get(answer, "changes"), i, result)
    {
        json_array_foreach(json_object_get(result, "jobs"), k, job)
        {
            status |= !get_bool(job, "ok");
        }
    }
    return status;
}

static void print_in_the_way(const json_t *o)
{
    const char *kind = get_text(o, "kind", ""), *name = get_text(o, "name", "");

    if (!*name) {
        printf("in the way: %ss that you may not see\n", kind);
        return;
    }
    printf("in the way: %s %s (%s), on %lld node%s\n", kind, name,
        get_text(o, "state", ""), (long long)get_int(o, "nodes", 0),
        get_int(o, "nodes", 0) == 1 ? "" : "s");
}

static void print_total(const char *what, const char *was, const char *is)
{
    printf("%-23s %-24s %-24s\n", what, was, is);
}

/* What both lives come to in all. */
static void print_totals(const json_t *answer)
{
    const json_t *of[] = {
        json_object_get(answer, "before"), json_object_get(answer, "after")};
    char text[4][2][DURATION_TEXT_MAX];
    json_int_t until = get_int(answer, "until", 0) - get_int(answer, "as_of", 0);

    for (size_t k = 0; k < 2; k++) {
        snprintf(text[0][k], sizeof text[0][k], "%lld",
            (long long)get_int(of[k], "starts", 0));
        duration_format_exact(
            get_int(of[k], "wait_average_s", 0), text[1][k], sizeof text[1][k]);
        duration_format_exact(
            get_int(of[k], "wait_95_s", 0), text[2][k], sizeof text[2][k]);
        snprintf(
            text[3][k], sizeof text[3][k], "%.1f%%", 100 * get_real(of[k], "use", 0));
    }
    print_total("jobs that start", text[0][0], text[0][1]);
    print_total("average wait", text[1][0], text[1][1]);
    print_total("95% wait no longer than", text[2][0], text[2][1]);
    print_total("use of all processors", text[3][0], text[3][1]);
    printf("lived on for %s; jobs end %s\n",
        duration_format_exact(until, text[0][0], sizeof text[0][0]),
        strcmp(get_text(answer, "runtime", ""), "usual") == 0
            ? "as is usual for their owners"
            : "at their limits");
}

static int print_answer(const json_t *answer)
{
    bool lived = json_object_get(answer, "until") != NULL;
    const json_t *counts = json_object_get(answer, "counts");
    json_int_t concerned = 0, broken = get_int(counts, "broken", 0);
    const char *key;
    json_t *n, *note, *result, *o;
    int status = 0;
    size_t i;

    json_array_foreach(json_object_get(answer, "notes"), i, note)
        fprintf(stderr, "NOTE:     %s\n", json_string_value(note));
    json_array_foreach(json_object_get(answer, "changes"), i, result)
    {
        status |= print_refusals(result);
    }
    if (json_object_get(answer, "refused")) {
        json_array_foreach(json_object_get(answer, "in_the_way"), i, o)
            print_in_the_way(o);
        return 1;
    }
    json_object_foreach((json_t *)counts, key, n)
    {
        concerned += strcmp(key, "broken") == 0 ? 0 : json_integer_value(n);
    }
    if (concerned + broken == 0) {
        puts("no job would start earlier or later");
        if (lived)
            print_totals(answer);
        return status;
    }
    print_lists(answer);
    printf("\n%lld later, %lld earlier, %lld job%s in all; %lld promise%s broken\n",
        (long long)get_int(counts, "later", 0),
        (long long)get_int(counts, "earlier", 0), (long long)concerned,
        concerned == 1 ? "" : "s", (long long)broken, broken == 1 ? "" : "s");
    if (lived)
        print_totals(answer);
    return status;
}

#define WIPE "\r\033[K"

/* On a terminal, in a line that goes again. */
static void show_progress(void *ctx, json_t *progress)
{
    json_int_t at = get_int(progress, "at", 0);
    time_t when = (time_t)at;
    char text[40] = "";
    struct tm t;

    (void)ctx;
    if (!isatty(STDERR_FILENO))
        return;
    if (localtime_r(&when, &t))
        strftime(text, sizeof text, "%e %b %H:%M", &t);
    fprintf(stderr, WIPE "living on: %lld%%, at %s",
        (long long)get_int(progress, "percent", 0), text);
}

static json_t *ask_to_live(const struct query *q, json_t *body)
{
    json_object_update(body, told.ahead);
    json_t *answer = tell_slowly(&told.line, q, body, show_progress, NULL);
    if (isatty(STDERR_FILENO))
        fputs(WIPE, stderr);
    return answer;
}

static int ask_about(void)
{
    struct query *q = query_new("/v1/whatif");
    json_t *body = json_pack("{s:O}", "changes", told.changes);
    int status = 1;

    tell_instead(NULL);
    json_t *answer =
        told.ahead ? ask_to_live(q, body) : tell(&told.line, "POST", q, body);
    query_free(q);
    if (!answer)
        return 1;
    if (told.line.format == FORMAT_JSON)
        status = print_json(json_incref(answer)) | status_of(answer);
    else
        status = print_answer(answer);
    json_decref(answer);
    return status;
}

/* ---- the line ---- */

static int explain_use(const struct command_line *l)
{
    struct nearest near;

    if (!l->nargs)
        return command_wrong(l, "a command is needed");
    nearest_init(&near, l->args[0]);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        nearest_offer(&near, commands[i].name);
    const char *best = nearest_best(&near);
    return command_wrong(l, "'%s' is not a command that can be asked about%s%s%s",
        l->args[0], best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
}

/* Of an option in front of COMMAND; NULL: it is another word, "": it has none. */
static const char *take_value(const char *name, int argc, char **argv, int *io)
{
    const char *word = argv[*io];
    size_t n = strlen(name);

    if (strncmp(word, "--", 2) != 0 || strncmp(word + 2, name, n) != 0)
        return NULL;
    if (word[2 + n] == '=')
        return word + 3 + n;
    if (word[2 + n])
        return NULL;
    return *io + 1 < argc ? argv[++*io] : "";
}

static void live_with(const char *key, json_t *value)
{
    if (!told.ahead)
        told.ahead = json_pack("{s:s}", "method", "run");
    json_object_set_new(told.ahead, key, value);
}

/* The options of ours among the words in front of COMMAND, which go on behind it
 * without them: the others are for it. Their number, -1 after complaining. */
static int take_own(int argc, char **argv, char **others)
{
    const struct command_line l = {.spec = &spec};
    const char *value;
    int64_t horizon;
    struct err err;
    int n = 0;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--run") == 0) {
            live_with("method", json_string("run"));
        } else if ((value = take_value("horizon", argc, argv, &i)) != NULL) {
            if (duration_parse(value, &horizon, &err) < 0)
                return command_wrong(&l, "--horizon: %s", err.text), -1;
            live_with("horizon_s", json_integer(horizon));
        } else if ((value = take_value("runtime", argc, argv, &i)) != NULL) {
            live_with("runtime", json_string(value));
        } else {
            others[n++] = argv[i];
        }
    }
    return n;
}

static int run_asked(int (*run)(int argc, char **argv), int argc, char **argv)
{
    told.changes = json_array();
    tell_instead(take_told);
    int status = run(argc, argv);
    if (told.unknown)
        fprintf(stderr, "ERROR:    %s cannot be asked about\n", told.unknown);
    else if (json_array_size(told.changes)) /* `status` is 1: nothing was answered */
        status = ask_about() | command_complained() | request_complained();
    json_decref(told.changes);
    return status;
}

/* With the words in front of it, but for those that are ours, behind its name. */
static int run_behind(
    int (*run)(int argc, char **argv), int first, int argc, char **argv)
{
    char **words = xcalloc((size_t)argc + 1, sizeof *words);
    int n = take_own(first, argv, words + 1), status = 1;

    if (n >= 0) {
        words[0] = argv[first];
        memcpy(words + 1 + n, argv + first + 1,
            (size_t)(argc - first - 1) * sizeof *words);
        status = run_asked(run, n + argc - first, words);
    }
    json_decref(told.ahead);
    free(words);
    return status;
}

int whatif_main(int argc, char **argv)
{
    for (int first = 1; first < argc; first++)
        for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
            if (strcmp(argv[first], commands[i].name) == 0)
                return run_behind(commands[i].run, first, argc, argv);
    return command_run(&spec, argc, argv, explain_use);
}
