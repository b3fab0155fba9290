// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CStore

/// All that the file of one copy of a document holds, read and verified.
struct DocumentCopy {
  /// A row that a repair has set aside.
  struct AsideRow: Hashable {
    let source: String
    let row: String
    let reason: String
    let time: Int
  }

  /// A file with all that a copy holds. Only its digest is in memory.
  struct File {
    let digest: String
    /// Its bytes, if it still has these; nil if they cannot be read.
    let bytes: () -> [UInt8]?
  }

  /// The name of the copy in messages.
  let name: String
  /// The file; nil for a copy in memory, and for one that was merged.
  private(set) var file: File?
  private(set) var content: DocumentContent
  /// The permissions of the file, if it was found and not named: it is merged into no document with more readers.
  var rights: FileRights?
  /// Whether it has no file, and knows its content only.
  private let isInMemory: Bool
  /// The rows of `archive`, oldest first.
  private(set) var archive: [ArchivedRow] = []
  /// For each program with a journal, the sequence number of its last saved edit.
  private(set) var origins: [Origin: Int] = [:]
  /// The pictures by their digests, and the digests, oldest first.
  private(set) var pictures: [String: [UInt8]] = [:]
  private(set) var pictureOrder: [String] = []
  private(set) var aside: Set<AsideRow> = []
  private(set) var versions: [EditID: VersionRow] = [:]

  /// Reads a copy. `bytes` gives those of its file again, and `known` is a copy that may have the same pictures. Throws `damaged`.
  init(
    _ transaction: DocumentTransaction, named name: String, like known: DocumentCopy? = nil,
    bytes: @escaping () throws(ArtError) -> [UInt8]?
  ) throws(ArtError) {
    self.name = name
    isInMemory = false
    content = try transaction.load()
    let digest = try transaction.connection.digest()
    file = File(digest: digest) {
      // What cannot be read any more is built again.
      do throws(ArtError) { return try bytes().flatMap { $0.digest == digest ? $0 : nil } } catch {
        return nil
      }
    }
    for table in PlainTable.allCases {
      let rows = try Statement("\(table.select) ORDER BY 1", on: transaction.connection)
      while try rows.step() { try read(rows, of: table, like: known) }
    }
  }

  /// A copy in memory, which knows its content only.
  init(_ content: DocumentContent, named name: String) {
    (self.name, self.content, file, isInMemory) = (name, content, nil, true)
  }

  /// `load` has verified the rows' sums.
  private mutating func read(
    _ row: Statement, of table: PlainTable, like known: DocumentCopy?
  ) throws(ArtError) {
    switch table {
    case .archive: archive.append(try ArchivedRow(row))
    case .origin:
      guard let origin = Origin(try row.text(0)) else { return }
      origins[origin] = try row.integer(1)
    case .image:
      let digest = try row.text(1)
      // The digest was compared with the bytes.
      pictures[digest] = if let same = known?.pictures[digest] { same } else { Array(try row.blob(2)) }
      pictureOrder.append(digest)
    case .aside:
      aside.insert(
        AsideRow(
          source: try row.text(1), row: try row.text(2), reason: try row.text(3), time: try row.integer(4)))
    case .version:
      let version = try VersionRow(row, of: name)
      versions[version.id] = version
    }
  }

  /// The oldest revision whose edit is known.
  private var reach: Int { archive.first?.revision ?? content.log.first?.revision ?? content.revision + 1 }

  /// The copy without the edits that have left its log; nil if it has none of these.
  var withoutArchive: DocumentCopy? {
    guard !archive.isEmpty else { return nil }
    var copy = self
    copy.archive = []
    return copy
  }

  /// Whether both hold the same, whatever their files look like.
  func isSame(as other: DocumentCopy) -> Bool { content == other.content && hasSameRest(as: other) }

  /// Whether both hold the same besides the content.
  private func hasSameRest(as other: DocumentCopy) -> Bool {
    archive == other.archive && origins == other.origins && aside == other.aside && versions == other.versions
      && pictures.count == other.pictures.count
      && pictures.keys.allSatisfy { other.pictures[$0] != nil }
  }
}

