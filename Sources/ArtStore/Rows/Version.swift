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
    guard !name.isEmpty, name.utf8.count <= NamedVersion.nameBytes,
      !name.unicodeScalars.contains(where: \.isUnsafeOnTerminal)
    else { throw .damaged(document, "the name of the version \(key) cannot be shown") }
    do throws(ArtError) {
      named = Named(name: name, content: content, picture: try Self.picture(of: content))
    } catch {
      throw .damaged(document, "the version \(key): \(error.cause)")
    }
  }

  /// A row with these values.
  init(
    _ id: EditID, revision: Int, head: EditID?, author: String? = nil, time: Int, named: Named? = nil
  ) {
    (self.id, self.revision, self.head) = (id, revision, head)
    (self.author, self.time, self.named) = (author, time, named)
  }

  /// The columns but `sum`.
  var values: [Statement.Value] {
    [
      .text(id.description), .optional(named?.name), .integer(revision), .optional(head?.description),
      .optional(author), .integer(time), .optional(named?.content),
    ]
  }

  /// The version; nil for one that was removed.
  var version: NamedVersion? {
    named.map {
      NamedVersion(id: id, name: $0.name, revision: revision, head: head, author: author, time: time)
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

// MARK: - Reading

extension DocumentTransaction {
  /// Visits the rows of versions, those that were removed included. Throws `damaged`, and what the body throws.
  private func versionRows(_ body: (VersionRow, _ sum: Int) throws(ArtError) -> Void) throws(ArtError) {
    let rows = try statement(PlainTable.version.select)
    try rows.bind()
    defer { rows.reset() }
    while try rows.step() {
      let sum = try PlainTable.version.verify(rows, of: name)
      try body(try VersionRow(rows, of: name), sum)
    }
  }

  /// The digests of the pictures that versions keep in the file. Throws `damaged`.
  func versionPictures() throws(ArtError) -> Set<String> {
    var digests: Set<String> = []
    try versionRows { (row, _) throws(ArtError) in
      if let picture = row.named?.picture { digests.insert(picture) }
    }
    return digests
  }

  /// The named versions, oldest first. Throws `damaged`.
  public func versions() throws(ArtError) -> [NamedVersion] {
    var versions: [NamedVersion] = []
    try versionRows { (row, _) throws(ArtError) in if let version = row.version { versions.append(version) } }
    return versions.sorted { ($0.time, $0.id.description) < ($1.time, $1.id.description) }
  }

  /// The rows of versions by their ids, without their contents: the name, nil for one that was removed. `load` verifies the rows. Throws
  /// `damaged` for a name that cannot be shown.
  func versionNames() throws(ArtError) -> [String: String?] {
    let rows = try statement("SELECT id, name FROM version")
    try rows.bind()
    defer { rows.reset() }
    var names: [String: String?] = [:]
    while try rows.step() { names.updateValue(try rows.optionalText(1), forKey: try rows.text(0)) }
    return names
  }

  /// The version of that name or id, and its art. Throws `noSuchRevision`, `ambiguous`, `damaged`.
  public func version(_ reference: String) throws(ArtError) -> (
    version: NamedVersion, content: VersionContent
  ) {
    let (row, version) = try versionRow(reference).found
    do throws(ArtError) {
      return (version, try VersionContent(row.named?.content ?? ""))
    } catch {
      throw .damaged(name, "the version \"\(version.name)\": \(error.cause)")
    }
  }

  private func versionRow(
    _ reference: String
  ) throws(ArtError) -> (found: (row: VersionRow, version: NamedVersion), sum: Int) {
    var found: [(row: VersionRow, version: NamedVersion, sum: Int)] = []
    var names: [String] = []
    try versionRows { (row, sum) throws(ArtError) in
      guard let version = row.version else { return }
      names.append(version.name)
      guard version.name == reference || version.id.description == reference else { return }
      found.append((row, version, sum))
    }
    guard let first = found.first else { throw .noSuchVersion(reference, among: Array(Set(names)).sorted()) }
    guard found.count == 1 else { throw .ambiguousVersion(reference, found.map(\.version.id)) }
    return ((first.row, first.version), first.sum)
  }
}

// MARK: - Keeping and removing

/// What a transaction has done with a version.
enum VersionChange {
  case kept
  case removed
}

extension DocumentTransaction {
  /// Keeps the present state under a name. `stamp` has its id, which no edit may get, its author and its time. Neither revision nor head
  /// changes. A version of that id that was kept before is returned as it is, also after its removal. Throws `exists` if another version has
  /// the name, `tooLarge` if all versions would have more than 64 MiB without their pictures, and `badValue` for a name that none may have.
  public func keepVersion(named typed: String, stamp: EditStamp) throws(ArtError) -> NamedVersion {
    let versionName = try NamedVersion.checkedName(typed)
    if let kept = try keptVersion(stamp.id, named: versionName) { return kept }
    var total = 0
    try versionRows { (row, _) throws(ArtError) in
      guard row.named?.name != versionName else { throw .versionExists(versionName) }
      total += row.named?.content.utf8.count ?? 0
    }
    var content = try load()
    content.setPending(nil)
    var bytes: [UInt8] = []
    try content.writeJSON { bytes += $0 }
    guard total + bytes.count <= Format.versionBytes else { throw .largeVersion(name) }
    let named = VersionRow.Named(
      name: versionName, content: String(decoding: bytes, as: UTF8.self), picture: content.background?.digest)
    let row = VersionRow(
      stamp.id, revision: revision, head: head, author: stamp.author, time: stamp.time, named: named)
    try write(row)
    changedVersions[stamp.id] = .kept
    return NamedVersion(
      id: stamp.id, name: versionName, revision: revision, head: head, author: stamp.author, time: stamp.time)
  }

  /// The version of that id; one that was removed gets its name. What it answers for is durable once more.
  private func keptVersion(_ id: EditID, named name: String) throws(ArtError) -> NamedVersion? {
    var kept: NamedVersion?
    try versionRows { (row, _) throws(ArtError) in
      guard row.id == id else { return }
      kept = NamedVersion(
        id: id, name: row.named?.name ?? name, revision: row.revision, head: row.head, author: row.author,
        time: row.time)
    }
    if kept != nil { try touch() }
    return kept
  }

  /// Removes a version, by its name or id, and the pictures that only it kept. A trace of it stays, so that a copy of the document does not
  /// bring it back. Throws `noSuchRevision`, `ambiguous`, `damaged`.
  public func removeVersion(_ reference: String) throws(ArtError) -> NamedVersion {
    let (found, sum) = try versionRow(reference)
    try statement("DELETE FROM version WHERE id = ?1").run(.text(found.version.id.description))
    art.digest.remove(sum)
    try write(
      VersionRow(
        found.version.id, revision: found.version.revision, head: found.version.head,
        author: found.version.author, time: found.version.time))
    changedVersions[found.version.id] = .removed
    try evictUnkeptPictures()
    return found.version
  }

  /// Whether the rows have such changes. A version that was kept may have been removed since.
  func contains(_ changes: [EditID: VersionChange]) throws(ArtError) -> Bool {
    guard !changes.isEmpty else { return false }
    var missing = changes
    try versionRows { (row, _) throws(ArtError) in
      if row.named == nil || missing[row.id] == .kept { missing[row.id] = nil }
    }
    return missing.isEmpty
  }

  private func write(_ row: VersionRow) throws(ArtError) {
    let sum = PlainTable.version.sum(of: row.values)
    try statement(
      "INSERT INTO version(id, name, revision, head, author, time, content, sum) VALUES(?,?,?,?,?,?,?,?)"
    )
    .run(all: row.values + [.integer(sum)])
    art.digest.add(sum)
  }
}

extension ArtError {
  fileprivate static func largeVersion(_ name: String) -> ArtError {
    ArtError(
      .tooLarge,
      "the versions of \(name) would have more than \(Format.versionBytes >> 20) MiB; remove one first",
      about: name)
  }
}

// MARK: - A document's file

extension DocumentFile {
  /// The named versions, oldest first. Throws what `read` throws.
  public func versions() throws(ArtError) -> [NamedVersion] {
    try read { (transaction) throws(ArtError) in try transaction.versions() }
  }

  /// Keeps the present state of that document under a name: see `DocumentTransaction.keepVersion`. `base` is the state that the document must
  /// have; nil stands for any. Throws `replaced` if another document is at the path, `movedOn`, and what `edit` throws.
  public func keepVersion(
    named name: String, stamp: EditStamp, in document: DocumentID, of base: DocumentBase? = nil
  ) throws(ArtError) -> NamedVersion {
    try keepVersion(named: name, stamp: stamp, in: document, of: base, holding: nil).version
  }

  /// The same, with the file that has the version, held open. `former` is given back if it holds that file already.
  package func keepVersion(
    named name: String, stamp: EditStamp, in document: DocumentID, of base: DocumentBase?,
    holding former: HeldFile?
  ) throws(ArtError) -> (version: NamedVersion, file: HeldFile?) {
    try edit { (transaction) throws(ArtError) in
      guard transaction.id == document else { throw .replaced(path) }
      try refuseTakenOver(transaction, after: former)
      if let base, transaction.base != base {
        throw .movedOn(path, is: transaction.revision, not: base.revision)
      }
      let version = try transaction.keepVersion(named: name, stamp: stamp)
      // The commit counts only if this file, or a copy of it, is at the path then.
      return (version, hold(former))
    }
  }

  /// Removes a version of that document: see `DocumentTransaction.removeVersion`. Throws as `keepVersion`.
  public func removeVersion(_ reference: String, in document: DocumentID) throws(ArtError) -> NamedVersion {
    try removeVersion(reference, in: document, holding: nil).version
  }

  /// The same, with the file that lacks the version, held open. `former` is given back if it holds that file already.
  package func removeVersion(
    _ reference: String, in document: DocumentID, holding former: HeldFile?
  ) throws(ArtError) -> (version: NamedVersion, file: HeldFile?) {
    try edit { (transaction) throws(ArtError) in
      guard transaction.id == document else { throw .replaced(path) }
      try refuseTakenOver(transaction, after: former)
      let version = try transaction.removeVersion(reference)
      return (version, hold(former))
    }
  }

  /// The version of that name or id, and its art. Throws `noSuchRevision`, `ambiguous`, and what `read` throws.
  public func version(_ reference: String) throws(ArtError) -> (
    version: NamedVersion, content: VersionContent
  ) {
    try read { (transaction) throws(ArtError) in try transaction.version(reference) }
  }

  /// The same of that document, with the digest of its picture if the file has it. Throws `replaced` if another document is at the path, too.
  package func version(
    _ reference: String, in document: DocumentID
  ) throws(ArtError) -> (version: NamedVersion, content: VersionContent, picture: String?) {
    try read { (transaction) throws(ArtError) in
      guard transaction.id == document else { throw .replaced(path) }
      let (version, content) = try transaction.version(reference)
      guard let digest = content.background?.digest, try transaction.holdsPicture(digest) else {
        return (version, content, nil)
      }
      return (version, content, digest)
    }
  }
}

extension EditID {
  /// The id of the version that a session's request keeps. It is the same whenever the request is sent again, so that one version is kept.
  package init(versionOf session: SessionID, _ tag: RequestTag) {
    let hash = KeyedDigest.sha256(Array("version \(session) \(tag)".utf8))
    self.init(origin: Origin(lowBits: hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }), sequence: 1)
  }
}
