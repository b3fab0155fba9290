// SPDX-License-Identifier: Apache-2.0
#ifndef CPROCESS_H
#define CPROCESS_H

#include <sys/types.h>

#endif
