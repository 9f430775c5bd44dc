/* SPDX-License-Identifier: Apache-2.0
 * What a job's credentials give it. Names of tests end in the section of the
 * reference (qos-credentials) whose example or rule they are. */
#include "cluster/node.h"
#include "cluster/partition.h"
#include "limits_kit.h"

static void list(struct name_list *l, enum list_mode mode, const char *names)
{
    char text[200], *save = NULL;

    snprintf(text, sizeof text, "%s", names);
    for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save))
        text_list_add(&l->names, w);
    l->mode = mode;
    l->set = true;
}

static struct cred_cfg *qlist(
    struct cred_cfg *c, enum list_mode mode, const char *names)
{
    list(&c->qlist, mode, names);
    return c;
}

static struct cred_cfg *plist(
    struct cred_cfg *c, enum list_mode mode, const char *names)
{
    list(&c->plist, mode, names);
    return c;
}

static void qdef(struct cred_cfg *c, const char *name)
{
    free(c->qdef);
    c->qdef = xstrdup(name);
}

static void pdef(struct cred_cfg *c, const char *name)
{
    free(c->pdef);
    c->pdef = xstrdup(name);
}

static void adef(struct cred_cfg *c, const char *name)
{
    free(c->adef);
    c->adef = xstrdup(name);
}

/* A resolved job: the reason must be `want`. */
static struct job *resolved(struct kit *k, const char *who, enum hold_reason want)
{
    struct job *j = job_of(k, who, 1, 0, HOURS(1));

    assert_int_equal(access_resolve(k->c, j, &k->fault), want);
    assert_int_equal(k->fault.text[0] != '\0', want != REASON_NONE);
    assert_int_equal(k->fault.code[0] != '\0', want != REASON_NONE);
    assert_int_equal(k->fault.reason, want);
    return j;
}

static const char *cred_of(struct kit *k, const struct job *j, enum cred_kind kind)
{
    return job_cred(k->c, j, kind)->name;
}

/* The accessible QOS by name, in index order: "DEFAULT geo". */
static const char *qos_set(struct kit *k, const struct job *j)
{
    static char buf[400];
    uint64_t set[2];

    buf[0] = '\0';
    access_qos_set(k->c, j, set, 2);
    for (uint32_t i = 0; i < k->c->creds[CRED_QOS].n; i++) {
        bool in = set[i / 64] >> i % 64 & 1;
        assert_int_equal(in, access_qos_allowed(k->c, j, i));
        if (!in)
            continue;
        if (buf[0])
            strcat(buf, " ");
        strcat(buf, k->c->creds[CRED_QOS].v[i]->name);
    }
    return buf;
}

static const char *par_set(struct kit *k, const struct job *j)
{
    static char buf[400];

    buf[0] = '\0';
    for (uint32_t i = 0; i < k->c->partitions.n; i++)
        if (j->partitions >> i & 1) {
            if (buf[0])
                strcat(buf, " ");
            strcat(buf, k->c->partitions.v[i]->name);
        }
    return buf;
}

static const char *default_par(struct kit *k, const struct job *j)
{
    return j->pdef == INDEX_NONE ? "any" : k->c->partitions.v[j->pdef]->name;
}

/* ---- section 2: accounts -------------------------------------------------------- */

static void an_account_comes_from_the_first_that_names_one_2(void **state)
{
    static const struct {
        const char *who, *account;
    } rows[] = {
        {"u/g/asked/-/q", "asked"},
        {"u/g/-/-/q", "of_user"},
        {"v/g/-/-/q", "of_group"},
        {"v/h/-/-/q", "of_qos"},
        {"v/h", "of_users"},
    };
    struct kit *k = kit_new();
    struct job *j;

    (void)state;
    adef(cfg(k, CRED_USER, "u"), "of_user");
    adef(cfg(k, CRED_GROUP, "g"), "of_group");
    adef(cfg(k, CRED_QOS, "q"), "of_qos");
    adef(cfg(k, CRED_USER, "DEFAULT"), "of_users");
    adef(cfg(k, CRED_GROUP, "DEFAULT"), "of_groups");
    qlist(&k->s->sys, LIST_OR, "DEFAULT q");
    kit_ready(k);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        j = resolved(k, rows[i].who, REASON_NONE);
        assert_string_equal(cred_of(k, j, CRED_ACCOUNT), rows[i].account);
        /* what was defaulted is not taken for a request the next time */
        assert_int_equal(access_resolve(k->c, j, &k->fault), REASON_NONE);
        assert_string_equal(cred_of(k, j, CRED_ACCOUNT), rows[i].account);
    }
    kit_free(k);

    k = kit_new();
    adef(cfg(k, CRED_GROUP, "DEFAULT"), "of_groups");
    kit_ready(k);
    j = resolved(k, "v/h", REASON_NONE);
    assert_string_equal(cred_of(k, j, CRED_ACCOUNT), "of_groups");
    kit_free(k);

    k = kit_new();
    kit_ready(k);
    assert_int_equal(resolved(k, "v/h", REASON_NONE)->cred[CRED_ACCOUNT], 0);
    kit_free(k);
}

