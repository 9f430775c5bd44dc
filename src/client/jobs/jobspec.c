/* SPDX-License-Identifier: Apache-2.0
 * Options and directives. */
#include "client/jobs/jobspec.h"

#include "base/nearest.h"
#include "base/xalloc.h"
#include "config/arraytext.h"
#include "config/mailtext.h"
#include "config/value.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* An option of msub or of sbatch. `set` gets `key`. */
struct spec_option {
    char letter;
    const char *name; /* --name, or NULL */
    bool takes;
    int (*set)(struct jobspec *s, const char *key, const char *value, struct err *err);
    const char *key;
};

void jobspec_init(
    struct jobspec *s, const struct calendar *cal, const char *const *environ)
{
    *s = (struct jobspec){.cal = cal,
        .environ = environ,
        .o = json_object(),
        .of_script = json_object(),
        .of_line = json_object()};
    s->resources = s->of_line;
}

void jobspec_fini(struct jobspec *s)
{
    json_decref(s->o);
    json_decref(s->of_script);
    json_decref(s->of_line);
    free(s->shell);
    free(strbuf_take(&s->warnings));
    *s = (struct jobspec){0};
}

void jobspec_warn(struct jobspec *s, const char *fmt, ...)
{
    char text[300];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    strbuf_printf(&s->warnings, "%s\n", text);
}

/* ---- setters ---- */

/* Texts go into JSON: they must be UTF-8. */
int jobspec_put_text(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    if (json_object_set_new(s->o, key, json_string(value)) < 0)
        return err_set(err, ERR_INVALID, "the text of '%s' is not UTF-8", key);
    return 0;
}

void jobspec_put_seconds(struct jobspec *s, const char *key, int64_t seconds)
{
    json_object_set_new(
        s->o, key, seconds == DURATION_UNLIMITED ? json_null() : json_integer(seconds));
}

/* A path; the host in front, as in login:/home/mira/out, is where we are. */
static int put_path(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    const char *colon = strchr(value, ':'), *slash = strchr(value, '/');

    if (colon && (!slash || colon < slash))
        value = colon + 1;
    if (!*value)
        return err_set(err, ERR_INVALID, "a path is needed");
    return jobspec_put_text(s, key, value, err);
}

static int put_true(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    (void)value;
    (void)err;
    json_object_set_new(s->o, key, json_true());
    return 0;
}

static int put_false(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    (void)value;
    (void)err;
    json_object_set_new(s->o, key, json_false());
    return 0;
}

static int put_yes_no(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    if (strcasecmp(value, "y") != 0 && strcasecmp(value, "n") != 0)
        return err_set(err, ERR_INVALID, "'%.40s' is not one of y, n", value);
    json_object_set_new(s->o, key, json_boolean(strcasecmp(value, "y") == 0));
    return 0;
}

int jobspec_put_instant(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    int64_t at;

    if (jobspec_instant(s, value, &at, err) < 0)
        return -1;
    json_object_set_new(s->o, key, json_integer(at));
    return 0;
}

int jobspec_put_priority(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    int64_t n;

    if (value_int(value, -1024, 1023, &n, err) < 0)
        return -1;
    json_object_set_new(s->o, key, json_integer(n));
    return 0;
}

static int put_array(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    struct array_spec a;

    if (array_parse(value, &a, err) < 0)
        return -1;
    array_fini(&a);
    return jobspec_put_text(s, key, value, err);
}

static int put_join(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    static const char *const words[] = {"oe", "eo"};

    (void)key;
    s->join = NULL;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(value, words[i]) == 0)
            s->join = words[i];
    if (!s->join && strcmp(value, "n") != 0)
        return err_set(err, ERR_INVALID, "'%.40s' is not one of oe, eo, n", value);
    return 0;
}

static int put_shell(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    (void)key;
    if (*value != '/' || strpbrk(value, "\r\n"))
        return err_set(
            err, ERR_INVALID, "'%.80s' is not the absolute path of a shell", value);
    free(s->shell);
    s->shell = xstrdup(value);
    return 0;
}

/* An option that needs no value: nodes are taken whole. */
static int put_exclusive(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    if (value && *value)
        return err_set(
            err, ERR_INVALID, "'%.40s': only the whole node is known", value);
    return jobspec_resource(s, key, "SINGLEJOB", err);
}

