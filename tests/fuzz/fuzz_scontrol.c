/* SPDX-License-Identifier: Apache-2.0
 * Any text as the answer of scontrol to whatever it is asked: nothing crashes, and what
 * the adapter tells of it the daemon can read. */
#include "fake_scontrol.h"
#include "rm/wire.h"

#include <grp.h>
#include <pwd.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The files of users and groups would take half the time. */
struct passwd *__wrap_getpwuid(uid_t uid);
struct group *__wrap_getgrgid(gid_t gid);

struct passwd *__wrap_getpwuid(uid_t uid)
{
    (void)uid;
    return NULL;
}

struct group *__wrap_getgrgid(gid_t gid)
{
    static struct group group = {.gr_name = (char *)"root"};

    return gid == 0 ? &group : NULL;
}

static void read_again(const struct rm_report *r)
{
    char *line = wire_report(r);
    struct wire_room room;
    struct rm_report back;
    struct reader reader;
    struct err err = {0};

    if (reader_open(&reader, "adapter", line, strlen(line), &err) < 0
        || wire_read_report(&reader, &back, &room, &err) < 0 || back.kind != r->kind) {
        fprintf(stderr, "%s: %s", err.text, line);
        abort();
    }
    reader_close(&reader);
    free(line);
}

static void order_all(struct adapter *a)
{
    static const struct job_place place = {.node = "n1", .tasks = 1};
    static const enum rm_action actions[] = {RM_HOLD, RM_RELEASE, RM_START};

    for (const struct told_job *t = a->jobs; t != NULL; t = t->hh.next)
        for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
            orders_command(a, &(struct rm_command){.action = actions[i],
                                  .token = i + 1,
                                  .job = t->id,
                                  .places = &place,
                                  .nplaces = 1});
    starts_send(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct adapter a = {.connected = true, .home = (char *)"/"};
    char *text = strndup((const char *)data, size);

    *fake_scontrol() = (struct fake_scontrol){.text = text,
        .listing = text,
        .columns = text,
        .refuses = size % 2,
        .tell = read_again};
    check_settings(&a);
    fake_scontrol_look(&a);
    if (size % 4 < 2) { /* it costs as much as all the rest */
        order_all(&a);
        fake_scontrol_look(&a);
        outcomes_check(&a);
    }
    fake_scontrol_end(&a);
    free(text);
    return 0;
}
