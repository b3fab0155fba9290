// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtSystem
import ArtWatch
import Foundation
import TestSupport
import Testing

@testable import ArtStore
@testable import ArtWorkspace

@Suite("Copies of documents that are merged by themselves") struct MergingFolderTests {
  private static let copy = "bees.sync-conflict-20261122-131350-GT4PTP5.emojiart"
  private let watched: WatchedFolder

  init() throws { watched = try WatchedFolder() }

  /// A folder whose copies are merged.
  private struct Merged {
    let open: OpenFolder
    let merging: MergingFolder
    private let events: EventSequence<MergingFolder.Event>

    init(
      _ watched: WatchedFolder, _ mode: MergingFolder.Mode = .all, only: [String]? = nil
    ) async throws {
      open = try await OpenFolder(watched)
      merging = MergingFolder(open.folder, mode, only: only, by: watched.recovery(), clock: open.clock)
      events = merging.events()
      await merging.begin()
    }

    /// The next event. A merge waits a tenth of a second for another save, and is tried again two seconds later, until it is done. An event of a
    /// busy document is left out, unless `withBusy` is set.
    func next(withBusy isBusyWanted: Bool = false) async throws -> MergingFolder.Event? {
      var retries: Task<Void, Never>?
      defer { retries?.cancel() }
      while true {
        let event = try await events.elements(until: "an event of a merging folder") { _ in true }.first
        guard !isBusyWanted, case .failed(_, let error) = event, error.code == .busy else { return event }
        retries =
          retries
          ?? ticking { [merging] in
            await merging.failuresByPath.values.contains { $0.code == .busy }
          }
      }
    }

    /// Moves the time on while a condition holds, until it is cancelled.
    func ticking(while isDue: @escaping @Sendable () async -> Bool = { true }) -> Task<Void, Never> {
      Task { [clock = open.clock] in
        while !Task.isCancelled {
          if await isDue() { clock.advance(by: .milliseconds(50)) }
          await Task.yield()
        }
      }
    }

    func close() async {
      await merging.close()
      await open.folder.close()
    }
  }

  private func places(_ name: String = "bees.emojiart") throws -> Set<Double> {
    Set(try DocumentFile(watched[name]).read().emojisInOrder().map(\.position.x))
  }

  private func add(_ x: Double, to name: String = "bees.emojiart") throws {
    try DocumentFile(watched[name]).save([.add(try Emoji.one(x: x))])
  }

  private func outcome(_ event: MergingFolder.Event?) throws -> (path: String, result: Merging.Result) {
    guard case .merged(let path, let result) = event else { throw ArtError(.badValue, "\(event as Any)") }
    return (path, result)
  }

  /// The document, and another state of it that was edited apart.
  private func parted() throws -> [UInt8] {
    try watched.make()
    let base = try watched.bytes("bees.emojiart")
    try watched.overwrite("other.emojiart", base)
    try add(2, to: "other.emojiart")
    let other = try watched.bytes("other.emojiart")
    try watched.remove("other.emojiart")
    try add(1)
    return other
  }

  @Test("Y2 a conflict copy that is there when it begins is merged into the document, and set aside")
  func copyAtFirst() async throws {
    try watched.overwrite(Self.copy, parted())
    let folder = try await Merged(watched)
    let (path, result) = try outcome(try await folder.next())
    #expect(path == "bees.emojiart" && result.removed.count == 1 && result.outcome.hasChanged)
    #expect(try places() == [1, 2] && watched.names == ["bees.emojiart"])
    await folder.close()
  }

  @Test("Y2 a conflict copy that comes is merged, also if it comes before its document")
  func copyThatComes() async throws {
    let other = try parted()
    let folder = try await Merged(watched)
    try watched.overwrite(Self.copy, other)
    let events = try await folder.open.refresh(Self.copy)
    // The merge may be in the same list already.
    #expect(events.first == .conflict(Self.copy, of: "bees.emojiart", revision: 1))
    _ = try outcome(try await folder.next())
    #expect(try places() == [1, 2] && watched.names == ["bees.emojiart"])
    await folder.close()
  }

