/* SPDX-License-Identifier: Apache-2.0
 * request.json, written. What is 0, NULL or usual is left out. */
#include "config/flags.h"
#include "rm/local/request.h"
#include "rm/local/words.h"

#include <assert.h>
#include <jansson.h>

static void put_int(json_t *o, const char *key, int64_t value)
{
    if (value != 0)
        json_object_set_new(o, key, json_integer(value));
}

/* Text that is no UTF-8 is kept byte by byte, each as the character of that number. */
static json_t *text_of(const char *text)
{
    json_t *whole = json_string(text);
    char *wide, *at;

    if (whole != NULL)
        return whole;
    at = wide = xmalloc(2 * strlen(text) + 1);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;

        if (c < 0x80) {
            *at++ = *text;
        } else {
            *at++ = (char)(0xc0 | c >> 6);
            *at++ = (char)(0x80 | (c & 0x3f));
        }
    }
    *at = '\0';
    whole = json_string(wide);
    free(wide);
    return whole;
}

static void put_text(json_t *o, const char *key, const char *text)
{
    if (text != NULL)
        json_object_set_new(o, key, text_of(text));
}

static void put_texts(json_t *o, const char *key, const char *const *texts)
{
    json_t *list;

    if (texts == NULL)
        return;
    list = json_array();
    for (; *texts != NULL; texts++)
        json_array_append_new(list, text_of(*texts));
    json_object_set_new(o, key, list);
}

static void put_gres(json_t *o, const struct gres_cfg *gres)
{
    json_t *set;

    if (gres == NULL)
        return;
    set = json_object();
    for (; gres->name != NULL; gres++)
        json_object_set_new(set, gres->name, json_integer(gres->count));
    json_object_set_new(o, "gres", set);
}

static void put_cmp(json_t *o, const char *key, const struct cmp *cmp)
{
    if (cmp->op != CMP_NONE)
        json_object_set_new(
            o, key, json_pack("[s, I]", cmp_words[cmp->op], (json_int_t)cmp->value));
}

static void put_nodeset(json_t *o, const struct nodeset_spec *set)
{
    json_t *out, *list;

    if (set == NULL || set->policy == NODESET_OFF)
        return;
    out = json_object();
    put_text(out, "policy", nodeset_words[set->policy]);
    if (set->attr != NODESET_ATTR_UNSET)
        put_text(out, "attr", nodeset_attr_words[set->attr]);
    list = json_array();
    for (size_t i = 0; i < set->list.n; i++)
        json_array_append_new(list, text_of(set->list.v[i]));
    json_object_set_new(out, "list", list);
    json_object_set_new(o, "nodeset", out);
}

static json_t *req_object(const struct req_desc *r)
{
    json_t *o = json_object();

    for (int i = 0; i < RES_DIMS; i++)
        put_int(o, res_words[i], r->per_task.v[i]);
    put_int(o, "tasks", r->tasks);
    put_int(o, "nodes", r->nodes);
    put_int(o, "tpn", r->tpn);
    put_texts(o, "features", r->features);
    put_texts(o, "preferred", r->prefs);
    put_texts(o, "hosts", r->hosts);
    put_texts(o, "exclude", r->exclude);
    put_gres(o, r->gres);
    put_text(o, "os", r->os);
    put_text(o, "arch", r->arch);
    put_text(o, "network", r->network);
    put_cmp(o, "node_procs", &r->procs);
    put_cmp(o, "node_mem_mb", &r->mem);
    put_cmp(o, "node_swap_mb", &r->swap);
    put_cmp(o, "node_disk_mb", &r->disk);
    if (r->access != ACCESS_UNSET)
        put_text(o, "access", access_words[r->access]);
    if (r->nodealloc != NODEALLOC_UNSET)
        put_text(o, "nodealloc", nodealloc_words[r->nodealloc]);
    put_nodeset(o, r->nodeset);
    return o;
}

static void put_flags(json_t *o, uint32_t flags)
{
    json_t *list = json_array();

    for (; flags != 0; flags &= flags - 1) {
        const char *name = job_flag_name(flags & -flags);

        if (name != NULL)
            json_array_append_new(list, json_string(name));
    }
    json_object_set_new(o, "flags", list);
}

static void put_deps(json_t *o, const struct dep *deps)
{
    json_t *list;

    if (deps == NULL)
        return;
    list = json_array();
    for (; deps->job_id != NULL; deps++) {
        json_t *pair = json_array();

        json_array_append_new(pair, json_string(dep_words[deps->type]));
        json_array_append_new(pair, text_of(deps->job_id));
        json_array_append_new(list, pair);
    }
    json_object_set_new(o, "dependencies", list);
}

static void put_desc(json_t *o, const struct job_desc *d)
{
    json_t *list = json_array();

    for (int i = 0; i < CRED_KINDS; i++)
        put_text(o, cred_words[i], d->cred[i]);
    put_int(o, "eligible_at", d->eligible_at);
    put_int(o, "wclimit_s", d->wclimit_s);
    put_int(o, "release_at", d->release_at);
    put_int(o, "deadline_at", d->deadline_at);
    put_int(o, "holds", d->rm_hold);
    put_int(o, "priority", d->user_priority);
    put_flags(o, d->flags);
    for (uint32_t i = 0; i < d->nreqs; i++)
        json_array_append_new(list, req_object(&d->reqs[i]));
    json_object_set_new(o, "requests", list);
    put_texts(o, "partitions", d->partitions);
    put_deps(o, d->deps);
    put_text(o, "advres", d->advres);
    put_text(o, "command", d->command);
}

char *request_write(const struct rm_submission *s, const char *id, int64_t submit_at)
{
    json_t *o = json_object();
    char *text;

    put_text(o, "id", id);
    put_text(o, "name", s->job.name);
    put_int(o, "submit_at", submit_at);
    put_desc(o, &s->job.desc);
    put_text(o, "directory", s->job.directory);
    put_text(o, "output", s->job.output);
    put_text(o, "error", s->job.error);
    put_texts(o, "argv", s->argv);
    json_object_set_new(o, "uid", json_integer(s->uid));
    json_object_set_new(o, "gid", json_integer(s->gid));
    put_int(o, "umask", s->umask);
    json_object_set_new(o, "script", json_boolean(s->script != NULL));
    json_object_set_new(o, "rerunnable", json_boolean(s->rerunnable));
    json_object_set_new(o, "join", json_boolean(s->join));
    text = json_dumps(o, JSON_COMPACT);
    json_decref(o);
    assert(text != NULL);
    return text;
}