static void an_account_in_no_alist_defers_the_job_2(void **state)
{
    struct kit *k = kit_new();

    (void)state;
    list(&cfg(k, CRED_USER, "u")->alist, LIST_OR, "a b");
    adef(cfg(k, CRED_USER, "u"), "own");
    list(&cfg(k, CRED_GROUP, "g")->alist, LIST_OR, "c");
    kit_ready(k);
    resolved(k, "u/g/a", REASON_NONE);
    resolved(k, "u/g/c", REASON_NONE);
    resolved(k, "u/g/own", REASON_NONE);
    resolved(k, "u/h/b", REASON_NONE);
    resolved(k, "v/h/anything", REASON_NONE);
    resolved(k, "u/g", REASON_NONE);
    resolved(k, "v/g/x", REASON_CREDACCESS);
    resolved(k, "u/g/x", REASON_CREDACCESS);
    assert_string_equal(k->fault.text, "account x is in no ALIST of user u or group g");
    kit_free(k);
}

/* ---- section 3: QOS ---- */

static void john_has_geo_chem_staff_and_normal_of_his_class_3(void **state)
{
    struct kit *k = kit_new();
    struct job *j;

    (void)state;
    qdef(qlist(cfg(k, CRED_USER, "john"), LIST_OR, "geo chem staff"), "geo");
    qdef(cfg(k, CRED_GROUP, "systems"), "development");
    qdef(cfg(k, CRED_CLASS, "batch"), "normal");
    kit_ready(k);
    j = resolved(k, "john/users/-/batch", REASON_NONE);
    assert_string_equal(qos_set(k, j), "DEFAULT geo chem staff normal");
    assert_string_equal(cred_of(k, j, CRED_QOS), "geo");
    j = resolved(k, "mary/systems/-/batch", REASON_NONE);
    assert_string_equal(qos_set(k, j), "DEFAULT development normal");
    assert_string_equal(cred_of(k, j, CRED_QOS), "development");
    j = resolved(k, "mary/users/-/batch", REASON_NONE);
    assert_string_equal(cred_of(k, j, CRED_QOS), "normal");
    j = resolved(k, "john/users/-/batch/chem", REASON_NONE);
    assert_string_equal(cred_of(k, j, CRED_QOS), "chem");
    kit_free(k);
}

static void without_any_list_there_is_only_qos_default_3_1(void **state)
{
    struct kit *k = kit_new();
    struct job *j;

    (void)state;
    kit_ready(k);
    j = resolved(k, "john", REASON_NONE);
    assert_string_equal(qos_set(k, j), "DEFAULT");
    assert_int_equal(j->cred[CRED_QOS], 0);
    kit_free(k);
}

static void an_inaccessible_qos_defers_the_job_with_its_default_3_3(void **state)
{
    struct kit *k = kit_new();
    struct job *j;

    (void)state;
    qdef(qlist(cfg(k, CRED_USER, "john"), LIST_OR, "geo chem"), "geo");
    kit_ready(k);
    j = resolved(k, "john/-/-/-/hi", REASON_QOSACCESS);
    assert_string_equal(k->fault.text,
        "QOS hi is not accessible to user john; accessible: DEFAULT, geo, chem");
    assert_string_equal(cred_of(k, j, CRED_QOS), "geo");
    /* the request is kept: it is granted as soon as the list allows it */
    text_list_add(&cfg(k, CRED_USER, "john")->qlist.names, "hi");
    cluster_configure(k->c, k->s);
    assert_int_equal(access_resolve(k->c, j, &k->fault), REASON_NONE);
    assert_string_equal(cred_of(k, j, CRED_QOS), "hi");
    kit_free(k);
}

/* Of a resource manager that has looked at accounts and QOS already. */
static void what_a_resource_manager_admitted_is_accessible_where_no_list_is(
    void **state)
{
    struct kit *k = kit_new();
    struct job *j;

    (void)state;
    qdef(cfg(k, CRED_USER, "mary"), "day"); /* a default restricts nobody */
    qlist(cfg(k, CRED_USER, "john"), LIST_OR, "geo");
    kit_ready(k);
    for (int i = 0; i < 3; i++) {
        const char *const who[] = {"paul/-/-/-/hi", "mary/-/-/-/hi", "john/-/-/-/hi"};
        j = job_of(k, who[i], 1, 0, HOURS(1));
        assert_int_equal(access_resolve(k->c, j, &k->fault), REASON_QOSACCESS);
        j->admitted = true;
        assert_int_equal(
            access_resolve(k->c, j, &k->fault), i < 2 ? REASON_NONE : REASON_QOSACCESS);
        assert_string_equal(cred_of(k, j, CRED_QOS), i < 2 ? "hi" : "DEFAULT");
    }
    kit_free(k);
}

/* setqos asks us, not the resource manager: it may no more than before. */
static void an_admitted_job_gets_no_other_qos_by_its_owner(void **state)
{
    struct kit *k = kit_new();
    struct err err = {0};

    (void)state;
    kit_ready(k);
    cred_get(k->c, CRED_QOS, "better");
    struct job *j = job_of(k, "paul/-/-/-/hi", 1, 0, HOURS(1));
    j->admitted = true;
    access_resolve(k->c, j, &k->fault);
    assert_int_equal(access_set_qos(k->c, j, "better", false, &err), -1);
    assert_string_equal(cred_of(k, j, CRED_QOS), "hi");
    kit_free(k);
}

