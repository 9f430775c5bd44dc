/* SPDX-License-Identifier: Apache-2.0
 * Access to reservations. R.. = examples of reference reservations, section 13; what
 * they say of schedules is decided here by a search over one node. */
#include "policy/acl.h"
#include "rsv_kit.h"

#define HOUR  3600
#define DAY   86400
#define NEVER (-1)

/* 2024-01-01, a Monday. */
#define MONDAY INT64_C(1704067200)

static bool granted(struct rk *k, struct reservation *r, struct job *j, int64_t overlap)
{
    return acl_decide_job(k->c, r, j, overlap).granted;
}

/* May the job use the resources of the node under every reservation there, from `at`
 * for its whole limit? */
static bool may_run(struct rk *k, const char *node, const struct job *j, int64_t at)
{
    const struct rsv_list *there = reservations_on(k->c, node_find(k->c, node)->index);
    struct acl_asker who = acl_asker_of(k->c, j);
    int64_t end = at + j->wclimit_s;
    bool inside = false;

    for (size_t i = 0; i < there->n; i++) {
        struct reservation *r = k->c->reservations.v[there->v[i].rsv];
        int64_t overlap = acl_overlap(r, at, end);

        if (overlap > 0 && !acl_decide(k->c, r, &who, overlap).granted)
            return false;
        inside |= overlap == j->wclimit_s && acl_confinement_allows(&who, r);
    }
    return inside || acl_confinement_allows(&who, NULL);
}

/* Earliest start on the node: now, or when a reservation there starts or ends. */
static int64_t earliest(
    struct rk *k, const char *node, const struct job *j, int64_t now)
{
    const struct rsv_list *there = reservations_on(k->c, node_find(k->c, node)->index);
    int64_t best = may_run(k, node, j, now) ? now : TIME_NEVER;

    for (size_t i = 0; i < there->n; i++) {
        const struct reservation *r = k->c->reservations.v[there->v[i].rsv];

        for (int e = 0; e < 2; e++) {
            int64_t at = e ? r->end_at : r->start_at;

            if (at > now && at < best && may_run(k, node, j, at))
                best = at;
        }
    }
    return best < TIME_NEVER ? best : NEVER;
}

/* Free processors of a 16-processor node: less what is reserved for others. */
static int64_t sees(struct rk *k, const char *node, struct job *j)
{
    const struct node *n = node_find(k->c, node);
    const struct rsv_list *there = reservations_on(k->c, n->index);
    int64_t procs = n->cfg.v[RES_PROCS];

    for (size_t i = 0; i < there->n; i++) {
        struct reservation *r = k->c->reservations.v[there->v[i].rsv];

        if (!granted(k, r, j, j->wclimit_s))
            procs -= reservation_amount(r, n, there->v[i].tasks).v[RES_PROCS];
    }
    return procs;
}

static struct reservation *sized(
    struct rk *k, enum acl_type type, const char *list, uint32_t procs)
{
    struct reservation *r = rk_setres(k, "r", type, list, 0, TIME_NEVER);

    r->def.per_task = (struct res){{1}};
    rk_hold(k, r, "n1", procs);
    return r;
}

/* ---- the decision ---------------------------------------------------------------- */

static void one_of_several_lists_suffices_r1(void **state)
{
    struct rk k = rk_open("SRCFG[debug] HOSTLIST=ALL PERIOD=INFINITY USERLIST=helpdesk "
                          "GROUPLIST=operations,sysadmin\n");
    struct reservation *r;

    (void)state;
    rk_nodes(&k, 4, 1, 1024);
    r = rk_standing(&k, "debug", NULL, 0);
    assert_true(granted(&k, r, rk_job(&k, "helpdesk/users", 1, HOUR, 0, NULL), HOUR));
    assert_true(granted(&k, r, rk_job(&k, "bob/sysadmin", 1, HOUR, 0, NULL), HOUR));
    assert_false(granted(&k, r, rk_job(&k, "bob/users", 1, HOUR, 0, NULL), HOUR));
    rk_close(&k);
}

static void stacked_reservations_must_all_admit_r2(void **state)
{
    static const struct {
        int64_t hour;
        const char *who;
        int64_t wclimit_s, start_hour;
    } cases[] = {
        {11, "helpdesk///interactive", HOUR, 11},
        {11, "helpdesk///batch", HOUR, 15},
        {11, "bob/users//interactive", HOUR, NEVER},
        {9, "helpdesk///batch", HOUR, 9},
        {9, "helpdesk///batch", 5400, 15},
    };
    struct rk k =
        rk_open("SRCFG[interactive] STARTTIME=10:00:00 ENDTIME=15:00:00 HOSTLIST=n1 "
                "CLASSLIST=interactive\n"
                "SRCFG[debug] HOSTLIST=n1 PERIOD=INFINITY USERLIST=helpdesk "
                "GROUPLIST=operations,sysadmin\n");

    (void)state;
    rk_nodes(&k, 1, 1, 1024);
    rk_hold(&k, rk_standing(&k, "debug", NULL, MONDAY), "n1", 1);
    rk_standing(&k, "interactive", NULL, MONDAY);
    for (size_t i = 0; i < k.c->reservations.n; i++)
        rk_hold(&k, k.c->reservations.v[i], "n1", 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct job *j = rk_job(&k, cases[i].who, 1, cases[i].wclimit_s, 0, NULL);
        int64_t at = earliest(&k, "n1", j, MONDAY + cases[i].hour * HOUR);

        assert_int_equal(at,
            cases[i].start_hour == NEVER ? NEVER : MONDAY + cases[i].start_hour * HOUR);
    }
    rk_close(&k);
}

