// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "vfs.h"

#include <CArtSystem.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// The identity of a file.
typedef struct identity {
  dev_t device;
  ino_t inode;
  bool is_known;
} identity;

/// An open database of this layer, followed by SQLite's own file. `next` links all open ones.
typedef struct document_file {
  sqlite3_file base;
  struct document_file *next;
  identity identity;
  /// SQLite's descriptor of the file; -1 where it is not known.
  int descriptor;
  const char *path;
  /// The first page of the free list when SQLite last read page 1; 0 for an empty list.
  uint32_t trunk;
  uint32_t page_size;
  bool met_journal;
  /// The state of a guarded save follows.
  bool is_guarded;
  bool is_writing;
  bool is_foreign;
  /// The header is marked: a save is in progress.
  bool is_marked;
  bool is_verified;
  bool is_refused;
  struct stat before;
  document_verify verify;
  void *context;
  /// SQLite's own file, of the size that its layer requires. SQLite aligns files to 8 bytes only.
  _Alignas(8) unsigned char real[];
} document_file;

_Static_assert(_Alignof(document_file) <= 8, "SQLite aligns files to 8 bytes");

static sqlite3_file *real_file(sqlite3_file *file) { return (sqlite3_file *)((document_file *)file)->real; }
static const sqlite3_io_methods *real_methods(sqlite3_file *file) { return real_file(file)->pMethods; }

// MARK: Open files, and descriptors that wait for them

/// A descriptor to be closed with the last handle of its file, or being closed now.
typedef struct closing {
  struct closing *next;
  identity identity;
  int descriptor;
} closing;

static pthread_mutex_t registry = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t closed = PTHREAD_COND_INITIALIZER;
static document_file *open_files;
static closing *waiting_descriptors;
static closing *closing_descriptors;

/// A file of unknown identity may be any file.
static bool may_be_same(identity left, identity right) {
  return !left.is_known || !right.is_known || (left.device == right.device && left.inode == right.inode);
}

static bool is_open(identity identity) {
  for (document_file *file = open_files; file; file = file->next)
    if (may_be_same(file->identity, identity)) return true;
  return false;
}

static bool is_closing(identity identity) {
  for (closing *entry = closing_descriptors; entry; entry = entry->next)
    if (may_be_same(entry->identity, identity)) return true;
  return false;
}

/// No descriptor of the file is closed after this. Those being closed now had no lock to lose.
static void add_open_file(document_file *file) {
  pthread_mutex_lock(&registry);
  while (is_closing(file->identity)) pthread_cond_wait(&closed, &registry);
  file->next = open_files;
  open_files = file;
  pthread_mutex_unlock(&registry);
}

/// Removes an entry from a list.
static void unlink_entry(closing **list, closing *entry) {
  for (closing **link = list; *link; link = &(*link)->next) {
    if (*link != entry) continue;
    *link = entry->next;
    return;
  }
}

/// Closes the descriptor of an entry in `closing_descriptors`, without the mutex: a file system may be slow.
static void close_entry(closing *entry) {
  close(entry->descriptor);
  pthread_mutex_lock(&registry);
  unlink_entry(&closing_descriptors, entry);
  pthread_cond_broadcast(&closed);
  pthread_mutex_unlock(&registry);
  free(entry);
}

/// Moves a descriptor whose file is no longer open to `closing_descriptors`; NULL where there is none.
static closing *next_ready(void) {
  pthread_mutex_lock(&registry);
  closing *entry = waiting_descriptors;
  while (entry && is_open(entry->identity)) entry = entry->next;
  if (entry) {
    unlink_entry(&waiting_descriptors, entry);
    entry->next = closing_descriptors;
    closing_descriptors = entry;
  }
  pthread_mutex_unlock(&registry);
  return entry;
}

static void remove_open_file(document_file *file) {
  pthread_mutex_lock(&registry);
  for (document_file **link = &open_files; *link; link = &(*link)->next) {
    if (*link != file) continue;
    *link = file->next;
    break;
  }
  pthread_mutex_unlock(&registry);
  for (closing *entry = next_ready(); entry; entry = next_ready()) close_entry(entry);
}

