/* SPDX-License-Identifier: Apache-2.0
 * Putting the text of a value where its row says. */
#ifndef MAUI_CONFIG_SET_H
#define MAUI_CONFIG_SET_H

#include "config/row.h"

/* Read call->value as the row demands and put it behind call->base (check it only
 * when base is NULL). -1: the value is unusable and nothing was changed. Warnings
 * about a value that was taken go to call->remarks. */
int row_set(struct cfg_call *call, struct err *err);

/* Custom rows; only the tables name these. */
int set_word_bits(struct cfg_call *call, struct err *err);
int set_purge_time(struct cfg_call *call, struct err *err);
int set_default_classes(struct cfg_call *call, struct err *err);
int set_fs_policy(struct cfg_call *call, struct err *err);
int set_match_policy(struct cfg_call *call, struct err *err);
int set_use_syslog(struct cfg_call *call, struct err *err);
int set_resource_limit(struct cfg_call *call, struct err *err);
int set_backfill_type(struct cfg_call *call, struct err *err);
int set_horizon(struct cfg_call *call, struct err *err);
int set_wclimit_default(struct cfg_call *call, struct err *err);
int set_avail_policy(struct cfg_call *call, struct err *err);
int set_stack_qos(struct cfg_call *call, struct err *err);
int set_default_name(struct cfg_call *call, struct err *err);
int set_node_weight(struct cfg_call *call, struct err *err);
int set_node_priority(struct cfg_call *call, struct err *err);
int set_priorityf(struct cfg_call *call, struct err *err);
int set_node_charge_rate(struct cfg_call *call, struct err *err);
int set_speed(struct cfg_call *call, struct err *err);
int set_frame(struct cfg_call *call, struct err *err);
int set_maxpe(struct cfg_call *call, struct err *err);
int set_sr_access_list(struct cfg_call *call, struct err *err);
int set_sr_owner(struct cfg_call *call, struct err *err);
int set_am_rates(struct cfg_call *call, struct err *err);
int set_am_times(struct cfg_call *call, struct err *err);
int set_charge_rate(struct cfg_call *call, struct err *err);
int set_sr_resources(struct cfg_call *call, struct err *err);
int set_sr_days(struct cfg_call *call, struct err *err);
int set_sr_flags(struct cfg_call *call, struct err *err);
int set_sr_depth(struct cfg_call *call, struct err *err);
int set_sr_logic(struct cfg_call *call, struct err *err);
int set_rm_nodes(struct cfg_call *call, struct err *err);
int set_sr_triggers(struct cfg_call *call, struct err *err);

/* For custom rows: add a warning. */
void cfg_remark(struct cfg_call *call, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
