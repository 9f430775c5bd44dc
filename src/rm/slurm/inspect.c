/* SPDX-License-Identifier: Apache-2.0
 * What `maui slurm check` looks at beside the settings that slurmctld runs with. Files
 * are looked at where this machine has them; what it cannot see is said. */
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "rm/slurm/check.h"
#include "rm/slurm/conf.h"
#include "rm/slurm/job.h"
#include "rm/slurm/saved.h"

#include <errno.h>
#include <grp.h>
#include <libgen.h>
#include <limits.h>
#include <netdb.h>
#include <pwd.h>
#include <stdio.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>

#define LOG_TAIL (4L << 20) /* bytes of slurmctld's log that are read */
#define SILENT_S 10         /* the heartbeat is renewed every 2 s */
#define INSTALL  "`maui slurm install` writes it"

struct inspection {
    const slurm_conf_t *c;
    const struct site *site;
    struct findings *f;
    char *dir;       /* owned; of slurm.conf */
    bool here;       /* slurmctld runs on this machine, or may */
    int64_t ahead_s; /* slurmctld's clock before this machine's */
};

/* Are these the same machine, one of them perhaps without its domain? */
static bool is_same_host(const char *a, const char *b)
{
    size_t n = strcspn(a, "."), m = strcspn(b, ".");

    if (a[n] != '\0' && b[m] != '\0')
        return strcasecmp(a, b) == 0;
    return n == m && strncasecmp(a, b, n) == 0;
}

/* Does the name, which may be an alias, or the address lead to this machine? One can
 * listen on own addresses alone; port 0 is any that is free. */
static bool leads_here(const char *name)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    bool here = false;

    if (name == NULL || *name == '\0' || getaddrinfo(name, "0", &hints, &found) != 0)
        return false;
    for (const struct addrinfo *at = found; at != NULL && !here; at = at->ai_next) {
        int fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, 0);

        here = fd >= 0 && bind(fd, at->ai_addr, at->ai_addrlen) == 0;
        if (fd >= 0)
            close(fd);
    }
    freeaddrinfo(found);
    return here;
}

/* One of slurmctld's machines: on another one slurm.conf is of commands alone. */
static bool is_controller(const slurm_conf_t *c)
{
    char own[256] = "";

    if (gethostname(own, sizeof own - 1) < 0)
        return false;
    for (uint32_t i = 0; i < c->control_cnt; i++) {
        const char *name = c->control_machine[i];

        if (name != NULL
            && (strcasecmp(name, "localhost") == 0 || is_same_host(name, own)
                || leads_here(name)))
            return true;
    }
    return false;
}

/* ---- what SlurmUser may do ---- */

static bool is_in_group(const struct passwd *pw, gid_t gid)
{
    gid_t groups[200];
    int n = 200;

    if (getgrouplist(pw->pw_name, pw->pw_gid, groups, &n) < 0)
        return false;
    for (int i = 0; i < n; i++)
        if (groups[i] == gid)
            return true;
    return false;
}

/* bits: 4 to read, 2 to write, 1 to pass. */
static bool may_use(const struct passwd *pw, const char *path, unsigned bits)
{
    struct stat st;

    if (stat(path, &st) < 0)
        return true; /* that it is not there is said elsewhere */
    if (st.st_uid == pw->pw_uid)
        return (st.st_mode >> 6 & bits) == bits;
    return ((is_in_group(pw, st.st_gid) ? st.st_mode >> 3 : st.st_mode) & bits) == bits;
}

/* The first of the path and the folders above it that stands in the way; owned. */
static char *find_obstacle(uid_t uid, const char *path, unsigned bits)
{
    const struct passwd *pw = getpwuid(uid);
    char *at = xstrdup(path);

    for (char *slash = strchr(at + 1, '/'); pw != NULL && slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (!may_use(pw, at, 1))
            return at;
        *slash = '/';
    }
    if (pw != NULL && uid != 0 && !may_use(pw, at, bits))
        return at;
    free(at);
    return NULL;
}

