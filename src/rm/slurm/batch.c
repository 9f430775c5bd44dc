/* SPDX-License-Identifier: Apache-2.0
 * Starts alike in one request. Slurm's answer has the tasks by their error, in texts of
 * 32 bytes: so many tasks a request that whatever list of some of them fits in there.
 */
#include "rm/slurm/batch.h"

#include "base/strbuf.h"
#include "base/vec.h"
#include "base/xalloc.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#define LIST_MOST 28 /* bytes; Slurm cuts what is longer */

struct ordered {
    uint64_t token;
    char *id;         /* owned */
    job_desc_msg_t m; /* its five texts owned */
    size_t request;   /* that it is in, from 1 on; 0 = in none yet */
};
struct ordered_list VEC(struct ordered);

struct batch {
    struct ordered_list starts;
};

struct batch *batch_new(void)
{
    return xcalloc(1, sizeof(struct batch));
}

static char *copy_text(const char *text)
{
    return text != NULL ? xstrdup(text) : NULL;
}

static void free_ordered(struct ordered *o)
{
    free(o->id);
    free(o->m.req_nodes);
    free(o->m.exc_nodes);
    free(o->m.features);
    free(o->m.partition);
    free(o->m.admin_comment);
}

static void free_list(struct ordered_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free_ordered(&list->v[i]);
    vec_fini(list);
}

void batch_free(struct batch *b)
{
    if (b == NULL)
        return;
    free_list(&b->starts);
    free(b);
}

void batch_add(
    struct batch *b, uint64_t token, const char *id, const job_desc_msg_t *update)
{
    struct ordered o = {.token = token, .id = xstrdup(id), .m = *update};

    o.m.req_nodes = copy_text(update->req_nodes);
    o.m.exc_nodes = copy_text(update->exc_nodes);
    o.m.features = copy_text(update->features);
    o.m.partition = copy_text(update->partition);
    o.m.admin_comment = copy_text(update->admin_comment);
    vec_push(&b->starts, o);
}

/* ---- what is alike ---- */

static bool is_same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* All that a start says. */
static bool asks_same(const job_desc_msg_t *a, const job_desc_msg_t *b)
{
    return is_same_text(a->req_nodes, b->req_nodes)
           && is_same_text(a->exc_nodes, b->exc_nodes)
           && is_same_text(a->features, b->features)
           && is_same_text(a->partition, b->partition)
           && is_same_text(a->admin_comment, b->admin_comment)
           && a->min_nodes == b->min_nodes && a->max_nodes == b->max_nodes
           && a->num_tasks == b->num_tasks && a->time_limit == b->time_limit
           && a->time_min == b->time_min && a->begin_time == b->begin_time
           && a->wait4switch == b->wait4switch && a->nice == b->nice
           && a->priority == b->priority;
}

/* Bytes of its number as a task, with what stands before it; 0: of no array. */
static size_t task_length(const char *id)
{
    const char *task = strchr(id, '_');

    return task != NULL && isdigit((unsigned char)task[1]) ? strlen(task) : 0;
}

static bool is_of_same_array(const char *a, const char *b)
{
    size_t n = strcspn(a, "_");

    return n == strcspn(b, "_") && strncmp(a, b, n) == 0;
}

/* One and all behind it that ask for the same are that request; by Slurm's name for
 * them, "63_1,4,5". Owned. */
static char *gather_alike(struct ordered_list *list, size_t first, size_t request)
{
    struct ordered *o = &list->v[first];
    size_t length = task_length(o->id);
    struct strbuf name = {0};

    strbuf_add(&name, o->id);
    o->request = request;
    for (size_t i = length > 0 && UPDATE_TAKES_TASKS ? first + 1 : list->n; i < list->n;
         i++) {
        struct ordered *other = &list->v[i];
        size_t more = task_length(other->id);

        if (other->request != 0 || more == 0 || length + more > LIST_MOST
            || !is_of_same_array(o->id, other->id) || !asks_same(&o->m, &other->m))
            continue;
        strbuf_printf(&name, ",%s", strchr(other->id, '_') + 1);
        other->request = request;
        length += more;
    }
    return strbuf_take(&name);
}

