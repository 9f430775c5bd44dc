/* SPDX-License-Identifier: Apache-2.0
 * The table itself: every row is whole, every name leads to its row, every default is
 * one its own row takes. */
#include "config/set.h"
#include "config/table.h"
#include "kit.h"

#include <strings.h>

/* Every row of both halves of the table, with its group. */
static void for_each_row(void (*check)(const struct cfg_row *row, bool is_attr))
{
    const struct cfg_group *g;

    for (size_t i = 0; (g = table_group(i)) != NULL; i++)
        for (size_t r = 0; r < g->n; r++)
            check(&g->rows[r], false);
    for (size_t i = 0; (g = attrs_group(i)) != NULL; i++)
        for (size_t r = 0; r < g->n; r++)
            check(&g->rows[r], true);
}

static void check_help(const struct cfg_row *row, bool is_attr)
{
    (void)is_attr;
    assert_non_null(row->name);
    if (row->summary == NULL || row->summary[strlen(row->summary) - 1] != '.')
        fail_msg("%s has no help, or no full stop", row->name);
    if (strpbrk(row->summary, "|\n") != NULL)
        fail_msg("%s: help does not fit into a table", row->name);
}

static void every_row_has_help(void **state)
{
    (void)state;
    for_each_row(check_help);
}

/* With a field of its type; rows with a reader of their own know theirs. */
static bool fits(const struct cfg_row *row)
{
    switch (row->store) {
    case STORE_NONE:
        return row->home == HOME_NOWHERE || row->home == HOME_ATTR
               || row->home == HOME_LEGACY || row->home == HOME_BY_NAME;
    case STORE_INT:
        return row->type == CFG_INT || row->type == CFG_TIME
               || row->type == CFG_SIZE_MB;
    case STORE_NUMBER:
        return row->type == CFG_NUMBER || row->type == CFG_INT;
    case STORE_BOOL:
        return row->type == CFG_BOOL;
    case STORE_ENUM:
        return row->type == CFG_KEYWORD || row->type == CFG_JOBFLAGS
               || row->type == CFG_QOSFLAGS;
    case STORE_TEXT:
        return row->type == CFG_NAME || row->type == CFG_TEXT || row->type == CFG_PATH
               || row->type == CFG_HOSTS;
    case STORE_LIST:
        return row->type == CFG_WORDS;
    case STORE_CREDS:
        return row->type == CFG_CREDS;
    case STORE_GRES:
        return row->type == CFG_GRES;
    case STORE_LIMIT:
        return row->type == CFG_LIMIT;
    case STORE_FSTARGET:
        return row->type == CFG_FSTARGET;
    case STORE_OTHER:
        return false;
    }
    return false;
}

static void check_row(const struct cfg_row *row, bool is_attr)
{
    if (row->set == NULL && row->type != CFG_SECTION && !fits(row))
        fail_msg("%s: the field is not of the type of the row", row->name);
    if (row->type == CFG_CUSTOM && (row->set == NULL || row->syntax == NULL))
        fail_msg("%s: a custom row needs a reader and a syntax", row->name);
    if (row->type == CFG_KEYWORD && row->keywords == NULL)
        fail_msg("%s: no keywords", row->name);
    if ((row->status == STATUS_OBSOLETE) != (row->instead != NULL))
        fail_msg(
            "%s: obsolete rows, and only they, say what to write instead", row->name);
    if (is_attr != (row->objects != 0))
        fail_msg("%s: attributes, and only they, belong to sections", row->name);
    if (row->status == STATUS_IN_FORCE && row->home == HOME_NOWHERE
        && row->type != CFG_SECTION)
        fail_msg("%s is said to be in force, but has no field", row->name);
}

static void every_row_is_whole(void **state)
{
    (void)state;
    for_each_row(check_row);
}

static void check_default(const struct cfg_row *row, bool is_attr)
{
    struct cfg_call call = {.row = row, .value = row->def};
    struct text_list remarks = {0};
    struct err err = {0};

    (void)is_attr;
    if (row->def == NULL)
        return;
    call.remarks = &remarks;
    if (row_set(&call, &err) < 0)
        fail_msg("%s: default '%s': %s", row->name, row->def, err.text);
    if (remarks.n > 0)
        fail_msg("%s: default '%s': %s", row->name, row->def, remarks.v[0]);
}

static void every_default_is_taken_by_its_row(void **state)
{
    (void)state;
    for_each_row(check_default);
}

