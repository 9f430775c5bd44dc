/* SPDX-License-Identifier: Apache-2.0
 * Users and groups as the system has them: a group with thousands of members is as any
 * other. */
#include "server/api/identity.h"

#include <errno.h>
#include <grp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define ROOM (1 << 20) /* that its members need */

/* In place of the system's, which needs a group of such size. */
static struct group crowd = {.gr_name = (char *)"crowd", .gr_mem = (char *[]){NULL}};

struct group *getgrgid(gid_t gid)
{
    crowd.gr_gid = gid;
    return &crowd;
}

struct group *getgrnam(const char *name)
{
    return strcmp(name, "crowd") == 0 ? &crowd : NULL;
}

int getgrgid_r(
    gid_t gid, struct group *ret, char *room, size_t size, struct group **found)
{
    (void)room;
    *found = NULL;
    if (size < ROOM)
        return ERANGE;
    *ret = *getgrgid(gid);
    *found = ret;
    return 0;
}

static void a_group_of_thousands_has_its_name(void **state)
{
    struct identity who;

    (void)state;
    identity_of_uid(0, 59999, &who);
    assert_string_equal(who.user, "root");
    assert_string_equal(who.group, "crowd");
}

static void who_is_in_a_group_of_thousands_is_its_member(void **state)
{
    char names[200];
    gid_t gid = 1;

    (void)state;
    assert_true(identity_is_member("root", "crowd", &gid));
    assert_int_equal(gid, 0);
    assert_false(identity_is_member("root", "others", NULL));
    assert_false(identity_is_member("no such user", "crowd", NULL));
    identity_groups("root", names, sizeof names);
    assert_memory_equal(names, "crowd", 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_of_thousands_has_its_name),
        cmocka_unit_test(who_is_in_a_group_of_thousands_is_its_member),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
