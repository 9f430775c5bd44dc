/* SPDX-License-Identifier: Apache-2.0
 * maui import: its line; and of slurm: slurm.conf, with the files it includes, as a
 * maui.cfg. Reads files alone; no Slurm has to be there. */
#include "client/import/import.h"

#include "base/duration.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "client/client.h"
#include "client/jobs/jobspec.h"
#include "client/kit/command.h"
#include "config/value.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define INCLUDES_MAX 20
#define IMPORT_MOST  UINT32_MAX /* as Slurm's own numbers */

void import_left(struct import *im, struct import_place at, const char *fmt, ...)
{
    char text[500];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    fprintf(stderr, "%s:%u: not carried over: %s\n", at.file, at.line, text);
    strbuf_printf(&im->left, "# %s:%u: %s\n", at.file, at.line, text);
}

static bool is_none(const char *text)
{
    return text == NULL || *text == '\0' || strcasecmp(text, "UNLIMITED") == 0
           || strcasecmp(text, "INFINITE") == 0 || strcasecmp(text, "NONE") == 0;
}

int64_t import_slurm_time(
    struct import *im, struct import_place at, const char *name, const char *text)
{
    struct err err;
    int64_t seconds;

    if (is_none(text))
        return -1;
    if (jobspec_slurm_time(text, &seconds, &err) == 0)
        return seconds;
    import_left(im, at, "%s=%s: %s", name, text, err.text);
    return -1;
}

double import_number(
    struct import *im, struct import_place at, const char *name, const char *text)
{
    struct err err;
    double n;

    if (is_none(text))
        return 0;
    if (value_number(text, 0, IMPORT_MOST, &n, &err) == 0)
        return n;
    import_left(im, at, "%s=%s: %s", name, text, err.text);
    return 0;
}

int64_t import_count(
    struct import *im, struct import_place at, const char *name, const char *text)
{
    struct err err;
    int64_t n;

    if (is_none(text))
        return 0;
    if (value_int(text, 0, IMPORT_MOST, &n, &err) == 0)
        return n;
    import_left(im, at, "%s=%s: %s", name, text, err.text);
    return 0;
}

void import_time(struct strbuf *b, const char *name, int64_t seconds)
{
    if (seconds > 0)
        strbuf_printf(b, " %s=%lld:%02lld:%02lld", name, (long long)seconds / 3600,
            (long long)seconds / 60 % 60, (long long)seconds % 60);
}

/* ---- slurm.conf ---- */

struct word {
    char *name, *value; /* into the line */
};

/* What is needed of the file as a whole, and where it stands. */
struct global {
    char *value; /* owned; NULL = not there */
    struct import_place at;
};
#define BY_QOS  "preempt/qos"
#define BY_TIER "preempt/partition_prio"

enum what {
    AGE, /* the weights */
    FAIRSHARE,
    JOB_SIZE,
    PARTITION,
    QOS,
    ASSOC,
    TRES_WEIGHT,
    MAX_AGE,
    HALF_LIFE,
    FAVOR_SMALL,
    PREEMPT_TYPE,
    PREEMPT_MODE,
    ENFORCE,
    WHATS
};
static const char *const what_names[WHATS] = {"PriorityWeightAge",
    "PriorityWeightFairshare", "PriorityWeightJobSize", "PriorityWeightPartition",
    "PriorityWeightQOS", "PriorityWeightAssoc", "PriorityWeightTRES", "PriorityMaxAge",
    "PriorityDecayHalfLife", "PriorityFavorSmall", "PreemptType", "PreemptMode",
    "AccountingStorageEnforce"};

struct part {
    char *name, *attrs; /* owned; attrs NULL = none yet */
    char *mode;         /* owned; PreemptMode, NULL = that of all */
    int64_t tier;
    struct import_place at;
};

struct conf {
    struct import *im;
    struct global global[WHATS];
    struct VEC(struct part) parts;
    double partition_most;    /* largest PriorityJobFactor */
    struct VEC(char *) files; /* owned names */
};

