/* SPDX-License-Identifier: Apache-2.0
 * OpenPBS's client library, as far as it is called, before a recorded server: each call
 * is one of the commands of recorded.py. Made by the test that needs it. */
#include "rm/pbs/library.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NUMBERS 14848 /* exit statuses are errors modulo 256 */
#define GONE    15031

static int the_error;
static char said[1000];

int *__pbs_errno_location(void)
{
    return &the_error;
}

const char *pbs_geterrmsg(int line)
{
    (void)line;
    return said;
}

/* What it prints, owned; NULL: it failed, and `the_error` and `said` are set. No shell.
 */
static char *run(const char *const *argv)
{
    size_t size = 0, n;
    char part[4096], *out = calloc(1, 1);
    int fds[2], status;
    FILE *f;

    if (pipe(fds) < 0)
        abort();
    pid_t pid = fork();
    if (pid == 0) {
        dup2(fds[1], 1);
        dup2(fds[1], 2);
        setenv("TZ", "UTC", 1);
        execvp(argv[0], (char *const *)argv);
        _exit(255);
    }
    close(fds[1]);
    f = fdopen(fds[0], "r");
    while ((n = fread(part, 1, sizeof part, f)) > 0) {
        out = realloc(out, size + n + 1);
        memcpy(out + size, part, n);
        out[size += n] = '\0';
    }
    fclose(f);
    waitpid(pid, &status, 0);
    the_error = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return out;
    the_error = WIFEXITED(status) && WEXITSTATUS(status) != 255
                    ? NUMBERS + WEXITSTATUS(status)
                    : GONE;
    snprintf(said, sizeof said, "%.*s", (int)strcspn(out, "\n"), out);
    free(out);
    return NULL;
}

static int order(const char *const *argv)
{
    free(run(argv));
    return the_error;
}

/* A real one passes the id on as it is, and the node does not know a job by its number
 * alone. */
static int order_job(const char *const *argv, const char *id)
{
    if (strchr(id, '.') != NULL)
        return order(argv);
    snprintf(said, sizeof said, "PBS server internal error");
    return the_error = 15011;
}

int pbs_connect(const char *server)
{
    const char *const argv[] = {"qstat", "-Q", "-f", NULL};

    (void)server;
    return order(argv) == 0 ? 1 : -1;
}

int pbs_disconnect(int line)
{
    (void)line;
    return 0;
}

/* ---- answers ---- */

static char *text_of(const json_t *v)
{
    char number[40];

    if (json_is_string(v))
        return strdup(json_string_value(v));
    snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
    return strdup(number);
}

static char *join(const json_t *list)
{
    char text[4096] = "";

    for (size_t i = 0; i < json_array_size(list); i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s",
            i > 0 ? ", " : "", json_string_value(json_array_get(list, i)));
    return strdup(text);
}

static void add(
    struct pbs_status *s, const char *name, const char *resource, char *value)
{
    struct pbs_attribute *a = calloc(1, sizeof *a);

    *a = (struct pbs_attribute){s->attributes, strdup(name),
        resource ? strdup(resource) : NULL, value, PBS_SET};
    s->attributes = a;
}

/* The ids: in full, as they were told; NULL: all. Members of an array, where they are
 * asked for, by its own. */
static bool is_asked_for(const char *id, const char *ids, bool members)
{
    char wanted[200], among[100000];
    const char *open = strchr(id, '['), *close = open ? strchr(open, ']') : NULL;
    bool member = close != NULL && close > open + 1;

    if (member && !members)
        return false;
    snprintf(among, sizeof among, ",%s,", ids != NULL ? ids : "");
    snprintf(wanted, sizeof wanted, ",%s,", id);
    if (ids == NULL || strstr(among, wanted) != NULL)
        return true;
    if (member)
        snprintf(wanted, sizeof wanted, ",%.*s[%s,", (int)(open - id), id, close);
    return member && strstr(among, wanted) != NULL;
}

static struct pbs_status *convert(
    char *text, const char *member, const char *ids, bool members)
{
    json_t *doc = text != NULL ? json_loads(text, 0, NULL) : NULL, *o, *v, *w;
    struct pbs_status *all = NULL, **end = &all;
    const char *id, *name, *resource;

    json_object_foreach(json_object_get(doc, member), id, o)
    {
        struct pbs_status *s;

        if (!is_asked_for(id, ids, members))
            continue;
        s = calloc(1, sizeof *s);
        *s = (struct pbs_status){.name = strdup(id)};
        *end = s;
        end = &s->next;
        json_object_foreach(o, name, v) if (json_is_array(v))
            add(s, name, NULL, join(v));
        else if (!json_is_object(v)) add(s, name, NULL, text_of(v));
        else json_object_foreach(v, resource, w) add(s, name, resource, text_of(w));
    }
    json_decref(doc);
    free(text);
    return all;
}

