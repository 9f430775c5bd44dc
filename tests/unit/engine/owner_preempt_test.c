/* SPDX-License-Identifier: Apache-2.0
 * OWNERPREEMPT: owners of every kind, of standing and of administrative reservations.
 * Source: reference preemption, section 4. Examples P7 and P8: preemption_test.c. */
#include "cmocka_all.h"
#include "example.h"

#include <stdio.h>

/* The owner's jobs and those of the others differ in one credential. */
static const struct kind {
    const char *name, *list;
    enum cred_kind kind;
    enum acl_type acl;
} kinds[] = {{"USER", "USERLIST", CRED_USER, ACL_USER},
    {"GROUP", "GROUPLIST", CRED_GROUP, ACL_GROUP},
    {"ACCOUNT", "ACCOUNTLIST", CRED_ACCOUNT, ACL_ACCOUNT},
    {"QOS", "QOSLIST", CRED_QOS, ACL_QOS},
    {"CLASS", "CLASSLIST", CRED_CLASS, ACL_CLASS}};

static void submit(struct scenario *s, const struct kind *k, struct sc_job job)
{
    const char *who = job.id[0] == 'J' ? "own" : "other";

    job.limit_s = 1000;
    job.user = k->kind == CRED_USER ? who : "u";
    job.group = k->kind == CRED_GROUP ? who : NULL;
    job.account = k->kind == CRED_ACCOUNT ? who : NULL;
    job.qos = k->kind == CRED_QOS ? who : NULL;
    job.cls = k->kind == CRED_CLASS ? who : NULL;
    sc_job(s, job);
}

#define ALL_QOS                                                                        \
    "RESERVATIONPOLICY NEVER\nUSERCFG[DEFAULT] QLIST=own,other\n"                      \
    "QOSCFG[own] PRIORITY=0\nQOSCFG[other] PRIORITY=0\n"

/* Two of the three nodes are reserved: the job on the third, which others take first,
 * is safe. */
static void play(struct scenario *s, const struct kind *k)
{
    submit(s, k, (struct sc_job){.id = "S1", .procs = 1});
    submit(s, k, (struct sc_job){.id = "S2", .procs = 1});
    submit(s, k, (struct sc_job){.id = "S3", .procs = 1});
    submit(s, k, (struct sc_job){.id = "J1", .procs = 1, .submit_at = 50});
    submit(s, k, (struct sc_job){.id = "S4", .procs = 1, .submit_at = 60});
    submit(s, k, (struct sc_job){.id = "J2", .procs = 2, .submit_at = 70});
    submit(s, k, (struct sc_job){.id = "J3", .procs = 1, .submit_at = 80});
    sc_run_until(s, 500);
    assert_string_equal(sc_log(s, "S2"), "start@0 requeue@50");
    assert_string_equal(sc_where(s, "J1"), "n1:1");
    assert_string_equal(sc_log(s, "S1"), "start@0");
    assert_int_equal(sc_start(s, "S4"), -1);
    assert_int_equal(sc_start(s, "J2"), -1); /* S3 alone is not enough */
    assert_string_equal(sc_log(s, "S3"), "start@0 requeue@80");
    assert_string_equal(sc_where(s, "J3"), "n2:1");
}

static void owners_of_every_kind_preempt_in_standing_reservations(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char cfg[500];
        snprintf(cfg, sizeof cfg,
            ALL_QOS "SRCFG[sr] HOSTLIST=n1,n2 PERIOD=INFINITY %s=own,other- "
                    "OWNER=%s:own FLAGS=OWNERPREEMPT\n",
            kinds[i].list, kinds[i].name);
        struct scenario *s = sc_create_with(cfg);
        sc_nodes(s, 3, 1);
        play(s, &kinds[i]);
        sc_destroy(s);
    }
}

static void owners_of_every_kind_preempt_in_administrative_reservations(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct scenario *s = sc_create_with(ALL_QOS);
        struct sc_rsv r = {.hosts = "n1,n2",
            .flags = RSV_OWNERPREEMPT,
            .owner_kind = kinds[i].kind,
            .owner = "own",
            .lists = {[0] = NULL}};
        struct err err;
        r.lists[kinds[i].acl] = "own,other-";
        sc_nodes(s, 3, 1);
        assert_int_equal(sc_setres(s, &r, &err), 0);
        play(s, &kinds[i]);
        sc_destroy(s);
    }
}