static void reservations_side_by_side_add_up_r3(void **state)
{
    struct rk k = rk_open("");

    (void)state;
    rk_nodes(&k, 1, 16, 0);
    sized(&k, ACL_USER, "john", 8);
    sized(&k, ACL_GROUP, "staff", 8);
    assert_int_equal(sees(&k, "n1", rk_job(&k, "john/users", 1, 9, 0, NULL)), 8);
    assert_int_equal(sees(&k, "n1", rk_job(&k, "amy/staff", 1, 9, 0, NULL)), 8);
    assert_int_equal(sees(&k, "n1", rk_job(&k, "john/staff", 1, 9, 0, NULL)), 16);
    assert_int_equal(sees(&k, "n1", rk_job(&k, "eve/users", 1, 9, 0, NULL)), 0);
    rk_close(&k);
}

static void the_rest_of_a_node_is_open_to_all_r4(void **state)
{
    struct rk k = rk_open("");

    (void)state;
    rk_nodes(&k, 1, 16, 0);
    sized(&k, ACL_USER, "john", 4);
    sized(&k, ACL_GROUP, "staff", 10);
    assert_int_equal(sees(&k, "n1", rk_job(&k, "eve/users", 1, 9, 0, NULL)), 2);
    assert_int_equal(sees(&k, "n1", rk_job(&k, "john/users", 1, 9, 0, NULL)), 6);
    assert_int_equal(sees(&k, "n1", rk_job(&k, "amy/staff", 1, 9, 0, NULL)), 12);
    assert_int_equal(sees(&k, "n1", rk_job(&k, "john/staff", 1, 9, 0, NULL)), 16);
    rk_close(&k);
}

static void an_empty_list_admits_nobody_r5(void **state)
{
    struct rk k = rk_open("");
    struct reservation *r = rk_setres(&k, "SYSTEM", ACL_USER, NULL, 100, 200);

    (void)state;
    rk_nodes(&k, 1, 1, 0);
    rk_hold(&k, r, "n1", 1);
    assert_int_equal(earliest(&k, "n1", rk_job(&k, "a", 1, 100, 0, NULL), 0), 0);
    assert_int_equal(earliest(&k, "n1", rk_job(&k, "a", 1, 101, 0, NULL), 0), 200);
    assert_int_equal(earliest(&k, "n1", rk_job(&k, "a", 1, 50, 0, NULL), 60), 200);
    rk_close(&k);
}

static void a_time_limit_is_one_more_way_in_r6(void **state)
{
    struct rk k =
        rk_open("SRCFG[x] HOSTLIST=ALL PERIOD=INFINITY QOSLIST=hi TIMELIMIT=1:00:00\n");
    struct reservation *r = rk_standing(&k, "x", NULL, 0);
    struct job *plain = rk_job(&k, "a", 1, 9, 0, NULL);
    struct job *hi = rk_job(&k, "a////hi", 1, 9, 0, NULL);

    (void)state;
    assert_true(granted(&k, r, plain, HOUR / 2));
    assert_true(granted(&k, r, hi, 2 * HOUR));
    assert_false(granted(&k, r, plain, 2 * HOUR));
    rk_close(&k);
}

static void a_required_time_limit_binds_everybody_r7(void **state)
{
    struct rk k = rk_open(
        "SRCFG[x] HOSTLIST=ALL PERIOD=INFINITY QOSLIST=hi TIMELIMIT=1:00:00*\n");
    struct reservation *r = rk_standing(&k, "x", NULL, 0);
    struct job *plain = rk_job(&k, "a", 1, 9, 0, NULL);
    struct job *hi = rk_job(&k, "a////hi", 1, 9, 0, NULL);

    (void)state;
    assert_false(granted(&k, r, plain, HOUR / 2));
    assert_true(granted(&k, r, hi, HOUR / 2));
    assert_false(granted(&k, r, hi, 2 * HOUR));
    assert_true(granted(&k, r, hi, HOUR));
    rk_close(&k);
}

