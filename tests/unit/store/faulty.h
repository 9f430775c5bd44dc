/* SPDX-License-Identifier: Apache-2.0
 * A disk that can fail, between SQLite and the real one: an SQLite VFS that counts what
 * changes files and lets the n-th such operation fail. It can also keep, beside each
 * file, what of it had been flushed: what a loss of power leaves at the worst. */
#ifndef MAUI_TESTS_STORE_FAULTY_H
#define MAUI_TESTS_STORE_FAULTY_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum faulty_op {
    FAULTY_WRITE = 1,
    FAULTY_SYNC = 2,
    FAULTY_TRUNCATE = 4,
    FAULTY_DELETE = 8,
    FAULTY_ANY = 15
};

/* One for the whole program, as SQLite's own list of VFSs. */
struct faulty {
    sqlite3_vfs vfs, *real;
    sqlite3_io_methods methods;
    unsigned ops; /* which operations count */
    long count;   /* so many were there */
    long fail_at; /* this one fails, counting from 1; 0 = none */
    bool lasting; /* and all after it */
    int rc;       /* with this; a write leaves half of it behind */
    bool keep;    /* keep what was flushed as NAME.disk */
};

static struct faulty faulty;

struct faulty_file {
    sqlite3_file base;
    const char *name; /* SQLite keeps it while the file is open */
    int flags;
    sqlite3_file *real;
};

static bool faulty_now(unsigned op)
{
    if (!(faulty.ops & op))
        return false;
    faulty.count++;
    return faulty.fail_at
           && (faulty.count == faulty.fail_at
               || (faulty.lasting && faulty.count > faulty.fail_at));
}

static sqlite3_file *faulty_real(sqlite3_file *f)
{
    return ((struct faulty_file *)f)->real;
}

#define FORWARD(method, ...)                                                           \
    faulty_real(f)->pMethods->method(faulty_real(f), __VA_ARGS__)

static int faulty_close(sqlite3_file *f)
{
    return faulty_real(f)->pMethods->xClose(faulty_real(f));
}

static int faulty_read(sqlite3_file *f, void *to, int n, sqlite3_int64 at)
{
    return FORWARD(xRead, to, n, at);
}

static int faulty_write(sqlite3_file *f, const void *from, int n, sqlite3_int64 at)
{
    if (!faulty_now(FAULTY_WRITE))
        return FORWARD(xWrite, from, n, at);
    FORWARD(xWrite, from, n / 2, at);
    return faulty.rc;
}

static int faulty_truncate(sqlite3_file *f, sqlite3_int64 size)
{
    return faulty_now(FAULTY_TRUNCATE) ? faulty.rc : FORWARD(xTruncate, size);
}

/* What is in the file now is on the disk now. */
static void faulty_keep(const struct faulty_file *f)
{
    char name[256], block[4096];
    size_t n;
    FILE *from = fopen(f->name, "rb"), *to;

    snprintf(name, sizeof name, "%s.disk", f->name);
    to = fopen(name, "wb");
    while (from && to && (n = fread(block, 1, sizeof block, from)) > 0)
        fwrite(block, 1, n, to);
    if (from)
        fclose(from);
    if (to)
        fclose(to);
}

static int faulty_sync(sqlite3_file *f, int flags)
{
    const struct faulty_file *file = (struct faulty_file *)f;
    int rc;

    if (faulty_now(FAULTY_SYNC))
        return faulty.rc;
    rc = FORWARD(xSync, flags);
    if (faulty.keep && (file->flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)))
        faulty_keep(file);
    return rc;
}

static int faulty_size(sqlite3_file *f, sqlite3_int64 *size)
{
    return FORWARD(xFileSize, size);
}

static int faulty_lock(sqlite3_file *f, int level)
{
    return FORWARD(xLock, level);
}

static int faulty_unlock(sqlite3_file *f, int level)
{
    return FORWARD(xUnlock, level);
}

static int faulty_reserved(sqlite3_file *f, int *is)
{
    return FORWARD(xCheckReservedLock, is);
}

static int faulty_control(sqlite3_file *f, int op, void *arg)
{
    return FORWARD(xFileControl, op, arg);
}

static int faulty_sector(sqlite3_file *f)
{
    return faulty_real(f)->pMethods->xSectorSize(faulty_real(f));
}

static int faulty_device(sqlite3_file *f)
{
    return faulty_real(f)->pMethods->xDeviceCharacteristics(faulty_real(f));
}

static int faulty_shm_map(
    sqlite3_file *f, int page, int size, int extend, void volatile **to)
{
    return FORWARD(xShmMap, page, size, extend, to);
}

static int faulty_shm_lock(sqlite3_file *f, int at, int n, int flags)
{
    return FORWARD(xShmLock, at, n, flags);
}

static void faulty_shm_barrier(sqlite3_file *f)
{
    faulty_real(f)->pMethods->xShmBarrier(faulty_real(f));
}

static int faulty_shm_unmap(sqlite3_file *f, int remove)
{
    return FORWARD(xShmUnmap, remove);
}

static int faulty_open(
    sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *f, int flags, int *out)
{
    struct faulty_file *file = (struct faulty_file *)f;
    int rc;

    (void)vfs;
    file->base.pMethods = NULL;
    file->name = name;
    file->flags = flags;
    file->real = (sqlite3_file *)(file + 1);
    rc = faulty.real->xOpen(faulty.real, name, file->real, flags, out);
    if (rc == SQLITE_OK)
        file->base.pMethods = &faulty.methods;
    return rc;
}

static int faulty_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    (void)vfs;
    return faulty_now(FAULTY_DELETE) ? SQLITE_IOERR_DELETE
                                     : faulty.real->xDelete(faulty.real, name, sync);
}

/* From now on SQLite uses this disk; as yet it does not fail. */
static void faulty_install(void)
{
    faulty.real = sqlite3_vfs_find(NULL);
    faulty.vfs = *faulty.real;
    faulty.vfs.zName = "faulty";
    faulty.vfs.szOsFile = (int)sizeof(struct faulty_file) + faulty.real->szOsFile;
    faulty.vfs.xOpen = faulty_open;
    faulty.vfs.xDelete = faulty_delete;
    faulty.methods = (sqlite3_io_methods){.iVersion = 2,
        .xClose = faulty_close,
        .xRead = faulty_read,
        .xWrite = faulty_write,
        .xTruncate = faulty_truncate,
        .xSync = faulty_sync,
        .xFileSize = faulty_size,
        .xLock = faulty_lock,
        .xUnlock = faulty_unlock,
        .xCheckReservedLock = faulty_reserved,
        .xFileControl = faulty_control,
        .xSectorSize = faulty_sector,
        .xDeviceCharacteristics = faulty_device,
        .xShmMap = faulty_shm_map,
        .xShmLock = faulty_shm_lock,
        .xShmBarrier = faulty_shm_barrier,
        .xShmUnmap = faulty_shm_unmap};
    sqlite3_vfs_register(&faulty.vfs, 1);
}

/* The n-th operation of the kinds `ops` from now on fails with `rc`. */
static void faulty_break(unsigned ops, long n, bool lasting, int rc)
{
    faulty.ops = ops;
    faulty.count = 0;
    faulty.fail_at = n;
    faulty.lasting = lasting;
    faulty.rc = rc;
}

static void faulty_mend(void)
{
    faulty.fail_at = 0;
}

#endif