static int put_list(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    (void)key;
    return jobspec_list(s, value, err);
}

static int put_slurm_time(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    int64_t seconds;

    if (jobspec_slurm_time(value, &seconds, err) < 0)
        return -1;
    jobspec_put_seconds(s, key, seconds);
    return 0;
}

static int put_quiet(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    (void)key;
    (void)value;
    (void)err;
    s->quiet = true;
    return 0;
}

static int no_effect(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    (void)value;
    (void)err;
    jobspec_warn(s, "%s has no effect here", key);
    return 0;
}

static int nothing(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    (void)s;
    (void)key;
    (void)value;
    (void)err;
    return 0;
}

static int put_wait(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    (void)key;
    (void)value;
    (void)err;
    s->wait = true;
    return 0;
}

/* What is not to be ignored in silence: `key` says why. */
static int refused(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    (void)s;
    (void)value;
    return err_set(err, ERR_INVALID, "%s", key);
}

/* Who gives PBS an address alone is told when the job is aborted. */
static int put_mail(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    if (mailtext_check_addresses(value, err) < 0)
        return -1;
    if (!json_object_get(s->o, "mail_when"))
        json_object_set_new(s->o, "mail_when", json_string("a"));
    return jobspec_put_text(s, key, value, err);
}

static int put_mail_user(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    if (mailtext_check_addresses(value, err) < 0)
        return -1;
    return jobspec_put_text(s, key, value, err);
}

static int put_mail_when(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    if (mailtext_check_when(value, err) < 0)
        return -1;
    return jobspec_put_text(s, key, value, err);
}

/* BEGIN,END as letters. FAIL is both: it was aborted, or failed by itself. */
static int put_mail_type(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    static const struct cfg_keyword words[] = {{"NONE", 0}, {"BEGIN", 1}, {"END", 2},
        {"FAIL", 4}, {"ALL", 7}, {"REQUEUE", 8}, {"INVALID_DEPEND", 8},
        {"STAGE_OUT", 8}, {"TIME_LIMIT", 8}, {"TIME_LIMIT_90", 8}, {"TIME_LIMIT_80", 8},
        {"TIME_LIMIT_50", 8}, {"ARRAY_TASKS", 8}, {NULL}};
    unsigned all = 0;
    char *word, when[5] = "";
    int status = 0;

    while (status == 0 && (word = value_next_word(&value, ",")) != NULL) {
        const struct cfg_keyword *type;
        status = value_keyword(word, words, &type, err);
        all |= status == 0 ? type->value : 0;
        if (status == 0 && type->value == 8 && strcasecmp(word, "ARRAY_TASKS") != 0)
            jobspec_warn(s, "--mail-type=%s has no effect here", type->name);
        free(word);
    }
    snprintf(when, sizeof when, "%s%s%s", all & 4 ? all & 2 ? "a" : "af" : "",
        all & 1 ? "b" : "", all & 2 ? "e" : "");
    return status < 0 ? -1 : jobspec_put_text(s, key, *when ? when : "n", err);
}

/* ---- environment ---- */

static int add_variable(struct jobspec *s, const char *text, struct err *err)
{
    json_t *list = json_object_get(s->o, "environment");

    if (!list) {
        list = json_array();
        json_object_set_new(s->o, "environment", list);
    }
    if (json_array_append_new(list, json_string(text)) < 0)
        return err_set(err, ERR_INVALID, "the variable '%.40s' is not UTF-8", text);
    return 0;
}

/* NAME of the caller's own environment. */
static int add_own(struct jobspec *s, const char *name, struct err *err)
{
    size_t len = strlen(name);

    for (size_t i = 0; s->environ && s->environ[i]; i++)
        if (strncmp(s->environ[i], name, len) == 0 && s->environ[i][len] == '=')
            return add_variable(s, s->environ[i], err);
    jobspec_warn(s, "variable %s is not set, and not given to the job", name);
    return 0;
}

