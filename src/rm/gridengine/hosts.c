/* SPDX-License-Identifier: Apache-2.0
 * qhost, as hosts. Their processors are slots: `complex_values slots=` where the host
 * has that, which jobs of all its queues take from, else those of its queues. */
#include "base/xalloc.h"
#include "config/texts.h"
#include "rm/adapter/xml.h"
#include "rm/gridengine/answers.h"

#include <strings.h>

#define SLOTS_MOST 1000000

bool ge_is_open(const struct ge_instance *i)
{
    return strpbrk(i->state, "auAdDEsSCoc") == NULL && i->slots > 0;
}

static int64_t count_of(const char *text)
{
    double n = text != NULL ? strtod(text, NULL) : 0;

    return n > 0 ? (n < SLOTS_MOST ? (int64_t)n : SLOTS_MOST) : 0;
}

/* <TAG ... name='slots'>4</TAG> in it. */
static const char *find_named(
    const struct xml_element *e, const char *tag, const char *name)
{
    for (const struct xml_element *c = xml_child(e, tag); c != NULL;
         c = xml_beside(c->next, tag)) {
        const char *is = xml_attr_of(c, "name");

        if (is != NULL && strcmp(is, name) == 0)
            return c->text;
    }
    return NULL;
}

static void note_own(struct ge_hosts *all, const char *queue)
{
    for (size_t i = 0; i < all->own.n; i++)
        if (strcmp(all->own.v[i], queue) == 0)
            return;
    vec_push(&all->own, queue);
}

/* Slots of it that are in use count for the host; of queues of our own nothing else. */
static int64_t read_queue(
    struct ge_hosts *all, struct ge_host *h, const struct xml_element *e)
{
    const char *name = xml_attr_of(e, "name");
    struct ge_instance i = {.queue = name,
        .type = find_named(e, "queuevalue", "qtype_string"),
        .state = find_named(e, "queuevalue", "state_string"),
        .slots = count_of(find_named(e, "queuevalue", "slots")),
        .used = count_of(find_named(e, "queuevalue", "slots_used"))};

    if (name == NULL || *name == '\0')
        return 0;
    i.state = i.state != NULL ? i.state : "";
    i.type = i.type != NULL ? i.type : "";
    if (ge_is_own_queue(name))
        note_own(all, name);
    else
        vec_push(&h->instances, i);
    return i.used;
}

static void read_share(
    struct ge_hosts *all, struct ge_host *h, const struct xml_element *e)
{
    const char *number = xml_attr_of(e, "name"),
               *task = find_named(e, "jobvalue", "taskid");
    const char *instance = find_named(e, "jobvalue", "qinstance_name");
    const char *role = find_named(e, "jobvalue", "pe_master");
    bool master = role != NULL && strcmp(role, "MASTER") == 0;

    if (number == NULL || instance == NULL)
        return;
    for (size_t i = 0; i < h->shares.n; i++) {
        struct ge_share *s = &h->shares.v[i];

        if (strcmp(s->number, number) == 0
            && (task == NULL ? s->task == NULL
                             : s->task != NULL && strcmp(s->task, task) == 0)) {
            s->slots++;
            s->master |= master;
            return;
        }
    }
    vec_push(&h->shares,
        ((struct ge_share){number, task,
            arena_text(&all->arena, instance, strcspn(instance, "@")), 1, master}));
}

static void read_values(struct ge_host *h, const struct xml_element *host)
{
    const struct xml_element *e = xml_child(host, "resourcevalue");

    for (; e != NULL; e = xml_beside(e->next, "resourcevalue")) {
        const char *name = xml_attr_of(e, "name"), *from = xml_attr_of(e, "dominance");

        if (name != NULL)
            vec_push(&h->values, ((struct ge_value){name, e->text,
                                     from != NULL && *from && from[1] == 'c'}));
    }
}

/* ---- what a host is here ---- */

static enum node_state judge_state(const struct ge_host *h, int64_t used)
{
    size_t open = 0, lost = 0, loaded = 0;

    for (size_t i = 0; i < h->instances.n; i++) {
        const char *state = h->instances.v[i].state;

        open += ge_is_open(&h->instances.v[i]);
        lost += strchr(state, 'u') != NULL;
        loaded += strchr(state, 'a') != NULL && strpbrk(state, "udDEsSCoc") == NULL;
    }
    if (lost > 0 && lost == h->instances.n)
        return NODE_DOWN;
    if (open > 0)
        return used > 0 ? NODE_RUNNING : NODE_IDLE;
    if (loaded > 0)
        return NODE_BUSY;
    return used > 0 ? NODE_DRAINING : NODE_DRAINED;
}

