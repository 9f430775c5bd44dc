/* SPDX-License-Identifier: Apache-2.0
 * The page's way in: its listener, who has a session there, and what is told of that.
 *
 * Off until the first login; then at loopback, at a port of the kernel's choice, until
 * an hour after the last session. WEBPORT fixes the port and opens it at the start. */
#ifndef MAUI_SERVER_PAGE_H
#define MAUI_SERVER_PAGE_H

#include "server/sessions/sessions.h"

struct config;
struct server;
struct page;

/* Begins with nothing open but where WEBPORT says so; what is wrong with that is logged
 * and told to whoever asks for a login. */
void page_open(struct server *s);
void page_close(struct server *s); /* before http_close() */
/* Do they say something else of the page? The files that they name may be others in
 * any case; these are read again by order alone. */
bool page_differs(const struct config *a, const struct config *b);
/* Would it go on with the parameters of `c`? -1 with what is wrong, WEBCERT and WEBKEY
 * included; 0 as well while it is off for what was wrong at the start, which then holds
 * up nothing else. */
int page_check(struct server *s, const struct config *c, struct err *err);
/* Other parameters are in force. What became wrong since they were checked closes it.
 */
void page_configure(struct server *s);
/* Why it is off, NULL when it is not; borrowed until page_configure(). */
const char *page_wrong(const struct server *s);

/* Open the listener if it is not. The page's address, as "http://127.0.0.1:40001",
 * goes to `ret`. */
int page_listen(struct server *s, char *ret, size_t size, struct err *err);

struct sessions *page_sessions(struct server *s);
/* By the clock that sessions are counted by, in seconds. */
int64_t page_now(void);
/* A session was made, or has ended: when to look again. Live replies of those that are
 * gone end. */
void page_tend(struct server *s);

#endif
