/* SPDX-License-Identifier: Apache-2.0
 * Node sets as text. */
#include "config/nodesettext.h"

#include "config/value.h"

#include <stdlib.h>

int nodesettext_parse(const char *word, struct nodeset_spec *ret, struct err *err)
{
    static const struct cfg_keyword policies[] = {{"ONEOF", NODESET_ONEOF},
        {"FIRSTOF", NODESET_FIRSTOF}, {"ANYOF", NODESET_ANYOF}, {NULL}};
    static const struct cfg_keyword attrs[] = {{"FEATURE", NODESET_FEATURE},
        {"MEMORY", NODESET_MEMORY}, {"PROCSPEED", NODESET_PROCSPEED},
        {"NETWORK", NODESET_NETWORK}, {NULL}};
    const struct cfg_keyword *policy, *attr;
    char *first = value_next_word(&word, ":"), *second = value_next_word(&word, ":");
    int status = value_keyword(first ? first : "", policies, &policy, err);

    if (status == 0)
        status = value_keyword(second ? second : "", attrs, &attr, err);
    if (status == 0) {
        ret->policy = (enum nodeset_policy)policy->value;
        ret->attr = (enum nodeset_attr)attr->value;
        value_words(word, &ret->list);
    }
    free(first);
    free(second);
    return status;
}
