// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtRender
import Testing
