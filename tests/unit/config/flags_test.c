/* SPDX-License-Identifier: Apache-2.0
 * Job and QOS flags (reference qos-credentials.md 4 and 5). */
#include "config/credcfg.h"
#include "config/flags.h"
#include "kit.h"

static void unknown_flags_are_told_and_the_others_count(void **state)
{
    struct cred_cfg qos = {0};
    struct err err;
    uint32_t flags;

    (void)state;
    assert_int_equal(job_flags_parse("PREEMPTEE:RESTARTBLE", &flags, &err), -1);
    assert_non_null(strstr(err.text, "did you mean RESTARTABLE?"));
    assert_int_equal(flags, JOB_PREEMPTEE);
    assert_int_equal(job_flags_parse("PREEMPTEEX", &flags, &err), -1);
    assert_int_equal(flags, 0);
    assert_int_equal(qos_flags_parse("NOBF,PREMPTOR", &qos, &err), -1);
    assert_non_null(strstr(err.text, "PREEMPTOR"));
    assert_int_equal(qos.qos_flags, QOS_NOBF);
}

static void any_separator_and_any_case_will_do(void **state)
{
    const uint32_t both = JOB_PREEMPTEE | JOB_SPAN;
    static const char *const rows[] = {"PREEMPTEE:SPAN", "preemptee,span",
        "Preemptee;SPAN", "SPAN|PREEMPTEE", "PREEMPTEE SPAN", " PREEMPTEE :: SPAN ",
        "PREEMPTEE\tSPAN"};
    uint32_t flags;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(job_flags_parse(rows[i], &flags, NULL), 0);
        assert_int_equal(flags, both);
    }
    assert_int_equal(job_flags_parse("", &flags, NULL), 0);
    assert_int_equal(flags, 0);
}

static void reservations_and_hosts_are_kept_as_names(void **state)
{
    struct text_list reservations = {0}, hosts = {0};
    uint32_t flags;

    (void)state;
    assert_int_equal(job_flags_parse_names("ADVRES:res1:res2;PREEMPTEE;HOSTLIST=h1:h2",
                         &flags, &reservations, &hosts, NULL),
        0);
    assert_int_equal(flags, JOB_ADVRES | JOB_PREEMPTEE | JOB_HOSTLIST);
    assert_int_equal(reservations.n, 2);
    assert_string_equal(reservations.v[1], "res2");
    assert_int_equal(hosts.n, 2);
    assert_string_equal(hosts.v[0], "h1");
    text_list_fini(&reservations);
    text_list_fini(&hosts);
}

static void every_flag_has_one_name(void **state)
{
    const char *word;
    uint32_t flags;

    (void)state;
    for (size_t i = 0; (word = job_flag_word(i)) != NULL; i++) {
        assert_int_equal(job_flags_parse(word, &flags, NULL), 0);
        assert_int_not_equal(flags, 0);
        assert_int_equal(job_flags_parse(job_flag_name(flags), &flags, NULL), 0);
    }
    for (size_t i = 0; (word = qos_flag_word(i)) != NULL; i++) {
        struct cred_cfg qos = {0};
        bool any;

        assert_int_equal(qos_flags_parse(word, &qos, NULL), 0);
        any = qos.qos_flags != 0;
        for (int k = 0; k < CRED_KINDS; k++)
            any = any || qos.ignore_active[k] != 0 || qos.ignore_idle[k] != 0;
        assert_true(any);
    }
    assert_string_equal(job_flag_name(JOB_SPAN | JOB_DEDICATED), "DEDICATED");
    assert_string_equal(qos_flag_name(QOS_PREEMPTOR), "PREEMPTOR");
    assert_null(job_flag_name(0));
    assert_null(job_flag_name(1u << 31));
    assert_null(qos_flag_name(0));
}

static void ignore_flags_are_kept_by_kind(void **state)
{
    struct cred_cfg qos = {0};

    (void)state;
    assert_int_equal(
        qos_flags_parse(
            "IGNJOBPERUSER:IGNPSPERGROUP:IGNJOBQUEUEDPERACCOUNT", &qos, NULL),
        0);
    assert_int_equal(qos.ignore_active[CRED_USER], 1u << LIMIT_JOB);
    assert_int_equal(qos.ignore_idle[CRED_USER], 0);
    assert_int_equal(qos.ignore_active[CRED_GROUP], 1u << LIMIT_PS);
    assert_int_equal(qos.ignore_idle[CRED_ACCOUNT], 1u << LIMIT_JOB);
    assert_int_equal(qos_flags_parse("IGNUSER", &qos, NULL), 0);
    assert_int_equal(qos.ignore_active[CRED_USER], (1u << LIMIT_RES_COUNT) - 1);
    assert_int_equal(qos.ignore_active[CRED_GROUP], 0);
    assert_int_equal(qos_flags_parse("IGNALL", &qos, NULL), 0);
    assert_int_equal(qos.ignore_idle[CRED_ACCOUNT], (1u << LIMIT_RES_COUNT) - 1);
    assert_int_equal(qos.ignore_active[CRED_CLASS], 0);
    assert_int_equal(qos.qos_flags & QOS_IGNSYSMAXPS, 0);
    assert_int_equal(qos_flags_parse("IGNSYSTEM", &qos, NULL), 0);
    assert_int_equal(
        qos.qos_flags, QOS_IGNSYSMAXPROC | QOS_IGNSYSMAXTIME | QOS_IGNSYSMAXPS);
}

static void a_new_value_replaces_all_former_flags(void **state)
{
    struct cred_cfg qos = {0};

    (void)state;
    assert_int_equal(qos_flags_parse("USERESERVED:a:b:NOBF SPAN", &qos, NULL), 0);
    assert_int_equal(qos.use_reserved.n, 2);
    assert_int_equal(qos.qos_flags, QOS_USERESERVED | QOS_NOBF | QOS_SPAN);
    assert_int_equal(qos.job_flags, JOB_SPAN);
    assert_int_equal(qos_flags_parse("DEDICATED", &qos, NULL), 0);
    assert_int_equal(qos.use_reserved.n, 0);
    assert_int_equal(qos.qos_flags, QOS_DEDICATED);
    assert_int_equal(qos.job_flags, 0);
    text_list_fini(&qos.use_reserved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_flags_are_told_and_the_others_count),
        cmocka_unit_test(any_separator_and_any_case_will_do),
        cmocka_unit_test(reservations_and_hosts_are_kept_as_names),
        cmocka_unit_test(every_flag_has_one_name),
        cmocka_unit_test(ignore_flags_are_kept_by_kind),
        cmocka_unit_test(a_new_value_replaces_all_former_flags),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
