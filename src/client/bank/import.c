/* SPDX-License-Identifier: Apache-2.0
 * mam-import: accounts, members, leads and budgets of another bank, out of its dumps,
 * through the API. Each step is told with the line that it comes from; repeated with
 * the same files nothing is done twice. */
#include "base/names.h"
#include "base/strbuf.h"
#include "client/bank/importread.h"
#include "client/client.h"
#include "client/kit/request.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct importing {
    const struct command_line *l;
    const char *what;
    struct names *there; /* accounts that the bank has */
    bool dry, failed;
};

static void tell_step(const struct bankdump_step *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void tell_step(const struct bankdump_step *s, const char *fmt, ...)
{
    va_list ap;

    printf("%s:%u: ", s->file, s->line);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
}

static void send_step(struct importing *im, const char *path, json_t *body)
{
    struct query *q;
    json_t *done;

    if (im->dry) {
        json_decref(body);
        puts("");
        return;
    }
    q = query_new(path);
    fflush(stdout);
    done = tell(im->l, "POST", q, body);
    query_free(q);
    im->failed |= !done;
    puts(done ? ": done" : ": not done");
    json_decref(done);
}

static void note_account(void *ctx, json_t *o)
{
    struct importing *im = ctx;

    names_intern(im->there, get_text(o, "account", ""));
}

static int find_accounts(struct importing *im)
{
    struct query *q = query_new("/v1/bank/accounts");
    int status = ask_list(im->l, q, note_account, im);

    query_free(q);
    return status < 0 ? 1 : 0;
}

/* Of one that is there what the dump does not tell stays: its share, that it is closed;
 * where the dump tells no tree its place in that, and for whom it is unless users are
 * named. */
static void make_account(struct importing *im, const struct bankdump_step *s)
{
    bool there = names_find(im->there, s->account) != NAME_NONE;
    json_t *body = json_pack("{s:s}", "account", s->account);

    if (there)
        json_object_set_new(body, "modify", json_true());
    if (!there || s->places)
        json_object_set_new(body, "overflow", json_boolean(s->overflow && s->parent));
    if (s->parent || (there && s->places))
        json_object_set_new(body, "parent", json_string(s->parent ? s->parent : ""));
    if (s->only)
        json_object_set_new(body, "only", json_string(s->only));
    tell_step(s, "account %s%s%s%s, for %s", s->account, s->parent ? " under " : "",
        s->parent ? s->parent : "",
        s->parent && s->overflow ? ", on which it draws" : "",
        s->only ? s->only
        : there ? "those it was for"
                : "all");
    send_step(im, "/v1/bank/accounts", body);
}

static void make_deposit(struct importing *im, const struct bankdump_step *s)
{
    char amount[32], limit[32];
    struct strbuf request = {0};
    json_t *body;

    snprintf(amount, sizeof amount, "%" PRId64 ".%03" PRId64, s->amount / 1000,
        s->amount % 1000);
    snprintf(limit, sizeof limit, "%" PRId64 ".%03" PRId64, s->credit_limit / 1000,
        s->credit_limit % 1000);
    strbuf_printf(&request, "import-%s-%s-%s", im->what, s->id, s->account);
    body = json_pack("{s:s, s:s, s:s, s:s}", "request", request.text, "account",
        s->account, "amount", amount, "text", s->why);
    free(strbuf_take(&request));
    if (s->credit_limit)
        json_object_set_new(body, "credit_limit", json_string(limit));
    if (s->only)
        json_object_set_new(body, "only", json_string(s->only));
    if (s->from_at)
        json_object_set_new(body, "from", json_integer(s->from_at));
    if (s->to_at)
        json_object_set_new(body, "to", json_integer(s->to_at));
    tell_step(s, "deposit of %s credits in %s%s%s (%s)", amount, s->account,
        s->only ? ", for " : "", s->only ? s->only : "", s->why);
    send_step(im, "/v1/bank/deposits", body);
}

static void take_step(void *ctx, const struct bankdump_step *s)
{
    struct importing *im = ctx;

    switch (s->kind) {
    case BANKDUMP_ACCOUNT:
        make_account(im, s);
        break;
    case BANKDUMP_DEPOSIT:
        make_deposit(im, s);
        break;
    case BANKDUMP_CONFIG:
        tell_step(s, "for maui.cfg: %s\n", s->why);
        break;
    case BANKDUMP_LEFT:
        tell_step(s, "not carried over: %s\n", s->why);
        break;
    }
}

static int import_files(const struct command_line *l)
{
    struct importing im = {.l = l, .dry = command_has(l, 'n')};
    struct err err;
    int result;

    if (l->nargs < 2)
        return command_wrong(l, "expected slurm or gold, and FILE...");
    im.what = l->args[0];
    if (strcmp(im.what, "slurm") != 0 && strcmp(im.what, "gold") != 0)
        return command_wrong(l, "'%s': expected slurm or gold", im.what);
    im.there = names_create();
    if (find_accounts(&im)) {
        names_destroy(im.there);
        return 1;
    }
    if (strcmp(im.what, "slurm") == 0)
        result =
            bankdump_slurm(l->args + 1, (size_t)l->nargs - 1, take_step, &im, &err);
    else
        result = bankdump_gold(l->args + 1, (size_t)l->nargs - 1, take_step, &im, &err);
    names_destroy(im.there);
    if (result < 0) {
        fprintf(stderr, "ERROR:    %s\n", err.text);
        return 1;
    }
    return im.failed ? 1 : 0;
}

static const struct option_row import_options[] = {
    {'n', "dry-run", NULL, "only tell what would be done"}, {0, NULL, NULL, NULL}};

int mam_import_main(int argc, char **argv)
{
    static const struct command_spec spec = {.name = "mam-import",
        .usage = "[-n] slurm|gold FILE...",
        .summary = "Make the accounts of another bank, with what they have.",
        .options = import_options,
        .more =
            "slurm: what `sacctmgr dump CLUSTER` wrote. Accounts with their users as\n"
            "members; GrpTRESMins of processors become deposits, credits of their\n"
            "seconds. An account without a budget of its own draws on the one above\n"
            "it; budgets of accounts below and of single users are taken off the one\n"
            "that they are a part of. Coordinators become MANAGERS.\n"
            "\n"
            "gold: what glsaccount and glsalloc print with their option raw (columns\n"
            "with |, in any order). An account of one project is called by that;\n"
            "several of one project become one.\n"
            "\n"
            "All is told line by line, with what could not be carried over, and lines\n"
            "for maui.cfg: leads and default accounts are there. Repeated with the\n"
            "same dump, nothing is deposited twice.\n",
        .examples = "  mam-import -n slurm cluster.cfg    what would be done?\n"
                    "  mam-import gold accounts.txt allocations.txt\n"};

    return command_run(&spec, argc, argv, import_files);
}
