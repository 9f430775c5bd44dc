/* SPDX-License-Identifier: Apache-2.0
 * A stream before the terminal that stdout becomes: it breaks and colours lines. */
#include "client/kit/terminal.h"

#include "base/strbuf.h"
#include "base/xalloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define SET_IN     4  /* of what is continued, behind the line's own indentation */
#define NARROWEST  20 /* below it nothing is broken */
#define WIDEST     10000
#define SEPARATORS " \t:,;'()[]*"

#define BOLD   "\033[1m"
#define RED    "\033[31m"
#define GREEN  "\033[32m"
#define YELLOW "\033[33m"
#define PLAIN  "\033[m"

/* Words that are coloured wherever they stand alone. */
static const struct {
    const char *word, *colour;
} words[] = {
    {"Running", GREEN},
    {"Hold", YELLOW},
    {"UserHold", YELLOW},
    {"SystemHold", YELLOW},
    {"BatchHold", YELLOW},
    {"Deferred", YELLOW},
    {"Suspended", YELLOW},
    {"Drained", YELLOW},
    {"Draining", YELLOW},
    {"Down", RED},
    {"Corrupt", RED},
    {"Failed", RED},
    {"Removed", RED},
    {"Vacated", RED},
};

/* Beginnings of lines that are coloured as a whole. */
static const struct {
    const char *begin, *colour;
} lines[] = {
    {"cannot select job", YELLOW},
    {"NOTE:", YELLOW},
    {"WARNING:", YELLOW},
    {"ALERT:", RED},
    {"ERROR:", RED},
};

/* "ACTIVE JOBS----------" */
static bool is_heading(const char *line)
{
    size_t n = strlen(line);

    return n > 4 && line[0] >= 'A' && line[0] <= 'Z'
           && strcmp(line + n - 4, "----") == 0;
}

static const char *find_line_colour(const char *line)
{
    if (is_heading(line))
        return BOLD;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (strncmp(line, lines[i].begin, strlen(lines[i].begin)) == 0)
            return lines[i].colour;
    return NULL;
}

static const char *find_word_colour(const char *word, size_t len)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i].word) == len && memcmp(words[i].word, word, len) == 0)
            return words[i].colour;
    return NULL;
}

/* Columns that bytes of the text take, each character one: of so many bytes, or up to
 * its end. Looks no further than `most` + 1 columns. */
static size_t count_columns(const char *text, size_t n, size_t most)
{
    size_t columns = 0;

    for (size_t i = 0; i < n && text[i] && columns <= most; i++)
        columns += ((unsigned char)text[i] & 0xC0) != 0x80;
    return columns;
}

/* How many bytes of the text go into a line of so many columns: up to its last blank
 * that fits, else all of the first word. O(of that line). */
static size_t measure_part(const char *text, size_t columns)
{
    size_t fits = 0, at = strspn(text, " ");

    if (count_columns(text, SIZE_MAX, columns) <= columns)
        return strlen(text);
    while (text[at]) {
        size_t end = at + strcspn(text + at, " ");
        if (fits && count_columns(text, end, columns) > columns)
            break;
        fits = end;
        at = end + strspn(text + end, " ");
    }
    return fits;
}

static void write_words(const char *text, size_t n, FILE *out)
{
    for (size_t at = 0, len; at < n; at += len) {
        const char *colour = NULL;

        len = strspn(text + at, SEPARATORS);
        if (len == 0) {
            len = strcspn(text + at, SEPARATORS);
            len = len < n - at ? len : n - at;
            colour = find_word_colour(text + at, len);
        }
        len = len < n - at ? len : n - at;
        fprintf(out, "%s%.*s%s", colour ? colour : "", (int)len, text + at,
            colour ? PLAIN : "");
    }
}

static void write_part(
    const struct terminal *t, const char *colour, const char *text, size_t n, FILE *out)
{
    if (!t->colour)
        fprintf(out, "%.*s", (int)n, text);
    else if (colour)
        fprintf(out, "%s%.*s" PLAIN, colour, (int)n, text);
    else
        write_words(text, n, out);
}

int terminal_line(const struct terminal *t, const char *line, FILE *out)
{
    size_t width = t->width < NARROWEST ? SIZE_MAX : t->width;
    size_t indent = strspn(line, " ") + SET_IN, n = measure_part(line, width);
    const char *colour = find_line_colour(line);

    if (indent > width / 2)
        indent = SET_IN;
    write_part(t, colour, line, n, out);
    for (;;) {
        line += n;
        line += strspn(line, " ");
        if (!*line)
            return ferror(out) ? -1 : 0;
        n = measure_part(line, width - indent);
        fprintf(out, "\n%*s", (int)indent, "");
        write_part(t, colour, line, n, out);
    }
}

/* ---- the stream ---- */

struct stream {
    struct terminal terminal;
    FILE *out;             /* stdout as it was */
    struct strbuf pending; /* a line that has not ended yet */
};

static int write_pending(struct stream *s)
{
    char *line = strbuf_take(&s->pending);
    int rc = terminal_line(&s->terminal, line, s->out);

    free(line);
    return rc;
}

static ssize_t take_text(void *cookie, const char *text, size_t n)
{
    struct stream *s = cookie;
    const char *end = text + n, *newline;

    while ((newline = memchr(text, '\n', (size_t)(end - text))) != NULL) {
        strbuf_add_n(&s->pending, text, (size_t)(newline - text));
        write_pending(s);
        fputc('\n', s->out);
        text = newline + 1;
    }
    strbuf_add_n(&s->pending, text, (size_t)(end - text));
    return fflush(s->out) == 0 && !ferror(s->out) ? (ssize_t)n : 0;
}

static int end_stream(void *cookie)
{
    struct stream *s = cookie;
    int rc = write_pending(s);

    rc = fclose(s->out) == 0 ? rc : -1;
    free(s);
    return rc;
}

/* Before the process ends: what has no newline is written, too. */
static void close_stdout(void)
{
    fclose(stdout);
}

static unsigned find_width(void)
{
    const char *columns = getenv("COLUMNS");
    long said = columns ? strtol(columns, NULL, 10) : 0;
    struct winsize size;

    if (said > 0 && said < WIDEST)
        return (unsigned)said;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static bool wants_colour(void)
{
    const char *none = getenv("NO_COLOR"), *term = getenv("TERM");

    return (!none || !*none) && term && *term && strcmp(term, "dumb") != 0;
}

void terminal_begin(void)
{
    static const cookie_io_functions_t calls = {
        .write = take_text, .close = end_stream};

    if (!isatty(fileno(stdout))) /* nor twice */
        return;
    struct stream *s = xcalloc(1, sizeof *s);
    *s = (struct stream){{find_width(), wants_colour()}, stdout, {0}};
    FILE *stream = fopencookie(s, "w", calls);
    if (!stream) { /* as it is, then */
        free(s);
        return;
    }
    setvbuf(stream, NULL, _IOLBF, BUFSIZ);
    stdout = stream;
    atexit(close_stdout);
}
