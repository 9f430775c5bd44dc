/* SPDX-License-Identifier: Apache-2.0
 * mam-queue: what a bank elsewhere has to be told still. */
#include "client/client.h"
#include "client/kit/layout.h"
#include "client/kit/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option_row queue_options[] = {
    {0, "again", "NUMBER", "have it told again, at once; all: all but OtherBank"},
    {0, "drop", "NUMBER", "never tell it"},
    {0, "moved", NULL, "the bank that was at another HOST, PORT or SERVER is this one"},
    {0, NULL, NULL, NULL}};

static void print_message(void *ctx, json_t *o)
{
    char at[LAYOUT_DATE_MAX];
    bool *headed = ctx;

    if (!*headed)
        printf("%8s %-9s %-8s %-20s %-12s %14s %5s  %-19s  %s\n", "Number", "State",
            "Verb", "Run", "Account", "Amount", "Tries", "At", "Said");
    *headed = true;
    const char *account = get_text(o, "account", "-");
    printf("%8lld %-9s %-8s %-20s %*s %14s %5lld  %s  %s\n",
        (long long)get_int(o, "number", 0), get_text(o, "state", ""),
        get_text(o, "verb", ""), get_text(o, "run", ""), layout_width(account, -12),
        account, get_text(o, "amount", "-"), (long long)get_int(o, "tries", 0),
        layout_date(get_int(o, "at", 0), at), get_text(o, "said", ""));
}

static int show_queue(const struct command_line *l)
{
    struct query *q = query_new("/v1/bank/queue");
    bool headed = false;
    int status;

    if (l->format == FORMAT_JSON) {
        status = ask_pages(l, q, "after", NULL, print_json_record, NULL) < 0;
    } else {
        status = ask_pages(l, q, "after", NULL, print_message, &headed) < 0;
        if (status == 0 && !headed)
            printf("nothing waits for a bank\n");
    }
    query_free(q);
    return status;
}

static int order_one(const struct command_line *l, const char *text, bool drop)
{
    json_t *body = json_object(), *done;
    struct query *q;
    char *end;
    long long n = strtoll(text, &end, 10);

    if (strcmp(text, "all") == 0 && !drop) {
        n = 0;
    } else if (*end || end == text || n <= 0) {
        json_decref(body);
        return command_wrong(l,
            "'%s' is not the number of a message%s; mam-queue has them", text,
            drop ? "" : ", nor all");
    }
    if (n)
        json_object_set_new(body, "number", json_integer(n));
    if (drop)
        json_object_set_new(body, "drop", json_true());
    q = query_new("/v1/bank/queue");
    done = tell(l, "POST", q, body);
    query_free(q);
    if (!done || l->format == FORMAT_JSON)
        return done ? print_json(done) : 1;
    printf("%s\n", get_text(done, "message", ""));
    json_decref(done);
    return 0;
}

static int order_moved(const struct command_line *l)
{
    struct query *q = query_new("/v1/bank/queue");
    json_t *done = tell(l, "POST", q, json_pack("{s:b}", "moved", 1));

    query_free(q);
    if (!done || l->format == FORMAT_JSON)
        return done ? print_json(done) : 1;
    printf("%s\n", get_text(done, "message", ""));
    json_decref(done);
    return 0;
}

static int work_queue(const struct command_line *l)
{
    const char *again = command_long(l, "again"), *drop = command_long(l, "drop");

    if (command_long(l, "moved"))
        return again || drop ? command_wrong(l, "--moved is about the bank: alone")
                             : order_moved(l);
    if (again && drop)
        return command_wrong(l, "--again or --drop, one of them");
    if (again || drop)
        return order_one(l, again ? again : drop, !again);
    return show_queue(l);
}

int mam_queue_main(int argc, char **argv)
{
    static const struct command_spec spec = {.name = "mam-queue",
        .usage = "[--again NUMBER | --drop NUMBER | --moved]",
        .summary = "Show what a bank that is elsewhere has to be told still.",
        .options = queue_options,
        .more =
            "Charges and releases wait here until the bank (AMCFG TYPE=FILE, NATIVE "
            "or\n"
            "GOLD) has taken them. Waiting: it is tried again by itself. Told: just\n"
            "now. OtherBank: for a bank of another kind than that of maui.cfg; it\n"
            "waits for that one, and --again has it told to this. Aside: the bank\n"
            "refused it, or did not take it ten times while it took others; it is\n"
            "told no more until --again. Where HOST, PORT or SERVER was changed while\n"
            "something was open, nobody is told anything, and no job starts, until it\n"
            "is as before or --moved says that it is the same bank. Administrators see "
            "them, those of level 1\n"
            "give orders.\n",
        .examples = "  mam-queue\n"
                    "  mam-queue --again 17          when the bank knows the account\n"
                    "  mam-queue --again all\n"
                    "  mam-queue --moved             its new HOST is right\n"
                    "  mam-queue --drop 17           it was settled by hand\n"};

    return command_run(&spec, argc, argv, work_queue);
}
