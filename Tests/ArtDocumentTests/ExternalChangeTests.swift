// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import TestSupport
import Testing

@testable import ArtDocument
@testable import ArtStore

@Suite("Documents that others edit, move and replace") struct ExternalChangeTests {
  private let folder: DocumentFolder

  init() throws { folder = try DocumentFolder() }

  private func changes(_ events: [DocumentEvent]) -> [ContentChange] {
    events.compactMap { if case .changed(let change) = $0, !change.cause.isOwn { change } else { nil } }
  }

  private func copy(_ from: DocumentFile, over to: String) throws {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: from.path))
    try bytes.write(to: URL(fileURLWithPath: to))
  }

  /// A document that is open, with one saved edit. A backup of the state before it lies beside it.
  private func withSavedEdit(
    _ file: DocumentFile, _ policy: AutosavePolicy = AutosavePolicy()
  ) async throws -> Document {
    let document = try await DocumentFolder.open(file, policy)
    try copy(file, over: file.path + ".backup")
    try await document.perform(.bee(x: 1))
    try await document.save()
    return document
  }

  private func putBack(_ file: DocumentFile) throws {
    try copy(DocumentFile(file.path + ".backup"), over: file.path)
  }

  @Test(
    "D13 a refresh takes in the edits of others, reports them once, and does not report the program's own edits"
  )
  func refreshing() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file)
    let other = try await DocumentFolder.open(file)
    let events = document.events()
    try await document.perform(.bee(x: 1))
    try await document.save()
    await document.refresh()
    try await other.perform(.bee(x: 2))
    try await other.perform(.bee(x: 3))
    try await other.save()
    await document.refresh()
    await document.refresh()
    #expect(try await document.content == file.read())
    try await document.close()
    let received = changes(try await events.until { _ in false })
    #expect(received.map(\.isComplete) == [true])
    #expect(received.flatMap(\.edits).map(\.id.origin) == [other.origin, other.origin])
    #expect(received.first?.revision == 3)
  }

  @Test("D13 a document is also refreshed by the clock")
  func refreshingByClock() async throws {
    let file = try folder.make()
    let clock = ManualClock()
    let document = try await Document.open(
      file, journal: DocumentFolder.journal(of: file), refreshInterval: .seconds(2), clock: clock)
    let events = document.events()
    let other = try await DocumentFolder.open(file)
    try await other.perform(.bee())
    try await other.close()
    clock.advance(by: .seconds(3))
    let received = try await events.until { if case .changed = $0 { true } else { false } }
    #expect(changes(received).first?.edits.count == 1)
    try await document.close()
  }

  @Test("D14 a backup that was put back is taken in, and what this program had saved since is merged into it")
  func backup() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file)
    try await document.perform(.bee(x: 1))
    try await document.save()
    try copy(file, over: file.path + ".backup")
    try await document.perform(.bee(x: 2))
    try await document.save()
    let events = document.events(ownEdits: false)
    try await document.perform(.bee(x: 3))
    try putBack(file)
    try await document.save()
    #expect(
      changes(try await events.until { if case .saved = $0 { true } else { false } }).isEmpty,
      "the state with the merged edits is the one that was known")
    await document.refresh()
    #expect(try Set(file.read().emojisInOrder().map(\.position.x)) == [1, 2, 3])
    #expect(try await document.content == file.read())
    // Without unsaved edits, too; and at the latest when the document is closed.
    try putBack(file)
    await document.refresh()
    try await document.close()
    #expect(try Set(file.read().emojisInOrder().map(\.position.x)) == [1, 2, 3])
  }

  @Test(
    "D14 a state that was put back gets the picture of the background that it lacks; one that was copied over it is without that background",
    arguments: [false, true])
  func backupWithoutPicture(isCopiedOver: Bool) async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file)
    try copy(file, over: file.path + ".backup")
    let picture = try Self.picture()
    let url = "https://example.org/7.png"
    try await document.setBackground(picture, from: url)
    try await document.perform(.bee())
    try await document.save()
    if isCopiedOver {
      try putBack(file)
    } else {
      #expect(rename(file.path + ".backup", file.path) == 0)
    }
    #expect(try file.background() == nil)
    await document.refresh()
    // The merge follows, and the next refresh waits for it.
    await document.refresh()
    #expect(try file.background()?.bytes == (isCopiedOver ? nil : picture.bytes))
    #expect(try file.read().pending?.url == (isCopiedOver ? url : nil))
    #expect(try file.read().emojiCount == 1)
    try await document.close()
    #expect(try file.check().faults == [])
  }

  @Test("D14 a document that is closed merges what it had saved into a state that nobody has looked at")
  func backupBeforeClosing() async throws {
    let file = try folder.make()
    let document = try await withSavedEdit(file)
    try putBack(file)
    try await document.close()
    #expect(try file.read().emojisInOrder().map(\.position.x) == [1])
  }

  @Test(
    "D14 a document is not closed while it is not known whether what it had saved is there, or while that cannot be merged",
    arguments: [false, true])
  func busyBeforeClosing(isUnreadable: Bool) async throws {
    let file = try folder.make()
    let document = try await withSavedEdit(DocumentFile(file.path, timeout: .zero))
    try putBack(file)
    let lock = try FileLock(file.path, alone: isUnreadable)
    await #expect { try await document.close() } throws: { ($0 as? ArtError)?.code == .busy }
    lock.release()
    try await document.close()
    #expect(try file.read().emojisInOrder().map(\.position.x) == [1])
  }

  @Test("D14 an edit that is saved on a state that was put back comes after its author's earlier ones")
  func backupBeneathAnEdit() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file)
    try await document.perform(.bee(x: 1))
    try await document.save()
    let bee = try #require(await document.content.top())
    try copy(file, over: file.path + ".backup")
    func move(to x: Double) async throws {
      let move = Change.move(bee.id, to: try Point(x: x, y: 0))
      _ = try await document.perform(Edit(name: "move", changes: [move]))
    }
    for x in [2.0, 3, 4, 5] {
      try await move(to: x)
      try await document.save()
    }
    // Another machine has all of that, and gets the last edit later.
    try copy(file, over: file.path + ".other")
    try await move(to: 9)
    try putBack(file)
    try await document.save()
    try await document.close()
    let other = DocumentFile(file.path + ".other")
    _ = try other.merge([file])
    for file in [file, other] { #expect(try file.read().emoji(bee.id)?.position.x == 9) }
    #expect(try file.read().log.map(\.save) == file.read().log.map(\.save).sorted())
  }

  @Test("D14 a backup without edits of this program is taken in as it is")
  func backupOfOthers() async throws {
    let file = try folder.make()
    let other = try await DocumentFolder.open(file)
    try await other.perform(.bee(x: 1))
    try await other.save()
    try copy(file, over: file.path + ".backup")
    try await other.perform(.bee(x: 2))
    try await other.close()
    let document = try await DocumentFolder.open(file)
    #expect(await document.content.emojiCount == 2)
    try putBack(file)
    await document.refresh()
    #expect(await document.content.emojisInOrder().map(\.position.x) == [1])
    try await document.close()
    #expect(try file.read().emojiCount == 1)
  }

  @Test(
    "D14 edits that were saved and cannot be merged are kept in another file, with their pictures, and reported once",
    arguments: [false, true])
  func parted(isSaved: Bool) async throws {
    let file = try folder.make()
    // Another machine's copy, whose log does not reach back to the common state.
    try copy(file, over: file.path + ".other")
    let other = DocumentFile(file.path + ".other")
    var author = try Author(origin: Origin(lowBits: 9))
    try other.edit { (transaction) throws(ArtError) in
      for x in 0..<1_100 {
        let change = Change.setCanvas(try Canvas(width: x + 1, height: 5))
        _ = try transaction.perform(Edit(name: "canvas", changes: [change]), stamp: author.stamp(at: 0))
      }
    }
    try other.edit { (transaction) throws(ArtError) in try transaction.clearArchive() }
    let document = try await DocumentFolder.open(file)
    let picture = try Self.picture()
    try await document.setBackground(picture, from: nil)
    let color = Color(red: 1, green: 2, blue: 3)
    try await document.perform(Edit(name: "fill", changes: [.setFill(color)]))
    try await document.save()
    let events = document.events(ownEdits: false)
    #expect(rename(other.path, file.path) == 0)
    if isSaved {
      // By a save, which finds it.
      try await document.perform(.bee(x: 1))
      try await document.save()
    } else {
      await document.refresh()
    }
    try await document.close()
    let received = try await events.until { _ in false }
    #expect(!received.contains { if case .dropped = $0 { true } else { false } })
    #expect(try file.read().emojiCount == (isSaved ? 1 : 0) && file.read().fill == nil)
    let kept = try #require(try keptFile(received, edits: 2))
    #expect(try kept.read().fill == color && kept.background()?.bytes == picture.bytes)
  }

  @Test(
    "D14 what was saved and could not be merged before a document was left is kept in another file, also if nobody could look at what has replaced it",
    arguments: [false, true])
  func leftBeforeMerging(isUnreadable: Bool) async throws {
    let file = try folder.make(timeout: .zero)
    let document = try await withSavedEdit(file)
    #expect(rename(file.path + ".backup", file.path) == 0)
    let lock = try FileLock(file.path, alone: isUnreadable)
    defer { lock.release() }
    if !isUnreadable { await document.refresh() }
    await #expect { try await document.close() } throws: { ($0 as? ArtError)?.code == .busy }
    let events = document.events()
    await document.abandon()
    let kept = try keptFile(try await events.until { _ in false }, edits: isUnreadable ? 0 : 1)
    #expect(try kept?.read().emojisInOrder().map(\.position.x) == [1])
  }

  @Test(
    "D14 a document that was replaced by a file which cannot be read is closed, and what was saved is kept")
  func unreadableBeforeClosing() async throws {
    let file = try folder.make()
    let document = try await withSavedEdit(file)
    try Data("no document".utf8).write(to: URL(fileURLWithPath: file.path + ".text"))
    #expect(rename(file.path + ".text", file.path) == 0)
    let events = document.events()
    try await document.close()
    let kept = try keptFile(try await events.until { _ in false }, edits: 0)
    #expect(try kept?.read().emojisInOrder().map(\.position.x) == [1])
  }

  @Test("D14 a merge that has failed comes before the next save")
  func editAfterFailedMerge() async throws {
    let file = try folder.make(timeout: .zero)
    let document = try await withSavedEdit(file)
    let bee = try #require(await document.content.top())
    for x in [2.0, 3] {
      let move = Change.move(bee.id, to: try Point(x: x, y: 0))
      try await document.perform(Edit(name: "move", changes: [move]))
      try await document.save()
    }
    #expect(rename(file.path + ".backup", file.path) == 0)
    let lock = try FileLock(file.path)
    await document.refresh()
    _ = await document.runningRefresh?.value
    #expect(await document.content.emojiCount == 0)
    #expect(await document.replaced.count == 1)
    lock.release()
    try await document.perform(.bee(x: 9))
    try await document.close()
    #expect(try Set(file.read().emojisInOrder().map(\.position.x)) == [3, 9])
    // The log is in the order in which the edits were made.
    let own = try file.read().log.map(\.id).filter { $0.origin == document.origin }.map(\.sequence)
    #expect(own.count == 4 && own == own.sorted())
  }

  @Test("D14 what was saved is merged, too, while more edits are unsaved than are known one by one")
  func manyUnsavedEdits() async throws {
    let file = try folder.make()
    let document = try await withSavedEdit(file, AutosavePolicy(changes: .max))
    #expect(rename(file.path + ".backup", file.path) == 0)
    let bee = try #require(await document.content.top())
    for x in 0..<3_000 {
      let move = Change.move(bee.id, to: try Point(x: 9, y: Double(x)))
      try await document.perform(Edit(name: "move", changes: [move]))
    }
    try await document.close()
    #expect(try file.read().emojisInOrder().map(\.position.x) == [9])
  }

  @Test("D14 a save of so many edits that the log keeps none is no loss")
  func forgottenEdits() async throws {
    let file = try folder.make()
    let document = try await withSavedEdit(file)
    let other = try await DocumentFolder.open(file, AutosavePolicy(changes: .max))
    let bee = try #require(await document.content.top())
    for x in 0..<3_000 {
      let move = Change.move(bee.id, to: try Point(x: 9, y: Double(x)))
      try await other.perform(Edit(name: "move", changes: [move]))
    }
    try await other.close()
    #expect(try !file.read().log.contains { $0.id.origin == document.origin })
    let events = document.events()
    await document.refresh()
    try await document.perform(.bee(x: 2))
    try await document.close()
    #expect(try Set(file.read().emojisInOrder().map(\.position.x)) == [2, 9])
    let received = try await events.until { _ in false }
    #expect(!received.contains { if case .setAside = $0 { true } else { false } })
  }

  private static func picture() throws -> CheckedPicture {
    CheckedPicture(
      bytes: [UInt8](repeating: 7, count: 500), mediaType: "image/png",
      size: try Canvas(width: 10, height: 20),
      isAnimated: false)
  }

  /// The document in which edits were kept, if that was reported once.
  private func keptFile(_ events: [DocumentEvent], edits: Int) throws -> DocumentFile? {
    let reports = events.compactMap { event -> (edits: Int, files: [String])? in
      if case .setAside(let edits, let files) = event { (edits, files) } else { nil }
    }
    #expect(reports.map(\.edits) == [edits] && reports.first?.files.count == 1)
    return reports.first?.files.first.map { DocumentFile($0) }
  }

  @Test("D15 a missing file is reported once while nothing is unsaved, and its return as well")
  func goneAndBack() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file)
    let events = document.events()
    try DocumentFolder.move(file.path, to: file.path + ".away")
    await document.refresh()
    await document.refresh()
    #expect(
      await { if case .error(let error) = $0 { error.code == .noSuchDocument } else { false } }(
        document.state))
    try DocumentFolder.move(file.path + ".away", to: file.path)
    await document.refresh()
    #expect(await document.state == .open)
    try await document.close()
    let states = try await events.until { _ in false }
    #expect(states.count == 3, "\(states)")
  }

  @Test(
    "D15 another document in the file's place is left alone, and the edits are kept until the right file is back"
  )
  func replaced() async throws {
    let file = try folder.make()
    let stranger = try folder.make("stranger")
    let document = try await DocumentFolder.open(file)
    try DocumentFolder.move(file.path, to: file.path + ".away")
    try copy(stranger, over: file.path)
    let before = try Data(contentsOf: URL(fileURLWithPath: file.path))
    await document.refresh()
    try await document.perform(.bee())
    let error = await #expect(throws: ArtError.self) { try await document.save() }
    #expect(error?.code == .replaced)
    #expect(try Data(contentsOf: URL(fileURLWithPath: file.path)) == before)
    #expect(await document.unsavedChanges == 1)
    try FileManager.default.removeItem(atPath: file.path)
    try DocumentFolder.move(file.path + ".away", to: file.path)
    try await document.close()
    #expect(try file.read().emojiCount == 1)
  }

  @Test(
    "F42 nothing is written into a file that somebody else has put in the place of the opened one, also before the first refresh"
  )
  func takenOver() async throws {
    guard isRoot(for: "F42 a file of somebody else in place of the opened one") else { return }
    let file = try folder.make()
    try #require(chmod(file.path, 0o600) == 0)
    let document = try await DocumentFolder.open(file)
    let planted = file.path + ".planted"
    try copy(file, over: planted)
    try #require(chmod(planted, 0o644) == 0 && chown(planted, 1501, 1501) == 0)
    try DocumentFolder.move(file.path, to: file.path + ".away")
    try DocumentFolder.move(planted, to: file.path)
    let before = try Data(contentsOf: URL(fileURLWithPath: file.path))
    let picture = CheckedPicture(
      bytes: Array("a private picture".utf8), mediaType: "image/png", size: .standard, isAnimated: false)
    func code(_ work: () async throws -> Void) async throws -> ArtError.Code? {
      do { try await work() } catch let error as ArtError { return error.code }
      return nil
    }
    #expect(try await code { try await document.setBackground(picture, from: nil) } == .replaced)
    try await document.perform(.bee())
    #expect(try await code { try await document.save() } == .replaced)
    let (id, held) = (await document.content.id, await document.heldFile)
    let stamp = EditStamp(id: EditID(origin: Origin(lowBits: 9), sequence: 1), time: 9, author: "Ada")
    #expect(
      try await code {
        _ = try file.keepVersion(named: "draft", stamp: stamp, in: id, of: nil, holding: held)
      } == .replaced)
    #expect(try Data(contentsOf: URL(fileURLWithPath: file.path)) == before)
    // The control: of this user it is a copy of the document.
    try #require(chown(file.path, 0, 0) == 0)
    try await document.save()
    try await document.close()
    #expect(try file.read().emojiCount == 1)
  }

  @Test("F42 a file that comes while a document is opened is compared with the one that was read")
  func takenOverWhileOpening() async throws {
    guard isRoot(for: "F42 a file of somebody else that comes while a document is opened") else { return }
    let file = try folder.make()
    let planted = file.path + ".planted"
    try copy(file, over: planted)
    try #require(
      chmod(file.path, 0o600) == 0 && chmod(planted, 0o644) == 0 && chown(planted, 1501, 1501) == 0)
    let store = ExchangedStore(file: file) {
      try? DocumentFolder.move(file.path, to: file.path + ".away")
      try? DocumentFolder.move(planted, to: file.path)
    }
    let document = try await Document.open(
      store, journal: DocumentFolder.journal(of: file), refreshInterval: nil, clock: ManualClock())
    #expect(access(file.path + ".away", F_OK) == 0, "the file was exchanged")
    let before = try Data(contentsOf: URL(fileURLWithPath: file.path))
    try await document.perform(.bee())
    let error = await #expect(throws: ArtError.self) { try await document.save() }
    #expect(error?.code == .replaced)
    #expect(try Data(contentsOf: URL(fileURLWithPath: file.path)) == before)
    await document.abandon()
  }

  @Test("D12 edits made during a save that rebases stay on top, and are saved with the next save")
  func editsDuringRebase() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file)
    await document.waitForLocks()
    try await document.perform(.bee(x: 1))
    try await document.save()
    let bee = try #require(await document.content.top())
    let other = try await DocumentFolder.open(file)
    try await other.perform(Edit(name: "resize", changes: [.resize(bee.id, to: FontSize(99))]))
    try await other.close()
    let lock = try FileLock(file.path)
    try await document.perform(Edit(name: "move", changes: [.move(bee.id, to: Point(x: 2, y: 2))]))
    async let saved: Void = document.save()
    try await until("a save to begin") { await document.state == .saving }
    try await document.perform(Edit(name: "move", changes: [.move(bee.id, to: Point(x: 3, y: 3))]))
    try await document.perform(.bee(x: 7))
    lock.release()
    try await saved
    let now = try #require(await document.content.emoji(bee.id))
    #expect(now.size.pixels == 99 && now.position.x == 3)
    try await document.close()
    #expect(try await document.content == file.read())
    #expect(try file.read().emojiCount == 2)
    // Undo of rebased edits restores what was in the file, not what the program had known.
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      var random = SystemRandomNumberGenerator()
      var author = try Author(origin: Origin(using: &random))
      for _ in 0..<3 {
        guard let plan = try UndoPlan.undo(in: transaction) else { return }
        _ = try transaction.perform(plan, stamp: author.stamp(at: 0))
      }
    }
    let undone = try #require(try file.read().emoji(bee.id))
    #expect(undone.position.x == 1 && undone.size.pixels == 99)
  }

  @Test("M22 an edit of an emoji that another program removed is reported to its author as dropped")
  func dropped() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file)
    try await document.perform(.bee(x: 1))
    try await document.save()
    let bee = try #require(await document.content.top())
    let other = try await DocumentFolder.open(file)
    try await other.perform(Edit(name: "remove", changes: [.remove(bee.id)]))
    try await other.close()
    let events = document.events(ownEdits: false)
    let move = Change.move(bee.id, to: try Point(x: 2, y: 2))
    let entry = try await document.perform(Edit(name: "move", changes: [move]))
    try await document.close()
    let received = try await events.until { _ in false }
    #expect(received.contains(.dropped(try #require(entry).id, [move])))
    #expect(try file.read().log.last?.dropped == [move])
  }

  @Test("F19 programs that edit one document at once lose no edit")
  func many() async throws {
    let file = try folder.make()
    let (programs, edits) = (4, 60)
    let added = try await withThrowingTaskGroup(of: [EmojiID].self) { group in
      for program in 0..<programs {
        group.addTask {
          let document = try await Document.open(
            DocumentFile(file.path, timeout: .seconds(20)),
            journal: DocumentFolder.journal(of: file), autosave: AutosavePolicy(changes: 5),
            refreshInterval: nil)
          var ids: [EmojiID] = []
          for number in 0..<edits {
            let answers = await document.perform([
              DocumentRequest.action(try .bee(x: Double(number), y: Double(program)))
            ])
            let answer = try #require(answers.first).get()
            ids += answer.emojis.map(\.id)
            if number.isMultiple(of: 7) { try await document.save() }
            await Task.yield()
          }
          while true {
            do {
              try await document.close()
              return ids
            } catch let error as ArtError where error.code == .busy {}
          }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    let content = try file.read()
    let lost = added.filter { content.emoji($0) == nil }
    print("F19 programs: \(programs) x \(edits) edits, \(lost.count) lost, \(content.emojiCount) emoji")
    #expect(lost.isEmpty && content.emojiCount == programs * edits)
    #expect(Set(content.log.map(\.id)).count == programs * edits)
  }
}

/// A document's file that another one replaces as soon as it has been read for the first time.
private struct ExchangedStore: DocumentStore {
  var file: DocumentFile
  let exchange: @Sendable () -> Void

  var path: String { file.path }
  func waiting(atMost timeout: Duration) -> Self {
    ExchangedStore(file: file.waiting(atMost: timeout), exchange: exchange)
  }
  func readOnlyReason() throws(ArtError) -> String? { try file.readOnlyReason() }
  func stamp() throws(ArtError) -> FileStamp { try file.stamp() }
  func base() throws(ArtError) -> DocumentBase { try file.base() }
  func read() throws(ArtError) -> DocumentContent { try file.read() }
  func find(by origin: Origin, holding former: HeldFile?) throws(ArtError) -> FoundState {
    let found = try file.find(by: origin, holding: former)
    exchange()
    return FoundState(content: found.content, savedSequence: found.savedSequence, file: nil)
  }
  func save(_ edits: NetEdits, isJournalled: Bool, holding former: HeldFile?) throws(ArtError) -> SaveOutcome
  {
    try file.save(edits, isJournalled: isJournalled, holding: former)
  }
  func hold(_ former: HeldFile?) -> HeldFile? { file.hold(former) }
  func merge(_ replaced: ReplacedState) throws(ArtError) -> HeldFile? { try file.merge(replaced) }
  func setAside(_ replaced: ReplacedState) -> [String] { file.setAside(replaced) }
  func keep(
    _ picture: CheckedPicture, in id: DocumentID, recent: [String], holding former: HeldFile?
  ) throws(ArtError) -> Set<String> {
    try file.keep(picture, in: id, recent: recent, holding: former)
  }
  func forget(_ origin: Origin) throws(ArtError) { try file.forget(origin) }
  func restoreOrphans(in folder: JournalFolder, by restorer: Author) throws(ArtError) -> [RecoveryOutcome] {
    try file.restoreOrphans(in: folder, by: restorer)
  }
  func makeJournal(
    in folder: JournalFolder, on base: DocumentBase, origin: Origin, author: String?
  ) throws(ArtError) -> Journal? {
    try file.makeJournal(in: folder, on: base, origin: origin, author: author)
  }
}
