// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem

/// A document and other copies of it, merged one after the other. The log is cut only when all are merged.
struct MergedCopies {
  /// The merged copy.
  private(set) var copy: DocumentCopy
  private let document: DocumentCopy
  private var others: [DocumentCopy] = []
  private var parts: [MergeOutcome.Part] = []
  private let isByValue: Bool
  private var isPictureLost = false

  /// `isByValue` merges copies by value that have parted.
  init(_ document: DocumentCopy, isByValue: Bool) {
    (copy, self.document, self.isByValue) = (document, document, isByValue)
  }

  /// Merges one copy more. Throws `badValue` for another document, `parted`, and `tooLarge` for a revision that editing cannot have made.
  mutating func add(_ other: DocumentCopy) throws(ArtError) {
    guard other.content.revision <= max(Format.largestForeignRevision, document.content.revision) else {
      throw .foreignRevision(other.content.revision, of: other.name, "it is not merged")
    }
    do throws(ArtError) {
      parts.append(
        MergeOutcome.Part(
          name: other.name, report: try copy.merge(other, isByValue: isByValue), digest: other.file?.digest))
    } catch {
      switch error.code {
      case .parted: throw .parted(document, other)
      case .badValue: throw .differentDocuments(document.name, other.name)
      default: throw error
      }
    }
    others.append(other)
  }

  /// Removes a background whose picture no copy has: no file is without it.
  mutating func removeLostBackground() throws(ArtError) {
    isPictureLost = copy.isPictureLost
    try copy.removeLostBackground(at: WallClock.milliseconds())
  }

  /// Whether the copy of that name was merged.
  func includes(_ name: String) -> Bool { others.contains { FilePath($0.name) == FilePath(name) } }

  /// The bytes that the document's file is to have; nil if it has them. A copy that has everything is the result as it is: of several the
  /// one with the greatest digest, so that all who merge them choose the same.
  func newBytes() throws(ArtError) -> [UInt8]? {
    let whole = ([document] + others).filter { $0.isSame(as: copy) }.compactMap(\.file)
    for file in whole.sorted(by: { $0.digest > $1.digest }) {
      if file.digest == document.file?.digest { return nil }
      if let bytes = file.bytes() { return bytes }
    }
    return try copy.canonicalFile().bytes
  }

  var outcome: MergeOutcome {
    var outcome = MergeOutcome(content: copy.content)
    outcome.parts = parts
    outcome.isPictureLost = isPictureLost || copy.isPictureLost
    return outcome
  }
}

// MARK: - Errors

extension ArtError {
  fileprivate static func differentDocuments(_ name: String, _ other: String) -> ArtError {
    ArtError(
      .badValue, "\(other) is another document than \(name), not a copy of it; nothing is merged",
      about: other)
  }

  fileprivate static func parted(_ document: DocumentCopy, _ other: DocumentCopy) -> ArtError {
    ArtError(
      .parted,
      "\(document.name) (revision \(document.content.revision)) and \(other.name) (revision \(other.content.revision)) have parted: what both keep of their edits does not reach back to a common state; nothing is merged",
      about: other.name, remedy: .mergeByValue)
  }
}
