/* SPDX-License-Identifier: Apache-2.0
 * Whom and when a job's mail is sent to. */
#include "config/mailtext.h"

#include <string.h>

/* Not isalnum(): that depends on the locale. */
static const char usable[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                             "0123456789._+=%-@";

static int check_address(const char *at, size_t len, struct err *err)
{
    const char *sign = memchr(at, '@', len);
    size_t good = strspn(at, usable);

    if (len == 0)
        return err_set(err, ERR_INVALID, "an address is empty");
    if (len > MAILTEXT_BYTES)
        return err_set(err, ERR_INVALID,
            "an address has %zu characters; %d is the most", len, MAILTEXT_BYTES);
    if (good < len)
        return err_set(err, ERR_INVALID,
            "an address has the character 0x%02x at %zu; expected letters, digits and "
            "._+=%%-@",
            (unsigned char)at[good], good + 1);
    if (*at == '-')
        return err_set(err, ERR_INVALID, "'%.*s' begins with a hyphen", (int)len, at);
    if (sign
        && (sign == at || sign + 1 == at + len
            || memchr(sign + 1, '@', len - (size_t)(sign + 1 - at))))
        return err_set(err, ERR_INVALID,
            "'%.*s' is no address; expected USER or USER@HOST", (int)len, at);
    return 0;
}

int mailtext_check_addresses(const char *text, struct err *err)
{
    for (int n = 0;; n++) {
        size_t len = strcspn(text, ",");
        if (n == MAILTEXT_ADDRESSES)
            return err_set(
                err, ERR_INVALID, "at most %d addresses are taken", MAILTEXT_ADDRESSES);
        if (check_address(text, len, err) < 0)
            return -1;
        if (!text[len])
            return 0;
        text += len + 1;
    }
}

int mailtext_check_when(const char *text, struct err *err)
{
    if (strcmp(text, "n") == 0)
        return 0;
    for (const char *c = text; *c || c == text; c++)
        if (!*c || !strchr("abef", *c) || strchr(c + 1, *c))
            return err_set(err, ERR_INVALID,
                "'%.20s': expected letters of a (aborted), b (begun), e (ended), f "
                "(failed), each once, or n for none",
                text);
    return 0;
}

bool mailtext_wants(const char *when, const char *letters)
{
    return when && *when && *when != 'n' && strpbrk(when, letters);
}
