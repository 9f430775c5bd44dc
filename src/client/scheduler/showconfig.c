/* SPDX-License-Identifier: Apache-2.0
 * showconfig: the parameters in force. */
#include "base/xalloc.h"
#include "client/client.h"
#include "client/kit/request.h"

#include <stdio.h>
#include <string.h>

static const struct option_row options[] = {
    {'v', NULL, NULL, "all there are, and where what is set was set"},
    {0, NULL, NULL, NULL},
};

static const struct command_spec spec = {
    .name = "showconfig",
    .usage = "[-v] [PARAMETER]",
    .summary = "Show the parameters in force.",
    .options = options,
    .more =
        "Without -v the parameters that the classic showconfig lists, and what else\n"
        "is set. With --format json what is set, and with -v all.\n"
        "PARAMETER may be the beginning of several names.\n\nFor administrators of "
        "level 1 to 3. Secrets are not shown.\n",
    .examples = "  showconfig             the usual ones, as they are in force\n"
                "  showconfig -v          all\n"
                "  showconfig BACKFILLPOLICY\n"
                "  showconfig 'CLASSCFG[batch]'\n"
                "  showconfig RESERVATION all that begin with it\n",
};

static void keep(void *list, json_t *o)
{
    json_array_append(list, o);
}

/* ---- what the original lists, in its groups and order: what is in force here ---- */

/* With [0] where it prints one: the value of all partitions, or of the first depth. */
#define NAMES_MAX 50

static const struct group {
    const char *title;
    const char *names[NAMES_MAX]; /* NULL ends */
} groups[] = {
    {"global policies",
        {"REJECTNEGPRIOJOBS[0]", "ENABLENEGJOBPRIORITY[0]", "ENABLEMULTINODEJOBS[0]",
            "ENABLEMULTIREQJOBS[0]", "BFPRIORITYPOLICY[0]", "JOBPRIOACCRUALPOLICY",
            "NODELOADPOLICY", "USEMACHINESPEEDFORFS", "USEMACHINESPEED",
            "USESYSTEMQUEUETIME", "NODEUNTRACKEDLOADFACTOR", "JOBNODEMATCHPOLICY[0]",
            "NODESETPOLICY[0]", "NODESETATTRIBUTE[0]", "NODESETLIST[0]",
            "NODESETDELAY[0]", "NODESETPRIORITYTYPE[0]", "NODESETTOLERANCE[0]",
            "BACKFILLPOLICY[0]", "BACKFILLDEPTH[0]", "BACKFILLMAXSCHEDULES[0]",
            "BACKFILLMETRIC[0]", "BFCHUNKDURATION[0]", "BFCHUNKSIZE[0]",
            "PREEMPTPOLICY[0]", "MINADMINSTIME[0]", "RESOURCELIMITPOLICY[0]",
            "NODEAVAILABILITYPOLICY[0]", "NODEALLOCATIONPOLICY[0]",
            "RESERVATIONPOLICY[0]", "RESERVATIONDEPTH[0]", "RESERVATIONQOSLIST[0]",
            "RESERVATIONRETRYTIME[0]", "RESERVATIONTHRESHOLDTYPE[0]",
            "RESERVATIONTHRESHOLDVALUE[0]", "FSPOLICY", "FSINTERVAL", "FSDEPTH",
            "FSDECAY"}},
    {"priority weights",
        {"SERVICEWEIGHT[0]", "TARGETWEIGHT[0]", "CREDWEIGHT[0]", "FSWEIGHT[0]",
            "RESWEIGHT[0]", "USAGEWEIGHT[0]", "QUEUETIMEWEIGHT[0]", "XFACTORWEIGHT[0]",
            "SPVIOLATIONWEIGHT[0]", "BYPASSWEIGHT[0]", "TARGETQUEUETIMEWEIGHT[0]",
            "TARGETXFACTORWEIGHT[0]", "USERWEIGHT[0]", "GROUPWEIGHT[0]",
            "ACCOUNTWEIGHT[0]", "QOSWEIGHT[0]", "CLASSWEIGHT[0]", "FSUSERWEIGHT[0]",
            "FSGROUPWEIGHT[0]", "FSACCOUNTWEIGHT[0]", "FSQOSWEIGHT[0]",
            "FSCLASSWEIGHT[0]", "NODEWEIGHT[0]", "PROCWEIGHT[0]", "MEMWEIGHT[0]",
            "SWAPWEIGHT[0]", "DISKWEIGHT[0]", "PSWEIGHT[0]", "PEWEIGHT[0]",
            "WALLTIMEWEIGHT[0]", "UPROCWEIGHT[0]", "UJOBWEIGHT[0]",
            "USAGECONSUMEDWEIGHT[0]", "USAGEEXECUTIONTIMEWEIGHT[0]",
            "USAGEREMAININGWEIGHT[0]", "USAGEPERCENTWEIGHT[0]", "XFMINWCLIMIT[0]"}},
    {"server",
        {"SERVERMODE", "SERVERHOST", "SERVERPORT", "LOGFILE", "LOGFILEMAXSIZE",
            "LOGFILEROLLDEPTH", "LOGLEVEL", "LOGFACILITY", "TOOLSDIR", "LOGDIR",
            "STATDIR", "RMPOLLINTERVAL", "NODEACCESSPOLICY", "ADMIN1", "ADMINHOSTS",
            "DEFAULTCLASSLIST", "FEATURENODETYPEHEADER", "FEATUREPROCSPEEDHEADER",
            "FEATUREPARTITIONHEADER", "DEFERTIME", "DEFERCOUNT", "DEFERSTARTCOUNT",
            "APIFAILURETHRESHHOLD", "NODESYNCTIME", "JOBSYNCTIME", "JOBMAXOVERRUN",
            "NODEMAXLOAD", "PLOTMINTIME", "PLOTMAXTIME", "PLOTTIMESCALE", "PLOTMINPROC",
            "PLOTMAXPROC", "PLOTPROCSCALE"}},
    {"simulation",
        {"SIMWORKLOADTRACEFILE", "SIMRESOURCETRACEFILE", "SIMAUTOSHUTDOWN",
            "SIMSTARTTIME", "SIMSCALEJOBRUNTIME", "SIMFLAGS", "SIMJOBSUBMISSIONPOLICY",
            "SIMINITIALQUEUEDEPTH", "SIMWCACCURACY", "SIMWCACCURACYCHANGE",
            "SIMNODECOUNT", "SIMNODECONFIGURATION", "SIMWCSCALINGPERCENT",
            "SIMSTOPITERATION", "SIMEXITITERATION"}},
};
#define GROUPS (sizeof groups / sizeof groups[0])

