/* SPDX-License-Identifier: Apache-2.0
 * The lines of maui.cfg and their oddities (reference parameters.md 1.1). */
#include "config/grammar.h"
#include "kit.h"

/* The lines of a text as "line|name|index|value;", errors as "line|!;", includes as
 * "line|<file;". */
static const char *lines(const char *text)
{
    static char out[4096];
    struct grammar_line line;
    struct grammar g;

    out[0] = '\0';
    grammar_init(&g, text, strlen(text));
    while (grammar_next(&g, &line)) {
        size_t used = strlen(out);

        if (line.kind == GRAMMAR_ERROR)
            snprintf(out + used, sizeof out - used, "%u|!;", line.line);
        else if (line.kind == GRAMMAR_INCLUDE)
            snprintf(out + used, sizeof out - used, "%u|<%s;", line.line, line.value);
        else
            snprintf(out + used, sizeof out - used, "%u|%s|%s|%s;", line.line,
                line.name, line.index != NULL ? line.index : "-", line.value);
        grammar_line_fini(&line);
    }
    return out;
}

static void lines_that_make_no_sense_are_errors(void **state)
{
    (void)state;
    assert_string_equal(lines("A[1 x"), "1|!;");
    assert_string_equal(lines("=3"), "1|!;");
    assert_string_equal(lines("[1] x"), "1|!;");
    assert_string_equal(lines("A[1]x y"), "1|!;");
    assert_string_equal(lines("A[\nB 1"), "1|!;2|B|-|1;");
}

static void names_indexes_and_values_are_taken_apart(void **state)
{
    static const struct {
        const char *text, *lines;
    } rows[] = {{"", ""}, {"\n\n  \n", ""}, {"# only\n#\n", ""},
        {"LOGLEVEL 3\n", "1|LOGLEVEL|-|3;"}, {"LOGLEVEL=3", "1|LOGLEVEL|-|3;"},
        {"LOGLEVEL = 3", "1|LOGLEVEL|-|3;"}, {"LOGLEVEL =3", "1|LOGLEVEL|-|3;"},
        {"  LOGLEVEL\t3  ", "1|LOGLEVEL|-|3;"}, {"A[1] 2", "1|A|1|2;"},
        {"A[ x y ] 2", "1|A|x y|2;"}, {"A[]2\n", "1|!;"}, {"A[] 2\n", "1|A||2;"},
        {"A[1]=2", "1|A|1|2;"}, {"A", "1|A|-|;"}, {"A =", "1|A|-|;"},
        {"A x=1 y=2", "1|A|-|x=1 y=2;"}, {"A==b", "1|A|-|=b;"},
        {"A [b:1]", "1|A|-|[b:1];"}, {"A 1 # no\nB 2#no", "1|A|-|1;2|B|-|2;"},
        {"A '#x'", "1|A|-|';"}, {"A 1\r\nB 2\r\n", "1|A|-|1;2|B|-|2;"},
        {"A\x01\x02"
         "1\x7f",
            "1|A|-|1;"},
        {"\xef\xbb\xbf"
         "A 1",
            "1|A|-|1;"},
        {"A \xc3\xa4\xff", "1|A|-|\xc3\xa4\xff;"}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(lines(rows[i].text), rows[i].lines);
}

static void a_backslash_at_the_end_joins_the_next_line(void **state)
{
    (void)state;
    assert_string_equal(lines("A x \\\n y\nB 1"), "1|A|-|x \n y;3|B|-|1;");
    assert_string_equal(lines("A x \\  \t\n y"), "1|A|-|x \n y;");
    assert_string_equal(lines("\\\nA 1"), "1|A|-|1;");
    assert_string_equal(lines("A 1 \\"), "1|A|-|1;");
    assert_string_equal(lines("A n\\d b"), "1|A|-|n\\d b;");
    assert_string_equal(lines("A 1 # x \\\nB 2"), "1|A|-|1;2|B|-|2;");
    assert_string_equal(lines("A \\\n# gone\nB 2"), "1|A|-|;3|B|-|2;");
}

static void an_include_is_given_out_behind_its_line(void **state)
{
    (void)state;
    assert_string_equal(lines("#INCLUDE site.cfg\nA 1"), "1|<site.cfg;2|A|-|1;");
    assert_string_equal(lines("#INCLUDE <site.cfg>"), "1|<site.cfg;");
    assert_string_equal(lines("#INCLUDE \"a b.cfg\" "), "1|<a b.cfg;");
    assert_string_equal(lines("A 1 #INCLUDE x"), "1|A|-|1;1|<x;");
    assert_string_equal(lines(" \\\n \\\n #INCLUDE x\nA 1"), "3|<x;4|A|-|1;");
    assert_string_equal(lines("# INCLUDE x\n#include x\n#INCLUDEx\n#INCLUDE\n"), "");
}

static const char *pairs(const char *text)
{
    static char out[4096];
    struct grammar_pair pair;
    struct grammar_pairs g;

    out[0] = '\0';
    grammar_pairs_init(&g, text);
    while (grammar_pairs_next(&g, &pair)) {
        size_t used = strlen(out);

        snprintf(out + used, sizeof out - used, "%u|%s|%s|%s%s;", pair.line, pair.name,
            pair.bracket != NULL ? pair.bracket : "-",
            pair.value != NULL ? pair.value : "-", pair.unclosed ? "!" : "");
        grammar_pair_fini(&pair);
    }
    return out;
}

static void pairs_are_taken_apart(void **state)
{
    static const struct {
        const char *text, *pairs;
    } rows[] = {{"", ""}, {"  \n ", ""}, {"A=1", "0|A|-|1;"},
        {"A=1 B=2", "0|A|-|1;0|B|-|2;"}, {"A=1\n B=2", "0|A|-|1;1|B|-|2;"},
        {"A = 3 B=2", "0|A|-|3;0|B|-|2;"}, {"A =3", "0|A|-|3;"},
        {"A[x] = 'b c'", "0|A|x|b c;"}, {"A =", "0|A|-|;"},
        {"A \n=3", "0|A|-|-;1||-|3;"}, {"A=", "0|A|-|;"}, {"A= B=2", "0|A|-|;0|B|-|2;"},
        {"A", "0|A|-|-;"}, {"A 1 B=2", "0|A|-|-;0|1|-|-;0|B|-|2;"},
        {"A[x]=1", "0|A|x|1;"}, {"A[USER: y ]=1", "0|A|USER: y|1;"},
        {"A[x", "0|A|x|-;"}, {"A='b c' D=e", "0|A|-|b c;0|D|-|e;"},
        {"A=\"b 'c\"", "0|A|-|b 'c;"}, {"A='b c", "0|A|-|b c!;"},
        {"A='b\nc' D=e", "0|A|-|b c;1|D|-|e;"}, {"A=b=c", "0|A|-|b=c;"},
        {"A=''", "0|A|-|;"}, {"=b", "0||-|b;"}, {"]", "0|]|-|-;"}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(pairs(rows[i].text), rows[i].pairs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_that_make_no_sense_are_errors),
        cmocka_unit_test(names_indexes_and_values_are_taken_apart),
        cmocka_unit_test(a_backslash_at_the_end_joins_the_next_line),
        cmocka_unit_test(an_include_is_given_out_behind_its_line),
        cmocka_unit_test(pairs_are_taken_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
