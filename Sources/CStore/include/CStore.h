// SPDX-License-Identifier: Apache-2.0
// SQLite and xxHash, wrappers for what Swift cannot call of SQLite, and SQLite's file layer for documents.
#ifndef CSTORE_H
#define CSTORE_H

#include <xxhash.h>

#include "sqlite_shim.h"
#include "vfs.h"

#endif
