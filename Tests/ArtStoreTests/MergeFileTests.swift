// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore
@testable import ArtSystem

@Suite("Merging files") struct MergeFileTests {
  /// Copies of one document, with edits of their own.
  private struct Copies {
    let folder: Workspace
    var files: [DocumentFile] = []
    var random: SplitMix64
    private var number = 0

    /// - Parameter edits: The edits of the document before it was copied.
    init(seed: UInt64, count: Int, edits: Int) throws {
      folder = try Workspace()
      random = SplitMix64(seed: seed)
      let file = try folder.document(seed: seed)
      files = [file]
      if edits > 0 { try edit(0, saves: edits / 25, perSave: 25) }
      for _ in 1..<count { files.append(try copy(file)) }
    }

    mutating func copy(_ file: DocumentFile) throws -> DocumentFile { try copy(try bytes(file.path)) }

    mutating func copy(_ bytes: [UInt8]) throws -> DocumentFile {
      number += 1
      let path = folder.path + "/copy\(number).emojiart"
      try write(bytes, to: path)
      return DocumentFile(path)
    }

    /// Saves edits, undos and redos as programs do; some with pictures, some with a journal.
    mutating func edit(_ index: Int, saves: Int, perSave: Int = 3) throws {
      let file = files[index]
      for _ in 0..<saves {
        var maker = try EditMaker(seed: random.next(), name: ["Ada", nil][random.below(2)])
        var random = random
        try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
          do {
            if random.oneIn(4) { try transaction.keep(CheckedPicture.sample(random.below(8))) }
            for _ in 0...random.below(perSave) {
              switch random.below(10) {
              case 0:
                if let plan = try UndoPlan.undo(in: transaction) {
                  _ = try transaction.perform(plan, stamp: maker.stamp())
                }
              case 1:
                if let plan = try UndoPlan.redo(in: transaction) {
                  _ = try transaction.perform(plan, stamp: maker.stamp())
                }
              case 2:
                let stored = try transaction.storedPictures().map(\.digest)
                let background = try stored.randomElement(using: &random).map {
                  try Background(
                    digest: $0, mediaType: "image/png", size: .standard, url: "https://example.org/\($0)")
                }
                _ = try transaction.perform(
                  Edit(name: "background", changes: [.setBackground(background)]), stamp: maker.stamp())
              default: _ = try transaction.perform(maker.edit(on: transaction), stamp: maker.stamp())
              }
            }
            let last = maker.stamp().id
            if random.oneIn(8) { try transaction.setSaved(last.origin, upTo: last.sequence) }
            if random.oneIn(8) {
              let named = random.oneIn(2)
              try transaction.insertPlain(
                .version,
                [
                  .text(last.description), named ? .text("v") : .null, .integer(transaction.revision), .null,
                  .null,
                  .integer(1), named ? .text(#"{"background":null}"#) : .null,
                ])
            }
          } catch {
            throw error as? ArtError ?? ArtError(.inputOutput, "\(error)")
          }
        }
        self.random = random
        _ = self.random.next()
      }
    }

    /// A merge of two files, in a new file.
    mutating func merge(_ one: DocumentFile, _ other: DocumentFile) throws -> DocumentFile {
      let merged = try copy(one)
      let outcome = try merged.merge([other])
      #expect(outcome.hasChanged == (try bytes(merged.path) != bytes(one.path)))
      return merged
    }
  }

  /// Whether two merges differ in the pictures only that they keep for undos, and become one when they are merged again. A file has four pictures:
  /// one that a merge has dropped cannot come back when a third copy shows that it was needed later than others.
  private static func hasOtherPictures(
    _ one: DocumentFile, _ other: DocumentFile, _ copies: inout Copies
  ) throws -> Bool {
    let (first, second) = (try one.copyOfAll(), try other.copyOfAll())
    return try first.content == second.content && first.archive == second.archive
      && first.origins == second.origins && first.aside == second.aside && first.versions == second.versions
      && first.pictureOrder.last == second.pictureOrder.last && !first.isPictureLost
      && isEqual(copies.merge(one, other), copies.merge(other, one))
  }

  private static func isEqual(_ one: DocumentFile, _ other: DocumentFile) throws -> Bool {
    try bytes(one.path) == bytes(other.path)
  }

