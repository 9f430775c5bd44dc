/* SPDX-License-Identifier: Apache-2.0
 * msub: submit a job. What it asks is made by jobspec.c. */
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "base/zone.h"
#include "client/client.h"
#include "client/jobs/jobspec.h"
#include "client/jobs/jobwait.h"
#include "client/kit/request.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SCRIPT_MOST (16 << 20)

static const struct option_row options[] = {
    {'a', NULL, "DATE", "not before: [[[[CC]YY]MM]DD]hhmm[.SS], +HH:MM:SS ..."},
    {'A', NULL, "ACCOUNT", "account"},
    {'c', NULL, "WHEN", "checkpoints: has no effect here"},
    {'C', NULL, "PREFIX", "directives begin with PREFIX (#PBS, #MSUB, #SBATCH)"},
    {'d', NULL, "DIR", "working directory (the present one)"},
    {'e', NULL, "PATH", "where stderr goes (NAME.eID)"},
    {'E', NULL, NULL, "variables that describe the job: it has them in any case"},
    {'h', NULL, NULL, "with a user hold"},
    {'I', NULL, NULL, "interactive: is refused, there is no terminal for it"},
    {'j', NULL, "oe|eo|n", "stderr and stdout into one file"},
    {'k', NULL, "oe|o|e|n",
        "output stays where it runs: it is written as it comes anyhow"},
    {'K', NULL, NULL, "wait until it has ended; its exit status is that of msub"},
    {'l', NULL, "LIST", "resources: nodes=2:ppn=4,walltime=1:00:00 ..."},
    {'m', NULL, "WHEN",
        "when mail is sent: abe (aborted, begun, ended), f (failed), n"},
    {'M', NULL, "ADDRESS", "whom mail is sent to: A,B (you); without -m: as by -m a"},
    {'N', NULL, "NAME", "name of the job"},
    {'o', NULL, "PATH", "where stdout goes (NAME.oID)"},
    {'p', NULL, "PRIORITY", "user priority"},
    {'q', NULL, "CLASS", "class (queue)"},
    {'r', NULL, "y|n", "may be started over (y)"},
    {'S', NULL, "SHELL", "the shell that runs the script"},
    {'t', NULL, "ARRAY", "an array of jobs: 1-10, 1-100:5, 1,3,7, %N at once"},
    {'u', NULL, "USER", "is refused: a job is its submitter's"},
    {'v', NULL, "LIST", "variables: NAME=VALUE,NAME ..."},
    {'V', NULL, NULL, "all variables of the environment"},
    {'W', NULL, "ATTR=VALUE", "depend=, x=, umask=, group_list="},
    {'z', NULL, NULL, "do not print the id"},
    {0, NULL, NULL, NULL},
};

static const struct command_spec spec = {
    .name = "msub",
    .usage = "[options] [SCRIPT [ARGUMENT...] | -- COMMAND [ARGUMENT...]]",
    .summary = "Submit a job: a script, stdin, or a command. Prints its id.",
    .options = options,
    .more = "The script may hold the same options behind #PBS or #MSUB, and those of\n"
            "sbatch behind #SBATCH, before its first command; the line wins.\n"
            "\n"
            "Names of -l, separated by commas, and of -W x=, separated by semicolons:\n"
            "  nodes=N:ppn=P:FEATURE[+...]  procs=N  ncpus=N  tpn=N  walltime=TIME\n"
            "  mem= pmem= (dmem=) vmem= pvmem= file= (ddisk=)  512mb, 4gb; p: a task\n"
            "  qos= queue= account= feature= pref=FEATURE:F gres=NAME:N hostlist=\n"
            "  excludenodes= arch= opsys= network= partition= naccesspolicy=\n"
            "  nallocpolicy= nodeset=ONEOF:FEATURE:A,B advres=RESERVATION flags=\n"
            "  queuejob= deadline= prio= depend=afterok:ID comment=TEXT\n"
            "  quote=NUMBER\n",
    .examples = "  msub -l nodes=2:ppn=4,walltime=1:00:00 go.sh\n"
                "  msub -t 1-100%10 sweep.sh          a hundred jobs, ten at once\n"
                "  msub -W depend=afterok:120 next.sh after job 120 has succeeded\n"
                "  msub -K go.sh && echo done         wait for it\n"
                "  msub -- ./model --fast             a command without a script\n",
};

/* ---- what is run ---- */

static char *read_stream(FILE *in)
{
    struct strbuf text = {0};
    char buf[65536];
    size_t n;

    while ((n = fread(buf, 1, sizeof buf, in)) > 0 && text.len < SCRIPT_MOST)
        strbuf_add_n(&text, buf, n);
    if (ferror(in) || text.len >= SCRIPT_MOST
        || memchr(text.text ? text.text : "", 0, text.len)) {
        free(strbuf_take(&text));
        return NULL;
    }
    return strbuf_take(&text);
}

/* NULL after a complaint. */
static char *read_script(const struct command_line *l, const char *path)
{
    FILE *in = path ? fopen(path, "r") : stdin;
    char *text;

    if (!in) {
        command_wrong(l, "cannot read '%s': %s", path, strerror(errno));
        return NULL;
    }
    text = read_stream(in);
    if (!text)
        command_wrong(
            l, "'%s' is not text, or is longer than 16 MB", path ? path : "stdin");
    if (in != stdin)
        fclose(in);
    if (text && !*text) {
        command_wrong(l, "the script is empty");
        free(text);
        return NULL;
    }
    return text;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash && slash[1] ? slash + 1 : path;
}

/* Does a command stand behind "--", and nothing before it? */
static bool is_command(const struct command_line *l, int dashes)
{
    return l->nargs > 0 && l->nargs == dashes;
}