static void look_at_rights(
    const struct inspection *in, const char *path, unsigned bits, const char *what)
{
    char *obstacle = in->c->slurm_user_id == 0
                         ? NULL
                         : find_obstacle(in->c->slurm_user_id, path, bits);

    if (obstacle != NULL)
        findings_add(in->f, SETTING_ERROR,
            "%s: slurmctld, which runs as %s, may not %s it: %s is in the way; chmod "
            "it",
            path, in->c->slurm_user_name, what, obstacle);
    free(obstacle);
}

/* ---- scripts ---- */

/* The text between quotes after such a beginning of a line; owned or NULL. */
static char *path_in_script(const char *text, const char *name)
{
    const char *at = strstr(text, name);

    at = at != NULL ? strchr(at, '"') : NULL;
    return at != NULL ? xstrndup(at + 1, strcspn(at + 1, "\"")) : NULL;
}

static void look_at_heartbeat(const struct inspection *in, const char *gate)
{
    char *path = path_in_script(gate, "local HEARTBEAT"), *age = site_max_age(gate);
    FILE *f = path != NULL ? fopen(path, "re") : NULL;
    long long told = 0, silent;
    char opens[60] = "";

    if (age != NULL && strcmp(age, "0") != 0)
        snprintf(opens, sizeof opens, "; after %s s Slurm starts new jobs itself", age);
    if (f != NULL && fscanf(f, "%lld", &told) != 1)
        told = 0;
    silent = (long long)time(NULL) + in->ahead_s - told; /* told by slurmctld's */
    if (path != NULL && f == NULL && errno == EACCES)
        findings_add(in->f, SETTING_NOTE,
            "%s, the heartbeat, may not be read by this user: whether the scheduler "
            "runs is not known",
            path);
    else if (path != NULL && told == 0)
        findings_add(in->f, SETTING_WARNING,
            "%s: there is no heartbeat: is `maui serve` running, with RMCFG[slurm] "
            "TYPE=SLURM and this home? Until then Slurm starts new jobs itself",
            path);
    else if (path != NULL && silent > SILENT_S)
        findings_add(in->f, SETTING_WARNING,
            "%s: no sign of the scheduler for %lld s: `maui diagnose -R`%s", path,
            silent, opens);
    else if (path != NULL && silent < -SILENT_S)
        findings_add(in->f, SETTING_WARNING,
            "%s: the sign of the scheduler is of %lld s from now: a clock was wrong; "
            "until then the gate cannot tell whether it runs",
            path, -silent);
    if (path != NULL)
        look_at_rights(in, path, 4, "read");
    if (f != NULL)
        fclose(f);
    free(age);
    free(path);
}

/* The user that a gate takes orders from; 0 where it says none. */
static unsigned user_in_script(const char *script)
{
    static const char name[] = "local SCHEDULER = ";
    const char *at = strstr(script, name);

    return at != NULL ? (unsigned)strtoul(at + strlen(name), NULL, 10) : 0;
}

static void look_at_gate_user(
    const struct inspection *in, const char *path, const char *text)
{
    unsigned uid = user_in_script(text);

    if (uid != 0 && uid != in->c->slurm_user_id)
        findings_add(in->f, SETTING_ERROR,
            "%s keeps jobs for user %u, who is neither root nor SlurmUser (%s): Slurm "
            "would refuse the orders; `maui slurm install --user NAME`",
            path, uid, in->c->slurm_user_name);
}

/* Whoever is neither root nor SlurmUser is not the user that the scheduler runs as, nor
 * is a home of that user the scheduler's: those of the script count. `home` is owned.
 */
static void take_site(
    const struct inspection *in, const char *script, struct site *io, char **ret_home)
{
    static const char file[] = "/slurm.events";
    char *home = path_in_script(script, "local EVENTS");
    size_t n = home != NULL ? strlen(home) : 0;

    *ret_home = home;
    if (check_is_privileged(in->c))
        return;
    io->uid = user_in_script(script);
    if (n <= strlen(file) || strcmp(home + n - strlen(file), file) != 0)
        return;
    home[n - strlen(file)] = '\0';
    io->home = home;
}

