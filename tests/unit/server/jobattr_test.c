/* SPDX-License-Identifier: Apache-2.0
 * Attributes of jobs that a resource manager says and people set here as well. */
#include "cluster/attribute.h"
#include "server/drafts/jobattr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void notes_have_room_for_each(void **state)
{
    (void)state;
    for (size_t i = 0; i < JOBATTR_OWN; i++)
        assert_non_null(jobattr_own(i));
    assert_null(jobattr_own(JOBATTR_OWN));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(notes_have_room_for_each)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