struct pbs_status *pbs_statjob(
    int line, const char *ids, const struct pbs_attribute *wanted, const char *extend)
{
    const char *const now[] = {"qstat", "-t", "-f", "-F", "json", NULL};
    const char *const past[] = {"qstat", "-x", "-t", "-f", "-F", "json", NULL};

    const char *kinds = extend != NULL ? extend : "";

    (void)line;
    (void)wanted;
    return convert(run(strchr(kinds, 'x') != NULL ? past : now), "Jobs", ids,
        strchr(kinds, 't') != NULL);
}

static int64_t seconds_of(const char *text)
{
    struct tm tm = {0};

    return strptime(text, "%a %b %d %H:%M:%S %Y", &tm) != NULL
               ? timegm(&tm)
               : strtoll(text, NULL, 10);
}

static bool has_changed(const struct pbs_status *s, const struct pbs_attribute *since)
{
    for (const struct pbs_attribute *a = s->attributes; a != NULL; a = a->next)
        if (strcmp(a->name, "mtime") == 0)
            return seconds_of(a->value) >= strtoll(since->value, NULL, 10);
    return false;
}

/* By mtime alone, as that is what is asked for; "x": of the history too. */
struct pbs_status *pbs_selstat(int line, const struct pbs_attribute *that,
    const struct pbs_attribute *wanted, const char *extend)
{
    const char *const now[] = {"qstat", "-f", "-F", "json", NULL};
    const char *const past[] = {"qstat", "-x", "-f", "-F", "json", NULL};
    bool ended = extend != NULL && strchr(extend, 'x') != NULL;
    struct pbs_status *all = convert(run(ended ? past : now), "Jobs", NULL, false),
                      **at = &all;

    (void)line;
    (void)wanted;
    if (strcmp(that->name, "mtime") != 0 || that->op != PBS_AT_LEAST)
        abort();
    while (*at != NULL)
        if (strchr((*at)->name, '[') == NULL && has_changed(*at, that))
            at = &(*at)->next;
        else
            *at = (*at)->next;
    return all;
}

struct pbs_status *pbs_statvnode(
    int line, const char *name, const struct pbs_attribute *wanted, const char *extend)
{
    const char *const argv[] = {"pbsnodes", "-av", "-F", "json", NULL};

    (void)line;
    (void)name;
    (void)wanted;
    (void)extend;
    return convert(run(argv), "nodes", NULL, false);
}

struct pbs_status *pbs_statque(
    int line, const char *name, const struct pbs_attribute *wanted, const char *extend)
{
    const char *const argv[] = {"qstat", "-Q", "-f", NULL};
    struct pbs_status *s = NULL;
    char *text = run(argv);

    (void)line;
    (void)name;
    (void)wanted;
    (void)extend;
    for (char *at = text; at != NULL && (at = strstr(at, "Queue: ")) != NULL; at += 7) {
        struct pbs_status *q = calloc(1, sizeof *q);
        const char *started = strstr(at, "started = ");

        *q = (struct pbs_status){
            .next = s, .name = strndup(at + 7, strcspn(at + 7, "\n"))};
        if (started != NULL)
            add(q, "started", NULL, strndup(started + 10, strcspn(started + 10, "\n")));
        s = q;
    }
    free(text);
    return s;
}

void pbs_statfree(struct pbs_status *s)
{
    (void)s; /* a test's */
}

/* ---- orders ---- */

int pbs_asyrunjob_ack(int line, const char *id, const char *where, const char *extend)
{
    const char *const argv[] = {"qrun", "-a", "-H", where, id, NULL};

    (void)line;
    (void)extend;
    return order_job(argv, id);
}

int pbs_alterjob(int line, const char *id, struct pbs_attribute *a, const char *extend)
{
    char change[1000];
    bool comment = a->resource == NULL;
    const char *const argv[] = {"qalter", comment ? "-W" : "-l", change, id, NULL};

    (void)line;
    (void)extend;
    snprintf(change, sizeof change, "%s=%s", comment ? a->name : a->resource, a->value);
    return order_job(argv, id);
}

static int order_kinds(const char *command, const char *id, const char *kinds)
{
    const char *const argv[] = {command, "-h", kinds, id, NULL};

    return order_job(argv, id);
}

int pbs_holdjob(int line, const char *id, const char *kinds, const char *extend)
{
    (void)line;
    (void)extend;
    return order_kinds("qhold", id, kinds);
}

int pbs_rlsjob(int line, const char *id, const char *kinds, const char *extend)
{
    (void)line;
    (void)extend;
    return order_kinds("qrls", id, kinds);
}

int pbs_deljob(int line, const char *id, const char *extend)
{
    const char *const argv[] = {"qdel", id, NULL};

    (void)line;
    (void)extend;
    return order_job(argv, id);
}

int pbs_sigjob(int line, const char *id, const char *name, const char *extend)
{
    const char *const argv[] = {"qsig", "-s", name, id, NULL};

    (void)line;
    (void)extend;
    return order_job(argv, id);
}

int pbs_rerunjob(int line, const char *id, const char *extend)
{
    const char *const argv[] = {"qrerun", id, NULL};

    (void)line;
    (void)extend;
    return order_job(argv, id);
}
