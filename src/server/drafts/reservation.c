/* SPDX-License-Identifier: Apache-2.0
 * A ReservationDraft of the API, by the table of a reservation's attributes. */
#include "server/drafts/reservation.h"

#include "cluster/rsvdraft.h"
#include "server/server_private.h"

static int put_value(struct setres_reading *r, const struct setres_attr *a,
    const json_t *value, struct err *err)
{
    json_t *entry;
    size_t i;

    if (json_is_string(value) && *json_string_value(value))
        return setres_put(r, a, json_string_value(value), err);
    if (json_is_integer(value))
        return setres_put_number(r, a, json_integer_value(value), err);
    if (json_is_true(value))
        return setres_put(r, a, "", err);
    json_array_foreach(value, i,
        entry) if (json_is_string(entry) && *json_string_value(entry)
                   && setres_put(r, a, json_string_value(entry), err) < 0) return -1;
    return 0;
}

static int read_asked(const json_t *o, const struct setres_clock *clock,
    struct setres *ret, struct err *err)
{
    const struct setres_attr *a;
    struct setres_reading r;
    int status = 0;

    setres_begin(&r, clock, ret);
    for (size_t i = 0; status == 0 && (a = setres_attr_at(i)) != NULL; i++)
        status = put_value(&r, a, json_object_get(o, a->name), err);
    if (status == 0)
        status = setres_end(&r, err);
    if (status < 0)
        setres_fini(ret);
    return status;
}

int rsvasked_read(struct cluster *c, const struct calendar *cal, json_t *o,
    enum rsv_kind kind, struct reservation *ret, struct err *err)
{
    struct setres_clock clock = {.cal = cal};
    struct setres asked;

    if (read_asked(o, &clock, &asked, err) < 0)
        return -1;
    int result = rsvdraft_of_setres(c, &asked, kind, ret, err);
    setres_fini(&asked);
    return result;
}

int rsvasked_draft(struct server *s, json_t *o, enum rsv_kind kind,
    struct reservation *ret, struct err *err)
{
    struct calendar cal = zone_system_calendar(world_now(s));

    return rsvasked_read(engine_cluster(s->engine), &cal, o, kind, ret, err);
}
