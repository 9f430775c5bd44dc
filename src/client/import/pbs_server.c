/* SPDX-License-Identifier: Apache-2.0
 * maui import pbs: attributes of the server, its queues, resources and nodes.
 *
 * What the server itself refuses at submission, or fills in, it goes on refusing and
 * filling in: sizes of jobs, lists of users, jobs in a queue, defaults. What its own
 * scheduler saw to is what has to be carried over: limits of what runs, priorities. */
#include "base/xalloc.h"
#include "client/import/pbs.h"
#include "config/value.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct strbuf *pbs_section(struct pbs *p, const char *fmt, ...)
{
    char name[300];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(name, sizeof name, fmt, ap);
    va_end(ap);
    for (size_t i = 0; i < p->sections.n; i++)
        if (strcmp(p->sections.v[i].name, name) == 0)
            return &p->sections.v[i].text;
    vec_push(&p->sections, ((struct pbs_section){.name = xstrdup(name)}));
    return &p->sections.v[p->sections.n - 1].text;
}

/* ---- limits of what runs ---- */

/* Whom an entry of a limit is about: "u:ann", "g:PBS_GENERIC", "o:PBS_ALL". */
struct holder {
    char letter;
    const char *name;
};

static bool is_everybody(const char *name)
{
    return strcmp(name, "PBS_GENERIC") == 0 || strcmp(name, "PBS_ALL") == 0;
}

static void set_limit(
    struct pbs *p, const char *section, const char *attr, bool soft, int64_t n)
{
    struct pbs_limit *l = NULL;

    for (size_t i = 0; i < p->limits.n; i++)
        if (strcmp(p->limits.v[i].section, section) == 0
            && strcmp(p->limits.v[i].attr, attr) == 0)
            l = &p->limits.v[i];
    if (l == NULL) {
        vec_push(
            &p->limits, ((struct pbs_limit){xstrdup(section), xstrdup(attr), -1, -1}));
        l = &p->limits.v[p->limits.n - 1];
    }
    if (soft)
        l->soft = n;
    else
        l->hard = n;
}

/* Of a queue the limit is the class's, by credential; of the server that of the
 * credential itself. */
static void place_limit(
    struct pbs *p, const char *queue, struct holder who, const char *attr, char *ret[2])
{
    const char *kind = who.letter == 'u' ? "USER" : "GROUP";
    struct strbuf section = {0}, name = {0};

    (void)p;
    strbuf_add(&name, attr);
    if (queue != NULL) {
        strbuf_printf(&section, "CLASSCFG[%s]", queue);
        if (who.letter != 'o')
            strbuf_printf(&name, "[%s%s%s]", kind, is_everybody(who.name) ? "" : ":",
                is_everybody(who.name) ? "" : who.name);
    } else if (who.letter == 'o') {
        strbuf_add(&section, "SYSCFG[ALL]");
    } else {
        strbuf_printf(
            &section, "%sCFG[%s]", kind, is_everybody(who.name) ? "DEFAULT" : who.name);
    }
    ret[0] = strbuf_take(&section);
    ret[1] = strbuf_take(&name);
}

/* "ncpus": what a limit on it is called here; NULL = there is none. */
static const char *limit_name(const char *resource)
{
    static const char *const names[][2] = {{"", "MAXJOB"}, {"ncpus", "MAXPROC"},
        {"procs", "MAXPROC"}, {"nodect", "MAXNODE"}, {"mem", "MAXMEM"}};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i][0], resource) == 0)
            return names[i][1];
    return NULL;
}

static void take_limit(struct pbs *p, const struct pbs_attr *a, const char *queue,
    struct holder who, const char *resource, const char *value)
{
    const char *attr = limit_name(resource);
    struct err err;
    char *place[2];
    int64_t n;

    if (strchr("uog", who.letter) == NULL || who.letter == '\0') {
        import_left(p->im, a->at, "%s %c:%s=%s: a limit of a project", a->name,
            who.letter, who.name, value);
    } else if (attr == NULL) {
        import_left(
            p->im, a->at, "%s=%s: no such limit on %s", a->name, value, resource);
    } else if ((strcmp(attr, "MAXMEM") == 0 ? value_size_mb(value, &n, &err)
                                            : value_int(value, 0, INT32_MAX, &n, &err))
               < 0) {
        import_left(p->im, a->at, "%s=%s: %s", a->name, value, err.text);
    } else if (n == 0) {
        import_left(p->im, a->at,
            "%s=0 of %s: nothing of them may run; USERCFG QLIST or a hold is like it",
            a->name, who.name);
    } else {
        place_limit(p, queue, who, attr, place);
        set_limit(p, place[0], place[1], strstr(a->name, "_soft") != NULL, n);
        free(place[0]);
        free(place[1]);
    }
}

