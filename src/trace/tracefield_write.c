/* SPDX-License-Identifier: Apache-2.0
 * Writing the fields of Maui traces. */
#include "base/timeval.h"
#include "trace/tracefield.h"
#include "trace/tracewords.h"

#include <inttypes.h>

static void put_text(FILE *out, const char *text)
{
    fputs(text != NULL ? text : TRACE_NONE, out);
}

static void put_list(
    FILE *out, const char *const *list, const char *before, const char *after)
{
    if (list == NULL) {
        fputs(TRACE_NONE, out);
        return;
    }
    for (size_t i = 0; list[i] != NULL; i++)
        fprintf(out, "%s%s%s", i > 0 || after[0] != '\0' ? before : "", list[i], after);
}

static void put_classes(FILE *out, const struct gres_cfg *list)
{
    if (list == NULL)
        fputs(TRACE_NONE, out);
    else
        for (; list->name != NULL; list++)
            fprintf(out, "[%s:%" PRId64 "]", list->name, list->count);
}

static void put_choice(FILE *out, const struct tf_choice *c)
{
    if (c->text != NULL)
        fputs(c->text, out);
    else
        fprintf(out, "%" PRId64, c->first >= DURATION_UNLIMITED ? -1 : c->first);
}

static void put_pair(FILE *out, const struct tf_pair *p)
{
    put_text(out, p->first);
    if (p->second != NULL)
        fprintf(out, ":%s", p->second);
}

static void put_flags(FILE *out, const struct tf_flags *f)
{
    if (f->mask == 0 && f->attributes == NULL)
        fputs(TRACE_NONE, out);
    for (unsigned i = 0; i < TF_FLAG_COUNT; i++)
        if (f->mask >> i & 1)
            fprintf(out, "[%s]", tf_flag_name(i));
    for (size_t i = 0; f->attributes != NULL && f->attributes[i] != NULL; i++)
        fprintf(out, "[JATTR:%s]", f->attributes[i]);
}

static void put_nodeset(FILE *out, const struct nodeset_spec *set)
{
    if (set == NULL) {
        fputs(TRACE_NONE, out);
        return;
    }
    fprintf(out, "%s:%s", tf_policy_word(set->policy), tf_attr_word(set->attr));
    for (size_t i = 0; i < set->list.n; i++)
        fprintf(out, ":%s", set->list.v[i]);
}

void tf_format(const struct tf_row *row, const void *record, FILE *out)
{
    const void *at = (const char *)record + row->offset;

    switch (row->kind) {
    case TF_TEXT:
    case TF_OPTIONAL:
    case TF_OPTIONAL0:
        put_text(out, *(const char *const *)at);
        break;
    case TF_NUMBER:
        fprintf(out, "%" PRId64, *(const int64_t *)at);
        break;
    case TF_MB:
        fprintf(out, "%" PRId64 "M", *(const int64_t *)at);
        break;
    case TF_REAL:
        fprintf(out, "%.2f", *(const double *)at);
        break;
    case TF_WORD:
        fputs(row->words[*(const int *)at], out);
        break;
    case TF_COMPARE:
        fputs(tf_compare_word(*(const enum cmp_op *)at), out);
        break;
    case TF_BRACKETS:
        put_list(out, *(const char *const *const *)at, "[", "]");
        break;
    case TF_COLONS:
        put_list(out, *(const char *const *const *)at, ":", "");
        break;
    case TF_CLASSES:
        put_classes(out, *(const struct gres_cfg *const *)at);
        break;
    case TF_LIMIT:
    case TF_TASKS:
        put_choice(out, at);
        break;
    case TF_PAIR:
        put_pair(out, at);
        break;
    case TF_FLAGS:
        put_flags(out, at);
        break;
    case TF_NODESET:
        put_nodeset(out, *(const struct nodeset_spec *const *)at);
        break;
    }
}
