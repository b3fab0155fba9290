// SPDX-License-Identifier: Apache-2.0
// Converts colours to sRGB with Little CMS. The results are those of Chromium; docs/decisions/0096-colours.md has the comparison.
#include "colors.h"
#include "picture_decoder.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <lcms2.h>

// MARK: Code points (ITU-T H.273)

// White, red, green, blue.
struct primaries {
  double points[4][2];
};

#define D65 {0.3127, 0.3290}
static const struct primaries known_primaries[] = {
    [1] = {{D65, {0.640, 0.330}, {0.300, 0.600}, {0.150, 0.060}}},                          // BT.709, sRGB
    [4] = {{{0.310, 0.316}, {0.670, 0.330}, {0.210, 0.710}, {0.140, 0.080}}},               // BT.470 M
    [5] = {{D65, {0.640, 0.330}, {0.290, 0.600}, {0.150, 0.060}}},                          // BT.470 B, G
    [6] = {{D65, {0.630, 0.340}, {0.310, 0.595}, {0.155, 0.070}}},                          // SMPTE 170M
    [7] = {{D65, {0.630, 0.340}, {0.310, 0.595}, {0.155, 0.070}}},                          // SMPTE 240M
    [8] = {{{0.310, 0.316}, {0.681, 0.319}, {0.243, 0.692}, {0.145, 0.049}}},               // film
    [9] = {{D65, {0.708, 0.292}, {0.170, 0.797}, {0.131, 0.046}}},                          // BT.2020
    [11] = {{{0.314, 0.351}, {0.680, 0.320}, {0.265, 0.690}, {0.150, 0.060}}},              // DCI-P3
    [12] = {{D65, {0.680, 0.320}, {0.265, 0.690}, {0.150, 0.060}}},                         // Display P3
    [22] = {{D65, {0.630, 0.340}, {0.295, 0.605}, {0.155, 0.077}}},                         // EBU 3213
};

const double (*points_of_primaries(int32_t primaries))[2] {
  const int32_t count = sizeof known_primaries / sizeof known_primaries[0];
  bool is_known = primaries >= 0 && primaries < count && known_primaries[primaries].points[0][1] > 0;
  return is_known ? known_primaries[primaries].points : NULL;
}

// The linear value; negative for a transfer that is not supported.
static double linear(int32_t transfer, double value) {
  switch (transfer) {
  // Files that say BT.709 are shown as on a television (BT.1886).
  case 1: case 6: case 11: case 14: case 15: return pow(value, 2.4);
  case 4: return pow(value, 2.2);
  case 5: return pow(value, 2.8);
  case 7: return value < 0.0912 ? value / 4 : pow((value + 0.1115) / 1.1115, 1 / 0.45);
  case 8: return value;
  case 13: return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
  case 17: return fmin(52.37 / 48 * pow(value, 2.6), 1);
  default: return -1;
  }
}

bool cpicture_has_code_points(int32_t primaries, int32_t transfer) {
  return points_of_primaries(primaries) && (is_bright(transfer) || linear(transfer, 0) >= 0);
}

// MARK: Profiles

// NULL for primaries that define no colours.
static cmsHPROFILE profile_of_points(const double (*points)[2], cmsToneCurve *curve) {
  for (int index = 0; index < 4; index++) {
    const double *point = points[index];
    if (!(point[0] >= 0 && point[0] <= 1 && point[1] >= 0.001 && point[1] <= 1)) return NULL;
  }
  const double *red = points[1], *green = points[2], *blue = points[3];
  double area = (green[0] - red[0]) * (blue[1] - red[1]) - (blue[0] - red[0]) * (green[1] - red[1]);
  if (!(fabs(area) >= 0.001) || !curve) return NULL;
  cmsCIExyY white = {points[0][0], points[0][1], 1};
  cmsCIExyYTRIPLE primaries = {{red[0], red[1], 1}, {green[0], green[1], 1}, {blue[0], blue[1], 1}};
  cmsToneCurve *curves[] = {curve, curve, curve};
  return cmsCreateRGBProfile(&white, &primaries, curves);
}

static cmsHPROFILE profile_of_code_points(int32_t primaries, int32_t transfer) {
  const double (*points)[2] = points_of_primaries(primaries);
  if (!points || linear(transfer, 0) < 0) return NULL;
  // A value of eight bits is exactly one of these.
  uint16_t values[256];
  for (int index = 0; index < 256; index++) values[index] = (uint16_t)lround(65535 * fmin(linear(transfer, index / 255.0), 1));
  cmsToneCurve *curve = cmsBuildTabulatedToneCurve16(NULL, 256, values);
  cmsHPROFILE profile = profile_of_points(points, curve);
  cmsFreeToneCurve(curve);
  return profile;
}

static cmsHPROFILE profile_of_gamma(const struct cpicture_colors *colors) {
  double points[4][2];
  memcpy(points, points_of_primaries(1), sizeof points);
  for (int index = 0; colors->has_points && index < 8; index++) points[index / 2][index % 2] = colors->points[index] / 100000.0;
  cmsToneCurve *curve = cmsBuildGamma(NULL, 100000.0 / colors->gamma);
  cmsHPROFILE profile = profile_of_points((const double(*)[2])points, curve);
  cmsFreeToneCurve(curve);
  return profile;
}

// Browsers do not read these tags, and they may have any number of steps.
static void remove_elements(cmsHPROFILE profile) {
  static const cmsTagSignature tags[] = {cmsSigDToB0Tag, cmsSigDToB1Tag, cmsSigDToB2Tag, cmsSigDToB3Tag};
  for (size_t index = 0; index < sizeof tags / sizeof tags[0]; index++)
    if (cmsIsTag(profile, tags[index])) cmsWriteTag(profile, tags[index], NULL);
}

