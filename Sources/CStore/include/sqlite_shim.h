// SPDX-License-Identifier: Apache-2.0
//
// SQLite's variadic calls and casts, which Swift cannot make.

#ifndef CSTORE_SQLITE_SHIM_H
#define CSTORE_SQLITE_SHIM_H

#include <sqlite3.h>

static inline int art_db_config(sqlite3 *db, int option, int value) {
  return sqlite3_db_config(db, option, value, (int *)0);
}

// sqlite3_column_text and sqlite3_bind_text want SQLITE_TRANSIENT, a cast that Swift does not import.
static inline int art_bind_text(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int art_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// The caller keeps the bytes until the statement has run. An empty buffer is an empty blob, not NULL.
static inline int art_lend_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_STATIC);
}

// Extended codes are macros that Swift does not import.
enum { ART_IOERR_SHORT_READ = SQLITE_IOERR_SHORT_READ };

#endif
