/* SPDX-License-Identifier: Apache-2.0
 * A large configuration, damaged at random: nothing crashes, every finding has a line,
 * and what was not touched stays in force. */
#include "config/settings.h"
#include "config/table.h"
#include "kit.h"

#include <stdlib.h>
#include <strings.h>

#define ROUNDS   1500
#define TEXT_MAX 400000

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

/* Every parameter with its default, and sections with most attributes. */
static size_t write_large(char *text)
{
    const struct cfg_group *g;
    size_t len = 0;

    for (size_t i = 0; (g = table_group(i)) != NULL; i++)
        for (size_t r = 0; r < g->n; r++)
            if (g->rows[r].type != CFG_SECTION)
                len += (size_t)snprintf(text + len, TEXT_MAX - len, "%s %s # %s\n",
                    g->rows[r].name, g->rows[r].def != NULL ? g->rows[r].def : "1",
                    g->title);
    for (int o = 0; o < OBJECTS; o++) {
        len += (size_t)snprintf(text + len, TEXT_MAX - len, "%s[obj%d] \\\n",
            cfg_object_name((enum cfg_object)o), o);
        for (size_t i = 0; (g = attrs_group(i)) != NULL; i++)
            for (size_t r = 0; r < g->n; r++)
                if ((g->rows[r].objects >> o & 1) != 0)
                    len +=
                        (size_t)snprintf(text + len, TEXT_MAX - len, "  %s%s=%s \\\n",
                            g->rows[r].name, g->rows[r].brackets ? "[CLASS:c]" : "",
                            g->rows[r].def != NULL ? g->rows[r].def : "'1'");
        len += (size_t)snprintf(text + len, TEXT_MAX - len, "\n");
    }
    assert_true(len < TEXT_MAX);
    return len;
}

static size_t damage(char *text, size_t len, uint64_t *seed)
{
    static const char odd[] = "#[]=\\\n\r\t\"'&^%,:;|-+*(){}\x80\xff 09AZaz";
    size_t at = next_random(seed) % len, n = next_random(seed) % 40;

    n = n > len - at ? len - at : n;
    switch (next_random(seed) % 5) {
    case 0: /* another byte */
        text[at] = odd[next_random(seed) % (sizeof odd - 1)];
        return len;
    case 1: /* a gap */
        memmove(text + at, text + at + n, len - at - n);
        return len - n > 0 ? len - n : 1;
    case 2: /* noise */
        for (size_t i = 0; i < n; i++)
            text[at + i] = (char)(1 + next_random(seed) % 255);
        return len;
    case 3: /* something from elsewhere */
        memmove(text + at, text + next_random(seed) % (len - n + 1), n);
        return len;
    default: /* cut off */
        return next_random(seed) % 20 == 0 ? at + 1 : len;
    }
}

static void check_findings(const struct config *c, size_t lines)
{
    for (size_t i = 0; i < c->findings.n; i++) {
        const struct finding *f = &c->findings.v[i];

        assert_string_equal(f->file, "large.cfg");
        assert_in_range(f->line, 1, lines);
        assert_true(f->text[0] != '\0');
        for (const char *p = f->text; *p != '\0'; p++)
            assert_true((unsigned char)*p >= ' ');
    }
}

static size_t count_lines(const char *text, size_t len)
{
    size_t n = 1;

    for (size_t i = 0; i < len; i++)
        n += text[i] == '\n';
    return n;
}

static void a_damaged_configuration_is_told_and_never_crashes(void **state)
{
    char *whole = malloc(TEXT_MAX), *text = malloc(TEXT_MAX);
    size_t whole_len, told_something = 0;
    uint64_t seed = 4711;

    (void)state;
    assert_non_null(whole);
    assert_non_null(text);
    whole_len = write_large(whole);
    print_message("# seed %llu\n", (unsigned long long)seed);
    for (int round = 0; round < ROUNDS; round++) {
        size_t len = whole_len, times = 1 + next_random(&seed) % 8;
        struct config *c;

        memcpy(text, whole, len);
        for (size_t i = 0; i < times; i++)
            len = damage(text, len, &seed);
        c = config_load_text("large.cfg", text, len);
        check_findings(c, count_lines(text, len));
        told_something += config_count(c, FINDING_ERROR) > 0;
        assert_in_range(c->settings->fs.depth, 1, FS_DEPTH_MAX);
        assert_in_range(
            c->settings->par.v[0].bf_policy, BACKFILL_FIRSTFIT, BACKFILL_NONE);
        if (round % 50 == 0)
            free(config_explain(c));
        config_destroy(c);
    }
    assert_true(told_something > ROUNDS / 10);
    free(whole);
    free(text);
}

