/* SPDX-License-Identifier: Apache-2.0
 * Triggers of reservations: text in, records out, and back. */
#include "config/triggertext.h"

#include "base/duration.h"
#include "config/value.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define SYNTAX  "expected EVENT[+OFFSET][@THRESHOLD];ACTION[@DATA]"

static const struct cfg_keyword events[] = {{"create", TRIGGER_CREATE},
    {"start", TRIGGER_START}, {"end", TRIGGER_END}, {"minload", TRIGGER_MINLOAD},
    {NULL}};
static const struct cfg_keyword actions[] = {{"cancel", TRIGGER_CANCEL},
    {"exec", TRIGGER_EXEC}, {"submit", TRIGGER_SUBMIT}, {NULL}};

const char *trigger_event_name(enum trigger_event e)
{
    return events[e].name;
}

const char *trigger_action_name(enum trigger_action a)
{
    return actions[a].name;
}

static bool is_event(const char *text, size_t len)
{
    for (const struct cfg_keyword *k = events; k->name != NULL; k++)
        if (strlen(k->name) == len && strncasecmp(k->name, text, len) == 0)
            return true;
    return false;
}

/* Does a trigger begin here, behind a comma? */
static bool begins(const char *text)
{
    size_t len = strspn(text, LETTERS);

    return len > 0 && strchr("+@;:", text[len]) != NULL && text[len] != '\0'
           && is_event(text, len);
}

/* The length of the trigger at the front of the text, without commas at its end. */
static size_t extent(const char *text)
{
    size_t len = strcspn(text, ",");

    while (text[len] == ',' && text[len + 1] != '\0'
           && !begins(text + len + 1 + strspn(text + len + 1, " \t")))
        len += 1 + strcspn(text + len + 1, ",");
    while (len > 0 && text[len - 1] == ',')
        len--;
    return len;
}

/* ---- the parts of one ------------------------------------------------------------ */

static int read_keyword(const char **text, size_t len, const struct cfg_keyword *words,
    unsigned *ret, struct err *err)
{
    const struct cfg_keyword *found;
    char *word = xstrndup(*text, len);
    int status = value_keyword(word, words, &found, err);

    free(word);
    if (status < 0)
        return -1;
    *ret = found->value;
    *text += len;
    return 0;
}

/* `+5:00:00`, up to a separator that no digit follows. */
static int read_offset(const char **text, int64_t *ret, struct err *err)
{
    size_t len = strspn(*text + 1, "0123456789:");
    char *word;
    int status;

    while (len > 0 && (*text)[len] == ':')
        len--;
    word = xstrndup(*text + 1, len);
    status = duration_parse(word, ret, err);
    free(word);
    *text += 1 + len;
    if (status == 0 && *ret >= DURATION_UNLIMITED)
        return err_set(err, ERR_INVALID, "an offset without end; " SYNTAX);
    return status;
}

static int read_threshold(const char **text, double *ret, struct err *err)
{
    size_t len = strspn(*text + 1, "0123456789.");
    char *word = xstrndup(*text + 1, len);
    int status = value_number(word, 0, 1e9, ret, err);

    free(word);
    *text += 1 + len;
    return status;
}

static int read_event(const char **text, struct trigger *t, struct err *err)
{
    unsigned event;

    if (read_keyword(text, strspn(*text, LETTERS), events, &event, err) < 0)
        return -1;
    t->event = (enum trigger_event)event;
    if (**text == '+' && read_offset(text, &t->offset_s, err) < 0)
        return -1;
    if (**text == '@' && read_threshold(text, &t->threshold, err) < 0)
        return -1;
    return 0;
}

static int read_action(const char *text, struct trigger *t, struct err *err)
{
    unsigned action;

    if (read_keyword(&text, strcspn(text, "@"), actions, &action, err) < 0)
        return -1;
    t->action = (enum trigger_action)action;
    if (*text == '@' && text[1] != '\0')
        t->data = xstrdup(text + 1);
    if (t->data == NULL && t->action != TRIGGER_CANCEL)
        return err_set(err, ERR_INVALID, "%s names nothing to %s; " SYNTAX,
            actions[action].name, t->action == TRIGGER_EXEC ? "run" : "submit");
    return 0;
}

static int read_one(const char *text, struct trigger *t, struct err *err)
{
    const char *p = text;

    if (read_event(&p, t, err) < 0)
        return -1;
    if (*p != ';' && *p != ':')
        return err_set(err, ERR_INVALID, "'%.60s' is not a trigger; " SYNTAX, text);
    return read_action(p + 1, t, err);
}

/* ---- lists ----------------------------------------------------------------------- */

void triggertext_fini(struct trigger_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->v[i].data);
    vec_fini(list);
}

struct trigger_list triggertext_copy(const struct trigger_list *list)
{
    struct trigger_list copy = {0};

    for (size_t i = 0; i < list->n; i++) {
        struct trigger t = list->v[i];

        t.data = t.data != NULL ? xstrdup(t.data) : NULL;
        t.fired = false;
        t.fired_at = 0;
        vec_push(&copy, t);
    }
    return copy;
}

int triggertext_parse(const char *text, struct trigger_list *list, struct err *err)
{
    struct trigger_list read = {0};
    int status = 0;

    for (text += strspn(text, ", \t"); status == 0 && *text != '\0';
         text += strspn(text, ", \t")) {
        size_t len = extent(text);
        char *one = xstrndup(text, len);
        struct trigger t = {0};

        status = read_one(one, &t, err);
        if (status == 0)
            vec_push(&read, t);
        else
            free(t.data);
        free(one);
        text += len;
    }
    if (status < 0) {
        triggertext_fini(&read);
        return -1;
    }
    for (size_t i = 0; i < read.n; i++)
        vec_push(list, read.v[i]);
    vec_fini(&read);
    return 0;
}

int triggertext_format(const struct trigger *t, char *buf, size_t size)
{
    char offset[DURATION_TEXT_MAX], threshold[40] = "";

    duration_format_exact(t->offset_s, offset, sizeof offset);
    if (t->threshold > 0)
        snprintf(threshold, sizeof threshold, "@%.10g", t->threshold);
    return snprintf(buf, size, "%s%s%s%s;%s%s%s", events[t->event].name,
        t->offset_s > 0 ? "+" : "", t->offset_s > 0 ? offset : "", threshold,
        actions[t->action].name, t->data != NULL ? "@" : "",
        t->data != NULL ? t->data : "");
}