static void the_overlap_counts_and_not_the_length_r8(void **state)
{
    static const struct {
        int64_t start, w;
        bool yes;
    } cases[] = {
        {5 * HOUR, 4 * HOUR, true},
        {5 * HOUR + 60, 4 * HOUR, false},
        {4 * DAY + 16 * HOUR, 12 * HOUR, true},
        {4 * DAY + 16 * HOUR - 60, 12 * HOUR, false},
        {2 * DAY + 12 * HOUR, HOUR, true},
    };
    struct rk k = rk_open("");
    struct reservation *r = rk_setres(&k, "x", ACL_DURATION, "1:00:00*",
        MONDAY + 8 * HOUR, MONDAY + 4 * DAY + 17 * HOUR);
    struct job *j;

    (void)state;
    rk_nodes(&k, 1, 1, 0);
    rk_hold(&k, r, "n1", 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        j = rk_job(&k, "a", 1, cases[i].w, 0, NULL);
        assert_int_equal(may_run(&k, "n1", j, MONDAY + cases[i].start), cases[i].yes);
    }
    /* too late on Monday: planned at an event, could start an hour before it */
    j = rk_job(&k, "a", 1, 4 * HOUR, 0, NULL);
    assert_int_equal(
        earliest(&k, "n1", j, MONDAY + 5 * HOUR + 60), MONDAY + 4 * DAY + 17 * HOUR);
    assert_true(may_run(&k, "n1", j, MONDAY + 4 * DAY + 16 * HOUR));
    rk_close(&k);
}

static void what_is_named_with_not_is_kept_out_r9(void **state)
{
    static const struct {
        const char *who;
        int64_t w;
        bool yes;
        enum acl_affinity affinity;
    } cases[] = {
        {"a//projectX//high", 1800, false, 0},
        {"a//projectZ", 1800, true, ACL_POSITIVE},
        {"a//projectZ//high", 2 * HOUR, false, 0},
        {"a//projectZ//special", 1800, true, ACL_NEGATIVE},
        {"a////special", 1800, true, ACL_NEGATIVE},
        {"a//projectY//low", 1800, false, 0},
        {"a", 1800, true, ACL_POSITIVE},
    };
    struct rk k =
        rk_open("SRCFG[x] HOSTLIST=ALL PERIOD=INFINITY TIMELIMIT=1:00:00* "
                "QOSLIST=high,low,special- ACCOUNTLIST=!projectX,!projectY\n");
    struct reservation *r = rk_standing(&k, "x", NULL, 0);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct job *j = rk_job(&k, cases[i].who, 1, cases[i].w, 0, NULL);
        struct acl_verdict v = acl_decide_job(k.c, r, j, cases[i].w);

        assert_int_equal(v.granted, cases[i].yes);
        if (v.granted)
            assert_int_equal(v.affinity, cases[i].affinity);
    }
    rk_close(&k);
}

static void the_mark_of_the_matching_entry_is_the_affinity_r10(void **state)
{
    static const enum acl_affinity want[] = {ACL_POSITIVE, ACL_NEGATIVE, ACL_NEUTRAL};
    static const char *const lists[] = {"john", "john-", "john="};
    struct rk k = rk_open("");
    struct job *john = rk_job(&k, "john", 1, 9, 0, NULL);
    struct job *eve = rk_job(&k, "eve", 1, 9, 0, NULL);

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct reservation *r = rk_setres(&k, "r", ACL_USER, lists[i], 0, 100);

        assert_int_equal(acl_decide_job(k.c, r, john, 9).affinity, want[i]);
        assert_false(granted(&k, r, eve, 9));
    }
    assert_int_equal(acl_worse(ACL_POSITIVE, ACL_NEUTRAL), ACL_NEUTRAL);
    assert_int_equal(acl_worse(ACL_NEGATIVE, ACL_NEUTRAL), ACL_NEGATIVE);
    rk_close(&k);
}

static void the_last_match_decides_the_affinity_4_3(void **state)
{
    struct rk k = rk_open("SRCFG[x] TASKCOUNT=1 USERLIST=ann-,bob "
                          "GROUPLIST=staff=,other CLASSLIST=c-*\n");
    struct reservation *r = rk_standing(&k, "x", NULL, 0);
    struct job *ann = rk_job(&k, "ann/staff//c", 1, 9, 0, NULL);

    (void)state;
    assert_int_equal(acl_decide_job(k.c, r, ann, 9).affinity, ACL_NEUTRAL);
    assert_int_equal(acl_decide_job(k.c, r, ann, 9).entry, 2);
    rk_close(&k);
}

