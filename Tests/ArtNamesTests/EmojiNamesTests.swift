// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtNames
import Testing
