/* SPDX-License-Identifier: Apache-2.0
 * The driver's table, its configuration, and how it reports. */
#include "rm/local/local.h"

#include "base/boot.h"
#include "base/duration.h"
#include "base/program.h"
#include "rm/local/cgroup.h"
#include "rm/local/commands.h"
#include "rm/local/control.h"
#include "rm/local/larray.h"
#include "rm/local/ljob.h"
#include "rm/local/nodes.h"
#include "rm/local/private.h"
#include "rm/local/procs.h"
#include "rm/local/spool.h"
#include "rm/local/start.h"
#include "rm/local/submit.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#define KEEP_S       86400
#define GRACE_S      10
#define POLL_MS      1000
#define START_S      30
#define ACCURACY     1000 /* of timers, in microseconds */
#define START_MOST_S 86400
#define SPOOL_PATH   "/var/spool/maui"

/* Of a function of the resource manager, as told last. */
struct function_health {
    const char *function;
    char *text; /* owned; NULL = it works */
};

struct health {
    struct VEC(struct function_health) v;
};

int64_t local_now(void)
{
    return time(NULL);
}

void local_report(struct local *l, struct rm_report *r)
{
    if (r->at == 0)
        r->at = local_now();
    l->sink.report(l->sink.ctx, r);
}

void local_done(struct local *l, uint64_t token, enum rm_outcome outcome,
    const char *job, const char *text)
{
    struct rm_report r = {.kind = RM_DONE};

    if (token == 0)
        return;
    r.u.done.token = token;
    r.u.done.outcome = outcome;
    r.u.done.job = job;
    r.u.done.text = text;
    local_report(l, &r);
}

static struct function_health *find_health(struct health *all, const char *function)
{
    for (size_t i = 0; i < all->v.n; i++)
        if (strcmp(all->v.v[i].function, function) == 0)
            return &all->v.v[i];
    vec_push(&all->v, ((struct function_health){function, NULL}));
    return &all->v.v[all->v.n - 1];
}

static void free_health(struct health *all)
{
    for (size_t i = 0; i < all->v.n; i++)
        free(all->v.v[i].text);
    vec_fini(&all->v);
    free(all);
}

void local_health(struct local *l, const char *function, const char *text)
{
    struct rm_report r = {.kind = RM_HEALTH};
    struct function_health *h = find_health(l->health, function);

    if (h->text == NULL ? text == NULL : text != NULL && strcmp(h->text, text) == 0)
        return;
    free(h->text);
    h->text = text != NULL ? xstrdup(text) : NULL;
    r.u.health.up = text == NULL;
    r.u.health.function = function;
    r.u.health.text = text;
    local_report(l, &r);
}

int local_timer(struct local *l, sd_event_source **source, int64_t ms,
    sd_event_time_handler_t handler, void *ctx)
{
    *source = sd_event_source_disable_unref(*source);
    return sd_event_add_time_relative(
        l->loop, source, CLOCK_MONOTONIC, (uint64_t)ms * 1000, ACCURACY, handler, ctx);
}

static int read_duration(const struct rm_cfg *cfg, const char *name, int64_t usual,
    int64_t *ret, struct err *err)
{
    const char *text = rm_cfg_attr(cfg, name);

    *ret = usual;
    if (text == NULL || duration_parse(text, ret, err) == 0)
        return 0;
    return err_prefix(err, "RMCFG[%s] %s: ", cfg->name, name);
}

/* The small program beside this one, unless another is asked for. */
static void set_keeper(struct local *l, const char *const *words)
{
    struct VEC(char *) copy = {0};

    if (words == NULL)
        vec_push(&copy,
            program_beside(l->cfg.pam != NULL ? "maui-keeper-pam" : "maui-keeper"));
    for (; words != NULL && *words != NULL; words++)
        vec_push(&copy, xstrdup(*words));
    vec_push(&copy, NULL);
    l->cfg.keeper = copy.v;
}

