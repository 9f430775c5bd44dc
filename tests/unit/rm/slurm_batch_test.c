/* SPDX-License-Identifier: Apache-2.0
 * Starts of an array's tasks: which share a request, and what each is told of the
 * answer, which names tasks by their error. */
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "cmocka_all.h"
#include "rm/slurm/batch.h"

#include <errno.h>
#include <stdio.h>

static struct strbuf asked, told;
static job_array_resp_msg_t answer; /* to the next request */
static int failure;                 /* of the next request as a whole */

int slurm_update_job2(job_desc_msg_t *m, job_array_resp_msg_t **ret)
{
    strbuf_printf(&asked, "%s on %s%s%s; ", m->job_id_str, m->req_nodes,
        m->partition != NULL ? " in " : "", m->partition != NULL ? m->partition : "");
    *ret = answer.job_array_count > 0 ? &answer : NULL;
    errno = failure;
    return failure != 0 ? -1 : SLURM_SUCCESS;
}

void slurm_free_job_array_resp(job_array_resp_msg_t *answers)
{
    answers->job_array_count = 0;
}

static bool is_there = true; /* Slurm, until a request as a whole fails */

static bool may_ask(void *ctx)
{
    (void)ctx;
    return is_there;
}

static void note(void *ctx, uint64_t token, const char *id, int error)
{
    (void)ctx;
    strbuf_printf(&told, "%llu:%s=%d ", (unsigned long long)token, id, error);
    is_there = error != SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR;
}

static void add(struct batch *b, uint64_t token, const char *id, const char *node,
    uint32_t minutes, const char *comment)
{
    job_desc_msg_t m = {.req_nodes = (char *)node,
        .time_limit = minutes,
        .admin_comment = (char *)comment};

    batch_add(b, token, id, &m);
}

/* `ret_asked`, `ret_told`: until the next. */
static void send_all(struct batch *b, const char **ret_asked, const char **ret_told)
{
    asked.len = told.len = 0;
    strbuf_add(&asked, "");
    strbuf_add(&told, "");
    batch_send(b, &(struct batch_calls){may_ask, note, NULL});
    *ret_asked = asked.text;
    *ret_told = told.text;
}

static void tasks_alike_are_one_request(void **state)
{
    struct batch *b = batch_new();
    const char *request, *each;

    (void)state;
    add(b, 1, "7_1", "n1", 5, "c");
    add(b, 2, "7_2", "n2", 5, "c");
    add(b, 3, "7_3", "n1", 5, "c");
    add(b, 4, "8_4", "n1", 5, "c"); /* of another array */
    add(b, 5, "9", "n1", 5, "c");   /* of none */
    add(b, 6, "7_6", "n1", 6, "c"); /* for another time */
    add(b, 7, "7_7", "n1", 5, "d"); /* with a remark */
    add(b, 8, "7_8", "n1", 5, NULL);
    add(b, 9, "7_9", "n1", 5, "c");
    add(b, 10, "9", "n1", 5, "c");
    send_all(b, &request, &each);
    assert_string_equal(request,
        "7_1,3,9 on n1; 7_2 on n2; 8_4 on n1; 9 on n1; 7_6 on n1; 7_7 on n1; "
        "7_8 on n1; 9 on n1; ");
    assert_string_equal(each,
        "1:7_1=0 3:7_3=0 9:7_9=0 2:7_2=0 4:8_4=0 5:9=0 6:7_6=0 7:7_7=0 "
        "8:7_8=0 10:9=0 ");
    send_all(b, &request, &each); /* it is empty */
    assert_string_equal(request, "");
    batch_free(b);
}

static void each_task_has_its_own_error(void **state)
{
    struct batch *b = batch_new();
    const char *request, *each;
    char *lists[] = {"7_1,3-4", "7_2", "7_5-6"};
    int errors[] = {0, ESLURM_JOB_HELD, ESLURM_INVALID_JOB_ID};

    (void)state;
    answer = (job_array_resp_msg_t){3, lists, errors};
    for (uint64_t i = 1; i <= 6; i++)
        add(b, i, (char *[]){"7_1", "7_2", "7_3", "7_4", "7_5", "7_6"}[i - 1], "n1", 5,
            "c");
    send_all(b, &request, &each);
    assert_string_equal(request, "7_1,2,3,4,5,6 on n1; ");
    strbuf_add(&asked, "");
    char wanted[200];
    snprintf(wanted, sizeof wanted,
        "1:7_1=0 2:7_2=%d 3:7_3=0 4:7_4=0 5:7_5=%d 6:7_6=%d ", ESLURM_JOB_HELD,
        ESLURM_INVALID_JOB_ID, ESLURM_INVALID_JOB_ID);
    assert_string_equal(each, wanted);

    /* of one alone it is about that one, whatever the answer calls it */
    answer = (job_array_resp_msg_t){2, lists, errors};
    add(b, 1, "7_9", "n1", 5, "c");
    send_all(b, &request, &each);
    snprintf(wanted, sizeof wanted, "1:7_9=%d ", ESLURM_JOB_HELD);
    assert_string_equal(each, wanted);
    batch_free(b);
}

