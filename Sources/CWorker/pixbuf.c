// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CPixbuf.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gdk-pixbuf/gdk-pixbuf.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// The state of one decode.
struct trial {
  struct cpixbuf_result result;
  int32_t expected_width;
  int32_t expected_height;
  // The factor by which the loader reduces the picture.
  int32_t reduction;
  // The rows that the loader reported before its data ended. On closing, some loaders fill in missing rows and
  // report them, too.
  int32_t rows;
};

// Loaders outside of the library: a part of their file name, and their entry in a module file.
static const char *const modules[][2] = {
    {"gif", "\"gif\" 4 \"gdk-pixbuf\" \"GIF\" \"LGPL\"\n\"image/gif\" \"\"\n\"gif\" \"\"\n\"GIF8\" \"\" 100\n\n"},
    {"webp", "\"webp\" 4 \"gdk-pixbuf\" \"WebP\" \"LGPL\"\n\"image/webp\" \"\"\n\"webp\" \"\"\n"
             "\"RIFFsizeWEBP\" \"    xxxx    \" 100\n\n"},
    {"avif", "\"avif\" 4 \"gdk-pixbuf\" \"AVIF\" \"BSD\"\n\"image/avif\" \"\"\n\"avif\" \"\"\n"
             "\"    ftypavif\" \"zzz         \" 100\n\n"},
};

// The names given to `cpixbuf_load`; NULL where it was not called, and all loaders are allowed.
static const char *const *wanted;
static size_t wanted_count;

// Copies of standard error and /dev/null, to redirect standard error while a loader runs: some libraries always
// write to it. Both are opened once, because the sandbox may forbid opening files; -1 on failure.
static int complaints = -1;
static int nowhere = -1;

// Writes fatal messages only, mostly about lack of memory.
static GLogWriterOutput say(GLogLevelFlags level, const GLogField *fields, gsize count, gpointer data) {
  (void)data;
  for (gsize index = 0; level & G_LOG_LEVEL_ERROR && index < count; index++) {
    if (strcmp(fields[index].key, "MESSAGE") == 0)
      dprintf(complaints >= 0 ? complaints : STDERR_FILENO, "%s\n", (const char *)fields[index].value);
  }
  return G_LOG_WRITER_HANDLED;
}

// The folder of the loaders, which is beside the library; 2.10.0 is the version of their interface. False on
// failure.
static int find_loaders(char *folder, size_t room) {
  Dl_info info;
  void *symbol = dlsym(RTLD_DEFAULT, "gdk_pixbuf_loader_new_with_type");
  if (!symbol || !dladdr(symbol, &info) || !info.dli_fname) return 0;
  const char *slash = strrchr(info.dli_fname, '/');
  if (!slash) return 0;
  int length = snprintf(folder, room, "%.*s/gdk-pixbuf-2.0/2.10.0/loaders", (int)(slash - info.dli_fname),
                        info.dli_fname);
  return length > 0 && (size_t)length < room;
}

static int is_wanted(const char *name) {
  if (!wanted) return 1;
  for (size_t index = 0; index < wanted_count; index++)
    if (strcmp(wanted[index], name) == 0) return 1;
  return 0;
}

// Writes the module file, with the allowed loaders that are installed.
static void name_modules(int file) {
  char folder[4096];
  if (!find_loaders(folder, sizeof folder)) return;
  for (size_t index = 0; index < sizeof modules / sizeof modules[0]; index++) {
    char path[4096 + 64];
    if (!is_wanted(modules[index][0])) continue;
    snprintf(path, sizeof path, "%s/libpixbufloader-%s.so", folder, modules[index][0]);
    if (access(path, R_OK) == 0) dprintf(file, "\"%s\"\n%s", path, modules[index][1]);
  }
}

static void set_writer(void) { g_log_set_writer_func(say, NULL, NULL); }

void cpixbuf_quieten(void) {
  // GLib ends a program that does it twice.
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, set_writer);
}

