/* SPDX-License-Identifier: Apache-2.0
 * maui check: validate a configuration, explain it, print the reference page. */
#include "base/home.h"
#include "base/xalloc.h"
#include "config/config.h"
#include "server/server.h"
#include "server/web/place.h"

#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct check_options {
    const char *file; /* NULL: wherever maui.cfg is */
    bool json, explain, parameters, strict, has_manager;
};

static const char help[] =
    "usage: maui check [-c] [FILE] [--strict] [--format text|json] [--explain]\n"
    "       maui check --has-manager [FILE]\n"
    "       maui check --parameters markdown\n"
    "\n"
    "Read a configuration and print everything that is wrong with it, one line\n"
    "each: FILE:LINE: error|warning|note: text. The daemon comes to the same verdict:\n"
    "it does not start with errors. Nor does maui sim, which needs no resource "
    "manager.\n"
    "\n"
    "  -c, --config FILE      the configuration; else $SERVERCONFIGFILE, maui.cfg in\n"
    "                         $MAUIHOMEDIR or $SERVERHOMEDIR, in this folder,\n"
    "                         that of the daemon here\n"
    "      --strict           warnings fail, too\n"
    "      --has-manager      only: does it name a resource manager?\n"
    "      --format FORMAT    text (the default) or json\n"
    "      --explain          print each setting in force with its value, its default\n"
    "                         and the line it came from; findings go to standard "
    "error\n"
    "      --parameters markdown\n"
    "                         print the reference page of all parameters\n"
    "  -h, --help             this text\n"
    "\n"
    "exit status: 0 usable, perhaps with warnings and notes; 1 the daemon would not "
    "start\n"
    "with it (with --strict: or there are warnings; with --has-manager: none is "
    "named),\n"
    "FILE cannot be read, or it was called wrongly\n"
    "\n"
    "examples:\n"
    "  maui check examples/easy.cfg\n"
    "  maui check --strict /etc/maui/maui.cfg && maui schedctl -R\n"
    "  maui check -c maui.cfg --explain | grep FS\n"
    "  maui check -c maui.cfg --format json | jq '.findings[].text'\n";

static int bad_call(const char *text, const char *what)
{
    fprintf(stderr, "maui check: %s%s\n`maui check --help` lists the options.\n", text,
        what);
    return 1;
}

enum { OPT_FORMAT = 256, OPT_EXPLAIN, OPT_PARAMETERS, OPT_STRICT, OPT_MANAGER };

/* One option; 0, or the exit status. */
static int take_option(struct check_options *opt, int option)
{
    switch (option) {
    case 'c':
        opt->file = optarg;
        return 0;
    case OPT_FORMAT:
        opt->json = strcmp(optarg, "json") == 0;
        if (!opt->json && strcmp(optarg, "text") != 0)
            return bad_call("--format is text or json, not ", optarg);
        return 0;
    case OPT_STRICT:
        opt->strict = true;
        return 0;
    case OPT_MANAGER:
        opt->has_manager = true;
        return 0;
    case OPT_EXPLAIN:
        opt->explain = true;
        return 0;
    case OPT_PARAMETERS:
        opt->parameters = true;
        if (strcmp(optarg, "markdown") != 0)
            return bad_call("--parameters is markdown, not ", optarg);
        return 0;
    default:
        return bad_call("see above", "");
    }
}

