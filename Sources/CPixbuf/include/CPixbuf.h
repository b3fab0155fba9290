// SPDX-License-Identifier: Apache-2.0
// gdk-pixbuf, and what Swift cannot call of it.
#ifndef CPIXBUF_H
#define CPIXBUF_H

#endif
