// SPDX-License-Identifier: Apache-2.0
// The C of emojiart-worker but for libcurl: gdk-pixbuf, libpng, loops over pixels, and the sandbox around them.
#ifndef CWORKER_H
#define CWORKER_H

#include "CPNG.h"
#include "CPixbuf.h"
#include "CRaster.h"
#include "CSandbox.h"

#endif
