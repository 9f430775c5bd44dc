/* SPDX-License-Identifier: Apache-2.0
 * Prices to the thousandth. */
#include "cmocka_all.h"
#include "funds/amount.h"
#include "funds/price.h"

#include <stdio.h>

static struct price_rates rates_of(const char *text)
{
    struct price_rates rates;
    struct err err;

    if (price_rates_parse(text, &rates, &err) != 0)
        fail_msg("%s", err.text);
    return rates;
}

/* Price of processors and MB at the rates, with a factor. */
static int64_t price(
    const char *text, int64_t procs, int64_t mem_mb, int64_t seconds, int64_t factor)
{
    const struct price_amount amounts[] = {{"PROCS", procs}, {"MEM", mem_mb}};
    const struct price_factor factors[] = {{"QOS", factor}};
    const struct price_ask ask = {amounts, 2, factors, 1, seconds};
    struct price_rates rates = rates_of(text);
    struct err err;
    int64_t amount;

    if (price_of(&rates, &ask, &amount, NULL, &err) != 0)
        fail_msg("%s", err.text);
    price_rates_fini(&rates);
    return amount;
}

#define RATES "PROCS:1,MEM:0.001"

static void sixteen_processors_for_an_hour_9_1(void **state)
{
    (void)state;
    assert_int_equal(price(RATES, 16, 0, 3600, PRICE_ONE), 57600000);
}

static void memory_and_a_premium_9_2(void **state)
{
    (void)state;
    assert_int_equal(price(RATES, 16, 2048, 3600, 2 * PRICE_ONE), 129945600);
}

static void half_the_price_9_3(void **state)
{
    (void)state;
    assert_int_equal(price(RATES, 16, 0, 3600, PRICE_ONE / 2), 28800000);
}

static void hourly_debits_come_to_the_debit_at_the_end_9_16(void **state)
{
    int64_t before = 0, sum = 0;

    (void)state;
    for (int64_t s = 3600; before < 86399; s += 3600) {
        int64_t to = s < 86399 ? s : 86399;
        sum += price("PROCS:0.333333", 7, 0, to, PRICE_ONE)
               - price("PROCS:0.333333", 7, 0, before, PRICE_ONE);
        before = to;
    }
    assert_int_equal(sum, 201597465);
    assert_int_equal(price("PROCS:0.333333", 7, 0, 86399, PRICE_ONE), 201597465);
}

static void it_is_rounded_once_and_half_up(void **state)
{
    (void)state;
    assert_int_equal(price("PROCS:0.0005", 1, 0, 1, PRICE_ONE), 1); /* 0.5 */
    assert_int_equal(price("PROCS:0.000499", 1, 0, 1, PRICE_ONE), 0);
    assert_int_equal(price("PROCS:0.000001,MEM:0.000499", 1, 1, 1, PRICE_ONE), 1);
    assert_int_equal(price("PROCS:0.0003", 1, 0, 5, PRICE_ONE), 2); /* 1.5 */
}

static void factors_multiply_to_the_ninth_place(void **state)
{
    const struct price_amount amount = {"PROCS", 1000000000};
    const struct price_factor three[] = {{"A", 333333}, {"B", 333333}, {"C", 333333}};
    const struct price_ask ask = {&amount, 1, three, 3, 1};
    struct price_rates rates = rates_of("PROCS:1");
    int64_t price;

    (void)state;
    assert_int_equal(price_of(&rates, &ask, &price, NULL, NULL), 0);
    /* 0.333333, 0.111110889 (0.1111108888..), 0.037036926 (0.0370369259..) */
    assert_int_equal(price, INT64_C(37036926000));
    price_rates_fini(&rates);
}

static void what_has_no_rate_costs_nothing(void **state)
{
    (void)state;
    assert_int_equal(price("PROCS:1", 2, 4096, 10, PRICE_ONE), 20000);
    assert_int_equal(price("", 2, 4096, 10, PRICE_ONE), 0);
    assert_int_equal(price("procs:1", 2, 0, 10, PRICE_ONE), 20000);
}

static void seconds_below_0_are_none(void **state)
{
    (void)state;
    assert_int_equal(price(RATES, 16, 0, -5, PRICE_ONE), 0);
}

