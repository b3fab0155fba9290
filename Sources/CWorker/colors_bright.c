// SPDX-License-Identifier: Apache-2.0
// Pictures of high dynamic range: their light is brought into the range of sRGB as Chromium 156 does it, whose curve was measured.
#include "colors.h"

#include <math.h>
#include <stdlib.h>

// The luminance of white in such a picture, in cd/m² (ITU-R BT.2408), and the greatest one that stays below sRGB's white.
static const double reference_white = 203;
static const double brightest = 1000;

// Light as a multiple of that of white, and what is shown of it.
static const double shown[][2] = {{0, 0},          {1, 0.4985},     {1.236, 0.5906}, {1.580, 0.6724}, {2.026, 0.7454},
                                  {2.605, 0.8228}, {3.356, 0.8963}, {4.333, 0.9647}, {4.926, 1}};

enum { outputs = 1 << 14 };

struct bright_colors {
  bool is_hlg;
  float light[256];
  // The luminance of red, green and blue.
  float luminance[3];
  float to_srgb[3][3];
  float to_wide[3][3];
  uint8_t coded[outputs + 1];
};

// SMPTE ST 2084.
static double perceptual_quantizer(double value) {
  double root = pow(value, 32 / 2523.0);
  double part = fmax(root - 107 / 128.0, 0) / (2413 / 128.0 - 2392 / 128.0 * root);
  return 10000 / reference_white * pow(part, 16384 / 2610.0);
}

// ARIB STD-B67: light of the scene.
static double hybrid_log_gamma(double value) {
  const double a = 0.17883277, b = 0.28466892, c = 0.55991073;
  return value <= 0.5 ? value * value / 3 : (exp((value - c) / a) + b) / 12;
}

static void multiply(double one[3][3], double other[3][3], double result[3][3]) {
  for (int row = 0; row < 3; row++)
    for (int column = 0; column < 3; column++) {
      result[row][column] = 0;
      for (int index = 0; index < 3; index++) result[row][column] += one[row][index] * other[index][column];
    }
}

static void invert(double matrix[3][3], double result[3][3]) {
  double determinant = 0;
  for (int row = 0; row < 3; row++)
    for (int column = 0; column < 3; column++) {
      int down = (row + 1) % 3, last = (row + 2) % 3, right = (column + 1) % 3, far = (column + 2) % 3;
      result[column][row] = matrix[down][right] * matrix[last][far] - matrix[down][far] * matrix[last][right];
      if (row == 0) determinant += matrix[0][column] * result[column][0];
    }
  for (int index = 0; index < 9; index++) result[index / 3][index % 3] /= determinant;
}

// From red, green and blue to CIE XYZ, so that white has the luminance 1.
static void matrix_of(const double (*points)[2], double result[3][3]) {
  double columns[3][3], inverse[3][3], white[3] = {points[0][0] / points[0][1], 1, (1 - points[0][0] - points[0][1]) / points[0][1]};
  for (int color = 0; color < 3; color++) {
    const double *point = points[color + 1];
    columns[0][color] = point[0], columns[1][color] = point[1], columns[2][color] = 1 - point[0] - point[1];
  }
  invert(columns, inverse);
  for (int color = 0; color < 3; color++) {
    double scale = 0;
    for (int index = 0; index < 3; index++) scale += inverse[color][index] * white[index];
    for (int row = 0; row < 3; row++) result[row][color] = scale * columns[row][color];
  }
}

static void set_matrix(double source[3][3], int32_t target, float result[3][3]) {
  double matrix[3][3], inverse[3][3], whole[3][3];
  matrix_of(points_of_primaries(target), matrix);
  invert(matrix, inverse);
  multiply(inverse, source, whole);
  for (int index = 0; index < 9; index++) result[index / 3][index % 3] = (float)whole[index / 3][index % 3];
}

bool is_bright(int32_t transfer) { return transfer == 16 || transfer == 18; }

struct bright_colors *bright_colors_open(int32_t primaries, int32_t transfer) {
  struct bright_colors *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->is_hlg = transfer == 18;
  for (int index = 0; index < 256; index++)
    self->light[index] = (float)(self->is_hlg ? hybrid_log_gamma(index / 255.0) : perceptual_quantizer(index / 255.0));
  double source[3][3];
  matrix_of(points_of_primaries(primaries), source);
  for (int color = 0; color < 3; color++) self->luminance[color] = (float)source[1][color];
  set_matrix(source, 1, self->to_srgb);
  set_matrix(source, 9, self->to_wide);
  for (int index = 0; index <= outputs; index++) {
    double light = (double)index / outputs;
    self->coded[index] = (uint8_t)lround(255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055));
  }
  return self;
}

static float dot(const float row[3], const float light[3]) { return row[0] * light[0] + row[1] * light[1] + row[2] * light[2]; }

// What the brightest colour of a pixel is multiplied by, and so all.
static float gain(float light) {
  if (light <= shown[1][0]) return (float)shown[1][1];
  for (size_t next = 2; next < sizeof shown / sizeof shown[0]; next++) {
    const double *from = shown[next - 1], *to = shown[next];
    if (light < to[0]) return (float)((from[1] + (light - from[0]) / (to[0] - from[0]) * (to[1] - from[1])) / light);
  }
  return 1 / light;
}

void bright_colors_run(const struct bright_colors *self, uint8_t *pixels, int32_t channels, int32_t width) {
  for (int32_t x = 0; x < width; x++, pixels += channels) {
    float light[3], wide[3];
    for (int color = 0; color < 3; color++) light[color] = self->light[pixels[color]];
    if (self->is_hlg) {
      // A display of this brightness shows the scene with that exponent (ITU-R BT.2100, table 5).
      float scale = (float)(brightest / reference_white) * powf(dot(self->luminance, light), 0.2f);
      for (int color = 0; color < 3; color++) light[color] *= scale;
    }
    for (int color = 0; color < 3; color++) wide[color] = dot(self->to_wide[color], light);
    float scale = outputs * gain(fmaxf(wide[0], fmaxf(wide[1], wide[2])));
    for (int color = 0; color < 3; color++)
      pixels[color] = self->coded[(int)(fminf(fmaxf(scale * dot(self->to_srgb[color], light), 0), outputs) + 0.5f)];
  }
}