/* "[u:PBS_GENERIC=4],[g:physics=10]", or a plain number of the old kind. */
static void take_entries(struct pbs *p, const struct pbs_attr *a, const char *queue,
    const char *resource, char letter)
{
    char *copy = xstrdup(a->value), *rest = NULL;

    for (char *word = strtok_r(copy, ",", &rest); word != NULL;
         word = strtok_r(NULL, ",", &rest)) {
        char *equals = strrchr(word, '=');

        word = pbs_trim(word);
        if (*word != '[') {
            take_limit(
                p, a, queue, (struct holder){letter, "PBS_GENERIC"}, resource, word);
        } else if (equals == NULL || word[1] == '\0' || word[2] != ':') {
            import_left(
                p->im, a->at, "%s: '%s': expected [u:NAME=COUNT]", a->name, word);
        } else {
            *equals++ = '\0';
            equals[strcspn(equals, "]")] = '\0';
            char *name = pbs_trim(word + 3);
            take_limit(p, a, queue, (struct holder){word[1], name}, resource,
                pbs_trim(equals));
        }
    }
    free(copy);
}

/* max_run, max_run_res.ncpus, max_user_run_soft ... False: it is none of these. */
static bool take_running(struct pbs *p, const struct pbs_attr *a, const char *queue)
{
    static const struct {
        const char *name;
        char letter;
    } rows[] = {{"max_run", 'o'}, {"max_run_soft", 'o'}, {"max_run_res", 'o'},
        {"max_run_res_soft", 'o'}, {"max_running", 'o'}, {"max_user_run", 'u'},
        {"max_user_run_soft", 'u'}, {"max_user_res", 'u'}, {"max_user_res_soft", 'u'},
        {"max_group_run", 'g'}, {"max_group_run_soft", 'g'}, {"max_group_res", 'g'},
        {"max_group_res_soft", 'g'}};
    size_t n = strcspn(a->name, ".");

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strlen(rows[i].name) == n && strncasecmp(rows[i].name, a->name, n) == 0) {
            take_entries(
                p, a, queue, a->name[n] ? a->name + n + 1 : "", rows[i].letter);
            return true;
        }
    return false;
}

/* ---- what PBS goes on seeing to ---- */

static bool is_of(const char *const *patterns, const char *name)
{
    for (; *patterns != NULL; patterns++)
        if (fnmatch(*patterns, name, FNM_CASEFOLD) == 0)
            return true;
    return false;
}

static void keep_attribute(
    struct pbs *p, const struct pbs_object *o, const struct pbs_attr *a)
{
    strbuf_printf(&p->kept, "# %s:%u: %s%s%s = %s\n", a->at.file, a->at.line,
        o->kind == PBS_QUEUE ? o->name : "", o->kind == PBS_QUEUE ? " " : "", a->name,
        a->value);
}

static const char *const kept_of_server[] = {"default_*", "resources_default.*",
    "resources_max.*", "resources_min.*", "acl_*", "max_queued*", "max_queuable",
    "max_user_queuable", "max_array_size", "max_job_array_size", "max_slot_limit",
    "node_fail_requeue", "job_requeue_timeout", "job_force_requeue_timeout",
    "query_other_jobs", "submit_hosts", "allow_node_submit", "allow_proxy_user",
    "jobscript_max_size", "job_history_*", "keep_completed", "kill_delay",
    "checkpoint_*", "resv_enable", "flatuid", NULL};
static const char *const kept_of_queue[] = {"enabled", "from_route_only", "route_*",
    "alt_router", "resources_default.*", "resources_max.*", "resources_min.*",
    "default_chunk.*", "acl_*", "max_queued*", "max_queuable", "max_user_queuable",
    "max_array_size", "kill_delay", "checkpoint_min", "disallowed_types",
    "keep_completed", "require_cred*", NULL};