// MARK: - Merging

extension DocumentCopy {
  /// Merges another copy into this one; by value if they have parted and `isByValue`. Returns what they bring and disagree on. Throws as
  /// `DocumentMerge` does, and `damaged`.
  mutating func merge(_ other: DocumentCopy, isByValue: Bool = false) throws(ArtError) -> MergeReport {
    let mine = self
    file = nil
    let (merge, base) = try mine.mergeContents(with: other, isByValue: isByValue)
    content = merge.content
    switch merge.source {
    case .first: break
    case .second: archive = other.archive
    case .both: archive = base?.archive ?? []
    }
    if content == mine.content, content == other.content, other.reach < mine.reach { archive = other.archive }
    mergeOrigins(mine, other)
    aside.formUnion(other.aside)
    for (id, version) in other.versions { versions[id] = versions[id]?.merged(with: version) ?? version }
    mergePictures(mine, other)
    return merge.report
  }

  /// The merged content, and the copy whose log and archive lie before the common point; nil without one. The archives are read where the
  /// logs do not reach back far enough.
  private func mergeContents(
    with other: DocumentCopy, isByValue: Bool
  ) throws(ArtError) -> (merge: DocumentMerge, base: DocumentCopy?) {
    do throws(ArtError) {
      let merge = try DocumentMerge(
        content, other.content, preferring: reach <= other.reach ? .first : .second, named: Self.markOrigin)
      return (merge, merge.base == .first ? self : other)
    } catch {
      guard error.code == .parted, isByValue || !archive.isEmpty || !other.archive.isEmpty else {
        throw error
      }
      let (mine, theirs) = (try unarchived(), try other.unarchived())
      let merge: DocumentMerge
      do throws(ArtError) {
        merge = try DocumentMerge(
          mine.content, theirs.content, preferring: mine.reach <= theirs.reach ? .first : .second,
          named: Self.markOrigin)
      } catch {
        guard error.code == .parted, isByValue else { throw error }
        merge = try DocumentMerge(byValueOf: mine.content, theirs.content, named: Self.markOrigin)
      }
      switch merge.source {
      case .both: return (merge, merge.base == .both ? nil : merge.base == .first ? mine : theirs)
      // The copy stays as it is, with its archive.
      case .first: return (merge.replacingContent(content), self)
      case .second: return (merge.replacingContent(other.content), other)
      }
    }
  }

  /// The copy with its archived edits in the log.
  private func unarchived() throws(ArtError) -> DocumentCopy {
    var copy = self
    var entries: [LoggedEdit] = []
    for row in archive { entries += try row.entries(of: name) }
    copy.content.prepend(entries)
    copy.archive = []
    return copy
  }

  /// A record of a journal that one copy lacks stays, unless that copy has the journal's last edit: then the journal is gone.
  private mutating func mergeOrigins(_ mine: DocumentCopy, _ other: DocumentCopy) {
    // A copy in memory knows no journals.
    guard !other.isInMemory else { return }
    guard mine.origins != other.origins else { return }
    func hasForgotten(_ copy: DocumentCopy, _ origin: Origin, _ sequence: Int) -> Bool {
      copy.content.log.contains { $0.id.origin == origin && $0.id.sequence >= sequence }
    }
    origins = mine.origins.merging(other.origins, uniquingKeysWith: max).filter { origin, sequence in
      let isForgotten =
        mine.origins[origin] == nil && hasForgotten(mine, origin, sequence)
        || other.origins[origin] == nil && hasForgotten(other, origin, sequence)
      return !isForgotten
    }
  }

