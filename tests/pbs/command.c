/* SPDX-License-Identifier: Apache-2.0
 * Each command of a recorded server, by whatever name it is called: passes its name and
 * its words on to recorded.py, which waits at SOCKET, and does as that says. What
 * starts an interpreter is called a thousand times otherwise. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int dial(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = SOCKET};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof at) < 0) {
        perror(SOCKET);
        exit(255);
    }
    return fd;
}

static void copy(FILE *from, FILE *to, size_t n)
{
    char part[4096];
    size_t got;

    while (
        n > 0 && (got = fread(part, 1, n < sizeof part ? n : sizeof part, from)) > 0) {
        fwrite(part, 1, got, to);
        n -= got;
    }
}

int main(int argc, char **argv)
{
    const char *folder = getenv("PBS_RECORDED"), *slash = strrchr(argv[0], '/');
    FILE *line = fdopen(dial(), "r+");
    int status;
    size_t n;

    fputs(folder ? folder : "", line);
    fprintf(line, "%c%s", '\0', slash ? slash + 1 : argv[0]);
    for (int i = 1; i < argc; i++)
        fprintf(line, "%c%s", '\0', argv[i]);
    fflush(line);
    shutdown(fileno(line), SHUT_WR);
    if (fscanf(line, "%d %zu", &status, &n) != 2 || fgetc(line) != '\n')
        return 1;
    copy(line, stdout, n);
    copy(line, stderr, (size_t)-1);
    return status;
}