static size_t cut_words(char *line, struct word *words, size_t max)
{
    size_t n = 0;

    for (char *p = line; *p && n < max;) {
        p += strspn(p, " \t\r\n");
        char *name = p, *end;
        p += strcspn(p, "= \t\r\n");
        if (*p != '=')
            continue;
        *p++ = '\0';
        bool quoted = *p == '"';
        words[n] = (struct word){name, p + quoted};
        end = p + quoted + strcspn(p + quoted, quoted ? "\"" : " \t\r\n");
        p = *end ? end + 1 : end;
        *end = '\0';
        n++;
    }
    return n;
}

/* Attributes of a partition that Slurm itself goes on to see to, or tells us. */
static bool seen_to_by_slurm(const char *name)
{
    static const char *const names[] = {"PartitionName", "Nodes", "Default", "State",
        "AllowAccounts", "AllowGroups", "AllowQos", "DenyAccounts", "DenyQos",
        "AllocNodes", "DefMemPerCPU", "DefMemPerNode", "MaxMemPerCPU", "MaxMemPerNode",
        "DisableRootJobs", "RootOnly", "Hidden", "TRESBillingWeights",
        "SelectTypeParameters", "MinNodes", "MaxNodes", "MaxTime", "LLN", "ReqResv",
        "ResumeTimeout", "SuspendTime", "SuspendTimeout", "DefCpuPerGPU",
        "DefMemPerGPU", "JobDefaults", "CpuBind", "OverTimeLimit", "GraceTime"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcasecmp(names[i], name) == 0)
            return true;
    return false;
}

static bool is(const struct word *w, const char *name)
{
    return strcasecmp(w->name, name) == 0;
}

static void add_count(struct strbuf *b, const char *attr, int64_t n)
{
    if (n > 0)
        strbuf_printf(b, " %s=%" PRId64, attr, n);
}

static void partition_word(
    struct conf *c, struct strbuf *b, struct part *p, const struct word *w)
{
    struct import_place at = p->at;

    if (is(w, "PriorityTier")) {
        p->tier = import_count(c->im, at, w->name, w->value);
    } else if (is(w, "PreemptMode")) {
        free(p->mode);
        p->mode = xstrdup(w->value);
    } else if (is(w, "DefaultTime")) {
        import_time(
            b, "DEFAULT.WCLIMIT", import_slurm_time(c->im, at, w->name, w->value));
    } else if (is(w, "MaxCPUsPerNode")) {
        add_count(b, "MAXPROCPERNODE", import_count(c->im, at, w->name, w->value));
    } else if (is(w, "QOS") && c->im->enforced) {
        return; /* followed as it is */
    } else if (is(w, "QOS")) {
        import_left(c->im, at,
            "QOS=%s of a partition: Slurm goes on to enforce its "
            "limits",
            w->value);
    } else if (is(w, "PriorityJobFactor")) {
        int64_t factor = import_count(c->im, at, w->name, w->value);
        if ((double)factor > c->partition_most)
            c->partition_most = (double)factor;
        add_count(b, "PRIORITY", factor);
    } else if (is(w, "OverSubscribe") || is(w, "Shared")) {
        if (strcasecmp(w->value, "EXCLUSIVE") == 0)
            strbuf_add(b, " NODEACCESSPOLICY=SINGLEJOB"); /* others are followed */
    } else if (!seen_to_by_slurm(w->name)) {
        import_left(c->im, at, "%s=%s of a partition", w->name, w->value);
    }
}

static const struct part *part_default(const struct conf *c)
{
    for (size_t i = c->parts.n; i-- > 0;)
        if (strcasecmp(c->parts.v[i].name, "DEFAULT") == 0)
            return &c->parts.v[i];
    return NULL;
}

static void partition(
    struct conf *c, struct import_place at, const struct word *words, size_t n)
{
    const struct part *model = part_default(c);
    struct part p = {.name = xstrdup(words[0].value),
        .mode = model != NULL && model->mode != NULL ? xstrdup(model->mode) : NULL,
        .tier = model != NULL ? model->tier : 1,
        .at = at};
    struct strbuf b = {0};

    for (size_t i = 1; i < n; i++)
        partition_word(c, &b, &p, &words[i]);
    p.attrs = b.text;
    vec_push(&c->parts, p);
}

