/* SPDX-License-Identifier: Apache-2.0
 * The virtual nodes: as NODES=N[xP] says, as NODECFG describes them, or one that is the
 * machine. */
#include "rm/local/nodes.h"

#include "config/settings.h"
#include "config/value.h"
#include "rm/local/ljob.h"
#include "rm/local/private.h"

#include <stdio.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#define MB ((int64_t)1024 * 1024)

struct local_node {
    char *name;
    struct res cfg;
    int64_t used; /* processors of running jobs */
    bool
        former; /* not configured any more; it is there for jobs that run there still */
    size_t pieces; /* of a former one: how many of them */
    UT_hash_handle hh;
};

struct nodes {
    struct local_node *all;
    struct local_node *next; /* to be told of in turns; NULL: the first */
    bool machine_is_node;    /* the one node is the machine: its load is the node's */
};

/* What the machine has. */
static struct res machine(const char *disk)
{
    struct res r = {0};
    struct sysinfo info;
    struct statvfs fs;

    r.v[RES_PROCS] = get_nprocs();
    if (sysinfo(&info) == 0) {
        r.v[RES_MEM] = (int64_t)info.totalram * info.mem_unit / MB;
        r.v[RES_SWAP] = r.v[RES_MEM] + (int64_t)info.totalswap * info.mem_unit / MB;
    }
    if (disk != NULL && statvfs(disk, &fs) == 0)
        r.v[RES_DISK] = (int64_t)fs.f_blocks * (int64_t)fs.f_frsize / MB;
    return r;
}

static struct local_node *add_node(
    struct local *l, const char *name, const struct res *cfg)
{
    struct local_node *n = xcalloc(1, sizeof *n);

    n->name = xstrdup(name);
    n->cfg = *cfg;
    HASH_ADD_KEYPTR(hh, l->nodes->all, n->name, strlen(n->name), n);
    return n;
}

/* Memory and the like are shared out among the nodes. */
static struct res share_of(const struct res *all, int64_t nodes)
{
    struct res r = *all;

    for (int i = 0; i < RES_DIMS; i++)
        if (i != RES_PROCS)
            r.v[i] /= nodes;
    return r;
}

/* What NODECFG[name] says the node has. */
static void describe(struct res *r, const struct settings *settings, const char *name)
{
    for (size_t i = 0; settings != NULL && i < settings->nodes.n; i++) {
        const struct node_cfg *n = &settings->nodes.v[i];
        const int64_t said[RES_DIMS] = {[RES_PROCS] = n->cfg_procs,
            [RES_MEM] = n->cfg_mem_mb,
            [RES_SWAP] = n->cfg_swap_mb,
            [RES_DISK] = n->cfg_disk_mb};

        for (int d = 0; d < RES_DIMS && strcmp(n->name, name) == 0; d++)
            if (said[d] > 0)
                r->v[d] = said[d];
    }
}

/* NODES=N[xP]: node01 ... with P processors each, or with their share; besides as
 * NODECFG says, for all or for one of them. */
static int add_list(struct local *l, const char *text, const struct settings *settings,
    const struct res *all, struct err *err)
{
    int64_t count, procs;
    struct res each;
    char name[32];
    bool given;

    if (value_nodes(text, &count, &procs, err) < 0)
        return err_prefix(err, "NODES: ");
    given = procs > 0;
    if (!given)
        procs = all->v[RES_PROCS] > count ? all->v[RES_PROCS] / count : 1;
    for (int64_t i = 1; i <= count; i++) {
        value_node_name(i, count, name, sizeof name);
        each = share_of(all, count);
        each.v[RES_PROCS] = procs;
        describe(&each, settings, "DEFAULT");
        describe(&each, settings, name);
        if (given)
            each.v[RES_PROCS] = procs;
        add_node(l, name, &each);
    }
    return 0;
}

static bool is_described(const struct node_cfg *n)
{
    return strcmp(n->name, "DEFAULT") != 0 && strcmp(n->name, "GLOBAL") != 0
           && n->cfg_procs > 0;
}

/* Those that NODECFG[name] gives processors. How many there are. */
static int64_t add_described(
    struct local *l, const struct settings *settings, const struct res *all)
{
    int64_t count = 0;

    for (size_t i = 0; settings != NULL && i < settings->nodes.n; i++)
        count += is_described(&settings->nodes.v[i]);
    for (size_t i = 0; count > 0 && i < settings->nodes.n; i++) {
        const struct node_cfg *n = &settings->nodes.v[i];
        struct res each = share_of(all, count);

        if (!is_described(n))
            continue;
        describe(&each, settings, "DEFAULT");
        describe(&each, settings, n->name);
        add_node(l, n->name, &each);
    }
    return count;
}

int nodes_open(struct local *l, const struct rm_cfg *cfg, struct err *err)
{
    const char *list = rm_cfg_attr(cfg, "NODES");
    struct res all = machine(rm_cfg_attr(cfg, "LOCALDISKFS"));
    char host[256];

    l->nodes = xcalloc(1, sizeof *l->nodes);
    if (list != NULL)
        return add_list(l, list, cfg->settings, &all, err);
    if (add_described(l, cfg->settings, &all) > 0)
        return 0;
    if (gethostname(host, sizeof host) != 0 || host[0] == '\0')
        snprintf(host, sizeof host, "localhost");
    host[strcspn(host, ".")] = '\0';
    add_node(l, host, &all);
    l->nodes->machine_is_node = true;
    return 0;
}

