/* SPDX-License-Identifier: Apache-2.0
 * Any text as an answer with records of nodes and jobs, in both forms: nothing crashes,
 * a refusal has a sentence, amounts are in their range. */
#include "rm/wiki/record.h"

#include <assert.h>
#include <pwd.h>
#include <stdint.h>

struct passwd *__wrap_getpwnam(const char *name);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Nobody is known: what is looked up at the machine is not the parser's. */
struct passwd *__wrap_getpwnam(const char *name)
{
    (void)name;
    return NULL;
}

static void read_records(const char *text, size_t size, enum wiki_form form)
{
    struct wiki_record r = {0};
    struct wiki_room room = {0};
    const char *at = text, *record;
    size_t n;

    while (wiki_next(&at, text + size, form, &record, &n)) {
        struct node_desc node;
        struct rm_job job;
        struct err err = {0};

        if (wiki_split(&r, record, n, form, &err) < 0) {
            assert(err.text[0] != '\0');
            continue;
        }
        if (wiki_read_node(&r, &room, &node, &err) == 0)
            for (int i = 0; i < RES_DIMS; i++)
                assert(node.cfg.v[i] >= -1 && node.util.v[i] >= -1);
        else
            assert(err.text[0] != '\0');
        if (wiki_read_job(&r, &room, &job, &err) == 0)
            for (size_t i = 0; i < job.nplaces; i++)
                assert(job.places[i].node != NULL && job.places[i].tasks > 0);
    }
    wiki_record_fini(&r);
    wiki_room_fini(&room);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_records((const char *)data, size, WIKI_REPLY);
    read_records((const char *)data, size, WIKI_BARE);
    read_records((const char *)data, size, WIKI_LINES);
    return 0;
}
