// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// A document for whoever draws it: its content and its background's bytes, both of one state.
public struct DocumentView: Sendable {
  /// How often the document is read again when its background went out of the file between two readings.
  private static let attempts = 4

  /// The document.
  public let content: DocumentContent
  /// What is drawn of it.
  public let scene: Scene

  /// Reads it with the edits that belong to it, and reports these; among those journals, or those that are there. Throws
  /// what reading throws.
  public init(
    _ file: DocumentFile, among journals: [OrphanedJournal]? = nil, recovery: Recovery = Recovery()
  ) throws(ArtError) {
    for _ in 1..<Self.attempts {
      let content = try recovery.content(of: file, among: journals)
      guard let background = content.background else {
        self.init(content, picture: nil)
        return
      }
      if let bytes = try file.picture(background.digest) {
        self.init(content, picture: bytes)
        return
      }
    }
    // The bytes are lost: the rest is drawn without them.
    self.init(try recovery.content(of: file, among: journals), picture: nil)
  }

  private init(_ content: DocumentContent, picture: [UInt8]?) {
    self.content = content
    scene = Scene(content, picture: picture)
  }

  /// Whether the background's bytes are not in the document any more.
  public var isPictureLost: Bool { content.background != nil && scene.picture == nil }
}
