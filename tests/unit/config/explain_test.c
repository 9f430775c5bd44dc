/* SPDX-License-Identifier: Apache-2.0
 * Explaining what is in force; the reference page. */
#include "config/table.h"
#include "kit.h"

#include <stdlib.h>

/* The line that begins with `name` and a blank; empty when there is none. */
static const char *line_of(const char *text, const char *name)
{
    static char out[400];
    size_t len = strlen(name);

    out[0] = '\0';
    for (const char *p = text; p != NULL && *p != '\0';) {
        if (strncmp(p, name, len) == 0 && p[len] == ' ')
            snprintf(out, sizeof out, "%.*s", (int)strcspn(p, "\n"), p);
        p = strchr(p, '\n');
        p += p != NULL;
    }
    return out;
}

static void each_setting_is_told_with_default_and_origin(void **state)
{
    struct config *c =
        load("FSDEPTH 4\nFSINTERVAL x\nSERVERNAME login\nUSERCFG[ann] \\\n"
             "  MAXJOB=3\nBACKFILLPOLICY[math] NONE\n");
    char *text = config_explain(c);

    (void)state;
    assert_non_null(strstr(line_of(text, "FSDEPTH"), "maui.cfg:1"));
    assert_non_null(strstr(line_of(text, "FSDEPTH"), " 4 "));
    assert_non_null(strstr(line_of(text, "FSDEPTH"), " 8 "));
    assert_non_null(strstr(line_of(text, "FSINTERVAL"), "12:00:00"));
    assert_non_null(strstr(line_of(text, "FSINTERVAL"), "default"));
    assert_non_null(strstr(line_of(text, "SERVERNAME"), "not yet in force"));
    assert_non_null(strstr(line_of(text, "USERCFG[ann].MAXJOB"), "maui.cfg:5"));
    assert_non_null(strstr(line_of(text, "BACKFILLPOLICY[math]"), "maui.cfg:6"));
    assert_non_null(strstr(line_of(text, "BACKFILLPOLICY"), "default"));
    assert_string_equal(line_of(text, "LOCKFILE"), "");
    free(text);
    config_destroy(c);
}

static void each_setting_in_force_is_explained(void **state)
{
    struct config *c = load("");
    char *text = config_explain(c);
    const struct cfg_group *g;

    (void)state;
    for (size_t i = 0; (g = table_group(i)) != NULL; i++)
        for (size_t r = 0; r < g->n; r++)
            if (g->rows[r].status == STATUS_IN_FORCE && g->rows[r].type != CFG_SECTION
                && g->rows[r].home != HOME_CRED
                && *line_of(text, g->rows[r].name) == '\0')
                fail_msg("%s is not explained", g->rows[r].name);
    free(text);
    config_destroy(c);
}

static void the_reference_names_every_row(void **state)
{
    char *text = config_reference(), name[100];
    const struct cfg_group *g;

    (void)state;
    for (int half = 0; half < 2; half++) {
        for (size_t i = 0; (g = half == 0 ? table_group(i) : attrs_group(i)) != NULL;
             i++) {
            for (size_t r = 0; r < g->n; r++) {
                snprintf(name, sizeof name, "| `%s", g->rows[r].name);
                if (strstr(text, name) == NULL)
                    fail_msg("%s is not in the reference", g->rows[r].name);
            }
        }
    }
    free(text);
}

/* "NAME was is;" each, "-" for what is not set. */
static void add_told(void *ctx, const char *name, const char *was, const char *is)
{
    char *text = ctx;
    size_t len = strlen(text);

    snprintf(text + len, 400 - len, "%s %s %s;", name, was ? was : "-", is ? is : "-");
}

static void what_differs_is_told_with_both_values(void **state)
{
    struct config *was = load("FSDEPTH 4\nRESERVATIONDEPTH 1\nSERVERNAME a\n"
                              "USERCFG[ann] MAXJOB=3\nQUEUETIMEWEIGHT 7\n");
    struct config *is = load("FSDEPTH 5\nSERVERNAME a\nUSERCFG[bob] MAXJOB=2\n");
    char text[400] = "";

    (void)state;
    config_differences(was, is, add_told, text);
    /* RESERVATIONDEPTH is at its default still */
    assert_string_equal(text, "FSDEPTH 4 5;USERCFG[bob].MAXJOB - 2;"
                              "QUEUETIMEWEIGHT 7 1;USERCFG[ann].MAXJOB 3 -;");
    text[0] = '\0';
    config_differences(is, is, add_told, text);
    assert_string_equal(text, "");
    config_destroy(was);
    config_destroy(is);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_setting_is_told_with_default_and_origin),
        cmocka_unit_test(each_setting_in_force_is_explained),
        cmocka_unit_test(the_reference_names_every_row),
        cmocka_unit_test(what_differs_is_told_with_both_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
