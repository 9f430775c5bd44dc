/* SPDX-License-Identifier: Apache-2.0
 * maui [serve]: the command line of the daemon, and how it goes to the background. */
#include "server/server.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: maui [serve] [-c FILE] [options]\n"
    "\n"
    "Run the scheduler on this machine, in the background unless --foreground is "
    "given.\n"
    "\n"
    "  -c, --configfile FILE   configuration; default HOME/maui.cfg\n"
    "      --home DIR          state, socket, spool and logs; default $MAUIHOMEDIR, "
    "else\n"
    "                          /var/lib/maui as root and ~/.maui for others\n"
    "      --nodes N[xP]       present this machine as N nodes of P processors\n"
    "      --foreground, -d    stay in the foreground and log to stderr\n"
    "  -m, --mode MODE         NORMAL, TEST, SIMULATION or SINGLESTEP, instead of\n"
    "                          SERVERMODE\n"
    "  -P, --paused            begin with scheduling stopped (schedctl -r goes on)\n"
    "      --host ADDRESS      answer on TCP too\n"
    "  -p, --port N            its port; default SERVERPORT\n"
    "  -L, --loglevel N        0 to 9, instead of LOGLEVEL\n"
    "  -h, --help              this text\n"
    "\n"
    "examples:\n"
    "  maui serve --nodes 4x2 --foreground     try it: four nodes of two processors\n"
    "  maui serve -m SIMULATION --home what-if serve a trace instead of a cluster\n"
    "  maui -c /etc/maui/maui.cfg              the usual way\n"
    "  maui schedctl -k                        stop it\n";

enum { OPT_HOME = 256, OPT_NODES, OPT_HOST };

static const struct option options[] = {
    {"configfile", required_argument, NULL, 'c'},
    {"home", required_argument, NULL, OPT_HOME},
    {"nodes", required_argument, NULL, OPT_NODES},
    {"foreground", no_argument, NULL, 'd'},
    {"mode", required_argument, NULL, 'm'},
    {"paused", no_argument, NULL, 'P'},
    {"host", required_argument, NULL, OPT_HOST},
    {"port", required_argument, NULL, 'p'},
    {"loglevel", required_argument, NULL, 'L'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static int number(const char *name, const char *text, long max, int *ret)
{
    char *end;

    errno = 0;
    long n = strtol(text, &end, 10);
    if (errno || *end || end == text || n < 0 || n > max) {
        fprintf(stderr, "maui serve: %s: '%s' is not a number from 0 to %ld\n", name,
            text, max);
        return -1;
    }
    *ret = (int)n;
    return 0;
}

/* 0 = go on; else the exit status + 1. */
static int parse(int argc, char **argv, struct server_options *o)
{
    int c;

    optind = 1;
    while ((c = getopt_long(argc, argv, "c:C:dm:Pp:L:h", options, NULL)) != -1) {
        switch (c) {
        case 'c':
        case 'C':
            o->config_file = optarg;
            break;
        case OPT_HOME:
            o->home = optarg;
            break;
        case OPT_NODES:
            o->nodes = optarg;
            break;
        case 'd':
            o->foreground = true;
            break;
        case 'm':
            o->mode = optarg;
            break;
        case 'P':
            o->paused = true;
            break;
        case OPT_HOST:
            o->host = optarg;
            break;
        case 'p':
            if (number("--port", optarg, 65535, &o->port) < 0)
                return 2;
            break;
        case 'L':
            if (number("--loglevel", optarg, 9, &o->log_level) < 0)
                return 2;
            break;
        case 'h':
            fputs(help, stdout);
            return 1;
        default:
            fputs("`maui serve --help` lists the options.\n", stderr);
            return 2;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "maui serve: '%s' is not expected here\n", argv[optind]);
        return 2;
    }
    return 0;
}

/* The parent waits for an empty line, and perhaps a remark, when the daemon answers;
 * else why it does not. */
static int wait_for_child(int fd, pid_t child)
{
    char text[READY_MAX + 1];
    ssize_t n = read(fd, text, sizeof text - 1);

    if (n <= 0) {
        fputs("maui serve: the daemon ended before it answered; see its log\n", stderr);
        return 1;
    }
    text[n] = 0;
    if (*text == '\n') {
        printf("maui: the scheduler runs as process %ld; `maui schedctl -k` stops it\n",
            (long)child);
        if (text[1] != 0)
            fprintf(stderr, "maui serve: %s", text + 1);
        return 0;
    }
    fprintf(stderr, "maui serve: not started: %s", text);
    return 1;
}

static int run(struct server_options *o)
{
    struct err err = {0};

    if (server_run(o, &err) == 0)
        return 0;
    if (o->ready_fd >= 0)
        dprintf(o->ready_fd, "%s\n", err.text);
    else
        fprintf(stderr, "maui serve: %s\n", err.text);
    return 1;
}

static int run_in_background(struct server_options *o)
{
    int ends[2];

    if (pipe(ends) < 0) {
        fprintf(stderr, "maui serve: pipe: %s\n", strerror(errno));
        return 1;
    }
    pid_t child = fork();
    if (child < 0) {
        fprintf(stderr, "maui serve: fork: %s\n", strerror(errno));
        return 1;
    }
    if (child > 0) {
        close(ends[1]);
        return wait_for_child(ends[0], child);
    }
    close(ends[0]);
    setsid();
    o->ready_fd = ends[1];
    return run(o);
}

int serve_main(int argc, char **argv)
{
    struct server_options o = {.log_level = -1, .port = -1, .ready_fd = -1};
    int stop = parse(argc, argv, &o);

    if (stop)
        return stop - 1;
    return o.foreground ? run(&o) : run_in_background(&o);
}
