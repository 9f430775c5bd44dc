/* SPDX-License-Identifier: Apache-2.0
 * Scenarios: the settings their lines put in force, and every name looked up before
 * anything runs. */
#include "base/hostexpr.h"
#include "base/nearest.h"
#include "base/strbuf.h"
#include "cluster/rsvdraft.h"
#include "config/grammar.h"
#include "config/settings.h"
#include "sim/scenario.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static int complain(const struct scenario *s, const struct scenario_event *ev,
    const char *text, struct diag *d)
{
    return diag_bad(d, s->files.v[ev->file], ev->line, "%s: %s",
        scenario_command_name(ev->command), text);
}

/* ---- settings -------------------------------------------------------------------- */

/* What is in force while the events pass by. */
struct configuring {
    const struct scenario *s;
    struct diag *d;
    char *base;          /* owned: the file, or NULL for the defaults */
    struct strbuf lines; /* of changeparam since */
};

/* `file` as seen from the folder of the scenario. Owned. */
static char *beside(const char *scenario, const char *file)
{
    const char *slash = strrchr(scenario, '/');
    struct strbuf path = {0};

    if (*file != '/' && slash != NULL)
        strbuf_printf(&path, "%.*s", (int)(slash - scenario) + 1, scenario);
    strbuf_add(&path, file);
    return strbuf_take(&path);
}

/* The findings of the lines of this event, or, for another file, of the whole. Returns
 * how many errors there are. */
static size_t tell_findings(
    struct configuring *c, const struct scenario_event *ev, const struct config *cfg)
{
    bool whole = ev->command == SCENARIO_CONFIG;
    size_t errors = 0;
    char text[400];

    for (size_t i = 0; i < cfg->findings.n; i++) {
        const struct finding *f = &cfg->findings.v[i];

        if (f->level != FINDING_ERROR)
            continue;
        errors++;
        if (whole)
            snprintf(text, sizeof text, "%s:%u: %s", f->file, f->line, f->text);
        else
            snprintf(text, sizeof text, "%s", f->text);
        complain(c->s, ev, text, c->d);
    }
    return errors;
}

/* Owned; NULL when it was told why not: then the settings before stay in force. */
static struct settings *load(struct configuring *c, const struct scenario_event *ev)
{
    const char *lines = c->lines.text != NULL ? c->lines.text : "";
    struct settings *settings = NULL;
    struct config *cfg;
    struct err err;

    if (c->base != NULL)
        cfg = config_load_file_with(c->base, "scenario", lines, strlen(lines), &err);
    else
        cfg = config_load_text("scenario", lines, strlen(lines));
    if (cfg == NULL) {
        complain(c->s, ev, err.text, c->d);
        return NULL;
    }
    if (tell_findings(c, ev, cfg) == 0)
        settings = config_take_settings(cfg);
    config_destroy(cfg);
    return settings;
}

static struct settings *change_parameter(
    struct configuring *c, const struct scenario_event *ev)
{
    size_t before = c->lines.len;
    struct settings *settings;

    strbuf_printf(&c->lines, "%s\n%s\n", GRAMMAR_CHANGE, ev->words.v[0]);
    settings = load(c, ev);
    if (settings == NULL) { /* the next ones shall not stumble over it again */
        c->lines.len = before;
        c->lines.text[before] = '\0';
    }
    return settings;
}

static struct settings *change_file(
    struct configuring *c, const struct scenario_event *ev)
{
    char *old = c->base, *old_lines = strbuf_take(&c->lines);
    struct settings *settings;

    c->base = beside(c->s->files.v[ev->file], ev->words.v[0]);
    settings = load(c, ev);
    if (settings == NULL) {
        free(c->base);
        c->base = old;
        strbuf_add(&c->lines, old_lines);
    } else {
        free(old);
    }
    free(old_lines);
    return settings;
}

void scenario_settings(const struct scenario *s, const char *config,
    struct scenario_settings *ret, struct diag *d)
{
    struct configuring c = {
        .s = s, .d = d, .base = config != NULL ? xstrdup(config) : NULL};

