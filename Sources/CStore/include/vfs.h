// SPDX-License-Identifier: Apache-2.0
//
// SQLite's file layer (VFS) for documents. It wraps SQLite's own "unix" layer, keeps its locks and
// synchronisation, and adds guarantees for files that other programs may write to:
//
//   - A connection opens and deletes only its document and the document's own `-journal`. The name of a
//     super-journal, which any journal may contain, is ignored.
//   - An existing rollback journal is never played back into a document. `HotJournal` examines copies of it first.
//   - The journal of a save is a new file: an existing file is not overwritten, and links are not followed.
//   - A save writes nothing to a file that another program has overwritten meanwhile.
//   - A save uses no page of a free list that was not verified.
//   - The header of a file shows that a save is in progress, from its first written page to its last one.
//   - No descriptor of a document is closed while SQLite holds locks on it: POSIX drops them with any descriptor.
#ifndef EMOJIART_CSTORE_VFS_H
#define EMOJIART_CSTORE_VFS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/// The name of the layer for documents.
const char *document_vfs(void);

/// The name of the layer for private copies, where journals are played back and WAL files are opened; only the
/// copy's own.
const char *document_vfs_for_copies(void);

// Documents that are read or written without a connection.

typedef struct document_handle document_handle;

/// Opens a document. Returns NULL on failure; `code` is then SQLite's code and `system` the system's error
/// number.
document_handle *document_open(const char *path, bool writable, int *code, int *system);
void document_close(document_handle *handle);

/// SQLITE_IOERR_SHORT_READ at the end of the file; the rest of the buffer is then zero.
int document_read(document_handle *handle, void *buffer, int count, sqlite3_int64 offset);
int document_write(document_handle *handle, const void *buffer, int count, sqlite3_int64 offset);
int document_truncate(document_handle *handle, sqlite3_int64 size);
int document_size(document_handle *handle, sqlite3_int64 *size);
int document_sync(document_handle *handle);

/// Level: SQLITE_LOCK_NONE, _SHARED, _RESERVED, _EXCLUSIVE.
int document_lock(document_handle *handle, int level);
int document_unlock(document_handle *handle, int level);
int document_is_reserved(document_handle *handle, int *reserved);

/// SQLite's own descriptor of the file, only to look at: closing it is SQLite's. -1 where it is not known.
int document_descriptor(document_handle *handle);

/// Whether the opened file is no longer the one at its path.
bool document_has_moved(document_handle *handle);

// The file of a connection.

int connection_read(sqlite3 *db, void *buffer, int count, sqlite3_int64 offset);
int connection_size(sqlite3 *db, sqlite3_int64 *size);
bool connection_has_moved(sqlite3 *db);

/// As `document_descriptor`.
int connection_descriptor(sqlite3 *db);

/// Whether the header shows an interrupted save, or a writer that does not know this mark. True where it cannot
/// be read.
bool connection_is_half_saved(sqlite3 *db);

/// Whether SQLite tried to play back a journal, which was refused.
bool connection_met_journal(sqlite3 *db);

/// Verifies the structure of a file before its free list is used; returns false for an invalid one. The file's
/// content is that of the last commit.
typedef bool (*document_verify)(void *context);

/// Guards a save, when the file is locked for writing and not written to yet. `verify` is called at most once,
/// when SQLite first reads the free list. False where the file cannot be examined.
bool connection_guard(sqlite3 *db, document_verify verify, void *context);

/// Whether another program has overwritten the guarded file, so that the save has written nothing and will not.
bool connection_is_copied_over(sqlite3 *db);

// Descriptors unknown to SQLite.

/// Closes a descriptor of a file that may be a document: at once, or when SQLite closes its last handle of that
/// file.
void document_close_descriptor(int descriptor);

// Mounts.

/// Whether a file itself is a mount point, so that it has another path elsewhere. False where the system cannot
/// tell.
bool file_is_mounted(const char *path, const char *folder);

#endif
