/* SPDX-License-Identifier: Apache-2.0
 * See follow.h. */
#include "rm/adapter/follow.h"

#include "base/xalloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>

#define AGAIN_US 5000000

struct follow {
    sd_event *loop; /* borrowed */
    char *folder;   /* owned */
    dev_t dev;      /* of what is followed */
    ino_t ino;
    sd_event_source *notes; /* NULL: it is not there */
    sd_event_source *timer;
    void (*written)(void *ctx, const char *file);
    void *ctx;
};

static int on_note(
    sd_event_source *source, const struct inotify_event *event, void *ctx)
{
    struct follow *f = ctx;

    (void)source;
    if (event->len > 0)
        f->written(f->ctx, event->name);
    else if (event->mask & IN_IGNORED) /* it went; the next may have its number */
        f->notes = sd_event_source_disable_unref(f->notes);
    return 0;
}

static void look_at_folder(struct follow *f)
{
    struct stat st;
    bool there = stat(f->folder, &st) == 0;

    if (f->notes && there && st.st_dev == f->dev && st.st_ino == f->ino)
        return;
    f->notes = sd_event_source_disable_unref(f->notes);
    if (!there
        || sd_event_add_inotify(
               f->loop, &f->notes, f->folder, IN_MODIFY | IN_ONLYDIR, on_note, f)
               < 0) {
        f->notes = NULL;
        return;
    }
    f->dev = st.st_dev;
    f->ino = st.st_ino;
}

static int on_time(sd_event_source *source, uint64_t at, void *ctx)
{
    (void)at;
    look_at_folder(ctx);
    sd_event_source_set_time_relative(source, AGAIN_US);
    return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

struct follow *follow_new(sd_event *loop, const char *folder,
    void (*written)(void *ctx, const char *file), void *ctx)
{
    struct follow *f = xcalloc(1, sizeof *f);

    *f = (struct follow){
        .loop = loop, .folder = xstrdup(folder), .written = written, .ctx = ctx};
    look_at_folder(f);
    sd_event_add_time_relative(
        loop, &f->timer, CLOCK_MONOTONIC, AGAIN_US, AGAIN_US / 5, on_time, f);
    return f;
}

void follow_destroy(struct follow *f)
{
    if (!f)
        return;
    sd_event_source_disable_unref(f->notes);
    sd_event_source_disable_unref(f->timer);
    free(f->folder);
    free(f);
}
