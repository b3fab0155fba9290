// SPDX-License-Identifier: Apache-2.0
// A line around a turned rectangle, in dashes. Each pixel is computed from its position alone, so every part equals that part of the whole.
#include <math.h>

#include "CRaster.h"
#include "raster_blend.h"

// How much of a pixel is within an edge at that distance, which is negative beyond it.
static inline double cover(double distance) { return fmin(fmax(distance + 0.5, 0), 1); }

// How much of a pixel is within a dash, where the side is `along` pixels behind the middle of its first one.
static inline double dash(double along, double length, double step, double reach) {
  if (step <= 0) return 1;
  along = fmin(fmax(along, 0), length);
  return cover(reach - fabs(along - step * floor(along / step + 0.5)));
}

void craster_frame(const struct craster_part *target, struct craster_rect rect, struct craster_frame_shape shape,
                   uint32_t color) {
  double alpha = (color >> 24) / 255.0;
  // Within these, the line is farther away than a pixel.
  double inner_across = shape.across - shape.half - 1, inner_down = shape.down - shape.half - 1;
  for (int32_t y = rect.top; y < rect.bottom; y++) {
    uint8_t *pixel = target->pixels + (y - target->top) * target->stride + 4 * (ptrdiff_t)(rect.left - target->left);
    double dy = y + 0.5 - shape.y;
    for (int32_t x = rect.left; x < rect.right; x++, pixel += 4) {
      double dx = x + 0.5 - shape.x;
      double u = dx * shape.cosine + dy * shape.sine, v = dy * shape.cosine - dx * shape.sine;
      double beside = fabs(u) - shape.across, beyond = fabs(v) - shape.down;
      if (fabs(u) < inner_across && fabs(v) < inner_down) continue;
      double part = cover(shape.half - fabs(fmax(beside, beyond)));
      if (part <= 0) continue;
      part *= beside > beyond ? dash(v + shape.down, 2 * shape.down, shape.step_down, shape.reach)
                              : dash(u + shape.across, 2 * shape.across, shape.step_across, shape.reach);
      uint16_t opacity = (uint16_t)(255 * part * alpha + 0.5);
      four source = {(uint16_t)((color & 255) * opacity / 255), (uint16_t)((color >> 8 & 255) * opacity / 255),
                     (uint16_t)((color >> 16 & 255) * opacity / 255), opacity};
      blend(source, pixel);
    }
  }
}
