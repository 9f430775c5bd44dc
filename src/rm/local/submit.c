/* SPDX-License-Identifier: Apache-2.0
 * Submissions, and the numbers jobs get. */
#include "rm/local/submit.h"

#include "base/strbuf.h"
#include "rm/local/larray.h"
#include "rm/local/ljob.h"
#include "rm/local/private.h"
#include "rm/local/writer.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

bool id_is_valid(const char *id)
{
    size_t len = strlen(id);

    if (len == 0 || len > LOCAL_ID_MAX || !isalnum((unsigned char)id[0]))
        return false;
    return strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                      "0123456789._-[]")
           == len;
}

int64_t id_number(const char *id)
{
    int64_t n = 0;

    for (; isdigit((unsigned char)*id); id++)
        n = n < INT64_MAX / 10 - 10 ? n * 10 + (*id - '0') : 0;
    return n;
}

int local_take_id(struct rm *rm, char *ret_id, size_t size, struct err *err)
{
    struct local *l = (struct local *)rm;

    if (!l->synced || l->lost)
        return err_set(err, ERR_CONFLICT, "the spool is not ready");
    snprintf(ret_id, size, "%lld", (long long)++l->last_id);
    return 0;
}

/* What can never work; NULL = nothing. */
static const char *objection(
    const struct local *l, const struct rm_submission *s, char *buf, size_t size)
{
    const char *id = s->job.desc.id;

    if (id != NULL && !id_is_valid(id)) {
        snprintf(buf, size,
            "'%.80s' is not a job id: expected at most %d letters, digits and ._-[]",
            id, LOCAL_ID_MAX);
        return buf;
    }
    if (id != NULL
        && (ljob_find((struct local *)l, id) != NULL
            || larray_find((struct local *)l, id) != NULL)) {
        snprintf(buf, size, "there is a job '%s' already", id);
        return buf;
    }
    if (s->script == NULL && (s->argv == NULL || s->argv[0] == NULL))
        return "neither a script nor a command was given";
    if (s->job.desc.nreqs == 0)
        return "nothing is requested";
    if (geteuid() != 0 && s->uid != geteuid()) {
        snprintf(buf, size,
            "submitted by uid %u, but this daemon runs as uid %u and cannot become "
            "another user",
            s->uid, (unsigned)geteuid());
        return buf;
    }
    return NULL;
}

static char *environment_text(const char *const *variables, size_t *ret_len)
{
    struct strbuf all = {0};
    char *text;

    for (; variables != NULL && *variables != NULL; variables++)
        strbuf_printf(&all, "%s%c", *variables, '\0');
    *ret_len = all.len;
    text = strbuf_take(&all);
    return text;
}

static void submitted(struct write_task *t)
{
    struct local *l = t->ctx;
    struct local_job *j = ljob_find(l, t->job);

    local_health(l, "jobsubmit", t->err.code != ERR_NONE ? t->err.text : NULL);
    if (t->err.code != ERR_NONE) {
        local_done(l, t->token, RM_RETRY, NULL, t->err.text);
        ljob_free(j);
        return;
    }
    j->phase = PHASE_WAITING;
    ljob_report(j);
    local_done(l, t->token, RM_OK, j->id, NULL);
    ljob_next(j);
}

void submit_add_files(
    struct write_task *t, const struct rm_submission *s, char *request)
{
    size_t len;
    char *environment = environment_text(s->environment, &len);

    write_task_add(t, "request.json", request, strlen(request));
    write_task_add(t, "environment", environment, len);
    if (s->script != NULL)
        write_task_add(t, "script", xstrdup(s->script), strlen(s->script));
}

static void write_job(struct local_job *j, const struct rm_submission *s, char *request)
{
    struct write_task *t = write_task_new(WRITE_JOB, j->id);

    submit_add_files(t, s, request);
    t->done = submitted;
    t->ctx = j->local;
    t->token = s->token;
    writer_add(j->local->writer, t);
}

static void accept(struct local *l, const struct rm_submission *s)
{
    int64_t at = s->job.desc.submit_at != 0 ? s->job.desc.submit_at : local_now();
    char number[24];
    const char *id = s->job.desc.id;
    struct request *made;
    struct local_job *j;
    struct err err;
    char *request;

    if (id == NULL) {
        snprintf(number, sizeof number, "%lld", (long long)l->last_id + 1);
        id = number;
    }
    request = request_write(s, id, at);
    made = request_read(request, strlen(request), &err);
    if (made == NULL) { /* what is written must be readable after a restart */
        free(request);
        local_done(l, s->token, RM_REFUSED, NULL, err.text);
        return;
    }
    if (id_number(id) > l->last_id)
        l->last_id = id_number(id);
    if (s->nindexes > 0) {
        larray_make(l, s, request, made);
        return;
    }
    j = ljob_new(l, id);
    j->request = made;
    j->phase = PHASE_SUBMITTED;
    j->state.holds = j->request->job.desc.rm_hold;
    write_job(j, s, request);
}

int local_submit(struct rm *rm, const struct rm_submission *s, struct err *err)
{
    struct local *l = (struct local *)rm;
    const char *no;
    char buf[300];

    (void)err;
    if (l->lost || !l->synced) {
        local_done(l, s->token, RM_RETRY, NULL,
            l->lost ? "the spool has gone" : "the spool is still being read");
        return 0;
    }
    no = objection(l, s, buf, sizeof buf);
    if (no != NULL)
        local_done(l, s->token, RM_REFUSED, NULL, no);
    else
        accept(l, s);
    return 0;
}
