/* SPDX-License-Identifier: Apache-2.0
 * Submission: a JobRequest becomes what the resource manager is told. */
#include "base/strbuf.h"
#include "config/arraytext.h"
#include "server/api.h"
#include "server/manager.h"
#include "server/server_private.h"
#include "server/submitdraft.h"

/* ---- names of files ---- */

/* %j %A the job's (array's) id, %a the index, %x the name, %% a percent sign; also
 * $PBS_JOBID. Owned by the caller. */
static char *expand(const char *path, const char *id, const char *name)
{
    const char *bracket = strchr(id, '[');
    int base = bracket ? (int)(bracket - id) : (int)strlen(id);
    int index = bracket ? (int)strcspn(bracket + 1, "]") : 0;
    struct strbuf b = {0};

    for (const char *p = path; *p; p++) {
        if (strncmp(p, "$PBS_JOBID", 10) == 0) {
            strbuf_add(&b, id);
            p += 9;
        } else if (*p != '%' || !p[1] || !strchr("jAax%", p[1])) {
            strbuf_add_n(&b, p, 1);
        } else if (*++p == 'j') {
            strbuf_add(&b, id);
        } else if (*p == 'A') {
            strbuf_printf(&b, "%.*s", base, id);
        } else if (*p == 'a') {
            strbuf_printf(&b, "%.*s", index, bracket ? bracket + 1 : "");
        } else {
            strbuf_add(&b, *p == 'x' ? (name ? name : "STDIN") : "%");
        }
    }
    return strbuf_take(&b);
}

static bool has_pattern(const char *path)
{
    return path && (strchr(path, '%') || strstr(path, "$PBS_JOBID"));
}

/* ---- handing on ---- */

static void hand_on(
    struct server *s, struct manager_batch *b, struct submit_draft *d, const char *id)
{
    struct rm_submission sub = *submitdraft_submission(d);
    char *output = NULL, *error = NULL;

    sub.job.desc.id = id;
    if (id && sub.job.output)
        sub.job.output = output = expand(sub.job.output, id, sub.job.name);
    if (id && sub.job.error)
        sub.job.error = error = expand(sub.job.error, id, sub.job.name);
    manager_submit(s, b, &sub);
    free(output);
    free(error);
}

/* At most N at once: the i-th job waits for the end of the one N before it. */
static void submit_array(struct server *s, struct manager_batch *b,
    struct submit_draft *d, const struct array_spec *a, const char *number)
{
    for (size_t i = 0; i < a->indexes.n; i++) {
        char id[60], before[60] = "";
        snprintf(id, sizeof id, "%s[%u]", number, a->indexes.v[i]);
        if (a->at_once && i >= a->at_once)
            snprintf(
                before, sizeof before, "%s[%u]", number, a->indexes.v[i - a->at_once]);
        submitdraft_after(d, before);
        hand_on(s, b, d, id);
    }
}

static int submit(struct server *s, struct request *r, struct submit_draft *d,
    const char *array, struct err *err)
{
    const struct rm_submission *sub = submitdraft_submission(d);
    bool named = has_pattern(sub->job.output) || has_pattern(sub->job.error);
    struct array_spec a = {0};
    char number[40] = "";

    if (array && array_parse(array, &a, err) < 0)
        return -1;
    if ((array || named) && manager_take_id(s, number, sizeof number, err) < 0) {
        array_fini(&a);
        return -1;
    }
    struct manager_batch *b = manager_batch(r);
    if (array)
        submit_array(s, b, d, &a, number);
    else
        hand_on(s, b, d, named ? number : NULL);
    manager_batch_close(s, b);
    array_fini(&a);
    return 0;
}

void api_submit(struct server *s, struct request *r)
{
    struct err err = {0};
    json_t *o = commit_possible(s, &err) < 0 ? NULL : request_json(r, &err);
    struct submit_draft *d = o ? submitdraft_read(o, request_who(r), &err) : NULL;

    if (!d || submit(s, r, d, submitdraft_text(o, "array"), &err) < 0)
        request_refuse(r, &err);
    submitdraft_free(d);
}