static void set_cgroup(struct local *l, const struct rm_cfg *cfg)
{
    const char *text = rm_cfg_attr(cfg, "CGROUP");
    char own[1024];

    if (text != NULL && strcasecmp(text, "NONE") != 0) {
        l->cfg.cgroup = xstrdup(text);
    } else if (text == NULL) {
        cgroup_own(own, sizeof own);
        l->cfg.cgroup = own[0] != '\0' ? xstrdup(own) : NULL;
    }
}

/* Is there a file of that name where services are? For an unknown one PAM takes
 * another, silently. */
static bool service_exists(const char *service)
{
    static const char *const folders[] = {
        "/etc/pam.d", "/usr/lib/pam.d", "/usr/share/pam.d"};
    char path[PATH_MAX];
    size_t i, n = sizeof folders / sizeof folders[0];

    if (*service == '/')
        return access(service, R_OK) == 0;
    for (i = 0; i < n && strchr(service, '/') == NULL; i++) {
        snprintf(path, sizeof path, "%s/%s", folders[i], service);
        if (access(path, R_OK) == 0)
            return true;
    }
    return false;
}

static int set_pam(struct local *l, const struct rm_cfg *cfg, struct err *err)
{
    const char *service = rm_cfg_attr(cfg, "PAM"), *name;
    char *keeper;
    bool built;

    if (service == NULL)
        return 0;
    name = strrchr(service, '/') != NULL ? strrchr(service, '/') + 1 : service;
    for (const char *at = name; *at != '\0'; at++)
        if (isupper((unsigned char)*at))
            return err_set(err, ERR_INVALID,
                "RMCFG[%s] PAM: PAM finds services by lower-case names only, not '%s'",
                cfg->name, name);
    if (!service_exists(service))
        return err_set(err, ERR_NOT_FOUND, "RMCFG[%s] PAM: there is no service '%s'%s",
            cfg->name, service, *service == '/' ? "" : " in /etc/pam.d");
    if (geteuid() != 0)
        return err_set(err, ERR_DENIED,
            "RMCFG[%s] PAM: sessions of others are opened by root alone, and this is "
            "uid %u; without PAM= jobs have the limits of this process",
            cfg->name, (unsigned)geteuid());
    keeper = program_beside("maui-keeper-pam");
    built = access(keeper, X_OK) == 0;
    free(keeper);
    if (!built)
        return err_set(err, ERR_NOT_FOUND,
            "RMCFG[%s] PAM: there is no maui-keeper-pam beside this program: it is "
            "built where libpam0g-dev (1.4 or later) is",
            cfg->name);
    l->cfg.pam = xstrdup(service);
    return 0;
}

static int configure(struct local *l, const struct rm_cfg *cfg, struct err *err)
{
    const char *spool = rm_cfg_attr(cfg, "SPOOLDIR");
    int64_t grace_s, start_s;

    if (spool == NULL)
        spool = cfg->spool != NULL ? cfg->spool : SPOOL_PATH;
    if (*spool != '/')
        return err_set(err, ERR_INVALID,
            "RMCFG[%s] SPOOLDIR: '%s' is not an absolute path", cfg->name, spool);
    l->cfg.path = xstrdup(spool);
    if (set_pam(l, cfg, err) != 0)
        return -1;
    set_keeper(l, cfg->keeper);
    set_cgroup(l, cfg);
    l->cfg.poll_ms = POLL_MS;
    l->last_id = cfg->last_number;
    if (read_duration(cfg, "KEEPTIME", KEEP_S, &l->cfg.keep_s, err) != 0
        || read_duration(cfg, "KILLGRACE", GRACE_S, &grace_s, err) != 0
        || read_duration(cfg, "STARTLIMIT", START_S, &start_s, err) != 0)
        return -1;
    l->cfg.start_ms = (start_s < 1                 ? 1
                          : start_s < START_MOST_S ? start_s
                                                   : START_MOST_S)
                      * 1000;
    l->cfg.keeps = rm_cfg_attr(cfg, "KEEPTIME") != NULL;
    l->cfg.grace_ms = grace_s < INT32_MAX ? grace_s * 1000 : (int64_t)INT32_MAX * 1000;
    if (l->cfg.keep_s > INT32_MAX)
        l->cfg.keep_s = INT32_MAX;
    return nodes_open(l, cfg, err);
}

