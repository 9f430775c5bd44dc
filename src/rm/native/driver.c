/* SPDX-License-Identifier: Apache-2.0
 * The native driver's table, and what `maui check` refuses as well. */
#include "rm/native/driver.h"

#include "config/rmurl.h"
#include "rm/remote.h"

#define PATIENCE_S 7200 /* more than programs and the wait for a start can take */

static int check_urls(const struct rm_cfg *cfg, struct err *err)
{
    for (int i = 0; i < RMURL_KINDS; i++) {
        const char *name = rmurl_name((enum rmurl_kind)i),
                   *url = rm_cfg_attr(cfg, name);

        if (url == NULL && rmurl_is_needed((enum rmurl_kind)i))
            return err_set(err, ERR_INVALID,
                "RMCFG[%s] TYPE=NATIVE needs %s=exec:///PROGRAM", cfg->name, name);
        if (url != NULL && rmurl_check((enum rmurl_kind)i, url, err) < 0)
            return err_prefix(err, "RMCFG[%s] %s: ", cfg->name, name);
    }
    return 0;
}

static struct rm *native_driver_open(const struct rm_cfg *cfg, sd_event *loop,
    const struct rm_sink *sink, struct err *err)
{
    static const char *const programs[2] = {"maui-native", NULL};

    if (check_urls(cfg, err) < 0)
        return NULL;
    return remote_open(rm_native_driver(), programs, cfg, loop, sink, err);
}

/* Limits alone: all else that it has to know of a start is told with that. */
static const struct rm_keeping keeping = {.needs = "JOBMODIFYURL"};

static const struct rm_driver native_driver = {
    .keeps = &keeping,
    .type = "NATIVE",
    .cannot = 1u << RM_CHECKPOINT | 1u << RM_SIGNAL,
    .patience_s = PATIENCE_S,
    .open = native_driver_open,
    .close = remote_close,
    .command = remote_command,
    .takes_no_jobs = true,
    .submit = remote_submit,
    .poll = remote_poll,
};

const struct rm_driver *rm_native_driver(void)
{
    return &native_driver;
}