  @Test("Y2 a conflict copy that comes while its document is away is merged when that is there")
  func copyWithoutDocument() async throws {
    let other = try parted()
    let folder = try await Merged(watched)
    for isKnown in [false, true] {
      // As Syncthing does: it renames the document, and then puts the other state in its place.
      try watched.move("bees.emojiart", isKnown ? "away" : Self.copy)
      if isKnown { try watched.overwrite(Self.copy, other) }
      _ = try await folder.open.refresh("bees.emojiart", Self.copy)
      if isKnown {
        try watched.move("away", "bees.emojiart")
      } else {
        try watched.overwrite("bees.emojiart", other)
      }
      _ = try await folder.open.refresh("bees.emojiart")
      // The same state at the same path is no event.
      folder.open.clock.advance(by: .seconds(3))
      _ = try await folder.open.recheck()
      var removed = 0
      while removed == 0 { removed = try outcome(try await folder.next()).result.removed.count }
      #expect(try places() == [1, 2] && watched.names == ["bees.emojiart"])
      _ = try await folder.open.refresh("bees.emojiart", Self.copy)
    }
    await folder.close()
  }

  @Test(
    "Y2 a copy of another document with such a name stays, and so does one of a document that is not of interest"
  )
  func otherFiles() async throws {
    let other = try parted()
    try watched.make("wasps.emojiart")
    try watched.overwrite(Self.copy, watched.bytes("wasps.emojiart"))
    try watched.overwrite(
      "wasps (conflicted copy 2026-11-22 131350).emojiart", watched.bytes("wasps.emojiart"))
    let folder = try await Merged(watched, only: ["bees.emojiart"])
    try watched.overwrite("bees (conflicted copy 2026-11-22 131350).emojiart", other)
    _ = try await folder.open.refresh("bees (conflicted copy 2026-11-22 131350).emojiart")
    let (path, _) = try outcome(try await folder.next())
    #expect(path == "bees.emojiart")
    #expect(watched.names.count == 4 && watched.names.contains(Self.copy))
    await folder.close()
  }

