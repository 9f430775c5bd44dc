/* SPDX-License-Identifier: Apache-2.0
 * The attributes of jobs by their classic names. */
#include "client/jobs/jobxml.h"

#include "client/kit/lists.h"
#include "client/kit/request.h"
#include "client/kit/xml.h"

#include <string.h>
#include <strings.h>

/* ---- attributes: their classic names, and where the record has them ---- */

static const struct job_attribute {
    const char *name, *key;
} attributes[] = {
    {"Account", "account"},
    {"AllocNodeList", "allocation"},
    {"AWDuration", NULL},
    {"Class", "class"},
    {"CmdFile", "command"},
    {"Comment", "comment"},
    {"CompletionTime", NULL},
    {"Depend", "dependencies"},
    {"EEDuration", "eligible_s"},
    {"EState", "expected_state"},
    {"Flags", "flags"},
    {"Group", "group"},
    {"Hold", "holds"},
    {"IWD", "directory"},
    {"JobID", "id"},
    {"JobName", "name"},
    {"MasterHost", "master_host"},
    {"Messages", "messages"},
    {"PAL", "partitions"},
    {"Partition", "partition"},
    {"Priority", "priority"},
    {"QOS", "qos"},
    {"QOSReq", "qos_asked"},
    {"ReqAWDuration", "wclimit_s"},
    {"ReqCMaxTime", "deadline_at"},
    {"ReqNodes", "nodes"},
    {"ReqProcs", "procs"},
    {"ReqReservation", "reservation_name"},
    {"ReqSMinTime", "release_at"},
    {"RM", "rm"},
    {"RMJID", "id"},
    {"StartCount", "start_count"},
    {"StartPriority", "priority"},
    {"StartTime", "start_at"},
    {"StatPSDed", NULL},
    {"StatPSUtl", "cpu_s"},
    {"State", "state"},
    {"StdErr", "error"},
    {"StdOut", "output"},
    {"SubmissionTime", "submit_at"},
    {"SuspendDuration", "suspended_s"},
    {"SysPrio", "system_priority"},
    {"User", "user"},
    {"UserPrio", "user_priority"},
    {"UtlMem", "mem_used_mb"},
};
#define ATTRIBUTES (sizeof attributes / sizeof attributes[0])

void jobxml_add(struct strbuf *out, const json_t *v)
{
    size_t i;
    json_t *entry;

    if (json_is_string(v)) {
        strbuf_add(out, json_string_value(v));
    } else if (json_is_integer(v)) {
        strbuf_printf(out, "%lld", (long long)json_integer_value(v));
    } else if (json_is_real(v)) {
        strbuf_printf(out, "%.3f", json_real_value(v));
    } else if (json_is_object(v)) {
        strbuf_printf(
            out, "%s:%lld", get_text(v, "node", ""), (long long)get_int(v, "tasks", 0));
    } else {
        json_array_foreach(v, i, entry)
        {
            strbuf_add(out, i ? "," : "");
            jobxml_add(out, entry);
        }
    }
}

void jobxml_value(struct strbuf *out, const struct job_attribute *a, const json_t *job)
{
    json_int_t start = get_int(job, "start_at", 0), end = get_int(job, "end_at", 0);
    bool active = strcmp(get_text(job, "section", ""), "active") == 0;
    json_int_t used = (active ? get_int(job, "at", 0) : end) - start;

    if (a->key)
        jobxml_add(out, json_object_get(job, a->key));
    else if (strcmp(a->name, "CompletionTime") == 0 && end && !active)
        strbuf_printf(out, "%lld", (long long)end);
    else if (start && used > 0 && strcmp(a->name, "AWDuration") == 0)
        strbuf_printf(out, "%lld", (long long)(used - get_int(job, "suspended_s", 0)));
    else if (start && used > 0 && strcmp(a->name, "StatPSDed") == 0)
        strbuf_printf(out, "%lld", (long long)(used * get_int(job, "procs", 0)));
}

const struct job_attribute *jobxml_find(const char *name)
{
    for (size_t i = 0; i < ATTRIBUTES; i++)
        if (strcasecmp(attributes[i].name, name) == 0)
            return &attributes[i];
    return NULL;
}

/* ---- XML ---- */

static void print_request(const json_t *r)
{
    const json_t *task = json_object_get(r, "per_task");
    static const struct {
        const char *name, *key;
    } amounts[] = {{"ReqProcPerTask", "procs"}, {"ReqMemPerTask", "mem_mb"},
        {"ReqSwapPerTask", "swap_mb"}, {"ReqDiskPerTask", "disk_mb"}};
    struct strbuf text = {0};

    xml_open("req");
    xml_int("TCReqMin", get_int(r, "tasks", 0));
    if (get_int(r, "nodes", 0))
        xml_int("NCReqMin", get_int(r, "nodes", 0));
    if (get_int(r, "tasks_per_node", 0))
        xml_int("TPN", get_int(r, "tasks_per_node", 0));
    for (size_t i = 0; i < sizeof amounts / sizeof amounts[0]; i++)
        if (get_real(task, amounts[i].key, 0) != 0)
            xml_int(amounts[i].name, (long long)get_real(task, amounts[i].key, 0));
    if (get_int(r, "mem_per_node_mb", 0))
        xml_int("ReqMemPerNode", get_int(r, "mem_per_node_mb", 0));
    xml_attr("ReqOpsys", get_text(r, "os", ""));
    xml_attr("ReqArch", get_text(r, "arch", ""));
    xml_attr("NodeAccess", get_text(r, "access", ""));
    list_joined(&text, json_object_get(r, "features"), ",", "");
    xml_attr("ReqNodeFeature", text.text);
    free(strbuf_take(&text));
    xml_close_empty();
}

void jobxml_print(const json_t *job)
{
    size_t i;
    json_t *r;

    xml_open("job");
    for (size_t k = 0; k < ATTRIBUTES; k++) {
        struct strbuf text = {0};
        jobxml_value(&text, &attributes[k], job);
        xml_attr(attributes[k].name, text.text);
        free(strbuf_take(&text));
    }
    xml_close_begin();
    json_array_foreach(json_object_get(job, "requests"), i, r) print_request(r);
    xml_end("job");
}

void jobxml_offer(struct nearest *near)
{
    for (size_t i = 0; i < ATTRIBUTES; i++)
        nearest_offer(near, attributes[i].name);
}
