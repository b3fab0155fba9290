// SPDX-License-Identifier: Apache-2.0
// libpng, whose errors leave by longjmp, which no Swift may be in the way of.
#ifndef CPNG_H
#define CPNG_H

#include <stddef.h>
#include <stdint.h>

#endif
