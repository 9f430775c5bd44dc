/* SPDX-License-Identifier: Apache-2.0
 * What real servers answered, read. */
#include "base/strbuf.h"
#include "cmocka_all.h"
#include "config/texts.h"
#include "rm/pbs/answers.h"

#include <glob.h>
#include <stdio.h>

static char *read_fixture(const char *name, size_t *ret_len)
{
    char path[500];
    struct strbuf b = {0};
    char text[4096];
    size_t n;

    snprintf(path, sizeof path, PBS_FIXTURES "/%s", name);
    FILE *f = fopen(path, "re");
    assert_non_null(f);
    while ((n = fread(text, 1, sizeof text, f)) > 0)
        strbuf_add_n(&b, text, n);
    fclose(f);
    *ret_len = b.len;
    return strbuf_take(&b);
}

static enum pbs_dialect dialect_of(const char *name)
{
    return strncmp(name, "torque", 6) == 0 ? PBS_TORQUE : PBS_OPENPBS;
}

/* As they are read from a command: without what nobody here reads. */
static void read_jobs(struct pbs_answer *a, const char *name)
{
    struct err err = {0};
    size_t len;
    char *text = read_fixture(name, &len);
    struct squeeze *s = squeeze_new(pbs_squeeze(dialect_of(name)));
    struct strbuf b = {0};

    squeeze_feed(s, text, len, &b);
    squeeze_free(s);
    assert_null(strstr(b.text, "PBS_O_HOME"));
    if (pbs_read_jobs(a, dialect_of(name), b.text, b.len, &err) < 0)
        fail_msg("%s: %s", name, err.text);
    free(b.text);
    free(text);
}

static void a_job_that_is_too_long_is_known_to_be_there(void **state)
{
    static const char *const texts[] = {
        "{\"Jobs\":{\"1.h\":{\"maui_cut\":true},\"2.h\":{\"job_state\":\"Q\"}}}",
        "<Data><Job><Job_Id>1.h</Job_Id><maui_cut/></Job>"
        "<Job><Job_Id>2.h</Job_Id><job_state>Q</job_state></Job></Data>"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct pbs_answer a;
        struct err err = {0};

        assert_int_equal(pbs_read_jobs(&a, i ? PBS_TORQUE : PBS_OPENPBS, texts[i],
                             strlen(texts[i]), &err),
            0);
        assert_int_equal(a.cut.n, 1);
        assert_string_equal(a.cut.v[0], "1");
        assert_int_equal(a.jobs.n, 1);
        assert_string_equal(a.jobs.v[0].rm.desc.id, "2");
        pbs_answer_fini(&a);
    }
}

/* Of two that have the same number one was moved here from another server. */
static void a_job_that_was_moved_here_keeps_its_servers_name(void **state)
{
    static const char text[] =
        "{\"Jobs\":{"
        "\"7.other.site\":{\"job_state\":\"Q\",\"server\":\"head1\"},"
        "\"7.head1\":{\"job_state\":\"Q\",\"server\":\"head1\"},"
        "\"8[2].head1\":{\"job_state\":\"H\",\"substate\":22,\"server\":\"head1\","
        "\"depend\":\"afterok:7.other.site@head1:7.head1@head1\"},"
        "\"15[].other.site\":{\"job_state\":\"B\",\"server\":\"head1\"},"
        "\"15[3].other.site\":{\"job_state\":\"Q\",\"server\":\"head1\"}}}";
    struct pbs_answer a;
    struct err err = {0};
    const struct pbs_job *j;

    (void)state;
    assert_int_equal(pbs_read_jobs(&a, PBS_OPENPBS, text, strlen(text), &err), 0);
    j = pbs_find_job(&a, "7");
    assert_non_null(j);
    assert_string_equal(j->name, "7.head1");
    j = pbs_find_job(&a, "7.other");
    assert_non_null(j);
    assert_string_equal(j->name, "7.other.site");
    j = pbs_find_job(&a, "8[2]");
    assert_non_null(j);
    assert_string_equal(j->rm.desc.deps[0].job_id, "7.other");
    assert_string_equal(j->rm.desc.deps[1].job_id, "7");
    assert_null(pbs_find_job(&a, "9"));
    assert_true(pbs_find_job(&a, "15[].other")->parent);
    assert_string_equal(pbs_find_job(&a, "15[3].other")->array, "15[].other");
    pbs_answer_fini(&a);
}

