/* SPDX-License-Identifier: Apache-2.0
 * Lines of scontrol as fields. */
#include "base/xalloc.h"
#include "rm/slurm/text/text.h"

#include <stdlib.h>
#include <string.h>

void *text_room_take(struct text_room *room, size_t count, size_t size)
{
    void *block = xcalloc(count ? count : 1, size);

    vec_push(&room->blocks, block);
    return block;
}

void room_free(struct text_room *room)
{
    for (size_t i = 0; room != NULL && i < room->blocks.n; i++)
        free(room->blocks.v[i]);
    if (room != NULL)
        vec_fini(&room->blocks);
    free(room);
}

/* Which key stands there? They come in about the order of the list: from `from` on. */
static const char *key_at(const char *text, const char *const *keys, size_t *io_from)
{
    size_t n = strcspn(text, "= "), count = 0;

    if (text[n] != '=' || n == 0)
        return NULL;
    while (keys[count] != NULL)
        count++;
    for (size_t i = 0; i < count; i++) {
        size_t k = (*io_from + i) % count;
        const char *key = keys[k][0] == '*' ? keys[k] + 1 : keys[k];

        if (strncmp(key, text, n) == 0 && key[n] == '\0') {
            *io_from = k + (keys[k][0] != '*');
            return keys[k];
        }
    }
    return NULL;
}

void fields_add(char *line, const char *const *keys, struct fields *io)
{
    size_t from = 0;
    char *at = line;

    while (at != NULL && *at) {
        size_t before = from;
        const char *key = key_at(at, keys, &from);
        char *blank = strchr(at, ' ');

        if (key != NULL) {
            if (at > line)
                at[-1] = '\0';
            for (size_t i = 0; i < io->v.n && *key != '*'; i++)
                io->twice |= io->v.v[i].key == key;
            io->astray |= from < before;
            vec_push(&io->v, ((struct field){key, at + strlen(key) + (*key != '*')}));
        }
        at = blank != NULL ? blank + 1 : NULL;
    }
}

void fields_of(char *line, const char *const *keys, struct fields *ret)
{
    ret->v.n = 0;
    ret->twice = ret->astray = false;
    fields_add(line, keys, ret);
}

static char *raw(const struct fields *f, const char *key)
{
    for (size_t i = 0; i < f->v.n; i++)
        if (strcmp(f->v.v[i].key, key) == 0)
            return f->v.v[i].value;
    return NULL;
}

char *field_text(const struct fields *f, const char *key)
{
    static const char *const nothing[] = {"(null)", "N/A"};
    char *value = raw(f, key);

    if (value == NULL)
        return NULL;
    for (size_t n = strlen(value); n > 0 && value[n - 1] == ' '; n--)
        value[n - 1] = '\0';
    for (size_t i = 0; i < sizeof nothing / sizeof nothing[0]; i++)
        if (strcmp(value, nothing[i]) == 0)
            return NULL;
    return *value ? value : NULL;
}

#define NUMBER_MAX (1LL << 50) /* nothing of Slurm's is beyond it */
#define MB_MAX     (1ULL << 40)

int64_t field_number(const struct fields *f, const char *key, int64_t none)
{
    const char *value = field_text(f, key);
    char *stop;
    long long n = value != NULL ? strtoll(value, &stop, 10) : 0;

    return value == NULL || stop == value || n > NUMBER_MAX || n < -NUMBER_MAX ? none
                                                                               : n;
}

uint32_t field_minutes(const struct fields *f, const char *key)
{
    const char *value = field_text(f, key), *dash;
    uint64_t days = 0, v[3] = {0}, s;
    int n = 0;

    if (value != NULL
        && (strcmp(value, "UNLIMITED") == 0 || strcmp(value, "INFINITE") == 0))
        return INFINITE;
    if (value == NULL || *value < '0' || *value > '9') /* NONE, Partition_Limit */
        return NO_VAL;
    dash = strchr(value, '-');
    if (dash != NULL) {
        days = strtoull(value, NULL, 10);
        value = dash + 1;
    }
    for (char *stop; n < 3; value = stop + 1) {
        v[n++] = strtoull(value, &stop, 10);
        if (*stop != ':')
            break;
    }
    s = n == 3 ? v[0] * 3600 + v[1] * 60 + v[2] : n == 2 ? v[0] * 60 + v[1] : v[0] * 60;
    s += days * 86400;
    return s / 60 + 1 < NO_VAL ? (uint32_t)((s + 59) / 60) : INFINITE;
}

time_t instant_of(const char *text)
{
    size_t n = strlen(pipe_secret());
    long long at =
        strncmp(text, pipe_secret(), n) == 0 ? strtoll(text + n, NULL, 10) : 0;

    return at > 0 && at <= NUMBER_MAX ? (time_t)at : 0;
}

time_t field_time(const struct fields *f, const char *key)
{
    const char *value = field_text(f, key);

    return value != NULL ? instant_of(value) : 0;
}

uint64_t field_mb(const struct fields *f, const char *key)
{
    const char *value = field_text(f, key);
    char *stop;
    double v = value != NULL ? strtod(value, &stop) : 0;

    if (value == NULL || stop == value || !(v >= 0))
        return NO_VAL64;
    v *= *stop == 'K'   ? 1.0 / 1024
         : *stop == 'G' ? 1024.0
         : *stop == 'T' ? 1024.0 * 1024
         : *stop == 'P' ? 1024.0 * 1024 * 1024
                        : 1.0;
    return v < MB_MAX ? (uint64_t)(v + 0.999) : MB_MAX;
}

char *next_line(char **io_text)
{
    char *line = *io_text, *eol;

    if (line == NULL || *line == '\0')
        return NULL;
    eol = strchr(line, '\n');
    if (eol != NULL)
        *eol = '\0';
    *io_text = eol != NULL ? eol + 1 : NULL;
    return line;
}
