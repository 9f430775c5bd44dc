/* SPDX-License-Identifier: Apache-2.0
 * maui.cfg in, typed settings out. */
#ifndef MAUI_CONFIG_CONFIG_H
#define MAUI_CONFIG_CONFIG_H

#include "base/err.h"
#include "config/settings.h"

/* ---- settings ----------------------------------------------------------------- */

/* Settings as they are with an empty maui.cfg: every creds[kind].v[0] is the
 * DEFAULT object, nodes.v[0] NODECFG[DEFAULT], par.v[0] the global set. Owned by
 * the caller. */
struct settings *settings_create(void);
void settings_destroy(struct settings *s);

/* The object of that name, added with nothing set if new. The pointer is good
 * until the next object of its kind is added. */
struct cred_cfg *settings_cred(
    struct settings *s, enum cred_kind kind, const char *name);
struct node_cfg *settings_node(struct settings *s, const char *name);
struct raw_object *settings_raw(struct settings *s, const char *kind, const char *name);
/* A partition's own set begins as a copy of the global one; NULL is the global. */
struct par_settings *settings_par(struct settings *s, const char *name);

/* The object of that name, or NULL. */
struct cred_cfg *settings_find_cred(
    const struct settings *s, enum cred_kind kind, const char *name);
struct node_cfg *settings_find_node(const struct settings *s, const char *name);
struct par_settings *settings_find_par(const struct settings *s, const char *name);

void text_list_add(struct text_list *list, const char *text); /* copies */
void text_list_fini(struct text_list *list);
void gres_list_fini(struct gres_list *list);

#endif
