/* SPDX-License-Identifier: Apache-2.0
 * See jobevents.h. */
#include "server/api/jobevents.h"

#include "cluster/job.h"
#include "server/events/eventlog.h"
#include "server/server_private.h"

#include <stdlib.h>
#include <string.h>

/* What lines about that object have in them; to be freed; NULL where the name is no
 * text. Most lines have it not, and are not read. */
static char *write_mark(const char *id)
{
    json_t *o = json_pack("{s:s}", "object", id);
    char *text = json_dumps(o, JSON_COMPACT); /* as the event log */

    json_decref(o);
    if (!text)
        return NULL;
    text[strlen(text) - 1] = '\0'; /* without the brace that ends it */
    memmove(text, text + 1, strlen(text));
    return text;
}

/* The line as an object, if it is of that job in its present life. */
static json_t *read_event(const char *line, const char *mark, const struct job *j)
{
    json_t *o = strstr(line, mark) ? json_loads(line, 0, NULL) : NULL;
    const char *type = json_string_value(json_object_get(o, "type"));
    const char *object = json_string_value(json_object_get(o, "object"));

    if (type && object && strcmp(type, "job") == 0 && strcmp(object, j->id) == 0
        && json_integer_value(json_object_get(o, "at")) >= j->submit_at)
        return o;
    json_decref(o);
    return NULL;
}

static json_t *tell_event(const json_t *event, bool admin)
{
    static const char *const told[] = {
        "at", "event", "text", "was_promised_by", "promised_by", "by"};
    json_t *o = json_object(), *value;

    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++)
        if ((admin || strcmp(told[i], "by") != 0)
            && (value = json_object_get(event, told[i])) != NULL)
            json_object_set(o, told[i], value);
    return o;
}

json_t *jobevents_list(
    const struct server *s, const struct identity *who, const struct job *j)
{
    json_t *list = json_array(), *event;
    bool admin = identity_is(who, WHO_ADMIN3);
    enum event_name what;

    if (!s->events.eventlog)
        return list;
    char *mark = write_mark(j->id);
    for (int64_t i = eventlog_first(s); mark && i < eventlog_next(s); i++) {
        if (!(event = read_event(eventlog_line(s, i, &what), mark, j)))
            continue;
        json_array_append_new(list, tell_event(event, admin));
        json_decref(event);
        if (json_array_size(list) > JOBEVENTS_MAX)
            json_array_remove(list, 0);
    }
    free(mark);
    return list;
}