static int conf_read(struct conf *c, const char *file);

/* A name without a slash in front is beside the file that includes it. */
static int include(struct conf *c, const char *from, char *name)
{
    const char *slash = strrchr(from, '/');
    char path[4096];

    name[strcspn(name, " \t\r\n")] = '\0';
    snprintf(path, sizeof path, "%.*s%s",
        *name == '/' || slash == NULL ? 0 : (int)(slash + 1 - from), from, name);
    return conf_read(c, path);
}

static int take_line(struct conf *c, struct import_place at, char *line)
{
    struct word words[100];
    size_t n;

    line += strspn(line, " \t");
    line[strcspn(line, "#")] = '\0';
    if (strncasecmp(line, "Include ", 8) == 0)
        return include(c, at.file, line + 8 + strspn(line + 8, " \t"));
    n = cut_words(line, words, sizeof words / sizeof words[0]);
    if (n > 0 && is(&words[0], "PartitionName")) {
        partition(c, at, words, n);
        return 0;
    }
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < WHATS; k++)
            if (is(&words[i], what_names[k])) {
                free(c->global[k].value);
                c->global[k] = (struct global){xstrdup(words[i].value), at};
            }
    return 0;
}

static int conf_lines(struct conf *c, FILE *f, const char *file)
{
    struct strbuf whole = {0};
    char *line = NULL;
    size_t size = 0;
    unsigned number = 0;
    int result = 0;

    vec_push(&c->files, xstrdup(file));
    file = c->files.v[c->files.n - 1];
    while (result == 0 && getline(&line, &size, f) > 0) {
        size_t n = strcspn(line, "\r\n");

        number++;
        line[n] = '\0';
        bool goes_on = n > 0 && line[n - 1] == '\\';
        strbuf_add_n(&whole, line, goes_on ? n - 1 : n);
        if (goes_on)
            continue;
        strbuf_add(&whole, ""); /* even of nothing a text */
        if (whole.len > 0)
            result = take_line(c, (struct import_place){file, number}, whole.text);
        whole.len = 0;
    }
    free(whole.text);
    free(line);
    fclose(f);
    return result;
}

static int conf_read(struct conf *c, const char *file)
{
    FILE *f = c->files.n < INCLUDES_MAX ? fopen(file, "re") : NULL;

    if (f != NULL)
        return conf_lines(c, f, file);
    fprintf(stderr, "maui import: %s: cannot be read\n", file);
    return -1;
}

/* Limits that Slurm enforces are followed live: written down they would hold twice, and
 * be out of date with the next sacctmgr. */
static bool enforces_limits(const char *words)
{
    return words != NULL
           && (strcasestr(words, "limits") != NULL || strcasestr(words, "safe") != NULL
               || strcasestr(words, "all") != NULL);
}

/* As the running Slurm tells it. */
static int conf_ask(struct conf *c)
{
    struct strbuf said = {0};
    FILE *f = import_ask_conf(&said) == 0 && said.len > 0
                  ? fmemopen(said.text, said.len, "r")
                  : NULL;
    int result = f != NULL ? conf_lines(c, f, "scontrol") : -1;

    free(said.text);
    return result;
}

/* ---- priority, preemption ---- */

static void not_carried(const struct conf *c, enum what k, const char *why)
{
    if (c->global[k].value != NULL)
        import_left(c->im, c->global[k].at, "%s=%s: %s", what_names[k],
            c->global[k].value, why);
}

static int64_t global_time(const struct conf *c, enum what k)
{
    return import_slurm_time(c->im, c->global[k].at, what_names[k], c->global[k].value);
}

/* Slurm's factors go from 0 to 1; here minutes, points and percent are weighted, so
 * that the largest of a factor has the same weight. */
