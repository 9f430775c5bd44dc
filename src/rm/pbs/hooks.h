/* SPDX-License-Identifier: Apache-2.0
 * What `maui pbs` tells a server by qmgr: settings, and the hooks of OpenPBS. */
#ifndef MAUI_RM_PBS_HOOKS_H
#define MAUI_RM_PBS_HOOKS_H

#include <stdbool.h>

/* What `maui pbs` was told on its command line, and where it leads. */
struct pbs_site {
    char *home, *manager;           /* owned; manager: the name of its RMCFG */
    char *heartbeat, *wake, *saved; /* owned */
    const char *open_after;
    bool dry, undo, fallback;
    bool torque;
};

/* The answer of `qmgr -c LINE`, owned; NULL: it was refused, which is told. */
char *qmgr_ask(const char *line);
/* Tell a step, and do it. -1: it was refused, which is told. */
int qmgr_change(const struct pbs_site *s, const char *line, const char *why);
/* "NAME = value" in what it prints: is that True? */
bool qmgr_is_true(const char *text, const char *name);

/* They are two: that of starts comes first. */
enum pbs_hook { HOOK_GATE, HOOK_WAKE, HOOKS };

/* Its text, owned. */
char *hook_make(const struct pbs_site *s, enum pbs_hook h);
/* 1: it is there, 0: it is not; -1: only root on the server's host sees hooks; told. */
int hook_is_there(enum pbs_hook h);
/* -1: refused, told. */
int hook_put(const struct pbs_site *s, enum pbs_hook h);
int hook_disable(const struct pbs_site *s, enum pbs_hook h);
int hook_delete(const struct pbs_site *s, enum pbs_hook h);
/* What is there: is it switched on, and is it the text of hook_make()? */
struct hook_state {
    bool enabled, current;
};
struct hook_state hook_look(const struct pbs_site *s, enum pbs_hook h);

#endif
