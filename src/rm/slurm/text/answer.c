/* SPDX-License-Identifier: Apache-2.0
 * What scontrol says: which lines are its answer, and what errors mean. */
#include "rm/slurm/text/text.h"

#include <stdio.h>
#include <string.h>

#define PROMPT     "scontrol: "
#define ERROR_SIZE 300

/* Of the last error. The library's functions have no context either. */
static char *the_error(void)
{
    static char text[ERROR_SIZE];

    return text;
}

const char *slurm_strerror(int error)
{
    switch (error) {
    case SLURM_NO_CHANGE_IN_DATA:
        return "nothing has changed";
    case ESLURM_TEXT:
    case ESLURM_INVALID_JOB_ID:
    case ESLURM_JOB_NOT_PENDING:
    case ESLURM_ALREADY_DONE:
    case ESLURM_TRANSITION_STATE_NO_UPDATE:
    case ESLURM_IN_STANDBY_MODE:
    case ESLURM_JOB_HELD:
    case ESLURM_NODES_BUSY:
    case ESLURM_NODE_NOT_AVAIL:
    case ESLURM_REQUESTED_PART_CONFIG_UNAVAILABLE:
    case ESLURM_REQUESTED_NODES_NOT_IN_PARTITION:
    case ESLURM_INVALID_NODE_NAME:
    case ESLURM_PARTITION_DOWN:
    case ESLURM_ACCOUNTING_POLICY:
    case ESLURM_RESERVATION_ACCESS:
    case ESLURM_RESERVATION_BUSY:
    case ESLURM_RESERVATION_NOT_USABLE:
    case ESLURM_RESERVATION_MAINT:
    case SLURM_COMMUNICATIONS_CONNECTION_ERROR:
    case SLURM_COMMUNICATIONS_RECEIVE_ERROR:
        return the_error();
    default:
        return strerror(error);
    }
}

static int say_error(const char *text, int error)
{
    const char *colon = strstr(text, "error: ");

    if (colon != NULL)
        text = colon + 7;
    snprintf(the_error(), ERROR_SIZE, "%.*s", (int)strcspn(text, "\n"), text);
    return error;
}

#define LAST_SYSTEM_ERROR 133

/* Of the last error: one of the system, of which slurmctld has told no more; else none.
 */
static int find_system_error(int none)
{
    for (int error = 1; error <= LAST_SYSTEM_ERROR; error++) {
        const char *words = strerror(error);

        if (strncmp(the_error(), words, strlen(words)) == 0)
            return error;
    }
    return none;
}

int answer_error(const char *text)
{
    static const struct {
        const char *words;
        int error;
    } known[] = {{"Invalid job id", ESLURM_INVALID_JOB_ID},
        {"Job is no longer pending execution", ESLURM_JOB_NOT_PENDING},
        /* so an scontrol that keeps running answers who asks for licences again */
        {"has not changed", SLURM_NO_CHANGE_IN_DATA},
        {"already completing or completed", ESLURM_ALREADY_DONE},
        {"Job has already finished", ESLURM_JOB_FINISHED},
        {"Job is in held state, pending scheduler release", ESLURM_JOB_HELD},
        {"Requested operation is presently disabled", ESLURM_DISABLED},
        {"Only batch jobs are accepted", ESLURM_BATCH_ONLY},
        {"Requested nodes are busy", ESLURM_NODES_BUSY},
        {"Required node not available (down, drained or reserved)",
            ESLURM_NODE_NOT_AVAIL},
        {"Requested partition configuration not available now",
            ESLURM_REQUESTED_PART_CONFIG_UNAVAILABLE},
        {"Requested nodes not in this partition",
            ESLURM_REQUESTED_NODES_NOT_IN_PARTITION},
        {"Invalid node name specified", ESLURM_INVALID_NODE_NAME},
        {"Partition in DOWN state", ESLURM_PARTITION_DOWN},
        {"Job violates accounting/QOS policy (job submit limit, user's size and/or "
         "time limits)",
            ESLURM_ACCOUNTING_POLICY},
        {"Access denied to requested reservation", ESLURM_RESERVATION_ACCESS},
        {"Requested reservation is in use", ESLURM_RESERVATION_BUSY},
        {"Requested reservation not usable now", ESLURM_RESERVATION_NOT_USABLE},
        {"Job can not start due to maintenance reservation.", ESLURM_RESERVATION_MAINT},
        {"try again later", ESLURM_TRANSITION_STATE_NO_UPDATE},
        {"standby mode", ESLURM_IN_STANDBY_MODE},
        {"Unable to contact", SLURM_COMMUNICATIONS_CONNECTION_ERROR},
        {"connect failure", SLURM_COMMUNICATIONS_CONNECTION_ERROR},
        {"Connection refused", SLURM_COMMUNICATIONS_CONNECTION_ERROR},
        {"Connection reset by peer", SLURM_COMMUNICATIONS_CONNECTION_ERROR},
        {"Broken pipe", SLURM_COMMUNICATIONS_CONNECTION_ERROR},
        {"Transport endpoint is not connected", SLURM_COMMUNICATIONS_CONNECTION_ERROR},
        {"Software caused connection abort", SLURM_COMMUNICATIONS_CONNECTION_ERROR},
        {"No route to host", SLURM_COMMUNICATIONS_CONNECTION_ERROR},
        {"Network is unreachable", SLURM_COMMUNICATIONS_CONNECTION_ERROR},
        {"timed out", SLURM_COMMUNICATIONS_CONNECTION_ERROR},
        {"authentication", SLURM_COMMUNICATIONS_CONNECTION_ERROR},
        {"Unexpected message received", SLURM_COMMUNICATIONS_CONNECTION_ERROR},
        {"Zero Bytes", SLURM_COMMUNICATIONS_CONNECTION_ERROR},
        {"Munge", SLURM_COMMUNICATIONS_CONNECTION_ERROR},
        {"Communication", SLURM_COMMUNICATIONS_CONNECTION_ERROR},
        {"does not answer", SLURM_COMMUNICATIONS_CONNECTION_ERROR}};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strstr(text, known[i].words) != NULL)
            return say_error(text, known[i].error);
    return find_system_error(say_error(text, ESLURM_TEXT));
}

static bool begins(const char *line, size_t len, const char *with)
{
    size_t n = strlen(with);

    return len >= n && memcmp(line, with, n) == 0;
}

char *answer_read(const char *text, size_t n, const char *command)
{
    struct strbuf out = {0};
    const char *stop = text + n;

    while (text < stop) {
        const char *eol = memchr(text, '\n', (size_t)(stop - text));
        size_t len = (size_t)((eol ? eol : stop) - text);
        const char *line = text;

        text += len + 1;
        if (begins(line, len, PROMPT)) {
            line += strlen(PROMPT);
            len -= strlen(PROMPT);
        }
        if (len == 0 || (len == strlen(command) && begins(line, len, command))
            || begins(line, len, PIPE_QUESTION))
            continue;
        strbuf_add_n(&out, line, len);
        strbuf_add_n(&out, "\n", 1);
    }
    return strbuf_take(&out);
}

/* A record begins with Key=: what an error is called in it is somebody's text. scontrol
 * says "error" and "Error". */
bool answer_is_error(const char *answer)
{
    size_t line = strcspn(answer, "\n"), word = strcspn(answer, "= \n");

    return answer[word] != '=' && memmem(answer, line, "rror", 4) != NULL;
}