static void priority(const struct conf *c, struct strbuf *out)
{
    int64_t max_age_s = global_time(c, MAX_AGE), half_s = global_time(c, HALF_LIFE);
    double minutes = (double)(max_age_s > 0 ? max_age_s : 7 * 86400) / 60;
    double weight[TRES_WEIGHT];

    for (int k = 0; k < TRES_WEIGHT; k++)
        weight[k] =
            import_number(c->im, c->global[k].at, what_names[k], c->global[k].value);
    strbuf_printf(out, "QUEUETIMEWEIGHT %.6g\n", weight[AGE] / minutes);
    if (weight[AGE] > 0)
        strbuf_printf(out, "QUEUETIMECAP %.6g\n", weight[AGE]);
    if (weight[PARTITION] > 0 && c->partition_most > 0)
        strbuf_printf(out, "CLASSWEIGHT %.6g\n", weight[PARTITION] / c->partition_most);
    if (weight[QOS] > 0 && c->im->qos_most > 0)
        strbuf_printf(out, "QOSWEIGHT %.6g\n", weight[QOS] / c->im->qos_most);
    else if (weight[QOS] > 0)
        not_carried(c, QOS, "give the QOS as well, by --qos");
    if (weight[FAIRSHARE] > 0) {
        half_s = half_s > 0 ? half_s : 7 * 86400;
        strbuf_printf(out, "FSPOLICY DEDICATEDPS\nFSDEPTH 8\nFSDECAY 0.5\n");
        strbuf_printf(
            out, "FSINTERVAL %lld:00:00\n", (long long)(half_s + 3599) / 3600);
        strbuf_printf(out, "FSUSERWEIGHT %.6g\nFSACCOUNTWEIGHT %.6g\n",
            weight[FAIRSHARE] / 100, weight[FAIRSHARE] / 100);
        strbuf_printf(out, "# Targets are the shares of sacctmgr, followed live "
                           "(LIMITS=SLURM of RMCFG[slurm]).\n");
    }
    if (weight[JOB_SIZE] > 0)
        not_carried(c, JOB_SIZE, "PROCWEIGHT weights the processors themselves");
    if (weight[ASSOC] > 0)
        not_carried(c, ASSOC, "USERCFG PRIORITY and USERWEIGHT are like it");
    not_carried(c, TRES_WEIGHT, "PROCWEIGHT, MEMWEIGHT are like it");
    if (c->global[FAVOR_SMALL].value != NULL
        && strcasecmp(c->global[FAVOR_SMALL].value, "NO") != 0)
        not_carried(c, FAVOR_SMALL, "a negative PROCWEIGHT is like it");
}

static bool preempts_by(const struct conf *c, const char *type)
{
    const char *is = c->global[PREEMPT_TYPE].value;

    return is != NULL && strcasecmp(is, type) == 0;
}

/* Who is cancelled there goes back to the queue here, if it can. */
static void preemption(const struct conf *c, struct strbuf *out)
{
    const char *mode = c->global[PREEMPT_MODE].value;

    if (!preempts_by(c, BY_QOS) && !preempts_by(c, BY_TIER))
        return;
    if (preempts_by(c, BY_QOS)
        && import_number(
               c->im, c->global[QOS].at, what_names[QOS], c->global[QOS].value)
               <= 0)
        not_carried(c, PREEMPT_TYPE,
            "who preempts has to have a higher priority: give a QOSWEIGHT");
    if (mode != NULL && strcasestr(mode, "CANCEL") != NULL)
        not_carried(c, PREEMPT_MODE,
            "who is preempted goes back to the queue, and is ended if it cannot");
    strbuf_printf(out, "PREEMPTPOLICY %s\n",
        mode != NULL && strcasestr(mode, "SUSPEND") != NULL ? "SUSPEND" : "REQUEUE");
    if (preempts_by(c, BY_TIER))
        strbuf_add(out, "PREEMPTBYTIER TRUE\n");
}

/* ---- partitions ---- */

static bool is_spared(const struct part *p)
{
    return p->mode != NULL && strcasecmp(p->mode, "OFF") == 0;
}

/* Has it jobs that those of the other preempt? */
static bool is_below(const struct part *p, const struct part *over)
{
    return p->tier < over->tier && !is_spared(p);
}

