// SPDX-License-Identifier: Apache-2.0
#include "CPNG.h"

#include "CRaster.h"

#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

struct buffer {
  uint8_t *bytes;
  size_t count;
  size_t room;
};

// Shared by the caller and the thread under `lock`; `change` is signalled when `is_working` or `shall_end`
// changes.
struct cpng {
  pthread_t thread;
  bool has_thread;  // Where none could be begun, whoever calls compresses.
  pthread_mutex_t lock;
  pthread_cond_t change;
  bool is_working;  // There are rows that the thread has not compressed: all below is the thread's.
  bool shall_end;

  uint32_t width;
  uint32_t left;  // rows
  bool has_alpha;
  bool has_failed;
  const uint8_t *pixels;
  ptrdiff_t stride;
  uint32_t rows;
  png_structp png;
  png_infop info;
  uint8_t *row;
  struct buffer written;
  struct buffer taken;  // The caller's.
};

// Leaves by longjmp for lack of memory.
static void append(png_structp png, png_bytep bytes, size_t count) {
  struct buffer *buffer = &((struct cpng *)png_get_io_ptr(png))->written;
  if (count > buffer->room - buffer->count) {
    size_t room = 2 * buffer->room + count;
    uint8_t *larger = realloc(buffer->bytes, room);
    if (!larger) png_error(png, "no memory");
    buffer->bytes = larger;
    buffer->room = room;
  }
  memcpy(buffer->bytes + buffer->count, bytes, count);
  buffer->count += count;
}

static void flush(png_structp png) { (void)png; }

static void fail(png_structp png, png_const_charp words) {
  (void)words;
  png_longjmp(png, 1);
}

static void warn(png_structp png, png_const_charp words) {
  (void)png;
  (void)words;
}

static void compress_rows(struct cpng *self) {
  if (self->has_failed) return;
  if (setjmp(png_jmpbuf(self->png))) {
    self->has_failed = true;
    return;
  }
  for (uint32_t index = 0; index < self->rows; index++) {
    craster_png_row(self->pixels + (ptrdiff_t)index * self->stride, (int32_t)self->width, self->has_alpha, self->row);
    png_write_row(self->png, self->row);
  }
  self->left -= self->rows;
  if (self->left == 0) png_write_end(self->png, NULL);
}

static void *run(void *argument) {
  struct cpng *self = argument;
  pthread_mutex_lock(&self->lock);
  while (true) {
    while (!self->is_working && !self->shall_end) pthread_cond_wait(&self->change, &self->lock);
    if (self->shall_end) break;
    pthread_mutex_unlock(&self->lock);
    compress_rows(self);
    pthread_mutex_lock(&self->lock);
    self->is_working = false;
    pthread_cond_broadcast(&self->change);
  }
  pthread_mutex_unlock(&self->lock);
  return NULL;
}

// Texts for readers, in front of the pixels: PNG 11.3.3, whose keywords these are.
static void set_words(struct cpng *self, const char *const words[3]) {
  static const char *const keywords[] = {"Title", "Description", "Copyright"};
  for (int index = 0; index < 3; index++) {
    if (!words[index]) continue;
    // libpng copies all of it.
    png_text text = {.compression = PNG_ITXT_COMPRESSION_NONE,
                     .key = (png_charp)keywords[index],
                     .text = (png_charp)words[index],
                     .itxt_length = strlen(words[index])};
    png_set_text(self->png, self->info, &text, 1);
  }
}

