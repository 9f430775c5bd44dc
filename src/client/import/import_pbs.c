/* SPDX-License-Identifier: Apache-2.0
 * maui import pbs: where its texts come from. With a file given no server is asked. */
#include "client/import/pbs.h"
#include "client/kit/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* "/var/spool/pbs/sched_priv/sched_config", if it can be read. */
static const char *own_file(char *buf, size_t size, const char *name)
{
    const char *home = getenv("PBS_HOME");
    const char *const homes[] = {
        home ? home : "/var/spool/pbs", "/var/spool/torque", "/var/lib/torque"};

    for (size_t i = 0; i < (home ? 1 : sizeof homes / sizeof homes[0]); i++) {
        snprintf(buf, size, "%s/sched_priv/%s", homes[i], name);
        if (access(buf, R_OK) == 0)
            return buf;
    }
    return NULL;
}

/* What is read, from a file or by a command. Texts live until the end: places point at
 * their names, and shares into them. */
struct inputs {
    char sched_name[4096], shares_name[4096];
    const char *server, *queues, *nodes, *sched, *shares; /* files, NULL = none */
    bool live;
    struct strbuf texts[6];
    size_t n;
};

static char *next_text(struct inputs *in, const char *file, const char *command)
{
    struct strbuf *b = &in->texts[in->n++];

    if (file == NULL && command == NULL)
        return NULL;
    if ((file != NULL ? import_read_file(file, b) : import_ask(command, b)) < 0)
        return NULL;
    return b->text;
}

/* -1: something that is needed could not be had. */
static int read_sched(struct pbs *p, struct inputs *in)
{
    char *text = next_text(in, in->sched, NULL);

    if (text != NULL)
        pbs_sched(p, in->sched, text);
    else if (in->sched != NULL)
        return -1;
    if (in->live && text == NULL)
        fputs(
            "maui import: sched_config is not read: it is not there, or only for root; "
            "--sched gives it\n",
            stderr);
    text = next_text(in, in->shares, NULL);
    if (text != NULL)
        pbs_shares(p, in->shares, text);
    return text == NULL && in->shares != NULL ? -1 : 0;
}

static int read_server(struct pbs *p, struct inputs *in)
{
    char *text = next_text(in, in->server, in->live ? "qmgr -c 'print server'" : NULL);

    if (text != NULL)
        pbs_read_server(p, in->live ? "qmgr" : in->server, text);
    else if (in->server != NULL || in->live)
        return -1;
    if (in->queues != NULL) {
        if ((text = next_text(in, in->queues, NULL)) == NULL)
            return -1;
        pbs_read_listing(p, PBS_QUEUE, in->queues, text);
    }
    /* TORQUE has no vnodes, and no -v for them */
    text = next_text(in, in->nodes,
        in->live ? "sh -c 'pbsnodes -av 2>/dev/null || pbsnodes -a'" : NULL);
    if (text != NULL)
        pbs_read_listing(p, PBS_NODE, in->live ? "pbsnodes" : in->nodes, text);
    return text == NULL && in->nodes != NULL ? -1 : 0;
}

static void find_inputs(const struct command_line *l, struct inputs *in)
{
    in->server = command_long(l, "server");
    in->queues = command_long(l, "queues");
    in->nodes = command_long(l, "nodes");
    in->sched = command_long(l, "sched");
    in->shares = command_long(l, "shares");
    in->live = in->server == NULL && in->queues == NULL && in->nodes == NULL
               && in->sched == NULL && in->shares == NULL;
    if (in->live) {
        in->sched = own_file(in->sched_name, sizeof in->sched_name, "sched_config");
        in->shares =
            own_file(in->shares_name, sizeof in->shares_name, "resource_group");
    }
}

int import_pbs(const struct command_line *l)
{
    struct import im = {0};
    struct inputs *in = xcalloc(1, sizeof *in);
    struct pbs p;
    int status = 1;

    pbs_init(&p, &im);
    find_inputs(l, in);
    if (read_server(&p, in) == 0 && read_sched(&p, in) == 0) {
        pbs_server(&p);
        pbs_print(&p);
        printf("%s%s", im.left.len ? "# Not carried over:\n" : "",
            im.left.text ? im.left.text : "");
        status = fflush(stdout) == 0 ? 0 : 1;
    }
    pbs_fini(&p);
    for (size_t i = 0; i < in->n; i++)
        free(in->texts[i].text);
    free(in);
    free(im.left.text);
    return status;
}
