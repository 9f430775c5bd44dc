/* SPDX-License-Identifier: Apache-2.0
 * Which drivers there are, and the attributes they are configured by. */
#include "base/nearest.h"
#include "config/settings.h"
#include "rm/gridengine/driver.h"
#include "rm/local/local.h"
#include "rm/native/driver.h"
#include "rm/pbs/driver.h"
#include "rm/rm.h"
#include "rm/slurm/driver.h"
#include "rm/wiki/driver.h"

#include <strings.h>

static const struct rm_driver *(*const drivers[])(void) = {rm_local_driver,
    rm_slurm_driver, rm_native_driver, rm_pbs_driver, rm_gridengine_driver,
    rm_wiki_driver};
#define DRIVERS (sizeof drivers / sizeof drivers[0])

const struct rm_driver *rm_driver_find(const char *type, struct err *err)
{
    struct nearest near;

    nearest_init(&near, type);
    for (size_t i = 0; i < DRIVERS; i++) {
        const struct rm_driver *driver = drivers[i]();

        if (strcasecmp(driver->type, type) == 0)
            return driver;
        nearest_offer(&near, driver->type);
    }
    if (nearest_best(&near) != NULL)
        err_set(err, ERR_NOT_FOUND,
            "no resource manager of type '%s'; did you mean '%s'?", type,
            nearest_best(&near));
    else
        err_set(err, ERR_NOT_FOUND,
            "no resource manager of type '%s'; expected one like '%s'", type,
            drivers[0]()->type);
    return NULL;
}

const char *rm_cfg_attr(const struct rm_cfg *cfg, const char *name)
{
    const char *found = NULL;

    for (size_t i = 0; cfg->section != NULL && i < cfg->section->attrs.n; i++)
        if (strcasecmp(cfg->section->attrs.v[i].name, name) == 0)
            found = cfg->section->attrs.v[i].value; /* the last one counts */
    return found;
}
