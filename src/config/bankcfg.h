/* SPDX-License-Identifier: Apache-2.0
 * Settings of the bank: AMCFG. */
#ifndef MAUI_CONFIG_BANKCFG_H
#define MAUI_CONFIG_BANKCFG_H

#include "funds/price.h"
#include "funds/week.h"

#include <stdbool.h>
#include <stdint.h>

enum bank_type {
    BANK_NONE,
    BANK_BUILTIN,
    BANK_FILE, /* this one and the next are elsewhere: bank_is_elsewhere() */
    BANK_NATIVE,
    BANK_GOLD,
    BANK_UNKNOWN
};
enum charge_policy {
    CHARGE_WC,        /* dedicated processors x seconds on nodes */
    CHARGE_CPU,       /* processor seconds used */
    CHARGE_PE,        /* processor equivalents x seconds */
    CHARGE_REQUESTED, /* as CHARGE_WC, of the limit */
    CHARGE_SUCCESSFUL =
        8 /* a bit: only jobs that end by themselves or at their limit */
};
enum jf_action { JF_NONE, JF_DEFER, JF_CANCEL };
enum rates_at { RATES_AT_START, RATES_AT_USE };
struct bank_settings {
    char *name; /* of the section, owned; NULL = none */
    enum bank_type type;
    enum charge_policy charge;
    enum jf_action jfaction;
    char *fallback; /* owned or NULL */
    /* of one that is elsewhere; owned or NULL */
    char *server, *host, *backup_host, *key_file;
    int64_t port, timeout_s;
    int64_t flush_s;        /* between debits of jobs that run on; 0 = none */
    int64_t suspend_most_s; /* LIENMAXSUSPEND; 0 = as long as it takes */
    bool defer_on_failure, refund_on_requeue;
    struct price_rates rates;  /* credits a second; none = PROCS:1 */
    struct week_windows times; /* by time of day; none = always the same */
    enum rates_at rates_at;    /* whose rates a run is charged at */
    int64_t node_most; /* the largest NODECFG CHARGERATE, in millionths; 0 = none */
};

#endif