static void an_and_list_discards_what_or_gave_3_1(void **state)
{
    struct kit *k = kit_new();

    (void)state;
    qlist(cfg(k, CRED_USER, "u"), LIST_OR, "a b");
    qlist(cfg(k, CRED_GROUP, "g"), LIST_AND, "b c");
    qlist(cfg(k, CRED_CLASS, "k"), LIST_AND, "c d");
    qlist(cfg(k, CRED_CLASS, "none"), LIST_AND, "");
    kit_ready(k);
    assert_string_equal(qos_set(k, resolved(k, "u", REASON_NONE)), "DEFAULT a b");
    assert_string_equal(qos_set(k, resolved(k, "u/g", REASON_NONE)), "b c");
    assert_string_equal(qos_set(k, resolved(k, "u/g/-/k", REASON_NONE)), "c");
    assert_string_equal(qos_set(k, resolved(k, "u/-/-/none", REASON_NONE)), "");
    kit_free(k);
}

static void a_system_list_with_and_is_the_start_3_1(void **state)
{
    struct kit *k = kit_new();

    (void)state;
    qlist(&k->s->sys, LIST_AND, "a b c");
    qlist(cfg(k, CRED_USER, "u"), LIST_OR, "z"); /* OR lists no longer matter */
    qlist(cfg(k, CRED_GROUP, "g"), LIST_AND, "b c");
    qlist(cfg(k, CRED_USER, "w"), LIST_AND, "c d");
    kit_ready(k);
    assert_string_equal(qos_set(k, resolved(k, "u", REASON_NONE)), "a b c");
    assert_string_equal(qos_set(k, resolved(k, "u/g", REASON_NONE)), "b c");
    assert_string_equal(qos_set(k, resolved(k, "w/g", REASON_NONE)), "c");
    /* nothing set as default and DEFAULT not accessible: the lowest number */
    assert_string_equal(cred_of(k, resolved(k, "u/g", REASON_NONE), CRED_QOS), "b");
    kit_free(k);
}

static void an_only_list_is_all_user_before_group_3_1(void **state)
{
    struct kit *k = kit_new();

    (void)state;
    qlist(&k->s->sys, LIST_OR, "a b c");
    qlist(cfg(k, CRED_USER, "u"), LIST_ONLY, "d");
    qlist(cfg(k, CRED_GROUP, "g"), LIST_ONLY, "e");
    qlist(cfg(k, CRED_ACCOUNT, "acc"), LIST_ONLY, "f");
    qlist(cfg(k, CRED_CLASS, "k"), LIST_ONLY, "h");
    qlist(cfg(k, CRED_USER, "v"), LIST_AND, "a d e f h");
    kit_ready(k);
    assert_string_equal(qos_set(k, resolved(k, "u/g/acc/k", REASON_NONE)), "d");
    assert_string_equal(qos_set(k, resolved(k, "v/g/acc/k", REASON_NONE)), "e");
    assert_string_equal(qos_set(k, resolved(k, "v/-/acc/k", REASON_NONE)), "f");
    assert_string_equal(qos_set(k, resolved(k, "v/-/-/k", REASON_NONE)), "h");
    assert_string_equal(qos_set(k, resolved(k, "v", REASON_NONE)), "a d e f h");
    kit_free(k);
}

static void default_objects_lend_their_lists_3_1(void **state)
{
    struct kit *k = kit_new();
    struct job *j;

    (void)state;
    qdef(qlist(cfg(k, CRED_USER, "DEFAULT"), LIST_OR, "low"), "low");
    qlist(cfg(k, CRED_USER, "u"), LIST_OR, "high");
    qlist(cfg(k, CRED_USER, "w"), LIST_ONLY, "own");
    qlist(cfg(k, CRED_USER, "x"), LIST_AND, "high low");
    kit_ready(k);
    j = resolved(k, "newcomer", REASON_NONE);
    assert_string_equal(qos_set(k, j), "DEFAULT low");
    assert_string_equal(cred_of(k, j, CRED_QOS), "low");
    assert_string_equal(qos_set(k, resolved(k, "u", REASON_NONE)), "DEFAULT high");
    assert_string_equal(qos_set(k, resolved(k, "w", REASON_NONE)), "own");
    assert_string_equal(qos_set(k, resolved(k, "x", REASON_NONE)), "low high");
    /* USERCFG[DEFAULT] QDEF comes right after the user's own, if accessible */
    assert_string_equal(cred_of(k, resolved(k, "x", REASON_NONE), CRED_QOS), "low");
    assert_string_equal(cred_of(k, resolved(k, "u", REASON_NONE), CRED_QOS), "DEFAULT");
    kit_free(k);
}

