/* SPDX-License-Identifier: Apache-2.0
 * A GOLD server is asked. A job is known there by its run and machine ("7.r3@c1"),
 * so that two runs of one job are two charges, one that was charged is known again, and
 * jobs of several machines at one server are not taken for each other. That is the
 * "name" of what is told. A run that has none began with an older release, and is known
 * by the run alone, or by the run and machine: what was kept or charged may be under
 * either. */
#include "am/bank/bank.h"
#include "am/bank/sssrmap.h"
#include "base/xalloc.h"

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY_MAX    1000
#define ANSWER_MAX (1 << 20)

/* ---- the key --------------------------------------------------------------------- */

static int read_key(const char *path, char *ret, size_t size, struct err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    FILE *f;

    if (fd < 0)
        return err_set(err, ERR_IO, "KEYFILE %s: %s", path, strerror(errno));
    if (fstat(fd, &st) < 0 || (st.st_mode & 077) || !S_ISREG(st.st_mode)) {
        close(fd);
        return err_set(err, ERR_DENIED,
            "KEYFILE %s: others can read it: chmod 600 makes it secret", path);
    }
    f = fdopen(fd, "r");
    *ret = 0;
    if (!f || !fgets(ret, (int)size, f))
        *ret = 0;
    if (f)
        fclose(f);
    ret[strcspn(ret, "\r\n")] = 0;
    return *ret ? 0
                : err_set(err, ERR_INVALID, "KEYFILE %s: there is no key in it", path);
}

/* ---- one exchange ---------------------------------------------------------------- */

struct upload {
    const char *text;
    size_t len, at;
};

static size_t on_upload(char *to, size_t size, size_t n, void *ctx)
{
    struct upload *u = ctx;
    size_t part = u->len - u->at < size * n ? u->len - u->at : size * n;

    memcpy(to, u->text + u->at, part);
    u->at += part;
    return part;
}

static size_t on_answer(char *from, size_t size, size_t n, void *ctx)
{
    struct strbuf *out = ctx;

    if (out->len + size * n > ANSWER_MAX)
        return 0;
    strbuf_add_n(out, from, size * n);
    return size * n;
}

/* Where and for how long. */
struct exchange {
    const char *host, *port;
    long timeout_s;
    long connect_s; /* 0: as long */
    bool reached;   /* somebody was there, and may have taken it */
};

static int exchange_documents(
    struct exchange *x, const char *document, struct strbuf *answer, struct err *err)
{
    struct upload upload = {document, strlen(document), 0};
    struct curl_slist *headers =
        curl_slist_append(NULL, "Content-Type: text/xml; charset=\"utf-8\"");
    CURL *curl = curl_easy_init();
    curl_off_t sent_at = 0;
    char url[400];
    CURLcode code;

    headers = curl_slist_append(headers, "Transfer-Encoding: chunked");
    headers = curl_slist_append(headers, "Expect:");
    snprintf(url, sizeof url, "http://%s:%s/SSSRMAP3", x->host, x->port);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_POST, 1L);
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_READFUNCTION, on_upload);
    curl_easy_setopt(curl, CURLOPT_READDATA, &upload);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_answer);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, answer);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, x->timeout_s);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, x->connect_s);
    curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
    code = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_PRETRANSFER_TIME_T, &sent_at);
    x->reached = sent_at > 0 || upload.at > 0;
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    return code == CURLE_OK ? 0
                            : err_set(err, ERR_IO, "the GOLD server at %s:%s: %s",
                                x->host, x->port, curl_easy_strerror(code));
}

/* A server, its key, and what is asked of it. */
struct talk {
    const struct gold_server *g;
    const char *key;
    const struct bank_ask *ask;
    bool nobody; /* was at the first host */
};

#define FIRST_PART 4 /* of the time: all that is asked has to be done in that */

/* The other host is asked where nobody is at the first: never about what the first may
 * have taken. That is found out once. */
static int exchange_with_either(
    struct talk *t, const char *document, struct strbuf *answer, struct err *err)
{
    const char *backup = strchr(t->g->hosts, ',');
    long timeout_s = t->g->timeout_s;
    char *host = xstrdup(t->g->hosts);
    struct exchange x = {.host = host, .port = t->g->port, .timeout_s = timeout_s};
    int result = -1;

