// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// A document for who draws it: its content and its background's bytes, both of one state.
struct SeenDocument {
  /// How often the document is read again when its background went out of the file between two readings.
  private static let attempts = 4

  let content: DocumentContent
  /// What is seen of it.
  let scene: Scene

  /// Reads it with the edits that belong to it, as `show` does, and says so; among those journals, or those that are there. Throws
  /// what reading throws.
  init(
    _ file: DocumentFile, among journals: [DeadJournal]? = nil, say: (String) -> Void = Output.complain
  ) throws(ArtError) {
    for _ in 1..<Self.attempts {
      let content = try Restoring.read(file, among: journals, say: say)
      guard let background = content.background else {
        self.init(content, picture: nil)
        return
      }
      if let bytes = try file.picture(background.digest) {
        self.init(content, picture: bytes)
        return
      }
    }
    // The bytes are lost: the rest is seen without them.
    self.init(try Restoring.read(file, among: journals, say: say), picture: nil)
  }

  private init(_ content: DocumentContent, picture: [UInt8]?) {
    self.content = content
    scene = Scene(content, picture: picture)
  }
}