static void compare_script(const struct inspection *in, const char *path,
    const char *text, char *(*make)(const struct site *, const char *))
{
    char *age = site_max_age(text), *own = path_in_script(text, "local SITE = "),
         *events = path_in_script(text, "local EVENTS"), *expected, *home;
    struct site site = *in->site;

    if (age != NULL)
        site.max_age = age;
    take_site(in, text, &site, &home);
    expected = make(&site, own);
    if (strcmp(expected, text) != 0)
        findings_add(in->f, SETTING_WARNING,
            "%s is not as this release installs it for home %s and user %u; " INSTALL,
            path, site.home, site.uid);
    if (own != NULL && access(own, R_OK) < 0)
        findings_add(in->f, SETTING_WARNING,
            "%s, your own script, cannot be read: %s; %s calls it", own,
            strerror(errno), path);
    if (events != NULL)
        look_at_rights(in, events, 2, "write to");
    look_at_gate_user(in, path, text);
    free(home);
    free(events);
    free(expected);
    free(own);
    free(age);
}

static void look_at_script(const struct inspection *in, const char *name,
    char *(*make)(const struct site *, const char *), enum setting_weight weight)
{
    struct strbuf path = {0};
    struct stat st;
    struct err err;
    char *text;

    strbuf_printf(&path, "%s/%s", in->dir, name);
    text = saved_read(path.text, &st, &err);
    if (text == NULL && err.code != ERR_NOT_FOUND)
        findings_add(in->f, SETTING_NOTE, "%s: cannot be looked at", err.text);
    else if (text == NULL)
        findings_add(in->f, weight, "%s is not there; " INSTALL, path.text);
    else if (site_judge_script(text) == SCRIPT_THEIRS)
        findings_add(in->f, weight,
            "%s is not the scheduler's: `maui slurm install` puts ours there, which "
            "calls "
            "yours",
            path.text);
    else if (site_judge_script(text) == SCRIPT_MERGED)
        findings_add(in->f, SETTING_NOTE,
            "%s holds our script and something else: they are not compared", path.text);
    else
        compare_script(in, path.text, text, make);
    if (text != NULL && make == site_gate)
        look_at_heartbeat(in, text);
    free(text);
    free(path.text);
}

static void look_at_scripts(const struct inspection *in)
{
    if (access(in->dir, X_OK) < 0 && errno == EACCES) {
        findings_add(in->f, SETTING_NOTE,
            "%s may not be entered by this user: the scripts and the heartbeat are not "
            "looked at",
            in->dir);
        return;
    }
    if (access(in->dir, X_OK) < 0) {
        findings_add(in->f, SETTING_NOTE,
            "%s is not on this machine: run this where slurmctld runs to have the "
            "scripts and the heartbeat looked at; `maui showq --about` says where "
            "commands find the scheduler from here",
            in->dir);
        return;
    }
    look_at_script(in, "job_submit.lua", site_gate, SETTING_ERROR);
    if (in->c->job_comp_type != NULL
        && strcmp(in->c->job_comp_type, "jobcomp/lua") == 0)
        look_at_script(in, "jobcomp.lua", site_jobcomp, SETTING_WARNING);
}

/* ---- nodes with another slurm.conf ---- */

static time_t line_time(const char *line)
{
    struct tm tm = {.tm_isdst = -1};

    return *line == '[' && strptime(line + 1, "%Y-%m-%dT%H:%M:%S", &tm) ? mktime(&tm)
                                                                        : 0;
}

static time_t slurmd_start(const node_info_msg_t *nodes, const char *name)
{
    for (uint32_t i = 0; i < nodes->record_count; i++)
        if (nodes->node_array[i].name && strcmp(nodes->node_array[i].name, name) == 0)
            return nodes->node_array[i].slurmd_start_time;
    return 0;
}