    host[strcspn(host, ",")] = 0;
    if (backup)
        x.connect_s = timeout_s > FIRST_PART ? timeout_s / FIRST_PART : 1;
    if (!t->nobody) {
        result = exchange_documents(&x, document, answer, err);
        t->nobody = result < 0 && backup && !x.reached;
    }
    if (t->nobody) {
        x.host = backup + 1;
        x.connect_s = 0;
        result = exchange_documents(&x, document, answer, err);
    }
    free(host);
    return result;
}

/* ---- requests -------------------------------------------------------------------- */

static void add_element(struct strbuf *out, const char *name, const char *text)
{
    if (!*text)
        return;
    strbuf_printf(out, "<%s>", name);
    sssrmap_escape(out, text);
    strbuf_printf(out, "</%s>", name);
}

static void add_count(struct strbuf *out, const char *name, long long n)
{
    if (n > 0)
        strbuf_printf(out, "<%s>%lld</%s>", name, n, name);
}

#define NAMES 2

/* By which names the run may be known there: the first is the one that it gets. */
static size_t find_names(const struct bank_ask *ask, char *ret[NAMES])
{
    const char *name = bank_text(ask, "name"), *machine = bank_text(ask, "machine");
    struct strbuf both = {0};

    ret[0] = xstrdup(*name ? name : bank_text(ask, "run"));
    ret[1] = NULL;
    if (*name || !*machine)
        return 1;
    strbuf_printf(&both, "%s@%s", ret[0], machine);
    ret[1] = strbuf_take(&both);
    return 2;
}

static void add_job(struct strbuf *out, const struct bank_ask *ask, const char *name)
{
    long long seconds = bank_number(ask, "seconds"), at = bank_number(ask, "at");
    bool charge = strcmp(ask->verb, "charge") == 0;

    strbuf_add(out, "<Data><Job>");
    add_element(out, "JobId", name);
    add_element(out, "UserId", bank_text(ask, "user"));
    add_element(out, "ProjectId", bank_text(ask, "account"));
    add_element(out, "MachineName", bank_text(ask, "machine"));
    add_element(out, "QualityOfService", bank_text(ask, "qos"));
    add_element(out, "Queue", bank_text(ask, "class"));
    add_count(out, "Processors", bank_number(ask, "procs"));
    add_count(out, "Nodes", bank_number(ask, "nodes"));
    add_count(out, "Memory", bank_number(ask, "memory_mb"));
    add_count(out, "QuoteId", bank_number(ask, "quote"));
    strbuf_printf(out, "<WallDuration>%lld</WallDuration>", seconds);
    add_count(out, "StartTime", charge ? at - seconds : at);
    add_count(out, "EndTime", charge ? at : 0);
    strbuf_add(out, "</Job></Data>");
}

static void begin_request(struct strbuf *out, const char *action, const char *object)
{
    strbuf_printf(out,
        "<Body><Request action=\"%s\" actor=\"root\"><Object>%s</Object>", action,
        object);
}

static char *end_request(struct strbuf *out)
{
    strbuf_add(out, "</Request></Body>");
    return strbuf_take(out);
}

static char *make_release(const char *name)
{
    struct strbuf out = {0};

    begin_request(&out, "Delete", "Reservation");
    strbuf_add(&out, "<Where name=\"Name\">");
    sssrmap_escape(&out, name);
    strbuf_add(&out, "</Where>");
    return end_request(&out);
}

static char *make_move(const struct bank_ask *ask, const char *name)
{
    bool lien = strcmp(ask->verb, "lien") == 0;
    struct strbuf out = {0};

    begin_request(&out, lien ? "Reserve" : "Charge", "Job");
    if (lien)
        strbuf_add(&out, "<Option name=\"Replace\">True</Option>");
    add_job(&out, ask, name);
    return end_request(&out);
}

static char *make_query(const char *name)
{
    struct strbuf out = {0};

    begin_request(&out, "Query", "Job");
    strbuf_add(&out, "<Get name=\"Charge\"></Get><Where name=\"JobId\">");
    sssrmap_escape(&out, name);
    strbuf_add(&out, "</Where>");
    return end_request(&out);
}

