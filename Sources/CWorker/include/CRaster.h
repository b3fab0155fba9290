// SPDX-License-Identifier: Apache-2.0
// Loops over pixels, in C so that a debug build runs them fast, too. Pixels are Cairo's ARGB32: 32 bits of native order,
// premultiplied, on this machine's byte order blue, green, red, alpha.
#ifndef CRASTER_H
#define CRASTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Some rows and columns of a picture.
struct craster_part {
  uint8_t *pixels;
  ptrdiff_t stride;  // bytes
  // Of what is held.
  int32_t left;
  int32_t top;
  int32_t width;
  int32_t height;
  // Of all of the picture.
  int32_t whole_width;
  int32_t whole_height;
};

// How a picture lies on another one.
struct craster_place {
  // Of the picture's left top corner, in the other one's pixels.
  double x;
  double y;
  // Pixels of the other one for a pixel, above 0.
  double scale_x;
  double scale_y;
  // Whether the picture's border goes on for ever outside of it, instead of nothing.
  bool has_endless_border;
};

// A rectangle of whole pixels; right and bottom lie outside.
struct craster_rect {
  int32_t left;
  int32_t top;
  int32_t right;
  int32_t bottom;
};

// What of the source is needed for that rectangle of the target.
struct craster_rect craster_needed(const struct craster_part *source, struct craster_place place, struct craster_rect rect);

// Paints a picture over another one, inside the rectangle, which both must hold.
//
// A pixel is the mean of the source over a square as large as itself, or as large as a pixel of the source where that is larger:
// the area's mean where it is made smaller, linear between pixels where it is made larger, and exactly the source where
// scale is 1 and x and y are whole. It depends on nothing but the places of both: any part is as it is in the whole.
//
// False when there is no memory.
bool craster_draw(const struct craster_part *source, struct craster_place place, const struct craster_part *target,
                  struct craster_rect rect);

// Makes it half as large, both sides being even, each pixel the mean of four.
void craster_halve(const uint8_t *source, ptrdiff_t stride, int32_t width, int32_t height, uint8_t *target);

// Gives what is clear around a picture the colours of its edge, as good as clear as that can be. False when there is no memory.
bool craster_bleed(uint8_t *pixels, int32_t width, int32_t height);

// Finds the colours of pixels, as many as 256, and gives each pixel the number of its own. The number of colours; 0 where there
// are more.
int32_t craster_index(const uint8_t *pixels, size_t count, uint8_t *numbers, uint32_t *colors);

// The pixels of these numbers.
void craster_expand(const uint8_t *numbers, size_t count, const uint32_t *colors, uint8_t *pixels);

// A decoded picture: 3 bytes a pixel (red, green, blue) or 4 (and alpha, not premultiplied).
struct craster_decoded {
  const uint8_t *pixels;
  ptrdiff_t stride;
  int32_t width;
  int32_t height;
  int32_t channels;
  // 1 to 8, as in EXIF.
  int32_t orientation;
};

// Fills a part with what it is to hold of a decoded picture after that is turned.
void craster_turn(const struct craster_decoded *source, const struct craster_part *target);

// Fills a rectangle with one colour, 0xAARRGGBB.
void craster_fill(const struct craster_part *target, struct craster_rect rect, uint32_t color);

// Paints diagonal stripes in two greys, which begin where x and y together are `start`.
void craster_hatch(const struct craster_part *target, struct craster_rect rect, int64_t start);

// A row as PNG has it: red, green, blue, and alpha where that is asked for, not premultiplied.
void craster_png_row(const uint8_t *source, int32_t width, bool has_alpha, uint8_t *target);

#endif
