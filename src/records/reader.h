/* SPDX-License-Identifier: Apache-2.0
 * Members of a JSON document, read with care: every value is checked for type and
 * range, what is missing has its usual value, and the first thing that is wrong is
 * told. Texts stay in the document; lists of pointers to them are made beside and live
 * as long as the reader. Hostile documents are met with an error, never with more
 * memory than a small multiple of their size. */
#ifndef MAUI_RECORDS_READER_H
#define MAUI_RECORDS_READER_H

#include "base/err.h"
#include "base/vec.h"
#include "config/policies.h"

#include <jansson.h>

struct reader {
    json_t *document; /* owned */
    const char *name; /* of the document, for errors; borrowed */
    struct VEC(void *) blocks;
    struct VEC(struct nodeset_spec *) nodesets;
    struct err *err; /* gets the first error */
    bool failed;
};

/* 0, or -1 with the place of what is not JSON. reader_close() in both cases. */
int reader_open(
    struct reader *r, const char *name, const char *text, size_t len, struct err *err);
void reader_close(struct reader *r);

/* Memory that lives as long as the reader, all zero. */
void *reader_take(struct reader *r, size_t count, size_t size);
void reader_wrong(struct reader *r, const char *key, const char *expected);

/* The member of that key: 0, NULL, false when it is missing or wrong. */
int64_t reader_int(struct reader *r, const json_t *o, const char *key, int64_t min);
uint32_t reader_u32(struct reader *r, const json_t *o, const char *key);
double reader_real(struct reader *r, const json_t *o, const char *key);
const char *reader_text(struct reader *r, const json_t *o, const char *key);
bool reader_bool(struct reader *r, const json_t *o, const char *key);
const json_t *reader_list(struct reader *r, const json_t *o, const char *key);
const char *const *reader_texts(struct reader *r, const json_t *o, const char *key);
/* Index in a table of words (NULLs are skipped); -1 when it is missing or wrong. */
int reader_word(struct reader *r, const json_t *o, const char *key,
    const char *const *words, size_t n);
/* The index of a word, or `none`. */
int reader_find_word(const char *const *words, size_t n, const char *word, int none);
/* An object of counts: name NULL ends. */
const struct gres_cfg *reader_counts(
    struct reader *r, const json_t *o, const char *key);

/* ---- the other way: what is 0, NULL or usual is left out ---- */

void put_int(json_t *o, const char *key, int64_t value);
void put_real(json_t *o, const char *key, double value);
void put_bool(json_t *o, const char *key, bool value);
/* Text that is no UTF-8 is kept byte by byte, each as the character of that number. */
void put_text(json_t *o, const char *key, const char *text);
void put_texts(json_t *o, const char *key, const char *const *texts);
void put_counts(json_t *o, const char *key, const struct gres_cfg *counts);
json_t *put_text_of(const char *text);
/* As a whole number where it is one: to print a real exactly costs a hundred times as
 * much. */
json_t *put_real_of(double value);

#endif
