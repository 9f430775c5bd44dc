/* SPDX-License-Identifier: Apache-2.0
 * Mail to owners of jobs. */
#include "server/events/mail.h"

#include "base/duration.h"
#include "config/mailtext.h"
#include "config/settings.h"
#include "server/events/notify.h"
#include "server/events/programs.h"
#include "server/managers/manager.h"
#include "server/server_private.h"

#include <errno.h>
#include <pwd.h>
#include <time.h>
#include <unistd.h>
#include <uthash.h>

#define NODES_SHOWN 32
#define NAME_SHOWN  60

/* One mail that waits for the commit. */
struct letter {
    char *user, *addresses, *text; /* owned */
};

/* How many a user was sent in the present minute. */
struct sent {
    UT_hash_handle hh;
    char *user; /* owned */
    unsigned n;
};

struct mail {
    struct programs *programs;
    char *program; /* path, NULL = none */
    bool off;      /* MAILPROGRAM NONE */
    struct VEC(struct letter) waiting;
    int64_t minute; /* since 1970, of what `sent` counts */
    struct sent *sent;
};

/* ---- parameters ---- */

void mail_configure(struct server *s)
{
    const char *file = s->config->settings->daemon.mail_program;
    struct mail *m = s->events.mail;

    free(m->program);
    m->off = !file || !*file || strcasecmp(file, "NONE") == 0;
    m->program = m->off ? NULL : notify_path(s, file);
    if (!m->program || access(m->program, X_OK) == 0)
        return;
    log_line(s->log, LOG_ALERT,
        "MAILPROGRAM '%s' cannot be executed: no mail is sent (%s)", m->program,
        strerror(errno));
    free(m->program);
    m->program = NULL;
}

int mail_open(struct server *s, struct err *err)
{
    struct mail *m = s->events.mail = xcalloc(1, sizeof *m);

    m->programs = programs_open(s->loop,
        &(struct programs_options){
            .log = s->log, .directory = "/", .at_once = 4, .waiting_max = 500},
        err);
    if (!m->programs)
        return -1;
    mail_configure(s);
    return 0;
}

static void letter_fini(struct letter *l)
{
    free(l->user);
    free(l->addresses);
    free(l->text);
}

static void forget_sent(struct mail *m)
{
    struct sent *t, *next;

    HASH_ITER(hh, m->sent, t, next)
    {
        HASH_DEL(m->sent, t);
        free(t->user);
        free(t);
    }
}

void mail_close(struct server *s)
{
    struct mail *m = s->events.mail;

    if (!m)
        return;
    programs_close(m->programs);
    for (size_t i = 0; i < m->waiting.n; i++)
        letter_fini(&m->waiting.v[i]);
    vec_fini(&m->waiting);
    forget_sent(m);
    free(m->program);
    free(m);
    s->events.mail = NULL;
}

/* Does this daemon run the job, in earnest? */
static bool is_sender(const struct server *s, const char *job)
{
    return s->events.mail && server_acts(s) && manager_is_local(s, job);
}

const char *mail_obstacle(const struct server *s, const struct job *j)
{
    if (!j->extra || !mailtext_wants(j->extra->mail_when, "abef")
        || !is_sender(s, j->id) || s->events.mail->program)
        return NULL;
    return s->events.mail->off ? "no mail is sent here: MAILPROGRAM is NONE"
                               : "no mail is sent here: MAILPROGRAM cannot be executed";
}

/* ---- the texts ---- */

/* A text of a user as one line of printable ASCII. */
static void add_plain(struct strbuf *to, const char *text, size_t most)
{
    for (size_t i = 0; text[i] && i < most; i++)
        strbuf_add_n(to, text[i] >= ' ' && text[i] <= '~' ? &text[i] : "?", 1);
}