static void read_nodes(struct pbs_answer *a, const char *name)
{
    struct err err = {0};
    size_t len;
    char *text = read_fixture(name, &len);

    if (pbs_read_nodes(a, dialect_of(name), text, len, &err) < 0)
        fail_msg("%s: %s", name, err.text);
    free(text);
}

static const struct pbs_job *job_of(const struct pbs_answer *a, const char *id)
{
    for (size_t i = 0; i < a->jobs.n; i++)
        if (strcmp(a->jobs.v[i].rm.desc.id, id) == 0)
            return &a->jobs.v[i];
    fail_msg("no job %s", id);
    return NULL;
}

static const struct pbs_node *node_of(const struct pbs_answer *a, const char *name)
{
    for (size_t i = 0; i < a->nodes.n; i++)
        if (strcmp(a->nodes.v[i].desc.name, name) == 0)
            return &a->nodes.v[i];
    fail_msg("no node %s", name);
    return NULL;
}

static void an_idle_server_has_no_jobs(void **state)
{
    struct pbs_answer a;

    (void)state;
    read_jobs(&a, "openpbs/01-idle-empty.qstat.json"); /* without a member "Jobs" */
    assert_int_equal(a.jobs.n, 0);
    pbs_answer_fini(&a);
    read_jobs(&a, "torque/01-idle-empty.qstat-tx.xml");
    assert_int_equal(a.jobs.n, 0);
    pbs_answer_fini(&a);
}

static void states_and_holds_of_openpbs(void **state)
{
    static const struct {
        const char *id;
        enum job_state state;
        unsigned holds;
    } rows[] = {{"0", JOB_IDLE, 0}, {"10", JOB_IDLE, 0}, {"11", JOB_IDLE, 0},
        {"15[4]", JOB_IDLE, 0}, {"16", JOB_HOLD, HOLD_USER},
        {"17", JOB_HOLD, HOLD_SYSTEM}, {"18", JOB_HOLD, HOLD_SYSTEM},
        {"19", JOB_HOLD, HOLD_USER | HOLD_SYSTEM}, {"20", JOB_HOLD, HOLD_SYSTEM},
        /* their parent is held, they say Q */
        {"21[1]", JOB_HOLD, HOLD_USER}, {"21[2]", JOB_HOLD, HOLD_USER}};
    struct pbs_answer a;

    (void)state;
    read_jobs(&a, "openpbs/03-held.qstat.json");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct pbs_job *j = job_of(&a, rows[i].id);

        assert_int_equal(j->rm.desc.state, rows[i].state);
        assert_int_equal(j->rm.desc.rm_hold, rows[i].holds);
    }
    assert_true(job_of(&a, "15[]")->parent);
    assert_int_equal(job_of(&a, "15[]")->at_once, 2);
    assert_string_equal(job_of(&a, "15[4]")->array, "15[]");
    assert_int_equal(job_of(&a, "10")->rm.desc.release_at > 1795192000, 1);
    pbs_answer_fini(&a);
}

