/* SPDX-License-Identifier: Apache-2.0
 * qrstat: advance reservations, which are of slots of queue instances. */
#include "base/strbuf.h"
#include "rm/adapter/xml.h"
#include "rm/gridengine/answers.h"

#include <time.h>

/* "2026-11-27T01:21:00", in UTC as we have it print; 0: none. */
static int64_t instant_of(const char *text)
{
    struct tm tm = {0};
    const char *end = text != NULL ? strptime(text, "%Y-%m-%dT%H:%M:%S", &tm) : NULL;

    return end != NULL && *end == '\0' ? timegm(&tm) : 0;
}

char *ge_list_reservations(const char *text, size_t len, struct err *err)
{
    struct arena arena = {0};
    const struct xml_element *root = xml_read(&arena, text, len, err), *e;
    struct strbuf list = {0};

    if (root == NULL) {
        arena_free(&arena);
        return NULL;
    }
    strbuf_add(&list, "");
    e = xml_child(xml_child(root, "qrstat"), "ar_summary");
    for (; e != NULL; e = xml_beside(e->next, "ar_summary")) {
        const char *id = xml_text(e, "id");

        if (id != NULL && *id && id[strspn(id, "0123456789")] == '\0')
            strbuf_printf(&list, "%s%s", list.len > 0 ? "," : "", id);
    }
    arena_free(&arena);
    return strbuf_take(&list);
}

/* Several queues of a host may have a part each. */
static void add_grant(struct ge_reservation *r, const char *instance, const char *slots)
{
    const char *host = instance != NULL ? strchr(instance, '@') : NULL;
    long long n = slots != NULL ? strtoll(slots, NULL, 10) : 0;

    if (host == NULL || n <= 0)
        return;
    for (size_t i = 0; i < r->grants.n; i++)
        if (strcmp(r->grants.v[i].host, host + 1) == 0) {
            r->grants.v[i].slots += n;
            return;
        }
    vec_push(&r->grants, ((struct ge_grant){host + 1, n}));
}

static void read_reservation(struct ge_reservations *all, const struct xml_element *e)
{
    struct ge_reservation r = {.id = xml_text(e, "id"),
        .owner = xml_text(e, "owner"),
        .start_at = instant_of(xml_text(e, "start_time")),
        .end_at = instant_of(xml_text(e, "end_time"))};
    const struct xml_element *granted = xml_child(e, "granted_slots_list"),
                             *acl = xml_child(e, "acl_list");

    if (r.id == NULL || *r.id == '\0' || r.end_at <= r.start_at)
        return;
    for (const struct xml_element *g = granted ? granted->first : NULL; g; g = g->next)
        add_grant(&r, xml_attr_of(g, "queue_instance"), xml_attr_of(g, "slots"));
    for (const struct xml_element *a = acl ? acl->first : NULL; a; a = a->next) {
        const char *user = xml_attr_of(a, "user");

        if (user != NULL && *user != '\0' && *user != '@')
            vec_push(&r.users, user);
    }
    vec_push(&all->list, r);
}

int ge_read_reservations(
    struct ge_reservations *ret, const char *text, size_t len, struct err *err)
{
    const struct xml_element *root, *e;

    *ret = (struct ge_reservations){0};
    root = xml_read(&ret->arena, text, len, err);
    if (root == NULL)
        return err_prefix(err, "qrstat: ");
    e = xml_child(xml_child(root, "qrstat"), "ar_summary");
    for (; e != NULL; e = xml_beside(e->next, "ar_summary"))
        read_reservation(ret, e);
    return 0;
}

void ge_reservations_free(struct ge_reservations *all)
{
    for (size_t i = 0; i < all->list.n; i++) {
        vec_fini(&all->list.v[i].grants);
        vec_fini(&all->list.v[i].users);
    }
    vec_fini(&all->list);
    arena_free(&all->arena);
}
