/* SPDX-License-Identifier: Apache-2.0
 * Slurm's own reservations: what changed of them is told. */
#include "base/xalloc.h"
#include "rm/slurm/adapter.h"

static uint64_t digest_of(const reserve_info_t *v)
{
    const int64_t numbers[] = {v->start_time, v->end_time, (int64_t)v->flags};
    uint64_t h = digest_bytes(DIGEST_START, numbers, sizeof numbers);

    return digest_text(
        digest_text(digest_text(digest_text(h, v->node_list), v->users), v->accounts),
        v->groups);
}

/* "a,b,-c": who is named, and "!c" who is kept out. */
static const char *const *names_of(struct request_room *room, const char *text)
{
    char *copy, *save = NULL;
    const char **out;
    size_t n = 0;

    if (text == NULL || *text == '\0')
        return NULL;
    copy = request_text(room, text, strlen(text));
    out = request_take(room, strlen(text) / 2 + 2, sizeof *out);
    for (char *word = strtok_r(copy, ",", &save); word != NULL;
         word = strtok_r(NULL, ",", &save)) {
        if (*word == '-')
            *word = '!';
        out[n++] = word;
    }
    return out;
}

static void tell(struct adapter *a, const reserve_info_t *v)
{
    struct request_room room = {0};
    struct rm_reservation told = {.name = v->name,
        .start_at = times_here(a, v->start_time),
        .end_at = times_here(a, v->end_time),
        .nodes = request_hosts(&room, v->node_list),
        .users = names_of(&room, v->users),
        .accounts = names_of(&room, v->accounts),
        .groups = names_of(&room, v->groups),
        .magnetic = (v->flags & RESERVE_FLAG_MAGNETIC) != 0,
        .flex = (v->flags & RESERVE_FLAG_FLEX) != 0,
        .maintenance = (v->flags & RESERVE_FLAG_MAINT) != 0,
        .overlaps = (v->flags & RESERVE_FLAG_OVERLAP) != 0};
    struct rm_report r = {.kind = RM_RESERVATION, .u.reservation = &told};

    if (told.nodes != NULL) /* else it is of licences alone */
        adapter_report(a, &r);
    request_free_room(&room);
}

static void drop(struct adapter *a, struct told_reservation *t)
{
    HASH_DEL(a->reservations, t);
    free(t->name);
    free(t);
}

static void see(struct adapter *a, const reserve_info_t *v)
{
    struct told_reservation *t;
    uint64_t digest = digest_of(v);

    HASH_FIND_STR(a->reservations, v->name, t);
    if (t == NULL) {
        t = xcalloc(1, sizeof *t);
        t->name = xstrdup(v->name);
        HASH_ADD_KEYPTR(hh, a->reservations, t->name, strlen(t->name), t);
    }
    t->round = a->round;
    if (t->digest != digest)
        tell(a, v);
    t->digest = digest;
}

int reservations_poll(struct adapter *a)
{
    reserve_info_msg_t *msg = NULL;
    struct told_reservation *t, *next;

    if (slurm_load_reservations(a->reservations_at, &msg) != SLURM_SUCCESS) {
        if (errno == SLURM_NO_CHANGE_IN_DATA)
            return 0;
        return adapter_lost(a, "reservations") ? -1 : 0;
    }
    a->reservations_at = msg->last_update;
    a->round++;
    for (uint32_t i = 0; i < msg->record_count; i++)
        see(a, &msg->reservation_array[i]);
    HASH_ITER(hh, a->reservations, t, next)
    {
        struct rm_report r = {.kind = RM_RESERVATION_GONE, .u.name = t->name};

        if (t->round == a->round)
            continue;
        adapter_report(a, &r);
        drop(a, t);
    }
    slurm_free_reservation_info_msg(msg);
    return 0;
}

void reservations_forget(struct adapter *a)
{
    struct told_reservation *t, *next;

    HASH_ITER(hh, a->reservations, t, next)
    drop(a, t);
    a->reservations_at = 0;
}