/* Of no meaning for what runs when, or read by the driver as it is. */
static const char *const idle_of_server[] = {"log_*", "mail*", "pbs_license_*",
    "pbs_version", "server_*", "license_count", "total_jobs", "state_count", "comment",
    "scheduler_iteration", "resend_term_delay", "max_concurrent_provision",
    "max_job_sequence_id", "next_job_number", "node_check_rate", "tcp_*",
    "job_stat_rate", "job_log_*", "poll_jobs", "down_on_error", "mom_job_sync",
    "moab_array_compatible", "nppcu", "timeout_for_job_*", "note_append_on_error",
    "clear_topjob_estimates_enable", "eligible_time_enable", "rpp_*", "python_*",
    "node_pack", "node_ping_rate", "auto_node_np", "authorized_users", "lock_file*",
    "display_job_server_suffix", "job_suffix_alias", "use_jobs_subdirs", "restrict_*",
    "reserve_retry_time", "resources_assigned.*", "webapi_*", "est_start_time_freq",
    "backfill_prime", "power_provisioning", "queued_jobs_threshold*", NULL};
static const char *const idle_of_queue[] = {"queue_type", "started", "total_jobs",
    "state_count", "mtime", "hasnodes", "comment", "resources_assigned.*", "partition",
    NULL};
static const char *const idle_of_node[] = {"Mom", "Port", "pbs_version", "ntype",
    "state", "pcpus", "resources_*", "resv*", "sharing", "in_multivnode_host",
    "license", "last_*", "comment", "note", "np", "num_node_boards", "properties",
    "status", "*_service_port", "*_manager_port", "power_*", "jobs", "queue", "gpus",
    "gpu_status", "mics", "mic_status", "topology_info", "maintenance_jobs", "total_*",
    "dedicated_*", "partition", "lictype", "hpcbp_*", "current_*", "provision_enable",
    "server_instance_id", NULL};

/* ---- the server ---- */

/* "root@*,carol@head1": their names. */
static void take_people(struct pbs *p, const struct pbs_attr *a, const char *param)
{
    char *copy = xstrdup(a->value), *rest = NULL;
    bool admins = strcmp(param, "ADMIN1") == 0;
    struct strbuf people = {0};

    for (char *word = strtok_r(copy, ", ", &rest); word != NULL;
         word = strtok_r(NULL, ", ", &rest)) {
        word[strcspn(word, "@")] = '\0';
        if (strchr(word, '*') != NULL)
            import_left(p->im, a->at, "%s: everybody of a pattern", a->name);
        else if (!admins || strcmp(word, "root") != 0)
            strbuf_printf(&people, " %s", word);
    }
    if (admins || people.len > 0)
        strbuf_printf(&p->head, "%s%s%s\n", param, admins ? " root" : "",
            people.len > 0 ? people.text : "");
    free(people.text);
    free(copy);
}

static void take_depth(struct pbs *p, const struct pbs_attr *a)
{
    struct err err;
    int64_t n;

    if (value_int(a->value, 0, INT32_MAX, &n, &err) < 0)
        import_left(p->im, a->at, "%s=%s: %s", a->name, a->value, err.text);
    else if (n == 0)
        strbuf_add(&p->head, "RESERVATIONPOLICY NEVER\n");
    else
        strbuf_printf(&p->head, "RESERVATIONDEPTH %" PRId64 "\n", n);
}

/* What the server has of it in all: processors and memory are a limit of what runs,
 * anything else is a resource of no node in particular. */
static void take_available(
    struct pbs *p, const struct pbs_attr *a, const char *section, bool server)
{
    const char *resource = strchr(a->name, '.') + 1, *attr = limit_name(resource);
    struct err err;
    int64_t n;

    if (attr != NULL) {
        if ((strcmp(attr, "MAXMEM") == 0 ? value_size_mb(a->value, &n, &err)
                                         : value_int(a->value, 0, INT32_MAX, &n, &err))
            == 0)
            set_limit(p, section, attr, false, n);
        else
            import_left(p->im, a->at, "%s=%s: %s", a->name, a->value, err.text);
    } else if (server && value_int(a->value, 0, INT32_MAX, &n, &err) == 0) {
        struct strbuf *b = pbs_section(p, "NODECFG[GLOBAL]");

        strbuf_printf(b, "%s%s:%" PRId64, b->len ? "," : " GRES=", resource, n);
    } else {
        import_left(p->im, a->at, "%s=%s: only whole numbers of the server are counted",
            a->name, a->value);
    }
}

