/* SPDX-License-Identifier: Apache-2.0
 * Scenario files: lines to commands and their arguments. Names are looked up in
 * scenario_bind.c. */
#include "sim/scenario.h"

#include "base/duration.h"
#include "base/hostexpr.h"
#include "base/nearest.h"
#include "config/table.h"
#include "config/value.h"
#include "funds/amount.h"
#include "policy/holds.h"

#include <string.h>
#include <strings.h>

#define TIME_MOST              INT64_C(100000000000) /* the year 5138 */
#define PRIORITY_MOST          1000
#define PRIORITY_RELATIVE_MOST INT64_C(1000000000)

/* A line on its way to an event. */
struct reading {
    const struct scenario_clock *clock;
    const char *rest; /* of the line, behind the command */
    struct scenario_event *ev;
    const char *const *words; /* behind the command */
    size_t n;
};

/* ---- records --------------------------------------------------------------------- */

static void event_fini(struct scenario_event *e)
{
    free(e->text);
    if (e->command == SCENARIO_SETRES)
        setres_fini(&e->setres);
    text_list_fini(&e->words);
    free(e->qos);
    vec_fini(&e->jobs);
    vec_fini(&e->nodes);
}

void scenario_fini(struct scenario *s)
{
    for (size_t i = 0; i < s->events.n; i++)
        event_fini(&s->events.v[i]);
    vec_fini(&s->events);
    text_list_fini(&s->files);
}

/* ---- words ----------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_blanks(const char *p)
{
    while (is_blank(*p))
        p++;
    return p;
}

/* The next word, without its quotes, owned; *p behind it. NULL at the end or a comment;
 * -1 in *ret_status when a quote is not closed. */
static char *next_word(const char **p, int *ret_status, struct err *err)
{
    const char *from = skip_blanks(*p);
    char *word, *to, quote = '\0';

    if (*from == '\0' || *from == '#')
        return NULL;
    word = to = xmalloc(strlen(from) + 1);
    for (; *from != '\0' && (quote != '\0' || !is_blank(*from)); from++) {
        if (quote == '\0' && (*from == '\'' || *from == '"'))
            quote = *from;
        else if (*from == quote)
            quote = '\0';
        else
            *to++ = *from;
    }
    *to = '\0';
    *p = from;
    if (quote == '\0')
        return word;
    free(word);
    *ret_status = err_set(err, ERR_INVALID, "a %c is opened and not closed", quote);
    return NULL;
}

/* *text is behind the last word then. */
static int split(const char **text, struct text_list *ret, struct err *err)
{
    int status = 0;
    char *word;

    while ((word = next_word(text, &status, err)) != NULL)
        vec_push(ret, word);
    return status;
}

/* The words of the line from the i-th on become the event's. */
static int keep_words(
    const struct reading *r, size_t from, const char *what, struct err *err)
{
    if (from >= r->n)
        return err_set(err, ERR_INVALID, "%s is missing", what);
    for (size_t i = from; i < r->n; i++)
        text_list_add(&r->ev->words, r->words[i]);
    return 0;
}

/* ---- commands -------------------------------------------------------------------- */

static int day_to_instant(void *ctx, const struct civil *when, int64_t *ret_at)
{
    struct zone utc = zone_utc();
    int64_t day = zone_day_number(when->year, when->month, when->day);
    int64_t next =
        zone_day_number(when->year + when->month / 12, when->month % 12 + 1, 1);

    (void)ctx;
    if (day >= next)
        return -1;
    *ret_at = utc.at(utc.ctx, day,
        when->hour * INT64_C(3600) + when->minute * INT64_C(60) + when->second);
    return 0;
}

/* The date of a day, by counting up: years, then months. */
static struct civil civil_of(int64_t day)
{
    struct civil c = {.year = (int)(1970 + day / 366), .month = 1, .day = 1};

    while (zone_day_number(c.year + 1, 1, 1) <= day)
        c.year++;
    while (c.month < 12 && zone_day_number(c.year, c.month + 1, 1) <= day)
        c.month++;
    c.day = (int)(day - zone_day_number(c.year, c.month, 1)) + 1;
    return c;
}

static int read_setres(struct reading *r, struct err *err)
{
    struct zone utc = zone_utc();
    int64_t now = r->ev->at + r->clock->shift;
    struct calendar cal = {.now = now,
        .today = civil_of(utc.day_of(utc.ctx, now)),
        .to_instant = day_to_instant};
    struct setres_clock clock = {.cal = &cal, .plain_offset = r->clock->shift};

    return setres_parse(r->words, r->n, &clock, &r->ev->setres, err);
}

static int read_releaseres(struct reading *r, struct err *err)
{
    return keep_words(r, 0, "the name of a reservation", err);
}

