/* SPDX-License-Identifier: Apache-2.0
 * Statistics files. */
#define LOG_FACILITY FACILITY_STAT
#include "server/events/statfile.h"

#include "base/home.h"
#include "config/settings.h"
#include "server/api/rights.h"
#include "server/managers/manager.h"
#include "server/process/rollfile.h"
#include "server/server_private.h"
#include "trace/jobtrace.h"
#include "trace/restrace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct stat_line {
    char day[16]; /* YYYY_MM_DD */
    char *text;   /* owned; with its end */
};

#define WAITING_MAX 10000

struct statfile {
    struct VEC(struct stat_line) waiting;
    bool failing; /* the file cannot be written; told once */
};

/* ---- files ---- */

static char *path_of(struct server *s, const char *what, const char *day)
{
    const char *dir = s->config->settings->daemon.stat_dir;
    char *folder = *dir == '/' ? xstrdup(dir) : home_file(s->paths.home, dir);
    struct strbuf path = {0};

    mkdir(folder, 0755); /* there already, most often */
    if (s->simulation)
        strbuf_printf(&path, "%s/simstat.out", folder);
    else
        strbuf_printf(&path, "%s/%s.%s", folder, what, day);
    free(folder);
    return strbuf_take(&path);
}

#define FOR_ALL   0644
#define FOR_GROUP 0640

/* Does the resource manager keep from users who ran what? */
static bool is_private(const struct server *s)
{
    return (rights_hidden(s->api.rights) & (RM_HIDES_JOBS | RM_HIDES_USAGE)) != 0;
}

/* In one write, so that who reads sees whole lines. */
static int append_text(
    const char *path, bool private, const struct strbuf *text, bool *ret_fresh)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK,
        private ? FOR_GROUP : FOR_ALL);
    char *all = NULL;
    size_t len = 0;
    struct stat st;

    if (fd < 0)
        return -1;
    bool known = fstat(fd, &st) == 0;
    *ret_fresh = known && st.st_size == 0;
    if (known && private && st.st_mode & 07) /* it is of before that was so */
        fchmod(fd, st.st_mode & 0770);
    FILE *f = open_memstream(&all, &len);
    if (*ret_fresh) {
        fputs(JOBTRACE_VERSION, f);
        jobtrace_titles(f);
    }
    fputs(text->text, f);
    fclose(f);
    int e = rollfile_append(fd, all, len) ? 0 : errno;
    free(all);
    close(fd);
    errno = e;
    return e ? -1 : 0;
}

/* ---- the nodes ---- */

static const char **names_of(const struct names *names, const uint32_t *ids, size_t n)
{
    const char **list = n ? xcalloc(n + 1, sizeof *list) : NULL;

    for (size_t i = 0; i < n; i++)
        list[i] = names_text(names, ids[i]);
    return list;
}

static void format_node(struct server *s, const struct node *n, FILE *out)
{
    const struct cluster *c = engine_cluster(s->engine);
    const char **features = names_of(c->features, n->features.v, n->features.n);
    const char **networks = names_of(c->networks, n->networks.v, n->networks.n);
    char speed[32];
    struct restrace_node r = {.event = node_is_up(n) ? 0 : 1,
        .name = n->name,
        .rm = manager_label(s, n->rm),
        .swap_mb = n->cfg.v[RES_SWAP],
        .mem_mb = n->cfg.v[RES_MEM],
        .disk_mb = n->cfg.v[RES_DISK],
        .procs = n->cfg.v[RES_PROCS],
        .frame = n->frame > 0 ? n->frame : -1,
        .slot = n->slot > 0 ? n->slot : -1,
        .slots = 1,
        .os = n->os == NAME_NONE ? NULL : names_text(c->oses, n->os),
        .arch = n->arch == NAME_NONE ? NULL : names_text(c->arches, n->arch),
        .features = features,
        .networks = networks,
        .speed_or_gres = speed};

    snprintf(speed, sizeof speed, "%.3f", n->speed > 0 ? n->speed : 1.0);
    restrace_format(&r, out);
    free(features);
    free(networks);
}

static void write_nodes(struct server *s, const char *day)
{
    const struct cluster *c = engine_cluster(s->engine);
    char *path = path_of(s, "resources", day);
    FILE *out = fopen(path, "we");

    if (out) {
        fputs(JOBTRACE_VERSION, out);
        for (size_t i = 0; i < c->nodes.n; i++)
            if (!node_at(c, i)->global)
                format_node(s, node_at(c, i), out);
    }
    if (!out || fclose(out) != 0)
        log_line(s->log, LOG_ALERT, "the statistics file '%s' cannot be written: %s",
            path, strerror(errno));
    free(path);
}

