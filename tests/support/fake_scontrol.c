/* SPDX-License-Identifier: Apache-2.0
 * Instead of pipe.c, and of the adapter's loop. */
#include "fake_scontrol.h"

#include "rm/slurm/batch.h"
#include "rm/slurm/looks.h"
#include "rm/slurm/text/text.h"

#include <assert.h>

struct fake_scontrol *fake_scontrol(void)
{
    static struct fake_scontrol one;

    return &one;
}

void fake_scontrol_look(struct adapter *a)
{
    a->parts_at = a->jobs_at = 0;
    nodes_poll(a);
    reservations_poll(a);
    a->limits = a->accounts = a->limits_enforced = a->limits_look = true;
    if (!a->told_all)
        a->limits_digest = DIGEST_START; /* of none: that there are none is not told */
    limits_poll(a);
    looks_poll(a);
    while (a->astrays > 0)
        jobs_take_back(a);
    a->told_all = true;
}

void fake_scontrol_end(struct adapter *a)
{
    jobs_forget(a);
    adapter_forget_nodes(a);
    reservations_forget(a);
    names_forget(a);
    for (size_t i = 0; i < a->pending.n; i++)
        free(a->pending.v[i].id);
    vec_fini(&a->pending);
    batch_free(a->batch);
    a->batch = NULL;
    free(strbuf_take(&fake_scontrol()->ran));
    free(strbuf_take(&fake_scontrol()->ordered));
}

/* ---- pipe.c ---- */

char *pipe_ask(const char *command)
{
    const char *text = fake_scontrol()->text;
    fake_scontrol()->configs += strcmp(command, "show config") == 0;
    char *answer = answer_read(text, strlen(text), command);

    if (!answer_is_error(answer))
        return answer;
    errno = answer_error(answer);
    assert(errno != 0 && slurm_strerror(errno) != NULL);
    free(answer);
    return NULL;
}

int pipe_order(const char *command)
{
    assert(strchr(command, '\n') == NULL);
    strbuf_printf(&fake_scontrol()->ordered, "%s\n", command);
    if (fake_scontrol()->hears != NULL)
        fake_scontrol()->hears(command);
    errno = fake_scontrol()->refuses ? answer_error(fake_scontrol()->text) : 0;
    return errno ? -1 : 0;
}

const char *pipe_secret(void)
{
    return fake_scontrol()->secret != NULL ? fake_scontrol()->secret : "~";
}

/* What squeue is asked for: numbers of jobs, or columns of some, or folders. */
char *pipe_output(const char *const *argv)
{
    struct strbuf folder = {0};

    if (strstr(argv[6], "%Z") != NULL) {
        strbuf_printf(&folder, "1%s/%s", pipe_secret(), pipe_secret());
        return strbuf_take(&folder);
    }
    bool columns = strcmp(argv[5], "-j") == 0;
    const char *text = columns ? fake_scontrol()->columns : fake_scontrol()->listing;

    return xstrdup(text != NULL ? text : "");
}

int pipe_run(const char *const *argv)
{
    for (size_t i = 0; argv[i] != NULL; i++)
        strbuf_printf(&fake_scontrol()->ran, "%s%s", i > 0 ? "|" : "", argv[i]);
    strbuf_add(&fake_scontrol()->ran, "\n");
    return pipe_order(argv[0]);
}

void slurm_init(const char *conf)
{
    (void)conf;
}

/* ---- adapter.c, submit.c ---- */

void adapter_forgotten(struct adapter *a)
{
    while (a->pending.n > 0)
        free(a->pending.v[--a->pending.n].id);
}

bool adapter_is_led(const struct adapter *a)
{
    (void)a;
    return true;
}

int64_t adapter_now_ms(void)
{
    return fake_scontrol()->now_ms += 10000;
}

void adapter_write_beat(struct adapter *a)
{
    (void)a; /* there is no gate to read it */
}

void adapter_report(struct adapter *a, const struct rm_report *r)
{
    (void)a;
    fake_scontrol()->tell(r);
}

void adapter_done(struct adapter *a, uint64_t token, enum rm_outcome outcome,
    const char *job, const char *text)
{
    adapter_report(
        a, &(struct rm_report){.kind = RM_DONE, .u.done = {token, outcome, job, text}});
}

void adapter_health(struct adapter *a, const char *function, const char *text)
{
    struct rm_report r = {.kind = RM_HEALTH};

    r.u.health.function = function;
    r.u.health.text = text;
    r.u.health.up = text == NULL;
    adapter_report(a, &r);
}

bool adapter_lost(struct adapter *a, const char *function)
{
    adapter_health(a, function, slurm_strerror(errno));
    return true;
}

bool adapter_munge_gone(struct adapter *a)
{
    (void)a;
    return false;
}

void adapter_find_munge(struct adapter *a, const char *authinfo)
{
    (void)a;
    (void)authinfo;
}

int64_t adapter_pause_ms(const struct adapter *a)
{
    (void)a;
    return 1000;
}

void adapter_look(struct adapter *a)
{
    a->look = true;
}

void adapter_prepare(const char *home, uint32_t user)
{
    (void)home;
    (void)user;
}

void adapter_open_events(struct adapter *a, uint32_t slurm_user)
{
    (void)a;
    (void)slurm_user;
}