/* Has slurmctld read slurm.conf anew? Of its start it tells the instant, of this
 * nothing but the log does. */
static bool is_read_anew(const char *line)
{
    return strstr(line, "] Processing Reconfiguration Request") != NULL
           || strstr(line, "] Reconfigure signal (SIGHUP) received") != NULL;
}

/* "[...] error: Node n1 appears to have a different slurm.conf than the slurmctld": it
 * counts unless slurmctld or that slurmd was started since. */
static void take_log_line(const struct inspection *in, const node_info_msg_t *nodes,
    const char *line, hostlist_t ret)
{
    const char *end = strstr(line, " appears to have a different slurm.conf"),
               *name = end;
    time_t at = line_time(line);
    char *node;

    while (name != NULL && name > line && name[-1] != ' ')
        name--;
    if (name == NULL || at < in->c->boot_time)
        return;
    node = xstrndup(name, (size_t)(end - name));
    if (slurmd_start(nodes, node) <= at)
        slurm_hostlist_push_host(ret, node);
    free(node);
}

/* The nodes that it names since slurmctld has read slurm.conf; owned. */
static hostlist_t read_log(
    const struct inspection *in, FILE *f, const node_info_msg_t *nodes)
{
    hostlist_t differ = slurm_hostlist_create(NULL);
    char line[2000];

    if (fseek(f, -LOG_TAIL, SEEK_END) < 0)
        rewind(f);
    while (fgets(line, sizeof line, f) != NULL) {
        if (is_read_anew(line)) {
            slurm_hostlist_destroy(differ);
            differ = slurm_hostlist_create(NULL);
        }
        take_log_line(in, nodes, line, differ);
    }
    slurm_hostlist_uniq(differ);
    return differ;
}

static void look_at_nodes(const struct inspection *in)
{
    const char *path = in->c->slurmctld_logfile;
    FILE *f = path != NULL ? fopen(path, "re") : NULL;
    node_info_msg_t *nodes = NULL;
    hostlist_t differ;

    if (f == NULL) {
        findings_add(in->f, SETTING_NOTE,
            "slurmctld's log (%s) cannot be read here: whether the nodes run with this "
            "slurm.conf is not known; on each of them `scontrol show config | grep "
            "HASH` "
            "has to say Match",
            path != NULL ? path : "SlurmctldLogFile is not set");
        return;
    }
    if (slurm_load_node(0, &nodes, SHOW_ALL | SHOW_LOCAL) == SLURM_SUCCESS) {
        differ = read_log(in, f, nodes);
        if (slurm_hostlist_count(differ) > 0) {
            char *list = slurm_hostlist_ranged_string_malloc(differ);

            findings_add(in->f, SETTING_WARNING,
                "nodes %s run with another slurm.conf than slurmctld: without its "
                "Epilog "
                "a start there waits up to a second longer; copy slurm.conf there, "
                "then "
                "`scontrol reconfigure`",
                list);
            free(list);
        }
        slurm_hostlist_destroy(differ);
        slurm_free_node_info_msg(nodes);
    }
    fclose(f);
}

/* ---- slurm.conf itself ---- */

static bool has_cloud_nodes(const struct conf *conf)
{
    for (size_t i = 0; i < conf->files.n; i++)
        if (strcasestr(conf->files.v[i].text, "State=CLOUD") != NULL)
            return true;
    return false;
}

static const char *get_from_file(void *ctx, const char *key)
{
    return conf_value(ctx, key);
}

/* "JobSubmitPlugins, Epilog": by whole words, as one may be part of another. */
static bool has_key(const char *keys, const char *key)
{
    size_t n = strlen(key);

    for (const char *at = keys; at != NULL && *at != '\0'; at += strspn(at, ", ")) {
        size_t word = strcspn(at, ",");

        if (word == n && strncmp(at, key, n) == 0)
            return true;
        at += word;
    }
    return false;
}

