/* SPDX-License-Identifier: Apache-2.0
 * Any bytes as maui.cfg, and as the private file: nothing crashes, every finding has
 * a line within the text. */
#include "config/config.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct config *c, const uint8_t *data, size_t size)
{
    size_t lines = 1;

    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    for (size_t i = 0; i < c->findings.n; i++) {
        assert(c->findings.v[i].line >= 1 && c->findings.v[i].line <= lines);
        assert(c->findings.v[i].text[0] != '\0');
    }
    assert(c->settings != NULL && cfg_get(c, "RMPOLLINTERVAL", NULL) != NULL);
    free(config_explain(c));
    config_destroy(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check(config_load_text("fuzz.cfg", (const char *)data, size), data, size);
    /* Loading anew costs most; the private file has one kind of line only. */
    if (size > 0 && *data == 'C')
        check(config_load_private_text("fuzz-private.cfg", (const char *)data, size),
            data, size);
    return 0;
}
