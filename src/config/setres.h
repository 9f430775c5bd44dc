/* SPDX-License-Identifier: Apache-2.0
 * The words of the setres command, as a record:
 *
 *     setres [options] ALL | TASKS==n | TASKS>=n | <host expression>
 *
 * Options may stand anywhere; the value follows attached or as the next word.
 *
 *     -a -g -q -Q -u LIST   accounts, groups, classes, QOS, users with access
 *     -j LIST               job attributes with access
 *     -s TIME, -e TIME      start (now) and end; -d DURATION wins over -e
 *     -n NAME               name; else the first name with access, else SYSTEM
 *     -r RESOURCES          of a task (PROCS=-1)
 *     -f LIST               node features: a:b both, a|b either
 *     -p PARTITION          -b SUBTYPE
 *     -N SPEC               in one node set: ONEOF:FEATURE:a,b
 *     -R NAME               as SRCFG[NAME] says, where nothing else is said
 *     -t N                  number of tasks within a host list
 *     -x FLAGS  -E          flags; refuse any overlap
 *     -o TYPE:NAME          owner
 *     -c, -A ACCOUNT[,GROUP[,USER]]   who pays for idle resources
 *     -T TRIGGERS
 *
 * Source: reference commands 4 and reservations 11 (documented meanings). Turned into
 * a reservation by cluster/rsvdraft. */
#ifndef MAUI_CONFIG_SETRES_H
#define MAUI_CONFIG_SETRES_H

#include "base/duration.h"
#include "config/policies.h"
#include "config/srcfg.h"
#include "config/texts.h"

/* What was asked for. Texts and lists are owned. */
struct setres {
    char *name;               /* -n, or NULL */
    int64_t start_at, end_at; /* end TIME_NEVER = open */
    struct acl acl;           /* in the order given */
    struct sr_resources per_task;
    struct text_list features; /* a node has all, or one of them */
    bool any_feature;
    struct nodeset_spec nodeset; /* policy NODESET_OFF = none */
    char *subtype, *profile;     /* or NULL */
    char *partition;             /* NULL = any one */
    unsigned owner_kind;         /* enum cred_kind; CRED_KINDS = none */
    char *owner;
    char *charge[3]; /* account, group, user */
    uint32_t flags;  /* enum rsv_flag */
    bool exclusive;
    struct trigger_list triggers;
    char *hosts;         /* host expression, "ALL" for all; NULL = anywhere */
    int64_t tasks;       /* 0 = one a host */
    int64_t least_tasks; /* so many will do; 0 = all of them */
};

/* ---- the attributes of a reservation ---- */

/* How it is written: in records as text, list of texts, number or truth. */
enum setres_value {
    SETRES_TEXT,
    SETRES_LIST,     /* entries can be added and taken away */
    SETRES_INSTANT,  /* seconds since 1970 */
    SETRES_DURATION, /* seconds */
    SETRES_NUMBER,
    SETRES_FLAG
};

/* What of a reservation changes with it. */
enum setres_part {
    SETRES_MADE,  /* it is what was made: never changed */
    SETRES_NOTED, /* nothing but the record of what was asked */
    SETRES_WINDOW,
    SETRES_ACCESS,
    SETRES_PLACES,
    SETRES_TASKS,
    SETRES_FLAGS,
    SETRES_OWNER,
    SETRES_CHARGE,
    SETRES_TRIGGERS,
    SETRES_PARTS
};

struct setres_attr {
    const char *name; /* of a record (ReservationDraft) */
    char letter;      /* of the option of setres, 0 = none */
    enum setres_value value;
    enum setres_part part;
};

/* The i-th, by name; NULL after the last. The one table of them: options of setres,
 * records and changes are read by it. */
const struct setres_attr *setres_attr_at(size_t i);
/* By letter or NULL. */
const struct setres_attr *setres_attr_of(char letter);

/* How times are meant: by the clock of `cal`, except that plain numbers of three digits
 * and more are instants in seconds, to which `plain_offset` is added. */
struct setres_clock {
    const struct calendar *cal;
    int64_t plain_offset;
};

/* A reservation being asked for, attribute by attribute. */
struct setres_reading {
    struct setres *s;
    const struct setres_clock *clock;
    int64_t end_at, duration_s; /* -1 = not given */
};

/* Begin with nothing asked for: now, without an end, whole nodes. `ret` is freed with
 * setres_fini() after setres_end() succeeded, or by whoever gives up. */
void setres_begin(
    struct setres_reading *r, const struct setres_clock *clock, struct setres *ret);
/* An attribute as people write it, or one entry of its list; `text` of a flag is not
 * read. -1 with a sentence. */
int setres_put(struct setres_reading *r, const struct setres_attr *a, const char *text,
    struct err *err);
/* The same of instants, durations and numbers. */
int setres_put_number(
    struct setres_reading *r, const struct setres_attr *a, int64_t n, struct err *err);
/* What follows from all of it. -1 with a sentence: it cannot be. */
int setres_end(struct setres_reading *r, struct err *err);

/* Read the `n` words behind "setres" into *ret, freed with setres_fini() on success. -1
 * with a sentence that names the word; *ret is empty then. */
int setres_parse(const char *const *words, size_t n, const struct setres_clock *clock,
    struct setres *ret, struct err *err);

/* The same check of one instant, for other commands: NOW, +DURATION, a time of the day
 * with or without a date, INFINITY, or seconds. */
int setres_time(const char *text, const struct setres_clock *clock, int64_t *ret_at,
    struct err *err);

void setres_fini(struct setres *s);

/* What the reservation is named after: -n, else the first name with access, else
 * "SYSTEM". Borrowed from `s`. */
const char *setres_base(const struct setres *s);

#endif
