/* SPDX-License-Identifier: Apache-2.0
 * An adapter's end of the lines of wire.h: what the daemon says, and what it is told.
 * A blocking socket, the standard input: the daemon reads whenever its loop turns, and
 * its end ends us. */
#ifndef MAUI_RM_ADAPTER_LINK_H
#define MAUI_RM_ADAPTER_LINK_H

#include "rm/rm.h"

struct link;

/* What RMCFG says, for the call of open(). */
struct link_opening {
    const char *name; /* of RMCFG[name] */
    const char *home; /* the daemon's folder */
    const void *attributes;
};
/* The text of an attribute as RMCFG has it, or NULL; its time in milliseconds, or the
 * usual one where it is not given or 0. */
const char *link_attr(const struct link_opening *o, const char *name);
int64_t link_attr_ms(const struct link_opening *o, const char *name, int64_t usual_ms);

/* What comes. All is borrowed for the call; each may be NULL, and orders and
 * submissions are then refused. */
struct link_calls {
    void (*open)(void *ctx, const struct link_opening *o); /* once, first */
    void (*command)(void *ctx, const struct rm_command *c);
    void (*submit)(void *ctx, const struct rm_submission *s);
    void (*note)(void *ctx, const struct rm_note *n);
    void (*immediate)(void *ctx, const char *word, const char *nodes); /* see rm.h */
    void (*poll)(void *ctx);
    void (*ping)(void *ctx, int64_t n); /* every second */
    void (*revived)(void *ctx);         /* the daemon was silent: see link_is_led() */
    void (*heard)(void *ctx);           /* behind each of these, and several at once */
    bool (*gone)(void *ctx); /* the daemon, last. True: there is something left to carry
                                out, and behind that the loop is ended by who said so */
};

/* NULL: no such event source. When the daemon ends, or is killed, all that it had said
 * is carried out before we end, but for starts and submissions: it acknowledges what it
 * has said. It has two seconds for that. What waits for its turn by then is carried out
 * in gone(). */
struct link *link_new(
    sd_event *loop, int fd, const struct link_calls *calls, void *ctx);
void link_destroy(struct link *l);

/* Where reports go: everything is told by it. */
const struct rm_sink *link_sink(const struct link *l);
void link_done(struct link *l, uint64_t token, enum rm_outcome outcome, const char *job,
    const char *text);
/* Something is not well, or (text NULL) is well again. "connection": the resource
 * manager is out of reach. */
void link_health(struct link *l, const char *function, const char *text);

/* Does the daemon give signs of life? While it hangs nothing is taken back from the
 * resource manager: somebody may have let the jobs go. */
bool link_is_led(const struct link *l);

#endif
