/* SPDX-License-Identifier: Apache-2.0
 * Who asks about the future while scheduling is stopped is told so. */
#include "client/kit/stopped.h"

#include "client/kit/layout.h"
#include "client/kit/request.h"

#include <stdio.h>

void stopped_note(const json_t *answer)
{
    json_int_t resume = get_int(answer, "resume_at", 0);
    char date[LAYOUT_DATE_MAX];

    if (!json_is_true(json_object_get(answer, "paused")))
        return;
    fprintf(stderr,
        "NOTE:     scheduling is stopped until %s; this is as of then, and jobs that "
        "came since are not in it\n",
        resume ? layout_date(resume, date)
               : "an administrator resumes it (schedctl -r)");
}
