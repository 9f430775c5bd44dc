/* SPDX-License-Identifier: Apache-2.0
 * Messages for a bank elsewhere, by hand: looked at, told again, dropped; refunds. */
#include "base/hash.h"
#include "config/settings.h"
#include "server/durable/desk_private.h"
#include "server/managers/manager.h"

#include <inttypes.h>
#include <string.h>

#define AGAIN_AT_ONCE 200 /* that were put aside: so many records in a commit */

/* Is it for the bank that is there? What is for another somebody has to name. */
static bool is_for_this_bank(const struct server *s, int kind)
{
    return desk_is_open(s) && !s->bank.desk->moved
           && bankrecord_is_of(kind, (int)desk_settings(s)->type);
}

static json_t *show_item(const struct server *s, struct line_item *i)
{
    bool ours = is_for_this_bank(s, line_item_kind(i));
    json_t *o = bankrecord_show(line_item_number(i), line_item_body(i),
        line_item_is_out(i) ? "Told"
        : ours              ? "Waiting"
                            : "OtherBank",
        line_item_said(i));

    bankbody_number(o, "tries", line_item_tries(i));
    return o;
}

static json_t *show_aside(const struct aside *a)
{
    return bankrecord_show(a->number, a->body, a->again ? "Waiting" : "Aside",
        json_string_value(json_object_get(a->body, "refused")));
}

void desk_list(
    const struct server *s, uint64_t behind, const struct desk_reader *reader)
{
    struct desk *d = s->bank.desk;
    struct line_item *i = bankline_behind(d->line, behind);
    const struct aside *a;

    bankaside_sort(&d->aside);
    for (a = d->aside; a && a->number <= behind;)
        a = a->hh.next;
    while (a || i) {
        bool aside = a && (!i || a->number < line_item_number(i));
        uint64_t number = aside ? a->number : line_item_number(i);

        if (!reader->wants(reader->arg, number))
            return;
        reader->take(reader->arg, aside ? show_aside(a) : show_item(s, i));
        if (aside)
            a = a->hh.next;
        else
            i = bankline_behind(d->line, number);
    }
}

static int refuse_number(uint64_t number, struct err *err)
{
    return err_set(err, ERR_NOT_FOUND,
        "there is no message %" PRIu64 " for the bank: it was taken, or never was",
        number);
}

/* Somebody wants it told to the bank that is there. Takes the body. */
static void tell_here(struct desk *d, uint64_t number, json_t *body)
{
    const char *run = json_string_value(json_object_get(body, "run"));
    char key[BANKRECORD_KEY];

    json_object_set_new(body, "again", json_true());
    if (desk_is_open(d->s))
        bankbody_text(body, "to", bankrecord_kind_name((int)desk_settings(d->s)->type));
    bankrecord_put(d->s, DESK_QUEUE, bankrecord_key(number, key), body);
    bankline_tell(d->line, number, bankrecord_kind(body), run ? run : "", body);
}

static void tell_aside(struct desk *d, struct aside *a)
{
    uint64_t number = a->number;
    json_t *body = json_incref(a->body);

    json_object_del(body, "refused");
    bankrecord_delete(d->s, DESK_ASIDE, number);
    desk_free_aside(d, a);
    tell_here(d, number, body);
}

static void tell_item(struct desk *d, struct line_item *i)
{
    uint64_t number = line_item_number(i);
    json_t *body;

    if (line_item_is_out(i))
        return; /* just now */
    if (is_for_this_bank(d->s, line_item_kind(i))) {
        bankline_hasten(d->line, i);
        return;
    }
    body = json_incref(line_item_body(i));
    bankline_take_out(d->line, i);
    line_item_free(i);
    tell_here(d, number, body);
}

/* What waits for another bank keeps what comes later of its run. */
static int check_turn(
    const struct desk *d, const json_t *body, uint64_t number, struct err *err)
{
    const char *run = json_string_value(json_object_get(body, "run"));
    const struct line_item *first = bankline_first_of(d->line, run ? run : "");

    if (!first || line_item_number(first) >= number
        || is_for_this_bank(d->s, line_item_kind(first)))
        return 0;
    return err_set(err, ERR_CONFLICT,
        "message %" PRIu64 " of that run comes first, and waits for another bank",
        line_item_number(first));
}