static int read_holds(struct reading *r, struct err *err)
{
    static const struct {
        const char *word;
        unsigned holds;
    } kinds[] = {
        {"-a", HOLDS_ALL}, {"-b", HOLD_BATCH}, {"-s", HOLD_SYSTEM}, {"-u", HOLD_USER}};
    size_t at = 0;

    r->ev->holds = HOLDS_ALL;
    if (r->n > 0 && r->words[0][0] == '-') {
        r->ev->holds = 0;
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            if (strcmp(r->words[0], kinds[i].word) == 0)
                r->ev->holds = kinds[i].holds;
        if (r->ev->holds == 0)
            return err_set(err, ERR_INVALID,
                "'%.40s' is not a type of hold; expected -a, -b, -s or -u",
                r->words[0]);
        at = 1;
    }
    return keep_words(r, at, "a job", err);
}

static int read_setspri(struct reading *r, struct err *err)
{
    size_t at = 0;
    int64_t most = PRIORITY_MOST, least = 0;

    if (r->n > 0 && strcmp(r->words[0], "-r") == 0) {
        r->ev->relative = true;
        most = PRIORITY_RELATIVE_MOST;
        least = -most;
        at = 1;
    }
    if (at >= r->n)
        return err_set(err, ERR_INVALID, "a priority and a job are missing");
    if (value_int(r->words[at], least, most, &r->ev->priority, err) < 0)
        return -1;
    return keep_words(r, at + 1, "a job", err);
}

static int read_setqos(struct reading *r, struct err *err)
{
    if (r->n == 0)
        return err_set(err, ERR_INVALID, "a QOS and a job are missing");
    r->ev->qos = xstrdup(r->words[0]);
    return keep_words(r, 1, "a job", err);
}

static int read_canceljob(struct reading *r, struct err *err)
{
    return keep_words(r, 0, "a job", err);
}

static int read_node(struct reading *r, struct err *err)
{
    static const struct {
        const char *word;
        enum node_state state;
    } states[] = {{"up", NODE_IDLE}, {"idle", NODE_IDLE}, {"down", NODE_DOWN},
        {"drain", NODE_DRAINING}, {"draining", NODE_DRAINING},
        {"drained", NODE_DRAINED}, {"flush", NODE_FLUSH}, {"unknown", NODE_UNKNOWN}};
    struct nearest near;

    if (r->n != 2)
        return err_set(err, ERR_INVALID,
            "expected: node HOSTS STATE, STATE one of up, down, drain, drained, flush, "
            "unknown");
    nearest_init(&near, r->words[1]);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        if (strcasecmp(r->words[1], states[i].word) == 0) {
            r->ev->state = states[i].state;
            text_list_add(&r->ev->words, r->words[0]);
            return hostexpr_check(r->words[0], err);
        }
        nearest_offer(&near, states[i].word);
    }
    return err_set(err, ERR_INVALID,
        "'%.40s' is not a state of a node; did you mean %s?", r->words[1],
        nearest_best(&near) != NULL ? nearest_best(&near) : "up or down");
}

/* The line as maui.cfg would have it; the text keeps its quotes. */
static int read_changeparam(struct reading *r, struct err *err)
{
    const char *line = skip_blanks(r->rest);
    size_t len = strcspn(line, " \t[=");
    struct table_index *table;
    char *name;
    const char *near;
    int status = 0;

    if (r->n == 0 || (r->n == 1 && strchr(line, '=') == NULL))
        return err_set(err, ERR_INVALID, "expected: changeparam PARAMETER VALUE");
    table = table_index_create();
    name = xstrndup(line, len);
    if (table_find(table, name) == NULL) {
        near = table_nearest(table, name);
        status = err_set(err, ERR_NOT_FOUND, "unknown parameter '%.60s'%s%s%s", name,
            near != NULL ? "; did you mean " : "", near != NULL ? near : "",
            near != NULL ? "?" : "");
    }
    text_list_add(&r->ev->words, line);
    free(name);
    table_index_destroy(table);
    return status;
}

static int read_account(struct reading *r, struct err *err)
{
    if (r->n < 1 || r->n > 3 || (r->n == 3 && strcasecmp(r->words[2], "overflow") != 0))
        return err_set(err, ERR_INVALID, "expected: account NAME [PARENT [overflow]]");
    return keep_words(r, 0, "a name", err);
}

static int read_deposit(struct reading *r, struct err *err)
{
    r->ev->for_s = DURATION_UNLIMITED;
    if (r->n < 2 || r->n > 3)
        return err_set(err, ERR_INVALID, "expected: deposit ACCOUNT AMOUNT [FOR]");
    if (amount_parse(r->words[1], &r->ev->amount) < 0 || r->ev->amount < 1)
        return err_set(err, ERR_INVALID,
            "'%.40s' is not an amount; expected credits as in 57600, 129945.6 or 16h",
            r->words[1]);
    if (r->n == 3 && duration_parse(r->words[2], &r->ev->for_s, err) < 0)
        return -1;
    text_list_add(&r->ev->words, r->words[0]);
    return 0;
}

static int read_config(struct reading *r, struct err *err)
{
    if (r->n != 1)
        return err_set(err, ERR_INVALID, "expected: config FILE");
    return keep_words(r, 0, "a file", err);
}

