/* SPDX-License-Identifier: Apache-2.0
 * qstat, in its three forms, as jobs. */
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "rm/adapter/xml.h"
#include "rm/gridengine/answers.h"

#include <ctype.h>
#include <stdio.h>
#include <strings.h>

#define TASKS_MOST    100000 /* of an array that are looked at; Grid Engine's: 75000 */
#define PRIORITY_ZERO 1024   /* how qstat -j shows -p 0 */
#define GATE_AT       2145830400 /* 2037-12-31: the gate's start time is behind it */

/* ---- what is read ---- */

#define SHARE_MOST  (512u << 10) /* of a job, tasks that run aside */
#define DETAIL_MOST (192u << 20)

static const char *const detail_members[] = {"JB_job_number", "JB_owner", "JB_group",
    "JB_project", "JB_account", "JB_job_name", "JB_submission_time",
    "JB_execution_time", "JB_priority", "JB_restart", "JB_ja_task_concurrency",
    "JB_hard_resource_list", "JB_hard_queue_list", "JB_soft_queue_list", "JB_pe",
    "JB_pe_range", "JB_context", "JB_jid_predecessor_list", "JB_ar",
    "JB_ja_ad_predecessor_list", "JB_ja_structure", "JB_ja_tasks", NULL};
static const char *const state_members[] = {
    "JB_job_number", "state", "queue_name", "slots", "tasks", NULL};

/* <detailed_job_info><djob_info><element> */
const struct squeeze_kind ge_squeeze_detail = {.grammar = SQUEEZE_XML,
    .depth = 3,
    .keep = detail_members,
    .key = "JB_job_number",
    .free = "JB_ja_tasks",
    .payer = "JB_owner",
    .share = SHARE_MOST,
    .most = DETAIL_MOST};

/* <job_info><queue_info><job_list> */
const struct squeeze_kind ge_squeeze_states = {.grammar = SQUEEZE_XML,
    .depth = 3,
    .keep = state_members,
    .key = "JB_job_number",
    .share = SIZE_MAX,
    .most = SIZE_MAX};

/* ---- one job of qstat -j ---- */

static int64_t number_in(const struct xml_element *e, const char *name, int64_t usual)
{
    const char *text = xml_text(e, name);
    char *end = NULL;
    long long n = text != NULL ? strtoll(text, &end, 10) : 0;

    return end != NULL && end > text && (*end == '\0' || *end == '.') ? n : usual;
}

/* Of a list. What its members are called depends on whether qalter was at it:
 * <ranges>, <element>. */
static const struct xml_element *first_of(const struct xml_element *e, const char *list)
{
    const struct xml_element *all = xml_child(e, list);

    return all != NULL ? all->first : NULL;
}

static const char *none_if_empty(const char *text)
{
    return text != NULL && *text ? text : NULL;
}

/* "a,b" of the queues in a list of elements. */
static const char *join_queues(struct arena *arena, const struct xml_element *list)
{
    struct strbuf text = {0};
    const char *joined;

    for (const struct xml_element *e = list ? list->first : NULL; e != NULL;
         e = e->next) {
        const char *name = none_if_empty(xml_text(e, "QR_name"));

        if (name != NULL)
            strbuf_printf(&text, "%s%s", text.len > 0 ? "," : "", name);
    }
    joined = text.len > 0 ? arena_text(arena, text.text, text.len) : NULL;
    free(text.text);
    return joined;
}

static const char *context_of(const struct xml_element *job, const char *name)
{
    const struct xml_element *list = xml_child(job, "JB_context");

    for (const struct xml_element *e = list ? list->first : NULL; e != NULL;
         e = e->next) {
        const char *variable = xml_text(e, "VA_variable");

        if (variable != NULL && strcmp(variable, name) == 0)
            return xml_text(e, "VA_value") ? xml_text(e, "VA_value") : "";
    }
    return NULL;
}

static void read_kept(
    struct arena *arena, const struct xml_element *e, struct ge_kept *k)
{
    const char *queues = context_of(e, "maui_q"), *gate = context_of(e, "maui_gate");

