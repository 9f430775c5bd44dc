/* SPDX-License-Identifier: Apache-2.0
 * Lines by memchr over a sliding buffer; zlib reads plain files as they are. */
#include "trace/lines.h"

#include "base/xalloc.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

/* zlib unpacks at once into a buffer of twice its own size, or more: nothing is copied,
 * and what is read stays in the cache. */
#define BLOCK_SIZE ((size_t)128 * 1024)

struct lines {
    char *name;      /* owned */
    gzFile file;     /* NULL when reading memory */
    const char *mem; /* borrowed */
    size_t mem_left;
    char *buf;  /* owned; holds [begin, end) */
    size_t cap; /* one byte more is there for a terminator */
    size_t begin, end;
    bool at_end; /* nothing more to read into the buffer */
    bool again;  /* hand out `last` once more */
    char *last;
    size_t last_len;
    uint64_t number;
};

static struct lines *create(const char *name, size_t block)
{
    struct lines *in = xcalloc(1, sizeof *in);

    in->name = xstrdup(name);
    in->cap = block;
    in->buf = xmalloc(in->cap + 1);
    return in;
}

struct lines *lines_open(const char *path, struct err *err)
{
    struct stat st;
    struct lines *in;
    gzFile file;

    if (stat(path, &st) < 0) {
        err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
        return NULL;
    }
    if (S_ISDIR(st.st_mode)) {
        err_set(err, ERR_IO, "%s: is a directory; a file is expected", path);
        return NULL;
    }
    errno = 0;
    file = gzopen(path, "rb");
    if (file == NULL) {
        err_set(err, ERR_IO, "%s: %s", path, errno ? strerror(errno) : "out of memory");
        return NULL;
    }
    gzbuffer(file, BLOCK_SIZE / 4);
    in = create(path, BLOCK_SIZE);
    in->file = file;
    return in;
}

struct lines *lines_open_memory(const char *name, const char *text, size_t size)
{
    struct lines *in = create(name, size < BLOCK_SIZE ? size + 1 : BLOCK_SIZE);

    in->mem = text;
    in->mem_left = size;
    return in;
}

void lines_close(struct lines *in)
{
    if (in == NULL)
        return;
    if (in->file != NULL)
        gzclose(in->file);
    free(in->buf);
    free(in->name);
    free(in);
}

/* Up to `room` further bytes at `to`; 0 at the end, -1 on failure. */
static long read_block(struct lines *in, char *to, size_t room, struct err *err)
{
    int got, code;
    const char *why;

    if (in->file == NULL) {
        size_t n = in->mem_left < room ? in->mem_left : room;

        if (n == 0)
            return 0;
        memcpy(to, in->mem, n);
        in->mem += n;
        in->mem_left -= n;
        return (long)n;
    }
    got = gzread(in->file, to, (unsigned)room);
    why = gzerror(in->file, &code);
    /* A truncated file is told only after its last whole block. */
    if (got < 0 || (got == 0 && code != Z_OK && code != Z_STREAM_END)) {
        size_t len = strlen(in->name);

        if (code == Z_ERRNO)
            why = strerror(errno);
        else if (strncmp(why, in->name, len) == 0 && why[len] == ':')
            why += len + 2; /* zlib says "NAME: what" */
        return err_set(err, ERR_IO, "%s:%llu: cannot read on: %s", in->name,
            (unsigned long long)in->number + 1, why);
    }
    return got;
}

/* Bring more into the buffer behind an unfinished line. */
static int refill(struct lines *in, struct err *err)
{
    size_t have = in->end - in->begin;
    long got;

    if (in->begin > 0) {
        memmove(in->buf, in->buf + in->begin, have);
        in->begin = 0;
        in->end = have;
    }
    if (have == in->cap) {
        if (in->cap >= LINE_LENGTH_MAX)
            return err_set(err, ERR_IO,
                "%s:%llu: the line is longer than %zu bytes; is this a text file?",
                in->name, (unsigned long long)in->number + 1, LINE_LENGTH_MAX);
        in->cap *= 2;
        in->buf = xrealloc(in->buf, in->cap + 1, 1);
    }
    got = read_block(in, in->buf + in->end, in->cap - in->end, err);
    if (got < 0)
        return -1;
    in->end += (size_t)got;
    in->at_end = got == 0;
    return 0;
}

int lines_next(struct lines *in, char **ret_text, size_t *ret_len, struct err *err)
{
    size_t seen = 0; /* bytes of the line known to hold no end */
    char *stop = NULL;

    if (!in->again) {
        for (;;) {
            size_t have = in->end - in->begin;

            if (have > seen)
                stop = memchr(in->buf + in->begin + seen, '\n', have - seen);
            if (stop != NULL || in->at_end)
                break;
            seen = have;
            if (refill(in, err) < 0)
                return -1;
        }
        if (stop == NULL && in->begin == in->end)
            return 0;
        in->last = in->buf + in->begin;
        if (stop == NULL)
            stop = in->buf + in->end;
        in->begin = (size_t)(stop - in->buf) + (stop < in->buf + in->end);
        if (stop > in->last && stop[-1] == '\r')
            stop--;
        *stop = '\0';
        in->last_len = (size_t)(stop - in->last);
        in->number++;
    }
    in->again = false;
    *ret_text = in->last;
    *ret_len = in->last_len;
    return 1;
}

void lines_unread(struct lines *in)
{
    in->again = true;
}

const char *lines_name(const struct lines *in)
{
    return in->name;
}

uint64_t lines_number(const struct lines *in)
{
    return in->number;
}
