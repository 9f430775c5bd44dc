/* SPDX-License-Identifier: Apache-2.0
 * Random numbers and made-up workloads: the same bytes for the same seed, and
 * distributions that are those of the model. */
#include "kit.h"
#include "sim/generate.h"
#include "sim/prng.h"

#include <math.h>
#include <stdlib.h>

/* ---- numbers -------------------------------------------------------------------- */

static void a_seed_gives_the_published_sequence(void **state)
{
    struct prng p;

    (void)state;
    prng_init(&p, 0);
    /* splitmix64 of 0 */
    assert_true(p.s[0] == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(p.s[1] == UINT64_C(0x6e789e6aa1b965f4));
    assert_true(p.s[2] == UINT64_C(0x06c45d188009454f));
    assert_true(p.s[3] == UINT64_C(0xf88bb8a8724c81ec));
    /* xoshiro256** from there */
    assert_true(prng_next(&p) == UINT64_C(0x99ec5f36cb75f2b4));
    assert_true(prng_next(&p) == UINT64_C(0xbf6e1f784956452a));
    assert_true(prng_next(&p) == UINT64_C(0x1a5f849d4933e6e0));
}

static void our_logarithm_and_exponential_are_exact(void **state)
{
    (void)state;
    for (double x = 1e-9; x < 1e9; x *= 1.37) {
        double want = log(x);

        assert_true(fabs(exact_log(x) - want) <= 1e-14 * fmax(1, fabs(want)));
    }
    for (double x = -30; x < 30; x += 0.37) {
        double want = exp(x);

        assert_true(fabs(exact_exp(x) - want) <= 1e-14 * want);
    }
    assert_true(exact_log(1) == 0);
    assert_true(exact_exp(0) == 1);
    assert_true(exact_exp(-5000) == 0);
}

static void numbers_below_a_bound_are_even(void **state)
{
    int seen[7] = {0};
    struct prng p;

    (void)state;
    prng_init(&p, 3);
    for (int i = 0; i < 70000; i++)
        seen[prng_below(&p, 7)]++;
    for (int i = 0; i < 7; i++)
        assert_in_range(seen[i], 9600, 10400);
}

static void expect_moments(double (*draw)(struct prng *p), double mean, double variance)
{
    enum { N = 200000 };
    double sum = 0, squares = 0;
    struct prng p;

    prng_init(&p, 11);
    for (int i = 0; i < N; i++) {
        double x = draw(&p);

        sum += x;
        squares += x * x;
    }
    assert_true(fabs(sum / N - mean) < 5 * sqrt(variance / N));
    assert_true(fabs(squares / N - sum / N * sum / N - variance) < 0.03 * variance);
}

static double gamma_short(struct prng *p)
{
    return prng_gamma(p, 4.2, 0.94);
}

static double gamma_long(struct prng *p)
{
    return prng_gamma(p, 312, 0.03);
}

static double gamma_below_one(struct prng *p)
{
    return prng_gamma(p, 0.5, 2);
}

static void gamma_and_normal_have_their_moments(void **state)
{
    (void)state;
    expect_moments(prng_normal, 0, 1);
    expect_moments(gamma_short, 4.2 * 0.94, 4.2 * 0.94 * 0.94);
    expect_moments(gamma_long, 312 * 0.03, 312 * 0.03 * 0.03);
    expect_moments(gamma_below_one, 1, 2);
}

/* ---- workloads ---- */

static void what_is_no_amount_is_refused(void **state)
{
    static const char *const wrong[] = {
        "", "0", "-5", "d", "0d", "5w", "5dd", "1e3", "99999999999", "99999d"};
    struct generate_options o;
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        if (generate_parse(wrong[i], &o, &err) == 0)
            fail_msg("%s was taken", wrong[i]);
    assert_int_equal(generate_parse("500", &o, &err), 0);
    assert_int_equal(o.jobs, 500);
    assert_int_equal(o.span_s, 0);
    assert_int_equal(generate_parse("30d", &o, &err), 0);
    assert_int_equal(o.jobs, 0);
    assert_int_equal(o.span_s, 30 * 86400);
}

static struct workload made(struct generate_options o)
{
    const struct workload_rules rules = {.procs = o.procs};
    struct workload w;

    workload_init(&w);
    generate_workload(&w, &o);
    workload_finish(&w, &rules, NULL);
    return w;
}

static char *written(const struct workload *w)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_int_equal(mauitrace_write(out, w, NULL), 0);
    fclose(out);
    return text;
}

