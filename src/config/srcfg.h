/* SPDX-License-Identifier: Apache-2.0
 * Standing reservations as configured: SRCFG[name] and the old SR parameters, typed.
 * They are in settings.standing in the order in which the files mention them.
 * Source: reference reservations 5.3, 6.1, 7; parameters 6.5. */
#ifndef MAUI_CONFIG_SRCFG_H
#define MAUI_CONFIG_SRCFG_H

#include "config/acltext.h"
#include "config/texts.h"
#include "config/triggertext.h"

struct settings;

/* Flags of reservations of every kind (bits). */
enum rsv_flag {
    RSV_BYNAME = 1u << 0,       /* only for jobs that name it */
    RSV_OWNERPREEMPT = 1u << 1, /* the owner's jobs may preempt others in it */
    RSV_PREEMPTEE = 1u << 2,    /* a standing one of higher priority may displace it */
    RSV_TIMEFLEX = 1u << 3,
    RSV_SPACEFLEX = 1u << 4,  /* may move to other nodes */
    RSV_SINGLEUSE = 1u << 5,  /* gone when a job that named it ends */
    RSV_FORCE = 1u << 6,      /* placed whatever states and reservations are */
    RSV_BESTEFFORT = 1u << 7, /* fewer tasks than asked will do */
    RSV_DEDICATEDNODE = 1u << 8,
    RSV_DEDICATEDRESOURCE = 1u << 9,
    RSV_ADVRES = 1u << 10,
    RSV_META = 1u << 11,
    RSV_STANDINGRES = 1u << 12,
    RSV_IGNSTATE = 1u << 13,
    RSV_FLEX = 1u << 14, /* who names it may run outside of it as well */
    RSV_OUTLASTED =
        1u << 15, /* of an RM: jobs that begin in it may go on after its end */
    /* of an RM: who names it passes all others of the RM; all but those of that kind */
    RSV_PASSES_ALL = 1u << 16,
    RSV_PASSES_PLAIN = 1u << 17
};

enum sr_period { SR_DAY, SR_WEEK, SR_INFINITY };

/* SHARED: may lie on resources of other reservations. */
enum sr_access { SR_DEDICATED, SR_SHARED };

#define SR_DAYS_ALL 0x7fu /* bit 0 = Sunday ... bit 6 = Saturday */

/* Resources of one task; -1 = all that the node has. */
struct sr_resources {
    int64_t procs, mem_mb, swap_mb, disk_mb;
    struct gres_list gres;
};

/* One standing reservation. Instants within the period are seconds by the clock on
 * the wall since the midnight that began the period (a week begins on Sunday). */
struct sr_cfg {
    char *index;     /* owned: as in the brackets */
    char *name;      /* owned: NAME or SRNAME; NULL = the index */
    unsigned access; /* enum sr_access */
    struct acl acl;
    char *charge_account;      /* owned or NULL */
    unsigned owner_kind;       /* enum cred_kind; CRED_KINDS = no owner */
    char *owner;               /* owned or NULL */
    uint32_t days;             /* bits, bit 0 = Sunday; of PERIOD=DAY */
    unsigned period;           /* enum sr_period */
    int64_t depth;             /* periods, >= 1 */
    int64_t start_s, end_s;    /* start_s < end_s within the period (not SR_INFINITY) */
    int64_t wstart_s, wend_s;  /* old form, -1 = not set; resolved into the two above */
    uint32_t flags;            /* enum rsv_flag */
    char *hosts;               /* owned host expression; NULL = no list */
    struct text_list features; /* owned; every node has all */
    char *partition; /* owned; NULL = not set (one partition), "ALL" = may span */
    int64_t priority;
    struct sr_resources per_task;
    int64_t tasks; /* wanted; 0 = as many as the hosts give */
    int64_t tpn;   /* 0 = any */
    bool time_and; /* TIMELOGIC=AND: resolved into the access list */
    struct trigger_list triggers;
    bool usable; /* false: an error was reported and nothing may be created */
    uint32_t file_number, line; /* of the first mention, for findings; line 0 = none */
};

/* The standing reservation with that index, or NULL. O(number of them). */
struct sr_cfg *srcfg_find(const struct settings *s, const char *index);
/* The same, added with defaults if it is new. The pointer is good until the next is
 * added. */
struct sr_cfg *srcfg_get(struct settings *s, const char *index);

/* The name of its instances: NAME, else the index. */
const char *srcfg_name(const struct sr_cfg *sr);

void srcfg_fini(struct sr_cfg *sr);

/* RESOURCES of SRCFG and of setres -r: names and amounts in turn, separated by = : ;
 * , + or blanks. PROCS MEM SWAP DISK, amounts in MB or with k m g t, -1 or ALL = all;
 * GRES:name[:count]. PROCS left out is 0. Replaces *res. */
int srcfg_resources_parse(const char *text, struct sr_resources *res, struct err *err);
void srcfg_resources_fini(struct sr_resources *res);

/* OWNER of SRCFG and of setres -o: TYPE:NAME. Replaces *owner. */
int srcfg_owner_parse(
    const char *text, unsigned *ret_kind, char **owner, struct err *err);

/* FLAGS of SRCFG and of setres -x. */
int srcfg_flags_parse(const char *text, uint32_t *ret_flags, struct err *err);
/* The name of the lowest bit of `flag`; NULL for none. */
const char *srcfg_flag_name(uint32_t flag);

/* Is there something in it that cannot work: the window empty or outside the period,
 * no hosts and no task count? -1 with a sentence. Resolves wstart_s, wend_s and
 * time_and first. For the loader, at the end. */
int srcfg_finish(struct sr_cfg *sr, struct err *err);

#endif