static void server_attr(
    struct pbs *p, const struct pbs_object *o, const struct pbs_attr *a)
{
    if (take_running(p, a, NULL))
        return;
    if (strcasecmp(a->name, "managers") == 0) {
        take_people(p, a, "ADMIN1");
    } else if (strcasecmp(a->name, "operators") == 0) {
        take_people(p, a, "ADMIN2");
    } else if (strcasecmp(a->name, "backfill_depth") == 0) {
        take_depth(p, a);
    } else if (strncasecmp(a->name, "resources_available.", 20) == 0) {
        take_available(p, a, "SYSCFG[ALL]", true);
    } else if (strcasecmp(a->name, "scheduling") == 0) {
        if (strcasecmp(a->value, "True") == 0)
            import_left(p->im, a->at,
                "scheduling = True: its own scheduler would start jobs as well; `qmgr "
                "-c "
                "'set server scheduling = False'` when this one takes over");
    } else if (strcasecmp(a->name, "job_sort_formula") == 0) {
        import_left(p->im, a->at,
            "job_sort_formula = %s: the weights of priority "
            "(QUEUETIMEWEIGHT, PROCWEIGHT ...) are like it",
            a->value);
    } else if (strncasecmp(a->name, "node_group_", 11) == 0) {
        import_left(p->im, a->at,
            "%s = %s: NODESETPOLICY ONEOF, NODESETATTRIBUTE "
            "FEATURE and NODESETLIST are like it",
            a->name, a->value);
    } else if (is_of(kept_of_server, a->name)) {
        keep_attribute(p, o, a);
    } else if (!is_of(idle_of_server, a->name)) {
        import_left(p->im, a->at, "%s = %s of the server", a->name, a->value);
    }
}

/* ---- queues, nodes, resources ---- */

static void take_priority(struct pbs *p, const char *queue, const struct pbs_attr *a)
{
    struct strbuf *b;
    struct err err;
    int64_t n;

    if (value_int(a->value, -1024, 1023, &n, &err) < 0) {
        import_left(p->im, a->at, "Priority=%s: %s", a->value, err.text);
        return;
    }
    b = pbs_section(p, "CLASSCFG[%s]", queue);
    strbuf_printf(b, " PRIORITY=%" PRId64, n);
    p->prioritized = true;
    if (p->policy.preempts && n >= p->policy.express_from) {
        strbuf_add(b, " JOBFLAGS=PREEMPTOR");
        p->express = true;
    }
}

static bool is_routing(const struct pbs_object *queue)
{
    const struct pbs_attr *type = pbs_attr(queue, "queue_type");

    return type != NULL && strchr("rR", *type->value) != NULL;
}

/* What express queues preempt. */
static void mark_preemptees(struct pbs *p)
{
    for (size_t i = 0; i < p->objects.n && p->express; i++) {
        const struct pbs_object *o = &p->objects.v[i];
        struct strbuf *b;

        if (o->kind != PBS_QUEUE || is_routing(o))
            continue;
        b = pbs_section(p, "CLASSCFG[%s]", o->name);
        if (b->len == 0 || strstr(b->text, "PREEMPTOR") == NULL)
            strbuf_add(b, " JOBFLAGS=PREEMPTEE");
    }
}

static void queue_attr(
    struct pbs *p, const struct pbs_object *o, const struct pbs_attr *a)
{
    char section[300];

    snprintf(section, sizeof section, "CLASSCFG[%s]", o->name);
    if (is_routing(o)) {
        keep_attribute(p, o, a); /* jobs leave it before they are scheduled */
        return;
    }
    if (take_running(p, a, o->name))
        return;
    if (strcasecmp(a->name, "Priority") == 0) {
        take_priority(p, o->name, a);
    } else if (strncasecmp(a->name, "resources_available.", 20) == 0) {
        take_available(p, a, section, false);
    } else if (strcasecmp(a->name, "backfill_depth") == 0) {
        import_left(p->im, a->at,
            "backfill_depth = %s of queue %s: RESERVATIONDEPTH is "
            "for a QOS",
            a->value, o->name);
    } else if (strcasecmp(a->name, "features_required") == 0) {
        strbuf_printf(pbs_section(p, "%s", section), " DEFAULT.FEATURES=%s", a->value);
    } else if (is_of(kept_of_queue, a->name)) {
        keep_attribute(p, o, a);
    } else if (!is_of(idle_of_queue, a->name)) {
        import_left(p->im, a->at, "%s = %s of queue %s", a->name, a->value, o->name);
    }
}