static uint64_t hash_of(const char *text)
{
    uint64_t h = UINT64_C(14695981039346656037);

    for (; *text != '\0'; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return h;
}

static const struct generate_options usual = {
    .jobs = 2000, .seed = 1, .load = 0.9, .users = 50, .procs = 128};

static void equal_seeds_give_equal_bytes_and_others_do_not(void **state)
{
    struct generate_options o = usual;
    struct workload a = made(o), b = made(o), c;
    char *ta = written(&a), *tb = written(&b), *tc;

    (void)state;
    o.seed = 2;
    c = made(o);
    tc = written(&c);
    assert_string_equal(ta, tb);
    assert_string_not_equal(ta, tc);
    /* and on every machine the same: FNV-1a of the text, as first made */
    if (hash_of(ta) != UINT64_C(0xa06110a9c19aaa83))
        fail_msg("0x%llx", (unsigned long long)hash_of(ta));
    free(ta);
    free(tb);
    free(tc);
    workload_fini(&a);
    workload_fini(&b);
    workload_fini(&c);
}

static double work_of(const struct workload *w)
{
    double work = 0;

    for (size_t i = 0; i < w->jobs.n; i++)
        work += (double)w->jobs.v[i].run_s * w->jobs.v[i].procs;
    return work;
}

static void the_load_asked_for_is_offered(void **state)
{
    static const double loads[] = {0.3, 0.9, 1.2};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct generate_options o = usual;
        struct workload w;
        double span;

        o.load = loads[i];
        w = made(o);
        span = (double)w.jobs.v[w.jobs.n - 1].submit_at;
        assert_int_equal(w.jobs.n, 2000);
        assert_true(fabs(work_of(&w) / (128 * span) / o.load - 1) < 0.02);
        workload_fini(&w);
    }
}

static void days_are_filled_to_the_load(void **state)
{
    struct generate_options o = usual;
    struct workload w;

    (void)state;
    o.jobs = 0;
    o.span_s = 20 * 86400;
    w = made(o);
    assert_true(w.jobs.v[w.jobs.n - 1].submit_at < o.span_s);
    assert_true(w.jobs.v[w.jobs.n - 1].submit_at > o.span_s - 86400);
    assert_true(fabs(work_of(&w) / (128.0 * 20 * 86400) / 0.9 - 1) < 0.05);
    workload_fini(&w);
}

struct counts {
    int serial, power2, same_day[24], short_run, ask_max, busiest, by_class[3];
};

static struct counts count_all(const struct workload *w)
{
    static const int64_t limits[] = {3600, 12 * 3600, 48 * 3600};
    struct counts n = {0};

    for (size_t i = 0; i < w->jobs.n; i++) {
        const struct trace_job *j = &w->jobs.v[i];
        const char *cls = workload_cred(w, j, CRED_CLASS);
        int c = strcmp(cls, "short") == 0 ? 0 : strcmp(cls, "batch") == 0 ? 1 : 2;

        assert_true(j->run_s >= 1 && j->run_s <= j->wclimit_s);
        assert_true(j->wclimit_s <= limits[c]);
        assert_true(j->procs >= 1 && j->procs <= 128);
        assert_non_null(workload_cred(w, j, CRED_USER));
        assert_non_null(workload_cred(w, j, CRED_GROUP));
        assert_non_null(workload_cred(w, j, CRED_ACCOUNT));
        n.serial += j->procs == 1;
        n.power2 += (j->procs & (j->procs - 1)) == 0;
        n.same_day[j->submit_at % 86400 / 3600]++;
        n.short_run += j->run_s < 600;
        n.ask_max += j->wclimit_s == limits[c];
        n.busiest += strcmp(workload_cred(w, j, CRED_USER), "user1") == 0;
        n.by_class[c]++;
    }
    return n;
}

static void distributions_are_those_of_the_model(void **state)
{
    struct generate_options o = usual;
    struct workload w;
    struct counts n;

    (void)state;
    o.jobs = 20000;
    w = made(o);
    n = count_all(&w);
    /* 24.4 % are serial, by choice: the model's smallest other size is 2 */
    assert_in_range(n.serial, 4700, 5060);
    /* at least 24.4 + 75.6 * 57.6 % are powers of two */
    assert_in_range(n.power2, 13400, 17500);
    /* most runs are short, a good part is hours long */
    assert_in_range(n.short_run, 9000, 16000);
    /* nights are quiet: 3 to 5 o'clock against 13 to 15 */
    assert_true(n.same_day[3] + n.same_day[4] < (n.same_day[13] + n.same_day[14]) / 3);
    /* a share asks for the maximum, but not all */
    assert_in_range(n.ask_max, 3000, 9000);
    /* Zipf: of 50 users the busiest has about a quarter */
    assert_in_range(n.busiest, 3500, 6500);
    assert_true(n.by_class[0] > 0 && n.by_class[1] > 0 && n.by_class[2] > 0);
    workload_fini(&w);
}

static void a_machine_of_one_processor_gets_serial_jobs(void **state)
{
    struct generate_options o = usual;
    struct workload w;

    (void)state;
    o.procs = 1;
    o.users = 1;
    w = made(o);
    for (size_t i = 0; i < w.jobs.n; i++) {
        assert_int_equal(w.jobs.v[i].procs, 1);
        assert_string_equal(workload_cred(&w, &w.jobs.v[i], CRED_USER), "user1");
    }
    workload_fini(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_amount_is_refused),
        cmocka_unit_test(a_seed_gives_the_published_sequence),
        cmocka_unit_test(our_logarithm_and_exponential_are_exact),
        cmocka_unit_test(numbers_below_a_bound_are_even),
        cmocka_unit_test(gamma_and_normal_have_their_moments),
        cmocka_unit_test(equal_seeds_give_equal_bytes_and_others_do_not),
        cmocka_unit_test(the_load_asked_for_is_offered),
        cmocka_unit_test(days_are_filled_to_the_load),
        cmocka_unit_test(distributions_are_those_of_the_model),
        cmocka_unit_test(a_machine_of_one_processor_gets_serial_jobs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