/* Values no row but free text takes. */
static void check_refusal(const struct cfg_row *row, bool is_attr)
{
    struct cfg_call call = {.row = row, .value = "?!(x"};

    (void)is_attr;
    switch (row->type) {
    case CFG_INT:
    case CFG_NUMBER:
    case CFG_BOOL:
    case CFG_TIME:
    case CFG_KEYWORD:
    case CFG_LIMIT:
    case CFG_FSTARGET:
    case CFG_SIZE_MB:
    case CFG_HOSTS: {
        struct err err = {0};

        if (row_set(&call, &err) == 0)
            fail_msg("%s takes '%s'", row->name, call.value);
        assert_int_equal(err.code, ERR_INVALID);
        return;
    }
    case CFG_NAME:
        call.value = "two words";
        assert_int_equal(row_set(&call, NULL), -1);
        return;
    case CFG_TEXT:
    case CFG_PATH:
    case CFG_WORDS:
    case CFG_CREDS:
    case CFG_GRES:
    case CFG_JOBFLAGS:
    case CFG_QOSFLAGS:
    case CFG_CUSTOM:
    case CFG_SECTION:
        return;
    }
}

static void every_typed_row_refuses_nonsense(void **state)
{
    (void)state;
    for_each_row(check_refusal);
}

static void every_name_and_alias_leads_to_its_row(void **state)
{
    struct table_index *t = table_index_create();
    const struct cfg_group *g;

    (void)state;
    for (size_t i = 0; (g = table_group(i)) != NULL; i++) {
        for (size_t r = 0; r < g->n; r++) {
            const struct cfg_row *row = &g->rows[r];

            assert_ptr_equal(table_find(t, row->name), row);
            for (int a = 0; a < CFG_ALIASES && row->alias[a] != NULL; a++)
                assert_ptr_equal(table_find(t, row->alias[a]), row);
        }
    }
    for (size_t i = 0; (g = attrs_group(i)) != NULL; i++) {
        for (size_t r = 0; r < g->n; r++) {
            const struct cfg_row *row = &g->rows[r];

            for (int o = 0; o < OBJECTS; o++) {
                if ((row->objects >> o & 1) == 0)
                    continue;
                assert_ptr_equal(attrs_find(t, (enum cfg_object)o, row->name), row);
                for (int a = 0; a < CFG_ALIASES && row->alias[a] != NULL; a++)
                    assert_ptr_equal(
                        attrs_find(t, (enum cfg_object)o, row->alias[a]), row);
            }
        }
    }
    assert_null(table_find(t, "NOSUCH"));
    assert_null(attrs_find(t, OBJECT_USER, "QTWEIGHT"));
    assert_null(table_find(t, "USERCFG.MAXJOB"));
    assert_null(table_find(t, ""));
    table_index_destroy(t);
}

static void every_old_form_leads_to_an_attribute(void **state)
{
    struct table_index *t = table_index_create();
    const struct cfg_group *g;

    (void)state;
    for (size_t i = 0; (g = table_group(i)) != NULL; i++)
        for (size_t r = 0; r < g->n; r++)
            if (g->rows[r].home == HOME_ATTR
                && attrs_find(t, g->rows[r].object, g->rows[r].attr) == NULL)
                fail_msg("%s leads nowhere", g->rows[r].name);
    table_index_destroy(t);
}

