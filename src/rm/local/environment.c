/* SPDX-License-Identifier: Apache-2.0
 * The environment of a job. Of Slurm's names only those are set that no MPI library
 * takes for an allocation it could talk to Slurm about. */
#include "rm/local/environment.h"

#include "base/strbuf.h"
#include "cluster/jobnodes.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NUMBER_TEXT 24

struct variables VEC(char *);

/* Set what `text` (NAME=value, kept) says, in the place of an older value. */
static void set_text(struct variables *v, char *text)
{
    size_t len = strcspn(text, "="), n = 0;

    while (n < v->n && (strncmp(v->v[n], text, len) != 0 || v->v[n][len] != '='))
        n++;
    if (n < v->n)
        v->v[n] = text;
    else
        vec_push(v, text);
}

static void set(struct variables *v, const char *name, const char *value)
{
    struct strbuf text = {0};

    if (value == NULL)
        return;
    strbuf_printf(&text, "%s=%s", name, value);
    set_text(v, strbuf_take(&text));
}

static void set_number(struct variables *v, const char *name, int64_t value)
{
    char text[NUMBER_TEXT];

    snprintf(text, sizeof text, "%lld", (long long)value);
    set(v, name, text);
}

static const char *get(const struct variables *v, const char *name)
{
    size_t len = strlen(name);

    for (size_t i = 0; i < v->n; i++)
        if (strncmp(v->v[i], name, len) == 0 && v->v[i][len] == '=')
            return v->v[i] + len + 1;
    return NULL;
}

/* PBS_O_*: as it was where the job was submitted. */
static void set_origin(struct variables *v, const struct launch *l)
{
    static const char *const kept[][2] = {{"PBS_O_HOME", "HOME"},
        {"PBS_O_LOGNAME", "LOGNAME"}, {"PBS_O_PATH", "PATH"}, {"PBS_O_SHELL", "SHELL"},
        {"PBS_O_LANG", "LANG"}, {"PBS_O_MAIL", "MAIL"}, {"PBS_O_TZ", "TZ"}};
    char host[256];

    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        set(v, kept[i][0], get(v, kept[i][1]));
    if (gethostname(host, sizeof host) == 0)
        set(v, "PBS_O_HOST", host);
    set(v, "PBS_O_WORKDIR", l->request->job.directory);
    set(v, "PBS_O_QUEUE", l->request->job.desc.cred[CRED_CLASS]);
}

/* What a login would give; the user's own words win, but not on who it is. */
static void set_login(struct variables *v, const struct passwd *user)
{
    set(v, "LOGNAME", user != NULL ? user->pw_name : NULL);
    set(v, "USER", user != NULL ? user->pw_name : NULL);
    if (user != NULL || get(v, "HOME") == NULL)
        set(v, "HOME", user != NULL ? user->pw_dir : "/");
    if (get(v, "SHELL") == NULL)
        set(v, "SHELL", user != NULL && *user->pw_shell ? user->pw_shell : "/bin/sh");
    if (get(v, "PATH") == NULL)
        set(v, "PATH", "/usr/local/bin:/usr/bin:/bin");
}

/* The index of a job of an array, as in 12[3]. */
static void set_array_index(struct variables *v, const char *id)
{
    const char *open = strchr(id, '[');
    char index[NUMBER_TEXT];

    if (open == NULL)
        return;
    snprintf(index, sizeof index, "%.*s", (int)strcspn(open + 1, "]"), open + 1);
    set(v, "PBS_ARRAYID", index);
    set(v, "PBS_ARRAY_INDEX", index);
}

/* Tasks of several requests may be on one node: PBS_NUM_PPN counts all of the first. */
static void set_sizes(struct variables *v, const struct launch *l)
{
    const struct job_place *p = l->run->places;
    int64_t tasks = 0, procs = 0, first = 0;
    int64_t nodes = places_node_count(p, l->run->nplaces);

    for (size_t i = 0; i < l->run->nplaces; i++) {
        int64_t each = request_procs_per_task(l->request, p[i].req);
        int64_t here = p[i].tasks * (each > 0 ? each : 1);
        tasks += p[i].tasks;
        procs += here;
        first += strcmp(p[i].node, p[0].node) == 0 ? here : 0;
    }
    set_number(v, "PBS_NP", procs);
    set_number(v, "PBS_NUM_NODES", nodes);
    if (nodes > 0)
        set_number(v, "PBS_NUM_PPN", first);
    if (l->run->wclimit_s > 0)
        set_number(v, "PBS_WALLTIME", l->run->wclimit_s);
    set_number(v, "SLURM_NTASKS", tasks);
    set_number(v, "SLURM_NNODES", nodes);
}

static void set_job(struct variables *v, const struct launch *l)
{
    const struct rm_job *job = &l->request->job;
    struct strbuf path = {0};

    set(v, "MAUI_JOBID", job->desc.id);
    set(v, "MAUI_JOBCOOKIE", l->run->cookie);
    set(v, "PBS_JOBID", job->desc.id);
    set(v, "PBS_JOBNAME", job->name != NULL ? job->name : "STDIN");
    set(v, "PBS_QUEUE", job->desc.cred[CRED_CLASS]);
    set(v, "PBS_ACCOUNT", job->desc.cred[CRED_ACCOUNT]);
    set(v, "PBS_ENVIRONMENT", "PBS_BATCH");
    set_number(v, "PBS_NODENUM", 0);
    set_number(v, "PBS_TASKNUM", 1);
    set(v, "SLURM_JOB_NAME", job->name);
    set(v, "SLURM_SUBMIT_DIR", job->directory);
    set_array_index(v, job->desc.id);
    strbuf_printf(&path, "%s/nodes", l->folder);
    set(v, "PBS_NODEFILE", path.text);
    path.len -= strlen("nodes");
    strbuf_add(&path, "tmp");
    set(v, "TMPDIR", path.text);
    free(path.text);
}

char **environment_make(const struct launch *l, const char *submitted, size_t len,
    char *const *session, const struct passwd *user)
{
    struct variables v = {0};

    for (size_t at = 0; at < len; at += strlen(submitted + at) + 1)
        if (strchr(submitted + at, '=') != NULL)
            vec_push(&v, xstrdup(submitted + at));
    set_origin(&v, l);
    for (; session != NULL && *session != NULL; session++)
        set_text(&v, *session);
    set_login(&v, user);
    set_job(&v, l);
    set_sizes(&v, l);
    vec_push(&v, NULL);
    return v.v;
}