static const struct command_row {
    const char *name;
    int (*read)(struct reading *r, struct err *err);
} commands[SCENARIO_COMMANDS] = {
    [SCENARIO_SETRES] = {"setres", read_setres},
    [SCENARIO_RELEASERES] = {"releaseres", read_releaseres},
    [SCENARIO_SETHOLD] = {"sethold", read_holds},
    [SCENARIO_RELEASEHOLD] = {"releasehold", read_holds},
    [SCENARIO_SETSPRI] = {"setspri", read_setspri},
    [SCENARIO_SETQOS] = {"setqos", read_setqos},
    [SCENARIO_CANCELJOB] = {"canceljob", read_canceljob},
    [SCENARIO_NODE] = {"node", read_node},
    [SCENARIO_ACCOUNT] = {"account", read_account},
    [SCENARIO_DEPOSIT] = {"deposit", read_deposit},
    [SCENARIO_CHANGEPARAM] = {"changeparam", read_changeparam},
    [SCENARIO_CONFIG] = {"config", read_config},
};

const char *scenario_command_name(enum scenario_command c)
{
    return commands[c].name;
}

static int find_command(const char *word, enum scenario_command *ret, struct err *err)
{
    struct nearest near;

    nearest_init(&near, word);
    for (int i = 0; i < SCENARIO_COMMANDS; i++) {
        if (strcasecmp(word, commands[i].name) == 0) {
            *ret = (enum scenario_command)i;
            return 0;
        }
        nearest_offer(&near, commands[i].name);
    }
    if (nearest_best(&near) != NULL)
        return err_set(err, ERR_NOT_FOUND, "unknown command '%.40s'; did you mean %s?",
            word, nearest_best(&near));
    return err_set(err, ERR_NOT_FOUND,
        "unknown command '%.40s'; expected setres, releaseres, sethold, releasehold, "
        "setspri, setqos, canceljob, node, account, deposit, changeparam or config",
        word);
}

/* ---- lines ----------------------------------------------------------------------- */

static int read_time(const char *word, const struct scenario_clock *clock,
    int64_t *ret_at, struct err *err)
{
    if (*word == '+') {
        if (duration_parse(word + 1, ret_at, err) < 0)
            return -1;
        if (*ret_at > TIME_MOST)
            return err_set(err, ERR_INVALID, "'%.40s' is too far away", word);
        *ret_at += clock->begin_at;
        return 0;
    }
    if (strspn(word, "0123456789") != strlen(word))
        return err_set(err, ERR_INVALID,
            "'%.40s' is not a time; seconds on the clock of the trace or "
            "+[[[DD:]HH:]MM:]SS from its begin is expected",
            word);
    return value_int(word, 0, TIME_MOST, ret_at, err);
}

/* 1 = an event, 0 = nothing on the line. */
static int read_line(const char *text, const struct scenario_clock *clock,
    struct scenario_event *ev, struct err *err)
{
    struct reading r = {.clock = clock, .ev = ev};
    struct text_list words = {0};
    const char *p = text, *begin;
    int status = 0;
    char *word = next_word(&p, &status, err);

    if (word == NULL)
        return status;
    status = read_time(word, clock, &ev->at, err);
    free(word);
    if (status < 0)
        return -1;
    begin = skip_blanks(p);
    word = next_word(&p, &status, err);
    if (word == NULL)
        return status < 0 ? -1 : err_set(err, ERR_INVALID, "a command is missing");
    status = find_command(word, &ev->command, err);
    free(word);
    r.rest = p;
    if (status == 0)
        status = split(&p, &words, err);
    if (status == 0) {
        ev->text = xstrndup(begin, (size_t)(p - begin));
        r.words = (const char *const *)words.v;
        r.n = words.n;
        status = commands[ev->command].read(&r, err);
        if (status < 0)
            err_prefix(err, "%s: ", commands[ev->command].name);
    }
    text_list_fini(&words);
    return status < 0 ? -1 : 1;
}

static int by_time(const void *pa, const void *pb)
{
    const struct scenario_event *a = pa, *b = pb;

    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

int scenario_read(struct lines *in, const struct scenario_clock *clock,
    struct scenario *s, struct diag *d, struct err *err)
{
    uint32_t file = (uint32_t)s->files.n;
    struct err what;
    size_t len;
    char *text;
    int rc;

    text_list_add(&s->files, lines_name(in));
    while ((rc = lines_next(in, &text, &len, err)) > 0) {
        struct scenario_event ev = {.command = SCENARIO_COMMANDS,
            .file = file,
            .line = (uint32_t)lines_number(in)};
        int found = memchr(text, '\0', len) != NULL
                        ? err_set(&what, ERR_INVALID, "a NUL byte is not text")
                        : read_line(text, clock, &ev, &what);

        if (found > 0) {
            vec_push(&s->events, ev);
            continue;
        }
        event_fini(&ev);
        if (found < 0)
            diag_bad(d, lines_name(in), lines_number(in), "%s", what.text);
    }
    if (s->events.n > 0)
        qsort(s->events.v, s->events.n, sizeof *s->events.v, by_time);
    return rc < 0 ? -1 : 0;
}
