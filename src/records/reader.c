/* SPDX-License-Identifier: Apache-2.0
 * JSON members: checked on the way in, left out when usual on the way out. */
#include "records/reader.h"

#include "base/duration.h"
#include "base/xalloc.h"

#include <string.h>

int reader_open(
    struct reader *r, const char *name, const char *text, size_t len, struct err *err)
{
    json_error_t where;

    *r = (struct reader){.name = name, .err = err};
    r->document = json_loadb(text, len, JSON_REJECT_DUPLICATES, &where);
    if (r->document != NULL)
        return 0;
    r->failed = true;
    return err_set(err, ERR_INVALID, "%s:%d: %s", name, where.line, where.text);
}

void reader_close(struct reader *r)
{
    for (size_t i = 0; i < r->nodesets.n; i++)
        vec_fini(&r->nodesets.v[i]->list);
    vec_fini(&r->nodesets);
    for (size_t i = 0; i < r->blocks.n; i++)
        free(r->blocks.v[i]);
    vec_fini(&r->blocks);
    json_decref(r->document);
}

void *reader_take(struct reader *r, size_t count, size_t size)
{
    void *block = xcalloc(count, size);

    vec_push(&r->blocks, block);
    return block;
}

void reader_wrong(struct reader *r, const char *key, const char *expected)
{
    if (!r->failed)
        err_set(r->err, ERR_INVALID, "%s: \"%s\" is not %s", r->name, key, expected);
    r->failed = true;
}

int64_t reader_int(struct reader *r, const json_t *o, const char *key, int64_t min)
{
    const json_t *v = json_object_get(o, key);

    if (v == NULL)
        return 0;
    if (!json_is_integer(v) || json_integer_value(v) < min
        || json_integer_value(v) > DURATION_UNLIMITED) {
        reader_wrong(r, key, "a number in range");
        return 0;
    }
    return json_integer_value(v);
}

uint32_t reader_u32(struct reader *r, const json_t *o, const char *key)
{
    int64_t v = reader_int(r, o, key, 0);

    if (v > UINT32_MAX) {
        reader_wrong(r, key, "a number in range");
        return 0;
    }
    return (uint32_t)v;
}

double reader_real(struct reader *r, const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);

    if (v != NULL && !json_is_number(v))
        reader_wrong(r, key, "a number");
    return json_number_value(v);
}

const char *reader_text(struct reader *r, const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);

    if (v == NULL)
        return NULL;
    if (!json_is_string(v))
        reader_wrong(r, key, "a text");
    return json_string_value(v);
}

bool reader_bool(struct reader *r, const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);

    if (v != NULL && !json_is_boolean(v))
        reader_wrong(r, key, "true or false");
    return json_is_true(v);
}

const json_t *reader_list(struct reader *r, const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);

    if (v != NULL && !json_is_array(v)) {
        reader_wrong(r, key, "a list");
        return NULL;
    }
    return v;
}

const char *const *reader_texts(struct reader *r, const json_t *o, const char *key)
{
    const json_t *list = reader_list(r, o, key);
    const char **texts;

    if (list == NULL)
        return NULL;
    texts = reader_take(r, json_array_size(list) + 1, sizeof *texts);
    for (size_t i = 0; i < json_array_size(list); i++) {
        texts[i] = json_string_value(json_array_get(list, i));
        if (texts[i] == NULL) {
            reader_wrong(r, key, "a list of texts");
            return NULL;
        }
    }
    return texts;
}

int reader_find_word(const char *const *words, size_t n, const char *word, int none)
{
    for (size_t i = 0; word != NULL && i < n; i++)
        if (words[i] != NULL && strcmp(words[i], word) == 0)
            return (int)i;
    return none;
}

int reader_word(struct reader *r, const json_t *o, const char *key,
    const char *const *words, size_t n)
{
    const char *word = reader_text(r, o, key);
    int found = reader_find_word(words, n, word, -1);

    if (word != NULL && found < 0)
        reader_wrong(r, key, "a known word");
    return found;
}

const struct gres_cfg *reader_counts(struct reader *r, const json_t *o, const char *key)
{
    json_t *set = json_object_get(o, key), *value;
    struct gres_cfg *counts;
    const char *name;
    size_t n = 0;

    if (set == NULL)
        return NULL;
    if (!json_is_object(set)) {
        reader_wrong(r, key, "a set of counts");
        return NULL;
    }
    counts = reader_take(r, json_object_size(set) + 1, sizeof *counts);
    json_object_foreach(set, name, value)
    {
        counts[n].name = (char *)name;
        counts[n++].count = reader_int(r, set, name, 0);
    }
    return counts;
}

/* ---- out ---- */

void put_int(json_t *o, const char *key, int64_t value)
{
    if (value != 0)
        json_object_set_new(o, key, json_integer(value));
}

json_t *put_text_of(const char *text)
{
    json_t *whole = json_string(text);
    char *wide, *at;

    if (whole != NULL)
        return whole;
    at = wide = xmalloc(2 * strlen(text) + 1);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;

        if (c < 0x80) {
            *at++ = *text;
        } else {
            *at++ = (char)(0xc0 | c >> 6);
            *at++ = (char)(0x80 | (c & 0x3f));
        }
    }
    *at = '\0';
    whole = json_string(wide);
    free(wide);
    return whole;
}

json_t *put_real_of(double value)
{
    json_int_t whole = value > -1e15 && value < 1e15 ? (json_int_t)value : 0;

    return (double)whole < value || (double)whole > value ? json_real(value)
                                                          : json_integer(whole);
}

void put_real(json_t *o, const char *key, double value)
{
    if (value < 0 || value > 0)
        json_object_set_new(o, key, put_real_of(value));
}

void put_bool(json_t *o, const char *key, bool value)
{
    if (value)
        json_object_set_new(o, key, json_true());
}

void put_text(json_t *o, const char *key, const char *text)
{
    if (text != NULL)
        json_object_set_new(o, key, put_text_of(text));
}

void put_texts(json_t *o, const char *key, const char *const *texts)
{
    json_t *list;

    if (texts == NULL)
        return;
    list = json_array();
    for (; *texts != NULL; texts++)
        json_array_append_new(list, put_text_of(*texts));
    json_object_set_new(o, key, list);
}

void put_counts(json_t *o, const char *key, const struct gres_cfg *counts)
{
    json_t *set;

    if (counts == NULL)
        return;
    set = json_object();
    for (; counts->name != NULL; counts++)
        json_object_set_new(set, counts->name, json_integer(counts->count));
    json_object_set_new(o, key, set);
}