/* "A=1,B='x,y',C" */
static int put_variables(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    struct strbuf word = {0};
    char quote = 0;
    int status = 0;

    (void)key;
    for (const char *p = value; status == 0; p++) {
        if (quote && *p == quote) {
            quote = 0;
        } else if (!quote && (*p == '\'' || *p == '"')) {
            quote = *p;
        } else if (*p && (quote || *p != ',')) {
            strbuf_add_n(&word, p, 1);
        } else {
            if (word.len && strcmp(word.text, "ALL") == 0)
                s->all_environment = true;
            else if (word.len && word.text[0] == '=')
                status = err_set(err, ERR_INVALID, "a variable has no name");
            else if (word.len && strcmp(word.text, "NONE") != 0)
                status = strchr(word.text, '=') ? add_variable(s, word.text, err)
                                                : add_own(s, word.text, err);
            free(strbuf_take(&word));
        }
        if (!*p)
            break;
    }
    free(strbuf_take(&word));
    return status;
}

static int put_all_variables(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    (void)key;
    (void)value;
    (void)err;
    s->all_environment = true;
    return 0;
}

/* ---- -W ---- */

static int put_umask(struct jobspec *s, const char *value, struct err *err)
{
    char *end;
    long bits = strtol(value, &end, 8);

    if (!*value || *end || bits < 0 || bits > 0777)
        return err_set(err, ERR_INVALID, "umask '%.40s' is not within 0 to 777", value);
    json_object_set_new(s->o, "umask", json_integer(bits));
    return 0;
}

/* One of depend=, x=, umask=, group_list=. All that follows belongs to the value. */
static int put_more(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    const char *equals = strchr(value, '=');
    char name[40];

    (void)key;
    if (!equals)
        return err_set(err, ERR_INVALID, "'%.60s' is no ATTRIBUTE=VALUE", value);
    snprintf(name, sizeof name, "%.*s", (int)(equals - value), value);
    if (strcasecmp(name, "depend") == 0)
        return jobspec_put_depend(s, "dependencies", equals + 1, err);
    if (strcasecmp(name, "x") == 0)
        return jobspec_extensions(s, equals + 1, err);
    if (strcasecmp(name, "umask") == 0)
        return put_umask(s, equals + 1, err);
    if (strcasecmp(name, "group_list") == 0)
        return jobspec_put_text(s, "group", equals + 1, err);
    return err_set(err, ERR_INVALID,
        "attribute '%s' is not one of depend, group_list, umask, x", name);
}

/* ---- the tables ---- */

static const struct spec_option pbs_options[] = {
    {'a', NULL, true, jobspec_put_instant, "release_at"},
    {'A', NULL, true, jobspec_put_text, "account"},
    {'c', NULL, true, no_effect, "-c"},
    {'d', NULL, true, jobspec_put_text, "directory"},
    {'e', NULL, true, put_path, "error"},
    {'E', NULL, false, nothing, NULL},
    {'h', NULL, false, put_true, "hold"},
    {'I', NULL, false, refused,
        "a job has no terminal here; msub -K waits for one to end"},
    {'j', NULL, true, put_join, NULL},
    {'k', NULL, true, nothing, NULL},
    {'K', NULL, false, put_wait, NULL},
    {'l', NULL, true, put_list, NULL},
    {'m', NULL, true, put_mail_when, "mail_when"},
    {'M', NULL, true, put_mail, "mail"},
    {'N', NULL, true, jobspec_put_text, "name"},
    {'o', NULL, true, put_path, "output"},
    {'p', NULL, true, jobspec_put_priority, "priority"},
    {'q', NULL, true, jobspec_put_text, "class"},
    {'r', NULL, true, put_yes_no, "rerunnable"},
    {'S', NULL, true, put_shell, NULL},
    {'t', NULL, true, put_array, "array"},
    {'u', NULL, true, refused, "a job is its submitter's; sudo -u USER msub"},
    {'v', NULL, true, put_variables, NULL},
    {'V', NULL, false, put_all_variables, NULL},
    {'W', NULL, true, put_more, NULL},
    {'z', NULL, false, put_quiet, NULL},
    {0},
};

