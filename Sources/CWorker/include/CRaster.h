// SPDX-License-Identifier: Apache-2.0
// Loops over pixels, in C so that they are fast in debug builds. Pixels are Cairo's ARGB32: 32 bits in native
// order, premultiplied; on a little-endian machine blue, green, red, alpha.
#ifndef CRASTER_H
#define CRASTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A rectangular part of a picture.
struct craster_part {
  uint8_t *pixels;
  ptrdiff_t stride;  // bytes
  // The part.
  int32_t left;
  int32_t top;
  int32_t width;
  int32_t height;
  // The whole picture.
  int32_t whole_width;
  int32_t whole_height;
};

// The position and scale of a picture on a target.
struct craster_place {
  // The top left corner of the picture, in pixels of the target.
  double x;
  double y;
  // Pixels of the target for each pixel of the picture; above 0.
  double scale_x;
  double scale_y;
  // Whether the border pixels extend for ever, instead of transparency.
  bool has_endless_border;
};

// A rectangle of whole pixels; right and bottom are exclusive.
struct craster_rect {
  int32_t left;
  int32_t top;
  int32_t right;
  int32_t bottom;
};

// The part of the source that a rectangle of the target depends on.
struct craster_rect craster_needed(const struct craster_part *source, struct craster_place place, struct craster_rect rect);

// Paints a picture over a target within a rectangle, which both must contain.
//
// A pixel is the mean of the source over a square of its own size, or of the size of a source pixel if that is
// larger: area averaging when scaling down, linear interpolation when scaling up, and an exact copy at scale 1
// and whole coordinates. It depends only on the positions, so every part equals that part of the whole.
//
// False for lack of memory.
bool craster_draw(const struct craster_part *source, struct craster_place place, const struct craster_part *target,
                  struct craster_rect rect);

// An affine map from pixels of the target to pixels of a picture: x' = a x + c y + e, y' = b x + d y + f.
struct craster_map {
  double a;
  double b;
  double c;
  double d;
  double e;
  double f;
};

// Paints a whole picture over a target within a rectangle of the target, turned and mirrored as the map says. Beyond the picture all is
// transparent.
//
// A pixel is the mean of four points within it, each interpolated linearly between four pixels of the picture; so the picture shall have at
// most four times the target's pixels a side; of one with far more, the points are drawn together around the pixel's centre. It depends
// only on the positions, so every part equals that part of the whole.
//
// False for lack of memory.
bool craster_draw_mapped(const struct craster_part *source, struct craster_map map, const struct craster_part *target,
                         struct craster_rect rect);

// Halves both sides, which must be even; each pixel is the mean of four.
void craster_halve(const uint8_t *source, ptrdiff_t stride, int32_t width, int32_t height, uint8_t *target);

// Takes a picture apart: its pixels become opaque and not premultiplied, and their alpha goes into a plane with that many bytes in a row. Pixels
// that are clear, or nearly, get the colours beside them, up to that many pixels away. False for lack of memory.
bool craster_separate(uint8_t *pixels, int32_t width, int32_t height, int32_t rings, uint8_t *alpha, ptrdiff_t alpha_stride);

// Finds up to 256 colours, and writes the index of each pixel's colour. Returns the number of colours; 0 where
// there are more.
int32_t craster_index(const uint8_t *pixels, size_t count, uint8_t *numbers, uint32_t *colors);

// Expands indices to pixels.
void craster_expand(const uint8_t *numbers, size_t count, const uint32_t *colors, uint8_t *pixels);

// A decoded picture: 3 bytes for each pixel (red, green, blue) or 4 (with alpha, not premultiplied).
struct craster_decoded {
  const uint8_t *pixels;
  ptrdiff_t stride;
  int32_t width;
  int32_t height;
  int32_t channels;
  // 1 to 8, as in EXIF.
  int32_t orientation;
};

// Fills a part with a decoded picture, with the orientation applied.
void craster_turn(const struct craster_decoded *source, const struct craster_part *target);

// Doubles both sides of a whole picture, sharper than interpolation between two pixels does; it is transparent beyond its edges. The
// target's rows are as long as its pixels. False for lack of memory.
bool craster_double(const struct craster_part *source, uint8_t *target);

// Fills a rectangle with one colour, 0xAARRGGBB.
void craster_fill(const struct craster_part *target, struct craster_rect rect, uint32_t color);

// Paints diagonal stripes in two greys; a stripe starts where x + y is `start`.
void craster_hatch(const struct craster_part *target, struct craster_rect rect, int64_t start);

// A line around a rectangle that is turned about its centre.
struct craster_frame_shape {
  // The centre.
  double x;
  double y;
  // Half of the sides, to the middle of the line.
  double across;
  double down;
  double cosine;
  double sine;
  // Half of the line's width.
  double half;
  // From the middle of a dash to that of the next, for two sides each; 0 for a line without gaps. The middle of the first is in a corner.
  double step_across;
  double step_down;
  // Half of a dash.
  double reach;
};

// Paints such a line over a rectangle of the target, in one colour, 0xAARRGGBB, not premultiplied.
void craster_frame(const struct craster_part *target, struct craster_rect rect, struct craster_frame_shape shape, uint32_t color);

// Converts a row to the format of PNG: red, green, blue and optionally alpha, not premultiplied.
void craster_png_row(const uint8_t *source, int32_t width, bool has_alpha, uint8_t *target);

#endif