    k->queues = join_queues(arena, xml_child(e, "JB_hard_queue_list"));
    if (k->queues != NULL && strcmp(k->queues, "*") == 0)
        k->queues = NULL; /* a list cannot be taken away by qalter */
    k->range = none_if_empty(context_of(e, "maui_pe"));
    k->cls = none_if_empty(context_of(e, "maui_class"));
    k->gate = gate != NULL;
    k->gate_time = gate != NULL && strchr(gate, 'a') != NULL
                   && number_in(e, "JB_execution_time", 0) > GATE_AT;
    k->gate_user = gate != NULL && strpbrk(gate, "ua") != NULL;
    k->overwritten = queues != NULL;
    if (queues == NULL)
        return;
    char *asked = arena_text(arena, queues, strlen(queues));
    for (char *c = asked; *c; c++)
        if (*c == ';')
            *c = ',';
    k->queues = *asked && strcmp(asked, "-") != 0 ? asked : NULL;
}

static const struct ge_value *read_requests(
    struct arena *arena, const struct xml_element *job)
{
    const struct xml_element *list = xml_child(job, "JB_hard_resource_list");
    struct ge_value *requests;
    size_t n = 0;

    for (const struct xml_element *e = list ? list->first : NULL; e != NULL;
         e = e->next)
        n++;
    requests = arena_take(arena, n + 1, sizeof *requests);
    n = 0;
    for (const struct xml_element *e = list ? list->first : NULL; e != NULL;
         e = e->next) {
        const char *name = none_if_empty(xml_text(e, "CE_name"));

        if (name != NULL)
            requests[n++] = (struct ge_value){.name = name,
                .text = xml_text(e, "CE_stringval") ? xml_text(e, "CE_stringval") : ""};
    }
    return requests;
}

static const char *const *read_after(
    struct arena *arena, const struct xml_element *list)
{
    const char **after;
    size_t n = 0;

    for (const struct xml_element *e = list ? list->first : NULL; e != NULL;
         e = e->next)
        n++;
    if (n == 0)
        return NULL;
    after = arena_take(arena, n + 1, sizeof *after);
    n = 0;
    for (const struct xml_element *e = list->first; e != NULL; e = e->next) {
        const char *number = none_if_empty(xml_text(e, "JRE_job_number"));

        if (number != NULL)
            after[n++] = number;
    }
    return n > 0 ? after : NULL;
}

/* The wallclock limit among its requests; 0 = none is asked for. */
static int64_t limit_of(const struct ge_value *requests)
{
    for (const struct ge_value *r = requests; r->name != NULL; r++)
        if (strcmp(r->name, "h_rt") == 0) {
            int64_t s = ge_seconds(r->text);

            return s == -1 ? DURATION_UNLIMITED : s > 0 ? s : 0;
        }
    return 0;
}

static void read_credentials(const struct xml_element *e, struct job_desc *d)
{
    const char *account = none_if_empty(xml_text(e, "JB_account"));

    d->cred[CRED_USER] = none_if_empty(xml_text(e, "JB_owner"));
    d->cred[CRED_GROUP] = none_if_empty(xml_text(e, "JB_group"));
    d->cred[CRED_ACCOUNT] = none_if_empty(xml_text(e, "JB_project"));
    if (d->cred[CRED_ACCOUNT] == NULL && account != NULL && strcmp(account, "sge") != 0)
        d->cred[CRED_ACCOUNT] = account; /* "sge": none was given */
}

static void read_slots(const struct xml_element *e, const char *range, struct ge_job *j)
{
    const struct xml_element *asked = first_of(e, "JB_pe_range");
    char *end;

    j->pe = none_if_empty(xml_text(e, "JB_pe"));
    j->slots = j->pe != NULL ? number_in(asked, "RN_min", 1) : 1;
    j->slots_most = j->pe != NULL ? number_in(asked, "RN_max", j->slots) : 1;
    if (range != NULL && range[strspn(range, "0123456789-")] == '\0') {
        j->slots = strtoll(range, &end, 10);
        j->slots_most = *end == '-' ? strtoll(end + 1, NULL, 10) : j->slots;
    }
    if (j->slots < 1 || j->slots > INT32_MAX)
        j->slots = 1;
    if (j->slots_most < j->slots)
        j->slots_most = j->slots;
}

/* What all tasks of it have in common. */
static void read_detail(
    struct arena *arena, const struct xml_element *e, struct ge_job *ret)
{
    struct job_desc *d = &ret->rm.desc;
    int64_t restart = number_in(e, "JB_restart", 0);

