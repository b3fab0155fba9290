// SPDX-License-Identifier: Apache-2.0
// The C code of emojiart-worker except libcurl: gdk-pixbuf, libpng, libjpeg, libwebp, Pango, loops over pixels, and the sandbox.
#ifndef CWORKER_H
#define CWORKER_H

#include "CLossy.h"
#include "CPNG.h"
#include "CPixbuf.h"
#include "CRaster.h"
#include "CSandbox.h"
#include "CWords.h"

#endif
