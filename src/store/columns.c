/* SPDX-License-Identifier: Apache-2.0
 * Rows as structures. */
#include "store/columns.h"

#include "store/private.h"

void columns_names(const struct columns *c, struct strbuf *sql)
{
    for (int i = 0; i < c->n; i++)
        strbuf_printf(sql, "%s\"%s\"", i ? ", " : "", c->v[i].name);
}

void columns_marks(const struct columns *c, struct strbuf *sql)
{
    for (int i = 0; i < c->n; i++)
        strbuf_add(sql, i ? ", ?" : "?");
}

void columns_excluded(const struct columns *c, struct strbuf *sql)
{
    for (int i = 0; i < c->n; i++)
        strbuf_printf(sql, "%s\"%s\" = excluded.\"%s\"", i ? ", " : "", c->v[i].name,
            c->v[i].name);
}

void columns_bind(const struct columns *c, sqlite3_stmt *stmt, const void *row)
{
    for (int i = 0; i < c->n; i++) {
        const char *field = (const char *)row + c->v[i].at;

        switch (c->v[i].type) {
        case COL_TEXT:
            sql_text(stmt, i + 1, *(const char *const *)field);
            break;
        case COL_INT:
            sqlite3_bind_int64(stmt, i + 1, *(const int64_t *)field);
            break;
        case COL_REAL:
            sqlite3_bind_double(stmt, i + 1, *(const double *)field);
            break;
        case COL_BOOL:
            sqlite3_bind_int(stmt, i + 1, *(const bool *)field);
            break;
        }
    }
}

void columns_read(const struct columns *c, sqlite3_stmt *stmt, void *row)
{
    for (int i = 0; i < c->n; i++) {
        char *field = (char *)row + c->v[i].at;

        switch (c->v[i].type) {
        case COL_TEXT:
            *(const char **)field = sql_column(stmt, i);
            break;
        case COL_INT:
            *(int64_t *)field = sqlite3_column_int64(stmt, i);
            break;
        case COL_REAL:
            *(double *)field = sqlite3_column_double(stmt, i);
            break;
        case COL_BOOL:
            *(bool *)field = sqlite3_column_int(stmt, i) != 0;
            break;
        }
    }
}
