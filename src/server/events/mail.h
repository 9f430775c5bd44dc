/* SPDX-License-Identifier: Apache-2.0
 * Mail to owners of jobs (msub -m, -M), where this daemon runs the jobs itself; another
 * resource manager sends its own.
 *
 *     it runs -----> mail_begun() --+
 *     it is over --> mail_ended() --+--> waits for the commit --> MAILPROGRAM -i -- TO
 *                                        the text on its standard input, as the owner
 *
 * Addresses were checked when they were asked for (config/mailtext.h) and are again;
 * no text of a job stands in a header but its name, in which all but printable ASCII is
 * '?'. Each task of an array is a job of its own, so that many mails: MAIL_A_MINUTE for
 * a user, the others are dropped and that is logged. Mails have programs of their own
 * (events/programs.h), so that they hold up no notification. A mail is sent once at
 * most: a daemon that is killed in between sends none. Private to src/server. */
#ifndef MAUI_SERVER_MAIL_H
#define MAUI_SERVER_MAIL_H

#include "base/err.h"
#include "cluster/jobend.h"
#include "store/account.h"

#define MAIL_A_MINUTE 30

struct job;
struct job_desc;
struct server;

int mail_open(struct server *s, struct err *err);
void mail_close(struct server *s);

/* Other parameters are in force: MAILPROGRAM, which is logged when it cannot be run. */
void mail_configure(struct server *s);

/* Why no mail of this job will be sent though it asks for some: a sentence; NULL when
 * it will, or asks for none. */
const char *mail_obstacle(const struct server *s, const struct job *j);

/* The job has begun on its nodes. */
void mail_begun(struct server *s, const struct job *j);
/* It is over. `j` is NULL when it ended while nobody looked: then `desc` tells. */
void mail_ended(struct server *s, const struct store_account *row,
    const struct job_end *end, const struct job *j, const struct job_desc *desc);

/* What waited is handed to the program. */
void mail_committed(struct server *s);

#endif
