/* SPDX-License-Identifier: Apache-2.0
 * Values of standing reservations: the first byte says which. A text that is refused
 * adds nothing; a trigger that is shown reads back as itself. */
#include "config/config.h"
#include "config/srcfg.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void access_list(enum acl_type type, const char *text)
{
    struct acl acl = {0}, copy;
    struct err err = {0};
    char *shown;

    if (acltext_parse(type, text, &acl, &err) < 0)
        assert(acl.entries.n == 0 && err.text[0] != '\0');
    for (size_t i = 0; i < acl.entries.n; i++)
        assert(acl.entries.v[i].type == type && acl.entries.v[i].value >= 0);
    copy = acltext_copy(&acl);
    shown = acltext_format(&copy);
    assert((acl.entries.n == 0) == (*shown == '\0'));
    acltext_drop(&copy, type);
    assert(copy.entries.n == 0);
    free(shown);
    acltext_fini(&copy);
    acltext_fini(&acl);
}

static void check_trigger(const struct trigger *t)
{
    struct trigger_list again = {0};
    size_t size = (size_t)triggertext_format(t, NULL, 0) + 1;
    char *shown = malloc(size);

    assert(shown != NULL);
    triggertext_format(t, shown, size);
    assert(triggertext_parse(shown, &again, NULL) == 0 && again.n == 1);
    assert(again.v[0].event == t->event && again.v[0].action == t->action);
    assert(again.v[0].offset_s == t->offset_s);
    assert((again.v[0].data == NULL) == (t->data == NULL));
    assert(t->data == NULL || strcmp(again.v[0].data, t->data) == 0);
    free(shown);
    triggertext_fini(&again);
}

static void triggers(const char *text)
{
    struct trigger_list list = {0};
    struct err err = {0};

    if (triggertext_parse(text, &list, &err) < 0)
        assert(list.n == 0 && err.text[0] != '\0');
    for (size_t i = 0; i < list.n; i++)
        check_trigger(&list.v[i]);
    triggertext_fini(&list);
}

static void resources(const char *text)
{
    struct sr_resources res = {0};
    struct err err = {0};

    if (srcfg_resources_parse(text, &res, &err) == 0)
        assert(res.procs >= -1 && res.mem_mb >= -1 && res.swap_mb >= -1
               && res.disk_mb >= -1);
    else
        assert(err.text[0] != '\0');
    srcfg_resources_fini(&res);
}

static void flags(const char *text)
{
    struct err err = {0};
    uint32_t bits = 0;

    if (srcfg_flags_parse(text, &bits, &err) < 0)
        assert(err.text[0] != '\0');
    for (; bits != 0; bits &= bits - 1)
        assert(srcfg_flag_name(bits) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text;
    int what;

    if (size == 0)
        return 0;
    text = xstrndup((const char *)data + 1, size - 1);
    what = *data - 'a';
    if (what >= 0 && what < ACL_TYPES)
        access_list((enum acl_type)what, text);
    else if (*data == 't')
        triggers(text);
    else if (*data == 'r')
        resources(text);
    else
        flags(text);
    free(text);
    return 0;
}
