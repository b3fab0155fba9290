// SPDX-License-Identifier: Apache-2.0
// WebP with libwebp.
#include "picture_decoder.h"

#include <webp/decode.h>

// Whether the call succeeded; fails the decoding otherwise.
static bool succeeded(struct decoding *decoding, VP8StatusCode status) {
  switch (status) {
  case VP8_STATUS_OK: return true;
  case VP8_STATUS_OUT_OF_MEMORY: decoding_fail(decoding, CPICTURE_NO_MEMORY, NULL); break;
  case VP8_STATUS_SUSPENDED:
  case VP8_STATUS_NOT_ENOUGH_DATA: decoding_fail(decoding, CPICTURE_INCOMPLETE, NULL); break;
  case VP8_STATUS_UNSUPPORTED_FEATURE: decoding_fail(decoding, CPICTURE_BROKEN, "it needs an unknown feature"); break;
  default: decoding_fail(decoding, CPICTURE_BROKEN, "its data are damaged");
  }
  return false;
}

void decode_webp(struct decoding *decoding) {
  WebPDecoderConfig config;
  if (!WebPInitDecoderConfig(&config)) {
    decoding_fail(decoding, CPICTURE_NO_DECODER, NULL);
    return;
  }
  if (!succeeded(decoding, WebPGetFeatures(decoding->bytes, decoding->count, &config.input))) return;
  if (config.input.has_animation) {
    decoding_fail(decoding, CPICTURE_BROKEN, "it is an animation");
    return;
  }
  if (!decoding_expect(decoding, (uint32_t)config.input.width, (uint32_t)config.input.height)) return;
  if (!decoding_allocate(decoding, decoding->width, decoding->height, config.input.has_alpha ? 4 : 3, false)) return;
  config.output.colorspace = config.input.has_alpha ? MODE_RGBA : MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA = (WebPRGBABuffer){
      .rgba = decoding->pixels.bytes, .stride = (int)decoding->pixels.stride,
      .size = decoding->pixels.stride * (size_t)decoding->height};
  succeeded(decoding, WebPDecode(decoding->bytes, decoding->count, &config));
  WebPFreeDecBuffer(&config.output);
}
