/* SPDX-License-Identifier: Apache-2.0
 * Lists that nobody fetches: how many of them are made. Requests are counted only. */
#include "base/xalloc.h"
#include "server/api/identity.h"
#include "server/http/stream.h"
#include "server/server_private.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MB ((size_t)1 << 20)

static struct identity somebody;
static size_t fresh; /* bytes that a list takes */
static unsigned replied, refused, done;
static char told[64];          /* the state of the last reply */
static const char *known = ""; /* the client has that */
static bool lacks;
static int64_t second = 1000;
static struct {
    void (*release)(void *ctx);
    void *ctx;
} readers[20];

const struct identity *__wrap_request_who(const struct request *r);
const struct identity *__wrap_request_who(const struct request *r)
{
    (void)r;
    return &somebody;
}

bool __wrap_request_is_abandoned(const struct request *r);
bool __wrap_request_is_abandoned(const struct request *r)
{
    (void)r;
    return false;
}

/* It is not read before the test releases it. */
void __wrap_request_reply_shared(struct request *r, const char *type, const char *state,
    const char *text, size_t len, void (*release)(void *ctx), void *ctx);
void __wrap_request_reply_shared(struct request *r, const char *type, const char *state,
    const char *text, size_t len, void (*release)(void *ctx), void *ctx)
{
    (void)r;
    (void)type;
    (void)text;
    (void)len;
    snprintf(told, sizeof told, "%s", state ? state : "none");
    readers[replied].release = release;
    readers[replied++].ctx = ctx;
}

bool __wrap_request_reply_known(struct request *r, const char *state);
bool __wrap_request_reply_known(struct request *r, const char *state)
{
    (void)r;
    return strcmp(state, known) == 0;
}

void __wrap_request_refuse_for_now(
    struct request *r, unsigned seconds, const char *text, json_t *waiting_for);
void __wrap_request_refuse_for_now(
    struct request *r, unsigned seconds, const char *text, json_t *waiting_for)
{
    (void)r;
    (void)waiting_for;
    assert_true(seconds > 0);
    assert_non_null(strstr(text, "wait to be fetched"));
    refused++;
}

uint64_t __wrap_world_revision(const struct server *s);
uint64_t __wrap_world_revision(const struct server *s)
{
    (void)s;
    return 1;
}

int64_t __wrap_world_now(struct server *s);
int64_t __wrap_world_now(struct server *s)
{
    (void)s;
    return second;
}

/* Memory that nobody writes to. */
static bool take_memory(struct server *s, void *ctx, struct strbuf *out)
{
    (void)s;
    (void)ctx;
    out->text = xmalloc(fresh);
    out->text[0] = 0;
    out->cap = fresh;
    return false;
}

static void note_done(void *ctx)
{
    (void)ctx;
    done++;
}

static void ask_lists(struct server *s, unsigned n)
{
    static char one; /* of a request no more is looked at than that it is there */

    for (unsigned i = 0; i < n; i++)
        stream_make(s, (struct request *)&one, NULL, "text/plain",
            &(struct stream_source){.more = take_memory, .done = note_done});
    while (stream_is_busy(s))
        assert_true(sd_event_run(s->loop, UINT64_MAX) >= 0);
}

static void release_all(void)
{
    for (unsigned i = 0; i < replied; i++)
        readers[i].release(readers[i].ctx);
    replied = refused = done = 0;
}

static void lists_that_nobody_reads_are_not_all_made(void **state)
{
    struct server *s = xcalloc(1, sizeof *s);
    struct err err;

    (void)state;
    snprintf(somebody.user, sizeof somebody.user, "ann");
    assert_true(sd_event_new(&s->loop) >= 0);
    assert_int_equal(stream_open(s, &err), 0);
    fresh = 50 * MB;
    ask_lists(s, 6); /* all before the first is made */
    assert_int_equal(replied, 2);
    assert_int_equal(refused, 4);
    assert_int_equal(done, 6);
    ask_lists(s, 1);
    assert_int_equal(refused, 5);
    snprintf(somebody.user, sizeof somebody.user, "bob"); /* has none yet */
    ask_lists(s, 1);
    assert_int_equal(replied, 3);
    release_all();
    /* one that is large by itself is made */
    fresh = 120 * MB;
    ask_lists(s, 1);
    assert_int_equal(replied, 1);
    assert_int_equal(refused, 0);
    release_all();
    stream_close(s);
    sd_event_unref(s->loop);
    free(s);
}

static bool lacks_some(void *ctx)
{
    (void)ctx;
    return lacks;
}