    *ret = (struct ge_job){.number = xml_text(e, "JB_job_number"),
        .owner = xml_text(e, "JB_owner"),
        .requests = read_requests(arena, e),
        .after = read_after(arena, xml_child(e, "JB_jid_predecessor_list")),
        .after_task = read_after(arena, xml_child(e, "JB_ja_ad_predecessor_list")),
        .step = number_in(first_of(e, "JB_ja_structure"), "RN_step", 1),
        .at_once = number_in(e, "JB_ja_task_concurrency", 0),
        .rerun_said = restart == 1 || restart == 2,
        .rerun = restart == 1};
    ret->soft = join_queues(arena, xml_child(e, "JB_soft_queue_list"));
    read_kept(arena, e, &ret->kept);
    read_slots(e, ret->kept.range, ret);
    d->admitted = true; /* the master has looked at projects and user lists */
    read_credentials(e, d);
    d->submit_at = number_in(e, "JB_submission_time", 0);
    d->release_at = ret->kept.gate_time ? 0 : number_in(e, "JB_execution_time", 0);
    d->wclimit_s = limit_of(ret->requests);
    if (number_in(e, "JB_ar", 0) > 0) {
        ret->reservation = xml_text(e, "JB_ar");
        d->advres = arena_printf(arena, GE_RESERVATION "%s", ret->reservation);
    }
    d->user_priority = number_in(e, "JB_priority", PRIORITY_ZERO) - PRIORITY_ZERO;
    ret->rm.name = none_if_empty(xml_text(e, "JB_job_name"));
    ret->rm.cpu_s = ret->rm.mem_mb = ret->rm.swap_mb = ret->rm.disk_mb = -1;
}

/* ---- its tasks ---- */

struct task_detail {
    int64_t number;
    const struct xml_element *element;
};

struct detail {
    int64_t number;
    const struct xml_element *element;
    bool indexed;
    struct VEC(struct task_detail) tasks; /* by number, those that are told of */
};

static int compare_task_details(const void *a, const void *b)
{
    const struct task_detail *x = a, *y = b;

    return x->number < y->number ? -1 : x->number > y->number;
}

static void index_tasks(struct detail *d)
{
    const struct xml_element *list = xml_child(d->element, "JB_ja_tasks");

    for (const struct xml_element *e = list ? list->first : NULL; e != NULL;
         e = e->next)
        vec_push(
            &d->tasks, ((struct task_detail){number_in(e, "JAT_task_number", 0), e}));
    if (d->tasks.n > 0)
        qsort(d->tasks.v, d->tasks.n, sizeof d->tasks.v[0], compare_task_details);
    d->indexed = true;
}

static const struct xml_element *find_task(struct detail *d, int64_t task)
{
    const struct task_detail wanted = {.number = task}, *found;

    if (!d->indexed)
        index_tasks(d);
    if (d->tasks.n == 0)
        return NULL;
    found =
        bsearch(&wanted, d->tasks.v, d->tasks.n, sizeof wanted, compare_task_details);
    return found != NULL ? found->element : NULL;
}

static void read_usage(const struct xml_element *task, struct ge_job *j)
{
    const struct xml_element *list = xml_child(task, "JAT_scaled_usage_list");

    for (const struct xml_element *e = list ? list->first : NULL; e != NULL;
         e = e->next) {
        const char *name = xml_text(e, "UA_name"), *value = xml_text(e, "UA_value");
        double n = value != NULL ? strtod(value, NULL) : 0;

        if (name == NULL || !(n >= 0) || n > 1e15)
            continue;
        if (strcmp(name, "cpu") == 0)
            j->rm.cpu_s = n;
        else if (strcmp(name, "maxvmem") == 0)
            j->rm.mem_mb = (int64_t)(n / 1048576) + 1;
    }
}

bool ge_is_waiting(const struct ge_job *j)
{
    return j->rm.desc.state == JOB_IDLE || j->rm.desc.state == JOB_HOLD;
}