static void prepare(void) {
  // An arena for each thread would take 128 MiB of the limited address space.
  mallopt(M_ARENA_MAX, 1);
  cpixbuf_quieten();
  // Also set without a file, because the system's own list names other loaders.
  int file = memfd_create("loaders", MFD_CLOEXEC);
  char path[64] = "/dev/null";
  if (file >= 0) {
    name_modules(file);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  }
  setenv("GDK_PIXBUF_MODULE_FILE", path, 1);
  // Makes the library read the list.
  g_slist_free(gdk_pixbuf_get_formats());
  // The library reads again while its list is empty, and must not read the system's own list then.
  setenv("GDK_PIXBUF_MODULE_FILE", "/dev/null", 1);
  if (file >= 0) close(file);
  nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  complaints = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

void cpixbuf_load(const char *const names[], size_t count) {
  wanted = names;
  wanted_count = count;
  pthread_once(&once, prepare);
  for (size_t index = 0; index < count; index++) {
    // The library opens a loader's file when the first picture of its format starts.
    GdkPixbufLoader *loader = gdk_pixbuf_loader_new_with_type(names[index], NULL);
    if (!loader) continue;
    gdk_pixbuf_loader_close(loader, NULL);
    g_object_unref(loader);
  }
}

static int is_there(const char *name) {
  int found = 0;
  GSList *formats = gdk_pixbuf_get_formats();
  for (GSList *link = formats; link; link = link->next) {
    gchar *other = gdk_pixbuf_format_get_name(link->data);
    found |= g_strcmp0(other, name) == 0;
    g_free(other);
  }
  g_slist_free(formats);
  return found;
}

static int32_t reduced(int32_t side, int32_t reduction) { return side / reduction + (side % reduction != 0); }

static void size_prepared(GdkPixbufLoader *loader, gint width, gint height, gpointer data) {
  struct trial *trial = data;
  if (width == trial->expected_width && height == trial->expected_height) {
    // Exactly the size that libjpeg can produce: any other would be scaled afterwards, with a second copy.
    if (trial->reduction > 1)
      gdk_pixbuf_loader_set_size(loader, reduced(width, trial->reduction), reduced(height, trial->reduction));
    return;
  }
  trial->result.status = CPIXBUF_OTHER_SIZE;
  trial->result.width = width;
  trial->result.height = height;
  // A size of 0 makes the loaders stop.
  gdk_pixbuf_loader_set_size(loader, 0, 0);
}

static void area_updated(GdkPixbufLoader *loader, gint x, gint y, gint width, gint height, gpointer data) {
  (void)loader, (void)x, (void)width;
  struct trial *trial = data;
  if (y + height > trial->rows) trial->rows = y + height;
}

static void fail(struct trial *trial, GError *error, int number) {
  // The loaders of WebP and AVIF have no code for lack of memory, but errno remains ENOMEM.
  int is_memory = g_error_matches(error, GDK_PIXBUF_ERROR, GDK_PIXBUF_ERROR_INSUFFICIENT_MEMORY) || number == ENOMEM;
  if (trial->result.status == CPIXBUF_DECODED) trial->result.status = is_memory ? CPIXBUF_NO_MEMORY : CPIXBUF_BROKEN;
  if (error) g_strlcpy(trial->result.message, error->message, sizeof trial->result.message);
}

// Returns the picture, which the caller owns, or NULL with the reason in `trial`. The picture is complete only
// if `trial` says so.
static GdkPixbuf *decode(const char *name, const uint8_t *bytes, size_t count, struct trial *trial) {
  GError *error = NULL;
  errno = 0;
  GdkPixbufLoader *loader = gdk_pixbuf_loader_new_with_type(name, &error);
  if (!loader) {
    trial->result.status = CPIXBUF_NO_LOADER;
    g_clear_error(&error);
    return NULL;
  }
  g_signal_connect(loader, "size-prepared", G_CALLBACK(size_prepared), trial);
  g_signal_connect(loader, "area-updated", G_CALLBACK(area_updated), trial);
  int written = gdk_pixbuf_loader_write(loader, bytes, count, &error);
  int32_t rows = trial->rows;
  // After an error, closing only frees resources.
  int closed = gdk_pixbuf_loader_close(loader, error ? NULL : &error);
  GdkPixbuf *pixbuf = written && closed ? gdk_pixbuf_loader_get_pixbuf(loader) : NULL;
  if (pixbuf) {
    g_object_ref(pixbuf);
    trial->rows = rows;
  } else {
    fail(trial, error, errno);
  }
  g_clear_error(&error);
  g_object_unref(loader);
  return pixbuf;
}

// Whether the loader reports rows. AVIF's and GIF's do not; missing data is an error there, or was found
// before.
static int tells_rows(const char *name) {
  return strcmp(name, "avif") != 0 && strcmp(name, "gif") != 0;
}

// Passes the pixels to the caller, or frees them.
static void keep(GdkPixbuf *pixbuf, struct cpixbuf_pixels *pixels) {
  if (!pixels) {
    g_object_unref(pixbuf);
    return;
  }
  *pixels = (struct cpixbuf_pixels){
      .bytes = gdk_pixbuf_get_pixels(pixbuf),
      .width = gdk_pixbuf_get_width(pixbuf),
      .height = gdk_pixbuf_get_height(pixbuf),
      .channels = gdk_pixbuf_get_n_channels(pixbuf),
      .stride = (size_t)gdk_pixbuf_get_rowstride(pixbuf),
      .owner = pixbuf,
  };
}

struct cpixbuf_result cpixbuf_decode(const char *name, const uint8_t *bytes, size_t count, int32_t width, int32_t height,
                                     int32_t reduction, struct cpixbuf_pixels *pixels) {
  pthread_once(&once, prepare);
  struct trial trial = {.expected_width = width, .expected_height = height, .reduction = reduction};
  if (!is_wanted(name) || !is_there(name)) {
    trial.result.status = CPIXBUF_NO_LOADER;
    return trial.result;
  }
  static pthread_mutex_t standard_error = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&standard_error);
  if (nowhere >= 0 && complaints >= 0) dup2(nowhere, STDERR_FILENO);
  GdkPixbuf *pixbuf = decode(name, bytes, count, &trial);
  if (nowhere >= 0 && complaints >= 0) dup2(complaints, STDERR_FILENO);
  pthread_mutex_unlock(&standard_error);
  if (!pixbuf) return trial.result;
  if (trial.result.status == CPIXBUF_DECODED) {
    trial.result.width = gdk_pixbuf_get_width(pixbuf);
    trial.result.height = gdk_pixbuf_get_height(pixbuf);
    if (trial.result.width != reduced(width, reduction) || trial.result.height != reduced(height, reduction))
      trial.result.status = CPIXBUF_OTHER_SIZE;
    else if (tells_rows(name) && trial.rows < trial.result.height)
      trial.result.status = CPIXBUF_INCOMPLETE;
  }
  keep(pixbuf, trial.result.status == CPIXBUF_DECODED ? pixels : NULL);
  return trial.result;
}

// The receiver of a file that is being written.
struct taker {
  cpixbuf_take take;
  void *context;
};

static gboolean save(const gchar *bytes, gsize count, GError **error, gpointer data) {
  (void)error;
  const struct taker *taker = data;
  taker->take((const uint8_t *)bytes, count, taker->context);
  return TRUE;
}

bool cpixbuf_write_png(const struct cpixbuf_pixels *pixels, cpixbuf_take take, void *context) {
  struct taker taker = {take, context};
  GdkPixbuf *pixbuf = gdk_pixbuf_new_from_data(pixels->bytes, GDK_COLORSPACE_RGB, pixels->channels == 4, 8,
                                               pixels->width, pixels->height, (int)pixels->stride, NULL, NULL);
  if (!pixbuf) return false;
  GError *error = NULL;
  int written = gdk_pixbuf_save_to_callback(pixbuf, save, &taker, "png", &error, "compression", "4", NULL);
  g_clear_error(&error);
  g_object_unref(pixbuf);
  return written;
}
