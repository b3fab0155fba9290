// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtSystem
import ArtWatch
import Foundation
import TestSupport
import Testing

@testable import ArtWorkspace

@Suite("Folders in which much happens") struct FolderLifeTests {
  private struct Outcome {
    var complaints: [String] = []
    var operations: [String: Int] = [:]
    var events: [String: Int] = [:]
  }

  /// What the folder holds, looked at anew by somebody who has never seen it.
  private func truth(_ folder: DocumentFolder, _ watched: WatchedFolder) async -> [FilePath: Listener
    .Known]
  {
    var documents: [FilePath: Listener.Known] = [:]
    for name in watched.names {
      let path = FilePath(name)
      do throws(ArtError) {
        guard try await folder.file(path).stampIfThere() != nil else { continue }
        documents[path] = Listener.Known(revision: try await folder.file(path).read().revision)
      } catch {
        documents[path] = Listener.Known(trouble: error)
      }
    }
    return documents
  }

  private func compare(
    _ listener: Listener, _ folder: DocumentFolder, _ watched: WatchedFolder
  ) async -> [String] {
    // What was known of a document before it was damaged is no part of what the folder holds. Why it cannot be read is
    // told once for each kind of trouble: the latest words can be asked for.
    let reasons = Dictionary(
      await folder.documents.map { (FilePath($0.path), $0.trouble) }, uniquingKeysWith: { $1 })
    var told = listener.documents
    for (path, known) in told where known.trouble != nil {
      told[path] = Listener.Known(trouble: reasons[path] ?? nil)
    }
    let truth = await truth(folder, watched)
    var complaints = listener.complaints
    for path in Set(told.keys).union(truth.keys).sorted() where told[path] != truth[path] {
      complaints.append("\(path.string): told \(told[path] as Any), is \(truth[path] as Any)")
    }
    for document in await folder.documents where document.base != nil {
      let base = try? DocumentFile(watched[document.path]).base()
      if base != document.base {
        complaints.append("\(document.path) is in another state than the folder says")
      }
    }
    return complaints
  }

  private func live(seed: UInt64, operations: Int, deafTo kind: String? = nil) async throws -> Outcome {
    let watched = try WatchedFolder()
    var life = try FolderLife(watched, seed: seed)
    let open = try await OpenFolder(watched)
    var listener = Listener(await open.folder.documents)
    listener.isDeafTo = kind
    for _ in 0..<operations {
      if life.random.oneIn(12), let begun = life.begin() {
        await open.news.say(.changed([WatchedFile(begun.name, isQuiet: false)]))
        if life.random.oneIn(2) { await open.news.settled() }
        life.finish(begun)
      } else {
        life.act()
      }
      await tell(&life, open)
      guard life.random.oneIn(4) else { continue }
      await open.news.settled()
      for event in await open.heard() { listener.hear(event) }
    }
    // The dust settles.
    await say(&life, open, .scanned, all: true)
    await open.news.say(.changed(life.files.sorted().map { WatchedFile($0, isQuiet: true) }))
    await open.news.settled()
    while await !open.news.again.isEmpty { for event in await open.again() { listener.hear(event) } }
    for event in await open.heard() { listener.hear(event) }
    let complaints = await compare(listener, open.folder, watched)
    let again = await open.scan("", watched.names)
    await open.folder.close()
    return Outcome(
      complaints: complaints + again.map { "told twice: \($0)" }, operations: life.done,
      events: listener.counts)
  }

  private enum News { case looks, scanned }

  /// Some of the news, some of them later, some by a listing.
  private func tell(_ life: inout FolderLife, _ open: OpenFolder) async {
    if life.random.oneIn(2) { await say(&life, open, .looks, all: false) }
    if life.random.oneIn(6) { await say(&life, open, .scanned, all: false) }
    if life.random.oneIn(30) {
      // The queue was full: what was to be told is found.
      life.files = []
      life.folders = []
      await open.news.say(.scanned(FolderScan("", files: life.watched.names, reason: "full")))
    }
    if life.random.oneIn(3) {
      let again = await open.news.takeAgain()
      // Some come early, as what happens to a file brings looks before their time.
      let pause = again.map(\.delay).max() ?? .zero
      open.clock.advance(by: life.random.oneIn(3) ? pause / 2 : pause)
      await open.news.say(.changed(again.map { WatchedFile($0.path, isQuiet: true) }))
    }
  }