  @Test(
    "F30 whoever merges whatever files in whatever order gets the same bytes, and they are a valid document")
  func laws() throws {
    let campaign = Campaign("merge-files", smoke: 24)
    var (triples, broken, otherPictures) = (0, 0, 0)
    for number in campaign.cases {
      // Most logs are full.
      var copies = try Copies(seed: number, count: 3, edits: [1_200, 1_200, 25, 0][Int(number % 4)])
      func check(_ one: DocumentFile, _ other: DocumentFile, _ law: Comment) throws {
        let holds = try Self.isEqual(one, other)
        broken += holds ? 0 : 1
        #expect(holds, "case \(number): \(law)")
      }
      for index in 0..<3 { try copies.edit(index, saves: copies.random.below(8)) }
      let (x, y, z) = (copies.files[0], copies.files[1], copies.files[2])
      let (xy, yx, yz) = (try copies.merge(x, y), try copies.merge(y, x), try copies.merge(y, z))
      try check(xy, yx, "not commutative")
      let (left, right) = (try copies.merge(xy, z), try copies.merge(x, yz))
      if try Self.isEqual(left, right) || !Self.hasOtherPictures(left, right, &copies) {
        try check(left, right, "not associative")
      } else {
        otherPictures += 1
      }
      let atOnce = try copies.copy(x)
      _ = try atOnce.merge([y, z])
      try check(atOnce, left, "not the same at once")
      for one in [x, y, z, xy, yz, left] { try check(try copies.merge(left, one), left, "not absorbing") }
      try check(try copies.merge(x, left), left, "not absorbed")
      #expect(try left.check().faults == [])
      triples += 1
    }
    print(
      "F30 merging files: \(triples) triples, \(broken) laws broken, \(otherPictures) with other pictures")
    #expect(otherPictures * 100 <= triples)
    campaign.report(tried: triples)
  }

  // MARK: Putting in place

  /// Two copies with an edit each, and a third one for what other programs do.
  private static func three() throws -> Copies {
    let copies = try Copies(seed: 5, count: 3, edits: 0)
    for index in 0..<3 { _ = try copies.files[index].add(seed: UInt64(10 + index)) }
    return copies
  }

  private static func emojis(_ file: DocumentFile) throws -> Set<EmojiID> {
    Set(try file.read().emojisInOrder().map(\.id))
  }

  private static func leftover(of document: DocumentFile) throws -> LeftoverFile {
    let path = try document.locate().path
    return LeftoverFile(of: path, in: try PlainFolder(path.folder))
  }

  private static func mode(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o777 : nil
  }

  /// The names in the folder that are no documents.
  private static func others(_ copies: Copies) throws -> [String] {
    try copies.folder.names.filter { !$0.hasSuffix(DocumentFile.ending) }
  }

  @Test("F31 a file that another program puts in place during a merge is merged, too")
  func replacedMeanwhile() throws {
    let copies = try Self.three()
    let all = try copies.files.reduce(into: Set<EmojiID>()) { try $0.formUnion(Self.emojis($1)) }
    let (document, other, third) = (copies.files[0], copies.files[1], copies.files[2])
    var isPut = false
    let outcome = try document.merge([other.copyOfAll()]) { (step) throws(ArtError) in
      guard case .read = step, !isPut else { return }
      isPut = true
      #expect(rename(third.path, document.path) == 0)
    }
    #expect(isPut && outcome.hasChanged && outcome.parts.count == 2)
    #expect(try Self.emojis(document) == all && document.check().faults == [])
    #expect(try Self.others(copies) == [])
  }

  @Test(
    "F31 a file that is replaced while a merge has nothing to put in its place is not the one that was merged"
  )
  func replacedWithNothingNew() throws {
    let copies = try Self.three()
    let (document, third) = (copies.files[0], copies.files[2])
    let other = try document.copyOfAll()
    _ = try copies.files[0].add(seed: 7)
    let (old, new) = (try document.stamp().identity, try third.stamp().identity)
    var isPut = false
    let outcome = try document.merge([other]) { (step) throws(ArtError) in
      guard case .read = step, !isPut else { return }
      isPut = true
      #expect(rename(third.path, document.path) == 0)
    }
    #expect(isPut && outcome.hasChanged && old != new && outcome.former == new)
  }

  @Test("F31 a file that is copied over the document in place during a merge is merged, too")
  func copiedOverMeanwhile() throws {
    let copies = try Self.three()
    let all = try copies.files.reduce(into: Set<EmojiID>()) { try $0.formUnion(Self.emojis($1)) }
    let (document, other, third) = (copies.files[0], copies.files[1], copies.files[2])
    let own = try Self.emojis(document)
    var isPut = false
    _ = try document.merge([other.copyOfAll()]) { (step) throws(ArtError) in
      guard case .read = step, !isPut else { return }
      isPut = true
      // As `cp` does: the same file, without a lock.
      let source = try? bytes(third.path)
      let descriptor = open(document.path, O_WRONLY)
      _ = source.map { pwrite(descriptor, $0, $0.count, 0) }
      PlainFile.close(descriptor)
    }
    // What was there before is in the merged copy, which was read before that.
    #expect(try isPut && Self.emojis(document) == all && own.isSubset(of: all))
    #expect(try Self.others(copies) == [])
  }

