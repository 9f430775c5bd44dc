/* SPDX-License-Identifier: Apache-2.0
 * maui-bank file PATH TIMEOUT VERB
 * maui-bank gold HOST[,BACKUPHOST] PORT KEYFILE TIMEOUT VERB
 *
 * Called by the daemon, not by people: see bank.h. */
#include "am/bank/bank.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INPUT_MAX (1 << 16)

const char *bank_text(const struct bank_ask *ask, const char *key)
{
    const char *text = json_string_value(json_object_get(ask->body, key));

    return text ? text : "";
}

long long bank_number(const struct bank_ask *ask, const char *key)
{
    return json_integer_value(json_object_get(ask->body, key));
}

static json_t *read_input(struct err *err)
{
    static char text[INPUT_MAX];
    size_t n = fread(text, 1, sizeof text - 1, stdin);
    json_error_t wrong;
    json_t *body = json_loadb(text, n, 0, &wrong);

    if (json_is_object(body))
        return body;
    json_decref(body);
    err_set(err, ERR_INVALID, "standard input: no JSON object: %s", wrong.text);
    return NULL;
}

static bool is_verb(const char *text)
{
    return strcmp(text, "lien") == 0 || strcmp(text, "charge") == 0
           || strcmp(text, "release") == 0;
}

static enum bank_answer tell_bank(
    char **argv, const struct bank_ask *ask, struct err *err)
{
    struct gold_server g = {argv[2], argv[3], argv[4], 0};

    if (strcmp(argv[1], "file") == 0)
        return file_tell(argv[2], ask, err);
    g.timeout_s = strtol(argv[5], NULL, 10);
    return gold_tell(&g, ask, err);
}

int main(int argc, char **argv)
{
    struct err err = {0};
    struct bank_ask ask = {.verb = argc > 1 ? argv[argc - 1] : ""};
    bool file = argc == 5 && strcmp(argv[1], "file") == 0;
    bool gold = argc == 7 && strcmp(argv[1], "gold") == 0;
    long timeout_s = file || gold ? strtol(argv[argc - 2], NULL, 10) : 0;
    enum bank_answer answer = BANK_REFUSED;
    json_t *body;

    if (timeout_s <= 0 || !is_verb(ask.verb)) {
        fprintf(stderr, "usage: maui-bank file PATH TIMEOUT | gold HOST[,HOST] PORT "
                        "KEYFILE TIMEOUT, and "
                        "lien, charge or release; the scheduler calls it\n");
        return BANK_REFUSED;
    }
    alarm((unsigned)timeout_s); /* also where the daemon that would stop it is gone */
    body = read_input(&err);
    if (body) {
        ask.body = body;
        ask.again = json_is_true(json_object_get(body, "again"));
        answer = tell_bank(argv, &ask, &err);
        json_decref(body);
    }
    if (answer != BANK_DONE)
        printf("%s\n", err.text);
    return answer;
}
