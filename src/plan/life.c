/* SPDX-License-Identifier: Apache-2.0
 * The life of a plan: its collaborators, and which of them look at which. */
#include "base/xalloc.h"
#include "plan/bynode/bynode.h"
#include "plan/floating.h"
#include "plan/nodes/rsvview.h"
#include "plan/plan_private.h"
#include "plan/window.h"

#include <assert.h>

/* What is in use and reserved is as in `from`, if that is there. */
static void make_counted(struct plan *p, const struct counted *from)
{
    const struct counted_uses uses = {.c = p->c,
        .now = &p->now,
        .version = &p->version,
        .closures = p->closures,
        .pools = p->pools,
        .fits = p->fits,
        .reserved = p->reserved,
        .view = p->view};

    p->counted = from ? counted_fork(from, &uses) : counted_create(&uses);
}

void plan_link(struct plan *p, const struct plan *original)
{
    p->view = rsvview_create(p->c, &p->now, &p->version);
    make_counted(p, original ? original->counted : NULL);
    p->bynode = bynode_create(&(struct bynode_uses){.c = p->c,
        .now = &p->now,
        .version = &p->version,
        .closures = p->closures,
        .pools = p->pools,
        .fits = p->fits,
        .counted = p->counted,
        .reserved = p->reserved,
        .pins = p->pins,
        .view = p->view,
        .ends = &p->ends,
        .without = &p->without});
}

void plan_unlink(struct plan *p)
{
    bynode_destroy(p->bynode);
    counted_destroy(p->counted);
    rsvview_destroy(p->view);
}

struct plan *plan_create(struct cluster *c)
{
    struct plan *p = xcalloc(1, sizeof *p);

    p->c = c;
    p->version = 1;
    p->reserved = rsvtable_create();
    p->pins = pintable_create();
    p->windows = windows_create();
    p->licences = licences_create();
    p->closures = closures_create(c);
    p->pools = pools_create(c, p->closures);
    p->fits = fits_create(c, p->pools);
    plan_link(p, NULL);
    return p;
}

void plan_destroy(struct plan *p)
{
    if (!p)
        return;
    assert(p->forks == 0);
    if (p->original)
        p->original->forks--;
    windows_destroy(p->windows);
    licences_destroy(p->licences);
    plan_unlink(p);
    fits_destroy(p->fits);
    pools_destroy(p->pools);
    closures_destroy(p->closures);
    vec_fini(&p->ends);
    rsvtable_destroy(p->reserved);
    pintable_destroy(p->pins);
    without_fini(&p->without);
    free(p);
}
