/* SPDX-License-Identifier: Apache-2.0
 * A row of a table as a structure: the list of its columns makes the statements, binds
 * and reads. */
#ifndef MAUI_STORE_COLUMNS_H
#define MAUI_STORE_COLUMNS_H

#include "base/strbuf.h"

#include <sqlite3.h>
#include <stddef.h>

enum column_type { COL_TEXT, COL_INT, COL_REAL, COL_BOOL };

struct column {
    const char *name;
    enum column_type type; /* const char *, int64_t, double, bool */
    size_t at;             /* offset of the field in the structure */
};

#define COLUMN_OF(row, field, type)                                                    \
    {                                                                                  \
#field, type, offsetof(row, field)                                             \
    }

struct columns {
    const struct column *v;
    int n;
};

/* Pieces of statements: "a", "b"; then ?, ?; then "a" = excluded."a", "b" = .. */
void columns_names(const struct columns *c, struct strbuf *sql);
void columns_marks(const struct columns *c, struct strbuf *sql);
void columns_excluded(const struct columns *c, struct strbuf *sql);

/* The row becomes the parameters from 1 on; its texts must live until the statement has
 * run. */
void columns_bind(const struct columns *c, sqlite3_stmt *stmt, const void *row);

/* The results from the first on become the row, with texts that live until the next
 * step. */
void columns_read(const struct columns *c, sqlite3_stmt *stmt, void *row);

#endif
