// SPDX-License-Identifier: Apache-2.0
// The first frame of a GIF, on a transparent canvas. https://www.w3.org/Graphics/GIF/spec-gif89a.txt
#include "picture_decoder.h"

#include <stdlib.h>
#include <string.h>

// The bytes that are still to be read. Past the end, `has_failed` is set and zeros are read.
struct input {
  const uint8_t *next;
  const uint8_t *end;
  bool has_failed;
};

static uint8_t byte(struct input *input) {
  if (input->next == input->end) {
    input->has_failed = true;
    return 0;
  }
  return *input->next++;
}

static uint16_t number(struct input *input) {
  uint16_t low = byte(input);
  return (uint16_t)(low | byte(input) << 8);
}

static void skip(struct input *input, size_t count) {
  if (count > (size_t)(input->end - input->next)) {
    input->has_failed = true;
    count = (size_t)(input->end - input->next);
  }
  input->next += count;
}

// Colours that the table lacks are black.
struct colors {
  uint8_t rgb[256][3];
};

static void read_colors(struct input *input, uint8_t flags, struct colors *colors) {
  size_t count = (size_t)2 << (flags & 7);
  memset(colors, 0, sizeof *colors);
  for (size_t index = 0; index < count; index++)
    for (int channel = 0; channel < 3; channel++) colors->rgb[index][channel] = byte(input);
}

struct frame {
  uint16_t left, top, width, height;
  bool is_interlaced;
  // -1 for none.
  int transparent;
  const struct colors *colors;
};

// MARK: LZW

enum { most_codes = 4096, most_bits = 12 };

// The codes of a frame: each is a string of pixels, which is another code's string and one more pixel.
struct codes {
  uint16_t prefix[most_codes];
  uint16_t length[most_codes];
  uint8_t first[most_codes];
  uint8_t last[most_codes];
  unsigned count;
};

static void reset(struct codes *codes, unsigned clear) {
  for (unsigned code = 0; code < clear; code++) {
    codes->length[code] = 1;
    codes->first[code] = codes->last[code] = (uint8_t)code;
  }
  codes->count = clear + 2;
}

// Writes a code's string, backwards. Returns how many pixels there are now; those beyond `room` are dropped.
static size_t write_code(const struct codes *codes, unsigned code, uint8_t *pixels, size_t count, size_t room) {
  size_t end = count + codes->length[code];
  for (size_t place = end; place > count; place--) {
    if (place <= room) pixels[place - 1] = codes->last[code];
    code = codes->prefix[code];
  }
  return end < room ? end : room;
}

// Adds a code that continues `previous` by the first pixel of `code`, which may be the new one itself.
static void add(struct codes *codes, unsigned previous, unsigned code) {
  if (codes->count == most_codes) return;
  unsigned added = codes->count++;
  codes->prefix[added] = (uint16_t)previous;
  codes->length[added] = (uint16_t)(codes->length[previous] + 1);
  codes->first[added] = codes->first[previous];
  codes->last[added] = codes->first[code < added ? code : previous];
}

// Expands the blocks of data into `pixels`, until all of them are filled.
static enum cpicture_status expand(struct input *input, struct codes *codes, uint8_t *pixels, size_t room) {
  unsigned least = byte(input);
  if (least < 1 || least > 8) return CPICTURE_BROKEN;
  const unsigned clear = 1u << least;
  enum { none = most_codes };
  unsigned size = least + 1, bits = 0, held = 0, previous = none;
  size_t count = 0;
  reset(codes, clear);
  for (unsigned left = byte(input); left; left = byte(input)) {
    for (; left; left--) {
      bits |= (unsigned)byte(input) << held;
      if (input->has_failed) return CPICTURE_INCOMPLETE;
      held += 8;
      while (held >= size) {
        unsigned code = bits & ((1u << size) - 1);
        bits >>= size;
        held -= size;
        if (code == clear) {
          reset(codes, clear);
          size = least + 1;
          previous = none;
          continue;
        }
        if (code == clear + 1) return CPICTURE_INCOMPLETE;
        if (previous != none) add(codes, previous, code);
        if (code >= (previous == none ? clear : codes->count)) return CPICTURE_BROKEN;
        count = write_code(codes, code, pixels, count, room);
        if (count == room) return CPICTURE_DECODED;
        previous = code;
        if (codes->count == 1u << size && size < most_bits) size++;
      }
    }
  }
  return CPICTURE_INCOMPLETE;
}

