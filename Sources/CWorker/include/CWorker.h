// SPDX-License-Identifier: Apache-2.0
// The C code of emojiart-worker except libcurl: libpng, libjpeg, libwebp, libavif, Little CMS, Pango, loops over pixels, and the sandbox.
#ifndef CWORKER_H
#define CWORKER_H

#include "CLossy.h"
#include "CPNG.h"
#include "CPicture.h"
#include "CRaster.h"
#include "CSandbox.h"
#include "CWords.h"

#endif
