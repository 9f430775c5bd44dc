/* SPDX-License-Identifier: Apache-2.0
 * The virtual nodes: as NODES=N[xP] says, as NODECFG describes them, or one that is the
 * machine. */
#include "rm/local/private.h"

#include <ctype.h>
#include <stdio.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#define NODES_MAX 100000
#define MB        ((int64_t)1024 * 1024)

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

static void add(struct local *l, const char *name, const struct res *cfg)
{
    struct local_node *n = xcalloc(1, sizeof *n);

    n->name = xstrdup(name);
    n->cfg = *cfg;
    HASH_ADD_KEYPTR(hh, l->nodes, n->name, strlen(n->name), n);
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

/* NODES=N[xP]: node01 ... with P processors each, or with their share. */
static int add_list(
    struct local *l, const char *text, const struct res *all, struct err *err)
{
    char *end, name[32];
    long long count = isdigit((unsigned char)*text) ? strtoll(text, &end, 10) : 0;
    long long procs = 0;
    struct res each;
    int digits;

    if (count >= 1 && count <= NODES_MAX && tolower((unsigned char)*end) == 'x'
        && isdigit((unsigned char)end[1]))
        procs = strtoll(end + 1, &end, 10);
    else if (count >= 1)
        procs = all->v[RES_PROCS] > count ? all->v[RES_PROCS] / count : 1;
    if (count < 1 || count > NODES_MAX || *end != '\0' || procs < 1
        || procs > INT32_MAX)
        return err_set(err, ERR_INVALID,
            "NODES=%s: expected N or NxP, as in 4x8 for 4 nodes of 8 processors", text);
    each = share_of(all, count);
    each.v[RES_PROCS] = procs;
    digits = snprintf(NULL, 0, "%lld", count);
    for (long long i = 1; i <= count; i++) {
        snprintf(name, sizeof name, "node%0*lld", digits < 2 ? 2 : digits, i);
        add(l, name, &each);
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
        each.v[RES_PROCS] = n->cfg_procs;
        if (n->cfg_mem_mb > 0)
            each.v[RES_MEM] = n->cfg_mem_mb;
        if (n->cfg_swap_mb > 0)
            each.v[RES_SWAP] = n->cfg_swap_mb;
        if (n->cfg_disk_mb > 0)
            each.v[RES_DISK] = n->cfg_disk_mb;
        add(l, n->name, &each);
    }
    return count;
}

int nodes_open(struct local *l, const struct rm_cfg *cfg, struct err *err)
{
    const char *list = rm_cfg_attr(cfg, "NODES");
    struct res all = machine(rm_cfg_attr(cfg, "LOCALDISKFS"));
    char host[256];

    if (list != NULL)
        return add_list(l, list, &all, err);
    if (add_described(l, cfg->settings, &all) > 0)
        return 0;
    if (gethostname(host, sizeof host) != 0 || host[0] == '\0')
        snprintf(host, sizeof host, "localhost");
    host[strcspn(host, ".")] = '\0';
    add(l, host, &all);
    l->machine_is_node = true;
    return 0;
}

void nodes_close(struct local *l)
{
    struct local_node *n = l->nodes, *next;

    HASH_CLEAR(hh, l->nodes); /* frees the table and leaves the nodes chained */
    for (; n != NULL; n = next) {
        next = n->hh.next;
        free(n->name);
        free(n);
    }
}

void nodes_forget(struct local *l)
{
    for (struct local_node *n = l->nodes; n != NULL; n = n->hh.next)
        n->used = 0;
}

bool nodes_have(const struct local *l, const char *name)
{
    struct local_node *n;

    HASH_FIND_STR(l->nodes, name, n);
    return n != NULL;
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
    d->cfg = n->cfg;
    if (uname(&uts) == 0) {
        d->os = uts.sysname;
        d->arch = uts.machine;
    }
    d->measured = true;
    d->load = (double)n->used;
    d->util.v[RES_PROCS] = n->used;
    if (l->machine_is_node)
        measure(d);
    local_report(l, &r);
}

void nodes_report(struct local *l)
{
    for (struct local_node *n = l->nodes; n != NULL; n = n->hh.next)
        report(l, n);
}

void nodes_take(struct local *l, const struct local_job *j, int sign)
{
    int64_t each = request_procs_per_task(j->request);

    for (size_t i = 0; i < j->run.nplaces; i++) {
        struct local_node *n;

        HASH_FIND_STR(l->nodes, j->run.places[i].node, n);
        if (n == NULL)
            continue; /* the configuration changed under the job */
        n->used +=
            sign * (each > 0 ? each * j->run.places[i].tasks : n->cfg.v[RES_PROCS]);
        if (l->synced)
            report(l, n);
    }
}
