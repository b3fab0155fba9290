// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A row of `version`: a state of the document that somebody has named, or the trace of one that was removed.
///
/// The key is an edit's id, because the program that makes a version takes the next number of its origin for it: two machines never mean two
/// versions by one key. Of two rows with one key the trace counts, so that a merge is a union.
struct VersionRow: Equatable {
  /// What a version holds. A removed one has neither.
  struct Named: Equatable {
    var name: String
    /// The document as the view `document` shows it, without `pending`.
    var content: String
    /// The digest of its background's picture, which stays in the file.
    var picture: String?
  }

  var id: EditID
  /// The state that it is of.
  var revision: Int
  var head: EditID?
  var author: String?
  /// When it was made, in milliseconds since 1970.
  var time: Int
  /// Nil for a version that was removed.
  var named: Named?

  /// The most bytes of a name.
  static let nameBytes = 256

  /// Reads the current row of a statement of `PlainTable.version.select`. Does not verify the sum. Throws `damaged`.
  init(_ row: Statement, of document: String) throws(ArtError) {
    let key = try row.text(0)
    let head = try row.optionalText(3)
    guard let id = EditID(key), (0...Format.largestNumber).contains(try row.integer(2)),
      head.map({ EditID($0) != nil }) ?? true, row.isNull(1) == row.isNull(6)
    else { throw .damaged(document, "the version \(key) cannot be read") }
    self.id = id
    revision = try row.integer(2)
    self.head = head.flatMap { EditID($0) }
    author = try row.optionalText(4)
    time = try row.integer(5)
    guard let name = try row.optionalText(1), let content = try row.optionalText(6) else { return }
    guard !name.isEmpty, name.utf8.count <= Self.nameBytes,
      !name.unicodeScalars.contains(where: \.isUnsafeOnTerminal)
    else { throw .damaged(document, "the name of the version \(key) cannot be shown") }
    do throws(ArtError) {
      named = Named(name: name, content: content, picture: try Self.picture(of: content))
    } catch {
      throw .damaged(document, "the version \(key): \(error.cause)")
    }
  }

  /// Reads the content's background and checks that it is JSON. Throws `badJSON`.
  private static func picture(of content: String) throws(ArtError) -> String? {
    try JSONReader.read(content) { (reader) throws(ArtError) in
      var picture: String?
      try reader.object { (key, reader) throws(ArtError) in
        if key == "background", !reader.null() {
          picture = try Background(from: &reader).digest
        } else if key != "background" {
          try reader.skip()
        }
      }
      return picture
    }
  }
}

extension DocumentTransaction {
  /// The digests of the pictures that versions keep in the file. Throws `damaged`.
  func versionPictures() throws(ArtError) -> Set<String> {
    let rows = try statement(PlainTable.version.select)
    try rows.bind()
    defer { rows.reset() }
    var digests: Set<String> = []
    while try rows.step() {
      _ = try PlainTable.version.verify(rows, of: name)
      if let picture = try VersionRow(rows, of: name).named?.picture { digests.insert(picture) }
    }
    return digests
  }
}
