// SPDX-License-Identifier: Apache-2.0
// WebP with libwebp.
#include "picture_decoder.h"

#include <webp/decode.h>

static void fail(struct decoding *decoding, VP8StatusCode status) {
  switch (status) {
  case VP8_STATUS_OK: return;
  case VP8_STATUS_OUT_OF_MEMORY: return decoding_fail(decoding, CPICTURE_NO_MEMORY, NULL);
  case VP8_STATUS_SUSPENDED:
  case VP8_STATUS_NOT_ENOUGH_DATA: return decoding_fail(decoding, CPICTURE_INCOMPLETE, NULL);
  case VP8_STATUS_UNSUPPORTED_FEATURE: return decoding_fail(decoding, CPICTURE_BROKEN, "it needs a feature that is not known");
  default: return decoding_fail(decoding, CPICTURE_BROKEN, "its data are damaged");
  }
}

void decode_webp(struct decoding *decoding) {
  WebPDecoderConfig config;
  if (!WebPInitDecoderConfig(&config)) return decoding_fail(decoding, CPICTURE_NO_DECODER, NULL);
  fail(decoding, WebPGetFeatures(decoding->bytes, decoding->count, &config.input));
  if (decoding->result.status != CPICTURE_DECODED) return;
  if (config.input.has_animation) return decoding_fail(decoding, CPICTURE_BROKEN, "it is an animation");
  if (!decoding_expect(decoding, (uint32_t)config.input.width, (uint32_t)config.input.height)) return;
  if (!decoding_allocate(decoding, decoding->width, decoding->height, config.input.has_alpha ? 4 : 3, false)) return;
  config.output.colorspace = config.input.has_alpha ? MODE_RGBA : MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA = (WebPRGBABuffer){
      .rgba = decoding->pixels.bytes, .stride = (int)decoding->pixels.stride,
      .size = decoding->pixels.stride * (size_t)decoding->height};
  fail(decoding, WebPDecode(decoding->bytes, decoding->count, &config));
  WebPFreeDecBuffer(&config.output);
}