static void a_job_of_openpbs_is_told_whole(void **state)
{
    struct pbs_answer a;
    const struct pbs_job *j;

    (void)state;
    read_jobs(&a, "openpbs/04-running.qstat.json");
    j = job_of(&a, "2");
    assert_string_equal(j->rm.desc.cred[CRED_USER], "bob");
    assert_string_equal(j->rm.desc.cred[CRED_GROUP], "chem");
    assert_string_equal(j->rm.desc.cred[CRED_CLASS], "workq");
    assert_int_equal(j->rm.desc.wclimit_s, 2700);
    assert_int_equal(j->rm.desc.state, JOB_RUNNING);
    assert_int_equal(j->rm.nplaces, 3);
    assert_string_equal(j->rm.places[0].node, "cn01[1]");
    assert_int_equal(j->rm.places[2].req, 1);
    assert_int_equal(j->rm.desc.nreqs, 2);
    assert_true(j->rm.start_at >= j->rm.desc.submit_at && j->rm.desc.submit_at > 0);
    assert_true(j->rm.desc.flags & JOB_RESTARTABLE);
    assert_int_equal(job_of(&a, "7")->rm.desc.wclimit_s, DURATION_UNLIMITED);
    assert_string_equal(job_of(&a, "7")->rm.desc.reqs[0].gres[0].name, "gpuboard");
    assert_int_equal(job_of(&a, "5")->rm.desc.reqs[0].access, ACCESS_SINGLEJOB);
    j = job_of(&a, "9"); /* groups of nodes are not planned */
    assert_int_equal(j->rm.desc.state, JOB_HOLD);
    assert_string_equal(
        j->rm.notes, "place=group=feature: groups of nodes are not planned");
    pbs_answer_fini(&a);
}

static void dependencies_are_those_it_waits_for(void **state)
{
    struct pbs_answer a;
    const struct dep *d;

    (void)state;
    read_jobs(&a, "openpbs/03-held.qstat.json");
    d = job_of(&a, "12")->rm.desc.deps;
    assert_string_equal(d[0].job_id, "0");
    assert_string_equal(d[1].job_id, "1");
    assert_int_equal(d[1].type, DEP_COMPLETED);
    assert_null(d[2].job_id);
    assert_int_equal(job_of(&a, "11")->rm.desc.deps[0].type, DEP_SUCCESS);
    assert_null(job_of(&a, "0")->rm.desc.deps); /* beforeok is the other's */
    pbs_answer_fini(&a);
    read_jobs(&a, "torque/03-held.qstat-tx.xml");
    assert_string_equal(job_of(&a, "111")->rm.desc.deps[0].job_id, "100");
    pbs_answer_fini(&a);
}

static void suspended_jobs_keep_their_places(void **state)
{
    struct pbs_answer a;

    (void)state;
    read_jobs(&a, "openpbs/05-admin-suspended.qstat.json");
    assert_int_equal(job_of(&a, "7")->rm.desc.state, JOB_SUSPENDED);
    assert_string_equal(job_of(&a, "7")->rm.desc.places[0].node, "cn03");
    pbs_answer_fini(&a);
    read_jobs(&a, "openpbs/06-suspended-then-resume-requested.qstat.json");
    assert_int_equal(job_of(&a, "7")->rm.desc.state, JOB_SUSPENDED);
    assert_int_equal(job_of(&a, "7")->substate, 45);
    pbs_answer_fini(&a);
    read_jobs(&a, "torque/05-suspended.qstat-tx.xml");
    assert_int_equal(job_of(&a, "100")->rm.desc.state, JOB_SUSPENDED);
    pbs_answer_fini(&a);
}

static void ends_of_openpbs(void **state)
{
    static const struct {
        const char *id;
        int status;
        enum end_reason reason;
    } rows[] = {{"22", 0, ENDED_BY_ITSELF}, {"23", 7, ENDED_BY_ITSELF},
        {"24", 143, ENDED_WALLCLOCK}, {"25", 143, ENDED_CANCELLED},
        {"26", 0, ENDED_CANCELLED}, {"27", 137, ENDED_SIGNAL},
        {"29", 254, ENDED_BY_ITSELF}};
    struct pbs_answer a;

    (void)state;
    read_jobs(&a, "openpbs/09-history.qstat-x.json");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct pbs_job *j = job_of(&a, rows[i].id);

        assert_int_equal(j->rm.desc.state, JOB_COMPLETED);
        assert_int_equal(j->rm.exit_status, rows[i].status);
        assert_int_equal(j->rm.end.reason, rows[i].reason);
        assert_true(j->rm.end_at > 1795190000);
    }
    assert_int_equal(job_of(&a, "28")->rm.desc.state, JOB_IDLE); /* qrerun */
    pbs_answer_fini(&a);
}