// Writes the head of the file.
static void open_file(struct cpng *self, uint32_t height, bool is_small, uint32_t density, const char *const words[3]) {
  if (setjmp(png_jmpbuf(self->png))) {
    self->has_failed = true;
    return;
  }
  png_set_write_fn(self->png, self, append, flush);
  png_set_compression_buffer_size(self->png, 1 << 16);
  // For a canvas full of emoji, one filter and a low level take half of the time of libpng's defaults, for a
  // file that is an eighth larger.
  png_set_filter(self->png, PNG_FILTER_TYPE_BASE, is_small ? PNG_ALL_FILTERS : PNG_FILTER_SUB);
  png_set_compression_level(self->png, is_small ? 9 : 2);
  int kind = self->has_alpha ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB;
  png_set_IHDR(self->png, self->info, self->width, height, 8, kind, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  // What a small picture is embedded in says it: colours of SVG are those of sRGB.
  if (!is_small) png_set_sRGB(self->png, self->info, PNG_sRGB_INTENT_PERCEPTUAL);
  if (density > 0) png_set_pHYs(self->png, self->info, density, density, PNG_RESOLUTION_METER);
  set_words(self, words);
  png_write_info(self->png, self->info);
}

static void start_thread(struct cpng *self) {
  // An arena for each thread would take 128 MiB of the limited address space.
  mallopt(M_ARENA_MAX, 1);
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return;
  // Less than the usual eight megabytes, because memory is limited.
  pthread_attr_setstacksize(&attributes, 1 << 18);
  self->has_thread = pthread_create(&self->thread, &attributes, run, self) == 0;
  pthread_attr_destroy(&attributes);
}

static void let_go(struct cpng *self) {
  png_destroy_write_struct(&self->png, &self->info);
  pthread_cond_destroy(&self->change);
  pthread_mutex_destroy(&self->lock);
  free(self->row);
  free(self->written.bytes);
  free(self->taken.bytes);
  free(self);
}

struct cpng *cpng_begin(uint32_t width, uint32_t height, bool has_alpha, bool is_small, uint32_t density, const char *title,
                        const char *description, const char *rights) {
  struct cpng *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  pthread_mutex_init(&self->lock, NULL);
  pthread_cond_init(&self->change, NULL);
  self->width = width;
  self->left = height;
  self->has_alpha = has_alpha;
  self->row = malloc((size_t)width * (has_alpha ? 4 : 3));
  self->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, fail, warn);
  self->info = self->png ? png_create_info_struct(self->png) : NULL;
  if (self->row && self->info) open_file(self, height, is_small, density, (const char *const[]){title, description, rights});
  if (!self->row || !self->info || self->has_failed) {
    let_go(self);
    return NULL;
  }
  start_thread(self);
  return self;
}

// Waits until the thread is idle; returns with the lock held.
static void wait_for_thread(struct cpng *self) {
  pthread_mutex_lock(&self->lock);
  while (self->is_working) pthread_cond_wait(&self->change, &self->lock);
}

// Swaps the buffers: the caller may read what was written.
static void turn_over(struct cpng *self) {
  struct buffer taken = self->taken;
  taken.count = 0;
  self->taken = self->written;
  self->written = taken;
}

bool cpng_write(struct cpng *self, const uint8_t *pixels, ptrdiff_t stride, uint32_t rows) {
  wait_for_thread(self);
  turn_over(self);
  bool can_go_on = !self->has_failed && rows <= self->left;
  if (can_go_on) {
    self->pixels = pixels;
    self->stride = stride;
    self->rows = rows;
    if (self->has_thread) {
      self->is_working = true;
      pthread_cond_broadcast(&self->change);
    } else {
      compress_rows(self);
    }
  }
  pthread_mutex_unlock(&self->lock);
  return can_go_on;
}

bool cpng_finish(struct cpng *self) {
  wait_for_thread(self);
  turn_over(self);
  bool is_well = !self->has_failed;
  pthread_mutex_unlock(&self->lock);
  return is_well;
}

size_t cpng_take(struct cpng *self, const uint8_t **bytes) {
  *bytes = self->taken.bytes;
  return self->taken.count;
}

void cpng_free(struct cpng *self) {
  wait_for_thread(self);
  self->shall_end = true;
  pthread_cond_broadcast(&self->change);
  pthread_mutex_unlock(&self->lock);
  if (self->has_thread) pthread_join(self->thread, NULL);
  let_go(self);
}