static void the_default_qos_goes_by_user_group_account_class_system_3_2(void **state)
{
    static const struct {
        const char *who, *qos;
    } rows[] = {
        {"u/g/a/k", "of_user"},
        {"v/g/a/k", "of_group"},
        {"v/h/a/k", "of_account"},
        {"v/h/b/k", "of_class"},
        {"v/h/b/l", "of_classes"},
    };
    struct kit *k = kit_new();

    (void)state;
    qdef(cfg(k, CRED_USER, "u"), "of_user");
    qdef(cfg(k, CRED_GROUP, "g"), "of_group");
    qdef(cfg(k, CRED_ACCOUNT, "a"), "of_account");
    qdef(cfg(k, CRED_CLASS, "k"), "of_class");
    qdef(cfg(k, CRED_CLASS, "DEFAULT"), "of_classes");
    qdef(&k->s->sys, "of_system");
    kit_ready(k);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(
            cred_of(k, resolved(k, rows[i].who, REASON_NONE), CRED_QOS), rows[i].qos);
    kit_free(k);

    k = kit_new();
    qdef(&k->s->sys, "of_system");
    qdef(cfg(k, CRED_USER, "u"), "DEFAULT"); /* is as good as not set */
    kit_ready(k);
    struct job *j = resolved(k, "u", REASON_NONE);
    assert_string_equal(cred_of(k, j, CRED_QOS), "of_system");
    assert_string_equal(qos_set(k, j), "DEFAULT of_system");
    kit_free(k);
}

static void numeric_ranges_are_lists_of_names_3_1(void **state)
{
    struct kit *k = kit_new();

    (void)state;
    qlist(cfg(k, CRED_USER, "u"), LIST_OR, "4-6 odd-name 9-7 1-x");
    kit_ready(k);
    assert_string_equal(
        qos_set(k, resolved(k, "u", REASON_NONE)), "DEFAULT 4 5 6 odd-name 9-7 1-x");
    resolved(k, "u/-/-/-/5", REASON_NONE);
    resolved(k, "u/-/-/-/7", REASON_QOSACCESS);
    kit_free(k);
}