static void ends_of_torque(void **state)
{
    struct pbs_answer a;

    (void)state;
    read_jobs(&a, "torque/07-completed.qstat-x.xml");
    assert_int_equal(job_of(&a, "121")->rm.end.reason, ENDED_BY_ITSELF);
    assert_int_equal(job_of(&a, "122")->rm.exit_status, 7);
    assert_int_equal(job_of(&a, "123")->rm.end.reason, ENDED_WALLCLOCK);
    assert_int_equal(job_of(&a, "124")->rm.exit_status, 143);
    assert_int_equal(job_of(&a, "125")->rm.end.reason, ENDED_CANCELLED);
    pbs_answer_fini(&a);
    /* several documents in a row */
    read_jobs(&a, "torque/07-completed.qstat-x-several-ids.concatenated.txt");
    assert_true(a.jobs.n > 3);
    pbs_answer_fini(&a);
}

static void odd_characters_do_no_harm(void **state)
{
    struct pbs_answer a;

    (void)state;
    read_jobs(&a, "openpbs/10-odd-characters.qstat.json");
    assert_string_equal(job_of(&a, "31")->rm.desc.cred[CRED_ACCOUNT], "007");
    assert_string_equal(job_of(&a, "31")->rm.name, "0123");
    pbs_answer_fini(&a);
}

/* `qsub -v X=$'\377'`: any user can have such a byte printed, of his own job alone. */
static void bytes_that_are_no_text_stop_no_look(void **state)
{
    static const char json[] =
        "{\"Jobs\":{\"1.h\":{\"job_state\":\"Q\",\"euser\":\"ann\","
        "\"schedselect\":\"1:ncpus=1\","
        "\"Variable_List\":{\"X\":\"a\377\303\251\355\240\200\1\"}}}}";
    static const char xml[] =
        "<Data><Job><Job_Id>1.h</Job_Id><job_state>Q</job_state><euser>ann</euser>"
        "<Resource_List><nodes>1:ppn=2</nodes></Resource_List>"
        "<Variable_List>X=a\377\303\251\1</Variable_List></Job></Data>";
    const json_t *o;
    struct pbs_answer a;
    struct err err = {0};

    (void)state;
    assert_int_equal(pbs_read_jobs(&a, PBS_OPENPBS, json, sizeof json - 1, &err), 0);
    o = json_object_get(json_object_get(a.doc, "Jobs"), "1.h");
    o = json_object_get(o, "Variable_List");
    assert_string_equal(json_string_value(json_object_get(o, "X")), "a?\303\251????");
    assert_int_equal(job_of(&a, "1")->rm.desc.state, JOB_IDLE);
    pbs_answer_fini(&a);
    assert_int_equal(pbs_read_jobs(&a, PBS_TORQUE, xml, sizeof xml - 1, &err), 0);
    assert_int_equal(job_of(&a, "1")->rm.desc.reqs[0].tasks, 2);
    pbs_answer_fini(&a);
}

