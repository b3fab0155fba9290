// SPDX-License-Identifier: Apache-2.0
//
// SQLite's variadic calls, which Swift cannot make, and its file layer, whose methods are function
// pointers in structures that end with the file itself.

#ifndef EMOJIART_CSQLITE_SHIM_H
#define EMOJIART_CSQLITE_SHIM_H

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

// The bytes stay the caller's, who keeps them until the statement has run. No bytes are an empty blob, not NULL.
static inline int art_lend_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_STATIC);
}

// 1 when the file behind the connection is no longer the one at its path.
static inline int art_has_moved(sqlite3 *db) {
  int moved = 0;
  int code = sqlite3_file_control(db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return code == SQLITE_OK && !moved ? 0 : 1;
}

// Extended codes are macros that Swift does not import.
enum { ART_IOERR_SHORT_READ = SQLITE_IOERR_SHORT_READ };

// A document opened through SQLite's own file layer. POSIX locks are dropped when any descriptor of the
// file is closed by the process that holds them; SQLite keeps count of its descriptors and defers such a
// close, a plain open and close does not. So every byte of a document that is read by hand is read so.
typedef struct art_file {
  char *name;
  sqlite3_file *file;
} art_file;

static inline void art_file_close(art_file *self) {
  if (!self) return;
  if (self->file) {
    if (self->file->pMethods) self->file->pMethods->xClose(self->file);
    free(self->file);
  }
  if (self->name) sqlite3_free_filename(self->name);
  free(self);
}

// The system's error number goes with the code when the open fails.
static inline art_file *art_file_open(const char *path, int writable, int *code, int *system) {
  *system = 0;
  sqlite3_vfs *vfs = sqlite3_vfs_find((const char *)0);
  art_file *self = calloc(1, sizeof *self);
  if (!vfs || !self) { free(self); *code = SQLITE_NOMEM; return (art_file *)0; }
  self->name = (char *)sqlite3_create_filename(path, "", "", 0, (const char **)0);
  self->file = calloc(1, (size_t)vfs->szOsFile);
  if (!self->name || !self->file) { art_file_close(self); *code = SQLITE_NOMEM; return (art_file *)0; }
  int flags = SQLITE_OPEN_MAIN_DB | (writable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY);
  int got = 0;
  errno = 0;
  *code = vfs->xOpen(vfs, self->name, self->file, flags, &got);
  *system = *code == SQLITE_OK ? 0 : errno;
  if (*code == SQLITE_OK && writable && !(got & SQLITE_OPEN_READWRITE)) *code = SQLITE_READONLY;
  if (*code != SQLITE_OK) { art_file_close(self); return (art_file *)0; }
  return self;
}

// SQLITE_IOERR_SHORT_READ when the file ends before; the rest of the buffer is zero then.
static inline int art_file_read(art_file *self, void *buffer, int count, sqlite3_int64 offset) {
  return self->file->pMethods->xRead(self->file, buffer, count, offset);
}

static inline int art_file_size(art_file *self, sqlite3_int64 *size) {
  return self->file->pMethods->xFileSize(self->file, size);
}

static inline int art_file_sync(art_file *self) {
  return self->file->pMethods->xSync(self->file, SQLITE_SYNC_FULL);
}

// Level: SQLITE_LOCK_NONE, _SHARED, _RESERVED, _EXCLUSIVE.
static inline int art_file_lock(art_file *self, int level) {
  return self->file->pMethods->xLock(self->file, level);
}

static inline int art_file_unlock(art_file *self, int level) {
  return self->file->pMethods->xUnlock(self->file, level);
}

static inline int art_file_is_reserved(art_file *self, int *reserved) {
  return self->file->pMethods->xCheckReservedLock(self->file, reserved);
}

static inline int art_file_write(art_file *self, const void *buffer, int count, sqlite3_int64 offset) {
  return self->file->pMethods->xWrite(self->file, buffer, count, offset);
}

static inline int art_file_truncate(art_file *self, sqlite3_int64 size) {
  return self->file->pMethods->xTruncate(self->file, size);
}

// 1 when the opened file is no longer the one at its path.
static inline int art_file_has_moved(art_file *self) {
  int moved = 0;
  int code = self->file->pMethods->xFileControl(self->file, SQLITE_FCNTL_HAS_MOVED, &moved);
  return code == SQLITE_OK && !moved ? 0 : 1;
}

// The file layer's handle of an open connection: its bytes without a second descriptor.
static inline int art_connection_read(sqlite3 *db, void *buffer, int count, sqlite3_int64 offset) {
  sqlite3_file *file = 0;
  int code = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code != SQLITE_OK) return code;
  if (!file || !file->pMethods) return SQLITE_CANTOPEN;
  return file->pMethods->xRead(file, buffer, count, offset);
}

