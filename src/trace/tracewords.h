/* SPDX-License-Identifier: Apache-2.0
 * The words of Maui traces and what they stand for. */
#ifndef MAUI_TRACE_TRACEWORDS_H
#define MAUI_TRACE_TRACEWORDS_H

#include "cluster/taskdef.h"
#include "config/policies.h"

#include <stdint.h>

enum { TF_FLAG_COUNT = 22 }; /* flags of jobs that the format has */

/* Place of a flag in the format's list, which is its bit; -1: there is none. */
int tf_flag_place(const char *name);
const char *tf_flag_name(unsigned place);

/* What the scheduler makes of the flags of a trace: enum job_flag bits, without those
 * that it sets itself. *ret_access is set for NASINGLETASK and NASINGLEJOB. */
uint32_t tf_job_flags(uint32_t mask, enum access_policy *ret_access);

/* The other way: the flags of the format that stand for these. */
uint32_t tf_flags_mask(uint32_t job_flags, enum access_policy access);

/* Is the flag of that name set? False for names that are not of the format. */
bool tf_has_flag(uint32_t mask, const char *name);

/* Values of enumerations; -1: there is no such word. */
int tf_policy_of(const char *word);
const char *tf_policy_word(enum nodeset_policy policy);
int tf_attr_of(const char *word);
const char *tf_attr_word(enum nodeset_attr attr);
int tf_compare_of(const char *word);
const char *tf_compare_word(enum cmp_op op);

#endif