static void requests_of_torque(void **state)
{
    struct pbs_answer a;
    const struct pbs_job *j;

    (void)state;
    read_jobs(&a, "torque/03-held.qstat-tx.xml");
    j = job_of(&a, "102");
    assert_int_equal(j->rm.desc.nreqs, 2);
    assert_int_equal(j->rm.desc.reqs[0].tpn, 4);
    j = job_of(&a, "103"); /* procs=6 beside nodes=1 */
    assert_int_equal(j->rm.desc.reqs[0].tasks, 6);
    assert_int_equal(j->rm.desc.reqs[0].nodes, 0);
    j = job_of(&a, "104"); /* ncpus=4 */
    assert_int_equal(j->rm.desc.reqs[0].per_task.v[RES_PROCS], 4);
    assert_int_equal(j->rm.desc.reqs[0].per_task.v[RES_MEM], 2048);
    assert_int_equal(job_of(&a, "101")->rm.desc.reqs[0].per_task.v[RES_MEM], 1024);
    assert_int_equal(job_of(&a, "105")->rm.desc.reqs[0].access, ACCESS_SINGLEJOB);
    assert_string_equal(job_of(&a, "108")->rm.desc.reqs[1].hosts[0], "cn08");
    assert_string_equal(job_of(&a, "109")->rm.desc.cred[CRED_QOS], "high");
    assert_string_equal(job_of(&a, "114")->rm.desc.reqs[0].features[0], "ib");
    assert_string_equal(job_of(&a, "115")->rm.desc.reqs[0].job_gres[0].name, "matlab");
    assert_int_equal(job_of(&a, "115")->rm.desc.reqs[0].job_gres[0].count, 2);
    assert_string_equal(job_of(&a, "116")->rm.notes, "requests by -L are not planned");
    assert_int_equal(job_of(&a, "110")->rm.desc.release_at > 1795190000, 1);
    assert_int_equal(job_of(&a, "120")->rm.desc.rm_hold, HOLD_USER | HOLD_SYSTEM);
    pbs_answer_fini(&a);
}

static void members_beyond_the_limit_of_torque_wait_for_it(void **state)
{
    struct pbs_answer a;

    (void)state;
    read_jobs(&a, "torque/04-running.qstat-tx.xml");
    assert_int_equal(job_of(&a, "113[1]")->rm.desc.state, JOB_RUNNING);
    assert_string_equal(job_of(&a, "113[3]")->rm.notes,
        "as many tasks of its array run as its limit allows");
    assert_string_equal(job_of(&a, "102")->rm.places[1].node, "cn05");
    assert_int_equal(job_of(&a, "102")->rm.places[1].tasks, 4);
    pbs_answer_fini(&a);
}

static void vnodes_of_openpbs(void **state)
{
    struct pbs_answer a;
    const struct pbs_node *n;

    (void)state;
    read_nodes(&a, "openpbs/05-admin-suspended.pbsnodes-av.json");
    assert_int_equal(a.nodes.n, 10); /* natural vnodes without processors are none */
    n = node_of(&a, "cn03");
    assert_int_equal(n->desc.cfg.v[RES_PROCS], 8);
    assert_int_equal(n->desc.cfg.v[RES_MEM], 32768);
    assert_int_equal(n->desc.state, NODE_DRAINING);
    assert_string_equal(n->maintenance, "7.head1");
    assert_string_equal(n->desc.features[0], "host.cn03");
    assert_string_equal(n->desc.features[1], "feature.bigmem");
    assert_string_equal(n->desc.features[2], "feature.fast");
    assert_string_equal(n->desc.gres[0].name, "gpuboard");
    assert_string_equal(node_of(&a, "cn01[2]")->host, "cn01");
    pbs_answer_fini(&a);
    read_nodes(&a, "openpbs/07-offline-down.pbsnodes-av.json");
    assert_int_equal(node_of(&a, "cn02[1]")->desc.state, NODE_DOWN);
    assert_int_equal(node_of(&a, "cn04")->desc.state, NODE_DRAINING);
    assert_int_equal(node_of(&a, "cn01[2]")->desc.state, NODE_RUNNING);
    assert_int_equal(node_of(&a, "cn01[3]")->desc.state, NODE_IDLE);
    pbs_answer_fini(&a);
}

static void nodes_of_torque(void **state)
{
    struct pbs_answer a;
    const struct pbs_node *n;

    (void)state;
    read_nodes(&a, "torque/06-offline-down.pbsnodes-x.xml");
    assert_int_equal(a.nodes.n, 8);
    assert_int_equal(node_of(&a, "cn02")->desc.state, NODE_DOWN);
    n = node_of(&a, "cn01");
    assert_int_equal(n->desc.state, NODE_RUNNING); /* job-exclusive: full */
    assert_int_equal(n->desc.cfg.v[RES_PROCS], 4);
    assert_int_equal(n->desc.cfg.v[RES_MEM], 24106);
    assert_string_equal(n->desc.features[1], "ib");
    assert_true(n->desc.measured && n->desc.load > 0);
    pbs_answer_fini(&a);
}

