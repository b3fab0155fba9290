// SPDX-License-Identifier: Apache-2.0
#include "CPixbuf.h"

#include <gdk-pixbuf/gdk-pixbuf.h>
