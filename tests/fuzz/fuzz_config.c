/* SPDX-License-Identifier: Apache-2.0
 * Any text is a configuration: findings, never a crash; and a setting is in force. */
#include "config/config.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct config *c = config_load_text("fuzz.cfg", (const char *)data, size);

    assert(c != NULL && c->settings != NULL);
    for (size_t i = 0; i < c->findings.n; i++)
        assert(c->findings.v[i].text != NULL && c->findings.v[i].line > 0);
    assert(cfg_get(c, "RMPOLLINTERVAL", NULL) != NULL);
    config_destroy(c);
    return 0;
}