/* What has to be done about settings of the list that `maui slurm install` leaves
 * alone; NULL: it mends all. */
static const char *find_unmended(const struct setting_advices *all, const char *keys)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->v[i].weight != SETTING_NOTE && all->v[i].instead == NULL
            && has_key(keys, all->v[i].key))
            return all->v[i].why;
    return NULL;
}

static bool is_wrong(const struct setting_advices *all, const char *key)
{
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->v[i].key, key) == 0 && all->v[i].weight != SETTING_NOTE)
            return true;
    return false;
}

/* "JobSubmitPlugins, Epilog": what is wrong in the first alone; owned, or NULL. Whether
 * slurmctld has the mode of preemption wrong is not known. */
static char *list_wrong(const struct setting_advices *here,
    const struct setting_advices *there, bool *ret_restart)
{
    struct strbuf names = {0};

    for (size_t i = 0; i < here->n; i++) {
        const char *key = here->v[i].key;

        if (here->v[i].weight == SETTING_NOTE || is_wrong(there, key)
            || strcmp(key, "PreemptMode") == 0 || has_key(names.text, key))
            continue;
        strbuf_printf(&names, "%s%s", names.len > 0 ? ", " : "", key);
        *ret_restart |= settings_need_restart(key);
    }
    return names.text;
}

/* The heaviest of what is wrong with settings of the list. */
static const struct setting_advice *find_heaviest(
    const struct setting_advices *all, const char *keys)
{
    const struct setting_advice *found = NULL;

    for (size_t i = 0; i < all->n; i++)
        if (has_key(keys, all->v[i].key)
            && (found == NULL || all->v[i].weight > found->weight))
            found = &all->v[i];
    return found;
}

/* Does the file say the same as what slurmctld has read of it? What is right in the
 * file alone, as find_heaviest() takes it; owned, or NULL. */
static char *compare_file(const struct inspection *in, struct conf *conf)
{
    struct setting_advices now = {0}, file = {0};
    bool restart = false, none = false;
    const struct setting_advice *until_then;
    const char *by_hand;
    char *unread, *undone;

    settings_judge(check_setting, (void *)in->c, &now);
    settings_judge(get_from_file, conf, &file);
    unread = list_wrong(&now, &file, &restart);
    undone = list_wrong(&file, &now, &none);
    until_then = find_heaviest(&now, unread);
    if (until_then != NULL)
        findings_add(in->f, until_then->weight,
            "slurm.conf here has %s right, and slurmctld has not read it since: %s; "
            "until then: %s",
            unread, restart ? "systemctl restart slurmctld" : "scontrol reconfigure",
            until_then->why);
    by_hand = find_unmended(&file, undone);
    if (undone != NULL)
        findings_add(in->f, SETTING_WARNING,
            "slurm.conf here has %s wrong, which slurmctld will read at its next "
            "start: %s",
            undone, by_hand != NULL ? by_hand : "`maui slurm install` mends it");
    free(undone);
    settings_free(&now);
    settings_free(&file);
    return unread;
}

/* As compare_file(). */
static char *look_at_file(const struct inspection *in)
{
    struct err err;
    char *unread = NULL;
    struct conf *conf = conf_load(in->c->slurm_conf, &err);
    const char *flags = conf != NULL ? conf_value(conf, "DebugFlags") : NULL;

    if (conf == NULL && err.code != ERR_NOT_FOUND)
        findings_add(in->f, SETTING_NOTE, "%s: cannot be looked at", err.text);

    if (flags != NULL && strcasestr(flags, "NO_CONF_HASH") != NULL)
        findings_add(in->f, SETTING_NOTE,
            "DebugFlags=NO_CONF_HASH: nodes that run with another slurm.conf cannot be "
            "found");
    if (conf != NULL && has_cloud_nodes(conf)
        && !(in->c->private_data & PRIVATE_CLOUD_NODES))
        findings_add(in->f, SETTING_WARNING,
            "slurm.conf: nodes of State=CLOUD are hidden while they are powered down; "
            "write PrivateData=cloud");
    if (conf != NULL && in->here)
        unread = compare_file(in, conf);
    else if (conf != NULL)
        findings_add(in->f, SETTING_NOTE,
            "slurmctld (SlurmctldHost=%s) does not run on this machine: slurm.conf "
            "here is of commands, and is not compared with what slurmctld has read",
            in->c->control_machine[0]);
    conf_free(conf);
    return unread;
}

