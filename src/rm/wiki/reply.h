/* SPDX-License-Identifier: Apache-2.0
 * What a resource manager answers in the WIKI protocol:
 *
 *     SC=0 ARG=2#n1:STATE=Idle;CPROC=4;#n2:STATE=Busy;     to a query
 *     SC=-1 RESPONSE=unknown job j99                        to an order, or an error
 *
 * Between the parts a blank or a semicolon; RSP= is RESPONSE=. */
#ifndef MAUI_RM_WIKI_REPLY_H
#define MAUI_RM_WIKI_REPLY_H

#include "base/err.h"
#include "rm/wiki/grammar.h"

#include <stddef.h>

/* Texts are borrowed from the message. */
struct wiki_reply {
    long code;        /* negative: it failed */
    const char *text; /* of RESPONSE=; not ended by a NUL; "" when there is none */
    size_t text_n;
    const char *records; /* of ARG=, behind the count; NULL: there is no ARG= */
    size_t records_n;
    size_t count; /* how many they are, it says */
};

/* -1 with an error: it is no answer. O(1) but for the search of the separators. */
int wiki_reply_read(
    const char *message, size_t n, struct wiki_reply *ret, struct err *err);

/* The records of an answer to a query. -1 with an error: it failed there, or has no
 * ARG=, or fewer records than it says: then a part of it is missing. O(n). */
int wiki_reply_records(const struct wiki_reply *r, struct err *err);
/* How they are told apart: WIKI_BARE where a quote in a user's text would join two, and
 * they are as many as it says only without quotes; else WIKI_REPLY. O(n). */
enum wiki_form wiki_reply_form(const struct wiki_reply *r);

#endif
