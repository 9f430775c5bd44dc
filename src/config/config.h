/* SPDX-License-Identifier: Apache-2.0
 * maui.cfg in; typed settings, findings and provenance out.
 *
 * A bad line never stops the others: whatever can be used is in force, and all the
 * rest is a finding with the file and the line it came from. */
#ifndef MAUI_CONFIG_CONFIG_H
#define MAUI_CONFIG_CONFIG_H

#include "base/err.h"
#include "config/kinds.h"
#include "config/texts.h"

#include <stdbool.h>

struct cfg_row;
struct cred_cfg;
struct node_cfg;
struct par_settings;
struct raw_object;
struct settings;
struct table_index;

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

/* ---- a loaded configuration ---------------------------------------------------- */

enum finding_level {
    FINDING_NOTE,    /* good to know */
    FINDING_WARNING, /* something written has no effect, or not the obvious one */
    FINDING_ERROR    /* a value that cannot be used */
};

struct finding {
    const char *file;           /* borrowed from config->files */
    uint32_t file_number, line; /* lines count from 1 */
    uint32_t order;             /* of discovery */
    enum finding_level level;
    char *text;       /* owned; one sentence without file and line */
    const char *rule; /* of config_judge() that found it, or NULL */
};

/* A value that was taken, as written. */
struct cfg_value {
    const struct cfg_row *row;
    char *name; /* owned: "FSDEPTH", "RESERVATIONDEPTH[1]", "USERCFG[ann].MAXJOB" */
    char *text; /* owned; a secret is hidden; of what adds up all, with commas */
    const char *file;
    uint32_t line;
    uint32_t change; /* made at run time that it is of; 0 = the files say so */
};

struct config {
    struct settings *settings;
    struct VEC(struct finding) findings; /* by file, line, order of discovery */
    struct VEC(struct cfg_value) values; /* one a name: the one in force */
    struct text_list files;              /* read, in that order */
    struct VEC(char) text; /* of them all but private ones, with '\n' behind each: gives
                              the same settings again */
    bool private_open;     /* others than its owner may read the private file */
    /* how to find rows and values by name; nobody else's business */
    const struct table_index *table; /* own_table, or an elder's */
    struct table_index *own_table;
    struct names *value_index;
};

#define CONFIG_FILE_MAX (64 * 1024 * 1024) /* bytes of one file */

/* Read a file, what it includes, then the files NAME.cfg of the folder FILE.d
 * (maui.cfg: maui.cfg.d/) by their names, and the private file beside it (maui.cfg:
 * maui-private.cfg), as far as they are there. NULL with ERR_IO when `path` itself
 * cannot be read; everything else is a finding. The caller owns the result. */
struct config *config_load_file(const char *path, struct err *err);

/* Is that file there, or its folder of parts? Then the file may be missing. */
bool config_is_there(const char *path);

/* The same with a text behind all files, as if it stood at their end; `name` is the
 * file of its findings. */
struct config *config_load_file_with(
    const char *path, const char *name, const char *text, size_t len, struct err *err);

/* The same from memory; reads no files. `name` is the file in findings. */
struct config *config_load_text(const char *name, const char *text, size_t len);

/* The same as a private file: only CLIENTCFG counts, secrets are taken. */
struct config *config_load_private_text(const char *name, const char *text, size_t len);

/* Either of the two, while `elder` is in force: findings tell of its values, and names
 * are found with what it has built for that; it has to outlive the result. Halves the
 * cost of a small text. */
struct config *config_load_text_after(const struct config *elder, bool private,
    const char *name, const char *text, size_t len);

void config_destroy(struct config *c);

/* The settings, from now on owned by the caller; c->settings becomes NULL. */
struct settings *config_take_settings(struct config *c);

/* What a configuration is to be used for. */
struct config_use {
    bool simulated;    /* by no resource manager, for people and nodes of a trace */
    const char *nodes; /* --nodes of the daemon, or NULL */
    const char *home; /* folder of the daemon, where programs may be; NULL: not known */
    /* What keeps the web page off: -1 with a sentence, ERR_DENIED where the caller
     * cannot tell. NULL: it is not looked at. */
    int (*look_at_page)(const struct config *c, const char *home, struct err *err);
};

/* Look at it as a whole: add what is wrong with values beside each other to
 * c->findings, and tell whether it can be used. This is the one verdict of `maui
 * check`, `maui sim` and the daemon: -1 with the first error. Once a configuration.
 * Asks the system for users and programs unless it is simulated. */
int config_judge(struct config *c, const struct config_use *use, struct err *err);

/* Does SERVERMODE ask for a simulation? */
bool config_simulates(const struct config *c);

/* The section of the first resource manager, of the first RMCFG; NULL without one. And
 * the last value there of an attribute, or NULL. Of a type: the first of that. */
const struct raw_object *config_manager_section(const struct config *c);
const char *config_manager(const struct config *c, const char *attr);
const char *config_manager_of(
    const struct config *c, const char *type, const char *attr);
/* How many there are, and the section of that name; NULL = none. */
size_t config_managers(const struct config *c);
const struct raw_object *config_manager_named(const struct config *c, const char *name);
/* The last value of an attribute of a section (NULL = none), or NULL. */
const char *config_section_attr(const struct raw_object *section, const char *attr);

/* What sets that full name, as in "USERCFG[ann].MAXJOB", and its text; NULL when it is
 * not set. Borrowed. O(1). */
const struct cfg_value *config_value(const struct config *c, const char *name);
const char *config_text(const struct config *c, const char *name);

/* A value that is another than it was; NULL: it is not set, and has no default. */
typedef void config_told(void *ctx, const char *name, const char *was, const char *is);
/* Tell of all values that differ, in the order of `is`, then those that are set no
 * more. A secret is hidden in both and does not differ. O(values). */
void config_differences(
    const struct config *was, const struct config *is, config_told *told, void *ctx);

/* Of all values as they are written, in whatever order. O(characters). */
uint64_t config_digest(const struct config *c);

/* How many findings of that level there are. */
size_t config_count(const struct config *c, enum finding_level level);

/* Text of a parameter: as written, else its default, else NULL. Any name and case
 * of the parameter; index NULL = none or 0. Good until config_destroy(). */
const char *cfg_get(const struct config *c, const char *name, const char *index);

/* The default of what a value sets; NULL when there is none. */
const char *cfg_value_default(const struct cfg_value *v);

/* "note", "warning", "error" */
const char *finding_level_name(enum finding_level level);

/* ---- texts, from the table ---- */

/* Each setting in force with its value, its default and the line it came from.
 * Owned by the caller. */
char *config_explain(const struct config *c);

/* The reference page of all parameters, as markdown. Owned by the caller. */
char *config_reference(void);

#endif
