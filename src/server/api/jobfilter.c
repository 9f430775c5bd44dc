/* SPDX-License-Identifier: Apache-2.0
 * Which jobs of a list are wanted, in words. */
#include "server/api/jobfilter.h"

#include "base/duration.h"
#include "base/nearest.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "policy/acl.h"
#include "policy/holds.h"
#include "policy/reason.h"
#include "server/api/identity.h"
#include "server/render/render.h"
#include "server/server_private.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TERMS_MAX  32
#define FILTER_MAX 1000 /* bytes: each job is compared with all of it */

/* ---- what a job has ---- */

struct subject {
    struct server *s;
    const struct cluster *c;
    const struct job *j;
    const struct identity *who;
    bool hidden; /* what is its owner's alone is not for the caller: name, deadline */
};

static const char *text_of_cred(const struct subject *o, int kind)
{
    return job_cred(o->c, o->j, (enum cred_kind)kind)->name;
}

static const char *text_of_id(const struct subject *o, int arg)
{
    (void)arg;
    return o->j->id;
}

static const char *text_of_name(const struct subject *o, int arg)
{
    const char *name = o->hidden ? NULL : world_notes(o->s, o->j)->name;

    (void)arg;
    return name ? name : "";
}

static const char *text_of_state(const struct subject *o, int shown)
{
    return shown ? hold_shown_state(o->j) : job_state_name((enum job_state)o->j->state);
}

static const char *text_of_section(const struct subject *o, int arg)
{
    (void)arg;
    return render_section_name(render_section(o->j));
}

/* A hold that its resource manager knows is a state there. */
enum wait_code jobfilter_code(const struct job *j)
{
    return j->why.code == WAIT_STATE && (j->holds | j->rm_hold)
               ? WAIT_HOLD
               : (enum wait_code)j->why.code;
}

const char *jobfilter_reason(enum wait_code code)
{
    return code == WAIT_NONE ? "turn" : reason_code_name(code);
}

static const char *text_of_reason(const struct subject *o, int arg)
{
    enum section at = render_section(o->j);

    (void)arg;
    return at == SECTION_ELIGIBLE || at == SECTION_BLOCKED
               ? jobfilter_reason(jobfilter_code(o->j))
               : "";
}

static int64_t number_of_procs(const struct subject *o)
{
    return o->j->procs;
}

static int64_t number_of_nodes(const struct subject *o)
{
    return o->j->nodes;
}

static int64_t number_of_priority(const struct subject *o)
{
    return job_priority(o->c, o->j);
}

static int64_t number_of_wait(const struct subject *o)
{
    int64_t until =
        job_is_active(o->j) && o->j->start_at ? o->j->start_at : world_now(o->s);

    return until - o->j->submit_at;
}

static int64_t number_of_limit(const struct subject *o)
{
    return o->j->wclimit_s;
}

static int64_t number_of_held(const struct subject *o)
{
    return (o->j->holds | o->j->rm_hold) != 0;
}

static int64_t number_of_deadline(const struct subject *o)
{
    return !o->hidden && o->j->extra && o->j->extra->deadline_at;
}

/* ---- reservations: of those that the caller may see ---- */

static bool is_on(const struct subject *o, const struct reservation *r)
{
    for (size_t i = 0; i < o->j->alloc.n; i++)
        for (uint32_t k = 0; k < o->j->alloc.v[i].count; k++)
            if (reservation_tasks_on(o->c, r, o->j->alloc.v[i].first + k) > 0)
                return true;
    return false;
}

static bool is_in(const struct subject *o, struct reservation *r)
{
    return job_is_active(o->j) && r->state == RSV_ACTIVE && is_on(o, r)
           && acl_decide_job(
               o->c, r, o->j, acl_overlap(r, o->j->start_at, o->j->end_at))
                  .granted;
}

static bool wants_reservation(const struct subject *o, struct reservation *r)
{
    if (job_is_active(o->j)
        || !((o->j->flags & JOB_ADVRES) || (o->j->extra && o->j->extra->advres)))
        return false;
    struct acl_asker asker = acl_asker_of(o->c, o->j);
    return acl_names(&asker, r);
}