/* Takes the body. */
static int ask_server(
    struct talk *t, char *body, struct sssrmap_response *ret, struct err *err)
{
    char *document = sssrmap_envelope(body, t->key);
    struct strbuf answer = {0};
    int result = exchange_with_either(t, document, &answer, err);

    if (result == 0)
        result =
            sssrmap_read(answer.text ? answer.text : "", answer.len, t->key, ret, err);
    free(answer.text);
    free(document);
    free(body);
    return result;
}

/* By its code, never by its text. A lien that the bank cannot judge is no refusal of
 * the job; a charge or release that it never will take is not sent for ever. */
static enum bank_answer answer_of(
    const struct bank_ask *ask, const struct sssrmap_response *r, struct err *err)
{
    bool lien = strcmp(ask->verb, "lien") == 0;

    if (r->code >= 0 && r->code < 100)
        return BANK_DONE;
    err_set(err, ERR_CONFLICT, "%s (code %03d)", *r->message ? r->message : "no reason",
        r->code);
    if (r->code == 782 || r->code == 784 || (!lien && r->code >= 300 && r->code != 444))
        return BANK_REFUSED;
    return lien && r->code >= 0 ? BANK_UNSURE : BANK_LATER;
}

/* Was it charged by a message whose answer was lost? Anything but DONE: nobody knows,
 * and it is not charged on the chance. */
static enum bank_answer was_charged(
    struct talk *t, const char *name, bool *ret, struct err *err)
{
    struct sssrmap_response r = {.code = -1};

    if (ask_server(t, make_query(name), &r, err) < 0)
        return BANK_LATER;
    *ret = *ret || strtod(r.charge, NULL) > 0;
    if (r.code >= 0 && r.code < 100)
        return BANK_DONE;
    err_set(err, ERR_CONFLICT, "whether it was charged already: %s (code %03d)",
        *r.message ? r.message : "no answer", r.code);
    return r.code >= 0 && r.code != 444 ? BANK_UNSURE : BANK_LATER;
}

/* Takes the body. */
static enum bank_answer ask_for_it(struct talk *t, char *body, struct err *err)
{
    struct sssrmap_response r = {.code = -1};

    if (ask_server(t, body, &r, err) < 0)
        return BANK_LATER;
    return answer_of(t->ask, &r, err);
}

static enum bank_answer release_all(
    struct talk *t, char **names, size_t n, struct err *err)
{
    enum bank_answer answer = BANK_DONE;

    for (size_t i = 0; i < n && answer == BANK_DONE; i++)
        answer = ask_for_it(t, make_release(names[i]), err);
    return answer;
}

/* A charge takes away what was kept by the name that it has. */
static enum bank_answer charge_once(
    struct talk *t, char **names, size_t n, struct err *err)
{
    enum bank_answer answer = BANK_DONE;
    bool charged = false;

    for (size_t i = 0; i < n && t->ask->again && !charged; i++) {
        answer = was_charged(t, names[i], &charged, err);
        if (answer != BANK_DONE)
            return answer;
    }
    if (!charged)
        answer = ask_for_it(t, make_move(t->ask, names[0]), err);
    return answer == BANK_DONE && n > 1 ? release_all(t, names, n, err) : answer;
}

enum bank_answer gold_tell(
    const struct gold_server *g, const struct bank_ask *ask, struct err *err)
{
    char key[KEY_MAX], *names[NAMES];
    struct talk t = {g, key, ask, false};
    enum bank_answer answer;
    size_t n;

    if (read_key(g->key_file, key, sizeof key, err) < 0)
        return BANK_LATER;
    n = find_names(ask, names);
    if (strcmp(ask->verb, "release") == 0)
        answer = release_all(&t, names, n, err);
    else if (strcmp(ask->verb, "charge") == 0)
        answer = charge_once(&t, names, n, err);
    else
        answer = ask_for_it(&t, make_move(ask, names[0]), err);
    for (size_t i = 0; i < n; i++)
        free(names[i]);
    return answer;
}
