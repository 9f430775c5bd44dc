/* SPDX-License-Identifier: Apache-2.0
 * The adapter to Slurm without its loop, in front of a scontrol that always says the
 * same. */
#ifndef MAUI_TESTS_FAKE_SCONTROL_H
#define MAUI_TESTS_FAKE_SCONTROL_H

#include "rm/slurm/adapter.h"

/* There is one, as there is one adapter in a process. */
struct fake_scontrol {
    const char *text;                        /* its answer to whatever it is asked */
    const char *secret;                      /* before each instant; NULL = "~" */
    const char *listing, *columns;           /* of squeue */
    bool refuses;                            /* orders, with that text */
    void (*tell)(const struct rm_report *r); /* gets what the adapter tells */
    void (*hears)(const char *command);      /* of an order, as Slurm would; or NULL */
    int configs;                             /* how often it was asked for those */
    struct strbuf ran;                       /* programs, a line each */
    struct strbuf ordered;                   /* commands to the one that lives on */
    int64_t now_ms;                          /* goes on by 10 s each time it is asked */
};
struct fake_scontrol *fake_scontrol(void);

/* Nodes, reservations and jobs, all of them. */
void fake_scontrol_look(struct adapter *a);
void fake_scontrol_end(struct adapter *a);

#endif