static void required_entries_alone_admit_with_the_last_of_them(void **state)
{
    struct rk k =
        rk_open("SRCFG[x] TASKCOUNT=1 USERLIST=ann*,bob-* GROUPLIST=staff-*\n");
    struct reservation *r = rk_standing(&k, "x", NULL, 0);
    struct acl_verdict v;

    (void)state;
    /* one of each type that has any must match */
    v = acl_decide_job(k.c, r, rk_job(&k, "ann/staff", 1, 9, 0, NULL), 9);
    assert_true(v.granted);
    assert_int_equal(v.affinity, ACL_NEGATIVE);
    v = acl_decide_job(k.c, r, rk_job(&k, "ann/users", 1, 9, 0, NULL), 9);
    assert_int_equal(v.code, ACL_REQUIREMENT);
    assert_int_equal(v.entry, 2);
    v = acl_decide_job(k.c, r, rk_job(&k, "eve/staff", 1, 9, 0, NULL), 9);
    assert_int_equal(v.code, ACL_REQUIREMENT);
    assert_int_equal(v.entry, 0);
    rk_close(&k);
}

static void sizes_of_jobs_can_be_limits(void **state)
{
    struct rk k = rk_open("SRCFG[x] TASKCOUNT=1 PROCLIMIT=>=4 TASKLIMIT=<16*\n");
    struct reservation *r = rk_standing(&k, "x", NULL, 0);

    (void)state;
    assert_true(granted(&k, r, rk_job(&k, "a", 4, 9, 0, NULL), 9));
    assert_true(granted(&k, r, rk_job(&k, "a", 15, 9, 0, NULL), 9));
    assert_false(granted(&k, r, rk_job(&k, "a", 3, 9, 0, NULL), 9));
    assert_false(granted(&k, r, rk_job(&k, "a", 16, 9, 0, NULL), 9));
    rk_close(&k);
}

static void job_attributes_admit_r44(void **state)
{
    struct rk k = rk_open(
        "SRCFG[r] HOSTLIST=ALL PERIOD=INFINITY JOBATTRLIST=PREEMPTEE USERLIST=john\n");
    struct reservation *r = rk_standing(&k, "r", NULL, 0);

    (void)state;
    assert_true(granted(&k, r, rk_job(&k, "eve", 1, 9, JOB_PREEMPTEE, NULL), 9));
    assert_false(granted(&k, r, rk_job(&k, "eve", 1, 9, 0, NULL), 9));
    assert_true(granted(&k, r, rk_job(&k, "john", 1, 9, 0, NULL), 9));
    rk_close(&k);
}

static void default_is_a_name_and_all_is_everybody(void **state)
{
    struct rk k = rk_open("SRCFG[d] TASKCOUNT=1 QOSLIST=DEFAULT\n"
                          "SRCFG[a] TASKCOUNT=1 ACCOUNTLIST=ALL-\n");
    struct reservation *d = rk_standing(&k, "d", NULL, 0);
    struct reservation *a = rk_standing(&k, "a", NULL, 0);
    struct job *plain = rk_job(&k, "x", 1, 9, 0, NULL);
    struct job *hi = rk_job(&k, "x////hi", 1, 9, 0, NULL);

    (void)state;
    assert_true(granted(&k, d, plain, 9));
    assert_false(granted(&k, d, hi, 9));
    assert_true(granted(&k, a, plain, 9));
    assert_int_equal(acl_decide_job(k.c, a, hi, 9).affinity, ACL_NEGATIVE);
    rk_close(&k);
}

static void whom_a_list_names_is_known_and_asking_makes_nobody(void **state)
{
    struct rk k = rk_open("");
    struct reservation *r = rk_setres(&k, "r", ACL_USER, "!newbie,zoe", 0, 100);
    struct job *ann = rk_job(&k, "ann", 1, 9, 0, NULL);
    size_t users;

    (void)state;
    users = k.c->creds[CRED_USER].n;
    assert_non_null(
        cred_find(k.c, CRED_USER, "newbie")); /* for showbf, before any job */
    assert_true(granted(&k, r, ann, 9));      /* the NOT list does not name ann */
    assert_int_equal(k.c->creds[CRED_USER].n, users); /* asking makes nobody */
    assert_false(granted(&k, r, rk_job(&k, "newbie", 1, 9, 0, NULL), 9));
    assert_int_equal(
        acl_decide_job(k.c, r, rk_job(&k, "zoe", 1, 9, 0, NULL), 9).entry, 1);
    rk_close(&k);
}

/* ---- against the rules, read literally ---- */

static uint32_t draw(uint64_t *seed, uint32_t below)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33) % below;
}

static bool hits(const struct acl_entry *e, const char *const *names, int64_t overlap)
{
    if (e->type == ACL_DURATION)
        return overlap <= e->value;
    return strcmp(e->name, names[e->type]) == 0;
}

