/* SPDX-License-Identifier: Apache-2.0
 * What Slurm keeps from users (PrivateData) and who may do more than others: told when
 * it has changed. */
#include "rm/slurm/rights.h"

#include "base/xalloc.h"
#include "rm/slurm/adapter.h"
#include "rm/slurm/marking.h"

#include <pwd.h>

/* Between looks: changes are to be seen within a minute or so, and slurmctld is not to
 * spend more than a thirtieth of its time on it. It does where a look takes over 2 s.
 */
#define GAP_MIN_MS 5000 /* each look is a request for all settings */
#define GAP_MAX_MS 60000
#define GAP_FACTOR 30

void slurm_rights_free(struct slurm_rights *r)
{
    for (size_t i = 0; i < r->operators.n; i++)
        free(r->operators.v[i]);
    for (size_t i = 0; i < r->coordinators.n; i++) {
        free(r->coordinators.v[i].user);
        free(r->coordinators.v[i].account);
    }
    vec_fini(&r->operators);
    vec_fini(&r->coordinators);
}

static unsigned hidden_by(uint16_t private_data)
{
    static const struct {
        uint16_t theirs;
        unsigned bit;
    } kinds[] = {{PRIVATE_DATA_JOBS, RM_HIDES_JOBS},
        {PRIVATE_DATA_NODES, RM_HIDES_NODES},
        {PRIVATE_DATA_RESERVATIONS, RM_HIDES_RESERVATIONS},
        {PRIVATE_DATA_USAGE, RM_HIDES_USAGE}, {PRIVATE_DATA_USERS, RM_HIDES_USERS},
        {PRIVATE_DATA_ACCOUNTS, RM_HIDES_ACCOUNTS}};
    unsigned bits = 0;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (private_data & kinds[i].theirs)
            bits |= kinds[i].bit;
    return bits;
}

static uint64_t digest_of(unsigned hides, const struct slurm_rights *r)
{
    uint64_t h = digest_bytes(DIGEST_START, &hides, sizeof hides);

    for (size_t i = 0; i < r->operators.n; i++)
        h = digest_text(h, r->operators.v[i]);
    h = digest_text(h, NULL);
    for (size_t i = 0; i < r->coordinators.n; i++)
        h = digest_text(
            digest_text(h, r->coordinators.v[i].user), r->coordinators.v[i].account);
    return h;
}

/* A user of Slurm's, by number. */
struct numbered {
    const char *name; /* key; borrowed */
    bool known;
    uid_t number;
    UT_hash_handle hh;
};

/* NULL: who has none here is unknown to the gate. Each is looked up once. */
static const uid_t *find_number(struct numbered **io, const char *name)
{
    struct numbered *u;
    const struct passwd *pw;

    HASH_FIND_STR(*io, name, u);
    if (u == NULL) {
        u = xcalloc(1, sizeof *u);
        u->name = name;
        pw = getpwnam(name);
        u->known = pw != NULL;
        u->number = pw != NULL ? pw->pw_uid : 0;
        HASH_ADD_KEYPTR(hh, *io, u->name, strlen(u->name), u);
    }
    return u->known ? &u->number : NULL;
}

static void free_numbers(struct numbered **io)
{
    struct numbered *u, *next;

    HASH_ITER(hh, *io, u, next)
    {
        HASH_DEL(*io, u);
        free(u);
    }
}

/* What could not be told is told with the next look. */
static void tell_coordinators(struct adapter *a, const char *list)
{
    bool failed = a->marking != NULL && marking_tell_coordinators(a->marking, list) < 0;

    if (failed)
        adapter_health(a, "marks", strerror(errno));
    else if (a->untold && !a->no_gate)
        adapter_health(a, "marks", NULL);
    if (failed)
        a->rights_digest = 0;
    a->untold = failed;
}

/* The gate knows users by number. An account with a blank in its name would be taken
 * for two. */
static void tell_gate(struct adapter *a, const struct slurm_rights *r)
{
    struct strbuf operators = {0}, coordinators = {0};
    struct numbered *numbers = NULL;

    strbuf_add(&operators, "");
    strbuf_add(&coordinators, "");
    for (size_t i = 0; i < r->operators.n; i++) {
        const uid_t *number = find_number(&numbers, r->operators.v[i]);

        if (number != NULL)
            strbuf_printf(
                &operators, "%s%u", operators.len ? " " : "", (unsigned)*number);
    }
    for (size_t i = 0; i < r->coordinators.n; i++) {
        const char *account = r->coordinators.v[i].account;
        const uid_t *number = find_number(&numbers, r->coordinators.v[i].user);

        if (number != NULL && strpbrk(account, " \t\n") == NULL)
            strbuf_printf(&coordinators, "%s%u:%s", coordinators.len ? " " : "",
                (unsigned)*number, account);
    }
    free_numbers(&numbers);
    beat_set_operators(a->beat, operators.text);
    adapter_write_beat(a);
    tell_coordinators(a, coordinators.text);
    free(operators.text);
    free(coordinators.text);
}

static void tell_rights(struct adapter *a, unsigned hides, struct slurm_rights *r)
{
    uint64_t digest = digest_of(hides, r);
    struct VEC(struct rm_coordinator) list = {0};
    struct rm_report report = {.kind = RM_RIGHTS, .u.rights = {.hides = hides}};

    if (digest == a->rights_digest)
        return;
    a->rights_digest = digest;
    tell_gate(a, r);
    for (size_t i = 0; i < r->coordinators.n; i++)
        vec_push(&list, ((struct rm_coordinator){
                            r->coordinators.v[i].user, r->coordinators.v[i].account}));
    vec_push(&r->operators, NULL);
    report.u.rights.operators = (const char *const *)r->operators.v;
    report.u.rights.coordinators = list.v;
    report.u.rights.n = list.n;
    adapter_report(a, &report);
    vec_fini(&list);
}

bool rights_has_accounts(const slurm_conf_t *c)
{
    return c->accounting_storage_type != NULL
           && strstr(c->accounting_storage_type, "slurmdbd") != NULL;
}

/* SlurmUser is an operator of its own making. Where the list cannot be had nobody is
 * one, and what is hidden stays so. */
int rights_poll(struct adapter *a)
{
    int64_t begun_ms = adapter_now_ms(), gap_ms;
    struct slurm_rights r = {0};
    slurm_conf_t *c = NULL;
    int result = 0;

    if (a->told_all && begun_ms < a->rights_due_ms)
        return 0;
    if (slurm_load_ctl_conf(0, &c) != SLURM_SUCCESS) {
        adapter_lost(a, "settings");
        return -1;
    }
    if (rights_has_accounts(c) && slurm_rights_load(&r) < 0
        && adapter_lost(a, "rights"))
        result = -1;
    if (result == 0) {
        if (c->slurm_user_name != NULL)
            vec_push(&r.operators,
                xstrndup(c->slurm_user_name, strcspn(c->slurm_user_name, "(")));
        tell_rights(a, hidden_by(c->private_data), &r);
    }
    slurm_free_ctl_conf(c);
    slurm_rights_free(&r);
    gap_ms = (adapter_now_ms() - begun_ms) * GAP_FACTOR;
    a->rights_due_ms = adapter_now_ms()
                       + (gap_ms < GAP_MIN_MS    ? GAP_MIN_MS
                           : gap_ms > GAP_MAX_MS ? GAP_MAX_MS
                                                 : gap_ms);
    return result;
}

void adapter_forget_rights(struct adapter *a)
{
    a->rights_digest = 0;
}