/* ---- all that was captured ---- */

/* `each` gets every fixture of that form, by its name; how many. */
static size_t for_fixtures(const char *form, void (*each)(const char *name))
{
    glob_t found;
    size_t n;

    assert_int_equal(glob(form, 0, NULL, &found), 0);
    n = found.gl_pathc;
    for (size_t i = 0; i < n; i++)
        each(found.gl_pathv[i] + strlen(PBS_FIXTURES "/"));
    globfree(&found);
    return n;
}

static const char *text_in(const json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));

    return text != NULL ? text : "";
}

static int64_t seconds_of(const json_t *o, const char *key)
{
    int h, m, s;

    return sscanf(text_in(o, key), "%d:%d:%d", &h, &m, &s) == 3 ? h * 3600 + m * 60 + s
                                                                : -1;
}

static bool is_begun(char letter)
{
    return strchr("RESU", letter) != NULL;
}

/* What was read of a job beside what its answer says, field by field. An array's parent
 * is listed, and is no job itself. */
static void compare_job(const char *file, const char *id, const json_t *o,
    struct pbs_answer *a, bool history)
{
    const char *here = pbs_job_id(&a->arena, id, a->server),
               *owner = text_in(o, "Job_Owner");
    const struct pbs_job *j = pbs_find_job(a, here);
    const json_t *list = json_object_get(o, "Resource_List");
    char letter = *text_in(o, "job_state");
    int64_t limit = seconds_of(list, "walltime"), procs = 0;

    if (j == NULL)
        fail_msg("%s: job %s is not read", file, id);
    const struct job_desc *d = &j->rm.desc;

    if (strncmp(d->cred[CRED_USER], owner, strcspn(owner, "@")) != 0
        || strlen(d->cred[CRED_USER]) != strcspn(owner, "@")
        || strcmp(d->cred[CRED_CLASS], text_in(o, "queue")) != 0)
        fail_msg(
            "%s: %s is of %s in %s", file, id, d->cred[CRED_USER], d->cred[CRED_CLASS]);
    if (limit >= 0 && d->wclimit_s != limit)
        fail_msg("%s: %s may run %lld s, not %lld", file, id, (long long)d->wclimit_s,
            (long long)limit);
    if (strchr(id, ']') == NULL && !history
        && is_begun(letter) != job_has_begun(d->state) && letter != 'C'
        && letter != 'F')
        fail_msg("%s: %s is %c, and read as %d", file, id, letter, (int)d->state);
    for (size_t i = 0; i < d->nplaces; i++) {
        const struct job_place *p = &d->places[i];

        procs += p->tasks * d->reqs[p->req].per_task.v[RES_PROCS];
        if (*p->node == '\0' || p->tasks == 0)
            fail_msg("%s: %s has no part of a node", file, id);
    }
    if (letter == 'R' && strchr(id, ']') == NULL && d->nplaces == 0)
        fail_msg("%s: %s runs, and nowhere", file, id);
    if (letter == 'R' && json_object_get(list, "ncpus") != NULL
        && procs != json_integer_value(json_object_get(list, "ncpus")))
        fail_msg("%s: %s has %lld processors", file, id, (long long)procs);
}

static void compare_jobs(const char *file)
{
    enum pbs_dialect dialect = dialect_of(file);
    static const struct pbs_record record = {"Job", "Job_Id", "Jobs"};
    struct pbs_answer a;
    struct err err = {0};
    size_t len;
    char *text = read_fixture(file, &len);
    json_t *doc = pbs_document(dialect, text, len, &record, &err), *o;
    const char *id;

    if (doc == NULL)
        fail_msg("%s: %s", file, err.text);
    read_jobs(&a, file);
    json_object_foreach(json_object_get(doc, "Jobs"), id, o)
        compare_job(file, id, o, &a, strstr(file, "09-") != NULL);
    assert_int_equal(a.cut.n, 0);
    pbs_answer_fini(&a);
    json_decref(doc);
    free(text);
}

