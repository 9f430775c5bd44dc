/* SPDX-License-Identifier: Apache-2.0
 * The memory of a job as JSON. */
#include "records/jobmemory.h"

#include "records/reader.h"

#include <stddef.h>

enum number_type { U8, U16, U32, U64, I64, FLAG, REASON };

static const struct number {
    const char *name;
    enum number_type type;
    size_t at;
} numbers[] = {
#define NUMBER(type, field)                                                            \
    {                                                                                  \
#field, type, offsetof(struct job_memory, field)                               \
    }
    NUMBER(U8, holds),
    NUMBER(REASON, hold_reason),
    NUMBER(I64, hold_at),
    NUMBER(I64, defer_until),
    NUMBER(FLAG, given_up),
    NUMBER(FLAG, world_changed),
    NUMBER(U16, defer_count),
    NUMBER(FLAG, retries),
    NUMBER(U16, start_count),
    NUMBER(U16, preempt_count),
    NUMBER(U16, failed_starts),
    NUMBER(U16, put_off),
    NUMBER(U32, bypass),
    NUMBER(I64, priority),
    NUMBER(I64, user_priority),
    NUMBER(I64, sys_priority),
    NUMBER(U32, flags),
    NUMBER(FLAG, qos_forced),
    NUMBER(FLAG, cancelled),
    NUMBER(I64, queue_at),
    NUMBER(I64, eff_queue_s),
    NUMBER(I64, paused_at),
    NUMBER(FLAG, accruing),
    NUMBER(FLAG, paused),
    NUMBER(U8, limited),
    NUMBER(I64, release_at),
    NUMBER(I64, deadline_at),
    NUMBER(I64, rsv_start_at),
    NUMBER(U64, promised),
    NUMBER(I64, promised_at),
    NUMBER(I64, start_by),
    NUMBER(I64, start_planned),
    NUMBER(I64, start_was),
    NUMBER(I64, start_told),
    NUMBER(U8, start_cause),
    NUMBER(I64, start_counted),
    NUMBER(I64, expected_made_at),
    NUMBER(I64, expected_at),
    NUMBER(I64, expected_from),
    NUMBER(I64, expected_until),
    NUMBER(I64, retry_until),
    NUMBER(I64, retry_at),
    NUMBER(I64, suspended_s),
    NUMBER(I64, suspend_at),
    NUMBER(I64, saved_s),
    NUMBER(I64, start_at),
    NUMBER(I64, eff_wclimit_s),
    NUMBER(I64, wclimit_s),
    NUMBER(I64, learned_wclimit_s),
#undef NUMBER
};
#define NUMBERS (sizeof numbers / sizeof numbers[0])

static int64_t number_of(const struct job_memory *m, const struct number *n)
{
    const char *at = (const char *)m + n->at;

    switch (n->type) {
    case U8:
        return *(const uint8_t *)at;
    case U16:
        return *(const uint16_t *)at;
    case U32:
        return *(const uint32_t *)at;
    case U64:
        return (int64_t) * (const uint64_t *)at;
    case I64:
        return *(const int64_t *)at;
    case FLAG:
        return *(const bool *)at;
    case REASON:
        return (int64_t) * (const enum hold_reason *)at;
    }
    return 0;
}

static void set_number(struct job_memory *m, const struct number *n, int64_t value)
{
    char *at = (char *)m + n->at;

    switch (n->type) {
    case U8:
        *(uint8_t *)at = (uint8_t)value;
        break;
    case U16:
        *(uint16_t *)at = (uint16_t)value;
        break;
    case U32:
        *(uint32_t *)at = (uint32_t)value;
        break;
    case U64:
        *(uint64_t *)at = (uint64_t)value;
        break;
    case I64:
        *(int64_t *)at = value;
        break;
    case FLAG:
        *(bool *)at = value != 0;
        break;
    case REASON:
        *(enum hold_reason *)at = value >= REASON_NONE && value <= REASON_DEPENDENCY
                                      ? (enum hold_reason)value
                                      : REASON_ADMIN;
        break;
    }
}

static void put_words(json_t *o, const char *key, const char *text)
{
    if (text && *text)
        put_text(o, key, text);
}

json_t *jobmemory_json(const struct job_memory *m)
{
    json_t *o = json_object();

    for (size_t i = 0; i < NUMBERS; i++)
        if (number_of(m, &numbers[i]))
            put_int(o, numbers[i].name, number_of(m, &numbers[i]));
    put_words(o, "hold_text", m->hold_text);
    put_words(o, "let_pass", m->let_pass);
    put_words(o, "qos", m->qos);
    put_words(o, "start_partition", m->start_partition);
    return o;
}

void jobmemory_read(const json_t *o, struct job_memory *ret)
{
    *ret = (struct job_memory){0};
    for (size_t i = 0; i < NUMBERS; i++)
        set_number(
            ret, &numbers[i], json_integer_value(json_object_get(o, numbers[i].name)));
    ret->hold_text = json_string_value(json_object_get(o, "hold_text"));
    ret->let_pass = json_string_value(json_object_get(o, "let_pass"));
    ret->qos = json_string_value(json_object_get(o, "qos"));
    ret->start_partition = json_string_value(json_object_get(o, "start_partition"));
}