static void setqos_obeys_the_list_except_for_administrators_3_3(void **state)
{
    struct kit *k = kit_new();
    struct job *j;
    struct err err = {0};

    (void)state;
    qlist(cfg(k, CRED_USER, "john"), LIST_OR, "geo chem");
    cfg(k, CRED_QOS, "special");
    kit_ready(k);
    j = resolved(k, "john", REASON_NONE);
    assert_int_equal(access_set_qos(k->c, j, "geo", false, &err), 0);
    assert_string_equal(cred_of(k, j, CRED_QOS), "geo");
    assert_string_equal(k->c->creds[CRED_QOS].v[j->qos_asked]->name, "geo");

    assert_int_equal(access_set_qos(k->c, j, "speciall", false, &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_string_equal(
        err.text, "there is no QOS 'speciall'; did you mean 'special'?");
    assert_int_equal(access_set_qos(k->c, j, "special", false, &err), -1);
    assert_int_equal(err.code, ERR_DENIED);
    assert_string_equal(err.text,
        "QOS special is not accessible to job job.0; accessible: DEFAULT, geo, chem");
    assert_string_equal(cred_of(k, j, CRED_QOS), "geo");

    assert_int_equal(access_set_qos(k->c, j, "special", true, &err), 0);
    assert_int_equal(access_resolve(k->c, j, &k->fault), REASON_NONE);
    assert_string_equal(cred_of(k, j, CRED_QOS), "special");
    assert_int_equal(access_set_qos(k->c, j, "DEFAULT", false, &err), 0);
    assert_int_equal(j->cred[CRED_QOS], 0);
    kit_free(k);
}

/* ---- sections 4 and 5: flags ---- */

static void flags_are_those_of_request_credentials_and_qos_5(void **state)
{
    struct kit *k = kit_new();
    struct job *j;

    (void)state;
    cfg(k, CRED_USER, "DEFAULT")->job_flags = JOB_RESTARTABLE;
    cfg(k, CRED_USER, "u")->job_flags = JOB_BENCHMARK;
    cfg(k, CRED_GROUP, "g")->job_flags = JOB_BESTEFFORT;
    cfg(k, CRED_ACCOUNT, "a")->job_flags = JOB_BYNAME;
    cfg(k, CRED_CLASS, "k")->job_flags = JOB_PRESTART;
    cfg(k, CRED_QOS, "q")->qos_flags =
        QOS_USERESERVED | QOS_PREEMPTOR | QOS_PREEMPTEE | QOS_SPAN | QOS_DEDICATED;
    cfg(k, CRED_QOS, "always")->qos_flags = QOS_RESERVEALWAYS | QOS_PREEMPTEE;
    qlist(&k->s->sys, LIST_OR, "DEFAULT q always");
    kit_ready(k);
    j = resolved(k, "u/g/a/k/q", REASON_NONE);
    j->flags_asked = JOB_NOQUEUE;
    j->flags |= JOB_BACKFILL | JOB_SYSPRIO_SET; /* the scheduler's own stay */
    access_resolve(k->c, j, &k->fault);
    assert_int_equal(j->flags, JOB_BENCHMARK | JOB_BESTEFFORT | JOB_BYNAME
                                   | JOB_PRESTART | JOB_ADVRES | JOB_PREEMPTOR
                                   | JOB_PREEMPTEE | JOB_SPAN | JOB_DEDICATED
                                   | JOB_NOQUEUE | JOB_BACKFILL | JOB_SYSPRIO_SET);
    assert_int_equal(resolved(k, "v", REASON_NONE)->flags, JOB_RESTARTABLE);
    assert_int_equal(resolved(k, "u/-/-/-/always", REASON_NONE)->flags, JOB_BENCHMARK);
    /* flags of a QOS go with it */
    j->qos_asked = 0;
    access_resolve(k->c, j, &k->fault);
    assert_false(j->flags & (JOB_ADVRES | JOB_DEDICATED));
    kit_free(k);
}

static enum access_policy access_of(
    struct kit *k, const char *who, uint32_t flags, enum access_policy asked)
{
    struct req_desc req = {.per_task = {{1, 0, 0, 0}}, .access = asked};
    struct job *j = job_of(k, who, 1, 0, 60);
    struct job_desc d = {.id = "x", .flags = flags, .reqs = &req, .nreqs = 1};
    struct job *x;

    for (int i = 0; i < CRED_KINDS; i++)
        d.cred[i] = j->cred[i] ? job_cred(k->c, j, i)->name : NULL;
    assert_int_equal(job_add(k->c, &d, 0, &x, NULL), 0);
    assert_int_equal(access_resolve(k->c, x, &k->fault), REASON_NONE);
    enum access_policy access = x->reqs[0].def->access;
    job_remove(k->c, x);
    return access;
}

static void node_access_is_that_of_job_qos_class_global_in_that_order(void **state)
{
    struct kit *k = kit_new();

    (void)state;
    k->s->node_access = ACCESS_SINGLEUSER;
    cfg(k, CRED_CLASS, "k")->access = ACCESS_SINGLETASK;
    cfg(k, CRED_QOS, "q")->qos_flags = QOS_DEDICATED;
    qlist(&k->s->sys, LIST_OR, "DEFAULT q");
    kit_ready(k);
    assert_int_equal(access_of(k, "u", 0, ACCESS_UNSET), ACCESS_SINGLEUSER);
    assert_int_equal(access_of(k, "u/-/-/k", 0, ACCESS_UNSET), ACCESS_SINGLETASK);
    assert_int_equal(access_of(k, "u/-/-/k/q", 0, ACCESS_UNSET), ACCESS_SINGLEJOB);
    assert_int_equal(access_of(k, "u/-/-/k/q", 0, ACCESS_SHARED), ACCESS_SHARED);
    assert_int_equal(access_of(k, "u", JOB_DEDICATED, ACCESS_UNSET), ACCESS_SINGLEJOB);
    assert_int_equal(
        access_of(k, "u/-/-/k", JOB_SHAREDNODE, ACCESS_UNSET), ACCESS_SHARED);
    kit_free(k);
}

/* ---- section 6: classes ---- */

static int64_t wclimit_of(struct kit *k, const char *who, int64_t asked)
{
    struct job *j = job_of(k, who, 1, 0, asked);

    assert_int_equal(access_resolve(k->c, j, &k->fault), REASON_NONE);
    return j->wclimit_s;
}

static void a_missing_wclimit_comes_from_qos_class_then_system_6(void **state)
{
    struct kit *k = kit_new();
    struct job *j;

    (void)state;
    cfg(k, CRED_QOS, "q")->def_wclimit_s = 100;
    cfg(k, CRED_CLASS, "k")->def_wclimit_s = 200;
    qlist(&k->s->sys, LIST_OR, "DEFAULT q");
    kit_ready(k);
    assert_int_equal(wclimit_of(k, "u/-/-/k/q", 0), 100);
    assert_int_equal(wclimit_of(k, "u/-/-/k", 0), 200);
    assert_int_equal(wclimit_of(k, "u", 0), 864000);
    assert_int_equal(wclimit_of(k, "u/-/-/k/q", 50), 50);
    assert_int_equal(wclimit_of(k, "u/-/-/k", DURATION_UNLIMITED), 200);
    assert_int_equal(wclimit_of(k, "u", DURATION_UNLIMITED), DURATION_UNLIMITED);
    j = job_of(k, "u", 1, 0, DURATION_UNLIMITED);
    k->s->par.v[0].max_wclimit_s = 7200;
    access_resolve(k->c, j, &k->fault);
    assert_int_equal(j->wclimit_s, 7200);
    k->s->par.v[0].max_wclimit_s = 3600; /* starts from the request again */
    access_resolve(k->c, j, &k->fault);
    assert_int_equal(j->wclimit_s, 3600);
    kit_free(k);
}

static bool has_feature(struct kit *k, const struct taskdef *def, const char *name)
{
    uint32_t id = names_find(k->c->features, name);

    for (size_t i = 0; i < def->features.n; i++)
        if (def->features.v[i] == id)
            return true;
    return false;
}

static void class_and_qos_features_are_merged_into_the_request_6(void **state)
{
    struct kit *k = kit_new();
    struct job *a, *b;
    const struct taskdef *def;

    (void)state;
    text_list_add(&cfg(k, CRED_CLASS, "k")->def_features, "ib");
    text_list_add(&cfg(k, CRED_CLASS, "DEFAULT")->def_features, "plain");
    text_list_add(&cfg(k, CRED_QOS, "q")->qos_features, "fast");
    text_list_add(&cfg(k, CRED_QOS, "q")->qos_features, "ib");
    qlist(&k->s->sys, LIST_OR, "DEFAULT q");
    k->s->match_exactnode = k->s->match_exactproc = true;
    kit_ready(k);
    a = resolved(k, "u/-/-/k/q", REASON_NONE);
    b = resolved(k, "v/-/-/k/q", REASON_NONE);
    def = a->reqs[0].def;
    assert_ptr_equal(def, b->reqs[0].def); /* equal requests share one definition */
    assert_int_equal(def->features.n, 2);
    assert_true(has_feature(k, def, "ib"));
    assert_true(has_feature(k, def, "fast"));
    assert_true(def->exactnode && def->exactproc);
    assert_int_equal(def->cls, a->cred[CRED_CLASS]);
    a->qos_asked = 0; /* nothing of an earlier resolution stays */
    access_resolve(k->c, a, &k->fault);
    assert_int_equal(a->reqs[0].def->features.n, 1);
    b = resolved(k, "u", REASON_NONE);
    assert_true(has_feature(k, b->reqs[0].def, "plain"));
    assert_int_equal(b->reqs[0].def->cls, INDEX_NONE);
    kit_free(k);
}

static void ignhostlist_drops_the_host_list_of_the_job_4(void **state)
{
    const char *const hosts[] = {"n1", NULL};
    const struct node_desc node = {
        .name = "n1", .state = NODE_IDLE, .cfg = {{4, 0, 0, 0}}};
    struct req_desc req = {.per_task = {{1, 0, 0, 0}}, .hosts = hosts};
    struct job_desc d = {.id = "x", .cred = {"u"}, .reqs = &req, .nreqs = 1};
    struct kit *k = kit_new();
    struct job *j;

    (void)state;
    cfg(k, CRED_QOS, "q")->qos_flags = QOS_IGNHOSTLIST;
    qlist(&k->s->sys, LIST_OR, "DEFAULT q");
    kit_ready(k);
    assert_int_equal(node_report(k->c, &node, 0, NULL, NULL), 0);
    assert_int_equal(job_add(k->c, &d, 0, &j, NULL), 0);
    access_resolve(k->c, j, &k->fault);
    assert_int_equal(j->reqs[0].def->hosts.n, 1);
    assert_true(j->flags & JOB_HOSTLIST);
    assert_int_equal(access_set_qos(k->c, j, "q", false, NULL), 0);
    access_resolve(k->c, j, &k->fault);
    assert_int_equal(j->reqs[0].def->hosts.n, 0);
    assert_int_equal(j->reqs[0].asked->hosts.n, 1);
    kit_free(k);
}

static void a_job_beyond_its_class_is_held_6(void **state)
{
    struct kit *k = kit_new();
    struct req_desc reqs[2] = {
        {.per_task = {{1, 0, 0, 0}}}, {.per_task = {{2, 0, 0, 0}}}};
    struct job_desc d = {.id = "two", .cred = {"u"}, .reqs = reqs, .nreqs = 2};
    struct job *j;

    (void)state;
    cfg(k, CRED_CLASS, "k")->max_wclimit_s = 60;
    kit_ready(k);
    resolved(k, "u/-/-/k", REASON_POLICY);
    assert_string_equal(k->fault.text,
        "the job asks for a wallclock limit of 01:00:00 but class k allows at most "
        "00:01:00 (MAX.WCLIMIT)");
    assert_string_equal(k->fault.code, "MAX.WCLIMIT class k 3600 60");
    assert_int_equal(job_add(k->c, &d, 0, &j, NULL), 0);
    assert_int_equal(access_resolve(k->c, j, &k->fault), REASON_POLICY);
    assert_string_equal(k->fault.text,
        "the job has 2 requests and jobs of more than one are not enabled "
        "(ENABLEMULTIREQJOBS)");
    assert_ptr_equal(j->req.def, j->reqs[0].def);
    k->s->enable_multireq_jobs = true;
    assert_int_equal(access_resolve(k->c, j, &k->fault), REASON_NONE);
    kit_free(k);
}

/* ---- section 7: partitions ---- */

static void general_for_all_and_test_for_some_7(void **state)
{
    struct kit *k = kit_new();
    struct job *j;

    (void)state;
    plist(&k->s->sys, LIST_OR, "");
    plist(cfg(k, CRED_USER, "DEFAULT"), LIST_OR, "general");
    pdef(plist(cfg(k, CRED_USER, "steve"), LIST_OR, "general test"), "test");
    pdef(plist(cfg(k, CRED_GROUP, "staff"), LIST_OR, "general test"), "general");
    kit_ready(k);
    j = resolved(k, "john/users", REASON_NONE);
    assert_string_equal(par_set(k, j), "general");
    assert_string_equal(default_par(k, j), "any");
    j = resolved(k, "steve/users", REASON_NONE);
    assert_string_equal(par_set(k, j), "general test");
    assert_string_equal(default_par(k, j), "test");
    j = resolved(k, "john/staff", REASON_NONE);
    assert_string_equal(par_set(k, j), "general test");
    assert_string_equal(default_par(k, j), "general");
    j = resolved(k, "steve/staff", REASON_NONE);
    assert_string_equal(default_par(k, j), "test");
    kit_free(k);
}

static void demo_has_test_staff_general_both_nothing_others_all_7(void **state)
{
    struct kit *k = kit_new();

    (void)state;
    plist(&k->s->sys, LIST_AND, "general test");
    plist(cfg(k, CRED_USER, "demo"), LIST_AND, "test");
    plist(cfg(k, CRED_GROUP, "staff"), LIST_AND, "general");
    kit_ready(k);
    assert_string_equal(par_set(k, resolved(k, "demo/users", REASON_NONE)), "test");
    assert_string_equal(par_set(k, resolved(k, "mary/staff", REASON_NONE)), "general");
    assert_string_equal(par_set(k, resolved(k, "demo/staff", REASON_NONE)), "");
    assert_string_equal(
        par_set(k, resolved(k, "mary/users", REASON_NONE)), "general test");
    kit_free(k);
}

static void without_a_system_list_everybody_has_all_partitions_7(void **state)
{
    struct kit *k = kit_new();
    struct job *j;

    (void)state;
    plist(cfg(k, CRED_USER, "u"), LIST_OR, "a");
    plist(cfg(k, CRED_USER, "w"), LIST_ONLY, "a");
    plist(cfg(k, CRED_QOS, "q"), LIST_ONLY, "b");
    plist(cfg(k, CRED_CLASS, "k"), LIST_AND, "");
    qlist(&k->s->sys, LIST_OR, "DEFAULT q");
    pdef(cfg(k, CRED_QOS, "q"), "b");
    kit_ready(k);
    j = resolved(k, "u", REASON_NONE);
    assert_string_equal(par_set(k, j), "DEFAULT a b");
    partition_get(k->c, "new"); /* of a node seen later */
    assert_string_equal(par_set(k, j), "DEFAULT a b new");
    assert_string_equal(par_set(k, resolved(k, "w", REASON_NONE)), "a");
    assert_string_equal(par_set(k, resolved(k, "w/-/-/-/q", REASON_NONE)), "a");
    j = resolved(k, "u/-/-/-/q", REASON_NONE);
    assert_string_equal(par_set(k, j), "b");
    assert_string_equal(default_par(k, j), "b");
    /* an empty AND list is passed over */
    assert_string_equal(
        par_set(k, resolved(k, "u/-/-/k", REASON_NONE)), "DEFAULT a b new");
    kit_free(k);
}

static void requested_partitions_are_anded_7(void **state)
{
    static const struct {
        const char *asked[3], *set, *def;
    } rows[] = {
        {{"a", NULL}, "a", "a"},
        {{"b", "c", NULL}, "b", "b"},
        {{"c", NULL}, "", "any"},
        {{"unheard", NULL}, "", "any"},
        {{"a", "b", NULL}, "b a", "a"},
    };
    struct req_desc req = {.per_task = {{1, 0, 0, 0}}};
    struct job_desc d = {.id = "x", .cred = {"u"}, .reqs = &req, .nreqs = 1};
    struct kit *k = kit_new();
    struct job *j;

    (void)state;
    plist(&k->s->sys, LIST_OR, "b");
    pdef(plist(cfg(k, CRED_USER, "u"), LIST_OR, "a"), "a");
    pdef(cfg(k, CRED_GROUP, "DEFAULT"), "b");
    cfg(k, CRED_GROUP, "other")->pdef = xstrdup("c");
    kit_ready(k);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        d.partitions = rows[i].asked;
        assert_int_equal(job_add(k->c, &d, 0, &j, NULL), 0);
        assert_int_equal(access_resolve(k->c, j, &k->fault), REASON_NONE);
        assert_string_equal(par_set(k, j), rows[i].set);
        assert_string_equal(default_par(k, j), rows[i].def);
        job_remove(k->c, j);
    }
    kit_free(k);
}

static void the_default_partition_goes_by_user_to_qos_then_system_7(void **state)
{
    static const struct {
        const char *who, *def;
    } rows[] = {
        {"u/g/a/k/q", "pu"},
        {"v/g/a/k/q", "pg"},
        {"v/h/a/k/q", "pa"},
        {"v/h/b/k/q", "pk"},
        {"v/h/b/l/q", "pq"},
        {"v/h/b/l", "ps"},
    };
    struct kit *k = kit_new();

    (void)state;
    pdef(cfg(k, CRED_USER, "u"), "pu");
    pdef(cfg(k, CRED_GROUP, "g"), "pg");
    pdef(cfg(k, CRED_ACCOUNT, "a"), "pa");
    pdef(cfg(k, CRED_CLASS, "k"), "pk");
    pdef(cfg(k, CRED_QOS, "q"), "pq");
    pdef(&k->s->sys, "ps");
    qlist(&k->s->sys, LIST_OR, "DEFAULT q");
    kit_ready(k);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(
            default_par(k, resolved(k, rows[i].who, REASON_NONE)), rows[i].def);
    kit_free(k);
}

/* ---- caching ---- */

static uint32_t roll(uint64_t *rng, uint32_t n)
{
    *rng = *rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*rng >> 33) % n;
}

