/* SPDX-License-Identifier: Apache-2.0
 * What a resource manager brings along: where its users expect it, another value holds
 * than else by default. It is said as if it stood on the line of RMCFG. */
#include "base/xalloc.h"
#include "config/loader.h"

#include <string.h>
#include <strings.h>

static const struct {
    const char *type, *name, *value;
} brought[] = {
    /* Weight= of nodes, then where the job fits best, as users of Slurm see it */
    {"SLURM", "NODEALLOCATIONPOLICY", "TIGHTEST"},
    /* heterogeneous jobs */
    {"SLURM", "ENABLEMULTIREQJOBS", "TRUE"},
    {"PBS", "ENABLEMULTIREQJOBS", "TRUE"},
    /* slots count; against load there are load_thresholds of queues */
    {"SGE", "NODEAVAILABILITYPOLICY", "DEDICATED"},
};

static bool is_of_type(const struct entry *e, const char *type)
{
    struct grammar_pairs pairs;
    struct grammar_pair pair;
    bool found = false;

    if (e->row->type != CFG_SECTION || e->row->object != OBJECT_RM)
        return false;
    grammar_pairs_init(&pairs, e->line.value);
    while (grammar_pairs_next(&pairs, &pair)) {
        found |= pair.value != NULL && strcasecmp(pair.name, "TYPE") == 0
                 && strcasecmp(pair.value, type) == 0;
        grammar_pair_fini(&pair);
    }
    return found;
}

static const struct entry *find_manager(const struct loader *l, const char *type)
{
    for (size_t i = 0; i < l->entries.n; i++)
        if (is_of_type(&l->entries.v[i], type))
            return &l->entries.v[i];
    return NULL;
}

static bool is_said(const struct loader *l, const struct cfg_row *row)
{
    for (size_t i = 0; i < l->entries.n; i++) {
        if (l->entries.v[i].row == row && cfg_is_global(l->entries.v[i].line.index))
            return true;
    }
    return false;
}

void load_managed(struct loader *l)
{
    for (size_t i = 0; i < sizeof brought / sizeof brought[0]; i++) {
        const struct cfg_row *row = table_find(l->config->table, brought[i].name);
        const struct entry *rm = find_manager(l, brought[i].type);
        struct entry e;

        if (rm == NULL || is_said(l, row))
            continue;
        e = (struct entry){.row = row,
            .line = {.kind = GRAMMAR_SETTING,
                .line = rm->line.line,
                .value_line = rm->line.line,
                .name = xstrdup(brought[i].name),
                .value = xstrdup(brought[i].value)},
            .file = rm->file,
            .file_number = rm->file_number,
            .sequence = (uint32_t)l->entries.n,
            .phase = 1};
        vec_push(&l->entries, e);
    }
}