    for (size_t i = 0; i < s->events.n; i++) {
        const struct scenario_event *ev = &s->events.v[i];
        struct settings *settings = NULL;

        if (ev->command == SCENARIO_CHANGEPARAM)
            settings = change_parameter(&c, ev);
        else if (ev->command == SCENARIO_CONFIG)
            settings = change_file(&c, ev);
        vec_push(ret, settings);
    }
    free(c.base);
    free(strbuf_take(&c.lines));
}

void scenario_settings_fini(struct scenario_settings *v)
{
    for (size_t i = 0; i < v->n; i++)
        settings_destroy(v->v[i]);
    vec_fini(v);
}

/* ---- names ----------------------------------------------------------------------- */

/* The world in which names are looked up: an engine that never runs. */
struct binding {
    struct scenario *s;
    const struct workload *w;
    struct engine *probe;
    struct cluster *c;
    struct names *ids;         /* of jobs; the number is the index in the workload */
    struct text_list reserved; /* what setres named its reservations after */
    struct diag *d;
};

static const char *job_id_at(void *ctx, uint32_t index)
{
    const struct workload *w = ctx;

    return w->jobs.v[index].id;
}

static const char *nearest_job(const struct binding *b, const char *word)
{
    struct nearest near;

    nearest_init(&near, word);
    for (size_t i = 0; i < b->w->jobs.n; i++)
        nearest_offer(&near, b->w->jobs.v[i].id);
    return nearest_best(&near);
}

static int bind_job(
    struct binding *b, struct scenario_event *ev, const char *word, struct err *err)
{
    struct hostexpr_nodes all = {
        .count = (uint32_t)b->w->jobs.n, .name_at = job_id_at, .ctx = (void *)b->w};
    struct hostexpr_hosts found = {0};
    uint32_t id = names_find(b->ids, word);
    struct strbuf whole = {0};
    const char *near;
    int status;

    if (id != NAME_NONE) {
        vec_push(&ev->jobs, id);
        return 0;
    }
    strbuf_printf(&whole, "^(%s)$", word);
    status = hostexpr_match(whole.text, &all, &found, NULL);
    for (size_t i = 0; i < found.order.n; i++)
        vec_push(&ev->jobs, found.order.v[i]);
    hostexpr_hosts_fini(&found);
    free(strbuf_take(&whole));
    if (status == 0)
        return 0;
    near = nearest_job(b, word);
    return err_set(err, ERR_NOT_FOUND, "the workload has no job '%.80s'%s%s%s", word,
        near != NULL ? "; did you mean " : "", near != NULL ? near : "",
        near != NULL ? "?" : "");
}

static int bind_nodes(struct binding *b, struct scenario_event *ev, struct err *err)
{
    struct node_list found = {0};
    struct nearest near;
    int status = reservation_match_hosts(b->c, ev->words.v[0], &found, err);

    for (size_t i = 0; i < found.n; i++)
        vec_push(&ev->nodes, found.v[i]);
    vec_fini(&found);
    if (status == 0)
        return 0;
    nearest_init(&near, ev->words.v[0]);
    for (size_t i = 0; i < b->c->nodes.n; i++)
        nearest_offer(&near, node_at(b->c, i)->name);
    if (nearest_best(&near) == NULL)
        return -1;
    return err_set(err, ERR_NOT_FOUND, "no node matches '%.80s'; did you mean %s?",
        ev->words.v[0], nearest_best(&near));
}

static int bind_qos(struct binding *b, struct scenario_event *ev, struct err *err)
{
    struct nearest near;

    if (cred_find(b->c, CRED_QOS, ev->qos) != NULL)
        return 0;
    nearest_init(&near, ev->qos);
    for (size_t i = 1; i < b->c->creds[CRED_QOS].n; i++)
        nearest_offer(&near, b->c->creds[CRED_QOS].v[i]->name);
    return err_set(err, ERR_NOT_FOUND, "invalid QOS '%.60s'%s%s%s", ev->qos,
        nearest_best(&near) != NULL ? "; did you mean " : "",
        nearest_best(&near) != NULL ? nearest_best(&near) : "",
        nearest_best(&near) != NULL ? "?" : "");
}

static int bind_setres(struct binding *b, struct scenario_event *ev, struct err *err)
{
    struct reservation draft;

    text_list_add(&b->reserved, setres_base(&ev->setres));
    if (rsvdraft_of_setres(b->c, &ev->setres, RSV_ADMIN, &draft, err) < 0)
        return -1;
    reservation_fini(&draft);
    return 0;
}

