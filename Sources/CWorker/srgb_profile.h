// SPDX-License-Identifier: Apache-2.0
#ifndef CSRGB_PROFILE_H
#define CSRGB_PROFILE_H

#include <stdint.h>

// A small colour profile (ICC) of sRGB, for files that say by a profile what their colours are.
enum { srgb_profile_size = 424 };
extern const uint8_t srgb_profile[srgb_profile_size];

#endif