/* Steps 4 to 6 of section 4.2, one after the other. */
static bool by_the_rules(
    const struct acl *acl, const char *const *names, int64_t overlap)
{
    bool optional = false, satisfied = false;

    for (size_t i = 0; i < acl->entries.n; i++)
        if (acl->entries.v[i].negated && hits(&acl->entries.v[i], names, overlap))
            return false;
    for (int type = 0; type < ACL_TYPES; type++) {
        bool required = false, met = false;

        for (size_t i = 0; i < acl->entries.n; i++) {
            const struct acl_entry *e = &acl->entries.v[i];

            if (e->type != type)
                continue;
            if (e->negated) {
                optional = satisfied = true;
            } else if (e->required) {
                required = true;
                met |= hits(e, names, overlap);
            } else {
                optional = true;
                satisfied |= hits(e, names, overlap);
            }
        }
        if (required && !met)
            return false;
    }
    return acl->entries.n > 0 && (!optional || satisfied);
}

static void random_list(uint64_t *seed, struct acl *acl)
{
    static const enum acl_type types[] = {ACL_USER, ACL_GROUP, ACL_QOS, ACL_DURATION};
    static const char *const marks[] = {"", "-", "=", "*", "!", "+"};

    for (uint32_t n = draw(seed, 6); n > 0; n--) {
        enum acl_type type = types[draw(seed, 4)];
        const char *mark = marks[draw(seed, type == ACL_DURATION ? 4 : 6)];
        char entry[40];

        if (type == ACL_DURATION)
            snprintf(entry, sizeof entry, "%u%s", 10 * draw(seed, 4), mark);
        else
            snprintf(entry, sizeof entry, "%c%s", "abc"[draw(seed, 3)], mark);
        assert_int_equal(acltext_parse(type, entry, acl, NULL), 0);
    }
}

static void random_lists_decide_as_the_rules_read(void **state)
{
    static const char *const letters[] = {"a", "b", "c", "d"};
    struct rk k = rk_open("");
    struct reservation *r = rk_setres(&k, "r", ACL_USER, NULL, 0, 100);
    uint64_t seed = 44;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        const char *names[CRED_KINDS] = {letters[draw(&seed, 4)],
            letters[draw(&seed, 4)], "", "", letters[draw(&seed, 4)]};
        struct acl_asker who = acl_anybody();
        int64_t overlap = draw(&seed, 40);

        for (int kind = 0; kind < CRED_KINDS; kind++)
            who.cred[kind] = cred_get(k.c, (enum cred_kind)kind, names[kind])->index;
        acltext_fini(&r->acl);
        random_list(&seed, &r->acl);
        assert_int_equal(acl_decide(k.c, r, &who, overlap).granted,
            by_the_rules(&r->acl, names, overlap));
    }
    rk_close(&k);
}

/* ---- naming reservations ---- */

static void byname_admits_those_who_name_it_r12(void **state)
{
    struct rk k = rk_open("");
    struct reservation *fast = rk_setres(&k, "fast", ACL_USER, "john", 0, 1000);
    struct job *plain = rk_job(&k, "john", 3, 9, 0, NULL);
    struct job *named = rk_job(&k, "john", 2, 9, 0, "fast.0");
    struct job *eve = rk_job(&k, "eve", 1, 9, 0, "fast.0");

    (void)state;
    rk_nodes(&k, 4, 1, 0);
    rk_hold(&k, fast, "n1 n2", 1);
    fast->flags = RSV_BYNAME;
    assert_int_equal(acl_decide_job(k.c, fast, plain, 9).code, ACL_NOT_NAMED);
    assert_true(may_run(&k, "n3", plain, 0));
    assert_false(may_run(&k, "n1", plain, 0));
    assert_true(may_run(&k, "n1", named, 0));
    assert_false(may_run(&k, "n3", named, 0));
    assert_int_equal(acl_decide_job(k.c, fast, eve, 9).code, ACL_NO_MATCH);
    assert_int_equal(earliest(&k, "n1", eve, 0), NEVER);
    rk_close(&k);
}

static void advres_confines_to_reservations_r13(void **state)
{
    struct rk k = rk_open("");
    struct reservation *staff = rk_setres(&k, "staff", ACL_GROUP, "staff", 0, 1000);
    struct job *bound = rk_job(&k, "amy/staff", 2, 9, JOB_ADVRES, NULL);
    struct job *plain = rk_job(&k, "amy/staff", 3, 9, 0, NULL);

    (void)state;
    rk_nodes(&k, 4, 1, 0);
    rk_hold(&k, staff, "n1 n2", 1);
    assert_true(may_run(&k, "n1", bound, 0));
    assert_false(may_run(&k, "n3", bound, 0));
    assert_true(may_run(&k, "n1", plain, 0));
    assert_true(may_run(&k, "n3", plain, 0));
    rk_close(&k);
}