/* ---- the answer ---- */

/* As the original prints it: NAME[0] for NAME, where it does. */
static const char *printed_name(const char *name)
{
    size_t len = strlen(name);

    for (size_t g = 0; g < GROUPS; g++)
        for (size_t i = 0; groups[g].names[i]; i++)
            if (strncmp(groups[g].names[i], name, len) == 0
                && strcmp(groups[g].names[i] + len, "[0]") == 0)
                return groups[g].names[i];
    return name;
}

static void print_parameter(const json_t *o, bool verbose)
{
    const char *source = get_text(o, "source", "");

    printf(
        "%-30s  %s", printed_name(get_text(o, "name", "")), get_text(o, "value", ""));
    if (verbose && *source)
        printf("  # %s", source);
    puts("");
}

/* The parameter itself, or its value for a partition. */
static bool is_of(const json_t *o, const char *name)
{
    const char *text = get_text(o, "name", "");
    size_t len = strcspn(name, "[");

    return strncmp(text, name, len) == 0 && (!text[len] || text[len] == '[');
}

/* Take the records of the group out of the list. */
static void print_members(json_t *list, const struct group *g)
{
    for (size_t i = 0; g->names[i]; i++)
        for (size_t k = 0; k < json_array_size(list);) {
            const json_t *o = json_array_get(list, k);
            if (!is_of(o, g->names[i])) {
                k++;
                continue;
            }
            print_parameter(o, false);
            json_array_remove(list, k);
        }
}

static void print_listed(json_t *list)
{
    bool others = false;
    json_t *o;
    size_t i;

    for (size_t g = 0; g < GROUPS; g++) {
        printf("%s# %s\n\n", g ? "\n" : "", groups[g].title);
        print_members(list, &groups[g]);
    }
    json_array_foreach(list, i, o)
    {
        if (!*get_text(o, "source", ""))
            continue;
        if (!others)
            puts("\n# what else is set\n");
        others = true;
        print_parameter(o, false);
    }
}

/* The heading, and what there is to show. */
static int print_all(const struct command_line *l, json_t *list)
{
    struct query *q = query_new("/v1/scheduler");
    json_t *o = ask(l, q), *parameter;
    size_t i;

    query_free(q);
    if (!o)
        return 1;
    printf("# maui version %s (PID: %lld)\n", get_text(o, "version", ""),
        (long long)get_int(o, "pid", 0));
    printf("# %s\n\n", get_text(o, "config_file", ""));
    json_decref(o);
    if (!l->nargs && !command_has(l, 'v')) {
        print_listed(list);
        return 0;
    }
    json_array_foreach(list, i, parameter)
        print_parameter(parameter, command_has(l, 'v'));
    return 0;
}

static int show(const struct command_line *l, const struct query *q)
{
    json_t *list = json_array();
    int status = ask_list(l, q, keep, list) < 0;

    if (status == 0)
        status = print_all(l, list);
    json_decref(list);
    return status;
}

/* What is printed as NAME[0] may be asked for so. Owned by the caller. */
static char *plain_name(const char *text)
{
    size_t len = strlen(text);
    bool all = len > 3 && strcmp(text + len - 3, "[0]") == 0 && !strstr(text, "CFG[");

    return xstrndup(text, all ? len - 3 : len);
}

static int run(const struct command_line *l)
{
    if (l->nargs > 1)
        return command_wrong(l, "one parameter at a time");
    struct query *q = query_new("/v1/parameters");
    char *name = plain_name(l->nargs ? l->args[0] : "");
    query_add(q, "name", *name ? name : NULL);
    free(name);
    bool json = l->format == FORMAT_JSON;
    query_add(q, "defaults", command_has(l, 'v') || !json ? "1" : NULL);
    int status = json ? print_json_list(l, q) : show(l, q);
    query_free(q);
    return status;
}

int showconfig_main(int argc, char **argv)
{
    return command_run(&spec, argc, argv, run);
}
