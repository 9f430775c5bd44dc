/* SPDX-License-Identifier: Apache-2.0
 * Tests of cluster/cred and cluster/partition. */
#include "cluster/partition.h"
#include "config/settings.h"
#include "fixture.h"

static void index_0_of_every_kind_is_default(void **state)
{
    struct fixture *f = *state;

    for (int k = 0; k < CRED_KINDS; k++) {
        struct cred *d = cred_get(f->c, k, NULL);
        assert_int_equal(d->index, 0);
        assert_string_equal(d->name, "DEFAULT");
        assert_ptr_equal(cred_get(f->c, k, ""), d);
        assert_ptr_equal(cred_get(f->c, k, "DEFAULT"), d);
        assert_ptr_equal(d->cfg, &f->s->creds[k].v[0]);
        assert_ptr_equal(d->def, d->cfg);
        assert_true(d->enabled);
    }
}

static void a_credential_is_made_once(void **state)
{
    struct fixture *f = *state;

    assert_null(cred_find(f->c, CRED_USER, "steve"));
    struct cred *steve = cred_get(f->c, CRED_USER, "steve");
    assert_int_equal(steve->index, 1);
    assert_ptr_equal(cred_get(f->c, CRED_USER, "steve"), steve);
    assert_ptr_equal(cred_find(f->c, CRED_USER, "steve"), steve);
    assert_null(cred_find(f->c, CRED_GROUP, "steve"));
}

static void names_are_case_sensitive(void **state)
{
    struct fixture *f = *state;
    assert_ptr_not_equal(
        cred_get(f->c, CRED_USER, "Steve"), cred_get(f->c, CRED_USER, "steve"));
}

static void a_credential_without_a_section_has_an_empty_one(void **state)
{
    struct fixture *f = *state;
    struct cred *bob = cred_get(f->c, CRED_USER, "bob");

    assert_int_equal(bob->cfg->overrun_s, -1);
    assert_int_equal(bob->cfg->priority, 0);
    assert_ptr_equal(bob->def, &f->s->creds[CRED_USER].v[0]);
}

static void configuring_makes_and_links_the_sections(void **state)
{
    struct fixture *f = *state;
    struct cred *bob = cred_get(f->c, CRED_QOS, "hi");

    settings_cred(f->s, CRED_QOS, "hi")->priority = 5;
    settings_cred(f->s, CRED_QOS, "lo")->priority = -5;
    uint64_t epoch = f->c->config_epoch;
    configure(f);
    assert_int_equal(bob->cfg->priority, 5);
    assert_int_equal(cred_find(f->c, CRED_QOS, "lo")->cfg->priority, -5);
    assert_int_equal(f->c->config_epoch, epoch + 1);
}

static void a_section_that_is_gone_leaves_an_empty_one(void **state)
{
    struct fixture *f = *state;
    struct settings *other = settings_create();

    settings_cred(f->s, CRED_USER, "bob")->priority = 5;
    configure(f);
    struct cred *bob = cred_find(f->c, CRED_USER, "bob");
    cluster_configure(f->c, other);
    assert_int_equal(bob->cfg->priority, 0);
    assert_ptr_equal(bob->def, &other->creds[CRED_USER].v[0]);
    configure(f);
    assert_int_equal(bob->cfg->priority, 5);
    settings_destroy(other);
}

static void every_kind_has_a_name(void **state)
{
    (void)state;
    assert_string_equal(cred_kind_name(CRED_USER), "user");
    assert_string_equal(cred_kind_name(CRED_QOS), "QOS");
    assert_string_equal(cred_kind_name(CRED_KINDS), "system");
}

static void partition_0_is_default(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(partition_find(f->c, "DEFAULT"), 0);
    assert_ptr_equal(partition_get(f->c, NULL), f->c->partitions.v[0]);
    assert_int_equal(partition_find(f->c, "p1"), INDEX_NONE);
    assert_int_equal(partition_get(f->c, "p1")->index, 1);
}

static void the_pseudo_partition_of_all_is_refused(void **state)
{
    struct fixture *f = *state;
    assert_null(partition_get(f->c, "[ALL]"));
}

static void partitions_have_an_end(void **state)
{
    struct fixture *f = *state;
    char name[16];

    for (int i = 1; i < PARTITIONS_MAX; i++) {
        snprintf(name, sizeof name, "p%d", i);
        assert_non_null(partition_get(f->c, name));
    }
    assert_null(partition_get(f->c, "another"));
    assert_non_null(partition_get(f->c, "p1"));
    node_refused(f, &(struct node_desc){.name = "n", .partition = "another"},
        "at most 63 partitions");
}

static void a_partition_has_its_own_settings_or_the_global_ones(void **state)
{
    struct fixture *f = *state;
    struct partition *p = partition_get(f->c, "p1");

    assert_ptr_equal(p->par, &f->s->par.v[0]);
    settings_par(f->s, "p1")->bf_depth = 7;
    configure(f);
    assert_int_equal(p->par->bf_depth, 7);
    assert_ptr_equal(f->c->partitions.v[0]->par, &f->s->par.v[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(index_0_of_every_kind_is_default),
        T(a_credential_is_made_once),
        T(names_are_case_sensitive),
        T(a_credential_without_a_section_has_an_empty_one),
        T(configuring_makes_and_links_the_sections),
        T(a_section_that_is_gone_leaves_an_empty_one),
        T(every_kind_has_a_name),
        T(partition_0_is_default),
        T(the_pseudo_partition_of_all_is_refused),
        T(partitions_have_an_end),
        T(a_partition_has_its_own_settings_or_the_global_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
