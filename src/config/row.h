/* SPDX-License-Identifier: Apache-2.0
 * The rows of THE table: everything known about a parameter of maui.cfg, or about
 * an attribute of one of its sections. Parser, defaults, messages, explain and the
 * reference page all come from the rows; nothing else knows a name or a range.
 *
 * To add a parameter: add a row to the table_*.c file of its topic (attrs_*.c for
 * an attribute), with IN_...(field) if the settings have a field for it; then
 * regenerate docs/reference-parameters.md (maui check --parameters markdown). */
#ifndef MAUI_CONFIG_ROW_H
#define MAUI_CONFIG_ROW_H

#include "base/err.h"
#include "config/keyword.h"
#include "config/kinds.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cfg_type {
    CFG_INT,
    CFG_NUMBER, /* decimal fraction */
    CFG_BOOL,
    CFG_TIME,
    CFG_KEYWORD,
    CFG_NAME, /* one word */
    CFG_TEXT, /* the rest of the line */
    CFG_PATH,
    CFG_WORDS, /* list of words, of keywords if the row has some */
    CFG_CREDS, /* list with an optional & or ^ */
    CFG_LIMIT, /* [soft,]hard */
    CFG_FSTARGET,
    CFG_SIZE_MB,
    CFG_GRES, /* name[:count] list */
    CFG_JOBFLAGS,
    CFG_QOSFLAGS,
    CFG_HOSTS,  /* host expression */
    CFG_CUSTOM, /* row->set reads it; row->syntax describes it */
    CFG_SECTION /* ATTR=VALUE pairs */
};

/* What [X] behind a name means. */
enum cfg_index {
    INDEX_OF_NOTHING,
    INDEX_OF_PARTITION, /* own value for a partition */
    INDEX_OF_WEIGHTS,   /* a partition, of which only the global is in force */
    INDEX_OF_STACK,     /* number of a stack of reservations */
    INDEX_OF_QOS,
    INDEX_OF_OBJECT /* number or name of a section */
};

enum cfg_status {
    STATUS_IN_FORCE,
    STATUS_LATER,    /* accepted; nothing reads it yet */
    STATUS_OBSOLETE, /* still understood; `instead` is today's form */
    STATUS_INERT     /* accepted for old files; never had an effect */
};

/* Sections, and what may own attributes. */
enum cfg_object {
    OBJECT_USER,
    OBJECT_GROUP,
    OBJECT_ACCOUNT,
    OBJECT_CLASS,
    OBJECT_QOS,
    OBJECT_SYS,
    OBJECT_NODE,
    OBJECT_SR,
    OBJECT_RM,
    OBJECT_AM,
    OBJECT_SCHED,
    OBJECT_CLIENT,
    OBJECT_PAR,
    OBJECTS
};

/* The struct that the offset of a row counts from. */
enum cfg_home {
    HOME_NOWHERE,
    HOME_SETTINGS,
    HOME_PARTITION, /* struct par_settings */
    HOME_STACK,     /* struct rsv_group */
    HOME_RETRY,     /* rsv_retry_s[X] */
    HOME_CRED,      /* struct cred_cfg */
    HOME_NODE,      /* struct node_cfg */
    HOME_SR,        /* struct sr_cfg */
    HOME_ATTR,      /* old form: attribute `attr` of section `object` */
    HOME_LEGACY,    /* old limit, joined with its companions before use */
    HOME_BY_NAME    /* no field: who needs it asks cfg_get() */
};

/* Type of the field behind the offset; the macros take it from the field. */
enum cfg_store {
    STORE_NONE,
    STORE_INT,
    STORE_NUMBER,
    STORE_BOOL,
    STORE_ENUM,
    STORE_TEXT,
    STORE_LIST,
    STORE_CREDS,
    STORE_GRES,
    STORE_LIMIT,
    STORE_FSTARGET,
    STORE_OTHER /* only a custom row may */
};

/* Which limit an attribute or an old parameter is about. */
enum cfg_dimension { CFG_DIM_ACTIVE, CFG_DIM_IDLE };
enum cfg_part { PART_POLICY, PART_COUNT, PART_SOFT };

/* One value on its way into the settings, for custom rows. */
struct cfg_call {
    const struct cfg_row *row;
    void *base;                /* struct the offset counts from; NULL = check only */
    const char *value;         /* owned by the caller, blanks trimmed */
    const char *bracket;       /* inside of MAXJOB[...], or NULL */
    bool replaces;             /* what accumulates: what was said before is void */
    struct text_list *remarks; /* put warnings here when the value is taken */
};

#define CFG_ALIASES 4

