/* SPDX-License-Identifier: Apache-2.0
 * Logins and sessions of the page. */
#include "server/sessions/sessions.h"

#include "base/xalloc.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOGINS_MAX   400
#define LOGINS_USER  20
#define ENDED_MAX    64 /* of which it is remembered why */
#define GUESSERS_MAX 64

struct login {
    struct secret_hash hash;
    struct identity who;
    struct session_wish wish;
    int64_t end_at; /* 0 = this place is free */
};

struct ended {
    struct secret_hash secret;
    const char *why;
};

/* A network from which logins fail that are nobody's. */
struct guesser {
    char network[64];
    int64_t failed_at[FAILURES_MAX]; /* the last ones, in turn */
    size_t nfailed;                  /* 0 = this place is free */
    int64_t closed_until;
};

struct sessions {
    struct login logins[LOGINS_MAX];
    struct session all[SESSIONS_MAX];
    struct ended ended[ENDED_MAX];
    size_t nended;
    struct guesser guessers[GUESSERS_MAX];
};

struct sessions *sessions_new(void)
{
    return xcalloc(1, sizeof(struct sessions));
}

void sessions_free(struct sessions *s)
{
    if (s)
        secret_wipe((char *)s, sizeof *s);
    free(s);
}

/* ---- logins ---- */

static bool is_waiting(const struct login *l, int64_t now)
{
    return l->end_at > now;
}

int sessions_login(struct sessions *s, const struct identity *who,
    const struct session_wish *wish, int64_t now, char ret[SECRET_CHARS + 1],
    struct err *err)
{
    struct login *place = NULL;
    unsigned mine = 0;

    for (size_t i = 0; i < LOGINS_MAX; i++)
        if (!is_waiting(&s->logins[i], now))
            place = &s->logins[i];
        else
            mine += s->logins[i].who.uid == who->uid;
    if (mine >= LOGINS_USER || !place)
        return err_set(err, ERR_CONFLICT,
            "%s logins wait for their use: come again in a minute",
            place ? "your last 20" : "too many");
    if (secret_make(ret, &place->hash, err) < 0)
        return -1;
    place->who = *who;
    place->wish = *wish;
    place->end_at = now + LOGIN_S;
    return 0;
}

/* ---- failures ---- */

/* Whoever has one address of IPv6 has all of the /64 that it is in. */
static void write_network(const char *peer, char *ret, size_t size)
{
    struct in6_addr six;
    char address[64];

    snprintf(address, sizeof address, "%.*s", (int)strcspn(peer, "%"), peer);
    if (inet_pton(AF_INET6, address, &six) != 1 || IN6_IS_ADDR_V4MAPPED(&six)) {
        snprintf(ret, size, "%s", peer);
        return;
    }
    memset(six.s6_addr + 8, 0, 8);
    inet_ntop(AF_INET6, &six, ret, (socklen_t)size);
}

static struct guesser *find_guesser(struct sessions *s, const char *peer)
{
    char network[sizeof s->guessers->network];

    write_network(peer, network, sizeof network);
    for (size_t i = 0; i < GUESSERS_MAX; i++)
        if (s->guessers[i].nfailed && strcmp(s->guessers[i].network, network) == 0)
            return &s->guessers[i];
    return NULL;
}

static int64_t last_failure(const struct guesser *g)
{
    return g->nfailed ? g->failed_at[(g->nfailed - 1) % FAILURES_MAX] : INT64_MIN;
}

/* Whoever is kept out stays so, however many others come. */
static bool gives_way(const struct guesser *g, const struct guesser *to, int64_t now)
{
    bool out = now < g->closed_until, to_out = now < to->closed_until;

    return out != to_out ? to_out : last_failure(g) < last_failure(to);
}

/* The place of whoever failed longest ago. */
static struct guesser *add_guesser(struct sessions *s, const char *peer, int64_t now)
{
    struct guesser *oldest = s->guessers;

    for (size_t i = 1; i < GUESSERS_MAX; i++)
        if (gives_way(&s->guessers[i], oldest, now))
            oldest = &s->guessers[i];
    *oldest = (struct guesser){.nfailed = 0};
    write_network(peer, oldest->network, sizeof oldest->network);
    return oldest;
}