static const struct spec_option slurm_options[] = {
    {'J', "job-name", true, jobspec_put_text, "name"},
    {'A', "account", true, jobspec_put_text, "account"},
    {'p', "partition", true, jobspec_put_text, "class"},
    {'q', "qos", true, jobspec_put_text, "qos"},
    {'t', "time", true, put_slurm_time, "wclimit_s"},
    {'N', "nodes", true, jobspec_resource, "nodecount"},
    {'n', "ntasks", true, jobspec_resource, "tasks"},
    {'c', "cpus-per-task", true, jobspec_resource, "cpus"},
    {0, "ntasks-per-node", true, jobspec_resource, "tpn"},
    {0, "mem", true, jobspec_resource, "nodemem"},
    {0, "mem-per-cpu", true, jobspec_resource, "cpumem"},
    {0, "gres", true, jobspec_resource, "nodegres"},
    {'C', "constraint", true, jobspec_resource, "feature"},
    {'w', "nodelist", true, jobspec_resource, "hostlist"},
    {'x', "exclude", true, jobspec_resource, "excludenodes"},
    {0, "exclusive", false, put_exclusive, "naccesspolicy"},
    {'D', "chdir", true, jobspec_put_text, "directory"},
    {'o', "output", true, put_path, "output"},
    {'e', "error", true, put_path, "error"},
    {'H', "hold", false, put_true, "hold"},
    {'d', "dependency", true, jobspec_put_depend, "dependencies"},
    {'a', "array", true, put_array, "array"},
    {'b', "begin", true, jobspec_put_instant, "release_at"},
    {0, "deadline", true, jobspec_put_instant, "deadline_at"},
    {0, "reservation", true, jobspec_put_text, "reservation"},
    {0, "requeue", false, put_true, "rerunnable"},
    {0, "no-requeue", false, put_false, "rerunnable"},
    {0, "export", true, put_variables, NULL},
    {0, "mail-user", true, put_mail_user, "mail"},
    {0, "mail-type", true, put_mail_type, "mail_when"},
    {0, "comment", true, jobspec_put_text, "comment"},
    {0},
};

static const struct spec_option *by_letter(const struct spec_option *table, char letter)
{
    for (; table->set; table++)
        if (letter && table->letter == letter)
            return table;
    return NULL;
}

static const struct spec_option *by_name(
    const struct spec_option *table, const char *name, struct err *err)
{
    struct nearest near;

    nearest_init(&near, name);
    for (; table->set; table++) {
        if (table->name && strcmp(table->name, name) == 0)
            return table;
        if (table->name)
            nearest_offer(&near, table->name);
    }
    if (nearest_best(&near))
        err_set(err, ERR_INVALID, "option --%.40s is not known; did you mean --%s?",
            name, nearest_best(&near));
    else
        err_set(err, ERR_INVALID, "option --%.40s is not known", name);
    return NULL;
}

int jobspec_option(struct jobspec *s, char letter, const char *value, struct err *err)
{
    const struct spec_option *row = by_letter(pbs_options, letter);

    if (!row)
        return err_set(err, ERR_INVALID, "option -%c is not known", letter);
    if (row->takes && (!value || !*value))
        return err_set(err, ERR_INVALID, "-%c: a value is needed", letter);
    if (row->set(s, row->key, value, err) < 0)
        return err_prefix(err, "-%c: ", letter);
    return 0;
}

/* ---- directives ---- */

/* The next word, quotes removed; owned by the caller. NULL at the end, which is also a
 * # behind a blank. */
static char *next_word(const char **p, const char *end)
{
    struct strbuf word = {0};
    char quote = 0;

    while (*p < end && strchr(" \t\r", **p))
        (*p)++;
    if (*p == end || **p == '#')
        return NULL;
    for (; *p < end && (quote || !strchr(" \t\r", **p)); (*p)++) {
        if (quote ? **p == quote : **p == '\'' || **p == '"')
            quote = quote ? 0 : **p;
        else
            strbuf_add_n(&word, *p, 1);
    }
    return strbuf_take(&word);
}