struct cfg_row {
    const char *name, *alias[CFG_ALIASES];
    enum cfg_type type;
    const char *unit;     /* or NULL */
    const char *def;      /* as one would write it; NULL = none */
    const char *syntax;   /* shown for custom rows and instead of keywords, or NULL */
    int64_t min, max;     /* of numbers; equal = any */
    bool negative_is_off; /* -1 is accepted and means 0 */
    bool head_only;       /* KEYWORD[:more], BOOL[:more]: only the head is checked */
    const struct cfg_keyword *keywords; /* ends with a NULL name */
    enum cfg_index index;
    enum cfg_status status;
    const char *instead; /* obsolete: today's form */
    const char *summary;
    enum cfg_home home;
    enum cfg_store store;
    size_t offset;
    int (*set)(struct cfg_call *call, struct err *err);
    /* attributes: the sections that have it, bit per cfg_object */
    uint32_t objects;
    bool brackets;    /* MAXJOB[USER:x] */
    bool accumulates; /* later lines add instead of replacing */
    bool secret;      /* belongs in the private file */
    bool guards;      /* limits somebody, or says who may: never silently left out */
    unsigned arg;     /* for the custom reader */
    /* sections and old forms */
    enum cfg_object object;
    const char *attr; /* also: fixed bracket of MAXJOBPERUSER and the like */
    /* limits */
    enum limit_res res;
    enum cfg_dimension dim;
    enum cred_kind cred;
    enum cfg_part part;
};

struct cfg_group {
    const char *title;
    const struct cfg_row *rows;
    size_t n;
};

/* In a topic file: a group of the rows of an array, and the list of groups. */
#define GROUP(title_, rows_)                                                           \
    {                                                                                  \
        title_, rows_, sizeof(rows_) / sizeof *(rows_)                                 \
    }
#define GROUP_AT(groups, i)                                                            \
    ((i) < sizeof(groups) / sizeof *(groups) ? &(groups)[i] : NULL)

/* ---- writing rows ---------------------------------------------------------------- */

#define STORE_OF(lvalue)                                                               \
    _Generic((lvalue), int64_t                                                         \
             : STORE_INT, double                                                       \
             : STORE_NUMBER, bool                                                      \
             : STORE_BOOL, unsigned                                                    \
             : STORE_ENUM, char *                                                      \
             : STORE_TEXT, struct text_list                                            \
             : STORE_LIST, struct name_list                                            \
             : STORE_CREDS, struct gres_list                                           \
             : STORE_GRES, struct limit                                                \
             : STORE_LIMIT, struct fs_target                                           \
             : STORE_FSTARGET, default                                                 \
             : STORE_OTHER)

#define FIELD_(home_, type, field)                                                     \
    .home = home_, .offset = offsetof(type, field),                                    \
    .store = STORE_OF(((type *)0)->field)
#define IN_SETTINGS(field) FIELD_(HOME_SETTINGS, struct settings, field)
#define BY_NAME            .home = HOME_BY_NAME
#define IN_PAR(field)                                                                  \
    FIELD_(HOME_PARTITION, struct par_settings, field), .index = INDEX_OF_PARTITION
#define IN_CRED(field) FIELD_(HOME_CRED, struct cred_cfg, field)
#define IN_NODE(field) FIELD_(HOME_NODE, struct node_cfg, field)
#define IN_SR(field)   FIELD_(HOME_SR, struct sr_cfg, field)

#define NAMES_1(n)                     .name = n
#define NAMES_2(n, a)                  .name = n, .alias = {a}
#define NAMES_3(n, a, b)               .name = n, .alias = {a, b}
#define NAMES_4(n, a, b, c)            .name = n, .alias = {a, b, c}
#define NAMES_PICK(a, b, c, d, m, ...) m
#define N(...)                                                                         \
    NAMES_PICK(__VA_ARGS__, NAMES_4, NAMES_3, NAMES_2, NAMES_1, 0)(__VA_ARGS__)

#define INT_MANY             INT64_C(1000000000000)
#define INT(u, d, lo, hi)    .type = CFG_INT, .unit = u, .def = d, .min = lo, .max = hi
#define COUNT(u, d)          INT(u, d, 0, INT_MANY)
#define NUMBER(d)            .type = CFG_NUMBER, .def = d
#define NUMBER_IN(d, lo, hi) .type = CFG_NUMBER, .def = d, .min = lo, .max = hi
#define BOOL(d)              .type = CFG_BOOL, .def = d
#define TIME(d)              .type = CFG_TIME, .def = d
#define WORD(d, k)           .type = CFG_KEYWORD, .def = d, .keywords = k
#define WORDS(d, k)          .type = CFG_WORDS, .def = d, .keywords = k
#define NAME(d)              .type = CFG_NAME, .def = d
#define TEXT(d)              .type = CFG_TEXT, .def = d
#define FILE_PATH(d)         .type = CFG_PATH, .def = d
#define CUSTOM(f, d, s)      .type = CFG_CUSTOM, .set = f, .def = d, .syntax = s
#define HELP(text)           .summary = text

#define OLD_FORM(o, a, now)                                                            \
    .type = CFG_TEXT, .home = HOME_ATTR, .object = o, .attr = a,                       \
    .status = STATUS_OBSOLETE, .instead = now
#define SECTION(o)    .type = CFG_SECTION, .object = o, .index = INDEX_OF_OBJECT
#define INDEX(of)     .index = of
#define HEAD_ONLY     .head_only = true
#define OF(mask)      .objects = (mask)
#define BIT_OF(o)     (1u << OBJECT_##o)
#define NEGATIVE_OFF  .negative_is_off = true
#define GUARDS        .guards = true
#define LATER         .status = STATUS_LATER
#define INERT         .status = STATUS_INERT
#define OBSOLETE(now) .status = STATUS_OBSOLETE, .instead = now

#endif