static void count_failure(struct sessions *s, const char *peer, int64_t now)
{
    struct guesser *g = find_guesser(s, peer);

    if (!g)
        g = add_guesser(s, peer, now);
    g->failed_at[g->nfailed++ % FAILURES_MAX] = now;
    if (g->nfailed >= FAILURES_MAX
        && now - g->failed_at[g->nfailed % FAILURES_MAX] < FAILURES_S)
        g->closed_until = now + FAILURES_S;
}

/* Seconds until one more of that network that is of nobody is looked at; 0 = it is. */
static unsigned closed_for(struct sessions *s, const char *peer, int64_t now)
{
    const struct guesser *g = find_guesser(s, peer);

    return g && now < g->closed_until ? (unsigned)(g->closed_until - now) : 0;
}

/* ---- sessions ---- */

static struct session *find_by_id(const struct sessions *s, const char *id)
{
    for (size_t i = 0; i < SESSIONS_MAX; i++)
        if (s->all[i].here && strcmp(s->all[i].id, id) == 0)
            return (struct session *)&s->all[i];
    return NULL;
}

static void end_session(struct sessions *s, struct session *which, const char *why)
{
    s->ended[s->nended++ % ENDED_MAX] = (struct ended){which->secret, why};
    *which = (struct session){.here = false};
}

/* A place for another of that user; NULL when there is none. */
static struct session *find_place(struct sessions *s, uid_t uid, struct err *err)
{
    struct session *place = NULL;
    unsigned mine = 0;

    for (size_t i = 0; i < SESSIONS_MAX; i++)
        if (!s->all[i].here)
            place = &s->all[i];
        else
            mine += s->all[i].who.uid == uid;
    if (mine < SESSIONS_USER && place)
        return place;
    err_set(err, ERR_CONFLICT,
        mine >= SESSIONS_USER
            ? "you have %d sessions already; `maui dashboard --end all` ends them"
            : "there are %d sessions already",
        mine >= SESSIONS_USER ? SESSIONS_USER : SESSIONS_MAX);
    return NULL;
}

static enum exchange fill_place(struct sessions *s, struct login *l, const char *peer,
    int64_t now, struct exchanged *ret, struct err *err)
{
    struct session *place = find_place(s, l->who.uid, err);
    int64_t length = l->wish.length_s > 0 && l->wish.length_s < SESSION_S
                         ? l->wish.length_s
                         : SESSION_S;
    struct session made = {.who = l->who,
        .read_only = l->wish.read_only,
        .level_most = l->wish.level_most,
        .made_at = now,
        .used_at = now,
        .end_at = now + length,
        .login = l->hash,
        .tokens = SESSION_BURST,
        .tokens_at = (double)now,
        .here = true};

    if (!place || secret_name(made.id, err) < 0
        || secret_make(ret->secret, &made.secret, err) < 0)
        return EXCHANGE_FULL;
    snprintf(made.peer, sizeof made.peer, "%s", peer);
    snprintf(made.who.session, sizeof made.who.session, "%s", made.id);
    made.who.read_only = made.read_only;
    made.who.level_most = made.level_most;
    *place = made;
    ret->session = place;
    l->end_at = 0;
    return EXCHANGE_DONE;
}

/* Whose session was made of this login. */
static struct session *find_by_login(struct sessions *s, const struct secret_hash *hash)
{
    struct session *found = NULL;

    for (size_t i = 0; i < SESSIONS_MAX; i++)
        if (secret_equal(&s->all[i].login, hash) && s->all[i].here)
            found = &s->all[i];
    return found;
}

static struct login *find_login(
    struct sessions *s, const struct secret_hash *hash, int64_t now)
{
    struct login *found = NULL;

    for (size_t i = 0; i < LOGINS_MAX; i++)
        if (secret_equal(&s->logins[i].hash, hash) && is_waiting(&s->logins[i], now))
            found = &s->logins[i];
    return found;
}