void document_close_descriptor(int descriptor) {
  struct stat status;
  closing *entry = calloc(1, sizeof *entry);
  bool is_known = fstat(descriptor, &status) == 0;
  if (!entry) {
    // Without memory for an entry, the descriptor stays open rather than drop a lock.
    pthread_mutex_lock(&registry);
    bool is_free = !open_files;
    pthread_mutex_unlock(&registry);
    if (is_free) close(descriptor);
    return;
  }
  entry->descriptor = descriptor;
  if (is_known) entry->identity = (identity){status.st_dev, status.st_ino, true};
  pthread_mutex_lock(&registry);
  bool must_wait = is_open(entry->identity);
  closing **list = must_wait ? &waiting_descriptors : &closing_descriptors;
  entry->next = *list;
  *list = entry;
  pthread_mutex_unlock(&registry);
  if (!must_wait) close_entry(entry);
}

// MARK: The file's methods

/// Until a guarded save has written something, checks that the file is unchanged since the save began. Programs
/// that overwrite files, such as `cp`, do not take locks. If the file was overwritten, the journal is deleted
/// before SQLite could play it back into the new content.
static void withdraw_if_copied_over(document_file *self) {
  struct stat now;
  if (!self->is_guarded || self->is_writing) return;
  // A file that was renamed or replaced is another file, and is not written to.
  if (stat(self->path, &now) != 0 || now.st_dev != self->before.st_dev || now.st_ino != self->before.st_ino) return;
  if (now.st_size == self->before.st_size && now.st_mtim.tv_sec == self->before.st_mtim.tv_sec &&
      now.st_mtim.tv_nsec == self->before.st_mtim.tv_nsec)
    return;
  self->is_foreign = true;
  const char *journal = sqlite3_filename_journal(self->path);
  if (journal) unlink(journal);
}

static bool refuses_writes(document_file *self) {
  withdraw_if_copied_over(self);
  self->is_writing = true;
  return self->is_foreign;
}

