/* SPDX-License-Identifier: Apache-2.0
 * The queue as XML. */
#include "client/machine/queuexml.h"

#include "client/kit/xml.h"

#include <string.h>

struct writer {
    char section[16]; /* whose <queue> is open, "" = none */
    bool begun;
};

static void put_cluster(const json_t *s)
{
    json_int_t procs = get_int(s, "procs_up", 0), used = get_int(s, "procs_active", 0);
    json_int_t nodes = get_int(s, "nodes_up", 0), busy = get_int(s, "nodes_active", 0);

    xml_open("cluster");
    xml_int("time", get_int(s, "at", 0));
    xml_int("upProcs", procs);
    xml_int("idleProcs", procs - used);
    xml_int("allocProcs", used);
    xml_int("upNodes", nodes);
    xml_int("idleNodes", nodes - busy);
    xml_int("activeNodes", busy);
    xml_close_empty();
}

static void put_instant(const char *name, const json_t *o, const char *key)
{
    if (get_int(o, key, 0))
        xml_int(name, get_int(o, key, 0));
}

static void put_job(const json_t *j)
{
    xml_open("job");
    xml_attr("JobName", get_text(j, "id", ""));
    xml_attr("State", get_text(j, "state", ""));
    xml_attr("User", get_text(j, "user", ""));
    xml_attr("Group", get_text(j, "group", ""));
    xml_attr("Account", get_text(j, "account", ""));
    xml_attr("Class", get_text(j, "class", ""));
    xml_attr("QOSReq", get_text(j, "qos", ""));
    put_instant("StartTime", j, "start_at");
    put_instant("SubmissionTime", j, "submit_at");
    put_instant("ReqAWDuration", j, "wclimit_s");
    xml_int("ReqProcs", get_int(j, "procs", 0));
    put_instant("ReqNodes", j, "nodes");
    xml_int("StartPriority", get_int(j, "priority", 0));
    xml_attr("Reason", get_text(json_object_get(j, "reason"), "text", ""));
    if (json_object_get(j, "exit_status"))
        xml_int("CompletionCode", get_int(j, "exit_status", 0));
    xml_close_empty();
}

static void on_record(void *ctx, json_t *o)
{
    struct writer *w = ctx;
    const char *section = get_text(o, "section", "");

    if (!w->begun)
        xml_begin("Data");
    w->begun = true;
    if (json_object_get(o, "summary")) {
        put_cluster(json_object_get(o, "summary"));
        return;
    }
    if (strcmp(section, w->section) != 0) {
        if (*w->section)
            xml_end("queue");
        xml_open("queue");
        xml_attr("type", section);
        xml_close_begin();
        snprintf(w->section, sizeof w->section, "%s", section);
    }
    put_job(o);
}

int queuexml_print(const struct command_line *l, const struct query *q)
{
    struct writer w = {0};

    if (ask_list(l, q, on_record, &w) < 0)
        return 1;
    if (!w.begun)
        xml_begin("Data");
    if (*w.section)
        xml_end("queue");
    xml_end("Data");
    return 0;
}