enum exchange sessions_exchange(struct sessions *s, const char *login, const char *peer,
    int64_t now, struct exchanged *ret, struct err *err)
{
    struct secret_hash hash;
    struct session *first = NULL;
    struct login *l = NULL;

    *ret = (struct exchanged){.session = NULL};
    if (secret_read(login, &hash)) {
        l = find_login(s, &hash, now);
        first = find_by_login(s, &hash);
    }
    if (l) {
        snprintf(ret->user, sizeof ret->user, "%s", l->who.user);
        return fill_place(s, l, peer, now, ret, err);
    }
    ret->again_s = first ? 0 : closed_for(s, peer, now);
    if (ret->again_s) { /* who has a login is never kept out */
        err_set(err, ERR_DENIED,
            "too many logins from %.60s failed: none that fails is looked at for the "
            "next %u seconds",
            peer, ret->again_s);
        return EXCHANGE_LATER;
    }
    if (!first) {
        count_failure(s, peer, now);
        err_set(err, ERR_DENIED,
            "this login is not valid: it serves once, within a minute; run `maui "
            "dashboard`");
        return EXCHANGE_UNKNOWN;
    }
    snprintf(ret->ended, sizeof ret->ended, "%s", first->id);
    snprintf(ret->user, sizeof ret->user, "%s", first->who.user);
    end_session(s, first,
        "your login was used a second time, by whomever; both are ended: run `maui "
        "dashboard`");
    /* who has it did not guess it */
    err_set(err, ERR_DENIED,
        "this login was used before; the session that it opened is ended too: run "
        "`maui dashboard`");
    return EXCHANGE_TWICE;
}

static bool is_over(const struct session *e, int64_t now)
{
    return now >= e->end_at || now - e->used_at >= SESSION_IDLE_S;
}

const struct session *sessions_find(
    struct sessions *s, const char *secret, int64_t now, const char **ret_why)
{
    struct session *found = NULL;
    struct secret_hash hash;

    *ret_why = NULL;
    if (!secret_read(secret, &hash))
        return NULL;
    for (size_t i = 0; i < SESSIONS_MAX; i++)
        if (secret_equal(&s->all[i].secret, &hash) && s->all[i].here)
            found = &s->all[i];
    for (size_t i = 0; i < ENDED_MAX && !found; i++)
        if (s->ended[i].why && secret_equal(&s->ended[i].secret, &hash))
            *ret_why = s->ended[i].why;
    if (found && is_over(found, now))
        return NULL; /* sessions_expire() tells of it */
    if (found)
        found->used_at = now;
    return found;
}

bool sessions_admit(struct sessions *s, const char *id, double now)
{
    struct session *e = find_by_id(s, id);

    if (!e)
        return false;
    e->tokens += (now - e->tokens_at) * SESSION_RATE;
    e->tokens_at = now;
    if (e->tokens > SESSION_BURST)
        e->tokens = SESSION_BURST;
    if (e->tokens < 1)
        return false;
    e->tokens -= 1;
    return true;
}

bool sessions_end(struct sessions *s, const char *id, const char *why)
{
    struct session *e = find_by_id(s, id);

    if (e)
        end_session(s, e, why);
    return e != NULL;
}

void sessions_end_all(struct sessions *s, const char *why)
{
    for (size_t i = 0; i < SESSIONS_MAX; i++)
        if (s->all[i].here)
            end_session(s, &s->all[i], why);
}

bool sessions_has(const struct sessions *s, const char *id)
{
    return find_by_id(s, id) != NULL;
}

int64_t sessions_expire(struct sessions *s, int64_t now,
    void (*ended)(void *ctx, const struct session *which), void *ctx)
{
    int64_t next = 0;

    for (size_t i = 0; i < SESSIONS_MAX; i++) {
        struct session *e = &s->all[i];
        if (!e->here)
            continue;
        if (is_over(e, now)) {
            if (ended)
                ended(ctx, e);
            end_session(s, e, "your session is over: run `maui dashboard`");
            continue;
        }
        int64_t idle_at = e->used_at + SESSION_IDLE_S;
        int64_t at = idle_at < e->end_at ? idle_at : e->end_at;
        if (!next || at < next)
            next = at;
    }
    return next;
}

const struct session *sessions_at(const struct sessions *s, size_t i)
{
    for (size_t k = 0; k < SESSIONS_MAX; k++)
        if (s->all[k].here && i-- == 0)
            return &s->all[k];
    return NULL;
}
