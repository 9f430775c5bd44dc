/* SPDX-License-Identifier: Apache-2.0
 * Is what a listing says of something other than before? Its digest is: cheaper to
 * keep than the record, and never written down. */
#ifndef MAUI_RM_ADAPTER_DIGEST_H
#define MAUI_RM_ADAPTER_DIGEST_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DIGEST_START 14695981039346656037u

static inline uint64_t digest_bytes(uint64_t h, const void *data, size_t n)
{
    const unsigned char *p = data;

    for (size_t i = 0; i < n; i++)
        /* clang-tidy does not see the bytes of a larger number.
         * NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult) */
        h = (h ^ p[i]) * 1099511628211u;
    return h;
}

static inline uint64_t digest_text(uint64_t h, const char *text)
{
    return text ? digest_bytes(h, text, strlen(text) + 1) : digest_bytes(h, "\1", 1);
}

#endif