static void local_close(struct rm *rm)
{
    struct local *l = (struct local *)rm;

    spool_close(l);
    nodes_close(l);
    children_destroy(l->children);
    for (char **word = l->cfg.keeper; word != NULL && *word != NULL; word++)
        free(*word);
    free(l->cfg.keeper);
    free_health(l->health);
    spool_destroy(l->spool);
    control_destroy(l->control);
    free(l->cfg.cgroup);
    free(l->cfg.pam);
    free(l->cfg.path);
    sd_event_unref(l->loop);
    free(l);
}

static struct rm *local_open(const struct rm_cfg *cfg, sd_event *loop,
    const struct rm_sink *sink, struct err *err)
{
    struct local *l = xcalloc(1, sizeof *l);

    l->rm.driver = rm_local_driver();
    l->loop = sd_event_ref(loop);
    l->sink = *sink;
    boot_name(l->cfg.boot);
    l->health = xcalloc(1, sizeof *l->health);
    l->spool = spool_create();
    l->control = control_create();
    l->children = children_create();
    if (configure(l, cfg, err) == 0 && spool_open(l, err) == 0)
        return &l->rm;
    local_close(&l->rm);
    return NULL;
}

/* Is nothing on its way, of which the answer would come to another life? */
static bool local_rest(struct rm *rm)
{
    struct local *l = (struct local *)rm;
    struct local_job *j, *next;

    if (!l->synced || l->lost || control_is_asked(l) || !larrays_rest(l))
        return false;
    HASH_ITER(hh, l->jobs, j, next)
    if (!ljob_rests(j))
        return false;
    return true;
}

static void tell_health(struct local *l)
{
    struct health *before = l->health;

    l->health = xcalloc(1, sizeof *l->health);
    for (size_t i = 0; i < before->v.n; i++)
        if (before->v.v[i].text != NULL)
            local_health(l, before->v.v[i].function, before->v.v[i].text);
    free_health(before);
}

static int local_tell_again(struct rm *rm, const struct rm_cfg *cfg,
    const struct rm_sink *sink, struct err *err)
{
    struct local *l = (struct local *)rm;
    struct local_job *j, *next;

    l->sink = *sink;
    l->synced = false;
    nodes_close(l);
    if (nodes_open(l, cfg, err) != 0)
        return -1;
    tell_health(l);
    HASH_ITER(hh, l->jobs, j, next)
    j->told = j->holds = j->takes = false;
    spool_tell_again(l);
    return 0;
}

static void local_poll(struct rm *rm)
{
    struct local *l = (struct local *)rm;
    struct local_job *j, *next;

    spool_check(l);
    spool_return(l);
    if (!l->synced || l->lost)
        return;
    HASH_ITER(hh, l->jobs, j, next)
    {
        if (ljob_is_active(j))
            ljob_look_at_clock(j);
        if (j->phase == PHASE_RUNNING)
            control_usage(j);
    }
    nodes_report(l);
}

static const struct rm_driver local_driver = {
    .type = "LOCAL",
    .cannot = 1u << RM_CHECKPOINT,
    .keeps_deps = true,
    .open = local_open,
    .close = local_close,
    .rest = local_rest,
    .tell_again = local_tell_again,
    .command = local_command,
    .submit = local_submit,
    .poll = local_poll,
    .take_id = local_take_id,
    .give_up = local_give_up,
    .settled = local_settled,
};

const struct rm_driver *rm_local_driver(void)
{
    return &local_driver;
}