static void read_state(struct ge_job *j)
{
    const char *s = j->letters;
    struct job_desc *d = &j->rm.desc;

    j->deleted = strchr(s, 'd') != NULL;
    if (strchr(s, 'w') != NULL || strchr(s, 'q') != NULL)
        d->state = JOB_IDLE;
    else if (strpbrk(s, "sST") != NULL)
        d->state = JOB_SUSPENDED;
    else if (strchr(s, 't') != NULL)
        d->state = JOB_STARTING;
    else if (strchr(s, 'z') != NULL)
        d->state = JOB_COMPLETED;
    else
        d->state = JOB_RUNNING;
}

static void read_task(
    struct arena *arena, struct detail *detail, int64_t task, struct ge_job *j)
{
    const struct xml_element *e = find_task(detail, task);
    const struct xml_element *message = first_of(e, "JAT_message_list");

    read_state(j);
    if (strchr(j->letters, 'E') != NULL)
        j->error = xml_text(message, "QIM_message") ? xml_text(message, "QIM_message")
                                                    : "its start failed";
    if (!ge_is_waiting(j)) {
        j->rm.start_at = number_in(e, "JAT_start_time", 0);
        if (job_has_begun(j->rm.desc.state))
            j->rm.desc.start_at = j->rm.start_at;
    }
    read_usage(e, j);
    j->rm.desc.id =
        j->task != NULL ? arena_printf(arena, "%s[%s]", j->number, j->task) : j->number;
}

/* ---- listings ---- */

/* "1-5:2", "1,3,4": one after the other; `*io_at` moves on. False at the end. */
struct tasks {
    const char *at;
    int64_t next, last, step;
};

static bool next_task(struct tasks *t, int64_t *ret)
{
    char *end;

    if (t->next > t->last || t->next == 0) {
        if (*t->at < '0' || *t->at > '9')
            return false;
        t->next = t->last = strtoll(t->at, &end, 10);
        t->step = 1;
        if (*end == '-')
            t->last = strtoll(end + 1, &end, 10);
        if (*end == ':')
            t->step = strtoll(end + 1, &end, 10);
        t->at = *end == ',' ? end + 1 : "";
        if (t->next < 1 || t->step < 1 || t->last > INT32_MAX || t->next > t->last)
            return false;
    }
    *ret = t->next;
    t->next += t->step;
    return true;
}

static int64_t value_of(const char *number)
{
    return number != NULL ? strtoll(number, NULL, 10) : 0;
}

static int compare_jobs(const void *a, const void *b)
{
    const struct ge_job *x = a, *y = b;
    int64_t n = value_of(x->number) - value_of(y->number);

    if (n == 0)
        n = value_of(x->task) - value_of(y->task);
    return n < 0 ? -1 : n > 0;
}

void ge_sort_jobs(struct ge_jobs *jobs)
{
    struct ge_job *v = jobs->list.v;
    size_t n = 0;

    if (jobs->list.n > 0)
        qsort(v, jobs->list.n, sizeof *v, compare_jobs);
    for (size_t i = 0; i < jobs->list.n; i++)
        if (n == 0 || compare_jobs(&v[n - 1], &v[i]) != 0)
            v[n++] = v[i];
        else if (v[i].rm.end_at >= v[n - 1].rm.end_at)
            v[n - 1] = v[i];
    jobs->list.n = n;
}

struct details {
    struct VEC(struct detail) list; /* by number */
};

static int compare_details(const void *a, const void *b)
{
    const struct detail *x = a, *y = b;

    return x->number < y->number ? -1 : x->number > y->number;
}

static struct detail *find_detail(const struct details *d, const char *number)
{
    const struct detail wanted = {.number = value_of(number)};

    return d->list.n > 0
               ? bsearch(&wanted, d->list.v, d->list.n, sizeof wanted, compare_details)
               : NULL;
}

static void free_details(struct details *d)
{
    for (size_t i = 0; i < d->list.n; i++)
        vec_fini(&d->list.v[i].tasks);
    vec_fini(&d->list);
}

static void add_tasks(
    struct ge_jobs *ret, struct detail *detail, const struct xml_element *e)
{
    const char *tasks = none_if_empty(xml_text(e, "tasks"));
    struct tasks t = {.at = tasks != NULL ? tasks : "1"};
    struct ge_job base;
    int64_t task;

