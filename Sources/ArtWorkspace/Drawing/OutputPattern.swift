// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem

/// A path with `{name}` or `{n}` in it, for a file of each of several documents.
public struct OutputPattern: Sendable {
  private static let (name, number) = ("{name}", "{n}")

  private let text: String

  /// Nil for a path in which neither stands.
  public init?(_ text: String) {
    guard text.contains(part: Self.name) || text.contains(part: Self.number) else { return nil }
    self.text = text
  }

  /// The paths for these documents' files, in their order: `{name}` is a document's name without `.emojiart`, `{n}` its number from 1 on, with
  /// as many digits as the last one has. Throws `badValue` where two are the same.
  public func paths(for files: [String]) throws(ArtError) -> [String] {
    let digits = String(files.count).count
    var owners: [FilePath: String] = [:]
    var paths: [String] = []
    for (index, file) in files.enumerated() {
      let number = String(index + 1)
      let padded = String(repeating: "0", count: digits - number.count) + number
      let path = text.pieces(separatedBy: Self.name)
        .map { $0.replacing(part: Self.number, with: padded) }.joined(separator: DocumentView.title(of: file))
      if let other = owners.updateValue(file, forKey: FilePath(path)) {
        throw ArtError(
          .badValue, "\(other) and \(file) would both be written to \(path); put \(Self.number) into the name"
        )
      }
      paths.append(path)
    }
    return paths
  }
}

extension DocumentView {
  /// The title of a document's file: its name without the extension.
  public static func title(of path: String) -> String {
    FilePath(FilePath(path).name).without(ending: DocumentFile.ending).string
  }
}
