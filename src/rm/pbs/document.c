/* SPDX-License-Identifier: Apache-2.0
 * An answer as JSON, whatever users have put into it: PBS prints the bytes of their
 * variables and names as they are. */
#include "rm/pbs/answers.h"

/* How many bytes the character has that begins there; 0: there is none of UTF-8. */
static size_t length_of(const unsigned char *p, size_t left)
{
    size_t n = *p < 0x80 ? 1 : *p < 0xc2 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;

    if (n == 0 || n > left || *p > 0xf4)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f)
        || (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] > 0x8f))
        return 0;
    return n;
}

/* With '?' for bytes that are no text. Owned. */
static char *make_sound(const char *text, size_t len)
{
    char *copy = xcalloc(len + 1, 1);

    memcpy(copy, text, len);
    for (size_t i = 0; i < len;) {
        unsigned char c = (unsigned char)copy[i];
        bool control = c < ' ' && c != '\t' && c != '\n' && c != '\r';
        size_t n = control ? 0 : length_of((unsigned char *)copy + i, len - i);

        if (n == 0)
            copy[i] = '?';
        i += n > 0 ? n : 1;
    }
    return copy;
}

static json_t *read_once(enum pbs_dialect dialect, const char *text, size_t len,
    const struct pbs_record *record, struct err *err)
{
    json_error_t error;
    json_t *doc;

    if (dialect == PBS_TORQUE)
        return pbs_xml(text, len, record->kind, record->key, record->member, err);
    doc = json_loadb(text, len, 0, &error);
    if (doc == NULL) {
        err_set(err, ERR_INVALID, "line %d of its JSON: %s", error.line, error.text);
    } else if (!json_is_object(doc)) {
        err_set(err, ERR_INVALID, "its JSON is no object");
        json_decref(doc);
        doc = NULL;
    }
    return doc;
}

json_t *pbs_document(enum pbs_dialect dialect, const char *text, size_t len,
    const struct pbs_record *record, struct err *err)
{
    json_t *doc = read_once(dialect, text, len, record, err);
    char *sound;

    if (doc != NULL)
        return doc;
    sound = make_sound(text, len);
    doc = read_once(dialect, sound, len, record, err);
    free(sound);
    return doc;
}
