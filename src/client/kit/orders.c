/* SPDX-License-Identifier: Apache-2.0
 * Orders about jobs and reservations, and what became of them. */
#include "client/kit/orders.h"

#include "base/xalloc.h"

#include <stdio.h>
#include <string.h>

/* Print the outcome: refusals on stderr, of each reservation that was released what
 * `say` says, NULL = the scheduler's sentence. 0, or 1 when one was refused. */
static int print_outcome(
    const struct command_line *l, json_t *outcome, void (*say)(const char *name))
{
    json_t *results = json_object_get(outcome, "results"), *r;
    const char *last = "";
    int status = 0;
    size_t i;

    if (!outcome)
        return 1;
    json_array_foreach(results, i, r)
    {
        const char *text = get_text(r, "message", "");
        if (!get_bool(r, "ok")) {
            status = 1;
            if (l->format == FORMAT_TEXT)
                fprintf(stderr, "ERROR:    %s\n", text);
        } else if (l->format == FORMAT_TEXT && say) {
            say(get_text(r, "reservation", ""));
        } else if (l->format == FORMAT_TEXT && strcmp(text, last) != 0) {
            puts(text); /* "job holds adjusted" once for many */
            last = text;
        }
    }
    if (l->format == FORMAT_JSON)
        print_json(json_incref(outcome));
    json_decref(outcome);
    return status;
}

json_t *orders_jobs(const struct command_line *l, int first)
{
    json_t *list = json_array();

    for (int i = first; i < l->nargs; i++)
        json_array_append_new(list, json_string(l->args[i]));
    return list;
}

int orders_send(const struct command_line *l, const char *verb, json_t *order)
{
    struct query *q = query_new("/v1/orders");

    query_part(q, verb);
    int status = print_outcome(l, tell(l, "POST", q, order), NULL);
    query_free(q);
    return status;
}

json_t *orders_names(const struct command_line *l, const char *missing)
{
    json_t *names = json_array();
    bool whole = l->nargs > 0;

    for (int i = 0; i < l->nargs; i++) {
        char *copy = xstrdup(l->args[i]), *rest = copy, *word;
        whole &= strspn(copy, ",") < strlen(copy);
        while ((word = strtok_r(rest, ",", &rest)))
            json_array_append_new(names, json_string(word));
        free(copy);
    }
    if (whole)
        return names;
    command_wrong(l, "%s", missing);
    json_decref(names);
    return NULL;
}

int orders_release(
    const struct command_line *l, json_t *names, void (*say)(const char *name))
{
    struct query *q = query_new("/v1/orders");

    query_part(q, "unreserve");
    int status = print_outcome(
        l, tell(l, "POST", q, json_pack("{s:o}", "reservations", names)), say);
    query_free(q);
    return status;
}
