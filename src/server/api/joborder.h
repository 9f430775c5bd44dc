/* SPDX-License-Identifier: Apache-2.0
 * The jobs of a list in their order. It is made in turns, and kept while it is the
 * same: another window of the list costs what is in that window. Where only the first
 * are asked for, or some deep in a long list, it is those and some around them that are
 * put in order; where none are, it is a look at each. */
#ifndef MAUI_SERVER_JOBORDER_H
#define MAUI_SERVER_JOBORDER_H

#include "server/api/jobwindow.h"
#include "server/render/render.h"

#include <sys/queue.h>

/* A job that was in the list when it was made; by now it may be gone. */
struct listed {
    uint32_t index;
    int64_t submit_at; /* tells when the index has been used again */
};

/* Past all jobs. Where only a part of them is wanted, past some from everywhere before
 * the others: then most of these are known not to be in it, even where each comes
 * before all that came before it. */
struct jobwalk {
    size_t next, sampled; /* of so many; 0 = of none */
    bool sampling, over;
};

struct sorted;

struct joborder {
    TAILQ_ENTRY(joborder) next;
    struct server *s;
    char *key; /* owned: of all who ask so, and may see the same */
    struct jobwindow window;
    uint64_t revision, plan; /* of the world, when it was begun, */
    int64_t at;              /* and the second */
    unsigned holders;        /* one of them is the list of those that are kept */
    bool kept;
    bool grows; /* with time, too */
    /* while it is made */
    struct jobwalk walk;
    struct turnsort *sort;
    struct jobranks ranks;
    uint64_t seen;             /* the world's revision in which all in it were there */
    bool narrows;              /* to a part, once some have been looked at: */
    struct sorted *low, *high; /* owned; from the one to before the other; NULL: all */
    bool lost;                 /* one of these has gone: it is not known which part */
    /* all there is */
    struct VEC(struct listed) jobs; /* or a part of them, */
    size_t first;                   /* behind so many others, */
    bool open_end;                  /* up to the last, */
    bool whole;                     /* unless it has all that are left */
    size_t total;                   /* that were looked at */
    int64_t count[SECTION_COMPLETED + 1];
    int64_t backlog_ps;
    struct jobcounts *counts; /* NULL = not wanted */
};

/* One that was made of what is now, to be released; NULL: there is none that has this
 * window. */
struct joborder *joborder_find(
    struct server *s, const char *key, const struct jobwindow *window);
/* An empty one of the window's order, for that window at least, to be released. The
 * key is copied. */
struct joborder *joborder_new(
    struct server *s, const char *key, const struct jobwindow *window);
void joborder_release(struct joborder *o); /* NULL is allowed */

/* Before the first of the next two in a turn: jobs may have gone since the last. O(1);
 * after a change of the world O(jobs in it), but none of them is looked at. */
void joborder_begin_turn(struct joborder *o);
void joborder_add(struct joborder *o, const struct job *j);
/* The next job to be looked at, or NULL, as some numbers have none; false: it has been
 * past all, for good. Who comes later comes too late: the order is being made. */
bool joborder_walk(struct joborder *o, const struct job **ret);
/* Nobody has been looked at yet. */
bool joborder_is_new(const struct joborder *o);
/* Jobs are found in another way: that is the end of the walk. False: it was over. */
bool joborder_end_walk(struct joborder *o);
/* Go on with the order, for less than a millisecond; false: `jobs` has it, and others
 * who ask find it for some seconds, if nothing has changed meanwhile. */
bool joborder_more(struct joborder *o);
/* Once it is made: does it have what that window of it shows? One of all jobs does,
 * whoever has gone meanwhile. Not where too many have gone while a part was looked
 * for, or some from everywhere were not like all. */
bool joborder_shows(const struct joborder *o, const struct jobwindow *window);
/* Then: the same anew and empty, which is to be of all jobs; instead of that one, which
 * is released. */
struct joborder *joborder_widen(struct joborder *o);

/* What orders have cost so far: jobs that were looked at for them. */
uint64_t joborder_looks(const struct server *s);

/* With the server: what is kept is freed. */
void joborders_close(struct server *s);

#endif