/* One reader who asks for this; true: another list was made. */
static bool ask_for(struct server *s, const char *key, const char *state)
{
    static char one;
    uint64_t before = stream_begun(s);

    if (!stream_join(s, (struct request *)&one, key, state))
        stream_make(s, (struct request *)&one, key, "text/plain",
            &(struct stream_source){.more = take_memory,
                .done = note_done,
                .state = state,
                .lacks = lacks_some});
    while (stream_is_busy(s))
        assert_true(sd_event_run(s->loop, UINT64_MAX) >= 0);
    return stream_begun(s) > before;
}

/* Whoever asks later gets the same, however much time has passed, while it is of that
 * state; never of another key, which tells who may see it. */
static void an_answer_of_a_state_is_made_once(void **state)
{
    struct server *s = xcalloc(1, sizeof *s);
    struct err err;

    (void)state;
    snprintf(somebody.user, sizeof somebody.user, "ann");
    assert_true(sd_event_new(&s->loop) >= 0);
    assert_int_equal(stream_open(s, &err), 0);
    fresh = 100;
    assert_true(ask_for(s, "list ann", "1"));
    assert_string_equal(told, "1");
    second++;
    assert_false(ask_for(s, "list ann", "1"));
    assert_int_equal(replied, 2);
    assert_true(ask_for(s, "list bob", "1"));
    assert_true(ask_for(s, "list ann", "2"));
    assert_true(ask_for(s, "list ann", "1")); /* what was before is forgotten */
    known = "1";
    assert_false(ask_for(s, "list ann", "1"));
    assert_int_equal(replied, 5); /* and not one more: it has it */
    known = "";
    assert_true(ask_for(s, "list ann", NULL)); /* of this second it is another */
    assert_string_equal(told, "none");
    assert_false(ask_for(s, "list ann", NULL));
    second++;
    assert_true(ask_for(s, "list ann", NULL));
    lacks = true; /* it is not whole: for those who wait, and nobody else */
    assert_true(ask_for(s, "list cid", "1"));
    assert_string_equal(told, "none");
    assert_true(ask_for(s, "list cid", "1"));
    lacks = false;
    release_all();
    stream_close(s);
    sd_event_unref(s->loop);
    free(s);
}

static struct server *open_server(void)
{
    struct server *s = xcalloc(1, sizeof *s);
    struct err err;

    fresh = 100;
    assert_true(sd_event_new(&s->loop) >= 0);
    assert_int_equal(stream_open(s, &err), 0);
    return s;
}

static void close_server(struct server *s)
{
    release_all();
    stream_close(s);
    sd_event_unref(s->loop);
    free(s);
}

/* One of a user's answers, which is fetched. True: it was made for that. */
static bool has_made(struct server *s, const char *user, unsigned key)
{
    char text[80];

    snprintf(somebody.user, sizeof somebody.user, "%s", user);
    snprintf(text, sizeof text, "%s %u", user, key);
    bool made = ask_for(s, text, "1");
    release_all();
    return made;
}

/* Who asks for many answers loses the oldest of them, and others lose none. */
static void of_each_user_so_many_are_kept(void **state)
{
    struct server *s = open_server();

    (void)state;
    assert_true(has_made(s, "bob", 0));
    for (unsigned i = 0; i < 17; i++)
        assert_true(has_made(s, "ann", i));
    assert_false(has_made(s, "bob", 0));
    for (unsigned i = 16; i > 0; i--)
        assert_false(has_made(s, "ann", i));
    assert_true(has_made(s, "ann", 0));
    close_server(s);
}

/* Until another list was told. */
static bool wait_for_others(struct server *s, void *ctx, struct strbuf *out)
{
    return replied == 0 || take_memory(s, ctx, out);
}

/* What was asked for first may be made last: what others asked for since is kept. */
static void a_state_that_has_passed_drops_no_later_one(void **state)
{
    struct server *s = open_server();
    static char one;

    (void)state;
    snprintf(somebody.user, sizeof somebody.user, "ann");
    stream_make(s, (struct request *)&one, "list", "text/plain",
        &(struct stream_source){
            .more = wait_for_others, .done = note_done, .state = "1"});
    snprintf(somebody.user, sizeof somebody.user, "bob");
    assert_true(ask_for(s, "list", "2"));
    assert_int_equal(replied, 2);
    assert_string_equal(told, "1"); /* the last */
    release_all();
    assert_false(ask_for(s, "list", "2"));
    close_server(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_that_nobody_reads_are_not_all_made),
        cmocka_unit_test(an_answer_of_a_state_is_made_once),
        cmocka_unit_test(of_each_user_so_many_are_kept),
        cmocka_unit_test(a_state_that_has_passed_drops_no_later_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
