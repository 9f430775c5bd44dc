/* SPDX-License-Identifier: Apache-2.0
 * Job flags and QOS flags as words. Words are separated by , : ; | + or blanks
 * and compared whole, without regard to case. */
#ifndef MAUI_CONFIG_FLAGS_H
#define MAUI_CONFIG_FLAGS_H

#include "base/err.h"
#include "config/kinds.h"
#include "config/texts.h"

#include <stddef.h>

struct cred_cfg;

/* The bits of a job FLAGS value. Words after ADVRES that are no flags are names
 * of reservations (ADVRES:res1) and, with HOSTLIST=h1:h2, hosts: skipped here. An
 * unknown word gives -1 and a sentence with the nearest flag; *ret_flags then
 * still holds the others. */
int job_flags_parse(const char *text, uint32_t *ret_flags, struct err *err);

/* The same, and the names found after ADVRES and HOSTLIST are added to the lists
 * (either may be NULL). */
int job_flags_parse_names(const char *text, uint32_t *ret_flags,
    struct text_list *reservations, struct text_list *hosts, struct err *err);

/* The name of the lowest bit of `flag`; NULL for none of them. */
const char *job_flag_name(uint32_t flag);

/* Put a QFLAGS value into a QOS: replaces qos_flags, job_flags, use_reserved and
 * the ignore_* sets. An unknown word gives -1 as above, the others count. */
int qos_flags_parse(const char *text, struct cred_cfg *into, struct err *err);

/* The name of the lowest bit of `flag` (enum qos_flag); NULL for none. */
const char *qos_flag_name(uint32_t flag);

/* The i-th word of either kind that the file may use, NULL after the last. */
const char *job_flag_word(size_t i);
const char *qos_flag_word(size_t i);

#endif