int desk_tell_again(struct server *s, uint64_t number, struct err *err)
{
    struct desk *d = s->bank.desk;
    struct aside *a = bankaside_find(d->aside, number);
    struct line_item *i = a ? NULL : bankline_find(d->line, number);

    if (!a && !i)
        return refuse_number(number, err);
    if (check_turn(d, a ? a->body : line_item_body(i), number, err) < 0)
        return -1;
    bankline_hurry(d->line);
    if (a)
        tell_aside(d, a);
    else
        tell_item(d, i);
    commit_want(s);
    return 0;
}

struct hastening {
    struct desk *desk;
    size_t n;
};

static void hasten_item(void *arg, const struct line_item *i)
{
    struct hastening *h = arg;

    if (!is_for_this_bank(h->desk->s, line_item_kind(i)))
        return;
    if (!line_item_is_out(i))
        bankline_hasten(
            h->desk->line, bankline_find(h->desk->line, line_item_number(i)));
    h->n++;
}

/* What is aside, up to that one, is to be told again. How many. */
size_t desk_mark_asides(struct desk *d, uint64_t last)
{
    size_t n = 0;

    for (struct aside *a = d->aside; a; a = a->hh.next) {
        if (a->number > last || !is_for_this_bank(d->s, bankrecord_kind(a->body)))
            continue;
        d->nagain += !a->again;
        a->again = true;
        n++;
    }
    return n;
}

size_t desk_tell_all_again(struct server *s)
{
    struct desk *d = s->bank.desk;
    struct hastening h = {d, 0};
    size_t asides = desk_mark_asides(d, d->number);
    char key[BANKRECORD_KEY];

    bankline_hurry(d->line);
    bankline_each(d->line, hasten_item, &h);
    if (asides)
        unsaved_put(s->unsaved, "bank", DESK_AGAIN, bankrecord_key(d->number, key));
    commit_want(s);
    return h.n + asides;
}

/* Some of those, so that nobody waits for all of them. What is of another bank by now
 * stays aside; where it may have moved nobody knows yet. */
void desk_tell_some_asides(struct desk *d)
{
    size_t left = AGAIN_AT_ONCE;

    if (!d->nagain || d->moved)
        return;
    for (struct aside *a = d->aside, *next; a && d->nagain && left; a = next) {
        next = a->hh.next;
        if (!a->again)
            continue;
        if (is_for_this_bank(d->s, bankrecord_kind(a->body))) {
            tell_aside(d, a);
            left--;
        } else {
            a->again = false;
            d->nagain--;
        }
    }
    if (d->nagain)
        return;
    unsaved_delete(d->s->unsaved, "bank", DESK_AGAIN);
    commit_want(d->s);
}

/* Of a refund: asked for once more, it is told. */
int desk_drop(struct server *s, uint64_t number, struct err *err)
{
    struct desk *d = s->bank.desk;
    struct aside *a = bankaside_find(d->aside, number);
    struct line_item *i = a ? NULL : bankline_find(d->line, number);

    if (!a && !i)
        return refuse_number(number, err);
    if (i && line_item_is_out(i))
        return err_set(err, ERR_CONFLICT,
            "message %" PRIu64 " is being told to the bank just now", number);
    desk_forget_request(s, a ? a->body : line_item_body(i), false);
    bankrecord_delete(d->s, a ? DESK_ASIDE : DESK_QUEUE, number);
    if (a) {
        desk_free_aside(d, a);
    } else {
        bankline_take_out(d->line, i);
        line_item_free(i);
    }
    if (d->moved)
        desk_configured(s); /* that may have been all that was open */
    return 0;
}

/* ---- refunds --------------------------------------------------------------------- */

#define REQUESTS        "bankrequest"
#define GENERATED_CHARS 24
#define REQUEST_KEPT_S  (366 * INT64_C(86400))

/* "7.r3" is of job 7. */
static const char *machine_of(const struct server *s, const char *run)
{
    char *job = xstrdup(run), *dot = strrchr(job, '.');
    const char *name;

    if (dot)
        *dot = '\0';
    name = manager_name_of(s, job);
    free(job);
    return name;
}