    read_detail(&ret->arena, detail->element, &base);
    base.letters = xml_text(e, "state") ? xml_text(e, "state") : "";
    base.instance = none_if_empty(xml_text(e, "queue_name"));
    for (size_t n = 0; n < TASKS_MOST && next_task(&t, &task); n++) {
        struct ge_job j = base;

        if (tasks != NULL)
            j.task = arena_printf(&ret->arena, "%lld", (long long)task);
        read_task(&ret->arena, detail, task, &j);
        if (!ge_is_waiting(&j))
            j.slots = number_in(e, "slots", j.slots);
        vec_push(&ret->list, j);
    }
}

/* Both lists of qstat -xml: those that have begun, and the others. */
static void read_listing(
    struct ge_jobs *ret, const struct details *d, const struct xml_element *list)
{
    for (const struct xml_element *e = list ? list->first : NULL; e != NULL;
         e = e->next) {
        const char *number = none_if_empty(xml_text(e, "JB_job_number"));
        struct detail *detail = number ? find_detail(d, number) : NULL;

        if (strcmp(e->name, "job_list") == 0 && detail != NULL)
            add_tasks(ret, detail, e);
    }
}

static int compare_numbers(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

bool ge_is_cut(const struct ge_jobs *jobs, const char *id)
{
    int64_t number = value_of(id);

    return jobs->cut.n > 0
           && bsearch(&number, jobs->cut.v, jobs->cut.n, sizeof number, compare_numbers)
                  != NULL;
}

static void add_detail(
    struct ge_jobs *jobs, struct details *ret, const struct xml_element *e)
{
    int64_t number = number_in(e, "JB_job_number", 0);

    if (xml_child(e, SQUEEZE_CUT) != NULL)
        vec_push(&jobs->cut, number);
    else if (number > 0)
        vec_push(&ret->list, ((struct detail){.number = number, .element = e}));
}

/* qstat -j prints another document where there are no jobs. */
static int read_details(struct ge_jobs *jobs, struct details *ret,
    const struct xml_element *root, struct err *err)
{
    const struct xml_element *all = xml_child(root, "detailed_job_info");
    const struct xml_element *list = xml_child(all, "djob_info");

    if (all == NULL && xml_child(root, "unknown_jobs") == NULL)
        return err_set(err, ERR_INVALID, "qstat -j: its XML tells of no jobs");
    for (const struct xml_element *e = list ? list->first : NULL; e != NULL;
         e = e->next)
        add_detail(jobs, ret, e);
    if (jobs->cut.n > 0)
        qsort(jobs->cut.v, jobs->cut.n, sizeof jobs->cut.v[0], compare_numbers);
    if (ret->list.n > 0)
        qsort(ret->list.v, ret->list.n, sizeof ret->list.v[0], compare_details);
    return 0;
}

static int read_both(struct ge_jobs *ret, const struct xml_element *detail,
    const struct xml_element *states, struct err *err)
{
    const struct xml_element *all = xml_child(states, "job_info");
    struct details d = {0};

    if (all == NULL)
        return err_set(err, ERR_INVALID, "qstat: its XML tells of no jobs");
    if (read_details(ret, &d, detail, err) < 0) {
        free_details(&d);
        return -1;
    }
    read_listing(ret, &d, xml_child(all, "queue_info"));
    read_listing(ret, &d, xml_child(all, "job_info"));
    free_details(&d);
    ge_sort_jobs(ret);
    return 0;
}

/* Names of lists stand there as names of elements: <job ids>, and for jobs that are
 * older than the master <JATASK:      11.>. What is no character of a name is '_';
 * where there are attributes it is as it should be. */
static void mend_tags(char *text)
{
    for (char *at = strchr(text, '<'); at != NULL; at = strchr(at, '<')) {
        size_t whole = strcspn(at, ">"), n = whole;

        while (n > 1 && strchr(" \t\n/", at[n - 1]) != NULL)
            n--;
        if (memchr(at, '=', n) == NULL && at[1] != '?' && at[1] != '!')
            for (size_t i = at[1] == '/' ? 2 : 1; i < n; i++)
                if (!isalnum((unsigned char)at[i]))
                    at[i] = '_';
        at += whole;
    }
}

static const struct xml_element *read_detail_text(
    struct arena *arena, const char *text, size_t len, struct err *err)
{
    char *copy = xstrndup(text, len);
    const struct xml_element *root;

    mend_tags(copy);
    root = xml_read(arena, copy, strlen(copy), err);
    free(copy);
    return root;
}

int ge_read_jobs(struct ge_jobs *ret, const char *detail, size_t detail_len,
    const char *states, size_t states_len, struct err *err)
{
    const struct xml_element *one, *two;

    *ret = (struct ge_jobs){0};
    one = read_detail_text(&ret->arena, detail, detail_len, err);
    if (one == NULL)
        return err_prefix(err, "qstat -j: ");
    two = xml_read(&ret->arena, states, states_len, err);
    if (two == NULL)
        return err_prefix(err, "qstat: ");
    return read_both(ret, one, two, err);
}

static void add_begun(
    struct arena *arena, struct ge_names *ret, const struct xml_element *e)
{
    const char *number = none_if_empty(xml_text(e, "JB_job_number"));
    const char *tasks = none_if_empty(xml_text(e, "tasks"));
    struct ge_job j = {.letters = xml_text(e, "state") ? xml_text(e, "state") : ""};
    struct tasks t = {.at = tasks != NULL ? tasks : ""};
    int64_t task;

    read_state(&j);
    if (number == NULL || ge_is_waiting(&j))
        return;
    if (tasks == NULL)
        vec_push(ret, number);
    for (size_t n = 0; n < TASKS_MOST && next_task(&t, &task); n++)
        vec_push(ret, arena_printf(arena, "%s[%lld]", number, (long long)task));
}

int ge_read_begun(struct arena *arena, struct ge_names *ret, const char *text,
    size_t len, struct err *err)
{
    const struct xml_element *all = xml_read(arena, text, len, err), *e;

    if (all == NULL)
        return err_prefix(err, "qstat -s rs: ");
    all = xml_child(all, "job_info");
    if (all == NULL)
        return err_set(err, ERR_INVALID, "qstat -s rs: its XML tells of no jobs");
    e = xml_child(xml_child(all, "queue_info"), "job_list");
    for (; e != NULL; e = xml_beside(e->next, "job_list"))
        add_begun(arena, ret, e);
    return 0;
}

void ge_jobs_free(struct ge_jobs *jobs)
{
    vec_fini(&jobs->list);
    vec_fini(&jobs->cut);
    arena_free(&jobs->arena);
}

size_t ge_first_of(const struct ge_jobs *jobs, const char *number)
{
    int64_t wanted = value_of(number);
    size_t low = 0, high = jobs->list.n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (value_of(jobs->list.v[middle].number) < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct ge_job *find_job(
    const struct ge_jobs *jobs, const char *number, const char *task)
{
    struct ge_job wanted = {.number = number, .task = task};

    return jobs->list.n > 0 ? bsearch(&wanted, jobs->list.v, jobs->list.n,
               sizeof jobs->list.v[0], compare_jobs)
                            : NULL;
}

const struct ge_job *ge_find_job(const struct ge_jobs *jobs, const char *id)
{
    const char *open = strchr(id, '[');

    return find_job(jobs, id, open != NULL ? open + 1 : NULL);
}

int ge_read_held(
    struct ge_jobs *jobs, unsigned held, const char *text, size_t len, struct err *err)
{
    const struct xml_element *all, *e;

    all = xml_read(&jobs->arena, text, len, err);
    if (all == NULL)
        return err_prefix(err, "qstat -s: ");
    all = xml_child(all, "job_info");
    if (all == NULL)
        return err_set(err, ERR_INVALID, "qstat -s: its XML tells of no jobs");
    e = xml_child(xml_child(all, "job_info"), "job_list");
    for (; e != NULL; e = xml_beside(e->next, "job_list")) {
        const char *number = xml_text(e, "JB_job_number");
        const char *tasks = none_if_empty(xml_text(e, "tasks"));
        struct tasks t = {.at = tasks != NULL ? tasks : ""};
        struct ge_job *j = number && !tasks ? find_job(jobs, number, NULL) : NULL;
        int64_t task;
        char name[24];

        if (j != NULL)
            j->held |= held;
        for (size_t n = 0; number && n < TASKS_MOST && next_task(&t, &task); n++) {
            snprintf(name, sizeof name, "%lld", (long long)task);
            j = find_job(jobs, number, name);
            if (j != NULL)
                j->held |= held;
        }
    }
    return 0;
}