static bool holds_for_reservation(const struct subject *o, const char *name,
    bool (*holds)(const struct subject *o, struct reservation *r))
{
    struct reservation *r = o->hidden ? NULL : reservation_find(o->c, name);

    return r && reservation_is_live(r) && identity_sees(o->who, o->c, r) && holds(o, r);
}

static const struct field {
    const char *name;
    const char *(*text)(const struct subject *o, int arg);
    int arg;
    int64_t (*number)(const struct subject *o);
    bool time; /* the number is of seconds */
    bool (*reservation)(const struct subject *o, struct reservation *r);
} fields[] = {{"id", text_of_id, 0, NULL, false, NULL},
    {"name", text_of_name, 0, NULL, false, NULL},
    {"user", text_of_cred, CRED_USER, NULL, false, NULL},
    {"group", text_of_cred, CRED_GROUP, NULL, false, NULL},
    {"account", text_of_cred, CRED_ACCOUNT, NULL, false, NULL},
    {"class", text_of_cred, CRED_CLASS, NULL, false, NULL},
    {"qos", text_of_cred, CRED_QOS, NULL, false, NULL},
    {"state", text_of_state, 0, NULL, false, NULL},
    {"section", text_of_section, 0, NULL, false, NULL},
    {"reason", text_of_reason, 0, NULL, false, NULL},
    {"procs", NULL, 0, number_of_procs, false, NULL},
    {"nodes", NULL, 0, number_of_nodes, false, NULL},
    {"priority", NULL, 0, number_of_priority, false, NULL},
    {"wait", NULL, 0, number_of_wait, true, NULL},
    {"limit", NULL, 0, number_of_limit, true, NULL},
    {"held", NULL, 0, number_of_held, false, NULL},
    {"deadline", NULL, 0, number_of_deadline, false, NULL},
    {"in", NULL, 0, NULL, false, is_in},
    {"wants", NULL, 0, NULL, false, wants_reservation}};
#define FIELDS (sizeof fields / sizeof fields[0])

/* What a word alone is looked for in. */
static const char *const everywhere[] = {
    "id", "name", "user", "account", "class", "qos"};

/* ---- words ---- */

struct term {
    const struct field *field; /* NULL: a word alone */
    char op;                   /* ':' '>' '<' */
    char *text;                /* owned: a word, or words between commas */
    int64_t number;
};

struct jobfilter {
    struct VEC(struct term) terms;
};

static const struct field *find_field(const char *name, size_t n)
{
    for (size_t i = 0; i < FIELDS; i++)
        if (strlen(fields[i].name) == n && strncasecmp(fields[i].name, name, n) == 0)
            return &fields[i];
    return NULL;
}

