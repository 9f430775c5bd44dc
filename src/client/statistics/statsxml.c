/* SPDX-License-Identifier: Apache-2.0
 * Statistics as XML. Source of the names: reference traces-and-simulation, section 5.
 */
#include "client/statistics/statsxml.h"

#include "client/kit/figures.h"
#include "client/kit/request.h"
#include "client/kit/xml.h"

#include <stdio.h>

static void put_real(const char *name, double value)
{
    char text[40];

    snprintf(text, sizeof text, "%.3f", value);
    xml_attr(name, text);
}

static void put_sums(const struct stat_sums *s)
{
    xml_int("TJC", s->jobs);
    xml_int("TNJC", s->procs);
    xml_int("TSJC", s->successful);
    xml_int("TQT", s->queue_s);
    xml_int("MQT", s->max_queue_s);
    put_real("TPSR", s->ps_requested);
    put_real("TPSE", s->ps_run);
    put_real("TPSD", s->ps_dedicated);
    put_real("TPSU", s->ps_utilized);
    put_real("TJA", s->accuracy);
    put_real("TNJA", s->accuracy_ps);
    put_real("TXF", s->xfactor);
    put_real("TNXF", s->xfactor_procs);
    put_real("MXF", s->max_xfactor);
    xml_int("TBP", s->bypass);
    xml_int("MBP", s->max_bypass);
    xml_int("TQM", s->qos_met);
}

void statsxml_print_system(const json_t *o)
{
    static const struct {
        const char *name, *key;
    } counts[] = {{"time", "at"}, {"StatInitTime", "since"}, {"StartTime", "up_since"},
        {"Iteration", "iteration"}, {"EligibleJobs", "eligible_jobs"},
        {"IdleJobs", "idle_jobs"}, {"ActiveJobs", "active_jobs"}, {"upProcs", "procs"},
        {"allocProcs", "procs_active"}, {"upNodes", "nodes"},
        {"activeNodes", "nodes_active"}};
    struct stat_sums total;

    figures_sums(json_object_get(o, "total"), &total);
    xml_open("sched");
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        xml_int(counts[i].name, get_int(o, counts[i].key, 0));
    put_sums(&total);
    put_real("TPSA", get_real(o, "ps_available", 0));
    put_real("Backlog", get_real(o, "backlog_s", 0));
    put_real("AvgBacklog", get_real(o, "backlog_average_s", 0));
    xml_close_empty();
}

void statsxml_print_cred(const char *kind, const json_t *o)
{
    struct stat_figures f;

    figures_read(o, &f);
    xml_open(kind);
    xml_attr("ID", get_text(o, "name", ""));
    xml_int("ActiveJobs", f.active_jobs);
    xml_int("ActiveProcs", f.active_procs);
    put_real("ActivePS", f.active_ps);
    put_sums(&f.sums);
    if (json_object_get(o, "fs_target"))
        put_real("FSTarget", get_real(o, "fs_target", 0));
    xml_close_empty();
}