/* `word` is "--name", "--name=value" or "-lvalue"; the value may be the next word. */
static int take_directive(struct jobspec *s, const struct spec_option *table,
    char *word, const char **p, const char *end, struct err *err)
{
    bool is_long = word[0] == '-' && word[1] == '-';
    char *equals = is_long ? strchr(word, '=') : NULL, *next = NULL;
    const char *value = equals ? equals + 1 : NULL;
    const struct spec_option *row;
    int status;

    if (equals)
        *equals = '\0';
    if (word[0] != '-' || !word[1])
        return err_set(err, ERR_INVALID, "'%.60s' is not an option", word);
    row = is_long ? by_name(table, word + 2, err) : by_letter(table, word[1]);
    if (!row)
        return is_long ? -1
                       : err_set(err, ERR_INVALID, "option -%c is not known", word[1]);
    if (!is_long && word[2]) {
        if (!row->takes)
            return err_set(err, ERR_INVALID, "option -%c takes no value", word[1]);
        value = word + 2;
    }
    if (row->takes && !value)
        value = next = next_word(p, end);
    if (row->takes && (!value || !*value))
        status = err_set(err, ERR_INVALID, "%s: a value is needed", word);
    else if (row->set(s, row->key, value, err) < 0)
        status = err_prefix(err, "%.40s: ", word);
    else
        status = 0;
    free(next);
    return status;
}

static int take_line(struct jobspec *s, const struct spec_option *table, const char *p,
    const char *end, struct err *err)
{
    char *word;
    int status = 0;

    while (status == 0 && (word = next_word(&p, end)) != NULL) {
        status = take_directive(s, table, word, &p, end, err);
        free(word);
    }
    return status;
}

/* What stands behind the prefix of a directive; NULL when the line is none. */
static const char *directive(const char *line, size_t len, const char *prefix,
    const struct spec_option **ret_table)
{
    static const struct {
        const char *prefix;
        const struct spec_option *table;
    } kinds[] = {
        {"#PBS", pbs_options}, {"#MSUB", pbs_options}, {"#SBATCH", slurm_options}};

    for (size_t i = 0; i < (prefix ? 1 : sizeof kinds / sizeof kinds[0]); i++) {
        const char *word = prefix ? prefix : kinds[i].prefix;
        size_t n = strlen(word);
        if (len > n && strncmp(line, word, n) == 0 && strchr(" \t", line[n])) {
            *ret_table = prefix && strcmp(prefix, "#SBATCH") == 0 ? slurm_options
                                                                  : kinds[i].table;
            return line + n;
        }
    }
    return NULL;
}

static bool is_command(const char *line, size_t len)
{
    while (len && strchr(" \t\r", *line)) {
        line++;
        len--;
    }
    return len && *line != '#';
}

int jobspec_script(
    struct jobspec *s, const char *text, const char *prefix, struct err *err)
{
    bool commands = false;
    int number = 1, status = 0;

    s->resources = s->of_script;
    for (const char *p = text; *p && status == 0; number++) {
        size_t len = strcspn(p, "\n");
        const struct spec_option *table;
        const char *rest = directive(p, len, prefix, &table);
        if (rest && commands)
            jobspec_warn(
                s, "line %d: a directive behind the first command is not read", number);
        else if (rest && take_line(s, table, rest, p + len, err) < 0)
            status = err_prefix(err, "line %d: ", number);
        commands = commands || is_command(p, len);
        p += len + (p[len] != '\0');
    }
    s->resources = s->of_line;
    return status;
}

/* ---- all of it ---- */

/* All variables of the caller; those that were named come last, and so win. */
static void put_environment(struct jobspec *s)
{
    json_t *named = json_incref(json_object_get(s->o, "environment"));
    struct err err;

    json_object_set_new(s->o, "environment", json_array());
    for (size_t i = 0; s->environ && s->environ[i]; i++)
        if (strchr(s->environ[i], '=') && add_variable(s, s->environ[i], &err) < 0)
            jobspec_warn(s, "%s", err.text);
    json_array_extend(json_object_get(s->o, "environment"), named);
    json_decref(named);
}

json_t *jobspec_take(struct jobspec *s, struct err *err)
{
    const char *error = json_string_value(json_object_get(s->o, "error"));

    if (jobspec_requests(s, err) < 0)
        return NULL;
    if (s->all_environment)
        put_environment(s);
    if (s->join)
        json_object_set_new(s->o, "join", json_true());
    if (s->join && strcmp(s->join, "eo") == 0 && error)
        json_object_set_new(s->o, "output", json_string(error));
    return json_incref(s->o);
}