static void the_largest_price_is_right_and_the_next_is_refused(void **state)
{
    struct price_amount amount = {"PROCS", 100000000};
    struct price_ask ask = {&amount, 1, NULL, 0, 1000000};
    struct price_rates rates = rates_of("PROCS:1");
    struct err err;
    int64_t price = 7;

    (void)state;
    assert_int_equal(price_of(&rates, &ask, &price, NULL, &err), 0);
    assert_int_equal(price, AM_LARGEST);
    ask.seconds++;
    price = 7;
    assert_int_equal(price_of(&rates, &ask, &price, NULL, &err), -1);
    assert_non_null(strstr(err.text, "beyond 100,000,000,000,000 credits"));
    amount.amount = INT64_MAX;
    ask.seconds = INT64_MAX;
    assert_int_equal(price_of(&rates, &ask, &price, NULL, &err), -1);
    assert_int_equal(price, 7);
    price_rates_fini(&rates);
}

static void negative_numbers_have_no_price(void **state)
{
    const struct price_amount amount = {"PROCS", -1};
    const struct price_factor factor = {"QOS:low", -1};
    const struct price_ask one = {&amount, 1, NULL, 0, 1},
                           two = {NULL, 0, &factor, 1, 1};
    struct price_rates rates = rates_of("PROCS:1");
    struct err err;
    int64_t price;

    (void)state;
    assert_int_equal(price_of(&rates, &one, &price, NULL, &err), -1);
    assert_int_equal(price_of(&rates, &two, &price, NULL, &err), -1);
    assert_non_null(strstr(err.text, "QOS:low"));
    price_rates_fini(&rates);
}

static void the_items_are_told(void **state)
{
    const struct price_amount amounts[] = {{"PROCS", 16}, {"MEM", 2048}};
    const struct price_factor premium = {"QOS:Premium", 2 * PRICE_ONE};
    const struct price_ask ask = {amounts, 2, &premium, 1, 3600};
    struct price_rates rates = rates_of(RATES);
    struct strbuf text = {0};
    int64_t price;

    (void)state;
    assert_int_equal(price_of(&rates, &ask, &price, &text, NULL), 0);
    assert_string_equal(text.text,
        "(16 PROCS x 1 + 2048 MEM x 0.001) x 3600 s x QOS:Premium 2 = 129,945.6");
    free(text.text);
    price_rates_fini(&rates);
}

static void rates_are_read_and_written_alike(void **state)
{
    static const char *const texts[] = {"", "PROCS:1", "PROCS:1,MEM:0.001,GPU:50",
        "A:0.000001", "A:0", "A:1000000000", "A:12.345678"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct price_rates rates = rates_of(texts[i]);
        char *text = price_rates_text(&rates);
        assert_string_equal(text, texts[i]);
        free(text);
        price_rates_fini(&rates);
    }
}

static void wrong_rates_are_refused_with_what_is_wrong(void **state)
{
    static const char *const texts[] = {"PROCS", "PROCS:", ":1", "PROCS:-1", "PROCS:1.",
        "PROCS:.5", "PROCS:1.0000001", "PROCS:1000000001", "PROCS:1,,MEM:1",
        "A:1,MEM:x", "A:99999999999999999999999999", "A:1 "};
    struct price_rates rates;
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (price_rates_parse(texts[i], &rates, &err) == 0)
            fail_msg("'%s' is taken", texts[i]);
        assert_non_null(strstr(err.text, "expected"));
    }
}

static void amounts_are_grouped_and_have_no_zeros_at_the_end(void **state)
{
    static const struct {
        int64_t amount;
        const char *text;
    } rows[] = {{0, "0"}, {1, "0.001"}, {-1, "-0.001"}, {999000, "999"},
        {1000000, "1,000"}, {57600000, "57,600"}, {129945600, "129,945.6"},
        {1234567890, "1,234,567.89"}, {INT64_MAX, "9,223,372,036,854,775.807"},
        {INT64_MIN, "-9,223,372,036,854,775.808"}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(amount_text(rows[i].amount).text, rows[i].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sixteen_processors_for_an_hour_9_1),
        cmocka_unit_test(memory_and_a_premium_9_2),
        cmocka_unit_test(half_the_price_9_3),
        cmocka_unit_test(hourly_debits_come_to_the_debit_at_the_end_9_16),
        cmocka_unit_test(it_is_rounded_once_and_half_up),
        cmocka_unit_test(factors_multiply_to_the_ninth_place),
        cmocka_unit_test(what_has_no_rate_costs_nothing),
        cmocka_unit_test(seconds_below_0_are_none),
        cmocka_unit_test(the_largest_price_is_right_and_the_next_is_refused),
        cmocka_unit_test(negative_numbers_have_no_price),
        cmocka_unit_test(the_items_are_told),
        cmocka_unit_test(rates_are_read_and_written_alike),
        cmocka_unit_test(wrong_rates_are_refused_with_what_is_wrong),
        cmocka_unit_test(amounts_are_grouped_and_have_no_zeros_at_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
