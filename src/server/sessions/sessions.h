/* SPDX-License-Identifier: Apache-2.0
 * Logins and sessions of the page: who may ask over its listener, and until when.
 *
 * A login is a secret that serves once, within a minute, and is exchanged for a
 * session, whose secret goes with every request. Both are in memory only, hashed: a
 * restart ends all. A second use of a login means that somebody else has read it: then
 * the session of the first use ends too.
 *
 * Instants are seconds of one clock that never goes back, whichever the caller takes.
 */
#ifndef MAUI_SERVER_SESSIONS_H
#define MAUI_SERVER_SESSIONS_H

#include "server/api/identity.h"
#include "server/sessions/secret.h"

#define LOGIN_S        60          /* until it is used */
#define SESSION_S      (12 * 3600) /* at most */
#define SESSION_IDLE_S 3600        /* without a request */
#define SESSIONS_MAX   200
#define SESSIONS_USER  10  /* of one user */
#define SESSION_RATE   50  /* requests a second, on average */
#define SESSION_BURST  200 /* tabs of a browser that was kept waiting ask together */
/* Exchanges of one address, of IPv6 of one /64, that fail within a minute; then none is
 * looked at for one.
 * Those of other addresses are, and one that is good is always let in. */
#define FAILURES_MAX 10
#define FAILURES_S   60

struct sessions;

struct session {
    char id[9];          /* as others may know it */
    struct identity who; /* as it came for the login; the level is not in it */
    char peer[64];       /* of the exchange */
    bool read_only;
    int level_most; /* 1 to 3: no level above that; 0: none at all; -1: as configured */
    int64_t made_at, used_at, end_at;
    struct secret_hash secret, login;
    double tokens; /* requests that it may make at once */
    double tokens_at;
    bool here; /* false: a place that is free */
};

struct session_wish {
    bool read_only;
    int level_most;
    int64_t length_s; /* 0 = SESSION_S, which is the most */
};

struct sessions *sessions_new(void);
void sessions_free(struct sessions *s); /* NULL is allowed */

/* A login for this caller; its text goes to `ret`. ERR_CONFLICT: the user has too many.
 */
int sessions_login(struct sessions *s, const struct identity *who,
    const struct session_wish *wish, int64_t now, char ret[SECRET_CHARS + 1],
    struct err *err);

enum exchange {
    EXCHANGE_DONE,
    EXCHANGE_UNKNOWN,
    EXCHANGE_TWICE,
    EXCHANGE_LATER,
    EXCHANGE_FULL
};

struct exchanged {
    const struct session *session; /* borrowed until the next call */
    char secret[SECRET_CHARS + 1];
    char ended[9];    /* EXCHANGE_TWICE: the session of the first use */
    char user[64];    /* whose login it was; "" = of nobody */
    unsigned again_s; /* EXCHANGE_LATER: when one may try again */
};

/* EXCHANGE_TWICE ends the session of the first use. Anything but DONE sets err. */
enum exchange sessions_exchange(struct sessions *s, const char *login, const char *peer,
    int64_t now, struct exchanged *ret, struct err *err);

/* The session of that secret, which is used now. NULL when there is none any more;
 * then *ret_why says what became of it, or NULL. */
const struct session *sessions_find(
    struct sessions *s, const char *secret, int64_t now, const char **ret_why);

/* May it ask once more, at this instant (seconds)? */
bool sessions_admit(struct sessions *s, const char *id, double now);

/* End one; false: there is none of that name. `why` is a constant sentence. */
bool sessions_end(struct sessions *s, const char *id, const char *why);
void sessions_end_all(struct sessions *s, const char *why);

/* Is it there? */
bool sessions_has(const struct sessions *s, const char *id);

/* End those whose time is up; when the next one's is, 0 = there is none. Calls `ended`
 * (may be NULL) for each before it goes. */
int64_t sessions_expire(struct sessions *s, int64_t now,
    void (*ended)(void *ctx, const struct session *which), void *ctx);

/* The i-th that is there, NULL behind the last. */
const struct session *sessions_at(const struct sessions *s, size_t i);

#endif
