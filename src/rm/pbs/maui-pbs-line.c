/* SPDX-License-Identifier: Apache-2.0
 * PBS's commands over one connection of OpenPBS's library, for the adapter (line.h). A
 * program of its own: a library that hangs or ends the process harms nobody else.
 *
 *     ["qrun","-a","-H","(a:ncpus=1)","7.head"]     a line of standard input: a command
 *     0 0                                           its exit status, and how many bytes
 *                                                   of output follow: where it failed
 *                                                   those that say why
 *
 * Beyond what PBS's commands can: qstat [-x] --since=SECONDS, of changes.
 *
 * What it cannot do at all has status 127; without the server it is 255, as of qstat.
 * The first answer is to no command: 0, the library is there. */
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "rm/pbs/library.h"
#include "rm/pbs/line.h"

#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define WORDS_MOST 4096
#define IDLE_MS    30000 /* then the connection is given back: the server ends it too */

/* Numbers of errors that say that the connection, not the order, is at fault. */
#define BAD_LOGIN   15019
#define EXPIRED     15020
#define NO_PROTOCOL 15031
#define NO_CONTACT  15033
#define NO_SERVER   15034
#define SHUTTING    15060
#define LIBRARY_OWN 15200 /* and above: the library's, about the connection */
#define AWAY        255
#define CANNOT      127

struct line {
    struct pbs_library pbs;
    int connection; /* -1: none */
    struct strbuf out;
};

/* ---- answers ---- */

static void send_answer(int status, const char *text, size_t len)
{
    printf("%d %zu\n", status, len);
    fwrite(text, 1, len, stdout);
    if (fflush(stdout) != 0)
        exit(1);
}

static void drop_connection(struct line *l)
{
    if (l->connection >= 0)
        l->pbs.disconnect(l->connection);
    l->connection = -1;
}

/* Numbers among the library's that are about the order all the same: it is to be tried
 * again, its job has moved, it cannot be suspended or resumed. */
static bool is_of_order(int error)
{
    return error == 15208 || error == 15210 || (error >= 15219 && error <= 15223);
}

static bool is_connection(int error)
{
    static const int numbers[] = {
        BAD_LOGIN, EXPIRED, NO_PROTOCOL, NO_CONTACT, NO_SERVER, SHUTTING};

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (error == numbers[i])
            return true;
    return error >= LIBRARY_OWN && !is_of_order(error);
}

/* What it says of an error; a number where it has no words. */
static int send_error(struct line *l)
{
    int error = *l->pbs.error();
    const char *said = l->connection >= 0 ? l->pbs.message(l->connection) : NULL;
    bool away = l->connection < 0 || is_connection(error);
    struct strbuf text = {0};

    if ((said == NULL || *said == '\0') && l->pbs.words != NULL)
        said = l->pbs.words(error);
    if (away)
        strbuf_add(&text, "cannot connect to the PBS server: ");
    if (said != NULL && *said != '\0')
        strbuf_add(&text, said);
    else
        strbuf_printf(&text, "error %d", error);
    if (away)
        drop_connection(l);
    send_answer(away ? AWAY : error & 255 ? error & 255 : 1, text.text, text.len);
    free(text.text);
    return -1;
}

static int connect_server(struct line *l)
{
    if (l->connection < 0)
        l->connection = l->pbs.connect(NULL);
    return l->connection < 0 ? send_error(l) : 0;
}

/* ---- questions ---- */

static bool is_list(const char *name)
{
    return strcmp(name, "jobs") == 0;
}

/* "7.head/0, 8.head/1" */
static json_t *list_words(const char *text)
{
    json_t *list = json_array();

    for (const char *at = text; *at != '\0';) {
        size_t n = strcspn(at, ",");

        json_array_append_new(list, json_stringn_nocheck(at, n));
        at += n;
        at += strspn(at, ", ");
    }
    return list;
}

/* Bytes that are no text are the reader's affair: it is told whatever there is. */
static json_t *make_text(const char *text)
{
    json_t *value = json_string(text);

    return value != NULL ? value : json_string("?");
}

