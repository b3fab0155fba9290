// SPDX-License-Identifier: Apache-2.0

import ArtExchange
import ArtModel
import Testing
