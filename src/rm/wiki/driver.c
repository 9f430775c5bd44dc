/* SPDX-License-Identifier: Apache-2.0
 * The WIKI driver's table: the key is read here, all else is done in its adapter. */
#include "rm/wiki/driver.h"

#include "config/rmpeer.h"
#include "config/settings.h"
#include "rm/remote.h"

#define PATIENCE_S 7200 /* more than connections and the wait for a start can take */

static void add_attribute(
    struct raw_object *section, const char *name, const char *value)
{
    struct raw_attr a = {.name = (char *)name, .value = (char *)value};

    vec_push(&section->attrs, a);
}

static struct rm *wiki_driver_open(const struct rm_cfg *cfg, sd_event *loop,
    const struct rm_sink *sink, struct err *err)
{
    static const char *const programs[2] = {"maui-wiki", NULL};
    struct raw_object section = {0};
    struct rm_cfg told = *cfg;
    struct rmpeer peer;
    struct rm *rm;

    if (rmpeer_read(cfg->settings, cfg->section, &peer, err) < 0)
        return NULL;
    section = *cfg->section;
    vec_copy(&section.attrs, &cfg->section->attrs);
    add_attribute(&section, "CSALGO", peer.algorithm);
    add_attribute(&section, "CSKEY", peer.key != NULL ? peer.key : "");
    told.section = &section;
    rm = remote_open(rm_wiki_driver(), programs, &told, loop, sink, err);
    vec_fini(&section.attrs);
    rmpeer_fini(&peer);
    return rm;
}

/* Limits alone: all else that it has to know of a start is told with that. */
static const struct rm_keeping keeping = {0};

static const struct rm_driver wiki_driver = {
    .keeps = &keeping,
    .type = "WIKI",
    .cannot = 1u << RM_CHECKPOINT,
    .patience_s = PATIENCE_S,
    .open = wiki_driver_open,
    .close = remote_close,
    .command = remote_command,
    .takes_no_jobs = true,
    .submit = remote_submit,
    .poll = remote_poll,
};

const struct rm_driver *rm_wiki_driver(void)
{
    return &wiki_driver;
}
