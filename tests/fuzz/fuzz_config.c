/* SPDX-License-Identifier: Apache-2.0
 * Any bytes as maui.cfg, behind #P as the private file: nothing crashes, every finding
 * has a line within the text. */
#include "config/config.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct config *c, const uint8_t *data, size_t size)
{
    static const struct config_use uses[] = {{.simulated = true}, {.nodes = "4x2"}};
    size_t lines = 1;
    struct err err;

    /* One that asks the system for people and programs is looked at now and then. */
    config_judge(c, &uses[size % 64 == 1], &err);
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    for (size_t i = 0; i < c->findings.n; i++) {
        assert(c->findings.v[i].line >= 1 && c->findings.v[i].line <= lines);
        assert(c->findings.v[i].text[0] != '\0');
    }
    assert(c->settings != NULL && cfg_get(c, "RMPOLLINTERVAL", NULL) != NULL);
    if (size % 8 == 0) /* it costs as much as all the rest */
        free(config_explain(c));
    config_destroy(c);
}

/* Lives as long as the program: knows the names, which is half the work. */
static const struct config *elder(void)
{
    static struct config *empty;

    if (empty == NULL)
        empty = config_load_text("empty.cfg", "", 0);
    return empty;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    bool private = size > 2 && memcmp(text, "#P", 2) == 0;

    check(config_load_text_after(elder(), private, "fuzz.cfg", text, size), data, size);
    return 0;
}