/* -1: go on; else the exit status. */
static int parse(struct check_options *opt, int argc, char **argv)
{
    static const struct option longs[] = {{"config", required_argument, NULL, 'c'},
        {"format", required_argument, NULL, OPT_FORMAT},
        {"strict", no_argument, NULL, OPT_STRICT},
        {"has-manager", no_argument, NULL, OPT_MANAGER},
        {"explain", no_argument, NULL, OPT_EXPLAIN},
        {"parameters", required_argument, NULL, OPT_PARAMETERS},
        {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    int option, status = 0;

    optind = 0;
    while (
        status == 0 && (option = getopt_long(argc, argv, "c:h", longs, NULL)) != -1) {
        if (option == 'h') {
            fputs(help, stdout);
            return 0;
        }
        status = take_option(opt, option);
    }
    if (status == 0 && optind < argc && opt->file == NULL)
        opt->file = argv[optind++];
    if (status == 0 && optind < argc)
        status = bad_call("one file is checked; unexpected ", argv[optind]);
    return status == 0 ? -1 : status;
}

/* Where the configuration is when nobody says: what the environment names, else that of
 * this folder, else the daemon's. Owned by the caller. */
static char *find_file(void)
{
    const char *file = getenv("SERVERCONFIGFILE");
    char *home = home_named(NULL), *path;

    if (file != NULL && *file != '\0')
        path = xstrdup(file);
    else if (home == NULL && access("maui.cfg", F_OK) == 0)
        path = xstrdup("maui.cfg");
    else {
        if (home == NULL)
            home = home_find(NULL);
        path = home_config(home);
    }
    free(home);
    return path;
}

/* ---- text ---------------------------------------------------------------------- */

static void print_findings(FILE *out, const struct config *c)
{
    for (size_t i = 0; i < c->findings.n; i++) {
        const struct finding *f = &c->findings.v[i];

        fprintf(out, "%s:%u: %s: %s\n", f->file, (unsigned)f->line,
            finding_level_name(f->level), f->text);
    }
}

static void print_summary(const char *file, const struct config *c)
{
    const char *separator = ", ";

    fprintf(stderr, "%s: %s", file,
        config_count(c, FINDING_ERROR) > 0 ? "not usable" : "usable");
    for (int level = FINDING_ERROR; level >= FINDING_NOTE; level--) {
        size_t n = config_count(c, (enum finding_level)level);

        if (n > 0)
            fprintf(stderr, "%s%zu %s%s", separator, n,
                finding_level_name((enum finding_level)level), n == 1 ? "" : "s");
    }
    fputc('\n', stderr);
}

static void print_text(const char *file, const struct config *c, bool explain)
{
    char *text;

    print_findings(explain ? stderr : stdout, c);
    if (explain) {
        text = config_explain(c);
        fputs(text, stdout);
        free(text);
    }
    print_summary(file, c);
}

/* ---- JSON ----------------------------------------------------------------------- */

/* Text of a file may be in any encoding; JSON is UTF-8. */
static json_t *json_text(const char *text)
{
    json_t *string = json_string(text);
    char *plain;

    if (string != NULL)
        return string;
    plain = xstrdup(text);
    for (char *p = plain; *p != '\0'; p++)
        if ((unsigned char)*p > 0x7e)
            *p = '?';
    string = json_string(plain);
    free(plain);
    return string;
}

static json_t *json_finding(const struct finding *f)
{
    json_t *object = json_object();

    json_object_set_new(object, "file", json_text(f->file));
    json_object_set_new(object, "line", json_integer(f->line));
    json_object_set_new(object, "level", json_string(finding_level_name(f->level)));
    json_object_set_new(object, "text", json_text(f->text));
    if (f->rule != NULL)
        json_object_set_new(object, "rule", json_string(f->rule));
    return object;
}

static json_t *json_settings(const struct config *c)
{
    json_t *all = json_array();

    for (size_t i = 0; i < c->values.n; i++) {
        const struct cfg_value *v = &c->values.v[i];
        const char *def = cfg_value_default(v);
        json_t *object = json_object();

        json_object_set_new(object, "name", json_text(v->name));
        json_object_set_new(object, "value", json_text(v->text));
        json_object_set_new(
            object, "default", def != NULL ? json_text(def) : json_null());
        json_object_set_new(object, "file", json_text(v->file));
        json_object_set_new(object, "line", json_integer(v->line));
        json_array_append_new(all, object);
    }
    return all;
}

static void print_json(
    const char *file, const struct config *c, const struct err *err, bool explain)
{
    json_t *root = json_object(), *findings = json_array();

    for (size_t i = 0; c != NULL && i < c->findings.n; i++)
        json_array_append_new(findings, json_finding(&c->findings.v[i]));
    if (c == NULL)
        json_array_append_new(findings, json_finding(&(struct finding){.file = file,
                                            .line = 1,
                                            .level = FINDING_ERROR,
                                            .text = (char *)err->text}));
    json_object_set_new(root, "file", json_text(file));
    json_object_set_new(
        root, "usable", json_boolean(c != NULL && config_count(c, FINDING_ERROR) == 0));
    json_object_set_new(root, "findings", findings);
    if (c != NULL && explain)
        json_object_set_new(root, "settings", json_settings(c));
    json_dumpf(root, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(root);
}

/* ---- the command ---------------------------------------------------------------- */

static int check_manager(
    const char *file, const struct config *c, const struct err *err)
{
    if (c != NULL && config_managers(c) > 0)
        return 0;
    if (c != NULL)
        fprintf(stderr,
            "%s: names no resource manager: a line RMCFG[name] TYPE=LOCAL, or "
            "another\n",
            file);
    else
        fprintf(stderr, "maui check: %s\n", err->text);
    return 1;
}

static int look_at_page(const struct config *c, const char *home, struct err *err)
{
    struct page_place place;
    int result = page_place_read(c, home, &place, err);

    page_place_fini(&place);
    return result;
}

static int check_file(const struct check_options *opt)
{
    char *file = opt->file != NULL ? xstrdup(opt->file) : find_file();
    struct err err = {0};
    struct config *c = config_load_file(file, &err);
    char *home = home_find(NULL);
    struct config_use use = {.home = home, .look_at_page = look_at_page};
    int status;

    if (opt->has_manager) {
        status = check_manager(file, c, &err);
        free(home);
        config_destroy(c);
        free(file);
        return status;
    }
    if (c != NULL) {
        use.simulated = config_simulates(c);
        status = config_judge(c, &use, &err) < 0
                 || (opt->strict && config_count(c, FINDING_WARNING) > 0);
    } else {
        status = 1;
    }
    free(home);

    if (opt->json)
        print_json(file, c, &err, opt->explain);
    else if (c != NULL)
        print_text(file, c, opt->explain);
    else
        fprintf(stderr, "maui check: %s\n", err.text);
    config_destroy(c);
    free(file);
    return status;
}

int check_main(int argc, char **argv)
{
    struct check_options opt = {0};
    int status = parse(&opt, argc, argv);
    char *text;

    if (status >= 0)
        return status;
    if (!opt.parameters)
        return check_file(&opt);
    text = config_reference();
    fputs(text, stdout);
    free(text);
    return 0;
}