/* Words behind "--". */
static int behind_dashes(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--") == 0)
            return argc - i - 1;
    return 0;
}

static json_t *words(const struct command_line *l, int first)
{
    json_t *list = json_array();

    for (int i = first; i < l->nargs; i++)
        json_array_append_new(list, json_string(l->args[i]));
    return list;
}

/* ---- the request ---- */

static int take_options(const struct command_line *l, struct jobspec *s)
{
    struct err err;

    for (size_t i = 0; i < l->given.n; i++) {
        const struct given *g = &l->given.v[i];
        if (g->row < options || g->row >= options + sizeof options / sizeof options[0]
            || g->row->letter == 'C')
            continue;
        if (jobspec_option(s, g->row->letter, g->value, &err) < 0)
            return command_wrong(l, "%s", err.text);
    }
    return 0;
}

static void fill_in(json_t *o, const char *name)
{
    char here[4096];
    const char *dir = json_string_value(json_object_get(o, "directory"));

    if (!json_object_get(o, "name") && name)
        json_object_set_new(o, "name", json_string(name));
    if (getcwd(here, sizeof here) && (!dir || *dir != '/'))
        json_object_set_new(
            o, "directory", dir ? json_sprintf("%s/%s", here, dir) : json_string(here));
    if (!json_object_get(o, "umask")) {
        mode_t bits = umask(0);
        umask(bits);
        json_object_set_new(o, "umask", json_integer(bits));
    }
}

/* Ownership is the caller's: free(). */
static char *path_in(const char *dir, const char *path)
{
    struct strbuf b = {0};

    if (*path != '/')
        strbuf_printf(&b, "%s/", dir);
    strbuf_printf(&b, "%s", path);
    return b.text;
}

/* A job whose output cannot be made does not start. Where the folder is another one on
 * the job's machine, that need not be. */
static void note_unwritable(const json_t *o, const char *which)
{
    const char *dir = json_string_value(json_object_get(o, "directory"));
    const char *file = json_string_value(json_object_get(o, which));
    char *path = dir ? path_in(dir, file ? file : "x") : NULL, *slash;

    if (!path || (file && access(path, W_OK) == 0))
        goto end;
    if (!file || access(path, F_OK) != 0) {
        slash = strrchr(path, '/');
        slash[slash == path] = '\0';
        if (access(path, W_OK) == 0 || errno != EACCES)
            goto end;
    }
    fprintf(stderr,
        "NOTE:     you may not write to '%s': if it is so where the job runs, its %s "
        "cannot be made, and it will not start\n",
        path, which);
end:
    free(path);
}

static int submit(const struct command_line *l, const struct jobspec *s, json_t *o)
{
    json_int_t since = s->wait ? request_now(l) : 0;
    struct query *q = query_new("/v1/jobs");
    json_t *answer = tell(l, "POST", q, json_incref(o)), *id, *note;
    int status = 0;
    size_t i;

    query_free(q);
    if (!answer)
        return 1;
    if (l->format == FORMAT_JSON)
        print_json(json_incref(answer));
    else if (!s->quiet)
        json_array_foreach(json_object_get(answer, "ids"), i, id)
            puts(json_string_value(id));
    json_array_foreach(json_object_get(answer, "notes"), i, note)
        fprintf(stderr, "NOTE:     %s\n", json_string_value(note));
    note_unwritable(o, "output");
    if (json_object_get(o, "error"))
        note_unwritable(o, "error");
    fflush(stdout); /* who reads it may wait for it */
    if (s->wait)
        status = jobwait(l, json_object_get(answer, "ids"), since);
    json_decref(answer);
    return status;
}

/* The script with its shell in front: a former #! line becomes a comment. */
static json_t *script_text(const struct jobspec *s, const char *script)
{
    return s->shell ? json_sprintf("#!%s\n%s", s->shell, script) : json_string(script);
}

static int run(const struct command_line *l, struct jobspec *s, int dashes)
{
    bool command = is_command(l, dashes);
    const char *path = l->nargs ? l->args[0] : NULL;
    struct err err;
    json_t *o = NULL, *text = NULL;
    int status = 1;

    if (command_has(l, 'I')) /* is refused, before a script is waited for */
        return take_options(l, s);
    char *script = command ? xstrdup("#!/bin/sh\nexec \"$@\"\n") : read_script(l, path);
    if (!script)
        return 1;
    if (!command && jobspec_script(s, script, command_value(l, 'C'), &err) < 0)
        command_wrong(l, "%s: %s", path ? path : "stdin", err.text);
    else if (take_options(l, s) == 0 && !(o = jobspec_take(s, &err)))
        command_wrong(l, "%s", err.text);
    if (o && !(text = script_text(s, script)))
        command_wrong(l, "the script is not UTF-8");
    fputs(s->warnings.len ? s->warnings.text : "", stderr);
    if (text) {
        json_object_set_new(o, "script", text);
        if (l->nargs > !command)
            json_object_set_new(o, "arguments", words(l, !command));
        fill_in(o, path ? last_part(path) : NULL);
        status = submit(l, s, o);
    }
    json_decref(o);
    free(script);
    return status;
}

int msub_main(int argc, char **argv)
{
    int dashes = behind_dashes(argc, argv), status;
    struct calendar cal = zone_system_calendar((int64_t)time(NULL));
    struct command_line l;
    struct jobspec s;

    if (command_parse(&spec, argc, argv, &l, &status) < 0)
        return status;
    jobspec_init(&s, &cal, (const char *const *)environ);
    status = run(&l, &s, dashes);
    jobspec_fini(&s);
    command_fini(&l);
    return status;
}