static int refuse_field(const char *name, size_t n, struct err *err)
{
    struct nearest near;
    char text[40];

    snprintf(text, sizeof text, "%.*s", (int)n, name);
    nearest_init(&near, text);
    for (size_t i = 0; i < FIELDS; i++)
        nearest_offer(&near, fields[i].name);
    const char *best = nearest_best(&near);
    return err_set(err, ERR_INVALID, "q: jobs have no '%s' to look for%s%s%s", text,
        best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
}

/* 90, 90s, 15m, 4h, 2d, or as the commands write it: 1:00:00. */
static int read_seconds(const char *text, int64_t *ret, struct err *err)
{
    static const struct {
        char letter;
        int64_t seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    char *end;

    errno = 0;
    long long n = strtoll(text, &end, 10);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (end != text && errno == 0 && n >= 0 && n < 1000000
            && tolower((unsigned char)*end) == units[i].letter && !end[1]) {
            *ret = n * units[i].seconds;
            return 0;
        }
    return duration_parse(text, ret, err);
}

static int read_number(struct term *t, struct err *err)
{
    char *end;

    if (t->field->time)
        return read_seconds(t->text, &t->number, err) < 0
                   ? err_prefix(err, "q: %s: ", t->field->name)
                   : 0;
    errno = 0;
    t->number = strtoll(t->text, &end, 10);
    if (errno || end == t->text || *end)
        return err_set(err, ERR_INVALID, "q: %s: '%.40s' is not a whole number",
            t->field->name, t->text);
    return 0;
}

static int read_term(const char *word, size_t n, struct term *ret, struct err *err)
{
    size_t name = 0;

    while (name < n && !strchr(":<>", word[name]))
        name++;
    *ret = (struct term){.op = ':'};
    if (name == n) {
        ret->text = xstrndup(word, n);
        return 0;
    }
    ret->field = find_field(word, name);
    if (!ret->field)
        return refuse_field(word, name, err);
    ret->op = word[name];
    ret->text = xstrndup(word + name + 1, n - name - 1);
    if (!ret->text[0])
        return err_set(
            err, ERR_INVALID, "q: %s: of what? nothing follows", ret->field->name);
    if (ret->field->number)
        return read_number(ret, err);
    if (ret->op != ':')
        return err_set(err, ERR_INVALID, "q: %s is a name: expected %s:NAME",
            ret->field->name, ret->field->name);
    return 0;
}

int jobfilter_parse(const char *text, struct jobfilter **ret, struct err *err)
{
    struct jobfilter *f = xcalloc(1, sizeof *f);
    static const char blanks[] = " \t\r\n";

    *ret = NULL;
    if (strlen(text) > FILTER_MAX) {
        free(f);
        return err_set(err, ERR_INVALID, "q: longer than %d bytes", FILTER_MAX);
    }
    for (const char *p = text + strspn(text, blanks); *p; p += strspn(p, blanks)) {
        size_t n = strcspn(p, blanks);
        struct term t = {0};
        bool good =
            f->terms.n < TERMS_MAX
                ? read_term(p, n, &t, err) == 0
                : (err_set(err, ERR_INVALID, "q: more than %d words", TERMS_MAX),
                    false);
        vec_push(&f->terms, t);
        if (!good) {
            jobfilter_free(f);
            return -1;
        }
        p += n;
    }
    if (!f->terms.n) {
        jobfilter_free(f);
        return 0;
    }
    *ret = f;
    return 0;
}

void jobfilter_free(struct jobfilter *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->terms.n; i++)
        free(f->terms.v[i].text);
    vec_fini(&f->terms);
    free(f);
}

/* ---- jobs ---- */

static bool is_among(const char *list, const char *word)
{
    size_t len = strlen(word);

    for (const char *p = list; *p;) {
        size_t n = strcspn(p, ",");
        if (n == len && strncasecmp(p, word, n) == 0)
            return true;
        p += n + (p[n] == ',');
    }
    return false;
}

static bool is_anywhere(const struct subject *o, const char *word)
{
    for (size_t i = 0; i < sizeof everywhere / sizeof everywhere[0]; i++) {
        const struct field *f = find_field(everywhere[i], strlen(everywhere[i]));
        if (strcasestr(f->text(o, f->arg), word))
            return true;
    }
    return false;
}

static bool holds_for(const struct term *t, const struct subject *o)
{
    if (!t->field)
        return is_anywhere(o, t->text);
    if (t->field->text == text_of_state)
        return is_among(t->text, text_of_state(o, 0))
               || is_among(t->text, text_of_state(o, 1));
    if (t->field->text)
        return is_among(t->text, t->field->text(o, t->field->arg));
    if (t->field->reservation)
        return holds_for_reservation(o, t->text, t->field->reservation);
    int64_t n = t->field->number(o);
    return t->op == '>' ? n > t->number : t->op == '<' ? n < t->number : n == t->number;
}

bool jobfilter_matches(const struct jobfilter *f, struct server *s, const struct job *j,
    const struct identity *who)
{
    const struct cluster *c = engine_cluster(s->engine);
    struct subject o = {s, c, j, who, render_hides(c, j, who)};

    for (size_t i = 0; i < f->terms.n; i++)
        if (!holds_for(&f->terms.v[i], &o))
            return false;
    return true;
}