/* Is `word` the base, or the base and numbers behind it? */
static bool is_named_after(const char *word, const char *base)
{
    size_t len = strlen(base);

    return strncasecmp(word, base, len) == 0
           && (word[len] == '\0'
               || (word[len] == '.'
                   && strspn(word + len, ".0123456789") == strlen(word + len)));
}

/* Its number is known only when it runs, but somebody has to make one of that name. */
static int bind_reservation(struct binding *b, const char *word, struct err *err)
{
    const struct settings *cfg = b->c->cfg;
    struct nearest near;

    nearest_init(&near, word);
    for (size_t i = 0; i < cfg->standing.n; i++) {
        if (is_named_after(word, srcfg_name(&cfg->standing.v[i])))
            return 0;
        nearest_offer(&near, srcfg_name(&cfg->standing.v[i]));
    }
    for (size_t i = 0; i < b->reserved.n; i++) {
        if (is_named_after(word, b->reserved.v[i]))
            return 0;
        nearest_offer(&near, b->reserved.v[i]);
    }
    return err_set(err, ERR_NOT_FOUND,
        "cannot locate reservation '%.60s': no setres before this line and no SRCFG "
        "makes it%s%s%s",
        word, nearest_best(&near) != NULL ? "; did you mean " : "",
        nearest_best(&near) != NULL ? nearest_best(&near) : "",
        nearest_best(&near) != NULL ? "?" : "");
}

static int bind_words(struct binding *b, struct scenario_event *ev,
    int (*each)(struct binding *, struct scenario_event *, const char *, struct err *),
    struct err *err)
{
    for (size_t i = 0; i < ev->words.n; i++)
        if (each(b, ev, ev->words.v[i], err) < 0)
            return -1;
    return 0;
}

static int bind_released(
    struct binding *b, struct scenario_event *ev, const char *word, struct err *err)
{
    (void)ev;
    return bind_reservation(b, word, err);
}

static int bind_event(struct binding *b, struct scenario_event *ev, struct err *err)
{
    switch (ev->command) {
    case SCENARIO_SETRES:
        return bind_setres(b, ev, err);
    case SCENARIO_RELEASERES:
        return bind_words(b, ev, bind_released, err);
    case SCENARIO_SETQOS:
        if (bind_qos(b, ev, err) < 0)
            return -1;
        return bind_words(b, ev, bind_job, err);
    case SCENARIO_SETHOLD:
    case SCENARIO_RELEASEHOLD:
    case SCENARIO_SETSPRI:
    case SCENARIO_CANCELJOB:
        return bind_words(b, ev, bind_job, err);
    case SCENARIO_NODE:
        return bind_nodes(b, ev, err);
    case SCENARIO_ACCOUNT:
    case SCENARIO_DEPOSIT:
    case SCENARIO_CHANGEPARAM:
    case SCENARIO_CONFIG:
    case SCENARIO_COMMANDS:
        break;
    }
    return 0;
}

static struct names *names_of_jobs(const struct workload *w)
{
    struct names *ids = names_create();

    for (size_t i = 0; i < w->jobs.n; i++)
        names_intern(ids, w->jobs.v[i].id);
    return ids;
}

void scenario_bind(struct scenario *s, const struct scenario_world *world,
    const struct scenario_settings *changes, struct diag *d)
{
    static const struct engine_options plain;
    struct binding b = {.s = s, .w = world->w, .d = d};
    struct err err;

    if (s->events.n == 0)
        return;
    b.probe = engine_create(world->cfg, &plain);
    b.c = engine_cluster(b.probe);
    b.ids = names_of_jobs(world->w);
    if (machine_build(
            world->m, b.probe, world->clock.begin_at + world->clock.shift, &err)
        < 0)
        complain(s, &s->events.v[0], err.text, d);
    for (size_t i = 0; i < s->events.n; i++) {
        struct scenario_event *ev = &s->events.v[i];

        if (changes->v[i] != NULL)
            cluster_configure(b.c, changes->v[i]);
        if (bind_event(&b, ev, &err) < 0)
            complain(s, ev, err.text, d);
    }
    engine_destroy(b.probe);
    names_destroy(b.ids);
    text_list_fini(&b.reserved);
}
