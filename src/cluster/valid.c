/* SPDX-License-Identifier: Apache-2.0
 * Checks of what comes from outside, with sentences. */
#include "base/nearest.h"
#include "cluster/private.h"

int name_check(const char *what, const char *name, struct err *err)
{
    if (!name || !*name)
        return err_set(err, ERR_INVALID, "%s without a name", what);
    if (strlen(name) > NAME_MAX_BYTES)
        return err_set(err, ERR_INVALID, "%s name '%.40s...' is longer than %d bytes",
            what, name, NAME_MAX_BYTES);
    for (const char *p = name; *p; p++)
        if ((unsigned char)*p <= ' ' || *p == 0x7f)
            return err_set(err, ERR_INVALID,
                "%s name '%s' has a blank or control character", what, name);
    return 0;
}

int amount_check(
    const char *what, int64_t amount, int64_t min, int64_t max, struct err *err)
{
    if (amount >= min && amount <= max)
        return 0;
    return err_set(err, ERR_INVALID, "%s is %lld, expected %lld to %lld", what,
        (long long)amount, (long long)min, (long long)max);
}

const char *names_nearest(const struct names *n, const char *name)
{
    struct nearest near;

    nearest_init(&near, name);
    for (uint32_t i = 0; i < names_count(n); i++)
        nearest_offer(&near, names_text(n, i));
    return nearest_best(&near);
}

int node_missing(const struct cluster *c, const char *name, struct err *err)
{
    const char *near = names_nearest(c->node_names, name);

    return err_set(err, ERR_NOT_FOUND, "cannot locate node '%.80s'%s%.80s%s", name,
        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

int name_missing(
    const char *what, const struct names *n, const char *name, struct err *err)
{
    const char *near = names_nearest(n, name);

    return err_set(err, ERR_NOT_FOUND, "there is no %s '%.80s'%s%.80s%s", what, name,
        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}