static void compare_nodes(const char *file)
{
    enum pbs_dialect dialect = dialect_of(file);
    static const struct pbs_record record = {"Node", "name", "nodes"};
    struct pbs_answer a;
    struct err err = {0};
    size_t len, with = 0;
    char *text = read_fixture(file, &len);
    json_t *doc = pbs_document(dialect, text, len, &record, &err), *o;
    const char *name;

    if (doc == NULL)
        fail_msg("%s: %s", file, err.text);
    read_nodes(&a, file);
    json_object_foreach(json_object_get(doc, "nodes"), name, o)
    {
        const json_t *has = json_object_get(o, "resources_available");
        int64_t procs = dialect == PBS_TORQUE
                            ? strtol(text_in(o, "np"), NULL, 10)
                            : json_integer_value(json_object_get(has, "ncpus"));
        bool down = strstr(text_in(o, "state"), "down") != NULL,
             closed = strstr(text_in(o, "state"), "offline") != NULL;

        if (procs == 0)
            continue;
        const struct node_desc *d = &node_of(&a, name)->desc;

        with++;
        if (d->cfg.v[RES_PROCS] != procs || (d->state == NODE_DOWN) != down
            || (closed && d->state != NODE_DRAINED && d->state != NODE_DRAINING
                && !down))
            fail_msg("%s: %s is %d with %lld", file, name, (int)d->state,
                (long long)d->cfg.v[RES_PROCS]);
        if ((down || closed) && d->said == NULL)
            fail_msg("%s: of %s nothing is said", file, name);
    }
    assert_int_equal(with, a.nodes.n);
    pbs_answer_fini(&a);
    json_decref(doc);
    free(text);
}

static void every_captured_answer_is_read_field_by_field(void **state)
{
    static const char *const jobs[] = {PBS_FIXTURES "/openpbs/[0-9]*.qstat*.json",
        PBS_FIXTURES "/torque/*.qstat-*x.xml"},
                             *const nodes[] = {PBS_FIXTURES
                                 "/openpbs/*.pbsnodes-av.json",
                                 PBS_FIXTURES "/torque/*.pbsnodes-x.xml"};
    size_t n = 0;

    (void)state;
    for (int i = 0; i < 2; i++)
        n +=
            for_fixtures(jobs[i], compare_jobs) + for_fixtures(nodes[i], compare_nodes);
    assert_true(n >= 34);
}

static void what_is_no_answer_is_told(void **state)
{
    struct err err;
    struct pbs_answer a;

    (void)state;
    assert_int_equal(pbs_read_jobs(&a, PBS_OPENPBS, "{\"Jobs\":", 8, &err), -1);
    assert_true(strncmp(err.text, "qstat: line 1 of its JSON", 25) == 0);
    pbs_answer_fini(&a);
    assert_int_equal(pbs_read_jobs(&a, PBS_OPENPBS, "[]", 2, &err), -1);
    pbs_answer_fini(&a);
    assert_int_equal(pbs_read_nodes(&a, PBS_TORQUE, "<Data><Node>", 12, &err), -1);
    assert_true(strncmp(err.text, "pbsnodes: its XML cannot be read", 32) == 0);
    pbs_answer_fini(&a);
    assert_int_equal(pbs_read_jobs(&a, PBS_TORQUE, "", 0, &err), -1);
    pbs_answer_fini(&a);
}

/* Between a server's restart and the first word of the node's daemon. */
static void a_node_of_which_nothing_is_known_yet_is_down_and_there(void **state)
{
    static const char text[] =
        "{\"nodes\":{\"a\":{\"state\":\"state-unknown,down\",\"pcpus\":2,"
        "\"resources_available\":{\"host\":\"a\"}},"
        "\"b\":{\"state\":\"free\",\"pcpus\":2,\"resources_available\":{\"host\":\"b\"}"
        "}}}";
    struct pbs_answer a;
    struct err err;

    (void)state;
    assert_int_equal(pbs_read_nodes(&a, PBS_OPENPBS, text, strlen(text), &err), 0);
    assert_int_equal(a.nodes.n, 1);
    assert_string_equal(a.nodes.v[0].desc.name, "a");
    assert_int_equal(a.nodes.v[0].desc.state, NODE_DOWN);
    assert_int_equal(a.nodes.v[0].desc.cfg.v[RES_PROCS], 2);
    pbs_answer_fini(&a);
}