static inline int art_connection_size(sqlite3 *db, sqlite3_int64 *size) {
  sqlite3_file *file = 0;
  int code = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code != SQLITE_OK) return code;
  if (!file || !file->pMethods) return SQLITE_CANTOPEN;
  return file->pMethods->xFileSize(file, size);
}

// Who copies another file over a document, as cp does, asks for no lock. A guarded connection looks before the first
// page of a save is written whether the file is as it was when the save began. If not, it writes nothing more into it,
// and takes its rollback journal away before that is played back into what lies there now.
typedef struct art_guard {
  sqlite3_io_methods methods;  // First: the file's methods are the guard.
  const sqlite3_io_methods *original;
  sqlite3_file *file;
  const char *journal;
  const char *path;
  struct stat before;
  int is_writing;
  int is_foreign;
} art_guard;

// Until something of a save is written.
static inline void art_guard_look(art_guard *self) {
  struct stat now;
  if (self->is_writing) return;
  // What was renamed or replaced is another file, and not written to.
  if (stat(self->path, &now) != 0 || now.st_dev != self->before.st_dev || now.st_ino != self->before.st_ino) return;
  if (now.st_size == self->before.st_size && now.st_mtim.tv_sec == self->before.st_mtim.tv_sec &&
      now.st_mtim.tv_nsec == self->before.st_mtim.tv_nsec)
    return;
  self->is_foreign = 1;
  unlink(self->journal);
}

static inline int art_guard_refuses(sqlite3_file *file) {
  art_guard *self = (art_guard *)file->pMethods;
  art_guard_look(self);
  self->is_writing = 1;
  return self->is_foreign;
}

static inline int art_guard_write(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset) {
  if (art_guard_refuses(file)) return SQLITE_IOERR_WRITE;
  return ((art_guard *)file->pMethods)->original->xWrite(file, buffer, count, offset);
}

static inline int art_guard_truncate(sqlite3_file *file, sqlite3_int64 size) {
  if (art_guard_refuses(file)) return SQLITE_IOERR_TRUNCATE;
  return ((art_guard *)file->pMethods)->original->xTruncate(file, size);
}

// Guards the connection's file, which is locked for writing and not written to yet. Null when it cannot.
static inline art_guard *art_guard_begin(sqlite3 *db) {
  art_guard *self = calloc(1, sizeof *self);
  if (!self) return self;
  self->path = sqlite3_db_filename(db, "main");
  self->journal = self->path ? sqlite3_filename_journal(self->path) : 0;
  int code = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &self->file);
  if (code != SQLITE_OK || !self->journal || !self->file || !self->file->pMethods ||
      stat(self->path, &self->before) != 0) {
    free(self);
    return (art_guard *)0;
  }
  self->original = self->file->pMethods;
  self->methods = *self->original;
  self->methods.xWrite = art_guard_write;
  self->methods.xTruncate = art_guard_truncate;
  self->file->pMethods = &self->methods;
  return self;
}

static inline int art_guard_is_foreign(art_guard *self) {
  if (self) art_guard_look(self);
  return self && self->is_foreign;
}

// Before the connection is closed.
static inline void art_guard_end(art_guard *self) {
  if (!self) return;
  if (self->file->pMethods == &self->methods) self->file->pMethods = self->original;
  free(self);
}

#endif