// MARK: Frames

// The row of a frame that is stored there.
static uint32_t stored_row(const struct frame *frame, uint32_t index) {
  if (!frame->is_interlaced) return index;
  static const struct {
    uint32_t first, step;
  } passes[] = {{0, 8}, {4, 8}, {2, 4}, {1, 2}};
  for (size_t pass = 0; pass < 4; pass++) {
    uint32_t first = passes[pass].first, step = passes[pass].step;
    uint32_t rows = frame->height > first ? (frame->height - first + step - 1) / step : 0;
    if (index < rows) return first + index * step;
    index -= rows;
  }
  return 0;
}

static void paint(const struct frame *frame, const uint8_t *pixels, struct cpicture_pixels *canvas) {
  if (frame->left >= canvas->width) return;
  for (uint32_t index = 0; index < frame->height; index++, pixels += frame->width) {
    uint32_t y = frame->top + stored_row(frame, index);
    if (y >= (uint32_t)canvas->height) continue;
    uint8_t *to = canvas->bytes + (size_t)y * canvas->stride + 4 * (size_t)frame->left;
    for (uint32_t x = 0; x < frame->width && frame->left + x < (uint32_t)canvas->width; x++, to += 4) {
      if (pixels[x] == frame->transparent) continue;
      memcpy(to, frame->colors->rgb[pixels[x]], 3);
      to[3] = 255;
    }
  }
}

static void decode_frame(struct decoding *decoding, struct input *input, struct frame *frame) {
  size_t room = (size_t)frame->width * frame->height;
  if (!room) {
    decoding_fail(decoding, CPICTURE_BROKEN, "its first frame is empty");
    return;
  }
  uint8_t *pixels = malloc(room);
  struct codes *codes = calloc(1, sizeof *codes);
  enum cpicture_status status = pixels && codes ? expand(input, codes, pixels, room) : CPICTURE_NO_MEMORY;
  if (status != CPICTURE_DECODED) decoding_fail(decoding, status, "its compressed data are damaged");
  else if (decoding_allocate(decoding, decoding->width, decoding->height, 4, true))
    paint(frame, pixels, &decoding->pixels);
  free(codes);
  free(pixels);
}

// Reads an extension; the one before a frame may name its transparent colour.
static void read_extension(struct input *input, struct frame *frame) {
  bool is_control = byte(input) == 0xF9;
  for (uint8_t count = byte(input); count && !input->has_failed; count = byte(input)) {
    if (is_control && count >= 4) {
      const uint8_t *block = input->next;
      if (input->end - block >= 4) frame->transparent = block[0] & 1 ? block[3] : -1;
    }
    is_control = false;
    skip(input, count);
  }
}

void decode_gif(struct decoding *decoding) {
  struct input input = {decoding->bytes, decoding->bytes + decoding->count, false};
  struct frame frame = {.transparent = -1};
  struct colors shared, own;
  skip(&input, 6);
  uint16_t width = number(&input), height = number(&input);
  if (!decoding_expect(decoding, width, height)) return;
  uint8_t flags = byte(&input);
  skip(&input, 2);
  if (flags & 0x80) {
    read_colors(&input, flags, &shared);
    frame.colors = &shared;
  }
  uint8_t mark;
  while ((mark = byte(&input)) != 0x2C) {
    if (mark == 0x21) {
      read_extension(&input, &frame);
    } else if (mark != 0 || input.has_failed) {
      decoding_fail(decoding, CPICTURE_BROKEN, "it has no frame");
      return;
    }
  }
  frame.left = number(&input);
  frame.top = number(&input);
  frame.width = number(&input);
  frame.height = number(&input);
  flags = byte(&input);
  frame.is_interlaced = flags & 0x40;
  if (flags & 0x80) {
    read_colors(&input, flags, &own);
    frame.colors = &own;
  }
  if (frame.colors) decode_frame(decoding, &input, &frame);
  else decoding_fail(decoding, CPICTURE_BROKEN, "its first frame has no colours");
}