static void a_request_that_fails_fails_for_all(void **state)
{
    struct batch *b = batch_new();
    const char *request, *each;

    (void)state;
    failure = 5;
    add(b, 1, "7_1", "n1", 5, "c");
    add(b, 2, "7_2", "n1", 5, "c");
    send_all(b, &request, &each);
    failure = 0;
    assert_string_equal(each, "1:7_1=5 2:7_2=5 ");
    batch_free(b);
}

/* What some system call left in errno is no answer of Slurm's; what Slurm says is. */
static void a_partition_that_slurm_fails_at_is_named_again_and_then_left_out(
    void **state)
{
#define NAMED "7 on n1 in low; "
    static const struct {
        uint32_t priority; /* INFINITE: a start */
        int failure;
        const char *asked;
    } cases[] = {{INFINITE, EAGAIN, NAMED NAMED NAMED NAMED "7 on n1; "},
        {INFINITE, ESLURM_NODES_BUSY, NAMED}, {INFINITE, 0, NAMED},
        {0, EAGAIN, NAMED NAMED NAMED NAMED}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char low[] = "low";
        job_desc_msg_t m = {.job_id_str = (char *)"7",
            .req_nodes = (char *)"n1",
            .partition = low,
            .priority = cases[i].priority};
        job_array_resp_msg_t *answers = NULL;

        asked.len = 0;
        failure = cases[i].failure;
        assert_int_equal(batch_update(&m, &answers), failure != 0 ? -1 : 0);
        assert_true(failure == 0 || errno == failure);
        assert_string_equal(asked.text, cases[i].asked);
        assert_ptr_equal(m.partition, low);
    }
    failure = 0;
}

static void a_slurm_that_is_away_is_waited_for_once(void **state)
{
    struct batch *b = batch_new();
    const char *request, *each;
    char wanted[200];

    (void)state;
    add(b, 1, "7_1", "n1", 5, "c");
    add(b, 2, "8", "n1", 5, "c");
    add(b, 3, "9", "n2", 5, "c");
    failure = SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR;
    send_all(b, &request, &each);
    failure = 0;
    is_there = true;
    assert_string_equal(request, "7_1 on n1; ");
    snprintf(wanted, sizeof wanted, "1:7_1=%d 2:8=%d 3:9=%d ",
        SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR,
        SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR,
        SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR);
    assert_string_equal(each, wanted);
    batch_free(b);
}

/* Slurm cuts a list of tasks in an answer at 30 bytes. */
static void no_list_is_longer_than_an_answer(void **state)
{
    struct batch *b = batch_new();
    const char *request, *each;
    char id[20];

    (void)state;
    for (uint64_t i = 0; i < 20; i++) {
        snprintf(id, sizeof id, "7_%d", 1000 + 2 * (int)i);
        add(b, i, id, "n1", 5, "c");
    }
    send_all(b, &request, &each);
    for (const char *at = request; at != NULL; at = strchr(at, ';')) {
        const char *from = strchr(at, '_');

        if (from == NULL)
            break;
        assert_true(strcspn(from, " ") <= 28);
        at = strchr(from, ';');
    }
    assert_non_null(strstr(each, "19:7_1038=0"));
    add(b, 1, "7_1", "n1", 5, "c"); /* what was not sent goes */
    batch_free(b);
}

static void lists_of_tasks_are_read(void **state)
{
    (void)state;
    assert_true(batch_lists("63_1,4-9", 1));
    assert_true(batch_lists("63_1,4-9", 6));
    assert_false(batch_lists("63_1,4-9", 3));
    assert_false(batch_lists("63_1,4-9", 63));
    assert_false(batch_lists("63_", 0));
    assert_false(batch_lists("", 0));
    assert_false(batch_lists("63_1,...", 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_alike_are_one_request),
        cmocka_unit_test(each_task_has_its_own_error),
        cmocka_unit_test(a_request_that_fails_fails_for_all),
        cmocka_unit_test(
            a_partition_that_slurm_fails_at_is_named_again_and_then_left_out),
        cmocka_unit_test(a_slurm_that_is_away_is_waited_for_once),
        cmocka_unit_test(no_list_is_longer_than_an_answer),
        cmocka_unit_test(lists_of_tasks_are_read),
    };
    int failed = cmocka_run_group_tests_name("slurm_batch", tests, NULL, NULL);

    free(asked.text);
    free(told.text);
    return failed;
}
