/* SPDX-License-Identifier: Apache-2.0
 * What changes the basis of an answer of what would be, and what does not. */
#include "base/xalloc.h"
#include "cmocka_all.h"
#include "scenario.h"
#include "server/clock.h"
#include "server/server_private.h"
#include "server/whatif/basis.h"
#include "server/whatif/whatif.h"

#include <string.h>

/* Of a daemon no more than what a basis is made of: two nodes, and a clock at 1000. */
static struct server *follow_basis(struct scenario *sc)
{
    struct server *s = xcalloc(1, sizeof *s);
    char text[BASIS_TEXT_MAX];

    s->engine = sc_engine(sc);
    s->clock = clock_create(NULL);
    clock_stand_at(s->clock, 1000);
    whatif_open(s);
    basis_write(s, text, sizeof text);
    return s;
}

static void free_server(struct server *s)
{
    whatif_close(s);
    clock_destroy(s->clock);
    free(s);
}

/* Does the basis become another when the node is in that state? */
static bool changes_by_state(struct server *s, struct scenario *sc, enum node_state to)
{
    struct event ev = {.kind = EVENT_NODE_STATE, .u.node_state = {"n1", to}};
    uint64_t count = whatif_basis(s)->count, before = basis_look(s, &ev);
    struct err err;

    assert_int_equal(sc_apply(sc, ev, &err), 0);
    basis_follow(s, &ev, before);
    return whatif_basis(s)->count != count;
}

static void a_node_that_takes_no_more_jobs_changes_it(void **state)
{
    (void)state;
    struct scenario *sc = sc_create();

    sc_nodes(sc, 2, 1);
    struct server *s = follow_basis(sc);
    assert_false(changes_by_state(s, sc, NODE_RUNNING)); /* what jobs make of it */
    assert_true(changes_by_state(s, sc, NODE_DRAINING));
    assert_false(changes_by_state(s, sc, NODE_DRAINED));
    assert_true(changes_by_state(s, sc, NODE_IDLE));
    assert_true(changes_by_state(s, sc, NODE_DOWN));
    free_server(s);
    sc_destroy(sc);
}

static void a_manager_that_goes_away_changes_it_and_a_job_does_not(void **state)
{
    (void)state;
    struct scenario *sc = sc_create();
    struct event away = {.kind = EVENT_MANAGER, .u.manager = {.away = true}};
    struct event hold = {.kind = EVENT_HOLD};

    struct server *s = follow_basis(sc);
    basis_follow(s, &hold, basis_look(s, &hold));
    assert_int_equal(whatif_basis(s)->count, 0);
    basis_follow(s, &away, basis_look(s, &away));
    assert_int_equal(whatif_basis(s)->count, 1);
    free_server(s);
    sc_destroy(sc);
}

static void an_old_one_counts_no_more_and_no_instant_is_too_far(void **state)
{
    static const struct {
        const char *text;
        enum err_code wanted;
    } all[] = {{"0.0.1000", ERR_NONE}, {"0.0.700", ERR_NONE}, {"0.0.699", ERR_CONFLICT},
        {"0.0.1001", ERR_CONFLICT}, {"0.0.-9223372036854775807", ERR_CONFLICT},
        {"0.0.9223372036854775807", ERR_CONFLICT}, {"0.1.1000", ERR_CONFLICT},
        {"1.0.1000", ERR_CONFLICT}, {"0.0", ERR_INVALID}, {"0.0.1000.", ERR_INVALID}};
    (void)state;
    struct scenario *sc = sc_create();
    struct server *s = follow_basis(sc);

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct err err = {0};
        basis_check(s, all[i].text, &err);
        assert_int_equal(err.code, all[i].wanted);
    }
    free_server(s);
    sc_destroy(sc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_that_takes_no_more_jobs_changes_it),
        cmocka_unit_test(a_manager_that_goes_away_changes_it_and_a_job_does_not),
        cmocka_unit_test(an_old_one_counts_no_more_and_no_instant_is_too_far),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