static void look_at_settings(const struct inspection *in)
{
    char *unread = in->c->slurm_conf != NULL ? look_at_file(in) : NULL;
    struct setting_advices advices = {0};

    settings_judge(check_setting, (void *)in->c, &advices);
    for (size_t i = 0; i < advices.n; i++)
        if (!has_key(unread, advices.v[i].key))
            check_add(in->c, &advices.v[i], in->f);
    settings_free(&advices);
    free(unread);
}

/* ---- where slurmctld runs ---- */

/* The first of "dir:dir" that has it. */
static bool has_plugin(const char *dirs, const char *name)
{
    bool found = false;

    while (dirs != NULL && *dirs != '\0' && !found) {
        struct strbuf path = {0};
        size_t n = strcspn(dirs, ":");

        strbuf_printf(&path, "%.*s/%s", (int)n, dirs, name);
        found = access(path.text, F_OK) == 0;
        free(path.text);
        dirs += n + (dirs[n] == ':');
    }
    return found;
}

/* One that runs has loaded it. */
static void look_at_plugin(const struct inspection *in)
{
    if (!in->here || settings_list_has(in->c->job_submit_plugins, "lua")
        || has_plugin(in->c->plugindir, "job_submit_lua.so")
        || access(in->dir, X_OK) < 0)
        return;
    findings_add(in->f, SETTING_ERROR,
        "job_submit_lua.so is not in %s: slurmctld will not start with "
        "JobSubmitPlugins=lua; install Slurm's Lua plugins first (Debian: "
        "slurm-wlm-basic-plugins)",
        in->c->plugindir);
}

static void look_at_backups(const struct inspection *in)
{
    for (uint32_t i = 1; i < in->c->control_cnt; i++)
        findings_add(in->f, SETTING_NOTE,
            "SlurmctldHost=%s: slurmctld may run there as well; it needs the same "
            "scripts and has to see %s",
            in->c->control_machine[i], in->site->home);
}

/* The home is the scheduler's, which a user who may not read its script does not know.
 */
static void look_at_watch(const struct inspection *in)
{
    if (check_is_privileged(in->c) && !letgo_is_watched(in->site->home))
        findings_add(in->f, SETTING_NOTE,
            "no `maui slurm watch` for %s runs here: while the scheduler is away the "
            "jobs that wait for it go on waiting; systemctl enable --now maui-watch",
            in->site->home);
}

static void look_at_accounting(const struct inspection *in)
{
    if (in->c->accounting_storage_enforce & ENFORCES_LIMITS)
        findings_add(in->f, SETTING_NOTE,
            "AccountingStorageEnforce=limits: Slurm's limits of associations and QOS "
            "are "
            "followed, beside those of maui.cfg; RMCFG[] LIMITS=MAUI leaves them to "
            "it");
    if (in->c->authinfo == NULL || strstr(in->c->authinfo, "cred_expire") == NULL)
        findings_add(in->f, SETTING_NOTE,
            "a requeued job pauses for 2 minutes; AuthInfo=cred_expire=30 shortens "
            "that");
}

/* ---- partitions and jobs ---- */