/* All its queues, closed ones too: their jobs wait for them to open. */
static const struct gres_cfg *list_classes(
    struct ge_hosts *all, const struct ge_host *h)
{
    struct gres_cfg *list = arena_take(&all->arena, h->instances.n + 1, sizeof *list);

    for (size_t i = 0; i < h->instances.n; i++)
        list[i] = (struct gres_cfg){
            .name = (char *)h->instances.v[i].queue, .count = h->instances.v[i].slots};
    return list;
}

static void read_sizes(struct ge_host *h, const struct xml_element *e, int64_t used)
{
    const char *load = find_named(e, "hostvalue", "load_avg");
    const char *total = find_named(e, "hostvalue", "mem_total");
    const char *swap = find_named(e, "hostvalue", "swap_total");
    const char *busy = find_named(e, "hostvalue", "mem_used");
    int64_t slots = 0, most = -1;

    for (size_t i = 0; i < h->instances.n; i++)
        slots += h->instances.v[i].slots;
    for (size_t i = 0; i < h->values.n; i++)
        if (h->values.v[i].consumable && strcmp(h->values.v[i].name, "slots") == 0)
            most = count_of(h->values.v[i].text) + used;
    if (most >= 0 && most < slots)
        slots = most;
    h->desc.cfg.v[RES_PROCS] = slots < SLOTS_MOST ? slots : SLOTS_MOST;
    h->desc.cfg.v[RES_MEM] = total != NULL ? ge_size_mb(total) : -1;
    h->desc.cfg.v[RES_SWAP] = swap != NULL ? ge_size_mb(swap) : -1;
    h->desc.cfg.v[RES_DISK] = -1;
    for (int i = 0; i < RES_DIMS; i++)
        h->desc.util.v[i] = -1;
    h->desc.util.v[RES_MEM] = busy != NULL ? ge_size_mb(busy) : -1;
    h->desc.measured = load != NULL && *load >= '0' && *load <= '9';
    h->desc.load = h->desc.measured ? strtod(load, NULL) : 0;
    if (!(h->desc.load >= 0) || h->desc.load > 1e6)
        h->desc.measured = false;
}

static void read_host(struct ge_hosts *all, const struct xml_element *e)
{
    struct ge_host h = {.desc = {.name = xml_attr_of(e, "name")}};
    const char *arch = find_named(e, "hostvalue", "arch_string");
    int64_t used = 0;

    if (h.desc.name == NULL || *h.desc.name == '\0'
        || strcmp(h.desc.name, "global") == 0)
        return;
    read_values(&h, e);
    for (const struct xml_element *c = e->first; c != NULL; c = c->next) {
        if (strcmp(c->name, "queue") == 0)
            used += read_queue(all, &h, c);
        else if (strcmp(c->name, "job") == 0)
            read_share(all, &h, c);
    }
    read_sizes(&h, e, used);
    h.desc.arch = arch != NULL && strcmp(arch, "-") != 0 && *arch ? arch : NULL;
    h.desc.state = judge_state(&h, used);
    h.desc.classes = list_classes(all, &h);
    vec_push(&all->list, h);
}

int ge_read_hosts(struct ge_hosts *ret, const char *text, size_t len, struct err *err)
{
    const struct xml_element *root;

    *ret = (struct ge_hosts){0};
    root = xml_read(&ret->arena, text, len, err);
    if (root == NULL)
        return err_prefix(err, "qhost: ");
    root = xml_child(root, "qhost");
    if (root == NULL)
        return err_set(err, ERR_INVALID, "qhost: its XML tells of no hosts");
    for (const struct xml_element *e = xml_child(root, "host"); e != NULL;
         e = xml_beside(e->next, "host"))
        read_host(ret, e);
    return 0;
}

void ge_hosts_free(struct ge_hosts *hosts)
{
    for (size_t i = 0; i < hosts->list.n; i++) {
        vec_fini(&hosts->list.v[i].instances);
        vec_fini(&hosts->list.v[i].values);
        vec_fini(&hosts->list.v[i].shares);
    }
    vec_fini(&hosts->list);
    vec_fini(&hosts->own);
    arena_free(&hosts->arena);
}
