// SPDX-License-Identifier: Apache-2.0

import ArtNames
import ArtModel
import Testing