/* ---- single values ---- */

/* Change, drop or add up to three bytes; none that ends the value or quotes it. */
static void damage_value(char *text, uint64_t *seed)
{
    static const char odd[] = "xX%@:;,+-.=[]()^&*/09 \x80\xff";

    for (uint32_t n = 1 + next_random(seed) % 3; n > 0; n--) {
        size_t len = strlen(text), at = next_random(seed) % (len + 1);
        char byte = odd[next_random(seed) % (sizeof odd - 1)];

        if (at < len && next_random(seed) % 3 == 0) {
            text[at] = byte;
        } else if (at < len && next_random(seed) % 2 == 0) {
            memmove(text + at, text + at + 1, len - at);
        } else {
            memmove(text + at + 1, text + at, len - at + 1);
            text[at] = byte;
        }
    }
}

/* Is it a whole number and nothing else? */
static bool is_integer(const char *text)
{
    char *end;

    strtoll(text, &end, 10);
    return end > text && *end == '\0' && *text != ' ';
}

static bool is_number(const char *text)
{
    char *end;
    double value = strtod(text, &end);

    return end > text && *end == '\0' && value - value == 0
           && strpbrk(text, "xX") == NULL;
}

static bool is_keyword(const struct cfg_row *row, const char *text)
{
    size_t len = row->head_only ? strcspn(text, ":") : strlen(text);

    for (const struct cfg_keyword *k = row->keywords; k->name != NULL; k++)
        if (strlen(k->name) == len && strncasecmp(k->name, text, len) == 0)
            return true;
    return false;
}

/* Could anybody take the text for a value of that type? */
static bool plausible(const struct cfg_row *row, const char *text)
{
    switch ((int)row->type) {
    case CFG_INT:
        return is_integer(text);
    case CFG_NUMBER:
        return is_number(text);
    case CFG_KEYWORD:
        return is_keyword(row, text);
    case CFG_TIME:
        return text[strspn(text, "0123456789:+-.")] == '\0'
               || strcasecmp(text, "INFINITY") == 0;
    default:
        return true;
    }
}

static const char *trimmed(char *text)
{
    size_t len;

    text += strspn(text, " =");
    len = strlen(text);
    while (len > 0 && text[len - 1] == ' ')
        text[--len] = '\0';
    return text;
}

/* The value is in force as it is written, or a finding at its line says why not. */
static bool check_value(const struct cfg_row *row, char *value)
{
    char text[1000];
    int len = snprintf(text, sizeof text, "# a\n\n%s %s\n", row->name, value);
    struct config *c = config_load_text("one.cfg", text, (size_t)len);
    const char *taken = cfg_get(c, row->name, NULL), *written = trimmed(value);
    size_t told = 0;

    for (size_t i = 0; i < c->findings.n; i++) {
        assert_string_equal(c->findings.v[i].file, "one.cfg");
        assert_int_equal(c->findings.v[i].line, 3);
        told += c->findings.v[i].level > FINDING_NOTE;
    }
    if (told == 0 && (taken == NULL || strcmp(taken, written) != 0))
        fail_msg("%s '%s': silently %s", row->name, written, taken);
    if (told == 0 && !plausible(row, written))
        fail_msg("%s '%s' was taken", row->name, written);
    config_destroy(c);
    return told > 0;
}

/* Parameters that are kept under their own name. */
static bool is_plain(const struct cfg_row *row)
{
    return row->type != CFG_SECTION && row->home != HOME_ATTR && !row->secret
           && row->status != STATUS_INERT;
}

static void a_damaged_value_is_taken_as_written_or_told(void **state)
{
    const struct cfg_group *g;
    uint64_t seed = 815;
    size_t checked = 0, told = 0;

    (void)state;
    print_message("# seed %llu\n", (unsigned long long)seed);
    for (size_t i = 0; (g = table_group(i)) != NULL; i++) {
        for (size_t r = 0; r < g->n; r++) {
            const char *def = g->rows[r].def != NULL ? g->rows[r].def : "1";

            for (int round = 0; round < 5 && is_plain(&g->rows[r]); round++) {
                char value[200];

                snprintf(value, sizeof value, "%s", def);
                damage_value(value, &seed);
                told += check_value(&g->rows[r], value);
                checked++;
            }
        }
    }
    assert_true(checked >= 1000);
    assert_true(told > checked / 3);
}