static void advres_with_a_name_confines_to_that_one_r14(void **state)
{
    struct rk k = rk_open("");
    struct reservation *staff = rk_setres(&k, "staff", ACL_GROUP, "staff", 0, 1000);
    struct reservation *johns = rk_setres(&k, "john", ACL_USER, "john", 0, 1000);
    struct job *plain = rk_job(&k, "john/staff", 1, 9, 0, NULL);
    struct job *named = rk_job(&k, "john/staff", 1, 9, 0, "john.0");
    struct job *bob = rk_job(&k, "bob/users", 1, 9, 0, "staff.0");

    (void)state;
    rk_nodes(&k, 4, 1, 0);
    rk_hold(&k, staff, "n1 n2", 1);
    rk_hold(&k, johns, "n3", 1);
    assert_true(may_run(&k, "n1", plain, 0));
    assert_int_equal(acl_decide_job(k.c, staff, named, 9).code, ACL_OTHER_NAMED);
    assert_true(may_run(&k, "n3", named, 0));
    assert_false(may_run(&k, "n4", named, 0));
    for (int i = 1; i <= 4; i++) {
        char node[8];

        snprintf(node, sizeof node, "n%d", i);
        assert_false(may_run(&k, node, bob, 0));
    }
    rk_close(&k);
}

/* A resource manager's: no list of a QOS, and no name of a reservation that is closed
 * to the job, opens those below. */
static void others_are_passed_by_who_is_let_in_where_he_names(void **state)
{
    struct rk k = rk_open("QOSCFG[deb] QFLAGS=USERESERVED:over:own\n");
    struct reservation *plain = rk_setres(&k, "plain", ACL_USER, "amy", 0, 1000);
    struct reservation *over = rk_setres(&k, "over", ACL_USER, "john", 0, 1000);
    struct reservation *own = rk_setres(&k, "own", ACL_USER, "ALL", 0, 1000);

    (void)state;
    rk_nodes(&k, 2, 1, 0);
    rk_hold(&k, plain, "n1", 1);
    rk_hold(&k, own, "n1", 1);
    rk_hold(&k, over, "n2", 1);
    plain->flags = RSV_OUTLASTED | RSV_BYNAME;
    over->flags = RSV_OUTLASTED | RSV_BYNAME | RSV_PASSES_PLAIN;
    assert_int_equal(
        acl_decide_job(k.c, plain, rk_job(&k, "john", 1, 9, 0, "over.0"), 9).code,
        ACL_PASSED);
    assert_int_equal(
        acl_decide_job(k.c, plain, rk_job(&k, "eve", 1, 9, 0, "over.0"), 9).code,
        ACL_NOT_NAMED);
    assert_false(
        may_run(&k, "n1", rk_job(&k, "john////deb", 1, 9, JOB_ADVRES, NULL), 0));
    rk_close(&k);
}

static void advres_covers_the_whole_job_r15(void **state)
{
    struct rk k = rk_open("");
    struct reservation *r = rk_setres(&k, "r", ACL_USER, "john", 0, 100);

    (void)state;
    rk_nodes(&k, 1, 1, 0);
    rk_hold(&k, r, "n1", 1);
    assert_int_equal(earliest(&k, "n1", rk_job(&k, "john", 1, 100, 0, "r.0"), 0), 0);
    assert_int_equal(
        earliest(&k, "n1", rk_job(&k, "john", 1, 101, 0, "r.0"), 0), NEVER);
    rk_close(&k);
}

static void an_instance_is_named_by_its_standing_reservation_too_4_2(void **state)
{
    struct rk k =
        rk_open("SRCFG[fast] TASKCOUNT=1 DEPTH=2 USERLIST=john FLAGS=BYNAME\n");
    struct reservation *r = rk_standing(&k, "fast", NULL, 0);

    (void)state;
    assert_string_equal(r->name, "fast.0.0");
    assert_true(granted(&k, r, rk_job(&k, "john", 1, 9, 0, "fast"), 9));
    assert_true(granted(&k, r, rk_job(&k, "john", 1, 9, 0, "fast.0.0"), 9));
    assert_false(granted(&k, r, rk_job(&k, "john", 1, 9, 0, "fast.1.2"), 9));
    assert_false(granted(&k, r, rk_job(&k, "john", 1, 9, 0, "fas"), 9));
    rk_close(&k);
}

static void a_qos_or_credential_may_name_reservations(void **state)
{
    struct rk k = rk_open("QOSCFG[deb] QFLAGS=USERESERVED:debug:night\n"
                          "QOSCFG[any] QFLAGS=USERESERVED\n"
                          "USERCFG[tim] FLAGS=ADVRES:debug.0\n");
    struct reservation *debug = rk_setres(&k, "debug", ACL_USER, "ALL", 0, 100);
    struct reservation *other = rk_setres(&k, "other", ACL_USER, "ALL", 0, 100);
    struct job *deb = rk_job(&k, "a////deb", 1, 9, JOB_ADVRES, NULL);
    struct job *any = rk_job(&k, "a////any", 1, 9, JOB_ADVRES, NULL);
    struct job *tim = rk_job(&k, "tim", 1, 9, JOB_ADVRES, NULL);
    struct acl_asker who;

    (void)state;
    assert_true(granted(&k, debug, deb, 9));
    assert_int_equal(acl_decide_job(k.c, other, deb, 9).code, ACL_OTHER_NAMED);
    assert_true(granted(&k, debug, any, 9));
    assert_true(granted(&k, other, any, 9));
    who = acl_asker_of(k.c, any);
    assert_int_equal(who.confined, ACL_TO_ANY);
    assert_false(acl_confinement_allows(&who, NULL));
    assert_true(granted(&k, debug, tim, 9));
    assert_false(granted(&k, other, tim, 9));
    rk_close(&k);
}