#define SR_ON(hosts)                                                                   \
    "RESERVATIONPOLICY NEVER\nSRCFG[sr] PERIOD=INFINITY OWNER=ACCOUNT:a "              \
    "HOSTLIST=" hosts " "
#define SR SR_ON("n1")
/* vip's jobs go before all others. */
#define VIP "CREDWEIGHT 1\nUSERWEIGHT 1\nUSERCFG[vip] PRIORITY=1000\n"

static void check_nobody_goes(const char *cfg, const char *account)
{
    struct scenario *s = sc_create_with(cfg);

    sc_nodes(s, 1, 1);
    sc_job(s, (struct sc_job){
                  .id = "S", .procs = 1, .limit_s = 1000, .user = "u", .account = "b"});
    sc_job(s, (struct sc_job){.id = "J",
                  .procs = 1,
                  .limit_s = 100,
                  .user = "u",
                  .account = account,
                  .submit_at = 9});
    sc_run_until(s, 500);
    assert_string_equal(sc_log(s, "S"), "start@0");
    assert_int_equal(sc_start(s, "J"), -1);
    sc_destroy(s);
}

static void only_owners_with_access_preempt_and_only_with_the_flag(void **state)
{
    (void)state;
    check_nobody_goes(SR "ACCOUNTLIST=a,b\n", "a");
    check_nobody_goes(SR "ACCOUNTLIST=b FLAGS=OWNERPREEMPT\n", "a");
    check_nobody_goes(SR "ACCOUNTLIST=a,b,c FLAGS=OWNERPREEMPT\n", "c");
}

/* What an owner has at home nobody takes: it could take it back at once. */
static void owners_do_not_lose_their_own_nodes(void **state)
{
    (void)state;
    struct scenario *s = sc_create_with(VIP SR "ACCOUNTLIST=a,b FLAGS=OWNERPREEMPT\n");

    sc_nodes(s, 1, 1);
    sc_job(s, (struct sc_job){.id = "J",
                  .procs = 1,
                  .limit_s = 1000,
                  .user = "u",
                  .account = "a",
                  .flags = JOB_PREEMPTEE});
    sc_job(s, (struct sc_job){.id = "V",
                  .procs = 1,
                  .limit_s = 100,
                  .user = "vip",
                  .account = "b",
                  .flags = JOB_PREEMPTOR,
                  .submit_at = 50});
    sc_run_until(s, 5000);
    assert_string_equal(sc_log(s, "J"), "start@0");
    assert_int_equal(sc_start(s, "V"), 1000);
    sc_destroy(s);
}

/* O, the owner's, runs beside the reservation, in part on a node that S left for it. If
 * S took that back by priority, it would lie in the reservation again, and O would
 * preempt it by ownership again, and so on for ever. */
static void who_may_lie_in_a_reservation_takes_nothing_from_its_owner(void **state)
{
    (void)state;
    struct scenario *s =
        sc_create_with(VIP SR_ON("n1,n2") "ACCOUNTLIST=a,b FLAGS=OWNERPREEMPT\n");

    sc_nodes(s, 4, 2);
    sc_job(s, (struct sc_job){.id = "S",
                  .procs = 5,
                  .limit_s = 1000,
                  .user = "vip",
                  .account = "b",
                  .flags = JOB_PREEMPTOR});
    sc_job(s, (struct sc_job){.id = "O",
                  .procs = 4,
                  .limit_s = 100,
                  .user = "u",
                  .account = "a",
                  .flags = JOB_PREEMPTEE,
                  .submit_at = 50});
    sc_run_until(s, 50);
    assert_string_equal(sc_where(s, "O"), "n3:2 n4:2");
    sc_run_until(s, 5000);
    assert_string_equal(sc_log(s, "O"), "start@50");
    assert_string_equal(sc_log(s, "S"), "start@0 requeue@50 start@150");
    sc_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(owners_of_every_kind_preempt_in_standing_reservations),
        cmocka_unit_test(owners_of_every_kind_preempt_in_administrative_reservations),
        cmocka_unit_test(only_owners_with_access_preempt_and_only_with_the_flag),
        cmocka_unit_test(owners_do_not_lose_their_own_nodes),
        cmocka_unit_test(who_may_lie_in_a_reservation_takes_nothing_from_its_owner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
