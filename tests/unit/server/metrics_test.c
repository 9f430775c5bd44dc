/* SPDX-License-Identifier: Apache-2.0
 * Histograms of the page of figures. */
#include "server/events/metrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const double bounds[] = {0.1, 1, 10, 0};

static void buckets_are_sums_of_what_is_not_above_their_bound(void **state)
{
    struct histogram h = {.bounds = bounds};
    struct strbuf out = {0};

    (void)state;
    histogram_add(&h, 0);
    histogram_add(&h, 0.1);
    histogram_add(&h, 0.11);
    histogram_add(&h, 10);
    histogram_add(&h, 1000);
    histogram_print(&h, "x", "", &out);
    assert_string_equal(out.text, "x_bucket{le=\"0.1\"} 2\n"
                                  "x_bucket{le=\"1\"} 3\n"
                                  "x_bucket{le=\"10\"} 4\n"
                                  "x_bucket{le=\"+Inf\"} 5\n"
                                  "x_sum 1010.21\n"
                                  "x_count 5\n");
    free(strbuf_take(&out));
}

static void labels_stand_before_the_bound(void **state)
{
    struct histogram h = {.bounds = bounds};
    struct strbuf out = {0};

    (void)state;
    histogram_print(&h, "x", "action=\"start\"", &out);
    assert_string_equal(out.text, "x_bucket{action=\"start\",le=\"0.1\"} 0\n"
                                  "x_bucket{action=\"start\",le=\"1\"} 0\n"
                                  "x_bucket{action=\"start\",le=\"10\"} 0\n"
                                  "x_bucket{action=\"start\",le=\"+Inf\"} 0\n"
                                  "x_sum{action=\"start\"} 0\n"
                                  "x_count{action=\"start\"} 0\n");
    free(strbuf_take(&out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buckets_are_sums_of_what_is_not_above_their_bound),
        cmocka_unit_test(labels_stand_before_the_bound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
