/* SPDX-License-Identifier: Apache-2.0
 * maui import: texts as they come: of files, and what Slurm itself answers, where no
 * file is given. */
#include "base/xalloc.h"
#include "client/import/import.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>

int import_read_file(const char *file, struct strbuf *ret)
{
    FILE *f = fopen(file, "re");
    char text[4096];
    size_t n;
    int error = f == NULL ? errno : 0;

    strbuf_add(ret, "");
    while (f != NULL && (n = fread(text, 1, sizeof text, f)) > 0)
        strbuf_add_n(ret, text, n);
    if (f != NULL && ferror(f))
        error = errno;
    if (f != NULL)
        fclose(f);
    if (error == 0)
        return 0;
    fprintf(stderr, "maui import: %s: %s\n", file, strerror(error));
    return -1;
}

int import_ask(const char *command, struct strbuf *ret)
{
    struct strbuf line = {0};
    char text[4096];
    size_t n;

    strbuf_printf(&line, "%s 2>&1 </dev/null", command);
    FILE *f = popen(line.text, "re"); /* the command is one of ours */
    free(line.text);
    strbuf_add(ret, "");
    while (f != NULL && (n = fread(text, 1, sizeof text, f)) > 0)
        strbuf_add_n(ret, text, n);
    int status = f != NULL ? pclose(f) : -1;
    if (status == 0)
        return 0;
    fprintf(stderr, "maui import: `%s` answers: %.*s\n", command,
        (int)strcspn(ret->text, "\n"), ret->len ? ret->text : "nothing");
    return -1;
}

/* What a partition has of its own: scontrol prints all that there is. */
static bool is_told(const char *word)
{
    static const char *const names[] = {"PartitionName", "MaxTime", "DefaultTime",
        "MaxNodes", "MinNodes", "MaxCPUsPerNode", "QoS", "PriorityJobFactor",
        "PriorityTier", "OverSubscribe", "AllowAccounts", "AllowGroups", "AllowQos",
        "DenyAccounts", "DenyQos"};
    static const char *const usual[] = {
        "ALL", "N/A", "NONE", "UNLIMITED", "0", "NO", "(null)"};
    const char *equals = strchr(word, '=');

    if (equals == NULL)
        return false;
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        if (strcasecmp(equals + 1, usual[i]) == 0)
            return false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(word, names[i], (size_t)(equals - word)) == 0
            && names[i][equals - word] == '\0')
            return true;
    return false;
}

static void put_line(struct strbuf *out, char *line)
{
    char *equals = strstr(line, " = "), *save = NULL;

    if (strncmp(line, "PartitionName=", 14) != 0) {
        if (equals != NULL) /* "PriorityMaxAge          = 7-00:00:00" */
            strbuf_printf(out, "%.*s=%s\n", (int)strcspn(line, " "), line, equals + 3);
        return;
    }
    for (char *word = strtok_r(line, " ", &save); word != NULL;
         word = strtok_r(NULL, " ", &save))
        if (is_told(word))
            strbuf_printf(out, "%s ", word);
    strbuf_add(out, "\n");
}

int import_ask_conf(struct strbuf *ret)
{
    struct strbuf said = {0};
    char *save = NULL;
    int result = -1;

    if (import_ask("scontrol show config", &said) == 0
        && import_ask("scontrol -o show partition", &said) == 0)
        result = 0;
    strbuf_add(ret, "");
    for (char *line = result == 0 ? strtok_r(said.text, "\n", &save) : NULL;
         line != NULL; line = strtok_r(NULL, "\n", &save))
        put_line(ret, line);
    free(said.text);
    return result;
}