  private func say(_ life: inout FolderLife, _ open: OpenFolder, _ news: News, all: Bool) async {
    switch news {
    case .looks:
      var files: [WatchedFile] = []
      for path in life.files.sorted() where all || life.random.oneIn(2) {
        let isQuiet = all || !life.random.oneIn(3)
        if isQuiet { life.files.remove(path) }
        files.append(WatchedFile(path, isQuiet: isQuiet))
      }
      if !files.isEmpty { await open.news.say(.changed(files)) }
    case .scanned:
      for folder in life.folders.sorted() where all || life.random.oneIn(2) {
        life.folders.remove(folder)
        let files = life.watched.names.filter { FilePath($0).isWithin(FilePath(folder)) }
        await open.news.say(.scanned(FolderScan(folder, files: files, reason: nil)))
      }
    }
  }

  @Test("W6 whoever applies what is told ends with what the folder holds, and is told nothing twice")
  func lives() async throws {
    let campaign = Campaign("folders", smoke: 4)
    var total = Outcome()
    for seed in campaign.cases {
      let outcome = try await live(seed: seed, operations: 150)
      let complaints = outcome.complaints.joined(separator: "\n")
      #expect(complaints.isEmpty, "seed \(seed)")
      total.operations.merge(outcome.operations, uniquingKeysWith: +)
      total.events.merge(outcome.events, uniquingKeysWith: +)
    }
    let sum = { (counts: [String: Int]) in counts.values.reduce(0, +) }
    let list = { (counts: [String: Int]) in
      counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }
    print(
      "W6 lives: \(campaign.count) folders, \(sum(total.operations)) operations (\(list(total.operations))), "
        + "\(sum(total.events)) events (\(list(total.events)))")
    campaign.report(tried: campaign.count)
    #expect(
      total.events["damaged", default: 0] > 6 * campaign.count, "more than there are when the dust settles")
  }

  @Test(
    "W6 a listener that misses one kind of event ends with something else",
    arguments: ["added", "changed", "removed", "renamed", "damaged"])
  func deaf(to kind: String) async throws {
    var isWrong = false
    for seed in 1...UInt64(3) where !isWrong {
      isWrong = try await !live(seed: seed, operations: 150, deafTo: kind).complaints.isEmpty
    }
    #expect(isWrong)
  }

  @Test("W6 the same holds with what the system tells, while it happens")
  func real() async throws {
    let campaign = Campaign("watched-folders", smoke: 1)
    var total = 0
    for seed in campaign.cases {
      let watched = try WatchedFolder()
      var life = try FolderLife(watched, seed: seed)
      let folder = try await DocumentFolder.open(watched.path, isRecursive: true)
      let events = folder.events(capacity: 1_000_000)
      var listener = Listener(await folder.documents)
      #expect(await folder.degraded == nil)
      for number in 0..<300 {
        if life.random.oneIn(12), let begun = life.begin() {
          await Task.yield()
          life.finish(begun)
        } else {
          life.act()
        }
        if life.random.oneIn(15) { try await mark("mark\(number).emojiart", watched, events, &listener) }
      }
      // What happened before is told before, but for what is looked at again.
      var complaints: [String] = []
      var ends = 0
      try await until("what is told to be what the folder holds: \(complaints)") {
        try await mark("end\(ends).emojiart", watched, events, &listener)
        complaints = await compare(listener, folder, watched)
        ends += 1
        return complaints.isEmpty || !listener.complaints.isEmpty
      }
      let told = complaints.joined(separator: "\n")
      #expect(told.isEmpty, "seed \(seed)")
      await folder.close()
      total += listener.counts.values.reduce(0, +)
    }
    print(
      "W6 watched lives: \(campaign.count) folders, \(300 * campaign.count) operations, \(total) events")
    campaign.report(tried: campaign.count)
  }

  /// Makes a document and hears all until it is told.
  private func mark(
    _ name: String, _ watched: WatchedFolder, _ events: EventSequence<FolderEvent>, _ listener: inout Listener
  ) async throws {
    try watched.make(name)
    for await event in events {
      listener.hear(event)
      if event == .added(name, revision: 0) { return }
    }
  }
}
