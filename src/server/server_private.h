/* SPDX-License-Identifier: Apache-2.0
 * What the files of the daemon share: the context, a list of collaborators. Each is
 * opaque and has a header that can be read alone; this one has no more than their
 * names.
 *
 *     RM report ----> managers/ --+                       +--> durable/ journal/
 *     HTTP request -> api/ -------+--> world --> engine --+    commit: one for all
 *     timers -------> cycle ------+                       +--> orders, kept replies
 *                                                              after it: sent
 *
 * Private to src/server. */
#ifndef MAUI_SERVER_SERVER_PRIVATE_H
#define MAUI_SERVER_SERVER_PRIVATE_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "config/config.h"
#include "engine/engine.h"
#include "rm/rm.h"
#include "server/clock.h"
#include "server/commit.h"
#include "server/cycle.h"
#include "server/durable/unsaved.h"
#include "server/http/http.h"
#include "server/http/route.h"
#include "server/managers/reslimit.h"
#include "server/process/log.h"
#include "server/server.h"
#include "server/world.h"
#include "store/store.h"

#include <systemd/sd-event.h>

enum server_mode {
    MODE_NORMAL,
    MODE_TEST,
    MODE_SIMULATION,
    MODE_SINGLESTEP,
    MODE_PAST /* a helper that knows what was: travel/guide.h */
};

/* Order within one turn of the loop: who calls and what is told first, then one cycle,
 * then one commit for all of it. */
enum {
    PRIORITY_COMMIT_SOON = -30, /* when there is much to write */
    PRIORITY_CYCLE = 10,
    PRIORITY_COMMIT = 20,
    PRIORITY_HTTP = RM_PRIORITY_MANY, /* replies that go out never put off what was
                                         decided */
    PRIORITY_TICK = 30,
    PRIORITY_READERS = 40
};

struct changes;
struct commit;
struct desk;
struct cycle;
struct eventlog;
struct feed;
struct identity;
struct journal;
struct lists;
struct managers;
struct messages;
struct metrics;
struct mail;
struct notify;
struct nodekeep;
struct numbers;
struct orders;
struct page;
struct passed;
struct promised_book;
struct readers;
struct restless;
struct rights;
struct rsvkeep;
struct schema;
struct series;
struct simulation;
struct stalls;
struct statfile;
struct submissions;
struct teller;
struct timeline;
struct travel;
struct triggers;
struct usage_keep;
struct watch;
struct whatif;
struct whole;
struct world;

struct server_paths {
    char *home, *state_path, *socket_path, *config_path;
};

/* durable/, journal/ */
struct server_kept {
    struct changes *changes;
    struct messages *messages;
    struct nodekeep *nodekeep; /* of several resource managers */
    struct numbers *numbers;   /* durable/record.c */
    struct passed *passed;
    struct promised_book *promised;
    struct restless *restless;
    struct rsvkeep *rsvkeep;
    struct series *series;
    struct usage_keep *usage;
    struct journal *journal;
    sd_event_source *verdict; /* while the state is looked at */
};

/* durable/ */
struct server_bank {
    struct desk *desk;                   /* of a bank elsewhere */
    struct bankquestions *bankquestions; /* what people ask it */
    struct teller *teller;
};

/* api/, http/ */
struct server_api {
    struct http *http;
    struct schema *schema;          /* of what the API takes */
    struct orders *orders;          /* api/order.c */
    struct submissions *submitting; /* api/submit.c: not all handed on yet */
    struct readers *readers;        /* api/readers.c */
    struct lists *lists;            /* http/stream.c */
    struct joborders *joborders;    /* api/joborder.c: NULL before the first list */
    struct page *page;              /* web/page.c */
    struct timeline *timeline;      /* timeline/ */
    struct whatif *whatif;          /* whatif/ */
    struct travel *travel;          /* travel/ */
    struct rights *rights;          /* api/rights.c: by what managers told */
    const struct identity *asker;   /* whose request is being carried out; or NULL */
};

/* events/ */
struct server_events {
    struct watch *watch;
    struct eventlog *eventlog;
    struct feed *feed;
    struct notify *notify;
    struct mail *mail;
    struct statfile *statfile;
    struct metrics *metrics;
    struct triggers *triggers;
    struct stalls *stalls;
};

struct server {
    struct server_options opt;
    enum server_mode mode;
    bool tries; /* this process is a copy, in which nothing is in earnest: whatif/ */
    sd_event *loop;
    struct log *log;
    struct clock *clock;

    int64_t log_level; /* LOGLEVEL as configured last */
    int lock_fd;
    struct err ended_by; /* why it cannot go on */
    struct server_paths paths;

    /* what the rest is about */
    struct config *config; /* owns the settings in force */
    struct engine *engine;
    struct store *store;
    struct unsaved *unsaved;
    struct simulation *simulation; /* NULL = real time */
    struct control control;        /* what administrators ordered */
    struct managers *managers;

    /* the way in, and out: world.h cycle.h commit.h whole.h */
    struct world *world;
    struct cycle *cycle;
    struct commit *commit;
    struct whole *whole;

    struct server_kept kept;
    struct server_bank bank;
    struct server_api api;
    struct server_events events;
};

/* server.c: an engine that knows nothing yet, for the settings in force. */
struct engine *server_engine(struct server *s);
/* End the loop in a moment. */
void server_stop(struct server *s);
/* Read the configuration again, with the changes made at run time behind it; on failure
 * the old one stays in force. */
int server_configure(struct server *s, struct err *err);
/* Could it serve with these lines behind it? Reads the files; nothing is changed. */
int server_judge(struct server *s, const char *changes, struct err *err);
/* Read it again, and changes that are not kept are forgotten. */
int server_reload(struct server *s, struct err *err);

/* Are programs of the site run? Not when nothing happens in earnest. */
static inline bool server_acts(const struct server *s)
{
    return s->mode != MODE_TEST && s->mode != MODE_SIMULATION && s->mode != MODE_PAST;
}

/* ---- api ---- */
const struct route *api_routes(size_t *ret_n);

#endif