/* ---- the jobs ---- */

/* Blanks part the fields, "#" begins a comment. */
static void clean(char *line)
{
    for (; *line; line++)
        if ((unsigned char)*line < ' ' || *line == '#' || *line == 127)
            *line = '_';
}

static char *cleaned(const char *text)
{
    char *copy = text ? xstrdup(text) : NULL;

    for (char *p = copy; p && *p; p++)
        if (*p == ' ')
            *p = '_';
    if (copy)
        clean(copy);
    if (copy && !*copy) {
        free(copy);
        copy = NULL;
    }
    return copy;
}

#define TEXTS 10

void statfile_add(struct server *s, const struct jobtrace *record)
{
    struct jobtrace r = *record;
    const char **texts[TEXTS] = {&r.id, &r.user, &r.group, &r.account, &r.command,
        &r.partition, &r.reservation, &r.qos.first, &r.qos.second, &r.rm};
    char *owned[TEXTS];
    struct stat_line line = {0};
    time_t at = (time_t)r.end_at;
    size_t len = 0;
    struct tm tm;

    for (int i = 0; i < TEXTS; i++)
        *texts[i] = owned[i] = cleaned(*texts[i]);
    strftime(line.day, sizeof line.day, "%Y_%m_%d", localtime_r(&at, &tm));
    FILE *out = open_memstream(&line.text, &len);
    jobtrace_format(&r, out);
    fclose(out);
    for (int i = 0; i < TEXTS; i++)
        free(owned[i]);
    if (!s->events.statfile)
        s->events.statfile = xcalloc(1, sizeof *s->events.statfile);
    vec_push(&s->events.statfile->waiting, line);
}

void statfile_begin(struct server *s)
{
    char *path = path_of(s, "", "");

    unlink(path);
    free(path);
}

static void tell_lost(struct server *s, const struct stat_line *line)
{
    log_line(s->log, LOG_ALERT, "the statistics of %s do not have the record: %s",
        line->day, line->text);
}

/* All of a day at once: one file is opened for what ended in a turn. */
static bool write_day(struct server *s, const char *day, const struct strbuf *text)
{
    char *path = path_of(s, "stats", day);
    bool fresh = false, good = append_text(path, is_private(s), text, &fresh) == 0;

    if (!good && !s->events.statfile->failing)
        log_line(s->log, LOG_ALERT,
            "the statistics file '%s' cannot be written, and is tried again: %s", path,
            strerror(errno));
    s->events.statfile->failing = !good;
    if (good && fresh && !s->simulation)
        write_nodes(s, day);
    free(path);
    return good;
}

/* Lines of one day. */
static bool write_lines(struct server *s, const struct stat_line *lines, size_t n)
{
    struct strbuf text = {0};

    for (size_t i = 0; i < n; i++)
        strbuf_add(&text, lines[i].text);
    bool good = write_day(s, lines->day, &text);
    free(strbuf_take(&text));
    return good;
}

static void forget(struct statfile *f, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(f->waiting.v[i].text);
    f->waiting.n -= n;
    memmove(f->waiting.v, f->waiting.v + n, f->waiting.n * sizeof *f->waiting.v);
}

void statfile_committed(struct server *s)
{
    struct statfile *f = s->events.statfile;

    while (f && f->waiting.n) {
        size_t n = 1;
        while (n < f->waiting.n && strcmp(f->waiting.v[n].day, f->waiting.v->day) == 0)
            n++;
        if (!write_lines(s, f->waiting.v, n))
            break;
        forget(f, n);
    }
    for (; f && f->waiting.n > WAITING_MAX; forget(f, 1))
        tell_lost(s, f->waiting.v);
}

void statfile_close(struct server *s)
{
    if (!s->events.statfile)
        return;
    for (size_t i = 0; i < s->events.statfile->waiting.n; i++) {
        if (!commit_is_failing(s)) /* else the next life has it */
            tell_lost(s, &s->events.statfile->waiting.v[i]);
        free(s->events.statfile->waiting.v[i].text);
    }
    vec_fini(&s->events.statfile->waiting);
    free(s->events.statfile);
    s->events.statfile = NULL;
}
