/* SPDX-License-Identifier: Apache-2.0
 * Filling in the scripts. */
#include "rm/slurm/site.h"

#include "base/strbuf.h"
#include "base/xalloc.h"
#include "rm/slurm/chain_script.h"
#include "rm/slurm/gate_script.h"
#include "rm/slurm/jobcomp_script.h"

#include <stdlib.h>
#include <string.h>

static void fill_script(
    struct strbuf *b, const struct site *s, const char *own, const char *text);

static bool is_name(const char *at, size_t n, const char *name)
{
    return n == strlen(name) && strncmp(at, name, n) == 0;
}

static void add_value(
    struct strbuf *b, const struct site *s, const char *own, const char *name, size_t n)
{
    if (is_name(name, n, "UID"))
        strbuf_printf(b, "%u", s->uid);
    else if (is_name(name, n, "HEARTBEAT"))
        strbuf_printf(b, "%s/slurm.heartbeat", s->home);
    else if (is_name(name, n, "EVENTS"))
        strbuf_printf(b, "%s/slurm.events", s->home);
    else if (is_name(name, n, "MARKS"))
        strbuf_printf(b, "%s/slurm.marks", s->home);
    else if (is_name(name, n, "MARKING"))
        strbuf_printf(b, "%s/slurm.marking", s->home);
    else if (is_name(name, n, "MAXAGE"))
        strbuf_add(b, s->max_age);
    else if (is_name(name, n, "SITEFILE"))
        strbuf_add(b, own);
    else if (is_name(name, n, "CHAIN") && own != NULL)
        fill_script(b, s, own, chain_script_text());
}

static void fill_script(
    struct strbuf *b, const struct site *s, const char *own, const char *text)
{
    const char *mark, *end;

    while (
        (mark = strchr(text, '@')) != NULL && (end = strchr(mark + 1, '@')) != NULL) {
        strbuf_add_n(b, text, (size_t)(mark - text));
        add_value(b, s, own, mark + 1, (size_t)(end - mark - 1));
        text = end + 1;
    }
    strbuf_add(b, text);
}

char *site_gate(const struct site *s, const char *own)
{
    struct strbuf b = {0};

    fill_script(&b, s, own, gate_script_text());
    return strbuf_take(&b);
}

char *site_jobcomp(const struct site *s, const char *own)
{
    struct strbuf b = {0};

    fill_script(&b, s, own, jobcomp_script_text());
    return strbuf_take(&b);
}

static unsigned count_word(const char *text, const char *word)
{
    unsigned n = 0;

    for (const char *p = text; (p = strstr(p, word)) != NULL; p += strlen(word))
        n++;
    return n;
}

/* Ours begin with these words, define each function once, and once more to call a
 * site's. */
enum site_script site_judge_script(const char *text)
{
    static const char licence[] = "-- SPDX-License-Identifier: Apache-2.0\n",
                      gate[] = "-- The gate: no job starts unless the Maui scheduler",
                      jobcomp[] = "-- Tells the Maui scheduler which job has ended";
    const char *begin =
        strncmp(text, licence, strlen(licence)) == 0 ? text + strlen(licence) : "";
    bool ours = strncmp(begin, gate, strlen(gate)) == 0
                || strncmp(begin, jobcomp, strlen(jobcomp)) == 0;
    unsigned once = strstr(text, "call_site") != NULL ? 2 : 1;

    if (ours && count_word(text, "function slurm_job_submit(") <= once
        && count_word(text, "function slurm_jobcomp_log_record(") <= once)
        return SCRIPT_OURS;
    return strstr(text, gate) != NULL || strstr(text, jobcomp) != NULL ? SCRIPT_MERGED
                                                                       : SCRIPT_THEIRS;
}

char *site_max_age(const char *gate)
{
    static const char name[] = "local MAX_AGE = ";
    const char *at = gate != NULL ? strstr(gate, name) : NULL;
    size_t n = at != NULL ? strspn(at + strlen(name), "0123456789") : 0;

    return n > 0 ? xstrndup(at + strlen(name), n) : NULL;
}
