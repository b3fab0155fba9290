// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

@Suite struct ConcurrencyTests {
  @Test("F19 eight programs that edit one document at once lose no edit and show no lock")
  func eightWriters() throws {
    let folder = try Workspace()
    let file = try folder.document()
    let campaign = Campaign("writers", smoke: 80)
    let writers = 8
    let editsEach = max(1, campaign.count / writers)
    // Each of the eight is a shell that runs the real program in a loop and keeps its answers. On a slow disk a program may wait
    // longer than 5 seconds and report that the document is in use.
    let loop = """
      i=0
      while [ $i -lt \(editsEach) ]; do
        if "$1" add "$2" 🐝 --at $3,$i; then i=$((i+1)); else status=$?; [ $status = 75 ] || exit $status; fi
      done
      """
    let ended = LockedEnds()
    let group = DispatchGroup()
    for writer in 1...writers {
      group.enter()
      Thread.detachNewThread {
        defer { group.leave() }
        ended.append(
          Result {
            try run("/bin/sh", ["-c", loop, "writer", emojiart, file.path, "\(writer)"])
          })
      }
    }
    try group.wait(for: "eight programs")
    var answered: [String] = []
    var busy = 0
    for result in ended.all {
      let end = try result.get()
      let errors = end.errors.split(separator: "\n")
      let word = "emojiart: \(file.path) is in use by another program; try again"
      #expect(end.status == 0 && errors.allSatisfy { $0 == word }, "\(end.errors)")
      busy += errors.count
      answered += end.output.split(separator: "\n").map(String.init)
    }
    let content = try file.read()
    let there = Set(content.emojisInOrder().map(\.id.description))
    let expected = writers * editsEach
    let lost = answered.filter { !there.contains($0) }.count
    print(
      "F19 concurrency: \(writers) programs x \(editsEach) edits: \(answered.count) answered, "
        + "\(content.emojiCount) in the document, \(lost) lost; \(busy) times one waited in vain")
    campaign.report(tried: answered.count)
    #expect(answered.count == expected && Set(answered).count == expected && lost == 0)
    #expect(content.emojiCount == expected && content.revision == expected)
    #expect(try file.check().faults == [])
    #expect(try folder.names == ["bees.emojiart"])
  }

  @Test("F19 programs that meet an interrupted save at once roll it back once and lose no edit")
  func recoverTogether() throws {
    let folder = try Workspace()
    for round in 0..<5 {
      let (file, _) = try folder.crashed("crashed\(round).emojiart", seed: UInt64(round))
      let before = try file.read()
      let ended = LockedEnds()
      let group = DispatchGroup()
      for _ in 0..<6 {
        group.enter()
        Thread.detachNewThread {
          defer { group.leave() }
          ended.append(Result { try run(emojiart, ["add", file.path, "🐝"]) })
        }
      }
      try group.wait(for: "six programs")
      let ends = try ended.all.map { try $0.get() }
      #expect(ends.allSatisfy { $0.status == 0 }, "\(ends.map(\.errors))")
      #expect(ends.count { $0.errors.contains("rolled back") } == 1)
      let after = try file.read()
      #expect(after.emojiCount == before.emojiCount + 6 && after.revision == before.revision + 6)
      #expect(try folder.names == (0...round).map { "crashed\($0).emojiart" })
    }
  }

  @Test(
    "F19 an edit of a document that stays locked beyond the timeout fails as busy, without words of SQLite, and changes nothing"
  )
  func busy() throws {
    let folder = try Workspace()
    let file = try folder.document()
    let shortTimeout = DocumentFile(file.path, timeout: .milliseconds(30))
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      let error = failure { try shortTimeout.add(seed: 2) }
      if error?.code != .busy || error?.cause.contains("SQL") == true
        || error?.cause.contains("lock") == true
      {
        throw .damaged("busy", "\(error as Any)")
      }
    }
    #expect(try file.read().revision == 0)
  }

  @Test("F16 a save is made in the file that replaces its own also where somebody has removed its journal")
  func removedJournal() throws {
    let folder = try Workspace()
    let file = try folder.document()
    try file.fill(emojis: 3, edits: 0, seed: 1)
    let ids = try file.read().emojisInOrder().map(\.id)
    let copy = folder["copy.emojiart"]
    try Data(bytes(file.path)).write(to: URL(filePath: copy))
    var maker = try EditMaker(seed: 7)
    let (stamp, place) = (maker.stamp(), try Point(x: 7, y: 7))
    var runs = 0
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      runs += 1
      _ = try transaction.perform(
        Edit(name: "move", changes: ids.map { .move($0, to: place) }), stamp: stamp)
      guard runs == 1 else { return }
      // Another program replaces the file; a third one edits the new file, and removes the journal.
      #expect(rename(copy, file.path) == 0 && unlink(file.path + DocumentFile.journalEnding) == 0)
    }
    #expect(runs == 2)
    #expect(try file.read().emojisInOrder().map(\.position) == ids.map { _ in place })
    #expect(try file.check().faults == [])
  }

  @Test("F19 readers see only whole states while another program writes")
  func readers() throws {
    let folder = try Workspace()
    let file = try folder.document()
    try file.fill(emojis: 50, edits: 0, seed: 1)
    let ids = try file.read().emojisInOrder().map(\.id)
    let group = DispatchGroup()
    let done = LockedEnds()
    let reads = Mutex(0)
    group.enter()
    Thread.detachNewThread {
      defer { group.leave() }
      do {
        var maker = try EditMaker(seed: 7)
        // Until there were 60 rounds, and enough reads between them.
        var round = 0
        while round < 60 || reads.withLock({ $0 }) < 5 {
          round += 1
          let stamp = maker.stamp()
          let place = try Point(x: Double(round), y: 0)
          try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
            _ = try transaction.perform(
              Edit(name: "move", changes: ids.map { .move($0, to: place) }), stamp: stamp)
          }
        }
      } catch { done.append(.failure(error)) }
      done.finish()
    }
    repeat {
      let content = try file.read()
      let places = Set(content.emojisInOrder().map(\.position))
      if content.revision > 1 { #expect(places.count == 1) }
      #expect(try file.summary().emojiCount == 50)
      reads.withLock { $0 += 1 }
    } while !done.isFinished
    try group.wait(for: "a writer")
    for result in done.all { _ = try result.get() }
    #expect(try file.read().revision >= 61)
  }
}

/// The ends of programs, gathered from several threads.
final class LockedEnds: @unchecked Sendable {
  // Guarded by the lock.
  private var ends: [Result<Ended, any Error>] = []
  private var finished = false
  private let lock = NSLock()
  func append(_ end: Result<Ended, any Error>) { lock.withLock { ends.append(end) } }
  func finish() { lock.withLock { finished = true } }
  var isFinished: Bool { lock.withLock { finished } }
  var all: [Result<Ended, any Error>] { lock.withLock { ends } }
}