static cmsHPROFILE open_profile(const struct cpicture_colors *colors) {
  if (colors->profile) {
    cmsHPROFILE profile = cmsOpenProfileFromMem(colors->profile, (cmsUInt32Number)colors->profile_count);
    if (profile) remove_elements(profile);
    return profile;
  }
  if (colors->gamma > 0) return profile_of_gamma(colors);
  return profile_of_code_points(colors->primaries, colors->transfer);
}

// MARK: Conversions

// The format of pixels of that many bytes of which the first ones are of a colour space.
static cmsUInt32Number format(int space, int32_t colors, int32_t bytes) {
  return (cmsUInt32Number)(COLORSPACE_SH(space) | CHANNELS_SH(colors) | EXTRA_SH(bytes - colors) | BYTES_SH(1));
}

static cmsHTRANSFORM open_transform(cmsHPROFILE profile, cmsHPROFILE srgb, enum color_kind kind, int32_t channels) {
  cmsUInt32Number from, to = format(PT_RGB, 3, channels);
  switch ((uint32_t)cmsGetColorSpace(profile)) {
  case cmsSigRgbData:
    if (kind == COLORS_CMYK || kind == COLORS_INVERTED_CMYK) return NULL;
    from = to;
    break;
  case cmsSigGrayData:
    if (kind != COLORS_GRAY) return NULL;
    from = format(PT_GRAY, 1, channels);
    break;
  case cmsSigCmykData:
    if (kind != COLORS_CMYK && kind != COLORS_INVERTED_CMYK) return NULL;
    from = kind == COLORS_CMYK ? TYPE_CMYK_8 : TYPE_CMYK_8_REV;
    to = TYPE_RGB_8;
    break;
  default: return NULL;
  }
  // Tables of perception go first, as in browsers. Without them this intent means the matrix, or the tables of colorimetry.
  bool is_colorimetric = !cmsIsTag(profile, cmsSigAToB0Tag) && cmsIsTag(profile, cmsSigAToB1Tag);
  // With a profile of version 2 as its end, Little CMS moves no black points, which browsers do not either.
  cmsSetProfileVersion(srgb, 2.1);
  // Nor is the colour of paper made white.
  return cmsCreateTransform(profile, from, srgb, to, is_colorimetric ? INTENT_RELATIVE_COLORIMETRIC : INTENT_PERCEPTUAL,
                            cmsFLAGS_NOWHITEONWHITEFIXUP);
}

// Whether colours stay as they are, or change by no more than rounding.
static bool is_identity(cmsHTRANSFORM transform, enum color_kind kind, int32_t channels) {
  enum { steps = 9, greys = 256, count = steps * steps * steps + greys };
  uint8_t *pixels = calloc(2 * count, 4), *results = pixels + 4 * count;
  if (!pixels) return false;
  for (int index = 0; index < count; index++) {
    uint8_t *pixel = pixels + index * channels;
    int cube = index - greys;
    int levels[] = {cube % steps, cube / steps % steps, cube / steps / steps};
    for (int color = 0; color < 3; color++)
      pixel[color] = index < greys ? (uint8_t)index : kind == COLORS_GRAY ? 0 : (uint8_t)(255 * levels[color] / (steps - 1));
  }
  cmsDoTransform(transform, pixels, results, count);
  bool is_same = true;
  for (int index = 0; index < count; index++)
    for (int color = 0; color < 3; color++)
      if (abs(pixels[index * channels + color] - results[index * channels + color]) > 1) is_same = false;
  free(pixels);
  return is_same;
}

struct conversion {
  // One of them.
  cmsHTRANSFORM transform;
  struct bright_colors *bright;
  int32_t channels;
};

static cmsHTRANSFORM transform_of(const struct cpicture_colors *colors, enum color_kind kind, int32_t channels) {
  cmsHPROFILE profile = open_profile(colors), srgb = profile ? cmsCreate_sRGBProfile() : NULL;
  cmsHTRANSFORM transform = srgb ? open_transform(profile, srgb, kind, channels) : NULL;
  if (srgb) cmsCloseProfile(srgb);
  if (profile) cmsCloseProfile(profile);
  bool has_four = kind == COLORS_CMYK || kind == COLORS_INVERTED_CMYK;
  if (transform && !has_four && is_identity(transform, kind, channels)) {
    cmsDeleteTransform(transform);
    return NULL;
  }
  return transform;
}

struct conversion *conversion_open(const struct cpicture_colors *colors, enum color_kind kind, int32_t channels) {
  // A lack of memory here is none of the decoder.
  int error = errno;
  struct conversion *self = calloc(1, sizeof *self);
  if (self) {
    self->channels = channels;
    bool has_code_points = !colors->profile && colors->gamma == 0 && points_of_primaries(colors->primaries);
    if (has_code_points && is_bright(colors->transfer)) self->bright = bright_colors_open(colors->primaries, colors->transfer);
    else self->transform = transform_of(colors, kind, channels);
    if (!self->bright && !self->transform) {
      free(self);
      self = NULL;
    }
  }
  errno = error;
  return self;
}

void conversion_run(const struct conversion *self, const uint8_t *from, uint8_t *to, int32_t width) {
  if (self->bright) bright_colors_run(self->bright, to, self->channels, width);
  else cmsDoTransform(self->transform, from, to, (cmsUInt32Number)width);
}

void conversion_close(struct conversion *self) {
  if (!self) return;
  if (self->transform) cmsDeleteTransform(self->transform);
  free(self->bright);
  free(self);
}