static void node_attr(
    struct pbs *p, const struct pbs_object *o, const struct pbs_attr *a)
{
    static const char *const names[][2] = {{"Priority", "PRIORITY"},
        {"max_running", "MAXJOB"}, {"max_user_run", "MAXJOBPERUSER"}};
    struct err err;
    int64_t n;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcasecmp(names[i][0], a->name) != 0)
            continue;
        if (value_int(a->value, -1024, INT32_MAX, &n, &err) < 0)
            import_left(p->im, a->at, "%s=%s: %s", a->name, a->value, err.text);
        else if (i > 0 || p->policy.node_priority)
            strbuf_printf(
                pbs_section(p, "NODECFG[%s]", o->name), " %s=%" PRId64, names[i][1], n);
        return;
    }
    if (!is_of(idle_of_node, a->name))
        import_left(p->im, a->at, "%s = %s of node %s", a->name, a->value, o->name);
}

/* Whole numbers are counted, words are features; both come from the nodes. */
static void resource_attr(
    struct pbs *p, const struct pbs_object *o, const struct pbs_attr *a)
{
    static const char *const known[] = {
        "long", "boolean", "string", "string_array", NULL};

    if (strcasecmp(a->name, "type") == 0 && !is_of(known, a->value))
        import_left(p->im, a->at, "resource %s of type %s: it is not scheduled",
            o->name, a->value);
    else if (strcasecmp(a->name, "type") != 0 && strcasecmp(a->name, "flag") != 0
             && strcasecmp(a->name, "comment") != 0)
        import_left(p->im, a->at, "%s = %s of resource %s", a->name, a->value, o->name);
}

void pbs_server(struct pbs *p)
{
    for (size_t i = 0; i < p->objects.n; i++) /* first: queues are judged by it */
        for (size_t k = 0;
             p->objects.v[i].kind == PBS_SCHED && k < p->objects.v[i].attrs.n; k++)
            pbs_sched_attr(p, &p->objects.v[i].attrs.v[k]);
    for (size_t i = 0; i < p->objects.n; i++) {
        const struct pbs_object *o = &p->objects.v[i];

        for (size_t k = 0; k < o->attrs.n; k++) {
            if (o->kind == PBS_SERVER)
                server_attr(p, o, &o->attrs.v[k]);
            else if (o->kind == PBS_QUEUE)
                queue_attr(p, o, &o->attrs.v[k]);
            else if (o->kind == PBS_NODE)
                node_attr(p, o, &o->attrs.v[k]);
            else if (o->kind == PBS_RESOURCE)
                resource_attr(p, o, &o->attrs.v[k]);
        }
    }
    mark_preemptees(p);
}

/* ---- all of it ---- */

static void add_limits(struct pbs *p)
{
    for (size_t i = 0; i < p->limits.n; i++) {
        const struct pbs_limit *l = &p->limits.v[i];
        struct strbuf *b = pbs_section(p, "%s", l->section);

        strbuf_printf(b, " %s=", l->attr);
        if (l->soft >= 0)
            strbuf_printf(b, "%" PRId64 ",", l->soft);
        strbuf_printf(b, "%" PRId64, l->hard);
    }
}

/* PBS looks at queues one after the other, by their priority. */
#define QUEUE_FIRST "CLASSWEIGHT 100000\n"

void pbs_print(struct pbs *p)
{
    add_limits(p);
    printf("RMCFG[pbs] TYPE=PBS\nRMPOLLINTERVAL 10\n%s%s%s",
        p->head.text ? p->head.text : "",
        p->prioritized && p->policy.by_queue ? QUEUE_FIRST : "",
        !p->express              ? ""
        : p->policy.order == 'S' ? "PREEMPTPOLICY SUSPEND\n"
                                 : "PREEMPTPOLICY REQUEUE\n");
    for (size_t i = 0; i < p->sections.n; i++)
        if (p->sections.v[i].text.len > 0)
            printf("%s%s\n", p->sections.v[i].name, p->sections.v[i].text.text);
    if (p->kept.len > 0)
        printf("# PBS itself goes on seeing to:\n%s", p->kept.text);
}
