/* SPDX-License-Identifier: Apache-2.0
 * What Slurm's library asks of libmunge, with an end to its patience.
 *
 * libmunge itself tries for two seconds to reach munged. Slurm's library asks it twenty
 * times, so a munged that goes away amid one of our calls would keep the adapter
 * silent for most of a minute. These two stand before libmunge's functions of the same
 * name: who has just heard that munged cannot be reached is told so again at once. */
#include "rm/slurm/adapter.h"

#include <dlfcn.h>
#include <munge.h>

#define SILENT_MS 4000 /* longer than twenty of Slurm's breaks of 100 ms */

typedef munge_err_t encode_function(char **, munge_ctx_t, const void *, int);
typedef munge_err_t decode_function(
    const char *, munge_ctx_t, void **, int *, uid_t *, gid_t *);

/* The instant until which munged is known to be silent; the library has several
 * threads. */
static int64_t *silent_until(void)
{
    static _Thread_local int64_t until_ms;

    return &until_ms;
}

static bool is_silent(void)
{
    return adapter_now_ms() < *silent_until();
}

static munge_err_t remember_silence(munge_err_t e)
{
    *silent_until() = e == EMUNGE_SOCKET ? adapter_now_ms() + SILENT_MS : 0;
    return e;
}

/* The plugin that calls us has loaded libmunge. Sought once by each thread: seeking
 * takes longer than most of what is done with it. */
static void *find_function(const char *name, void **known)
{
    void *library = *known == NULL ? dlopen("libmunge.so.2", RTLD_LAZY) : NULL;

    if (library != NULL)
        *known = dlsym(library, name);
    return *known;
}

munge_err_t munge_encode(char **cred, munge_ctx_t ctx, const void *buf, int len)
{
    static _Thread_local void *known;
    encode_function *f = (encode_function *)find_function("munge_encode", &known);

    if (f == NULL || is_silent())
        return EMUNGE_SOCKET;
    return remember_silence(f(cred, ctx, buf, len));
}

munge_err_t munge_decode(
    const char *cred, munge_ctx_t ctx, void **buf, int *len, uid_t *uid, gid_t *gid)
{
    static _Thread_local void *known;
    decode_function *f = (decode_function *)find_function("munge_decode", &known);

    if (f == NULL || is_silent())
        return EMUNGE_SOCKET;
    return remember_silence(f(cred, ctx, buf, len, uid, gid));
}