  @Test(
    "F31 a file with nothing new that is put in place during a merge does not bring the old document back",
    arguments: 1...6)
  func replacedByOld(seed: UInt64) throws {
    var copies = try Copies(seed: seed, count: 3, edits: 0)
    for index in 0..<3 { _ = try copies.files[index].add(seed: seed * 10 + UInt64(index)) }
    let old = try copies.copy(copies.files[1])
    let (document, other) = (copies.files[0], copies.files[1])
    // Its bytes may be less or more than those of the next merge.
    _ = try document.merge([copies.files[2]])
    var isPut = false
    _ = try document.merge([other.copyOfAll()]) { (step) throws(ArtError) in
      guard case .read = step, !isPut else { return }
      isPut = true
      #expect(rename(old.path, document.path) == 0)
    }
    #expect(try isPut && Self.emojis(document).count == 3)
  }

  @Test("F16 F31 edits whose file is replaced while they are saved are merged, with the ids that they have")
  func replacedWhileSaving() throws {
    let campaign = Campaign("replaced-saves", smoke: 12)
    var (merged, broken) = (0, 0)
    for number in campaign.cases {
      var copies = try Copies(seed: number, count: 2, edits: [25, 0][Int(number % 2)])
      for index in 0..<2 { try copies.edit(index, saves: 1 + copies.random.below(3)) }
      let (file, other) = (copies.files[0], copies.files[1])
      let sample = try JournalSample(seed: number, in: copies.folder, of: file)
      let entries = try sample.edits(1 + copies.random.below(3))
      let old = "\(copies.folder.path)/old.emojiart"
      var runs = 0
      let outcome = try file.save(
        NetEdits(UnsavedEdits(entries), of: sample.content, since: sample.base),
        beforeCommit: {
          runs += 1
          guard runs == 1 else { return }
          link(file.path, old)
          rename(other.path, file.path)
        })
      let found = try file.read()
      let there = Dictionary(found.log.map { ($0.id, $0) }) { first, _ in first }
      let isWhole =
        try runs == 1 && outcome.rebased?.content == found && file.check().faults == []
        && entries.allSatisfy { there[$0.id]?.edit.name == $0.edit.name }
        && !file.merge([DocumentFile(old)]).hasChanged
      broken += isWhole ? 0 : 1
      #expect(isWhole, "case \(number)")
      merged += 1
    }
    print("F16 replaced while saving: \(merged) saves, \(broken) broken")
    campaign.report(tried: merged)
  }

