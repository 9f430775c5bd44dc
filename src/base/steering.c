/* SPDX-License-Identifier: Apache-2.0
 * What steers a terminal. */
#include "base/steering.h"

#include <string.h>

size_t steering_bytes(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;

    if (*c < ' ' || *c == 0x7f)
        return *c != 0;
    if (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0)
        return 2;
    if (*c != 0xe2 || (c[1] != 0x80 && c[1] != 0x81))
        return 0;
    if (c[1] == 0x81)
        return c[2] >= 0xa6 && c[2] <= 0xa9 ? 3 : 0;
    return c[2] == 0x8e || c[2] == 0x8f || (c[2] >= 0xa8 && c[2] <= 0xae) ? 3 : 0;
}

const char *steering_find(const char *text)
{
    for (; *text; text++)
        if (steering_bytes(text))
            return text;
    return NULL;
}

void steering_replace(char *io_text)
{
    for (const char *bad; (bad = steering_find(io_text)) != NULL;)
        memset(io_text + (bad - io_text), '?', steering_bytes(bad));
}
