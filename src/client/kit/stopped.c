/* SPDX-License-Identifier: Apache-2.0
 * Who asks about the future, or the queue, while scheduling is stopped is told so. */
#include "client/kit/stopped.h"

#include "client/kit/layout.h"
#include "client/kit/request.h"

#include <stdio.h>

static void write_note(const json_t *answer, const char *what)
{
    json_int_t resume = get_int(answer, "resume_at", 0);
    char date[LAYOUT_DATE_MAX];

    if (json_is_true(json_object_get(answer, "paused")))
        fprintf(stderr, "NOTE:     scheduling is stopped until %s; %s\n",
            resume ? layout_date(resume, date)
                   : "an administrator resumes it (schedctl -r)",
            what);
}

void stopped_note(const json_t *answer)
{
    write_note(answer, "this is as of then, and jobs that came since are not in it");
}

void stopped_note_queue(const json_t *answer)
{
    write_note(answer, "the order and what keeps jobs are as of the last iteration: a "
                       "hold released since is "
                       "in the next");
}