static const char *const four[] = {"DEFAULT", "p", "q", "r"};

static void random_lists(struct kit *k, uint64_t *rng)
{
    for (int kind = 0; kind < CRED_KINDS; kind++)
        for (int n = 0; n < 4; n++) {
            struct cred_cfg *c = cfg(k, kind, four[n]);
            if (roll(rng, 3) == 0)
                qlist(c, roll(rng, 3), four[roll(rng, 4)]);
            if (roll(rng, 3) == 0)
                plist(c, roll(rng, 3), four[roll(rng, 4)]);
            if (roll(rng, 3) == 0)
                qdef(c, four[roll(rng, 4)]);
            if (roll(rng, 3) == 0)
                pdef(c, four[roll(rng, 4)]);
        }
}

static void remembered_answers_are_those_of_a_fresh_start(void **state)
{
    (void)state;
    print_message("# seeds 1 to 60\n");
    for (uint64_t seed = 1; seed <= 60; seed++) {
        uint64_t rng = seed;
        struct kit *k = kit_new();
        random_lists(k, &rng);
        kit_ready(k);
        for (int i = 0; i < 40; i++) {
            char who[64], name[16];
            snprintf(who, sizeof who, "%s/%s/%s/%s/%s", four[roll(&rng, 4)],
                four[roll(&rng, 4)], four[roll(&rng, 4)], four[roll(&rng, 4)],
                four[roll(&rng, 4)]);
            struct job *j = job_of(k, who, 1, 0, 60);
            enum hold_reason r = access_resolve(k->c, j, &k->fault);
            struct job was = *j;
            if (roll(&rng, 4) == 0) { /* what empties the cache by itself */
                snprintf(name, sizeof name, "new%d", i);
                cred_get(k->c, CRED_QOS, name);
            }
            if (roll(&rng, 2))
                access_cache_destroy(k->c);
            assert_int_equal(access_resolve(k->c, j, &k->fault), r);
            assert_memory_equal(j->cred, was.cred, sizeof was.cred);
            assert_int_equal(j->partitions, was.partitions);
            assert_int_equal(j->pdef, was.pdef);
            assert_int_equal(j->flags, was.flags);
            assert_ptr_equal(j->reqs[0].def, was.reqs == &j->req ? was.req.def : NULL);
        }
        kit_free(k);
    }
}

