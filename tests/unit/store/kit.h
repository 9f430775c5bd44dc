/* SPDX-License-Identifier: Apache-2.0
 * A folder of its own for each test, and a store in it. */
#ifndef MAUI_TESTS_STORE_KIT_H
#define MAUI_TESTS_STORE_KIT_H

#include "cmocka_all.h"
#include "store/store.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct kit {
    char folder[64], path[80];
    struct store *store; /* closed at the end if it is open */
    struct err err;
};

/* NAME in the folder of the test; one at a time. */
static inline const char *kit_path(const struct kit *kit, const char *name)
{
    static _Thread_local char paths[4][128];
    static _Thread_local unsigned next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", kit->folder, name);
    return path;
}

static inline int kit_setup_in(const char *folder, void **state)
{
    struct kit *kit = calloc(1, sizeof *kit);

    snprintf(kit->folder, sizeof kit->folder, "%s/maui-store-XXXXXX", folder);
    if (!mkdtemp(kit->folder)) {
        free(kit);
        return -1;
    }
    snprintf(kit->path, sizeof kit->path, "%s", kit_path(kit, "state.db"));
    *state = kit;
    return 0;
}

static inline int kit_setup(void **state)
{
    return kit_setup_in("/tmp", state);
}

/* Where a flush costs nothing, if there is such a place. */
static inline int kit_setup_fast(void **state)
{
    return kit_setup_in("/dev/shm", state) == 0 ? 0 : kit_setup(state);
}

static inline int kit_remove(
    const char *path, const struct stat *st, int flag, struct FTW *where)
{
    (void)st, (void)flag, (void)where;
    return remove(path);
}

static inline int kit_teardown(void **state)
{
    struct kit *kit = *state;

    store_close(kit->store);
    nftw(kit->folder, kit_remove, 8, FTW_DEPTH | FTW_PHYS);
    free(kit);
    return 0;
}

static inline struct store *kit_open(struct kit *kit)
{
    if (store_open(kit->path, NULL, &kit->store, &kit->err) != 0)
        fail_msg("%s", kit->err.text);
    return kit->store;
}

static inline void kit_close(struct kit *kit)
{
    store_close(kit->store);
    kit->store = NULL;
}

static inline struct store *kit_reopen(struct kit *kit)
{
    kit_close(kit);
    return kit_open(kit);
}

/* Opening fails with a sentence that has `words`. */
static inline void kit_refused(struct kit *kit, const char *words)
{
    assert_int_equal(store_open(kit->path, NULL, &kit->store, &kit->err), -1);
    kit->store = NULL;
    if (!strstr(kit->err.text, words))
        fail_msg("'%s' is not in: %s", words, kit->err.text);
}

static inline void kit_put(struct kit *kit, const char *key, const char *value)
{
    assert_int_equal(store_put(kit->store, "job", key, value, &kit->err), 0);
}

static inline void kit_commit(struct kit *kit)
{
    if (store_commit(kit->store, &kit->err) != 0)
        fail_msg("%s", kit->err.text);
}

/* The value of job `key`, "" = there is none; valid until the next call. */
static inline const char *kit_get(struct kit *kit, const char *key)
{
    static _Thread_local char copy[256];
    char *value;

    assert_int_equal(store_get(kit->store, "job", key, &value, &kit->err), 0);
    snprintf(copy, sizeof copy, "%s", value ? value : "");
    free(value);
    return copy;
}

/* A whole file; owned. */
static inline char *kit_read(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *bytes = NULL;
    struct stat st;

    assert_non_null(f);
    assert_int_equal(fstat(fileno(f), &st), 0);
    *size = (size_t)st.st_size;
    bytes = malloc(*size + 1);
    assert_int_equal(fread(bytes, 1, *size, f), *size);
    fclose(f);
    bytes[*size] = '\0';
    return bytes;
}

static inline void kit_write(const char *path, const char *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static inline bool kit_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

#endif
