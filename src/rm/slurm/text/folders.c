/* SPDX-License-Identifier: Apache-2.0
 * Working folders that imitate an administrator's comment, which scontrol prints right
 * behind them where there is one. The gate refuses such jobs: there are those alone
 * that came before it, and they are there as the adapter begins. */
#include "rm/slurm/text/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct VEC(uint32_t) imitators;
static bool asked;

/* "7<secret>/home/ann<secret>", a line for each job. */
static size_t read_folders(char *text)
{
    size_t rows = 0, n = strlen(pipe_secret());

    for (char *folder, *end; (folder = strstr(text, pipe_secret())) != NULL;
         text = end + n) {
        if ((end = strstr(folder + n, pipe_secret())) == NULL)
            break;
        *end = '\0';
        rows++;
        if (strstr(folder + n, "AdminComment=") != NULL)
            vec_push(&imitators, (uint32_t)strtoul(text, NULL, 10));
    }
    return rows;
}

int folders_ask(void)
{
    char format[200], *text;
    size_t rows;

    if (asked)
        return 0;
    snprintf(format, sizeof format, "%%A%s%%Z%s", pipe_secret(), pipe_secret());
    text = pipe_output(
        (const char *const[]){"squeue", "-h", "-a", "-t", "all", "-o", format, NULL});
    if (text == NULL)
        return -1;
    imitators.n = 0;
    rows = read_folders(text);
    if (rows == 0)
        errno = answer_error(*text != '\0' ? text : PIPE_SILENT);
    asked = rows > 0;
    free(text);
    return asked ? 0 : -1;
}

bool folders_imitate(uint32_t job)
{
    for (size_t i = 0; i < imitators.n; i++)
        if (imitators.v[i] == job)
            return true;
    return false;
}