static void add_instant(struct strbuf *to, const char *label, int64_t at)
{
    time_t t = (time_t)at;
    struct tm tm;
    char text[60];

    if (at > 0 && localtime_r(&t, &tm)
        && strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %Z", &tm))
        strbuf_printf(to, "%s%s\n", label, text);
}

static void add_length(struct strbuf *to, const char *label, int64_t seconds)
{
    char text[DURATION_TEXT_MAX];

    duration_format(seconds, text, sizeof text);
    strbuf_printf(to, "%s%s\n", label, text);
}

/* Headers, the empty line, and the first line: "Job 17 (sim) has begun". */
static void add_head(struct strbuf *to, const char *addresses, const char *id,
    const char *name, const char *what)
{
    struct strbuf job = {0};

    strbuf_add(&job, "Job ");
    add_plain(&job, id, NAME_SHOWN);
    if (name && *name) {
        strbuf_add(&job, " (");
        add_plain(&job, name, NAME_SHOWN);
        strbuf_add(&job, ")");
    }
    strbuf_printf(to,
        "To: %s\nSubject: %s %s\nAuto-Submitted: auto-generated\n"
        "MIME-Version: 1.0\nContent-Type: text/plain; charset=us-ascii\n\n%s %s.\n\n",
        addresses, job.text, what, job.text, what);
    free(strbuf_take(&job));
}

/* Nobody counts the nodes of a wide job in a mail. */
static void add_nodes(struct strbuf *to, const struct cluster *c, const struct job *j)
{
    uint32_t n = 0;

    strbuf_add(to, "Nodes:    ");
    for (size_t i = 0; i < j->alloc.n; i++)
        for (uint32_t k = 0; k < j->alloc.v[i].count; k++, n++)
            if (n < NODES_SHOWN)
                strbuf_printf(to, "%s%s", n ? ", " : "",
                    node_at(c, j->alloc.v[i].first + k)->name);
    if (n > NODES_SHOWN)
        strbuf_printf(to, " and %u more", n - NODES_SHOWN);
    strbuf_add(to, "\n");
}

static void queue_letter(
    struct server *s, const char *user, const char *addresses, struct strbuf *text)
{
    vec_push(&s->events.mail->waiting,
        ((struct letter){xstrdup(user), xstrdup(addresses), strbuf_take(text)}));
    commit_want(s);
}

/* Those asked for, else the owner; NULL: they are not fit to be used. */
static const char *address_of(const char *asked, const char *user)
{
    const char *to = asked && *asked ? asked : user;
    struct err err;

    return to && mailtext_check_addresses(to, &err) == 0 ? to : NULL;
}

void mail_begun(struct server *s, const struct job *j)
{
    const struct cluster *c = engine_cluster(s->engine);
    const char *user = job_cred(c, j, CRED_USER)->name;
    struct strbuf text = {0};

    if (!is_sender(s, j->id) || !s->events.mail->program || !j->extra
        || !mailtext_wants(j->extra->mail_when, "b"))
        return;
    const char *to = address_of(j->extra->mail, user);
    if (!to)
        return;
    add_head(&text, to, j->id, world_notes(s, j)->name, "has begun");
    add_instant(&text, "Begin:    ", j->start_at);
    add_nodes(&text, c, j);
    if (j->wclimit_s > 0 && j->wclimit_s < DURATION_UNLIMITED)
        add_length(&text, "Limit:    ", j->wclimit_s);
    queue_letter(s, user, to, &text);
}

/* Did it come to its end by itself? A signal that nobody of us sent is its own. */
static bool ended_itself(const struct job_end *end, const char *state)
{
    return end->reason == ENDED_BY_ITSELF || end->reason == ENDED_SIGNAL
           || (end->reason == ENDED_UNKNOWN && strcmp(state, "Completed") == 0);
}

static void add_end(struct strbuf *to, const struct store_account *row,
    const struct job_end *end, bool itself)
{
    char why[JOBEND_TEXT];

    jobend_format(end, why, sizeof why);
    if (*why && (!itself || row->exit_status)) {
        strbuf_add(to, "Reason:   ");
        add_plain(to, why, sizeof why);
        strbuf_add(to, "\n");
    }
    if (row->start_at <= 0) {
        if (end->reason != ENDED_PREEMPTED) /* or its run is counted as one put aside */
            strbuf_add(to, "It never ran.\n");
        return;
    }
    add_instant(to, "Begin:    ", row->start_at);
    add_instant(to, "End:      ", row->end_at);
    add_length(to,
        "Walltime: ", row->end_at > row->start_at ? row->end_at - row->start_at : 0);
    strbuf_printf(to, "Exit status: %lld\n", (long long)row->exit_status);
    if (row->cpu_s >= 0)
        strbuf_printf(to, "Processor time: %.0f s\n", row->cpu_s);
    if (row->mem_mb > 0)
        strbuf_printf(to, "Memory: %lld MB\n", (long long)row->mem_mb);
}

void mail_ended(struct server *s, const struct store_account *row,
    const struct job_end *end, const struct job *j, const struct job_desc *desc)
{
    const char *when = j && j->extra ? j->extra->mail_when
                       : desc        ? desc->mail_when
                                     : NULL;
    const char *asked = j && j->extra ? j->extra->mail : desc ? desc->mail : NULL;
    bool itself = ended_itself(end, row->state);
    struct strbuf text = {0};
    char what[60];

    if (!is_sender(s, row->job) || !s->events.mail->program
        || end->reason == ENDED_REQUEUED
        || end->reason == ENDED_ARRAY /* msub was answered that */
        || !mailtext_wants(when, !itself            ? "aef"
                                 : row->exit_status ? "ef"
                                                    : "e"))
        return;
    const char *to = address_of(asked, row->user);
    if (!to || !row->user)
        return;
    if (itself)
        snprintf(what, sizeof what, "has ended with exit status %lld",
            (long long)row->exit_status);
    else
        snprintf(what, sizeof what, "was aborted");
    add_head(&text, to, row->job, row->name, what);
    add_end(&text, row, end, itself);
    queue_letter(s, row->user, to, &text);
}

/* ---- sending ---- */

/* One more mail of the user: is there room in this minute? */
static bool count_one(struct server *s, const char *user)
{
    struct mail *m = s->events.mail;
    int64_t minute = world_now(s) / 60;
    struct sent *t = NULL;

    if (minute != m->minute)
        forget_sent(m);
    m->minute = minute;
    HASH_FIND_STR(m->sent, user, t);
    if (!t) {
        t = xcalloc(1, sizeof *t);
        t->user = xstrdup(user);
        HASH_ADD_KEYPTR(hh, m->sent, t->user, strlen(t->user), t);
    }
    if (t->n++ == MAIL_A_MINUTE)
        log_line(s->log, LOG_WARNING,
            "user %s has had %d mails in a minute: what follows in it is not sent",
            user, MAIL_A_MINUTE);
    return t->n <= MAIL_A_MINUTE;
}

static void run_program(
    struct server *s, const struct letter *l, const struct passwd *owner)
{
    const char *argv[MAILTEXT_ADDRESSES + 4] = {s->events.mail->program, "-i", "--"};
    char *copy = xstrdup(l->addresses), *rest = copy;
    struct strbuf home = {0}, user = {0}, logname = {0};
    size_t n = 3;

    while (n < MAILTEXT_ADDRESSES + 3 && (argv[n] = strtok_r(rest, ",", &rest)))
        n++;
    strbuf_printf(&home, "HOME=%s", owner ? owner->pw_dir : "/");
    strbuf_printf(&user, "USER=%s", l->user);
    strbuf_printf(&logname, "LOGNAME=%s", l->user);
    const char *const environment[] = {home.text, user.text, logname.text, NULL};
    const struct program_user as = {
        owner ? owner->pw_uid : 0, owner ? owner->pw_gid : 0};
    /* What is not run is told in the log. */
    (void)programs_run(s->events.mail->programs,
        &(struct program_call){.what = "mail program",
            .argv = argv,
            .environment = environment,
            .input = l->text,
            .as = owner ? &as : NULL},
        NULL);
    free(strbuf_take(&home));
    free(strbuf_take(&user));
    free(strbuf_take(&logname));
    free(copy);
}

/* As the owner, where the daemon can be anybody; else it has jobs of its own user. */
static void send_letter(struct server *s, const struct letter *l)
{
    const struct passwd *owner = NULL;

    if (!s->events.mail->program || !count_one(s, l->user))
        return;
    if (geteuid() == 0 && !(owner = getpwnam(l->user))) {
        log_line(s->log, LOG_WARNING,
            "a mail of user %s is not sent: the system does not know the user",
            l->user);
        return;
    }
    run_program(s, l, owner);
}

void mail_committed(struct server *s)
{
    struct mail *m = s->events.mail;

    for (size_t i = 0; m && i < m->waiting.n; i++) {
        send_letter(s, &m->waiting.v[i]);
        letter_fini(&m->waiting.v[i]);
    }
    if (m)
        m->waiting.n = 0;
}
