/* SPDX-License-Identifier: Apache-2.0
 * Values of maui.cfg: text in, numbers, lists and limits out. Pure. All return 0,
 * or -1 with a sentence in *err that quotes the text and says what was expected;
 * then nothing was written. */
#ifndef MAUI_CONFIG_VALUE_H
#define MAUI_CONFIG_VALUE_H

#include "base/err.h"
#include "config/credcfg.h"
#include "config/row.h"
#include "config/texts.h"

#define VALUE_SEPARATORS ",:;| \t\n"

/* Decimal only. low == high: any. */
int value_int(
    const char *text, int64_t low, int64_t high, int64_t *ret, struct err *err);
int value_number(
    const char *text, double low, double high, double *ret, struct err *err);

/* TRUE ON YES 1, FALSE OFF NO 0, any case. */
int value_bool(const char *text, bool *ret, struct err *err);

/* Any case. The error names all words and the nearest. */
int value_keyword(const char *text, const struct cfg_keyword *words,
    const struct cfg_keyword **ret, struct err *err);

/* A duration, or -1 when `negative` is given. */
int value_time(const char *text, bool negative, int64_t *ret, struct err *err);

/* `[soft,]hard`. One number sets both; a soft limit that is missing or looser than
 * the hard one becomes the hard one; below 0 is -1, no limit at all. */
int value_limit(const char *text, bool is_time, struct limit *ret, struct err *err);

/* Number with + - ^ or % behind it; 0 is no target. */
int value_fstarget(const char *text, struct fs_target *ret, struct err *err);

/* MB, or a number with k, m, g or t (and b) behind it. Rounded up. */
int value_size_mb(const char *text, int64_t *ret, struct err *err);

/* Virtual nodes: N, or NxP for N nodes of P processors; *ret_procs is 0 for the former.
 * value_node_name() writes the name of the i-th of `count`, from 1: node01. */
int value_nodes(
    const char *text, int64_t *ret_count, int64_t *ret_procs, struct err *err);
void value_node_name(int64_t i, int64_t count, char *buf, size_t size);

/* The next word of *text, owned by the caller, stepping over it; NULL at the end. */
char *value_next_word(const char **text, const char *separators);

/* Replace a list by the words of the text. */
void value_words(const char *text, struct text_list *list);

/* QLIST and PLIST: names, and & or ^ anywhere. 4-8 stands for 4 5 6 7 8. */
int value_creds(const char *text, struct name_list *list, struct err *err);

/* Replace a list by the `name[:count]` of the text; a missing count is
 * `count_alone`. Words are separated by blanks , : ; | + [ and ]. */
int value_gres(
    const char *text, int64_t count_alone, struct gres_list *list, struct err *err);

#endif