static uint32_t big_endian(const unsigned char *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/// Reads the page size and the free list from the first page: https://www.sqlite.org/fileformat.html, section
/// 1.3.
static void note_header(document_file *self, const unsigned char *bytes) {
  uint32_t size = (uint32_t)bytes[16] << 8 | bytes[17];
  self->page_size = size == 1 ? 65536 : size;
  self->trunk = big_endian(bytes + 32);
}

/// Whether SQLite may read at an offset. Every use of the free list starts with its first page.
static bool may_read(document_file *self, sqlite3_int64 offset) {
  if (!self->is_guarded || !self->trunk || !self->page_size) return true;
  if (offset != (sqlite3_int64)(self->trunk - 1) * self->page_size) return true;
  if (!self->is_verified && !self->is_refused && self->verify) {
    // Set first, because the verification reads the file, too.
    self->is_verified = true;
    self->is_refused = !self->verify(self->context);
    self->is_verified = !self->is_refused;
  }
  return !self->is_refused;
}

static int read_file(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
  document_file *self = (document_file *)file;
  if (!may_read(self, offset)) return SQLITE_CORRUPT;
  int code = real_methods(file)->xRead(real_file(file), buffer, count, offset);
  if (code == SQLITE_OK && offset == 0 && count >= 100) note_header(self, buffer);
  return code;
}

// The header contains the change counter twice: at 24, and at 92 as the counter for which the size in the
// header is valid. They differ from the first written page of a save to its last one, so that an interrupted
// save is visible without its journal. While they differ, SQLite uses the size of the file. Source:
// https://www.sqlite.org/fileformat.html, section 1.3.
enum { counter_at = 24, valid_for_at = 92, counter_size = 4 };

static void put_big_endian(unsigned char *bytes, uint32_t number) {
  for (int index = 0; index < counter_size; index++) bytes[index] = (unsigned char)(number >> (24 - 8 * index));
}

static int write_real(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset) {
  return real_methods(file)->xWrite(real_file(file), buffer, count, offset);
}

static int read_counter(sqlite3_file *file, unsigned char *bytes) {
  return real_methods(file)->xRead(real_file(file), bytes, counter_size, counter_at);
}

/// Marks the header before another page is written.
static int mark(sqlite3_file *file) {
  unsigned char bytes[counter_size];
  int code = read_counter(file, bytes);
  if (code != SQLITE_OK) return code;
  put_big_endian(bytes, big_endian(bytes) - 1);
  return write_real(file, bytes, counter_size, valid_for_at);
}

/// Writes the first page with the mark.
static int write_marked(sqlite3_file *file, const void *buffer, int count) {
  unsigned char *page = malloc((size_t)count);
  if (!page) return SQLITE_IOERR_NOMEM;
  memcpy(page, buffer, (size_t)count);
  put_big_endian(page + valid_for_at, big_endian(page + counter_at) - 1);
  int code = write_real(file, page, count, 0);
  free(page);
  return code;
}

static int unmark(sqlite3_file *file) {
  unsigned char bytes[counter_size];
  int code = read_counter(file, bytes);
  return code == SQLITE_OK ? write_real(file, bytes, counter_size, valid_for_at) : code;
}

static int write_file(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset) {
  document_file *self = (document_file *)file;
  if (!self->is_guarded) return write_real(file, buffer, count, offset);
  if (refuses_writes(self)) return SQLITE_IOERR_WRITE;
  bool was_marked = self->is_marked;
  self->is_marked = true;
  if (offset == 0 && count >= valid_for_at + counter_size) return write_marked(file, buffer, count);
  int code = was_marked ? SQLITE_OK : mark(file);
  return code == SQLITE_OK ? write_real(file, buffer, count, offset) : code;
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size) {
  document_file *self = (document_file *)file;
  if (self->is_guarded && refuses_writes(self)) return SQLITE_IOERR_TRUNCATE;
  return real_methods(file)->xTruncate(real_file(file), size);
}

static int close_file(sqlite3_file *file) {
  int code = real_methods(file)->xClose(real_file(file));
  remove_open_file((document_file *)file);
  return code;
}

/// SQLite synchronises the file after writing all pages of a save, or after restoring all of them.
static int sync_file(sqlite3_file *file, int flags) {
  document_file *self = (document_file *)file;
  int code = self->is_marked ? unmark(file) : SQLITE_OK;
  if (code != SQLITE_OK) return code;
  self->is_marked = false;
  return real_methods(file)->xSync(real_file(file), flags);
}
static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
  return real_methods(file)->xFileSize(real_file(file), size);
}
static int lock_file(sqlite3_file *file, int level) { return real_methods(file)->xLock(real_file(file), level); }
static int unlock_file(sqlite3_file *file, int level) { return real_methods(file)->xUnlock(real_file(file), level); }
static int check_reserved(sqlite3_file *file, int *result) {
  return real_methods(file)->xCheckReservedLock(real_file(file), result);
}
static int control_file(sqlite3_file *file, int operation, void *argument) {
  return real_methods(file)->xFileControl(real_file(file), operation, argument);
}
static int sector_size(sqlite3_file *file) { return real_methods(file)->xSectorSize(real_file(file)); }
static int characteristics(sqlite3_file *file) {
  return real_methods(file)->xDeviceCharacteristics(real_file(file));
}
static int map_shared(sqlite3_file *file, int region, int size, int extend, void volatile **memory) {
  return real_methods(file)->xShmMap(real_file(file), region, size, extend, memory);
}
static int lock_shared(sqlite3_file *file, int offset, int count, int flags) {
  return real_methods(file)->xShmLock(real_file(file), offset, count, flags);
}
static void barrier_shared(sqlite3_file *file) { real_methods(file)->xShmBarrier(real_file(file)); }
static int unmap_shared(sqlite3_file *file, int remove) {
  return real_methods(file)->xShmUnmap(real_file(file), remove);
}