/* ---- single lines of a whole file ---- */

#define LINES_MAX 2000

/* Lines that nobody can take as they are; the number for @ makes each an object of its
 * own. */
static const char *const bad_lines[] = {"USERCFG[u@ MAXJOB=3", "USERCFG[u@] MAXJOB=x3",
    "USERCFG[u@] NOSUCH=1", "USERCFG MAXJOB=@", "GROUPCFG[g@] MAXPROC=3-",
    "CLASSCFG[c@] MAX.WCLIMIT=1:xx", "CLASSCFG[c@]", "QOSCFG[q@] QFLAGS=NOSUCHFLAG",
    "QOSCFG[q@] PRIORITY=1e", "NODECFG[n@] MAXPROC=..1", "NODECFG[n@] SPEED=fast",
    "SRCFG[s@] STARTTIME=99:99x", "SRCFG[s@] TASKCOUNT=-1x", "SRCFG[s@] DAYS=SUNNY",
    "NOSUCHPARAMETER@ 1", "FSDEPTH x@", "FSDECAY @.5.5", "BACKFILLPOLICY FIRST@",
    "RMPOLLINTERVAL 00:@:xx", "ENABLEMULTIREQJOBS M@", "RESERVATIONDEPTH[99@] 2", "=@",
    "ACCOUNTCFG[a@] FSTARGET=25?"};

/* Warnings and errors of each line. */
static void count_by_line(const struct config *c, uint32_t *counts)
{
    memset(counts, 0, LINES_MAX * sizeof *counts);
    for (size_t i = 0; i < c->findings.n; i++) {
        assert_in_range(c->findings.v[i].line, 1, LINES_MAX - 1);
        counts[c->findings.v[i].line] += c->findings.v[i].level > FINDING_NOTE;
    }
}

/* Where line `number`, from 1, begins. */
static size_t line_at(const char *text, size_t number)
{
    const char *p = text;

    while (--number > 0)
        p = strchr(p, '\n') + 1;
    return (size_t)(p - text);
}

/* Put a bad line before line `at`: it is told there, and no other line changes. */
static void check_bad_line(
    const char *whole, const uint32_t *before, size_t at, const char *line)
{
    size_t len = strlen(whole), begin = line_at(whole, at), more = strlen(line) + 1;
    char *text = malloc(len + more + 1);
    uint32_t after[LINES_MAX];

    assert_non_null(text);
    snprintf(
        text, len + more + 1, "%.*s%s\n%s", (int)begin, whole, line, whole + begin);
    struct config *c = config_load_text("large.cfg", text, len + more);
    count_by_line(c, after);
    if (after[at] == 0)
        fail_msg("line %zu, '%s': silently taken", at, line);
    for (size_t i = 1; i < LINES_MAX - 1; i++)
        if (after[i + (i >= at)] != before[i])
            fail_msg("'%s' at line %zu changed what is told of line %zu", line, at, i);
    config_destroy(c);
    free(text);
}

static void fill_in(char *to, size_t size, const char *line, uint32_t number)
{
    size_t len = strcspn(line, "@");

    snprintf(to, size, "%.*s%u%s", (int)len, line, number,
        line[len] == '@' ? line + len + 1 : "");
    if (line[len] != '@')
        to[len] = '\0';
}

static void a_line_that_cannot_be_taken_is_told_at_its_place(void **state)
{
    char *whole = calloc(1, TEXT_MAX), line[200];
    uint32_t before[LINES_MAX];
    uint64_t seed = 2026;

    (void)state;
    assert_non_null(whole);
    size_t params = 0, len = write_large(whole);
    for (const char *p = whole; strncmp(p, "USERCFG", 7) != 0; p = strchr(p, '\n') + 1)
        params++; /* before the sections, whose lines are joined */
    struct config *c = config_load_text("large.cfg", whole, len);
    count_by_line(c, before);
    config_destroy(c);
    print_message("# seed %llu\n", (unsigned long long)seed);
    for (uint32_t round = 0; round < 1000; round++) {
        const char *bad = bad_lines[round % (sizeof bad_lines / sizeof *bad_lines)];

        fill_in(line, sizeof line, bad, round);
        check_bad_line(whole, before, 1 + next_random(&seed) % params, line);
    }
    free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_configuration_is_told_and_never_crashes),
        cmocka_unit_test(a_damaged_value_is_taken_as_written_or_told),
        cmocka_unit_test(a_line_that_cannot_be_taken_is_told_at_its_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
