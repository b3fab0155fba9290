// SPDX-License-Identifier: Apache-2.0
//
// The file layer that SQLite uses for documents. It lies over SQLite's own "unix" layer, whose locks and synchronisation it
// keeps, and adds what SQLite does not promise about a file that strangers can write beside:
//
//   - A connection opens, deletes and asks for nothing but its document and the document's own `-journal`. The name of a
//     super-journal, which any journal may carry, leads nowhere.
//   - A rollback journal that lies there is never played back into a document. `HotJournal` judges it on copies first.
//   - The journal of a save is a new file: what already lies at that name is not overwritten, and no link is followed.
//   - A save writes nothing into a file that another program has copied over meanwhile.
//   - A save takes no page from a free list that was not verified.
//   - The header of a file says from the first page of a save that is written until the last one that it is under way.
//   - No descriptor of a document is closed while SQLite holds locks on it: POSIX drops them with any descriptor.
#ifndef EMOJIART_CSTORE_VFS_H
#define EMOJIART_CSTORE_VFS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/// The name of the layer for documents.
const char *document_vfs(void);

/// The name of the layer for private copies: journals are played back and WAL files opened there. Only the copy's own.
const char *document_vfs_for_copies(void);

// A document that is read or written without a connection.

typedef struct document_handle document_handle;

/// Opens a document. NULL where that fails; then `code` is SQLite's code and `system` the system's error number.
document_handle *document_open(const char *path, bool writable, int *code, int *system);
void document_close(document_handle *handle);

/// SQLITE_IOERR_SHORT_READ when the file ends before; the rest of the buffer is zero then.
int document_read(document_handle *handle, void *buffer, int count, sqlite3_int64 offset);
int document_write(document_handle *handle, const void *buffer, int count, sqlite3_int64 offset);
int document_truncate(document_handle *handle, sqlite3_int64 size);
int document_size(document_handle *handle, sqlite3_int64 *size);
int document_sync(document_handle *handle);

/// Level: SQLITE_LOCK_NONE, _SHARED, _RESERVED, _EXCLUSIVE.
int document_lock(document_handle *handle, int level);
int document_unlock(document_handle *handle, int level);
int document_is_reserved(document_handle *handle, int *reserved);

/// Whether the opened file is no longer the one at its path.
bool document_has_moved(document_handle *handle);

// The file of a connection.

int connection_read(sqlite3 *db, void *buffer, int count, sqlite3_int64 offset);
int connection_size(sqlite3 *db, sqlite3_int64 *size);
bool connection_has_moved(sqlite3 *db);

/// Whether the file is in the middle of a save that was cut short, as its header says, or was written by a program that knows nothing
/// of that. True where it cannot be read.
bool connection_is_half_saved(sqlite3 *db);

/// Whether SQLite wanted to play back a journal, which was refused.
bool connection_met_journal(sqlite3 *db);

/// Verifies the structure of a file before its free list is used; false when it does not hold. The bytes of the file are those
/// of the last commit.
typedef bool (*document_verify)(void *context);

/// Guards a save: the file is locked for writing and not written to yet. `verify` is called at most once, when SQLite first
/// reads the free list. False where the file cannot be examined.
bool connection_guard(sqlite3 *db, document_verify verify, void *context);

/// Whether another program has copied a file over the guarded one, so that nothing of the save was or will be written.
bool connection_is_copied_over(sqlite3 *db);

// Descriptors that SQLite does not know.

/// Closes a descriptor of a file that may be a document: now, or with the last handle that SQLite has on the same file.
void document_close_descriptor(int descriptor);

// What a path says of a file.

/// Whether something is mounted at a file itself, so that it has another name elsewhere. False where the system cannot tell.
bool file_is_mounted(const char *path, const char *folder);

#endif