#define METHODS(version) \
  .iVersion = version, .xClose = close_file, .xRead = read_file, .xWrite = write_file, .xTruncate = truncate_file, \
  .xSync = sync_file, .xFileSize = file_size, .xLock = lock_file, .xUnlock = unlock_file, \
  .xCheckReservedLock = check_reserved, .xFileControl = control_file, .xSectorSize = sector_size, \
  .xDeviceCharacteristics = characteristics

/// Version 1: without shared memory SQLite cannot use a WAL file, whatever the header says.
static const sqlite3_io_methods document_methods = {METHODS(1)};
static const sqlite3_io_methods copy_methods = {
    METHODS(2), .xShmMap = map_shared, .xShmLock = lock_shared, .xShmBarrier = barrier_shared,
    .xShmUnmap = unmap_shared};

// MARK: The layer's methods

static sqlite3_vfs document_layer;
static sqlite3_vfs copy_layer;

static sqlite3_vfs *real_layer(sqlite3_vfs *layer) { return layer->pAppData; }
static bool is_for_copies(sqlite3_vfs *layer) { return layer == &copy_layer; }

/// Whether a path is that of an open file of this layer plus one of these suffixes.
static bool belongs_to_open_file(const char *path, const char *const endings[]) {
  bool found = false;
  pthread_mutex_lock(&registry);
  for (document_file *file = open_files; file && !found; file = file->next) {
    size_t length = strlen(file->path);
    if (strncmp(path, file->path, length) != 0) continue;
    for (const char *const *ending = endings; *ending && !found; ending++)
      found = strcmp(path + length, *ending) == 0;
  }
  pthread_mutex_unlock(&registry);
  return found;
}

static const char *const own_endings[] = {"", "-journal", NULL};
static const char *const copy_endings[] = {"", "-journal", "-wal", "-shm", NULL};

static bool is_own(sqlite3_vfs *layer, const char *path) {
  return belongs_to_open_file(path, is_for_copies(layer) ? copy_endings : own_endings);
}

/// Records that SQLite tried to open a journal.
static void note_journal(const char *journal) {
  const size_t ending = strlen("-journal");
  size_t length = strlen(journal);
  if (length < ending) return;
  pthread_mutex_lock(&registry);
  for (document_file *file = open_files; file; file = file->next)
    if (strlen(file->path) == length - ending && strncmp(file->path, journal, length - ending) == 0)
      file->met_journal = true;
  pthread_mutex_unlock(&registry);
}

/// The descriptor that SQLite's layer has looked at last: when it has opened a database, that of the file.
static _Thread_local int examined = -1;

static int examine(int descriptor, struct stat *status) {
  examined = descriptor;
  return fstat(descriptor, status);
}

static int open_database(sqlite3_vfs *layer, sqlite3_filename path, sqlite3_file *file, int flags, int *got) {
  document_file *self = (document_file *)file;
  memset(self, 0, sizeof *self);
  sqlite3_vfs *real = real_layer(layer);
  memset(self->real, 0, (size_t)real->szOsFile);
  examined = -1;
  int code = real->xOpen(real, path, (sqlite3_file *)self->real, flags, got);
  if (code != SQLITE_OK) {
    const sqlite3_io_methods *methods = real_methods(file);
    int number = errno;
    if (methods) methods->xClose(real_file(file));
    errno = number;
    return code;
  }
  self->path = path;
  self->descriptor = examined;
  struct stat status;
  if (fstat(self->descriptor, &status) == 0) self->identity = (identity){status.st_dev, status.st_ino, true};
  add_open_file(self);
  file->pMethods = is_for_copies(layer) ? &copy_methods : &document_methods;
  return SQLITE_OK;
}

/// SQLite's layer opens a file that it cannot create for reading, and SQLite would delete that file after the
/// save.
static int create_journal(sqlite3_vfs *real, sqlite3_filename path, sqlite3_file *file, int flags, int *got) {
  int opened = 0;
  int code = real->xOpen(real, path, file, flags | SQLITE_OPEN_EXCLUSIVE, &opened);
  if (got) *got = opened;
  if (code != SQLITE_OK || opened & SQLITE_OPEN_READWRITE) return code;
  file->pMethods->xClose(file);
  file->pMethods = NULL;
  return SQLITE_CANTOPEN;
}