/* With preempt/partition_prio: by tiers, which rank jobs before all priorities. */
static void tier_flags(struct conf *c, const struct part *p, struct strbuf *b)
{
    bool over = false, under = false;

    for (size_t i = 0; i < c->parts.n; i++) {
        const struct part *q = &c->parts.v[i];
        if (strcasecmp(q->name, "DEFAULT") == 0)
            continue;
        over |= is_below(q, p);
        under |= is_below(p, q);
    }
    if (over || under)
        strbuf_printf(b, " JOBFLAGS=%s%s%s", over ? "PREEMPTOR" : "",
            over && under ? ":" : "", under ? "PREEMPTEE" : "");
}

static void one_class(struct conf *c, const struct part *p)
{
    bool by_tier = preempts_by(c, BY_TIER), all = strcasecmp(p->name, "DEFAULT") == 0;
    const char *mode = c->global[PREEMPT_MODE].value;
    struct strbuf b = {0};

    if (p->attrs != NULL)
        strbuf_add(&b, p->attrs);
    if (by_tier && !all)
        tier_flags(c, p, &b);
    if (p->mode != NULL && !all && !(by_tier && is_spared(p))
        && (mode == NULL || strcasecmp(mode, p->mode) != 0))
        import_left(c->im, p->at,
            "PreemptMode=%s of a partition: PREEMPTPOLICY is of all", p->mode);
    if (b.len > 0)
        strbuf_printf(
            &c->im->sections, "CLASSCFG[%s]%s\n", all ? "DEFAULT" : p->name, b.text);
    free(b.text);
}

/* ---- the command ---- */

static const struct option_row options[] = {
    {0, "conf", "FILE", "slurm.conf; default $SLURM_CONF or /etc/slurm/slurm.conf"},
    {0, "qos", "FILE", "what `sacctmgr show qos -P` printed"},
    {0, "assoc", "FILE", "what `sacctmgr show assoc -P` printed"},
    {0, "server", "FILE", "what `qmgr -c 'print server'` printed"},
    {0, "queues", "FILE", "what `qstat -Qf` printed, in place of that or with it"},
    {0, "nodes", "FILE", "what `pbsnodes -av` printed (TORQUE: pbsnodes -a)"},
    {0, "sched", "FILE", "sched_config of PBS's own scheduler"},
    {0, "shares", "FILE", "its resource_group"}, {0}};
/* none of them: sacctmgr is asked, and scontrol where there is no slurm.conf */
static const struct command_spec spec = {.name = "maui import",
    .asks = ASKS_NOBODY,
    .usage = "slurm [--conf FILE] [--qos FILE] [--assoc FILE] |\n"
             "       maui import pbs [--server FILE] [--queues FILE] [--nodes FILE]\n"
             "                       [--sched FILE] [--shares FILE] |\n"
             "       maui import maui [HOME]",
    .summary = "Print a maui.cfg that decides as another scheduler is configured to.",
    .options = options,
    .more =
        "Without options Slurm itself is asked: sacctmgr for QOS and accounts, "
        "scontrol\n"
        "where there is no slurm.conf; or PBS (OpenPBS, TORQUE): qmgr, pbsnodes, and\n"
        "sched_config of $PBS_HOME, where it can be read. What cannot be carried over\n"
        "is printed on standard error, with its line, and stands at the end as\n"
        "comments.\n\n"
        "Of a classic Maui or a Moab the files of its configuration become one; HOME "
        "is\n"
        "the folder with maui.cfg or moab.cfg, and is looked for in the usual places.\n"
        "`maui check` says which of its lines mean something else now.\n",
    .examples =
        "  maui import slurm >maui.cfg        from the Slurm of this machine\n"
        "  maui import slurm --qos qos.txt    with quality of service\n"
        "  maui import pbs >maui.cfg          from the PBS server of this machine\n"
        "  maui import pbs --server f --sched sched_config\n"
        "                                     from what was saved of one\n"
        "  maui import maui /usr/local/maui   from the home of a classic Maui\n"};

static void conf_fini(struct conf *c)
{
    for (int k = 0; k < WHATS; k++)
        free(c->global[k].value);
    for (size_t i = 0; i < c->files.n; i++)
        free(c->files.v[i]);
    vec_fini(&c->files);
    for (size_t i = 0; i < c->parts.n; i++) {
        free(c->parts.v[i].name);
        free(c->parts.v[i].attrs);
        free(c->parts.v[i].mode);
    }
    vec_fini(&c->parts);
}

