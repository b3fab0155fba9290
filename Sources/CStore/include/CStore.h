// SPDX-License-Identifier: Apache-2.0
// SQLite and xxHash, what Swift cannot call of SQLite, and the file layer through which SQLite uses documents.
#ifndef CSTORE_H
#define CSTORE_H

#include <xxhash.h>

#include "sqlite_shim.h"
#include "vfs.h"

#endif
