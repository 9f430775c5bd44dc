/* SPDX-License-Identifier: Apache-2.0
 * Lines of files, plain and gzip'd, and of memory. */
#include "trace/lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

static void expect_line(struct lines *in, const char *text, uint64_t number)
{
    struct err err;
    char *line;
    size_t len;

    assert_int_equal(lines_next(in, &line, &len, &err), 1);
    assert_string_equal(line, text);
    assert_int_equal(len, strlen(text));
    assert_int_equal(lines_number(in), number);
}

static void expect_end(struct lines *in)
{
    struct err err;
    char *line;
    size_t len;

    assert_int_equal(lines_next(in, &line, &len, &err), 0);
    assert_int_equal(lines_next(in, &line, &len, &err), 0);
}

static struct lines *of_text(const char *text)
{
    return lines_open_memory("t", text, strlen(text));
}

static void a_missing_file_is_an_error_with_its_name(void **state)
{
    struct err err;

    (void)state;
    assert_null(lines_open("/nowhere/at.all", &err));
    assert_int_equal(err.code, ERR_IO);
    assert_non_null(strstr(err.text, "/nowhere/at.all"));
    assert_null(lines_open("/", &err));
    assert_non_null(strstr(err.text, "directory"));
}

static void an_endless_line_is_refused_with_its_number(void **state)
{
    size_t size = LINE_LENGTH_MAX + 300000;
    char *text = malloc(size), *line;
    struct lines *in;
    struct err err;
    size_t len;

    (void)state;
    memset(text, 'x', size);
    memcpy(text, "a\n", 2);
    in = lines_open_memory("t", text, size);
    expect_line(in, "a", 1);
    assert_int_equal(lines_next(in, &line, &len, &err), -1);
    assert_memory_equal(err.text, "t:2: ", 5);
    lines_close(in);
    free(text);
}

static void lines_come_without_their_ends(void **state)
{
    struct lines *in = of_text("one\n\r\ntwo\r\n \nlast");

    (void)state;
    expect_line(in, "one", 1);
    expect_line(in, "", 2);
    expect_line(in, "two", 3);
    expect_line(in, " ", 4);
    expect_line(in, "last", 5);
    expect_end(in);
    lines_close(in);
}

static void an_empty_text_has_no_lines(void **state)
{
    struct lines *in = of_text("");

    (void)state;
    expect_end(in);
    lines_close(in);
    in = lines_open_memory("t", NULL, 0);
    expect_end(in);
    lines_close(in);
}

static void an_unread_line_comes_again(void **state)
{
    struct lines *in = of_text("a\nb\n");

    (void)state;
    expect_line(in, "a", 1);
    lines_unread(in);
    expect_line(in, "a", 1);
    expect_line(in, "b", 2);
    lines_unread(in);
    expect_line(in, "b", 2);
    expect_end(in);
    lines_close(in);
}

static void bytes_0_are_told_by_the_length(void **state)
{
    struct lines *in = lines_open_memory("t", "a\0b\n", 4);
    struct err err;
    char *line;
    size_t len;

    (void)state;
    assert_int_equal(lines_next(in, &line, &len, &err), 1);
    assert_int_equal(len, 3);
    lines_close(in);
}

/* More than one block, so that lines cross the edges of blocks. */
#define MANY 60000

static void write_many(gzFile out)
{
    for (int i = 0; i < MANY; i++)
        gzprintf(out, "line %d of many\n", i);
    gzclose(out);
}

static void read_many(const char *path)
{
    struct err err;
    struct lines *in = lines_open(path, &err);
    char text[40];

    assert_non_null(in);
    assert_string_equal(lines_name(in), path);
    for (int i = 0; i < MANY; i++) {
        snprintf(text, sizeof text, "line %d of many", i);
        expect_line(in, text, (uint64_t)i + 1);
    }
    expect_end(in);
    lines_close(in);
}

static void plain_and_compressed_files_read_the_same(void **state)
{
    char path[] = "/tmp/maui-lines-XXXXXX";
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    close(fd);
    write_many(gzopen(path, "wb"));
    read_many(path);
    write_many(gzopen(path, "wbT")); /* transparent: plain */
    read_many(path);
    unlink(path);
}

static void a_truncated_compressed_file_is_an_error_with_a_line(void **state)
{
    char path[] = "/tmp/maui-lines-XXXXXX", prefix[60];
    int fd = mkstemp(path), rc;
    struct lines *in;
    struct err err;
    char *line;
    size_t len;

    (void)state;
    assert_true(fd >= 0);
    write_many(gzopen(path, "wb"));
    assert_int_equal(ftruncate(fd, 20000), 0);
    close(fd);
    in = lines_open(path, &err);
    assert_non_null(in);
    while ((rc = lines_next(in, &line, &len, &err)) > 0)
        ;
    assert_int_equal(rc, -1);
    snprintf(prefix, sizeof prefix, "%s:%llu: ", path,
        (unsigned long long)lines_number(in) + 1);
    assert_memory_equal(err.text, prefix, strlen(prefix));
    lines_close(in);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_file_is_an_error_with_its_name),
        cmocka_unit_test(an_endless_line_is_refused_with_its_number),
        cmocka_unit_test(a_truncated_compressed_file_is_an_error_with_a_line),
        cmocka_unit_test(lines_come_without_their_ends),
        cmocka_unit_test(an_empty_text_has_no_lines),
        cmocka_unit_test(an_unread_line_comes_again),
        cmocka_unit_test(bytes_0_are_told_by_the_length),
        cmocka_unit_test(plain_and_compressed_files_read_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
