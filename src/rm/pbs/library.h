/* SPDX-License-Identifier: Apache-2.0
 * The documented calls of OpenPBS's client library (pbs_connect(3B) and its kin), found
 * when the program runs: it is neither needed nor looked for when this is built. */
#ifndef MAUI_RM_PBS_LIBRARY_H
#define MAUI_RM_PBS_LIBRARY_H

#include "base/err.h"

/* How an attribute is given, and what with it is to be done; or compared. */
enum pbs_op { PBS_SET, PBS_AT_LEAST = 6 };

struct pbs_attribute {
    struct pbs_attribute *next;
    char *name, *resource, *value; /* resource: NULL, or "ncpus" of Resource_List */
    enum pbs_op op;
};

/* What a question is answered by: a job, a vnode, a queue. */
struct pbs_status {
    struct pbs_status *next;
    char *name;
    struct pbs_attribute *attributes;
    char *text;
};

/* Its functions; most give 0, or the number of an error, which error() has too. */
struct pbs_library {
    int (*connect)(const char *server);
    int (*disconnect)(int line);
    const char *(*message)(int line); /* of the last error there; or NULL */
    int *(*error)(void);
    char *(*words)(int error); /* what an error means; NULL where it cannot tell */
    struct pbs_status *(*jobs)(int line, const char *ids,
        const struct pbs_attribute *wanted, const char *extend);
    /* those that the attributes hold for */
    struct pbs_status *(*choose)(int line, const struct pbs_attribute *that,
        const struct pbs_attribute *wanted, const char *extend);
    struct pbs_status *(*nodes)(int line, const char *name,
        const struct pbs_attribute *wanted, const char *extend);
    struct pbs_status *(*queues)(int line, const char *name,
        const struct pbs_attribute *wanted, const char *extend);
    void (*release)(struct pbs_status *status);
    int (*run)(int line, const char *id, const char *where, const char *extend);
    int (*alter)(
        int line, const char *id, struct pbs_attribute *changes, const char *extend);
    int (*hold)(int line, const char *id, const char *kinds, const char *extend);
    int (*unhold)(int line, const char *id, const char *kinds, const char *extend);
    int (*remove)(int line, const char *id, const char *extend);
    int (*send_signal)(int line, const char *id, const char *name, const char *extend);
    int (*rerun)(int line, const char *id, const char *extend);
};

/* Where it lies: in PBS_EXEC of pbs.conf. Owned; NULL with an error: PBS's settings are
 * not there. */
char *pbs_library_path(struct err *err);
/* It is loaded, and stays until the program ends. -1 with an error: it
 * is not there, or not that library. */
int pbs_library_open(struct pbs_library *ret, struct err *err);

#endif