/* Where no file at all is given Slurm is asked; without slurmdbd there are no accounts
 * to ask for, which it says on the standard error. */
static int read_all(const struct command_line *l, struct conf *c, const char **ret_file)
{
    const char *qos = command_long(l, "qos"), *assoc = command_long(l, "assoc");
    const char *file = command_long(l, "conf"), *env = getenv("SLURM_CONF");
    bool live = file == NULL && qos == NULL && assoc == NULL;

    *ret_file = file ? file : env ? env : "/etc/slurm/slurm.conf";
    if (live && access(*ret_file, R_OK) != 0) {
        *ret_file = "scontrol";
        if (conf_ask(c) < 0)
            return -1;
    } else if (conf_read(c, *ret_file) < 0) {
        return -1;
    }
    c->im->enforced = enforces_limits(c->global[ENFORCE].value);
    c->im->preempts = preempts_by(c, BY_QOS);
    for (size_t i = 0; i < c->parts.n; i++)
        one_class(c, &c->parts.v[i]);
    if (live) {
        if (import_qos(c->im, NULL) < 0 || import_assoc(c->im, NULL) < 0)
            fputs(
                "maui import: accounts and QOS are left out: Slurm's database was not "
                "asked, or --qos and --assoc give what it says\n",
                stderr);
        return 0;
    }
    return (qos != NULL && import_qos(c->im, qos) < 0)
                   || (assoc != NULL && import_assoc(c->im, assoc) < 0)
               ? -1
               : 0;
}

static int import_slurm(const struct command_line *l)
{
    const char *file;
    struct import im = {0};
    struct conf c = {.im = &im};
    struct strbuf head = {0};
    int status = 1;

    if (read_all(l, &c, &file) == 0) {
        priority(&c, &head);
        preemption(&c, &head);
        printf("# From %s\n%s%sRMCFG[slurm] TYPE=SLURM\nRMPOLLINTERVAL 10\n%s%s%s%s",
            file,
            im.enforced ? "# Limits are enforced by Slurm and followed live: none is "
                          "written here.\n"
                        : "",
            im.qos_most > 0
                ? "# So are priorities of QOS (LIMITS=SLURM of RMCFG[slurm]).\n"
                : "",
            head.text ? head.text : "", im.sections.text ? im.sections.text : "",
            im.left.len ? "# Not carried over:\n" : "",
            im.left.text ? im.left.text : "");
        status = fflush(stdout) == 0 ? 0 : 1;
    }
    conf_fini(&c);
    free(head.text);
    free(im.sections.text);
    free(im.left.text);
    return status;
}

/* Each with the long options that are its own. */
static const struct source {
    const char *name;
    int words; /* behind the name, at most */
    int (*import)(const struct command_line *l);
    const char *options[6];
} sources[] = {{"slurm", 0, import_slurm, {"conf", "qos", "assoc"}},
    {"pbs", 0, import_pbs, {"server", "queues", "nodes", "sched", "shares"}},
    {"maui", 1, import_maui, {NULL}}};
#define SOURCES (sizeof sources / sizeof sources[0])

static int run(const struct command_line *l)
{
    const struct source *mine = NULL;

    for (size_t i = 0; i < SOURCES; i++)
        if (l->nargs >= 1 && l->nargs <= 1 + sources[i].words
            && strcmp(l->args[0], sources[i].name) == 0)
            mine = &sources[i];
    if (mine == NULL)
        return command_wrong(l, "expected 'slurm', 'pbs' or 'maui' as what to import");
    for (size_t i = 0; i < SOURCES; i++)
        for (const char *const *o = sources[i].options; *o != NULL; o++)
            if (&sources[i] != mine && command_long(l, *o) != NULL)
                return command_wrong(
                    l, "--%s is of 'maui import %s'", *o, sources[i].name);
    return mine->import(l);
}

int import_main(int argc, char **argv)
{
    return command_run(&spec, argc, argv, run);
}
