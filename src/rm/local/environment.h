/* SPDX-License-Identifier: Apache-2.0
 * What a job finds in its environment: what was submitted, what every login has, and
 * the names batch scripts look for. */
#ifndef MAUI_RM_LOCAL_ENVIRONMENT_H
#define MAUI_RM_LOCAL_ENVIRONMENT_H

#include "rm/local/launch.h"

#include <pwd.h>

/* The environment of the job, NULL-terminated, never freed: the process becomes the
 * job. `submitted` is the text of the file `environment` (NAME=value, each ended by
 * NUL); `session` (or NULL) what the job's session says, which counts more; `user` may
 * be NULL when the system does not know the user. */
char **environment_make(const struct launch *l, const char *submitted, size_t len,
    char *const *session, const struct passwd *user);

#endif
