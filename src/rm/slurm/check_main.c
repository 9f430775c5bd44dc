/* SPDX-License-Identifier: Apache-2.0
 * `maui slurm check`: what is found, the gravest first. */
#include "base/steering.h"
#include "base/strbuf.h"
#include "rm/adapter/clocks.h"
#include "rm/slurm/check.h"
#include "rm/slurm/conf.h"
#include "rm/slurm/install.h"

#include <stdio.h>

#define LOG_TAIL (1L << 20) /* bytes of slurmctld's log that are read */

struct last_errors {
    char before[1000], last[1000]; /* lines; empty: there is none */
    bool stopped;                  /* it was told to end */
};

/* Users name things in that log: nothing of it reaches a terminal as an order. */
static void print_line(char *line)
{
    line[strcspn(line, "\n")] = '\0';
    steering_replace(line);
    if (*line != '\0')
        fprintf(stderr, "%s\n", line);
}

/* After "[instant] ", where users have no say. */
static bool says(const char *line, const char *what)
{
    const char *text = strstr(line, "] ");

    return *line == '[' && text != NULL && strncmp(text + 2, what, strlen(what)) == 0;
}

/* Of its last life: the last says that it ends, the one before it why. */
static void find_last_errors(FILE *f, struct last_errors *ret)
{
    char line[sizeof ret->last];

    if (fseek(f, -LOG_TAIL, SEEK_END) < 0)
        rewind(f);
    while (fgets(line, sizeof line, f) != NULL)
        if (says(line, "slurmctld version ") || says(line, "Terminate signal ")) {
            *ret = (struct last_errors){.stopped = says(line, "Terminate signal ")};
        } else if (strstr(line, "fatal:") != NULL || strstr(line, "error:") != NULL) {
            memcpy(ret->before, ret->last, sizeof ret->before);
            memcpy(ret->last, line, sizeof ret->last);
        }
}

/* Why it has ended, where this machine has its log. */
static void print_last_errors(void)
{
    struct last_errors errors = {0};
    char *dir = install_conf_dir(NULL);
    struct strbuf path = {0};
    struct conf *conf;
    struct err err;

    strbuf_printf(&path, "%s/slurm.conf", dir);
    conf = conf_load(path.text, &err);
    const char *log = conf != NULL ? conf_value(conf, "SlurmctldLogFile") : NULL;
    FILE *f = log != NULL ? fopen(log, "re") : NULL;
    if (f != NULL) {
        find_last_errors(f, &errors);
        fclose(f);
    }
    if (errors.stopped)
        fprintf(
            stderr, "it was told to end, says %s: `systemctl start slurmctld`\n", log);
    if (errors.last[0] != '\0')
        fprintf(stderr, "the last errors in %s:\n", log);
    print_line(errors.before);
    print_line(errors.last);
    conf_free(conf);
    free(path.text);
    free(dir);
}

static int report_unreachable(void)
{
    if (errno == SLURM_PROTOCOL_VERSION_ERROR)
        fprintf(stderr,
            "maui slurm check: slurmctld is of another release than the library of "
            "this program (%u.%02u): build maui-slurm against that release, or set "
            "TRANSPORT=SCONTROL of RMCFG\n",
            ADAPTER_RELEASE >> 16, ADAPTER_RELEASE >> 8 & 0xff);
    else {
        fprintf(stderr, "maui slurm check: Slurm's controller does not answer: %s\n",
            slurm_strerror(errno));
        print_last_errors();
    }
    return 1;
}

static bool print_findings(const struct findings *f)
{
    static const char *const words[] = {[SETTING_NOTE] = "note",
        [SETTING_WARNING] = "warning",
        [SETTING_ERROR] = "error"};
    bool fatal = false;

    for (int weight = SETTING_ERROR; weight >= SETTING_NOTE; weight--)
        for (size_t i = 0; i < f->n; i++)
            if ((int)f->v[i].weight == weight)
                printf("%s: %s\n", words[weight], f->v[i].text);
    for (size_t i = 0; i < f->n; i++)
        fatal |= f->v[i].weight == SETTING_ERROR;
    return fatal;
}

int check_site(const struct site *site)
{
    slurm_conf_t *c = NULL;
    struct findings f = {0};
    bool fatal, change = false;
    time_t asked;

    slurm_init(NULL);
    asked = time(NULL);
    if (slurm_load_ctl_conf(0, &c) != SLURM_SUCCESS)
        return report_unreachable();
    inspect_site(c, site, clocks_ahead(0, asked, c->last_update, time(NULL)), &f);
    fatal = print_findings(&f);
    for (size_t i = 0; i < f.n; i++)
        change |= f.v[i].weight != SETTING_NOTE;
    if (!change)
        printf("Slurm %s is ready: nothing to change%s\n", c->version,
            check_is_privileged(c) ? "" : ", as far as this user sees");
    findings_free(&f);
    slurm_free_ctl_conf(c);
    return fatal ? 1 : 0;
}