static json_t *convert_thing(const struct pbs_status *s)
{
    json_t *o = json_object(), *group;

    for (const struct pbs_attribute *a = s->attributes; a != NULL; a = a->next) {
        const char *value = a->value != NULL ? a->value : "";

        if (a->name == NULL)
            continue;
        if (a->resource == NULL || *a->resource == '\0') {
            json_object_set_new(
                o, a->name, is_list(a->name) ? list_words(value) : make_text(value));
            continue;
        }
        group = json_object_get(o, a->name);
        if (!json_is_object(group)) {
            group = json_object();
            json_object_set_new(o, a->name, group);
        }
        json_object_set_new(group, a->resource, make_text(value));
    }
    return o;
}

static void add_things(json_t *all, const struct pbs_status *s)
{
    for (; s != NULL; s = s->next)
        if (s->name != NULL)
            json_object_set_new(all, s->name, convert_thing(s));
}

/* `all` is taken. */
static int send_things(json_t *all, const char *member)
{
    json_t *doc = json_object();
    char *text;

    json_object_set_new(doc, member, all);
    text = json_dumps(doc, JSON_COMPACT);
    json_decref(doc);
    send_answer(text != NULL ? 0 : 1, text != NULL ? text : "",
        text != NULL ? strlen(text) : 0);
    free(text);
    return 0;
}

/* An answer without anything in it is none of an error where no number says so. */
static bool has_failed(struct line *l, const struct pbs_status *s)
{
    return s == NULL && *l->pbs.error() != 0;
}

/* As many names as there are, linked. */
static const struct pbs_attribute *link_names(
    struct pbs_attribute *room, const char *const *names)
{
    size_t n = 0;

    for (; names[n] != NULL; n++) {
        room[n] = (struct pbs_attribute){.name = (char *)names[n]};
        if (n > 0)
            room[n - 1].next = &room[n];
    }
    return room;
}

/* All that jobs.c reads: a third of what there is. */
static const char *const job_names[] = {"job_state", "substate", "Hold_Types", "euser",
    "egroup", "Job_Owner", "Account_Name", "queue", "queue_type", "Priority", "ctime",
    "etime", "stime", "mtime", "obittime", "history_timestamp", "Execution_Time",
    "Resource_List", "schedselect", "resources_used", "exec_vnode", "exec_host",
    "depend", "run_count", "Exit_status", "max_run_subjobs", "Rerunable", "Job_Name",
    "comment", "server", NULL};

static struct pbs_status *ask_jobs(struct line *l, const char *const *names,
    const struct pbs_attribute *that, const char *ids, const char *extend)
{
    struct pbs_attribute room[sizeof job_names / sizeof job_names[0]];
    const struct pbs_attribute *wanted = link_names(room, names);

    *l->pbs.error() = 0;
    return that != NULL ? l->pbs.choose(l->connection, that, wanted, extend)
                        : l->pbs.jobs(l->connection, ids, wanted, extend);
}

static int add_jobs(struct line *l, json_t *all, const struct pbs_attribute *that,
    const char *ids, const char *extend)
{
    struct pbs_status *s = ask_jobs(l, job_names, that, ids, extend);

    if (has_failed(l, s))
        return -1;
    add_things(all, s);
    l->pbs.release(s);
    return 0;
}

/* qstat [-x] -t -f -F json [ID...] */
static int send_jobs(struct line *l, const char *const *argv, bool past)
{
    struct strbuf ids = {0};
    json_t *all = json_object();
    int result;

    for (; *argv != NULL; argv++)
        if (**argv >= '0' && **argv <= '9')
            strbuf_printf(&ids, "%s%s", ids.len > 0 ? "," : "", *argv);
    result = add_jobs(l, all, NULL, ids.text, past ? "tx" : "t");
    free(ids.text);
    if (result == 0)
        return send_things(all, "Jobs");
    json_decref(all);
    return send_error(l);
}

/* The jobs that there are, each null, and those that are arrays, with commas between
 * them. */
