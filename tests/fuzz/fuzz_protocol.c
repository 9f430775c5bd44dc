/* SPDX-License-Identifier: Apache-2.0
 * Any bytes as the answer of a server of the WIKI protocol: frames in bits, sums,
 * answers. Nothing crashes, a refusal has a sentence, memory is not what was announced.
 */
#include "rm/wiki/frame.h"
#include "rm/wiki/reply.h"
#include "rm/wiki/seal.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_payload(const struct seal *s, const char *payload, size_t size)
{
    struct wiki_reply r;
    struct err err = {0};
    const char *message;
    int64_t made_at;
    size_t n;

    if (seal_open(s, payload, size, 1000000000, 0, &message, &n, &made_at, &err) < 0
        || wiki_reply_read(message, n, &r, &err) < 0
        || wiki_reply_records(&r, &err) < 0) {
        assert(err.text[0] != '\0');
        return;
    }
    assert(r.records >= message && r.records + r.records_n <= message + n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct seal none = {SEAL_NONE, ""}, des = {SEAL_DES, "123"};
    const char *bytes = (const char *)data;
    struct frame f = {0};
    struct err err = {0};
    size_t step = size > 0 ? data[0] % 16 + 1u : 1;
    int whole = 0;

    for (size_t at = 0; whole == 0 && at < size; at += step)
        whole = frame_take(&f, bytes + at, size - at < step ? size - at : step, &err);
    assert(whole >= 0 || err.text[0] != '\0');
    if (whole > 0) {
        assert(f.body.len == f.length && f.length <= size);
        read_payload(&none, f.body.text, f.body.len);
    }
    frame_fini(&f);
    read_payload(&none, bytes, size);
    read_payload(&des, bytes, size);
    return 0;
}