  /// Keeps the background's picture, those of versions, and of the others as many as a file has, those last that were the background
  /// last, by the merged log.
  private mutating func mergePictures(_ mine: DocumentCopy, _ other: DocumentCopy) {
    let all = mine.pictures.merging(other.pictures) { first, _ in first }
    // A copy that has all pictures already keeps them as they are.
    if let whole = [mine, other].first(where: { $0.pictures.count == all.count && $0.isBase(of: self) }) {
      (pictures, pictureOrder) = (whole.pictures, whole.pictureOrder)
      return
    }
    let pinned = Set(versions.values.compactMap(\.named?.picture))
    let pinnedBytes = all.reduce(0) { $0 + (pinned.contains($1.key) ? $1.value.count : 0) }
    let recent = content.recentPictures(of: Set(all.keys))
    var (slots, room) = (Format.pictures, min(Format.pictureBytes, Format.allPictureBytes - pinnedBytes))
    var kept: [String] = []
    for digest in recent {
      let bytes = all[digest]?.count ?? 0
      let isPresent = digest == content.background?.digest
      if pinned.contains(digest) {
        kept.append(digest)
      } else if isPresent || slots > 0 && bytes <= room {
        kept.append(digest)
        slots -= 1
        room -= bytes
      }
    }
    pictureOrder = kept.reversed()
    pictures = all.filter { kept.contains($0.key) }
  }

  /// Whether no copy had the bytes of the background's picture. Only copies in memory lack them.
  var isPictureLost: Bool { content.background.map { pictures[$0.digest] == nil } ?? false }

  /// Removes a background whose picture is lost by an edit of its own, and makes it pending if it has a URL and none is pending. Throws what
  /// applying throws.
  mutating func removeLostBackground(at time: Int) throws(ArtError) {
    guard isPictureLost, let lost = content.background else { return }
    let pending = content.pending ?? PendingBackground(replacing: lost, since: time)
    let applied = try content.apply([.setBackground(nil), .setPending(pending)])
    var random = SystemRandomNumberGenerator()
    var author = try Author(origin: Origin(using: &random))
    let save = content.revision + 1
    content.append(
      LoggedEdit(
        author.stamp(at: time), revision: save, save: save,
        edit: Edit(name: "remove the lost background", changes: applied.changes), inverse: applied.inverse,
        dropped: applied.dropped))
  }

  /// Whether the merged copy has this one's content, so that its pictures may stay as they are.
  private func isBase(of merged: DocumentCopy) -> Bool {
    content.revision == merged.content.revision && content.head == merged.content.head
  }

  /// The origin of a mark: a hash over the document's id, its state, and the ids of its newest edits.
  static func markOrigin(_ content: DocumentContent, _ newest: ArraySlice<LoggedEdit>) -> Origin {
    var art = ArtRow(id: content.id, canvas: content.canvas)
    (art.fill, art.background, art.pending) = (content.fill, content.background, content.pending)
    (art.revision, art.emojiCount) = (content.revision, content.emojiCount)
    for emoji in content.unorderedEmojis { art.digest.add(EmojiRow(emoji).sum) }
    var sum = RowSum("merge")
    sum.integer(art.stored.sum)
    for entry in newest {
      sum.text(entry.id.origin.description)
      sum.integer(entry.id.sequence)
    }
    return Origin(lowBits: UInt64(bitPattern: Int64(sum.value)))
  }
}

extension VersionRow {
  /// Of two rows of one version the one that counts: that of a removed one, else any, but always the same.
  func merged(with other: VersionRow) -> VersionRow {
    guard named != nil, other.named != nil else { return named == nil ? self : other }
    return [self, other].max { $0.rank.lexicographicallyPrecedes($1.rank) } ?? self
  }

  private var rank: [UInt8] {
    Array(
      "\(revision) \(head?.description ?? "") \(time) \(author ?? "") \(named?.name ?? "") \(named?.content ?? "")"
        .utf8)
  }
}

extension DocumentContent {
  /// The digests in the order in which they were backgrounds, the last one first; then those of which the log does not speak.
  fileprivate func recentPictures(of digests: Set<String>) -> [String] {
    var logged: [String] = []
    do throws(ArtError) { logged = try recentPictures(among: digests) } catch {
      // A log in memory can be read.
      assertionFailure(error.cause)
    }
    return logged + digests.subtracting(logged).sorted()
  }
}