static int open_file(sqlite3_vfs *layer, sqlite3_filename path, sqlite3_file *file, int flags, int *got) {
  file->pMethods = NULL;
  if (path && flags & SQLITE_OPEN_MAIN_DB) return open_database(layer, path, file, flags, got);
  sqlite3_vfs *real = real_layer(layer);
  // A file without a name is a temporary one of SQLite.
  if (!path) return real->xOpen(real, path, file, flags, got);
  if (!is_own(layer, path)) return SQLITE_CANTOPEN;
  if (is_for_copies(layer)) return real->xOpen(real, path, file, flags, got);
  if (!(flags & SQLITE_OPEN_MAIN_JOURNAL)) return SQLITE_CANTOPEN;
  if (flags & SQLITE_OPEN_CREATE) return create_journal(real, path, file, flags, got);
  if (flags & SQLITE_OPEN_READONLY) return real->xOpen(real, path, file, flags, got);
  // Opened to be played back.
  note_journal(path);
  return SQLITE_CANTOPEN;
}

/// Opens the folder of a path; -1 with `errno` for an error.
static int open_folder_of(const char *path, int flags) {
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : NULL;
  if (!folder) {
    errno = slash ? ENOMEM : ENOENT;
    return -1;
  }
  int descriptor = csystem_open_plain(folder, flags | O_DIRECTORY | O_CLOEXEC, 0);
  free(folder);
  return descriptor;
}

/// Like SQLite's own layer, does not fail for a folder that cannot be opened.
static int sync_folder_of(const char *path) {
  int descriptor = open_folder_of(path, O_RDONLY);
  if (descriptor < 0) return SQLITE_OK;
  int result = fsync(descriptor);
  close(descriptor);
  return result < 0 ? SQLITE_IOERR_DIR_FSYNC : SQLITE_OK;
}

static int delete_file(sqlite3_vfs *layer, const char *path, int sync_folder) {
  if (!is_own(layer, path)) return SQLITE_IOERR_DELETE;
  int code = real_layer(layer)->xDelete(real_layer(layer), path, sync_folder);
  // Who edits another file that has come to the path removes a journal that this one does not need. All pages of the own file are written by
  // now, but the journal may come back after a power cut.
  if (code != SQLITE_IOERR_DELETE_NOENT) return code;
  return sync_folder ? sync_folder_of(path) : SQLITE_OK;
}

static int access_file(sqlite3_vfs *layer, const char *path, int flags, int *result) {
  *result = 0;
  if (!is_own(layer, path)) return SQLITE_OK;
  return real_layer(layer)->xAccess(real_layer(layer), path, flags, result);
}

static int full_path(sqlite3_vfs *layer, const char *path, int room, char *result) {
  return real_layer(layer)->xFullPathname(real_layer(layer), path, room, result);
}
static int randomness(sqlite3_vfs *layer, int count, char *bytes) {
  return real_layer(layer)->xRandomness(real_layer(layer), count, bytes);
}
static int sleep_for(sqlite3_vfs *layer, int microseconds) {
  return real_layer(layer)->xSleep(real_layer(layer), microseconds);
}
static int current_time(sqlite3_vfs *layer, double *time) {
  return real_layer(layer)->xCurrentTime(real_layer(layer), time);
}
static int last_error(sqlite3_vfs *layer, int room, char *text) {
  return real_layer(layer)->xGetLastError(real_layer(layer), room, text);
}
static int current_time_64(sqlite3_vfs *layer, sqlite3_int64 *time) {
  return real_layer(layer)->xCurrentTimeInt64(real_layer(layer), time);
}

static void make_layer(sqlite3_vfs *layer, const char *name, sqlite3_vfs *real) {
  *layer = (sqlite3_vfs){
      .iVersion = 2,
      .szOsFile = (int)(sizeof(document_file) + (size_t)real->szOsFile),
      .mxPathname = real->mxPathname,
      .zName = name,
      .pAppData = real,
      .xOpen = open_file,
      .xDelete = delete_file,
      .xAccess = access_file,
      .xFullPathname = full_path,
      .xRandomness = randomness,
      .xSleep = sleep_for,
      .xCurrentTime = current_time,
      .xGetLastError = last_error,
      .xCurrentTimeInt64 = current_time_64,
  };
  sqlite3_vfs_register(layer, 0);
}