/* ---- time ---- */

static void ignsrmaxtime_satisfies_every_limit(void **state)
{
    struct rk k = rk_open("QOSCFG[hi] QFLAGS=IGNSRMAXTIME\n"
                          "SRCFG[x] TASKCOUNT=1 QOSLIST=hi,lo TIMELIMIT=1:00*\n");
    struct reservation *r = rk_standing(&k, "x", NULL, 0);

    (void)state;
    assert_true(granted(&k, r, rk_job(&k, "a////hi", 1, 9, 0, NULL), HOUR));
    assert_false(granted(&k, r, rk_job(&k, "a////lo", 1, 9, 0, NULL), HOUR));
    rk_close(&k);
}

static void overlap_is_what_both_have_in_common(void **state)
{
    struct rk k = rk_open("");
    struct reservation *r = rk_setres(&k, "r", ACL_USER, "a", 100, 200);
    struct reservation *e = rk_setres(&k, "e", ACL_USER, "a", 100, TIME_NEVER);

    (void)state;
    assert_int_equal(acl_overlap(r, 0, 100), 0);
    assert_int_equal(acl_overlap(r, 0, 101), 1);
    assert_int_equal(acl_overlap(r, 150, 170), 20);
    assert_int_equal(acl_overlap(r, 150, TIME_NEVER), 50);
    assert_int_equal(acl_overlap(r, 200, 300), 0);
    assert_int_equal(acl_overlap(e, 200, 300), 100);
    rk_close(&k);
}

static void equal_lists_are_told_from_others(void **state)
{
    (void)state;
    struct rk k = rk_open("");
    struct reservation *a = rk_setres(&k, "a", ACL_USER, "ann,bob-", 100, 200);
    struct reservation *same = rk_setres(&k, "b", ACL_USER, "ann,bob-", 300, 900);
    static const struct {
        enum acl_type type;
        const char *list;
    } others[] = {{ACL_USER, "ann,bob"}, {ACL_USER, "bob-,ann"}, {ACL_USER, "ann"},
        {ACL_GROUP, "ann,bob-"}, {ACL_USER, "ann*,bob-"}, {ACL_USER, "!ann,bob-"},
        {ACL_USER, NULL}, {ACL_DURATION, "1:00"}};

    assert_true(acl_same(a, same));
    assert_true(acl_hash(a) == acl_hash(same));
    same->flags |= RSV_BYNAME;
    assert_false(acl_same(a, same));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct reservation *other =
            rk_setres(&k, "o", others[i].type, others[i].list, 100, 200);
        assert_false(acl_same(a, other));
        assert_true(acl_same(other, other));
    }
    rk_close(&k);
}

static void a_verdict_holds_up_to_the_next_limit(void **state)
{
    static const char *const lists[] = {"60", "<60", "==60", ">=60", ">60", "10,60*"};
    static const int64_t at10[] = {60, 59, 59, 59, 60, 10};
    struct rk k = rk_open("");
    struct reservation *plain = rk_setres(&k, "r", ACL_USER, "a", 0, 100);
    struct acl_asker who = acl_anybody();

    (void)state;
    assert_false(acl_depends_on_overlap(plain));
    assert_int_equal(acl_same_until(plain, 10), DURATION_UNLIMITED);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct reservation *r = rk_setres(&k, "r", ACL_DURATION, lists[i], 0, 100);
        bool before = acl_decide(k.c, r, &who, 0).granted;

        assert_true(acl_depends_on_overlap(r));
        assert_int_equal(acl_same_until(r, 10), at10[i]);
        assert_int_equal(acl_same_until(r, 61), DURATION_UNLIMITED);
        for (int64_t o = 1, same = acl_same_until(r, 0); o < 100; o++) {
            bool yes = acl_decide(k.c, r, &who, o).granted;

            if (o <= same)
                assert_int_equal(yes, before);
            else
                same = acl_same_until(r, o);
            before = yes;
        }
    }
    rk_close(&k);
}

/* ---- anybody ---- */