static void new_settings_are_seen_at_the_next_resolution(void **state)
{
    struct kit *k = kit_new();
    struct job *j;

    (void)state;
    cfg(k, CRED_USER, "u");
    kit_ready(k);
    j = resolved(k, "u", REASON_NONE);
    qdef(cfg(k, CRED_USER, "u"), "late");
    pdef(cfg(k, CRED_USER, "u"), "later");
    cluster_configure(k->c, k->s);
    access_resolve(k->c, j, &k->fault);
    assert_string_equal(cred_of(k, j, CRED_QOS), "late");
    assert_string_equal(default_par(k, j), "later");
    kit_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_account_comes_from_the_first_that_names_one_2),
        cmocka_unit_test(an_account_in_no_alist_defers_the_job_2),
        cmocka_unit_test(john_has_geo_chem_staff_and_normal_of_his_class_3),
        cmocka_unit_test(without_any_list_there_is_only_qos_default_3_1),
        cmocka_unit_test(an_inaccessible_qos_defers_the_job_with_its_default_3_3),
        cmocka_unit_test(
            what_a_resource_manager_admitted_is_accessible_where_no_list_is),
        cmocka_unit_test(an_admitted_job_gets_no_other_qos_by_its_owner),
        cmocka_unit_test(an_and_list_discards_what_or_gave_3_1),
        cmocka_unit_test(a_system_list_with_and_is_the_start_3_1),
        cmocka_unit_test(an_only_list_is_all_user_before_group_3_1),
        cmocka_unit_test(default_objects_lend_their_lists_3_1),
        cmocka_unit_test(the_default_qos_goes_by_user_group_account_class_system_3_2),
        cmocka_unit_test(numeric_ranges_are_lists_of_names_3_1),
        cmocka_unit_test(setqos_obeys_the_list_except_for_administrators_3_3),
        cmocka_unit_test(flags_are_those_of_request_credentials_and_qos_5),
        cmocka_unit_test(node_access_is_that_of_job_qos_class_global_in_that_order),
        cmocka_unit_test(a_missing_wclimit_comes_from_qos_class_then_system_6),
        cmocka_unit_test(class_and_qos_features_are_merged_into_the_request_6),
        cmocka_unit_test(ignhostlist_drops_the_host_list_of_the_job_4),
        cmocka_unit_test(a_job_beyond_its_class_is_held_6),
        cmocka_unit_test(general_for_all_and_test_for_some_7),
        cmocka_unit_test(demo_has_test_staff_general_both_nothing_others_all_7),
        cmocka_unit_test(without_a_system_list_everybody_has_all_partitions_7),
        cmocka_unit_test(requested_partitions_are_anded_7),
        cmocka_unit_test(the_default_partition_goes_by_user_to_qos_then_system_7),
        cmocka_unit_test(remembered_answers_are_those_of_a_fresh_start),
        cmocka_unit_test(new_settings_are_seen_at_the_next_resolution),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