void nodes_close(struct local *l)
{
    struct local_node *n, *next;

    if (l->nodes == NULL)
        return;
    n = l->nodes->all;
    HASH_CLEAR(hh, l->nodes->all); /* frees the table and leaves the nodes chained */
    for (; n != NULL; n = next) {
        next = n->hh.next;
        free(n->name);
        free(n);
    }
    free(l->nodes);
    l->nodes = NULL;
}

void nodes_forget(struct local *l)
{
    for (struct local_node *n = l->nodes->all; n != NULL; n = n->hh.next) {
        n->used = 0;
        n->pieces = 0;
        if (n->former)
            n->cfg.v[RES_PROCS] = 0;
    }
    l->nodes->next = NULL;
}

bool nodes_have(const struct local *l, const char *name)
{
    struct local_node *n;

    HASH_FIND_STR(l->nodes->all, name, n);
    return n != NULL && !n->former;
}

/* Memory that new programs could have, in MB; -1 = unknown. */
static int64_t memory_available(void)
{
    FILE *in = fopen("/proc/meminfo", "re");
    char line[128];
    int64_t mb = -1;

    while (in != NULL && fgets(line, sizeof line, in) != NULL)
        if (strncmp(line, "MemAvailable:", 13) == 0)
            mb = strtoll(line + 13, NULL, 10) / 1024;
    if (in != NULL)
        fclose(in);
    return mb;
}

/* What the machine itself has in use. */
static void measure(struct node_desc *d)
{
    int64_t available = memory_available();
    double load;

    if (getloadavg(&load, 1) == 1)
        d->load = load;
    if (available >= 0 && available <= d->cfg.v[RES_MEM])
        d->util.v[RES_MEM] = d->cfg.v[RES_MEM] - available;
}

static void report(struct local *l, const struct local_node *n)
{
    struct utsname uts;
    struct rm_report r = {.kind = RM_NODE};
    struct node_desc *d = &r.u.node;

    d->name = n->name;
    d->state = n->used == 0                    ? NODE_IDLE
               : n->used < n->cfg.v[RES_PROCS] ? NODE_RUNNING
                                               : NODE_BUSY;
    if (n->former) {
        d->state = n->pieces > 0 ? NODE_DRAINING : NODE_DRAINED;
        d->said = "it is not configured any more: its jobs run to their end";
    }
    d->cfg = n->cfg;
    if (uname(&uts) == 0) {
        d->os = uts.sysname;
        d->arch = uts.machine;
    }
    d->measured = true;
    d->load = (double)n->used;
    d->util.v[RES_PROCS] = n->used;
    if (l->nodes->machine_is_node)
        measure(d);
    local_report(l, &r);
}

static void drop_former(struct local *l, struct local_node *n)
{
    struct rm_report gone = {.kind = RM_NODE_GONE, .u.name = n->name};

    local_report(l, &gone);
    if (l->nodes->next == n)
        l->nodes->next = n->hh.next;
    HASH_DEL(l->nodes->all, n);
    free(n->name);
    free(n);
}

void nodes_report(struct local *l)
{
    struct local_node *n, *next;

    HASH_ITER(hh, l->nodes->all, n, next)
    if (n->former && n->pieces == 0)
        drop_former(l, n);
    else
        report(l, n);
}

bool nodes_report_some(struct local *l, unsigned most)
{
    struct local_node *n = l->nodes->next != NULL ? l->nodes->next : l->nodes->all;

    for (; n != NULL && most > 0; n = n->hh.next, most--)
        report(l, n);
    l->nodes->next = n;
    return n != NULL;
}

/* What a piece of the job has of its node, which has it all where that is not said. */
static int64_t piece_procs(const struct local_job *j, size_t i, int64_t whole)
{
    int64_t each = request_procs_per_task(j->request, j->run.places[i].req);

    return each > 0 ? each * j->run.places[i].tasks : whole;
}

void nodes_hold(struct local *l, const struct local_job *j, int sign)
{
    struct res all = {0};

    for (size_t i = 0; i < j->run.nplaces; i++) {
        const char *name = j->run.places[i].node;
        struct local_node *n;

        HASH_FIND_STR(l->nodes->all, name, n);
        if (n == NULL && sign > 0) {
            all = machine(NULL);
            all.v[RES_PROCS] = 0;
            n = add_node(l, name, &all);
            n->former = true;
        }
        if (n == NULL || !n->former)
            continue;
        n->pieces += (size_t)sign;
        if (sign < 0)
            continue;
        n->cfg.v[RES_PROCS] += piece_procs(j, i, 1);
        report(l, n); /* before the job, which is told to be there */
    }
}

void nodes_take(struct local *l, const struct local_job *j, int sign)
{
    for (size_t i = 0; i < j->run.nplaces; i++) {
        struct local_node *n;

        HASH_FIND_STR(l->nodes->all, j->run.places[i].node, n);
        if (n == NULL)
            continue;
        n->used += sign * piece_procs(j, i, n->former ? 1 : n->cfg.v[RES_PROCS]);
        if (l->synced)
            report(l, n);
    }
}
