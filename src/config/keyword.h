/* SPDX-License-Identifier: Apache-2.0
 * A word and what it stands for; lists of them end with a NULL name. */
#ifndef MAUI_CONFIG_KEYWORD_H
#define MAUI_CONFIG_KEYWORD_H

struct cfg_keyword {
    const char *name;
    unsigned value;
    const char *remark; /* told to the user when the word is used, or NULL */
};

#endif