static void look_at_partitions(const struct inspection *in)
{
    partition_info_msg_t *parts = NULL;
    struct strbuf endless = {0};

    if (slurm_load_partitions(0, &parts, SHOW_ALL | SHOW_LOCAL) != SLURM_SUCCESS)
        return;
    for (uint32_t i = 0; i < parts->record_count; i++) {
        const partition_info_t *p = &parts->partition_array[i];

        if (p->max_time >= NO_VAL && p->default_time >= NO_VAL)
            strbuf_printf(&endless, "%s%s", endless.len ? "," : "", p->name);
    }
    if (endless.len > 0)
        findings_add(in->f, SETTING_NOTE,
            "partitions %s have neither DefaultTime nor MaxTime: a job without a time "
            "limit is planned as one that never ends",
            endless.text);
    free(endless.text);
    slurm_free_partition_info_msg(parts);
}

/* Came past the gate: waiting at Slurm's own priority while the scheduler lives, or
 * running since slurmctld was started. Through scontrol a running job shows no mark. A
 * new one that Slurm itself has started still says so. */
static bool is_past_gate(const struct inspection *in, const slurm_job_info_t *j)
{
    uint32_t state = j->job_state & JOB_STATE_BASE;

    if (state == SLURM_JOB_RUNNING && notes_is_new(j->admin_comment))
        return true;
    if (job_mark(j) != MARK_NONE)
        return false;
    if (state == JOB_PENDING)
        return j->priority != 0 && time(NULL) - j->submit_time >= SILENT_S;
    return UPDATE_TAKES_TASKS && state == SLURM_JOB_RUNNING
           && j->submit_time > in->c->boot_time;
}

/* What this user does not see. */
static void look_at_user(const struct inspection *in)
{
    const struct passwd *pw = getpwuid(geteuid());

    if (check_is_privileged(in->c))
        return;
    findings_add(in->f, SETTING_NOTE,
        "run as %s, who is neither root nor SlurmUser (%s): files that are closed to "
        "this user%s are not looked at",
        pw != NULL ? pw->pw_name : "a user without a name", in->c->slurm_user_name,
        in->c->private_data & PRIVATE_DATA_JOBS ? ", and jobs of others (PrivateData),"
                                                : "");
}

static void look_at_jobs(const struct inspection *in)
{
    job_info_msg_t *jobs = NULL;
    uint32_t n = 0, first = 0;
    char *gate_home = letgo_gate_home(in->site->home);

    adapter_prepare(gate_home, in->c->slurm_user_id);
    free(gate_home);
    if (slurm_load_jobs(0, &jobs, SHOW_ALL | SHOW_LOCAL) != SLURM_SUCCESS)
        return;
    for (uint32_t i = 0; i < jobs->record_count; i++)
        if (is_past_gate(in, &jobs->job_array[i]) && n++ == 0)
            first = jobs->job_array[i].job_id;
    if (n > 0)
        findings_add(in->f, SETTING_WARNING,
            "%u waiting or running job%s, the first %u, came past the gate: submitted "
            "while the scheduler was away or a moment before, or another "
            "job_submit.lua stood there, or slurmctld has not loaded the gate (restart "
            "it; its log says why)",
            n, n == 1 ? "" : "s", first);
    slurm_free_job_info_msg(jobs);
}

void inspect_site(
    const slurm_conf_t *c, const struct site *site, int64_t ahead_s, struct findings *f)
{
    char *path =
        xstrdup(c->slurm_conf != NULL ? c->slurm_conf : "/etc/slurm/slurm.conf");
    struct inspection in = {c, site, f, NULL, is_controller(c), ahead_s};

    in.dir = xstrdup(dirname(path));
    look_at_settings(&in);
    look_at_user(&in);
    look_at_plugin(&in);
    if (settings_list_has(c->job_submit_plugins, "lua")) {
        look_at_scripts(&in);
        look_at_watch(&in);
    }
    look_at_backups(&in);
    look_at_nodes(&in);
    look_at_accounting(&in);
    look_at_slurmdbd(c, f);
    look_at_clock(ahead_s, f);
    look_at_commands(site->home, f);
    look_at_partitions(&in);
    look_at_jobs(&in);
    free(in.dir);
    free(path);
}