static int list_jobs(struct line *l, json_t *all, struct strbuf *arrays)
{
    static const char *const names[] = {"job_state", NULL};
    struct pbs_status *there = ask_jobs(l, names, NULL, NULL, NULL);

    if (has_failed(l, there))
        return -1;
    for (const struct pbs_status *s = there; s != NULL; s = s->next) {
        if (s->name == NULL)
            continue;
        json_object_set_new(all, s->name, json_null());
        if (strstr(s->name, "[]") != NULL)
            strbuf_printf(arrays, "%s%s", arrays->len > 0 ? "," : "", s->name);
    }
    l->pbs.release(there);
    return 0;
}

/* Those that were asked for have ended since they were listed: by the server's numbers.
 */
static bool knows_none(const struct line *l)
{
    int e = *l->pbs.error();

    return e == 15001 || e == 15140 || e == 15158;
}

/* Of each job that has changed in the server's second `since` or later what is read; of
 * the others null: they are as they were. When a member of an array has changed the
 * server does not say: of arrays all is told each time. `past`: of jobs that have ended
 * since then too, so that nobody has to ask for these afterwards. */
static int send_changes(struct line *l, const char *since, bool past)
{
    const struct pbs_attribute that = {
        .name = "mtime", .value = (char *)since, .op = PBS_AT_LEAST};
    struct strbuf arrays = {0};
    json_t *all = json_object();
    int result = list_jobs(l, all, &arrays); /* first: who comes later has changed */

    if (result == 0)
        result = add_jobs(l, all, &that, NULL, past ? "x" : NULL);
    if (result == 0 && arrays.len > 0)
        result =
            add_jobs(l, all, NULL, arrays.text, "t") == 0 || knows_none(l) ? 0 : -1;
    free(arrays.text);
    if (result == 0)
        return send_things(all, "Jobs");
    json_decref(all);
    return send_error(l);
}

static int send_nodes(struct line *l)
{
    struct pbs_status *s;
    json_t *all;

    *l->pbs.error() = 0;
    s = l->pbs.nodes(l->connection, NULL, NULL, NULL);
    if (has_failed(l, s))
        return send_error(l);
    all = json_object();
    add_things(all, s);
    l->pbs.release(s);
    return send_things(all, "nodes");
}

/* As `qstat -Q -f` prints them. */
static int send_queues(struct line *l)
{
    static const char *const names[] = {"started", NULL};
    struct pbs_attribute room[2];
    struct strbuf text = {0};
    struct pbs_status *s;

    *l->pbs.error() = 0;
    s = l->pbs.queues(l->connection, NULL, link_names(room, names), NULL);
    if (has_failed(l, s))
        return send_error(l);
    strbuf_add(&text, "");
    for (const struct pbs_status *q = s; q != NULL; q = q->next) {
        strbuf_printf(&text, "Queue: %s\n", q->name);
        for (const struct pbs_attribute *a = q->attributes; a != NULL; a = a->next)
            if (a->value != NULL)
                strbuf_printf(&text, "    %s = %s\n", a->name, a->value);
    }
    l->pbs.release(s);
    send_answer(0, text.text, text.len);
    free(text.text);
    return 0;
}

static int ask_qstat(struct line *l, const char *const *argv)
{
    const char *since = NULL;
    bool past = false;

    for (size_t i = 1; argv[i] != NULL; i++) {
        if (strcmp(argv[i], "-Q") == 0)
            return send_queues(l);
        if (strncmp(argv[i], PBS_SINCE, strlen(PBS_SINCE)) == 0)
            since = argv[i] + strlen(PBS_SINCE);
        past |= strcmp(argv[i], "-x") == 0;
    }
    return since != NULL ? send_changes(l, since, past) : send_jobs(l, argv + 1, past);
}

static int ask_pbsnodes(struct line *l, const char *const *argv)
{
    (void)argv;
    return send_nodes(l);
}

/* ---- orders ---- */

static int send_result(struct line *l, int result)
{
    if (result != 0)
        return send_error(l);
    send_answer(0, "", 0);
    return 0;
}

/* qrun -a -H WHERE ID */
static int order_run(struct line *l, const char *const *argv)
{
    return send_result(l, l->pbs.run(l->connection, argv[4], argv[3], NULL));
}

