/* SPDX-License-Identifier: Apache-2.0
 * What the tests of the configuration share. */
#ifndef MAUI_TESTS_CONFIG_KIT_H
#define MAUI_TESTS_CONFIG_KIT_H

#include "config/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static inline struct config *load(const char *text)
{
    return config_load_text("maui.cfg", text, strlen(text));
}

/* Is there a finding of that level and line whose text holds `part`? */
static inline bool told(
    const struct config *c, enum finding_level level, uint32_t line, const char *part)
{
    for (size_t i = 0; i < c->findings.n; i++) {
        const struct finding *f = &c->findings.v[i];

        if (f->level == level && f->line == line && strstr(f->text, part) != NULL)
            return true;
    }
    return false;
}

static inline void print_findings(const struct config *c)
{
    for (size_t i = 0; i < c->findings.n; i++)
        print_message("%s:%u: %s: %s\n", c->findings.v[i].file, c->findings.v[i].line,
            finding_level_name(c->findings.v[i].level), c->findings.v[i].text);
}

#define assert_told(c, level, line, part)                                              \
    do {                                                                               \
        if (!told(c, level, line, part)) {                                             \
            print_findings(c);                                                         \
            fail_msg("line %d: nothing says '%s'", line, part);                        \
        }                                                                              \
    } while (0)

/* Nothing worse than a note. */
static inline void assert_clean(const struct config *c)
{
    if (config_count(c, FINDING_ERROR) + config_count(c, FINDING_WARNING) > 0) {
        print_findings(c);
        fail_msg("findings in a configuration that is right");
    }
}

#endif