static void anybody_meets_all_but_not_lists_and_limits_4_4(void **state)
{
    struct rk k =
        rk_open("SRCFG[a] TASKCOUNT=1 USERLIST=john* GROUPLIST=staff\n"
                "SRCFG[b] TASKCOUNT=1 USERLIST=!john\n"
                "SRCFG[c] TASKCOUNT=1 CLASSLIST=x TIMELIMIT=1:00*\n"
                "SRCFG[d] TASKCOUNT=1 USERLIST=john FLAGS=BYNAME\n"
                "SRCFG[e] TASKCOUNT=1\n"
                "SRCFG[f] TASKCOUNT=1 PROCLIMIT=>=4* JOBATTRLIST=PREEMPTEE\n");
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    static const bool want[] = {true, true, false, false, false, true};
    struct acl_asker who = acl_anybody();
    struct reservation *r[6];

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        r[i] = rk_standing(&k, names[i], NULL, 0);
        assert_int_equal(acl_decide(k.c, r[i], &who, HOUR).granted, want[i]);
    }
    assert_true(acl_decide(k.c, r[2], &who, 60).granted);
    who.procs = 2;
    assert_false(acl_decide(k.c, r[5], &who, HOUR).granted);
    who.cred[CRED_USER] = cred_get(k.c, CRED_USER, "eve")->index;
    assert_false(acl_decide(k.c, r[0], &who, HOUR).granted);
    rk_close(&k);
}

/* ---- sentences ---- */

static void refusals_are_explained_in_a_sentence(void **state)
{
    struct rk k = rk_open(
        "SRCFG[x] TASKCOUNT=1 PERIOD=INFINITY USERLIST=ann,!bob TIMELIMIT=1:00:00* "
        "GROUPLIST=staff\n");
    struct reservation *r = rk_standing(&k, "x", NULL, 0);
    static const struct {
        const char *who, *advres;
        int64_t overlap;
        const char *words;
    } cases[] = {
        {"ann", NULL, 9, "reservation x.0.0 gives access by USER==ann+"},
        {"bob", NULL, 9, "reservation x.0.0 excludes the job by USER!=bob"},
        {"ann", NULL, 7200,
            "reservation x.0.0 requires DURATION<=01:00:00+*, and the job would use it "
            "for 02:00:00"},
        {"ann", "y", 9, "the job is confined to another reservation than x.0.0"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct job *j = rk_job(&k, cases[i].who, 1, 9, 0, cases[i].advres);
        struct acl_verdict v = acl_decide_job(k.c, r, j, cases[i].overlap);

        acl_format_reason(k.c, r, &v, k.text, sizeof k.text);
        assert_string_equal(k.text, cases[i].words);
    }
    rk_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_of_several_lists_suffices_r1),
        cmocka_unit_test(stacked_reservations_must_all_admit_r2),
        cmocka_unit_test(reservations_side_by_side_add_up_r3),
        cmocka_unit_test(the_rest_of_a_node_is_open_to_all_r4),
        cmocka_unit_test(an_empty_list_admits_nobody_r5),
        cmocka_unit_test(a_time_limit_is_one_more_way_in_r6),
        cmocka_unit_test(a_required_time_limit_binds_everybody_r7),
        cmocka_unit_test(the_overlap_counts_and_not_the_length_r8),
        cmocka_unit_test(what_is_named_with_not_is_kept_out_r9),
        cmocka_unit_test(the_mark_of_the_matching_entry_is_the_affinity_r10),
        cmocka_unit_test(the_last_match_decides_the_affinity_4_3),
        cmocka_unit_test(required_entries_alone_admit_with_the_last_of_them),
        cmocka_unit_test(sizes_of_jobs_can_be_limits),
        cmocka_unit_test(job_attributes_admit_r44),
        cmocka_unit_test(default_is_a_name_and_all_is_everybody),
        cmocka_unit_test(whom_a_list_names_is_known_and_asking_makes_nobody),
        cmocka_unit_test(random_lists_decide_as_the_rules_read),
        cmocka_unit_test(byname_admits_those_who_name_it_r12),
        cmocka_unit_test(advres_confines_to_reservations_r13),
        cmocka_unit_test(advres_with_a_name_confines_to_that_one_r14),
        cmocka_unit_test(others_are_passed_by_who_is_let_in_where_he_names),
        cmocka_unit_test(advres_covers_the_whole_job_r15),
        cmocka_unit_test(an_instance_is_named_by_its_standing_reservation_too_4_2),
        cmocka_unit_test(a_qos_or_credential_may_name_reservations),
        cmocka_unit_test(ignsrmaxtime_satisfies_every_limit),
        cmocka_unit_test(overlap_is_what_both_have_in_common),
        cmocka_unit_test(equal_lists_are_told_from_others),
        cmocka_unit_test(a_verdict_holds_up_to_the_next_limit),
        cmocka_unit_test(anybody_meets_all_but_not_lists_and_limits_4_4),
        cmocka_unit_test(refusals_are_explained_in_a_sentence),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