/* ---- the answer ---- */

bool batch_lists(const char *list, unsigned long task)
{
    const char *at = strchr(list, '_');
    char *end;

    for (at = at != NULL ? at + 1 : list; isdigit((unsigned char)*at); at = end + 1) {
        unsigned long low = strtoul(at, &end, 10), high = low;

        if (*end == '-')
            high = strtoul(end + 1, &end, 10);
        if (task >= low && task <= high)
            return true;
        if (*end != ',')
            break;
    }
    return false;
}

/* Where one is asked for alone whatever is wrong is about that one. */
static int error_of(
    const char *id, const char *asked, const job_array_resp_msg_t *answers)
{
    for (uint32_t i = 0; answers != NULL && i < answers->job_array_count; i++)
        if (answers->error_code[i] != SLURM_SUCCESS
            && (strcmp(id, asked) == 0
                || batch_lists(
                    answers->job_array_id[i], strtoul(strchr(id, '_') + 1, NULL, 10))))
            return (int)answers->error_code[i];
    return 0;
}

/* What a system call left behind, and no error of Slurm's own. */
#define SYSTEM_ERRORS   1000
#define PARTITION_TRIES 4 /* about every second is taken */

static bool is_left_behind(int error)
{
    return error > 0 && error < SYSTEM_ERRORS;
}

static bool met_left_behind(int result, const job_array_resp_msg_t *answers)
{
    if (result != SLURM_SUCCESS)
        return is_left_behind(errno);
    for (uint32_t i = 0; answers != NULL && i < answers->job_array_count; i++)
        if (is_left_behind((int)answers->error_code[i]))
            return true;
    return false;
}

/* True: the request was answered by chance. What it said is forgotten. */
static bool is_by_chance(
    const job_desc_msg_t *m, int result, job_array_resp_msg_t **io_answers)
{
    if (m->partition == NULL || !met_left_behind(result, *io_answers))
        return false;
    if (*io_answers != NULL)
        slurm_free_job_array_resp(*io_answers);
    *io_answers = NULL;
    return true;
}

int batch_update(job_desc_msg_t *m, job_array_resp_msg_t **ret)
{
    char *partition = m->partition;
    int result, error;

    for (int i = 1; i <= PARTITION_TRIES; i++) {
        result = slurm_update_job2(m, ret);
        error = errno;
        if (!is_by_chance(m, result, ret)) {
            errno = error;
            return result;
        }
    }
    if (m->priority != INFINITE) {
        errno = result == SLURM_SUCCESS ? EAGAIN : error;
        return -1;
    }
    m->partition = NULL;
    result = slurm_update_job2(m, ret);
    m->partition = partition;
    return result;
}

/* Each request to a Slurm that is out of reach would wait for it: none is sent then. */
static void ask_slurm(struct ordered_list *list, size_t first, size_t request,
    const struct batch_calls *calls)
{
    job_array_resp_msg_t *answers = NULL;
    job_desc_msg_t m = list->v[first].m;
    char *asked = gather_alike(list, first, request);
    int error;

    m.job_id_str = asked;
    if (!calls->may_ask(calls->ctx))
        error = SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR;
    else
        error = batch_update(&m, &answers) == SLURM_SUCCESS ? 0 : errno;
    for (size_t i = first; i < list->n; i++)
        if (list->v[i].request == request)
            calls->done(calls->ctx, list->v[i].token, list->v[i].id,
                error != 0 ? error : error_of(list->v[i].id, asked, answers));
    if (answers != NULL)
        slurm_free_job_array_resp(answers);
    free(asked);
}

void batch_send(struct batch *b, const struct batch_calls *calls)
{
    struct ordered_list list = b->starts;

    b->starts = (struct ordered_list){0};
    for (size_t i = 0; i < list.n; i++)
        if (list.v[i].request == 0)
            ask_slurm(&list, i, i + 1, calls);
    free_list(&list);
}