/* qalter -l walltime=N ID, qalter -W comment=TEXT ID */
static int order_alter(struct line *l, const char *const *argv)
{
    bool comment = strcmp(argv[1], "-W") == 0;
    const char *equals = strchr(argv[2], '=');
    /* an empty text for no resource is lost where a hook looks at changes */
    struct pbs_attribute a = {
        .name = comment ? "comment" : "Resource_List", .op = PBS_SET};
    char *resource;
    int result;

    if (equals == NULL) {
        send_answer(1, "no value", 8);
        return -1;
    }
    resource = xstrndup(argv[2], (size_t)(equals - argv[2]));
    if (!comment)
        a.resource = resource;
    a.value = (char *)equals + 1;
    result = send_result(l, l->pbs.alter(l->connection, argv[3], &a, NULL));
    free(resource);
    return result;
}

/* qhold -h KINDS ID */
static int order_hold(struct line *l, const char *const *argv)
{
    return send_result(l, l->pbs.hold(l->connection, argv[3], argv[2], NULL));
}

static int order_release(struct line *l, const char *const *argv)
{
    return send_result(l, l->pbs.unhold(l->connection, argv[3], argv[2], NULL));
}

static int order_delete(struct line *l, const char *const *argv)
{
    return send_result(l, l->pbs.remove(l->connection, argv[1], NULL));
}

/* qsig -s NAME ID */
static int order_signal(struct line *l, const char *const *argv)
{
    return send_result(l, l->pbs.send_signal(l->connection, argv[3], argv[2], NULL));
}

static int order_rerun(struct line *l, const char *const *argv)
{
    return send_result(l, l->pbs.rerun(l->connection, argv[1], NULL));
}

static void run_command(struct line *l, const char *const *argv, size_t n)
{
    static const struct {
        const char *name;
        size_t words; /* as many, or 0 = any number */
        int (*run)(struct line *l, const char *const *argv);
    } rows[] = {{"qstat", 0, ask_qstat}, {"pbsnodes", 0, ask_pbsnodes},
        {"qrun", 5, order_run}, {"qalter", 4, order_alter}, {"qhold", 4, order_hold},
        {"qrls", 4, order_release}, {"qdel", 2, order_delete},
        {"qsig", 4, order_signal}, {"qrerun", 2, order_rerun}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (n > 0 && strcmp(rows[i].name, argv[0]) == 0
            && (rows[i].words == 0 || rows[i].words == n)) {
            if (connect_server(l) == 0)
                rows[i].run(l, argv);
            return;
        }
    send_answer(CANNOT, "no such command", strlen("no such command"));
}

/* ---- lines ---- */

static void take_line(struct line *l, const char *text)
{
    const char *argv[WORDS_MOST + 1] = {0};
    json_t *words = json_loads(text, 0, NULL);
    size_t n = json_array_size(words);

    for (size_t i = 0; i < n && i < WORDS_MOST; i++)
        argv[i] = json_string_value(json_array_get(words, i));
    run_command(l, argv, n <= WORDS_MOST ? n : 0);
    json_decref(words);
}

static void wait_idle(struct line *l)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

    if (l->connection >= 0 && poll(&in, 1, IDLE_MS) == 0)
        drop_connection(l);
}

int main(void)
{
    struct line l = {.connection = -1};
    struct err err = {0};
    char *text = NULL;
    size_t size = 0;

    prctl(PR_SET_PDEATHSIG, SIGKILL); /* whose orders these are is gone */
    signal(SIGPIPE, SIG_IGN);         /* a server that was killed is an error */
    if (pbs_library_open(&l.pbs, &err) < 0) {
        send_answer(CANNOT, err.text, strlen(err.text));
        return 1;
    }
    send_answer(0, "", 0);
    /* one command at a time is sent: nothing lies in the buffer while we wait */
    while (wait_idle(&l), getline(&text, &size, stdin) > 0)
        take_line(&l, text);
    free(text);
    drop_connection(&l);
    return 0;
}