/* The spellings of reference parameters.md section 4. */
static void every_spelling_of_the_reference_is_known(void **state)
{
    static const char *const pairs[][2] = {{"ACCTCFG", "ACCOUNTCFG"},
        {"SYSTEMCFG", "SYSCFG"}, {"QUEUECFG", "CLASSCFG"},
        {"SERVWEIGHT", "SERVICEWEIGHT"}, {"SERVICETARGETWEIGHT", "SERVICEWEIGHT"},
        {"SERVCAP", "SERVICECAP"}, {"SERVICEWCAP", "SERVICECAP"},
        {"TARGWEIGHT", "TARGETWEIGHT"}, {"TARGCAP", "TARGETCAP"},
        {"QUEUETIMETARGETWEIGHT", "TARGETQUEUETIMEWEIGHT"},
        {"XFACTORTARGETWEIGHT", "TARGETXFACTORWEIGHT"},
        {"DIRECTSPECWEIGHT", "CREDWEIGHT"}, {"RESOURCEWEIGHT", "RESWEIGHT"},
        {"MEMORYWEIGHT", "MEMWEIGHT"}, {"FAIRSHAREWEIGHT", "FSWEIGHT"},
        {"UFSWEIGHT", "FSUSERWEIGHT"}, {"GFSWEIGHT", "FSGROUPWEIGHT"},
        {"AFSWEIGHT", "FSACCOUNTWEIGHT"}, {"XFWEIGHT", "XFACTORWEIGHT"},
        {"XFACTOR", "XFACTORWEIGHT"}, {"CONSUMEDWEIGHT", "USAGECONSUMEDWEIGHT"},
        {"CONSUMEDCAP", "USAGECONSUMEDCAP"},
        {"REMAININGWEIGHT", "USAGEREMAININGWEIGHT"}, {"PERCENTCAP", "USAGEPERCENTCAP"},
        {"QOSTARGETQT", "QOSQTTARGET"}, {"QOSTARGETXF", "QOSXFTARGET"},
        {"RESERVATIONRETYTIME", "RESERVATIONRETRYTIME"},
        {"RESOURCEAVAILABILITYPOLICY", "NODEAVAILABILITYPOLICY"},
        {"ALLOCATIONPOLICY", "NODEALLOCATIONPOLICY"},
        {"MAXJOBOVERRUN", "JOBMAXOVERRUN"}, {"JOBSYNCDEADLINE", "JOBSYNCTIME"},
        {"NODESYNCDEADLINE", "NODESYNCTIME"}, {"CPFILE", "CHECKPOINTFILE"},
        {"CPINTERVAL", "CHECKPOINTINTERVAL"},
        {"CPEXPIRATIONTIME", "CHECKPOINTEXPIRATIONTIME"}, {"ADMINS", "ADMIN1"},
        {"SYSTEMMAXJOBPROC", "SYSTEMMAXPROCPERJOB"},
        {"SYSTEMMAXJOBPROCSECOND", "SYSTEMMAXPROCSECONDPERJOB"}, {"RMSERVER", "RMHOST"},
        {"BANKSERVER", "BANKHOST"}, {"BANKCHARGEMODE", "BANKCHARGEPOLICY"},
        {"NOTIFYSCRIPT", "NOTIFICATIONPROGRAM"},
        {"MAXPSPERUSER", "MAXPROCSECONDPERUSERCOUNT"},
        {"MAXPSPERGROUPCOUNT", "MAXPROCSECONDPERGROUPCOUNT"},
        {"NODESETFEATURE", "NODESETATTRIBUTE"},
        {"SCHEDULINGCRITERIA", "BACKFILLMETRIC"},
        {"SIMCPUSCALINGPERCENT", "SIMWCSCALINGPERCENT"},
        {"backfillpolicy", "BACKFILLPOLICY"}};
    static const struct {
        enum cfg_object object;
        const char *alias, *name;
    } attrs[] = {{OBJECT_QOS, "FLAGS", "QFLAGS"}, {OBJECT_USER, "FLAGS", "JOBFLAGS"},
        {OBJECT_USER, "MAXPROCS", "MAXPROC"}, {OBJECT_CLASS, "WCOVERRUN", "OVERRUN"},
        {OBJECT_CLASS, "MIN.PROC", "MINPROC"}, {OBJECT_SR, "MAXTIME", "TIMELIMIT"},
        {OBJECT_SR, "SRFEATURES", "NODEFEATURES"}, {OBJECT_RM, "NMSERVER", "NMHOST"},
        {OBJECT_SYS, "maxjob", "MAXJOB"}};
    struct table_index *t = table_index_create();

    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct cfg_row *row = table_find(t, pairs[i][0]);

        if (row == NULL)
            fail_msg("%s is unknown", pairs[i][0]);
        assert_string_equal(row->name, pairs[i][1]);
    }
    for (size_t i = 0; i < sizeof attrs / sizeof *attrs; i++) {
        const struct cfg_row *row = attrs_find(t, attrs[i].object, attrs[i].alias);

        if (row == NULL)
            fail_msg("%s is unknown", attrs[i].alias);
        assert_string_equal(row->name, attrs[i].name);
    }
    table_index_destroy(t);
}

static void near_names_are_offered(void **state)
{
    struct table_index *t = table_index_create();

    (void)state;
    assert_string_equal(table_nearest(t, "BACKFILLPOLCY"), "BACKFILLPOLICY");
    assert_string_equal(table_nearest(t, "qeuetimeweight"), "QUEUETIMEWEIGHT");
    assert_null(table_nearest(t, "ZZZZZZZZZZZZ"));
    assert_string_equal(attrs_nearest(t, OBJECT_QOS, "OMAXPROK"), "OMAXPROC");
    assert_null(attrs_nearest(t, OBJECT_CLIENT, "OMAXPROK"));
    table_index_destroy(t);
}

static void the_table_is_as_large_as_the_reference_says(void **state)
{
    const struct cfg_group *g;
    size_t rows = 0, attributes = 0;

    (void)state;
    for (size_t i = 0; (g = table_group(i)) != NULL; i++)
        rows += g->n;
    for (size_t i = 0; (g = attrs_group(i)) != NULL; i++)
        for (size_t r = 0; r < g->n; r++)
            attributes += (size_t)__builtin_popcount(g->rows[r].objects);
    assert_true(rows >= 370);
    assert_true(attributes >= 280);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_help),
        cmocka_unit_test(every_row_is_whole),
        cmocka_unit_test(every_default_is_taken_by_its_row),
        cmocka_unit_test(every_typed_row_refuses_nonsense),
        cmocka_unit_test(every_name_and_alias_leads_to_its_row),
        cmocka_unit_test(every_old_form_leads_to_an_attribute),
        cmocka_unit_test(every_spelling_of_the_reference_is_known),
        cmocka_unit_test(near_names_are_offered),
        cmocka_unit_test(the_table_is_as_large_as_the_reference_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