static void check_job(const struct pbs_answer *a, const char *id, const char *queue)
{
    const struct pbs_job *j = pbs_find_job(a, id);

    assert_non_null(j);
    assert_string_equal(j->rm.desc.cred[CRED_CLASS], queue);
}

/* The texts of what is as before outlive the answer of before. */
static void jobs_that_have_not_changed_are_as_before(void **state)
{
    static const char all[] =
        "{\"Jobs\":{\"1.h\":{\"job_state\":\"Q\",\"queue\":\"one\",\"mtime\":\"100\"},"
        "\"2.h\":{\"job_state\":\"Q\",\"queue\":\"two\",\"mtime\":\"300\"},"
        "\"3.h\":{\"job_state\":\"R\",\"queue\":\"three\",\"mtime\":\"200\"},"
        "\"4.h\":{\"maui_cut\":true}}}";
    static const char changes[] =
        "{\"Jobs\":{\"1.h\":null,\"2.h\":{\"job_state\":\"R\",\"queue\":\"other\","
        "\"mtime\":\"400\"},\"4.h\":null,\"5.h\":null}}";
    struct pbs_answer before, now, later;
    struct err err;

    (void)state;
    assert_int_equal(pbs_read_changes(&before, NULL, all, sizeof all - 1, &err), 0);
    assert_int_equal(before.fresh, 4);
    assert_int_equal(before.newest, 300);
    assert_int_equal(
        pbs_read_changes(&now, &before, changes, sizeof changes - 1, &err), 0);
    pbs_answer_fini(&before);
    check_job(&now, "1", "one");
    check_job(&now, "2", "other");
    assert_int_equal(pbs_find_job(&now, "2")->rm.desc.state, JOB_RUNNING);
    assert_null(pbs_find_job(&now, "3")); /* it is not there any more */
    assert_int_equal(now.cut.n, 1);
    assert_int_equal(now.fresh, 1);
    assert_int_equal(now.unknown, 1); /* 5 was never told */
    assert_int_equal(now.newest, 400);
    assert_int_equal(
        pbs_read_changes(&later, &now, "{\"Jobs\":{\"1.h\":null}}", 21, &err), 0);
    pbs_answer_fini(&now);
    check_job(&later, "1", "one");
    assert_int_equal(later.jobs.n, 1);
    pbs_answer_fini(&later);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_that_have_not_changed_are_as_before),
        cmocka_unit_test(a_job_that_is_too_long_is_known_to_be_there),
        cmocka_unit_test(a_job_that_was_moved_here_keeps_its_servers_name),
        cmocka_unit_test(a_node_of_which_nothing_is_known_yet_is_down_and_there),
        cmocka_unit_test(an_idle_server_has_no_jobs),
        cmocka_unit_test(states_and_holds_of_openpbs),
        cmocka_unit_test(a_job_of_openpbs_is_told_whole),
        cmocka_unit_test(dependencies_are_those_it_waits_for),
        cmocka_unit_test(suspended_jobs_keep_their_places),
        cmocka_unit_test(ends_of_openpbs),
        cmocka_unit_test(ends_of_torque),
        cmocka_unit_test(odd_characters_do_no_harm),
        cmocka_unit_test(bytes_that_are_no_text_stop_no_look),
        cmocka_unit_test(requests_of_torque),
        cmocka_unit_test(members_beyond_the_limit_of_torque_wait_for_it),
        cmocka_unit_test(vnodes_of_openpbs),
        cmocka_unit_test(nodes_of_torque),
        cmocka_unit_test(every_captured_answer_is_read_field_by_field),
        cmocka_unit_test(what_is_no_answer_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
