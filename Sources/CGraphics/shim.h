// SPDX-License-Identifier: Apache-2.0
#include <glib-object.h>

#include <cairo.h>
#include <cairo-pdf.h>
#include <chafa.h>
#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_TRUETYPE_TABLES_H
#include <hb.h>
#include <hb-ot.h>