  @Test("F31 what a killed merge leaves beside the document is merged by the next one")
  func leftover() throws {
    let copies = try Self.three()
    let all = try copies.files.reduce(into: Set<EmojiID>()) { try $0.formUnion(Self.emojis($1)) }
    let (document, other, third) = (copies.files[0], copies.files[1], copies.files[2])
    let leftover = try Self.leftover(of: document)
    let path = leftover.path
    func leave(_ bytes: [UInt8]) throws {
      try write(bytes, to: path)
      try leftover.record([try #require(FileIdentity(at: path))], of: document.read().id)
    }
    try leave(try bytes(third.path))
    #expect(try document.hasLeftovers() && document.merge([other]).hasChanged)
    #expect(try Self.emojis(document) == all)
    #expect(try Self.others(copies) == [])
    // One whose edits are all there goes without a merge, and another document's stays.
    try leave(try bytes(other.path))
    #expect(try !document.merge([]).hasChanged)
    #expect(try Self.others(copies) == [])
    let stranger = try copies.folder.document("stranger.emojiart", seed: 99)
    try leave(try bytes(stranger.path))
    #expect(try !document.merge([]).hasChanged)
    #expect(try Self.others(copies) == [FilePath(path).name])
  }

  @Test("F31 a file that another program puts in place is merged also after a kill right after the exchange")
  func killedAfterExchange() throws {
    let copies = try Self.three()
    let all = try copies.files.reduce(into: Set<EmojiID>()) { try $0.formUnion(Self.emojis($1)) }
    let (document, other, third) = (copies.files[0], copies.files[1], copies.files[2])
    let (copy, there) = (try other.copyOfAll(), third.path)
    let error = failure {
      _ = try document.merge([copy]) { (step) throws(ArtError) in
        switch step {
        case .read: #expect(rename(there, document.path) == 0)
        // What a kill leaves; nothing names the file that is at the hidden path.
        case .exchanged: throw ArtError(.inputOutput, "killed")
        }
      }
    }
    #expect(try error != nil && Self.others(copies).count == 1 && document.hasLeftovers())
    #expect(try document.merge([]).hasChanged && Self.emojis(document) == all)
    #expect(try Self.others(copies) == [] && document.check().faults == [])
  }

  @Test("Y9 a file with a leftover's name that no record of this user names is named once, and left alone")
  func plantedLeftovers() throws {
    let copies = try Self.three()
    let (document, other, third) = (copies.files[0], copies.files[1], copies.files[2])
    #expect(chmod(document.path, 0o644) == 0)
    let before = try bytes(document.path)
    let leftover = try Self.leftover(of: document)
    let path = leftover.path
    // Each is a copy of the document with another edit.
    let plants: [(String, () throws -> Void)] = [
      ("a file", { try write(try bytes(third.path), to: path) }),
      ("a link to a private copy", { #expect(symlink(third.path, path) == 0) }),
      ("a second name of a private copy", { #expect(link(third.path, path) == 0) }),
      ("a pipe", { #expect(mkfifo(path, 0o600) == 0) }),
      (
        "a private file in the place of the recorded one",
        {
          try leftover.record([FileIdentity(device: 1, inode: 1)], of: document.read().id)
          try write(try bytes(third.path), to: path)
          #expect(chmod(path, 0o600) == 0)
        }
      ),
      (
        "another user's file, as far as this test may give one away",
        {
          try write(try bytes(third.path), to: path)
          guard isRoot(for: "Y9 another user's file at the place of a copy") else { return }
          #expect(chown(path, 1501, 1501) == 0)
          try leftover.record([try #require(FileIdentity(at: path))], of: document.read().id)
        }
      ),
    ]
    for (what, plant) in plants {
      try plant()
      let notices = NoticeLog()
      let file = DocumentFile(document.path, notice: { notices.append("\($0)") })
      #expect(try !file.hasLeftovers() && !file.merge([]).hasChanged, "\(what)")
      #expect(try bytes(document.path) == before && Self.others(copies) == [FilePath(path).name], "\(what)")
      #expect(notices.lines.count == 1 && notices.lines[0].contains(path), "\(what): \(notices.lines)")
      #expect(unlink(path) == 0)
      leftover.forget { Issue.record("\($0)") }
    }
    // It does not keep another merge from its work.
    try write(try bytes(third.path), to: path)
    #expect(try document.merge([other]).hasChanged && Self.others(copies) == [FilePath(path).name])
    #expect(try Self.emojis(document).isSuperset(of: Self.emojis(other)))
  }

  @Test(
    "Y10 what is removed after a merge is the copy that was merged, never what came to its name or what a link leads to"
  )
  func settingAside() throws {
    let copies = try Self.three()
    let (document, third) = (copies.files[0], copies.files[2])
    let name = copies.folder.path + "/bees.sync-conflict-20261122-131350-GT4PTP5.emojiart"
    let copy = DocumentFile(name)
    func plant() throws { try write(try bytes(copies.files[1].path), to: name) }
    try plant()
    let part = try #require(try document.merge(found: [copy]).parts.first)
    // Another copy has come to the name.
    let newer = try bytes(third.path)
    try write(newer, to: name + ".new")
    #expect(rename(name + ".new", name) == 0)
    #expect(failure { try copy.setAside(part, of: document) }?.code == .movedOn)
    #expect(try bytes(name) == newer && Self.others(copies) == [])
    // A link: neither it nor what it leads to is removed.
    #expect(unlink(name) == 0 && symlink(third.path, name) == 0)
    #expect(failure { try copy.setAside(part, of: document) }?.code == .notADocument)
    #expect(try bytes(third.path) == newer)
    #expect(failure { try document.merge(found: [copy]) }?.code == .notPermitted)
    #expect(unlink(name) == 0)
    // A file that was written over in place stays, too.
    try plant()
    let again = try #require(try document.merge(found: [copy]).parts.first)
    let descriptor = open(name, O_WRONLY)
    #expect(newer.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) } > 0)
    PlainFile.close(descriptor)
    #expect(failure { try copy.setAside(again, of: document) }?.code == .movedOn)
    #expect(access(name, F_OK) == 0 && unlink(name) == 0)
    // And the one that was merged goes, into the quarantine.
    try plant()
    let merged = try bytes(name)
    try copy.setAside(try #require(try document.merge(found: [copy]).parts.first), of: document)
    #expect(try access(name, F_OK) != 0 && Self.others(copies) == [])
    #expect(try Quarantine.aside.files().contains { try bytes($0.path) == merged })
  }

  @Test("Y10 a copy that the state folder cannot keep is not moved")
  func settingAsideImpossible() throws {
    let copies = try Self.three()
    let document = copies.files[0]
    let name = copies.folder.path + "/bees.sync-conflict-20261122-131351-GT4PTP5.emojiart"
    try write(try bytes(copies.files[1].path), to: name)
    let copy = DocumentFile(name)
    let part = try #require(try document.merge(found: [copy]).parts.first)
    // A folder is at the path of the file that would keep it; no other test has a copy with its name.
    let mark = try bytes(name).withUnsafeBufferPointer { ContentDigest.mark(of: $0) }
    let place = "\(TestState.path)/aside/\(mark)-\(FilePath(name).name)"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    defer { rmdir(place) }
    var (before, after) = (stat(), stat())
    #expect(lstat(name, &before) == 0)
    let error = failure { try copy.setAside(part, of: document) }
    #expect(error?.cause.contains(place) == true && lstat(name, &after) == 0, "\(error as Any)")
    // A rename would have set the time of its inode. The merge lies between, so that is another one.
    #expect(after.st_ctim.tv_sec == before.st_ctim.tv_sec && after.st_ctim.tv_nsec == before.st_ctim.tv_nsec)
  }

  @Test("Y9 a copy that was not named is merged only if this user, the document's owner or root has made it")
  func trust() throws {
    let copies = try Self.three()
    let (document, other) = (copies.files[0], copies.files[1])
    let path = other.path
    func why() throws -> String? { try document.distrust(of: other)?.cause }
    #expect(chmod(document.path, 0o644) == 0 && chmod(path, 0o600) == 0)
    // A name alone makes no private file public.
    #expect(try why()?.contains("some users may read") == true)
    #expect(failure { try document.merge(found: [other]) }?.code == .notPermitted)
    #expect(chmod(path, 0o640) == 0)
    #expect(try why()?.contains("some users may read") == true)
    #expect(chmod(document.path, 0o640) == 0)
    #expect(try why() == nil)
    #expect(chmod(document.path, 0o600) == 0 && chmod(path, 0o600) == 0)
    #expect(try why() == nil)
    #expect(chmod(document.path, 0o644) == 0 && chmod(path, 0o664) == 0)
    #expect(try why()?.contains("others may write") == true)
    // Who may write to the document may write to the copy.
    #expect(chmod(document.path, 0o664) == 0)
    #expect(try why() == nil)
    #expect(chmod(path, 0o666) == 0)
    #expect(try why()?.contains("others may write") == true)
    #expect(chmod(path, 0o644) == 0 && link(path, path + ".second") == 0)
    #expect(try why()?.contains("2 names") == true)
    #expect(unlink(path + ".second") == 0)
    guard isRoot(for: "Y9 another user's copies") else { return }
    #expect(chown(path, 1501, 1501) == 0)
    #expect(try why()?.contains("1501") == true)
    #expect(failure { try document.merge(found: [other]) }?.code == .notPermitted)
    #expect(chown(document.path, 1501, 1501) == 0)
    #expect(try why() == nil)
    #expect(try document.merge(found: [other]).hasChanged)
  }

  @Test("Y9 a private copy is not merged into a document that got more readers after both were looked at")
  func readersMeanwhile() throws {
    let copies = try Self.three()
    let (document, other) = (copies.files[0], copies.files[1])
    let before = try bytes(document.path)
    #expect(chmod(document.path, 0o644) == 0 && chmod(other.path, 0o600) == 0)
    var copy = try other.copyOfAll()
    copy.rights = try #require(try HeldFile(other.path)).rights()
    #expect(failure { try document.merge([copy]) { (_) throws(ArtError) in } }?.code == .notPermitted)
    #expect(try bytes(document.path) == before)
  }

  @Test(
    "F41 a merge and a repair give a file the rights of the one that they have locked, whatever is at its path"
  )
  func rightsOfTheLocked() throws {
    let folder = try Workspace()
    let file = try folder.document()
    let (bait, away) = (folder["bait"], folder["away"])
    let id = try file.read().id
    try write([1], to: bait)
    #expect(chmod(file.path, 0o600) == 0 && chmod(bait, 0o666) == 0)
    let found = try file.locate()
    let guarded = try GuardedFile(found, writable: true)
    try guarded.lock(.exclusive, Deadline(.zero))
    let locked = try #require(try LockedFile(found, guarded.descriptor))
    #expect(rename(file.path, away) == 0 && rename(bait, file.path) == 0)
    #expect(try locked.rights().mode == 0o600 && locked.file.identity == FileIdentity(at: away))
    let image = try FileImage(name: file.path, art: ArtRow(id: id, canvas: .standard))
    _ = try image.replace(locked)
    #expect(Self.mode(file.path) == 0o600)
    // What is at the path by now is not the locked file.
    #expect(try LockedFile(found, guarded.descriptor) == nil)
    withExtendedLifetime(guarded) {}
  }

  @Test(
    "F41 a merge writes in the folder of the file that it has locked, not in one to which a link leads by now"
  )
  func folderMeanwhile() throws {
    let copies = try Self.three()
    let (shared, moved, secret) = (copies.folder["d"], copies.folder["e"], copies.folder["private"])
    for folder in [shared, secret] { #expect(mkdir(folder, 0o755) == 0) }
    let document = DocumentFile(shared + "/bees.emojiart")
    #expect(rename(copies.files[0].path, document.path) == 0)
    for stranger in [true, false] {
      // Another document with that name, and another copy of this one.
      let other = try stranger ? copies.folder.document("stranger.emojiart", seed: 99) : copies.files[2]
      #expect(rename(other.path, secret + "/bees.emojiart") == 0)
      let before = try bytes(secret + "/bees.emojiart")
      let error = failure {
        try document.merge([copies.files[1].copyOfAll()]) { (step) throws(ArtError) in
          guard case .read = step else { return }
          #expect(rename(shared, moved) == 0 && symlink(secret, shared) == 0)
        }
      }
      #expect(error?.code == .busy && error?.cause.contains("/proc/") == false, "\(error as Any)")
      #expect(try bytes(secret + "/bees.emojiart") == before)
      #expect(try FileManager.default.contentsOfDirectory(atPath: secret) == ["bees.emojiart"])
      #expect(try FileManager.default.contentsOfDirectory(atPath: moved) == ["bees.emojiart"])
      #expect(unlink(shared) == 0 && rename(moved, shared) == 0 && unlink(secret + "/bees.emojiart") == 0)
      _ = try document.add(seed: stranger ? 70 : 71)
    }
  }

  @Test("F42 what is merged into a file that has come to the path has no more readers than the former file")
  func rightsOfTheFormer() throws {
    let copies = try Self.three()
    let (document, other) = (copies.files[0], copies.files[1])
    let all = try Self.emojis(document).union(Self.emojis(other))
    let notices = NoticeLog()
    let file = DocumentFile(document.path, notice: { notices.append("\($0)") })
    #expect(chmod(document.path, 0o640) == 0 && chmod(other.path, 0o606) == 0)
    let former = try #require(try HeldFile(document.path))
    #expect(rename(other.path, document.path) == 0)
    #expect(try file.merge(former)?.hasChanged == true && Self.emojis(file) == all)
    #expect(Self.mode(document.path) == 0o600 && notices.lines.count == 1, "\(notices.lines)")
    // The same for what a session had saved, also where the file has another name and is written in place.
    let third = copies.files[2]
    #expect(chmod(third.path, 0o644) == 0 && link(third.path, third.path + ".second") == 0)
    let state = try #require(ReplacedState(nil, in: try HeldFile(document.path)))
    #expect(rename(third.path, document.path) == 0)
    _ = try file.merge(state)
    #expect(try Self.emojis(file).isSuperset(of: all) && Self.mode(document.path) == 0o600)
  }

  @Test("F42 a file that somebody else has put at the path gets nothing of the former one")
  func takenOver() throws {
    guard isRoot(for: "F42 a file of somebody else at the path") else { return }
    let copies = try Self.three()
    let (document, other) = (copies.files[0], copies.files[1])
    #expect(
      chmod(document.path, 0o600) == 0 && chmod(other.path, 0o644) == 0 && chown(other.path, 1501, 1501) == 0)
    let former = try #require(try HeldFile(document.path))
    let content = try document.read()
    let sample = try JournalSample(seed: 3, in: copies.folder, of: document)
    let edits = try sample.edits(1)
    let own = try bytes(document.path)
    let foreign = try bytes(other.path)
    #expect(rename(other.path, document.path) == 0)
    #expect(failure { try document.merge(former) }?.code == .notPermitted)
    #expect(try document.distrust(after: former)?.code == .notPermitted)
    let state = try #require(ReplacedState(content, in: former))
    #expect(failure { try document.merge(state) }?.code == .notPermitted)
    let net = NetEdits(UnsavedEdits(edits), of: sample.content, since: sample.base)
    #expect(failure { try document.save(net, holding: former) }?.code == .replaced)
    #expect(failure { try document.find(by: sample.origin, holding: former) }?.code == .replaced)
    #expect(document.hold(former)?.isTakenOver == true)
    #expect(try bytes(document.path) == foreign)
    // Who could read the former file may be the owner of the next one: somebody who works on it, too.
    #expect(chmod(document.path, 0o640) == 0)
    let shared = copies.folder["shared.emojiart"]
    try write(own, to: shared)
    #expect(chmod(shared, 0o644) == 0)
    #expect(document.hold(try HeldFile(shared))?.isTakenOver == false)
    // A file of somebody else that comes during a merge goes back.
    let third = copies.files[2]
    #expect(
      chmod(document.path, 0o600) == 0 && chown(document.path, 0, 0) == 0
        && chown(third.path, 1501, 1501) == 0)
    let planted = try bytes(third.path)
    let error = failure {
      try document.merge([DocumentFile(shared).copyOfAll()]) { (step) throws(ArtError) in
        if case .read = step { #expect(rename(third.path, document.path) == 0) }
      }
    }
    #expect(try error?.code == .replaced && bytes(document.path) == planted && Self.others(copies) == [])
  }

  @Test("F44 a copy with a revision that leaves no room for edits is not merged, also not by value")
  func lastRevision() throws {
    let copies = try Self.three()
    let (document, other) = (copies.files[0], copies.files[1])
    let before = try bytes(document.path)
    try other.edit { (transaction: DocumentTransaction) throws(ArtError) in
      transaction.art.revision = Format.largestForeignRevision
    }
    try other.add(seed: 1)
    for isByValue in [false, true] {
      #expect(failure { try document.merge([other], isByValue: isByValue) }?.code == .tooLarge)
      #expect(failure { try document.previewMerge([other], isByValue: isByValue) }?.code == .tooLarge)
    }
    #expect(try bytes(document.path) == before)
  }

  @Test("F35 a file's key is another one where any row differs, also one that is no edit")
  func keys() throws {
    let copies = try Self.three()
    let file = copies.files[0]
    let (before, base) = try (file.state(), file.base())
    var random = SystemRandomNumberGenerator()
    let stamp = EditStamp(id: EditID(origin: Origin(using: &random), sequence: 1), time: 1)
    _ = try file.keepVersion(named: "draft", stamp: stamp, in: base.id)
    let named = try file.state()
    #expect(try file.base() == base && named.base == base)
    #expect(named != before && named.key != before.key && named.key.hasPrefix(base.key + "."))
    _ = try file.removeVersion("draft", in: base.id)
    #expect(try ![named, before].contains(file.state()))
    #expect(try file.quickState().state == file.state())
    let (whole, state) = try file.bytes()
    #expect(try state == file.state())
    let other = DocumentFile(copies.folder["other.emojiart"])
    #expect(try other.create(bytes: whole) == state && other.state() == state)
  }

  @Test("F31 another document that takes the path during a merge stays there, and what was merged is kept")
  func otherDocumentMeanwhile() throws {
    let copies = try Self.three()
    let (document, other) = (copies.files[0], copies.files[1])
    let stranger = try copies.folder.document("stranger.emojiart", seed: 99)
    let before = try bytes(stranger.path)
    let error = failure {
      try document.merge([other.copyOfAll()]) { (step) throws(ArtError) in
        if case .read = step { #expect(rename(stranger.path, document.path) == 0) }
      }
    }
    #expect(error?.code == .replaced)
    #expect(try bytes(document.path) == before)
    #expect(try Self.others(copies) == [])
    let kept = try #require(error?.cause.components(separatedBy: " is in ").last)
    #expect(try DocumentFile(kept).read().emojiCount == 2)
  }

  @Test(
    "F31 a third file that comes out when another document is put back stays, and is merged by the next merge"
  )
  func thirdFile() throws {
    let copies = try Self.three()
    let all = try copies.files.reduce(into: Set<EmojiID>()) { try $0.formUnion(Self.emojis($1)) }
    let (document, other, third) = (copies.files[0], copies.files[1], copies.files[2])
    let (before, last) = try (bytes(document.path), bytes(third.path))
    let stranger = try copies.folder.document("stranger.emojiart", seed: 99)
    let foreign = try bytes(stranger.path)
    let error = failure {
      try document.merge([other.copyOfAll()]) { (step) throws(ArtError) in
        switch step {
        case .read: #expect(rename(stranger.path, document.path) == 0)
        case .exchanged: #expect(rename(third.path, document.path) == 0)
        }
      }
    }
    #expect(try error?.code == .replaced && bytes(document.path) == foreign)
    let left = try Self.others(copies)
    #expect(try left.count == 1 && left.allSatisfy { try bytes("\(copies.folder.path)/\($0)") == last })
    // The document comes back.
    try write(before, to: stranger.path)
    #expect(rename(stranger.path, document.path) == 0)
    #expect(try document.merge([other]).hasChanged && Self.others(copies) == [])
    #expect(try Self.emojis(document) == all)
  }

  @Test(
    "F31 a merge that was made is told as made, also if what it leaves in the state folder cannot be removed")
  func recordThatStays() throws {
    let copies = try Self.three()
    let all = try copies.files[..<2].reduce(into: Set<EmojiID>()) { try $0.formUnion(Self.emojis($1)) }
    let notices = NoticeLog()
    let document = DocumentFile(copies.files[0].path, notice: { notices.append("\($0)") })
    var blocked: String?
    let outcome = try document.merge([copies.files[1].copyOfAll()]) { (step) throws(ArtError) in
      guard case .exchanged = step else { return }
      // The file that a record is written to before it counts cannot be made where a folder is.
      let name = (try? Self.others(copies))?.first.map { $0.dropFirst().dropLast(".merging".count) }
      blocked = name.map { "\(TestState.path)/merging/\($0).new" }
      #expect(blocked.map { mkdir($0, 0o700) } == 0)
    }
    #expect(try outcome.hasChanged && Self.emojis(document) == all && Self.others(copies) == [])
    #expect(notices.lines.count == 1 && notices.lines[0].contains("still names"), "\(notices.lines)")
    #expect(rmdir(try #require(blocked)) == 0)
    #expect(try !document.merge([]).hasChanged)
  }

  @Test(
    "F31 a merge that brings nothing writes nothing, and a copy that has all becomes the document byte for byte"
  )
  func contained() throws {
    let copies = try Self.three()
    let (document, other) = (copies.files[0], copies.files[1])
    _ = try document.merge([other])
    let before = try fingerprint(document.path)
    #expect(try !document.merge([other]).hasChanged)
    #expect(try fingerprint(document.path) == before)
    let content = try other.read()
    #expect(try other.merge([document]).hasChanged)
    #expect(try bytes(other.path) == bytes(document.path))
    #expect(content.revision < (try other.read().revision))
  }

  @Test("F31 a merge keeps the file's rights; one with several names is written in place")
  func rightsAndNames() throws {
    let copies = try Self.three()
    let (document, other) = (copies.files[0], copies.files[1])
    #expect(chmod(document.path, 0o640) == 0)
    _ = try document.merge([other])
    var status = stat()
    #expect(lstat(document.path, &status) == 0 && status.st_mode & 0o777 == 0o640)
    #expect(link(document.path, document.path + ".second") == 0)
    _ = try document.merge([copies.files[2]])
    #expect(lstat(document.path, &status) == 0 && status.st_nlink == 2)
    #expect(try Self.emojis(document).count == 3 && document.check().faults == [])
  }

  @Test("F31 a document that another program has locked is busy, and the copies stay")
  func locked() throws {
    let copies = try Self.three()
    var document = copies.files[0]
    document.timeout = .zero
    let before = try bytes(document.path)
    let error = try copies.files[0].edit { (transaction: DocumentTransaction) throws(ArtError) -> ArtError? in
      failure { try document.merge([copies.files[1]]) }
    }
    #expect(error?.code == .busy)
    #expect(try bytes(document.path) == before)
  }

  // MARK: How far logs reach

  /// Two copies of a document, each with that many edits of one emoji since.
  private static func long(_ edits: Int) throws -> Copies {
    var copies = try Copies(seed: 6, count: 1, edits: 0)
    let bee = try copies.files[0].add(seed: 7)
    copies.files.append(try copies.copy(copies.files[0]))
    for (index, file) in copies.files.enumerated() {
      var maker = try EditMaker(seed: UInt64(20 + index))
      for _ in 0..<(edits / 100) {
        try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
          for _ in 0..<100 {
            let place = try Point(x: Double(transaction.revision), y: Double(index))
            _ = try transaction.perform(
              Edit(name: "move", changes: [.move(bee, to: place)]), stamp: maker.stamp())
          }
        }
      }
    }
    return copies
  }

  @Test(
    "F32 copies with thousands of edits since they parted are merged by their archives, and no edit is lost")
  func archives() throws {
    var copies = try Self.long(2_500)
    let merged = try copies.merge(copies.files[0], copies.files[1])
    let reversed = try copies.merge(copies.files[1], copies.files[0])
    #expect(try Self.isEqual(merged, reversed))
    #expect(try merged.read().revision == 1 + 5_000 + 1)
    let ids = try merged.read { (transaction) throws(ArtError) -> Set<EditID> in
      let copy = try DocumentCopy(transaction, named: "merged") { nil }
      var ids = Set(copy.content.log.map(\.id))
      for row in copy.archive { ids.formUnion(try row.entries(of: "merged").map(\.id)) }
      return ids
    }
    #expect(ids.count == 1 + 5_000 + 1)
    #expect(try merged.check().faults == [])
    #expect(try copies.merge(merged, copies.files[0]).read() == merged.read())
  }

  @Test("F32 copies that have parted are refused, and stay as they are, unless one asks for a merge by value")
  func parted() throws {
    var copies = try Self.long(2_500)
    for file in copies.files {
      try file.edit { (transaction: DocumentTransaction) throws(ArtError) in try transaction.clearArchive() }
    }
    let before = try copies.files.map { try bytes($0.path) }
    #expect(failure { try copies.files[0].merge([copies.files[1]]) }?.code == .parted)
    #expect(failure { try copies.files[0].previewMerge([copies.files[1]]) }?.code == .parted)
    #expect(try copies.files.map { try bytes($0.path) } == before)
    // By value both come together, whoever asks for it, and the former document is kept.
    let other = try copies.copy(copies.files[1])
    let outcome = try copies.files[0].merge([copies.files[1]], isByValue: true)
    _ = try other.merge([DocumentFile(copies.copy(before[0]).path)], isByValue: true)
    #expect(try outcome.parts.first?.report.doubts?.isEmpty == false && Self.isEqual(copies.files[0], other))
    #expect(try copies.files[0].check().faults == [] && bytes(copies.files[1].path) == before[1])
    let kept = try Quarantine.kept.store(before[0], as: FilePath(copies.files[0].path).name)
    #expect(try bytes(kept) == before[0])
    #expect(try !copies.files[0].merge([copies.files[1]], isByValue: true).hasChanged)
    let stranger = try copies.folder.document("stranger.emojiart", seed: 99)
    #expect(failure { try stranger.merge([copies.files[1]]) }?.code == .badValue)
  }
}

extension DocumentFile {
  /// The whole file, read.
  fileprivate func copyOfAll() throws(ArtError) -> DocumentCopy {
    try read { (transaction) throws(ArtError) in try DocumentCopy(transaction, named: path) { nil } }
  }
}

extension CheckedPicture {
  /// A picture of a few bytes that no decoder has seen.
  fileprivate static func sample(_ number: Int) -> CheckedPicture {
    CheckedPicture(
      bytes: Array("picture \(number)".utf8) + Array(repeating: UInt8(number), count: number * 700),
      mediaType: "image/png", size: .standard, isAnimated: false)
  }
}
