/* SPDX-License-Identifier: Apache-2.0
 * request.json, read. */
#include "records/describe.h"
#include "rm/local/request.h"

static void read_indexes(struct reader *m, const json_t *o, struct request *r)
{
    const char *text = reader_text(m, o, "indexes");
    struct err err;

    if (text != NULL && array_parse(text, &r->array, &err) != 0)
        reader_wrong(m, "indexes", "the indexes of an array");
}

static void read_all(struct reader *m, const json_t *o, struct request *r)
{
    const char *id = reader_text(m, o, "id");

    if (id == NULL || *id == '\0')
        reader_wrong(m, "id", "the job's id");
    describe_read_job(m, o, &r->job.desc);
    r->job.name = reader_text(m, o, "name");
    r->job.directory = reader_text(m, o, "directory");
    r->job.output = reader_text(m, o, "output");
    r->job.error = reader_text(m, o, "error");
    r->job.cpu_s = -1;
    r->job.mem_mb = -1;
    r->argv = reader_texts(m, o, "argv");
    read_indexes(m, o, r);
    r->script = reader_bool(m, o, "script");
    r->rerunnable = reader_bool(m, o, "rerunnable");
    r->join = reader_bool(m, o, "join");
    r->umask = reader_u32(m, o, "umask") & 0777;
    r->uid = reader_u32(m, o, "uid");
    r->gid = reader_u32(m, o, "gid");
    /* whoever it is, it is said: a damaged record must not make a job root's */
    if (!json_is_integer(json_object_get(o, "uid")))
        reader_wrong(m, "uid", "the number of a user");
    if (!json_is_integer(json_object_get(o, "gid")))
        reader_wrong(m, "gid", "the number of a group");
    if (!r->script && (r->argv == NULL || r->argv[0] == NULL))
        reader_wrong(m, "argv", "a command, and there is no script");
}

struct request *request_read(const char *text, size_t len, struct err *err)
{
    struct request *r = xcalloc(1, sizeof *r);

    r->reader = xcalloc(1, sizeof *r->reader);
    if (reader_open(r->reader, "request.json", text, len, err) == 0)
        read_all(r->reader, r->reader->document, r);
    if (r->reader->failed) {
        request_free(r);
        return NULL;
    }
    return r;
}

void request_free(struct request *r)
{
    if (r == NULL)
        return;
    reader_close(r->reader);
    array_fini(&r->array);
    free(r->reader);
    free(r);
}

/* On how many nodes tasks of that request are. */
static int64_t count_nodes(const struct job_place *places, size_t n, uint32_t req)
{
    int64_t nodes = 0;

    for (size_t i = 0; i < n; i++)
        nodes += places[i].req == req;
    return nodes;
}

int64_t request_mem_mb(
    const struct request *r, const struct job_place *places, size_t n)
{
    const int64_t most = INT64_MAX / 1024 / 1024 / 64;
    int64_t sum = 0;

    for (uint32_t i = 0; i < r->job.desc.nreqs; i++) {
        const struct req_desc *q = &r->job.desc.reqs[i];
        int64_t tasks = q->tasks != 0 ? q->tasks : 1, nodes = count_nodes(places, n, i);
        int64_t each = q->per_task.v[RES_MEM], by_node = q->mem_per_node_mb;

        if (each + by_node <= 0 || each > most / tasks
            || by_node > most / (nodes > 0 ? nodes : 1))
            return 0; /* one of them may use all there is */
        sum += each * tasks + by_node * nodes;
    }
    return sum;
}

int64_t request_procs_per_task(const struct request *r, uint32_t req)
{
    const struct job_desc *d = &r->job.desc;
    int64_t each = req < d->nreqs ? d->reqs[req].per_task.v[RES_PROCS] : 1;

    if (each < 0)
        return 0;
    return each > INT32_MAX ? INT32_MAX : each > 0 ? each : 1;
}