/// Whether a file is a temporary one of SQLite's: its name is `etilqs_` and hexadecimal digits, which no document and no journal of one has.
static bool is_temporary(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  const char prefix[] = "etilqs_";
  if (strncmp(name, prefix, sizeof prefix - 1) != 0) return false;
  name += sizeof prefix - 1;
  return *name != 0 && name[strspn(name, "0123456789abcdef")] == 0;
}

/// SQLite is given paths without links: one that is on the way now was put there meanwhile, and so was a pipe, for which nothing waits. Its own
/// temporary files may be anywhere.
static int open_plain(const char *path, int flags, int mode) {
  if (is_temporary(path)) return open(path, flags, mode);
  return csystem_open_plain(path, flags | O_NONBLOCK, (mode_t)mode);
}

static int unlink_plain(const char *path) {
  const char *slash = strrchr(path, '/');
  if (!slash || slash == path || is_temporary(path)) return unlink(path);
  int descriptor = open_folder_of(path, O_PATH);
  if (descriptor < 0) return -1;
  int result = unlinkat(descriptor, slash + 1, 0);
  int number = errno;
  close(descriptor);
  errno = number;
  return result;
}

static void make_layers(void) {
  sqlite3_vfs *real = sqlite3_vfs_find("unix");
  if (!real) return;
  real->xSetSystemCall(real, "open", (sqlite3_syscall_ptr)open_plain);
  real->xSetSystemCall(real, "unlink", (sqlite3_syscall_ptr)unlink_plain);
  real->xSetSystemCall(real, "fstat", (sqlite3_syscall_ptr)examine);
  make_layer(&document_layer, "emojiart", real);
  make_layer(&copy_layer, "emojiart-copy", real);
}

static void make_layers_once(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_layers);
}

const char *document_vfs(void) {
  make_layers_once();
  return "emojiart";
}

const char *document_vfs_for_copies(void) {
  make_layers_once();
  return "emojiart-copy";
}

// MARK: A document without a connection

struct document_handle {
  char *path;
  sqlite3_file *file;
};

void document_close(document_handle *handle) {
  if (!handle) return;
  if (handle->file && handle->file->pMethods) handle->file->pMethods->xClose(handle->file);
  free(handle->file);
  if (handle->path) sqlite3_free_filename(handle->path);
  free(handle);
}

document_handle *document_open(const char *path, bool writable, int *code, int *system) {
  *system = 0;
  *code = SQLITE_NOMEM;
  sqlite3_vfs *layer = sqlite3_vfs_find(document_vfs());
  document_handle *self = calloc(1, sizeof *self);
  if (!layer || !self) {
    free(self);
    return NULL;
  }
  self->path = (char *)sqlite3_create_filename(path, "", "", 0, NULL);
  self->file = calloc(1, (size_t)layer->szOsFile);
  if (!self->path || !self->file) {
    document_close(self);
    return NULL;
  }
  int flags = SQLITE_OPEN_MAIN_DB | (writable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY);
  int got = 0;
  errno = 0;
  *code = layer->xOpen(layer, self->path, self->file, flags, &got);
  *system = *code == SQLITE_OK ? 0 : errno;
  if (*code == SQLITE_OK && writable && !(got & SQLITE_OPEN_READWRITE)) *code = SQLITE_READONLY;
  if (*code == SQLITE_OK) return self;
  document_close(self);
  return NULL;
}

