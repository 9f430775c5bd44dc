/* SPDX-License-Identifier: Apache-2.0
 * An answer as JSON, whatever users have put into it: PBS prints the bytes of their
 * variables and names as they are. */
#include "rm/adapter/xml.h"
#include "rm/pbs/answers.h"

static json_t *read_json(const char *text, size_t len, struct err *err)
{
    json_error_t error;
    json_t *doc = json_loadb(text, len, 0, &error);

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
    json_t *doc;
    char *sound;

    if (dialect == PBS_TORQUE)
        return pbs_xml(text, len, record->kind, record->key, record->member, err);
    doc = read_json(text, len, err);
    if (doc != NULL)
        return doc;
    sound = xml_sound(text, len);
    doc = read_json(sound, len, err);
    free(sound);
    return doc;
}