  @Test(
    "Y2 the damaged state of a document that was repaired meanwhile is not reported: the repair has kept it")
  func repaired() async throws {
    let bees = try watched.make()
    try add(1)
    var bytes = try watched.bytes("bees.emojiart")
    // A row of the third page, which does not match its sum then.
    let row = Array(#""size":40"#.utf8)
    let place = try #require((8_192..<12_288).first { bytes[$0...].starts(with: row) })
    bytes[place + row.count - 1] += 1
    try watched.overwrite("bees.emojiart", bytes)
    let folder = try await Merged(watched)
    var random = SystemRandomNumberGenerator()
    let stamp = EditStamp(id: EditID(origin: Origin(using: &random), sequence: 1), time: 1)
    #expect(try bees.repair(.adopt, stamp: stamp) != nil)
    _ = try await folder.open.refresh("bees.emojiart")
    try watched.overwrite(Self.copy, watched.bytes("bees.emojiart"))
    try add(2, to: Self.copy)
    _ = try await folder.open.refresh(Self.copy)
    // Nothing has failed before.
    _ = try outcome(try await folder.next())
    #expect(try places() == [1, 2])
    await folder.close()
  }

  @Test("Y2 what a killed merge has left is merged when it begins, and by the command without a copy")
  func leftovers() async throws {
    let other = try parted()
    let file = DocumentFile(watched["bees.emojiart"])
    func leave() throws {
      let path = try file.locate().path
      let leftover = LeftoverFile(of: path, in: try PlainFolder(path.folder))
      try watched.overwrite(FilePath(leftover.path).name, other)
      try leftover.record([try #require(FileIdentity(at: leftover.path))], of: file.base().id)
    }
    try leave()
    let folder = try await Merged(watched)
    let (_, result) = try outcome(try await folder.next())
    #expect(try result.outcome.hasChanged && places() == [1, 2])
    await folder.close()
    try leave()
    #expect(try file.hasLeftovers())
    _ = try Merging(by: watched.recovery()).merge(file)
    #expect(try !file.hasLeftovers() && DocumentFile.areLeftovers(in: watched.path) == false)
  }

  @Test("Y3 what a document's file held is merged into the file that replaces it, more than once, and told")
  func guarding() async throws {
    let other = try parted()
    let folder = try await Merged(watched)
    try watched.replace("bees.emojiart", other)
    _ = try await folder.open.refresh("bees.emojiart")
    let (path, result) = try outcome(try await folder.next())
    #expect(path == "bees.emojiart" && result.outcome.hasChanged && result.removed.isEmpty)
    #expect(try places() == [1, 2])
    // The merged file is the one that is held now.
    try add(3)
    _ = try await folder.open.refresh("bees.emojiart")
    try watched.replace("bees.emojiart", other)
    _ = try await folder.open.refresh("bees.emojiart")
    _ = try outcome(try await folder.next())
    #expect(try places() == [1, 2, 3])
    await folder.close()
  }

  @Test(
    "Y3 a file that comes in the known state is merged, too: the former one may have an edit that nobody has seen"
  )
  func knownState() async throws {
    try watched.make()
    let known = try watched.bytes("bees.emojiart")
    let folder = try await Merged(watched)
    try add(1)
    try watched.replace("bees.emojiart", known)
    #expect(try await folder.open.refresh("bees.emojiart") == [])
    #expect(try outcome(try await folder.next()).path == "bees.emojiart")
    #expect(try places() == [1])
    await folder.close()
  }

  @Test("Y3 what a document's file held is merged into a document of the folder that is renamed over it")
  func renamedOver() async throws {
    let other = try parted()
    try watched.overwrite("x.emojiart", other)
    let folder = try await Merged(watched)
    try watched.move("x.emojiart", "bees.emojiart")
    _ = try await folder.open.refresh("bees.emojiart", "x.emojiart")
    _ = try outcome(try await folder.next())
    #expect(try places() == [1, 2])
    await folder.close()
  }

  @Test("Y4 what a former file held and could not be merged is merged when the folder is closed")
  func closing() async throws {
    let other = try parted()
    let folder = try await Merged(watched)
    try watched.replace("bees.emojiart", other)
    let lock = try FileLock(watched["bees.emojiart"])
    _ = try await folder.open.refresh("bees.emojiart")
    guard case .failed("bees.emojiart", _) = try await folder.next(withBusy: true) else {
      Issue.record("nothing has failed")
      return
    }
    lock.release()
    await folder.close()
    #expect(try places() == [1, 2])
  }

  @Test("Y3 a merged file that is replaced by a state that the folder knew before is merged after a while")
  func replacedUnseen() async throws {
    let other = try parted()
    let folder = try await Merged(watched)
    try watched.replace("bees.emojiart", other)
    _ = try await folder.open.refresh("bees.emojiart")
    _ = try outcome(try await folder.next())
    try watched.replace("bees.emojiart", other)
    #expect(try await folder.open.refresh("bees.emojiart").isEmpty)
    folder.open.clock.advance(by: .seconds(3))
    _ = try outcome(try await folder.next())
    #expect(try places() == [1, 2])
    await folder.close()
  }

  @Test(
    "Y3 a document that was removed is merged into the one that comes back; another document is left alone")
  func guardingRemoved() async throws {
    let other = try parted()
    let folder = try await Merged(watched)
    try watched.remove("bees.emojiart")
    _ = try await folder.open.refresh("bees.emojiart")
    try watched.overwrite("bees.emojiart", other)
    _ = try await folder.open.refresh("bees.emojiart")
    _ = try outcome(try await folder.next())
    #expect(try places() == [1, 2])
    let wasps = try watched.make("wasps.emojiart").read().id
    try watched.move("wasps.emojiart", "bees.emojiart")
    _ = try await folder.open.refresh("bees.emojiart", "wasps.emojiart")
    try add(5)
    _ = try await folder.open.refresh("bees.emojiart")
    // An event of another document, which comes after it.
    try watched.make("ants.emojiart")
    try watched.overwrite("ants (conflicted copy 2026-11-22 131350).emojiart", watched.bytes("ants.emojiart"))
    _ = try await folder.open.refresh("ants.emojiart", "ants (conflicted copy 2026-11-22 131350).emojiart")
    #expect(try outcome(try await folder.next()).path == "ants.emojiart")
    #expect(try DocumentFile(watched["bees.emojiart"]).read().id == wasps && places() == [5])
    await folder.close()
  }

  @Test("Y4 a merge that is impossible is told once, loses nothing, and is tried again when a copy changes")
  func failing() async throws {
    let other = try parted()
    let folder = try await Merged(watched)
    let lock = try FileLock(watched["bees.emojiart"])
    try watched.overwrite(Self.copy, other)
    _ = try await folder.open.refresh(Self.copy)
    guard case .failed("bees.emojiart", let error) = try await folder.next(withBusy: true) else {
      Issue.record("nothing has failed")
      return
    }
    #expect(error.code == .busy && watched.names.count == 2)
    #expect(await folder.merging.failuresByPath.keys.sorted() == ["bees.emojiart"])
    lock.release()
    try add(4)
    _ = try await folder.open.refresh("bees.emojiart")
    _ = try outcome(try await folder.next())
    #expect(try places() == [1, 2, 4] && watched.names == ["bees.emojiart"])
    #expect(await folder.merging.failuresByPath.isEmpty)
    await folder.close()
  }

  @Test(
    "Y9 a conflict copy that is a link, or another user's, is told once, stays, and keeps no other copy from being merged"
  )
  func planted() async throws {
    let other = try parted()
    try watched.overwrite("private", other)
    #expect(symlink(watched["private"], watched[Self.copy]) == 0)
    let foreign = "bees (conflicted copy 2026-11-22 131350).emojiart"
    try watched.overwrite(foreign, other)
    let isRoot = isRoot(for: "Y9 another user's conflict copy")
    if isRoot {
      #expect(chown(watched[foreign], 1501, 1501) == 0)
    } else {
      try watched.remove(foreign)
    }
    let planted = isRoot ? 2 : 1
    let folder = try await Merged(watched)
    for _ in 0..<planted {
      guard case .failed("bees.emojiart", let error) = try await folder.next() else {
        Issue.record("nothing was told")
        return
      }
      #expect(error.code == .notPermitted && error.remedy == .mergeCopy)
    }
    #expect(try places() == [1] && watched.bytes("private") == other)
    #expect(await folder.merging.failuresByPath.keys.sorted() == ["bees.emojiart"])
    let good = "bees (Ada's conflicted copy 2026-11-22).emojiart"
    try watched.overwrite(good, other)
    _ = try await folder.open.refresh(good)
    let result = try outcome(try await folder.next()).result
    #expect(result.removed.count == 1 && result.kept.count == planted)
    #expect(try places() == [1, 2] && watched.bytes("private") == other && !watched.names.contains(good))
    // Somebody who names it gets it merged, and another user's file stays.
    if isRoot {
      let file = DocumentFile(watched["bees.emojiart"])
      #expect(try Merging(by: watched.recovery()).merge(file, [DocumentFile(watched[foreign])]).removed == [])
      #expect(watched.names.contains(foreign))
    }
    await folder.close()
  }

  @Test(
    "Y11 where no program is known to carry the folder, a conflict copy waits, and is merged when one does or the user says so"
  )
  func waiting() async throws {
    let other = try parted()
    let folder = try await Merged(watched, .carried)
    try watched.overwrite(Self.copy, other)
    _ = try await folder.open.refresh(Self.copy)
    guard case .waiting("bees.emojiart", copies: [Self.copy]) = try await folder.next() else {
      Issue.record("nothing was told")
      return
    }
    #expect(try places() == [1] && watched.names.count == 2)
    #expect(await folder.merging.failuresByPath["bees.emojiart"]?.remedy == .mergeCopy)
    // What another file replaces is merged everywhere.
    try watched.replace("bees.emojiart", other)
    _ = try await folder.open.refresh("bees.emojiart")
    _ = try outcome(try await folder.next())
    #expect(try places() == [1, 2] && watched.names.count == 2)
    mkdir(watched[".stfolder"], 0o755)
    // It is looked at when another file comes to its path.
    try watched.replace(Self.copy, other)
    _ = try await folder.open.refresh(Self.copy)
    #expect(try outcome(try await folder.next()).result.removed.count == 1)
    #expect(await folder.merging.failuresByPath.isEmpty)
    await folder.close()
  }

  @Test(
    "Y11 a folder is carried by the marks of Syncthing, Dropbox, Nextcloud and ownCloud, by a folder above it, or by the user's word"
  )
  func carried() throws {
    #expect(mkdir(watched["sub"], 0o755) == 0)
    let document = watched["sub/bees.emojiart"]
    #expect(try !CarriedFolder.isCarried(document))
    let isRoot = isRoot(for: "Y11 another user's mark of a carried folder")
    for mark in [
      ".stfolder", ".stignore", ".dropbox", ".dropbox.cache", ".sync_0123456789ab.db", "._sync_0123.db",
      ".owncloudsync.log", ".nextcloudsync.log",
    ] {
      for folder in ["", "sub/"] {
        try watched.overwrite(folder + mark, [])
        #expect(try CarriedFolder.isCarried(document), "\(folder)\(mark)")
        if isRoot {
          #expect(chown(watched[folder + mark], 1501, 1501) == 0)
          #expect(try !CarriedFolder.isCarried(document), "another user's \(mark)")
        }
        try watched.remove(folder + mark)
      }
    }
    try watched.overwrite("stfolder", [])
    #expect(try !CarriedFolder.isCarried(document))
    // In a home it is Dropbox's settings, and says nothing of what is downloaded beside it.
    #expect(mkdir(watched[".dropbox"], 0o700) == 0)
    #expect(try !CarriedFolder.isCarried(document))
    #expect(rmdir(watched[".dropbox"]) == 0)
    let real = try #require(FilePath.resolvedIfThere(watched.path))
    try CarriedFolderStore().set(real, isCarried: true)
    #expect(try CarriedFolder.isCarried(document) && CarriedFolderStore().folders().contains(real))
    try CarriedFolderStore().set(real, isCarried: false)
    #expect(try !CarriedFolder.isCarried(document))
  }

  @Test(
    "Y13 a link at .stignore is not followed, and nothing is written in a folder or a file of another user")
  func ignoring() throws {
    let path = watched[".stignore"]
    func ignore() throws -> [String] { try SyncthingFolder(watched.path, path: "").ignore() }
    func code() -> ArtError.Code? {
      do { _ = try ignore() } catch { return (error as? ArtError)?.code }
      return nil
    }
    try watched.overwrite("bashrc", "export SECRET=1\n".utf8)
    for target in ["bashrc", "missing"] {
      #expect(symlink(watched[target], path) == 0 && code() == .notADocument, "\(target)")
      #expect(unlink(path) == 0)
    }
    #expect(
      try watched.bytes("bashrc") == Array("export SECRET=1\n".utf8) && access(watched["missing"], F_OK) != 0)
    // What lies where the new file is written is no obstacle, and is not followed either.
    #expect(symlink(watched["bashrc"], path + ".new") == 0)
    #expect(try ignore().count == 4 && ignore().isEmpty)
    #expect(try watched.bytes("bashrc") == Array("export SECRET=1\n".utf8))
    guard isRoot(for: "Y13 another user's files") else { return }
    #expect(chown(path, 1501, 1501) == 0 && code() == .notPermitted)
    #expect(unlink(path) == 0 && chown(watched.path, 1501, 1501) == 0 && code() == .notPermitted)
    #expect(access(path, F_OK) != 0 && chown(watched.path, 0, 0) == 0)
  }

  @Test(
    "Y12 an edit answered in a file that is at the path for a moment only, while others are looked at, is merged"
  )
  func momentary() async throws {
    let other = try parted()
    let folder = try await Merged(watched)
    let ticking = folder.ticking()
    defer { ticking.cancel() }
    for round in 0..<3 {
      let x = Double(10 + 10 * round)
      // Nothing of this is an event of the folder yet.
      for step in 0..<3 {
        try watched.replace("bees.emojiart", other)
        folder.open.source.arrive("bees.emojiart")
        try add(x + Double(step))
      }
      try watched.replace("bees.emojiart", other)
      folder.open.source.arrive("bees.emojiart")
      _ = try await folder.open.refresh("bees.emojiart")
      var there: Set<Double> = []
      let wanted = Set((0..<3).map { x + Double($0) }).union([1, 2])
      while !wanted.isSubset(of: there) {
        _ = try outcome(try await folder.next())
        there = try places()
      }
    }
    await folder.close()
  }

  @Test("Y12 an edit is merged also when the file that the folder knows comes back to its path")
  func movedBack() async throws {
    try watched.make()
    let folder = try await Merged(watched)
    let (path, aside) = (watched["bees.emojiart"], watched["aside"])
    let bytes = try watched.bytes("bees.emojiart")
    #expect(rename(path, aside) == 0)
    try watched.replace("bees.emojiart", bytes)
    folder.open.source.arrive("bees.emojiart")
    try add(7)
    let old = [timespec(tv_sec: 1_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, aside, old, 0) == 0 && rename(aside, path) == 0)
    folder.open.source.arrive("bees.emojiart")
    #expect(try await folder.open.refresh("bees.emojiart").isEmpty)
    _ = try outcome(try await folder.next())
    #expect(try places() == [7])
    await folder.close()
  }

  @Test(
    "Y12 an edit waits for a file that is still written, is kept meanwhile, and is merged when the file is whole"
  )
  func slow() async throws {
    try watched.make()
    let folder = try await Merged(watched)
    let bytes = try watched.bytes("bees.emojiart")
    try add(7)
    try watched.replace("bees.emojiart", bytes.prefix(5_000))
    folder.open.source.arrive("bees.emojiart")
    _ = try await folder.open.refreshUntilReported("bees.emojiart")
    let file = open(watched["bees.emojiart"], O_WRONLY)
    defer { close(file) }
    func write(_ end: Int) async throws {
      #expect(pwrite(file, bytes, end, 0) == end)
      _ = try await folder.open.refreshUntilReported("bees.emojiart")
    }
    try await write(6_000)
    try await until("a look") { await folder.merging.looks["bees.emojiart"] != nil }
    try await write(7_000)
    guard case .failed(_, let error) = try await folder.next() else {
      throw ArtError(.badValue, "nothing is kept")
    }
    #expect(error.code == .damaged && error.cause.contains("it is kept in "))
    try await write(bytes.count)
    _ = try outcome(try await folder.next())
    #expect(try places() == [7])
    await folder.close()
  }

  @Test("Y12 a merge releases no file that has come since with the number of the one that it has replaced")
  func numberUsedAgain() throws {
    let (held, path) = (HeldFiles(), FilePath("bees.emojiart"))
    try watched.make()
    let file = try #require(try HeldFile(watched["bees.emojiart"]))
    try held.hold(file, path)
    let former = try #require(try HeldFile(watched["bees.emojiart"]))
    held.release(path, replaced: file.identity, of: [former])
    #expect(held.files(of: path).first === file)
    held.release(path, replaced: file.identity, of: [file])
    #expect(held.files(of: path).isEmpty)
  }

  @Test("Y12 a file that comes while the former ones are looked up is none of them")
  func coming() throws {
    let held = HeldFiles()
    let path: FilePath = "bees.emojiart"
    try watched.make()
    try held.hold(path, at: watched["bees.emojiart"])
    let first = try #require(FileIdentity(at: watched["bees.emojiart"]))
    try watched.replace("bees.emojiart", watched.bytes("bees.emojiart"))
    let found = held.formers(of: path) {
      do { try held.hold(path, at: watched["bees.emojiart"]) } catch { Issue.record(error) }
      return first
    }
    #expect(found.isEmpty)
    #expect(held.formers(of: path) { FileIdentity(at: watched["bees.emojiart"]) }.map(\.identity) == [first])
  }

  @Test("Y4 a merged file gets the time of now if a program has set it back to its own")
  func time() async throws {
    let other = try parted()
    let folder = try await Merged(watched)
    try watched.replace("bees.emojiart", other)
    _ = try await folder.open.refresh("bees.emojiart")
    _ = try outcome(try await folder.next())
    func seconds() -> Int {
      var status = stat()
      return lstat(watched["bees.emojiart"], &status) == 0 ? Int(status.st_mtim.tv_sec) : 0
    }
    let old = [timespec(tv_sec: 1_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, watched["bees.emojiart"], old, 0) == 0 && seconds() == 1_000_000)
    let look = await folder.merging.looks[FilePath("bees.emojiart")]
    folder.open.clock.advance(by: .seconds(3))
    await look?.value
    #expect(look != nil && seconds() > 1_700_000_000)
    await folder.close()
  }

  @Test(
    "Y1 conflict copies are known by the names that Syncthing, Dropbox and Nextcloud give, and by the document's id"
  )
  func names() throws {
    for (name, document) in [
      (Self.copy, "bees.emojiart"), ("bees.sync-conflict-20261122-131350.emojiart", "bees.emojiart"),
      ("art/bees (Ada's conflicted copy 2026-11-22).emojiart", "art/bees.emojiart"),
      ("bees (conflicted copy 2026-11-22 131350).emojiart", "bees.emojiart"),
      ("a (b).sync-conflict-20261122-131350-GT4PTP5.emojiart", "a (b).emojiart"),
      (
        "bees.sync-conflict-20261122-131350-GT4PTP5.sync-conflict-20261123-131350-GT4PTP5.emojiart",
        "bees.emojiart"
      ),
    ] { #expect(ConflictCopy.document(of: name) == document) }
    for name in [
      "bees.emojiart", "bees (copy).emojiart", "bees.sync-conflict-2026112-131350-GT4PTP5.emojiart",
      "bees.sync-conflict-20261122-131350-gt4ptp5.emojiart", "bees.sync-conflict-20261122.emojiart",
      ".sync-conflict-20261122-131350-GT4PTP5.emojiart", " (conflicted copy).emojiart", Self.copy + ".txt",
      "",
      "bees (conflicted copy 2026-11-22) 2.emojiart",
    ] { #expect(ConflictCopy.document(of: name) == nil, "\(name)") }
    try watched.make()
    try watched.overwrite(Self.copy, watched.bytes("bees.emojiart"))
    #expect(ConflictCopy(watched[Self.copy])?.document == watched["bees.emojiart"])
    try watched.remove("bees.emojiart")
    #expect(ConflictCopy(watched[Self.copy]) == nil)
    try watched.make()
    #expect(ConflictCopy(watched[Self.copy]) == nil, "another document")
  }
}
