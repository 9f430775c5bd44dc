/* SPDX-License-Identifier: Apache-2.0
 * What the files that load a configuration share. Loading has two steps: all lines
 * of all files become entries; the entries are then put in force in the order of
 * their phases, so that position in the file does not matter between them. */
#ifndef MAUI_CONFIG_LOADER_H
#define MAUI_CONFIG_LOADER_H

#include "config/config.h"
#include "config/grammar.h"
#include "config/row.h"
#include "config/table.h"

struct entry {
    const struct cfg_row *row;
    struct grammar_line line; /* owned */
    const char *file;
    uint32_t file_number, sequence;
    uint32_t change; /* made at run time: which, from 1; 0 = none */
    int phase;
};

/* Where a value stands. */
struct place {
    const char *file;
    uint32_t file_number, line;
};

/* The up to three parameters of one old limit. */
struct old_limit {
    bool has_policy, policy, has_count, has_soft;
    struct limit count;
    int64_t soft;
    struct place place; /* of the last of them */
};

/* An #INCLUDE and where it stands. */
struct wanted {
    char *file; /* owned */
    struct place place;
};
struct wanted_list VEC(struct wanted);

struct loader {
    struct config *config;
    const struct config *elder; /* what is in force while this is read, or NULL */
    struct VEC(struct entry) entries;
    struct old_limit old[CRED_KINDS][LIMIT_RES_COUNT][2];
    struct text_list closed;      /* standing reservations of which an access rule
                                     cannot be read */
    char *bank;                   /* index of the first AMCFG, or NULL */
    bool private;                 /* reading a private file */
    uint32_t change;              /* that is read or put in force; see struct entry */
    struct wanted_list *includes; /* files to read, or NULL: do not follow */
};

void loader_report(struct loader *l, const struct place *at, enum finding_level level,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Put the findings in the order of config.h. */
void loader_sort(struct config *c);

/* Note that `name` was taken from there; tells about an earlier line it replaces. What
 * accumulates is noted with all that is in force, as one list. */
void loader_record(struct loader *l, const struct place *at, const struct cfg_row *row,
    const char *name, const char *text);

/* Tell what the status of a row means for its user. */
void loader_report_status(struct loader *l, const struct place *at,
    const struct cfg_row *row, const char *what);

/* Put call->value in force at call->base; reports, and records it as `name`. -1 when
 * it is unusable. */
int loader_apply(
    struct loader *l, const struct place *at, struct cfg_call *call, const char *name);

/* Entries of what the resource manager of this configuration brings along, unless it is
 * said otherwise. To be called when all lines are entries. */
void load_managed(struct loader *l);

/* A parameter, a section; and an attribute of a section by itself. */
void load_parameter(struct loader *l, const struct entry *e);
void load_section(struct loader *l, const struct entry *e);
void load_attribute(struct loader *l, const struct place *at, enum cfg_object object,
    const char *index, const struct grammar_pair *pair);

/* An attribute of SCHEDCFG, put in force as the parameter that says the same. */
void load_scheduler(struct loader *l, const struct place *at, const struct cfg_row *row,
    const char *value);

/* Keep an old limit for load_old_limits(), which puts all of them in force. */
void load_old_limit(struct loader *l, const struct entry *e, const char *value);
void load_old_limits(struct loader *l);

/* An attribute of the standing reservation `index` cannot be read, and may have been an
 * access rule: tell so, and let load_standing() close it for everybody. `near` is what
 * may have been meant, or NULL. */
void loader_close(struct loader *l, const struct place *at, const char *index,
    const char *attr, const char *near);

/* Check each standing reservation as a whole, when all that is said of it is known. */
void load_standing(struct loader *l);

#endif