static json_t *make_refund(struct server *s, const struct desk_refund *refund)
{
    json_t *body = json_pack("{s:s}", "verb", "refund");

    bankbody_text(body, "run", refund->run);
    bankbody_text(body, "machine", machine_of(s, refund->run));
    bankbody_credits(body, "amount", refund->amount);
    bankbody_text(body, "request", refund->request);
    bankbody_text(body, "who", refund->who);
    bankbody_text(body, "text", refund->text);
    bankbody_number(body, "at", world_now(s));
    return body;
}

/* 1: that was asked for before, and *ret_number is its message; 0: it was not. */
static int find_request(struct server *s, const struct desk_refund *refund,
    uint64_t *ret_number, struct err *err)
{
    char *text = NULL;
    json_t *o;
    const char *run;
    bool same;

    unsaved_tell(s->unsaved);
    if (store_get(s->store, REQUESTS, refund->request, &text, err) < 0)
        return -1;
    if (!text)
        return 0;
    o = json_loads(text, 0, NULL);
    free(text);
    run = json_string_value(json_object_get(o, "run"));
    same = run && strcmp(run, refund->run) == 0
           && json_integer_value(json_object_get(o, "amount")) == refund->amount;
    *ret_number = (uint64_t)json_integer_value(json_object_get(o, "number"));
    json_decref(o);
    return same ? 1
                : err_set(err, ERR_CONFLICT,
                    "request '%s' was another one before: an id is of one request",
                    refund->request);
}

/* As mam-refund makes one up without --request. */
static bool is_generated(const char *request)
{
    return strlen(request) == GENERATED_CHARS
           && strspn(request, "0123456789abcdef") == GENERATED_CHARS;
}

void desk_forget_request(struct server *s, const json_t *body, bool generated)
{
    const char *verb = json_string_value(json_object_get(body, "verb"));
    const char *request = json_string_value(json_object_get(body, "request"));

    if (!verb || strcmp(verb, "refund") != 0 || !request
        || (generated && !is_generated(request)))
        return;
    unsaved_delete(s->unsaved, REQUESTS, request);
    commit_want(s);
}

static int drop_if_old(void *arg, const char *key, const char *value)
{
    struct server *s = arg;
    json_t *o = json_loads(value, 0, NULL);
    int64_t at = json_integer_value(json_object_get(o, "at"));

    if (at && at < world_now(s) - REQUEST_KEPT_S)
        unsaved_delete(s->unsaved, REQUESTS, key);
    json_decref(o);
    return 0;
}

int desk_drop_old_requests(struct server *s, struct err *err)
{
    return store_each(s->store, REQUESTS, drop_if_old, s, err);
}

static int check_refund(
    struct server *s, const struct desk_refund *refund, struct err *err)
{
    if (!desk_is_open(s) || desk_settings(s)->type != BANK_NATIVE)
        return err_set(err, ERR_CONFLICT,
            "the bank takes no refunds from here (AMCFG TYPE=NATIVE does): give back "
            "there");
    if (!refund->run || !*refund->run || !refund->request || !*refund->request)
        return err_set(err, ERR_INVALID, "%s: expected a text",
            refund->run && *refund->run ? "request" : "run");
    if (refund->amount <= 0)
        return err_set(err, ERR_INVALID, "amount: expected more than 0");
    if (bankrun_find(s->bank.desk->runs, refund->run))
        return err_set(err, ERR_CONFLICT,
            "run %s goes on: it is charged when it is over", refund->run);
    return 0;
}

int desk_give_back(struct server *s, const struct desk_refund *refund,
    uint64_t *ret_number, struct err *err)
{
    int known = check_refund(s, refund, err);

    if (known == 0)
        known = find_request(s, refund, ret_number, err);
    if (known != 0)
        return known < 0 ? -1 : 0;
    desk_add_message(s->bank.desk, NULL, refund->run, make_refund(s, refund));
    *ret_number = s->bank.desk->number;
    json_t *o = json_pack("{s:s, s:I, s:I, s:I}", "run", refund->run, "amount",
        (json_int_t)refund->amount, "number", (json_int_t)*ret_number, "at",
        (json_int_t)world_now(s));
    bankrecord_put(s, REQUESTS, refund->request, o);
    json_decref(o);
    return 0;
}
