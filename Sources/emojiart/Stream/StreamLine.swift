// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel

/// What a line of the input asks for.
enum StreamRequest {
  case edit(DocumentRequest)
  case save
  case show
  /// The line cannot be read.
  case bad(ArtError)
}

/// A line of the input, and what its answer needs to know of it.
struct StreamLine {
  var request: StreamRequest
  /// The caller's own mark, JSON text; empty where there is none.
  var tag: [UInt8] = []
  /// Whether it may be about any number of emoji.
  var isAboutSeveral = false
}