int document_read(document_handle *handle, void *buffer, int count, sqlite3_int64 offset) {
  return read_file(handle->file, buffer, count, offset);
}
int document_write(document_handle *handle, const void *buffer, int count, sqlite3_int64 offset) {
  return write_file(handle->file, buffer, count, offset);
}
int document_truncate(document_handle *handle, sqlite3_int64 size) { return truncate_file(handle->file, size); }
int document_size(document_handle *handle, sqlite3_int64 *size) { return file_size(handle->file, size); }
int document_sync(document_handle *handle) { return sync_file(handle->file, SQLITE_SYNC_FULL); }
int document_lock(document_handle *handle, int level) { return lock_file(handle->file, level); }
int document_unlock(document_handle *handle, int level) { return unlock_file(handle->file, level); }
int document_is_reserved(document_handle *handle, int *reserved) { return check_reserved(handle->file, reserved); }

static bool has_moved(sqlite3_file *file) {
  int moved = 0;
  return control_file(file, SQLITE_FCNTL_HAS_MOVED, &moved) != SQLITE_OK || moved;
}

int document_descriptor(document_handle *handle) { return ((document_file *)handle->file)->descriptor; }

bool document_has_moved(document_handle *handle) { return has_moved(handle->file); }

// MARK: A connection's file

/// The file of a connection: of this layer or, for a database in memory, of SQLite; NULL where there is none.
static sqlite3_file *any_file(sqlite3 *db) {
  sqlite3_file *file = NULL;
  if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return NULL;
  return file && file->pMethods ? file : NULL;
}

/// NULL for a database in memory.
static document_file *connection_file(sqlite3 *db) {
  sqlite3_file *file = any_file(db);
  bool is_ours = file && (file->pMethods == &document_methods || file->pMethods == &copy_methods);
  return is_ours ? (document_file *)file : NULL;
}

int connection_read(sqlite3 *db, void *buffer, int count, sqlite3_int64 offset) {
  document_file *ours = connection_file(db);
  // The verification of the free list bypasses the guard.
  sqlite3_file *file = ours ? real_file(&ours->base) : any_file(db);
  return file ? file->pMethods->xRead(file, buffer, count, offset) : SQLITE_CANTOPEN;
}

int connection_size(sqlite3 *db, sqlite3_int64 *size) {
  sqlite3_file *file = any_file(db);
  return file ? file->pMethods->xFileSize(file, size) : SQLITE_CANTOPEN;
}

int connection_descriptor(sqlite3 *db) {
  document_file *file = connection_file(db);
  return file ? file->descriptor : -1;
}

bool connection_is_half_saved(sqlite3 *db) {
  document_file *file = connection_file(db);
  unsigned char counter[counter_size], valid_for[counter_size];
  if (!file || read_counter(&file->base, counter) != SQLITE_OK) return true;
  const sqlite3_io_methods *methods = real_methods(&file->base);
  if (methods->xRead(real_file(&file->base), valid_for, counter_size, valid_for_at) != SQLITE_OK) return true;
  return memcmp(counter, valid_for, counter_size) != 0;
}

bool connection_has_moved(sqlite3 *db) {
  document_file *file = connection_file(db);
  return !file || has_moved(&file->base);
}

bool connection_met_journal(sqlite3 *db) {
  document_file *file = connection_file(db);
  return file && file->met_journal;
}

bool connection_guard(sqlite3 *db, document_verify verify, void *context) {
  document_file *file = connection_file(db);
  if (!file || stat(file->path, &file->before) != 0) return false;
  file->verify = verify;
  file->context = context;
  file->is_guarded = true;
  return true;
}

bool connection_is_copied_over(sqlite3 *db) {
  document_file *file = connection_file(db);
  if (file) withdraw_if_copied_over(file);
  return file && file->is_foreign;
}

// MARK: Mounts

/// The ID of the mount that contains a path. Available since Linux 5.8; the field is newer than some C
/// libraries.
static bool mount_of(const char *path, uint64_t *mount) {
  struct statx status;
  memset(&status, 0, sizeof status);
  if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_MNT_ID, &status) != 0) return false;
  *mount = status.stx_mnt_id;
  return status.stx_mask & STATX_MNT_ID;
}

bool file_is_mounted(const char *path, const char *folder) {
  uint64_t own = 0, above = 0;
  return mount_of(path, &own) && mount_of(folder, &above) && own != above;
}
